//! Strings: where they end, and what their escapes mean.

use super::word::starts_member;
use super::{Leniency, Reader, Unreadable};
use std::borrow::Cow;

impl<'a> Reader<'a> {
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Unreadable> {
        let open = self.peek().unwrap_or('"');
        let close = closer(open, self.leniency).unwrap_or('"');
        self.bump();
        if let Some(plain) = self.plain_string(close) {
            return Ok(Cow::Borrowed(plain));
        }
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
                '\n' | '\r' if self.leniency == Leniency::Exact => return Err(self.stop()),
                _ if character == close
                    || (self.leniency == Leniency::Lenient && typographic_pair(open, character)) =>
                {
                    self.bump();
                    if self.leniency == Leniency::Exact || self.string_ends_here() {
                        return Ok(Cow::Owned(out));
                    }
                    out.push(character);
                    continue;
                }
                _ => {}
            }
            out.push(character);
            self.bump();
        }
        if self.leniency == Leniency::Lenient { Ok(Cow::Owned(out)) } else { Err(self.stop()) }
    }

    /// A string without anything to decode, which is most of them: a piece of the text. Reads nothing otherwise.
    fn plain_string(&mut self, close: char) -> Option<&'a str> {
        let rest = self.rest();
        let end = rest.bytes().position(|byte| STOPS[usize::from(byte)])?;
        if !rest[end..].starts_with(close) {
            return None;
        }
        let start = self.at;
        self.at += end + close.len_utf8();
        if self.leniency == Leniency::Lenient && !self.string_ends_here() {
            self.at = start;
            return None;
        }
        Some(&rest[..end])
    }

    /// Whether the quote just read ends its string: something that follows a value comes next.
    fn string_ends_here(&self) -> bool {
        let rest = self.rest();
        let next = rest.trim_start();
        match next.chars().next() {
            None => true,
            // In Chinese prose a quotation is often followed by a comma; it ends the string only before another item.
            Some('，') => {
                let item = next.trim_start_matches('，').trim_start();
                item.is_empty()
                    || item.starts_with(['"', '\'', '“', '{', '[', '}', ']', '-', '+'])
                    || item.starts_with(|c: char| c.is_ascii_digit())
                    || starts_member(item)
            }
            Some(character) if ",:]}：｝］;；".contains(character) => true,
            Some('/') => next.starts_with("//") || next.starts_with("/*"),
            // A missing comma: the next item starts on another line or behind a blank.
            Some('"' | '\'' | '{' | '[' | '“') => next.len() < rest.len(),
            Some('.') => next.starts_with("..."),
            Some(_) => rest.starts_with('\n') && starts_member(next),
        }
    }

    pub(super) fn escape(&mut self, out: &mut String) -> Result<(), Unreadable> {
        let Some(character) = self.peek() else {
            return if self.leniency == Leniency::Lenient { Ok(()) } else { Err(self.stop()) };
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
        match (code.and_then(char::from_u32), self.leniency) {
            (Some(character), _) => out.push(character),
            (None, Leniency::Lenient) => out.push(char::REPLACEMENT_CHARACTER),
            (None, Leniency::Exact) => return Err(self.stop()),
        }
        Ok(())
    }

    fn hex_digits(&mut self, digits: usize) -> Option<u32> {
        let text = self.text.get(self.at..self.at + digits)?;
        let code = text.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(text, 16).ok())??;
        self.at += digits;
        Some(code)
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
pub(super) fn closer(quote: char, leniency: Leniency) -> Option<char> {
    match (quote, leniency) {
        ('"' | '\'', _) | ('`', Leniency::Lenient) => Some(quote),
        ('“' | '”', Leniency::Lenient) => Some('”'),
        ('‘' | '’', Leniency::Lenient) => Some('’'),
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
