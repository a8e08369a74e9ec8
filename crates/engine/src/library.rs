//! The function library: what authors write, and what comes with the program.
//!
//! A function belongs to the account (*global*) or to one character (*local*). What a scope means for turns is one text, the
//! [`ScopeFunctions`] of its enabled functions; turns of a session run with both of its scopes, put together by [`combine`].
//! This module knows nothing of scripts: bodies are texts here.

mod conflicts;
mod prompt;
mod sample_match;
mod scope_functions;
mod shipped;

pub use conflicts::{Conflict, ConflictKind, Peer, conflicts, not_read};
pub use prompt::prompt;
pub use scope_functions::{ScopeFunctions, combine};
pub use shipped::{BUILTIN_PREFIX, STARTER_PREFIX, Shipped, shipped};

use crate::limits::{
    DESCRIPTION_BYTES_MAX, FUNCTION_EXECUTOR_BYTES_MAX, FUNCTION_LINE_BYTES_MAX, FUNCTION_NAME_BYTES_MAX,
    FUNCTION_PATTERN_BYTES_MAX,
};
use serde::{Deserialize, Serialize};

/// A function as its author wrote it. Stored as JSON in this shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryFunction {
    /// What people and commands call it.
    pub name: String,
    /// Who calls it.
    #[serde(rename = "type")]
    pub kind: FunctionType,
    /// The lowest runs first.
    pub order: i64,
    /// A JavaScript pattern whose groups are the arguments; only of active functions. Without one the function is called by
    /// its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// When a passive function runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
    /// What it does, for people and for the prompt.
    pub description: String,
    /// How it is called, for the prompt: `@.SET("path.to.var", value);`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// A call, for the prompt: `@.SET("角色.名字", "张三");`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// The body of a JavaScript function.
    pub executor: String,
}

/// Who calls a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FunctionType {
    /// The model, in its reply.
    Active,
    /// Nobody: it runs by itself.
    Passive,
}

/// When a passive function runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timing {
    /// Before the commands of the reply.
    BeforeActive,
    /// After them.
    AfterActive,
}

/// Why a function cannot be kept: the field, and what it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidFunction {
    /// The name of the field.
    pub field: &'static str,
    /// For people.
    pub message: String,
}

impl LibraryFunction {
    /// An active function with a pattern, code and nothing else.
    pub fn of_code(pattern: Option<String>, executor: String) -> LibraryFunction {
        LibraryFunction {
            name: String::new(),
            kind: FunctionType::Active,
            order: 0,
            pattern,
            timing: None,
            description: String::new(),
            signature: None,
            example: None,
            executor,
        }
    }

    /// Checks what the fields must be together and each by itself.
    pub fn check(&self) -> Result<(), InvalidFunction> {
        let lengths = [
            ("name", Some(&self.name), FUNCTION_NAME_BYTES_MAX),
            ("pattern", self.pattern.as_ref(), FUNCTION_PATTERN_BYTES_MAX),
            ("description", Some(&self.description), DESCRIPTION_BYTES_MAX),
            ("signature", self.signature.as_ref(), FUNCTION_LINE_BYTES_MAX),
            ("example", self.example.as_ref(), FUNCTION_LINE_BYTES_MAX),
            ("executor", Some(&self.executor), FUNCTION_EXECUTOR_BYTES_MAX),
        ];
        for (field, text, max) in lengths {
            if text.is_some_and(|text| text.len() > max) {
                return invalid(field, format!("must NOT have more than {max} bytes"));
            }
        }
        for (field, text) in [("signature", &self.signature), ("example", &self.example)] {
            if text.as_ref().is_some_and(|text| text.contains(['\n', '\r'])) {
                return invalid(field, "must be one line");
            }
        }
        if self.name.is_empty() || self.name.trim() != self.name || self.name.chars().any(char::is_control) {
            return invalid("name", "must be one line of text without spaces around it");
        }
        match self.kind {
            FunctionType::Active => self.check_active(),
            FunctionType::Passive if self.timing.is_none() => {
                invalid("timing", "a passive function needs a timing: before_active or after_active")
            }
            FunctionType::Passive if self.pattern.is_some() => {
                invalid("pattern", "a passive function runs by itself and has no pattern")
            }
            FunctionType::Passive => Ok(()),
        }
    }

    fn check_active(&self) -> Result<(), InvalidFunction> {
        if self.timing.is_some() {
            return invalid("timing", "an active function runs where it is called and has no timing");
        }
        match &self.pattern {
            Some(pattern) if pattern.is_empty() => invalid("pattern", "must NOT be empty; leave it out"),
            None if !is_callable(&self.name) => invalid(
                "name",
                format!(
                    "without a pattern the function is called as @.NAME(…), so its name must consist of letters, digits \
                     and _, at most {CALLABLE_BYTES_MAX} bytes"
                ),
            ),
            _ => Ok(()),
        }
    }

    /// Drops what a function of its type has no use for, as files of other programs have it: empty patterns, a timing of an
    /// active function.
    #[must_use]
    pub fn tidied(mut self) -> LibraryFunction {
        let used = |text: Option<String>| text.filter(|text| !text.is_empty());
        self.pattern = used(self.pattern).filter(|_| self.kind == FunctionType::Active);
        self.timing = self.timing.filter(|_| self.kind == FunctionType::Passive);
        (self.signature, self.example) = (used(self.signature), used(self.example));
        self
    }

    /// Bytes of its texts.
    pub fn bytes(&self) -> usize {
        let optional = [&self.pattern, &self.signature, &self.example];
        let optional: usize = optional.into_iter().flatten().map(String::len).sum();
        self.name.len() + self.description.len() + self.executor.len() + optional
    }

    /// Whether another function has its name: commands are read in any case.
    pub fn has_name(&self, name: &str) -> bool {
        self.name.to_uppercase() == name.to_uppercase()
    }
}

/// The longest name that a dialect reads.
const CALLABLE_BYTES_MAX: usize = 64;

fn is_callable(name: &str) -> bool {
    name.len() <= CALLABLE_BYTES_MAX && name.chars().all(|character| character.is_alphanumeric() || character == '_')
}

fn invalid(field: &'static str, message: impl Into<String>) -> Result<(), InvalidFunction> {
    Err(InvalidFunction { field, message: message.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn active(name: &str) -> LibraryFunction {
        LibraryFunction {
            name: name.into(),
            kind: FunctionType::Active,
            order: 0,
            pattern: None,
            timing: None,
            description: String::new(),
            signature: None,
            example: None,
            executor: String::new(),
        }
    }

    fn field(function: &LibraryFunction) -> Option<&'static str> {
        function.check().err().map(|error| error.field)
    }

    #[test]
    fn names_are_one_line_and_callable_where_nothing_else_finds_the_call() {
        for name in ["HEAL", "治疗", "a_1"] {
            assert_eq!(field(&active(name)), None, "{name}");
        }
        for name in ["", " a", "a ", "a\nb", "a b", "a-b", &"n".repeat(65), &"n".repeat(129)] {
            assert_eq!(field(&active(name)), Some("name"), "{name}");
        }
        let pattern = Some("x".to_owned());
        let found = |name: &str| LibraryFunction { pattern: pattern.clone(), ..active(name) };
        assert_eq!(field(&found("give item")), None);
        assert_eq!(field(&found(&"n".repeat(128))), None);
        assert_eq!(field(&found(&"n".repeat(129))), Some("name"));
    }

    #[test]
    fn a_type_has_its_own_fields() {
        let passive = LibraryFunction { kind: FunctionType::Passive, ..active("时间 推进") };
        assert_eq!(field(&passive), Some("timing"));
        let timed = LibraryFunction { timing: Some(Timing::AfterActive), ..passive };
        assert_eq!(field(&timed), None);
        let both = LibraryFunction { pattern: Some("x".into()), ..timed.clone() };
        assert_eq!(field(&both), Some("pattern"));
        assert_eq!(both.tidied(), timed);
        assert_eq!(field(&LibraryFunction { timing: Some(Timing::BeforeActive), ..active("A") }), Some("timing"));
        assert_eq!(field(&LibraryFunction { pattern: Some(String::new()), ..active("A") }), Some("pattern"));
    }

    #[test]
    fn lengths_are_bounded() {
        let long = |max: usize| "x".repeat(max + 1);
        let base = || active("A");
        assert_eq!(field(&LibraryFunction { executor: long(FUNCTION_EXECUTOR_BYTES_MAX), ..base() }), Some("executor"));
        assert_eq!(
            field(&LibraryFunction { pattern: Some(long(FUNCTION_PATTERN_BYTES_MAX)), ..base() }),
            Some("pattern")
        );
        assert_eq!(
            field(&LibraryFunction { signature: Some(long(FUNCTION_LINE_BYTES_MAX)), ..base() }),
            Some("signature")
        );
        assert_eq!(field(&LibraryFunction { example: Some("a\nb".into()), ..base() }), Some("example"));
        assert_eq!(field(&LibraryFunction { description: long(DESCRIPTION_BYTES_MAX), ..base() }), Some("description"));
        let executor = "x".repeat(FUNCTION_EXECUTOR_BYTES_MAX);
        assert_eq!(field(&LibraryFunction { executor, ..base() }), None);
    }
}
