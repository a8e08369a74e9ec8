//! One value of a document as it was before, everything else as it is.
//!
//! An item of a list is the one that stands there now, wherever it stood before: what the lists have in common at their
//! beginning and their end says where. Where that is ambiguous, nothing is taken back, so that no item comes twice and
//! none is lost; the list as a whole can be.

use crate::document::change::Change;
use crate::document::diff::differences_at;
use crate::document::op::Op;
use crate::document::path::{Segment, is_index, locate, step};
use crate::document::{Array, Value};
use std::sync::Arc;

/// Takes back what became of one value since `before`. Nothing comes of it if what held the value is not there any more,
/// or if its list does not show which item it was.
///
/// ```
/// use tavernkeep_engine::{document::Value, restore::restore};
///
/// let parse = |text: &str| Value::parse(text).unwrap();
/// let (before, now) = (parse(r#"{"gold": 5}"#), parse(r#"{"gold": 7, "mood": "glad"}"#));
/// let gold = restore(&now, &before, &["gold".into()]).unwrap();
/// assert_eq!(gold.apply(&now).unwrap(), parse(r#"{"gold": 5, "mood": "glad"}"#));
/// assert!(restore(&now, &before, &["silver".into()]).unwrap().is_empty());
/// ```
pub fn restore(document: &Value, before: &Value, path: &[Arc<str>]) -> Option<Change> {
    let (new, old) = (locate(document, path), earlier(document, before, path)?.cloned());
    let op = match (new.exists(), old) {
        (false, None) => return Some(Change::default()),
        (true, Some(value)) if value == *new.value => return Some(Change::default()),
        // Of an object only what differs: the rest of it follows what comes before, when that changes.
        (true, Some(value @ Value::Object(_))) if matches!(new.value, Value::Object(_)) => {
            return Some(differences_at(&new.path, new.value, &value));
        }
        (true, Some(value)) => Op::Replace { path: new.path, value, old: new.value.clone() },
        (true, None) => Op::Remove { path: new.path, position: 0, old: new.value.clone() },
        (false, Some(value)) => {
            let [name] = new.missing else { return None };
            let (segment, position) = match new.value {
                Value::Object(members) => (Segment::Key(Arc::clone(name)), members.len()),
                Value::Array(items) => {
                    let index = is_index(name).filter(|index| *index <= items.len())?;
                    (Segment::Index(index), index)
                }
                _ => return None,
            };
            Op::Add { path: new.path.child(segment), position, value }
        }
    };
    Some(Change { ops: vec![op] })
}

/// What the value at a path was, if there was one. Nothing where that is unknown.
fn earlier<'a>(now: &Value, before: &'a Value, path: &[Arc<str>]) -> Option<Option<&'a Value>> {
    let [name, rest @ ..] = path else { return Some(Some(before)) };
    let (now, before) = match (now, before) {
        (Value::Object(now), Value::Object(before)) => (now.get(name), before.get(name)),
        (Value::Array(now), Value::Array(before)) => {
            let Some(index) = is_index(name) else { return Some(None) };
            let Some(earlier) = stood_at(now, before, index)? else { return Some(None) };
            (now.get(index), before.get(earlier))
        }
        _ => (None, child(before, name)),
    };
    match (now, before) {
        (_, None) => Some(None),
        (Some(now), Some(before)) => earlier(now, before, rest),
        (None, Some(before)) => Some(rest.iter().try_fold(before, |value, name| child(value, name))),
    }
}

fn child<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    step(value, name).map(|(_, child)| child)
}

/// Where the item of a list stood before, if it was there. Nothing where that is unknown.
fn stood_at(now: &Array, before: &Array, index: usize) -> Option<Option<usize>> {
    let shorter = now.len().min(before.len());
    let head = now.iter().zip(before).take_while(|(now, before)| now == before).count();
    let ends = now.iter().rev().zip(before.iter().rev()).take(shorter - head);
    let tail = ends.take_while(|(now, before)| now == before).count();
    let (now_end, before_end) = (now.len() - tail, before.len() - tail);
    if index < head {
        return Some(Some(index));
    }
    if index >= now.len() {
        // It went from the end, or it never was there.
        let is_known = head == now.len() || index >= before.len();
        return is_known.then_some(Some(index).filter(|index| *index < before.len()));
    }
    if index >= now_end {
        return Some(Some(index - now_end + before_end));
    }
    if before_end == head {
        return Some(None);
    }
    // As many others in its place: each became another, unless one of the two only moved.
    let (new, old) = (now.get(index)?, before.get(index)?);
    let moved = now.iter().skip(head).any(|item| item == old) || before.iter().skip(head).any(|item| item == new);
    (now_end == before_end && !moved).then_some(Some(index))
}
