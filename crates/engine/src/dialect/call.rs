//! Calls such as `_.set(…)` and `@.SET(…)`: a prefix, a name, arguments in parentheses, perhaps `;` and a reason.
//!
//! ```text
//! call     = prefix name "(" arguments ")" [ ";" ] [ "//" reason to the end of the line ]
//! exact    no blanks before "(" and ";", and ";" must be there
//! tolerant blanks, full-width （）；, a missing ";" and a missing ")" at the end of a line
//! ```

use super::parentheses::{Quotes, closers};
use super::{Findings, Limit, Piece, Sign};
use crate::limits::{CALL_BYTES_MAX, COMMANDS_MAX, REASON_BYTES_MAX};
use memchr::memmem;
use std::ops::Range;
use std::sync::LazyLock;

/// Letters of a function's name.
const NAME_BYTES_MAX: usize = 64;

/// What calls start with. Made once, since a reply may have thousands of short pieces.
pub(super) type Prefix = LazyLock<memmem::Finder<'static>>;

/// How calls of a dialect are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Syntax {
    pub(super) prefix: &'static Prefix,
    pub(super) sign: Sign,
    pub(super) tolerant: bool,
}

/// One call, by its places in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) span: Range<usize>,
    /// Where text is free again: behind the reason.
    pub(super) claimed_until: usize,
    pub(super) name: Range<usize>,
    pub(super) arguments: Range<usize>,
    pub(super) reason: Option<Range<usize>>,
    /// Whether the closing parenthesis was missing.
    pub(super) unclosed: bool,
}

/// The reason behind `//`, as far as it is kept.
pub(super) fn reason_text(reason: &str) -> String {
    let reason = reason.trim();
    reason[..reason.floor_char_boundary(REASON_BYTES_MAX)].to_owned()
}

struct Candidate {
    start: usize,
    name: Range<usize>,
    /// Just behind the opening parenthesis.
    open: usize,
}

/// Finds all calls whose name is `wanted`.
pub(super) fn scan(
    piece: &Piece<'_>,
    syntax: Syntax,
    findings: &mut Findings,
    wanted: impl Fn(&str) -> bool,
) -> Vec<Call> {
    let text = piece.text;
    let candidates = candidates(piece, syntax, findings, wanted);
    let opens: Vec<usize> = candidates.iter().map(|candidate| candidate.open).collect();
    let closers = closers(text, &opens, Quotes { tolerant: syntax.tolerant });
    let mut calls = Vec::new();
    let mut resume = 0;
    for (position, candidate) in candidates.iter().enumerate() {
        if candidate.start < resume {
            continue;
        }
        let next = candidates.get(position + 1).map(|candidate| candidate.start);
        let call = match closers[position] {
            Some(close) if !(syntax.tolerant && swallows(text, close, next)) => closed(text, syntax, candidate, close),
            _ if !syntax.tolerant => None,
            _ => Some(cut(text, candidate, next)),
        };
        match call {
            Some(call) => {
                resume = call.claimed_until;
                calls.push(call);
            }
            // MVU goes on behind the parenthesis of a call that never closes.
            None => resume = closers[position].map_or(candidate.open, |close| close + 1),
        }
    }
    calls
}

fn candidates(
    piece: &Piece<'_>,
    syntax: Syntax,
    findings: &mut Findings,
    wanted: impl Fn(&str) -> bool,
) -> Vec<Candidate> {
    let text = piece.text;
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for start in syntax.prefix.find_iter(bytes) {
        if let Some(limit) = findings.look(syntax.sign) {
            findings.stop(piece.span(&(start..text.len())), limit);
            break;
        }
        let name_start = start + syntax.prefix.needle().len();
        let mut name_end = name_start;
        for character in text[name_start..].chars() {
            if !(character.is_alphanumeric() || character == '_') || name_end - name_start > NAME_BYTES_MAX {
                break;
            }
            name_end += character.len_utf8();
        }
        if name_end == name_start {
            continue;
        }
        let mut open = name_end;
        if syntax.tolerant {
            open += bytes[open..].iter().take(8).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        }
        let open = match bytes.get(open) {
            Some(b'(') => open + 1,
            Some(0xEF) if syntax.tolerant && text[open..].starts_with('（') => open + 3,
            _ => continue,
        };
        if !wanted(&text[name_start..name_end]) {
            continue;
        }
        if found.len() == COMMANDS_MAX {
            findings.stop(piece.span(&(start..text.len())), Limit::Commands);
            break;
        }
        found.push(Candidate { start, name: name_start..name_end, open });
    }
    found
}

/// Whether the parenthesis found lies behind the next call that starts a line: then a quote was left open.
fn swallows(text: &str, close: usize, next: Option<usize>) -> bool {
    next.is_some_and(|next| {
        next < close && text[..next].trim_end_matches([' ', '\t', '-', '*', '>']).ends_with(['\n', '\r'])
    })
}

fn closed(text: &str, syntax: Syntax, candidate: &Candidate, close: usize) -> Option<Call> {
    let closing = if text[close..].starts_with('）') { '）'.len_utf8() } else { 1 };
    let mut end = close + closing;
    let rest = &text[end..];
    let blanks = if syntax.tolerant { rest.len() - rest.trim_start_matches([' ', '\t']).len() } else { 0 };
    match rest[blanks..].chars().next() {
        Some(';') => end += blanks + 1,
        Some('；') if syntax.tolerant => end += blanks + '；'.len_utf8(),
        _ if syntax.tolerant => {}
        _ => return None,
    }
    let reason = reason(text, syntax, end);
    Some(Call {
        span: candidate.start..end,
        claimed_until: reason.as_ref().map_or(end, |reason| reason.end),
        name: candidate.name.clone(),
        arguments: candidate.open..close,
        reason,
        unclosed: false,
    })
}

/// The text behind `//`. In MVU it may start on a later line.
fn reason(text: &str, syntax: Syntax, end: usize) -> Option<Range<usize>> {
    let rest = &text[end..];
    let trimmed = if syntax.tolerant {
        rest.trim_start_matches([' ', '\t', '\u{3000}'])
    } else {
        rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
    };
    let body = trimmed.strip_prefix("//")?;
    let start = text.len() - body.len();
    Some(start..start + line_length(body))
}

/// Where the first line ends. A line may be as long as the reply, so each kind of break is looked for by itself.
fn line_length(text: &str) -> usize {
    let mut line = text.as_bytes();
    line = &line[..memchr::memchr2(b'\n', b'\r', line).unwrap_or(line.len())];
    for separator in ["\u{2028}", "\u{2029}"] {
        line = &line[..memmem::find(line, separator.as_bytes()).unwrap_or(line.len())];
    }
    line.len()
}

/// A call without its closing parenthesis ends with its line, or where the next call starts.
fn cut(text: &str, candidate: &Candidate, next: Option<usize>) -> Call {
    let limit = next.unwrap_or(text.len()).min(text.ceil_char_boundary(candidate.open + CALL_BYTES_MAX));
    let rest = &text[candidate.open..limit];
    let line = &rest[..memchr::memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len())];
    let (line, reason) = match line.rsplit_once("//") {
        Some((before, after)) if before.trim_end().ends_with([';', ')']) => {
            (before, Some(line.len() - after.len()..line.len()))
        }
        _ => (line, None),
    };
    let end = candidate.open + line.len();
    let arguments = line.trim_end().trim_end_matches([';', '；']).trim_end();
    let arguments = arguments.strip_suffix([')', '）']).unwrap_or(arguments);
    let reason = reason.map(|range| range.start + candidate.open..range.end + candidate.open);
    Call {
        span: candidate.start..end,
        claimed_until: reason.as_ref().map_or(end, |reason| reason.end),
        name: candidate.name.clone(),
        arguments: candidate.open..candidate.open + arguments.len(),
        reason,
        unclosed: true,
    }
}
