//! What a schema of MVU forbids a function: members that a locked container does not have, and the removal of required ones.
//! MVU's own commands check the same before they write; a function has written already, so its ops are checked.

use super::schema::{MvuSchema, is, truth};
use crate::document::Value;
use crate::document::op::Op;
use crate::document::path::{Path, Segment};
use crate::names::problem::{Code, Refusal};
use std::sync::Arc;

impl MvuSchema {
    /// Refuses an op that the schema forbids. Kinds of values are never enforced, as in MVU.
    pub(crate) fn check(&self, op: &Op) -> Result<(), Refusal> {
        let path = op.path();
        if let Op::Replace { old, value, .. } = op {
            return self.described(path).map_or(Ok(()), |node| check_replaced(node, path, old, value));
        }
        let (Some(container), Some((_, last))) = (path.parent(), path.split_last()) else { return Ok(()) };
        // A container that the schema does not describe is allowed by the one around it.
        let Some(node) = self.described(&container) else { return Ok(()) };
        match (op, last) {
            (_, Segment::Index(_)) => check_list(node, &container),
            (Op::Remove { .. }, Segment::Key(key)) => check_removed(node, key),
            (_, Segment::Key(key)) => check_added(node, &container, key),
        }
    }

    fn described(&self, path: &Path) -> Option<&Value> {
        path.segments().iter().try_fold(self.as_value(), below)
    }
}

fn below<'a>(node: &'a Value, segment: &Segment) -> Option<&'a Value> {
    match segment {
        Segment::Index(_) => node.get("elementType").filter(|_| is(node, "array")),
        Segment::Key(key) => node.get("properties").filter(|_| is(node, "object"))?.get(key),
    }
}

/// What comes and goes inside of a container that is replaced by another.
fn check_replaced(node: &Value, path: &Path, old: &Value, new: &Value) -> Result<(), Refusal> {
    if old.is_shared_with(new) {
        return Ok(());
    }
    let inside = |segment: Segment, old: &Value, new: &Value| match below(node, &segment) {
        Some(node) if old.is_container() => check_replaced(node, &path.child(segment), old, new),
        _ => Ok(()),
    };
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in old.iter() {
                match new.get(key) {
                    Some(new) => inside(Segment::Key(Arc::clone(key)), value, new)?,
                    None => check_removed(node, key)?,
                }
            }
            let added = new.iter().filter(|(key, _)| !old.contains_key(key));
            added.map(|(key, _)| key).try_for_each(|key| check_added(node, path, key))
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            let mut pairs = old.iter().zip(new.iter()).enumerate();
            pairs.try_for_each(|(index, (old, new))| inside(Segment::Index(index), old, new))
        }
        (Value::Array(_), Value::Array(_)) => check_list(node, path),
        _ => Ok(()),
    }
}

fn check_list(node: &Value, path: &Path) -> Result<(), Refusal> {
    match is(node, "array") && !truth(node, "extensible") {
        true => Refusal::err(Code::Protected, format!("the list `{path}` is locked by the schema")),
        false => Ok(()),
    }
}

fn check_added(node: &Value, container: &Path, key: &str) -> Result<(), Refusal> {
    let is_locked = is(node, "object") && node.get("extensible").and_then(Value::as_bool) == Some(false);
    if !is_locked || node.get("properties").is_some_and(|properties| properties.get(key).is_some()) {
        return Ok(());
    }
    let container = if container.is_root() { "the state".to_owned() } else { format!("the object `{container}`") };
    Refusal::err(Code::Protected, format!("{container} is locked by the schema: `{key}` is new"))
}

fn check_removed(node: &Value, key: &str) -> Result<(), Refusal> {
    let property = node.get("properties").and_then(|properties| properties.get(key));
    match property.is_some_and(|property| truth(property, "required")) {
        true => Refusal::err(Code::Protected, format!("the key `{key}` is required by the schema")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::diff::diff;

    const TEMPLATE: &str = r#"{"$meta": {"extensible": false}, "hp": 50, "bag": ["rope"], "open": ["a", "$__META_EXTENSIBLE__$"],
        "locked": {"a": 1, "b": {"c": 1}}, "free": {"$meta": {"extensible": true, "required": ["kept"]}, "kept": 1, "other": 2}}"#;

    /// What the schema of the template says to a change of one place.
    fn said(place: &str, value: &str) -> String {
        let template = Value::parse(TEMPLATE).unwrap();
        let schema = MvuSchema::generate(&template, None);
        let before = crate::mvu::strip(&template);
        let Value::Object(mut after) = before.clone() else { panic!("an object") };
        Arc::make_mut(&mut after).set(place.into(), Value::parse(value).unwrap());
        let after = Value::Object(after);
        let change = diff(&before, &after);
        let whole = Op::Replace { path: Path::root(), old: before, value: after };
        let said = |ops: &[Op]| ops.iter().try_for_each(|op| schema.check(op)).err().map(|refusal| refusal.message);
        let by_parts = said(&change.ops);
        assert_eq!(said(&[whole]), by_parts, "the same in one op");
        by_parts.unwrap_or_default()
    }

    #[test]
    fn locked_containers_stay_as_they_are_and_required_keys_stay() {
        assert_eq!(said("new", "1"), "the state is locked by the schema: `new` is new");
        assert_eq!(said("hp", r#""text""#), "");
        assert_eq!(said("bag", r#"["lamp"]"#), "");
        assert_eq!(said("bag", r#"["rope", "lamp"]"#), "the list `bag` is locked by the schema");
        assert_eq!(said("bag", "[]"), "the list `bag` is locked by the schema");
        assert_eq!(said("open", r#"["a", "b"]"#), "");
        assert_eq!(said("locked", r#"{"a": 2, "b": {"c": 3}}"#), "");
        assert_eq!(
            said("locked", r#"{"a": 1, "b": {"c": 1, "d": 1}}"#),
            "the object `locked.b` is locked by the schema: `d` is new"
        );
        assert_eq!(said("locked", r#"{"b": {"c": 1}}"#), "the key `a` is required by the schema");
        assert_eq!(said("free", r#"{"kept": 1, "more": {"deep": [1]}}"#), "");
        assert_eq!(said("free", r#"{"other": 2}"#), "the key `kept` is required by the schema");
    }
}
