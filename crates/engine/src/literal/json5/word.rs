//! Words without quotes: numbers, `true`, a small arithmetic, and text where the reader is lenient.

use super::super::{arithmetic, tolerant_number};
use super::{Leniency, Reader, Unreadable};
use crate::document::{Number, Value};

impl Reader<'_> {
    /// A number or a word without quotes.
    pub(super) fn bare(&mut self) -> Result<Value, Unreadable> {
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
            if self.leniency == Leniency::Lenient
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
            if self.leniency == Leniency::Lenient && self.peek().is_some() {
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
            "True" | "TRUE" if self.leniency == Leniency::Lenient => return Ok(Value::Bool(true)),
            "False" | "FALSE" if self.leniency == Leniency::Lenient => return Ok(Value::Bool(false)),
            "None" | "NULL" | "undefined" if self.leniency == Leniency::Lenient => return Ok(Value::Null),
            _ => {}
        }
        let number = match self.leniency {
            Leniency::Exact => number(word).or_else(|| arithmetic::evaluate(word)),
            Leniency::Lenient => tolerant_number(word),
        };
        if let Some(number) = number {
            return Ok(Value::Number(number));
        }
        if self.leniency == Leniency::Lenient { Ok(Value::from(word)) } else { Err(self.stop()) }
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
pub(super) fn starts_member(text: &str) -> bool {
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
