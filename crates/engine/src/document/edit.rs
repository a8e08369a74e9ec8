//! Edits by hand: ops that are kept beside a page's text and applied again whenever its state is computed, on whatever state the
//! text then leads to.
//!
//! A member of an object is set or removed by its name. An item of a list is found by what it was: it is the nearest one to its
//! old index that is the same as then; where none is, and the list has as many items as then, it is the one at that index. An
//! item is removed only if it is the same as then. An item is added at its index, or at the end if it was added there or the
//! list is shorter now. What finds no place is reported, and the other ops are applied all the same.
//!
//! ```text
//! stored = [ op, … ]
//! op     = ["=", path, items, value, old?] | ["+", path, items, value] | [">", path, items, value] | ["-", path, items, old?]
//! path   = [ key or index, … ]
//! items  = [[fingerprint, length of the list], …]     for each index of the path that is of an item that was there
//! ```

use crate::document::change::Change;
use crate::document::op::Op;
use crate::document::path::{Path, Segment};
use crate::document::{Array, Value};
use crate::limits::{DOCUMENT_BYTES_MAX, EDIT_OLD_BYTES_MAX, JSON_DEPTH_MAX};
use std::fmt;
use std::sync::Arc;

/// The ops of one edit, in order.
///
/// ```
/// use tavernkeep_engine::{document::Value, edit::EditOps, diff::differences};
///
/// let parse = |text: &str| Value::parse(text).unwrap();
/// let (before, after) = (parse(r#"{"bag": ["torch", "rope"], "gold": 5}"#), parse(r#"{"bag": ["torch"], "gold": 7}"#));
/// let edit = EditOps::of(&before, &differences(&before, &after));
/// let mut other = parse(r#"{"bag": ["rope", "map"], "gold": 1, "day": 2}"#);
/// assert!(edit.apply(&mut other).problems.is_empty());
/// assert_eq!(other, parse(r#"{"bag": ["map"], "gold": 7, "day": 2}"#));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EditOps(Vec<EditOp>);

#[derive(Debug, Clone, PartialEq)]
struct EditOp {
    verb: Verb,
    path: Path,
    /// What each item on the path was, in order.
    items: Vec<Item>,
    /// Null for what is removed.
    value: Value,
    /// What it took the place of when it was made, for people; none where nothing was there or it was long.
    old: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    /// A member or an item gets the value; a member may be new.
    Set,
    /// The value becomes a new item before the one at its index.
    Insert,
    /// The value becomes a new item at the end.
    Append,
    Remove,
}

impl Verb {
    const ALL: [(Verb, &str); 4] = [(Verb::Set, "="), (Verb::Insert, "+"), (Verb::Append, ">"), (Verb::Remove, "-")];

    fn mark(self) -> &'static str {
        Verb::ALL.iter().find(|(verb, _)| *verb == self).map_or("", |(_, mark)| mark)
    }
}

/// How an item of a list is found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Item {
    fingerprint: u64,
    /// How many items the list had.
    length: usize,
}

/// What came of the ops of an edit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Applied {
    /// What was done.
    pub ops: Vec<Op>,
    /// What could not be done.
    pub problems: Vec<NotApplied>,
}

/// An op of an edit that finds no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotApplied {
    /// Which of the ops, counted from 0.
    pub index: usize,
    /// Why.
    pub message: String,
}

/// The text is no stored edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidEdit;

impl fmt::Display for InvalidEdit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the stored edit cannot be read; restore it from a backup")
    }
}

impl std::error::Error for InvalidEdit {}

impl EditOps {
    /// The ops of a change of this document, as an edit.
    pub fn of(before: &Value, change: &Change) -> EditOps {
        let mut document = before.clone();
        let mut ops = Vec::with_capacity(change.ops.len());
        for op in &change.ops {
            ops.push(EditOp::of(&document, op));
            if document.apply(op).is_err() {
                break;
            }
        }
        EditOps(ops)
    }

    /// An edit that makes this the document, whatever it was.
    pub fn whole(document: &Value) -> EditOps {
        EditOps(vec![EditOp {
            verb: Verb::Set,
            path: Path::root(),
            items: Vec::new(),
            value: document.clone(),
            old: None,
        }])
    }

    /// Whether it does nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Applies what can be applied.
    pub fn apply(&self, document: &mut Value) -> Applied {
        let mut applied = Applied::default();
        for (index, op) in self.0.iter().enumerate() {
            match op.on(document).and_then(|op| within_bounds(document, &op).map(|()| op)) {
                Ok(op) => match document.apply(&op) {
                    Ok(()) => applied.ops.push(op),
                    Err(misfit) => applied.problems.push(NotApplied { index, message: misfit.to_string() }),
                },
                Err(message) => applied.problems.push(NotApplied { index, message }),
            }
        }
        applied
    }

    /// The edit as RFC 6902 JSON Patch, for people and other programs, with the old values as `old`.
    pub fn to_json_patch(&self) -> Value {
        self.0.iter().map(EditOp::to_json_patch).collect()
    }

    /// The edit as it is stored.
    pub fn to_stored(&self) -> String {
        self.0.iter().map(EditOp::to_stored).collect::<Value>().to_json()
    }

    /// Reads a stored edit.
    pub fn from_stored(stored: &str) -> Result<EditOps, InvalidEdit> {
        let stored = Value::from_normalised(stored).ok_or(InvalidEdit)?;
        let ops = stored.items().iter().map(EditOp::from_stored).collect::<Option<Vec<EditOp>>>();
        ops.map(EditOps).ok_or(InvalidEdit)
    }
}

/// The change that a merge patch (RFC 7396) makes of a document: members that are null are removed, objects are merged,
/// everything else is set.
///
/// ```
/// use tavernkeep_engine::{document::Value, edit::merge_patch};
///
/// let parse = |text: &str| Value::parse(text).unwrap();
/// let change = merge_patch(&parse(r#"{"a": {"b": 1, "c": 2}}"#), &parse(r#"{"a": {"b": null, "d": 3}}"#));
/// assert_eq!(change.to_json_patch().to_json(), r#"[{"op":"remove","path":"/a/b"},{"op":"add","path":"/a/d","value":3}]"#);
/// ```
pub fn merge_patch(document: &Value, patch: &Value) -> Change {
    let (mut ops, mut merged) = (Vec::new(), document.clone());
    merge(&mut ops, &mut merged, &Path::root(), patch);
    Change { ops }
}

fn merge(ops: &mut Vec<Op>, document: &mut Value, path: &Path, patch: &Value) {
    let Value::Object(members) = patch else { return };
    for (key, value) in members.iter() {
        let place = path.key(Arc::clone(key));
        let Some(Value::Object(holder)) = path.find(document) else { return };
        let op = match (holder.entry(key), value) {
            (None, Value::Null) => continue,
            (Some((position, _, old)), Value::Null) => Op::Remove { path: place, position, old: old.clone() },
            (Some((_, _, Value::Object(_))), Value::Object(_)) => {
                merge(ops, document, &place, value);
                continue;
            }
            (Some((_, _, old)), _) => Op::Replace { path: place, value: without_nulls(value), old: old.clone() },
            (None, _) => Op::Add { path: place, position: holder.len(), value: without_nulls(value) },
        };
        if document.apply(&op).is_ok() {
            ops.push(op);
        }
    }
}

/// What a merge patch makes of nothing.
fn without_nulls(patch: &Value) -> Value {
    match patch {
        Value::Object(members) => members
            .iter()
            .filter(|(_, value)| **value != Value::Null)
            .map(|(key, value)| (Arc::clone(key), without_nulls(value)))
            .collect(),
        _ => patch.clone(),
    }
}

impl EditOp {
    fn of(document: &Value, op: &Op) -> EditOp {
        let path = op.path();
        let is_new = matches!(op, Op::Add { .. });
        let (mut items, mut at) = (Vec::new(), Some(document));
        let mut verb = match op {
            Op::Add { .. } | Op::Replace { .. } => Verb::Set,
            Op::Remove { .. } => Verb::Remove,
        };
        for (depth, segment) in path.segments().iter().enumerate() {
            let is_last = depth + 1 == path.segments().len();
            at = match (at, segment) {
                (Some(Value::Array(list)), Segment::Index(index)) if is_new && is_last => {
                    verb = if *index == list.len() { Verb::Append } else { Verb::Insert };
                    None
                }
                (Some(Value::Array(list)), Segment::Index(index)) => {
                    let item = list.get(*index);
                    let fingerprint = item.map_or(0, fingerprint);
                    items.push(Item { fingerprint, length: list.len() });
                    item
                }
                (Some(Value::Object(members)), Segment::Key(key)) => members.get(key),
                _ => None,
            };
        }
        let old = op.old().filter(|old| old.weight() <= EDIT_OLD_BYTES_MAX).cloned();
        EditOp { verb, path: path.clone(), items, value: op.value().cloned().unwrap_or(Value::Null), old }
    }

    /// The op that this comes to on a document.
    fn on(&self, document: &Value) -> Result<Op, String> {
        let Some((parent, last)) = self.path.split_last() else {
            return Ok(Op::Replace { path: Path::root(), value: self.value.clone(), old: document.clone() });
        };
        let mut items = self.items.iter().copied();
        let (mut path, mut at) = (Path::root(), document);
        for segment in parent {
            (path, at) = match (at, segment) {
                (Value::Object(members), Segment::Key(key)) => {
                    let path = path.key(Arc::clone(key));
                    let value = members.get(key).ok_or_else(|| missing(&path))?;
                    (path, value)
                }
                (Value::Array(list), Segment::Index(index)) => {
                    let item = items.next();
                    let found = same(list, *index, item).or_else(|| instead(list, *index, item));
                    let (index, value) = found.ok_or_else(|| no_item(&path.index(*index)))?;
                    (path.index(index), value)
                }
                _ => return Err(missing(&path.child(segment.clone()))),
            };
        }
        match (at, last, self.verb) {
            (Value::Object(members), Segment::Key(key), Verb::Set) => {
                let (path, value) = (path.key(Arc::clone(key)), self.value.clone());
                Ok(match members.get(key) {
                    Some(old) => Op::Replace { path, value, old: old.clone() },
                    None => Op::Add { path, position: members.len(), value },
                })
            }
            (Value::Object(members), Segment::Key(key), Verb::Remove) => {
                let path = path.key(Arc::clone(key));
                let (position, _, old) = members.entry(key).ok_or_else(|| missing(&path))?;
                Ok(Op::Remove { path, position, old: old.clone() })
            }
            (Value::Array(list), Segment::Index(index), Verb::Insert | Verb::Append) => {
                let index = if self.verb == Verb::Append { list.len() } else { *index.min(&list.len()) };
                Ok(Op::Add { path: path.index(index), position: index, value: self.value.clone() })
            }
            (Value::Array(list), Segment::Index(index), verb) => {
                let item = items.next();
                let found = same(list, *index, item);
                let found = if verb == Verb::Set { found.or_else(|| instead(list, *index, item)) } else { found };
                let (position, old) = found.ok_or_else(|| no_item(&path.index(*index)))?;
                let (path, old) = (path.index(position), old.clone());
                Ok(match verb {
                    Verb::Remove => Op::Remove { path, position, old },
                    _ => Op::Replace { path, value: self.value.clone(), old },
                })
            }
            (other, ..) => Err(format!(
                "`{}` is {}; `{}` cannot be changed there",
                path.to_pointer(),
                other.kind().with_article(),
                self.path.to_pointer()
            )),
        }
    }

    fn to_json_patch(&self) -> Value {
        let on_item = matches!(self.path.segments().last(), Some(Segment::Index(_)) | None);
        let name = match self.verb {
            Verb::Set if on_item => "replace",
            Verb::Remove => "remove",
            _ => "add",
        };
        let path = match (self.verb, self.path.parent()) {
            (Verb::Append, Some(parent)) => format!("{}/-", parent.to_pointer()),
            _ => self.path.to_pointer(),
        };
        let value = (self.verb != Verb::Remove).then(|| ("value", self.value.clone()));
        let old = self.old.clone().map(|old| ("old", old));
        [("op", Value::from(name)), ("path", Value::from(path))].into_iter().chain(value).chain(old).collect()
    }

    fn to_stored(&self) -> Value {
        let path = self.path.segments().iter().map(|segment| match segment {
            Segment::Key(key) => Value::from(key.as_ref()),
            Segment::Index(index) => whole_number(*index),
        });
        let items = self.items.iter().map(|item| {
            [Value::from(format!("{:x}", item.fingerprint)), whole_number(item.length)].into_iter().collect::<Value>()
        });
        let fixed = [Value::from(self.verb.mark()), path.collect(), items.collect()];
        let value = (self.verb != Verb::Remove).then(|| self.value.clone());
        fixed.into_iter().chain(value).chain(self.old.clone()).collect()
    }

    fn from_stored(stored: &Value) -> Option<EditOp> {
        let mark = stored.item(0)?.as_str()?;
        let (verb, _) = Verb::ALL.into_iter().find(|(_, known)| *known == mark)?;
        let segment = |value: &Value| match value.as_str() {
            Some(key) => Some(Segment::Key(key.into())),
            None => index(value).map(Segment::Index),
        };
        let path = stored.item(1)?.items().iter().map(segment).collect::<Option<Vec<Segment>>>()?;
        let item = |value: &Value| {
            let fingerprint = u64::from_str_radix(value.item(0)?.as_str()?, 16).ok()?;
            Some(Item { fingerprint, length: index(value.item(1)?)? })
        };
        let items = stored.item(2)?.items().iter().map(item).collect::<Option<Vec<Item>>>()?;
        let (value, old) = match verb {
            Verb::Remove => (Value::Null, stored.item(3).cloned()),
            _ => (stored.item(3).cloned().unwrap_or(Value::Null), stored.item(4).cloned()),
        };
        Some(EditOp { verb, path: path.into(), items, value, old })
    }
}

/// The nearest item to an index that is the same as then.
fn same(list: &Array, index: usize, item: Option<Item>) -> Option<(usize, &Value)> {
    let is_same = |value: &Value| item.is_some_and(|item| fingerprint(value) == item.fingerprint);
    if let Some(value) = list.get(index).filter(|value| is_same(value)) {
        return Some((index, value));
    }
    list.iter().enumerate().filter(|(_, value)| is_same(value)).min_by_key(|(at, _)| at.abs_diff(index))
}

/// The item at an index, if the list has as many as then.
fn instead(list: &Array, index: usize, item: Option<Item>) -> Option<(usize, &Value)> {
    item.filter(|item| item.length == list.len())?;
    list.get(index).map(|value| (index, value))
}

/// FNV-1a over the value as JSON: it stays the same from program to program.
fn fingerprint(value: &Value) -> u64 {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    value.to_json().bytes().fold(0xcbf2_9ce4_8422_2325, add)
}

fn missing(path: &Path) -> String {
    format!("there is no `{}`", path.to_pointer())
}

fn no_item(path: &Path) -> String {
    format!("the item that was `{}` is not there", path.to_pointer())
}

/// An edit makes no document that could not be stored.
fn within_bounds(document: &Value, op: &Op) -> Result<(), String> {
    let Some(value) = op.value() else { return Ok(()) };
    let place = || op.path().to_pointer();
    if op.path().segments().len() + value.depth() > JSON_DEPTH_MAX {
        return Err(format!("`{}` would be nested deeper than {JSON_DEPTH_MAX} levels", place()));
    }
    let weight = document.weight().saturating_sub(op.old().map_or(0, Value::weight)) + value.weight();
    match weight > DOCUMENT_BYTES_MAX {
        true => Err(format!("with `{}` the state would be larger than {DOCUMENT_BYTES_MAX} bytes", place())),
        false => Ok(()),
    }
}

/// The number of an item, as a value.
fn whole_number(number: usize) -> Value {
    Value::from(i64::try_from(number).unwrap_or(i64::MAX))
}

fn index(value: &Value) -> Option<usize> {
    usize::try_from(value.as_number()?.as_i64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::diff::differences;

    fn parse(text: &str) -> Value {
        Value::parse(text).unwrap()
    }

    /// What the difference between two documents makes of a third, and how many of its ops find no place.
    fn again(before: &str, after: &str, other: &str) -> (String, usize) {
        let (before, after) = (parse(before), parse(after));
        let edit = EditOps::of(&before, &differences(&before, &after));
        let edit = EditOps::from_stored(&edit.to_stored()).unwrap();
        let mut same = before.clone();
        assert_eq!(edit.apply(&mut same).problems, []);
        assert_eq!(same, after);
        let mut other = parse(other);
        let unchanged = other.clone();
        let applied = edit.apply(&mut other);
        assert_eq!(Change { ops: applied.ops }.apply(&unchanged).unwrap(), other);
        (other.to_json(), applied.problems.len())
    }

    #[test]
    fn members_are_set_and_removed_by_name() {
        let is = |other: &str, wanted: &str, problems: usize| {
            let found = again(r#"{"a":{"b":1},"c":1}"#, r#"{"a":{"b":2},"d":1}"#, other);
            assert_eq!(found, (wanted.to_owned(), problems), "{other}");
        };
        is(r#"{"a":{"b":9,"x":1},"c":5}"#, r#"{"a":{"b":2,"x":1},"d":1}"#, 0);
        is(r#"{"a":{},"c":5}"#, r#"{"a":{"b":2},"d":1}"#, 0);
        is(r#"{"c":5}"#, r#"{"d":1}"#, 1);
        is(r#"{"a":3,"d":5}"#, r#"{"a":3,"d":1}"#, 2);
    }

    #[test]
    fn items_are_found_by_what_they_were() {
        let is = |before: &str, after: &str, other: &str, wanted: &str, problems: usize| {
            let found = again(before, after, other);
            assert_eq!(found, (wanted.to_owned(), problems), "{before} → {after} on {other}");
        };
        // One that moved is removed where it stands now; one that is not there is reported, and no other goes instead.
        is(r#"["a","b"]"#, r#"["a"]"#, r#"["b","a","c"]"#, r#"["a","c"]"#, 0);
        is(r#"["a","b"]"#, r#"["a"]"#, r#"["a","c"]"#, r#"["a","c"]"#, 1);
        // One that becomes another: the same one, else the one at its place in a list as long as then.
        is(r#"["a","b"]"#, r#"["a","x"]"#, r#"["n","a","b"]"#, r#"["n","a","x"]"#, 0);
        is(r#"["a","b"]"#, r#"["a","x"]"#, r#"["a","c"]"#, r#"["a","x"]"#, 0);
        is(r#"["a","b"]"#, r#"["a","x"]"#, r#"["a","c","d"]"#, r#"["a","c","d"]"#, 1);
        // What is inside of one.
        let (before, after) = (r#"[{"n":1},{"n":2}]"#, r#"[{"n":1},{"n":5}]"#);
        is(before, after, r#"[{"n":0},{"n":1},{"n":2}]"#, r#"[{"n":0},{"n":1},{"n":5}]"#, 0);
        is(before, after, r#"[{"n":1},{"n":3}]"#, r#"[{"n":1},{"n":5}]"#, 0);
        is(before, after, r#"[{"n":3}]"#, r#"[{"n":3}]"#, 1);
        // New ones: at the end if they came there, else at their place.
        is(r#"["a"]"#, r#"["a","x"]"#, r#"["a","b","c"]"#, r#"["a","b","c","x"]"#, 0);
        is(r#"["a","b"]"#, r#"["x","a","b"]"#, r#"["c"]"#, r#"["x","c"]"#, 0);
        is(r#"["a","b","c"]"#, r#"["a","b","x","c"]"#, r#"["a"]"#, r#"["a","x"]"#, 0);
    }

    #[test]
    fn an_edit_is_shown_as_a_patch() {
        let shown = |before: &str, after: &str| {
            let (before, after) = (parse(before), parse(after));
            EditOps::of(&before, &differences(&before, &after)).to_json_patch().to_json()
        };
        assert_eq!(shown(r#"{"l":[1]}"#, r#"{"l":[1,2]}"#), r#"[{"op":"add","path":"/l/-","value":2}]"#);
        assert_eq!(shown(r#"{"a":1}"#, r#"{"a":2}"#), r#"[{"op":"add","path":"/a","value":2,"old":1}]"#);
        assert_eq!(shown("[1]", "[2]"), r#"[{"op":"replace","path":"/0","value":2,"old":1}]"#);
        assert_eq!(shown(r#"{"a":1}"#, "{}"), r#"[{"op":"remove","path":"/a","old":1}]"#);
        let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(EDIT_OLD_BYTES_MAX));
        assert_eq!(shown(&long, "{}"), r#"[{"op":"remove","path":"/a"}]"#);
        assert_eq!(
            EditOps::whole(&Value::Null).to_json_patch().to_json(),
            r#"[{"op":"replace","path":"","value":null}]"#
        );
        assert_eq!(EditOps::from_stored(r#"[["?",[],[]]]"#), Err(InvalidEdit));
    }
}
