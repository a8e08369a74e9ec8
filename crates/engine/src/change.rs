//! A change: the ops that lead from one snapshot to the next, and how it is undone, stored and shown.
//!
//! ```text
//! stored  = [ op, … ]
//! op      = ["+", path, position, value] | ["-", path, position, old] | ["=", path, value, old]
//! path    = [ key or index, … ]
//! ```

use crate::document::Value;
use crate::op::{Misfit, Op};
use crate::path::{Path, Segment};
use std::fmt;
use std::sync::Arc;

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
    pub fn to_stored(&self) -> Value {
        self.ops.iter().map(stored_op).collect()
    }

    /// Reads a stored change.
    pub fn from_stored(stored: &Value) -> Result<Change, InvalidChange> {
        let ops = stored.as_array().ok_or(InvalidChange)?;
        Ok(Change { ops: ops.iter().map(|op| read_op(op).ok_or(InvalidChange)).collect::<Result<_, _>>()? })
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

fn stored_op(op: &Op) -> Value {
    let path = op.path().segments().iter().map(|segment| match segment {
        Segment::Key(key) => Value::String(Arc::clone(key)),
        Segment::Index(index) => number(*index),
    });
    let path = path.collect();
    let parts = match op {
        Op::Add { position, value, .. } => [Value::from("+"), path, number(*position), value.clone()],
        Op::Remove { position, old, .. } => [Value::from("-"), path, number(*position), old.clone()],
        Op::Replace { value, old, .. } => [Value::from("="), path, value.clone(), old.clone()],
    };
    parts.into_iter().collect()
}

fn number(index: usize) -> Value {
    Value::Number((index as u64).into())
}

fn read_op(stored: &Value) -> Option<Op> {
    let [name, path, third, fourth] = stored.as_array()?.as_slice() else { return None };
    let segments = path.as_array()?.iter().map(|segment| match segment {
        Value::String(key) => Some(Segment::Key(Arc::clone(key))),
        other => index(other).map(Segment::Index),
    });
    let path = Path::from(segments.collect::<Option<Vec<_>>>()?);
    Some(match name.as_str()? {
        "+" => Op::Add { path, position: index(third)?, value: fourth.clone() },
        "-" => Op::Remove { path, position: index(third)?, old: fourth.clone() },
        "=" => Op::Replace { path, value: third.clone(), old: fourth.clone() },
        _ => return None,
    })
}

fn index(value: &Value) -> Option<usize> {
    usize::try_from(value.as_number()?.as_u64()?).ok()
}
