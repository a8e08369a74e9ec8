//! The key of a variable: any text of 1 to 512 bytes, compared and sorted by bytes everywhere.

use crate::limits::KEY_BYTES_MAX;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The key of a variable. Blanks, dots and NUL are ordinary characters of it.
///
/// Invariant: 1 to [`KEY_BYTES_MAX`] bytes of UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(Arc<str>);

/// Why a text is not a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidKey {
    /// The text is empty.
    Empty,
    /// The text is longer than [`KEY_BYTES_MAX`] bytes.
    TooLong,
}

impl Key {
    /// The key's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Key {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.len() {
            0 => Err(InvalidKey::Empty),
            1..=KEY_BYTES_MAX => Ok(Key(text.into())),
            _ => Err(InvalidKey::TooLong),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for InvalidKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidKey::Empty => formatter.write_str("must NOT have fewer than 1 characters"),
            InvalidKey::TooLong => write!(formatter, "must NOT have more than {KEY_BYTES_MAX} bytes"),
        }
    }
}

impl std::error::Error for InvalidKey {}
