//! The dialect of MVU: `_.set('角色.金币', 90, 100);//交易`.
//!
//! ```text
//! call = "_." name "(" arguments ")" ";" [ "//" reason ]
//! name = set | insert | assign | remove | unset | delete | add
//! ```
//!
//! In the profiles of MVU exactly this is read, and calls with a wrong number of arguments are no calls. Elsewhere blanks,
//! full-width punctuation, a missing `;`, any case of the name and `move` are accepted too.

use super::call::{Syntax, scan as scan_calls};
use super::{Dialect, Findings, Piece, arguments};
use crate::command::{Arg, Command};
use crate::profile::Reading;

const NAMES: [&str; 7] = ["set", "insert", "assign", "remove", "unset", "delete", "add"];

pub(super) fn scan(piece: &Piece<'_>, findings: &mut Findings) {
    let tolerant = piece.tolerant();
    let syntax = Syntax { prefix: "_.", tolerant };
    let found = scan_calls(piece.text, syntax, |name| {
        if tolerant {
            NAMES.iter().chain(&["move"]).any(|known| known.eq_ignore_ascii_case(name))
        } else {
            NAMES.contains(&name)
        }
    });
    for call in found.calls {
        let name = piece.text[call.name.clone()].to_ascii_lowercase();
        let args = arguments::split(&piece.text[call.arguments.clone()], tolerant);
        if piece.profile.reading != Reading::Tolerant && !arity_fits(&name, args.len()) {
            continue;
        }
        let command = Command {
            dialect: Dialect::Mvu,
            name,
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

fn arity_fits(name: &str, count: usize) -> bool {
    match name {
        "set" | "insert" | "assign" => count >= 2,
        "add" => count == 2,
        _ => count >= 1,
    }
}
