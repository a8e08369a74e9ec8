//! The operations of JSON Patch: RFC 6902 as it is written, and the further ones that SAM's cards use.

use super::lodash::{Target, relocate};
use super::write::{
    append, change_number, create, existing, existing_list, number_of, remove, searched_list, set, shown,
    without_prefix, written,
};
use super::{NativeResult, Performed, Scene, at, needed, value_of};
use crate::command::{Arg, Command};
use crate::document::{Number, Value};
use crate::limits::{PATH_BYTES_MAX, PATH_SEGMENTS_MAX};
use crate::path::{is_index, locate, parse_pointer};
use crate::problem::{Code, Refusal};
use crate::profile::Reading;
use std::sync::Arc;

pub(super) fn perform(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    match command.name.as_str() {
        "time" => return at::time(scene, command),
        "func" => return function(scene, command),
        _ => {}
    }
    let path = pointer(scene, command.args.first())?;
    let value = value_of(scene, command.args.get(1));
    let needed =
        || value.clone().ok_or_else(|| Refusal::new(Code::BadArguments, format!("`{}` needs a `value`", command.name)));
    let mut repair = None;
    match command.name.as_str() {
        "add" if scene.profile.reading == Reading::MvuZod => insert(scene, &path, needed()?)?,
        "add" => add(scene, &path, needed()?)?,
        "insert" => insert(scene, &path, needed()?)?,
        "remove" => remove(scene, &path)?,
        "replace" => repair = set(scene, &path, needed()?)?,
        "forced_set" => {
            set(scene, &path, needed()?)?;
            if scene.profile.forced_set {
                return Ok(Performed::Forced);
            }
        }
        "move" => relocate(scene, &path, &target(scene, command)?, Target::WithoutTheValue)?,
        "copy" => {
            let value = existing(scene, &path)?.1.clone();
            add(scene, &target(scene, command)?, value)?;
        }
        "test" => test(scene, &path, &needed()?)?,
        "delta" | "inc" => repair = by_number(scene, &path, &needed()?, Number::plus)?,
        "mul" => repair = by_number(scene, &path, &needed()?, Number::times)?,
        "min" => bound(scene, &path, &needed()?, |old, value| value < old)?,
        "max" => bound(scene, &path, &needed()?, |old, value| value > old)?,
        "push" => append(scene, &path, each(needed()?))?,
        "addToSet" => add_to_set(scene, &path, each(needed()?))?,
        "pull" => pull(scene, &path, &needed()?)?,
        "pop" => pop(scene, &path, &needed()?)?,
        other => return Err(Refusal::new(Code::UnknownFunction, format!("JSON Patch has no operation `{other}`"))),
    }
    Ok(Performed::Done(repair))
}

/// Reads a pointer. Text that is none is taken for a dotted path, which models write often.
fn pointer(scene: &Scene<'_>, arg: Option<&Arg>) -> Result<Vec<Arc<str>>, Refusal> {
    let Some(Arg::Value(Value::String(text))) = arg else {
        return Err(Refusal::new(Code::BadArguments, "a `path` is text, a JSON Pointer such as \"/a/b\""));
    };
    if text.len() > PATH_BYTES_MAX {
        return Err(Refusal::new(Code::Limit, format!("a path has at most {PATH_BYTES_MAX} bytes")));
    }
    let document = scene.draft.document();
    let segments = match parse_pointer(text) {
        Ok(segments) => without_prefix(document, segments),
        Err(_) if text.contains('/') => {
            let slashed = format!("/{}", text.trim_start_matches('/'));
            let segments = parse_pointer(&slashed);
            segments.map_err(|error| Refusal::new(Code::BadArguments, error.to_string()))?
        }
        Err(_) => written(document, text),
    };
    if segments.len() > PATH_SEGMENTS_MAX {
        return Err(Refusal::new(Code::Limit, format!("a path has at most {PATH_SEGMENTS_MAX} segments")));
    }
    Ok(segments)
}

fn target(scene: &Scene<'_>, command: &Command) -> Result<Vec<Arc<str>>, Refusal> {
    match command.args.get(1) {
        None | Some(Arg::Absent) => {
            Err(Refusal::new(Code::BadArguments, format!("`{}` needs `from` and `path`", command.name)))
        }
        arg => pointer(scene, arg),
    }
}

/// RFC 6902 `add`: the container must exist; an index shifts, `-` appends, a member is set.
pub(super) fn add(scene: &mut Scene<'_>, path: &[Arc<str>], value: Value) -> Result<(), Refusal> {
    let Some((last, parent)) = path.split_last() else {
        return set(scene, path, value).map(|_| ());
    };
    let (place, container) = existing(scene, parent)?;
    match container {
        Value::Object(_) => scene.draft.set_key(&place, last, value),
        Value::Array(items) => {
            let index = if last.as_ref() == "-" { Some(items.len()) } else { is_index(last) };
            let index = index.ok_or_else(|| {
                Refusal::new(Code::OutOfRange, format!("`{}` is a list and `{last}` no index of it", shown(parent)))
            })?;
            scene.draft.insert_item(&place, index, value)
        }
        other => {
            let message = format!("`{}` is {}; nothing can be added to it", shown(parent), other.kind().with_article());
            Err(Refusal::new(Code::NotAContainer, message))
        }
    }
}

/// `insert`: as `add`, but containers that are missing are created, and an index behind the end appends.
fn insert(scene: &mut Scene<'_>, path: &[Arc<str>], value: Value) -> Result<(), Refusal> {
    let Some((last, parent)) = path.split_last() else { return add(scene, path, value) };
    let located = locate(scene.draft.document(), parent);
    if !located.exists() || *located.value == Value::Null {
        if last.as_ref() == "-" {
            return append(scene, parent, vec![value]);
        }
        return create(scene, path, value);
    }
    if last.as_ref() == "-" && located.value.as_array().is_none() {
        return Err(Refusal::new(Code::NotAnArray, format!("`{}` is no list; `-` appends to lists", shown(parent))));
    }
    if let Some(items) = located.value.as_array()
        && let Some(index) = is_index(last)
    {
        let (place, index) = (located.path.clone(), index.min(items.len()));
        return scene.draft.insert_item(&place, index, value);
    }
    add(scene, path, value)
}

fn test(scene: &Scene<'_>, path: &[Arc<str>], value: &Value) -> Result<(), Refusal> {
    let found = existing(scene, path).map(|(_, found)| found);
    match found {
        Ok(found) if found == value => Ok(()),
        Ok(found) => Err(Refusal::new(
            Code::TestFailed,
            format!("`{}` is {}, not {}", shown(path), found.brief(), value.brief()),
        )),
        Err(refusal) => Err(Refusal::new(Code::TestFailed, refusal.message)),
    }
}

fn by_number(
    scene: &mut Scene<'_>,
    path: &[Arc<str>],
    value: &Value,
    change: impl FnOnce(Number, Number) -> Option<Number>,
) -> Result<Option<String>, Refusal> {
    let number =
        number_of(value).ok_or_else(|| Refusal::new(Code::NotANumber, format!("{} is no number", value.brief())))?;
    change_number(scene, path, |old| change(old, number))
}

fn bound(
    scene: &mut Scene<'_>,
    path: &[Arc<str>],
    value: &Value,
    better: impl FnOnce(Number, Number) -> bool,
) -> Result<(), Refusal> {
    let number =
        number_of(value).ok_or_else(|| Refusal::new(Code::NotANumber, format!("{} is no number", value.brief())))?;
    let located = locate(scene.draft.document(), path);
    let old = if located.exists() { number_of(located.value) } else { None };
    if located.exists() && old.is_none() && *located.value != Value::Null {
        return Err(Refusal::new(Code::NotANumber, format!("`{}` is no number", shown(path))));
    }
    if old.is_none_or(|old| better(old, number)) {
        set(scene, path, Value::Number(number))?;
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

fn add_to_set(scene: &mut Scene<'_>, path: &[Arc<str>], items: Vec<Value>) -> Result<(), Refusal> {
    for item in items {
        let there = match existing_list(scene, path) {
            Ok(_) => searched_list(scene, path, &item)?.1.iter().any(|old| *old == item),
            Err(_) => false,
        };
        if !there {
            append(scene, path, vec![item])?;
        }
    }
    Ok(())
}

/// Removes every item that equals the value, or that has all the members of an object.
fn pull(scene: &mut Scene<'_>, path: &[Arc<str>], value: &Value) -> Result<(), Refusal> {
    let (place, list) = searched_list(scene, path, value)?;
    let items = list.iter().enumerate();
    let matching: Vec<usize> = items.filter(|(_, item)| matches(item, value)).map(|(index, _)| index).collect();
    matching.into_iter().rev().try_for_each(|index| scene.draft.remove(&place.index(index)))
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
fn pop(scene: &mut Scene<'_>, path: &[Arc<str>], value: &Value) -> Result<(), Refusal> {
    let (place, list) = existing_list(scene, path)?;
    let length = list.len();
    let index = match value.as_number().and_then(Number::as_i64) {
        _ if length == 0 => return Ok(()),
        Some(1) => length - 1,
        Some(-1) => 0,
        _ => return Err(Refusal::new(Code::BadArguments, "`pop` takes 1 for the last item or -1 for the first")),
    };
    scene.draft.remove(&place.index(index))
}

fn function(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    let name = needed(scene, command, 0, "`func_name`")?;
    let Value::String(name) = name else { return Err(Refusal::new(Code::BadArguments, "`func_name` is text")) };
    let params = match value_of(scene, command.args.get(1)) {
        Some(Value::Array(items)) => items.iter().cloned().collect(),
        Some(single) => vec![single],
        None => Vec::new(),
    };
    Ok(Performed::Function(name.to_string(), params))
}
