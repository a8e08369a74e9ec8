//! A change: the ops that lead from one snapshot to the next, and how it is undone, stored and shown.
//!
//! ```text
//! stored  = [ op, … ]
//! op      = ["+", path, position, value] | ["-", path, position, old] | ["=", path, value, old]
//! path    = [ key or index, … ]
//! ```

use crate::document::Value;
use crate::document::convert::read_value;
use crate::document::op::{Misfit, Op};
use crate::document::path::{Path, Segment, SegmentRef};
use crate::json::{Reader, write_string};
use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// The effective ops of one turn, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Change {
    /// The ops.
    pub ops: Vec<Op>,
}

impl Change {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Applies the change to the document it was made for.
    pub fn apply(&self, document: &Value) -> Result<Value, Misfit> {
        let mut document = document.clone();
        self.ops.iter().try_for_each(|op| document.apply(op))?;
        Ok(document)
    }

    /// The change that takes this one back, key order included.
    #[must_use]
    pub fn inverse(&self) -> Change {
        Change { ops: self.ops.iter().rev().map(Op::inverse).collect() }
    }

    /// The change as RFC 6902 JSON Patch, for people and other programs. It does not say where a key stands.
    ///
    /// ```
    /// use tavernkeep_engine::{diff::diff, document::Value};
    ///
    /// let before = Value::parse(r#"{"gold": 5, "bag": []}"#).unwrap();
    /// let after = Value::parse(r#"{"gold": 7, "bag": ["rope"]}"#).unwrap();
    /// assert_eq!(
    ///     diff(&before, &after).to_json_patch().to_json(),
    ///     r#"[{"op":"replace","path":"/gold","value":7},{"op":"add","path":"/bag/0","value":"rope"}]"#,
    /// );
    /// ```
    pub fn to_json_patch(&self) -> Value {
        self.ops.iter().map(json_patch_op).collect()
    }

    /// The change as it is stored.
    pub fn to_stored(&self) -> String {
        let mut out = String::from("[");
        for (at, op) in self.ops.iter().enumerate() {
            out.push_str(if at == 0 { "[" } else { ",[" });
            write_op(&mut out, op);
            out.push(']');
        }
        out.push(']');
        out
    }

    /// Reads a stored change.
    pub fn from_stored(stored: &str) -> Result<Change, InvalidChange> {
        let mut ops = Vec::new();
        read_ops(stored, Old::Read, |path, op| ops.push(op.at(path))).ok_or(InvalidChange)?;
        Ok(Change { ops })
    }

    /// Applies a stored change to the document it was made for. Old values are not read.
    pub fn apply_stored(stored: &str, document: &mut Value) -> Result<(), StoredMisfit> {
        let mut misfit = None;
        let read = read_ops(stored, Old::Skip, |path, op| {
            if misfit.is_some() {
                return;
            }
            misfit = match op {
                // Most ops are of this kind; their path is not copied.
                StoredOp::Replace { value, .. } => {
                    let fits = document.replace(path.iter().map(StoredSegment::by_ref), value);
                    (!fits).then(|| Misfit { path: owned(path) })
                }
                op => document.apply(&op.at(path)).err(),
            };
        });
        match (misfit, read) {
            (Some(misfit), _) => Err(StoredMisfit::Misfit(misfit)),
            (None, None) => Err(StoredMisfit::Invalid(InvalidChange)),
            (None, Some(())) => Ok(()),
        }
    }
}

/// Why a stored change could not be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredMisfit {
    /// It cannot be read.
    Invalid(InvalidChange),
    /// It was made for another document.
    Misfit(Misfit),
}

impl fmt::Display for StoredMisfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoredMisfit::Invalid(error) => error.fmt(formatter),
            StoredMisfit::Misfit(misfit) => misfit.fmt(formatter),
        }
    }
}

/// The value is no stored change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidChange;

impl fmt::Display for InvalidChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the stored change cannot be read; restore it from a backup")
    }
}

impl std::error::Error for InvalidChange {}

fn json_patch_op(op: &Op) -> Value {
    let name = match op {
        Op::Add { .. } => "add",
        Op::Remove { .. } => "remove",
        Op::Replace { .. } => "replace",
    };
    let fixed = [("op", Value::from(name)), ("path", Value::from(op.path().to_pointer()))];
    fixed.into_iter().chain(op.value().map(|value| ("value", value.clone()))).collect()
}

fn write_op(out: &mut String, op: &Op) {
    let (name, position, values) = match op {
        Op::Add { position, value, .. } => ("\"+\",[", Some(*position), [Some(value), None]),
        Op::Remove { position, old, .. } => ("\"-\",[", Some(*position), [Some(old), None]),
        Op::Replace { value, old, .. } => ("\"=\",[", None, [Some(value), Some(old)]),
    };
    out.push_str(name);
    for (at, segment) in op.path().segments().iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        match segment {
            Segment::Key(key) => write_string(out, key),
            // Writing to a string cannot fail.
            Segment::Index(index) => drop(write!(out, "{index}")),
        }
    }
    out.push(']');
    if let Some(position) = position {
        let _ = write!(out, ",{position}");
    }
    for value in values.into_iter().flatten() {
        out.push(',');
        value.write_json(out);
    }
}

/// Whether the old values of ops are read, which only undoing them needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Old {
    Read,
    Skip,
}

/// A step of a path in stored text.
enum StoredSegment<'a> {
    Key(Cow<'a, str>),
    Index(usize),
}

impl StoredSegment<'_> {
    fn by_ref(&self) -> SegmentRef<'_> {
        match self {
            StoredSegment::Key(key) => SegmentRef::Key(key),
            StoredSegment::Index(index) => SegmentRef::Index(*index),
        }
    }
}

fn owned(path: &[StoredSegment<'_>]) -> Path {
    let segments = path.iter().map(|segment| match segment {
        StoredSegment::Key(key) => Segment::Key(key.as_ref().into()),
        StoredSegment::Index(index) => Segment::Index(*index),
    });
    Path::from(segments.collect::<Vec<_>>())
}

/// An op without its path.
enum StoredOp {
    Add { position: usize, value: Value },
    Remove { position: usize, old: Value },
    Replace { value: Value, old: Value },
}

impl StoredOp {
    fn at(self, path: &[StoredSegment<'_>]) -> Op {
        let path = owned(path);
        match self {
            StoredOp::Add { position, value } => Op::Add { path, position, value },
            StoredOp::Remove { position, old } => Op::Remove { path, position, old },
            StoredOp::Replace { value, old } => Op::Replace { path, value, old },
        }
    }
}

fn read_ops(stored: &str, old: Old, mut each: impl FnMut(&[StoredSegment<'_>], StoredOp)) -> Option<()> {
    let mut reader = Reader::new(stored);
    let mut path = Vec::new();
    reader.eat(b'[')?;
    reader.parts(b']', |reader| {
        path.clear();
        let op = read_op(reader, old, &mut path)?;
        each(&path, op);
        Some(())
    })?;
    reader.is_at_end().then_some(())
}

fn read_op<'a>(reader: &mut Reader<'a>, old: Old, path: &mut Vec<StoredSegment<'a>>) -> Option<StoredOp> {
    reader.eat(b'[')?;
    let name = reader.string()?;
    reader.eat(b',')?;
    reader.eat(b'[')?;
    reader.parts(b']', |reader| {
        path.push(match reader.peek()? {
            b'"' => StoredSegment::Key(reader.string()?),
            _ => StoredSegment::Index(reader.index()?),
        });
        Some(())
    })?;
    reader.eat(b',')?;
    let old_value = |reader: &mut Reader<'_>| match old {
        Old::Read => read_value(reader),
        Old::Skip => reader.skip().map(|_| Value::Null),
    };
    let op = match name.as_ref() {
        "=" => {
            let value = read_value(reader)?;
            reader.eat(b',')?;
            StoredOp::Replace { value, old: old_value(reader)? }
        }
        name => {
            let position = reader.index()?;
            reader.eat(b',')?;
            match name {
                "+" => StoredOp::Add { position, value: read_value(reader)? },
                "-" => StoredOp::Remove { position, old: old_value(reader)? },
                _ => return None,
            }
        }
    };
    reader.eat(b']')?;
    Some(op)
}
