//! Paths of macros: `资产.金币`, `装备["剑.名"]`, `背包[0]`.
//!
//! ```text
//! path    = name { "." name | "[" digits "]" | "[" quoted "]" }
//! name    = characters other than . [ ]
//! ```

use super::warning::{Failure, WarningCode};
use crate::document::path::is_index;
use crate::document::{Array, Object, Value};
use crate::limits::{JSON_DEPTH_MAX, PATH_BYTES_MAX, PATH_SEGMENTS_MAX};
use std::fmt;
use std::sync::Arc;

/// One step inside a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathStep {
    /// `.name` or `["name"]`.
    Key(Arc<str>),
    /// `[0]`.
    Index(usize),
}

impl fmt::Display for PathStep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathStep::Key(key) => write!(formatter, "{key:?}"),
            PathStep::Index(index) => write!(formatter, "[{index}]"),
        }
    }
}

impl PathStep {
    /// The item of a list that is meant.
    fn index(&self) -> Option<usize> {
        match self {
            PathStep::Key(key) => is_index(key),
            PathStep::Index(index) => Some(*index),
        }
    }

    /// The member of an object that is meant.
    fn key(&self) -> Arc<str> {
        match self {
            PathStep::Key(key) => Arc::clone(key),
            PathStep::Index(index) => index.to_string().into(),
        }
    }
}

/// Splits a path into the key of a variable and the way inside its value.
pub(super) fn split(path: &str) -> Result<(Arc<str>, Vec<PathStep>), Failure> {
    let broken = || Failure::new(WarningCode::Unreadable, format!("{path:?} is no path; write it as a.b[0][\"c.d\"]"));
    if path.len() > PATH_BYTES_MAX {
        return Failure::err(WarningCode::Unreadable, format!("a path has at most {PATH_BYTES_MAX} bytes"));
    }
    let end = path.find(['.', '[', ']']).unwrap_or(path.len());
    let (root, mut rest) = path.split_at(end);
    if root.is_empty() {
        return Err(broken());
    }
    let mut steps = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (step, behind) = match first {
            '.' => name(&rest[1..]).map(|(name, behind)| (PathStep::Key(name), behind)),
            '[' => bracket(&rest[1..]),
            _ => None,
        }
        .ok_or_else(broken)?;
        steps.push(step);
        rest = behind;
    }
    if steps.len() >= PATH_SEGMENTS_MAX {
        return Failure::err(WarningCode::Depth, format!("a path has fewer than {PATH_SEGMENTS_MAX} steps"));
    }
    Ok((root.into(), steps))
}

fn name(text: &str) -> Option<(Arc<str>, &str)> {
    let (name, rest) = text.split_at(text.find(['.', '[', ']']).unwrap_or(text.len()));
    (!name.is_empty()).then(|| (name.into(), rest))
}

fn bracket(text: &str) -> Option<(PathStep, &str)> {
    let quote = text.chars().next()?;
    if !matches!(quote, '"' | '\'') {
        let (digits, rest) = text.split_once(']')?;
        return is_index(digits).map(|index| (PathStep::Index(index), rest));
    }
    let mut key = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => key.push(characters.next()?.1),
            _ if character == quote => {
                return text[at + 1..].strip_prefix(']').map(|rest| (PathStep::Key(key.into()), rest));
            }
            _ => key.push(character),
        }
    }
    None
}

/// The value that the steps lead to; none where something is missing on the way.
pub(super) fn find<'v>(value: &'v Value, steps: &[PathStep]) -> Result<Option<&'v Value>, Failure> {
    let mut value = value;
    for step in steps {
        let next = match value {
            Value::Object(object) => object.get(&step.key()),
            Value::Array(items) => match step.index() {
                Some(index) => items.get(index),
                None => return Err(no_way(value, step)),
            },
            Value::Null => None,
            _ => return Err(no_way(value, step)),
        };
        match next {
            Some(next) => value = next,
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}

pub(super) fn no_way(value: &Value, step: &PathStep) -> Failure {
    let kind = value.kind().with_article();
    Failure::new(WarningCode::WrongKind, format!("{kind} has no {step}: {}", value.brief()))
}

/// A variable with a value at the end of the way, or without the one that is there; none for a variable that is deleted whole.
pub(super) fn put(root: Option<Value>, steps: &[PathStep], new: Option<Value>) -> Result<Option<Value>, Failure> {
    if steps.is_empty() {
        return Ok(new);
    }
    let mut root = root.unwrap_or_default();
    match new {
        Some(new) => set(&mut root, steps, new)?,
        None => {
            remove(&mut root, steps);
        }
    }
    Ok(Some(root))
}

/// Puts a value at the end of the way; objects and lists that are missing are made.
pub(super) fn set(root: &mut Value, steps: &[PathStep], new: Value) -> Result<(), Failure> {
    if steps.len() + new.depth() > JSON_DEPTH_MAX {
        return Failure::err(WarningCode::Depth, format!("a value has at most {JSON_DEPTH_MAX} levels"));
    }
    set_below(root, steps, new)
}

fn set_below(value: &mut Value, steps: &[PathStep], new: Value) -> Result<(), Failure> {
    let Some((step, rest)) = steps.split_first() else {
        *value = new;
        return Ok(());
    };
    if *value == Value::Null {
        *value = match step {
            PathStep::Index(_) => Value::empty_array(),
            // `a.0` may be meant as a list; `a.2024` is a name.
            PathStep::Key(key) if key.as_ref() == "0" => Value::empty_array(),
            PathStep::Key(_) => Value::empty_object(),
        };
    }
    match value {
        Value::Object(object) => {
            let object: &mut Object = Arc::make_mut(object);
            let key = step.key();
            if !object.contains_key(&key) {
                object.set(Arc::clone(&key), Value::Null);
            }
            object.edit(&key, |inner| set_below(inner, rest, new)).unwrap_or(Ok(()))
        }
        Value::Array(items) => {
            let length = items.len();
            let Some(index) = step.index() else { return Err(no_way(value, step)) };
            if index > length {
                let message = format!("a list with {length} items has no place for {step}; the next one is [{length}]");
                return Failure::err(WarningCode::WrongKind, message);
            }
            let items: &mut Array = Arc::make_mut(items);
            if index == length {
                items.insert(index, Value::Null);
            }
            items.edit(index, |inner| set_below(inner, rest, new)).unwrap_or(Ok(()))
        }
        _ => Err(no_way(value, step)),
    }
}

/// Takes away what stands at the end of the way; whether it was there.
fn remove(value: &mut Value, steps: &[PathStep]) -> bool {
    let Some((step, rest)) = steps.split_first() else { return false };
    match value {
        Value::Object(object) => {
            let object: &mut Object = Arc::make_mut(object);
            let key = step.key();
            match rest.is_empty() {
                true => object.remove(&key).is_some(),
                false => object.edit(&key, |inner| remove(inner, rest)).unwrap_or(false),
            }
        }
        Value::Array(items) => {
            let Some(index) = step.index() else { return false };
            let items: &mut Array = Arc::make_mut(items);
            match rest.is_empty() {
                true => items.remove(index).is_some(),
                false => items.edit(index, |inner| remove(inner, rest)).unwrap_or(false),
            }
        }
        _ => false,
    }
}
