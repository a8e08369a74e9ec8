//! A command: what a dialect found in a reply, not yet applied.

pub mod dialect;
pub(crate) mod native;

use crate::document::Value;
use crate::rules::dialect::Dialect;
use std::ops::Range;

/// One command of a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// Which dialect found it.
    pub dialect: Dialect,
    /// What is to be done, as the dialect names it: `SET`, `set`, `replace`.
    pub name: String,
    /// The arguments.
    pub args: Vec<Arg>,
    /// Where the command stands, in bytes of the reply.
    pub span: Range<usize>,
    /// Why, in the model's own words.
    pub reason: Option<String>,
    /// Which block of the reply the command belongs to; a failed `test` stops only its own.
    pub block: Option<usize>,
    /// How the text was mended before it could be read.
    pub repair: Option<&'static str>,
}

/// Time and chance, as values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Clock {
    /// The wall clock in milliseconds since 1970.
    pub now_ms: i64,
    /// The number of the turn.
    pub round: i64,
    /// The random seed.
    pub seed: u64,
}

/// One argument.
#[derive(Debug, Clone, PartialEq)]
pub enum Arg {
    /// As written; what it means depends on the profile.
    Raw(String),
    /// Read already.
    Value(Value),
    /// A member of a patch operation that is not there.
    Absent,
}

impl Arg {
    /// The argument as written, where it was written as text.
    pub(crate) fn raw(&self) -> &str {
        match self {
            Arg::Raw(text) => text,
            _ => "",
        }
    }

    /// The argument as a value; what was not read yet is text.
    pub(crate) fn value(&self) -> Value {
        match self {
            Arg::Raw(text) => Value::from(text.as_str()),
            Arg::Value(value) => value.clone(),
            Arg::Absent => Value::Null,
        }
    }

    /// The argument as written.
    pub fn text(&self) -> String {
        match self {
            Arg::Raw(text) => text.clone(),
            Arg::Value(value) => value.to_json(),
            Arg::Absent => String::new(),
        }
    }
}
