//! One reader for JSON as people and models write it, in two tempers.
//!
//! ```text
//! Exact    JSON5: comments, trailing commas, single quotes, bare keys, hexadecimal, + and bare points in numbers
//! Lenient  also: missing commas and closers, bare words, full-width punctuation, typographic quotes, quotes inside
//!          strings, raw newlines, ellipses, True and None
//! ```
//!
//! Exact reading stops at the first thing that is not JSON5. Lenient reading makes the best of everything and never goes
//! back, so it is linear whatever the text is.

use super::arithmetic;
use crate::document::{Number, Value};
use crate::limits::JSON_DEPTH_MAX;
use std::ops::Range;
use std::sync::Arc;

/// How much the reader forgives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Temper {
    /// JSON5 and no more.
    Exact,
    /// Everything that can be guessed.
    Lenient,
}

/// The text is not what the temper allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable {
    /// Where reading stopped, in bytes.
    pub offset: usize,
}

/// Reads one value that fills the text.
pub fn read(text: &str, temper: Temper) -> Result<Value, Unreadable> {
    let mut reader = Reader::new(text, temper);
    let value = reader.value(0)?;
    reader.skip_blanks();
    if reader.at < text.len() { Err(reader.stop()) } else { Ok(value) }
}

/// Reads the items of a list with their places. Without brackets around them the items are still taken when lenient.
pub fn read_items(text: &str, temper: Temper) -> Result<Vec<(Range<usize>, Value)>, Unreadable> {
    let mut reader = Reader::new(text, temper);
    reader.skip_blanks();
    let bracketed = reader.accept('[');
    if !bracketed && temper == Temper::Exact {
        return Err(reader.stop());
    }
    let mut items = Vec::new();
    loop {
        reader.skip_separators(temper == Temper::Lenient || items.is_empty())?;
        match reader.peek() {
            None if temper == Temper::Lenient => return Ok(items),
            Some(']') if bracketed => {
                reader.at += 1;
                break;
            }
            Some('}' | ']') if temper == Temper::Lenient => {
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
        if temper == Temper::Exact && !matches!(reader.peek(), Some(',' | ']')) {
            return Err(reader.stop());
        }
    }
    reader.skip_blanks();
    if temper == Temper::Exact && reader.at < text.len() { Err(reader.stop()) } else { Ok(items) }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    temper: Temper,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, temper: Temper) -> Self {
        Reader { text, at: 0, temper }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Unreadable> {
        if depth > JSON_DEPTH_MAX {
            return Err(self.stop());
        }
        self.skip_blanks();
        match self.peek() {
            Some('{' | '｛') if self.allows('｛') => self.object(depth + 1),
            Some('[' | '［') if self.allows('［') => self.array(depth + 1),
            Some(quote) if closer(quote, self.temper).is_some() => self.string().map(Value::from),
            Some(_) => self.bare(),
            None => Err(self.stop()),
        }
    }

    fn allows(&self, full_width: char) -> bool {
        self.temper == Temper::Lenient || self.peek() != Some(full_width)
    }

    fn object(&mut self, depth: usize) -> Result<Value, Unreadable> {
        self.bump();
        let mut members: Vec<(Arc<str>, Value)> = Vec::new();
        loop {
            self.skip_separators(members.is_empty())?;
            match self.peek() {
                Some('}' | '｝') => {
                    self.bump();
                    break;
                }
                // A list that goes on means that this object was never closed.
                None | Some(']') if self.temper == Temper::Lenient => break,
                None => return Err(self.stop()),
                _ => {}
            }
            let key: Arc<str> = self.key()?.into();
            self.skip_blanks();
            let colon = self.accept(':') || (self.temper == Temper::Lenient && self.accept('：'));
            if !colon {
                if self.temper == Temper::Exact {
                    return Err(self.stop());
                }
                // A lone word in braces has no value.
                members.push((key, Value::Null));
                continue;
            }
            self.skip_blanks();
            let value = match self.peek() {
                None | Some(',' | '}' | ']') if self.temper == Temper::Lenient => Value::Null,
                _ => self.value(depth)?,
            };
            members.push((key, value));
            self.item_end(&['}', '｝'])?;
        }
        Ok(members.into_iter().collect())
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
                None | Some('}') if self.temper == Temper::Lenient => break,
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
            _ if self.temper == Temper::Lenient => Ok(()),
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
                Some('，' | '、' | ';' | '；' | '…') if self.temper == Temper::Lenient => {}
                Some('.') if self.temper == Temper::Lenient && self.rest().starts_with("...") => {}
                _ => break,
            }
            if self.temper == Temper::Exact && (first || seen > 1) {
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

    fn key(&mut self) -> Result<String, Unreadable> {
        match self.peek() {
            Some(quote) if closer(quote, self.temper).is_some() => self.string(),
            _ if self.temper == Temper::Lenient => {
                let start = self.at;
                while self.peek().is_some_and(|c| !":：,，{}[]\n".contains(c)) {
                    self.bump();
                }
                if self.at == start {
                    // Something that starts no key: step over it, so that reading always goes on.
                    self.bump();
                }
                Ok(self.text[start..self.at].trim().to_owned())
            }
            _ => self.identifier(),
        }
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

    fn string(&mut self) -> Result<String, Unreadable> {
        let open = self.peek().unwrap_or('"');
        let close = closer(open, self.temper).unwrap_or('"');
        self.bump();
        let mut out = String::new();
        loop {
            // Whatever cannot end the string is taken in one go.
            let plain = self.text.as_bytes()[self.at..].iter().position(|&byte| STOPS[usize::from(byte)]);
            let run = plain.unwrap_or(self.text.len() - self.at);
            out.push_str(&self.text[self.at..self.at + run]);
            self.at += run;
            let Some(character) = self.peek() else { break };
            match character {
                '\\' => {
                    self.bump();
                    self.escape(&mut out)?;
                    continue;
                }
                '\n' | '\r' if self.temper == Temper::Exact => return Err(self.stop()),
                _ if character == close || (self.temper == Temper::Lenient && typographic_pair(open, character)) => {
                    self.bump();
                    if self.temper == Temper::Exact || self.string_ends_here() {
                        return Ok(out);
                    }
                    out.push(character);
                    continue;
                }
                _ => {}
            }
            out.push(character);
            self.bump();
        }
        if self.temper == Temper::Lenient { Ok(out) } else { Err(self.stop()) }
    }

    /// Whether the quote just read ends its string: something that follows a value comes next.
    fn string_ends_here(&self) -> bool {
        let rest = self.rest();
        let next = rest.trim_start();
        match next.chars().next() {
            None => true,
            Some(character) if ",:]}，：｝］;；".contains(character) => true,
            Some('/') => next.starts_with("//") || next.starts_with("/*"),
            // A missing comma: the next item starts on another line or behind a blank.
            Some('"' | '\'' | '{' | '[' | '“') => next.len() < rest.len(),
            Some('.') => next.starts_with("..."),
            Some(_) => rest.starts_with('\n') && starts_member(next),
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), Unreadable> {
        let Some(character) = self.peek() else {
            return if self.temper == Temper::Lenient { Ok(()) } else { Err(self.stop()) };
        };
        self.bump();
        match character {
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'v' => out.push('\u{b}'),
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => out.push('\0'),
            'x' => self.hexadecimal(2, out)?,
            'u' => self.hexadecimal(4, out)?,
            '\n' | '\u{2028}' | '\u{2029}' => {}
            '\r' => {
                self.accept('\n');
            }
            other => out.push(other),
        }
        Ok(())
    }

    fn hexadecimal(&mut self, digits: usize, out: &mut String) -> Result<(), Unreadable> {
        let first = self.hex_digits(digits);
        let code = match first {
            Some(high @ 0xD800..=0xDBFF) if self.rest().starts_with("\\u") => {
                self.at += 2;
                self.hex_digits(4)
                    .filter(|low| (0xDC00..=0xDFFF).contains(low))
                    .map(|low| 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))
            }
            other => other,
        };
        match (code.and_then(char::from_u32), self.temper) {
            (Some(character), _) => out.push(character),
            (None, Temper::Lenient) => out.push(char::REPLACEMENT_CHARACTER),
            (None, Temper::Exact) => return Err(self.stop()),
        }
        Ok(())
    }

    fn hex_digits(&mut self, digits: usize) -> Option<u32> {
        let text = self.text.get(self.at..self.at + digits)?;
        let code = text.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(text, 16).ok())??;
        self.at += digits;
        Some(code)
    }

    /// A number or a word without quotes.
    fn bare(&mut self) -> Result<Value, Unreadable> {
        let start = self.at;
        let mut parentheses = 0_usize;
        while let Some(character) = self.peek() {
            match character {
                '(' => parentheses += 1,
                ')' => parentheses = parentheses.saturating_sub(1),
                ',' | '，' if parentheses == 0 => break,
                ']' | '}' | '\n' | '\r' | '｝' | '］' => break,
                '/' if self.rest().starts_with("//") || self.rest().starts_with("/*") => break,
                _ => {}
            }
            // Numbers in a row and the next key are items of their own.
            if self.temper == Temper::Lenient
                && parentheses == 0
                && character.is_whitespace()
                && item_starts(&self.text[start..self.at], self.rest().trim_start())
            {
                break;
            }
            self.bump();
        }
        let word = self.text[start..self.at].trim_end();
        if word.is_empty() {
            if self.temper == Temper::Lenient && self.peek().is_some() {
                self.bump();
                return Ok(Value::Null);
            }
            return Err(self.stop());
        }
        self.at = start + word.len();
        self.word(word)
    }

    fn word(&self, word: &str) -> Result<Value, Unreadable> {
        match word {
            "true" => return Ok(Value::Bool(true)),
            "false" => return Ok(Value::Bool(false)),
            "null" => return Ok(Value::Null),
            "True" | "TRUE" if self.temper == Temper::Lenient => return Ok(Value::Bool(true)),
            "False" | "FALSE" if self.temper == Temper::Lenient => return Ok(Value::Bool(false)),
            "None" | "NULL" | "undefined" if self.temper == Temper::Lenient => return Ok(Value::Null),
            _ => {}
        }
        if let Some(number) = number(word) {
            return Ok(Value::Number(number));
        }
        if let Some(number) = arithmetic::evaluate(word) {
            return Ok(Value::Number(number));
        }
        if self.temper == Temper::Lenient { Ok(Value::from(word)) } else { Err(self.stop()) }
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

/// Bytes at which a string needs a look: quotes, escapes, line breaks, and the first byte of typographic quotes.
const STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    let bytes = *b"\"'`\\\n\r\xE2";
    let mut index = 0;
    while index < bytes.len() {
        stops[bytes[index] as usize] = true;
        index += 1;
    }
    stops
};

/// The quote that ends a string which starts with this one.
fn closer(quote: char, temper: Temper) -> Option<char> {
    match (quote, temper) {
        ('"' | '\'', _) | ('`', Temper::Lenient) => Some(quote),
        ('“' | '”', Temper::Lenient) => Some('”'),
        ('‘' | '’', Temper::Lenient) => Some('’'),
        _ => None,
    }
}

/// Models open with `“` and close with `"` or `“`; any double quote ends what any double typographic quote began.
fn typographic_pair(open: char, character: char) -> bool {
    match open {
        '“' | '”' => matches!(character, '“' | '”' | '"'),
        '‘' | '’' => matches!(character, '‘' | '\''),
        _ => false,
    }
}

/// How far a reader looks ahead for the end of a key. A bound keeps reading linear.
const KEY_LOOKAHEAD: usize = 64;

/// Whether behind a complete word a new item starts, although no comma says so.
fn item_starts(word: &str, next: &str) -> bool {
    let complete = word.len() < KEY_LOOKAHEAD && (number(word).is_some() || matches!(word, "true" | "false" | "null"));
    complete && next.chars().next().is_some_and(|c| c.is_ascii_digit() || "\"'{[“".contains(c) || starts_member(next))
}

/// Whether the text starts with a bare key and a colon.
fn starts_member(text: &str) -> bool {
    let key = text.chars().take(KEY_LOOKAHEAD).take_while(|&c| c.is_alphanumeric() || c == '_' || c == '-');
    let length: usize = key.map(char::len_utf8).sum();
    length > 0 && text[length..].trim_start_matches(' ').starts_with([':', '：'])
}

/// A number as JSON5 writes it. Not finite is no number.
pub fn number(text: &str) -> Option<Number> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        if !hexadecimal.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let integer = Number::from(u64::from_str_radix(hexadecimal, 16).ok()?);
        return Some(if negative { integer.negate() } else { integer });
    }
    let bytes = digits.as_bytes();
    let point = bytes.iter().filter(|&&byte| byte == b'.').count();
    let has_digit = bytes.first().is_some_and(u8::is_ascii_digit)
        || (bytes.len() > 1 && bytes[0] == b'.' && bytes[1].is_ascii_digit());
    let plain = bytes.iter().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(byte));
    let leading_zero = bytes.len() > 1 && bytes[0] == b'0' && bytes[1].is_ascii_digit();
    if !has_digit || !plain || point > 1 || leading_zero {
        return None;
    }
    Number::parse(digits).map(|number| if negative { number.negate() } else { number })
}
