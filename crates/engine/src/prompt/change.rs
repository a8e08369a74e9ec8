//! Changes that depend on the value that is there: counting, adding, subtracting, and writing one member of a value.
//!
//! A prompt shows what they give now. A commit may come later and find another value, so they are kept as what they do and are
//! done again then; what they gave first would undo what was written in between. Those that count or add are kept with what they
//! did it to, too: where a prompt counted a number and the commit finds text, the text is not taken for 0.

use super::operation::{ChangedKind, Operation};
use super::path::{self, PathStep};
use crate::document::Value;
use crate::view::expression::is_true;
use std::sync::Arc;

/// A change of a value, or of one inside it, that depends on what is there.
///
/// ```
/// use tavernkeep_engine::document::Value;
/// use tavernkeep_engine::prompt::{AppliedChange, RelativeChange};
///
/// let stored = Value::parse(r#"{"path": ["金币"], "count": 1}"#).unwrap();
/// let change = RelativeChange::read(&stored).unwrap();
/// let later = Value::parse(r#"{"金币": 100, "银币": 5}"#).unwrap();
/// let new = Value::parse(r#"{"金币": 101, "银币": 5}"#).unwrap();
/// assert_eq!(change.apply(Some(&later)), AppliedChange::Changed(new));
/// assert_eq!(change.to_value(), stored);
///
/// let stored = Value::parse(r#"{"path": [], "count": 1, "of": "number"}"#).unwrap();
/// let change = RelativeChange::read(&stored).unwrap();
/// assert_eq!(change.apply(Some(&Value::from("a text"))), AppliedChange::NotApplicable);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RelativeChange {
    steps: Vec<PathStep>,
    operation: Operation,
    /// What was changed in the prompt; none in rows of older versions, and where it does not matter.
    of: Option<ChangedKind>,
    /// The item that the prompt saw, where one of a list is deleted: another one may have its place by then.
    item: Option<Value>,
    only: Option<OnlyIf>,
}

/// What became of a change that was done again.
#[derive(Debug, Clone, PartialEq)]
pub enum AppliedChange {
    /// The variable then.
    Changed(Value),
    /// There is nothing to do: the value is there already, or gone already.
    NotNeeded,
    /// The change cannot be made of what is there, or would be another one than the prompt showed.
    NotApplicable,
}

/// When an operator writes at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnlyIf {
    /// `??=`
    Missing,
    /// `||=`
    NotTrue,
}

impl OnlyIf {
    const ALL: [(OnlyIf, &str); 2] = [(OnlyIf::Missing, "missing"), (OnlyIf::NotTrue, "not_true")];

    fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(only, _)| *only == self).map_or("", |(_, name)| name)
    }

    fn read(name: &str) -> Option<OnlyIf> {
        Self::ALL.into_iter().find(|(_, other)| *other == name).map(|(only, _)| only)
    }

    /// Whether a value is replaced.
    pub(super) fn replaces(self, value: Option<&Value>) -> bool {
        match self {
            OnlyIf::Missing => value.is_none_or(|value| *value == Value::Null),
            OnlyIf::NotTrue => !value.is_some_and(is_true),
        }
    }
}

impl RelativeChange {
    /// What a commit has to do again, for an operation at the end of a way inside a variable. None for one that puts a new value
    /// in the place of the variable, whatever is there.
    pub(super) fn made(
        root: Option<&Value>,
        steps: &[PathStep],
        operation: &Operation,
        only: Option<OnlyIf>,
    ) -> Option<RelativeChange> {
        let replaces = matches!(operation, Operation::Set(_) | Operation::Delete);
        if replaces && steps.is_empty() && only.is_none() {
            return None;
        }
        let old = root.and_then(|root| path::find(root, steps).ok()?);
        let list = || {
            let (_, before) = steps.split_last()?;
            path::find(root?, before).ok()??.as_array()
        };
        let item = old.filter(|_| *operation == Operation::Delete && list().is_some()).cloned();
        let of = operation.changes(old);
        Some(RelativeChange { steps: steps.to_vec(), operation: operation.clone(), of, item, only })
    }

    /// Does the change to the variable that is there.
    pub fn apply(&self, root: Option<&Value>) -> AppliedChange {
        let Ok(old) = root.map_or(Ok(None), |root| path::find(root, &self.steps)) else {
            return AppliedChange::NotApplicable;
        };
        if self.only.is_some_and(|only| !only.replaces(old)) {
            return AppliedChange::NotNeeded;
        }
        let is_another_item = self.item.is_some() && self.item.as_ref() != old;
        if is_another_item || (self.of.is_some() && self.of != self.operation.changes(old)) {
            return AppliedChange::NotApplicable;
        }
        if self.operation == Operation::Delete && old.is_none() {
            return AppliedChange::NotNeeded;
        }
        let Ok(new) = self.operation.on(old) else { return AppliedChange::NotApplicable };
        match path::put(root.cloned(), &self.steps, new) {
            Ok(Some(root)) => AppliedChange::Changed(root),
            Ok(None) | Err(_) => AppliedChange::NotApplicable,
        }
    }

    /// The change as it is stored.
    pub fn to_value(&self) -> Value {
        let step = |step: &PathStep| match step {
            PathStep::Key(key) => Value::from(key.as_ref()),
            PathStep::Index(index) => Value::from(i64::try_from(*index).unwrap_or(i64::MAX)),
        };
        let path: Value = self.steps.iter().map(step).collect();
        let (name, by) = match &self.operation {
            Operation::Count(by) => ("count", Value::from(*by)),
            Operation::Add(text) => ("add", Value::from(text.as_ref())),
            Operation::Subtract(text) => ("subtract", Value::from(text.as_ref())),
            Operation::Set(text) | Operation::SetMember(_, text) => ("set", Value::from(text.as_ref())),
            Operation::Delete => ("delete", Value::Bool(true)),
        };
        let member = match &self.operation {
            Operation::SetMember(member, _) => Some(("member", Value::from(member.as_ref()))),
            _ => None,
        };
        let of = self.of.map(|kind| ("of", Value::from(kind.name())));
        let item = self.item.clone().map(|item| ("item", item));
        let only = self.only.map(|only| ("only_if", Value::from(only.name())));
        [("path", path), (name, by)].into_iter().chain(member).chain(of).chain(item).chain(only).collect()
    }

    /// Reads a stored change.
    pub fn read(stored: &Value) -> Option<RelativeChange> {
        let step = |step: &Value| match step {
            Value::String(key) => Some(PathStep::Key(Arc::clone(key))),
            other => usize::try_from(other.as_number()?.as_u64()?).ok().map(PathStep::Index),
        };
        let steps = stored.get("path")?.as_array()?.iter().map(step).collect::<Option<_>>()?;
        let text = |name: &str| stored.get(name).and_then(Value::as_str).map(Arc::<str>::from);
        let count = || stored.get("count")?.as_number()?.as_i64().map(Operation::Count);
        let set = || {
            let set = text("set")?;
            Some(match text("member") {
                Some(member) => Operation::SetMember(member, set),
                None => Operation::Set(set),
            })
        };
        let operation = count()
            .or_else(|| text("add").map(Operation::Add))
            .or_else(|| text("subtract").map(Operation::Subtract))
            .or_else(set)
            .or_else(|| stored.get("delete").map(|_| Operation::Delete))?;
        let of = stored.get("of").and_then(Value::as_str).and_then(ChangedKind::read);
        let only = stored.get("only_if").and_then(Value::as_str).and_then(OnlyIf::read);
        Some(RelativeChange { steps, operation, of, item: stored.get("item").cloned(), only })
    }
}
