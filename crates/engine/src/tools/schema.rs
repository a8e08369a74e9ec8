//! The part of JSON Schema that decides what a reference may become: `type`, `enum`, `const`, `anyOf`, `oneOf`, `allOf` and `$ref` inside
//! the same schema. What it does not know, it allows.

use crate::limits::SCHEMA_STEPS_MAX;
use serde_json::{Number, Value};
use std::cell::Cell;

/// `$ref`s that follow each other, and levels of combined schemas. A schema that names itself ends here.
const NESTED_MAX: usize = 32;

/// Schemas that were looked at for the arguments of one call. Depth alone is no bound: a schema that names itself ten times in
/// `allOf` has ten times as many places on each level.
#[derive(Debug, Default)]
pub struct SchemaSteps(Cell<usize>);

impl SchemaSteps {
    /// Whether one more may be looked at.
    fn take(&self) -> bool {
        self.0.set(self.0.get().saturating_add(1));
        self.0.get() <= SCHEMA_STEPS_MAX
    }
}

/// A place of a schema, with the whole schema for its `$ref`s.
#[derive(Debug, Clone, Copy)]
pub struct Schema<'a> {
    root: &'a Value,
    at: &'a Value,
    steps: &'a SchemaSteps,
}

impl<'a> Schema<'a> {
    /// The schema of all arguments.
    pub fn new(root: &'a Value, steps: &'a SchemaSteps) -> Schema<'a> {
        Schema { root, at: root, steps }
    }

    /// The schema of the items of a list.
    pub fn items(&self) -> Option<Schema<'a>> {
        self.inner(&|schema| schema.get("items"), NESTED_MAX)
    }

    /// The schema of a member.
    pub fn property(&self, name: &str) -> Option<Schema<'a>> {
        self.inner(&|schema| schema.get("properties")?.get(name), NESTED_MAX)
    }

    /// A part of this schema, of what it refers to, or of one of those it combines.
    fn inner(&self, part: &dyn Fn(&'a Value) -> Option<&'a Value>, left: usize) -> Option<Schema<'a>> {
        let left = left.checked_sub(1).filter(|_| self.steps.take())?;
        if let Some(found) = part(self.at) {
            return Some(self.to(found));
        }
        let referred = self.referred().into_iter();
        let combined = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|word| self.list(word));
        referred.chain(combined).find_map(|schema| schema.inner(part, left))
    }

    fn to(&self, at: &'a Value) -> Schema<'a> {
        Schema { at, ..*self }
    }

    fn referred(&self) -> Option<Schema<'a>> {
        let pointer = self.at.get("$ref")?.as_str()?.strip_prefix('#')?;
        self.root.pointer(pointer).map(|at| self.to(at))
    }

    fn list(&self, word: &str) -> impl Iterator<Item = Schema<'a>> {
        let (schema, parts) = (*self, self.at.get(word).and_then(Value::as_array));
        parts.into_iter().flatten().map(move |at| schema.to(at))
    }

    /// Whether a value may stand here.
    pub fn allows(&self, value: &Value) -> bool {
        self.lets_through(&|schema| allows_here(schema, value), NESTED_MAX)
    }

    /// Whether any text may stand here, whatever the text is.
    fn allows_text(&self) -> bool {
        self.lets_through(&allows_text_here, NESTED_MAX)
    }

    fn lets_through(&self, here: &dyn Fn(&Value) -> bool, left: usize) -> bool {
        let Some(left) = left.checked_sub(1).filter(|_| self.steps.take()) else { return true };
        let inner = |schema: Schema<'a>| schema.lets_through(here, left);
        let one_of = |word: &str| self.at.get(word).is_none() || self.list(word).any(inner);
        here(self.at)
            && self.referred().is_none_or(inner)
            && self.list("allOf").all(inner)
            && one_of("anyOf")
            && one_of("oneOf")
    }

    /// The JSON that a text stands for, where no text may stand and that JSON may.
    pub fn typed(&self, text: &str) -> Option<Value> {
        if self.allows_text() {
            return None;
        }
        let value: Value = serde_json::from_str(text).ok()?;
        // A list of words may name this very text: then it stays one.
        (self.allows(&value) && !self.allows(&Value::from(text))).then_some(value)
    }
}

fn allows_here(schema: &Value, value: &Value) -> bool {
    if let Some(words) = schema.get("enum").and_then(Value::as_array)
        && !words.iter().any(|word| is_same(word, value))
    {
        return false;
    }
    if let Some(only) = schema.get("const")
        && !is_same(only, value)
    {
        return false;
    }
    let is = |name: &str| match (name, value) {
        ("null", Value::Null) | ("boolean", Value::Bool(_)) | ("string", Value::String(_)) => true,
        ("array", Value::Array(_)) | ("object", Value::Object(_)) | ("number", Value::Number(_)) => true,
        ("integer", Value::Number(number)) => is_whole(number),
        _ => false,
    };
    match schema.get("type") {
        Some(Value::String(name)) => is(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

fn allows_text_here(schema: &Value) -> bool {
    let has_text = |words: &Value| words.as_array().is_none_or(|words| words.iter().any(Value::is_string));
    let is_text = |name: &Value| name == "string";
    let by_type = match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(is_text),
        Some(name) => is_text(name),
        None => true,
    };
    by_type && schema.get("enum").is_none_or(has_text) && schema.get("const").is_none_or(Value::is_string)
}

/// Numbers are the same whatever their spelling.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        _ => one == other,
    }
}

/// `4.0` is an integer in JSON Schema.
fn is_whole(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

#[cfg(test)]
mod tests {
    use super::{Schema, SchemaSteps};
    use crate::limits::SCHEMA_STEPS_MAX;
    use serde_json::{Value, json};

    #[test]
    fn text_becomes_the_json_that_the_schema_wants() {
        let root = json!({
            "$defs": { "count": { "type": "integer" }, "itself": { "$ref": "#/$defs/itself" } },
            "properties": {
                "whole": { "type": "integer" }, "referred": { "$ref": "#/$defs/count" }, "circular": { "$ref": "#/$defs/itself" },
                "numbers": { "enum": [1, 2] }, "words": { "enum": ["1", "2"] }, "mixed": { "enum": ["1", 2] }, "only": { "const": 7 },
                "all": { "allOf": [{ "type": ["integer", "string"] }, { "type": "integer" }] },
                "any": { "anyOf": [{ "type": "boolean" }, { "type": "null" }] }, "free": {},
            },
        });
        let steps = SchemaSteps::default();
        let schema = Schema::new(&root, &steps);
        let typed = |name: &str, text: &str| schema.property(name).and_then(|schema| schema.typed(text));
        for (name, text, wanted) in [
            ("whole", "4", Some(json!(4))),
            ("whole", "4.0", Some(json!(4.0))),
            ("whole", "4.5", None),
            ("whole", "four", None),
            ("referred", "4", Some(json!(4))),
            ("referred", "true", None),
            ("circular", "4", None),
            ("numbers", "2", Some(json!(2))),
            ("numbers", "3", None),
            ("words", "1", None),
            ("mixed", "1", None),
            ("only", "7", Some(json!(7))),
            ("only", "8", None),
            ("all", "4", Some(json!(4))),
            ("all", "true", None),
            ("any", "true", Some(json!(true))),
            ("any", "null", Some(Value::Null)),
            ("any", "1", None),
            ("free", "1", None),
        ] {
            assert_eq!(typed(name, text), wanted, "{name} {text}");
        }
    }

    #[test]
    fn a_schema_that_names_itself_many_times_is_walked_within_bounds() {
        let itself = json!({ "$ref": "#/$defs/a" });
        let root = json!({
            "properties": { "x": itself },
            "$defs": { "a": { "type": "integer", "allOf": vec![itself; 10] } },
        });
        let steps = SchemaSteps::default();
        let schema = Schema::new(&root, &steps).property("x").unwrap();
        assert!(schema.property("missing").is_none());
        assert!(schema.allows(&json!(1)));
        // What was not looked at any more is allowed, and the next question is answered at once.
        assert!(schema.allows(&json!("text")));
        assert!(steps.0.get() < SCHEMA_STEPS_MAX + 1_000, "{}", steps.0.get());
    }
}
