//! A session's own functions: who they are, when they run, and the script that they are.

use crate::document::Number;
use crate::document::Value;
use std::sync::Arc;

/// One function. The engine reads everything but the executor, which is JavaScript and runs in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Function {
    /// The name that commands call, compared without regard to case.
    pub name: Arc<str>,
    /// When it runs.
    pub kind: FunctionKind,
    /// Whose it is.
    pub scope: FunctionScope,
    /// The lowest runs first.
    pub order: i64,
    /// Whether it runs at all.
    pub enabled: bool,
    /// The body of a JavaScript function of `snapshot`, `args` and `context`.
    pub executor: Arc<str>,
}

/// When a function runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FunctionKind {
    /// When a command calls it, or its pattern matches the reply.
    Active {
        /// A pattern of the author's own, as JavaScript reads it: `/…/flags`, or the source of one with the flag `g`. Its
        /// groups are the arguments.
        pattern: Option<Arc<str>>,
    },
    /// By itself, before the commands.
    PassiveBefore,
    /// By itself, after the commands.
    PassiveAfter,
}

impl Default for FunctionKind {
    fn default() -> FunctionKind {
        FunctionKind::Active { pattern: None }
    }
}

/// Whose a function is. Where two could answer to one place in the text, the local one does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum FunctionScope {
    /// Of the session's character.
    Local,
    /// Of the account.
    #[default]
    Global,
}

/// Reads the text of a pattern's group as an argument: JSON, else a decimal number, else the text itself.
///
/// ```
/// use tavernkeep_engine::{document::Value, function::read_argument};
///
/// assert_eq!(read_argument("{\"a\": 1}").to_json(), r#"{"a":1}"#);
/// assert_eq!(read_argument("\"100\""), Value::from("100"));
/// assert_eq!(read_argument(" +5 "), Value::from(5));
/// assert_eq!(read_argument("角色.金币"), Value::from("角色.金币"));
/// ```
pub fn read_argument(text: &str) -> Value {
    let trimmed = text.trim();
    if let Ok(value) = Value::parse(trimmed) {
        return value;
    }
    // `+5`, `.5` and `007` are numbers to a reader, though not to JSON.
    let digits = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    let is_decimal = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.bytes().any(|byte| byte.is_ascii_digit());
    match Number::parse(trimmed).filter(|_| is_decimal) {
        Some(number) => Value::Number(number),
        None => Value::from(text),
    }
}
