//! Events that were read together, written once and shared by all who get them.

use super::Render;
use crate::record::{Event, EventKind, EventPosition};
use bytes::{Bytes, BytesMut};
use std::ops::Range;
use tavernkeep_engine::id::Id;
use tavernkeep_store::types::record::Stream;

/// A set of kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds(u64);

impl Kinds {
    /// All of them.
    pub const ALL: Kinds = Kinds(u64::MAX);
    /// None of them.
    pub const NONE: Kinds = Kinds(0);

    /// The same and one more.
    pub const fn with(self, kind: EventKind) -> Kinds {
        Kinds(self.0 | 1 << kind.number())
    }

    const fn has(self, kind: EventKind) -> bool {
        self.0 & 1 << kind.number() != 0
    }
}

/// What is written of some events, and where in it each of them is.
pub(super) struct Batch {
    text: Bytes,
    entries: Vec<Entry>,
    /// Up to this place it is complete.
    pub(super) end: EventPosition,
}

struct Entry {
    place: EventPosition,
    kind: EventKind,
    session_row: i64,
    branch_row: Option<i64>,
    /// The session that was deleted, if the event says so.
    ended: Option<Id>,
    range: Range<usize>,
}

/// What one listener wants of a batch.
pub(super) struct Filter<'a> {
    pub(super) stream: Stream,
    pub(super) session: Option<&'a Id>,
    pub(super) kinds: Kinds,
}

/// What one listener gets of a batch.
pub(super) struct Picked {
    pub(super) text: Bytes,
    pub(super) count: u64,
    /// Up to this place everything was considered.
    pub(super) until: EventPosition,
    pub(super) next: Next,
}

/// What comes behind it.
pub(super) enum Next {
    More,
    /// Nothing: what was listened to is gone.
    Ended,
    /// A session with the listener's id is gone. Whether it is the listener's own, the database knows.
    Reread,
}

impl Batch {
    pub(super) fn new(events: &[Event], end: EventPosition, render: Render) -> Batch {
        let mut text = BytesMut::new();
        let entries = events
            .iter()
            .map(|event| {
                let start = text.len();
                text.extend_from_slice(&render(event));
                Entry {
                    place: event.place,
                    kind: event.kind,
                    session_row: event.session_row,
                    branch_row: event.branch_row,
                    ended: event.session.clone().filter(|_| event.kind == EventKind::SessionDeleted),
                    range: start..text.len(),
                }
            })
            .collect();
        Batch { text: text.freeze(), entries, end }
    }

    /// Roughly what it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.text.len() + self.entries.len() * size_of::<Entry>()
    }

    /// What a listener that has received everything up to `place` gets. Neighbours stay one piece of the shared text.
    pub(super) fn pick(&self, filter: &Filter<'_>, place: EventPosition) -> Picked {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut picked = Picked { text: Bytes::new(), count: 0, until: place.max(self.end), next: Next::More };
        for entry in self.entries.iter().filter(|entry| entry.place > place) {
            if filter.stream != Stream::Account && entry.ended.is_some() && entry.ended.as_ref() == filter.session {
                picked.next = Next::Reread;
                break;
            }
            if !filter.stream.holds(entry.session_row, entry.branch_row) {
                continue;
            }
            if filter.kinds.has(entry.kind) {
                picked.count += 1;
                match runs.last_mut() {
                    Some(run) if run.end == entry.range.start => run.end = entry.range.end,
                    _ => runs.push(entry.range.clone()),
                }
            }
            if filter.stream.ends_with(entry.kind) {
                picked.next = Next::Ended;
                break;
            }
        }
        if matches!(picked.next, Next::Reread) {
            let before = |entry: &&Entry| entry.ended.is_none() || entry.ended.as_ref() != filter.session;
            let sent = self.entries.iter().take_while(before).last().map(|entry| entry.place);
            picked.until = sent.map_or(place, |sent| sent.max(place));
        }
        picked.text = match runs.as_slice() {
            [] => Bytes::new(),
            // What waits for a slow listener keeps the whole text in memory, unless it is a copy.
            [run] if run.len() * 2 < self.text.len() => Bytes::copy_from_slice(&self.text[run.clone()]),
            [run] => self.text.slice(run.clone()),
            runs => runs
                .iter()
                .fold(BytesMut::new(), |mut all, run| {
                    all.extend_from_slice(&self.text[run.clone()]);
                    all
                })
                .freeze(),
        };
        picked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(position: i64, kind: EventKind, session_row: i64, session: &str) -> Event {
        Event {
            place: EventPosition { position, ordinal: 0 },
            at: 0,
            kind,
            session: Some(session.parse().unwrap()),
            branch: None,
            session_row,
            branch_row: None,
            subject: session.parse().unwrap(),
            host: None,
            key: None,
            value: None,
            detail: None,
        }
    }

    fn place(position: i64) -> EventPosition {
        EventPosition { position, ordinal: i64::MAX }
    }

    fn batch() -> Batch {
        let events = [
            event(1, EventKind::SessionCreated, 1, "a"),
            event(2, EventKind::SessionCreated, 2, "b"),
            event(3, EventKind::SessionUpdated, 1, "a"),
            event(4, EventKind::SessionUpdated, 1, "a"),
            event(5, EventKind::SessionDeleted, 0, "a"),
            event(6, EventKind::SessionUpdated, 2, "b"),
        ];
        Batch::new(&events, place(6), |event| Bytes::from(format!("{}{};", event.subject, event.place.position)))
    }

    fn pick(stream: Stream, session: &str, kinds: Kinds, after: i64) -> (String, i64, &'static str) {
        let session: Id = session.parse().unwrap();
        let picked = batch().pick(&Filter { stream, session: Some(&session), kinds }, place(after));
        let next = match picked.next {
            Next::More => "more",
            Next::Ended => "over",
            Next::Reread => "reread",
        };
        (String::from_utf8(picked.text.to_vec()).unwrap(), picked.until.position, next)
    }

    #[test]
    fn everybody_gets_their_own_and_nothing_twice() {
        let (one, two) = (Stream::Session { session_row: 1 }, Stream::Session { session_row: 2 });
        assert_eq!(pick(Stream::Account, "a", Kinds::ALL, 0), ("a1;b2;a3;a4;a5;b6;".into(), 6, "more"));
        assert_eq!(pick(Stream::Account, "a", Kinds::ALL, 4), ("a5;b6;".into(), 6, "more"));
        assert_eq!(pick(two, "b", Kinds::ALL, 0), ("b2;b6;".into(), 6, "more"));
        assert_eq!(pick(one, "a", Kinds::ALL, 0), ("a1;a3;a4;".into(), 4, "reread"));
        assert_eq!(pick(one, "a", Kinds::ALL, 5), (String::new(), 6, "more"));
        let created = Kinds::NONE.with(EventKind::SessionCreated);
        assert_eq!(pick(Stream::Account, "a", created, 1), ("b2;".into(), 6, "more"));
    }
}
