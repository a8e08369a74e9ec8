//! Writes for later: `TIMED_SET` notes them below `_timed`, and a turn performs those that are due before its commands.
//!
//! ```text
//! _timed = [ {"path", "value", "reason", "round"} | {"path", "value", "reason", "time"} ]
//! ```

use super::sam::push;
use super::write::{path_of, set};
use super::{ExecutionContext, NativeResult, Performed, needed, value_of};
use crate::command::{Arg, Command};
use crate::document::path::{Path, locate, written};
use crate::document::{Number, Value};
use crate::literal::time::parse_time;
use crate::names::problem::{Code, Refusal};
use crate::rules::dialect::Dialect;
use crate::rules::guard;
use crate::rules::profile::Profile;
use std::ops::Range;
use std::sync::Arc;

const TIMED: &str = "_timed";

/// The path of the story's time and the time there.
pub(super) fn story_time(context: &ExecutionContext<'_>) -> Result<(Vec<Arc<str>>, Option<Value>), Refusal> {
    let document = context.draft.document();
    let mut first = None;
    for path in &context.profile.time_path {
        let segments = written(document, path);
        let located = locate(document, &segments);
        if located.exists() {
            let value = located.value.clone();
            return Ok((segments, Some(value)));
        }
        first.get_or_insert(segments);
    }
    // The first path that has a home, else the last, which is a plain name.
    let homed = context.profile.time_path.iter().map(|path| written(document, path));
    let homed = homed.into_iter().find(|segments| document.get(segments.first().map_or("", |first| first)).is_some());
    let last = context.profile.time_path.last().map(|path| written(document, path));
    let segments = homed.or(last).or(first);
    segments
        .map(|segments| (segments, None))
        .ok_or_else(|| Refusal::new(Code::MissingPath, "the profile has no `time_path`"))
}

/// The time of the story, as it is written in the document.
pub(crate) fn story_time_of(document: &Value, profile: &Profile) -> Option<Value> {
    profile.time_path.iter().find_map(|path| {
        let segments = written(document, path);
        let located = locate(document, &segments);
        located.exists().then(|| located.value.clone())
    })
}

/// `TIMED_SET(path, value, reason, is_real_time, when)`: a date, or a number of rounds from now.
pub(super) fn timed_set(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let segments = path_of(context, command.args.first())?;
    let value = needed(context, command, 1, "a value")?;
    rehearse(context, &segments, &value)?;
    let path: Value = segments.into_iter().map(Value::String).collect();
    let reason = value_of(context, command.args.get(2)).unwrap_or_default();
    let real_time = value_of(context, command.args.get(3)) == Some(Value::Bool(true));
    let when = needed(context, command, 4, "a date or a number of rounds")?;
    let due = match (&when, real_time) {
        (Value::String(text), true) if parse_time(text).is_some() => ("time", when.clone()),
        (Value::Number(rounds), false) if rounds.is_integer() => {
            let round = Number::from(context.clock.round).plus(*rounds).unwrap_or(*rounds);
            ("round", Value::Number(round))
        }
        _ => {
            return Refusal::err(
                Code::BadArguments,
                format!("{} is neither a date nor a number of rounds", when.brief()),
            );
        }
    };
    push(context, TIMED, [("path", path), ("value", value), ("reason", reason), due].into_iter().collect())
}

/// Tries a write out and takes it back, so that what will never be allowed is refused now. What is only missing may be
/// there when the time has come.
fn rehearse(context: &mut ExecutionContext<'_>, segments: &[Arc<str>], value: &Value) -> Result<(), Refusal> {
    let mark = context.draft.mark();
    let notes = context.notes.len();
    let done = write(context, segments, value);
    context.draft.take_back(mark);
    context.notes.truncate(notes);
    match done {
        Err(Failure::NotYet(refusal)) if !NOT_YET.contains(&refusal.code) => Err(refusal),
        Err(Failure::Forbidden(refusal)) => Err(refusal),
        _ => Ok(()),
    }
}

/// What may be otherwise when the time has come.
const NOT_YET: [Code; 4] = [Code::MissingPath, Code::NotAContainer, Code::NotAnArray, Code::OutOfRange];

/// Why a timed write cannot be done.
enum Failure {
    /// The document is not as it must be.
    NotYet(Refusal),
    /// A write there is refused.
    Forbidden(Refusal),
}

/// Writes as the model's own command would, under the same guards.
fn write(context: &mut ExecutionContext<'_>, segments: &[Arc<str>], value: &Value) -> Result<Option<String>, Failure> {
    let Some(first) = segments.first() else {
        let message = "a timed write needs a path; the whole document cannot be replaced later";
        return Err(Failure::Forbidden(Refusal::new(Code::BadArguments, message)));
    };
    if first.as_ref() == TIMED {
        let message = format!("`{TIMED}` is read-only: a timed write cannot change the timed writes");
        return Err(Failure::Forbidden(Refusal::new(Code::ReadOnly, message)));
    }
    let mark = context.draft.mark();
    let repair = set(context, segments, value.clone()).map_err(Failure::NotYet)?;
    guard::examine(context.draft, mark, context.profile, false, context.notes)
        .map(|mended| mended.or(repair))
        .map_err(Failure::Forbidden)
}

/// `CANCEL_SET(id)`: by position, else by reason.
pub(super) fn cancel_set(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let wanted = needed(context, command, 0, "a position or a reason")?;
    context.draft.spend(context.draft.document().get(TIMED).map_or(0, |list| list.items().len()))?;
    let list = context.draft.document().get(TIMED).and_then(Value::as_array);
    let index = list.and_then(|list| match &wanted {
        Value::Number(index) => {
            index.as_u64().and_then(|index| usize::try_from(index).ok()).filter(|index| *index < list.len())
        }
        wanted => list.iter().position(|entry| entry.get("reason") == Some(wanted)),
    });
    let index =
        index.ok_or_else(|| Refusal::new(Code::NotFound, format!("no timed write is called {}", wanted.brief())))?;
    context.draft.remove(&Path::root().key(TIMED).index(index))?;
    Ok(Performed::DoneBySystem)
}

/// A timed write that was due, and what came of it.
pub(crate) struct Due {
    /// The write as the command that asked for it.
    pub(crate) command: Command,
    /// How it was mended, or why it was refused.
    pub(crate) outcome: Result<Option<String>, Refusal>,
    /// Its ops.
    pub(crate) ops: Range<usize>,
}

/// Performs the timed writes whose round or story time has come.
pub(crate) fn run_due(context: &mut ExecutionContext<'_>) -> Vec<Due> {
    let Some(Value::Array(list)) = context.draft.document().get(TIMED).cloned() else { return Vec::new() };
    // Without a time of the story the wall clock decides.
    let now = story_time(context).ok().and_then(|(_, time)| parse_time(time?.as_str()?)).or(Some(context.clock.now_ms));
    let is_due = |entry: &Value| match (entry.get("round"), entry.get("time")) {
        (Some(Value::Number(round)), _) => *round <= Number::from(context.clock.round),
        (_, Some(Value::String(time))) => parse_time(time).zip(now).is_some_and(|(time, now)| time <= now),
        _ => false,
    };
    let (due, waiting): (Vec<&Value>, Vec<&Value>) = list.iter().partition(|entry| is_due(entry));
    if due.is_empty() {
        return Vec::new();
    }
    // They leave the list before they run: whatever happens, none runs twice.
    let waiting = waiting.into_iter().cloned().collect();
    if let Err(refusal) = context.draft.replace(&Path::root().key(TIMED), waiting) {
        context.notes.push(refusal);
        return Vec::new();
    }
    due.into_iter().map(|entry| run(context, entry)).collect()
}

fn run(context: &mut ExecutionContext<'_>, entry: &Value) -> Due {
    let path = entry.get("path").cloned().unwrap_or_default();
    let value = entry.get("value").cloned().unwrap_or_default();
    let segments: Vec<Arc<str>> = path.items().iter().filter_map(|segment| segment.as_str().map(Arc::from)).collect();
    let (mark, notes, start) = (context.draft.mark(), context.notes.len(), context.draft.ops().len());
    let outcome = write(context, &segments, &value).map_err(|failure| {
        context.draft.take_back(mark);
        context.notes.truncate(notes);
        let (Failure::NotYet(refusal) | Failure::Forbidden(refusal)) = failure;
        context.notes.push(Refusal::new(refusal.code, format!("a timed write was refused: {}", refusal.message)));
        refusal
    });
    let command = Command {
        dialect: Dialect::At,
        name: "TIMED_SET".to_owned(),
        args: vec![Arg::Value(path), Arg::Value(value)],
        // It stands in an earlier reply.
        span: 0..0,
        reason: entry.get("reason").and_then(Value::as_str).map(str::to_owned),
        block: None,
        repair: None,
    };
    Due { command, outcome, ops: start..context.draft.ops().len() }
}
