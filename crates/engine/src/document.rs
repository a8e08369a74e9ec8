//! The document of a story state: a JSON tree that is cheap to clone.
//!
//! Containers are shared and copied only where they change, so a snapshot of a large state costs a pointer and a change
//! costs its path. Order of keys is kept. Every container knows its own weight, so that limits are checked without
//! walking.
//!
//! ```
//! use tavernkeep_engine::document::Value;
//!
//! let state = Value::parse(r#"{"yuki": {"affinity": 40.0}}"#).unwrap();
//! assert_eq!(state.get("yuki").and_then(|yuki| yuki.get("affinity")), Some(&Value::from(40)));
//! assert_eq!(state.to_json(), r#"{"yuki":{"affinity":40}}"#);
//! ```

pub mod change;
mod container;
mod convert;
pub mod diff;
pub mod draft;
pub mod edit;
pub mod json_patch;
mod members;
pub mod op;
pub mod path;
pub mod restore;
pub mod trace;

pub use crate::json::JsonKind as Kind;
pub use crate::json::number::Number;
pub(crate) use crate::json::number::{is_double, round_decimal, round_significant};
pub use container::{Array, Object};
pub use convert::InvalidValue;
pub use members::Iter as MembersIter;

use std::sync::Arc;

/// One JSON value. Cloning it copies at most a pointer.
///
/// Two values are equal when they are equal as JSON: the order of keys does not count.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A 64-bit integer or a finite double.
    Number(Number),
    /// Text.
    String(Arc<str>),
    /// A list.
    Array(Arc<Array>),
    /// Keys and values, in the order in which they were added.
    Object(Arc<Object>),
}

impl Value {
    /// An object without members.
    pub fn empty_object() -> Value {
        Value::Object(Arc::new(Object::default()))
    }

    /// A list without items.
    pub fn empty_array() -> Value {
        Value::Array(Arc::new(Array::default()))
    }

    /// What the value is.
    pub fn kind(&self) -> Kind {
        match self {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Bool,
            Value::Number(_) => Kind::Number,
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        }
    }

    /// The member of an object with this key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object()?.get(key)
    }

    /// The item of a list at this index.
    pub fn item(&self, index: usize) -> Option<&Value> {
        self.as_array()?.get(index)
    }

    /// The value as text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value as a number.
    pub fn as_number(&self) -> Option<Number> {
        match self {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The value as a truth value.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The value as a list.
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Value::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The items of a list; none for anything else.
    pub fn items(&self) -> &[Value] {
        self.as_array().map_or(&[], Array::as_slice)
    }

    /// The value and the description of `[value, "description"]`, as MVU's cards write them. A list is no value of a pair:
    /// `[[1, 2], "x"]` is a list like others. Whether pairs have a meaning at all, the profile says.
    pub fn as_pair(&self) -> Option<(&Value, &str)> {
        match self.items() {
            [value, Value::String(description)] if value.as_array().is_none() => Some((value, description)),
            _ => None,
        }
    }

    /// The value as an object.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Whether the value holds other values.
    pub fn is_container(&self) -> bool {
        matches!(self, Value::Array(_) | Value::Object(_))
    }

    /// About how many bytes the value is as JSON. Known without walking.
    pub fn weight(&self) -> usize {
        match self {
            Value::Null | Value::Bool(_) => 4,
            Value::Number(_) => 8,
            Value::String(text) => text.len() + 2,
            Value::Array(array) => array.weight(),
            Value::Object(object) => object.weight(),
        }
    }

    /// Whether the value as JSON has at most so many bytes.
    pub fn fits(&self, bytes_max: usize) -> bool {
        // No byte of the weight becomes more than six of JSON, `\u0000`; a number has at most 24.
        self.weight().saturating_mul(6) <= bytes_max || self.to_json().len() <= bytes_max
    }

    /// How deep containers nest in this value; 0 for a scalar.
    pub fn depth(&self) -> usize {
        match self {
            Value::Array(array) => 1 + array.iter().map(Value::depth).max().unwrap_or(0),
            Value::Object(object) => 1 + object.iter().map(|(_, value)| value.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// Whether both are the same JSON with the keys in the same order.
    pub fn same_in_order(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Array(left), Value::Array(right)) => {
                left.len() == right.len()
                    && left.iter().zip(right.iter()).all(|(left, right)| left.same_in_order(right))
            }
            (Value::Object(left), Value::Object(right)) => {
                left.len() == right.len()
                    && left
                        .iter()
                        .zip(right.iter())
                        .all(|(left, right)| left.0 == right.0 && left.1.same_in_order(right.1))
            }
            _ => self == other,
        }
    }

    /// Whether both share their storage: equal without a look inside.
    pub fn is_shared_with(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Array(left), Value::Array(right)) => Arc::ptr_eq(left, right),
            (Value::Object(left), Value::Object(right)) => Arc::ptr_eq(left, right),
            (Value::String(left), Value::String(right)) => Arc::ptr_eq(left, right),
            _ => false,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::String(text.into())
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Bool(truth)
    }
}

impl From<i64> for Value {
    fn from(integer: i64) -> Value {
        Value::Number(Number::from(integer))
    }
}

impl From<i32> for Value {
    fn from(integer: i32) -> Value {
        Value::from(i64::from(integer))
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Value {
        Value::Number(number)
    }
}

impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Value {
        Value::Array(Arc::new(items.into_iter().collect()))
    }
}

impl<K: Into<Arc<str>>> FromIterator<(K, Value)> for Value {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(members: I) -> Value {
        Value::Object(Arc::new(members.into_iter().map(|(key, value)| (key.into(), value)).collect()))
    }
}
