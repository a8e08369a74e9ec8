//! Examines what a command did: refuses with a reason, or says what to mend.

use super::{Additional, Bound, Node, Schema, completed};
use crate::document::op::Op;
use crate::document::path::{Path, Segment};
use crate::document::{Kind, Number, Object, Value};
use crate::mvu::to_number;
use crate::names::problem::{Code, Refusal};
use std::sync::Arc;

/// A value that must be put in the place of the one that was written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fix {
    pub(crate) path: Path,
    pub(crate) value: Value,
    pub(crate) why: String,
}

impl Schema {
    /// Examines ops that were just done to a document.
    pub(crate) fn examine(&self, document: &Value, ops: &[Op]) -> Result<Vec<Fix>, Refusal> {
        let mut fixes = Vec::new();
        for op in ops {
            self.examine_op(document, op, &mut fixes)?;
        }
        Ok(fixes)
    }

    /// Refuses ops that write, bring or take away what is read-only.
    pub(crate) fn check_read_only(&self, ops: &[Op]) -> Result<(), Refusal> {
        if !self.root.guards {
            return Ok(());
        }
        for op in ops {
            let mut node = Some(&self.root);
            for segment in op.path().segments() {
                if node.is_some_and(|node| node.read_only) {
                    return Err(read_only(op.path()));
                }
                node = match segment {
                    Segment::Key(key) => node.and_then(|node| node.member(key)),
                    Segment::Index(_) => node.and_then(|node| node.items.as_deref()),
                };
            }
            if node.is_some_and(|node| differ_read_only(node, op.old(), op.value())) {
                return Err(read_only(op.path()));
            }
        }
        Ok(())
    }

    fn examine_op(&self, document: &Value, op: &Op, fixes: &mut Vec<Fix>) -> Result<(), Refusal> {
        let mut node = Some(&self.root);
        let segments = op.path().segments();
        for (position, segment) in segments.iter().enumerate() {
            let Some(current) = node else { return Ok(()) };
            if position + 1 == segments.len() {
                examine_container(document, op, current, segment)?;
            }
            node = match segment {
                Segment::Key(key) => current.member(key),
                Segment::Index(_) => current.items.as_deref(),
            };
        }
        let Some(node) = node else { return Ok(()) };
        // A later op of the same command may have replaced the value; what counts is what stands there now.
        match (op.value(), op.path().find(document)) {
            (Some(_), Some(value)) => {
                if let Some(mended) = examine_value(node, op.path(), value)? {
                    let why = format!("the schema made {} of the value for `{}`", mended.brief(), op.path());
                    fixes.push(Fix { path: op.path().clone(), value: mended, why });
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn read_only(path: &Path) -> Refusal {
    Refusal::new(Code::ReadOnly, format!("`{path}` is read-only"))
}

/// Names in a message.
const NAMES_SHOWN: usize = 20;

/// The first of some names, for a message.
fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.take(NAMES_SHOWN + 1).collect();
    if names.len() > NAMES_SHOWN {
        names[NAMES_SHOWN] = "…";
    }
    names.join(", ")
}

/// Whether the container allows this member or item to come or go.
fn examine_container(document: &Value, op: &Op, node: &Node, segment: &Segment) -> Result<(), Refusal> {
    let path = op.path();
    let length = || {
        crate::document::path::find(document, &path.segments()[..path.segments().len() - 1])
            .map_or(0, |list| list.items().len())
    };
    match (op, segment) {
        (Op::Add { .. }, Segment::Key(key)) if !node.knows(key) => {
            let known = some(node.properties.keys().map(AsRef::as_ref));
            Refusal::err(Code::Protected, format!("the schema knows no `{path}`; there are {known}"))
        }
        (Op::Remove { .. }, Segment::Key(key)) if node.is_required(key) && path.find(document).is_none() => {
            Refusal::err(Code::Protected, format!("`{path}` is required"))
        }
        (Op::Add { .. }, Segment::Index(_)) if node.items_max.is_some_and(|most| length() > most) => {
            Refusal::err(Code::OutOfRange, format!("`{}` is full", path.parent().unwrap_or_default()))
        }
        (Op::Remove { .. }, Segment::Index(_)) if node.items_min.is_some_and(|least| length() < least) => {
            Refusal::err(Code::OutOfRange, format!("`{}` would be too short", path.parent().unwrap_or_default()))
        }
        _ => Ok(()),
    }
}

/// Whether one value has a read-only part that the other has not, or has otherwise. Items of lists meet by their index.
fn differ_read_only(node: &Node, old: Option<&Value>, new: Option<&Value>) -> bool {
    if !node.guards || (old.is_none() && new.is_none()) {
        return false;
    }
    if node.read_only {
        return old != new;
    }
    let (old_members, new_members) = (old.and_then(Value::as_object), new.and_then(Value::as_object));
    let keys = old_members.into_iter().chain(new_members).flatten().map(|(key, _)| key);
    let members_differ = keys.into_iter().any(|key| {
        let old = old_members.and_then(|members| members.get(key));
        let new = new_members.and_then(|members| members.get(key));
        node.member(key).is_some_and(|child| differ_read_only(child, old, new))
    });
    let (old_items, new_items) = (old.map_or(&[][..], Value::items), new.map_or(&[][..], Value::items));
    let items_differ = node.items.as_deref().is_some_and(|child| {
        let length = old_items.len().max(new_items.len());
        (0..length).any(|index| differ_read_only(child, old_items.get(index), new_items.get(index)))
    });
    members_differ || items_differ
}

/// Examines a value and everything in it. Gives back the mended value when something had to change.
fn examine_value(node: &Node, path: &Path, value: &Value) -> Result<Option<Value>, Refusal> {
    let coerced = coerced(node, value);
    let value = coerced.as_ref().unwrap_or(value);
    if !node.kinds.is_empty() && !node.kinds.contains(&value.kind()) {
        let kinds: Vec<&str> = node.kinds.iter().map(|kind| kind.with_article()).collect();
        let message = format!("`{path}` must be {}, not {}", kinds.join(" or "), value.kind().with_article());
        return Refusal::err(Code::TypeChanged, message);
    }
    if let Some(choices) = node.choices.as_ref().filter(|choices| !choices.contains(value)) {
        let choices: Vec<String> = choices.iter().take(NAMES_SHOWN + 1).map(Value::brief).collect();
        let choices = some(choices.iter().map(String::as_str));
        let message = format!("`{path}` must be one of {choices}, not {}", value.brief());
        return Refusal::err(Code::SchemaViolated, message);
    }
    let mended = match value {
        Value::Number(number) => examine_number(node, path, *number)?.map(Value::Number),
        Value::String(text) => {
            examine_text(node, path, text)?;
            None
        }
        Value::Object(object) => examine_object(node, path, object)?,
        Value::Array(_) => examine_list(node, path, value.items())?,
        _ => None,
    };
    Ok(mended.or(coerced))
}

/// Numeric text as the number it is, where the schema wants a number and allows that.
fn coerced(node: &Node, value: &Value) -> Option<Value> {
    let wanted = node.coerce && node.kinds.contains(&Kind::Number) && !node.kinds.contains(&value.kind());
    to_number(value).filter(|_| wanted && *value != Value::Null).map(Value::Number)
}

fn examine_object(node: &Node, path: &Path, object: &Object) -> Result<Option<Value>, Refusal> {
    let complete = completed(node, object);
    let object = complete.as_ref().and_then(Value::as_object).unwrap_or(object);
    if let Some(missing) = node.required.iter().find(|key| !object.contains_key(key)) {
        return Refusal::err(Code::SchemaViolated, format!("`{path}` needs `{missing}`"));
    }
    let stray = object.iter().find(|(key, _)| node.additional == Additional::Forbidden && !node.knows(key));
    if let Some((stray, _)) = stray {
        return Refusal::err(Code::Protected, format!("the schema knows no `{}`", path.key(Arc::clone(stray))));
    }
    let mut mended: Option<Object> = None;
    for (key, value) in object {
        let Some(child) = node.member(key) else { continue };
        if let Some(value) = examine_value(child, &path.key(Arc::clone(key)), value)? {
            mended.get_or_insert_with(|| object.clone()).set(Arc::clone(key), value);
        }
    }
    Ok(mended.map(|object| Value::Object(object.into())).or(complete))
}

fn examine_list(node: &Node, path: &Path, items: &[Value]) -> Result<Option<Value>, Refusal> {
    let short = node.items_min.is_some_and(|least| items.len() < least);
    if short || node.items_max.is_some_and(|most| items.len() > most) {
        return Refusal::err(Code::OutOfRange, format!("`{path}` cannot have {} items", items.len()));
    }
    let Some(child) = &node.items else { return Ok(None) };
    let mut mended: Option<Vec<Value>> = None;
    for (index, item) in items.iter().enumerate() {
        if let Some(value) = examine_value(child, &path.index(index), item)? {
            mended.get_or_insert_with(|| items.to_vec())[index] = value;
        }
    }
    Ok(mended.map(|items| items.into_iter().collect()))
}

fn examine_number(node: &Node, path: &Path, number: Number) -> Result<Option<Number>, Refusal> {
    let below = |bound: &Bound| if bound.exclusive { number <= bound.number } else { number < bound.number };
    let above = |bound: &Bound| if bound.exclusive { number >= bound.number } else { number > bound.number };
    let crossed = node
        .minimum
        .filter(below)
        .map(|bound| (bound, "at least"))
        .or(node.maximum.filter(above).map(|bound| (bound, "at most")));
    if let Some((bound, side)) = crossed {
        if node.clamp
            && let Some(clamped) = nearest_inside(node, bound, side == "at least")
        {
            return Ok(Some(clamped));
        }
        return Refusal::err(Code::OutOfRange, format!("`{path}` must be {side} {}, not {number}", bound.number));
    }
    if node.integer && !number.is_integer() {
        return Refusal::err(Code::SchemaViolated, format!("`{path}` must be a whole number, not {number}"));
    }
    if let Some(step) = node.multiple_of {
        let times = number.as_f64() / step.as_f64();
        if (times - times.round()).abs() > 1e-9 {
            return Refusal::err(Code::SchemaViolated, format!("`{path}` must be a multiple of {step}, not {number}"));
        }
    }
    Ok(None)
}

/// The allowed number nearest to a bound. Where only whole numbers are allowed it is rounded to the inside.
fn nearest_inside(node: &Node, bound: Bound, lower: bool) -> Option<Number> {
    if !node.integer || bound.number.is_integer() {
        return (!bound.exclusive).then_some(bound.number);
    }
    let double = bound.number.as_f64();
    Number::from_f64(if lower { double.ceil() } else { double.floor() }).filter(|number| number.is_integer())
}

fn examine_text(node: &Node, path: &Path, text: &str) -> Result<(), Refusal> {
    if node.length_min.is_none() && node.length_max.is_none() {
        return Ok(());
    }
    let length = text.chars().count();
    if node.length_min.is_some_and(|least| length < least) || node.length_max.is_some_and(|most| length > most) {
        return Refusal::err(Code::OutOfRange, format!("`{path}` cannot have {length} characters"));
    }
    Ok(())
}
