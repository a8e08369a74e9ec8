//! Answers as documents show them: JSON, or the members of an object without its braces, or plain lines; `…` stands for
//! anything.

use serde_json::Value;

const ANYTHING: &str = "…";

/// What a document shows of an answer.
pub enum Shown {
    /// An answer, or some value inside of it.
    Json(Value),
    /// Lines of a terminal.
    Lines(String),
}

impl Shown {
    /// Reads what is shown. Members without braces are some of an object's.
    pub fn read(text: &str) -> Shown {
        let text = text.trim();
        let json = match text.starts_with('"') {
            true => quoted(&format!("{{{text}, {ANYTHING}}}")),
            false => quoted(text),
        };
        serde_json::from_str(&json).map_or_else(|_| Shown::Lines(text.to_owned()), Shown::Json)
    }

    /// Whether the output of a block has it.
    pub fn is_in(&self, output: &str) -> bool {
        match self {
            Shown::Json(pattern) => output
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok())
                .any(|found| is_inside(pattern, &found)),
            Shown::Lines(pattern) => matches(pattern, output),
        }
    }
}

/// Turns the marks outside of texts into JSON: a value, or a member of an object.
fn quoted(text: &str) -> String {
    let (mut out, mut brackets, mut in_text, mut escaped) = (String::new(), Vec::new(), false, false);
    for character in text.chars() {
        match character {
            '"' if !escaped => in_text = !in_text,
            '{' | '[' if !in_text => brackets.push(character),
            '}' | ']' if !in_text => drop(brackets.pop()),
            '…' if !in_text => {
                let is_member = brackets.last() == Some(&'{') && !out.trim_end().ends_with(':');
                out += if is_member { "\"…\": 0" } else { "\"…\"" };
                continue;
            }
            _ => {}
        }
        escaped = character == '\\' && !escaped;
        out.push(character);
    }
    out
}

fn is_inside(pattern: &Value, found: &Value) -> bool {
    let inside = |value: &Value| is_inside(pattern, value);
    fits(pattern, found)
        || match found {
            Value::Object(members) => members.values().any(inside),
            Value::Array(items) => items.iter().any(inside),
            _ => false,
        }
}

fn fits(pattern: &Value, found: &Value) -> bool {
    match (pattern, found) {
        (Value::String(pattern), _) if pattern == ANYTHING => true,
        (Value::String(pattern), Value::String(found)) => {
            pattern == found || pattern.contains(ANYTHING) && matches(pattern, found)
        }
        (Value::Object(pattern), Value::Object(found)) => {
            let is_open = pattern.contains_key(ANYTHING);
            let has = |(name, value): (&String, &Value)| found.get(name).is_some_and(|found| fits(value, found));
            pattern.iter().filter(|(name, _)| *name != ANYTHING).all(has) && (is_open || pattern.len() == found.len())
        }
        (Value::Array(pattern), Value::Array(found)) => {
            let is_open = pattern.last().is_some_and(|last| last == ANYTHING);
            let shown = pattern.len() - usize::from(is_open);
            (is_open && shown <= found.len() || shown == found.len())
                && pattern.iter().take(shown).zip(found).all(|(pattern, found)| fits(pattern, found))
        }
        _ => pattern == found,
    }
}

/// Whether the text has the pieces of the pattern in their order.
fn matches(pattern: &str, text: &str) -> bool {
    let mut rest = Some(text);
    for piece in pattern.split(ANYTHING) {
        rest = rest.and_then(|rest| rest.split_once(piece)).map(|(_, after)| after);
    }
    rest.is_some()
}

/// Whether a stream begins as shown; its numbers are others each time, and later frames come when something happens.
pub fn is_first_frame(shown: &str, output: &str) -> bool {
    let numberless = |text: &str| text.replace(|character: char| character.is_ascii_digit(), "");
    let first = shown.split("\n\n").next().unwrap_or_default();
    numberless(output).contains(numberless(first).trim())
}

#[test]
fn shown_answers_are_compared_by_meaning() {
    let output = "{\"data\":{\"id\":\"7\",\"n\":[1,2,3],\"more\":true}}\n";
    for right in [
        "{\"data\": {\"id\": \"…\", \"n\": [1, 2, 3], \"more\": true}}",
        "\"n\": [1, …], \"id\": \"7\"",
        "{\"id\": \"7\", …}",
        "{\"data\": …}",
    ] {
        assert!(Shown::read(right).is_in(output), "{right}");
    }
    for wrong in ["{\"id\": \"7\"}", "\"n\": [1, 2]", "{\"data\": {\"id\": \"8\", …}}", "other words", "\"m\": …"] {
        assert!(!Shown::read(wrong).is_in(output), "{wrong}");
    }
}
