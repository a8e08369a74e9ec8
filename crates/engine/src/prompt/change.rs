//! Changes that depend on the value that is there: counting, adding, subtracting.
//!
//! A prompt shows what they give now. A commit may come later and find another value, so they are kept as what they do and are
//! done again then; what they gave first would undo what was written in between. They are kept with what they did it to, too: where
//! a prompt counted a number and the commit finds text, the text is not taken for 0.

use super::path::{self, Step};
use super::warning::{Failure, WarningCode};
use crate::document::{Number, Value};
use crate::view::expression::{number_in, number_of, text_of};
use std::sync::Arc;

/// A change of a value, or of one inside it, that depends on what is there.
///
/// ```
/// use tavernkeep_engine::{document::Value, prompt::RelativeChange};
///
/// let stored = Value::parse(r#"{"path": ["金币"], "count": 1}"#).unwrap();
/// let change = RelativeChange::read(&stored).unwrap();
/// let later = Value::parse(r#"{"金币": 100}"#).unwrap();
/// assert_eq!(change.apply(Some(&later)).unwrap().to_json(), r#"{"金币":101}"#);
/// assert_eq!(change.to_value(), stored);
///
/// let stored = Value::parse(r#"{"path": [], "count": 1, "of": "number"}"#).unwrap();
/// let change = RelativeChange::read(&stored).unwrap();
/// assert_eq!(change.apply(Some(&Value::from("another text"))), None);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RelativeChange {
    steps: Vec<Step>,
    by: By,
    /// What was changed in the prompt; none in rows of older versions.
    of: Option<ChangedKind>,
}

/// What a change is made of: the same macro counts numbers, joins texts and adds to lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangedKind {
    Number,
    Text,
    List,
}

impl ChangedKind {
    const ALL: [(ChangedKind, &str); 3] =
        [(ChangedKind::Number, "number"), (ChangedKind::Text, "text"), (ChangedKind::List, "list")];

    fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    fn read(name: &str) -> Option<ChangedKind> {
        Self::ALL.into_iter().find(|(_, other)| *other == name).map(|(kind, _)| kind)
    }
}

/// What is done with the value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum By {
    /// `incvar`, `--`
    Count(i64),
    /// `addvar`, `+=`
    Add(Arc<str>),
    /// `-=`
    Subtract(Arc<str>),
}

impl By {
    /// The value in the place of an old one.
    pub(super) fn on(&self, old: Option<&Value>) -> Result<Value, Failure> {
        match self {
            By::Count(by) => counted(old, *by),
            By::Add(text) => sum(old, text),
            By::Subtract(text) => difference(old, text),
        }
    }

    /// What this changes where an old value is. A missing one is 0.
    fn changes(&self, old: Option<&Value>) -> ChangedKind {
        let is_number = match old {
            None | Some(Value::Null) => true,
            Some(old) => number_of(old).is_some(),
        };
        match (self, old) {
            (By::Add(_), Some(Value::Array(_))) => ChangedKind::List,
            (By::Add(text), _) if number_in(text).is_none() => ChangedKind::Text,
            _ if is_number => ChangedKind::Number,
            _ => ChangedKind::Text,
        }
    }
}

impl RelativeChange {
    /// A change as it was made of an old value.
    pub(super) fn made(steps: Vec<Step>, by: By, old: Option<&Value>) -> RelativeChange {
        let of = Some(by.changes(old));
        RelativeChange { steps, by, of }
    }

    /// The variable then; none where the change cannot be made of what is there, or would be another one than the prompt showed.
    pub fn apply(&self, root: Option<&Value>) -> Option<Value> {
        let old = match root {
            Some(root) => path::find(root, &self.steps).ok()?,
            None => None,
        };
        if self.of.is_some_and(|kind| kind != self.by.changes(old)) {
            return None;
        }
        let new = self.by.on(old).ok()?;
        let mut root = root.cloned().unwrap_or_default();
        path::set(&mut root, &self.steps, new).ok()?;
        Some(root)
    }

    /// The change as it is stored.
    pub fn to_value(&self) -> Value {
        let step = |step: &Step| match step {
            Step::Key(key) => Value::from(key.as_ref()),
            Step::Index(index) => Value::from(i64::try_from(*index).unwrap_or(i64::MAX)),
        };
        let path: Value = self.steps.iter().map(step).collect();
        let (name, by) = match &self.by {
            By::Count(by) => ("count", Value::from(*by)),
            By::Add(text) => ("add", Value::from(text.as_ref())),
            By::Subtract(text) => ("subtract", Value::from(text.as_ref())),
        };
        let of = self.of.map(|kind| ("of", Value::from(kind.name())));
        [("path", path), (name, by)].into_iter().chain(of).collect()
    }

    /// Reads a stored change.
    pub fn read(stored: &Value) -> Option<RelativeChange> {
        let step = |step: &Value| match step {
            Value::String(key) => Some(Step::Key(Arc::clone(key))),
            other => usize::try_from(other.as_number()?.as_u64()?).ok().map(Step::Index),
        };
        let steps = stored.get("path")?.as_array()?.iter().map(step).collect::<Option<_>>()?;
        let text = |name: &str| stored.get(name).and_then(Value::as_str).map(Arc::<str>::from);
        let count = || stored.get("count")?.as_number()?.as_i64().map(By::Count);
        let by = count().or_else(|| text("add").map(By::Add)).or_else(|| text("subtract").map(By::Subtract))?;
        let of = stored.get("of").and_then(Value::as_str).and_then(ChangedKind::read);
        Some(RelativeChange { steps, by, of })
    }
}

/// Two numbers are added, an item goes behind a list, text goes behind text. A missing value is the text `0`.
fn sum(old: Option<&Value>, text: &str) -> Result<Value, Failure> {
    let zero = Value::from("0");
    let old = match old {
        None | Some(Value::Null) => &zero,
        Some(old) => old,
    };
    match (old, number_of(old), number_in(text)) {
        (_, Some(left), Some(right)) => Ok(like(old, left.plus(right).ok_or_else(overflow)?)),
        (Value::Array(_), ..) => {
            let items = old.items().iter().cloned();
            Ok(items.chain(std::iter::once(Value::from(text))).collect())
        }
        (Value::Object(_), ..) => {
            Failure::err(WarningCode::WrongKind, "nothing can be added to an object; use `setvarkey`")
        }
        _ => Ok(Value::from(format!("{}{text}", text_of(old)))),
    }
}

/// A number in the place of an old value: text stays text.
fn like(old: &Value, number: Number) -> Value {
    match old {
        Value::Number(_) => Value::Number(number),
        _ => Value::from(Value::Number(number).to_json()),
    }
}

fn overflow() -> Failure {
    Failure::new(WarningCode::WrongKind, "the sum is no number that can be kept exactly")
}

/// What is no number counts as 0, as SillyTavern has it; lists and objects are not lost that way.
fn counted(old: Option<&Value>, by: i64) -> Result<Value, Failure> {
    let by = Number::from(by);
    match old {
        Some(Value::Array(_) | Value::Object(_)) => {
            Failure::err(WarningCode::WrongKind, "a list or an object cannot be counted")
        }
        Some(old) => match number_of(old) {
            Some(number) => Ok(like(old, number.plus(by).ok_or_else(overflow)?)),
            None => Ok(like(old, by)),
        },
        None => Ok(like(&Value::Null, by)),
    }
}

/// `-=`: a number less. What is no number cannot become less.
fn difference(old: Option<&Value>, text: &str) -> Result<Value, Failure> {
    let wrong = || Failure::new(WarningCode::WrongKind, "only a number can be subtracted from a number");
    let right = number_in(text).ok_or_else(wrong)?;
    match old {
        None | Some(Value::Null) => Ok(like(&Value::Null, right.negate())),
        Some(old) => {
            let left = number_of(old).ok_or_else(wrong)?;
            Ok(like(old, left.minus(right).ok_or_else(overflow)?))
        }
    }
}
