//! What went wrong, and where in the text.

use crate::limits::PROBLEMS_MAX;
use std::fmt;
use std::ops::Range;

/// Why something was refused or is worth a look. Codes are for programs and keep their spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// The path leads nowhere and nothing may be created there.
    MissingPath,
    /// A number was needed.
    NotANumber,
    /// A list was needed.
    NotAnArray,
    /// A list or an object was needed.
    NotAContainer,
    /// The place is read-only for a model.
    ReadOnly,
    /// The value would change its kind.
    TypeChanged,
    /// An index or a number lies outside its bounds.
    OutOfRange,
    /// The schema protects the place: a locked container, a required key.
    Protected,
    /// The schema forbids the value.
    SchemaViolated,
    /// The arguments are missing, too many or not of the needed kind.
    BadArguments,
    /// No function has this name.
    UnknownFunction,
    /// A bound of the system was reached.
    Limit,
    /// A script threw, ran too long or gave back no document.
    ScriptFailed,
    /// There is no such item.
    NotFound,
    /// A `test` of a patch failed.
    TestFailed,
    /// The text of a command or block cannot be read.
    Unreadable,
    /// The command repeats an old value that is not the stored one.
    StaleOldValue,
}

impl Code {
    /// Every code.
    pub const ALL: [Code; 17] = [
        Code::MissingPath,
        Code::NotANumber,
        Code::NotAnArray,
        Code::NotAContainer,
        Code::ReadOnly,
        Code::TypeChanged,
        Code::OutOfRange,
        Code::Protected,
        Code::SchemaViolated,
        Code::BadArguments,
        Code::UnknownFunction,
        Code::Limit,
        Code::ScriptFailed,
        Code::NotFound,
        Code::TestFailed,
        Code::Unreadable,
        Code::StaleOldValue,
    ];

    /// The code's spelling on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::MissingPath => "missing_path",
            Code::NotANumber => "not_a_number",
            Code::NotAnArray => "not_an_array",
            Code::NotAContainer => "not_a_container",
            Code::ReadOnly => "read_only",
            Code::TypeChanged => "type_changed",
            Code::OutOfRange => "out_of_range",
            Code::Protected => "protected",
            Code::SchemaViolated => "schema_violated",
            Code::BadArguments => "bad_arguments",
            Code::UnknownFunction => "unknown_function",
            Code::Limit => "limit",
            Code::ScriptFailed => "script_failed",
            Code::NotFound => "not_found",
            Code::TestFailed => "test_failed",
            Code::Unreadable => "unreadable",
            Code::StaleOldValue => "stale_old_value",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Why a command did nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What kind of thing is wrong.
    pub code: Code,
    /// What was wrong and what to do, for a person or a model.
    pub message: String,
}

impl Refusal {
    /// A refusal with its message.
    pub fn new(code: Code, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into() }
    }
}

/// Something worth a look, at a place in the reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind of thing is wrong.
    pub code: Code,
    /// Where, in bytes of the reply.
    pub span: Range<usize>,
    /// What was wrong and what to do.
    pub message: String,
}

impl Problem {
    /// Says that there were more problems than are reported, the first of them here.
    pub(crate) fn overflow(span: Range<usize>) -> Problem {
        Problem { code: Code::Limit, span, message: format!("only the first {PROBLEMS_MAX} problems are reported") }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at {}..{}: {}", self.code, self.span.start, self.span.end, self.message)
    }
}
