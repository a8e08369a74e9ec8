//! Writes for later: `TIMED_SET` notes them below `_timed`, and a turn performs those that are due before its commands.
//!
//! ```text
//! _timed = [ {"path", "value", "reason", "round"} | {"path", "value", "reason", "time"} ]
//! ```

use super::sam::push;
use super::write::{path_of, set, written};
use super::{NativeResult, Performed, Scene, needed, value_of};
use crate::command::Command;
use crate::document::{Number, Value};
use crate::path::{Path, locate};
use crate::problem::{Code, Refusal};
use crate::time::parse_time;
use std::sync::Arc;

const TIMED: &str = "_timed";

/// The path of the story's time and the time there.
pub(super) fn story_time(scene: &Scene<'_>) -> Result<(Vec<Arc<str>>, Option<Value>), Refusal> {
    let document = scene.draft.document();
    let mut first = None;
    for path in &scene.profile.time_path {
        let segments = written(document, path);
        let located = locate(document, &segments);
        if located.exists() {
            let value = located.value.clone();
            return Ok((segments, Some(value)));
        }
        first.get_or_insert(segments);
    }
    // The first path that has a home, else the last, which is a plain name.
    let homed = scene.profile.time_path.iter().map(|path| written(document, path));
    let homed = homed.into_iter().find(|segments| document.get(segments.first().map_or("", |first| first)).is_some());
    let last = scene.profile.time_path.last().map(|path| written(document, path));
    let segments = homed.or(last).or(first);
    segments
        .map(|segments| (segments, None))
        .ok_or_else(|| Refusal::new(Code::MissingPath, "the profile has no `time_path`"))
}

/// `TIMED_SET(path, value, reason, is_real_time, when)`: a date, or a number of rounds from now.
pub(super) fn timed_set(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    let path: Value = path_of(scene, command.args.first())?.into_iter().map(Value::String).collect();
    let value = needed(scene, command, 1, "a value")?;
    let reason = value_of(scene, command.args.get(2)).unwrap_or_default();
    let real_time = value_of(scene, command.args.get(3)) == Some(Value::Bool(true));
    let when = needed(scene, command, 4, "a date or a number of rounds")?;
    let due = match (&when, real_time) {
        (Value::String(text), true) if parse_time(text).is_some() => ("time", when.clone()),
        (Value::Number(rounds), false) if rounds.is_integer() => {
            let round = Number::from(scene.clock.round).plus(*rounds).unwrap_or(*rounds);
            ("round", Value::Number(round))
        }
        _ => {
            return Err(Refusal::new(
                Code::BadArguments,
                format!("{} is neither a date nor a number of rounds", when.brief()),
            ));
        }
    };
    push(scene, TIMED, [("path", path), ("value", value), ("reason", reason), due].into_iter().collect())
}

/// `CANCEL_SET(id)`: by position, else by reason.
pub(super) fn cancel_set(scene: &mut Scene<'_>, command: &Command) -> NativeResult {
    let wanted = needed(scene, command, 0, "a position or a reason")?;
    let list = scene.draft.document().get(TIMED).and_then(Value::as_array);
    let index = list.and_then(|list| match &wanted {
        Value::Number(index) => {
            index.as_u64().and_then(|index| usize::try_from(index).ok()).filter(|index| *index < list.len())
        }
        wanted => list.iter().position(|entry| entry.get("reason") == Some(wanted)),
    });
    let index =
        index.ok_or_else(|| Refusal::new(Code::NotFound, format!("no timed write is called {}", wanted.brief())))?;
    scene.draft.remove(&Path::root().key(TIMED).index(index))?;
    Ok(Performed::DoneBySystem)
}

/// Performs the timed writes whose round or story time has come.
pub(crate) fn run_due(scene: &mut Scene<'_>) {
    let Some(list) = scene.draft.document().get(TIMED).cloned() else { return };
    // Without a time of the story the wall clock decides.
    let now = story_time(scene).ok().and_then(|(_, time)| parse_time(time?.as_str()?)).or(Some(scene.clock.now_ms));
    let due = |entry: &Value| match (entry.get("round"), entry.get("time")) {
        (Some(Value::Number(round)), _) => *round <= Number::from(scene.clock.round),
        (_, Some(Value::String(time))) => parse_time(time).zip(now).is_some_and(|(time, now)| time <= now),
        _ => false,
    };
    let due: Vec<usize> = list
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
        .filter(|(_, entry)| due(entry))
        .map(|(index, _)| index)
        .collect();
    for index in &due {
        let Some(entry) = list.item(*index) else { continue };
        let segments = entry.get("path").and_then(Value::as_array).into_iter().flatten();
        let segments: Vec<Arc<str>> = segments.filter_map(|segment| segment.as_str().map(Arc::from)).collect();
        if let Err(refusal) = set(scene, &segments, entry.get("value").cloned().unwrap_or_default()) {
            scene.notes.push(refusal);
        }
    }
    for index in due.into_iter().rev() {
        // The list was read a moment ago, so its items are still there.
        let _ = scene.draft.remove(&Path::root().key(TIMED).index(index));
    }
}
