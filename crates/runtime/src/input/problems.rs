//! What is wrong with a request's shape, in the words of JSON Schema.

use super::{RequestError, excerpt};
use tavernkeep_api::Detail;
use tavernkeep_engine::nearest::nearest;

/// Unknown names that are reported: thousands may be wrong in the same way.
const UNKNOWN_MAX: usize = 8;

/// The problems found so far.
#[derive(Debug, Clone, Default)]
pub struct Problems(Vec<Detail>);

impl Problems {
    /// Adds one problem.
    pub fn add(&mut self, path: String, code: &str, message: String) {
        self.0.push(Detail { path, message, code: code.to_owned() });
    }

    /// A member is missing.
    pub fn required(&mut self, place: &str, name: &str) {
        self.add(place.to_owned(), "required", format!("must have required property '{name}'"));
    }

    /// A value has another type than `kind`.
    pub fn kind(&mut self, path: String, kind: &str) {
        self.add(path, "type", format!("must be {kind}"));
    }

    /// A text is shorter than `min` characters.
    pub fn too_short(&mut self, path: String, min: usize) {
        self.add(path, "minLength", format!("must NOT have fewer than {min} characters"));
    }

    /// A text is longer than `max` bytes.
    pub fn too_long(&mut self, path: String, max: usize) {
        self.add(path, "maxLength", format!("must NOT have more than {max} bytes"));
    }

    /// A number is below `min` or above `max`.
    pub fn range(&mut self, path: String, number: i64, min: i64, max: i64) {
        if number < min {
            self.add(path, "minimum", format!("must be >= {min}"));
        } else {
            self.add(path, "maximum", format!("must be <= {max}"));
        }
    }

    /// A text is none of those allowed.
    pub fn choice(&mut self, path: String, allowed: &[&str]) {
        self.add(path, "enum", format!("must be equal to one of the allowed values: {}", allowed.join(", ")));
    }

    /// A text is no id.
    pub fn pattern(&mut self, path: String) {
        self.add(path, "pattern", format!("must match pattern \"{}\"", tavernkeep_engine::id::ID_PATTERN));
    }

    /// Checks the length of a text. The minimum counts characters, the maximum bytes: that is what storage bounds.
    pub fn length(&mut self, path: impl FnOnce() -> String, text: &str, min: usize, max: usize) -> bool {
        if text.len() < min {
            self.too_short(path(), min);
        } else if text.len() > max {
            self.too_long(path(), max);
        } else {
            return true;
        }
        false
    }

    /// Adds unknown names, each with the nearest known one. `what` they are: fields, parameters.
    pub fn unknown<'a>(
        &mut self,
        place: &str,
        what: &str,
        names: impl Iterator<Item = &'a str>,
        known: &[impl AsRef<str>],
    ) {
        let is_known = |name: &str| known.iter().any(|known| known.as_ref() == name);
        for name in names.filter(|name| !is_known(name)).take(UNKNOWN_MAX) {
            let way_out = match (nearest(name, known.iter().map(AsRef::as_ref)), known) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, []) => format!("this request has no {what}s"),
                (None, _) => {
                    let known: Vec<_> = known.iter().map(|known| format!("`{}`", known.as_ref())).collect();
                    format!("this request knows {}", known.join(", "))
                }
            };
            let name = excerpt(name);
            let path = format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
            self.add(path, "additionalProperties", format!("unknown {what} `{name}`; {way_out}"));
        }
    }

    /// Adds the problems of another reader.
    pub fn append(&mut self, other: Problems) {
        self.0.extend(other.0);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The refusal, if there is something to refuse.
    pub fn finish(self) -> Result<(), RequestError> {
        if self.0.is_empty() { Ok(()) } else { Err(RequestError::validation(self.0)) }
    }

    /// The refusal where the caller knows that something is missing.
    pub fn refuse<E: From<RequestError>>(self) -> E {
        RequestError::validation(self.0).into()
    }
}
