//! What neither a model nor a function may do, whichever command it uses: write what is computed, break date or clock, and set a
//! limit out of its bounds.

use super::calendar::{self, Date, Today};
use super::place::{Matched, matched, number, path, plain};
use super::settings::Settings;
use super::{ASSETS, STATUS, TEMPLATE, THRESHOLDS};
use crate::document::op::Op;
use crate::document::path::{Path, Segment};
use crate::document::{Number, Value};
use crate::limits::RECENT_TEXTS_MAX;
use crate::names::problem::{Code, Refusal};
use std::sync::Arc;

pub(super) fn check(settings: &Settings, document: &Value, op: &Op) -> Result<(), Refusal> {
    let segments: Vec<Arc<str>> = op.path().segments().iter().map(Segment::to_text).collect();
    let texts = || segments.iter().map(AsRef::as_ref);
    for pattern in &settings.read_only {
        let touches = match matched(pattern, texts()) {
            Matched::No => false,
            Matched::Inside => true,
            // A part of the template that comes back has in it what is computed, as the template has it.
            Matched::Above(left) => {
                let old = op.old().or_else(|| op.path().find(&TEMPLATE));
                differs(&pattern[pattern.len() - left..], old, op.value())
            }
        };
        if touches {
            let message = format!("`{}` is computed; change what it is computed from", pattern.join("."));
            return Refusal::err(Code::ReadOnly, message);
        }
    }
    // Most ops are about something else, and need no more than this look.
    let touches = |module: &str| segments.first().is_none_or(|first| first.as_ref() == module);
    if touches(STATUS) {
        check_status(document, op)?;
    }
    if touches(ASSETS) { check_counts(document, op) } else { Ok(()) }
}

/// Refuses a date or time that cannot be, and a negative limit.
fn check_status(document: &Value, op: &Op) -> Result<(), Refusal> {
    for key in ["日期", "时间"] {
        if let Some(values) = Written::at(document, op, &path(STATUS, [key])) {
            check_moment(document, key, &values)?;
        }
    }
    let limit = path(STATUS, ["world_shard", "task", "time_limit"]);
    let days = Written::at(document, op, &limit).and_then(|values| number(values.new?));
    match days.filter(|days| days.as_f64() < 0.0) {
        Some(days) => {
            let message = format!("`time_limit` cannot be {days}: it counts days, and 999 means none");
            Refusal::err(Code::OutOfRange, message)
        }
        None => Ok(()),
    }
}

/// Refuses a threshold of `config` that is no count, and one of replies that no turn brings along. One that goes away is that of the
/// settings again.
fn check_counts(document: &Value, op: &Op) -> Result<(), Refusal> {
    for key in THRESHOLDS {
        let written = Written::at(document, op, &path(ASSETS, ["config", key]));
        let Some(new) = written.and_then(|values| values.new).map(plain) else { continue };
        let most = if key == "hide_latest_count" { RECENT_TEXTS_MAX as u64 } else { i64::MAX.unsigned_abs() };
        let count = number(new).and_then(Number::as_u64);
        let why = match count {
            Some(count) if count <= most => continue,
            Some(_) => format!("it is at most {most}"),
            None => "it is a whole number, 0 or more".to_owned(),
        };
        return Refusal::err(Code::OutOfRange, format!("`{key}` cannot be {}: {why}", new.brief()));
    }
    Ok(())
}

/// The values of a place before and after an op that may have written it.
struct Written<'d> {
    old: Option<&'d Value>,
    new: Option<&'d Value>,
}

impl<'d> Written<'d> {
    /// None where the op is about something else, or changed nothing there.
    fn at(document: &'d Value, op: &'d Op, place: &Path) -> Option<Written<'d>> {
        let old = if op.path().starts_with(place) {
            op.old()
        } else if place.starts_with(op.path()) {
            let below = &place.segments()[op.path().segments().len()..];
            op.old().and_then(|old| below.iter().try_fold(old, |value, key| value.get(&key.to_text())))
        } else {
            return None;
        };
        let new = place.find(document);
        (old.map(plain) != new.map(plain)).then_some(Written { old, new })
    }
}

/// Whether what a pattern names differs between two values.
fn differs(pattern: &[Arc<str>], old: Option<&Value>, new: Option<&Value>) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return old != new };
    if let (Some(old), Some(new)) = (old, new)
        && old.is_shared_with(new)
    {
        return false;
    }
    let below = |value: Option<&Value>, key: &str| value.and_then(|value| value.get(key)).cloned();
    if first.as_ref() != "*" {
        return differs(rest, below(old, first).as_ref(), below(new, first).as_ref());
    }
    let keys = |value: Option<&Value>| -> Vec<Arc<str>> {
        let members = value.and_then(Value::as_object);
        members.into_iter().flat_map(|members| members.iter().map(|(key, _)| Arc::clone(key))).collect()
    };
    keys(old).iter().chain(&keys(new)).any(|key| differs(rest, below(old, key).as_ref(), below(new, key).as_ref()))
}

/// Refuses a date or a time of day that cannot be read, and one that is taken away, so that elapsed days are never lost. A story
/// with a calendar of its own has one that could not be read before.
fn check_moment(document: &Value, key: &str, values: &Written<'_>) -> Result<(), Refusal> {
    let is_date = key == "日期";
    let readable = |text: &str| if is_date { Date::read(text).is_some() } else { calendar::minutes(text).is_some() };
    let text =
        |value: Option<&Value>| value.and_then(|value| plain(value).as_str()).unwrap_or_default().trim().to_owned();
    let (old, new) = (text(values.old), text(values.new));
    if !old.is_empty() && !readable(&old) {
        return Ok(());
    }
    let refused = |why: &str| {
        let new = values.new.map_or_else(|| "nothing".to_owned(), |new| plain(new).brief());
        Refusal::err(Code::BadArguments, format!("`{key}` cannot become {new}: {why}"))
    };
    if new.is_empty() {
        return if old.is_empty() { Ok(()) } else { refused("the days that pass would be lost; write the new one") };
    }
    if !readable(&new) {
        return refused(if is_date { "it is written `mm月dd日` or `yyyy-mm-dd`" } else { "it is written `hh:mm`" });
    }
    match Today::of(document) {
        Some(today) if is_date && today.is_impossible() => {
            refused("the year that `纪年` counts has no such day; set `纪年` first if it is another year")
        }
        _ => Ok(()),
    }
}
