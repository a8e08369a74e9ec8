//! Closed sets of words that are stored as numbers and spelled on the wire.

/// Declares an enum of words: `as_str` and `FromStr` for the wire, `number` and `of_number` for storage.
#[macro_export]
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$doc])* $variant),+ }

        impl $name {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// All words, in the same order.
            pub const WORDS: &'static [&'static str] = &[$($text),+];

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }

            /// The number in storage: the place in [`ALL`](Self::ALL).
            pub const fn number(self) -> i64 {
                self as i64
            }

            /// The one with this number.
            pub fn of_number(number: i64) -> Option<$name> {
                usize::try_from(number).ok().and_then(|index| Self::ALL.get(index).copied())
            }
        }

        impl std::str::FromStr for $name {
            type Err = ();

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|word| word.as_str() == text).ok_or(())
            }
        }
    };
}
