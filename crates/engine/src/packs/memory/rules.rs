//! The rules at the end of a turn: one file each, and one row here.

mod derived;
mod difficulty;
pub(super) mod filter;
mod inventory;
mod legend;
mod resources;
pub(super) mod summaries;
mod task;
mod time;

use super::settings::Settings;
use crate::names::problem::Refusal;
use crate::packs::EndOfTurn;

/// A rule.
pub(super) type Rule = fn(&Settings, &mut EndOfTurn<'_>) -> Result<(), Refusal>;

/// All rules by their names. Which of them run, and in which order, says the setting `rules`.
pub(super) const ALL: [(&str, Rule); 9] = [
    ("legend", legend::run),
    ("derived", derived::run),
    ("time", time::run),
    ("task", task::run),
    ("resources", resources::run),
    ("inventory", inventory::run),
    ("summaries", summaries::run),
    ("filter", filter::run),
    ("difficulty", difficulty::run),
];
