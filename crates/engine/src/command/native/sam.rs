//! SAM's further calls, with the sane half of their semantics. What they keep stands below keys that a model cannot write:
//! `_summary` (a list of texts) and `_events` (a list of records).

use super::at::change_by;
use super::lodash::{Target, relocate};
use super::write::{
    append, check_length, compared, existing, existing_list, path_of, remove, searched_list, set, shown,
};
use super::{ExecutionContext, NativeResult, Performed, needed, value_of};
use crate::command::Command;
use crate::document::path::{Path, Segment, locate, written};
use crate::document::{Number, Value};
use crate::names::problem::{Code, Refusal};
use crate::rules::guard;
use std::sync::Arc;

const SUMMARY: &str = "_summary";
const EVENTS: &str = "_events";

/// `DEL(list, i)`: several in one reply use the indices that the list had at first.
pub(super) fn delete_item(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let segments = path_of(context, command.args.first())?;
    let index = needed(context, command, 1, "an index")?;
    let path = existing_list(context, &segments)?.0;
    let ops = context.draft.ops().len();
    context.draft.spend(context.deleted.get(&path).map_or(0, |deleted| deleted.work(ops)))?;
    let mut deleted = context.deleted.remove(&path).unwrap_or_else(|| super::Deleted::from_now_on(ops));
    deleted.catch_up(&path, context.draft.ops());
    let done = delete_present(context, &path, &index, &mut deleted);
    context.deleted.insert(path, deleted);
    let out = || Refusal::new(Code::OutOfRange, format!("`{}` has no item {}", shown(&segments), index.brief()));
    if done? { Ok(Performed::Done(None)) } else { Err(out()) }
}

/// Takes the item out; false when there is none.
fn delete_present(
    context: &mut ExecutionContext<'_>,
    list: &Path,
    index: &Value,
    deleted: &mut super::Deleted,
) -> Result<bool, Refusal> {
    let wanted = index.as_number().and_then(|index| usize::try_from(index.as_u64()?).ok());
    let length = list.find(context.draft.document()).map_or(0, |list| list.items().len());
    let present = wanted.and_then(|wanted| deleted.present(wanted)).filter(|present| *present < length);
    let (Some(wanted), Some(present)) = (wanted, present) else { return Ok(false) };
    let mark = context.draft.mark();
    context.draft.remove(&list.index(present))?;
    // A hole is left only where the item may really go.
    let notes = context.notes.len();
    guard::examine(context.draft, mark, context.profile, false, context.notes)?;
    context.notes.truncate(notes);
    deleted.leave(wanted, context.draft.ops());
    Ok(true)
}

/// `SELECT_SET(list, key, value, property, new)`: in the first item whose key has the value.
pub(super) fn select_set(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let segments = selected_property(context, command)?;
    let value = needed(context, command, 4, "a value")?;
    set(context, &segments, value).map(Performed::from)
}

/// `SELECT_ADD(list, key, value, property, n)`: a list there is appended to.
pub(super) fn select_add(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let segments = selected_property(context, command)?;
    let value = needed(context, command, 4, "a number")?;
    if let Ok((path, _)) = existing_list(context, &segments) {
        return context.draft.push(&path, value).map(Performed::from);
    }
    change_by(context, &segments, &value, Number::plus)
}

/// `SELECT_DEL(list, key, value)`: every item whose key has the value.
pub(super) fn select_delete(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let (path, matching) = select(context, command)?;
    if matching.is_empty() {
        return Refusal::err(Code::NotFound, "no item of the list matches");
    }
    matching.iter().rev().try_for_each(|index| context.draft.remove(&path.index(*index))).map(Performed::from)
}

/// `INCSET(list, key, value, property, new)`: as `SELECT_SET`, but list and item are made when they are missing.
pub(super) fn include_set(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    include(context, command)?;
    select_set(context, command)
}

/// `INCADD(list, key, value, property, n)`: as `SELECT_ADD`, but list and item are made when they are missing.
pub(super) fn include_add(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    include(context, command)?;
    select_add(context, command)
}

fn include(context: &mut ExecutionContext<'_>, command: &Command) -> Result<(), Refusal> {
    let segments = path_of(context, command.args.first())?;
    let missing = !locate(context.draft.document(), &segments).exists();
    if missing || select(context, command)?.1.is_empty() {
        let Value::String(key) = needed(context, command, 1, "a key")? else {
            return Refusal::err(Code::BadArguments, "the key is text");
        };
        let value = needed(context, command, 2, "a value to look for")?;
        append(context, &segments, vec![[(key, value)].into_iter().collect()])?;
    }
    Ok(())
}

/// `REBASE(item, base)`: moves a value below another place, under its own name or to the end of a list.
pub(super) fn rebase(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let from = path_of(context, command.args.first())?;
    let mut to = path_of(context, command.args.get(1))?;
    let located = locate(context.draft.document(), &to);
    let list = located.exists() && located.value.as_array().is_some();
    let name = from.last().ok_or_else(|| Refusal::new(Code::BadArguments, "the whole document cannot be moved"))?;
    to.push(if list { "-".into() } else { Arc::clone(name) });
    relocate(context, &from, &to, Target::AsItStands).map(Performed::from)
}

/// `SWAP(a, b)`: each value takes the place of the other. With `__DELETE__` the other one goes away, with
/// `list[__NULL__]` it goes to the end of the list.
pub(super) fn swap(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let (left, right) = (path_of(context, command.args.first())?, path_of(context, command.args.get(1))?);
    for (one, other) in [(&left, &right), (&right, &left)] {
        match one.split_last() {
            Some((last, [])) if last.as_ref() == "__DELETE__" => remove(context, other)?,
            Some((last, list)) if last.as_ref() == "__NULL__" => {
                let end = [list, &["-".into()]].concat();
                relocate(context, other, &end, Target::AsItStands)?;
            }
            _ => continue,
        }
        return Ok(Performed::Done(None));
    }
    let (left_path, left_value) = existing(context, &left)?;
    let (right_path, right_value) = existing(context, &right)?;
    let (left_value, right_value) = (left_value.clone(), right_value.clone());
    if left_path.starts_with(&right_path) || right_path.starts_with(&left_path) {
        return Refusal::err(Code::BadArguments, "one of the two places lies inside the other");
    }
    context.draft.replace(&left_path, right_value)?;
    context.draft.replace(&right_path, left_value).map(Performed::from)
}

/// The list of a command and which of its items have the wanted value under the key.
fn select(context: &mut ExecutionContext<'_>, command: &Command) -> Result<(Path, Vec<usize>), Refusal> {
    let segments = path_of(context, command.args.first())?;
    let key = needed(context, command, 1, "a key")?;
    let wanted = needed(context, command, 2, "a value to look for")?;
    let Value::String(key) = key else { return Refusal::err(Code::BadArguments, "the key is text") };
    check_length(&key)?;
    let nested = key.contains(['.', '[']);
    if nested {
        // Such a key is read again for every item.
        let length = existing_list(context, &segments)?.1.len();
        context.draft.spend(length.saturating_mul(key.len() / 8))?;
    }
    let (path, list) = searched_list(context, &segments, &wanted)?;
    let has_it = |item: &Value| match item.get(&key) {
        Some(value) => *value == wanted,
        None if nested => {
            let segments = written(item, &key);
            let located = locate(item, &segments);
            located.exists() && *located.value == wanted
        }
        None => false,
    };
    let matching = list.iter().enumerate().filter(|(_, item)| has_it(item)).map(|(index, _)| index).collect();
    Ok((path, matching))
}

fn selected_property(context: &mut ExecutionContext<'_>, command: &Command) -> Result<Vec<Arc<str>>, Refusal> {
    let (path, matching) = select(context, command)?;
    let index = *matching.first().ok_or_else(|| Refusal::new(Code::NotFound, "no item of the list matches"))?;
    let property = needed(context, command, 3, "a property")?;
    let Value::String(property) = property else {
        return Refusal::err(Code::BadArguments, "the property is text");
    };
    let item = path.index(index);
    let mut segments: Vec<Arc<str>> = item.segments().iter().map(Segment::to_text).collect();
    segments.extend(written(item.find(context.draft.document()).unwrap_or(&Value::Null), &property));
    Ok(segments)
}

/// `SUMMARY(text)`: appends, always.
pub(super) fn summary(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let text = needed(context, command, 0, "a text")?;
    push(context, SUMMARY, text)
}

/// `RESPONSE_SUMMARY(text)`: appends unless it is there already.
pub(super) fn response_summary(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let text = needed(context, command, 0, "a text")?;
    context.draft.spend(context.draft.document().get(SUMMARY).map_or(0, |list| compared(list.items().len(), &text)))?;
    let there = context.draft.document().get(SUMMARY).is_some_and(|list| list.items().contains(&text));
    if there { Ok(Performed::DoneBySystem) } else { push(context, SUMMARY, text) }
}

/// Appends to one of our own lists at the root.
pub(super) fn push(context: &mut ExecutionContext<'_>, key: &str, item: Value) -> NativeResult {
    match context.draft.document().get(key) {
        Some(Value::Array(_)) => context.draft.push(&Path::root().key(key), item)?,
        _ => context.draft.set_key(&Path::root(), key, [item].into_iter().collect())?,
    }
    Ok(Performed::DoneBySystem)
}

/// `EVENT_BEGIN(name, objective, steps…)`: one event is active at a time.
pub(super) fn event_begin(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let name = needed(context, command, 0, "a name")?;
    if active_event(context).is_ok() {
        return Refusal::err(Code::Protected, "another event is still active; end it first");
    }
    let objective = value_of(context, command.args.get(1)).unwrap_or_default();
    let steps: Value = command.args.iter().skip(2).filter_map(|arg| value_of(context, Some(arg))).collect();
    let number = context.draft.document().get(EVENTS).map_or(0, |events| events.items().len());
    let record = [
        ("name", name),
        ("id", Value::Number((number as u64).into())),
        ("start_time", super::timed::story_time(context).ok().and_then(|(_, time)| time).unwrap_or_default()),
        ("end_time", Value::Null),
        ("objective", objective),
        ("members", Value::empty_array()),
        ("procedural", steps),
        ("new_defines", Value::empty_array()),
        ("status", Value::from(0)),
        ("summary", Value::Null),
    ];
    push(context, EVENTS, record.into_iter().collect())
}

/// `EVENT_END(code = 1, summary)`: code 0 leaves the event active.
pub(super) fn event_end(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let event = active_event(context)?;
    let status = value_of(context, command.args.first()).unwrap_or(Value::from(1));
    let end = super::timed::story_time(context).ok().and_then(|(_, time)| time).unwrap_or_default();
    context.draft.set_key(&event, "status", status)?;
    context.draft.set_key(&event, "end_time", end)?;
    if let Some(summary) = value_of(context, command.args.get(1)) {
        context.draft.set_key(&event, "summary", summary)?;
    }
    Ok(Performed::DoneBySystem)
}

/// `EVENT_SUMMARY(text)`
pub(super) fn event_summary(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let event = active_event(context)?;
    let text = needed(context, command, 0, "a text")?;
    context.draft.set_key(&event, "summary", text)?;
    Ok(Performed::DoneBySystem)
}

/// `EVENT_ADD_PROC(steps…)` and its relatives: each appends to a list of the active event what is not there yet.
pub(super) fn event_push(context: &mut ExecutionContext<'_>, command: &Command, key: &str) -> NativeResult {
    let list = active_event(context)?.key(key);
    for arg in &command.args {
        let Some(item) = value_of(context, Some(arg)) else { continue };
        let length = list.find(context.draft.document()).map_or(0, |items| items.items().len());
        context.draft.spend(compared(length, &item))?;
        if !list.find(context.draft.document()).is_some_and(|items| items.items().contains(&item)) {
            context.draft.push(&list, item)?;
        }
    }
    Ok(Performed::DoneBySystem)
}

fn active_event(context: &mut ExecutionContext<'_>) -> Result<Path, Refusal> {
    context.draft.spend(context.draft.document().get(EVENTS).map_or(0, |events| events.items().len()))?;
    let events = context.draft.document().get(EVENTS).map_or(&[][..], Value::items);
    let active = events.iter().rposition(|event| event.get("status") == Some(&Value::from(0)));
    active
        .map(|index| Path::root().key(EVENTS).index(index))
        .ok_or_else(|| Refusal::new(Code::NotFound, "no event is active; begin one with EVENT_BEGIN"))
}
