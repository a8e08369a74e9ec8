//! Dialects: the ways in which commands are written in replies.
//!
//! Each dialect is one file and one row of [`SCANNERS`]. They may all be on at once; commands run in the order in which
//! they stand in the text, whatever their dialect, and a piece of text belongs to one command only.

mod arguments;
mod at;
mod call;
mod extent;
mod json_patch;
mod mvu;
mod pack;
mod parentheses;
mod speech;

pub use crate::rules::dialect::Dialect;

use crate::command::{Arg, Command};
use crate::limits::{COMMANDS_MAX, PROBLEMS_MAX, REPLY_BYTES_MAX, SIGNS_MAX, TAGS_MAX};
use crate::names::problem::{Code, Problem};
use crate::rules::profile::{Profile, Reading};
use std::ops::Range;

/// Finds the commands of one dialect in one piece of text.
type Scan = fn(&Piece<'_>, &mut Findings);

/// How each dialect is read that belongs to no pack. Where two begin at the same place the first has it, and those of packs come
/// before all of them.
const SCANNERS: [(Dialect, Scan); 3] =
    [(Dialect::At, at::scan), (Dialect::Mvu, mvu::scan), (Dialect::JsonPatch, json_patch::scan)];

/// The arguments of a call by its whole text, as the tolerant dialects or MVU's own mode split them.
pub(crate) fn call_arguments(call: &str, tolerant: bool) -> Option<Vec<Arg>> {
    arguments::of_call(call, tolerant)
}

/// What a reply says: all that was understood and all that was not.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parsed {
    /// The commands in the order of the text.
    pub commands: Vec<Command>,
    /// What could not be read, with its place.
    pub problems: Vec<Problem>,
}

/// Finds the commands of a reply. Never fails, and takes time linear in the text.
///
/// ```
/// use tavernkeep_engine::{dialect::parse, profile::Profile};
///
/// let parsed = parse("She smiles. @.ADD(\"雪.好感\", 2); _.set('雪.心情', '开心');//a good talk", &Profile::default());
/// assert_eq!(parsed.commands.iter().map(|command| command.name.as_str()).collect::<Vec<_>>(), ["ADD", "set"]);
/// assert_eq!(parsed.commands[1].reason.as_deref(), Some("a good talk"));
/// ```
pub fn parse(reply: &str, profile: &Profile) -> Parsed {
    let mut findings = Findings::default();
    let text = if reply.len() > REPLY_BYTES_MAX {
        findings.problem(
            Code::Limit,
            REPLY_BYTES_MAX..reply.len(),
            format!("only the first {REPLY_BYTES_MAX} bytes of a reply are read"),
        );
        &reply[..reply.floor_char_boundary(REPLY_BYTES_MAX)]
    } else {
        reply
    };
    for range in speech::visible(text, profile, &mut findings) {
        let piece = Piece { text: &text[range.clone()], offset: range.start, profile };
        pack::scan(&piece, &mut findings);
        for (_, scan) in SCANNERS.iter().filter(|(dialect, _)| profile.dialects.contains(dialect)) {
            scan(&piece, &mut findings);
        }
    }
    findings.finish(profile)
}

/// The parts of a reply that are read, in order.
pub(crate) fn visible(reply: &str, profile: &Profile) -> Vec<Range<usize>> {
    let text = &reply[..reply.floor_char_boundary(REPLY_BYTES_MAX)];
    speech::visible(text, profile, &mut Findings::default())
}

/// One visible piece of a reply.
struct Piece<'a> {
    text: &'a str,
    /// Where the piece starts in the reply.
    offset: usize,
    profile: &'a Profile,
}

impl Piece<'_> {
    /// A range of the piece as a range of the reply.
    fn span(&self, range: &Range<usize>) -> Range<usize> {
        range.start + self.offset..range.end + self.offset
    }

    fn tolerant(&self) -> bool {
        self.profile.reading == Reading::Tolerant
    }
}

/// A command and its place among the others.
#[derive(Debug)]
struct FoundCommand {
    command: Command,
    /// By what commands are ordered: their own place, or in MVU the place of their block.
    order: usize,
    /// Where text is free again.
    claimed_until: usize,
}

/// What is looked for in a reply. Each is counted by itself, so that none takes away the looks of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Thinking,
    AtCall,
    MvuCall,
    PatchTag,
    PackCall,
}

/// What a reply may have so many of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    Commands,
    Signs,
    Tags,
}

impl Limit {
    fn message(self) -> String {
        match self {
            Limit::Commands => format!("only the first {COMMANDS_MAX} commands of a reply are read"),
            Limit::Signs => format!("only the first {SIGNS_MAX} places that look like a command are read"),
            Limit::Tags => format!("only the first {TAGS_MAX} tags of a kind are read"),
        }
    }
}

/// Where the scanners put what they find.
#[derive(Debug, Default)]
struct Findings {
    commands: Vec<FoundCommand>,
    problems: Vec<Problem>,
    blocks: usize,
    /// Places looked at so far, by [`Sign`].
    signs: [usize; 5],
    /// Commands found so far, by [`Dialect`]; those of all packs together.
    counts: [usize; Dialect::OWN.len() + 1],
    /// Which limits were reached, by [`Limit`].
    reached: [bool; 3],
    /// What they say. A reply full of problems does not push them out.
    limits: Vec<Problem>,
    /// Where the first problem stands for which there was no more room.
    overflow: Option<Range<usize>>,
}

impl Findings {
    /// Takes a command; false when its dialect has more than a reply may have. Which ones are the first of all is known
    /// when every dialect was read.
    fn command(&mut self, command: Command, order: usize, claimed_until: usize) -> bool {
        let own = Dialect::OWN.iter().position(|own| *own == command.dialect);
        let count = &mut self.counts[own.unwrap_or(Dialect::OWN.len())];
        if *count > COMMANDS_MAX {
            return false;
        }
        *count += 1;
        self.commands.push(FoundCommand { command, order, claimed_until });
        true
    }

    /// Counts a look at a place that may be a command; the limit when there were too many of them.
    fn look(&mut self, sign: Sign) -> Option<Limit> {
        let seen = &mut self.signs[sign as usize];
        *seen += 1;
        (*seen > SIGNS_MAX).then_some(Limit::Signs)
    }

    /// Says once for each limit that the rest is not read.
    fn stop(&mut self, span: Range<usize>, limit: Limit) {
        if !std::mem::replace(&mut self.reached[limit as usize], true) {
            self.limits.push(Problem { code: Code::Limit, span, message: limit.message() });
        }
    }

    fn problem(&mut self, code: Code, span: Range<usize>, message: impl Into<String>) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(Problem { code, span, message: message.into() });
        } else {
            self.overflow.get_or_insert(span);
        }
    }

    fn finish(mut self, profile: &Profile) -> Parsed {
        self.commands.sort_by_key(|found| found.order);
        // MVU runs a call inside a patch's string too; the other dialects get each piece of text once.
        if profile.reading == Reading::Tolerant {
            let mut end = 0;
            let mut block = None;
            self.commands.retain(|FoundCommand { command, claimed_until, .. }| {
                let free = command.span.start >= end || (command.block.is_some() && command.block == block);
                if free {
                    end = end.max(*claimed_until);
                    block = command.block;
                }
                free
            });
        }
        if let Some(first) = self.commands.get(COMMANDS_MAX) {
            self.stop(first.command.span.clone(), Limit::Commands);
            self.commands.truncate(COMMANDS_MAX);
        }
        self.problems.append(&mut self.limits);
        self.problems.extend(self.overflow.map(Problem::overflow));
        self.problems.sort_by_key(|problem| problem.span.start);
        let commands = self.commands.into_iter().map(|found| found.command).collect();
        Parsed { commands, problems: self.problems }
    }
}
