//! The functions of the `at` dialect (seed 003 §3.4); SAM's further ones are in `sam` and `timed`.

use super::write::{
    Members, append, change_number, existing_list, index_in, merge, number_of, path_of, remove as remove_path,
    searched_list, set as set_path, shown,
};
use super::{NativeResult, Performed, Scene, needed, sam, timed, value_of};
use crate::command::{Arg, Command};
use crate::document::{Array, Number, Value};
use crate::json::JsonText;
use crate::path::locate;
use crate::problem::{Code, Refusal};
use crate::time::parse_time;
use std::sync::Arc;

type Native = fn(&mut Scene<'_>, &Command) -> NativeResult;

/// As many arguments as somebody writes.
const ANY: usize = usize::MAX;

/// Every name, how many arguments it takes at most, and what it does.
const FUNCTIONS: &[(&str, usize, Native)] = &[
    ("SET", 2, set),
    ("ADD", 2, add),
    ("SUB", 2, subtract),
    ("APPEND", 2, append_item),
    ("REMOVE", 2, remove),
    ("ASSIGN", 2, assign),
    ("UNSET", 1, unset),
    ("TIME", 1, time),
    ("DEL", 2, sam::delete_item),
    ("SELECT_SET", 5, sam::select_set),
    ("SELECT_ADD", 5, sam::select_add),
    ("SELECT_DEL", 3, sam::select_delete),
    ("INCSET", 5, sam::include_set),
    ("INCADD", 5, sam::include_add),
    ("REBASE", 2, sam::rebase),
    ("SWAP", 2, sam::swap),
    ("SUMMARY", 1, sam::summary),
    ("RESPONSE_SUMMARY", 1, sam::response_summary),
    ("EVENT_BEGIN", ANY, sam::event_begin),
    ("EVENT_END", 2, sam::event_end),
    ("EVENT_ADD_PROC", ANY, sam::event_add_procedure),
    ("EVENT_ADD_DEFN", ANY, sam::event_add_define),
    ("EVENT_ADD_MEMBER", ANY, sam::event_add_member),
    ("EVENT_SUMMARY", 1, sam::event_summary),
    ("TIMED_SET", 5, timed::timed_set),
    ("CANCEL_SET", 1, timed::cancel_set),
    ("EVAL", ANY, evaluate),
];

pub(super) fn perform(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    match FUNCTIONS.iter().find(|(name, ..)| *name == command.name) {
        Some((name, most, native)) => {
            let ignored = surplus(command, name, *most)?;
            match (native(scene, command)?, ignored) {
                (Performed::Done(repair), ignored) => Ok(Performed::Done(repair.or(ignored))),
                (performed, ignored) => {
                    scene.notes.extend(ignored.map(|ignored| Refusal::new(Code::BadArguments, ignored)));
                    Ok(performed)
                }
            }
        }
        None => Ok(Performed::Function(command.name.clone(), values(scene, command, 0))),
    }
}

/// Says that arguments were ignored, as SAM does. What is rather one value with commas in it is refused: a number such as
/// `1,000`, or text without quotes.
fn surplus(command: &Command, name: &str, most: usize) -> Result<Option<String>, Refusal> {
    let Some(further) = command.args.get(most..).filter(|further| !further.is_empty()) else { return Ok(None) };
    let thousands = |arg: &Arg| arg.raw().len() == 3 && arg.raw().bytes().all(|byte| byte.is_ascii_digit());
    let whole = |arg: &Arg| JsonText::parse(arg.raw().as_bytes()).is_ok();
    if further.iter().any(thousands) || !command.args.iter().skip(most.saturating_sub(1)).all(whole) {
        return at_most(command, name, most).map(|()| None);
    }
    Ok(Some(format!("ignored what {name} has too much: it takes {most} arguments, not {}", command.args.len())))
}

/// Refuses arguments that nobody would read.
pub(super) fn at_most(command: &Command, name: &str, most: usize) -> Result<(), Refusal> {
    let count = command.args.len();
    if count <= most {
        return Ok(());
    }
    let message =
        format!("{name} takes at most {most} arguments, not {count}; write 1000 for 1,000, and text in quotes");
    Err(Refusal::new(Code::BadArguments, message))
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
    change_by(scene, &segments, &value, Number::plus)
}

fn is_pair(scene: &Scene<'_>, segments: &[Arc<str>]) -> bool {
    let located = locate(scene.draft.document(), segments);
    let items = located.value.as_array().map(Array::as_slice);
    scene.profile.pairs && matches!(items, Some([Value::Number(_), Value::String(_)]))
}

fn subtract(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    let segments = path_of(scene, command.args.first())?;
    let value = needed(scene, command, 1, "a number")?;
    change_by(scene, &segments, &value, Number::minus)
}

pub(super) fn change_by(
    scene: &mut Scene<'_>,
    segments: &[Arc<str>],
    value: &Value,
    change: fn(Number, Number) -> Option<Number>,
) -> NativeResult {
    let delta = number_of(value).ok_or_else(|| {
        Refusal::new(
            Code::NotANumber,
            format!("`{}` can only be changed by a number, not by {}", shown(segments), value.brief()),
        )
    })?;
    Ok(Performed::Done(change_number(scene, segments, |number| change(number, delta))?))
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
