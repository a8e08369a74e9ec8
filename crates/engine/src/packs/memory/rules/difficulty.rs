//! The level of a world caps the difficulty of checks. A level that is not known caps nothing.

use crate::document::{Number, Value};
use crate::names::problem::{Code, Refusal};
use crate::packs::EndOfTurn;
use crate::packs::memory::STATUS;
use crate::packs::memory::place::{self, path};
use crate::packs::memory::settings::Settings;

pub(super) fn run(settings: &Settings, turn: &mut EndOfTurn<'_>) -> Result<(), Refusal> {
    let document = turn.draft.document();
    let level = place::find(document, STATUS, &["world_shard", "level"]).and_then(Value::as_str).unwrap_or_default();
    let Some((level, top)) = settings.levels.iter().find(|(known, _)| known.as_ref() == level.trim()) else {
        return Ok(());
    };
    let difficulty = place::find(document, STATUS, &["检定难度"]).and_then(place::number);
    let Some(difficulty) = difficulty.filter(|difficulty| difficulty.as_f64() > *top) else { return Ok(()) };
    let capped = Number::from_f64(*top).unwrap_or(difficulty);
    let message = format!(
        "`{STATUS}.检定难度` is at most {capped} in a world of the level `{level}`: {difficulty} became {capped}"
    );
    turn.notes.push(Refusal::new(Code::OutOfRange, message));
    place::write(turn.draft, &path(STATUS, ["检定难度"]), Value::Number(capped))
}
