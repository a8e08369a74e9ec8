//! The functions of the `at` dialect (seed 003 §3.4); SAM's further ones are in `sam` and `timed`.

use super::write::{
    Members, append, change_number, existing_list, index_in, merge, number_of, path_of, remove as remove_path,
    searched_list, set as set_path, shown,
};
use super::{NativeResult, Performed, Scene, needed, sam, timed, value_of};
use crate::command::Command;
use crate::document::{Array, Number, Value};
use crate::path::locate;
use crate::problem::{Code, Refusal};
use crate::time::parse_time;
use std::sync::Arc;

type Native = fn(&mut Scene<'_>, &Command) -> NativeResult;

/// Every name and what it does.
const FUNCTIONS: &[(&str, Native)] = &[
    ("SET", set),
    ("ADD", add),
    ("SUB", subtract),
    ("APPEND", append_item),
    ("REMOVE", remove),
    ("ASSIGN", assign),
    ("UNSET", unset),
    ("TIME", time),
    ("DEL", sam::delete_item),
    ("SELECT_SET", sam::select_set),
    ("SELECT_ADD", sam::select_add),
    ("SELECT_DEL", sam::select_delete),
    ("INCSET", sam::include_set),
    ("INCADD", sam::include_add),
    ("REBASE", sam::rebase),
    ("SWAP", sam::swap),
    ("SUMMARY", sam::summary),
    ("RESPONSE_SUMMARY", sam::response_summary),
    ("EVENT_BEGIN", sam::event_begin),
    ("EVENT_END", sam::event_end),
    ("EVENT_ADD_PROC", sam::event_add_procedure),
    ("EVENT_ADD_DEFN", sam::event_add_define),
    ("EVENT_ADD_MEMBER", sam::event_add_member),
    ("EVENT_SUMMARY", sam::event_summary),
    ("TIMED_SET", timed::timed_set),
    ("CANCEL_SET", timed::cancel_set),
    ("EVAL", evaluate),
];

pub(super) fn perform(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    match FUNCTIONS.iter().find(|(name, _)| *name == command.name) {
        Some((_, native)) => native(scene, command),
        None => Ok(Performed::Function(command.name.clone(), values(scene, command, 0))),
    }
}

fn values(scene: &Scene<'_>, command: &Command, from: usize) -> Vec<Value> {
    command.args.iter().skip(from).map(|arg| value_of(scene, Some(arg)).unwrap_or_default()).collect()
}

fn set(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    let segments = path_of(scene, command.args.first())?;
    let value = needed(scene, command, 1, "a value")?;
    Ok(Performed::Done(set_path(scene, &segments, value)?))
}

fn add(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    let segments = path_of(scene, command.args.first())?;
    let value = needed(scene, command, 1, "a number")?;
    if locate(scene.draft.document(), &segments).exists()
        && existing_list(scene, &segments).is_ok()
        && !is_pair(scene, &segments)
    {
        append(scene, &segments, vec![value])?;
        return Ok(Performed::Done(None));
    }
    change_by(scene, &segments, &value, |number| number)
}

fn is_pair(scene: &Scene<'_>, segments: &[Arc<str>]) -> bool {
    let located = locate(scene.draft.document(), segments);
    let items = located.value.as_array().map(Array::as_slice);
    scene.profile.pairs && matches!(items, Some([Value::Number(_), Value::String(_)]))
}

fn subtract(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    let segments = path_of(scene, command.args.first())?;
    let value = needed(scene, command, 1, "a number")?;
    change_by(scene, &segments, &value, Number::negate)
}

pub(super) fn change_by(
    scene: &mut Scene<'_>,
    segments: &[Arc<str>],
    value: &Value,
    sign: fn(Number) -> Number,
) -> NativeResult {
    let delta = number_of(value).map(sign).ok_or_else(|| {
        Refusal::new(
            Code::NotANumber,
            format!("`{}` can only be changed by a number, not by {}", shown(segments), value.brief()),
        )
    })?;
    Ok(Performed::Done(change_number(scene, segments, |number| number.plus(delta))?))
}

fn append_item(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    let segments = path_of(scene, command.args.first())?;
    let item = needed(scene, command, 1, "an item")?;
    append(scene, &segments, vec![item])?;
    Ok(Performed::Done(None))
}

/// An integer is an index, anything else the first equal item.
fn remove(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    let segments = path_of(scene, command.args.first())?;
    let what = needed(scene, command, 1, "an index or an item")?;
    let item = match &what {
        Value::Number(number) if number.is_integer() => {
            let (path, list) = existing_list(scene, &segments)?;
            let index = index_in(list.len(), *number).ok_or_else(|| {
                Refusal::new(Code::OutOfRange, format!("`{}` has no item {number}", shown(&segments)))
            })?;
            path.index(index)
        }
        what => {
            let (path, list) = searched_list(scene, &segments, what)?;
            let index = list.iter().position(|item| item == what).ok_or_else(|| {
                Refusal::new(Code::NotFound, format!("`{}` has no item {}", shown(&segments), what.brief()))
            })?;
            path.index(index)
        }
    };
    scene.draft.remove(&item)?;
    Ok(Performed::Done(None))
}

fn assign(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    let segments = path_of(scene, command.args.first())?;
    let value = needed(scene, command, 1, "an object")?;
    merge(scene, &segments, &value, Members::AsProfile)?;
    Ok(Performed::Done(None))
}

fn unset(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    let segments = path_of(scene, command.args.first())?;
    remove_path(scene, &segments)?;
    Ok(Performed::Done(None))
}

/// Writes the story's time and remembers how much of it passed.
pub(super) fn time(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    let value = needed(scene, command, 0, "a time")?;
    let Value::String(text) = &value else {
        return Err(Refusal::new(Code::BadArguments, "a time is text"));
    };
    let (segments, old) = timed::story_time(scene)?;
    if let (Some(before), Some(now)) = (old.and_then(|old| parse_time(old.as_str()?)), parse_time(text)) {
        *scene.elapsed_ms = Some(now - before);
    }
    Ok(Performed::Done(set_path(scene, &segments, value)?))
}

fn evaluate(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    match needed(scene, command, 0, "a function's name")? {
        Value::String(name) => Ok(Performed::Function(name.to_string(), values(scene, command, 1))),
        _ => Err(Refusal::new(Code::BadArguments, "EVAL needs the name of a function")),
    }
}
