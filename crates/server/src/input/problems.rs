//! What is wrong with a request's shape, in the words of JSON Schema.

use crate::error::ApiError;
use crate::input::target::excerpt;
use tavernkeep_api::Detail;
use tavernkeep_engine::nearest::nearest;

/// Unknown names that are reported: thousands may be wrong in the same way.
const UNKNOWN_MAX: usize = 8;

/// The problems found so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Problems(Vec<Detail>);

impl Problems {
    /// Adds one problem.
    pub(crate) fn add(&mut self, path: String, code: &str, message: String) {
        self.0.push(Detail { path, message, code: code.to_owned() });
    }

    pub(crate) fn required(&mut self, place: &str, name: &str) {
        self.add(place.to_owned(), "required", format!("must have required property '{name}'"));
    }

    pub(crate) fn kind(&mut self, path: String, kind: &str) {
        self.add(path, "type", format!("must be {kind}"));
    }

    pub(crate) fn too_short(&mut self, path: String, min: usize) {
        self.add(path, "minLength", format!("must NOT have fewer than {min} characters"));
    }

    pub(crate) fn too_long(&mut self, path: String, max: usize) {
        self.add(path, "maxLength", format!("must NOT have more than {max} bytes"));
    }

    pub(crate) fn range(&mut self, path: String, number: i64, min: i64, max: i64) {
        if number < min {
            self.add(path, "minimum", format!("must be >= {min}"));
        } else {
            self.add(path, "maximum", format!("must be <= {max}"));
        }
    }

    pub(crate) fn choice(&mut self, path: String, allowed: &[&str]) {
        self.add(path, "enum", format!("must be equal to one of the allowed values: {}", allowed.join(", ")));
    }

    pub(crate) fn pattern(&mut self, path: String) {
        self.add(path, "pattern", format!("must match pattern \"{}\"", tavernkeep_engine::id::ID_PATTERN));
    }

    /// Checks the length of a text. The minimum counts characters, the maximum bytes: that is what storage bounds.
    pub(crate) fn length(&mut self, path: impl FnOnce() -> String, text: &str, min: usize, max: usize) -> bool {
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
    pub(crate) fn unknown<'a>(
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
    pub(crate) fn append(&mut self, other: Problems) {
        self.0.extend(other.0);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The refusal, if there is something to refuse.
    pub(crate) fn finish(self) -> Result<(), ApiError> {
        if self.0.is_empty() { Ok(()) } else { Err(ApiError::validation(self.0)) }
    }

    /// The refusal where the caller knows that something is missing.
    pub(crate) fn refuse(self) -> ApiError {
        ApiError::validation(self.0)
    }
}
