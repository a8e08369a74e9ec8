//! A look into normalised JSON: members and elements by skipping, never by checking again.

use super::JsonText;
use super::read::{Reader, unescape};
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

impl JsonKind {
    /// The kind with its article, for messages.
    pub fn with_article(self) -> &'static str {
        match self {
            JsonKind::Null => "null",
            JsonKind::Bool => "a boolean",
            JsonKind::Number => "a number",
            JsonKind::String => "a string",
            JsonKind::Array => "a list",
            JsonKind::Object => "an object",
        }
    }

    /// The kind's name, as JSON Schema spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            JsonKind::Null => "null",
            JsonKind::Bool => "boolean",
            JsonKind::Number => "number",
            JsonKind::String => "string",
            JsonKind::Array => "array",
            JsonKind::Object => "object",
        }
    }
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
        (self.kind() == JsonKind::Object).then(|| Members(self.inside()))
    }

    /// The elements of an array.
    pub fn as_array(self) -> Option<Elements<'a>> {
        (self.kind() == JsonKind::Array).then(|| Elements(self.inside()))
    }

    /// The member of an object with this key.
    pub fn get(self, key: &str) -> Option<JsonView<'a>> {
        self.as_object()?.find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// How deep containers nest in this value.
    pub fn depth(self) -> usize {
        Reader::new(self.0).skip().unwrap_or(0)
    }

    fn inside(self) -> Reader<'a> {
        Reader::new(&self.0[1..self.0.len() - 1])
    }
}

/// The members of an object: decoded key and value.
#[derive(Debug, Clone)]
pub struct Members<'a>(Reader<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, JsonView<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.0.string()?;
        self.0.eat(b':')?;
        let value = self.0.part()?;
        self.0.eat(b',');
        Some((key, JsonView(value)))
    }
}

/// The elements of an array.
#[derive(Debug, Clone)]
pub struct Elements<'a>(Reader<'a>);

impl<'a> Iterator for Elements<'a> {
    type Item = JsonView<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let element = self.0.part()?;
        self.0.eat(b',');
        Some(JsonView(element))
    }
}
