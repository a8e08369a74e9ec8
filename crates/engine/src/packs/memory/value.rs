//! Values as the pack's commands write them: JSON, a number, a truth value, repaired JSON, else text.

use crate::document::Value;
use crate::literal::{Leniency, Literals, is_mended, read_json5, read_literal};

/// Reads an argument, and says how it was mended. Quotes around a value are no part of it: `'60'` is a number, `'{"a":1}'` an
/// object.
pub(super) fn read(arg: &str) -> (Value, Option<String>) {
    let (value, is_mended) = match argument(arg) {
        Value::String(text) => match inside(&text) {
            Some(value) => (value, is_mended(&text)),
            None => (Value::String(text), false),
        },
        value => (value, is_mended(arg)),
    };
    (value, is_mended.then(|| "mended the JSON of the value".to_owned()))
}

/// Reads an argument as it was written: what stands in quotes is text.
pub(super) fn argument(arg: &str) -> Value {
    read_literal(arg, Literals::Tolerant).unwrap_or_default()
}

/// What stands inside of quotes, if it is more than text.
fn inside(text: &str) -> Option<Value> {
    let trimmed = text.trim();
    match trimmed {
        "true" => return Some(Value::Bool(true)),
        "false" => return Some(Value::Bool(false)),
        "null" => return Some(Value::Null),
        _ => {}
    }
    let first = trimmed.chars().next()?;
    if first.is_ascii_digit() || first == '-' {
        return Value::parse(trimmed).ok().filter(|value| value.as_number().is_some());
    }
    if !matches!(first, '{' | '[' | '｛' | '［') {
        return None;
    }
    let value = Value::parse(trimmed).ok().or_else(|| read_json5(trimmed, Leniency::Lenient).ok());
    // A text in brackets such as `[已隐藏] …` stays text.
    value.filter(Value::is_container)
}
