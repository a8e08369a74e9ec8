//! Events, in the order in which they became visible. An event's row is written in the transaction of what it describes.

pub(crate) mod detail;
pub mod event_list;
pub mod listening;
pub mod turn_event;

use crate::tree::prelude::*;
use crate::types::record::{Event, EventKind, EventPosition, Host, Stream};
use std::sync::LazyLock;

/// Where in a conversation an event happens: what streams filter by, and the names that events carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventScope {
    pub(crate) session_row: i64,
    pub(crate) session: Option<Id>,
    pub(crate) branch: Option<(i64, String)>,
}

impl EventScope {
    pub(crate) const ACCOUNT: EventScope = EventScope { session_row: 0, session: None, branch: None };

    pub(crate) fn session(session_row: i64, session: &Id) -> EventScope {
        EventScope { session_row, session: Some(session.clone()), branch: None }
    }

    pub(crate) fn branch(session_row: i64, session: &Id, branch_row: i64, branch: &str) -> EventScope {
        EventScope { branch: Some((branch_row, branch.to_owned())), ..EventScope::session(session_row, session) }
    }

    /// Where a host stands. Floors and pages are looked up; the others' names say it.
    pub(crate) fn of_host(tx: &mut dyn Tx, account: &Id, row: HostRow, host: &Host) -> StoreResult<EventScope> {
        Ok(match host {
            Host::Global => EventScope::ACCOUNT,
            Host::Chat(session) => EventScope::session(row.session_row, session),
            Host::Branch(session, branch) => EventScope::branch(row.session_row, session, row.host_row, branch),
            Host::Floor(_) => EventScope::find(tx, account, OF_FLOOR, row)?,
            Host::Page(_) => EventScope::find(tx, account, OF_PAGE, row)?,
        })
    }

    pub(crate) fn of_floor(tx: &mut dyn Tx, session: SessionKey<'_>, floor_row: i64) -> StoreResult<EventScope> {
        EventScope::find(tx, session.account, OF_FLOOR, HostRow::new(session.row, Scope::Floor, floor_row))
    }

    /// Where each of many floors stands; none for those that are not there.
    pub(crate) fn of_floors(
        tx: &mut dyn Tx,
        session: SessionKey<'_>,
        floors: &[i64],
    ) -> StoreResult<Vec<Option<EventScope>>> {
        let sets: Vec<_> = floors.iter().map(|&floor| in_session![session, floor].to_vec()).collect();
        first_of_each(tx, OF_FLOOR, &sets, |found| EventScope::read(found, session.row))
    }

    fn find(tx: &mut dyn Tx, account: &Id, sql: Sql, row: HostRow) -> StoreResult<EventScope> {
        one(tx, sql, params![account, row.session_row, row.host_row], |found| EventScope::read(found, row.session_row))
    }

    fn read(found: &dyn Row, session_row: i64) -> StoreResult<EventScope> {
        let branch = stored_text(found.bytes(2)?)?;
        Ok(EventScope::branch(session_row, &stored_id(found.text(0)?)?, found.int(1)?, &branch))
    }
}

const OF_FLOOR: Sql = sql!(
    "SELECT s.id, b.branch_row, b.id FROM floor f
     JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
     JOIN session s ON s.account_id = f.account_id AND s.session_row = f.session_row
     WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.floor_row = ?3"
);
const OF_PAGE: Sql = sql!(
    "SELECT s.id, b.branch_row, b.id FROM page p
     JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
     JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
     JOIN session s ON s.account_id = f.account_id AND s.session_row = f.session_row
     WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = ?3"
);

/// The variable that an event is about; its value is found in its history.
pub(crate) struct OfVariable<'a> {
    pub(crate) row: HostRow,
    pub(crate) host: &'a Host,
    pub(crate) key: &'a Key,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Emits {
    One(EventKind),
    /// Everything that a turn is, at as many places.
    Turn {
        events: usize,
    },
    /// A list of events, see [`event_list`].
    List {
        events: usize,
    },
}

impl Emits {
    fn number(self) -> i64 {
        match self {
            Emits::One(kind) => kind.number(),
            Emits::Turn { .. } => turn_event::NUMBER,
            Emits::List { .. } => event_list::NUMBER,
        }
    }

    /// The place of the last event that the row emits.
    fn place(self, tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<EventPosition> {
        if let Emits::Turn { events } | Emits::List { events } = self {
            for _ in 1..events {
                tx.event_place(session.account, session.row)?;
            }
        }
        tx.event_place(session.account, session.row)
    }
}

pub(crate) struct NewEvent<'a> {
    pub(crate) emits: Emits,
    pub(crate) scope: &'a EventScope,
    pub(crate) seq: i64,
    pub(crate) subject: &'a Id,
    pub(crate) variable: Option<OfVariable<'a>>,
    /// As JSON.
    pub(crate) detail: Option<&'a str>,
}

/// Emits something of a thing that has a name and perhaps a detail, as JSON.
pub(crate) fn emit(
    tx: &mut dyn Tx,
    tick: Tick<'_>,
    kind: EventKind,
    scope: &EventScope,
    subject: &Id,
    detail: Option<&str>,
) -> StoreResult<()> {
    let (emits, seq) = (Emits::One(kind), tick.seq());
    emit_all(tx, tick.account(), &[NewEvent { emits, scope, seq, subject, variable: None, detail }])
}

pub(crate) fn emit_all(tx: &mut dyn Tx, account: &Id, events: &[NewEvent<'_>]) -> StoreResult<()> {
    let rows: Vec<_> = encoded(events).collect();
    let mut sets = Vec::with_capacity(rows.len());
    for (event, emits, detail) in &rows {
        if matches!(emits, Emits::One(EventKind::SessionCreated)) {
            // Behind the account's events, such as the deletion of another session with the same id.
            tx.event_place(account, EventScope::ACCOUNT.session_row)?;
        }
        let place = emits.place(tx, SessionKey::new(account, event.scope.session_row))?;
        let (branch_row, branch) = event.scope.branch.as_ref().map(|(row, name)| (*row, name.as_bytes())).unzip();
        let variable = event.variable.as_ref();
        let host_id = variable.and_then(|variable| match variable.host {
            Host::Floor(id) | Host::Page(id) => Some(id),
            _ => None,
        });
        sets.push(vec![
            Param::from(account),
            place.position.into(),
            place.ordinal.into(),
            event.scope.session_row.into(),
            branch_row.into(),
            event.seq.into(),
            emits.number().into(),
            // A session that is there knows its id.
            event.scope.session.as_ref().filter(|_| event.scope.session_row == 0).into(),
            branch.into(),
            event.subject.into(),
            variable.map(|variable| variable.row.scope.number()).into(),
            variable.map(|variable| variable.row.host_row).into(),
            host_id.into(),
            variable.map(|variable| variable.key.as_str().as_bytes()).into(),
            detail.as_ref().into(),
        ]);
    }
    tx.wake_followers(account);
    tx.query_many(INSERT, &sets, &mut |_, _| Ok(()))
}

/// The rows of events: the first event of each, what the row emits, and its encoded detail.
fn encoded<'a, 'b>(
    events: &'b [NewEvent<'a>],
) -> impl Iterator<Item = (&'b NewEvent<'a>, Emits, Option<Vec<u8>>)> + use<'a, 'b> {
    event_list::runs(events).filter_map(|run| {
        let event = run.first()?;
        Some(match run {
            [_] => (event, event.emits, event.detail.map(codec::encode)),
            _ => (event, Emits::List { events: run.len() }, Some(codec::encode(&event_list::detail(run)))),
        })
    })
}

/// Events of one place that are encoded before the transaction which emits them: for tens of thousands that takes as long as writing
/// the rows that they are about.
#[derive(Debug)]
pub(crate) struct PreparedEvents {
    scope: EventScope,
    /// What each row emits, the subject of its first event, and its detail.
    rows: Vec<(Emits, Id, Option<Vec<u8>>)>,
}

impl PreparedEvents {
    /// Encodes events of something in a session, each with its kind, its subject and its detail.
    pub(crate) fn new(scope: &EventScope, events: &[(EventKind, &Id, String)]) -> PreparedEvents {
        // They get the tick of the transaction.
        let seq = 0;
        let mut list = Vec::with_capacity(events.len());
        for (kind, subject, detail) in events {
            let (emits, detail) = (Emits::One(*kind), Some(detail.as_str()));
            list.push(NewEvent { emits, scope, seq, subject, variable: None, detail });
        }
        let rows = encoded(&list).map(|(event, emits, detail)| (emits, event.subject.clone(), detail)).collect();
        PreparedEvents { scope: scope.clone(), rows }
    }

    pub(crate) fn emit(&self, tx: &mut dyn Tx, tick: Tick<'_>) -> StoreResult<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let session = SessionKey::new(tick.account(), self.scope.session_row);
        let (branch_row, branch) = self.scope.branch.as_ref().map(|(row, name)| (*row, name.as_bytes())).unzip();
        let mut sets = Vec::with_capacity(self.rows.len());
        for (emits, subject, detail) in &self.rows {
            let place = emits.place(tx, session)?;
            let mut set = params![
                session.account,
                place.position,
                place.ordinal,
                session.row,
                branch_row,
                tick.seq(),
                emits.number()
            ]
            .to_vec();
            set.extend([Param::Null, branch.into(), subject.into()]);
            set.extend([Param::Null; 4]);
            set.push(detail.as_ref().into());
            sets.push(set);
        }
        tx.wake_followers(session.account);
        tx.query_many(INSERT, &sets, &mut |_, _| Ok(()))
    }
}

const INSERT: Sql = sql!(
    "INSERT INTO event (account_id, position, ordinal, session_row, branch_row, seq, kind, session_id, branch_id,
                        subject_id, scope, host_row, host_id, key, detail)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
);

/// The events of an account, of a session and of a branch; and the end of a session, which only the account emits.
pub(crate) static AFTER: LazyLock<[Sql; 4]> = LazyLock::new(|| {
    let streams = [
        "CAST(?2 AS BIGINT) = 0 AND CAST(?3 AS BIGINT) = 0",
        "e.session_row = ?2 AND CAST(?3 AS BIGINT) = 0",
        "e.session_row = ?2 AND e.branch_row = ?3",
        "e.session_row = ?2 AND e.kind = ?3 AND e.session_id = ?8",
    ];
    // Events of a session that is being deleted are left out.
    streams.map(|stream| {
        Sql::assembled(format!(
            "SELECT e.position, e.ordinal, e.seq, e.kind, COALESCE(e.session_id, s.id), e.branch_id, e.subject_id,
                e.scope, e.host_id, e.key, h.value, e.detail, e.session_row, e.branch_row
             FROM event e
             LEFT JOIN session s ON s.account_id = e.account_id AND s.session_row = e.session_row
             LEFT JOIN history h ON h.account_id = e.account_id AND h.session_row = e.session_row AND h.scope = e.scope
                AND h.host_row = e.host_row AND h.key = e.key AND h.seq = e.seq
             WHERE e.account_id = ?1 AND {stream} AND s.deleted_at IS NULL
                AND (e.position, e.ordinal) > (?4, ?5) AND e.position < ?6
             ORDER BY e.position, e.ordinal LIMIT ?7"
        ))
    })
});

pub(crate) fn purged(tx: &mut dyn Tx, account: &Id) -> StoreResult<i64> {
    let sql = sql!("SELECT events_purged FROM account WHERE account_id = ?1");
    first(tx, sql, params![account], |row| row.int(0))?.ok_or_else(|| Refusal::AccountNotFound(account.clone()).into())
}

/// The place behind which only what is still to come stands.
pub fn end(tx: &mut dyn Tx, account: &Id) -> StoreResult<EventPosition> {
    let purged = purged(tx, account)?;
    let settled = tx.events_settled()?;
    let sql = sql!("SELECT COALESCE(MAX(position), 0) FROM event WHERE account_id = ?1 AND position < ?2");
    let last: i64 = one(tx, sql, params![account, settled], |row| row.int(0))?;
    Ok(EventPosition { position: last.max(purged), ordinal: i64::MAX })
}

/// The newest event that can be seen, whether or not earlier ones may still appear.
pub(crate) fn newest(tx: &mut dyn Tx, account: &Id) -> StoreResult<EventPosition> {
    let purged = purged(tx, account)?;
    let sql = sql!("SELECT COALESCE(MAX(position), 0) FROM event WHERE account_id = ?1");
    let last: i64 = one(tx, sql, params![account], |row| row.int(0))?;
    Ok(EventPosition { position: last.max(purged), ordinal: i64::MAX })
}

/// The rows that a stream is found by.
pub fn find_stream(tx: &mut dyn Tx, account: &Id, session: &Id, branch: Option<&str>) -> StoreResult<Stream> {
    let key = lookup::session(tx, account, session)?;
    Ok(match branch {
        Some(name) => Stream::Branch { session_row: key.row, branch_row: lookup::branch(tx, key, session, name)? },
        None => Stream::Session { session_row: key.row },
    })
}

/// The events behind a place that a row emits.
pub(crate) fn read(row: &dyn Row, behind: EventPosition, each: &mut dyn FnMut(Event)) -> StoreResult<()> {
    let mut those_behind = |event: Event| {
        if event.place > behind {
            each(event);
        }
    };
    match row.int(3)? {
        turn_event::NUMBER => turn_event::expand(&read_as(row, EventKind::FloorCommitted)?, &mut those_behind),
        event_list::NUMBER => event_list::expand(&read_as(row, EventKind::FloorCreated)?, &mut those_behind),
        number => {
            each(read_as(row, stored_enum(number)?)?);
            Ok(())
        }
    }
}

/// Hands over several events of one row, which stands at the place of the last one.
fn expand(row: &Event, events: Vec<(EventKind, Id, Option<JsonText>)>, each: &mut dyn FnMut(Event)) {
    let behind = (0..events.len() as i64).rev();
    for (behind, (kind, subject, detail)) in behind.zip(events) {
        let place = EventPosition { ordinal: row.place.ordinal - behind, ..row.place };
        // Not the detail of the row: it is as long as all of them together.
        let Event { at, session_row, branch_row, .. } = *row;
        let (session, branch) = (row.session.clone(), row.branch.clone());
        let (host, key, value) = (None, None, None);
        each(Event { place, at, kind, subject, session, branch, session_row, branch_row, host, key, value, detail });
    }
}

fn read_as(row: &dyn Row, kind: EventKind) -> StoreResult<Event> {
    let session = row.text_or_null(4)?.map(stored_id).transpose()?;
    let branch = row.bytes_or_null(5)?.map(stored_text).transpose()?;
    let scope = row.int_or_null(7)?.map(stored_enum).transpose()?;
    let host_id = row.text_or_null(8)?.map(stored_id).transpose()?;
    let broken = || StoreError::Corrupt("an event of a variable does not name its host".into());
    let host = scope
        .map(|scope| {
            Ok::<_, StoreError>(match scope {
                Scope::Global => Host::Global,
                Scope::Chat => Host::Chat(session.clone().ok_or_else(broken)?),
                Scope::Branch => Host::Branch(session.clone().ok_or_else(broken)?, branch.clone().ok_or_else(broken)?),
                Scope::Floor => Host::Floor(host_id.clone().ok_or_else(broken)?),
                Scope::Page => Host::Page(host_id.clone().ok_or_else(broken)?),
            })
        })
        .transpose()?;
    Ok(Event {
        place: EventPosition { position: row.int(0)?, ordinal: row.int(1)? },
        at: crate::tree::clock::millis(row.int(2)?),
        kind,
        subject: stored_id(row.text(6)?)?,
        key: row.bytes_or_null(9)?.map(stored_key).transpose()?,
        value: row.bytes_or_null(10)?.map(codec::decode_json).transpose()?,
        detail: row.bytes_or_null(11)?.map(codec::decode_json).transpose()?,
        session_row: row.int(12)?,
        branch_row: row.int_or_null(13)?,
        session,
        branch,
        host,
    })
}
