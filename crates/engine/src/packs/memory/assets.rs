//! `memory(…)`: what a world has.
//!
//! ```text
//! memory(parent, key, value)     sets parent.key
//! memory(path, value)            sets path
//! memory(path, path)             renames or moves, when the first exists and so does the parent of the second
//! ```
//!
//! A node with `_is_protected` stays here as it does for `delete`: a list that is replaced keeps its protected items, and nobody takes
//! the mark away.

use super::delete::{self, PROTECTED};
use super::place::{self, is_marked, is_pair, plain, shown};
use super::settings::Settings;
use super::{ASSETS, value};
use crate::document::path::{Path, Segment, locate};
use crate::document::{Kind, Object, Value};
use crate::names::problem::{Code, Refusal};
use crate::packs::CommandTurn;
use std::sync::Arc;

/// Where a key that is taken is not overwritten.
const KEPT_APART: [[&str; 2]; 2] = [["summary", "small"], ["summary", "big"]];

pub(super) fn perform(
    settings: &Settings,
    turn: &mut CommandTurn<'_>,
    args: &[&str],
) -> Result<Option<String>, Refusal> {
    match args {
        [parent, key, value] => {
            let mut segments = path(settings, turn, parent)?;
            segments.push(key_of(key)?);
            let (value, mended) = value::read(value);
            set(turn, segments, value).map(|repair| repair.or(mended))
        }
        [from, second] => {
            let from = path(settings, turn, from)?;
            if from.is_empty() {
                return Refusal::err(Code::BadArguments, format!("the path is missing: name something in `{ASSETS}`"));
            }
            match target(settings, turn, &from, second) {
                Some(to) => relocate(settings, turn, &from, &to).map(|()| None),
                None => {
                    let (value, mended) = value::read(second);
                    set(turn, from, value).map(|repair| repair.or(mended))
                }
            }
        }
        _ => Refusal::err(Code::BadArguments, "memory needs a path and a value, or a path, a key and a value"),
    }
}

fn path(settings: &Settings, turn: &CommandTurn<'_>, arg: &str) -> Result<Vec<Arc<str>>, Refusal> {
    let segments = place::segments(settings, turn.draft.document(), ASSETS, &value::argument(arg))?;
    if segments.iter().any(|segment| segment.is_empty()) {
        return Refusal::err(Code::BadArguments, format!("`{}` has an empty name in it", shown(&segments)));
    }
    Ok(segments)
}

/// A key is one name, whatever signs it has.
pub(super) fn key_of(arg: &str) -> Result<Arc<str>, Refusal> {
    match value::argument(arg) {
        Value::String(key) if !key.trim().is_empty() => Ok(key.trim().into()),
        Value::Number(number) => Ok(number.to_string().into()),
        _ => Refusal::err(Code::BadArguments, "the key is missing"),
    }
}

/// The place that the second argument names, if both are paths.
fn target(settings: &Settings, turn: &CommandTurn<'_>, from: &[Arc<str>], second: &str) -> Option<Vec<Arc<str>>> {
    let written = value::argument(second);
    if !written.as_str()?.contains('.') || value::read(second).0.is_container() {
        return None;
    }
    let root = turn.draft.document().get(ASSETS)?;
    let to = place::segments(settings, turn.draft.document(), ASSETS, &written).ok()?;
    let (_, parent) = to.split_last()?;
    let has_parent = |parent: &[Arc<str>]| {
        let located = locate(root, parent);
        located.exists() && located.value.as_object().is_some()
    };
    let both = !parent.is_empty() && locate(root, from).exists() && has_parent(parent);
    both.then_some(to)
}

fn relocate(
    settings: &Settings,
    turn: &mut CommandTurn<'_>,
    from: &[Arc<str>],
    to: &[Arc<str>],
) -> Result<(), Refusal> {
    let root = place::module_of(turn.draft.document(), ASSETS)?;
    if locate(root, to).exists() {
        return Refusal::err(
            Code::Exists,
            format!("`{}` exists already; delete it first or take another name", shown(to)),
        );
    }
    if to.starts_with(from) {
        return Refusal::err(Code::BadArguments, format!("`{}` cannot be moved into itself", shown(from)));
    }
    if is_part_of_template(settings, from) {
        return Refusal::err(
            Code::Protected,
            format!("`{}` is a part of the template and stays where it is", shown(from)),
        );
    }
    let (Some((key, parent)), Some((old_key, old_parent))) = (to.split_last(), from.split_last()) else {
        return Refusal::err(Code::BadArguments, "the path is missing");
    };
    place::check_whole(root, from)?;
    check_mark(turn.draft.document(), from, None)?;
    let source = locate(root, from);
    let (path, value) = (place::in_module(ASSETS, &source.path), source.value.clone());
    let position =
        locate(root, old_parent).value.as_object().and_then(|members| members.entry(old_key)).map(|entry| entry.0);
    turn.draft.remove(&path)?;
    let parent_path = place::in_module(ASSETS, &locate(place::module_of(turn.draft.document(), ASSETS)?, parent).path);
    match position {
        // A node that only gets another name keeps its place among the others.
        Some(position) if parent == old_parent => turn.draft.insert_key(&parent_path, position, key, value),
        _ => turn.draft.set_key(&parent_path, key, value),
    }
}

/// Whether a place is a container of the template, or holds one.
pub(super) fn is_part_of_template(settings: &Settings, segments: &[Arc<str>]) -> bool {
    place::is_one_of(&settings.open, ASSETS, segments) || place::is_above(&settings.open, ASSETS, segments)
}

fn set(turn: &mut CommandTurn<'_>, mut segments: Vec<Arc<str>>, new: Value) -> Result<Option<String>, Refusal> {
    let root = place::module_of(turn.draft.document(), ASSETS)?;
    place::check_pair(root, &segments)?;
    check_mark(turn.draft.document(), &segments, Some(&new))?;
    let mut repair = None;
    if let [first, second, key] = segments.as_slice()
        && KEPT_APART.contains(&[first.as_ref(), second.as_ref()])
        && let Some(container) = locate(root, &segments[..2]).value.as_object()
        && container.contains_key(key)
    {
        let free = free_key(container, key);
        repair = Some(format!("stored it as `{free}`, since `{key}` is taken"));
        segments[2] = free.into();
    }
    let located = locate(root, &segments);
    let path = place::in_module(ASSETS, &located.path);
    let value = located.value;
    match located.missing.split_first() {
        None => overwrite(turn, &path, &value.clone(), new)?,
        Some((key, rest)) => match value {
            Value::Object(_) => turn.draft.set_key(&path, key, nested(rest, new))?,
            Value::Null => turn.draft.replace(&path, nested(located.missing, new))?,
            Value::Array(items) if key.as_ref() == items.len().to_string() => {
                turn.draft.push(&path, nested(rest, new))?;
            }
            _ => {
                let through = shown(&segments[..segments.len() - located.missing.len()]);
                let what = value.kind().with_article();
                return Refusal::err(Code::NotAContainer, format!("`{through}` is {what}; nothing can stand below it"));
            }
        },
    }
    Ok(repair)
}

/// A key with the next number behind it. Numbers are mostly given without gaps, so the last one is found by halving.
pub(super) fn free_key(container: &Object, key: &str) -> String {
    let is_taken = |number: usize| container.contains_key(&format!("{key}-{number}"));
    let (mut taken, mut free) = (0, 1);
    while is_taken(free) {
        (taken, free) = (free, free * 2);
    }
    while free - taken > 1 {
        let middle = taken.midpoint(free);
        if is_taken(middle) { taken = middle } else { free = middle }
    }
    format!("{key}-{free}")
}

fn nested(segments: &[Arc<str>], value: Value) -> Value {
    segments.iter().rev().fold(value, |value, key| [(Arc::clone(key), value)].into_iter().collect())
}

/// Refuses to take the mark of a protected node away, or to write something else over it.
pub(super) fn check_mark(document: &Value, segments: &[Arc<str>], new: Option<&Value>) -> Result<(), Refusal> {
    let Some((key, node)) = segments.split_last().filter(|(key, _)| key.as_ref() == PROTECTED) else { return Ok(()) };
    let located = locate(place::module_of(document, ASSETS)?, node);
    if !located.exists() || !is_marked(plain(located.value), PROTECTED) || new.is_some_and(place::is_true) {
        return Ok(());
    }
    Refusal::err(Code::Protected, format!("`{}` is protected, and so is its `{key}`", shown(node)))
}

/// Writes a value over another, and reports what is protected and stayed.
fn overwrite(turn: &mut CommandTurn<'_>, path: &Path, old: &Value, new: Value) -> Result<(), Refusal> {
    let (mut stayed, mark) = (Vec::new(), turn.draft.mark());
    write(turn, path, old, new, &mut stayed)?;
    if !stayed.is_empty() && turn.draft.ops_since(mark).is_empty() {
        let shown = stayed.join("`, `");
        return Refusal::err(Code::Protected, format!("`{shown}` is protected (`{PROTECTED}`) and stays"));
    }
    delete::report(turn, &stayed);
    Ok(())
}

/// Writes a value over another: objects merge, a pair takes it at item 0, and a scalar does not replace an object. What is protected
/// stays, and is added to `stayed`.
fn write(
    turn: &mut CommandTurn<'_>,
    path: &Path,
    old: &Value,
    new: Value,
    stayed: &mut Vec<String>,
) -> Result<(), Refusal> {
    match (old, &new) {
        (Value::Object(_), Value::Object(members)) => {
            for (key, value) in members.iter() {
                match old.get(key) {
                    Some(_) if key.as_ref() == PROTECTED && is_marked(old, PROTECTED) && !place::is_true(value) => {
                        stayed.push(below_module(turn, path));
                    }
                    Some(old) => write(turn, &path.key(Arc::clone(key)), old, value.clone(), stayed)?,
                    None => turn.draft.set_key(path, key, value.clone())?,
                }
            }
            Ok(())
        }
        (Value::Array(_), _) if is_pair(old) && is_value_for(&new, old) => {
            write(turn, &path.index(0), plain(old), new, stayed)
        }
        (Value::Array(_), Value::Array(_)) if !is_pair(old) => {
            let new = with_protected(&names_below_module(turn, path), old, new, stayed);
            turn.draft.replace(path, new)
        }
        _ => {
            let (names, mut held) = (names_below_module(turn, path), Vec::new());
            if delete::split(old, &mut names.clone(), &mut held).stays.is_some() {
                let (holder, held) = (shown(&names), held.join("`, `"));
                let message = format!("`{holder}` holds what is protected (`{PROTECTED}`) and stays: `{held}`");
                return Refusal::err(Code::Protected, message);
            }
            if old.as_object().is_some() {
                let (kind, holder) = (new.kind().with_article(), shown(&names));
                let message = format!("`{holder}` is an object and would become {kind}; delete it first");
                return Refusal::err(Code::TypeChanged, message);
            }
            turn.draft.replace(path, new)
        }
    }
}

/// Whether a pair takes this as its value and keeps its description. A list is a value only of a pair that has one already: a list
/// of two texts looks like a pair.
fn is_value_for(new: &Value, pair: &Value) -> bool {
    new.kind() != Kind::Array || (plain(pair).kind() == Kind::Array && !is_pair(new))
}

/// A list that comes in the place of another: what that has of protected nodes and this has not stays in front.
fn with_protected(names: &[Arc<str>], old: &Value, new: Value, stayed: &mut Vec<String>) -> Value {
    let mut kept = Vec::new();
    for (index, item) in old.items().iter().enumerate() {
        let (mut at, mut held) = (names.to_vec(), Vec::new());
        at.push(index.to_string().into());
        let Some(stays) = delete::split(item, &mut at, &mut held).stays else { continue };
        if !new.items().iter().any(|other| other == item || *other == stays) {
            kept.push(stays);
            stayed.append(&mut held);
        }
    }
    if kept.is_empty() {
        return new;
    }
    kept.into_iter().chain(new.items().iter().cloned()).collect()
}

/// A path as commands write it: without its module, and without the item of a pair that is its value.
fn below_module(turn: &CommandTurn<'_>, path: &Path) -> String {
    shown(&names_below_module(turn, path))
}

fn names_below_module(turn: &CommandTurn<'_>, path: &Path) -> Vec<Arc<str>> {
    let pair = path.parent().filter(|above| above.find(turn.draft.document()).is_some_and(is_pair));
    pair.as_ref().unwrap_or(path).segments().iter().skip(1).map(Segment::to_text).collect()
}
