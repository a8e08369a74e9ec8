//! What is worth a look in a prompt, and where.

use std::ops::Range;

crate::stored_enum! {
    /// Why a macro stayed as it is written, or is worth a look. Codes are for programs and keep their spelling.
    WarningCode {
        /// No macro and no variable has this name.
        Unknown = "macro_unknown",
        /// The macro has too few or too many arguments.
        Arity = "macro_arg_arity_invalid",
        /// The text cannot be read: an unclosed macro, a broken path.
        Unreadable = "macro_parse_failed",
        /// A value is not of the kind that is needed.
        WrongKind = "macro_arg_type_invalid",
        /// The condition of a block is not one that can be evaluated.
        Condition = "macro_condition_unsupported",
        /// A value that is the macro itself. It is shown and not expanded.
        Cycle = "macro_cycle_detected",
        /// Macros or blocks stand too deep inside each other.
        Depth = "macro_depth_limit_exceeded",
        /// The prompt has too many macros.
        Steps = "macro_step_limit_exceeded",
        /// The macros produce too much text.
        Length = "macro_expanded_length_limit_exceeded",
        /// The macros write too often.
        Writes = "macro_mutation_limit_exceeded",
        /// A block has no end.
        Unclosed = "macro_scoped_block_unclosed",
        /// The end of a block that has not begun, or a second `{{else}}`.
        Unmatched = "macro_unmatched_closing_block",
        /// A preview shows what a write would do and does not do it.
        Suppressed = "macro_preview_side_effect_suppressed",
        /// Nobody said what the value is, such as the name of the user.
        Missing = "macro_value_missing",
        /// The name is computed and cannot be written.
        ReadOnly = "macro_readonly_name_conflict",
    }
}

/// Something worth a look, at a place in a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What kind of thing it is.
    pub code: WarningCode,
    /// What was wrong and what to do.
    pub message: String,
    /// Which message of the prompt, from 0.
    pub message_index: usize,
    /// Where in the message, in bytes.
    pub span: Range<usize>,
    /// The macro, where its name could be read.
    pub macro_name: Option<String>,
}

/// Why a macro stays as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) code: WarningCode,
    pub(super) message: String,
    /// Whether a macro inside has said so already.
    pub(super) reported: bool,
}

impl Failure {
    pub(super) fn new(code: WarningCode, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into(), reported: false }
    }

    /// A macro stays as it is written because one inside it does.
    pub(super) fn inside() -> Failure {
        Failure { reported: true, ..Failure::new(WarningCode::Unreadable, "a macro inside could not be evaluated") }
    }

    pub(super) fn err<T>(code: WarningCode, message: impl Into<String>) -> Result<T, Failure> {
        Err(Failure::new(code, message))
    }
}
