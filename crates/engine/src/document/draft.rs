//! A document being written: every change goes through here and leaves its op behind.
//!
//! Because the ops are recorded where they happen, replaying them gives the same document, and what a command did before
//! it was refused is taken back exactly.

use crate::document::Value;
use crate::document::change::Change;
use crate::document::op::Op;
use crate::document::path::{Path, Segment};
use crate::limits::{DOCUMENT_BYTES_MAX, JSON_DEPTH_MAX, OPS_MAX, TURN_BYTES_MAX, TURN_WORK_MAX};
use crate::names::problem::{Code, Refusal};
use std::sync::Arc;

/// A document, and the ops that made it what it is.
#[derive(Debug, Clone)]
pub struct Draft {
    document: Value,
    ops: Vec<Op>,
    /// Where an equal value was written: nothing changed, but a command said so.
    confirmed: Vec<Path>,
    /// Bytes of values written so far.
    written: usize,
    /// Items and members moved or compared so far.
    work: usize,
}

/// A point to which a draft can be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    ops: usize,
    confirmed: usize,
}

impl Mark {
    /// How many ops came before it.
    pub fn ops(self) -> usize {
        self.ops
    }
}

impl Draft {
    /// Starts from a document.
    pub fn new(document: Value) -> Draft {
        Draft { document, ops: Vec::new(), confirmed: Vec::new(), written: 0, work: 0 }
    }

    /// The document as it is now.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// The ops so far.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The ops since a mark.
    pub fn ops_since(&self, mark: Mark) -> &[Op] {
        &self.ops[mark.ops..]
    }

    /// Where a value was written that was there already, in the order of the writes.
    pub fn confirmed(&self) -> &[Path] {
        &self.confirmed
    }

    fn confirm(&mut self, path: &Path) {
        // The same bound as for ops: what is written ten thousand times in vain needs no memory.
        if self.confirmed.len() < OPS_MAX {
            self.confirmed.push(path.clone());
        }
    }

    /// Remembers this point.
    pub fn mark(&self) -> Mark {
        Mark { ops: self.ops.len(), confirmed: self.confirmed.len() }
    }

    /// Takes everything back that was done since the mark.
    pub fn take_back(&mut self, mark: Mark) {
        self.confirmed.truncate(mark.confirmed);
        for op in self.ops.drain(mark.ops..).rev() {
            // The inverse of an op that was just applied always fits.
            let _ = self.document.apply(&op.inverse());
        }
    }

    /// The finished document and its change.
    pub fn finish(self) -> (Value, Change) {
        (self.document, Change { ops: self.ops })
    }

    /// Counts items that a command is about to compare or move, and refuses when a turn does too much of it.
    ///
    /// Ten thousand commands are little, a million items are little, but not each command over all items.
    pub fn spend(&mut self, items: usize) -> Result<(), Refusal> {
        if items > TURN_WORK_MAX - self.work {
            return Refusal::err(Code::Limit, format!("a turn may move and compare at most {TURN_WORK_MAX} items"));
        }
        self.work += items;
        Ok(())
    }

    /// Counts the values of the ops since a mark, for a caller that looks through them.
    pub fn spend_on_ops_since(&mut self, mark: Mark) -> Result<(), Refusal> {
        let items = |value: &Value| if value.is_container() { value.weight() / ITEM_WEIGHT } else { 0 };
        let both = |op: &Op| op.old().map_or(0, items) + op.value().map_or(0, items);
        let looked_at = self.ops_since(mark).iter().map(both).sum();
        self.spend(looked_at)
    }

    /// Puts a value in the place of an existing one. An equal value changes nothing.
    pub fn replace(&mut self, path: &Path, value: Value) -> Result<(), Refusal> {
        let old = path.find(&self.document).ok_or_else(|| missing(path))?.clone();
        // Equal values weigh the same, so most are distinguished without a look inside.
        if old.weight() == value.weight() {
            self.spend(if value.is_container() { value.weight() / ITEM_WEIGHT } else { 0 })?;
            if old == value {
                self.confirm(path);
                return Ok(());
            }
        }
        self.perform(Op::Replace { path: path.clone(), old, value })
    }

    /// Adds a member behind all others, or puts a value in the place of an existing one.
    pub fn set_key(&mut self, object: &Path, key: &str, value: Value) -> Result<(), Refusal> {
        match object.find(&self.document) {
            Some(Value::Object(members)) => match members.entry(key) {
                Some((_, key, _)) => {
                    let path = object.key(Arc::clone(key));
                    self.replace(&path, value)
                }
                None => {
                    let op = Op::Add { path: object.key(key), position: members.len(), value };
                    self.perform(op)
                }
            },
            _ => Refusal::err(Code::NotAContainer, format!("`{object}` is no object")),
        }
    }

    /// Adds a member at a position among the keys of an object that does not have it.
    pub fn insert_key(&mut self, object: &Path, position: usize, key: &str, value: Value) -> Result<(), Refusal> {
        match object.find(&self.document) {
            Some(Value::Object(members)) if !members.contains_key(key) => {
                let position = position.min(members.len());
                self.perform(Op::Add { path: object.key(key), position, value })
            }
            Some(Value::Object(_)) => Refusal::err(Code::Exists, format!("`{object}` has `{key}` already")),
            _ => Refusal::err(Code::NotAContainer, format!("`{object}` is no object")),
        }
    }

    /// Puts an item before the one at `index`; at the length of the list it is appended.
    pub fn insert_item(&mut self, list: &Path, index: usize, value: Value) -> Result<(), Refusal> {
        match list.find(&self.document) {
            Some(Value::Array(items)) if index <= items.len() => {
                let op = Op::Add { path: list.index(index), position: index, value };
                self.perform(op)
            }
            Some(Value::Array(items)) => {
                let message = format!("`{list}` has {} items; the index {index} lies behind its end", items.len());
                Refusal::err(Code::OutOfRange, message)
            }
            _ => Refusal::err(Code::NotAnArray, format!("`{list}` is no list")),
        }
    }

    /// Appends an item to a list.
    pub fn push(&mut self, list: &Path, value: Value) -> Result<(), Refusal> {
        let end = list.find(&self.document).map_or(0, |list| list.items().len());
        self.insert_item(list, end, value)
    }

    /// Takes a member or an item away.
    pub fn remove(&mut self, path: &Path) -> Result<(), Refusal> {
        let old = path.find(&self.document).ok_or_else(|| missing(path))?.clone();
        let Some((parent, last)) = path.split_last() else {
            return Refusal::err(Code::Protected, "the whole document cannot be removed");
        };
        let position = match (crate::document::path::find(&self.document, parent), last) {
            (Some(Value::Object(members)), Segment::Key(key)) => {
                members.entry(key).map_or(0, |(position, _, _)| position)
            }
            (_, Segment::Index(index)) => *index,
            _ => return Err(missing(path)),
        };
        self.perform(Op::Remove { path: path.clone(), position, old })
    }

    /// Performs a difference that was worked out elsewhere. Its old values are not believed: a change that is taken back
    /// restores what really was there.
    pub fn perform_all(&mut self, change: Change) -> Result<(), Refusal> {
        change.ops.into_iter().try_for_each(|op| match op {
            Op::Replace { path, value, .. } => self.replace(&path, value),
            Op::Remove { path, .. } => self.remove(&path),
            Op::Add { .. } => self.perform(op),
        })
    }

    fn perform(&mut self, op: Op) -> Result<(), Refusal> {
        let limit = |message: String| Refusal::err(Code::Limit, message);
        if self.ops.len() >= OPS_MAX {
            return limit(format!("a turn may do at most {OPS_MAX} ops"));
        }
        if let Some(value) = op.value() {
            let weight = value.weight();
            if self.written + weight > TURN_BYTES_MAX {
                return limit(format!("a turn may write at most {TURN_BYTES_MAX} bytes"));
            }
            let taken = op.old().map_or(0, Value::weight);
            if self.document.weight() + weight > DOCUMENT_BYTES_MAX + taken {
                return limit(format!("a document may have at most {DOCUMENT_BYTES_MAX} bytes"));
            }
            // Counted before the depth is looked for: that is a walk, and refusing it repeatedly is work too.
            self.written += weight;
            if op.path().segments().len() + value.depth() > JSON_DEPTH_MAX {
                return limit(format!("a document may nest at most {JSON_DEPTH_MAX} deep"));
            }
        }
        self.spend(self.shifted(&op))?;
        self.document.apply(&op).map_err(|misfit| Refusal::new(Code::MissingPath, misfit.to_string()))?;
        self.ops.push(op);
        Ok(())
    }

    /// How many items or members make room for the op or close up behind it.
    fn shifted(&self, op: &Op) -> usize {
        let (Op::Add { path, position, .. } | Op::Remove { path, position, .. }) = op else { return 0 };
        let container = path.split_last().and_then(|(parent, _)| crate::document::path::find(&self.document, parent));
        let length = match container {
            Some(Value::Array(items)) => items.len(),
            Some(Value::Object(members)) => members.len(),
            _ => 0,
        };
        length.saturating_sub(*position)
    }
}

/// About how many bytes one item of a document has.
const ITEM_WEIGHT: usize = 8;

fn missing(path: &Path) -> Refusal {
    Refusal::new(Code::MissingPath, format!("`{path}` does not exist"))
}
