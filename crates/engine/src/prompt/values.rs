//! Macros that read and write variables. The whole text of a path is tried as a key first, then as a path.

use super::change::{OnlyIf, RelativeChange};
use super::evaluate::{Args, Evaluation, no_state};
use super::operation::{Operation, no_members};
use super::path::{self, PathStep};
use super::variables::Lookup;
use super::warning::{Failure, WarningCode};
use crate::document::Value;
use crate::document::path::{WrittenPath, is_index, locate};
use crate::names::key::Key;
use crate::names::scope::Scope;
use std::sync::Arc;

/// What a macro addresses: a variable, and a way inside its value.
pub(super) struct Address {
    pub(super) key: Arc<str>,
    pub(super) steps: Vec<PathStep>,
}

impl Address {
    fn of(evaluation: &Evaluation<'_>, view: Lookup, text: &str) -> Result<Address, Failure> {
        if evaluation.overlay.get(view, text).is_some() {
            return Ok(Address { key: text.into(), steps: Vec::new() });
        }
        path::split(text).map(|(key, steps)| Address { key, steps })
    }
}

/// Looks a value up and notes that it was used.
pub(super) fn look_up(
    evaluation: &mut Evaluation<'_>,
    args: &Args<'_>,
    view: Lookup,
    text: &str,
) -> Result<Option<Value>, Failure> {
    let address = Address::of(evaluation, view, text)?;
    let found = evaluation.overlay.get(view, &address.key);
    let scope = found.map(|(scope, _)| scope);
    let value = match found {
        Some((_, value)) => path::find(value, &address.steps)?.cloned(),
        None => None,
    };
    evaluation.used(args, scope.or(Some(view.target())), text, value.is_some());
    Ok(value)
}

pub(super) fn get(
    evaluation: &mut Evaluation<'_>,
    args: &Args<'_>,
    view: Lookup,
    out: &mut String,
) -> Result<(), Failure> {
    match look_up(evaluation, args, view, args.text(0))? {
        Some(value) => evaluation.put_value(out, &value),
        None => Ok(()),
    }
}

pub(super) fn has(
    evaluation: &mut Evaluation<'_>,
    args: &Args<'_>,
    view: Lookup,
    out: &mut String,
) -> Result<(), Failure> {
    let found = look_up(evaluation, args, view, args.text(0))?;
    evaluation.put(out, if found.is_some() { "true" } else { "false" })
}

/// Changes one value; gives back what it is then. `only` is when the operator of the macro writes at all; the caller has looked
/// whether it does.
pub(super) fn change(
    evaluation: &mut Evaluation<'_>,
    args: &Args<'_>,
    view: Lookup,
    text: &str,
    (operation, only): (Operation, Option<OnlyIf>),
) -> Result<Option<Value>, Failure> {
    let Address { key, steps } = Address::of(evaluation, view, text)?;
    if evaluation.overlay.variables().is_state(&key) {
        let message = format!("{key:?} is the story's state; it is changed by commands in replies");
        return Failure::err(WarningCode::ReadOnly, message);
    }
    if let Err(invalid) = key.parse::<Key>() {
        return Failure::err(WarningCode::WrongKind, format!("the key {invalid}"));
    }
    evaluation.may_write(args)?;
    let root = evaluation.overlay.get(view, &key).map(|(_, value)| value.clone());
    // All but a new value for the whole variable copies what is there.
    if !(steps.is_empty() && matches!(operation, Operation::Set(_) | Operation::Delete)) {
        let weight = root.as_ref().map_or(0, Value::weight);
        evaluation.room(weight)?;
        evaluation.work(weight)?;
    }
    let old = match &root {
        Some(root) => path::find(root, &steps)?.cloned(),
        None => None,
    };
    // There is nothing to take away inside a value that is not there.
    if operation == Operation::Delete && !steps.is_empty() && old.is_none() {
        evaluation.used(args, Some(view.target()), text, false);
        return Ok(None);
    }
    if let (Operation::SetMember(..), Some(Value::String(json))) = (&operation, &old) {
        evaluation.work(json.len())?;
    }
    let new = operation.on(old.as_ref())?;
    let relative = RelativeChange::made(root.as_ref(), &steps, &operation, only);
    let written = path::put(root, &steps, new.clone())?;
    evaluation.write(args, view.target(), key, (written, relative))?;
    evaluation.used(args, Some(view.target()), text, old.is_some());
    Ok(new)
}

pub(super) fn set(evaluation: &mut Evaluation<'_>, args: &Args<'_>, view: Lookup) -> Result<(), Failure> {
    change(evaluation, args, view, args.text(0), (Operation::Set(args.text(1).into()), None)).map(drop)
}

pub(super) fn add(evaluation: &mut Evaluation<'_>, args: &Args<'_>, view: Lookup) -> Result<(), Failure> {
    change(evaluation, args, view, args.text(0), (Operation::Add(args.text(1).into()), None)).map(drop)
}

pub(super) fn count(
    evaluation: &mut Evaluation<'_>,
    args: &Args<'_>,
    view: Lookup,
    by: i64,
    out: &mut String,
) -> Result<(), Failure> {
    let new = change(evaluation, args, view, args.text(0), (Operation::Count(by), None))?;
    evaluation.put_value(out, &new.unwrap_or_default())
}

pub(super) fn delete(evaluation: &mut Evaluation<'_>, args: &Args<'_>, view: Lookup) -> Result<(), Failure> {
    change(evaluation, args, view, args.text(0), (Operation::Delete, None)).map(drop)
}

/// A list or an object, or text that is one: SillyTavern keeps them as text.
fn container(evaluation: &mut Evaluation<'_>, value: &Value) -> Result<Value, Failure> {
    let found = match value {
        Value::Array(_) | Value::Object(_) => Some(value.clone()),
        Value::String(text) => evaluation.container_in(text)?,
        _ => None,
    };
    found.ok_or_else(|| no_members(value))
}

pub(super) fn get_member(
    evaluation: &mut Evaluation<'_>,
    args: &Args<'_>,
    view: Lookup,
    out: &mut String,
) -> Result<(), Failure> {
    let Some(value) = look_up(evaluation, args, view, args.text(0))? else { return Ok(()) };
    let container = container(evaluation, &value)?;
    match path::find(&container, &[PathStep::Key(args.text(1).into())])? {
        Some(value) => evaluation.put_value(out, value),
        None => Ok(()),
    }
}

pub(super) fn set_member(evaluation: &mut Evaluation<'_>, args: &Args<'_>, view: Lookup) -> Result<(), Failure> {
    let operation = Operation::SetMember(args.text(1).into(), args.text(2).into());
    change(evaluation, args, view, args.text(0), (operation, None)).map(drop)
}

pub(super) fn of_state(evaluation: &mut Evaluation<'_>, args: &Args<'_>, out: &mut String) -> Result<(), Failure> {
    let path: WrittenPath = match args.text(0).parse() {
        Ok(path) => path,
        Err(error) => return Failure::err(WarningCode::Unreadable, format!("{error}")),
    };
    let variables = evaluation.overlay.variables();
    let Some(state) = variables.state() else { return Err(no_state()) };
    let found = state_value(state, &path, args.text(0))?;
    evaluation.used(args, Some(Scope::Page), args.text(0), found.is_some());
    match found {
        Some(value) => evaluation.put_value(out, value),
        None => Ok(()),
    }
}

/// The value at a path of the state, read as strictly as the paths of variables are.
fn state_value<'s>(state: &'s Value, path: &WrittenPath, written: &str) -> Result<Option<&'s Value>, Failure> {
    let segments = path.on(state);
    let located = locate(state, &segments);
    if located.exists() {
        return Ok(Some(located.value));
    }
    if segments.iter().any(|segment| segment.is_empty()) {
        let message = format!("{written:?} is no path; write it as a.b[0][\"c.d\"]");
        return Failure::err(WarningCode::Unreadable, message);
    }
    match (located.value, located.missing.first()) {
        (Value::Object(_) | Value::Null, _) | (_, None) => Ok(None),
        (Value::Array(_), Some(segment)) if is_index(segment).is_some() => Ok(None),
        (value, Some(segment)) => Err(path::no_way(value, &PathStep::Key(Arc::clone(segment)))),
    }
}

pub(super) fn view(evaluation: &mut Evaluation<'_>, args: &Args<'_>, out: &mut String) -> Result<(), Failure> {
    let name = args.text(0);
    let since = match args.values.get(1).map(|text| text.trim().parse::<i64>()) {
        None => None,
        Some(Ok(floor)) => Some(floor),
        Some(Err(_)) => return Failure::err(WarningCode::WrongKind, "the number of a floor is an integer"),
    };
    let text = evaluation.view(name, since)?;
    evaluation.put(out, &text)
}

/// The name of the user or the character.
pub(super) fn name(evaluation: &mut Evaluation<'_>, name: Option<&str>, out: &mut String) -> Result<(), Failure> {
    match name {
        Some(name) => evaluation.put(out, name),
        None => Failure::err(WarningCode::Missing, "nobody said what the name is; give it in the request"),
    }
}
