//! `delete(parent, key)`, `delete(parent, 'all')`, `delete(path)`.
//!
//! A node with `_is_protected` stays, wherever it stands inside of what is deleted, and so does the way to it.

use super::place::{self, is_marked, is_pair, plain, shown};
use super::settings::Settings;
use super::{ASSETS, STATUS, assets, value};
use crate::document::path::{Path, locate};
use crate::document::{Array, Object, Value};
use crate::limits::{EFFECTS_MAX, STAYED_SHOWN_MAX};
use crate::names::problem::{Code, Refusal};
use crate::packs::{Archived, CommandTurn};
use std::sync::Arc;

/// Weight of a node that is looked through in the time in which a turn looks at one item.
pub(super) const WEIGHT_PER_ITEM: usize = 8;

/// What protects a node.
pub(super) const PROTECTED: &str = "_is_protected";

/// What is kept in the archive when it is cleared, under the name of the world.
const OF_THE_WORLD: [&str; 2] = ["world_set.npc", "world_set.settings"];

pub(super) fn perform(
    settings: &Settings,
    turn: &mut CommandTurn<'_>,
    args: &[&str],
) -> Result<Option<String>, Refusal> {
    let segments = |turn: &CommandTurn<'_>, path: &str| {
        place::segments(settings, turn.draft.document(), ASSETS, &value::argument(path))
    };
    match args {
        [path] => {
            let path = segments(turn, path)?;
            // What the template has is emptied: its place is needed.
            if place::is_one_of(&settings.open, ASSETS, &path) {
                clear(settings, turn, &path)?;
            } else {
                one(settings, turn, &path)?;
            }
        }
        [parent, key] => {
            let mut path = segments(turn, parent)?;
            let key = assets::key_of(key)?;
            if key.as_ref() == "all" {
                clear(settings, turn, &path)?;
            } else {
                path.push(key);
                one(settings, turn, &path)?;
            }
        }
        _ => return Refusal::err(Code::BadArguments, "delete needs a path, or a path and a key or 'all'"),
    }
    Ok(None)
}

/// Deletes one node.
fn one(settings: &Settings, turn: &mut CommandTurn<'_>, segments: &[Arc<str>]) -> Result<(), Refusal> {
    let (path, value) = existing(turn, segments)?;
    assets::check_mark(turn.draft.document(), segments, None)?;
    if assets::is_part_of_template(settings, segments) {
        return Refusal::err(Code::Protected, format!("`{}` is a part of the template and stays", shown(segments)));
    }
    turn.draft.spend(value.weight() / WEIGHT_PER_ITEM + 1)?;
    let mut stayed = Stayed::default();
    match split(&value, &mut Vec::from(segments), &mut stayed) {
        Parts { stays: None, .. } => turn.draft.remove(&path),
        Parts { leaves: None, .. } => {
            let what = if is_marked(plain(&value), PROTECTED) { "is" } else { "holds only what is" };
            Refusal::err(Code::Protected, format!("`{}` {what} protected (`{PROTECTED}`) and stays", shown(segments)))
        }
        Parts { stays: Some(rest), .. } => {
            turn.draft.replace(&path, rest)?;
            report(turn, &stayed);
            Ok(())
        }
    }
}

/// Empties a container.
fn clear(settings: &Settings, turn: &mut CommandTurn<'_>, segments: &[Arc<str>]) -> Result<(), Refusal> {
    let (path, value) = existing(turn, segments)?;
    if place::is_above(&settings.open, ASSETS, segments) {
        return Refusal::err(
            Code::Protected,
            format!("`{}` holds containers of the template; clear those", shown(segments)),
        );
    }
    turn.draft.spend(value.weight() / WEIGHT_PER_ITEM + 1)?;
    let mut stayed = Stayed::default();
    let (rest, gone) = match &value {
        Value::Object(members) => split_members(members, &mut segments.to_vec(), &mut stayed),
        // A table of the template may have two texts in it; any other list like that is a value and its description.
        Value::Array(items) if !is_pair(&value) || place::is_one_of(&settings.open, ASSETS, segments) => {
            split_items(items, &mut segments.to_vec(), &mut stayed)
        }
        _ => {
            return Refusal::err(
                Code::NotAContainer,
                format!("`{}` holds nothing that could be cleared", shown(segments)),
            );
        }
    };
    let source = shown(segments);
    if OF_THE_WORLD.contains(&source.as_str()) && gone.as_object().is_some_and(|gone| !gone.is_empty()) {
        if turn.archived.len() >= EFFECTS_MAX {
            return Refusal::err(Code::Limit, format!("a turn may have at most {EFFECTS_MAX} effects"));
        }
        let world = place::find(turn.draft.document(), STATUS, &["world_shard", "name"]);
        let name = world.and_then(Value::as_str).unwrap_or_default().to_owned();
        turn.archived.push(Archived { source, name, entries: gone });
    }
    turn.draft.replace(&path, rest)?;
    report(turn, &stayed);
    Ok(())
}

fn existing(turn: &CommandTurn<'_>, segments: &[Arc<str>]) -> Result<(Path, Value), Refusal> {
    let root = place::module_of(turn.draft.document(), ASSETS)?;
    let located = locate(root, segments);
    if !located.exists() {
        return Refusal::err(Code::MissingPath, format!("`{}` does not exist", shown(segments)));
    }
    place::check_whole(root, segments)?;
    Ok((place::in_module(ASSETS, &located.path), located.value.clone()))
}

/// A node that is deleted, in its two parts.
#[derive(Default)]
pub(super) struct Parts {
    /// What is protected, and the way to it.
    pub(super) stays: Option<Value>,
    /// Everything else.
    leaves: Option<Value>,
}

/// Protected nodes that stayed: the paths of the first ones, and how many there are.
#[derive(Default)]
pub(super) struct Stayed {
    paths: Vec<String>,
    pub(super) count: usize,
}

impl Stayed {
    pub(super) fn push(&mut self, path: impl FnOnce() -> String) {
        self.count += 1;
        if self.paths.len() < STAYED_SHOWN_MAX {
            self.paths.push(path());
        }
    }

    pub(super) fn append(&mut self, other: Stayed) {
        self.count += other.count;
        self.paths.extend(other.paths);
        self.paths.truncate(STAYED_SHOWN_MAX);
    }

    /// The first paths, for a message.
    pub(super) fn shown(&self) -> String {
        let more = if self.count > self.paths.len() { ", …" } else { "" };
        format!("`{}`{more}", self.paths.join("`, `"))
    }
}

pub(super) fn split(value: &Value, at: &mut Vec<Arc<str>>, stayed: &mut Stayed) -> Parts {
    if is_marked(plain(value), PROTECTED) {
        stayed.push(|| shown(at));
        return Parts { stays: Some(value.clone()), leaves: None };
    }
    let (stays, leaves) = match value {
        Value::Array(items) if is_pair(value) => {
            let parts = split(plain(value), at, stayed);
            let described = |part: Value| [part].into_iter().chain(items.iter().skip(1).cloned()).collect::<Value>();
            return Parts { stays: parts.stays.map(described), leaves: parts.leaves.map(described) };
        }
        Value::Object(members) => split_members(members, at, stayed),
        Value::Array(items) => split_items(items, at, stayed),
        _ => return Parts { stays: None, leaves: Some(value.clone()) },
    };
    // A node of which nothing stays leaves whole, also where it is empty.
    match is_empty(&stays) {
        true => Parts { stays: None, leaves: Some(value.clone()) },
        false => Parts { stays: Some(stays), leaves: Some(leaves).filter(|leaves| !is_empty(leaves)) },
    }
}

fn is_empty(container: &Value) -> bool {
    container.items().is_empty() && container.as_object().is_none_or(Object::is_empty)
}

/// What stays of the members of an object, and what leaves.
fn split_members(members: &Object, at: &mut Vec<Arc<str>>, stayed: &mut Stayed) -> (Value, Value) {
    let (mut rest, mut gone) = (Vec::new(), Vec::new());
    for (key, value) in members {
        at.push(Arc::clone(key));
        let parts = split(value, at, stayed);
        at.pop();
        rest.extend(parts.stays.map(|value| (Arc::clone(key), value)));
        gone.extend(parts.leaves.map(|value| (Arc::clone(key), value)));
    }
    (rest.into_iter().collect(), gone.into_iter().collect())
}

/// What stays of the items of a list, and what leaves.
fn split_items(items: &Array, at: &mut Vec<Arc<str>>, stayed: &mut Stayed) -> (Value, Value) {
    let (mut rest, mut gone): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
    for (index, value) in items.iter().enumerate() {
        at.push(index.to_string().into());
        let parts = split(value, at, stayed);
        at.pop();
        rest.extend(parts.stays);
        gone.extend(parts.leaves);
    }
    (rest.into_iter().collect(), gone.into_iter().collect())
}

pub(super) fn report(turn: &mut CommandTurn<'_>, stayed: &Stayed) {
    if stayed.count == 0 {
        return;
    }
    let message = format!("{} protected and stayed: {}", stayed.count, stayed.shown());
    turn.notes.push(Refusal::new(Code::Protected, message));
}
