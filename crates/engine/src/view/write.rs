//! A state as text: JSON on one line, YAML, or a compact indented form that spends few characters.

use super::yaml::{pad, write_key, write_text};
use super::{Format, Pairs};
use crate::document::{Array, Object, Value};
use crate::json::write_string;

/// What is shown of a value, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style<'a> {
    pub(crate) format: Format,
    /// Keys that start with one of these are left out, at any depth.
    pub(crate) hidden: &'a [String],
    pub(crate) pairs: Pairs,
    /// Nothing is added to a text that has more bytes than this.
    pub(crate) bytes_max: usize,
}

/// A list of scalars up to this length stands on one line of the compact form.
const LINE_CHARS_MAX: usize = 120;

impl Style<'_> {
    /// A whole value.
    pub(crate) fn write(&self, out: &mut String, value: &Value) {
        match self.format {
            Format::Json => self.json(out, value),
            Format::Yaml => self.yaml(out, value, 0),
            Format::Compact => self.compact(out, value, 0),
        }
    }

    /// One member of the outermost object, without what joins it to its neighbours.
    pub(crate) fn write_member(&self, out: &mut String, key: &str, value: &Value) {
        match self.format {
            Format::Json => self.json_member(out, key, value),
            Format::Yaml => self.yaml_member(out, key, value, 0),
            Format::Compact => self.compact_member(out, key, value, 0),
        }
    }

    /// Whether a text has more bytes than it may have: what is in it then is not whole.
    pub(crate) fn is_cut(&self, out: &str) -> bool {
        out.len() > self.bytes_max
    }

    pub(crate) fn shows(&self, key: &str) -> bool {
        !self.hidden.iter().any(|prefix| key.starts_with(prefix.as_str()))
    }

    fn members<'v>(&self, object: &'v Object) -> impl Iterator<Item = (&'v str, &'v Value)> {
        object.iter().map(|(key, value)| (key.as_ref(), value)).filter(|(key, _)| self.shows(key))
    }

    /// The value of a pair and its description, where pairs are known; else the value itself.
    fn pair<'v>(&self, value: &'v Value) -> (&'v Value, Option<&'v str>) {
        match (self.pairs, value.as_pair()) {
            (Pairs::Lists, _) | (_, None) => (value, None),
            (Pairs::Values, Some((first, _))) => (first, None),
            (Pairs::Described, Some((first, description))) => (first, Some(description)),
        }
    }

    fn json(&self, out: &mut String, value: &Value) {
        // With its description a pair is JSON as it is.
        let value = if self.pairs == Pairs::Values { self.pair(value).0 } else { value };
        match value {
            Value::Object(object) => {
                out.push('{');
                for (number, (key, value)) in self.members(object).enumerate() {
                    if self.is_cut(out) {
                        return;
                    }
                    if number > 0 {
                        out.push(',');
                    }
                    self.json_member(out, key, value);
                }
                out.push('}');
            }
            Value::Array(items) => {
                out.push('[');
                for (number, item) in items.iter().enumerate() {
                    if self.is_cut(out) {
                        return;
                    }
                    if number > 0 {
                        out.push(',');
                    }
                    self.json(out, item);
                }
                out.push(']');
            }
            scalar => scalar.write_json(out),
        }
    }

    fn json_member(&self, out: &mut String, key: &str, value: &Value) {
        write_string(out, key);
        out.push(':');
        self.json(out, value);
    }

    /// A value whose first line begins where `out` stands, and whose others are indented.
    fn yaml(&self, out: &mut String, value: &Value, indent: usize) {
        let (value, description) = self.pair(value);
        match value {
            Value::Object(object) => {
                let before = out.len();
                for (key, value) in self.members(object) {
                    if self.is_cut(out) {
                        return;
                    }
                    new_line(out, before, indent);
                    self.yaml_member(out, key, value, indent);
                }
                if out.len() == before {
                    out.push_str("{}");
                }
            }
            Value::Array(items) if !items.is_empty() => {
                let before = out.len();
                for item in items.iter() {
                    if self.is_cut(out) {
                        return;
                    }
                    new_line(out, before, indent);
                    out.push_str("- ");
                    self.yaml(out, item, indent + 2);
                }
            }
            Value::Array(_) => out.push_str("[]"),
            Value::String(text) => write_text(out, text, indent, self.bytes_max),
            scalar => scalar.write_json(out),
        }
        if let Some(description) = description {
            comment(out, description);
        }
    }

    fn yaml_member(&self, out: &mut String, key: &str, value: &Value, indent: usize) {
        write_key(out, key);
        out.push(':');
        let (inner, description) = self.pair(value);
        let is_block = match inner {
            Value::Object(object) => self.members(object).next().is_some(),
            Value::Array(items) => !items.is_empty(),
            _ => false,
        };
        if is_block {
            if let Some(description) = description {
                comment(out, description);
            }
            out.push('\n');
            pad(out, indent + 2);
            self.yaml(out, inner, indent + 2);
        } else {
            out.push(' ');
            self.yaml(out, value, indent + 2);
        }
    }

    fn compact(&self, out: &mut String, value: &Value, indent: usize) {
        let (value, description) = self.pair(value);
        match value {
            Value::Object(object) => {
                let before = out.len();
                for (key, value) in self.members(object) {
                    if self.is_cut(out) {
                        return;
                    }
                    new_line(out, before, indent);
                    self.compact_member(out, key, value, indent);
                }
                if out.len() == before {
                    out.push_str("{}");
                }
            }
            Value::Array(items) if items.is_empty() => out.push_str("[]"),
            Value::Array(items) => {
                if let Some(line) = one_line(items) {
                    out.push_str(&line);
                } else {
                    let before = out.len();
                    for item in items.iter() {
                        if self.is_cut(out) {
                            return;
                        }
                        new_line(out, before, indent);
                        out.push('-');
                        self.compact(out, item, indent + 1);
                    }
                }
            }
            scalar => compact_scalar(out, scalar),
        }
        if let Some(description) = description {
            out.push_str(" (");
            out.extend(description.chars().map(|character| if character == '\n' { ' ' } else { character }));
            out.push(')');
        }
    }

    fn compact_member(&self, out: &mut String, key: &str, value: &Value, indent: usize) {
        compact_text(out, key);
        out.push(':');
        let inner = self.pair(value).0;
        let is_block = match inner {
            Value::Object(object) => self.members(object).next().is_some(),
            Value::Array(items) => !items.is_empty() && one_line(items).is_none(),
            _ => false,
        };
        if is_block {
            out.push('\n');
            pad(out, indent + 1);
            self.compact(out, value, indent + 1);
        } else {
            self.compact(out, value, indent + 1);
        }
    }
}

/// Begins a line, unless it is the first of its value.
fn new_line(out: &mut String, before: usize, indent: usize) {
    if out.len() > before {
        out.push('\n');
        pad(out, indent);
    }
}

fn comment(out: &mut String, description: &str) {
    out.push_str(" # ");
    out.extend(description.chars().map(|character| if character.is_control() { ' ' } else { character }));
}

/// A short list of scalars as one line.
fn one_line(items: &Array) -> Option<String> {
    if items.weight() > LINE_CHARS_MAX * 3 {
        return None;
    }
    let mut line = String::new();
    for item in items.iter() {
        if item.is_container() {
            return None;
        }
        line.push_str(if line.is_empty() { "" } else { "," });
        match item {
            Value::String(text) if text.contains(',') || text.is_empty() => write_string(&mut line, text),
            scalar => compact_scalar(&mut line, scalar),
        }
    }
    (line.chars().count() <= LINE_CHARS_MAX).then(|| format!("[{line}]"))
}

fn compact_scalar(out: &mut String, scalar: &Value) {
    match scalar {
        Value::String(text) => compact_text(out, text),
        other => other.write_json(out),
    }
}

/// Text without quotes, unless a line break or its ends would be lost.
fn compact_text(out: &mut String, text: &str) {
    if text.is_empty() || text.trim() != text || text.contains(char::is_control) {
        write_string(out, text);
    } else {
        out.push_str(text);
    }
}
