//! Reads the query string. A parameter may appear once; the gate has refused unknown ones.

use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use std::str::FromStr;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::limits::{FILTER_KEYS_MAX, KEY_BYTES_MAX, LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, POSITION_MAX};
use tavernkeep_runtime::input::Problems;
use tavernkeep_runtime::record::{KeyFilter, Window};

/// The parameters of a request. Like [`Fields`](tavernkeep_runtime::input::Fields), readers return `None` for what is absent or wrong.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query {
    pairs: Vec<(String, String)>,
    pub(crate) problems: Problems,
}

impl Query {
    /// Decodes a query string.
    pub(crate) fn parse(raw: &str) -> Result<Query, ApiError> {
        let mut pairs = Vec::new();
        for pair in raw.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match (decode(name), decode(value)) {
                (Some(name), Some(value)) => pairs.push((name, value)),
                (Some(name), None) => {
                    return Err(ApiError::invalid(
                        format!("/{name}"),
                        "format",
                        "must be UTF-8 with valid percent escapes",
                    ));
                }
                (None, _) => {
                    return Err(ApiError::invalid("", "format", "must be UTF-8 with valid percent escapes"));
                }
            }
        }
        Ok(Query { pairs, problems: Problems::default() })
    }

    /// One parameter that stands elsewhere, such as in the path.
    pub(crate) fn of(name: String, value: String) -> Query {
        Query { pairs: vec![(name, value)], problems: Problems::default() }
    }

    /// Refuses parameters that are not among the known ones.
    pub(crate) fn only(mut self, known: &[String]) -> Result<Query, ApiError> {
        self.problems.unknown("", "parameter", self.pairs.iter().map(|(name, _)| name.as_str()), known);
        if self.problems.is_empty() { Ok(self) } else { Err(self.problems.refuse()) }
    }

    /// Names and values that were not read yet.
    pub(crate) fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    /// The parameter's value.
    pub(crate) fn get(&mut self, name: &str) -> Option<String> {
        let mut values = self.pairs.iter_mut().filter(|(pair, _)| pair == name);
        let value = values.next().map(|(_, value)| std::mem::take(value));
        if values.next().is_some() {
            self.problems.add(format!("/{name}"), "maxItems", "must NOT be given more than once".into());
        }
        value
    }

    /// The parameter's value; its absence is a problem.
    pub(crate) fn need(&mut self, name: &str) -> Option<String> {
        let value = self.get(name);
        if value.is_none() {
            self.problems.required("", name);
        }
        value
    }

    /// Text of `min` characters to `max` bytes.
    pub(crate) fn text(&mut self, name: &str, min: usize, max: usize) -> Option<String> {
        let text = self.get(name)?;
        self.problems.length(|| format!("/{name}"), &text, min, max).then_some(text)
    }

    /// An id.
    pub(crate) fn id(&mut self, name: &str) -> Option<Id> {
        let text = self.get(name)?;
        self.id_of(name, &text)
    }

    /// An id that must be there.
    pub(crate) fn need_id(&mut self, name: &str) -> Option<Id> {
        let text = self.need(name)?;
        self.id_of(name, &text)
    }

    /// An integer between two bounds.
    pub(crate) fn integer(&mut self, name: &str, min: i64, max: i64) -> Option<i64> {
        let text = self.get(name)?;
        let plain = text.strip_prefix('-').unwrap_or(&text);
        let digits = !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(number) if digits && (min..=max).contains(&number) => return Some(number),
            Ok(number) if digits => self.problems.range(format!("/{name}"), number, min, max),
            _ if digits => self.problems.range(format!("/{name}"), i64::MAX, min, max),
            _ => self.problems.kind(format!("/{name}"), "integer"),
        }
        None
    }

    /// Literally `true` or `false`.
    pub(crate) fn boolean(&mut self, name: &str) -> Option<bool> {
        let value = self.get(name)?.parse().ok();
        if value.is_none() {
            self.problems.kind(format!("/{name}"), "boolean");
        }
        value
    }

    /// One of a few words.
    pub(crate) fn choice<T: FromStr>(&mut self, name: &str, allowed: &[&str]) -> Option<T> {
        let choice = self.get(name)?.parse().ok();
        if choice.is_none() {
            self.problems.choice(format!("/{name}"), allowed);
        }
        choice
    }

    /// The place of one of a few words; 0 if the parameter is absent or wrong.
    pub(crate) fn word(&mut self, name: &str, allowed: &[&'static str]) -> usize {
        let Some(word) = self.get(name) else { return 0 };
        allowed.iter().position(|&allowed| allowed == word).unwrap_or_else(|| {
            self.problems.choice(format!("/{name}"), allowed);
            0
        })
    }

    /// The last parameters of a list: `sort_by`, one of `columns` or the first, and the window.
    pub(crate) fn list(
        mut self,
        columns: &[&'static str],
        ascending: bool,
    ) -> Result<(&'static str, Window), ApiError> {
        let column = columns[self.word("sort_by", columns)];
        let window = self.window(ascending);
        self.finish().map(|()| (column, window))
    }

    /// `limit`, `offset`, `sort_order` and `total`.
    pub(crate) fn window(&mut self, ascending: bool) -> Window {
        let orders = if ascending { ["asc", "desc"] } else { ["desc", "asc"] };
        Window {
            limit: self.integer("limit", 1, LIST_LIMIT_MAX).unwrap_or(LIST_LIMIT_DEFAULT),
            offset: self.integer("offset", 0, POSITION_MAX).unwrap_or(0),
            ascending: orders[self.word("sort_order", &orders)] == "asc",
            total: self.boolean("total").unwrap_or(true),
        }
    }

    /// `key`, `keys` (repeated) and `prefix`. All that are given must fit, so together they narrow each other down.
    pub(crate) fn keys(&mut self, with_key: bool) -> KeyFilter {
        let one = if with_key { self.text("key", 1, KEY_BYTES_MAX) } else { None };
        let many: Vec<String> =
            self.pairs.iter_mut().filter(|(name, _)| name == "keys").map(|(_, key)| std::mem::take(key)).collect();
        if many.len() > FILTER_KEYS_MAX {
            let message = format!("must NOT have more than {FILTER_KEYS_MAX} items");
            self.problems.add("/keys".into(), "maxItems", message);
        }
        let prefix = self.text("prefix", 0, KEY_BYTES_MAX).filter(|prefix| !prefix.is_empty());
        let wanted = match (one, many.is_empty()) {
            (None, true) => return prefix.map_or(KeyFilter::Any, KeyFilter::Prefix),
            (Some(one), true) => vec![one],
            (None, false) => many,
            (Some(one), false) => many.into_iter().filter(|key| *key == one).collect(),
        };
        let fits = |key: &String| prefix.as_ref().is_none_or(|prefix| key.starts_with(prefix.as_str()));
        // A text that is not a valid key names no variable.
        let mut keys: Vec<Key> = wanted.iter().filter(|key| fits(key)).filter_map(|key| key.parse().ok()).collect();
        keys.sort_unstable();
        keys.dedup();
        KeyFilter::Keys(keys)
    }

    /// Refuses if anything was wrong.
    pub(crate) fn finish(self) -> Result<(), ApiError> {
        Ok(self.problems.finish()?)
    }

    fn id_of(&mut self, name: &str, text: &str) -> Option<Id> {
        let id = text.parse().ok();
        if id.is_none() {
            self.problems.pattern(format!("/{name}"));
        }
        id
    }
}

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        // The gate has decoded it already where it checked the names.
        let known = parts.extensions.remove::<Query>();
        known.map_or_else(|| Query::parse(parts.uri.query().unwrap_or_default()), Ok)
    }
}

/// Percent escapes and `+` for a blank, as forms write them.
fn decode(text: &str) -> Option<String> {
    if !text.bytes().any(|byte| byte == b'%' || byte == b'+') {
        return Some(text.to_owned());
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'+' => b' ',
            b'%' => {
                let high = char::from(bytes.next()?).to_digit(16)?;
                let low = char::from(bytes.next()?).to_digit(16)?;
                u8::try_from(high * 16 + low).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(out).ok()
}
