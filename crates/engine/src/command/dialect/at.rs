//! The dialect of seed 003 and SAM: `@.SET("角色.金币", 100);`.
//!
//! ```text
//! call = "@." name "(" arguments ")" [ ";" ] [ "//" reason ]
//! ```
//!
//! Names are read in any case. A name that is no native function is looked up among the session's functions when the turn
//! runs, so every name is a command here.

use super::call::Syntax;
use super::parentheses::Quotes;
use super::{Dialect, Findings, Piece, Sign, arguments, call};
use memchr::memmem::Finder;
use std::sync::LazyLock;

static PREFIX: call::Prefix = LazyLock::new(|| Finder::new("@."));

pub(super) fn scan(piece: &Piece<'_>, findings: &mut Findings) {
    let calls =
        call::scan(piece, Syntax { prefix: &PREFIX, sign: Sign::AtCall, tolerant: true, names: &[] }, findings, |_| {
            true
        });
    findings.commands.reserve(calls.len());
    for found in calls {
        let args = arguments::split(&piece.text[found.arguments.clone()], Quotes { tolerant: true });
        let name = piece.text[found.name.clone()].to_uppercase();
        let command = found.command(piece, Dialect::At, name, args);
        let order = command.span.start;
        if !findings.command(command, order, found.claimed_until + piece.offset) {
            return;
        }
    }
}
