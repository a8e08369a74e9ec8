//! Walks normalised JSON in one pass. What is not normalised JSON gives nothing, and never a panic.

use std::borrow::Cow;

/// Bytes that are looked at together.
const WORD: usize = 8;
/// Bytes of a string that are looked at before `memchr` is called.
const SHORT: usize = 4 * WORD;

/// A place in normalised JSON.
#[derive(Debug, Clone)]
pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Reader<'a> {
        Reader { text, at: 0 }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes this byte, if it is the next one.
    pub(crate) fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Reads parts up to a closing byte, with commas in between.
    pub(crate) fn parts(&mut self, close: u8, mut part: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if self.eat(close).is_some() {
            return Some(());
        }
        loop {
            part(self)?;
            match self.eat(b',') {
                Some(()) => {}
                None => return self.eat(close),
            }
        }
    }

    /// The text of the next string.
    pub(crate) fn string(&mut self) -> Option<Cow<'a, str>> {
        self.eat(b'"')?;
        let start = self.at;
        let (end, has_escapes) = string_end(self.text.as_bytes(), start)?;
        self.at = end + 1;
        let inner = self.text.get(start..end)?;
        Some(if has_escapes { unescape(inner) } else { Cow::Borrowed(inner) })
    }

    /// The next number that is an index.
    pub(crate) fn index(&mut self) -> Option<usize> {
        let start = self.at;
        let index = self.word().parse().ok();
        if index.is_none() {
            self.at = start;
        }
        index
    }

    /// Passes the next value; returns how deep containers nest in it.
    pub(crate) fn skip(&mut self) -> Option<usize> {
        if !matches!(self.peek()?, b'"' | b'{' | b'[') {
            self.word();
            return Some(0);
        }
        let bytes = self.text.as_bytes();
        let (mut at, mut depth, mut deepest) = (self.at, 0_usize, 0);
        loop {
            match *bytes.get(at)? {
                b'"' => at = string_end(bytes, at + 1)?.0,
                b'{' | b'[' => {
                    depth += 1;
                    deepest = deepest.max(depth);
                }
                b'}' | b']' => depth = depth.checked_sub(1)?,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                self.at = at;
                return Some(deepest);
            }
        }
    }

    /// The text of the next value.
    pub(crate) fn part(&mut self) -> Option<&'a str> {
        let start = self.at;
        self.skip()?;
        self.text.get(start..self.at)
    }

    /// A number or a name.
    pub(crate) fn word(&mut self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let end = rest.bytes().position(|byte| matches!(byte, b',' | b']' | b'}')).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }
}

/// Where the quote stands that ends a string, and whether the string has escapes.
fn string_end(bytes: &[u8], start: usize) -> Option<(usize, bool)> {
    let (mut at, mut has_escapes) = (start, false);
    loop {
        at += plain_length(bytes.get(at..)?);
        if *bytes.get(at)? == b'"' {
            return Some((at, has_escapes));
        }
        has_escapes = true;
        at += 2;
    }
}

/// How many bytes stand before the first quote or backslash; all, if there is none.
fn plain_length(bytes: &[u8]) -> usize {
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\');
    let mut rest = bytes;
    // Most strings are so short that a call of `memchr` costs more than it saves.
    for _ in 0..SHORT / WORD {
        let Some((word, behind)) = rest.split_first_chunk::<WORD>() else {
            return bytes.len() - rest.len() + rest.iter().position(is_special).unwrap_or(rest.len());
        };
        let word = u64::from_le_bytes(*word);
        let special = zero_bytes(word ^ repeated(b'"')) | zero_bytes(word ^ repeated(b'\\'));
        if special != 0 {
            return bytes.len() - rest.len() + special.trailing_zeros() as usize / 8;
        }
        rest = behind;
    }
    bytes.len() - rest.len() + memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len())
}

const fn repeated(byte: u8) -> u64 {
    u64::from_le_bytes([byte; WORD])
}

/// Sets the highest bit of the first byte that is zero, and perhaps of bytes behind it.
const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(repeated(1)) & !word & repeated(0x80)
}

/// The characters between the quotes of a normalised string.
pub(super) fn unescape(inner: &str) -> Cow<'_, str> {
    let Some(first) = inner.find('\\') else { return Cow::Borrowed(inner) };
    let mut out = String::with_capacity(inner.len());
    out.push_str(&inner[..first]);
    let mut characters = inner[first..].chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('u') => {
                let code =
                    characters.by_ref().take(4).fold(0, |code, digit| code * 16 + digit.to_digit(16).unwrap_or(0));
                out.extend(char::from_u32(code));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Value;

    #[test]
    fn strings_end_at_their_quote_whatever_their_length() {
        for length in 0..100 {
            for (special, has_escapes) in [("", false), ("\\n", true), ("\\\"", true), ("雪", false)] {
                for place in 0..=length {
                    let inner = "x".repeat(place) + special + &"#".repeat(length - place);
                    let text = format!("\"{inner}\",\"");
                    assert_eq!(string_end(text.as_bytes(), 1), Some((inner.len() + 1, has_escapes)), "{text}");
                    assert_eq!(string_end(&text.as_bytes()[..=inner.len()], 1), None, "{text}");
                }
            }
        }
    }

    #[test]
    fn damaged_text_gives_nothing_and_never_a_panic() {
        let text = r#"{"a":[1,-2.5,"x\"y\\",{"雪":null}],"b":true,"c":{}}"#;
        assert_eq!(Value::from_normalised(text).map(|value| value.to_json()).as_deref(), Some(text));
        let mut reader = Reader::new(text);
        assert!(reader.skip().is_some() && reader.is_at_end());
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            let _ = (Value::from_normalised(&text[..end]), Reader::new(&text[..end]).skip());
            let _ = (Value::from_normalised(&text[end..]), Reader::new(&text[end..]).skip());
        }
    }
}
