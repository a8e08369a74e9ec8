//! Functions of a turn: which one a task calls, what it may know, and what becomes of what it did.

use super::function::{Function, FunctionKind};
use super::machine::{Machine, Running, Task, status_of};
use super::{FunctionAnswer, FunctionResult, FunctionRun, Status, Turn};
use crate::command::{Arg, native};
use crate::document::Value;
use crate::limits::{EFFECTS_MAX, LOG_BYTES_MAX, LOG_LINES_MAX};
use crate::names::problem::{Code, Refusal};
use crate::rules::guard;
use std::sync::Arc;

impl Machine {
    /// The function that a task is for: none for what the engine does itself, a refusal where nothing has its name.
    pub(super) fn function_call(&self, task: &Task) -> Option<Result<NumberedCall, Refusal>> {
        match task {
            Task::Timed | Task::EndOfTurn => None,
            Task::Passive(function) => Some(Ok((*function, Vec::new()))),
            Task::Found(function, command) => {
                let arg = |arg: &Arg| (*arg != Arg::Absent).then(|| arg.value());
                Some(Ok((*function, command.args.iter().map(arg).collect())))
            }
            Task::Command(command) if self.is_stopped(command) => None,
            Task::Command(command) => {
                let own = |name: &str| self.function_named(name);
                let (name, args) = native::function_call(&self.turn.profile, command, &|name| own(name).is_some())?;
                let missing = || match self.turn.profile.disables(&name) {
                    true => format!("`{name}` is switched off, by the function library or by the profile"),
                    false => format!("no function is named `{name}`"),
                };
                let refusal = || Refusal::new(Code::UnknownFunction, missing());
                let args = args.into_iter().map(Some).collect();
                Some(own(&name).map(|function| (function, args)).ok_or_else(refusal))
            }
        }
    }

    /// The active function with this name: of two the local one, then the one with the lower order.
    fn function_named(&self, name: &str) -> Option<usize> {
        let functions = &self.turn.functions;
        let called = functions.iter().enumerate().filter(|(_, function)| is_called(function, name));
        called.min_by_key(|(_, function)| (function.scope, function.order)).map(|(number, _)| number)
    }

    pub(super) fn context(&self) -> Value {
        let Turn { clock, recent_texts, position, profile, .. } = &self.turn;
        let recent_texts = recent_texts.iter().map(|text| Value::from(text.as_str())).collect();
        let text = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::from);
        let number = |number: Option<i64>| number.map_or(Value::Null, Value::from);
        let context = [
            ("session", text(&position.session)),
            ("branch", text(&position.branch)),
            ("floor", number(position.floor_no)),
            ("page", text(&position.page)),
            ("role", text(&position.role)),
            ("time", native::story_time(self.draft.document(), profile).unwrap_or_default()),
            ("elapsed_ms", number(self.elapsed_ms)),
            ("round", Value::from(clock.round)),
            ("now_ms", Value::from(clock.now_ms)),
            ("recent_texts", recent_texts),
        ];
        context.into_iter().collect()
    }

    /// Applies what a task's function did. Returns whether the document is now what the function left behind.
    pub(super) fn finish(&mut self, running: Running, answer: FunctionAnswer) -> bool {
        let Running { task, function, args } = running;
        let FunctionAnswer { result, log, duration_us } = answer;
        let (mark, mut notes, failed) = (self.draft.mark(), Vec::new(), result.is_err());
        let taken = match result {
            Ok(result) => self.take(result, &mut notes),
            Err(message) => Refusal::err(Code::ScriptFailed, message),
        };
        let in_step = failed || matches!(taken, Ok(None));
        let name = self.turn.functions.get(function).map(|function| Arc::clone(&function.name)).unwrap_or_default();
        // What it is about is known where a command has the name of the function.
        let (span, prefix) = match &task {
            Task::Command(command) | Task::Found(_, command) if is_called_as(&name, &command.name) => {
                (command.span.clone(), String::new())
            }
            Task::Command(command) | Task::Found(_, command) => (command.span.clone(), format!("{name}: ")),
            Task::Passive(_) | Task::Timed | Task::EndOfTurn => (0..0, format!("{name}: ")),
        };
        let taken = taken.map_err(|refusal| {
            self.draft.take_back(mark);
            Refusal::new(refusal.code, format!("{prefix}{}", refusal.message))
        });
        if taken.is_ok() {
            // What was mended in a document that was taken back is no problem.
            for note in notes {
                self.problem(note.code, span.clone(), format!("{prefix}{}", note.message));
            }
        }
        let ops = mark.ops()..self.draft.ops().len();
        let (status, command) = match task {
            Task::Command(command) | Task::Found(_, command) => {
                let status = taken.map_or_else(Status::Refused, |repair| status_of(&command, repair));
                self.push_result(*command, status.clone(), mark.ops());
                (status, Some(self.results.len() - 1))
            }
            Task::Passive(_) | Task::Timed | Task::EndOfTurn => match taken {
                Ok(repair) => (repair.map_or(Status::Applied, Status::Repaired), None),
                Err(refusal) => {
                    self.problem(refusal.code, span, refusal.message.clone());
                    (Status::Refused(refusal), None)
                }
            },
        };
        let log = self.within_log_bounds(log);
        self.runs.push(FunctionRun { function, name, args, status, ops, command, log, duration_us });
        in_step
    }

    /// Performs what a function did, within the same bounds as a command.
    fn take(&mut self, result: FunctionResult, notes: &mut Vec<Refusal>) -> Result<Option<String>, Refusal> {
        if result.effects.len() > EFFECTS_MAX - self.effects.len() {
            return Refusal::err(Code::Limit, format!("a turn may have at most {EFFECTS_MAX} effects"));
        }
        let mark = self.draft.mark();
        self.draft.perform_all(result.change)?;
        if let Some(schema) = &self.turn.mvu_schema {
            self.draft.spend_on_ops_since(mark)?;
            self.draft.ops_since(mark).iter().try_for_each(|op| schema.check(op))?;
        }
        let repair = guard::examine(&mut self.draft, mark, &self.turn.profile, false, notes)?;
        self.effects.extend(result.effects);
        Ok(repair)
    }

    /// The lines of a log that still have room in the outcome of the turn.
    fn within_log_bounds(&self, lines: Vec<String>) -> Vec<String> {
        let logged = || self.runs.iter().flat_map(|run| &run.log);
        let mut bytes: usize = logged().map(String::len).sum();
        let room = LOG_LINES_MAX.saturating_sub(logged().count());
        let fits = |line: &String| {
            bytes += line.len();
            bytes <= LOG_BYTES_MAX
        };
        lines.into_iter().take(room).take_while(fits).collect()
    }
}

/// The number of a function and the arguments that it is called with.
pub(super) type NumberedCall = (usize, Vec<Option<Value>>);

/// The seed of one run of a function, so that runs do not repeat each other's random numbers.
pub(super) fn derived_seed(seed: u64, run: usize) -> u64 {
    // The odd constant spreads neighbouring numbers over all bits.
    seed ^ (run as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn is_called(function: &Function, name: &str) -> bool {
    function.enabled && matches!(function.kind, FunctionKind::Active { .. }) && is_called_as(&function.name, name)
}

/// Whether a command has the name of a function, which is read in any case.
fn is_called_as(function: &str, name: &str) -> bool {
    function.chars().flat_map(char::to_uppercase).eq(name.chars().flat_map(char::to_uppercase))
}
