//! Resources of locations, `["3/d", 100, …]`: when the date moves forward, the stock changes by its rate for each day. It never
//! falls below 0, and a stock that is no number (`无限`) is left alone.

use crate::document::path::Path;
use crate::document::{Number, Value};
use crate::names::problem::{Code, Refusal};
use crate::packs::EndOfTurn;
use crate::packs::memory::ASSETS;
use crate::packs::memory::calendar::days_passed;
use crate::packs::memory::place::path;
use crate::packs::memory::settings::Settings;
use std::sync::Arc;

pub(super) fn run(_: &Settings, turn: &mut EndOfTurn<'_>) -> Result<(), Refusal> {
    let Some(days) = days_passed(turn.before, turn.draft.document()).filter(|days| *days > 0) else { return Ok(()) };
    let map = path(ASSETS, ["map"]);
    let Some(locations) = map.find(turn.draft.document()).cloned() else { return Ok(()) };
    let mut found = Vec::new();
    collect(&locations, &map, &mut found);
    for (path, rate, stock) in found {
        let stock_after = rate.times(Number::from(days)).and_then(|grown| stock.plus(grown));
        let after = match stock_after {
            Some(after) if after.as_f64() >= 0.0 => after,
            // What is used up already needs no word on every further day.
            Some(_) if stock.as_f64() <= 0.0 => Number::from(0_i64),
            Some(_) => {
                let message = format!("`{path}` has run out: {rate} a day for {days} days is more than {stock}");
                turn.notes.push(Refusal::new(Code::OutOfRange, message));
                Number::from(0_i64)
            }
            None => {
                turn.notes.push(Refusal::new(Code::OutOfRange, format!("`{path}` would be too large")));
                continue;
            }
        };
        turn.draft.replace(&path.index(1), Value::Number(after))?;
    }
    Ok(())
}

/// A resource: where it stands, its rate and its stock.
type Resource = (Path, Number, Number);

/// Finds the resources of all locations, at any depth.
fn collect(value: &Value, path: &Path, found: &mut Vec<Resource>) {
    for (key, member) in value.as_object().into_iter().flatten() {
        let below = path.key(Arc::clone(key));
        if key.as_ref() == "resources" {
            for (name, resource) in member.as_object().into_iter().flatten() {
                if let (Some(rate), Some(stock)) = (resource.item(0).and_then(rate), resource.item(1).and_then(stock)) {
                    found.push((below.key(Arc::clone(name)), rate, stock));
                }
            }
        } else {
            collect(member, &below, found);
        }
    }
}

/// What a day brings, or takes: `3/d`, `-2.5 / d`, `1/天`.
fn rate(value: &Value) -> Option<Number> {
    let (number, unit) = value.as_str()?.split_once('/')?;
    let is_daily = matches!(unit.trim(), "d" | "D" | "day" | "天" | "日");
    let number = number.trim();
    Number::parse(number.strip_prefix('+').unwrap_or(number)).filter(|_| is_daily)
}

fn stock(value: &Value) -> Option<Number> {
    match value {
        Value::Number(stock) => Some(*stock),
        Value::String(text) => Number::parse(text.trim()),
        _ => None,
    }
}
