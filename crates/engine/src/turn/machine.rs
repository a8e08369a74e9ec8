//! The turn as a state machine: a queue of steps, run until one needs the outside world.

use super::effect::Effect;
use super::function::{Function, FunctionKind};
use super::{Answer, Call, CommandResult, FunctionCall, FunctionResult, Outcome, Status, Step, Turn};
use crate::command::dialect::{Dialect, parse, visible};
use crate::command::native::{self, Deleted, ExecutionContext, Performed};
use crate::command::{Arg, Command};
use crate::document::Value;
use crate::document::draft::Draft;
use crate::document::path::Path;
use crate::limits::{COMMANDS_MAX, EFFECTS_MAX, PROBLEMS_MAX};
use crate::names::problem::{Code, Problem, Refusal};
use crate::rules::guard;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// A turn that waits for an answer.
#[derive(Debug)]
pub struct Waiting {
    machine: Machine,
    /// The tasks whose functions run, in order; none while patterns are matched.
    running: Vec<Task>,
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
    effects: Vec<Effect>,
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
            effects: Vec::new(),
            deleted: HashMap::new(),
            elapsed_ms: None,
            stopped_block: None,
            turn: self,
        };
        let pattern = |(number, function): (usize, &Function)| match &function.kind {
            FunctionKind::Active { pattern: Some(pattern) } if function.enabled => Some((number, pattern.clone())),
            _ => None,
        };
        let patterns: Vec<(usize, String)> = machine.turn.functions.iter().enumerate().filter_map(pattern).collect();
        if patterns.is_empty() {
            return machine.plan(Vec::new());
        }
        Step::Waiting(Call::Patterns(patterns), Box::new(Waiting { machine, running: Vec::new() }))
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
            Step::Waiting(Call::Patterns(_), waiting) => waiting.resume(Answer::Matches(Vec::new())),
            Step::Waiting(Call::Run { .. }, waiting) => {
                waiting.resume(Answer::Failed("scripts cannot be run here".to_owned()))
            }
        };
    }
}

impl Waiting {
    /// The document as the first function of the call finds it.
    pub fn document(&self) -> &Value {
        self.machine.draft.document()
    }

    /// The reply.
    pub fn reply(&self) -> &str {
        &self.machine.turn.reply
    }

    /// Goes on with the answer.
    pub fn resume(self, answer: Answer) -> Step {
        let Waiting { mut machine, running } = self;
        if running.is_empty() {
            return machine.resume_patterns(answer);
        }
        let mut results = match answer {
            Answer::Ran(results) if !results.is_empty() => results,
            Answer::Failed(message) => vec![Err(message)],
            Answer::Ran(_) | Answer::Matches(_) => vec![Err("the function was not run".to_owned())],
        }
        .into_iter();
        let mut running = running.into_iter();
        // A function ran on what the ones before it left. Where one of them was refused or its values were mended, what
        // the further ones answered is about another document.
        let mut in_step = true;
        while in_step
            && let Some(result) = results.next()
            && let Some(task) = running.next()
        {
            in_step = machine.finish(task, result);
        }
        running.rev().for_each(|task| machine.tasks.push_front(task));
        machine.run()
    }
}

impl Machine {
    fn resume_patterns(mut self, answer: Answer) -> Step {
        let matches = match answer {
            Answer::Matches(matches) => matches,
            Answer::Failed(message) => {
                self.problem(Code::ScriptFailed, 0..0, message);
                Vec::new()
            }
            Answer::Ran(_) => Vec::new(),
        };
        let found = matches.into_iter().filter_map(|found| {
            let function = self.turn.functions.get(found.function)?;
            let command = Command {
                dialect: Dialect::At,
                name: function.name.clone(),
                args: found.args.into_iter().map(Arg::Value).collect(),
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
        let (mut calls, mut running) = (Vec::new(), Vec::new());
        while let Some(task) = self.tasks.pop_front() {
            match self.function_call(&task) {
                Some(Ok(call)) => {
                    calls.push(call);
                    running.push(task);
                }
                // What is no function runs when those before it are done.
                _ if !calls.is_empty() => {
                    self.tasks.push_front(task);
                    break;
                }
                other => self.perform(task, other.and_then(Result::err)),
            }
        }
        if !calls.is_empty() {
            let call = Call::Run { functions: calls, context: self.context() };
            return Step::Waiting(call, Box::new(Waiting { machine: self, running }));
        }
        self.problems.sort_by_key(|problem| problem.span.start);
        let (document, change) = self.draft.finish();
        let mvu_schema = self.turn.mvu_schema.map(|schema| schema.reconciled(&change, &document));
        let (results, problems, effects) = (self.results, self.problems, self.effects);
        Step::Done(Box::new(Outcome { document, change, results, problems, mvu_schema, effects }))
    }

    /// The function that a task is for: none for what the engine does itself, a refusal where nothing has its name.
    fn function_call(&self, task: &Task) -> Option<Result<FunctionCall, Refusal>> {
        match task {
            Task::Timed => None,
            Task::Passive(function) => Some(Ok(FunctionCall { function: *function, args: Vec::new() })),
            Task::Found(function, command) => {
                let args = command.args.iter().map(Arg::value).collect();
                Some(Ok(FunctionCall { function: *function, args }))
            }
            Task::Command(command) if self.is_stopped(command) => None,
            Task::Command(command) => {
                let (name, args) = native::function_call(&self.turn.profile, command)?;
                let number = self.turn.functions.iter().position(|function| is_called(function, &name));
                let missing = || match self.turn.profile.disables(&name) {
                    true => format!("`{name}` is switched off by the profile"),
                    false => format!("no function is named `{name}`"),
                };
                let refusal = || Refusal::new(Code::UnknownFunction, missing());
                Some(number.map(|function| FunctionCall { function, args }).ok_or_else(refusal))
            }
        }
    }

    fn context(&self) -> Value {
        let Turn { clock, recent_texts, .. } = &self.turn;
        let recent_texts = recent_texts.iter().map(|text| Value::from(text.as_str())).collect();
        let context = [
            ("round", Value::from(clock.round)),
            ("now_ms", Value::from(clock.now_ms)),
            ("elapsed_ms", self.elapsed_ms.map_or(Value::Null, Value::from)),
            ("seed", Value::Number(clock.seed.into())),
            ("recent_texts", recent_texts),
        ];
        context.into_iter().collect()
    }

    /// Applies what a task's function did. Returns whether the document is now what the function left behind.
    fn finish(&mut self, task: Task, result: Result<FunctionResult, String>) -> bool {
        let (mark, mut notes, failed) = (self.draft.mark(), Vec::new(), result.is_err());
        let taken = match result {
            Ok(result) => self.take(result, &mut notes),
            Err(message) => Refusal::err(Code::ScriptFailed, message),
        };
        if taken.is_err() {
            self.draft.take_back(mark);
        }
        let in_step = failed || matches!(taken, Ok(None));
        let (span, name) = match &task {
            Task::Command(command) | Task::Found(_, command) => (command.span.clone(), String::new()),
            Task::Passive(number) => (0..0, format!("{}: ", self.turn.functions[*number].name)),
            Task::Timed => (0..0, String::new()),
        };
        for note in notes {
            self.problem(note.code, span.clone(), format!("{name}{}", note.message));
        }
        match (task, taken) {
            (Task::Command(command) | Task::Found(_, command), taken) => {
                let status = taken.map_or_else(Status::Refused, |repair| status_of(&command, repair));
                self.push_result(*command, status, mark.ops());
            }
            (_, Err(refusal)) => self.problem(refusal.code, span, format!("{name}{}", refusal.message)),
            (_, Ok(_)) => {}
        }
        in_step
    }

    /// Performs what a function did, within the same bounds as a command.
    fn take(&mut self, result: FunctionResult, notes: &mut Vec<Refusal>) -> Result<Option<String>, Refusal> {
        if result.effects.len() > EFFECTS_MAX - self.effects.len() {
            return Refusal::err(Code::Limit, format!("a turn may have at most {EFFECTS_MAX} effects"));
        }
        let mark = self.draft.mark();
        self.draft.perform_all(result.change)?;
        let repair = guard::examine(&mut self.draft, mark, &self.turn.profile, false, notes)?;
        self.effects.extend(result.effects);
        Ok(repair)
    }

    fn push_result(&mut self, command: Command, status: Status, start: usize) {
        let ops = start..self.draft.ops().len();
        self.results.push(CommandResult { command, status, ops });
    }

    fn run_timed(&mut self) {
        let mut notes = Vec::new();
        let due = native::run_due(&mut self.execution_context(&mut notes));
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

    fn execution_context<'a>(&'a mut self, notes: &'a mut Vec<Refusal>) -> ExecutionContext<'a> {
        ExecutionContext {
            draft: &mut self.draft,
            profile: &self.turn.profile,
            mvu_schema: &mut self.turn.mvu_schema,
            clock: &self.turn.clock,
            notes,
            deleted: &mut self.deleted,
            elapsed_ms: &mut self.elapsed_ms,
        }
    }

    /// Whether an earlier `test` of the command's block failed.
    fn is_stopped(&self, command: &Command) -> bool {
        command.block.is_some() && command.block == self.stopped_block
    }

    /// Does what needs no script, unless it is refused already.
    fn perform(&mut self, task: Task, refusal: Option<Refusal>) {
        let Task::Command(command) = task else { return self.run_timed() };
        let start = self.draft.ops().len();
        let status = match refusal {
            Some(refusal) => Status::Refused(refusal),
            None => self.perform_command(&command),
        };
        self.push_result(*command, status, start);
    }

    fn perform_command(&mut self, command: &Command) -> Status {
        if self.is_stopped(command) {
            return Status::Refused(Refusal::new(Code::TestFailed, "an earlier `test` of this block failed"));
        }
        let mark = self.draft.mark();
        // A copy makes the next write to the tree copy it too, so it is taken only where a guard may refuse.
        let guarded = self.turn.profile.underscore_read_only || self.turn.profile.schema.is_some();
        let mvu_schema = guarded.then(|| self.turn.mvu_schema.clone());
        let mut notes = Vec::new();
        let outcome = match native::perform(&mut self.execution_context(&mut notes), command) {
            Ok(Performed::DoneBySystem) => Ok(None),
            Ok(done) => {
                let forced = done == Performed::Forced;
                let repair = match done {
                    Performed::Done(repair) => repair,
                    _ => None,
                };
                guard::examine(&mut self.draft, mark, &self.turn.profile, forced, &mut notes)
                    .map(|mended| mended.or(repair))
            }
            Err(refusal) => Err(refusal),
        };
        match outcome {
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
/// dialects, and what is not speech is not matched.
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
