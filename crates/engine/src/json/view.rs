//! A look into normalised JSON: members and elements by skipping, never by checking again.

use super::JsonText;
use std::borrow::Cow;

/// One value inside a [`JsonText`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonView<'a>(&'a str);

/// What a JSON value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// An integer or a double.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl<'a> JsonView<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        JsonView(text)
    }

    /// What the value is.
    pub fn kind(self) -> JsonKind {
        match self.0.as_bytes().first() {
            Some(b'{') => JsonKind::Object,
            Some(b'[') => JsonKind::Array,
            Some(b'"') => JsonKind::String,
            Some(b't' | b'f') => JsonKind::Bool,
            Some(b'n') => JsonKind::Null,
            _ => JsonKind::Number,
        }
    }

    /// The value's own text.
    pub fn text(self) -> &'a str {
        self.0
    }

    /// The value as a text of its own.
    pub fn to_text(self) -> JsonText {
        JsonText(self.0.into())
    }

    /// The characters of a string.
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        (self.kind() == JsonKind::String).then(|| unescape(&self.0[1..self.0.len() - 1]))
    }

    /// An integer that fits 64 bits with a sign.
    pub fn as_i64(self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// Any number, as the nearest double.
    pub fn as_f64(self) -> Option<f64> {
        (self.kind() == JsonKind::Number).then(|| self.0.parse().ok()).flatten()
    }

    /// A truth value.
    pub fn as_bool(self) -> Option<bool> {
        self.0.parse().ok()
    }

    /// The members of an object, in their order.
    pub fn as_object(self) -> Option<Members<'a>> {
        (self.kind() == JsonKind::Object).then(|| Members(Parts::inside(self.0)))
    }

    /// The elements of an array.
    pub fn as_array(self) -> Option<Elements<'a>> {
        (self.kind() == JsonKind::Array).then(|| Elements(Parts::inside(self.0)))
    }

    /// The member of an object with this key.
    pub fn get(self, key: &str) -> Option<JsonView<'a>> {
        self.as_object()?.find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// How deep containers nest in this value.
    pub fn depth(self) -> usize {
        let mut depth = 0;
        let mut deepest = 0;
        let bytes = self.0.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'{' | b'[' => {
                    depth += 1;
                    deepest = deepest.max(depth);
                }
                b'}' | b']' => depth -= 1,
                b'"' => at = string_end(bytes, at) - 1,
                _ => {}
            }
            at += 1;
        }
        deepest
    }
}

/// The members of an object: decoded key and value.
#[derive(Debug, Clone)]
pub struct Members<'a>(Parts<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, JsonView<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.0.next()?;
        self.0.at += 1;
        let value = self.0.next()?;
        self.0.at += 1;
        Some((unescape(&key[1..key.len() - 1]), JsonView(value)))
    }
}

/// The elements of an array.
#[derive(Debug, Clone)]
pub struct Elements<'a>(Parts<'a>);

impl<'a> Iterator for Elements<'a> {
    type Item = JsonView<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let element = self.0.next()?;
        self.0.at += 1;
        Some(JsonView(element))
    }
}

/// Walks the values inside one container; the caller steps over the separator between two of them.
#[derive(Debug, Clone)]
struct Parts<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parts<'a> {
    fn inside(container: &'a str) -> Self {
        Parts { text: &container[1..container.len() - 1], at: 0 }
    }

    fn next(&mut self) -> Option<&'a str> {
        let start = self.at;
        self.at = value_end(self.text.as_bytes(), start)?;
        Some(&self.text[start..self.at])
    }
}

/// Where the value that starts at `start` ends.
fn value_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    match *bytes.get(start)? {
        b'"' => Some(string_end(bytes, start)),
        b'{' | b'[' => {
            let mut depth = 0usize;
            loop {
                match bytes[at] {
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    b'"' => at = string_end(bytes, at) - 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
        _ => {
            while at < bytes.len() && bytes[at] != b',' {
                at += 1;
            }
            Some(at)
        }
    }
}

/// Where the string that starts at `start` ends, behind its quote.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The characters between the quotes of a normalised string.
pub(crate) fn unescape(inner: &str) -> Cow<'_, str> {
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
