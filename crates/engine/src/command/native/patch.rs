//! The operations of JSON Patch: RFC 6902 as it is written, and the further ones that SAM's cards use.

use super::lodash::{Target, relocate};
use super::write::{
    append, change_number, check_depth, check_length, create, existing, existing_list, number_of, remove,
    searched_list, set, shown,
};
use super::{ExecutionContext, NativeResult, Performed, at, read_arg, value_of};
use crate::command::{Arg, Command};
use crate::document::path::{is_index, locate, parse_pointer, without_prefix, written};
use crate::document::{Number, Value};
use crate::names::problem::{Code, Refusal};
use crate::rules::profile::{Profile, Reading};
use std::sync::Arc;

pub(super) fn perform(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    match command.name.as_str() {
        "time" => return at::time(context, command),
        "func" => return Refusal::err(Code::BadArguments, "`func` needs `func_name`, which is text"),
        _ => {}
    }
    let path = pointer(context, command.args.first())?;
    let value = value_of(context, command.args.get(1));
    let needed =
        || value.clone().ok_or_else(|| Refusal::new(Code::BadArguments, format!("`{}` needs a `value`", command.name)));
    let mut repair = None;
    match command.name.as_str() {
        "add" if context.profile.reading == Reading::MvuZod => insert(context, &path, needed()?)?,
        "add" => add(context, &path, needed()?)?,
        "insert" => insert(context, &path, needed()?)?,
        "remove" => remove(context, &path)?,
        "replace" => repair = set(context, &path, needed()?)?,
        "forced_set" => {
            set(context, &path, needed()?)?;
            if context.profile.forced_set {
                return Ok(Performed::Forced);
            }
        }
        "move" => relocate(context, &path, &target(context, command)?, Target::WithoutTheValue)?,
        "copy" => {
            let value = existing(context, &path)?.1.clone();
            add(context, &target(context, command)?, value)?;
        }
        "test" => test(context, &path, &needed()?)?,
        "delta" | "inc" => repair = by_number(context, &path, &needed()?, Number::plus)?,
        "mul" => repair = by_number(context, &path, &needed()?, Number::times)?,
        "min" => bound(context, &path, &needed()?, |old, value| value < old)?,
        "max" => bound(context, &path, &needed()?, |old, value| value > old)?,
        "push" => append(context, &path, each(needed()?))?,
        "addToSet" => add_to_set(context, &path, each(needed()?))?,
        "pull" => pull(context, &path, &needed()?)?,
        "pop" => pop(context, &path, &needed()?)?,
        other => return Refusal::err(Code::UnknownFunction, format!("JSON Patch has no operation `{other}`")),
    }
    Ok(Performed::Done(repair))
}

/// Reads a pointer. Text that is none is taken for a dotted path, which models write often.
fn pointer(context: &ExecutionContext<'_>, arg: Option<&Arg>) -> Result<Vec<Arc<str>>, Refusal> {
    let Some(Arg::Value(Value::String(text))) = arg else {
        return Refusal::err(Code::BadArguments, "a `path` is text, a JSON Pointer such as \"/a/b\"");
    };
    check_length(text)?;
    let document = context.draft.document();
    check_depth(match parse_pointer(text) {
        Ok(segments) => without_prefix(document, segments),
        Err(_) if text.contains('/') => {
            let slashed = format!("/{}", text.trim_start_matches('/'));
            let segments = parse_pointer(&slashed);
            segments.map_err(|error| Refusal::new(Code::BadArguments, error.to_string()))?
        }
        Err(_) => written(document, text),
    })
}

fn target(context: &ExecutionContext<'_>, command: &Command) -> Result<Vec<Arc<str>>, Refusal> {
    match command.args.get(1) {
        None | Some(Arg::Absent) => {
            Refusal::err(Code::BadArguments, format!("`{}` needs `from` and `path`", command.name))
        }
        arg => pointer(context, arg),
    }
}

/// RFC 6902 `add`: the container must exist; an index shifts, `-` appends, a member is set.
pub(super) fn add(context: &mut ExecutionContext<'_>, path: &[Arc<str>], value: Value) -> Result<(), Refusal> {
    let Some((last, parent)) = path.split_last() else {
        return set(context, path, value).map(|_| ());
    };
    let (place, container) = existing(context, parent)?;
    match container {
        Value::Object(_) => context.draft.set_key(&place, last, value),
        Value::Array(items) => {
            let index = if last.as_ref() == "-" { Some(items.len()) } else { is_index(last) };
            let index = index.ok_or_else(|| {
                Refusal::new(Code::OutOfRange, format!("`{}` is a list and `{last}` no index of it", shown(parent)))
            })?;
            context.draft.insert_item(&place, index, value)
        }
        other => {
            let message = format!("`{}` is {}; nothing can be added to it", shown(parent), other.kind().with_article());
            Refusal::err(Code::NotAContainer, message)
        }
    }
}

/// `insert`: as `add`, but containers that are missing are created, and an index behind the end appends.
fn insert(context: &mut ExecutionContext<'_>, path: &[Arc<str>], value: Value) -> Result<(), Refusal> {
    let Some((last, parent)) = path.split_last() else { return add(context, path, value) };
    let located = locate(context.draft.document(), parent);
    if !located.exists() || *located.value == Value::Null {
        if last.as_ref() == "-" {
            return append(context, parent, vec![value]);
        }
        return create(context, path, value);
    }
    if last.as_ref() == "-" && located.value.as_array().is_none() {
        return Refusal::err(Code::NotAnArray, format!("`{}` is no list; `-` appends to lists", shown(parent)));
    }
    if let Some(items) = located.value.as_array()
        && let Some(index) = is_index(last)
    {
        let (place, index) = (located.path.clone(), index.min(items.len()));
        return context.draft.insert_item(&place, index, value);
    }
    add(context, path, value)
}

fn test(context: &ExecutionContext<'_>, path: &[Arc<str>], value: &Value) -> Result<(), Refusal> {
    let found = existing(context, path).map(|(_, found)| found);
    match found {
        Ok(found) if found == value => Ok(()),
        Ok(found) => {
            Refusal::err(Code::TestFailed, format!("`{}` is {}, not {}", shown(path), found.brief(), value.brief()))
        }
        Err(refusal) => Refusal::err(Code::TestFailed, refusal.message),
    }
}

fn needed_number(value: &Value) -> Result<Number, Refusal> {
    number_of(value).ok_or_else(|| Refusal::new(Code::NotANumber, format!("{} is no number", value.brief())))
}

fn by_number(
    context: &mut ExecutionContext<'_>,
    path: &[Arc<str>],
    value: &Value,
    change: impl FnOnce(Number, Number) -> Option<Number>,
) -> Result<Option<String>, Refusal> {
    let number = needed_number(value)?;
    change_number(context, path, |old| change(old, number))
}

fn bound(
    context: &mut ExecutionContext<'_>,
    path: &[Arc<str>],
    value: &Value,
    better: impl FnOnce(Number, Number) -> bool,
) -> Result<(), Refusal> {
    let number = needed_number(value)?;
    let located = locate(context.draft.document(), path);
    let old = if located.exists() { number_of(located.value) } else { None };
    if located.exists() && old.is_none() && *located.value != Value::Null {
        return Refusal::err(Code::NotANumber, format!("`{}` is no number", shown(path)));
    }
    if old.is_none_or(|old| better(old, number)) {
        set(context, path, Value::Number(number))?;
    }
    Ok(())
}

/// `{"$each": […]}` stands for its items.
fn each(value: Value) -> Vec<Value> {
    match value.get("$each") {
        Some(Value::Array(items)) => items.iter().cloned().collect(),
        _ => vec![value],
    }
}

fn add_to_set(context: &mut ExecutionContext<'_>, path: &[Arc<str>], items: Vec<Value>) -> Result<(), Refusal> {
    for item in items {
        let there = match existing_list(context, path) {
            Ok(_) => searched_list(context, path, &item)?.1.iter().any(|old| *old == item),
            Err(_) => false,
        };
        if !there {
            append(context, path, vec![item])?;
        }
    }
    Ok(())
}

/// Removes every item that equals the value, or that has all the members of an object.
fn pull(context: &mut ExecutionContext<'_>, path: &[Arc<str>], value: &Value) -> Result<(), Refusal> {
    let (place, list) = searched_list(context, path, value)?;
    let items = list.iter().enumerate();
    let matching: Vec<usize> = items.filter(|(_, item)| matches(item, value)).map(|(index, _)| index).collect();
    matching.into_iter().rev().try_for_each(|index| context.draft.remove(&place.index(index)))
}

fn matches(item: &Value, pattern: &Value) -> bool {
    match (item, pattern) {
        (Value::Object(item), Value::Object(pattern)) => {
            pattern.iter().all(|(key, pattern)| item.get(key).is_some_and(|value| matches(value, pattern)))
        }
        _ => item == pattern,
    }
}

/// `1` takes the last item, `-1` the first.
fn pop(context: &mut ExecutionContext<'_>, path: &[Arc<str>], value: &Value) -> Result<(), Refusal> {
    let (place, list) = existing_list(context, path)?;
    let length = list.len();
    let index = match value.as_number().and_then(Number::as_i64) {
        _ if length == 0 => return Ok(()),
        Some(1) => length - 1,
        Some(-1) => 0,
        _ => return Refusal::err(Code::BadArguments, "`pop` takes 1 for the last item or -1 for the first"),
    };
    context.draft.remove(&place.index(index))
}

/// The function that `func` names.
pub(super) fn function_call(profile: &Profile, command: &Command) -> Option<(String, Vec<Value>)> {
    if command.name != "func" {
        return None;
    }
    let name = read_arg(profile, command.args.first())?;
    let args = match read_arg(profile, command.args.get(1)) {
        Some(Value::Array(items)) => items.iter().cloned().collect(),
        Some(single) => vec![single],
        None => Vec::new(),
    };
    Some((name.as_str()?.to_owned(), args))
}
