//! Time: a clock that goes back without another date means the next day, and a date that passes New Year counts the year.

use crate::document::Value;
use crate::names::problem::Refusal;
use crate::packs::EndOfTurn;
use crate::packs::memory::STATUS;
use crate::packs::memory::calendar::{Today, minutes, next_era};
use crate::packs::memory::place::{self, path};
use crate::packs::memory::settings::Settings;

pub(super) fn run(_: &Settings, turn: &mut EndOfTurn<'_>) -> Result<(), Refusal> {
    let Some((before, now)) = Today::of(turn.before).zip(Today::of(turn.draft.document())) else { return Ok(()) };
    let mut is_new_year = before.passes_new_year(now);
    if before == now && has_gone_back(turn.before, turn.draft.document()) {
        let (date, begins) = now.date.plus_days(1, now.era);
        place::write(turn.draft, &path(STATUS, ["日期"]), Value::from(date))?;
        is_new_year = begins && !now.date.has_year();
    }
    let era = turn.draft.document().get(STATUS).and_then(|status| status.get("纪年"));
    match era.filter(|_| is_new_year).and_then(next_era) {
        Some(next) => place::write(turn.draft, &path(STATUS, ["纪年"]), next),
        None => Ok(()),
    }
}

/// Whether it is earlier on the clock than before.
fn has_gone_back(before: &Value, after: &Value) -> bool {
    let clock = |document: &Value| place::find(document, STATUS, &["时间"])?.as_str().and_then(minutes);
    matches!((clock(before), clock(after)), (Some(before), Some(after)) if after < before)
}
