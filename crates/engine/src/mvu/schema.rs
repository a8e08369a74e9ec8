//! MVU's own schema tree: which containers may grow and which keys may go. Types are recorded there and never enforced.
//!
//! ```text
//! object = {"type": "object", "properties": {key: node with "required"}, "extensible", "recursiveExtensible", "template"?}
//! array  = {"type": "array", "elementType": node, "extensible", "recursiveExtensible", "template"?}
//! leaf   = {"type": "string" | "number" | "boolean" | "any"}
//! ```
//!
//! The tree is kept as the JSON it is: a state of ten thousand leaves has a schema five times its size, and most commands
//! look at one path of it.

use super::import::{ARRAY_META, EXTENSIBLE_MARKER, META, is_array_meta};
use super::merge::merge_by_index;
use crate::document::change::Change;
use crate::document::op::Op;
use crate::document::{Object, Value};
use std::sync::Arc;

/// A schema of MVU's classic mode.
#[derive(Debug, Clone)]
pub struct MvuSchema {
    tree: Value,
    /// Whether the tree was generated from the document it describes, so that a new value of the same kind in the place of
    /// an old one leaves it as it is.
    settled: bool,
}

impl PartialEq for MvuSchema {
    fn eq(&self, other: &MvuSchema) -> bool {
        self.tree == other.tree
    }
}

/// The flags that stand at the root only.
const ROOT_FLAGS: [&str; 3] = ["strictSet", "strictTemplate", "concatTemplateArray"];

impl MvuSchema {
    /// Takes a schema tree as MVU stores it; `None` for what is none.
    pub fn from_value(value: &Value) -> Option<MvuSchema> {
        value.as_object().map(|_| MvuSchema { tree: value.clone(), settled: false })
    }

    /// Whether every node is one that MVU writes.
    pub fn is_well_formed(&self) -> bool {
        is_node(&self.tree)
    }

    /// The schema that an earlier turn left behind.
    pub fn carried(tree: Value) -> MvuSchema {
        MvuSchema { tree, settled: true }
    }

    /// The same, taken out.
    pub fn into_value(self) -> Value {
        self.tree
    }

    /// The tree as MVU stores it.
    pub fn as_value(&self) -> &Value {
        &self.tree
    }

    /// Works a schema out from data with metadata inside.
    ///
    /// ```
    /// use tavernkeep_engine::{document::Value, mvu::MvuSchema};
    ///
    /// let data = Value::parse(r#"{"$meta": {"extensible": true}, "bag": ["rope", "$__META_EXTENSIBLE__$"]}"#).unwrap();
    /// let schema = MvuSchema::generate(&data, None);
    /// let bag = schema.as_value().get("properties").and_then(|properties| properties.get("bag")).unwrap();
    /// assert_eq!(bag.get("extensible"), Some(&Value::Bool(true)));
    /// ```
    pub fn generate(data: &Value, old: Option<&MvuSchema>) -> MvuSchema {
        let old = old.map(|old| &old.tree);
        let Value::Object(root) = node(data, old, false) else { return MvuSchema::carried(Value::empty_object()) };
        let mut root = root.as_ref().clone();
        let meta = data.get(META);
        for flag in ROOT_FLAGS {
            let value = meta.and_then(|meta| meta.get(flag)).or_else(|| old.and_then(|old| old.get(flag)));
            if let Some(value) = value {
                root.set(flag.into(), value.clone());
            }
        }
        MvuSchema::carried(Value::Object(root.into()))
    }

    /// The schema for the next message, once this change was made: new keys are recorded, old flags stay.
    #[must_use]
    pub(crate) fn reconciled(self, change: &Change, document: &Value) -> MvuSchema {
        let same_kind = |op: &Op| match op {
            Op::Replace { old, value, .. } => old.kind() == value.kind() && !value.is_container(),
            Op::Add { .. } | Op::Remove { .. } => false,
        };
        let stays = change.is_empty() || (self.settled && change.ops.iter().all(same_kind));
        if stays || document.as_object().is_none() { self } else { MvuSchema::generate(document, Some(&self)) }
    }

    /// A flag of the root.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.tree.get(name)?.as_bool()
    }

    /// The node that describes a path. Digits always mean an item of a list.
    pub(super) fn at(&self, segments: &[Arc<str>]) -> Option<&Value> {
        segments.iter().try_fold(&self.tree, |node, segment| step(node, segment))
    }

    /// Records a new member below the node of a container. `whole` is the container as it is now.
    pub(super) fn extend_member(&mut self, container: &[Arc<str>], key: &str, value: &Value, whole: &Value) {
        edit(&mut self.tree, container, &mut |node| {
            if !is(node, "object") {
                *node = merge_by_index(node, &self::node(whole, None, false));
            }
            let recursive = truth(node, "recursiveExtensible");
            let required = !truth(node, "extensible");
            part(node, "properties", &mut |properties| {
                let old = properties.get(key);
                let child = with_required(self::node(value, old, recursive), required_of(old, required));
                let child = old.map_or_else(|| child.clone(), |old| merge_by_index(old, &child));
                set(properties, key, child);
            });
        });
    }

    /// Records a new first item of a list: it alone says what items are. `whole` is the list as it is now.
    pub(super) fn extend_items(&mut self, container: &[Arc<str>], first: &Value, whole: &Value) {
        edit(&mut self.tree, container, &mut |node| {
            if !is(node, "array") {
                *node = merge_by_index(node, &self::node(whole, None, false));
            }
            let recursive = truth(node, "recursiveExtensible");
            part(node, "elementType", &mut |element| {
                *element = merge_by_index(element, &self::node(first, Some(element), recursive));
            });
        });
    }
}

/// Whether a tree has the shape that the grammar above describes. Its depth is that of a document, which is limited.
fn is_node(node: &Value) -> bool {
    let below = |name: &str, is_right: &dyn Fn(&Value) -> bool| node.get(name).is_none_or(is_right);
    match node.get("type").and_then(Value::as_str) {
        Some("object") => below("properties", &|properties| {
            properties.as_object().is_some_and(|members| members.iter().all(|(_, member)| is_node(member)))
        }),
        Some("array") => below("elementType", &is_node),
        Some("string" | "number" | "boolean" | "any") => true,
        _ => false,
    }
}

fn step<'a>(node: &'a Value, segment: &str) -> Option<&'a Value> {
    if !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit()) {
        return node.get("elementType").filter(|_| is(node, "array"));
    }
    node.get("properties").filter(|_| is(node, "object"))?.get(segment)
}

/// Walks down to a node and changes it there, if the tree describes the path.
fn edit(node: &mut Value, segments: &[Arc<str>], change: &mut dyn FnMut(&mut Value)) {
    let Some((first, rest)) = segments.split_first() else { return change(node) };
    if step(node, first).is_none() {
        return;
    }
    if is(node, "array") {
        part(node, "elementType", &mut |element| edit(element, rest, change));
    } else {
        part(node, "properties", &mut |properties| part(properties, first, &mut |child| edit(child, rest, change)));
    }
}

/// Changes one member of a node in place.
fn part(node: &mut Value, key: &str, change: &mut dyn FnMut(&mut Value)) {
    if let Value::Object(object) = node {
        Arc::make_mut(object).edit(key, |child| change(child));
    }
}

fn set(node: &mut Value, key: &str, value: Value) {
    if let Value::Object(object) = node {
        Arc::make_mut(object).set(key.into(), value);
    }
}

/// Whether a node is of this type.
pub(super) fn is(node: &Value, kind: &str) -> bool {
    node.get("type").and_then(Value::as_str) == Some(kind)
}

/// Whether a flag of a node is set.
pub(super) fn truth(node: &Value, flag: &str) -> bool {
    node.get(flag).and_then(Value::as_bool) == Some(true)
}

fn node(data: &Value, old: Option<&Value>, parent_recursive: bool) -> Value {
    match data {
        Value::Object(object) => object_node(object, old.filter(|old| is(old, "object")), parent_recursive),
        Value::Array(items) => array_node(items.as_slice(), old.filter(|old| is(old, "array")), parent_recursive),
        Value::String(_) => leaf("string"),
        Value::Number(_) => leaf("number"),
        Value::Bool(_) => leaf("boolean"),
        Value::Null => leaf("any"),
    }
}

fn leaf(kind: &str) -> Value {
    [("type", Value::from(kind))].into_iter().collect()
}

fn object_node(object: &Object, old: Option<&Value>, parent_recursive: bool) -> Value {
    let meta = object.get(META);
    let meta_truth = |flag: &str| meta.and_then(|meta| meta.get(flag)).and_then(Value::as_bool);
    let old_truth = |flag: &str| old.and_then(|old| old.get(flag)).and_then(Value::as_bool);
    let inherits = parent_recursive && old_truth("extensible") != Some(false);
    let either = |flag: &str| meta_truth(flag) == Some(true) || old_truth(flag) == Some(true);
    let recursive = either("recursiveExtensible") || inherits;
    let extensible = either("extensible") || recursive;
    let listed = meta.and_then(|meta| meta.get("required")).and_then(Value::as_array);
    let old_properties = old.and_then(|old| old.get("properties"));
    let properties: Value = object
        .iter()
        .filter(|(key, _)| key.as_ref() != META && key.as_ref() != ARRAY_META)
        .map(|(key, value)| {
            let old = old_properties.and_then(|properties| properties.get(key));
            let forced = listed.is_some_and(|listed| listed.iter().any(|name| name.as_str() == Some(key)));
            let required = required_of(old, forced || !extensible);
            (Arc::clone(key), with_required(node(value, old, recursive), required))
        })
        .collect();
    let mut members = vec![
        ("type", Value::from("object")),
        ("properties", properties),
        ("extensible", Value::Bool(extensible)),
        ("recursiveExtensible", Value::Bool(recursive)),
    ];
    let template = meta.and_then(|meta| meta.get("template")).or_else(|| old.and_then(|old| old.get("template")));
    members.extend(template.map(|template| ("template", template.clone())));
    members.into_iter().collect()
}

fn array_node(items: &[Value], old: Option<&Value>, parent_recursive: bool) -> Value {
    let old_truth = |flag: &str| old.is_some_and(|old| truth(old, flag));
    let meta = items.iter().filter(|item| is_array_meta(item)).find_map(|item| item.get(META));
    let marked = items.iter().any(|item| item.as_str() == Some(EXTENSIBLE_MARKER))
        || meta.is_some_and(|meta| truth(meta, "extensible"));
    let recursive = old_truth("recursiveExtensible") || parent_recursive;
    let first = items.iter().find(|item| !is_array_meta(item) && item.as_str() != Some(EXTENSIBLE_MARKER));
    let old_element = old.and_then(|old| old.get("elementType"));
    let element = first.map_or_else(|| leaf("any"), |first| node(first, old_element, recursive));
    let mut members = vec![
        ("type", Value::from("array")),
        ("extensible", Value::Bool(old_truth("extensible") || recursive || marked)),
        ("recursiveExtensible", Value::Bool(recursive)),
        ("elementType", element),
    ];
    let template = meta.and_then(|meta| meta.get("template")).or_else(|| old.and_then(|old| old.get("template")));
    members.extend(template.map(|template| ("template", template.clone())));
    members.into_iter().collect()
}

/// Whether a key is required: what an older schema said explicitly wins.
fn required_of(old: Option<&Value>, otherwise: bool) -> bool {
    old.and_then(|old| old.get("required")).and_then(Value::as_bool).unwrap_or(otherwise)
}

fn with_required(mut node: Value, required: bool) -> Value {
    set(&mut node, "required", Value::Bool(required));
    node
}
