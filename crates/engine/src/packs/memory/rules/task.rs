//! The time of the task: it starts when its limit is set or changed, and what is left is the limit without the days since.

use crate::document::path::Path;
use crate::document::{Number, Value, round_decimal};
use crate::names::problem::Refusal;
use crate::packs::EndOfTurn;
use crate::packs::memory::STATUS;
use crate::packs::memory::calendar::{Date, Today, days_passed, days_since};
use crate::packs::memory::place::{self, path};
use crate::packs::memory::settings::Settings;

const TASK: [&str; 2] = ["world_shard", "task"];

pub(super) fn run(settings: &Settings, turn: &mut EndOfTurn<'_>) -> Result<(), Refusal> {
    let document = turn.draft.document();
    let Some(limit) = number(document, "time_limit") else { return Ok(()) };
    let (days, start) = (days_passed(turn.before, document).unwrap_or(0), text(document, "start_date"));
    let today = place::find(document, STATUS, &["日期"]).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let limit = if limit.as_f64() < 0.0 { Number::from(0_i64) } else { limit };
    let is_new = number(turn.before, "time_limit") != number(document, "time_limit") || is_set_again(turn);
    let has_limit = limit.as_f64() > 0.0 && limit.as_f64() != settings.no_time_limit;
    if is_new || (has_limit && start.is_empty() && !today.is_empty()) {
        set(turn, "start_date", Value::from(today))?;
        return set(turn, "time_left", Value::Number(limit));
    }
    // A command cannot write one below 0, but a template or an edit by hand can.
    if limit != number(document, "time_limit").unwrap_or(limit) {
        return set(turn, "time_left", Value::Number(limit));
    }
    let left = number(document, "time_left").map_or(0.0, Number::as_f64);
    let Some((start, now)) = Date::read(&start).zip(Today::of(document)) else { return Ok(()) };
    // What has run out stays so, however far the story goes on without a task.
    if !has_limit || (left <= 0.0 && days >= 0) {
        return Ok(());
    }
    // Days are whole, and limits are small: nothing is cut off.
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
    let elapsed = days_since(start, now, (limit.as_f64() - left) as i64 + days).max(0) as f64;
    let left = (limit.as_f64() - elapsed).max(0.0);
    set(turn, "time_left", Number::from_f64(round_decimal(left, 12)).map_or(Value::Null, Value::Number))
}

/// Whether the turn wrote the limit that was there already: a new task may have the limit of the one before. An object for the
/// whole task counts too.
fn is_set_again(turn: &EndOfTurn<'_>) -> bool {
    let task = path(STATUS, TASK);
    let limit = task.key("time_limit");
    let wrote =
        |written: &Path| written.starts_with(&limit) || (limit.starts_with(written) && written.starts_with(&task));
    turn.draft.confirmed().iter().any(wrote) || turn.draft.ops().iter().any(|op| wrote(op.path()))
}

fn number(document: &Value, key: &str) -> Option<Number> {
    place::find(document, STATUS, &[TASK[0], TASK[1], key]).and_then(place::number)
}

fn text(document: &Value, key: &str) -> String {
    place::find(document, STATUS, &[TASK[0], TASK[1], key])
        .and_then(Value::as_str)
        .unwrap_or_default()
        .trim()
        .to_owned()
}

fn set(turn: &mut EndOfTurn<'_>, key: &str, value: Value) -> Result<(), Refusal> {
    let path = path(STATUS, [TASK[0], TASK[1], key]);
    if path.find(turn.draft.document()).is_some() { place::write(turn.draft, &path, value) } else { Ok(()) }
}
