//! `_.set` and its relatives outside of MVU's classic mode: the profile's strictness applies, and the schema decides.

use super::at::{at_most, change_by};
use super::write::{Members, append, compared, existing, index_in, merge, path_of, remove, set, shown};
use super::{ExecutionContext, NativeResult, Performed, needed, value_of};
use crate::command::Command;
use crate::document::path::{is_index, locate};
use crate::document::{Kind, Number, Value};
use crate::names::problem::{Code, Refusal};
use crate::rules::profile::Reading;
use std::sync::Arc;

pub(super) fn perform(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let most = match command.name.as_str() {
        "set" | "insert" | "assign" => 3,
        _ => 2,
    };
    // MVU's own modes ignore what is too much; elsewhere it is a mistake.
    if context.profile.reading == Reading::Tolerant {
        at_most(command, &format!("_.{}", command.name), most)?;
    }
    let segments = path_of(context, command.args.first())?;
    match command.name.as_str() {
        "set" => set_value(context, command, &segments),
        "add" => {
            let value = needed(context, command, 1, "a number")?;
            change_by(context, &segments, &value, Number::plus)
        }
        "insert" | "assign" => insert(context, command, &segments).map(Performed::from),
        "move" => {
            let to = path_of(context, command.args.get(1))?;
            relocate(context, &segments, &to, Target::AsItStands).map(Performed::from)
        }
        _ => delete(context, command, &segments).map(Performed::from),
    }
}

fn set_value(context: &mut ExecutionContext<'_>, command: &Command, segments: &[Arc<str>]) -> NativeResult {
    if command.args.len() < 2 {
        return Refusal::err(Code::BadArguments, "_.set needs a path and a value");
    }
    let value = needed(context, command, command.args.len() - 1, "a value")?;
    // The reply's old value is advice: models misremember. Refusing the command would lose a good new value, so we take
    // it and report the difference.
    if command.args.len() == 3
        && let Some(claimed) = value_of(context, command.args.get(1))
        && let Ok((_, stored)) = existing(context, segments)
        && claimed != *stored
    {
        let message = format!("claimed {}, stored {}", claimed.brief(), stored.brief());
        context.notes.push(Refusal::new(Code::StaleOldValue, message));
    }
    set(context, segments, value).map(Performed::from)
}

fn insert(context: &mut ExecutionContext<'_>, command: &Command, segments: &[Arc<str>]) -> Result<(), Refusal> {
    let value = needed(context, command, if command.args.len() > 2 { 2 } else { 1 }, "a value")?;
    let located = locate(context.draft.document(), segments);
    let kind = located.exists().then(|| located.value.kind());
    if command.args.len() <= 2 {
        return match (kind, &value) {
            (Some(Kind::Array), _) => append(context, segments, vec![value]),
            (_, Value::Object(_)) => merge(context, segments, &value, Members::Added),
            (Some(Kind::Object), _) => {
                Refusal::err(Code::BadArguments, format!("only an object can be merged into `{}`", shown(segments)))
            }
            _ => append(context, segments, vec![value]),
        };
    }
    let key = needed(context, command, 1, "a key")?;
    let key_text: Arc<str> = match &key {
        Value::String(text) => Arc::clone(text),
        other => other.to_json().into(),
    };
    let path = located.path;
    match located.value {
        Value::Array(items) if kind.is_some() => {
            let end = items.len();
            let index = match &key {
                _ if key_text.as_ref() == "-" => Some(end),
                Value::Number(number) => index_in(end, *number).or_else(|| number.as_u64().map(|_| end)),
                _ => is_index(&key_text).map(|index| index.min(end)),
            };
            let index = index.ok_or_else(|| {
                Refusal::new(
                    Code::OutOfRange,
                    format!("`{}` is a list and {} no index of it", shown(segments), key.brief()),
                )
            })?;
            context.draft.insert_item(&path, index, value)
        }
        // Inserting says that the member is new, so an existing object takes it in every profile.
        Value::Object(members) if kind.is_some() && !members.contains_key(&key_text) => {
            context.draft.set_key(&path, &key_text, value)
        }
        _ => {
            let mut segments = segments.to_vec();
            segments.push(key_text);
            set(context, &segments, value).map(|_| ())
        }
    }
}

fn delete(context: &mut ExecutionContext<'_>, command: &Command, segments: &[Arc<str>]) -> Result<(), Refusal> {
    let Some(what) = value_of(context, command.args.get(1)) else { return remove(context, segments) };
    // MVU's zod mode takes the second argument for a further segment.
    if context.profile.reading == Reading::MvuZod {
        let mut segments = segments.to_vec();
        segments.push(what.as_str().map_or_else(|| what.to_json().into(), Arc::from));
        return remove(context, &segments);
    }
    if what.as_number().is_none() {
        let length = existing(context, segments)?.1.items().len();
        context.draft.spend(compared(length, &what))?;
    }
    let (path, target) = existing(context, segments)?;
    let missing = || Refusal::new(Code::NotFound, format!("`{}` has no {}", shown(segments), what.brief()));
    let part = match target {
        Value::Array(items) => {
            let index = match &what {
                Value::Number(number) => index_in(items.len(), *number),
                what => items.iter().position(|item| item == what),
            };
            path.index(index.ok_or_else(missing)?)
        }
        Value::Object(members) => {
            let key = what.as_str().and_then(|key| members.entry(key)).ok_or_else(missing)?.1;
            path.key(Arc::clone(key))
        }
        _ => {
            let message = format!("`{}` is neither a list nor an object", shown(segments));
            return Refusal::err(Code::NotAContainer, message);
        }
    };
    context.draft.remove(&part)
}

/// How the target of a move is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// In the document as it stands.
    AsItStands,
    /// In the document without the value, as JSON Patch has it.
    WithoutTheValue,
}

/// Takes a value from one place to another, which must not lie inside it.
pub(super) fn relocate(
    context: &mut ExecutionContext<'_>,
    from: &[Arc<str>],
    to: &[Arc<str>],
    target: Target,
) -> Result<(), Refusal> {
    let (path, value) = existing(context, from)?;
    let value = value.clone();
    if from == to {
        return Ok(());
    }
    if to.starts_with(from) {
        return Refusal::err(Code::BadArguments, format!("`{}` cannot be moved into itself", shown(from)));
    }
    let to = match target {
        Target::AsItStands => behind_removal(context, from, to.to_vec()),
        Target::WithoutTheValue => to.to_vec(),
    };
    context.draft.remove(&path)?;
    super::patch::add(context, &to, value)
}

/// A target as it must be written once the value has left its list: items behind it close up.
fn behind_removal(context: &ExecutionContext<'_>, from: &[Arc<str>], mut to: Vec<Arc<str>>) -> Vec<Arc<str>> {
    let Some((last, list)) = from.split_last() else { return to };
    let in_list = locate(context.draft.document(), list).value.as_array().is_some();
    // The last segment says where the value goes, the ones before which container takes it.
    if in_list
        && to.len() > from.len()
        && to.starts_with(list)
        && let (Some(index), Some(passed)) = (is_index(last), is_index(&to[list.len()]))
        && passed > index
    {
        to[list.len()] = (passed - 1).to_string().into();
    }
    to
}
