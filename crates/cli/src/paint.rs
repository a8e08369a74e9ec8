//! Colour on a terminal, plain text elsewhere. What a model wrote never reaches a terminal as a control sequence.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::json::JsonText;

/// Whether to use colour.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    colour: bool,
}

/// The colours in use.
#[derive(Debug, Clone, Copy)]
pub enum Colour {
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Paint {
    /// Colour if standard output is a terminal and `NO_COLOR` is not set.
    pub fn for_stdout() -> Paint {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Paint { colour: io::stdout().is_terminal() && !refused }
    }

    /// Text in a colour.
    pub fn text(self, colour: Colour, text: &str) -> String {
        let text = self.plain(text);
        if !self.colour {
            return text;
        }
        let code = match colour {
            Colour::Bold => 1,
            Colour::Dim => 2,
            Colour::Red => 31,
            Colour::Green => 32,
            Colour::Yellow => 33,
            Colour::Cyan => 36,
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    /// Text on one line, control characters spelled out.
    pub fn plain(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for character in text.chars() {
            match character {
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                control if control.is_control() => {
                    // Writing to a string cannot fail.
                    let _ = write!(out, "\\u{:04x}", u32::from(control));
                }
                other => out.push(other),
            }
        }
        out
    }

    /// A document on several lines.
    pub fn document(self, out: &mut String, value: &Value) {
        self.value(out, value, 0);
    }

    fn value(self, out: &mut String, value: &Value, depth: usize) {
        match value {
            Value::Array(items) if !items.is_empty() => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    start_line(out, index, depth + 1);
                    self.value(out, item, depth + 1);
                }
                start_line(out, 0, depth);
                out.push(']');
            }
            Value::Object(members) if !members.is_empty() => {
                out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    start_line(out, index, depth + 1);
                    out.push_str(&self.text(Colour::Cyan, JsonText::from_string(key).as_str()));
                    out.push_str(": ");
                    self.value(out, value, depth + 1);
                }
                start_line(out, 0, depth);
                out.push('}');
            }
            Value::String(_) => out.push_str(&self.text(Colour::Green, &value.to_json())),
            Value::Number(_) => out.push_str(&self.text(Colour::Yellow, &value.to_json())),
            other => out.push_str(&other.to_json()),
        }
    }
}

fn start_line(out: &mut String, index: usize, depth: usize) {
    out.push_str(if index > 0 { ",\n" } else { "\n" });
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_without_colour_is_json() {
        let value = Value::parse(r#"{"a":[1,"x\u009b",{}],"b":{"c":null}}"#).unwrap();
        let mut out = String::new();
        Paint { colour: false }.document(&mut out, &value);
        assert_eq!(out.lines().count(), 10);
        assert_eq!(Value::parse(&out).unwrap(), value);
        assert!(!out.contains('\u{9b}'));
    }

    #[test]
    fn control_sequences_are_spelled_out() {
        let paint = Paint { colour: true };
        assert_eq!(paint.text(Colour::Red, "a\x1b[2J\nb"), "\x1b[31ma\\u001b[2J\\nb\x1b[0m");
    }
}
