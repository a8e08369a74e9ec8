//! The rows of the conversation: sessions, branches, floors and pages, what hangs on them, and the clocks that guard them.

pub mod bodies;
pub(crate) mod characters;
pub mod clock;
pub(crate) mod floor_numbers;
pub(crate) mod hidden;
pub mod hosts;
pub(crate) mod line;
pub(crate) mod lookup;
pub(crate) mod positions;
pub(crate) mod prelude;
pub mod quota;
pub mod separation;
pub(crate) mod totals;
pub mod trash_items;
pub mod trash_rows;

use tavernkeep_engine::id::Id;

/// What every row of a session begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionKey<'a> {
    pub account: &'a Id,
    pub row: i64,
}

impl<'a> SessionKey<'a> {
    pub fn new(account: &'a Id, row: i64) -> SessionKey<'a> {
        SessionKey { account, row }
    }

    pub(crate) fn key(self) -> SessionKey<'a> {
        self
    }
}

/// The branch that every session starts with and keeps.
pub const MAIN_BRANCH: &str = "main";
