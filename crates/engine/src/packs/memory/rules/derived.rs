//! Computed values of the character: the formulas of the settings, rounded down, and the pools that they bound.
//!
//! When a maximum grows its current value grows with it. A current value is never below 0 or above its maximum.

use crate::document::{Number, Value};
use crate::names::problem::{Code, Refusal};
use crate::packs::EndOfTurn;
use crate::packs::formula::NoValue;
use crate::packs::memory::CHARACTER;
use crate::packs::memory::place::{self, path};
use crate::packs::memory::settings::{Pattern, Settings};

pub(super) fn run(settings: &Settings, turn: &mut EndOfTurn<'_>) -> Result<(), Refusal> {
    let Some(character) = turn.draft.document().get(CHARACTER).cloned() else { return Ok(()) };
    for (target, formula) in &settings.derived {
        let Some(old) = place::at(&character, target) else { continue };
        let number = |name: &str| {
            let known = settings.names.iter().find(|(known, _)| known.as_ref() == name);
            let value = match known {
                Some((_, pattern)) => place::at(&character, pattern),
                None => name.split('.').try_fold(&character, |value, key| value.get(key)),
            };
            value.and_then(place::number).map(Number::as_f64)
        };
        match formula.evaluate(&number) {
            Ok(value) => {
                let value = Number::from_f64(value.floor()).map_or(Value::Null, Value::Number);
                if value != *old {
                    place::write(turn.draft, &path(CHARACTER, target.iter().map(AsRef::as_ref)), value)?;
                }
            }
            Err(error) => turn.notes.push(not_computed(target, &error)),
        }
    }
    settings.pools.iter().try_for_each(|(current, maximum)| fill(turn, &character, current, maximum))
}

fn not_computed(target: &Pattern, error: &NoValue) -> Refusal {
    Refusal::new(error.code(), format!("`{CHARACTER}.{}` was not computed: {error}", target.join(".")))
}

/// Keeps a current value within 0 and its maximum. `character` is what the rule began with.
fn fill(turn: &mut EndOfTurn<'_>, character: &Value, current: &Pattern, maximum: &Pattern) -> Result<(), Refusal> {
    let now = turn.draft.document().get(CHARACTER);
    let number = |root: Option<&Value>, pattern: &Pattern| {
        root.and_then(|root| place::at(root, pattern)).and_then(place::number)
    };
    let (Some(value), Some(top)) = (number(now, current), number(now, maximum)) else { return Ok(()) };
    let zero = Number::from(0_i64);
    let grown = number(Some(character), maximum).and_then(|old| top.minus(old)).filter(|grown| grown.as_f64() > 0.0);
    let top = if top.as_f64() < 0.0 { zero } else { top };
    let wanted = grown.and_then(|grown| value.plus(grown)).unwrap_or(value);
    let held = match wanted.as_f64() {
        wanted if wanted < 0.0 => zero,
        wanted if wanted > top.as_f64() => top,
        _ => wanted,
    };
    if held != value {
        place::write(turn.draft, &path(CHARACTER, current.iter().map(AsRef::as_ref)), Value::Number(held))?;
    }
    // What a command of this turn asked for is worth a word; what a maximum took along is not.
    let before = number(turn.before.get(CHARACTER), current);
    if held != wanted && before != Some(value) {
        let message = format!("`{CHARACTER}.{}` is held within 0 and {top}: {wanted} became {held}", current.join("."));
        turn.notes.push(Refusal::new(Code::OutOfRange, message));
    }
    Ok(())
}
