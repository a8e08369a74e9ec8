//! One reader for JSON as people and models write it, in two readings.
//!
//! ```text
//! Exact    JSON5: comments, trailing commas, single quotes, bare keys, hexadecimal, + and bare points in numbers
//! Lenient  also: missing commas and closers, bare words, full-width punctuation, typographic quotes, quotes inside
//!          strings, raw newlines, ellipses, True and None
//! ```
//!
//! Exact reading stops at the first thing that is not JSON5. Lenient reading makes the best of everything and never goes
//! back, so it is linear whatever the text is.

mod string;
mod word;

pub use word::number;

use crate::document::{Object, Value};
use crate::limits::{BODY_ENVELOPE_DEPTH, JSON_DEPTH_MAX};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use string::closer;

/// How much the reader forgives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leniency {
    /// JSON5 and no more.
    Exact,
    /// Everything that can be guessed.
    Lenient,
}

/// The text is not what the reader accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable {
    /// Where reading stopped, in bytes.
    pub offset: usize,
}

/// Reads one value that fills the text.
pub fn read(text: &str, leniency: Leniency) -> Result<Value, Unreadable> {
    let mut reader = Reader::new(text, leniency);
    let value = reader.value(0)?;
    reader.skip_blanks();
    if reader.at < text.len() { Err(reader.stop()) } else { Ok(value) }
}

/// Reads the items of a list with their places. Without brackets around them the items are still taken when lenient.
pub fn read_items(text: &str, leniency: Leniency) -> Result<Vec<(Range<usize>, Value)>, Unreadable> {
    let mut reader = Reader::new(text, leniency);
    reader.skip_blanks();
    let bracketed = reader.accept('[');
    if !bracketed && leniency == Leniency::Exact {
        return Err(reader.stop());
    }
    let mut items = Vec::new();
    loop {
        reader.skip_separators(leniency == Leniency::Lenient || items.is_empty())?;
        match reader.peek() {
            None if leniency == Leniency::Lenient => return Ok(items),
            Some(']') if bracketed => {
                reader.at += 1;
                break;
            }
            Some('}' | ']') if leniency == Leniency::Lenient => {
                reader.at += 1;
                continue;
            }
            None => return Err(reader.stop()),
            _ => {}
        }
        let start = reader.at;
        let value = reader.value(1)?;
        items.push((start..reader.at, value));
        reader.skip_blanks();
        if leniency == Leniency::Exact && !matches!(reader.peek(), Some(',' | ']')) {
            return Err(reader.stop());
        }
    }
    reader.skip_blanks();
    if leniency == Leniency::Exact && reader.at < text.len() { Err(reader.stop()) } else { Ok(items) }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    leniency: Leniency,
    /// The keys read last. The objects of a list mostly have the same ones, which need no copy each.
    keys: [Option<Arc<str>>; KEYS_SHARED],
    /// Which of them is forgotten next.
    oldest_key: usize,
}

/// How deep reading goes: a value in a patch stands inside of two containers.
const DEPTH_READ: usize = JSON_DEPTH_MAX + BODY_ENVELOPE_DEPTH;

/// How many keys are remembered.
const KEYS_SHARED: usize = 8;

impl<'a> Reader<'a> {
    fn new(text: &'a str, leniency: Leniency) -> Self {
        Reader { text, at: 0, leniency, keys: Default::default(), oldest_key: 0 }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Unreadable> {
        self.skip_blanks();
        match self.peek() {
            Some('{' | '[' | '｛' | '［') if depth >= DEPTH_READ => self.step_over(),
            Some('{' | '｛') if self.allows('｛') => self.object(depth + 1),
            Some('[' | '［') if self.allows('［') => self.array(depth + 1),
            Some(quote) if closer(quote, self.leniency).is_some() => {
                self.string().map(|text| Value::String(text.into()))
            }
            Some(_) => self.bare(),
            None => Err(self.stop()),
        }
    }

    /// Leaves out a container that is too deep. The empty one in its place still nests deeper than a document may, so
    /// the write of the value is refused with the limit, and what stands beside it can still be read.
    fn step_over(&mut self) -> Result<Value, Unreadable> {
        let mut open = 0_usize;
        while let Some(character) = self.peek() {
            self.bump();
            match character {
                '{' | '[' | '｛' | '［' => open += 1,
                '}' | ']' | '｝' | '］' => open -= 1,
                '"' | '\'' => {
                    let rest = self.rest();
                    let mut escaped = false;
                    let end = rest.find(|next: char| {
                        let ends = next == character && !escaped;
                        escaped = next == '\\' && !escaped;
                        ends
                    });
                    self.at += end.map_or(rest.len(), |end| end + 1);
                }
                _ => {}
            }
            if open == 0 {
                return Ok(Value::empty_array());
            }
        }
        if self.leniency == Leniency::Lenient { Ok(Value::empty_array()) } else { Err(self.stop()) }
    }

    fn allows(&self, full_width: char) -> bool {
        self.leniency == Leniency::Lenient || self.peek() != Some(full_width)
    }

    fn object(&mut self, depth: usize) -> Result<Value, Unreadable> {
        self.bump();
        let mut members = Object::default();
        loop {
            self.skip_separators(members.is_empty())?;
            match self.peek() {
                Some('}' | '｝') => {
                    self.bump();
                    break;
                }
                // A list that goes on means that this object was never closed.
                None | Some(']') if self.leniency == Leniency::Lenient => break,
                None => return Err(self.stop()),
                _ => {}
            }
            let key = self.key()?;
            let key = self.shared(&key);
            self.skip_blanks();
            let colon = self.accept(':') || (self.leniency == Leniency::Lenient && self.accept('：'));
            if !colon {
                if self.leniency == Leniency::Exact {
                    return Err(self.stop());
                }
                // A lone word in braces has no value.
                members.set(key, Value::Null);
                continue;
            }
            self.skip_blanks();
            let value = match self.peek() {
                None | Some(',' | '}' | ']') if self.leniency == Leniency::Lenient => Value::Null,
                _ => self.value(depth)?,
            };
            members.set(key, value);
            self.item_end(&['}', '｝'])?;
        }
        Ok(Value::Object(members.into()))
    }

    fn array(&mut self, depth: usize) -> Result<Value, Unreadable> {
        self.bump();
        let mut items = Vec::new();
        loop {
            self.skip_separators(items.is_empty())?;
            match self.peek() {
                Some(']' | '］') => {
                    self.bump();
                    break;
                }
                None | Some('}') if self.leniency == Leniency::Lenient => break,
                None => return Err(self.stop()),
                _ => {}
            }
            items.push(self.value(depth)?);
            self.item_end(&[']', '］'])?;
        }
        Ok(items.into_iter().collect())
    }

    /// After an item comes a comma or the closer; JSON5 insists.
    fn item_end(&mut self, closers: &[char]) -> Result<(), Unreadable> {
        self.skip_blanks();
        match self.peek() {
            Some(',') => Ok(()),
            Some(other) if closers.contains(&other) => Ok(()),
            _ if self.leniency == Leniency::Lenient => Ok(()),
            _ => Err(self.stop()),
        }
    }

    /// Steps over commas between items. JSON5 allows one, and none before the first.
    fn skip_separators(&mut self, first: bool) -> Result<(), Unreadable> {
        self.skip_blanks();
        let mut seen = 0;
        loop {
            match self.peek() {
                Some(',') => seen += 1,
                Some('，' | '、' | ';' | '；' | '…') if self.leniency == Leniency::Lenient => {}
                Some('.') if self.leniency == Leniency::Lenient && self.rest().starts_with("...") => {}
                _ => break,
            }
            if self.leniency == Leniency::Exact && (first || seen > 1) {
                return Err(self.stop());
            }
            if self.peek() == Some('.') {
                self.at += 2;
            }
            self.bump();
            self.skip_blanks();
        }
        Ok(())
    }

    fn key(&mut self) -> Result<Cow<'a, str>, Unreadable> {
        match self.peek() {
            Some(quote) if closer(quote, self.leniency).is_some() => self.string(),
            _ if self.leniency == Leniency::Lenient => {
                let start = self.at;
                while self.peek().is_some_and(|c| !":：,，{}[]\n".contains(c)) {
                    self.bump();
                }
                if self.at == start {
                    // Something that starts no key: step over it, so that reading always goes on.
                    self.bump();
                }
                Ok(Cow::Borrowed(self.text[start..self.at].trim()))
            }
            _ => self.identifier().map(Cow::Owned),
        }
    }

    fn shared(&mut self, key: &str) -> Arc<str> {
        if let Some(known) = self.keys.iter().flatten().find(|known| known.as_ref() == key) {
            return Arc::clone(known);
        }
        let key: Arc<str> = key.into();
        self.keys[self.oldest_key] = Some(Arc::clone(&key));
        self.oldest_key = (self.oldest_key + 1) % KEYS_SHARED;
        key
    }

    fn identifier(&mut self) -> Result<String, Unreadable> {
        let mut name = String::new();
        while let Some(character) = self.peek() {
            if character == '\\' {
                self.bump();
                self.escape(&mut name)?;
            } else if character.is_alphabetic()
                || "$_".contains(character)
                || (!name.is_empty() && character.is_alphanumeric())
            {
                name.push(character);
                self.bump();
            } else {
                break;
            }
        }
        if name.is_empty() { Err(self.stop()) } else { Ok(name) }
    }

    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
        // Comments and rare blanks.
        if matches!(bytes.get(self.at), None | Some(b'!'..=b'.' | b'0'..=b'~')) {
            return;
        }
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
            self.at += blanks;
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            } else if blanks == 0 {
                return;
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn accept(&mut self, character: char) -> bool {
        let found = self.peek() == Some(character);
        if found {
            self.bump();
        }
        found
    }

    fn stop(&self) -> Unreadable {
        Unreadable { offset: self.at }
    }
}
