//! JSON as Tavernkeep keeps it: text that is valid, compact and normalised.
//!
//! Values travel from a request to the database and back without becoming a tree. They are read once, by
//! [`JsonText::parse`], which refuses what two readers could understand differently (duplicate keys, lone surrogates,
//! numbers outside 64 bits) and writes everything else in one spelling:
//!
//! - no blanks between tokens, key order kept;
//! - characters as themselves, escapes only where JSON demands them;
//! - an integral double within ±2^53 as an integer (`5.0` and `5e0` are `5`), other doubles in their shortest form.
//!
//! [`JsonView`] then walks such text without checking again.

pub mod number;
mod parse;
mod read;
mod view;

pub(crate) use parse::write_string;
pub use parse::{JsonError, JsonErrorKind};
pub(crate) use read::Reader;
pub use view::{Elements, JsonKind, JsonView, Members};

use std::fmt;
use std::sync::Arc;

/// JSON text that is valid, compact and normalised. Cloning it copies nothing.
///
/// Invariant: the output of the normaliser for some input; only [`JsonText::parse`] and parts of an existing one make it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct JsonText(Arc<str>);

impl JsonText {
    /// Reads JSON and normalises it. Depth is limited to [`JSON_DEPTH_MAX`](crate::limits::JSON_DEPTH_MAX).
    pub fn parse(bytes: &[u8]) -> Result<JsonText, JsonError> {
        Self::parse_with_depth(bytes, crate::limits::JSON_DEPTH_MAX)
    }

    /// Reads JSON that may nest `depth_max` deep: a request body is deeper than the value it carries.
    pub fn parse_with_depth(bytes: &[u8], depth_max: usize) -> Result<JsonText, JsonError> {
        parse::normalise(bytes, depth_max).map(|text| JsonText(text.into()))
    }

    /// An integer as JSON.
    pub fn from_i64(number: i64) -> JsonText {
        JsonText(number.to_string().into())
    }

    /// Text as a JSON string.
    pub fn from_string(text: &str) -> JsonText {
        let mut out = String::with_capacity(text.len() + 2);
        write_string(&mut out, text);
        JsonText(out.into())
    }

    /// Takes back text that was normalised before and has been stored since.
    ///
    /// The store calls this for its own rows; anything else goes through [`JsonText::parse`].
    pub fn from_stored(text: &str) -> JsonText {
        JsonText(text.into())
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Looks into the value without copying it.
    pub fn view(&self) -> JsonView<'_> {
        JsonView::new(&self.0)
    }
}

impl fmt::Debug for JsonText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
