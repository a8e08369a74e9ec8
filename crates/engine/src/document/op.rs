//! The closed set of ops: add, remove, replace. Whatever a command, a function or a rule does becomes these three.
//!
//! An op holds what it needs to be undone exactly: the value it took away and the position of the key. Three are enough
//! because a merge, a push or a move is a few of them, and because each has an inverse of the same kind.

use crate::document::path::{Path, Segment, SegmentRef};
use crate::document::{Array, Object, Value};
use std::fmt;
use std::sync::Arc;

/// One step from a document to the next.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// Adds a member at a position among the keys, or an item before the one at its index.
    Add {
        /// Where the new value will stand.
        path: Path,
        /// The position among the keys; for an item its index.
        position: usize,
        /// The new value.
        value: Value,
    },
    /// Takes a member or an item away.
    Remove {
        /// Where the value stands.
        path: Path,
        /// The position among the keys; for an item its index.
        position: usize,
        /// The value that goes away.
        old: Value,
    },
    /// Puts another value in the place of one.
    Replace {
        /// Where the value stands.
        path: Path,
        /// The new value.
        value: Value,
        /// The value that goes away.
        old: Value,
    },
}

impl Op {
    /// Where the op works.
    pub fn path(&self) -> &Path {
        match self {
            Op::Add { path, .. } | Op::Remove { path, .. } | Op::Replace { path, .. } => path,
        }
    }

    /// The value that the op brings.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Op::Add { value, .. } | Op::Replace { value, .. } => Some(value),
            Op::Remove { .. } => None,
        }
    }

    /// The value that the op takes away.
    pub fn old(&self) -> Option<&Value> {
        match self {
            Op::Remove { old, .. } | Op::Replace { old, .. } => Some(old),
            Op::Add { .. } => None,
        }
    }

    /// The op that takes this one back.
    #[must_use]
    pub fn inverse(&self) -> Op {
        match self.clone() {
            Op::Add { path, position, value } => Op::Remove { path, position, old: value },
            Op::Remove { path, position, old } => Op::Add { path, position, value: old },
            Op::Replace { path, value, old } => Op::Replace { path, value: old, old: value },
        }
    }
}

/// An op and a document that do not belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Where the op wanted to work.
    pub path: Path,
}

impl fmt::Display for Misfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the op at `{}` does not fit the document", self.path.to_pointer())
    }
}

impl std::error::Error for Misfit {}

impl Value {
    /// Applies one op. The document is unchanged when it does not fit.
    pub fn apply(&mut self, op: &Op) -> Result<(), Misfit> {
        let misfit = || Misfit { path: op.path().clone() };
        let done = match op {
            Op::Replace { path, value, .. } => self.replace(refs(path.segments()), value.clone()),
            Op::Add { path, position, value } => {
                let (parent, last) = path.split_last().ok_or_else(misfit)?;
                edit(self, &mut refs(parent), &mut |container| add(container, last, *position, value.clone()))
            }
            Op::Remove { path, .. } => {
                let (parent, last) = path.split_last().ok_or_else(misfit)?;
                edit(self, &mut refs(parent), &mut |container| remove(container, last))
            }
        };
        if done { Ok(()) } else { Err(misfit()) }
    }

    /// Puts another value in the place of one. False, and the document is unchanged, when there is none.
    pub(super) fn replace<'a>(&mut self, mut path: impl Iterator<Item = SegmentRef<'a>>, value: Value) -> bool {
        let mut value = Some(value);
        edit(self, &mut path, &mut |place| {
            *place = value.take().unwrap_or_default();
            true
        })
    }
}

fn refs(segments: &[Segment]) -> impl Iterator<Item = SegmentRef<'_>> {
    segments.iter().map(Segment::by_ref)
}

/// Walks down to a place and changes it there, copying only containers that others share.
fn edit<'a>(
    value: &mut Value,
    path: &mut impl Iterator<Item = SegmentRef<'a>>,
    change: &mut impl FnMut(&mut Value) -> bool,
) -> bool {
    let Some(first) = path.next() else { return change(value) };
    match (value, first) {
        (Value::Object(object), SegmentRef::Key(key)) => match object.position(key) {
            // The position survives the copy, so the key is looked up once.
            Some(position) => {
                Arc::make_mut(object).edit_at(position, |child| edit(child, path, change)).unwrap_or(false)
            }
            None => false,
        },
        (Value::Array(array), SegmentRef::Index(index)) if index < array.len() => {
            Arc::make_mut(array).edit(index, |child| edit(child, path, change)).unwrap_or(false)
        }
        _ => false,
    }
}

fn add(container: &mut Value, last: &Segment, position: usize, value: Value) -> bool {
    match (container, last) {
        (Value::Object(object), Segment::Key(key)) => {
            Object::insert(Arc::make_mut(object), position, Arc::clone(key), value)
        }
        (Value::Array(array), Segment::Index(index)) => Array::insert(Arc::make_mut(array), *index, value),
        _ => false,
    }
}

fn remove(container: &mut Value, last: &Segment) -> bool {
    match (container, last) {
        (Value::Object(object), Segment::Key(key)) => Arc::make_mut(object).remove(key).is_some(),
        (Value::Array(array), Segment::Index(index)) => Arc::make_mut(array).remove(*index).is_some(),
        _ => false,
    }
}
