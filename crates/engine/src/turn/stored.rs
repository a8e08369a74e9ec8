//! What came of a reply as it is stored beside the change: small, because arguments are places in the text.
//!
//! ```text
//! outcome  = count command…  count problem…  [count line…  [count run…]]
//! command  = flags  gap length  [dialect name]  [count argument…]  [reason]  [message | code message]  [gap length]
//! flags    = status · 2 bits, has a reason, did one op right behind the ones before, dialect and name of the command before,
//!            arguments as a call is split, in the tolerant way
//! argument = piece whose kind is: as written, a value, absent
//! piece    = length·kind·inline  (offset from the end of the piece before | the bytes themselves)
//! problem  = code  gap length  message
//! line     = function text, of a log; there is no count where nothing was logged and no function ran
//! run      = flags  [gap to the command before]  [name]  [message | code message]  [gap length]
//! flags    = status · 2 bits, called by a command and as that says, with the name of the command; what a command says is
//!            not said again. Outcomes of older programs have no runs.
//! ```
//!
//! Numbers are unsigned, seven bits a byte, the lowest first; a gap may be negative and is folded (0, -1, 1, -2, …).

use super::{CommandResult, LogLine, Outcome, RanFunction, Status};
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
    /// What functions logged, in order.
    pub log: Vec<LogLine>,
    /// The functions that ran, in order.
    pub ran: Vec<RanFunction>,
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
/// Of a run: a command called it, and says what came of it.
const BY_COMMAND: u64 = 1 << 2;
/// Of a run: it has the name of the command.
const COMMAND_NAME: u64 = 1 << 3;

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
        let (log, ran) = (self.log(), self.ran());
        if !log.is_empty() || !ran.is_empty() {
            writer.number(log.len());
            for line in &log {
                writer.text(&line.function);
                writer.text(&line.text);
            }
        }
        if !ran.is_empty() {
            writer.number(ran.len());
            let (mut command, mut ops_end) = (0, 0);
            for run in &ran {
                let caller = run.command.and_then(|number| Some((number, self.results.get(number)?)));
                writer.run(run, caller, command, ops_end);
                command = run.command.unwrap_or(command);
                ops_end = run.ops.end;
            }
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
            self.number(command.dialect.number());
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
        self.status(status);
        if !one_op {
            self.range(ops, ops_end);
        }
    }

    /// A function that ran, and the command that called it. `command` and `ops_end` are those of the run before.
    fn run(&mut self, run: &RanFunction, caller: Option<(usize, &CommandResult)>, command: usize, ops_end: usize) {
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        let same_name = caller.is_some_and(|(_, caller)| caller.command.name == run.function);
        let caller = caller.filter(|(_, caller)| caller.status == run.status && caller.ops == run.ops);
        self.unsigned(
            run.status.number()
                | flag(caller.is_some(), BY_COMMAND)
                | flag(same_name && caller.is_some(), COMMAND_NAME),
        );
        if let Some((number, _)) = caller {
            self.range(&(number..number), command);
        }
        if caller.is_none() || !same_name {
            self.text(&run.function);
        }
        if caller.is_none() {
            self.status(&run.status);
            self.range(&run.ops, ops_end);
        }
    }

    fn status(&mut self, status: &Status) {
        match status {
            Status::Applied => {}
            Status::Repaired(how) => self.text(how),
            Status::Refused(refusal) => {
                self.number(refusal.code as usize);
                self.text(&refusal.message);
            }
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
        if !self.rest.is_empty() {
            for _ in 0..self.number()? {
                outcome.log.push(LogLine { function: self.text()?, text: self.text()? });
            }
        }
        if !self.rest.is_empty() {
            let (mut command, mut ops_end) = (0, 0);
            for _ in 0..self.number()? {
                let run = self.run(&outcome.results, command, ops_end)?;
                command = run.command.unwrap_or(command);
                ops_end = run.ops.end;
                outcome.ran.push(run);
            }
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
            false => (Dialect::of_number(self.number()?)?, self.text()?),
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
        let status = self.status(flags)?;
        let ops = if flags & ONE_OP != 0 { ops_end..ops_end.checked_add(1)? } else { self.range(ops_end)? };
        let command = Command { dialect, name, args, span, reason, block: None, repair: None };
        Some(CommandResult { command, status, ops })
    }

    fn run(&mut self, results: &[CommandResult], command: usize, ops_end: usize) -> Option<RanFunction> {
        let flags = self.unsigned()?;
        if flags & BY_COMMAND == 0 {
            let (function, status) = (self.text()?, self.status(flags)?);
            return Some(RanFunction { function, status, ops: self.range(ops_end)?, command: None });
        }
        let number = self.range(command)?.start;
        let caller = results.get(number)?;
        let function = if flags & COMMAND_NAME != 0 { caller.command.name.clone() } else { self.text()? };
        let (status, ops) = (caller.status.clone(), caller.ops.clone());
        Some(RanFunction { function, status, ops, command: Some(number) })
    }

    fn status(&mut self, flags: u64) -> Option<Status> {
        match flags & 3 {
            0 => Some(Status::Applied),
            1 => Some(Status::Repaired(self.text()?)),
            2 => Some(Status::Refused(Refusal { code: self.code()?, message: self.text()? })),
            _ => None,
        }
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
