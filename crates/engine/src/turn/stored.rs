//! What came of a reply as it is stored beside the change: small, because arguments are places in the text.
//!
//! ```text
//! outcome  = count command…  count problem…
//! command  = flags  gap length  [dialect name]  [count argument…]  [reason]  [message | code message]  [gap length]
//! flags    = status · 2 bits, has a reason, did one op right behind the ones before, dialect and name of the command before,
//!            arguments as a call is split, in the tolerant way
//! argument = piece whose kind is: as written, a value, absent
//! piece    = length·kind·inline  (offset from the end of the piece before | the bytes themselves)
//! problem  = code  gap length  message
//! ```
//!
//! Numbers are unsigned, seven bits a byte, the lowest first; a gap may be negative and is folded (0, -1, 1, -2, …).

use super::{CommandResult, Outcome, Status};
use crate::command::dialect::{Dialect, call_arguments};
use crate::command::{Arg, Command};
use crate::document::Value;
use crate::names::problem::{Code, Problem, Refusal};
use memchr::memmem;
use std::fmt;
use std::ops::Range;

/// The commands and problems of a reply, read back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoredOutcome {
    /// Every command and what came of it, in order. Blocks and repairs of the text are not kept: the status says so.
    pub results: Vec<CommandResult>,
    /// What is worth a look, in the order of the text.
    pub problems: Vec<Problem>,
}

impl StoredOutcome {
    /// Reads what was stored. `reply` is the text that the outcome is of; without it only what does not stand in the text is
    /// known: arguments and reasons are left out.
    pub fn read(stored: &[u8], reply: Option<&str>) -> Result<StoredOutcome, InvalidOutcome> {
        let mut reader = Reader { rest: stored, reply, at: 0 };
        let outcome = reader.outcome().ok_or(InvalidOutcome)?;
        if reader.rest.is_empty() { Ok(outcome) } else { Err(InvalidOutcome) }
    }
}

/// The bytes are no stored outcome of this reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidOutcome;

impl fmt::Display for InvalidOutcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the stored outcome of a turn cannot be read; restore it from a backup")
    }
}

impl std::error::Error for InvalidOutcome {}

const HAS_REASON: u64 = 1 << 2;
const ONE_OP: u64 = 1 << 3;
const SAME_NAME: u64 = 1 << 4;
const SPLIT: u64 = 1 << 5;
const TOLERANT: u64 = 1 << 6;

/// How an argument is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Raw,
    Value,
    Absent,
}

impl Outcome {
    /// The commands and problems as they are stored. `reply` is the text of the turn.
    pub fn to_stored(&self, reply: &str) -> Vec<u8> {
        let mut writer = Writer { out: Vec::new(), reply, at: 0 };
        writer.number(self.results.len());
        let mut before = None;
        for result in &self.results {
            writer.command(result, before);
            before = Some(result);
        }
        writer.number(self.problems.len());
        let mut end = 0;
        for problem in &self.problems {
            writer.number(problem.code as usize);
            writer.range(&problem.span, end);
            writer.text(&problem.message);
            end = problem.span.end;
        }
        writer.out
    }
}

struct Writer<'a> {
    out: Vec<u8>,
    reply: &'a str,
    /// Where the last piece ended in the reply.
    at: usize,
}

impl Writer<'_> {
    fn command(&mut self, result: &CommandResult, before: Option<&CommandResult>) {
        let CommandResult { command, status, ops } = result;
        let (end, ops_end) = before.map_or((0, 0), |before| (before.command.span.end, before.ops.end));
        let one_op = *ops == (ops_end..ops_end + 1);
        let is_same = |it: &&CommandResult| it.command.dialect == command.dialect && it.command.name == command.name;
        let same_name = before.filter(is_same).is_some();
        let split = self.split(command);
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        let tolerant = flag(split == Some(true), TOLERANT);
        let flags = flag(command.reason.is_some(), HAS_REASON) | flag(one_op, ONE_OP) | flag(same_name, SAME_NAME);
        self.unsigned(status.number() | flags | flag(split.is_some(), SPLIT) | tolerant);
        self.range(&command.span, end);
        self.at = command.span.start;
        let span = command.span.clone();
        if !same_name {
            self.number(command.dialect as usize);
            self.text(&command.name);
        }
        if split.is_some() {
            self.at = command.span.end;
        } else {
            self.number(command.args.len());
            for arg in &command.args {
                match arg {
                    Arg::Raw(text) => self.piece(text, Kind::Raw, &span),
                    Arg::Value(value) => self.piece(&value.to_json(), Kind::Value, &span),
                    Arg::Absent => self.piece("", Kind::Absent, &span),
                }
            }
        }
        if let Some(reason) = &command.reason {
            // The reason stands behind the call, often on the same line.
            self.piece(reason, Kind::Raw, &(span.start..self.reply.len()));
        }
        match status {
            Status::Applied => {}
            Status::Repaired(how) => self.text(how),
            Status::Refused(refusal) => {
                self.number(refusal.code as usize);
                self.text(&refusal.message);
            }
        }
        if !one_op {
            self.range(ops, ops_end);
        }
    }

    /// Whether the arguments are what splitting the command's own text gives, and in which way.
    fn split(&self, command: &Command) -> Option<bool> {
        let call = self.reply.get(command.span.clone())?;
        let is_same = |tolerant: &bool| call_arguments(call, *tolerant).is_some_and(|args| args == command.args);
        [true, false].into_iter().find(is_same)
    }

    /// A text that mostly stands within a span of the reply, behind the piece before it.
    fn piece(&mut self, text: &str, kind: Kind, within: &Range<usize>) {
        let head = |inline: bool| (text.len() as u64) << 3 | (kind as u64) << 1 | u64::from(inline);
        // Text that is not in the reply, such as a reason that was put together, is soon known not to be near.
        let end = within.end.min(self.at.saturating_add(text.len() + REACH));
        let near = self.reply.as_bytes().get(self.at..end.max(self.at)).unwrap_or_default();
        match memmem::find(near, text.as_bytes()).filter(|_| text.len() > 1) {
            Some(offset) => {
                self.unsigned(head(false));
                self.number(offset);
                self.at += offset + text.len();
            }
            None => {
                self.unsigned(head(true));
                self.out.extend_from_slice(text.as_bytes());
            }
        }
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.out.extend_from_slice(text.as_bytes());
    }

    /// A range by its distance from an earlier end, and its length.
    fn range(&mut self, range: &Range<usize>, end: usize) {
        let gap = range.start as i64 - end as i64;
        self.unsigned(((gap << 1) ^ (gap >> 63)) as u64);
        self.number(range.end.saturating_sub(range.start));
    }

    fn number(&mut self, number: usize) {
        self.unsigned(number as u64);
    }

    fn unsigned(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.out.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }
}

/// How far behind the piece before a piece is looked for.
const REACH: usize = 4096;

struct Reader<'a> {
    rest: &'a [u8],
    reply: Option<&'a str>,
    /// Where the last piece ended in the reply.
    at: usize,
}

impl Reader<'_> {
    fn outcome(&mut self) -> Option<StoredOutcome> {
        let mut outcome = StoredOutcome::default();
        for _ in 0..self.number()? {
            let result = self.command(outcome.results.last())?;
            outcome.results.push(result);
        }
        let mut end = 0;
        for _ in 0..self.number()? {
            let code = self.code()?;
            let span = self.range(end)?;
            end = span.end;
            outcome.problems.push(Problem { code, span, message: self.text()? });
        }
        Some(outcome)
    }

    fn command(&mut self, before: Option<&CommandResult>) -> Option<CommandResult> {
        let (end, ops_end) = before.map_or((0, 0), |before| (before.command.span.end, before.ops.end));
        let flags = self.unsigned()?;
        let span = self.range(end)?;
        self.at = span.start;
        let (dialect, name) = match flags & SAME_NAME != 0 {
            true => before.map(|before| (before.command.dialect, before.command.name.clone()))?,
            false => (*Dialect::ALL.get(self.number()?)?, self.text()?),
        };
        let args = match (flags & SPLIT != 0, self.reply) {
            (true, Some(reply)) => call_arguments(reply.get(span.clone())?, flags & TOLERANT != 0)?,
            (true, None) => Vec::new(),
            (false, _) => self.args()?,
        };
        if flags & SPLIT != 0 {
            self.at = span.end;
        }
        let reason = if flags & HAS_REASON != 0 { self.piece()?.1 } else { None };
        let status = match flags & 3 {
            0 => Status::Applied,
            1 => Status::Repaired(self.text()?),
            2 => Status::Refused(Refusal { code: self.code()?, message: self.text()? }),
            _ => return None,
        };
        let ops = if flags & ONE_OP != 0 { ops_end..ops_end.checked_add(1)? } else { self.range(ops_end)? };
        let command = Command { dialect, name, args, span, reason, block: None, repair: None };
        Some(CommandResult { command, status, ops })
    }

    fn args(&mut self) -> Option<Vec<Arg>> {
        let mut args = Vec::new();
        for _ in 0..self.number()? {
            args.push(match self.piece()? {
                (Kind::Raw, text) => text.map(Arg::Raw),
                (Kind::Value, Some(json)) => Some(Arg::Value(Value::parse(&json).ok()?)),
                (Kind::Value, None) => None,
                (Kind::Absent, _) => Some(Arg::Absent),
            });
        }
        // All of them or none: an argument that is not known would shift those behind it.
        Some(args.into_iter().collect::<Option<_>>().unwrap_or_default())
    }

    /// A piece, and its text unless that stands in a reply that is gone.
    fn piece(&mut self) -> Option<(Kind, Option<String>)> {
        let head = self.unsigned()?;
        let length = usize::try_from(head >> 3).ok()?;
        let kind = *[Kind::Raw, Kind::Value, Kind::Absent].get(usize::try_from(head >> 1 & 3).ok()?)?;
        if head & 1 == 1 {
            return Some((kind, Some(self.bytes(length)?)));
        }
        let start = self.at.checked_add(self.number()?)?;
        self.at = start.checked_add(length)?;
        match self.reply {
            Some(reply) => Some((kind, Some(reply.get(start..self.at)?.to_owned()))),
            None => Some((kind, None)),
        }
    }

    fn code(&mut self) -> Option<Code> {
        Code::ALL.get(self.number()?).copied()
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()?;
        self.bytes(length)
    }

    fn bytes(&mut self, length: usize) -> Option<String> {
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        String::from_utf8(bytes.to_vec()).ok()
    }

    fn range(&mut self, end: usize) -> Option<Range<usize>> {
        let folded = self.unsigned()?;
        let gap = (folded >> 1) as i64 ^ -((folded & 1) as i64);
        let start = usize::try_from(i64::try_from(end).ok()?.checked_add(gap)?).ok()?;
        Some(start..start.checked_add(self.number()?)?)
    }

    fn number(&mut self) -> Option<usize> {
        usize::try_from(self.unsigned()?).ok()
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

impl Status {
    /// The number in storage.
    fn number(&self) -> u64 {
        match self {
            Status::Applied => 0,
            Status::Repaired(_) => 1,
            Status::Refused(_) => 2,
        }
    }
}
