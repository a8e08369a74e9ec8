//! Reading events as a listener does: from a place on, a bounded page at a time, without ever passing over one that is
//! still to become visible.

use crate::events;
use crate::tree::prelude::*;
use crate::types::record::{Event, EventKind, EventPosition, Stream};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beginning {
    pub stream: Stream,
    pub place: EventPosition,
    /// Whether no event up to this place can appear any more. See [`is_settled`].
    pub settled: bool,
}

/// How much a page may hold. One event always fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageMax {
    pub events: usize,
    /// Bytes of their values and details.
    pub bytes: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPage {
    pub events: Vec<Event>,
    /// Up to this place nothing of the stream is missing.
    pub until: EventPosition,
    pub more: bool,
    /// Whether there are some that must wait, since an earlier one may still appear before them.
    pub unsettled: bool,
}

/// Before everything.
const START: EventPosition = EventPosition { position: 0, ordinal: 0 };

/// Finds what is to be listened to, and checks the place to go on from. Without one it is the newest event, so that the
/// listener gets nothing that was committed before; it can begin as soon as that place is settled.
///
/// `0-0` is where everything kept begins, however much was purged before.
///
/// A place that this database has not reached was given out by another one, or by this one before a backup was
/// restored. Waiting for it would pass over everything until then, so it is refused like one that was purged.
pub fn begin(
    tx: &mut dyn Tx,
    account: &Id,
    session: Option<&Id>,
    branch: Option<&str>,
    after: Option<EventPosition>,
) -> StoreResult<Beginning> {
    let stream = match session {
        Some(session) => events::find_stream(tx, account, session, branch)?,
        None => Stream::Account,
    };
    let purged = events::purged(tx, account)?;
    let place = match after {
        None => {
            let place = events::newest(tx, account)?;
            return Ok(Beginning { stream, place, settled: is_settled(tx, place)? });
        }
        Some(START) if purged > 0 => EventPosition { position: purged, ordinal: i64::MAX },
        Some(place) => place,
    };
    if place.position < purged || place > events::end(tx, account)? {
        return Err(Refusal::EventsPurged { purged }.into());
    }
    Ok(Beginning { stream, place, settled: true })
}

/// Whether no event up to this place can appear any more. On PostgreSQL a transaction that began before the one that wrote
/// the event may commit after it, and its events stand before it.
pub fn is_settled(tx: &mut dyn Tx, place: EventPosition) -> StoreResult<bool> {
    Ok(place.position < tx.events_settled()?)
}

/// Reads the next page of a stream. `session` is the id of the stream's session.
pub fn next(
    tx: &mut dyn Tx,
    account: &Id,
    stream: Stream,
    session: Option<&Id>,
    place: EventPosition,
    max: PageMax,
) -> StoreResult<EventPage> {
    let purged = events::purged(tx, account)?;
    if place.position < purged {
        return Err(Refusal::EventsPurged { purged }.into());
    }
    let settled = tx.events_settled()?;
    let (which, session_row, branch_row) = stream.rows();
    let limit = i64::try_from(max.events.max(1)).unwrap_or(i64::MAX - 1) + 1;
    let (mut events, mut bytes, mut more) = (Vec::new(), 0, false);
    let params = params![account, session_row, branch_row, place.position, place.ordinal, settled, limit];
    tx.query(events::AFTER[which], params, &mut |row| {
        let is_full =
            |events: &[Event], bytes| !events.is_empty() && (events.len() >= max.events || bytes >= max.bytes);
        // What does not fit is not decoded either: a value can be a thousand times as long as what is stored of it.
        more |= is_full(&events, bytes);
        if more {
            return Ok(());
        }
        events::read(row, place, &mut |event| {
            more |= is_full(&events, bytes);
            if !more {
                bytes += weight(&event);
                events.push(event);
            }
        })
    })?;
    let mut until = events.last().map_or(place, |event| event.place);
    if let (false, Some(session)) = (more, session) {
        events.extend(end_of_session(tx, SessionKey::new(account, session_row), session, until, settled)?);
        until = until.max(events::end(tx, account)?);
    }
    let unsettled = !more && settled < i64::MAX && is_unsettled(tx, account, settled)?;
    Ok(EventPage { events, until, more, unsettled })
}

fn weight(event: &Event) -> usize {
    [&event.value, &event.detail].into_iter().flatten().map(|text| text.as_str().len()).sum()
}

/// A session's own events are gone with it. Its deletion is an event of the account.
fn end_of_session(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    id: &Id,
    place: EventPosition,
    settled: i64,
) -> StoreResult<Option<Event>> {
    let sql = sql!("SELECT 1 FROM session WHERE account_id = ?1 AND session_row = ?2 AND deleted_at IS NULL");
    if first(tx, sql, in_session![session], |_| Ok(()))?.is_some() {
        return Ok(None);
    }
    let kind = EventKind::SessionDeleted.number();
    let params = params![session.account, 0_i64, kind, place.position, place.ordinal, settled, 1_i64, id];
    let mut end = None;
    tx.query(events::AFTER[3], params, &mut |row| events::read(row, place, &mut |event| end = Some(event)))?;
    Ok(end)
}

fn is_unsettled(tx: &mut dyn Tx, account: &Id, settled: i64) -> StoreResult<bool> {
    let sql = sql!("SELECT 1 FROM event WHERE account_id = ?1 AND position >= ?2 LIMIT 1");
    Ok(first(tx, sql, params![account, settled], |_| Ok(()))?.is_some())
}

impl Stream {
    /// Whether an event with these rows is part of it.
    pub fn holds(&self, event_session: i64, event_branch: Option<i64>) -> bool {
        match *self {
            Stream::Account => true,
            Stream::Session { session_row } => event_session == session_row,
            Stream::Branch { session_row, branch_row } => {
                event_session == session_row && event_branch == Some(branch_row)
            }
        }
    }

    /// Whether nothing can come behind an event of this kind in it.
    pub fn ends_with(&self, kind: EventKind) -> bool {
        match self {
            Stream::Account => false,
            Stream::Session { .. } => kind == EventKind::SessionDeleted,
            Stream::Branch { .. } => matches!(kind, EventKind::SessionDeleted | EventKind::BranchDeleted),
        }
    }

    /// The number of its statement, its session's row and its branch's row.
    pub(crate) fn rows(&self) -> (usize, i64, i64) {
        match *self {
            Stream::Account => (0, 0, 0),
            Stream::Session { session_row } => (1, session_row, 0),
            Stream::Branch { session_row, branch_row } => (2, session_row, branch_row),
        }
    }
}
