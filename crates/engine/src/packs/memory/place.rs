//! Places of the document: pairs, patterns, and how commands write paths.
//!
//! A pair is `[value, "description"]`. Its value is what is read and written; a path may name the pair or its item 0.

use super::settings::{Pattern, Settings};
use super::{ASSETS, CHARACTER, STATUS};
use crate::document::draft::Draft;
use crate::document::path::{Path, locate, written};
use crate::document::{Number, Value};
use crate::limits::{PATH_BYTES_MAX, PATH_SEGMENTS_MAX};
use crate::mvu::to_number;
use crate::names::problem::{Code, Refusal};
use std::sync::Arc;

/// Whether a value is a pair.
pub(super) fn is_pair(value: &Value) -> bool {
    value.as_pair().is_some()
}

/// The value of a pair, and any other value itself.
pub(super) fn plain(value: &Value) -> &Value {
    match value.item(0) {
        Some(first) if is_pair(value) => first,
        _ => value,
    }
}

/// The value at a path of a module.
pub(super) fn find<'d>(document: &'d Value, module: &str, path: &[&str]) -> Option<&'d Value> {
    path.iter().try_fold(document.get(module)?, |value, key| value.get(key)).map(plain)
}

/// The value at a pattern without `*`, below a value.
pub(super) fn at<'d>(value: &'d Value, pattern: &[Arc<str>]) -> Option<&'d Value> {
    pattern.iter().try_fold(value, |value, key| value.get(key)).map(plain)
}

/// A value as a number, also where it is written as text.
pub(super) fn number(value: &Value) -> Option<Number> {
    match plain(value) {
        Value::Number(number) => Some(*number),
        text @ Value::String(written) if !written.trim().is_empty() => to_number(text),
        _ => None,
    }
}

/// Each module and the command that writes to it.
const WRITERS: [(&str, &str); 3] = [(CHARACTER, "set_attribute"), (STATUS, "set_status"), (ASSETS, "memory")];

/// The address in the document of an address in a module.
pub(super) fn in_module(module: &str, path: &Path) -> Path {
    path.segments().iter().fold(Path::root().key(module), |whole, segment| whole.child(segment.clone()))
}

/// The address of a path of a module.
pub(super) fn path<'a>(module: &str, keys: impl IntoIterator<Item = &'a str>) -> Path {
    keys.into_iter().fold(Path::root().key(module), |path, key| path.key(key))
}

/// Writes a value at an existing place: at item 0 of a pair.
pub(super) fn write(draft: &mut Draft, path: &Path, value: Value) -> Result<(), Refusal> {
    match path.find(draft.document()) {
        Some(old) if is_pair(old) => draft.replace(&path.index(0), value),
        _ => draft.replace(path, value),
    }
}

/// How far segments match a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matched {
    /// Not at all.
    No,
    /// They lead to a part of the pattern's container; so many of its segments are left.
    Above(usize),
    /// They name what the pattern names, or something inside it.
    Inside,
}

/// Lays segments over a pattern.
pub(super) fn matched<'a>(pattern: &[Arc<str>], segments: impl IntoIterator<Item = &'a str>) -> Matched {
    let mut left = pattern;
    for segment in segments {
        let Some((first, rest)) = left.split_first() else { return Matched::Inside };
        if first.as_ref() != "*" && first.as_ref() != segment {
            return Matched::No;
        }
        left = rest;
    }
    if left.is_empty() { Matched::Inside } else { Matched::Above(left.len()) }
}

/// Whether a place of a module is exactly one of these.
pub(super) fn is_one_of(patterns: &[Pattern], module: &str, segments: &[Arc<str>]) -> bool {
    patterns
        .iter()
        .any(|pattern| pattern.len() == segments.len() + 1 && fits(pattern, module, segments) == Matched::Inside)
}

/// Whether a place of a module is one of these or lies inside one.
pub(super) fn is_inside(patterns: &[Pattern], module: &str, segments: &[Arc<str>]) -> bool {
    patterns.iter().any(|pattern| fits(pattern, module, segments) == Matched::Inside)
}

/// Whether one of these lies inside a place of a module.
pub(super) fn is_above(patterns: &[Pattern], module: &str, segments: &[Arc<str>]) -> bool {
    patterns.iter().any(|pattern| matches!(fits(pattern, module, segments), Matched::Above(_)))
}

fn fits(pattern: &[Arc<str>], module: &str, segments: &[Arc<str>]) -> Matched {
    matched(pattern, [module].into_iter().chain(segments.iter().map(AsRef::as_ref)))
}

/// Reads a path of a module as commands write it. The name of the module may stand in front; that of another is refused.
pub(super) fn segments(
    settings: &Settings,
    document: &Value,
    module: &str,
    path: &Value,
) -> Result<Vec<Arc<str>>, Refusal> {
    let text = match path {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return Refusal::err(Code::BadArguments, "a path is text"),
    };
    if text.is_empty() {
        return Refusal::err(Code::BadArguments, "the path is missing");
    }
    if text.len() > PATH_BYTES_MAX {
        return Refusal::err(Code::Limit, format!("a path has at most {PATH_BYTES_MAX} bytes"));
    }
    let root = module_of(document, module)?;
    check_module(root, module, &text)?;
    let mut segments = written(root, &text);
    if segments.len() > PATH_SEGMENTS_MAX {
        return Refusal::err(Code::Limit, format!("a path has at most {PATH_SEGMENTS_MAX} segments"));
    }
    if segments.first().is_some_and(|first| first.as_ref() == module) && root.get(module).is_none() {
        segments.remove(0);
    }
    renamed(settings, root, &mut segments);
    Ok(segments)
}

/// Refuses a path that begins with another module, unless this one has such a key.
fn check_module(root: &Value, module: &str, text: &str) -> Result<(), Refusal> {
    let begins = |name: &str| {
        let behind = text.trim_start_matches(['"', '\'']).strip_prefix(name);
        behind.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '"', '\'']))
    };
    match WRITERS.iter().find(|(other, _)| *other != module && begins(other) && root.get(other).is_none()) {
        Some((other, command)) => Refusal::err(
            Code::BadArguments,
            format!("`{text}` lies in `{other}`, and this command writes to `{module}`; use {command}"),
        ),
        None => Ok(()),
    }
}

/// Refuses a path that leads into a pair: of its items only the value, item 0, can be named.
pub(super) fn check_pair(root: &Value, segments: &[Arc<str>]) -> Result<(), Refusal> {
    match inside_pair(root, segments) {
        Some(end) if end + 1 != segments.len() || segments[end].as_ref() != "0" => {
            let pair = shown(&segments[..end]);
            let message = format!("`{pair}` is a pair of a value and its description; nothing stands below it");
            Refusal::err(Code::NotAContainer, message)
        }
        _ => Ok(()),
    }
}

/// Refuses a path that takes a part of a pair away.
pub(super) fn check_whole(root: &Value, segments: &[Arc<str>]) -> Result<(), Refusal> {
    match inside_pair(root, segments) {
        Some(end) => {
            let pair = shown(&segments[..end]);
            let message = format!(
                "`{pair}` is a pair of a value and its description; take away all of it, or write another value to it"
            );
            Refusal::err(Code::NotAContainer, message)
        }
        None => Ok(()),
    }
}

/// How many segments lead to the first pair that a path goes into.
fn inside_pair(root: &Value, segments: &[Arc<str>]) -> Option<usize> {
    (0..segments.len()).find(|end| {
        let located = locate(root, &segments[..*end]);
        located.exists() && is_pair(located.value)
    })
}

/// The module, which a template of the session's own may lack.
pub(super) fn module_of<'d>(document: &'d Value, module: &str) -> Result<&'d Value, Refusal> {
    let found = document.get(module).filter(|value| value.as_object().is_some());
    found.ok_or_else(|| Refusal::new(Code::MissingPath, format!("the state has no module `{module}`")))
}

/// Puts the names of currencies in the place of their other names.
pub(super) fn renamed(settings: &Settings, root: &Value, segments: &mut [Arc<str>]) {
    for at in 0..segments.len() {
        let alias = settings.aliases.iter().find(|(alias, _)| *alias == segments[at]);
        let Some((_, name)) = alias else { continue };
        let container = locate(root, &segments[..at]);
        if container.exists() && container.value.get(&segments[at]).is_none() && container.value.get(name).is_some() {
            segments[at] = Arc::clone(name);
        }
    }
}

/// A path of a module as a person reads it.
pub(super) fn shown(segments: &[Arc<str>]) -> String {
    segments.join(".")
}

/// Whether a node is marked: the key is true or `"true"`.
pub(super) fn is_marked(value: &Value, key: &str) -> bool {
    value.get(key).is_some_and(is_true)
}

/// Whether a value is true or `"true"`.
pub(super) fn is_true(value: &Value) -> bool {
    match plain(value) {
        Value::Bool(is_true) => *is_true,
        Value::String(text) => text.as_ref() == "true",
        _ => false,
    }
}
