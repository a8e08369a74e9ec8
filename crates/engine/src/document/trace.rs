//! Where a value came from: a path followed back through changes, to the op that made the value what it is.
//!
//! An item of a list is followed to where it stood before others came or went. A value that was written again as part of a
//! larger one counts as written only if it became another.

use crate::document::Value;
use crate::document::change::Change;
use crate::document::op::Op;
use crate::document::path::{Segment, is_index, locate};
use std::sync::Arc;

/// A path on its way back through the changes of a document.
///
/// ```
/// use tavernkeep_engine::{diff::diff, document::Value, trace::Trace};
///
/// let parse = |text: &str| Value::parse(text).unwrap();
/// let documents = [parse(r#"{"bag": ["rope"]}"#), parse(r#"{"bag": ["torch", "rope"]}"#)];
/// let mut rope = Trace::of(&documents[1], vec!["bag".into(), "1".into()]);
/// assert_eq!(rope.back(&diff(&documents[0], &documents[1])), None);
/// assert_eq!(rope.segments()[1].as_ref(), "0");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    segments: Vec<Arc<str>>,
    /// Whether there is a value; otherwise its absence is followed.
    exists: bool,
}

impl Trace {
    /// Starts at a document.
    pub fn of(document: &Value, segments: Vec<Arc<str>>) -> Trace {
        let exists = locate(document, &segments).exists();
        Trace { segments, exists }
    }

    /// Where the value stood.
    pub fn segments(&self) -> &[Arc<str>] {
        &self.segments
    }

    /// Goes back through a change that led to the document; returns which of its ops made the value what it is, if one did.
    pub fn back(&mut self, change: &Change) -> Option<usize> {
        (0..change.ops.len()).rev().find(|&number| self.is_touched(&change.ops[number]))
    }

    fn is_touched(&mut self, op: &Op) -> bool {
        let path = op.path().segments();
        let shared = path.iter().zip(&self.segments).take_while(|(segment, name)| is_same(segment, name)).count();
        if shared < path.len() && shared == self.segments.len() {
            return true;
        }
        if shared + 1 < path.len() {
            return false;
        }
        // From here on the op works on the value, on what holds it, or on a neighbour of one of them.
        if let Some(Segment::Index(index)) = path.last()
            && let Some(own) = self.segments.get(path.len() - 1).and_then(|name| is_index(name))
        {
            return self.is_touched_in_list(op, *index, own, path.len() - 1);
        }
        shared == path.len() && self.differs(op, shared)
    }

    /// An op on an item of a list that the path leads through.
    fn is_touched_in_list(&mut self, op: &Op, index: usize, own: usize, depth: usize) -> bool {
        match op {
            Op::Replace { .. } => own == index && self.differs(op, depth + 1),
            Op::Add { .. } if own == index => true,
            Op::Add { .. } if own > index => self.stood_at(depth, own - 1),
            Op::Remove { .. } if own >= index && self.exists => self.stood_at(depth, own + 1),
            Op::Remove { .. } => own >= index,
            Op::Add { .. } => false,
        }
    }

    fn stood_at(&mut self, depth: usize, index: usize) -> bool {
        self.segments[depth] = index.to_string().into();
        false
    }

    /// Whether an op on the value, or on what holds it, made another value of it.
    fn differs(&self, op: &Op, depth: usize) -> bool {
        let Op::Replace { value, old, .. } = op else { return true };
        let rest = &self.segments[depth..];
        let (new, old) = (locate(value, rest), locate(old, rest));
        new.exists() != old.exists() || (new.exists() && new.value != old.value)
    }
}

fn is_same(segment: &Segment, name: &str) -> bool {
    match segment {
        Segment::Key(key) => key.as_ref() == name,
        Segment::Index(index) => is_index(name) == Some(*index),
    }
}
