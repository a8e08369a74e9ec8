//! Where a value stands in a document, and the three ways in which people write it.
//!
//! ```text
//! dotted    角色.背包[0]."a b"      as lodash reads it, see `text`
//! pointer   /角色/背包/0/a b        RFC 6901, with ~0 and ~1
//! resolved  [Key 角色, Key 背包, Index 0, Key "a b"]
//! ```
//!
//! A written path is only text: whether `0` is a key or an index depends on the document. [`Path`] is the resolved form
//! and the only one that ops carry.

mod pointer;
mod text;
mod written;

pub use pointer::{InvalidPointer, parse_pointer};
pub(crate) use pointer::{split_pointer, write_segment};
pub use text::{fix_mvu, is_index, lodash_segments};
pub use written::{InvalidPath, WrittenPath};
pub(crate) use written::{without_prefix, written};

use crate::document::Value;
use std::fmt::{self, Write as _};
use std::sync::Arc;

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Segment {
    /// A member of an object.
    Key(Arc<str>),
    /// An item of a list.
    Index(usize),
}

/// One step of a path; its text is owned or borrowed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SegmentRef<'a> {
    Key(&'a str),
    Index(usize),
}

impl Segment {
    pub(crate) fn by_ref(&self) -> SegmentRef<'_> {
        match self {
            Segment::Key(key) => SegmentRef::Key(key),
            Segment::Index(index) => SegmentRef::Index(*index),
        }
    }

    /// The segment as text.
    pub fn to_text(&self) -> Arc<str> {
        match self {
            Segment::Key(key) => Arc::clone(key),
            Segment::Index(index) => index.to_string().into(),
        }
    }
}

/// The address of a value in a document; empty for the document itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Path(Vec<Segment>);

impl Path {
    /// The address of the whole document.
    pub fn root() -> Path {
        Path::default()
    }

    /// The segments from the root down.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Whether this is the whole document.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The address of a part of the value at this path.
    #[must_use]
    pub fn child(&self, segment: Segment) -> Path {
        let mut segments = Vec::with_capacity(self.0.len() + 1);
        segments.extend_from_slice(&self.0);
        segments.push(segment);
        Path(segments)
    }

    /// The address of a member.
    #[must_use]
    pub fn key(&self, key: impl Into<Arc<str>>) -> Path {
        self.child(Segment::Key(key.into()))
    }

    /// The address of an item.
    #[must_use]
    pub fn index(&self, index: usize) -> Path {
        self.child(Segment::Index(index))
    }

    /// The container's address and the last step; `None` for the root.
    pub fn split_last(&self) -> Option<(&[Segment], &Segment)> {
        self.0.split_last().map(|(last, parent)| (parent, last))
    }

    /// The container's address; `None` for the root.
    pub fn parent(&self) -> Option<Path> {
        self.split_last().map(|(parent, _)| Path(parent.to_vec()))
    }

    /// Whether this path is `other` or lies below it.
    pub fn starts_with(&self, other: &Path) -> bool {
        self.0.starts_with(&other.0)
    }

    /// The value at this path.
    pub fn find<'a>(&self, document: &'a Value) -> Option<&'a Value> {
        find(document, &self.0)
    }

    /// The path as a JSON Pointer.
    pub fn to_pointer(&self) -> String {
        let mut out = String::new();
        for segment in &self.0 {
            match segment {
                Segment::Key(key) => write_segment(&mut out, key),
                // Writing to a string cannot fail.
                Segment::Index(index) => drop(write!(out, "/{index}")),
            }
        }
        out
    }
}

/// The value that the segments lead to.
pub(crate) fn find<'a>(document: &'a Value, segments: &[Segment]) -> Option<&'a Value> {
    segments.iter().try_fold(document, |value, segment| match (value, segment) {
        (Value::Object(object), Segment::Key(key)) => object.get(key),
        (Value::Array(array), Segment::Index(index)) => array.get(*index),
        _ => None,
    })
}

impl From<Vec<Segment>> for Path {
    fn from(segments: Vec<Segment>) -> Path {
        Path(segments)
    }
}

impl fmt::Display for Path {
    /// Dotted, as people write it; keys that would read differently stand in brackets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(formatter, "[{index}]")?,
                Segment::Key(key) if key.is_empty() || key.contains(['.', '[', ']', '"', '\'']) => {
                    write!(formatter, "[{}]", Value::from(key.as_ref()))?;
                }
                Segment::Key(key) if position == 0 => formatter.write_str(key)?,
                Segment::Key(key) => write!(formatter, ".{key}")?,
            }
        }
        Ok(())
    }
}

/// A written path laid over a document: how far it leads and what is missing.
#[derive(Debug)]
pub struct Located<'d, 's> {
    /// The part of the path that exists.
    pub path: Path,
    /// The value there.
    pub value: &'d Value,
    /// The segments that lead nowhere; empty when the whole path exists.
    pub missing: &'s [Arc<str>],
}

impl Located<'_, '_> {
    /// Whether the whole path exists.
    pub fn exists(&self) -> bool {
        self.missing.is_empty()
    }
}

/// Follows written segments as far as they lead.
pub fn locate<'d, 's>(document: &'d Value, written: &'s [Arc<str>]) -> Located<'d, 's> {
    let mut segments = Vec::with_capacity(written.len());
    let mut value = document;
    for (position, name) in written.iter().enumerate() {
        let Some((segment, next)) = step(value, name) else {
            return Located { path: Path(segments), value, missing: &written[position..] };
        };
        segments.push(segment);
        value = next;
    }
    Located { path: Path(segments), value, missing: &[] }
}

/// Whether all written segments exist.
pub(crate) fn leads_somewhere(document: &Value, written: &[Arc<str>]) -> bool {
    written.iter().try_fold(document, |value, name| step(value, name).map(|(_, next)| next)).is_some()
}

/// One written segment: what it is on this value, and where it leads.
pub(crate) fn step<'d>(value: &'d Value, name: &str) -> Option<(Segment, &'d Value)> {
    match value {
        Value::Object(object) => object.entry(name).map(|(_, key, value)| (Segment::Key(Arc::clone(key)), value)),
        Value::Array(array) => {
            let index = is_index(name)?;
            array.get(index).map(|value| (Segment::Index(index), value))
        }
        _ => None,
    }
}
