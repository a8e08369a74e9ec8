//! One value of a document as it was before, everything else as it is.
//!
//! An item of a list is the one that stands there now, wherever it stood before: what the lists have in common at their
//! beginning and their end says where. Where that is ambiguous, nothing is taken back, so that no item comes twice and
//! none is lost; the list as a whole can be.

use crate::change::Change;
use crate::document::{Array, Value};
use crate::op::Op;
use crate::path::{Segment, is_index, locate};
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
    match value {
        Value::Object(members) => members.get(name),
        Value::Array(items) => items.get(is_index(name)?),
        _ => None,
    }
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
        let is_told = head == now.len() || index >= before.len();
        return is_told.then_some(Some(index).filter(|index| *index < before.len()));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_comes_back_where_it_was_or_not_at_all() {
        let restored = |now: &str, before: &str, path: &[&str]| {
            let path: Vec<Arc<str>> = path.iter().map(|name| Arc::from(*name)).collect();
            let now = Value::parse(now).unwrap();
            let restored = restore(&now, &Value::parse(before).unwrap(), &path)?;
            Some(restored.apply(&now).unwrap().to_json())
        };
        assert_eq!(restored(r#"{"a":{}}"#, r#"{"a":{"b":1}}"#, &["a", "b"]).as_deref(), Some(r#"{"a":{"b":1}}"#));
        assert_eq!(restored("{}", r#"{"a":{"b":1}}"#, &["a", "b"]), None);
        assert_eq!(restored(r#"{"a":5}"#, r#"{"a":{"b":1}}"#, &["a", "b"]), None);
        assert_eq!(restored(r#"{"l":[1]}"#, r#"{"l":[1,2]}"#, &["l", "1"]).as_deref(), Some(r#"{"l":[1,2]}"#));
        assert_eq!(restored(r#"{"l":[]}"#, r#"{"l":[1,2]}"#, &["l", "1"]), None);
        assert_eq!(restored(r#"{"l":[]}"#, r#"{"l":[1]}"#, &["l", "5"]).as_deref(), Some(r#"{"l":[]}"#));
        assert_eq!(restored(r#"{"a":1}"#, r#"{"a":1}"#, &["x"]).as_deref(), Some(r#"{"a":1}"#));
        assert_eq!(restored("[1]", r#"{"a":1}"#, &[]).as_deref(), Some(r#"{"a":1}"#));
    }

    #[test]
    fn an_item_is_the_one_that_stands_there_now() {
        let restored = |now: &str, before: &str, path: &[&str]| {
            let path: Vec<Arc<str>> = path.iter().map(|name| Arc::from(*name)).collect();
            let now = Value::parse(now).unwrap();
            let restored = restore(&now, &Value::parse(before).unwrap(), &path)?;
            Some(restored.apply(&now).unwrap().to_json())
        };
        let is = |now: &str, before: &str, index: &str, wanted: Option<&str>| {
            assert_eq!(restored(now, before, &[index]).as_deref(), wanted, "{before} → {now} at {index}");
        };
        // One that came goes, wherever it stands; one that only moved stays.
        is(r#"["x","a"]"#, r#"["a"]"#, "0", Some(r#"["a"]"#));
        is(r#"["x","a"]"#, r#"["a"]"#, "1", Some(r#"["x","a"]"#));
        is(r#"["a","x","y"]"#, r#"["a"]"#, "1", Some(r#"["a","y"]"#));
        // One that went does not come back in place of another.
        is(r#"["b"]"#, r#"["a","b"]"#, "0", Some(r#"["b"]"#));
        is(r#"["b"]"#, r#"["a","b"]"#, "1", None);
        is(r#"["b","c"]"#, r#"["a","b","c"]"#, "2", None);
        is(r#"["a"]"#, r#"["a","b"]"#, "1", Some(r#"["a","b"]"#));
        // One that became another, among those that stayed.
        is(r#"["a","x","c"]"#, r#"["a","b","c"]"#, "1", Some(r#"["a","b","c"]"#));
        is(r#"["x","y"]"#, r#"["a","b"]"#, "1", Some(r#"["x","b"]"#));
        is(r#"["b","a"]"#, r#"["a","b"]"#, "0", None);
        is(r#"["x","y"]"#, r#"["a","b","c"]"#, "1", None);
        // And what is inside of one.
        let (before, now) = (r#"[{"n":1},{"n":2}]"#, r#"[{"n":9},{"n":7},{"n":2}]"#);
        assert_eq!(restored(now, before, &["2", "n"]).as_deref(), Some(now));
        assert_eq!(restored(now, before, &["0", "n"]), None);
        let (before, now) = (r#"[{"n":1},2]"#, r#"[{"n":9,"m":1},2]"#);
        assert_eq!(restored(now, before, &["0", "n"]).as_deref(), Some(r#"[{"n":1,"m":1},2]"#));
    }
}
