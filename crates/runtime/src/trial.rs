//! Functions that are tried out on a text and a state, nothing stored.

use crate::turn::{Scripts, TriedReply, Turns};
use crate::{Runtime, RuntimeResult};
use std::collections::HashMap;
use std::sync::Arc;
use tavernkeep_engine::command::Arg;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::function::{Function, FunctionKind};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::library::{LibraryFunction, ScopeFunctions, combine};
use tavernkeep_engine::problem::Problem;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::turn::{CommandResult, FunctionRun, Outcome, Status, TurnPosition};

/// Functions, and what they are tried on.
#[derive(Debug, Clone, Default)]
pub struct TrialOrder {
    /// The enabled functions.
    pub functions: Vec<LibraryFunction>,
    /// The reply.
    pub text: String,
    /// The state before.
    pub state: Value,
    /// The time of the turn; none for now.
    pub now_ms: Option<i64>,
    /// The number of the turn.
    pub round: i64,
    /// What chance begins with.
    pub seed: u64,
    /// The replies before.
    pub recent_texts: Vec<String>,
    /// Where the turn stands.
    pub position: TurnPosition,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The state after.
    pub state: Value,
    /// Everything that was called, in the order in which it ran.
    pub calls: Vec<TriedCall>,
    /// What is worth a look.
    pub problems: Vec<Problem>,
}

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub struct TriedCall {
    /// The name of the function.
    pub function: String,
    /// Its arguments.
    pub args: Vec<Value>,
    /// What came of it.
    pub status: Status,
    /// What it wrote with `console.log`.
    pub log: Vec<String>,
    /// How long the script took; 0 for what the engine does itself.
    pub duration_us: u64,
}

impl Runtime {
    /// Tries functions out. Takes its time, on a thread of its own.
    pub async fn try_functions(&self, account: &Id, order: TrialOrder) -> RuntimeResult<Trial> {
        let (turns, account) = (self.turns(), account.clone());
        tokio::task::spawn_blocking(move || try_with(&turns, &account, order)).await?
    }
}

/// Tries functions out with what runs their scripts, where there is no runtime.
pub fn try_functions(scripts: Arc<dyn Scripts>, account: &Id, order: TrialOrder) -> RuntimeResult<Trial> {
    try_with(&Turns::new(scripts), account, order)
}

fn try_with(turns: &Turns, account: &Id, order: TrialOrder) -> RuntimeResult<Trial> {
    let scope = ScopeFunctions::new(&order.functions, Vec::new());
    let (profile, functions) = combine(&Arc::new(Profile::default()), &ScopeFunctions::default(), &scope);
    let TrialOrder { text: reply, state: document, now_ms, round, seed, recent_texts, position, .. } = order;
    let tried =
        TriedReply { document, reply, profile, recent_texts, position, now_ms, round, seed, ..TriedReply::default() };
    let outcome = turns.try_reply(Some(account), TriedReply { functions: Arc::clone(&functions), ..tried })?;
    let Outcome { document: state, results, problems, runs, .. } = outcome;
    Ok(Trial { state, calls: calls(runs, results, &functions), problems })
}

/// Puts the functions that ran by themselves, which leave no result of their own, around the commands, and gives the commands
/// that ran a script what is known of it.
fn calls(runs: Vec<FunctionRun>, results: Vec<CommandResult>, functions: &[Function]) -> Vec<TriedCall> {
    let (mut before, mut called, mut after) = (Vec::new(), HashMap::new(), Vec::new());
    for run in runs {
        let kind = functions.get(run.function).map(|function| &function.kind);
        match (run.command, kind) {
            (Some(command), _) => drop(called.insert(command, run)),
            (None, Some(FunctionKind::PassiveBefore)) => before.push(TriedCall::of(run)),
            (None, _) => after.push(TriedCall::of(run)),
        }
    }
    let commands = results.into_iter().enumerate().map(|(number, CommandResult { command, status, .. })| {
        called.remove(&number).map_or_else(
            || {
                let args = command.args.iter().map(argument).collect();
                TriedCall { function: command.name, args, status, log: Vec::new(), duration_us: 0 }
            },
            TriedCall::of,
        )
    });
    before.extend(commands);
    before.extend(after);
    before
}

impl TriedCall {
    fn of(run: FunctionRun) -> TriedCall {
        let FunctionRun { name, args, status, log, duration_us, .. } = run;
        let args = args.into_iter().map(Option::unwrap_or_default).collect();
        TriedCall { function: name.to_string(), args, status, log, duration_us }
    }
}

fn argument(arg: &Arg) -> Value {
    match arg {
        Arg::Raw(text) => Value::parse(text).unwrap_or_else(|_| Value::from(text.as_str())),
        Arg::Value(value) => value.clone(),
        Arg::Absent => Value::Null,
    }
}
