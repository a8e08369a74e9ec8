//! What a macro does with a value: it sets, counts, adds, subtracts or deletes.

use super::path::{self, PathStep};
use super::warning::{Failure, WarningCode};
use crate::document::path::is_index;
use crate::document::{Number, Value};
use crate::view::expression::{number_in, number_of, text_of};
use std::sync::Arc;

/// What is done with a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operation {
    /// `setvar`, `=`: a text in its place.
    Set(Arc<str>),
    /// `setvarkey`: a text in the place of one member or item.
    SetMember(Arc<str>, Arc<str>),
    /// `incvar`, `--`
    Count(i64),
    /// `addvar`, `+=`
    Add(Arc<str>),
    /// `-=`
    Subtract(Arc<str>),
    /// `deletevar`
    Delete,
}

/// What a change is made of: the same macro counts numbers, joins texts and adds to lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangedKind {
    Number,
    Text,
    List,
}

impl ChangedKind {
    const ALL: [(ChangedKind, &str); 3] =
        [(ChangedKind::Number, "number"), (ChangedKind::Text, "text"), (ChangedKind::List, "list")];

    pub(super) fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    pub(super) fn read(name: &str) -> Option<ChangedKind> {
        Self::ALL.into_iter().find(|(_, other)| *other == name).map(|(kind, _)| kind)
    }
}

impl Operation {
    /// The value in the place of an old one; none where it is deleted.
    pub(super) fn on(&self, old: Option<&Value>) -> Result<Option<Value>, Failure> {
        match self {
            Operation::Set(text) => Ok(Some(typed(text, old))),
            Operation::SetMember(member, text) => with_member(old, member, text).map(Some),
            Operation::Count(by) => counted(old, *by).map(Some),
            Operation::Add(text) => sum(old, text).map(Some),
            Operation::Subtract(text) => difference(old, text).map(Some),
            Operation::Delete => Ok(None),
        }
    }

    /// What this changes where an old value is; none for what does the same whatever is there. A missing one is 0.
    pub(super) fn changes(&self, old: Option<&Value>) -> Option<ChangedKind> {
        let is_number = match old {
            None | Some(Value::Null) => true,
            Some(old) => number_of(old).is_some(),
        };
        Some(match (self, old) {
            (Operation::Set(_) | Operation::SetMember(..) | Operation::Delete, _) => return None,
            (Operation::Add(_), Some(Value::Array(_))) => ChangedKind::List,
            (Operation::Add(text), _) if number_in(text).is_none() => ChangedKind::Text,
            _ if is_number => ChangedKind::Number,
            _ => ChangedKind::Text,
        })
    }
}

/// A text in the place of an old value. It keeps the kind that was there where it can; a new value is text.
fn typed(text: &str, old: Option<&Value>) -> Value {
    let json = |fits: fn(&Value) -> bool| Value::parse(text).ok().filter(fits);
    let kept = match old {
        Some(Value::Number(_)) => number_in(text).map(Value::Number),
        Some(Value::Bool(_)) => json(|value| value.as_bool().is_some()),
        Some(Value::Array(_)) => json(|value| value.as_array().is_some()),
        Some(Value::Object(_)) => json(|value| value.as_object().is_some()),
        _ => None,
    };
    kept.unwrap_or_else(|| Value::from(text))
}

/// A list or an object with a text as one of its members. SillyTavern keeps them as text: text that is one stays text.
fn with_member(old: Option<&Value>, member: &str, text: &str) -> Result<Value, Failure> {
    let (mut value, as_text) = match old {
        None | Some(Value::Null) if is_index(member).is_some() => (Value::empty_array(), false),
        None | Some(Value::Null) => (Value::empty_object(), false),
        Some(old @ (Value::Array(_) | Value::Object(_))) => (old.clone(), false),
        Some(old) => {
            let parsed = old.as_str().and_then(|text| Value::parse(text).ok()).filter(Value::is_container);
            (parsed.ok_or_else(|| no_members(old))?, true)
        }
    };
    let step = PathStep::Key(member.into());
    let old = path::find(&value, std::slice::from_ref(&step))?.cloned();
    path::set(&mut value, &[step], typed(text, old.as_ref()))?;
    Ok(if as_text { Value::from(value.to_json()) } else { value })
}

pub(super) fn no_members(value: &Value) -> Failure {
    Failure::new(WarningCode::WrongKind, format!("{} has no members", value.kind().with_article()))
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
