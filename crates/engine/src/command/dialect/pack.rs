//! The dialects of rule packs: bare calls by the names that the packs have, `set_status('时间', '20:00');`. A profile reads those of
//! the packs that it uses and whose dialect it names.
//!
//! ```text
//! call   = [ prefix "." ] name "(" arguments ")" [ ";" ] [ "//" reason ]
//! prefix = "*" | "@" | letters, digits, "_" and "$"
//! ```
//!
//! Calls stand anywhere, several on a line or one over several lines. Prose that happens to have a name and a parenthesis, as
//! in `her memory (of the war, long ago)`, is no call: the first argument stands in quotes, or the parenthesis right behind the
//! name and the argument is one word that looks like a path.

use super::call::{Candidate, Syntax};
use super::parentheses::Quotes;
use super::{Dialect, Findings, Limit, Piece, Sign, arguments, call};
use crate::limits::{CALL_PREFIX_BYTES_MAX, CALL_WORD_BYTES_MAX, COMMANDS_MAX, SIGNS_MAX};
use crate::packs::{Pack, PackUse};
use memchr::memmem::{self, Finder};
use std::sync::LazyLock;

/// Not looked for: calls are found by their names.
static PREFIX: call::Prefix = LazyLock::new(|| Finder::new(""));

pub(super) fn scan(piece: &Piece<'_>, findings: &mut Findings) {
    let is_read = |pack: &&'static Pack| piece.profile.dialects.contains(&Dialect::Pack(pack.name));
    let packs: Vec<&'static Pack> = piece.profile.packs.iter().map(PackUse::pack).filter(is_read).collect();
    let names: Vec<&'static str> = packs.iter().flat_map(|pack| pack.commands).copied().collect();
    if names.is_empty() {
        return;
    }
    let candidates = candidates(piece, findings, &names);
    let syntax = Syntax { prefix: &PREFIX, sign: Sign::PackCall, tolerant: true, names: &names };
    let calls = call::read(piece, syntax, findings, &candidates);
    findings.commands.reserve(calls.len());
    for found in calls {
        let args = arguments::split(&piece.text[found.arguments.clone()], Quotes { tolerant: true });
        let name = piece.text[found.name.clone()].to_owned();
        // Every name that is looked for belongs to a pack; where two have it, the first of the profile performs it.
        let Some(pack) = packs.iter().find(|pack| pack.commands.contains(&name.as_str())) else { continue };
        let command = found.command(piece, Dialect::Pack(pack.name), name, args);
        let order = command.span.start;
        if !findings.command(command, order, found.claimed_until + piece.offset) {
            return;
        }
    }
}

fn candidates(piece: &Piece<'_>, findings: &mut Findings, names: &[&'static str]) -> Vec<Candidate> {
    let bytes = piece.text.as_bytes();
    let mut starts: Vec<(usize, usize)> = names
        .iter()
        .flat_map(|name| {
            memmem::find_iter(bytes, name.as_bytes()).take(SIGNS_MAX + 1).map(move |start| (start, start + name.len()))
        })
        .collect();
    starts.sort_unstable();
    let mut found = Vec::new();
    for (start, end) in starts {
        if let Some(limit) = findings.look(Sign::PackCall) {
            findings.stop(piece.span(&(start..bytes.len())), limit);
            break;
        }
        let Some(open) = opening(piece.text, start, end) else { continue };
        if found.len() > COMMANDS_MAX {
            findings.stop(piece.span(&(start..bytes.len())), Limit::Commands);
            break;
        }
        found.push(Candidate { start: with_prefix(bytes, start), name: start..end, open });
    }
    found
}

/// Just behind the parenthesis of a call whose name stands here; none where it is prose.
fn opening(text: &str, start: usize, end: usize) -> Option<usize> {
    let before = text.as_bytes()[..start].last();
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'$') {
        return None;
    }
    let rest = &text[end..];
    let blanks = rest.bytes().take(8).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let sign = rest[blanks..].chars().next().filter(|sign| matches!(sign, '(' | '（'))?;
    let open = end + blanks + sign.len_utf8();
    let first = text[open..].trim_start();
    if first.starts_with(['\'', '"', '`', '“', '”', '‘', '’']) {
        return Some(open);
    }
    // Nobody writes `set_status(` in prose; `memory(` is one blank away from it.
    let is_plain = text[start..end].contains('_');
    let first = &first[..first.floor_char_boundary(CALL_WORD_BYTES_MAX)];
    let word = first.find([',', '，', ')', '）', '\n']).map(|length| &first[..length]).unwrap_or_default().trim();
    let is_word = !word.contains(char::is_whitespace) && (is_plain || word.is_empty() || word.contains(['.', '_']));
    (blanks == 0 && is_word).then_some(open)
}

/// Where a call starts with its prefix.
fn with_prefix(bytes: &[u8], start: usize) -> usize {
    let Some(dot) = start.checked_sub(1).filter(|dot| bytes[*dot] == b'.') else { return start };
    match bytes[..dot].last() {
        Some(b'*' | b'@') => dot - 1,
        _ => {
            let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
            let length = bytes[..dot].iter().rev().take(CALL_PREFIX_BYTES_MAX).take_while(is_letter).count();
            if length == 0 { start } else { dot - length }
        }
    }
}
