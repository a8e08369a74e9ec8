//! A turn: one reply applied to one document.
//!
//! ```text
//! patterns ► timed writes ► passive functions before ► commands in text order ► passive functions after ► rules of packs
//! ```
//!
//! The engine never runs a script. Where it needs one it stops and returns a [`Call`]; [`Waiting::resume`] goes on with the
//! [`Answer`]. Functions that follow each other are one call, so that a worker process is visited once for all of them.
//! What a function did becomes ops like everything else, so replaying a turn runs nothing.

mod calls;
pub mod effect;
pub mod function;
mod machine;
mod plan;
mod stored;

pub use crate::command::Clock;
pub use machine::{Waiting, apply_reply};
pub use stored::{InvalidOutcome, StoredOutcome};

use crate::command::Command;
use crate::document::Value;
use crate::document::change::Change;
use crate::mvu::MvuSchema;
use crate::names::problem::{Problem, Refusal};
use crate::rules::profile::Profile;
use effect::Effect;
use function::Function;
use std::ops::Range;
use std::sync::Arc;

/// Everything that a turn depends on. The same turn gives the same outcome, always.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    /// The document before.
    pub document: Value,
    /// The reply.
    pub reply: String,
    /// How commands are read and applied.
    pub profile: Arc<Profile>,
    /// MVU's schema, for its classic profile.
    pub mvu_schema: Option<MvuSchema>,
    /// The session's functions.
    pub functions: Arc<[Function]>,
    /// Where the turn stands, for its functions.
    pub position: TurnPosition,
    /// The replies before this one, the newest last; as many as the profile asks for.
    pub recent_texts: Vec<String>,
    /// Whether a person wrote the text, and not a model.
    pub from_user: bool,
    /// Time and chance, as values.
    pub clock: Clock,
}

/// Where a turn stands. Only functions look at it; what is not known is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TurnPosition {
    /// The id of the session.
    pub session: Option<String>,
    /// The id of the branch.
    pub branch: Option<String>,
    /// The number of the floor.
    pub floor_no: Option<i64>,
    /// The id of the page.
    pub page: Option<String>,
    /// Who wrote the text.
    pub role: Option<String>,
}

/// What a turn came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The document after.
    pub document: Value,
    /// What really changed.
    pub change: Change,
    /// Every command and what came of it, in order.
    pub results: Vec<CommandResult>,
    /// What is worth a look, in the order of the text.
    pub problems: Vec<Problem>,
    /// MVU's schema for the next message: what is new is recorded.
    pub mvu_schema: Option<MvuSchema>,
    /// What is to happen outside of the document when the page is committed.
    pub effects: Vec<Effect>,
    /// Every function that ran, in order.
    pub runs: Vec<FunctionRun>,
}

/// One run of a function, for its author. Its arguments and how long it ran are not stored.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionRun {
    /// The number of the function.
    pub function: usize,
    /// Its name.
    pub name: Arc<str>,
    /// Its arguments; `None` where a group of its pattern took part in no match.
    pub args: Vec<Option<Value>>,
    /// What came of it.
    pub status: Status,
    /// Which ops of the change are its doing; empty if it changed nothing.
    pub ops: Range<usize>,
    /// The number of the command that called it, among the results; none for one that runs by itself.
    pub command: Option<usize>,
    /// What it wrote with `console.log`.
    pub log: Vec<String>,
    /// How long it ran. Not the same when the turn is computed again.
    pub duration_us: u64,
}

/// What is stored of one run of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RanFunction {
    /// The name of the function.
    pub function: String,
    /// What came of it.
    pub status: Status,
    /// Which ops of the change are its doing.
    pub ops: Range<usize>,
    /// The number of the command that called it, among the results; none for one that ran by itself.
    pub command: Option<usize>,
}

/// One line that a function wrote with `console.log`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// The name of the function.
    pub function: String,
    /// What it wrote.
    pub text: String,
}

impl Outcome {
    /// What the functions logged, in order.
    pub fn log(&self) -> Vec<LogLine> {
        let line = |run: &FunctionRun, text: &String| LogLine { function: run.name.to_string(), text: text.clone() };
        self.runs.iter().flat_map(|run| run.log.iter().map(move |text| line(run, text))).collect()
    }

    /// The functions that ran, in order.
    pub fn ran(&self) -> Vec<RanFunction> {
        let ran = |run: &FunctionRun| RanFunction {
            function: run.name.to_string(),
            status: run.status.clone(),
            ops: run.ops.clone(),
            command: run.command,
        };
        self.runs.iter().map(ran).collect()
    }

    /// What the model should know about its last reply: one line for each command that was refused or mended. Empty when
    /// everything went well.
    pub fn note(&self) -> String {
        note(&self.results)
    }

    /// How many commands did nothing.
    pub fn refused(&self) -> usize {
        self.results.iter().filter(|result| matches!(result.status, Status::Refused(_))).count()
    }
}

/// What the model should know about these commands, see [`Outcome::note`].
pub fn note(results: &[CommandResult]) -> String {
    let line = |result: &CommandResult| {
        let name = &result.command.name;
        match &result.status {
            Status::Applied => None,
            Status::Repaired(how) => Some(format!("- `{name}` was applied, but we {how}\n")),
            Status::Refused(refusal) => {
                Some(format!("- `{name}` was refused ({}): {}\n", refusal.code, refusal.message))
            }
        }
    };
    results.iter().filter_map(line).take(NOTE_LINES_MAX).collect()
}

/// Lines of a note for the model. More would cost tokens and teach nothing.
const NOTE_LINES_MAX: usize = 20;

/// A command and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandResult {
    /// The command.
    pub command: Command,
    /// What came of it.
    pub status: Status,
    /// Which ops of the change are its doing; empty if it changed nothing.
    pub ops: Range<usize>,
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// It was done.
    Applied,
    /// It was done after a repair.
    Repaired(String),
    /// It did nothing.
    Refused(Refusal),
}

impl Status {
    /// The status on the wire.
    pub fn as_str(&self) -> &'static str {
        match self {
            Status::Applied => "applied",
            Status::Repaired(_) => "repaired",
            Status::Refused(_) => "refused",
        }
    }
}

/// How far a turn came.
#[derive(Debug)]
pub enum Step {
    /// It is finished.
    Done(Box<Outcome>),
    /// It needs something from outside before it goes on.
    Waiting(Call, Box<Waiting>),
}

/// What the outside world has to do for us.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// Match the patterns of these functions against [`Waiting::reply`] and answer with [`Answer::Matches`].
    Patterns(Vec<usize>),
    /// Run functions one after the other, the first on [`Waiting::document`], each further one on what the one before it
    /// left, and answer with [`Answer::Ran`].
    Run {
        /// The functions, in their order.
        functions: Vec<FunctionCall>,
        /// What they may know beside the document and [`Waiting::reply`].
        context: Value,
    },
}

/// A function to run.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionCall {
    /// The number of the function.
    pub function: usize,
    /// Its arguments; `None` where a group of its pattern took part in no match.
    pub args: Vec<Option<Value>>,
    /// What its random numbers come from: the same whenever the turn is computed.
    pub seed: u64,
}

/// What the outside world answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The matches of all patterns, and for patterns that could not be matched why.
    Matches {
        /// The matches, in any order.
        matches: Vec<PatternMatch>,
        /// The numbers of functions whose pattern failed, and why.
        failures: Vec<(usize, String)>,
    },
    /// What each function did, in their order. Functions that the list does not reach are asked for again; a function that
    /// failed left the document as it was.
    Ran(Vec<FunctionAnswer>),
    /// Nothing of the call could be run: why.
    Failed(String),
}

/// What one function answered.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionAnswer {
    /// What it did, or how it failed.
    pub result: Result<FunctionResult, String>,
    /// What it wrote with `console.log`.
    pub log: Vec<String>,
    /// How long it ran.
    pub duration_us: u64,
}

impl From<Result<FunctionResult, String>> for FunctionAnswer {
    fn from(result: Result<FunctionResult, String>) -> FunctionAnswer {
        FunctionAnswer { result, log: Vec::new(), duration_us: 0 }
    }
}

/// What a function did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FunctionResult {
    /// The difference between the documents before and after it. Old values do not count: the engine knows them.
    pub change: Change,
    /// What it wants to happen outside of the document.
    pub effects: Vec<Effect>,
}

/// One match of an author's pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct PatternMatch {
    /// The number of the function.
    pub function: usize,
    /// Where, in bytes of the reply.
    pub span: Range<usize>,
    /// Its groups, as the arguments; `None` for a group that took no part in the match.
    pub args: Vec<Option<Value>>,
}
