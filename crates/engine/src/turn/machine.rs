//! The turn as a state machine: a queue of steps, run until one needs the outside world.

use super::calls::derived_seed;
use super::effect::Effect;
use super::function::{Function, FunctionKind};
use super::{Answer, Call, CommandResult, FunctionCall, FunctionRun, Outcome, Status, Step, Turn};
use crate::command::Command;
use crate::command::native::{self, Deleted, ExecutionContext, Performed};
use crate::document::Value;
use crate::document::draft::Draft;
use crate::document::path::Path;
use crate::limits::{CALL_FUNCTIONS_MAX, PROBLEMS_MAX};
use crate::names::problem::{Code, Problem, Refusal};
use crate::packs::{Archived, EndOfTurn, PackUse};
use crate::rules::guard;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

/// A turn that waits for an answer.
#[derive(Debug)]
pub struct Waiting {
    machine: Machine,
    /// The tasks whose functions run, in order; none while patterns are matched.
    running: Vec<Running>,
}

/// A task whose function runs, and how it was called.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) task: Task,
    pub(super) function: usize,
    pub(super) args: Vec<Option<Value>>,
}

#[derive(Debug)]
pub(super) enum Task {
    Timed,
    /// The rules of the packs at the end of the turn.
    EndOfTurn,
    Passive(usize),
    Command(Box<Command>),
    /// A match of an author's pattern, for the function with this number.
    Found(usize, Box<Command>),
}

#[derive(Debug)]
pub(super) struct Machine {
    pub(super) turn: Turn,
    pub(super) draft: Draft,
    pub(super) tasks: VecDeque<Task>,
    pub(super) results: Vec<CommandResult>,
    pub(super) problems: Vec<Problem>,
    pub(super) effects: Vec<Effect>,
    pub(super) runs: Vec<FunctionRun>,
    pub(super) deleted: HashMap<Path, Deleted>,
    pub(super) elapsed_ms: Option<i64>,
    /// The document before the turn, for packs.
    pub(super) before: Value,
    pub(super) archived: Vec<Archived>,
    /// The block whose `test` failed.
    pub(super) stopped_block: Option<usize>,
}

impl Turn {
    /// Starts the turn.
    pub fn start(mut self) -> Step {
        // A copy makes the first write to each container copy it, so it is taken only for packs.
        let before = if self.profile.packs.is_empty() { Value::Null } else { self.document.clone() };
        let draft = Draft::new(std::mem::take(&mut self.document));
        let machine = Machine {
            draft,
            tasks: VecDeque::new(),
            results: Vec::new(),
            problems: Vec::new(),
            effects: Vec::new(),
            runs: Vec::new(),
            deleted: HashMap::new(),
            elapsed_ms: None,
            before,
            archived: Vec::new(),
            stopped_block: None,
            turn: self,
        };
        let has_pattern = |function: &Function| matches!(function.kind, FunctionKind::Active { pattern: Some(_) });
        let numbered = machine.turn.functions.iter().enumerate();
        let patterns = numbered.filter(|(_, function)| function.enabled && has_pattern(function));
        let patterns: Vec<usize> = patterns.map(|(number, _)| number).collect();
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
            Step::Waiting(Call::Patterns(_), waiting) => {
                waiting.resume(Answer::Matches { matches: Vec::new(), failures: Vec::new() })
            }
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

    /// The functions that calls name by their numbers.
    pub fn functions(&self) -> &[Function] {
        &self.machine.turn.functions
    }

    /// Goes on with the answer.
    pub fn resume(self, answer: Answer) -> Step {
        let Waiting { mut machine, running } = self;
        if running.is_empty() {
            return machine.resume_patterns(answer);
        }
        let mut results = match answer {
            Answer::Ran(results) if !results.is_empty() => results,
            Answer::Failed(message) => vec![Err(message).into(); running.len()],
            Answer::Ran(_) | Answer::Matches { .. } => vec![Err("the function was not run".to_owned()).into()],
        }
        .into_iter();
        let mut running = running.into_iter();
        // A function ran on what the ones before it left. Where one of them was refused or its values were mended, what
        // the further ones answered is about another document.
        let mut in_step = true;
        while in_step
            && let Some(answer) = results.next()
            && let Some(running) = running.next()
        {
            in_step = machine.finish(running, answer);
        }
        running.rev().for_each(|running| machine.tasks.push_front(running.task));
        machine.run()
    }
}

impl Machine {
    pub(super) fn run(mut self) -> Step {
        let (mut calls, mut running) = (Vec::new(), Vec::new());
        // What follows a refused function is asked for again, so a call is no longer than that may cost.
        while calls.len() < CALL_FUNCTIONS_MAX
            && let Some(task) = self.tasks.pop_front()
        {
            match self.function_call(&task) {
                Some(Ok((function, args))) => {
                    let seed = derived_seed(self.turn.clock.seed, self.runs.len() + calls.len());
                    calls.push(FunctionCall { function, args: args.clone(), seed });
                    running.push(Running { task, function, args });
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
        self.archive();
        self.problems.sort_by_key(|problem| problem.span.start);
        let (document, change) = self.draft.finish();
        let mvu_schema = self.turn.mvu_schema.map(|schema| schema.reconciled(&change, &document));
        let (results, problems, effects, runs) = (self.results, self.problems, self.effects, self.runs);
        Step::Done(Box::new(Outcome { document, change, results, problems, mvu_schema, effects, runs }))
    }

    pub(super) fn push_result(&mut self, command: Command, status: Status, start: usize) {
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
            archived: &mut self.archived,
        }
    }

    /// Runs the rules of the packs at the end of the turn. A rule that fails leaves the document as it was.
    fn run_packs(&mut self) {
        let (profile, mut notes) = (Arc::clone(&self.turn.profile), Vec::new());
        let reply = (!self.turn.from_user).then_some(self.turn.reply.as_str());
        for rules in profile.packs.iter().map(PackUse::rules) {
            for rule in rules.end_of_turn() {
                let (mark, kept) = (self.draft.mark(), self.archived.len());
                let mut turn = EndOfTurn {
                    draft: &mut self.draft,
                    before: &self.before,
                    reply,
                    recent_texts: &self.turn.recent_texts,
                    notes: &mut notes,
                    archived: &mut self.archived,
                };
                if let Err(refusal) = rules.run(rule, &mut turn) {
                    self.draft.take_back(mark);
                    self.archived.truncate(kept);
                    notes.push(Refusal::new(
                        refusal.code,
                        format!("the rule `{rule}` did nothing: {}", refusal.message),
                    ));
                }
            }
        }
        notes.into_iter().for_each(|note| self.problem(note.code, 0..0, note.message));
    }

    /// Makes effects of what was archived. Commands archive at most as much as a turn may have effects.
    fn archive(&mut self) {
        self.effects.extend(std::mem::take(&mut self.archived).into_iter().map(Effect::Archive));
    }

    /// Whether an earlier `test` of the command's block failed.
    pub(super) fn is_stopped(&self, command: &Command) -> bool {
        command.block.is_some() && command.block == self.stopped_block
    }

    /// Does what needs no script, unless it is refused already.
    fn perform(&mut self, task: Task, refusal: Option<Refusal>) {
        let command = match task {
            Task::Command(command) => command,
            Task::EndOfTurn => return self.run_packs(),
            _ => return self.run_timed(),
        };
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
        let (mut notes, kept) = (Vec::new(), self.archived.len());
        let outcome = match native::perform(&mut self.execution_context(&mut notes), command) {
            Ok(Performed::DoneBySystem) => Ok(None),
            Ok(done) => {
                let forced = matches!(done, Performed::Forced | Performed::ByPack(_));
                let repair = match done {
                    Performed::Done(repair) | Performed::ByPack(repair) => repair,
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
                self.archived.truncate(kept);
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

    pub(super) fn problem(&mut self, code: Code, span: Range<usize>, message: String) {
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

pub(super) fn status_of(command: &Command, repair: Option<String>) -> Status {
    match repair.or_else(|| command.repair.map(str::to_owned)) {
        Some(repair) => Status::Repaired(repair),
        None => Status::Applied,
    }
}
