//! A path as a user writes it to ask for a value: dotted, as commands write it, or a JSON Pointer.

use super::{InvalidPointer, locate, parse_pointer};
use crate::document::Value;
use crate::limits::PATH_BYTES_MAX;
use crate::native::written;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A written path; it means something only on a document.
///
/// ```
/// use tavernkeep_engine::{document::Value, path::WrittenPath};
///
/// let document = Value::parse(r#"{"背包": [{"名": "剑"}]}"#).unwrap();
/// for text in ["背包[0].名", "/背包/0/名"] {
///     let path: WrittenPath = text.parse().unwrap();
///     assert_eq!(path.find(&document).unwrap().as_str(), Some("剑"));
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenPath(Form);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    Pointer(Vec<Arc<str>>),
    /// How it is split depends on the document: a key may have dots.
    Dotted(String),
}

/// The text is no path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidPath {
    /// It is longer than a path may be.
    TooLong,
    /// It starts as a JSON Pointer and is none.
    Pointer(InvalidPointer),
}

impl fmt::Display for InvalidPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidPath::TooLong => write!(formatter, "a path has at most {PATH_BYTES_MAX} bytes"),
            InvalidPath::Pointer(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for InvalidPath {}

impl FromStr for WrittenPath {
    type Err = InvalidPath;

    fn from_str(text: &str) -> Result<Self, InvalidPath> {
        if text.len() > PATH_BYTES_MAX {
            return Err(InvalidPath::TooLong);
        }
        match text.starts_with('/') {
            true => parse_pointer(text).map(Form::Pointer).map_err(InvalidPath::Pointer),
            false => Ok(Form::Dotted(text.to_owned())),
        }
        .map(WrittenPath)
    }
}

impl WrittenPath {
    /// The segments on a document.
    pub fn on(&self, document: &Value) -> Vec<Arc<str>> {
        match &self.0 {
            Form::Pointer(segments) => segments.clone(),
            Form::Dotted(text) => written(document, text),
        }
    }

    /// The value on a document, if the path leads somewhere.
    pub fn find<'d>(&self, document: &'d Value) -> Option<&'d Value> {
        let segments = self.on(document);
        let located = locate(document, &segments);
        located.exists().then_some(located.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_a_longest() {
        assert!("a".repeat(PATH_BYTES_MAX).parse::<WrittenPath>().is_ok());
        assert_eq!("a".repeat(PATH_BYTES_MAX + 1).parse::<WrittenPath>(), Err(InvalidPath::TooLong));
        assert!(matches!("/a~2".parse::<WrittenPath>(), Err(InvalidPath::Pointer(_))));
    }

    #[test]
    fn a_key_with_dots_comes_first_and_nothing_is_the_whole() {
        let document = Value::parse(r#"{"a.b": 1, "a": {"b": 2}}"#).unwrap();
        let found = |text: &str| text.parse::<WrittenPath>().unwrap().find(&document).map(Value::to_json);
        assert_eq!(found("a.b").as_deref(), Some("1"));
        assert_eq!(found("/a/b").as_deref(), Some("2"));
        assert_eq!(found("/a.b").as_deref(), Some("1"));
        assert_eq!(found("").map(|whole| whole.len()), Some(document.to_json().len()));
        assert_eq!(found("a.c"), None);
    }
}
