//! Examines what a command did: refuses with a reason, or says what to mend.

use super::{Additional, Bound, Node, Schema, completed};
use crate::document::{Kind, Number, Value};
use crate::mvu::to_number;
use crate::op::Op;
use crate::path::{Path, Segment};
use crate::problem::{Code, Refusal};
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

    fn examine_op(&self, document: &Value, op: &Op, fixes: &mut Vec<Fix>) -> Result<(), Refusal> {
        let mut node = Some(&self.root);
        let segments = op.path().segments();
        for (position, segment) in segments.iter().enumerate() {
            let Some(current) = node else { return Ok(()) };
            if current.read_only {
                return Err(read_only(op.path()));
            }
            if position + 1 == segments.len() {
                examine_container(document, op, current, segment)?;
            }
            node = match segment {
                Segment::Key(key) => current.member(key),
                Segment::Index(_) => current.items.as_deref(),
            };
        }
        let Some(node) = node else { return Ok(()) };
        if node.read_only || op.old().is_some_and(|old| changes_read_only(node, old, op.value())) {
            return Err(read_only(op.path()));
        }
        // A later op of the same command may have replaced the value; what counts is what stands there now.
        match (op.value(), op.path().find(document)) {
            (Some(_), Some(value)) => {
                if let Some(mended) = examine_value(node, op.path(), value)? {
                    let why = format!("the schema made {mended} of the value for `{}`", op.path());
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

/// Whether the container allows this member or item to come or go.
fn examine_container(document: &Value, op: &Op, node: &Node, segment: &Segment) -> Result<(), Refusal> {
    let path = op.path();
    let length = || {
        crate::path::find(document, &path.segments()[..path.segments().len() - 1])
            .and_then(Value::as_array)
            .map_or(0, |items| items.len())
    };
    match (op, segment) {
        (Op::Add { .. }, Segment::Key(key)) if !node.knows(key) && node.additional == Additional::Forbidden => {
            let known: Vec<&str> = node.properties.keys().map(AsRef::as_ref).collect();
            Err(Refusal::new(Code::Protected, format!("the schema knows no `{path}`; there are {}", known.join(", "))))
        }
        (Op::Remove { .. }, Segment::Key(key)) if node.is_required(key) && path.find(document).is_none() => {
            Err(Refusal::new(Code::Protected, format!("`{path}` is required")))
        }
        (Op::Add { .. }, Segment::Index(_)) if node.items_max.is_some_and(|most| length() > most) => {
            Err(Refusal::new(Code::OutOfRange, format!("the list of `{path}` is full")))
        }
        (Op::Remove { .. }, Segment::Index(_)) if node.items_min.is_some_and(|least| length() < least) => {
            Err(Refusal::new(Code::OutOfRange, format!("the list of `{path}` would be too short")))
        }
        _ => Ok(()),
    }
}

/// Whether a read-only part of the old value would be lost or changed. A value that goes away takes its parts along.
fn changes_read_only(node: &Node, old: &Value, new: Option<&Value>) -> bool {
    let (Some(object), Some(new)) = (old.as_object(), new) else { return false };
    node.properties.iter().any(|(key, child)| match object.get(key) {
        Some(old) if child.read_only => new.get(key) != Some(old),
        Some(old) => changes_read_only(child, old, new.get(key)),
        None => false,
    })
}

/// Examines a value and everything in it. Gives back the mended value when something had to change.
fn examine_value(node: &Node, path: &Path, value: &Value) -> Result<Option<Value>, Refusal> {
    let mut mended = None;
    let mut value = value;
    let coerced;
    if node.coerce
        && !node.kinds.is_empty()
        && !node.kinds.contains(&value.kind())
        && node.kinds.contains(&Kind::Number)
    {
        if let Some(number) = to_number(value).filter(|_| *value != Value::Null) {
            coerced = Value::Number(number);
            mended = Some(coerced.clone());
            value = &coerced;
        }
    }
    if !node.kinds.is_empty() && !node.kinds.contains(&value.kind()) {
        let kinds: Vec<&str> = node.kinds.iter().map(|kind| kind.as_str()).collect();
        let message = format!("`{path}` must be {}, not {}", kinds.join(" or "), value.kind().as_str());
        return Err(Refusal::new(Code::TypeChanged, message));
    }
    if node.choices.as_ref().is_some_and(|choices| !choices.contains(value)) {
        let choices: Vec<String> = node.choices.iter().flatten().map(Value::to_json).collect();
        return Err(Refusal::new(
            Code::SchemaViolated,
            format!("`{path}` must be one of {}, not {value}", choices.join(", ")),
        ));
    }
    match value {
        Value::Number(number) => {
            let number = examine_number(node, path, *number)?;
            mended = number.map(Value::Number).or(mended);
        }
        Value::String(text) => examine_text(node, path, text)?,
        Value::Object(object) => {
            let complete = completed(node, object);
            let object = complete.as_ref().and_then(Value::as_object).unwrap_or(object);
            if let Some(missing) = node.required.iter().find(|key| !object.contains_key(key)) {
                return Err(Refusal::new(Code::SchemaViolated, format!("`{path}` needs `{missing}`")));
            }
            if let Some((stray, _)) =
                object.iter().find(|(key, _)| node.additional == Additional::Forbidden && !node.knows(key))
            {
                return Err(Refusal::new(
                    Code::Protected,
                    format!("the schema knows no `{}`", path.key(Arc::clone(stray))),
                ));
            }
            let mut changed = complete.is_some();
            let mut members = object.clone();
            for (key, value) in object {
                let Some(child) = node.member(key) else { continue };
                if let Some(value) = examine_value(child, &path.key(Arc::clone(key)), value)? {
                    members.set(Arc::clone(key), value);
                    changed = true;
                }
            }
            mended = if changed { Some(Value::Object(members.into())) } else { mended };
        }
        Value::Array(items) => {
            let out = node.items_min.is_some_and(|least| items.len() < least)
                || node.items_max.is_some_and(|most| items.len() > most);
            if out {
                return Err(Refusal::new(Code::OutOfRange, format!("`{path}` cannot have {} items", items.len())));
            }
            if let Some(child) = &node.items {
                let examined =
                    items.iter().enumerate().map(|(index, item)| examine_value(child, &path.index(index), item));
                let examined: Vec<Option<Value>> = examined.collect::<Result<_, _>>()?;
                if examined.iter().any(Option::is_some) {
                    mended = Some(
                        examined
                            .into_iter()
                            .zip(items.iter())
                            .map(|(mended, item)| mended.unwrap_or_else(|| item.clone()))
                            .collect(),
                    );
                }
            }
        }
        _ => {}
    }
    Ok(mended)
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
        if node.clamp && !bound.exclusive {
            return Ok(Some(bound.number));
        }
        let message = format!("`{path}` must be {side} {}, not {number}", bound.number);
        return Err(Refusal::new(Code::OutOfRange, message));
    }
    if node.integer && !number.is_integer() {
        return Err(Refusal::new(Code::SchemaViolated, format!("`{path}` must be a whole number, not {number}")));
    }
    if let Some(step) = node.multiple_of {
        let times = number.as_f64() / step.as_f64();
        if (times - times.round()).abs() > 1e-9 {
            return Err(Refusal::new(
                Code::SchemaViolated,
                format!("`{path}` must be a multiple of {step}, not {number}"),
            ));
        }
    }
    Ok(None)
}

fn examine_text(node: &Node, path: &Path, text: &str) -> Result<(), Refusal> {
    if node.length_min.is_none() && node.length_max.is_none() {
        return Ok(());
    }
    let length = text.chars().count();
    if node.length_min.is_some_and(|least| length < least) || node.length_max.is_some_and(|most| length > most) {
        return Err(Refusal::new(Code::OutOfRange, format!("`{path}` cannot have {length} characters")));
    }
    Ok(())
}
