//! Values as they are written in commands: JSON, JSON5, quoted text, a small arithmetic, YAML. Never code.
//!
//! The order of the attempts is a promise: an existing chat must mean the same tomorrow.

mod arithmetic;
mod json5;
pub mod time;
mod yaml;

pub use arithmetic::evaluate;
pub use json5::{Leniency, Unreadable, number as read_number, read as read_json5, read_items};
pub use yaml::{NotYaml, read_yaml, read_yaml_lenient};

use crate::document::{Number, Value};
use crate::json::JsonText;
use crate::limits::EXPRESSION_BYTES_MAX;

/// Which literals a profile reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Literals {
    /// What MVU's classic mode reads, without the code.
    Mvu,
    /// What MVU's zod mode reads: no arithmetic.
    MvuZod,
    /// Everything that can be understood.
    Tolerant,
}

/// Reads one argument. `None` is MVU's `undefined`: there is no value.
///
/// ```
/// use tavernkeep_engine::literal::{Literals, read_literal};
///
/// let read = |text| read_literal(text, Literals::Tolerant).map(|value| value.to_json());
/// assert_eq!(read("10 + 2").as_deref(), Some("12"));
/// assert_eq!(read("‘它’s’").as_deref(), Some(r#""它’s""#));
/// assert_eq!(read("{a: 1, 'b': [x,]}").as_deref(), Some(r#"{"a":1,"b":["x"]}"#));
/// assert_eq!(read("2024-10-26").as_deref(), Some(r#""2024-10-26""#));
/// ```
pub fn read_literal(text: &str, literals: Literals) -> Option<Value> {
    let text = text.trim();
    match text {
        "true" => return Some(Value::Bool(true)),
        "false" => return Some(Value::Bool(false)),
        "null" => return Some(Value::Null),
        "undefined" => return None,
        _ => {}
    }
    if let Some(value) = read_strict(text) {
        return Some(value);
    }
    Some(match literals {
        Literals::Tolerant => read_tolerant(text),
        _ => read_mvu(text, literals == Literals::Mvu),
    })
}

/// Whether an argument is an object or a list in which something is missing or too much, so that the reader had to guess. JSON,
/// JSON5, YAML and full-width brackets are read as they are written.
///
/// ```
/// use tavernkeep_engine::literal::is_mended;
///
/// assert!(is_mended(r#"{"a": [1, 2}"#));
/// assert!(!is_mended("{a: 1, 'b': [x],}") && !is_mended("plain text"));
/// ```
pub fn is_mended(text: &str) -> bool {
    let text = text.trim();
    let is_exact = || read_strict(text).is_some() || json5::read(text, Leniency::Exact).is_ok();
    let guessed = || json5::read(text, Leniency::Lenient).ok().filter(Value::is_container);
    text.starts_with(['{', '[']) && !is_exact() && guessed().is_some_and(|value| read_yaml(text).ok() != Some(value))
}

/// JSON, with two readings that a stored value has no use for: the last of two equal keys, and huge integers as doubles.
fn read_strict(text: &str) -> Option<Value> {
    match text.as_bytes().first()? {
        b'"' | b'{' | b'[' | b'-' | b'0'..=b'9' => {}
        _ => return None,
    }
    if let Some(number) = json_number(text) {
        return Some(Value::Number(number));
    }
    JsonText::parse(text.as_bytes()).ok().map(|text| Value::from(&text))
}

fn json_number(text: &str) -> Option<Number> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let ends = text.as_bytes().last().is_some_and(u8::is_ascii_digit);
    let starts = text.trim_start_matches('-').as_bytes().first().is_some_and(u8::is_ascii_digit);
    if plain && ends && starts { json5::number(text) } else { None }
}

fn read_mvu(text: &str, arithmetic: bool) -> Value {
    let wrapped = (text.starts_with('{') && text.ends_with('}')) || (text.starts_with('[') && text.ends_with(']'));
    if wrapped && let Ok(value) = json5::read(text, Leniency::Exact) {
        return value;
    }
    if arithmetic && let Some(number) = arithmetic::evaluate_as_mvu(text).or_else(|| percentage(text)) {
        return Value::Number(number);
    }
    // A colour such as `#fff` is a comment to YAML, but no value to anybody.
    if text.starts_with('#') {
        return Value::from(trim_quotes(text));
    }
    read_yaml(text).unwrap_or_else(|NotYaml| Value::from(trim_quotes(text)))
}

/// `50%` is a half to MVU. To everybody else it is what it looks like.
fn percentage(text: &str) -> Option<Number> {
    let number = text.strip_suffix('%')?.trim_end();
    json5::number(number)?;
    arithmetic::evaluate_as_mvu(&format!("{number} / 100"))
}

fn read_tolerant(text: &str) -> Value {
    match text.chars().next() {
        Some('{' | '[' | '｛' | '［') => {
            if let Ok(value) = json5::read(text, Leniency::Lenient) {
                return value;
            }
        }
        Some('"' | '\'' | '`' | '“' | '”' | '‘' | '’') => {
            if let Ok(value) = json5::read(text, Leniency::Lenient) {
                return value;
            }
            return Value::from(trim_quotes(text));
        }
        _ => {}
    }
    match text {
        "True" | "TRUE" => return Value::Bool(true),
        "False" | "FALSE" => return Value::Bool(false),
        "None" | "NULL" | "Null" | "~" => return Value::Null,
        _ => {}
    }
    tolerant_number(text).map_or_else(|| Value::from(text), Value::Number)
}

/// A number or a sum, also in full-width characters: `１００`, `－5`.
fn tolerant_number(text: &str) -> Option<Number> {
    let narrow;
    let text = if text.chars().take(EXPRESSION_BYTES_MAX).any(is_full_width) {
        narrow = text.chars().map(narrowed).collect::<String>();
        narrow.as_str()
    } else {
        text
    };
    json5::number(text).or_else(|| evaluate(text))
}

/// Whether a character is the full-width form of one of ASCII.
fn is_full_width(character: char) -> bool {
    ('！'..='～').contains(&character)
}

/// The ASCII character of a full-width one.
fn narrowed(character: char) -> char {
    match character {
        '！'..='～' => char::from_u32(u32::from(character) - 0xFEE0).unwrap_or(character),
        '\u{3000}' => ' ',
        _ => character,
    }
}

/// Takes quotes, backslashes and blanks off both ends; off nothing that goes over several lines, as MVU.
pub fn trim_quotes(text: &str) -> &str {
    if text.contains(['\n', '\r', '\u{2028}', '\u{2029}']) {
        return text;
    }
    text.trim_matches(['\\', '"', '\'', '`', ' '])
}

/// Reads a whole block of data: a patch or a card's first state. JSON first when it looks like it, otherwise YAML.
pub fn read_block(text: &str) -> Option<Value> {
    let text = text.trim();
    if text.starts_with(['[', '{']) {
        let mut json = json5::read(text, Leniency::Exact).or_else(|_| json5::read(text, Leniency::Lenient)).ok();
        if json.is_none() {
            // Several objects without a list around them are a list.
            let items = read_items(text, Leniency::Lenient).ok().filter(|items| items.len() > 1);
            json = items.map(|items| items.into_iter().map(|(_, value)| value).collect());
        }
        if json.is_some() {
            return json;
        }
    }
    read_yaml(text).or_else(|NotYaml| read_yaml_lenient(text)).ok()
}
