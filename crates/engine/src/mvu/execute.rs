//! The commands of MVU's classic mode, applied as MVU applies them.
//!
//! Every rule here is one that cards rely on, odd ones included; `docs/compatibility.md` lists where we differ. A refused
//! command leaves no trace.

mod insert;
mod remove;

use super::{MvuSchema, to_number};
use crate::document::draft::Draft;
use crate::document::path::{fix_mvu, is_index, locate, lodash_segments};
use crate::document::{Number, Value, round_significant};
use crate::literal::time::{format_iso, is_iso, parse_time};
use crate::literal::{Literals, read_literal, trim_quotes};
use crate::names::problem::{Code, Refusal};
use std::sync::Arc;

/// A command with its path read; values are `None` where MVU has `undefined`.
struct Order<'a> {
    draft: &'a mut Draft,
    schema: &'a mut Option<MvuSchema>,
    /// The path as MVU prints it.
    text: String,
    segments: Vec<Arc<str>>,
}

/// Performs one call, such as `set` with the arguments as written.
pub(crate) fn execute(
    draft: &mut Draft,
    schema: &mut Option<MvuSchema>,
    name: &str,
    args: &[&str],
) -> Result<(), Refusal> {
    let Some((path, rest)) = args.split_first() else {
        return Refusal::err(Code::BadArguments, format!("_.{name} needs a path"));
    };
    let text = fix_mvu(trim_quotes(path));
    let segments = segments_of(draft.document(), &text);
    // Only what counts is read: of `set` the last argument, of `insert` the first two.
    let counts = match name {
        "set" => rest.len().saturating_sub(1)..rest.len(),
        "insert" | "assign" => 0..rest.len().min(2),
        _ => 0..rest.len().min(1),
    };
    let values = rest[counts].iter().map(|arg| read_literal(arg, Literals::Mvu)).collect();
    perform(draft, schema, name, text, segments, values)
}

/// The segments of a path, an own key of the root that is equal to the whole text first.
fn segments_of(document: &Value, text: &str) -> Vec<Arc<str>> {
    match document {
        _ if text.is_empty() => Vec::new(),
        Value::Object(root) if root.contains_key(text) => vec![text.into()],
        _ => lodash_segments(text),
    }
}

/// Performs a command whose path is already split: calls and patch operations meet here.
pub(crate) fn perform(
    draft: &mut Draft,
    schema: &mut Option<MvuSchema>,
    name: &str,
    text: String,
    segments: Vec<Arc<str>>,
    mut values: Vec<Option<Value>>,
) -> Result<(), Refusal> {
    let mut order = Order { draft, schema, text, segments };
    match name {
        "set" => order.set(values.pop().flatten()),
        "add" => order.add(values.pop().flatten().as_ref()),
        "insert" | "assign" => {
            values.truncate(2);
            let value = values.pop().flatten();
            order.insert(values.pop().map(|key| key.unwrap_or(Value::Null)), value)
        }
        "remove" | "unset" | "delete" => match values.into_iter().next() {
            None => order.remove_path(),
            Some(what) => order.remove_from(what.as_ref()),
        },
        _ => Refusal::err(Code::UnknownFunction, format!("MVU has no command `{name}`")),
    }
}

impl Order<'_> {
    fn set(&mut self, value: Option<Value>) -> Result<(), Refusal> {
        let located = locate(self.draft.document(), &self.segments);
        if !located.exists() {
            return match (located.value, located.missing) {
                // A text has its characters as items there; writing one makes a list of it.
                (Value::String(old), [index])
                    if is_index(index).is_some_and(|index| index < old.encode_utf16().count()) =>
                {
                    let index = is_index(index).unwrap_or(0);
                    let path = located.path;
                    let value = value.unwrap_or_default();
                    let items = (0..index).map(|_| Value::Null).chain([value]).collect();
                    self.draft.replace(&path, items)
                }
                _ => Err(self.missing()),
            };
        }
        let value = value.ok_or_else(|| self.undefined())?;
        let (path, old) = (located.path, located.value.clone());
        let strict = self.schema.as_ref().is_some_and(|schema| schema.flag("strictSet") == Some(true));
        if let Some(first) = pair(&old).filter(|_| !strict) {
            let value = if first.as_number().is_some() && value != Value::Null { self.coerced(&value)? } else { value };
            return self.draft.replace(&path.index(0), value);
        }
        let numeric = old.as_number().is_some() && value.as_str().is_some();
        let value = if numeric { self.coerced(&value)? } else { value };
        self.draft.replace(&path, value)
    }

    fn add(&mut self, delta: Option<&Value>) -> Result<(), Refusal> {
        let located = locate(self.draft.document(), &self.segments);
        if !located.exists() {
            return Err(self.missing());
        }
        let delta = delta.and_then(Value::as_number).ok_or_else(|| {
            Refusal::new(Code::NotANumber, format!("`{}` can only be changed by a number", self.text))
        })?;
        let (path, old) = match pair(located.value) {
            Some(first) => (located.path.index(0), first),
            None => (located.path, located.value),
        };
        let value = match old {
            Value::Number(old) => {
                let sum = round_significant(old.as_f64() + delta.as_f64(), 12);
                let sum = Number::from_f64(sum).ok_or_else(|| {
                    Refusal::new(Code::OutOfRange, format!("the result for `{}` is no finite number", self.text))
                })?;
                Some(Value::Number(sum))
            }
            // Only what is plainly a date: elsewhere "Lv 5" would be the first of May.
            Value::String(text) if is_iso(text) => {
                #[allow(clippy::cast_possible_truncation)]
                let moved = parse_time(text).and_then(|time| time.checked_add(delta.as_f64() as i64));
                moved.map(|time| Value::from(format_iso(time)))
            }
            _ => None,
        };
        let value = value
            .ok_or_else(|| Refusal::new(Code::NotANumber, format!("`{}` is neither a number nor a date", self.text)))?;
        self.draft.replace(&path, value)
    }

    /// A value for a place that holds a number. Nothing becomes NaN.
    fn coerced(&self, value: &Value) -> Result<Value, Refusal> {
        to_number(value).map(Value::Number).ok_or_else(|| {
            Refusal::new(Code::NotANumber, format!("`{}` is a number and {} is none", self.text, value.brief()))
        })
    }

    fn missing(&self) -> Refusal {
        Refusal::new(Code::MissingPath, format!("`{}` does not exist", self.text))
    }

    fn undefined(&self) -> Refusal {
        Refusal::new(Code::BadArguments, format!("the value for `{}` is undefined", self.text))
    }
}

/// The first item of `[value, "description"]`.
fn pair(value: &Value) -> Option<&Value> {
    match value.as_array()?.as_slice() {
        [Value::Array(_), _] => None,
        [first, Value::String(_)] => Some(first),
        _ => None,
    }
}

/// A key as JavaScript makes it of a value.
fn key_text(key: &Value) -> String {
    match key {
        Value::String(text) => text.to_string(),
        other => other.to_json(),
    }
}
