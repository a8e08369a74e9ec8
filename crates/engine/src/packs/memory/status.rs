//! `set_attribute(path, [old,] new)` and `set_status(path, [old,] new)`: writes to what a template has.
//!
//! The last argument counts; an old value is never compared, since models misremember it. The path must exist, and so must
//! every key of an object that is written, except that open containers take new keys. What the pack's template has and the
//! document has lost, since another dialect took it away, comes back.

use super::place::{self, is_pair, path, plain, shown};
use super::settings::Settings;
use super::{TEMPLATE, value};
use crate::document::path::locate;
use crate::document::{Kind, Value};
use crate::names::problem::{Code, Refusal};
use crate::packs::CommandTurn;
use std::sync::Arc;

pub(super) fn set(
    settings: &Settings,
    turn: &mut CommandTurn<'_>,
    module: &'static str,
    name: &str,
    args: &[&str],
) -> Result<Option<String>, Refusal> {
    let (target, new) = match args {
        [target, new] | [target, _, new] => (target, new),
        _ => {
            return Refusal::err(
                Code::BadArguments,
                format!("{name} needs a path and a value, with an old value between them or not"),
            );
        }
    };
    let segments = place::segments(settings, turn.draft.document(), module, &value::argument(target))?;
    let (new_value, mended) = value::read(new);
    let mut writer = Writer { settings, turn, module, done: 0, refused: Vec::new(), repair: mended };
    writer.write(&segments, new_value, Some(&value::argument(new)))?;
    let Writer { done, mut refused, repair, turn, .. } = writer;
    // An object of which nothing could be written is refused; otherwise what could not be written is reported.
    match (done, refused.is_empty()) {
        (0, false) => Err(refused.swap_remove(0)),
        _ => {
            turn.notes.append(&mut refused);
            Ok(repair)
        }
    }
}

struct Writer<'a, 't> {
    settings: &'a Settings,
    turn: &'a mut CommandTurn<'t>,
    module: &'static str,
    /// How many values were written, or had that value already.
    done: usize,
    refused: Vec<Refusal>,
    repair: Option<String>,
}

impl Writer<'_, '_> {
    /// Writes a value; an object key by key. `as_written` is the argument before what stands in quotes was read.
    fn write(&mut self, segments: &[Arc<str>], new: Value, as_written: Option<&Value>) -> Result<(), Refusal> {
        let Writer { settings, module, .. } = *self;
        if place::is_inside(&settings.read_only, module, segments) {
            return Refusal::err(
                Code::ReadOnly,
                format!("`{}` is computed; change what it is computed from", shown(segments)),
            );
        }
        let root = place::module_of(self.turn.draft.document(), module)?;
        let located = locate(root, segments);
        let target = place::in_module(module, &located.path);
        if !located.exists() {
            return self.create(segments, located.missing.len(), new, as_written);
        }
        let old = located.value.clone();
        match (plain(&old), new) {
            _ if segments.is_empty() => Refusal::err(Code::BadArguments, "the path is missing"),
            // Only open containers have a pair whose value is an object, so all of its keys are welcome.
            (kept @ Value::Object(_), new @ Value::Object(_)) if is_pair(&old) => {
                self.done += 1;
                place::write(self.turn.draft, &target, merged(kept, &new))
            }
            (Value::Object(_), Value::Object(members)) => {
                for (key, value) in members.iter() {
                    let mut below = segments.to_vec();
                    below.push(Arc::clone(key));
                    let root = place::module_of(self.turn.draft.document(), module)?;
                    place::renamed(settings, root, &mut below);
                    if let Err(refusal) = self.write(&below, value.clone(), None) {
                        self.refused.push(refusal);
                    }
                }
                Ok(())
            }
            (kept, new) => {
                place::check_pair(root, segments)?;
                let (new, repair) = fitting(segments, kept, new, as_written, is_pair(&old))?;
                self.repair = self.repair.take().or(repair);
                self.done += 1;
                place::write(self.turn.draft, &target, new)
            }
        }
    }

    /// Adds a key to an open container, or brings back what the template has.
    fn create(
        &mut self,
        segments: &[Arc<str>],
        missing: usize,
        new: Value,
        as_written: Option<&Value>,
    ) -> Result<(), Refusal> {
        let there = &segments[..segments.len() - missing];
        if let Some(lost) = lost(self.module, &segments[..there.len() + 1], segments) {
            let container = path(self.module, there.iter().map(AsRef::as_ref));
            self.turn.draft.set_key(&container, &segments[there.len()], lost.clone())?;
            return self.write(segments, new, as_written);
        }
        if !place::is_inside(&self.settings.open, self.module, there) {
            let root = place::module_of(self.turn.draft.document(), self.module)?;
            place::check_pair(root, segments)?;
            return Refusal::err(
                Code::MissingPath,
                format!("`{}` does not exist and may not be created", shown(segments)),
            );
        }
        let value = segments[segments.len() - missing + 1..]
            .iter()
            .rev()
            .fold(new, |value, key| [(Arc::clone(key), value)].into_iter().collect());
        let container = path(self.module, there.iter().map(AsRef::as_ref));
        self.done += 1;
        self.turn.draft.set_key(&container, &segments[segments.len() - missing], value)
    }
}

/// The part of the pack's template that a document has lost: what stands at `top`, if it leads to the whole path.
fn lost(module: &str, top: &[Arc<str>], segments: &[Arc<str>]) -> Option<&'static Value> {
    let root = TEMPLATE.get(module)?;
    let is_whole = locate(root, segments).exists() && place::check_pair(root, segments).is_ok();
    is_whole.then(|| locate(root, top).value)
}

/// An object with the members of another, at every depth; a pair keeps its description.
fn merged(old: &Value, new: &Value) -> Value {
    if let Some((value, description)) = old.as_pair().filter(|_| new.kind() != Kind::Array) {
        return [merged(value, new), Value::from(description)].into_iter().collect();
    }
    let (Some(kept), Some(members)) = (old.as_object(), new.as_object()) else { return new.clone() };
    let taken = members
        .iter()
        .map(|(key, new)| (Arc::clone(key), kept.get(key).map_or_else(|| new.clone(), |value| merged(value, new))));
    // Of two members with one key the last counts, at the place of the first.
    kept.iter().map(|(key, value)| (Arc::clone(key), value.clone())).chain(taken).collect()
}

/// A value as the place takes it: a number stays a number, and text stays text.
fn fitting(
    segments: &[Arc<str>],
    old: &Value,
    new: Value,
    as_written: Option<&Value>,
    pair: bool,
) -> Result<(Value, Option<String>), Refusal> {
    // `["晴", "现在的天气"]` for a pair brings a description along, which the template has already.
    let new = if pair && is_pair(&new) { plain(&new).clone() } else { new };
    let number =
        || Refusal::new(Code::TypeChanged, format!("`{}` is a number and {} is none", shown(segments), new.brief()));
    match (old, &new) {
        (Value::Number(_), Value::Number(_)) => Ok((new, None)),
        (Value::Number(_), Value::String(_)) => {
            let read = place::number(&new).ok_or_else(number)?;
            Ok((Value::Number(read), Some(format!("read the text {} as a number", new.brief()))))
        }
        (Value::Number(_), _) => Err(number()),
        (Value::String(_), Value::String(_)) => Ok((new, None)),
        (Value::String(_), Value::Number(_) | Value::Bool(_) | Value::Null) => match as_written {
            Some(Value::String(text)) => Ok((Value::String(Arc::clone(text)), None)),
            _ => Ok((Value::from(new.to_json()), Some(format!("wrote {} as text", new.brief())))),
        },
        (Value::Null, _) => Ok((new, None)),
        _ if old.kind() == new.kind() && old.kind() != Kind::Object => Ok((new, None)),
        _ => {
            let (before, after) = (old.kind().with_article(), new.kind().with_article());
            Refusal::err(Code::TypeChanged, format!("`{}` is {before} and would become {after}", shown(segments)))
        }
    }
}
