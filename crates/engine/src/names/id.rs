//! Public ids: strings that are safe in a path, a header and a log line.

use crate::limits::ID_CHARS_MAX;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The public id of a session, floor, page, variable, key or account. Cloning it copies nothing.
///
/// Invariant: 1 to [`ID_CHARS_MAX`] characters of `[A-Za-z0-9._~:-]`, and neither `.` nor `..`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(Arc<str>);

/// The pattern of an id, as the API document shows it.
pub const ID_PATTERN: &str = "^[A-Za-z0-9._~:-]{1,128}$";

/// Which bytes an id may have: ids are read with every row.
const ALLOWED: [bool; 256] = {
    let mut allowed = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        allowed[byte] =
            matches!(byte as u8, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'~' | b':' | b'-');
        byte += 1;
    }
    allowed
};

/// The text is not an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidId;

impl Id {
    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Id {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // `.` and `..` mean something else in a path.
        let dots = matches!(text, "." | "..");
        if text.is_empty() || text.len() > ID_CHARS_MAX || dots || !text.bytes().all(|byte| ALLOWED[usize::from(byte)])
        {
            return Err(InvalidId);
        }
        Ok(Id(text.into()))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for InvalidId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "an id is 1 to {ID_CHARS_MAX} characters of A-Z a-z 0-9 . _ ~ : -, and not . or ..")
    }
}

impl std::error::Error for InvalidId {}
