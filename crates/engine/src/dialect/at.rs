//! The dialect of seed 003 and SAM: `@.SET("角色.金币", 100);`.
//!
//! ```text
//! call = "@." name "(" arguments ")" [ ";" ] [ "//" reason ]
//! ```
//!
//! Names are read in any case. A name that is no native function is looked up among the session's functions when the turn
//! runs, so every name is a command here.

use super::call::{Syntax, scan as scan_calls};
use super::{Dialect, Findings, Piece, arguments};
use crate::command::{Arg, Command};

pub(super) fn scan(piece: &Piece<'_>, findings: &mut Findings) {
    let found = scan_calls(piece.text, Syntax { prefix: "@.", tolerant: true }, |_| true);
    for call in found.calls {
        let args = arguments::split(&piece.text[call.arguments.clone()], true);
        let command = Command {
            dialect: Dialect::At,
            name: piece.text[call.name.clone()].to_uppercase(),
            args: args.into_iter().map(|arg| Arg::Raw(arg.to_owned())).collect(),
            span: piece.span(&call.span),
            reason: call.reason.map(|range| piece.text[range].trim().to_owned()),
            block: None,
            repair: call.unclosed.then_some("closed the parenthesis"),
        };
        let order = command.span.start;
        if !findings.command(command, order, call.claimed_until + piece.offset) {
            return;
        }
    }
    if let Some(at) = found.stopped {
        findings.stop(piece.span(&(at..piece.text.len())));
    }
}
