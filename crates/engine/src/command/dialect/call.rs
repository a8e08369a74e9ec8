//! Calls such as `_.set(…)` and `@.SET(…)`: a prefix, a name, arguments in parentheses, perhaps `;` and a reason.
//!
//! ```text
//! call     = prefix name "(" arguments ")" [ ";" ] [ "//" reason to the end of the line ]
//! exact    no blanks before "(" and ";", and ";" must be there
//! tolerant blanks, full-width （）；, a missing ";" and a missing ")" at the end of a line
//! ```

use super::extent::{Extent, extent, has_comments};
use super::parentheses::{Quotes, closers};
use super::{Dialect, Findings, Limit, Piece, Sign};
use crate::command::{Arg, Command};
use crate::limits::{CALL_BYTES_MAX, COMMANDS_MAX, PATCH_BYTES_MAX, REASON_BYTES_MAX};
use crate::names::problem::Code;
use memchr::memmem;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// Letters of a function's name.
const NAME_BYTES_MAX: usize = 64;

/// What calls start with. Made once, since a reply may have thousands of short pieces.
pub(super) type Prefix = LazyLock<memmem::Finder<'static>>;

/// How calls of a dialect are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Syntax<'a> {
    pub(super) prefix: &'static Prefix,
    pub(super) sign: Sign,
    pub(super) tolerant: bool,
    /// Names whose calls have no prefix and start a line too.
    pub(super) names: &'a [&'static str],
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

impl Call {
    /// The command that the call is.
    pub(super) fn command(&self, piece: &Piece<'_>, dialect: Dialect, name: String, args: Vec<Arg>) -> Command {
        Command {
            dialect,
            name,
            args,
            span: piece.span(&self.span),
            reason: self.reason.clone().map(|range| reason_text(&piece.text[range])),
            block: None,
            repair: self.unclosed.then_some("closed the parenthesis"),
        }
    }
}

/// The reason behind `//`, as far as it is kept.
fn reason_text(reason: &str) -> String {
    let reason = reason.trim();
    reason[..reason.floor_char_boundary(REASON_BYTES_MAX)].to_owned()
}

/// A place that may be a call.
pub(super) struct Candidate {
    pub(super) start: usize,
    pub(super) name: Range<usize>,
    /// Just behind the opening parenthesis.
    pub(super) open: usize,
}

/// Finds all calls whose name is `wanted`.
pub(super) fn scan(
    piece: &Piece<'_>,
    syntax: Syntax<'_>,
    findings: &mut Findings,
    wanted: impl Fn(&str) -> bool,
) -> Vec<Call> {
    let candidates = candidates(piece, syntax, findings, wanted);
    read(piece, syntax, findings, &candidates)
}

/// Finds out what the calls at these places are.
pub(super) fn read(
    piece: &Piece<'_>,
    syntax: Syntax<'_>,
    findings: &mut Findings,
    candidates: &[Candidate],
) -> Vec<Call> {
    if candidates.is_empty() {
        return Vec::new();
    }
    let opens: Vec<usize> = candidates.iter().map(|candidate| candidate.open).collect();
    let closers = closers(piece.text, &opens, Quotes { tolerant: syntax.tolerant });
    let last = opens.last().map_or(0, |open| open + CALL_BYTES_MAX);
    let mut reach = Reach::new(piece.text, &piece.text[..piece.text.floor_char_boundary(last)], syntax);
    let mut calls = Vec::new();
    let mut resume = 0;
    for (position, candidate) in candidates.iter().enumerate() {
        if candidate.start < resume {
            continue;
        }
        if calls.len() > COMMANDS_MAX {
            break;
        }
        let next = candidates.get(position + 1).map(|candidate| candidate.start);
        match reach.call(candidate, closers[position], next) {
            Ok(call) => {
                resume = call.claimed_until;
                calls.push(call);
            }
            Err(Lost { code, end, resume: from, message }) => {
                findings.problem(code, piece.span(&(candidate.start..end)), message);
                resume = from;
            }
        }
    }
    calls
}

/// A call that cannot be read.
struct Lost {
    code: Code,
    /// Where what is underlined ends.
    end: usize,
    /// Where reading goes on.
    resume: usize,
    message: Cow<'static, str>,
}

/// Finds out how far calls reach.
struct Reach<'a> {
    text: &'a str,
    syntax: Syntax<'a>,
    /// Lines that start with a command of any dialect; no call reaches beyond the next one.
    line_starts: Vec<usize>,
    has_comments: bool,
    /// Bytes that may still be walked through one call at a time.
    budget: usize,
}

impl<'a> Reach<'a> {
    /// `reached` is as far as any call can reach.
    fn new(text: &'a str, reached: &str, syntax: Syntax<'a>) -> Reach<'a> {
        let line_starts = if syntax.tolerant { line_starts(reached, syntax.names) } else { Vec::new() };
        let has_comments = syntax.tolerant && has_comments(reached);
        Reach { text, syntax, line_starts, has_comments, budget: reached.len() / 4 + 4 * CALL_BYTES_MAX }
    }

    fn call(&mut self, candidate: &Candidate, close: Option<usize>, next: Option<usize>) -> Result<Call, Lost> {
        let line = self.line_starts.partition_point(|start| *start <= candidate.open);
        let line = self.line_starts.get(line).copied().unwrap_or(self.text.len());
        if !self.syntax.tolerant {
            return self.exact(candidate, close, next);
        }
        // A parenthesis behind the next line that starts with a command: then a quote was left open.
        let mut close = close.filter(|close| *close < line);
        let limit = candidate.open + CALL_BYTES_MAX;
        if self.has_comments
            && let Some(Extent::Closed(end)) = self.walk(candidate.open, line.min(limit))
        {
            close = Some(end);
        }
        if let Some(close) = close.filter(|close| !self.runs_over(candidate, *close)) {
            return closed(self.text, self.syntax, candidate, close).ok_or_else(|| unclosed(candidate));
        }
        // A long value is refused as a whole: its first line would be something else.
        if line > limit
            && next.is_none_or(|next| next > limit)
            && self.walk(candidate.open, self.text.floor_char_boundary(limit)) != Some(Extent::Open { inside: false })
        {
            return Err(self.too_long(candidate));
        }
        let call = cut(self.text, candidate, next, self.syntax.names);
        if call.arguments.len() > CALL_BYTES_MAX {
            return Err(self.too_long(candidate));
        }
        let arguments = self.text[call.arguments.clone()].trim_end();
        if arguments.ends_with(['{', '[', '｛', '［']) {
            let end = candidate.open + arguments.len();
            let message = "the call breaks off where a value starts; it was left out".into();
            return Err(Lost { code: Code::Unreadable, end, resume: end, message });
        }
        Ok(call)
    }

    /// Whether a call goes over the next command of its line and on into the next line: then a quote was left open too.
    fn runs_over(&self, candidate: &Candidate, close: usize) -> bool {
        let arguments = &self.text[candidate.open..close];
        let Some(line) = memchr::memchr2(b'\n', b'\r', arguments.as_bytes()) else { return false };
        memmem::find_iter(&arguments.as_bytes()[..line], ");").any(|end| {
            let rest = arguments[end + 2..line].trim_start_matches([' ', '\t']);
            starts_command(rest.as_bytes(), self.syntax.names)
        })
    }

    /// What MVU reads. It goes on behind the parenthesis of a call that never closes.
    fn exact(&mut self, candidate: &Candidate, close: Option<usize>, next: Option<usize>) -> Result<Call, Lost> {
        let Some(close) = close else {
            let limit = candidate.open + CALL_BYTES_MAX;
            let far = self.text.len() > limit && next.is_none_or(|next| next > limit);
            if far && matches!(self.walk(candidate.open, limit + PATCH_BYTES_MAX), Some(Extent::Closed(_))) {
                return Err(Lost { resume: candidate.open, ..self.too_long(candidate) });
            }
            return Err(unclosed(candidate));
        };
        closed(self.text, self.syntax, candidate, close).ok_or_else(|| Lost {
            code: Code::Unreadable,
            end: close + 1,
            resume: close + 1,
            message: "no command: MVU needs a `;` right behind the parenthesis".into(),
        })
    }

    /// Walks through one call; nothing when the budget is used up.
    fn walk(&mut self, open: usize, until: usize) -> Option<Extent> {
        let until = self.text.floor_char_boundary(until);
        let extent =
            (self.budget > 0).then(|| extent(self.text, open, until, Quotes { tolerant: self.syntax.tolerant }))?;
        let end = match extent {
            Extent::Closed(end) => end,
            Extent::Open { .. } => until,
        };
        self.budget = self.budget.saturating_sub(end - open);
        Some(extent)
    }

    fn too_long(&self, candidate: &Candidate) -> Lost {
        let end = self.text.floor_char_boundary(candidate.open + CALL_BYTES_MAX);
        let message = format!("a call has at most {CALL_BYTES_MAX} bytes; it was left out").into();
        Lost { code: Code::Limit, end, resume: end, message }
    }
}

fn unclosed(candidate: &Candidate) -> Lost {
    let message = "no command: its parenthesis is never closed".into();
    Lost { code: Code::Unreadable, end: candidate.open, resume: candidate.open, message }
}

/// Where a line starts with a command of any dialect, perhaps behind the mark of a list or a quotation.
fn line_starts(text: &str, names: &[&str]) -> Vec<usize> {
    let bytes = text.as_bytes();
    let start = |line: usize| {
        let marks = bytes[line..].iter().take(LINE_MARKS_MAX).take_while(|byte| b" \t-*>".contains(byte)).count();
        Some(line + marks).filter(|start| starts_command(&bytes[*start..], names))
    };
    memchr::memchr2_iter(b'\n', b'\r', bytes).filter_map(|end| start(end + 1)).collect()
}

/// Bytes in front of a command that still let it start its line.
const LINE_MARKS_MAX: usize = 32;

/// Whether a call or a block of any dialect starts here.
fn starts_command(bytes: &[u8], names: &[&str]) -> bool {
    let is_call = |name: &&str| {
        let rest = bytes.strip_prefix(name.as_bytes()).map(<[u8]>::trim_ascii_start).unwrap_or_default();
        rest.starts_with(b"(") || rest.starts_with("（".as_bytes())
    };
    if names.iter().any(is_call) {
        return true;
    }
    match bytes {
        [b'@' | b'_', b'.', rest @ ..] => {
            let name = rest.iter().take(NAME_BYTES_MAX);
            let length = name.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_' || **byte > 127).count();
            let rest = rest[length..].trim_ascii_start();
            let named = &bytes[2..2 + length];
            // A full-width parenthesis is no ASCII, so it was taken for a part of the name.
            rest.starts_with(b"(") && length > 0 || named.windows(3).any(|three| three == "（".as_bytes())
        }
        [b'<', rest @ ..] => ["jsonpatch>", "json_patch>"]
            .iter()
            .any(|tag| rest.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()))),
        _ => false,
    }
}

fn candidates(
    piece: &Piece<'_>,
    syntax: Syntax<'_>,
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
            let message = format!("no command: no function is called `{}`", &text[start..name_end]);
            findings.problem(Code::UnknownFunction, piece.span(&(start..open)), message);
            continue;
        }
        // One more than a reply may have shows that there are too many.
        if found.len() > COMMANDS_MAX {
            findings.stop(piece.span(&(start..text.len())), Limit::Commands);
            break;
        }
        found.push(Candidate { start, name: name_start..name_end, open });
    }
    found
}

fn closed(text: &str, syntax: Syntax<'_>, candidate: &Candidate, close: usize) -> Option<Call> {
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
fn reason(text: &str, syntax: Syntax<'_>, end: usize) -> Option<Range<usize>> {
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

/// Where a command of any dialect starts in a line.
fn other_command(line: &str, names: &[&str]) -> Option<usize> {
    let bytes = line.as_bytes();
    let named = names.iter().filter_map(|name| {
        memmem::find_iter(bytes, name.as_bytes()).find(|start| starts_command(&bytes[*start..], &[name]))
    });
    let marked = memchr::memchr3_iter(b'@', b'_', b'<', bytes).find(|start| starts_command(&bytes[*start..], &[]));
    named.chain(marked).min()
}

/// A call without its closing parenthesis ends with its line, or where the next call starts.
fn cut(text: &str, candidate: &Candidate, next: Option<usize>, names: &[&str]) -> Call {
    let limit = next.unwrap_or(text.len()).min(text.ceil_char_boundary(candidate.open + CALL_BYTES_MAX + 1));
    let rest = &text[candidate.open..limit];
    let line = &rest[..memchr::memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len())];
    let line = &line[..other_command(line, names).unwrap_or(line.len())];
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
