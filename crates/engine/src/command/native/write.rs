//! The writes that all families share: set, change a number, append, merge, remove; each by the profile's strictness.

use super::ExecutionContext;
use crate::command::Arg;
use crate::document::path::{Located, Path, is_index, locate, without_prefix, written};
use crate::document::{Array, Kind, Number, Value};
use crate::limits::{PATH_BYTES_MAX, PATH_SEGMENTS_MAX};
use crate::literal::{Literals, read_literal};
use crate::mvu::{merge_by_index, to_number};
use crate::names::problem::{Code, Refusal};
use crate::rules::profile::{CreateMissing, Merge, TypeChange};
use std::sync::Arc;

/// Reads a path argument: text, or a list of its segments.
pub(super) fn path_of(context: &ExecutionContext<'_>, arg: Option<&Arg>) -> Result<Vec<Arc<str>>, Refusal> {
    let value = match arg {
        Some(Arg::Raw(text)) => read_literal(text, Literals::Tolerant).map(|value| match value {
            // A bare word that reads as a number or a date is still a name.
            Value::String(_) | Value::Array(_) => value,
            _ => Value::from(text.as_str()),
        }),
        Some(Arg::Value(value)) => Some(value.clone()),
        _ => None,
    };
    let segments = match &value {
        Some(Value::String(text)) => {
            check_length(text)?;
            written(context.draft.document(), text.trim())
        }
        Some(Value::Array(parts)) => {
            let part = |part: &Value| match part {
                Value::String(text) => Some(Arc::clone(text)),
                Value::Number(number) => Some(number.to_string().into()),
                _ => None,
            };
            let bad = || Refusal::new(Code::BadArguments, "a path is text or a list of texts");
            without_prefix(
                context.draft.document(),
                parts.iter().map(part).collect::<Option<Vec<_>>>().ok_or_else(bad)?,
            )
        }
        _ => return Refusal::err(Code::BadArguments, "the path is missing"),
    };
    check_depth(segments)
}

/// Refuses a written path that is too long.
pub(super) fn check_length(path: &str) -> Result<(), Refusal> {
    if path.len() > PATH_BYTES_MAX {
        return Refusal::err(Code::Limit, format!("a path has at most {PATH_BYTES_MAX} bytes"));
    }
    Ok(())
}

/// Refuses a path that is too deep.
pub(super) fn check_depth(segments: Vec<Arc<str>>) -> Result<Vec<Arc<str>>, Refusal> {
    if segments.len() > PATH_SEGMENTS_MAX {
        return Refusal::err(Code::Limit, format!("a path has at most {PATH_SEGMENTS_MAX} segments"));
    }
    Ok(segments)
}

/// The place a write goes to: the first item of a pair where the profile has pairs.
fn place(context: &ExecutionContext<'_>, located: &Located<'_, '_>) -> (Path, Value) {
    if context.profile.pairs
        && let Some([first, Value::String(_)]) = located.value.as_array().map(Array::as_slice)
        && first.as_array().is_none()
    {
        return (located.path.index(0), first.clone());
    }
    (located.path.clone(), located.value.clone())
}

/// Sets the value of a path, creating what is missing where the profile allows it.
pub(super) fn set(
    context: &mut ExecutionContext<'_>,
    segments: &[Arc<str>],
    value: Value,
) -> Result<Option<String>, Refusal> {
    if segments.is_empty() && value.as_object().is_none() {
        return Refusal::err(Code::BadArguments, "the whole document can only become another object");
    }
    let located = locate(context.draft.document(), segments);
    if located.exists() {
        let (path, old) = place(context, &located);
        let (value, repair) = coerced(context, &old, value);
        context.draft.replace(&path, value)?;
        return Ok(repair);
    }
    create(context, segments, value)?;
    Ok(None)
}

/// A number stays a number when the new text is one.
fn coerced(context: &ExecutionContext<'_>, old: &Value, value: Value) -> (Value, Option<String>) {
    let keeps = matches!(context.profile.type_change, TypeChange::Reported | TypeChange::Refused);
    match (&value, old) {
        (Value::String(text), Value::Number(_)) if keeps && !text.trim().is_empty() => match to_number(&value) {
            Some(number) => (Value::Number(number), Some(format!("read the text {} as a number", value.brief()))),
            None => (value, None),
        },
        _ => (value, None),
    }
}

/// Adds a value where nothing is yet.
pub(super) fn create(context: &mut ExecutionContext<'_>, segments: &[Arc<str>], value: Value) -> Result<(), Refusal> {
    let located = locate(context.draft.document(), segments);
    let shown = shown(segments);
    if context.profile.create_missing != CreateMissing::Yes {
        return Refusal::err(Code::MissingPath, format!("`{shown}` does not exist and may not be created"));
    }
    let Some((first, rest)) = located.missing.split_first() else {
        let path = located.path;
        return context.draft.replace(&path, value);
    };
    let path = located.path;
    match located.value {
        Value::Object(_) => context.draft.set_key(&path, first, nested(rest, value, &shown)?),
        Value::Array(items) => {
            let end = items.len();
            match is_index(first) {
                Some(index) if index == end => context.draft.insert_item(&path, index, nested(rest, value, &shown)?),
                Some(_) => {
                    let message = format!("`{path}` has {end} items; `{shown}` lies behind its end");
                    Refusal::err(Code::OutOfRange, message)
                }
                None if first.as_ref() == "-" => context.draft.push(&path, nested(rest, value, &shown)?),
                None => Refusal::err(Code::NotAContainer, format!("`{path}` is a list and has no member `{first}`")),
            }
        }
        Value::Null => context.draft.replace(&path, nested(located.missing, value, &shown)?),
        other => {
            let message = format!("`{path}` is {}; nothing can stand below it", other.kind().with_article());
            Refusal::err(Code::NotAContainer, message)
        }
    }
}

/// Wraps a value in the containers its path needs: a list for the index 0, an object for anything else.
fn nested(segments: &[Arc<str>], value: Value, shown: &str) -> Result<Value, Refusal> {
    if segments.len() > PATH_SEGMENTS_MAX {
        return Refusal::err(Code::Limit, format!("`{shown}` is too deep"));
    }
    Ok(segments.iter().rev().fold(value, |value, segment| match segment.as_ref() {
        "0" | "-" => [value].into_iter().collect(),
        _ => [(Arc::clone(segment), value)].into_iter().collect(),
    }))
}

/// Changes a number by a function. Numeric text counts as a number; what is missing starts at zero.
pub(super) fn change_number(
    context: &mut ExecutionContext<'_>,
    segments: &[Arc<str>],
    change: impl FnOnce(Number) -> Option<Number>,
) -> Result<Option<String>, Refusal> {
    let located = locate(context.draft.document(), segments);
    let overflow = || {
        Refusal::new(
            Code::OutOfRange,
            format!("the result for `{}` does not fit: it is not finite, or digits would be lost", shown(segments)),
        )
    };
    if !located.exists() {
        let value = change(Number::from(0_i64)).ok_or_else(overflow)?;
        create(context, segments, Value::Number(value))?;
        return Ok(None);
    }
    let (path, old) = place(context, &located);
    let (number, repair) = match &old {
        Value::Number(number) => (Some(*number), None),
        Value::String(text) if !text.trim().is_empty() => {
            (to_number(&old), Some(format!("read the text {} as a number", old.brief())))
        }
        Value::Null => (Some(Number::from(0_i64)), None),
        _ => (None, None),
    };
    let number = number.ok_or_else(|| {
        Refusal::new(Code::NotANumber, format!("`{}` is {}, not a number", shown(segments), old.kind().with_article()))
    })?;
    let value = change(number).ok_or_else(overflow)?;
    context.draft.replace(&path, Value::Number(value))?;
    Ok(repair)
}

/// Appends to a list; a missing one is made.
pub(super) fn append(
    context: &mut ExecutionContext<'_>,
    segments: &[Arc<str>],
    items: Vec<Value>,
) -> Result<(), Refusal> {
    let located = locate(context.draft.document(), segments);
    match located.value {
        _ if !located.exists() => create(context, segments, items.into_iter().collect()),
        Value::Array(_) => {
            let path = located.path;
            items.into_iter().try_for_each(|item| context.draft.push(&path, item))
        }
        Value::Null => {
            let path = located.path;
            context.draft.replace(&path, items.into_iter().collect())
        }
        other => {
            let message = format!("`{}` is {}, not a list", shown(segments), other.kind().with_article());
            Refusal::err(Code::NotAnArray, message)
        }
    }
}

/// Whether a merge may bring new members: it says so itself, or the profile does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Members {
    Added,
    AsProfile,
}

/// Merges an object into another, as the profile merges.
pub(super) fn merge(
    context: &mut ExecutionContext<'_>,
    segments: &[Arc<str>],
    value: &Value,
    members: Members,
) -> Result<(), Refusal> {
    let located = locate(context.draft.document(), segments);
    if !located.exists() {
        return create(context, segments, value.clone());
    }
    let (path, kind) = (located.path, located.value.kind());
    match (kind, value) {
        (Kind::Null, Value::Object(_)) => context.draft.replace(&path, value.clone()),
        (Kind::Object, Value::Object(_)) => merge_into(context, &path, value, members),
        (_, Value::Object(_)) => {
            let message = format!("`{}` is {}, not an object", shown(segments), kind.with_article());
            Refusal::err(Code::NotAContainer, message)
        }
        _ => Refusal::err(Code::BadArguments, "only an object can be merged"),
    }
}

fn merge_into(context: &mut ExecutionContext<'_>, path: &Path, value: &Value, members: Members) -> Result<(), Refusal> {
    for (key, value) in value.as_object().into_iter().flatten() {
        let old = path.find(context.draft.document()).and_then(|object| object.get(key));
        match (old, context.profile.merge) {
            (Some(Value::Object(_)), Merge::Deep | Merge::DeepByIndex) if value.as_object().is_some() => {
                merge_into(context, &path.key(Arc::clone(key)), value, members)?;
            }
            (Some(old), Merge::DeepByIndex) => {
                let merged = merge_by_index(old, value);
                context.draft.set_key(path, key, merged)?;
            }
            (Some(old), _) => {
                let (value, _) = coerced(context, old, value.clone());
                context.draft.set_key(path, key, value)?;
            }
            (None, _) if members == Members::AsProfile && context.profile.create_missing != CreateMissing::Yes => {
                let message = format!("`{}` does not exist and may not be created", path.key(Arc::clone(key)));
                return Refusal::err(Code::MissingPath, message);
            }
            (None, _) => context.draft.set_key(path, key, value.clone())?,
        }
    }
    Ok(())
}

/// Removes what stands at a path.
pub(super) fn remove(context: &mut ExecutionContext<'_>, segments: &[Arc<str>]) -> Result<(), Refusal> {
    let path = existing(context, segments)?.0;
    context.draft.remove(&path)
}

/// The place and value of a path that must exist. The value is borrowed: a container with another reference is copied when
/// it is written to.
pub(super) fn existing<'s>(
    context: &'s ExecutionContext<'_>,
    segments: &[Arc<str>],
) -> Result<(Path, &'s Value), Refusal> {
    let located = locate(context.draft.document(), segments);
    if located.exists() {
        Ok((located.path, located.value))
    } else {
        Refusal::err(Code::MissingPath, format!("`{}` does not exist", shown(segments)))
    }
}

/// The list at a path that must exist.
pub(super) fn existing_list<'s>(
    context: &'s ExecutionContext<'_>,
    segments: &[Arc<str>],
) -> Result<(Path, &'s Array), Refusal> {
    let (path, value) = existing(context, segments)?;
    let list = value.as_array().ok_or_else(|| {
        let message = format!("`{}` is {}, not a list", shown(segments), value.kind().with_article());
        Refusal::new(Code::NotAnArray, message)
    })?;
    Ok((path, list))
}

/// The same for a command that compares every item with a value.
pub(super) fn searched_list<'s>(
    context: &'s mut ExecutionContext<'_>,
    segments: &[Arc<str>],
    wanted: &Value,
) -> Result<(Path, &'s Array), Refusal> {
    let length = existing_list(context, segments)?.1.len();
    context.draft.spend(compared(length, wanted))?;
    existing_list(context, segments)
}

/// How much work it is to compare so many items with a value: items may be equal to it but for their last member.
pub(super) fn compared(items: usize, wanted: &Value) -> usize {
    items.saturating_mul(if wanted.is_container() { 1 + wanted.weight() / 8 } else { 1 })
}

/// An index into a list; negative counts from the end.
pub(super) fn index_in(length: usize, index: Number) -> Option<usize> {
    let index = index.as_i64()?;
    let index = if index < 0 { i64::try_from(length).ok()?.checked_add(index)? } else { index };
    usize::try_from(index).ok().filter(|&index| index < length)
}

/// A number, also when it is written as text.
pub(super) fn number_of(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(*number),
        Value::String(text) if !text.trim().is_empty() => to_number(value),
        _ => None,
    }
}

/// A path as a person reads it.
pub(super) fn shown(segments: &[Arc<str>]) -> String {
    segments.join(".")
}
