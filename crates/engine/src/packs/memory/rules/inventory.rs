//! The inventory: an item whose `num` is 0 or less leaves the bag, and is kept in the archive. A protected one stays.

use crate::document::Value;
use crate::names::problem::Refusal;
use crate::packs::memory::ASSETS;
use crate::packs::memory::delete::PROTECTED;
use crate::packs::memory::place::{self, is_marked, path};
use crate::packs::memory::settings::Settings;
use crate::packs::{Archived, EndOfTurn};
use std::sync::Arc;

pub(super) fn run(_: &Settings, turn: &mut EndOfTurn<'_>) -> Result<(), Refusal> {
    let bag = path(ASSETS, ["global_set", "背包"]);
    let items = bag.find(turn.draft.document()).and_then(Value::as_object);
    let is_used_up = |item: &Value| {
        let item = place::plain(item);
        let count = item.get("num").and_then(place::number);
        count.is_some_and(|count| count.as_f64() <= 0.0) && !is_marked(item, PROTECTED)
    };
    let used_up: Vec<(Arc<str>, Value)> = items
        .into_iter()
        .flatten()
        .filter(|(_, item)| is_used_up(item))
        .map(|(name, item)| (Arc::clone(name), item.clone()))
        .collect();
    if used_up.is_empty() {
        return Ok(());
    }
    used_up.iter().try_for_each(|(name, _)| turn.draft.remove(&bag.key(Arc::clone(name))))?;
    let entries = used_up.into_iter().collect();
    turn.archived.push(Archived { source: "global_set.背包".to_owned(), name: String::new(), entries });
    Ok(())
}
