//! Reads values out of normalised JSON in one pass. What is not normalised JSON gives nothing, and never a panic.

use super::{Array, Number, Object, Value};
use crate::json::unescape;
use std::borrow::Cow;
use std::sync::Arc;

/// A place in normalised JSON.
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

    fn peek(&self) -> Option<u8> {
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

    /// The next value.
    pub(crate) fn value(&mut self) -> Option<Value> {
        Some(match self.peek()? {
            b'"' => Value::String(self.string()?.into()),
            b'{' => {
                self.at += 1;
                let mut object = Object::default();
                self.parts(b'}', |reader| {
                    let key: Arc<str> = reader.string()?.into();
                    reader.eat(b':')?;
                    object.set(key, reader.value()?);
                    Some(())
                })?;
                Value::Object(object.into())
            }
            b'[' => {
                self.at += 1;
                let mut array = Array::default();
                self.parts(b']', |reader| {
                    array.push(reader.value()?);
                    Some(())
                })?;
                Value::Array(array.into())
            }
            _ => match self.word() {
                "null" => Value::Null,
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                number => Value::Number(Number::parse(number)?),
            },
        })
    }

    /// The text of the next string.
    pub(crate) fn string(&mut self) -> Option<Cow<'a, str>> {
        self.eat(b'"')?;
        let start = self.at;
        self.pass_string()?;
        Some(unescape(self.text.get(start..self.at - 1)?))
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

    /// Passes the next value.
    pub(crate) fn skip(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    self.pass_string()?;
                }
                b'{' | b'[' => {
                    self.at += 1;
                    depth += 1;
                }
                b'}' | b']' => {
                    self.at += 1;
                    depth = depth.checked_sub(1)?;
                }
                b',' | b':' => self.at += 1,
                _ => drop(self.word()),
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Passes the rest of a string, its quote included.
    fn pass_string(&mut self) -> Option<()> {
        loop {
            let rest = self.text.as_bytes().get(self.at..)?;
            let stop = memchr::memchr2(b'"', b'\\', rest)?;
            match rest[stop] {
                b'"' => {
                    self.at += stop + 1;
                    return Some(());
                }
                _ => self.at += stop + 2,
            }
        }
    }

    /// A number or a name.
    fn word(&mut self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let end = rest.bytes().position(|byte| matches!(byte, b',' | b']' | b'}')).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_text_gives_nothing_and_never_a_panic() {
        let text = r#"{"a":[1,-2.5,"x\"y\\",{"雪":null}],"b":true,"c":{}}"#;
        let whole = Reader::new(text).value().unwrap();
        assert_eq!(whole.to_json(), text);
        let mut reader = Reader::new(text);
        assert!(reader.skip().is_some() && reader.is_at_end());
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            let _ = (Reader::new(&text[..end]).value(), Reader::new(&text[..end]).skip());
            let _ = (Reader::new(&text[end..]).value(), Reader::new(&text[end..]).skip());
        }
    }
}
