//! The dialect of MVU: `_.set('角色.金币', 90, 100);//交易`.
//!
//! ```text
//! call = "_." name "(" arguments ")" ";" [ "//" reason ]
//! name = set | insert | assign | remove | unset | delete | add
//! ```
//!
//! In the profiles of MVU exactly this is read, and calls with a wrong number of arguments are no calls. Elsewhere blanks,
//! full-width punctuation, a missing `;`, any case of the name and `move` are accepted too.

use super::call::Syntax;
use super::parentheses::Quotes;
use super::{Dialect, Findings, Piece, Sign, arguments, call};
use crate::names::problem::Code;
use crate::rules::profile::Reading;
use memchr::memmem::Finder;
use std::sync::LazyLock;

const NAMES: [&str; 7] = ["set", "insert", "assign", "remove", "unset", "delete", "add"];

static PREFIX: call::Prefix = LazyLock::new(|| Finder::new("_."));

pub(super) fn scan(piece: &Piece<'_>, findings: &mut Findings) {
    let tolerant = piece.tolerant();
    let syntax = Syntax { prefix: &PREFIX, sign: Sign::MvuCall, tolerant, names: &[] };
    let calls = call::scan(piece, syntax, findings, |name| {
        if tolerant {
            NAMES.iter().chain(&["move"]).any(|known| known.eq_ignore_ascii_case(name))
        } else {
            NAMES.contains(&name)
        }
    });
    findings.commands.reserve(calls.len());
    for found in calls {
        let name = piece.text[found.name.clone()].to_ascii_lowercase();
        let args = arguments::split(&piece.text[found.arguments.clone()], Quotes { tolerant });
        if piece.profile.reading != Reading::Tolerant && !arity_fits(&name, args.len()) {
            let message = format!("no command: MVU's `{name}` takes no {} arguments", args.len());
            findings.problem(Code::BadArguments, piece.span(&found.span), message);
            continue;
        }
        let command = found.command(piece, Dialect::Mvu, name, args);
        let order = command.span.start;
        if !findings.command(command, order, found.claimed_until + piece.offset) {
            return;
        }
    }
}

fn arity_fits(name: &str, count: usize) -> bool {
    match name {
        "set" | "insert" | "assign" => count >= 2,
        "add" => count == 2,
        _ => count >= 1,
    }
}
