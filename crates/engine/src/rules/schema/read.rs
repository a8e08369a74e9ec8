//! Reads a schema. What we do not support is an error there and then, not a rule that never holds.

use super::{Additional, Bound, Node, Schema};
use crate::document::{Kind, Number, Value};
use crate::limits::JSON_DEPTH_MAX;
use std::fmt;

/// Why a value is no schema of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidSchema {
    /// Where, as a JSON Pointer into the schema.
    pub at: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for InvalidSchema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "schema at `{}`: {}", self.at, self.message)
    }
}

impl std::error::Error for InvalidSchema {}

impl Schema {
    /// Reads a schema.
    ///
    /// ```
    /// use tavernkeep_engine::{document::Value, schema::Schema};
    ///
    /// let schema = r#"{"properties": {"hp": {"type": "integer", "minimum": 0, "maximum": 100, "clamp": true}}}"#;
    /// assert!(Schema::read(&Value::parse(schema).unwrap()).is_ok());
    /// let unknown = Value::parse(r#"{"properties": {"hp": {"maximun": 100}}}"#).unwrap();
    /// assert_eq!(Schema::read(&unknown).unwrap_err().at, "/properties/hp");
    /// ```
    pub fn read(value: &Value) -> Result<Schema, InvalidSchema> {
        Ok(Schema { root: node(value, "", 0)?, source: value.clone() })
    }
}

fn node(value: &Value, at: &str, depth: usize) -> Result<Node, InvalidSchema> {
    let fail = |message: String| Err(InvalidSchema { at: at.to_owned(), message });
    if depth > JSON_DEPTH_MAX {
        return fail("nested too deep".to_owned());
    }
    let members = match value {
        Value::Bool(true) => return Ok(Node::default()),
        Value::Object(members) => members,
        _ => return fail("a schema is an object".to_owned()),
    };
    let mut node = Node::default();
    for (keyword, value) in members.iter() {
        let bad = || InvalidSchema { at: at.to_owned(), message: format!("`{keyword}` cannot be {}", value.brief()) };
        let count = || value.as_number().and_then(|number| usize::try_from(number.as_u64()?).ok()).ok_or_else(bad);
        let truth = || value.as_bool().ok_or_else(bad);
        let bound = |exclusive| Ok(Bound { number: value.as_number().ok_or_else(bad)?, exclusive });
        match keyword.as_ref() {
            "type" => read_type(&mut node, value).ok_or_else(bad)?,
            "enum" => node.choices = Some(value.as_array().ok_or_else(bad)?.iter().cloned().collect()),
            "const" => node.choices = Some(vec![value.clone()]),
            "minimum" => node.minimum = tighter(node.minimum, bound(false)?, |new, old| new > old),
            "maximum" => node.maximum = tighter(node.maximum, bound(false)?, |new, old| new < old),
            "exclusiveMinimum" => node.minimum = tighter(node.minimum, bound(true)?, |new, old| new > old),
            "exclusiveMaximum" => node.maximum = tighter(node.maximum, bound(true)?, |new, old| new < old),
            "multipleOf" => {
                let positive = |number: &Number| number.as_f64() > 0.0;
                node.multiple_of = Some(value.as_number().filter(positive).ok_or_else(bad)?);
            }
            "minLength" => node.length_min = Some(count()?),
            "maxLength" => node.length_max = Some(count()?),
            "minItems" => node.items_min = Some(count()?),
            "maxItems" => node.items_max = Some(count()?),
            "readOnly" => node.read_only = truth()?,
            "clamp" => node.clamp = truth()?,
            "coerce" => node.coerce = truth()?,
            "default" => node.default = Some(value.clone()),
            "required" => {
                let names = value.as_array().ok_or_else(bad)?.iter().map(|name| name.as_str().map(Into::into));
                node.required = names.collect::<Option<_>>().ok_or_else(bad)?;
            }
            "properties" => {
                for (key, value) in value.as_object().ok_or_else(bad)? {
                    let child = self::node(value, &format!("{at}/properties/{key}"), depth + 1)?;
                    node.properties.insert(key.clone(), child);
                }
            }
            "additionalProperties" => {
                node.additional = match value {
                    Value::Bool(true) => Additional::Allowed,
                    Value::Bool(false) => Additional::Forbidden,
                    Value::String(word) if word.as_ref() == "strip" => Additional::Stripped,
                    Value::Object(_) => {
                        let child = self::node(value, &format!("{at}/additionalProperties"), depth + 1)?;
                        Additional::Described(Box::new(child))
                    }
                    _ => return Err(bad()),
                }
            }
            "items" => node.items = Some(Box::new(self::node(value, &format!("{at}/items"), depth + 1)?)),
            // Notes for people change nothing.
            "title" | "description" | "examples" | "$schema" | "$id" | "$comment" | "deprecated" => {}
            _ => return fail(format!("the keyword `{keyword}` is not supported")),
        }
    }
    let described = match &node.additional {
        Additional::Described(child) => child.guards,
        _ => false,
    };
    let items = node.items.as_ref().is_some_and(|child| child.guards);
    node.guards = node.read_only || described || items || node.properties.values().any(|child| child.guards);
    Ok(node)
}

/// The bound that leaves less room; of two at the same number the exclusive one.
fn tighter(old: Option<Bound>, new: Bound, inside: fn(Number, Number) -> bool) -> Option<Bound> {
    match old {
        Some(old) if inside(old.number, new.number) || (old.number == new.number && old.exclusive) => Some(old),
        _ => Some(new),
    }
}

fn read_type(node: &mut Node, value: &Value) -> Option<()> {
    let names: Vec<&str> = match value {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().map(Value::as_str).collect::<Option<_>>()?,
        _ => return None,
    };
    // Whole numbers are numbers, so beside `number` nothing is left of `integer`.
    node.integer = names.contains(&"integer") && !names.contains(&"number");
    for name in names {
        node.kinds.push(match name {
            "null" => Kind::Null,
            "boolean" => Kind::Bool,
            "string" => Kind::String,
            "array" => Kind::Array,
            "object" => Kind::Object,
            "number" | "integer" => Kind::Number,
            _ => return None,
        });
    }
    Some(())
}
