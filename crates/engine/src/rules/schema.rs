//! Our schema: a subset of JSON Schema that says what a document may hold, with reasons.
//!
//! ```text
//! type enum const                      readOnly
//! minimum maximum exclusiveMinimum exclusiveMaximum multipleOf      clamp (ours): move a number to its nearest bound
//! minLength maxLength                  coerce (ours): take numeric text for a number
//! properties required additionalProperties (true, false, a schema, or "strip")    default
//! items minItems maxItems
//! ```
//!
//! Only what a command touched is examined, so the cost follows the change and not the document.

mod check;
mod read;

pub use read::InvalidSchema;

use crate::document::{Kind, Number, Object, Value};
use indexmap::IndexMap;
use std::sync::Arc;

/// What a document may hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    root: Node,
    source: Value,
}

impl Schema {
    /// The schema as it was written.
    pub fn as_value(&self) -> &Value {
        &self.source
    }
}

/// What one value may be.
#[derive(Debug, Clone, PartialEq, Default)]
struct Node {
    kinds: Vec<Kind>,
    integer: bool,
    choices: Option<Vec<Value>>,
    minimum: Option<Bound>,
    maximum: Option<Bound>,
    multiple_of: Option<Number>,
    length_min: Option<usize>,
    length_max: Option<usize>,
    properties: IndexMap<Arc<str>, Node>,
    required: Vec<Arc<str>>,
    additional: Additional,
    items: Option<Box<Node>>,
    items_min: Option<usize>,
    items_max: Option<usize>,
    read_only: bool,
    /// Whether this or anything below is read-only.
    guards: bool,
    clamp: bool,
    coerce: bool,
    default: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Bound {
    number: Number,
    exclusive: bool,
}

/// What happens to members that `properties` does not name.
#[derive(Debug, Clone, PartialEq, Default)]
enum Additional {
    #[default]
    Allowed,
    Forbidden,
    Stripped,
    Described(Box<Node>),
}

impl Node {
    fn member(&self, key: &str) -> Option<&Node> {
        self.properties.get(key).or(match &self.additional {
            Additional::Described(node) => Some(node),
            _ => None,
        })
    }

    fn knows(&self, key: &str) -> bool {
        self.properties.contains_key(key) || matches!(self.additional, Additional::Allowed | Additional::Described(_))
    }

    fn is_required(&self, key: &str) -> bool {
        self.required.iter().any(|required| required.as_ref() == key)
    }
}

/// A value with its defaults filled in and its strays taken out; the same value when there is nothing to do.
fn completed(node: &Node, object: &Object) -> Option<Value> {
    let strips =
        node.additional == Additional::Stripped && object.iter().any(|(key, _)| !node.properties.contains_key(key));
    let missing = node.properties.iter().any(|(key, node)| node.default.is_some() && !object.contains_key(key));
    if !strips && !missing {
        return None;
    }
    let kept = object.iter().filter(|(key, _)| !strips || node.properties.contains_key(*key));
    let mut complete: Object = kept.map(|(key, value)| (Arc::clone(key), value.clone())).collect();
    for (key, node) in &node.properties {
        if let (Some(default), false) = (&node.default, complete.contains_key(key)) {
            complete.set(Arc::clone(key), default.clone());
        }
    }
    Some(Value::Object(complete.into()))
}
