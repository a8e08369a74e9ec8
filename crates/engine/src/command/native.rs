//! Native functions: what the names in commands do, one file per family and one row per name.

mod at;
mod deleted;
mod lodash;
mod mvu_patch;
mod patch;
mod sam;
mod timed;
mod write;

pub(crate) use deleted::Deleted;
pub(crate) use timed::{run_due, story_time_of as story_time};

use crate::command::{Arg, Clock, Command};
use crate::document::Value;
use crate::document::draft::Draft;
use crate::document::path::Path;
use crate::literal::{self, Literals, read_literal};
use crate::mvu::{self, MvuSchema};
use crate::names::problem::{Code, Refusal};
use crate::packs::{Archived, CommandTurn};
use crate::rules::dialect::Dialect;
use crate::rules::profile::{CreateMissing, Merge, Profile, Reading, TypeChange};
use std::collections::HashMap;

/// Everything a native function may look at and change.
pub(crate) struct ExecutionContext<'a> {
    pub(crate) draft: &'a mut Draft,
    pub(crate) profile: &'a Profile,
    pub(crate) mvu_schema: &'a mut Option<MvuSchema>,
    pub(crate) clock: &'a Clock,
    /// What is worth a look although it was done.
    pub(crate) notes: &'a mut Vec<Refusal>,
    /// Items that `DEL` took out this turn, by their list.
    pub(crate) deleted: &'a mut HashMap<Path, Deleted>,
    /// Story time that passed in this turn.
    pub(crate) elapsed_ms: &'a mut Option<i64>,
    /// What leaves the document for the archive.
    pub(crate) archived: &'a mut Vec<Archived>,
}

/// What a command came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Performed {
    /// It was done, perhaps after a repair.
    Done(Option<String>),
    /// It was done by a rule pack, whose own rules say what a model may do; perhaps after a repair.
    ByPack(Option<String>),
    /// It was done with the profile's leave to write read-only keys.
    Forced,
    /// It was done by the system itself, where neither read-only keys nor the author's schema count.
    DoneBySystem,
}

impl From<()> for Performed {
    fn from((): ()) -> Performed {
        Performed::Done(None)
    }
}

impl From<Option<String>> for Performed {
    fn from(repair: Option<String>) -> Performed {
        Performed::Done(repair)
    }
}

/// The outcome of a native function.
pub(crate) type NativeResult = Result<Performed, Refusal>;

/// The session's function that a command calls, by its name, and the arguments; nothing for built-in functions. The session's
/// own function comes before a built-in one of the same name (`is_own` says whether there is one), and the name of a built-in
/// function that is switched off is free.
pub(crate) fn function_call(
    profile: &Profile,
    command: &Command,
    is_own: &dyn Fn(&str) -> bool,
) -> Option<(String, Vec<Value>)> {
    let is_named = matches!(command.dialect, Dialect::At | Dialect::Pack(_)) && is_own(&command.name);
    if is_named || profile.disables(&command.name) {
        return Some((command.name.clone(), values(profile, &command.args)));
    }
    match command.dialect {
        Dialect::At => at::function_call(profile, command),
        Dialect::JsonPatch => patch::function_call(profile, command),
        Dialect::Mvu | Dialect::Pack(_) => None,
    }
}

fn values(profile: &Profile, args: &[Arg]) -> Vec<Value> {
    args.iter().map(|arg| read_arg(profile, Some(arg)).unwrap_or_default()).collect()
}

/// Performs one command. Where an argument had to be mended the result says so; MVU's own modes read as MVU does, and say nothing.
pub(crate) fn perform(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let done = perform_as_read(context, command)?;
    match done {
        Performed::Done(None) if context.profile.reading == Reading::Tolerant => Ok(Performed::Done(mended(command))),
        done => Ok(done),
    }
}

/// Which argument of a command is JSON that was mended.
fn mended(command: &Command) -> Option<String> {
    let is_mended = |arg: &Arg| matches!(arg, Arg::Raw(text) if literal::is_mended(text));
    let number = command.args.iter().position(is_mended)? + 1;
    Some(format!("mended the JSON of argument {number}"))
}

fn perform_as_read(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let as_mvu = is_classic(context.profile);
    match command.dialect {
        Dialect::At => at::perform(context, command),
        Dialect::Pack(pack) => by_pack(context, pack, command),
        Dialect::Mvu if as_mvu && command.name != "move" => {
            let args: Vec<&str> = command.args.iter().map(Arg::raw).collect();
            mvu::execute(context.draft, context.mvu_schema, &command.name, &args).map(Performed::from)
        }
        Dialect::Mvu => lodash::perform(context, command),
        Dialect::JsonPatch if as_mvu => mvu_patch::perform(context, command),
        Dialect::JsonPatch => patch::perform(context, command),
    }
}

/// Performs a command of a rule pack.
fn by_pack(context: &mut ExecutionContext<'_>, pack: &str, command: &Command) -> NativeResult {
    let name = command.name.as_str();
    let used = context.profile.packs.iter().find(|used| used.pack().name == pack);
    let Some(used) = used else {
        return Refusal::err(Code::UnknownFunction, format!("no function is named `{name}`"));
    };
    let args: Vec<&str> = command.args.iter().map(Arg::raw).collect();
    let mut turn = CommandTurn { draft: context.draft, notes: context.notes, archived: context.archived };
    used.rules().perform(&mut turn, name, &args).map(Performed::ByPack)
}

/// Whether commands behave as in MVU's classic mode. That mode knows no fields: where one of them was changed, the commands
/// follow the profile.
fn is_classic(profile: &Profile) -> bool {
    profile.create_missing == CreateMissing::AsMvu
        && profile.type_change == TypeChange::AsMvu
        && profile.merge == Merge::DeepByIndex
        && profile.pairs
}

/// Reads an argument as a value. `undefined` and missing arguments have none.
fn value_of(context: &ExecutionContext<'_>, arg: Option<&Arg>) -> Option<Value> {
    read_arg(context.profile, arg)
}

fn read_arg(profile: &Profile, arg: Option<&Arg>) -> Option<Value> {
    match arg? {
        Arg::Raw(text) if text.is_empty() && profile.reading == Reading::Tolerant => None,
        Arg::Raw(text) => read_literal(text, literals(profile)),
        Arg::Value(value) => Some(value.clone()),
        Arg::Absent => None,
    }
}

fn literals(profile: &Profile) -> Literals {
    match profile.reading {
        Reading::Tolerant => Literals::Tolerant,
        Reading::Mvu => Literals::Mvu,
        Reading::MvuZod => Literals::MvuZod,
    }
}

/// A value that must be there.
fn needed(context: &ExecutionContext<'_>, command: &Command, index: usize, what: &str) -> Result<Value, Refusal> {
    value_of(context, command.args.get(index)).ok_or_else(|| {
        Refusal::new(Code::BadArguments, format!("{} needs {what} as argument {}", command.name, index + 1))
    })
}
