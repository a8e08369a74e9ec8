//! One value of a document as it was before, everything else as it is.

use crate::document::Value;
use crate::op::Op;
use crate::path::{Segment, is_index, locate};
use std::sync::Arc;

/// Takes back what became of one value since `before`. Nothing comes of it if what held the value is not there any more.
///
/// ```
/// use tavernkeep_engine::{document::Value, restore::restore};
///
/// let parse = |text: &str| Value::parse(text).unwrap();
/// let (before, now) = (parse(r#"{"gold": 5}"#), parse(r#"{"gold": 7, "mood": "glad"}"#));
/// assert_eq!(restore(&now, &before, &["gold".into()]), Some(parse(r#"{"gold": 5, "mood": "glad"}"#)));
/// assert_eq!(restore(&now, &before, &["mood".into()]), Some(parse(r#"{"gold": 7}"#)));
/// ```
pub fn restore(document: &Value, before: &Value, path: &[Arc<str>]) -> Option<Value> {
    let (new, old) = (locate(document, path), locate(before, path));
    let mut restored = document.clone();
    let op = match (new.exists(), old.exists()) {
        (false, false) => return Some(restored),
        (true, true) => Op::Replace { path: new.path, value: old.value.clone(), old: new.value.clone() },
        (true, false) => Op::Remove { path: new.path, position: 0, old: new.value.clone() },
        (false, true) => {
            let [name] = new.missing else { return None };
            let (segment, position) = match new.value {
                Value::Object(members) => (Segment::Key(Arc::clone(name)), members.len()),
                Value::Array(items) => {
                    let index = is_index(name).filter(|index| *index <= items.len())?;
                    (Segment::Index(index), index)
                }
                _ => return None,
            };
            Op::Add { path: new.path.child(segment), position, value: old.value.clone() }
        }
    };
    restored.apply(&op).ok()?;
    Some(restored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_comes_back_where_it_was_or_not_at_all() {
        let restored = |now: &str, before: &str, path: &[&str]| {
            let path: Vec<Arc<str>> = path.iter().map(|name| Arc::from(*name)).collect();
            restore(&Value::parse(now).unwrap(), &Value::parse(before).unwrap(), &path).map(|value| value.to_json())
        };
        assert_eq!(restored(r#"{"a":{}}"#, r#"{"a":{"b":1}}"#, &["a", "b"]).as_deref(), Some(r#"{"a":{"b":1}}"#));
        assert_eq!(restored("{}", r#"{"a":{"b":1}}"#, &["a", "b"]), None);
        assert_eq!(restored(r#"{"a":5}"#, r#"{"a":{"b":1}}"#, &["a", "b"]), None);
        assert_eq!(restored(r#"{"l":[1]}"#, r#"{"l":[1,2]}"#, &["l", "1"]).as_deref(), Some(r#"{"l":[1,2]}"#));
        assert_eq!(restored(r#"{"l":[]}"#, r#"{"l":[1,2]}"#, &["l", "1"]), None);
        assert_eq!(restored(r#"{"a":1}"#, r#"{"a":1}"#, &["x"]).as_deref(), Some(r#"{"a":1}"#));
        assert_eq!(restored("[1]", r#"{"a":1}"#, &[]).as_deref(), Some(r#"{"a":1}"#));
    }
}
