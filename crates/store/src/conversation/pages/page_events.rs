//! Events of pages, with their floor, slot and swipe.

use crate::events::{self, Emits, EventScope, NewEvent, detail};
use crate::tree::prelude::*;
use crate::types::record::EventKind;
use std::collections::{BTreeMap, HashMap};

pub struct PageEvent<'a> {
    pub kind: EventKind,
    pub tick: Tick<'a>,
    pub page: &'a Id,
    pub floor: &'a Id,
    pub floor_row: i64,
    pub page_no: i64,
    pub version: i64,
    pub is_active: bool,
}

impl<'a> PageEvent<'a> {
    pub fn of(place: &'a PagePosition, tick: Tick<'a>, kind: EventKind, is_active: bool) -> PageEvent<'a> {
        let PagePosition { id, floor, floor_row, page_no, version, .. } = place;
        let (floor_row, page_no, version) = (*floor_row, *page_no, *version);
        PageEvent { kind, tick, page: id, floor, floor_row, page_no, version, is_active }
    }
}

/// Emits events in this order. Pages of a floor that is gone have none.
pub fn emit(tx: &mut dyn Tx, account: &Id, events: &[PageEvent<'_>]) -> StoreResult<()> {
    if events.is_empty() {
        return Ok(());
    }
    let scopes = scopes(tx, account, events)?;
    let details: Vec<_> = events
        .iter()
        .map(|event| detail::of_page(event.floor, event.page_no, event.version, event.is_active))
        .collect();
    let rows = events.iter().zip(&details).filter_map(|(event, detail)| {
        Some(NewEvent {
            emits: Emits::One(event.kind),
            scope: scopes.get(&(event.tick.session_row(), event.floor_row))?,
            seq: event.tick.seq(),
            subject: event.page,
            variable: None,
            detail: Some(detail),
        })
    });
    events::emit_all(tx, account, &rows.collect::<Vec<_>>())
}

fn scopes(tx: &mut dyn Tx, account: &Id, events: &[PageEvent<'_>]) -> StoreResult<HashMap<(i64, i64), EventScope>> {
    let mut sessions: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for event in events {
        sessions.entry(event.tick.session_row()).or_default().push(event.floor_row);
    }
    let mut scopes = HashMap::new();
    for (session_row, mut floors) in sessions {
        floors.sort_unstable();
        floors.dedup();
        let found = EventScope::of_floors(tx, SessionKey::new(account, session_row), &floors)?;
        let found = floors.into_iter().zip(found);
        scopes.extend(found.filter_map(|(floor_row, scope)| Some(((session_row, floor_row), scope?))));
    }
    Ok(scopes)
}
