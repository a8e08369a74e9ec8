//! What a turn emits, in one row: a chat has one for every reply, and four rows of names would weigh more than the state.
//!
//! The row stands at the position of its last event; the others have the positions before it. So a listener that
//! stopped between two of them finds the row again behind its position, and gets only the rest.

use crate::events::{self, Emits, EventScope, NewEvent, detail};
use crate::tree::prelude::*;
use crate::types::record::{Event, EventKind};
use serde::{Deserialize, Serialize};
use tavernkeep_engine::floor::FloorState;

/// The kind of the row in storage. Listeners never see it.
pub const NUMBER: i64 = 100;

/// A floor that was made or got another swipe, and was committed with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEvent {
    pub floor: Id,
    pub detail: Detail,
}

/// What the row keeps beside its floor, as a list without names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detail(
    pub bool,
    pub i64,
    pub PageDetail,
    /// The snapshot, where the page has a state of its own.
    pub Option<Id>,
);

/// The page, its slot, its swipe, and whether it is the chosen one.
pub type PageDetail = (Id, i64, i64, bool);

impl TurnEvent {
    pub(crate) fn emit(&self, tx: &mut dyn Tx, tick: Tick<'_>, scope: &EventScope) -> StoreResult<()> {
        let detail = serde_json::to_string(&self.detail)
            .map_err(|error| StoreError::Internal(format!("the event of a turn cannot be encoded: {error}")))?;
        let (emits, seq, subject) = (Emits::Turn { events: self.events().len() }, tick.seq(), &self.floor);
        events::emit_all(
            tx,
            tick.account(),
            &[NewEvent { emits, scope, seq, subject, variable: None, detail: Some(&detail) }],
        )
    }

    /// The events, in their order: kind, subject and detail.
    fn events(&self) -> Vec<(EventKind, &Id, String)> {
        let Detail(is_new, floor_no, (page, page_no, version, is_active), snapshot) = &self.detail;
        let floor = || detail::of_floor(*floor_no, FloorState::Committed);
        let mut emitted = Vec::with_capacity(4);
        if *is_new {
            emitted.push((EventKind::FloorCreated, &self.floor, floor()));
        }
        emitted.push((EventKind::PageCreated, page, detail::of_page(&self.floor, *page_no, *version, *is_active)));
        emitted.push((EventKind::FloorCommitted, &self.floor, floor()));
        if let Some(snapshot) = snapshot {
            emitted.push((EventKind::StateComputed, snapshot, detail::of_snapshot(page)));
        }
        emitted
    }
}

/// The events that a row emits. `row` is what it has in common: everything but kind, subject and detail.
pub fn expand(row: &Event, each: &mut dyn FnMut(Event)) -> StoreResult<()> {
    let damaged = |_| StoreError::Corrupt("an event of a turn does not say what happened".into());
    let detail = row.detail.as_ref().map_or("", JsonText::as_str);
    let turn = TurnEvent { floor: row.subject.clone(), detail: serde_json::from_str(detail).map_err(damaged)? };
    let emitted = turn.events().into_iter();
    let emitted = emitted.map(|(kind, subject, detail)| (kind, subject.clone(), Some(JsonText::from_stored(&detail))));
    events::expand(row, emitted.collect(), each);
    Ok(())
}
