//! A path as a user writes it to ask for a value: dotted, as commands write it, or a JSON Pointer.

use super::{InvalidPointer, locate, lodash_segments, parse_pointer};
use crate::document::Value;
use crate::limits::PATH_BYTES_MAX;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Prefixes that people write although the document is what stands behind them.
const PREFIXES: [&str; 3] = ["stat_data", "vs_stat_data", "status_current_variables"];

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

    /// Whether it is empty, or a dotted path with an empty name in it, such as `a..b`. A pointer may name an empty key.
    pub fn has_gap(&self) -> bool {
        match &self.0 {
            Form::Pointer(segments) => segments.is_empty(),
            Form::Dotted(text) => {
                let segments = written(&Value::empty_object(), text);
                segments.is_empty() || segments.iter().any(|segment| segment.is_empty())
            }
        }
    }

    /// The value on a document, if the path leads somewhere.
    pub fn find<'d>(&self, document: &'d Value) -> Option<&'d Value> {
        let segments = self.on(document);
        let located = locate(document, &segments);
        located.exists().then_some(located.value)
    }
}

impl fmt::Display for WrittenPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Pointer(segments) => {
                let mut pointer = String::new();
                segments.iter().for_each(|segment| super::write_segment(&mut pointer, segment));
                formatter.write_str(&pointer)
            }
            Form::Dotted(text) => formatter.write_str(text),
        }
    }
}

/// Splits a written path; an existing key equal to the whole text comes first.
pub(crate) fn written(document: &Value, text: &str) -> Vec<Arc<str>> {
    if text.is_empty() {
        return Vec::new();
    }
    if document.get(text).is_some() {
        return vec![text.into()];
    }
    without_prefix(document, lodash_segments(&quoted_names(text)))
}

/// Turns `a."b c".d` into `a["b c"].d`. Only a whole segment can stand in quotes; elsewhere they belong to the name.
fn quoted_names(text: &str) -> Cow<'_, str> {
    if !text.contains(".\"") && !text.contains(".'") && !text.starts_with(['"', '\'']) {
        return text.into();
    }
    let mut fixed = String::with_capacity(text.len() + 8);
    let mut rest = text;
    let mut starts = true;
    while let Some(first) = rest.chars().next() {
        let behind = &rest[first.len_utf8()..];
        let ends = |end: &usize| matches!(behind[end + 1..].chars().next(), None | Some('.' | '['));
        let end = if starts && matches!(first, '"' | '\'') {
            behind.match_indices(first).map(|(end, _)| end).find(ends)
        } else {
            None
        };
        if let Some(end) = end {
            if fixed.ends_with('.') {
                fixed.pop();
            }
            fixed.push('[');
            fixed.push_str(&rest[..end + 2]);
            fixed.push(']');
            rest = &behind[end + 1..];
            starts = false;
        } else {
            fixed.push(first);
            rest = behind;
            starts = first == '.';
        }
    }
    fixed.into()
}

pub(crate) fn without_prefix(document: &Value, mut segments: Vec<Arc<str>>) -> Vec<Arc<str>> {
    let prefixed =
        segments.len() > 1 && PREFIXES.contains(&segments[0].as_ref()) && document.get(&segments[0]).is_none();
    if prefixed {
        segments.remove(0);
    }
    segments
}
