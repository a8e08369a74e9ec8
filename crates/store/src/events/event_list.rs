//! Many events of one change, in one row: a sync of a whole chat emits tens of thousands, and a row for each would take longer to
//! write than the chat itself.
//!
//! Like the row of a turn it stands at the position of its last event; see [`super::turn_event`].

use super::{Emits, NewEvent};
use crate::tree::prelude::*;
use crate::types::record::{Event, EventKind};
use serde_json::value::RawValue;
use std::fmt::Write as _;

/// The kind of the row in storage. Listeners never see it.
pub const NUMBER: i64 = 101;

/// So few events have rows of their own.
const EVENTS_MIN: usize = 8;
/// So many events are in one row at most: a listener that gets some of them reads all.
const EVENTS_MAX: usize = 256;

/// Cuts events into runs that are written as one row each.
pub(super) fn runs<'a, 'b>(events: &'b [NewEvent<'a>]) -> impl Iterator<Item = &'b [NewEvent<'a>]> {
    events.chunk_by(belong_together).flat_map(|run| {
        let at_once = if run.len() < EVENTS_MIN { 1 } else { EVENTS_MAX };
        run.chunks(at_once)
    })
}

/// Whether events have everything in common but kind, subject and detail.
fn belong_together(one: &NewEvent<'_>, next: &NewEvent<'_>) -> bool {
    let is_plain = |event: &NewEvent<'_>| matches!(event.emits, Emits::One(_)) && event.variable.is_none();
    // Streams look for the end of a session, which the account emits, by its kind.
    let is_same_place = || std::ptr::eq(one.scope, next.scope) || one.scope == next.scope;
    one.scope.session_row != 0 && is_plain(one) && is_plain(next) && one.seq == next.seq && is_same_place()
}

/// What the row keeps: kind, subject and detail of each.
pub(super) fn detail(events: &[NewEvent<'_>]) -> String {
    let mut list = String::with_capacity(events.len() * 128);
    for event in events {
        list.push(if list.is_empty() { '[' } else { ',' });
        let (kind, subject, detail) = (event.emits.number(), event.subject, event.detail.unwrap_or("null"));
        // Writing to a string does not fail, and an id has nothing that JSON escapes.
        let _ = write!(list, "[{kind},\"{subject}\",{detail}]");
    }
    list.push(']');
    list
}

/// The events that a row emits. `row` is what they have in common.
pub fn expand(row: &Event, each: &mut dyn FnMut(Event)) -> StoreResult<()> {
    let damaged = || StoreError::Corrupt("a list of events does not say what happened".into());
    let list = row.detail.as_ref().map_or("", JsonText::as_str);
    let list: Vec<(i64, Id, Option<&RawValue>)> = serde_json::from_str(list).map_err(|_| damaged())?;
    let events = list.into_iter().map(|(kind, subject, detail)| {
        Ok((stored_enum::<EventKind>(kind)?, subject, detail.map(|detail| JsonText::from_stored(detail.get()))))
    });
    let events = events.collect::<StoreResult<Vec<_>>>()?;
    if events.is_empty() {
        return Err(damaged());
    }
    super::expand(row, events, each);
    Ok(())
}
