//! The functions of the `at` dialect (seed 003 §3.4); SAM's further ones are in `sam` and `timed`.

use super::write::{
    Members, append, change_number, existing_list, index_in, merge, number_of, path_of, remove as remove_path,
    searched_list, set as set_path, shown,
};
use super::{ExecutionContext, NativeResult, Performed, needed, read_arg, sam, timed, values};
use crate::command::{Arg, Command};
use crate::document::path::locate;
use crate::document::{Array, Number, Value};
use crate::json::JsonText;
use crate::literal::time::parse_time;
use crate::names::problem::{Code, Refusal};
use crate::rules::profile::Profile;
use std::sync::Arc;

type Native = fn(&mut ExecutionContext<'_>, &Command) -> NativeResult;

/// Any number of arguments.
const ANY: usize = usize::MAX;

/// Calls a function of the session by its name.
const EVAL: &str = "EVAL";

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
    ("EVENT_ADD_PROC", ANY, |context, command| sam::event_push(context, command, "procedural")),
    ("EVENT_ADD_DEFN", ANY, |context, command| sam::event_push(context, command, "new_defines")),
    ("EVENT_ADD_MEMBER", ANY, |context, command| sam::event_push(context, command, "members")),
    ("EVENT_SUMMARY", 1, sam::event_summary),
    ("TIMED_SET", 5, timed::timed_set),
    ("CANCEL_SET", 1, timed::cancel_set),
    (EVAL, ANY, evaluate),
];

pub(super) fn perform(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    match FUNCTIONS.iter().find(|(name, ..)| *name == command.name) {
        Some((name, most, native)) => {
            let ignored = surplus(command, name, *most)?;
            match (native(context, command)?, ignored) {
                (Performed::Done(repair), ignored) => Ok(Performed::Done(repair.or(ignored))),
                (performed, ignored) => {
                    context.notes.extend(ignored.map(|ignored| Refusal::new(Code::BadArguments, ignored)));
                    Ok(performed)
                }
            }
        }
        None => Refusal::err(Code::UnknownFunction, format!("no function is named `{}`", command.name)),
    }
}

/// The session's function that a command calls: `EVAL` names it, and a name that is none of ours is one of the session's.
pub(super) fn function_call(profile: &Profile, command: &Command) -> Option<(String, Vec<Value>)> {
    if command.name == EVAL {
        let (name, args) = command.args.split_first()?;
        let name = read_arg(profile, Some(name))?;
        return Some((name.as_str()?.to_owned(), values(profile, args)));
    }
    let is_ours = FUNCTIONS.iter().any(|(name, ..)| *name == command.name);
    (!is_ours).then(|| (command.name.clone(), values(profile, &command.args)))
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

/// Refuses arguments that would be ignored.
pub(super) fn at_most(command: &Command, name: &str, most: usize) -> Result<(), Refusal> {
    let count = command.args.len();
    if count <= most {
        return Ok(());
    }
    let message =
        format!("{name} takes at most {most} arguments, not {count}; write 1000 for 1,000, and text in quotes");
    Refusal::err(Code::BadArguments, message)
}

fn set(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let segments = path_of(context, command.args.first())?;
    let value = needed(context, command, 1, "a value")?;
    set_path(context, &segments, value).map(Performed::from)
}

fn add(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let segments = path_of(context, command.args.first())?;
    let value = needed(context, command, 1, "a number")?;
    if locate(context.draft.document(), &segments).exists()
        && existing_list(context, &segments).is_ok()
        && !is_pair(context, &segments)
    {
        return append(context, &segments, vec![value]).map(Performed::from);
    }
    change_by(context, &segments, &value, Number::plus)
}

fn is_pair(context: &ExecutionContext<'_>, segments: &[Arc<str>]) -> bool {
    let located = locate(context.draft.document(), segments);
    let items = located.value.as_array().map(Array::as_slice);
    context.profile.pairs && matches!(items, Some([Value::Number(_), Value::String(_)]))
}

fn subtract(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let segments = path_of(context, command.args.first())?;
    let value = needed(context, command, 1, "a number")?;
    change_by(context, &segments, &value, Number::minus)
}

pub(super) fn change_by(
    context: &mut ExecutionContext<'_>,
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
    change_number(context, segments, |number| change(number, delta)).map(Performed::from)
}

fn append_item(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let segments = path_of(context, command.args.first())?;
    let item = needed(context, command, 1, "an item")?;
    append(context, &segments, vec![item]).map(Performed::from)
}

/// An integer is an index, anything else the first equal item.
fn remove(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let segments = path_of(context, command.args.first())?;
    let what = needed(context, command, 1, "an index or an item")?;
    let item = match &what {
        Value::Number(number) if number.is_integer() => {
            let (path, list) = existing_list(context, &segments)?;
            let index = index_in(list.len(), *number).ok_or_else(|| {
                Refusal::new(Code::OutOfRange, format!("`{}` has no item {number}", shown(&segments)))
            })?;
            path.index(index)
        }
        what => {
            let (path, list) = searched_list(context, &segments, what)?;
            let index = list.iter().position(|item| item == what).ok_or_else(|| {
                Refusal::new(Code::NotFound, format!("`{}` has no item {}", shown(&segments), what.brief()))
            })?;
            path.index(index)
        }
    };
    context.draft.remove(&item).map(Performed::from)
}

fn assign(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let segments = path_of(context, command.args.first())?;
    let value = needed(context, command, 1, "an object")?;
    merge(context, &segments, &value, Members::AsProfile).map(Performed::from)
}

fn unset(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let segments = path_of(context, command.args.first())?;
    remove_path(context, &segments).map(Performed::from)
}

/// Writes the story's time and remembers how much of it passed.
pub(super) fn time(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let value = needed(context, command, 0, "a time")?;
    let Value::String(text) = &value else {
        return Refusal::err(Code::BadArguments, "a time is text");
    };
    let (segments, old) = timed::story_time(context)?;
    if let (Some(before), Some(now)) = (old.and_then(|old| parse_time(old.as_str()?)), parse_time(text)) {
        *context.elapsed_ms = Some(now - before);
    }
    set_path(context, &segments, value).map(Performed::from)
}

/// What names a function of the session never comes here.
fn evaluate(_: &mut ExecutionContext<'_>, _: &Command) -> NativeResult {
    Refusal::err(Code::BadArguments, "EVAL needs the name of a function")
}
