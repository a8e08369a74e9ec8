//! The edges of a document: JSON text and `serde_json`.

use super::{Array, Number, Object, Value};
use crate::json::{JsonError, JsonText, JsonView, Reader, write_string};
use crate::limits::{BRIEF_BYTES_MAX, JSON_DEPTH_MAX};
use std::fmt::{self, Write as _};
use std::sync::Arc;

/// A `serde_json` value that a document does not keep: nested too deep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidValue;

impl fmt::Display for InvalidValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "nested deeper than {JSON_DEPTH_MAX} levels; flatten the value")
    }
}

impl std::error::Error for InvalidValue {}

impl Value {
    /// Reads JSON text, by the rules of [`JsonText::parse`].
    pub fn parse(text: &str) -> Result<Value, JsonError> {
        JsonText::parse(text.as_bytes()).map(|text| Value::from(text.view()))
    }

    /// The value as compact JSON.
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(self.weight());
        write_until(&mut out, self, usize::MAX);
        out
    }

    pub(crate) fn write_json(&self, out: &mut String) {
        write_until(out, self, usize::MAX);
    }

    /// The value as JSON for a message: cut off where it gets long, without walking the rest.
    pub fn brief(&self) -> String {
        let mut out = String::new();
        write_until(&mut out, self, BRIEF_BYTES_MAX);
        if out.len() > BRIEF_BYTES_MAX {
            out.truncate(out.floor_char_boundary(BRIEF_BYTES_MAX));
            out.push('…');
        }
        out
    }

    /// The value as normalised JSON text.
    pub fn to_text(&self) -> JsonText {
        JsonText::from_stored(&self.to_json())
    }

    /// The value as a `serde_json` tree.
    pub fn to_serde(&self) -> serde_json::Value {
        match self {
            Value::Null => serde_json::Value::Null,
            Value::Bool(truth) => (*truth).into(),
            Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(integer), _) => integer.into(),
                (None, Some(integer)) => integer.into(),
                (None, None) => number.as_f64().into(),
            },
            Value::String(text) => text.as_ref().into(),
            Value::Array(array) => array.iter().map(Value::to_serde).collect(),
            Value::Object(object) => object
                .iter()
                .map(|(key, value)| (key.to_string(), value.to_serde()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }
}

impl Value {
    /// Reads JSON that was normalised before, such as what the store holds; nothing for text that is damaged.
    pub fn from_normalised(text: &str) -> Option<Value> {
        let mut reader = Reader::new(text);
        read_value(&mut reader).filter(|_| reader.is_at_end())
    }
}

/// Reads the next value of normalised JSON.
pub(super) fn read_value(reader: &mut Reader<'_>) -> Option<Value> {
    Some(match reader.peek()? {
        b'"' => Value::String(reader.string()?.into()),
        b'{' => {
            reader.eat(b'{')?;
            let mut members = Vec::new();
            reader.parts(b'}', |reader| {
                let key: Arc<str> = reader.string()?.into();
                reader.eat(b':')?;
                members.push((key, read_value(reader)?));
                Some(())
            })?;
            Value::Object(Arc::new(Object::from(members)))
        }
        b'[' => {
            reader.eat(b'[')?;
            let mut array = Array::default();
            reader.parts(b']', |reader| {
                array.push(read_value(reader)?);
                Some(())
            })?;
            Value::Array(array.into())
        }
        _ => match reader.word() {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            number => Value::Number(Number::parse(number)?),
        },
    })
}

impl TryFrom<&serde_json::Value> for Value {
    type Error = InvalidValue;

    fn try_from(value: &serde_json::Value) -> Result<Value, InvalidValue> {
        from_serde(value, 0)
    }
}

fn from_serde(value: &serde_json::Value, depth: usize) -> Result<Value, InvalidValue> {
    if depth > JSON_DEPTH_MAX {
        return Err(InvalidValue);
    }
    Ok(match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(truth) => Value::Bool(*truth),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(integer), _, _) => Value::from(integer),
            (_, Some(integer), _) => Value::Number(Number::from(integer)),
            (_, _, Some(double)) => Number::from_f64(double).map_or(Value::Null, Value::Number),
            _ => Value::Null,
        },
        serde_json::Value::String(text) => Value::from(text.as_str()),
        serde_json::Value::Array(items) => {
            items.iter().map(|item| from_serde(item, depth + 1)).collect::<Result<Value, InvalidValue>>()?
        }
        serde_json::Value::Object(members) => members
            .iter()
            .map(|(key, value)| Ok((key.as_str(), from_serde(value, depth + 1)?)))
            .collect::<Result<Value, InvalidValue>>()?,
    })
}

impl From<JsonView<'_>> for Value {
    /// The text is normalised already, so nothing is checked again.
    fn from(view: JsonView<'_>) -> Value {
        Value::from_normalised(view.text()).unwrap_or_default()
    }
}

impl From<&JsonText> for Value {
    fn from(text: &JsonText) -> Value {
        Value::from(text.view())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_json())
    }
}

/// Writes a value as JSON and stops soon after so many bytes.
fn write_until(out: &mut String, value: &Value, bytes: usize) {
    if out.len() > bytes {
        return;
    }
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => {
            // Writing to a string cannot fail.
            let _ = write!(out, "{number}");
        }
        Value::String(text) => write_string(out, &text[..text.floor_char_boundary(bytes)]),
        Value::Array(array) => {
            out.push('[');
            for (index, item) in array.iter().enumerate() {
                if out.len() > bytes {
                    return;
                }
                if index > 0 {
                    out.push(',');
                }
                write_until(out, item, bytes);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (index, (key, value)) in object.iter().enumerate() {
                if out.len() > bytes {
                    return;
                }
                if index > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write_until(out, value, bytes);
            }
            out.push('}');
        }
    }
}
