//! JSON Pointers, decoded by RFC 6901.

use std::fmt;
use std::sync::Arc;

/// The text is no JSON Pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidPointer {
    /// It is not empty and does not start with `/`.
    NoSlash,
    /// A `~` is followed by neither `0` nor `1`.
    BadEscape,
}

impl fmt::Display for InvalidPointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            InvalidPointer::NoSlash => "a JSON Pointer is empty or starts with `/`",
            InvalidPointer::BadEscape => "`~` in a JSON Pointer must be written `~0`",
        })
    }
}

impl std::error::Error for InvalidPointer {}

/// Splits a pointer into its segments. Keys with dots stay whole.
///
/// ```
/// use tavernkeep_engine::path::parse_pointer;
///
/// let segments = parse_pointer("/a.b/c~1d/0").unwrap();
/// assert_eq!(segments.iter().map(|segment| segment.as_ref()).collect::<Vec<_>>(), ["a.b", "c/d", "0"]);
/// ```
pub fn parse_pointer(text: &str) -> Result<Vec<Arc<str>>, InvalidPointer> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    split_pointer(text.strip_prefix('/').ok_or(InvalidPointer::NoSlash)?)
}

/// Splits what stands behind the first slash of a pointer.
pub(crate) fn split_pointer(rest: &str) -> Result<Vec<Arc<str>>, InvalidPointer> {
    rest.split('/').map(decode).collect()
}

fn decode(segment: &str) -> Result<Arc<str>, InvalidPointer> {
    if !segment.contains('~') {
        return Ok(segment.into());
    }
    let mut out = String::with_capacity(segment.len());
    let mut characters = segment.chars();
    while let Some(character) = characters.next() {
        out.push(match character {
            '~' => match characters.next() {
                Some('0') => '~',
                Some('1') => '/',
                _ => return Err(InvalidPointer::BadEscape),
            },
            other => other,
        });
    }
    Ok(out.into())
}

/// Writes a slash and a segment behind it.
pub(crate) fn write_segment(out: &mut String, segment: &str) {
    out.push('/');
    for character in segment.chars() {
        match character {
            '~' => out.push_str("~0"),
            '/' => out.push_str("~1"),
            other => out.push(other),
        }
    }
}
