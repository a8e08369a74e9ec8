//! Parts of a state: some of its paths, or what changed since an earlier one. Values are shared, not copied.

use crate::document::path::{Path, Segment, WrittenPath, locate};
use crate::document::{Object, Value};
use crate::limits::VIEW_GONE_SEGMENTS_MAX;
use crate::view::Style;
use std::collections::HashSet;
use std::sync::Arc;

/// Only the values at these paths, inside the objects that lead to them. A value that is reached through a list stands
/// outermost, under its path. What does not exist is left out.
pub(crate) fn at_paths(state: &Value, paths: &[WrittenPath]) -> Value {
    let mut chosen = Object::default();
    for path in paths {
        let segments = path.on(state);
        let located = locate(state, &segments);
        if !located.exists() || located.path.is_root() {
            continue;
        }
        let keys: Option<Vec<Arc<str>>> = located.path.segments().iter().map(key).collect();
        match keys {
            Some(keys) => insert(&mut chosen, &keys, located.value.clone()),
            None => {
                chosen.set(located.path.to_string().into(), located.value.clone());
            }
        }
    }
    Value::Object(chosen.into())
}

fn key(segment: &Segment) -> Option<Arc<str>> {
    match segment {
        Segment::Key(key) => Some(Arc::clone(key)),
        Segment::Index(_) => None,
    }
}

fn insert(object: &mut Object, keys: &[Arc<str>], value: Value) {
    let Some((first, rest)) = keys.split_first() else { return };
    if rest.is_empty() {
        object.set(Arc::clone(first), value);
        return;
    }
    if object.get(first).is_none_or(|inner| inner.as_object().is_none()) {
        object.set(Arc::clone(first), Value::empty_object());
    }
    object.edit(first, |inner| {
        if let Value::Object(inner) = inner {
            insert(Arc::make_mut(inner), rest, value);
        }
    });
}

/// Of the paths that are gone since an earlier state those that a view with paths shows: what lies at its paths or below them,
/// and its paths themselves where what they led through is gone.
pub(crate) fn gone_at_paths(before: &Value, gone: &[Path], paths: &[WrittenPath]) -> Vec<Path> {
    let mut shown: Vec<Path> = Vec::new();
    let written: Vec<Vec<Arc<str>>> = paths.iter().map(|path| path.on(before)).collect();
    let located: Vec<_> = written.iter().map(|segments| locate(before, segments)).collect();
    let mut known: HashSet<&[Segment]> = HashSet::new();
    for located in located.iter().filter(|located| located.exists()) {
        for gone in gone {
            let found = if gone.segments().starts_with(located.path.segments()) {
                gone
            } else if located.path.segments().starts_with(gone.segments()) {
                &located.path
            } else {
                continue;
            };
            if known.insert(found.segments()) {
                shown.push(found.clone());
            }
        }
    }
    shown
}

/// What changed between two states.
pub(crate) struct Changed {
    /// What is new or different and not hidden. Lists are shown whole.
    pub(crate) shown: Value,
    /// The paths that are gone.
    pub(crate) gone: Vec<Path>,
    /// Whether those are all.
    pub(crate) is_complete: bool,
}

pub(crate) fn changed(before: &Value, after: &Value, style: Style<'_>) -> Changed {
    let mut gone = Gone { paths: Vec::new(), left: VIEW_GONE_SEGMENTS_MAX, is_complete: true };
    let changed = difference(before, after, &Path::root(), style, &mut gone);
    Changed { shown: changed.unwrap_or_else(Value::empty_object), gone: gone.paths, is_complete: gone.is_complete }
}

/// Paths that are gone, and how many segments further ones may have.
struct Gone {
    paths: Vec<Path>,
    left: usize,
    is_complete: bool,
}

impl Gone {
    fn add(&mut self, at: &Path, key: &Arc<str>) {
        match self.left.checked_sub(at.segments().len() + 1) {
            Some(left) => {
                self.left = left;
                self.paths.push(at.key(Arc::clone(key)));
            }
            None => self.is_complete = false,
        }
    }
}

fn difference(before: &Value, after: &Value, at: &Path, style: Style<'_>, gone: &mut Gone) -> Option<Value> {
    if before.is_shared_with(after) {
        return None;
    }
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        return (before != after).then(|| after.clone());
    };
    let lost = old.iter().filter(|(key, _)| style.shows(key) && !new.contains_key(key));
    lost.for_each(|(key, _)| gone.add(at, key));
    let mut object = Object::default();
    for (key, value) in new.iter().filter(|(key, _)| style.shows(key)) {
        let different = match old.get(key) {
            Some(old) => difference(old, value, &at.key(Arc::clone(key)), style, gone),
            None => Some(value.clone()),
        };
        if let Some(value) = different {
            object.set(Arc::clone(key), value);
        }
    }
    (!object.is_empty()).then(|| Value::Object(object.into()))
}

/// Takes a value out; whether it was there. An object or a list that becomes empty goes with it.
pub(crate) fn take_out(value: &mut Value, segments: &[Segment]) -> bool {
    let Some((segment, rest)) = segments.split_first() else { return false };
    let is_empty = |value: &Value| match value {
        Value::Object(object) => object.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    match (value, segment) {
        (Value::Object(object), Segment::Key(key)) if object.contains_key(key) => {
            let object = Arc::make_mut(object);
            let taken = rest.is_empty() || object.edit(key, |inner| take_out(inner, rest)).unwrap_or(false);
            if taken && (rest.is_empty() || object.get(key).is_some_and(is_empty)) {
                object.remove(key);
            }
            taken
        }
        (Value::Array(items), Segment::Index(index)) if *index < items.len() => {
            let items = Arc::make_mut(items);
            let taken = rest.is_empty() || items.edit(*index, |inner| take_out(inner, rest)).unwrap_or(false);
            if taken && rest.is_empty() {
                items.remove(*index);
            }
            taken
        }
        _ => false,
    }
}
