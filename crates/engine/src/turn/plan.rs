//! The plan of a turn: what runs by itself, and the commands in the order of the text, those of authors' patterns among them.

use super::function::{Function, FunctionKind};
use super::machine::{Machine, Task};
use super::{Answer, Step};
use crate::command::dialect::{Dialect, parse, visible};
use crate::command::{Arg, Command};
use crate::limits::COMMANDS_MAX;
use crate::names::problem::Code;
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

impl Machine {
    pub(super) fn resume_patterns(mut self, answer: Answer) -> Step {
        let (matches, failures) = match answer {
            Answer::Matches { matches, failures } => (matches, failures),
            Answer::Failed(message) => {
                self.problem(Code::ScriptFailed, 0..0, message);
                (Vec::new(), Vec::new())
            }
            Answer::Ran(_) => (Vec::new(), Vec::new()),
        };
        for (number, message) in failures {
            if let Some(function) = self.turn.functions.get(number) {
                let message = format!("{}: its pattern found nothing: {message}", function.name);
                self.problem(Code::ScriptFailed, 0..0, message);
            }
        }
        let found = matches.into_iter().filter_map(|found| {
            let function = self.turn.functions.get(found.function)?;
            let command = Command {
                dialect: Dialect::At,
                name: function.name.to_string(),
                args: found.args.into_iter().map(|arg| arg.map_or(Arg::Absent, Arg::Value)).collect(),
                span: found.span,
                reason: None,
                block: None,
                repair: None,
            };
            Some((command, Some(found.function)))
        });
        let found = found.collect();
        self.plan(found)
    }

    /// Lays out the tasks: what runs by itself, and the commands in the order of the text.
    pub(super) fn plan(mut self, found: Vec<(Command, Option<usize>)>) -> Step {
        let parsed = parse(&self.turn.reply, &self.turn.profile);
        self.problems.extend(parsed.problems);
        let mut commands: Vec<(Command, Option<usize>)> =
            parsed.commands.into_iter().map(|command| (command, None)).collect();
        if !found.is_empty() {
            let visible = visible(&self.turn.reply, &self.turn.profile);
            commands = claim_once(found, commands, &visible, &self.turn.functions);
        }
        if let Some((first, _)) = commands.get(COMMANDS_MAX) {
            let message = format!("only the first {COMMANDS_MAX} commands of a reply are read");
            self.problem(Code::Limit, first.span.clone(), message);
            commands.truncate(COMMANDS_MAX);
        }
        let passive = |kind: FunctionKind| {
            let mut numbers: Vec<usize> = (0..self.turn.functions.len())
                .filter(|number| self.turn.functions[*number].enabled && self.turn.functions[*number].kind == kind)
                .collect();
            let place = |number: &usize| (self.turn.functions[*number].order, &self.turn.functions[*number].name);
            numbers.sort_by(|left, right| place(left).cmp(&place(right)));
            numbers.into_iter().map(Task::Passive)
        };
        let mut tasks = VecDeque::with_capacity(commands.len() + 1);
        tasks.push_back(Task::Timed);
        tasks.extend(passive(FunctionKind::PassiveBefore));
        tasks.extend(commands.into_iter().map(|(command, function)| match function {
            Some(number) => Task::Found(number, Box::new(command)),
            None => Task::Command(Box::new(command)),
        }));
        tasks.extend(passive(FunctionKind::PassiveAfter));
        if !self.turn.profile.packs.is_empty() {
            tasks.push_back(Task::EndOfTurn);
        }
        self.tasks = tasks;
        self.run()
    }
}

/// A command, and the function it is for when an author's pattern found it.
type Planned = (Command, Option<usize>);

/// Puts the matches of the authors' patterns among the commands. One place in the text is one call: a pattern comes before
/// the dialects, a local function before a global one, then the earliest start, the longest match and the lowest order. What
/// is not speech is not matched, and a match of no text is none.
fn claim_once(
    mut found: Vec<Planned>,
    mut commands: Vec<Planned>,
    visible: &[Range<usize>],
    functions: &[Function],
) -> Vec<Planned> {
    let is_visible = |span: &Range<usize>| {
        let piece = visible.partition_point(|piece| piece.end < span.end);
        visible.get(piece).is_some_and(|piece| piece.start <= span.start)
    };
    found.sort_by_key(|(command, number)| {
        let Range { start, end } = command.span;
        let function = number.and_then(|number| functions.get(number));
        (function.map(|function| function.scope), start, Reverse(end), function.map(|function| function.order))
    });
    // The claimed spans never overlap, so only the last one that starts before a span's end can touch it.
    let mut claimed: BTreeMap<usize, usize> = BTreeMap::new();
    let touched = |claimed: &BTreeMap<usize, usize>, span: &Range<usize>| {
        claimed.range(..span.end).next_back().is_some_and(|(_, end)| *end > span.start)
    };
    found.retain(|(command, _)| {
        let span = &command.span;
        let free = !span.is_empty() && is_visible(span) && !touched(&claimed, span);
        if free {
            claimed.insert(span.start, span.end);
        }
        free
    });
    commands.retain(|(command, _)| !touched(&claimed, &command.span));
    commands.extend(found);
    commands.sort_by_key(|(command, _)| command.span.start);
    commands
}
