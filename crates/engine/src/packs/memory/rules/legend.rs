//! The second value of an attribute: what its first has beyond a bound, `max(0, 基础 - 8)`.

use crate::document::{Number, Value};
use crate::names::problem::Refusal;
use crate::packs::EndOfTurn;
use crate::packs::memory::CHARACTER;
use crate::packs::memory::place::{self, path};
use crate::packs::memory::settings::Settings;

const BASE: &str = "基础";
const LEGEND: &str = "传奇";

pub(super) fn run(settings: &Settings, turn: &mut EndOfTurn<'_>) -> Result<(), Refusal> {
    let groups = place::find(turn.draft.document(), CHARACTER, &["属性段"]).cloned().unwrap_or_default();
    for (group, attributes) in groups.as_object().into_iter().flatten() {
        for (name, attribute) in attributes.as_object().into_iter().flatten() {
            let Some(legend) = attribute.get(LEGEND) else { continue };
            let number = |wanted: &str| {
                let value = attribute.get(wanted).filter(|_| wanted == BASE)?;
                place::number(value).map(Number::as_f64)
            };
            match settings.legend.evaluate(&number).map(|value| Number::from_f64(value.floor())) {
                Ok(Some(value)) if place::plain(legend) != &Value::Number(value) => {
                    let path = path(CHARACTER, ["属性段", group, name, LEGEND]);
                    place::write(turn.draft, &path, Value::Number(value))?;
                }
                Ok(_) => {}
                Err(error) => turn.notes.push(Refusal::new(
                    error.code(),
                    format!("`{CHARACTER}.属性段.{group}.{name}.{LEGEND}` was not computed: {error}"),
                )),
            }
        }
    }
    Ok(())
}
