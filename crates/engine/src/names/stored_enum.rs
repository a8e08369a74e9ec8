//! Enums that are stored as numbers and spelled as words in the API.

/// An enum whose variants have numbers in storage.
pub trait StoredEnum: Sized {
    /// The enum's name, for error messages.
    const NAME: &'static str;

    /// The variant with this number.
    fn of_number(number: i64) -> Option<Self>;
}

/// Declares an enum with a word and a number for each variant. The number is the position in the list, so variants are only
/// ever added at the end; a test of `store` pins every number.
#[macro_export]
macro_rules! stored_enum {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$doc])* $variant),+ }

        impl $name {
            /// All variants, in the order of their numbers.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// All words, in the same order.
            pub const WORDS: &'static [&'static str] = &[$($text),+];

            /// The word in the API.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }

            /// The number in storage: the position in [`ALL`](Self::ALL).
            pub const fn number(self) -> i64 {
                self as i64
            }
        }

        impl $crate::stored_enum::StoredEnum for $name {
            const NAME: &'static str = stringify!($name);

            fn of_number(number: i64) -> Option<$name> {
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
