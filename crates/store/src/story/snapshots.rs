//! Snapshots: names of states that stay while the version behind them moves.

use crate::events::{self, Emits, EventScope, NewEvent, detail};
use crate::story::versions::Kind;
use crate::tree::prelude::*;
use crate::types::record::EventKind;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    pub id: Id,
    pub session: Id,
    pub session_row: i64,
    /// The page, while it exists; none while it is prepared for its restore, on a hidden branch.
    pub page: Option<Id>,
    pub page_row: i64,
    pub version_row: i64,
    pub edited: bool,
    /// When it got its id, in ms since 1970.
    pub created_at: i64,
    pub updated_at: i64,
}

pub fn get(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Snapshot> {
    let sql = sql!(
        "SELECT s.id, n.session_row, (
            SELECT p.id FROM page p
            JOIN floor f ON f.account_id = ?1 AND f.session_row = p.session_row AND f.floor_row = p.floor_row
            JOIN branch b ON b.account_id = ?1 AND b.session_row = f.session_row AND b.branch_row = f.branch_row
            WHERE p.account_id = ?1 AND p.session_row = n.session_row AND p.page_row = n.page_row AND LENGTH(b.id) <= 256
         ), n.page_row, n.version_row, v.kind, n.created_at FROM snapshot n
         JOIN session s ON s.account_id = n.account_id AND s.session_row = n.session_row
         JOIN version v ON v.account_id = n.account_id AND v.session_row = n.session_row AND v.version_row = n.version_row
         WHERE n.account_id = ?1 AND n.id = ?2 AND s.deleted_at IS NULL"
    );
    let found = first(tx, sql, params![account, id], |row| {
        Ok(Snapshot {
            id: id.clone(),
            session: stored_id(row.text(0)?)?,
            session_row: row.int(1)?,
            page: row.text_or_null(2)?.map(stored_id).transpose()?,
            page_row: row.int(3)?,
            version_row: row.int(4)?,
            edited: stored_enum::<Kind>(row.int(5)?)? == Kind::Edit,
            created_at: row.int(6)?,
            updated_at: crate::tree::clock::millis(row.int(4)?),
        })
    })?;
    found.ok_or_else(|| Refusal::SnapshotNotFound(id.clone()).into())
}

pub(crate) struct Pointed<'a> {
    pub(crate) tick: Tick<'a>,
    /// Its floor and the page.
    pub(crate) rows: (i64, i64),
    /// For a page that has none yet.
    pub(crate) fresh: &'a Id,
    pub(crate) version_row: i64,
    /// Whether it was computed or done by hand.
    pub(crate) kind: Kind,
}

/// Points a page's snapshot to a version and emits the event. A page that had none gets the id that was brought along.
pub(crate) fn point(tx: &mut dyn Tx, clock: &SessionClock, pointed: &Pointed<'_>) -> StoreResult<()> {
    point_all(tx, clock, std::slice::from_ref(pointed))
}

pub(crate) fn point_all(tx: &mut dyn Tx, clock: &SessionClock, pointed: &[Pointed<'_>]) -> StoreResult<()> {
    let missing = || StoreError::Internal("a state was computed for a page that is not there".into());
    let sets: Vec<_> = pointed.iter().map(|it| set_params(it.tick, it.rows.1, it.fresh, it.version_row)).collect();
    let ids = first_of_each(tx, SET, &sets, |row| stored_id(row.text(0)?))?;
    let sql = sql!("SELECT id FROM page WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    let sets: Vec<_> = pointed.iter().map(|it| in_session![clock, it.rows.1].to_vec()).collect();
    let pages = first_of_each(tx, sql, &sets, |row| stored_id(row.text(0)?))?;
    let floors: Vec<i64> = pointed.iter().map(|it| it.rows.0).collect();
    let scopes = EventScope::of_floors(tx, clock.key(), &floors)?;
    let mut details = Vec::with_capacity(pages.len());
    for page in pages {
        details.push(detail::of_snapshot(&page.ok_or_else(missing)?));
    }
    let mut emitted = Vec::with_capacity(pointed.len());
    for (((it, id), scope), detail) in pointed.iter().zip(&ids).zip(&scopes).zip(&details) {
        let kind = match it.kind {
            Kind::Turn => EventKind::StateComputed,
            Kind::Edit => EventKind::StateEdited,
        };
        emitted.push(NewEvent {
            emits: Emits::One(kind),
            scope: scope.as_ref().ok_or_else(missing)?,
            seq: it.tick.seq(),
            subject: id.as_ref().ok_or_else(missing)?,
            variable: None,
            detail: Some(detail),
        });
    }
    events::emit_all(tx, clock.account(), &emitted)
}

/// Points a page's snapshot to a version; the caller emits the event.
pub(crate) fn set(tx: &mut dyn Tx, clock: &SessionClock, page_row: i64, fresh: &Id, version: i64) -> StoreResult<Id> {
    one(tx, SET, &set_params(clock.tick(), page_row, fresh, version), |row| stored_id(row.text(0)?))
}

/// Gives a page that was made just now its snapshot.
pub(crate) fn insert(tx: &mut dyn Tx, clock: &SessionClock, page_row: i64, id: &Id, version: i64) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO snapshot (account_id, session_row, page_row, id, version_row, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
    );
    tx.execute(sql, in_session![clock, page_row, id, version, clock.now()]).map(drop)
}

const SET: Sql = sql!(
    "INSERT INTO snapshot (account_id, session_row, page_row, id, version_row, created_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6)
     ON CONFLICT (account_id, session_row, page_row) DO UPDATE SET version_row = excluded.version_row
     RETURNING id"
);

fn set_params<'a>(tick: Tick<'a>, page_row: i64, fresh: &'a Id, version_row: i64) -> Vec<Param<'a>> {
    in_session![tick, page_row, fresh, version_row, tick.now()].to_vec()
}

/// Forgets the snapshots of pages, so that the next ones get other ids.
pub(crate) fn forget(tx: &mut dyn Tx, clock: &SessionClock, pages: &[i64]) -> StoreResult<()> {
    let sql = sql!("DELETE FROM snapshot WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    let sets: Vec<_> = pages.iter().map(|&page_row| in_session![clock, page_row].to_vec()).collect();
    execute_many(tx, sql, &sets)
}
