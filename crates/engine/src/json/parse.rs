//! The one reader of JSON: checks the grammar and writes the normalised text in the same pass.

use super::number::Number;
use std::fmt;

/// Why a text is not JSON that we keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong.
    pub kind: JsonErrorKind,
    /// Where, in bytes from the start of the text.
    pub offset: usize,
}

/// The kinds of things that can be wrong with a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonErrorKind {
    /// The text breaks off or has a character where JSON allows none.
    Syntax(&'static str),
    /// The text is not UTF-8.
    NotUtf8,
    /// An escape names half of a surrogate pair.
    LoneSurrogate,
    /// An object has the same key twice.
    DuplicateKey(String),
    /// An integer needs more than 64 bits or a double is not finite.
    NumberOutOfRange(String),
    /// Containers nest deeper than allowed.
    TooDeep(usize),
}

impl fmt::Display for JsonError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = self.offset;
        match &self.kind {
            JsonErrorKind::Syntax(expected) => write!(formatter, "at byte {offset}: {expected}"),
            JsonErrorKind::NotUtf8 => write!(formatter, "at byte {offset}: not UTF-8; send the text as UTF-8"),
            JsonErrorKind::LoneSurrogate => write!(
                formatter,
                "at byte {offset}: a \\u escape names half of a surrogate pair; send both halves or the character itself"
            ),
            JsonErrorKind::DuplicateKey(key) => {
                write!(formatter, "at byte {offset}: the key {key:?} appears twice in one object; keep one of them")
            }
            JsonErrorKind::NumberOutOfRange(number) => write!(
                formatter,
                "at byte {offset}: {number} is neither a 64-bit integer nor a finite double; send it as a string"
            ),
            JsonErrorKind::TooDeep(limit) => {
                // A body may nest a little deeper than its value; people think of the value.
                let limit = (*limit).min(crate::limits::JSON_DEPTH_MAX);
                write!(formatter, "at byte {offset}: nested deeper than {limit} levels; flatten the value")
            }
        }
    }
}

impl std::error::Error for JsonError {}

/// Reads one JSON value that fills the whole text.
pub(super) fn normalise(bytes: &[u8], depth_max: usize) -> Result<String, JsonError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| JsonError { kind: JsonErrorKind::NotUtf8, offset: error.valid_up_to() })?;
    let mut reader =
        Reader { text, bytes, at: 0, depth_max, out: String::with_capacity(bytes.len()), keys: Vec::new() };
    reader.skip_blanks();
    reader.value(0)?;
    reader.skip_blanks();
    if reader.at < bytes.len() {
        return reader.syntax("expected the end of the text");
    }
    Ok(reader.out)
}

/// Writes text as a JSON string, with escapes only where JSON demands them.
pub(crate) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    // Runs without anything to escape are copied whole.
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        out.push_str(&rest[..at]);
        write_char(out, char::from(rest.as_bytes()[at]));
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

fn write_char(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        control if control < ' ' => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            out.push_str("\\u00");
            out.push(HEX[control as usize >> 4] as char);
            out.push(HEX[control as usize & 15] as char);
        }
        other => out.push(other),
    }
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth_max: usize,
    out: String,
    /// Where the keys of the objects being read stand in `out`; the innermost object's come last.
    keys: Vec<(usize, usize)>,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<(), JsonError> {
        match self.peek() {
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            Some(_) => self.syntax("expected a JSON value"),
            None => self.syntax("the text ends where a JSON value is expected"),
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), JsonError> {
        self.enter(depth, '{')?;
        let first_key = self.keys.len();
        let start = self.at;
        self.parts(b'}', "expected `,` or `}`", |reader| {
            if reader.peek() != Some(b'"') {
                return reader.syntax("expected a key in double quotes");
            }
            let key_start = reader.out.len();
            reader.string()?;
            reader.keys.push((key_start, reader.out.len()));
            reader.skip_blanks();
            if !reader.accept(b':') {
                return reader.syntax("expected `:` after the key");
            }
            reader.out.push(':');
            reader.skip_blanks();
            reader.value(depth)
        })?;
        self.refuse_duplicates(first_key, start)
    }

    /// Reads the parts of a container up to its closing byte.
    fn parts(
        &mut self,
        close: u8,
        expected: &'static str,
        part: impl Fn(&mut Self) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        let mut ends = self.accept(close);
        while !ends {
            part(self)?;
            self.skip_blanks();
            if self.accept(b',') {
                self.out.push(',');
                self.skip_blanks();
            } else if self.accept(close) {
                ends = true;
            } else {
                return self.syntax(expected);
            }
        }
        self.out.push(char::from(close));
        Ok(())
    }

    /// Sorts the innermost object's keys and looks at neighbours: no hashing, so no hostile collisions.
    fn refuse_duplicates(&mut self, first_key: usize, start: usize) -> Result<(), JsonError> {
        let out = &self.out;
        let keys = &mut self.keys[first_key..];
        if keys.len() > 1 {
            keys.sort_unstable_by(|left, right| out[left.0..left.1].cmp(&out[right.0..right.1]));
            if let Some(pair) = keys.windows(2).find(|pair| out[pair[0].0..pair[0].1] == out[pair[1].0..pair[1].1]) {
                let key = out[pair[0].0 + 1..pair[0].1 - 1].to_owned();
                return Err(JsonError { kind: JsonErrorKind::DuplicateKey(key), offset: start });
            }
        }
        self.keys.truncate(first_key);
        Ok(())
    }

    fn array(&mut self, depth: usize) -> Result<(), JsonError> {
        self.enter(depth, '[')?;
        self.parts(b']', "expected `,` or `]`", |reader| reader.value(depth))
    }

    fn enter(&mut self, depth: usize, bracket: char) -> Result<(), JsonError> {
        if depth > self.depth_max {
            return self.fail(JsonErrorKind::TooDeep(self.depth_max));
        }
        self.at += 1;
        self.out.push(bracket);
        self.skip_blanks();
        Ok(())
    }

    fn string(&mut self) -> Result<(), JsonError> {
        self.at += 1;
        self.out.push('"');
        loop {
            let run = self.at;
            while let Some(byte) = self.peek()
                && byte != b'"'
                && byte != b'\\'
                && byte >= b' '
            {
                self.at += 1;
            }
            self.out.push_str(&self.text[run..self.at]);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.escape()?,
                Some(_) => return self.syntax("a control character inside a string must be escaped"),
                None => return self.syntax("the text ends inside a string"),
            }
        }
        self.at += 1;
        self.out.push('"');
        Ok(())
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        self.at += 2;
        let character = match self.bytes.get(start + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => self.unicode(start)?,
            _ => {
                self.at = start;
                return self.syntax("an unknown escape in a string");
            }
        };
        write_char(&mut self.out, character);
        Ok(())
    }

    fn unicode(&mut self, start: usize) -> Result<char, JsonError> {
        let lone = JsonError { kind: JsonErrorKind::LoneSurrogate, offset: start };
        let first = self.hex4()?;
        let scalar = match first {
            0xD800..=0xDBFF => {
                if self.bytes.get(self.at..self.at + 2) != Some(b"\\u") {
                    return Err(lone);
                }
                self.at += 2;
                let second = self.hex4()?;
                if !(0xDC00..=0xDFFF).contains(&second) {
                    return Err(lone);
                }
                0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)
            }
            other => other,
        };
        char::from_u32(scalar).ok_or(lone)
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let digits = self.bytes.get(self.at..self.at + 4).unwrap_or_default();
        let number = digits.iter().try_fold(0, |number, &byte| Some(number * 16 + char::from(byte).to_digit(16)?));
        match number {
            Some(number) if digits.len() == 4 => {
                self.at += 4;
                Ok(number)
            }
            _ => self.syntax("expected four hexadecimal digits after `\\u`"),
        }
    }

    fn number(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        self.accept(b'-');
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return self.syntax("expected a digit"),
        }
        let mut integer = true;
        if self.accept(b'.') {
            integer = false;
            self.some_digits()?;
        }
        if self.accept(b'e') || self.accept(b'E') {
            integer = false;
            if !self.accept(b'+') {
                self.accept(b'-');
            }
            self.some_digits()?;
        }
        let literal = &self.text[start..self.at];
        let kept = if integer { write_integer(&mut self.out, literal) } else { write_double(&mut self.out, literal) };
        if !kept {
            let shown = literal.chars().take(40).collect();
            return Err(JsonError { kind: JsonErrorKind::NumberOutOfRange(shown), offset: start });
        }
        Ok(())
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Result<(), JsonError> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return self.syntax("expected a digit");
        }
        self.digits();
        Ok(())
    }

    fn word(&mut self, word: &'static str) -> Result<(), JsonError> {
        if !self.text[self.at..].starts_with(word) {
            return self.syntax("expected a JSON value");
        }
        self.at += word.len();
        self.out.push_str(word);
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn syntax<T>(&self, expected: &'static str) -> Result<T, JsonError> {
        self.fail(JsonErrorKind::Syntax(expected))
    }

    fn fail<T>(&self, kind: JsonErrorKind) -> Result<T, JsonError> {
        Err(JsonError { kind, offset: self.at })
    }
}

/// Writes a number without fraction and exponent. False when it needs more than 64 bits.
fn write_integer(out: &mut String, literal: &str) -> bool {
    // Eighteen digits always fit, so the common case is a copy.
    let fits = literal.len() <= 18 || literal.parse::<i64>().is_ok() || literal.parse::<u64>().is_ok();
    if fits {
        out.push_str(if literal == "-0" { "0" } else { literal });
    }
    fits
}

/// Writes a number with a fraction or an exponent. False when it is not finite.
fn write_double(out: &mut String, literal: &str) -> bool {
    use fmt::Write as _;
    let number = literal.parse().ok().and_then(Number::from_f64);
    number.is_some_and(|number| write!(out, "{number}").is_ok())
}
