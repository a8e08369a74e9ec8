//! The turn as a state machine: a queue of steps, run until one needs the outside world.

use super::guard;
use super::{Answer, Call, CommandResult, Outcome, Status, Step, Turn};
use crate::command::{Arg, Command};
use crate::dialect::{Dialect, parse, visible};
use crate::diff::diff;
use crate::document::Value;
use crate::draft::Draft;
use crate::function::{Function, FunctionKind};
use crate::limits::{COMMANDS_MAX, PROBLEMS_MAX};
use crate::native::{self, Deleted, Performed, Scene};
use crate::path::Path;
use crate::problem::{Code, Problem, Refusal};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// A turn that waits for an answer.
#[derive(Debug)]
pub struct Waiting {
    machine: Machine,
    /// What the answer is for.
    wish: Wish,
}

#[derive(Debug)]
enum Wish {
    Patterns,
    Passive(usize),
    Command(Box<Command>),
}

#[derive(Debug)]
enum Task {
    Timed,
    Passive(usize),
    Command(Box<Command>),
    /// A match of an author's pattern, for the function with this number.
    Found(usize, Box<Command>),
}

#[derive(Debug)]
struct Machine {
    turn: Turn,
    draft: Draft,
    tasks: VecDeque<Task>,
    results: Vec<CommandResult>,
    problems: Vec<Problem>,
    deleted: HashMap<Path, Deleted>,
    elapsed_ms: Option<i64>,
    /// The block whose `test` failed.
    stopped_block: Option<usize>,
}

impl Turn {
    /// Starts the turn.
    pub fn start(mut self) -> Step {
        let draft = Draft::new(std::mem::take(&mut self.document));
        let machine = Machine {
            draft,
            tasks: VecDeque::new(),
            results: Vec::new(),
            problems: Vec::new(),
            deleted: HashMap::new(),
            elapsed_ms: None,
            stopped_block: None,
            turn: self,
        };
        let patterns: Vec<(usize, String)> = machine
            .turn
            .functions
            .iter()
            .enumerate()
            .filter_map(|(number, function)| match &function.kind {
                FunctionKind::Active { pattern: Some(pattern) } if function.enabled => Some((number, pattern.clone())),
                _ => None,
            })
            .collect();
        if patterns.is_empty() {
            return machine.plan(Vec::new());
        }
        let text = machine.turn.reply.clone();
        Step::Waiting(Call::Patterns { patterns, text }, Box::new(Waiting { machine, wish: Wish::Patterns }))
    }
}

/// Applies a reply that needs no scripts. Calls of the session's functions are refused.
///
/// ```
/// use tavernkeep_engine::{document::Value, turn::{Turn, apply_reply}};
///
/// let document = Value::parse(r#"{"雪": {"好感": 40}}"#).unwrap();
/// let outcome = apply_reply(Turn { document, reply: "她笑了。@.ADD(\"雪.好感\", 2);".into(), ..Turn::default() });
/// assert_eq!(outcome.document.to_json(), r#"{"雪":{"好感":42}}"#);
/// assert_eq!(outcome.change.to_json_patch().to_json(), r#"[{"op":"replace","path":"/雪/好感","value":42}]"#);
/// ```
pub fn apply_reply(turn: Turn) -> Outcome {
    let mut step = turn.start();
    loop {
        step = match step {
            Step::Done(outcome) => return *outcome,
            Step::Waiting(Call::Patterns { .. }, waiting) => waiting.resume(Answer::Matches(Vec::new())),
            Step::Waiting(Call::Run { .. }, waiting) => {
                waiting.resume(Answer::Failed("scripts cannot be run here".to_owned()))
            }
        };
    }
}

impl Waiting {
    /// The document as the call may see it.
    pub fn view(&self) -> &Value {
        self.machine.draft.document()
    }

    /// Goes on with the answer.
    pub fn resume(self, answer: Answer) -> Step {
        let Waiting { mut machine, wish } = self;
        match (wish, answer) {
            (Wish::Patterns, Answer::Matches(matches)) => {
                let found = matches.into_iter().filter_map(|found| {
                    let number = found.function;
                    let function = machine.turn.functions.get(number)?;
                    let command = Command {
                        dialect: Dialect::At,
                        name: function.name.clone(),
                        args: found.args.into_iter().map(Arg::Value).collect(),
                        span: found.span,
                        reason: None,
                        block: None,
                        repair: None,
                    };
                    Some((command, Some(number)))
                });
                let found = found.collect();
                return machine.plan(found);
            }
            (Wish::Patterns, other) => {
                if let Answer::Failed(message) = other {
                    machine.problem(Code::ScriptFailed, 0..0, message);
                }
                return machine.plan(Vec::new());
            }
            (Wish::Passive(number), answer) => {
                let name = machine.turn.functions.get(number).map(|function| function.name.clone()).unwrap_or_default();
                if let Err(refusal) = machine.take_document(answer) {
                    machine.problem(refusal.code, 0..0, format!("{name}: {}", refusal.message));
                }
            }
            (Wish::Command(command), answer) => {
                let start = machine.draft.ops().len();
                let status = match machine.take_document(answer) {
                    Ok(()) => status_of(&command, None),
                    Err(refusal) => Status::Refused(refusal),
                };
                machine.push_result(*command, status, start);
            }
        }
        machine.run()
    }
}

impl Machine {
    /// Lays out the tasks: what runs by itself, and the commands in the order of the text.
    fn plan(mut self, found: Vec<(Command, Option<usize>)>) -> Step {
        let parsed = parse(&self.turn.reply, &self.turn.profile);
        self.problems = parsed.problems;
        let mut commands: Vec<(Command, Option<usize>)> =
            parsed.commands.into_iter().map(|command| (command, None)).collect();
        if !found.is_empty() {
            let visible = visible(&self.turn.reply, &self.turn.profile);
            commands = claim_once(found, commands, &visible);
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
            numbers.sort_by_key(|number| self.turn.functions[*number].order);
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
        self.tasks = tasks;
        self.run()
    }

    fn run(mut self) -> Step {
        while let Some(task) = self.tasks.pop_front() {
            match task {
                Task::Timed => self.run_timed(),
                Task::Passive(number) => return self.wait(number, Vec::new(), Wish::Passive(number)),
                Task::Found(number, command) => {
                    let args = command.args.iter().map(Arg::value).collect();
                    return self.wait(number, args, Wish::Command(command));
                }
                Task::Command(command) => {
                    let start = self.draft.ops().len();
                    match self.perform(&command) {
                        Ok((number, args)) => return self.wait(number, args, Wish::Command(command)),
                        Err(status) => self.push_result(*command, status, start),
                    }
                }
            }
        }
        self.problems.sort_by_key(|problem| problem.span.start);
        let (document, change) = self.draft.finish();
        Step::Done(Box::new(Outcome {
            document,
            change,
            results: self.results,
            problems: self.problems,
            mvu_schema: self.turn.mvu_schema,
        }))
    }

    fn wait(self, function: usize, args: Vec<Value>, wish: Wish) -> Step {
        let context = [
            ("round", Value::from(self.turn.clock.round)),
            ("now_ms", Value::from(self.turn.clock.now_ms)),
            ("elapsed_ms", self.elapsed_ms.map_or(Value::Null, Value::from)),
        ];
        let call = Call::Run { function, args, context: context.into_iter().collect() };
        Step::Waiting(call, Box::new(Waiting { machine: self, wish }))
    }

    fn push_result(&mut self, command: Command, status: Status, start: usize) {
        let ops = start..self.draft.ops().len();
        self.results.push(CommandResult { command, status, ops });
    }

    fn run_timed(&mut self) {
        let mut notes = Vec::new();
        let due = native::run_due(&mut self.scene(&mut notes));
        self.results.extend(due.into_iter().map(|due| CommandResult {
            status: match due.outcome {
                Ok(repair) => status_of(&due.command, repair),
                Err(refusal) => Status::Refused(refusal),
            },
            command: due.command,
            ops: due.ops,
        }));
        notes.into_iter().for_each(|note| self.problem(note.code, 0..0, note.message));
    }

    fn scene<'a>(&'a mut self, notes: &'a mut Vec<Refusal>) -> Scene<'a> {
        Scene {
            draft: &mut self.draft,
            profile: &self.turn.profile,
            schema: self.turn.schema.as_ref(),
            mvu_schema: &mut self.turn.mvu_schema,
            clock: &self.turn.clock,
            notes,
            deleted: &mut self.deleted,
            elapsed_ms: &mut self.elapsed_ms,
        }
    }

    /// Performs a command: `Err` with what came of it, or `Ok` with the function that must run.
    fn perform(&mut self, command: &Command) -> Result<(usize, Vec<Value>), Status> {
        if command.block.is_some() && command.block == self.stopped_block {
            let refusal = Refusal::new(Code::TestFailed, "an earlier `test` of this block failed");
            return Err(Status::Refused(refusal));
        }
        let mark = self.draft.mark();
        // A copy makes the next write to the tree copy it too, so it is taken only where a guard may refuse.
        let guarded = self.turn.profile.underscore_read_only || self.turn.schema.is_some();
        let mvu_schema = guarded.then(|| self.turn.mvu_schema.clone());
        let mut notes = Vec::new();
        let performed = native::perform(&mut self.scene(&mut notes), command);
        let outcome = match performed {
            Ok(Performed::Function(name, args)) => {
                let number = self.turn.functions.iter().position(|function| is_called(function, &name));
                match number {
                    Some(number) => return Ok((number, args)),
                    None => Err(Refusal::new(Code::UnknownFunction, format!("no function is named `{name}`"))),
                }
            }
            Ok(Performed::DoneBySystem) => Ok(None),
            Ok(done) => {
                let forced = done == Performed::Forced;
                let repair = match done {
                    Performed::Done(repair) => repair,
                    _ => None,
                };
                let schema = self.turn.schema.as_ref();
                guard::examine(&mut self.draft, mark, &self.turn.profile, schema, forced, &mut notes)
                    .map(|mended| mended.or(repair))
            }
            Err(refusal) => Err(refusal),
        };
        Err(match outcome {
            Ok(repair) => {
                notes.into_iter().for_each(|note| self.problem(note.code, command.span.clone(), note.message));
                status_of(command, repair)
            }
            Err(refusal) => {
                self.draft.take_back(mark);
                if let Some(mvu_schema) = mvu_schema {
                    self.turn.mvu_schema = mvu_schema;
                }
                if refusal.code == Code::TestFailed || (command.block.is_some() && command.name == "test") {
                    self.stopped_block = command.block;
                }
                Status::Refused(refusal)
            }
        })
    }

    /// Takes over what a function made of the document.
    fn take_document(&mut self, answer: Answer) -> Result<(), Refusal> {
        match answer {
            Answer::Document(document) => {
                let mark = self.draft.mark();
                let change = diff(self.draft.document(), &document);
                let done = self.draft.perform_all(change);
                if done.is_err() {
                    self.draft.take_back(mark);
                }
                done
            }
            Answer::Failed(message) => Err(Refusal::new(Code::ScriptFailed, message)),
            Answer::Matches(_) => Err(Refusal::new(Code::ScriptFailed, "the function gave back no document")),
        }
    }

    fn problem(&mut self, code: Code, span: Range<usize>, message: String) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(Problem { code, span, message });
            return;
        }
        let overflow = Problem::overflow(span);
        if !self.problems.iter().any(|problem| problem.message == overflow.message) {
            self.problems.push(overflow);
        }
    }
}

/// A command, and the function it is for when an author's pattern found it.
type Planned = (Command, Option<usize>);

/// Puts the matches of the authors' patterns among the commands. A span is claimed once, a pattern comes before the
/// dialects, and what is not speech is nobody's.
fn claim_once(mut found: Vec<Planned>, mut commands: Vec<Planned>, visible: &[Range<usize>]) -> Vec<Planned> {
    found.sort_by_key(|(command, _)| command.span.start);
    let is_visible = |span: &Range<usize>| {
        let piece = visible.partition_point(|piece| piece.end < span.end);
        visible.get(piece).is_some_and(|piece| piece.start <= span.start)
    };
    let mut end = 0;
    found.retain(|(command, _)| {
        let free = command.span.start >= end && is_visible(&command.span);
        if free {
            end = end.max(command.span.end);
        }
        free
    });
    // The matches no longer overlap, so only the first that ends behind a command's start can touch it.
    let touched = |span: &Range<usize>| {
        let next = found.partition_point(|(taken, _)| taken.span.end <= span.start);
        found.get(next).is_some_and(|(taken, _)| taken.span.start < span.end)
    };
    commands.retain(|(command, _)| !touched(&command.span));
    commands.extend(found);
    commands.sort_by_key(|(command, _)| command.span.start);
    commands
}

fn is_called(function: &Function, name: &str) -> bool {
    function.enabled
        && matches!(function.kind, FunctionKind::Active { .. })
        && function.name.to_uppercase() == name.to_uppercase()
}

fn status_of(command: &Command, repair: Option<String>) -> Status {
    match repair.or_else(|| command.repair.map(str::to_owned)) {
        Some(repair) => Status::Repaired(repair),
        None => Status::Applied,
    }
}
