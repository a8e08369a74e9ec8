//! The states that MVU stored in a chat, compared with those that we compute: where they differ, and why.

use crate::diff::differences;
use crate::document::Value;
use crate::document::path::Path;
use crate::op::Op;
use crate::turn::{CommandResult, Status};

/// A difference between a state that was stored and the one that we compute from the same beginning.
#[derive(Debug, Clone, PartialEq)]
pub struct StateDifference {
    /// Where, as a JSON Pointer.
    pub path: String,
    /// Our value; none where we have none.
    pub ours: Option<Value>,
    /// The stored value; none where there is none.
    pub theirs: Option<Value>,
    /// Why.
    pub cause: Cause,
    /// The same for people.
    pub message: String,
}

/// Why a stored state is another than ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It is the first state of the chat, and the card's template leads to another one.
    FirstState,
    /// A command of the message, which MVU carried out, is refused here.
    Refused,
    /// A command of the message has another result here.
    Command,
    /// A command of the message changes the value here and did nothing there.
    NotThere,
    /// No command of the message changes the value: it was changed by hand or by a script.
    Elsewhere,
}

impl Cause {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Cause::FirstState => "first_state",
            Cause::Refused => "refused",
            Cause::Command => "command",
            Cause::NotThere => "not_there",
            Cause::Elsewhere => "elsewhere",
        }
    }
}

/// Finds out why a stored state differs from ours. `before` is what both start from; none at the beginning of the chat.
pub fn explain(
    before: Option<&Value>,
    ours: &Value,
    theirs: &Value,
    results: &[CommandResult],
    ops: &[Op],
) -> Option<StateDifference> {
    let change = differences(ours, theirs);
    let first = change.ops.first()?;
    let path = first.path();
    let (our_value, their_value) = (path.find(ours).cloned(), path.find(theirs).cloned());
    let (cause, message) = match before {
        None => (Cause::FirstState, "the chat began with another state than the template of its card".to_owned()),
        Some(before) => cause(before, path, their_value.as_ref(), results, ops),
    };
    Some(StateDifference { path: path.to_pointer(), ours: our_value, theirs: their_value, cause, message })
}

fn cause(
    before: &Value,
    path: &Path,
    theirs: Option<&Value>,
    results: &[CommandResult],
    ops: &[Op],
) -> (Cause, String) {
    let touches = |op: &Op| op.path().starts_with(path) || path.starts_with(op.path());
    let by = results.iter().find(|result| ops.get(result.ops.clone()).unwrap_or_default().iter().any(touches));
    if let Some(result) = by {
        let name = &result.command.name;
        return match path.find(before) == theirs {
            true => (Cause::NotThere, format!("`{name}` changes the value here and changed nothing there")),
            false => (Cause::Command, format!("`{name}` has another result here")),
        };
    }
    let refused = results.iter().find_map(|result| match &result.status {
        Status::Refused(refusal) => Some((&result.command.name, refusal)),
        Status::Applied | Status::Repaired(_) => None,
    });
    if let Some((name, refusal)) = refused {
        return (Cause::Refused, format!("`{name}` is refused here ({}): {}", refusal.code, refusal.message));
    }
    let message = "no command of the message changes the value: it was changed by hand or by a script of the card";
    (Cause::Elsewhere, message.to_owned())
}
