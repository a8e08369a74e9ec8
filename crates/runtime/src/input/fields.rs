//! Reads the members of a JSON object field by field and collects everything that is wrong with them.
//!
//! Each reader returns `None` if the field is absent or wrong and records the problem, so that a handler reads all fields
//! first and refuses once, with every place.
//!
//! A field that no reader has read is unknown and refused too, so a handler reads every field that it knows.

use super::{Problems, RequestError};
use std::borrow::Cow;
use std::str::FromStr;
use tavernkeep_api::ErrorCode;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::{JsonKind, JsonText, JsonView};
use tavernkeep_engine::key::{InvalidKey, Key};
use tavernkeep_engine::limits::{JSON_DEPTH_MAX, KEY_BYTES_MAX};

/// The members of one object of a request body.
#[derive(Debug)]
pub struct Fields<'a> {
    place: String,
    members: Vec<(Cow<'a, str>, JsonView<'a>)>,
    /// The fields that were read; none where unknown fields are ignored.
    known: Option<Vec<&'static str>>,
    /// The problems found so far.
    pub problems: Problems,
}

impl<'a> Fields<'a> {
    /// Reads the object at `place` of the body, such as `/items/0`.
    pub fn of(view: JsonView<'a>, place: String) -> Self {
        let mut problems = Problems::default();
        let members = view.as_object().map(Iterator::collect).unwrap_or_else(|| {
            problems.kind(place.clone(), "object");
            Vec::new()
        });
        Fields { place, members, known: Some(Vec::new()), problems }
    }

    /// Reads the body.
    pub fn body(body: &'a JsonText) -> Result<Self, RequestError> {
        let fields = Fields::of(body.view(), String::new());
        if fields.problems.is_empty() { Ok(fields) } else { Err(fields.problems.refuse()) }
    }

    /// Ignores unknown fields, as the variables' routes do.
    pub fn open(self) -> Self {
        Fields { known: None, ..self }
    }

    /// The value of a field.
    pub fn get(&mut self, name: &'static str) -> Option<JsonView<'a>> {
        if let Some(known) = &mut self.known
            && !known.contains(&name)
        {
            known.push(name);
        }
        self.members.iter().find(|(member, _)| member == name).map(|(_, value)| *value)
    }

    /// The field's value; its absence is a problem.
    pub fn need(&mut self, name: &'static str) -> Option<JsonView<'a>> {
        let value = self.get(name);
        if value.is_none() && self.problems_belong_here() {
            self.problems.required(&self.place, name);
        }
        value
    }

    /// Text of `min` characters to `max` bytes.
    pub fn text(&mut self, name: &'static str, min: usize, max: usize) -> Option<Cow<'a, str>> {
        let value = self.get(name)?;
        self.text_of(name, value, min, max, "string")
    }

    /// A variable's key.
    pub fn key(&mut self, name: &'static str) -> Option<Key> {
        let text = self.text(name, 0, usize::MAX)?;
        match text.parse() {
            Ok(key) => Some(key),
            Err(InvalidKey::Empty) => {
                self.problems.too_short(self.path(name), 1);
                None
            }
            Err(InvalidKey::TooLong) => {
                self.problems.too_long(self.path(name), KEY_BYTES_MAX);
                None
            }
        }
    }

    /// One of a few words.
    pub fn choice<T: FromStr>(&mut self, name: &'static str, allowed: &[&str]) -> Option<T> {
        let text = self.text(name, 0, usize::MAX)?;
        let choice = text.parse().ok();
        if choice.is_none() {
            self.problems.choice(self.path(name), allowed);
        }
        choice
    }

    /// A JSON object that may be null.
    pub fn object(&mut self, name: &'static str) -> Result<Option<Option<JsonText>>, RequestError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match value.kind() {
            JsonKind::Null => Ok(Some(None)),
            JsonKind::Object => self.shallow(name, value).map(|text| Some(Some(text))),
            _ => {
                self.problems.kind(self.path(name), "object,null");
                Ok(None)
            }
        }
    }

    /// Any JSON value; its absence is a problem.
    pub fn value(&mut self, name: &'static str) -> Result<Option<JsonText>, RequestError> {
        self.need(name).map(|value| self.shallow(name, value)).transpose()
    }

    /// Any JSON, where there is some.
    pub fn optional_value(&mut self, name: &'static str) -> Result<Option<JsonText>, RequestError> {
        self.get(name).map(|value| self.shallow(name, value)).transpose()
    }

    /// A JSON number.
    pub fn number(&mut self, name: &'static str) -> Option<JsonText> {
        let value = self.get(name)?;
        if value.kind() != JsonKind::Number {
            self.problems.kind(self.path(name), "number");
            return None;
        }
        Some(value.to_text())
    }

    /// The elements of an array of `min` to `max`.
    pub fn array(&mut self, name: &'static str, min: usize, max: usize) -> Option<Vec<JsonView<'a>>> {
        let value = self.get(name)?;
        let Some(elements) = value.as_array() else {
            self.problems.kind(self.path(name), "array");
            return None;
        };
        // One more than allowed is enough to know.
        let elements: Vec<_> = elements.take(max + 1).collect();
        if elements.len() < min {
            self.problems.add(self.path(name), "minItems", format!("must NOT have fewer than {min} items"));
        } else if elements.len() > max {
            self.problems.add(self.path(name), "maxItems", format!("must NOT have more than {max} items"));
        } else {
            return Some(elements);
        }
        None
    }

    /// An array of ids.
    pub fn ids(&mut self, name: &'static str, max: usize) -> Option<Vec<Id>> {
        let elements = self.array(name, 1, max)?;
        let mut ids = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let path = || format!("{}/{name}/{index}", self.place);
            match element.as_str().map(|text| text.parse()) {
                Some(Ok(id)) => ids.push(id),
                Some(Err(_)) => {
                    let path = path();
                    self.problems.pattern(path);
                }
                None => {
                    let path = path();
                    self.problems.kind(path, "string");
                }
            }
        }
        (ids.len() == elements.len()).then_some(ids)
    }

    /// Refuses if anything was wrong.
    pub fn finish(self) -> Result<(), RequestError> {
        self.close().finish()
    }

    /// The refusal where the caller knows that something is missing.
    pub fn refuse<E: From<RequestError>>(self) -> E {
        self.close().refuse()
    }

    /// All problems, unknown fields included.
    pub fn close(mut self) -> Problems {
        if let Some(known) = &self.known {
            let names = self.members.iter().map(|(name, _)| name.as_ref());
            self.problems.unknown(&self.place, "field", names, known);
        }
        self.problems
    }

    /// The place of a field.
    pub fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.place)
    }

    fn text_of(&mut self, name: &str, value: JsonView<'a>, min: usize, max: usize, kind: &str) -> Option<Cow<'a, str>> {
        let Some(text) = value.as_str() else {
            self.problems.kind(self.path(name), kind);
            return None;
        };
        let place = &self.place;
        self.problems.length(|| format!("{place}/{name}"), &text, min, max).then_some(text)
    }

    /// A body may be deeper than a value, so each value is measured too. A text shorter than the limit cannot cross it.
    fn shallow(&self, name: &str, value: JsonView<'a>) -> Result<JsonText, RequestError> {
        if value.text().len() > 2 * JSON_DEPTH_MAX && value.depth() > JSON_DEPTH_MAX {
            let message =
                format!("{} is nested deeper than {JSON_DEPTH_MAX} levels; flatten the value", self.path(name));
            return Err(RequestError::new(ErrorCode::MalformedJson, message));
        }
        Ok(value.to_text())
    }

    /// An element that is not an object has one problem, not one for each missing field.
    fn problems_belong_here(&self) -> bool {
        !self.members.is_empty() || self.problems.is_empty()
    }
}
