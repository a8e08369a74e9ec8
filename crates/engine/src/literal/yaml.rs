//! The part of YAML 1.2 in which people write states: block and flow collections, all scalar styles, comments, anchors,
//! merge keys. No tags, no directives, one document.
//!
//! Reading works on lines. A `- ` or a `key: ` in front of a nested block is cut off and the rest of the line becomes a
//! line of its own with the indent it has there, so compact forms need no rules of their own.

mod flow;
mod scalar;

use crate::document::{Object, Value};
use crate::limits::{DOCUMENT_BYTES_MAX, JSON_DEPTH_MAX};
use std::collections::HashMap;
use std::sync::Arc;

/// The text is no YAML that we read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotYaml;

/// Reads one YAML document.
///
/// ```
/// use tavernkeep_engine::literal::read_yaml;
///
/// let value = read_yaml("hero:\n  gold: 5  # coins\n  bag: [rope, 'a torch']\n").unwrap();
/// assert_eq!(value.to_json(), r#"{"hero":{"gold":5,"bag":["rope","a torch"]}}"#);
/// ```
pub fn read_yaml(text: &str) -> Result<Value, NotYaml> {
    read(text, false)
}

/// Reads a YAML document that people wrote by hand: what is no YAML inside a scalar is text.
///
/// ```
/// use tavernkeep_engine::literal::read_yaml_lenient;
///
/// let value = read_yaml_lenient("note: morning: she sleeps\nmark: *very* good").unwrap();
/// assert_eq!(value.to_json(), r#"{"note":"morning: she sleeps","mark":"*very* good"}"#);
/// ```
pub fn read_yaml_lenient(text: &str) -> Result<Value, NotYaml> {
    read(text, true)
}

fn read(text: &str, lenient: bool) -> Result<Value, NotYaml> {
    let mut lines = Vec::new();
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if number == 0 && line.trim_end() == "---" {
            continue;
        }
        if line.trim_end() == "..." {
            break;
        }
        lines.push(Line::new(line));
    }
    let mut reader = Reader { lines, at: 0, anchors: HashMap::new(), lenient };
    let value = reader.node(0, 0)?;
    reader.skip_empty();
    if reader.at < reader.lines.len() { Err(NotYaml) } else { Ok(value) }
}

#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    indent: usize,
    /// The line without its indent.
    text: &'a str,
}

impl<'a> Line<'a> {
    fn new(line: &'a str) -> Line<'a> {
        let text = line.trim_start_matches(' ');
        Line { indent: line.len() - text.len(), text: text.trim_end() }
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty() || self.text.starts_with('#')
    }
}

struct Reader<'a> {
    lines: Vec<Line<'a>>,
    at: usize,
    anchors: HashMap<&'a str, Value>,
    lenient: bool,
}

impl<'a> Reader<'a> {
    fn skip_empty(&mut self) {
        while self.lines.get(self.at).is_some_and(Line::is_empty) {
            self.at += 1;
        }
    }

    /// The next line with content, when it is indented at least so far.
    fn peek(&mut self, indent_min: usize) -> Option<Line<'a>> {
        self.skip_empty();
        self.lines.get(self.at).copied().filter(|line| line.indent >= indent_min)
    }

    /// Whatever stands at the next line: a sequence, a mapping or a scalar.
    fn node(&mut self, indent_min: usize, depth: usize) -> Result<Value, NotYaml> {
        if depth > JSON_DEPTH_MAX {
            return Err(NotYaml);
        }
        let Some(line) = self.peek(indent_min) else { return Ok(Value::Null) };
        if line.text.starts_with('\t') {
            return Err(NotYaml);
        }
        if is_item(line.text) {
            return self.sequence(line.indent, depth);
        }
        if scalar::split_key(line.text).is_some() {
            return self.mapping(line.indent, depth);
        }
        self.at += 1;
        self.inline(line.text, indent_min, line.indent, depth)
    }

    fn sequence(&mut self, indent: usize, depth: usize) -> Result<Value, NotYaml> {
        let mut items = Vec::new();
        while let Some(line) = self.peek(indent) {
            if line.indent != indent || !is_item(line.text) {
                break;
            }
            let rest = line.text[1..].trim_start();
            if rest.is_empty() || rest.starts_with('#') {
                self.at += 1;
                items.push(self.node(indent + 1, depth + 1)?);
            } else {
                let inner = indent + (line.text.len() - rest.len());
                self.lines[self.at] = Line { indent: inner, text: rest };
                items.push(self.entry(indent + 1, depth + 1)?);
            }
        }
        Ok(items.into_iter().collect())
    }

    /// The content behind a dash: perhaps an anchor, then a node.
    fn entry(&mut self, indent_min: usize, depth: usize) -> Result<Value, NotYaml> {
        let line = self.lines[self.at];
        if line.text.starts_with(['&', '*', '|', '>', '!']) && scalar::split_key(line.text).is_none() {
            self.at += 1;
            return self.inline(line.text, indent_min, indent_min - 1, depth);
        }
        self.node(indent_min, depth)
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> Result<Value, NotYaml> {
        let mut members: Vec<(Arc<str>, Value)> = Vec::new();
        let mut merged: Vec<Value> = Vec::new();
        while let Some(line) = self.peek(indent) {
            if line.indent != indent {
                return Err(NotYaml);
            }
            let Some((key, rest)) = scalar::split_key(line.text) else { break };
            let merge = key == "<<";
            let key: Arc<str> = scalar::key_text(key)?.into();
            self.at += 1;
            let value = if rest.is_empty() || rest.starts_with('#') {
                // A list may stand below its key without a further indent.
                match self.peek(indent) {
                    Some(next) if next.indent > indent || is_item(next.text) => self.node(next.indent, depth + 1)?,
                    _ => Value::Null,
                }
            } else {
                self.inline(rest, indent + 1, indent, depth + 1)?
            };
            if merge { merged.push(value) } else { members.push((key, value)) }
        }
        Ok(with_merged(members, &merged))
    }

    /// A value that starts on the line of its key or dash; `parent` is the indent of that line.
    fn inline(&mut self, text: &'a str, indent_min: usize, parent: usize, depth: usize) -> Result<Value, NotYaml> {
        if depth > JSON_DEPTH_MAX {
            return Err(NotYaml);
        }
        match text.as_bytes()[0] {
            b'&' => {
                let (name, rest) = text[1..].split_once(' ').unwrap_or((&text[1..], ""));
                let value = match rest.trim_start() {
                    "" => self.node(indent_min, depth + 1)?,
                    rest => self.inline(rest, indent_min, parent, depth + 1)?,
                };
                self.anchors.insert(name, value.clone());
                Ok(value)
            }
            b'*' => {
                let name = text[1..].split(' ').next().unwrap_or_default();
                let Some(value) = self.anchors.get(name) else { return self.stray(text, indent_min) };
                // Aliases of aliases double; the shared tree is small, the text it stands for is not.
                if value.weight() > DOCUMENT_BYTES_MAX { Err(NotYaml) } else { Ok(value.clone()) }
            }
            b'|' | b'>' => self.block_scalar(text, parent),
            b'{' | b'[' | b'"' | b'\'' => self.flow(text, indent_min, depth),
            b'!' | b'%' | b'@' | b'`' => self.stray(text, indent_min),
            _ => self.plain(text, indent_min),
        }
    }

    /// A value that starts like something it is not.
    fn stray(&mut self, text: &'a str, indent_min: usize) -> Result<Value, NotYaml> {
        if self.lenient { self.plain(text, indent_min) } else { Err(NotYaml) }
    }

    /// Joins the lines of a flow collection or a quoted scalar, then reads them as one text.
    fn flow(&mut self, text: &'a str, indent_min: usize, depth: usize) -> Result<Value, NotYaml> {
        let mut balance = flow::Balance::default();
        let mut joined = String::from(text);
        balance.feed(text);
        while !balance.is_closed() {
            let line = *self.lines.get(self.at).ok_or(NotYaml)?;
            if !line.text.is_empty() && line.indent < indent_min {
                return Err(NotYaml);
            }
            joined.push('\n');
            joined.push_str(line.text);
            balance.feed("\n");
            balance.feed(line.text);
            self.at += 1;
        }
        flow::read(&joined, depth)
    }

    /// A scalar without quotes, folded over the lines that are indented under it.
    fn plain(&mut self, text: &'a str, indent_min: usize) -> Result<Value, NotYaml> {
        let first = scalar::strip_comment(text);
        if !self.lenient && scalar::split_key(first).is_some() {
            return Err(NotYaml);
        }
        let mut folded = String::from(first);
        let mut breaks = 0;
        let mut lines = 1;
        while first.len() == text.len()
            && let Some(line) = self.lines.get(self.at).copied()
        {
            if line.text.is_empty() {
                breaks += 1;
                self.at += 1;
                continue;
            }
            if line.indent < indent_min || line.text.starts_with('#') {
                break;
            }
            if !self.lenient && scalar::split_key(line.text).is_some() {
                return Err(NotYaml);
            }
            let part = scalar::strip_comment(line.text);
            folded.push_str(if breaks == 0 { " " } else { &"\n\n\n\n\n\n\n\n"[..breaks.min(8)] });
            folded.push_str(part);
            breaks = 0;
            lines += 1;
            self.at += 1;
            if part.len() < line.text.len() {
                break;
            }
        }
        Ok(if lines == 1 { scalar::resolve(&folded) } else { Value::from(folded) })
    }

    /// `|` keeps line breaks, `>` folds them.
    fn block_scalar(&mut self, header: &str, parent: usize) -> Result<Value, NotYaml> {
        let folds = header.starts_with('>');
        let indicators = scalar::strip_comment(&header[1..]).trim();
        let explicit = indicators.bytes().find(u8::is_ascii_digit).map(|digit| parent + usize::from(digit - b'0'));
        if !indicators.bytes().all(|byte| byte == b'-' || byte == b'+' || byte.is_ascii_digit()) {
            return Err(NotYaml);
        }
        let mut lines: Vec<String> = Vec::new();
        let mut indent = explicit;
        while let Some(line) = self.lines.get(self.at) {
            if !line.text.is_empty() {
                let wanted = *indent.get_or_insert(line.indent);
                if line.indent < wanted
                    || wanted <= parent && parent > 0
                    || (wanted == 0 && parent == 0 && line.indent == 0)
                {
                    break;
                }
                lines.push(format!("{}{}", " ".repeat(line.indent - wanted), line.text));
            } else {
                lines.push(String::new());
            }
            self.at += 1;
        }
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        let mut text = if folds { scalar::fold(&lines) } else { lines.join("\n") };
        if !indicators.contains('-') && !text.is_empty() {
            text.push('\n');
        }
        Ok(Value::from(text))
    }
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ") || text.starts_with("-\t")
}

/// Own members win over merged ones.
fn with_merged(members: Vec<(Arc<str>, Value)>, merged: &[Value]) -> Value {
    let mut all = Object::default();
    for value in merged {
        let sources = if value.as_array().is_some() { value.items() } else { std::slice::from_ref(value) };
        for (key, value) in sources.iter().filter_map(Value::as_object).flatten() {
            if !all.contains_key(key) {
                all.set(Arc::clone(key), value.clone());
            }
        }
    }
    members.into_iter().for_each(|(key, value)| {
        all.set(key, value);
    });
    Value::Object(all.into())
}
