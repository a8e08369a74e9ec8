//! Flow style: `{a: 1, b: [x, "y"]}` and quoted scalars, on one text that may hold line breaks.

use super::{NotYaml, scalar};
use crate::document::Value;
use crate::limits::JSON_DEPTH_MAX;
use std::sync::Arc;

/// Counts brackets and quotes over lines, to know where a flow value ends.
#[derive(Debug, Default)]
pub(super) struct Balance {
    depth: usize,
    quote: Option<u8>,
    escaped: bool,
    started: bool,
}

impl Balance {
    pub(super) fn feed(&mut self, text: &str) {
        for byte in text.bytes() {
            self.started = true;
            if self.escaped {
                self.escaped = false;
                continue;
            }
            match (self.quote, byte) {
                (Some(b'"'), b'\\') => self.escaped = true,
                (Some(quote), byte) if quote == byte => self.quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => self.quote = Some(byte),
                (None, b'{' | b'[') => self.depth += 1,
                (None, b'}' | b']') => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.started && self.depth == 0 && self.quote.is_none()
    }
}

/// Reads one flow value that fills the text, apart from a comment.
pub(super) fn read(text: &str, depth: usize) -> Result<Value, NotYaml> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(depth)?;
    let gap = reader.at;
    reader.skip_blanks();
    let rest = reader.rest();
    if rest.is_empty() || (rest.starts_with('#') && reader.at > gap) { Ok(value) } else { Err(NotYaml) }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Value, NotYaml> {
        if depth > JSON_DEPTH_MAX {
            return Err(NotYaml);
        }
        self.skip_blanks();
        match self.byte() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.double().map(Value::from),
            Some(b'\'') => self.single().map(Value::from),
            Some(b'&' | b'*' | b'!' | b'|' | b'>' | b'@' | b'`' | b'%') | None => Err(NotYaml),
            Some(_) => self
                .plain()
                .map(|word| if word.contains('\n') { Value::from(folded(word)) } else { scalar::resolve(word) }),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, NotYaml> {
        self.at += 1;
        let mut members: Vec<(Arc<str>, Value)> = Vec::new();
        loop {
            self.skip_blanks();
            match self.byte() {
                Some(b'}') => break,
                Some(b',') => {
                    self.at += 1;
                    continue;
                }
                None => return Err(NotYaml),
                _ => {}
            }
            let quoted = matches!(self.byte(), Some(b'"' | b'\''));
            let key: Arc<str> = match self.value(depth + 1)? {
                Value::String(text) => text,
                Value::Null if !quoted => "".into(),
                scalar if !scalar.is_container() => scalar.to_json().into(),
                _ => return Err(NotYaml),
            };
            self.skip_blanks();
            let value = if self.byte() == Some(b':') {
                self.at += 1;
                self.skip_blanks();
                match self.byte() {
                    Some(b',' | b'}') => Value::Null,
                    _ => self.value(depth + 1)?,
                }
            } else {
                Value::Null
            };
            members.push((key, value));
            self.separator(b'}')?;
        }
        self.at += 1;
        Ok(members.into_iter().collect())
    }

    fn array(&mut self, depth: usize) -> Result<Value, NotYaml> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            if self.byte() == Some(b']') {
                break;
            }
            let item = self.value(depth + 1)?;
            self.skip_blanks();
            // `[a: 1]` is a list of one small mapping.
            let item = match (self.byte(), &item) {
                (Some(b':'), Value::String(key)) => {
                    self.at += 1;
                    let value = self.value(depth + 1)?;
                    [(Arc::clone(key), value)].into_iter().collect()
                }
                _ => item,
            };
            items.push(item);
            self.separator(b']')?;
        }
        self.at += 1;
        Ok(items.into_iter().collect())
    }

    fn separator(&mut self, closer: u8) -> Result<(), NotYaml> {
        self.skip_blanks();
        match self.byte() {
            Some(b',') => {
                self.at += 1;
                Ok(())
            }
            Some(byte) if byte == closer => Ok(()),
            _ => Err(NotYaml),
        }
    }

    fn plain(&mut self) -> Result<&'a str, NotYaml> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            let ends = match byte {
                b',' | b'[' | b']' | b'{' | b'}' => true,
                b':' => matches!(bytes.get(self.at + 1), None | Some(b' ' | b'\n' | b'\t' | b',' | b']' | b'}')),
                b'#' => self.at > start && matches!(bytes[self.at - 1], b' ' | b'\n'),
                _ => false,
            };
            if ends {
                break;
            }
            self.at += 1;
        }
        let word = self.text[start..self.at].trim();
        if word.is_empty() { Err(NotYaml) } else { Ok(word) }
    }

    fn single(&mut self) -> Result<String, NotYaml> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let end = rest.find('\'').ok_or(NotYaml)?;
            out.push_str(&folded(&rest[..end]));
            self.at += end + 1;
            if self.byte() != Some(b'\'') {
                return Ok(out);
            }
            out.push('\'');
            self.at += 1;
        }
    }

    fn double(&mut self) -> Result<String, NotYaml> {
        self.at += 1;
        let start = self.at;
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at).ok_or(NotYaml)? {
                b'\\' => self.at += 2,
                b'"' => break,
                _ => self.at += 1,
            }
        }
        let inner = self.text.get(start..self.at).ok_or(NotYaml)?;
        self.at += 1;
        // Line breaks fold first; what is left is a JSON string with a few more escapes.
        let quoted = format!("\"{}\"", folded(inner));
        match super::super::json5::read(&quoted, super::super::json5::Leniency::Exact) {
            Ok(Value::String(text)) => Ok(text.to_string()),
            _ => Err(NotYaml),
        }
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\n', '\t', '\r']).len();
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
}

/// Folds the lines of a scalar: one break is a blank, and of several in a row each further one is a break.
fn folded(text: &str) -> String {
    if !text.contains('\n') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut breaks = 0;
    let last = text.matches('\n').count();
    for (position, line) in text.split('\n').enumerate() {
        let line = if position > 0 { line.trim_start() } else { line };
        let line = if position < last { line.trim_end() } else { line };
        if position > 0 {
            breaks += 1;
            if line.is_empty() && position < last {
                continue;
            }
            match breaks {
                1 => out.push(' '),
                _ => out.extend(std::iter::repeat_n('\n', breaks - 1)),
            }
            breaks = 0;
        }
        out.push_str(line);
    }
    out
}
