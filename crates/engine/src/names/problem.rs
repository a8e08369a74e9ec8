//! What went wrong, and where in the text.

use crate::limits::PROBLEMS_MAX;
use std::fmt;
use std::ops::Range;

crate::stored_enum! {
    /// Why something was refused or is worth a look. Codes are for programs and keep their spelling; stored outcomes keep
    /// their numbers.
    Code {
        /// The path leads nowhere and nothing may be created there.
        MissingPath = "missing_path",
        /// A number was needed.
        NotANumber = "not_a_number",
        /// A list was needed.
        NotAnArray = "not_an_array",
        /// A list or an object was needed.
        NotAContainer = "not_a_container",
        /// The place is read-only for a model.
        ReadOnly = "read_only",
        /// The value would change its kind.
        TypeChanged = "type_changed",
        /// An index or a number lies outside its bounds.
        OutOfRange = "out_of_range",
        /// The schema protects the place: a locked container, a required key.
        Protected = "protected",
        /// The schema forbids the value.
        SchemaViolated = "schema_violated",
        /// The arguments are missing, too many or not of the needed kind.
        BadArguments = "bad_arguments",
        /// No function has this name.
        UnknownFunction = "unknown_function",
        /// A bound of the system was reached.
        Limit = "limit",
        /// A script threw, ran too long or gave back no document.
        ScriptFailed = "script_failed",
        /// There is no such item.
        NotFound = "not_found",
        /// A `test` of a patch failed.
        TestFailed = "test_failed",
        /// The text of a command or block cannot be read.
        Unreadable = "unreadable",
        /// The command repeats an old value that is not the stored one.
        StaleOldValue = "stale_old_value",
        /// An op of an edit by hand finds no place in the state that the text leads to now.
        EditNotApplied = "edit_not_applied",
        /// Something stands already where a value was to be moved.
        Exists = "exists",
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

    /// The result of a command that is refused.
    pub(crate) fn err<T>(code: Code, message: impl Into<String>) -> Result<T, Refusal> {
        Err(Refusal::new(code, message))
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
