//! The shortest honest way from one document to another: what differs is replaced where it differs.
//!
//! Parts that both share are skipped without a look, so the cost follows the change. In a list the common beginning and
//! end stay; what is between is replaced item by item, then added or removed. Keys are put into the new order, so
//! applying the difference gives the new document to the letter.

use crate::document::change::Change;
use crate::document::op::Op;
use crate::document::path::Path;
use crate::document::{Array, Object, Value};
use std::sync::Arc;

/// The change that turns `before` into `after`, key order included.
pub fn diff(before: &Value, after: &Value) -> Change {
    let mut ops = Vec::new();
    compare(&mut ops, &Path::root(), before, after);
    Change { ops }
}

/// How two documents differ for a person: where their keys stand does not count.
///
/// ```
/// use tavernkeep_engine::{diff::{diff, differences}, document::Value};
///
/// let one = Value::parse(r#"{"a": 1, "b": {"x": 1}}"#).unwrap();
/// let other = Value::parse(r#"{"b": {"x": 2}, "a": 1}"#).unwrap();
/// assert_eq!(differences(&one, &other).to_json_patch().to_json(), r#"[{"op":"replace","path":"/b/x","value":2}]"#);
/// assert_eq!(diff(&one, &other).ops.len(), 2);
/// ```
pub fn differences(before: &Value, after: &Value) -> Change {
    differences_at(&Path::root(), before, after)
}

/// The same for the values at a path of both.
pub(crate) fn differences_at(path: &Path, before: &Value, after: &Value) -> Change {
    let mut ops = Vec::new();
    compare(&mut ops, path, before, &reordered(after, before));
    Change { ops }
}

/// The same document with its keys in the order of another one; keys that only it has come last.
fn reordered(value: &Value, like: &Value) -> Value {
    if value.is_shared_with(like) {
        return value.clone();
    }
    match (value, like) {
        (Value::Object(members), Value::Object(model)) => {
            let known = model.iter().filter_map(|(key, old)| {
                let value = members.get(key)?;
                Some((Arc::clone(key), reordered(value, old)))
            });
            let new = members.iter().filter(|(key, _)| model.get(key).is_none());
            known.chain(new.map(|(key, value)| (Arc::clone(key), value.clone()))).collect()
        }
        (Value::Array(items), Value::Array(model)) => {
            let rest = items.iter().skip(model.len()).cloned();
            items.iter().zip(model.iter()).map(|(item, old)| reordered(item, old)).chain(rest).collect()
        }
        _ => value.clone(),
    }
}

fn compare(ops: &mut Vec<Op>, path: &Path, before: &Value, after: &Value) {
    if before.is_shared_with(after) {
        return;
    }
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => objects(ops, path, before, after),
        (Value::Array(before), Value::Array(after)) => arrays(ops, path, before, after),
        _ if before == after => {}
        _ => ops.push(Op::Replace { path: path.clone(), value: after.clone(), old: before.clone() }),
    }
}

fn objects(ops: &mut Vec<Op>, path: &Path, before: &Object, after: &Object) {
    // Keys that stay must already be in their new order; a key that moved is taken out and added again.
    let mut kept: Vec<&Arc<str>> = Vec::with_capacity(before.len());
    let mut next = 0;
    let mut removed = 0;
    for (position, (key, old)) in before.iter().enumerate() {
        match after.entry(key) {
            Some((place, _, _)) if place >= next => {
                next = place + 1;
                kept.push(key);
            }
            _ => {
                ops.push(Op::Remove {
                    path: path.key(Arc::clone(key)),
                    position: position - removed,
                    old: old.clone(),
                });
                removed += 1;
            }
        }
    }
    let mut kept = kept.into_iter().peekable();
    for (position, (key, value)) in after.iter().enumerate() {
        if kept.next_if(|kept| *kept == key).is_some() {
            if let Some(old) = before.get(key) {
                compare(ops, &path.key(Arc::clone(key)), old, value);
            }
        } else {
            ops.push(Op::Add { path: path.key(Arc::clone(key)), position, value: value.clone() });
        }
    }
}

fn arrays(ops: &mut Vec<Op>, path: &Path, before: &Array, after: &Array) {
    let same = |left: &&Value, right: &&Value| left.is_shared_with(right) || left.same_in_order(right);
    let head = before.iter().zip(after).take_while(|(left, right)| same(left, right)).count();
    let limit = before.len().min(after.len()) - head;
    let tail =
        before.iter().rev().zip(after.iter().rev()).take(limit).take_while(|(left, right)| same(left, right)).count();
    let (before_end, after_end) = (before.len() - tail, after.len() - tail);
    let shared = before_end.min(after_end);
    for index in head..shared {
        if let (Some(old), Some(value)) = (before.get(index), after.get(index)) {
            compare(ops, &path.index(index), old, value);
        }
    }
    // From the end, so that the indices of the others stay.
    for index in (shared..before_end).rev() {
        if let Some(old) = before.get(index) {
            ops.push(Op::Remove { path: path.index(index), position: index, old: old.clone() });
        }
    }
    for index in shared..after_end {
        if let Some(value) = after.get(index) {
            ops.push(Op::Add { path: path.index(index), position: index, value: value.clone() });
        }
    }
}
