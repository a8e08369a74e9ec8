//! The items of the trash: what one request deleted of one session, or one session, character or global snapshot.
//!
//! An item is in the trash while its `deleted_at` is above zero. Restoring and purging begin with a statement that changes the item's
//! row only while it is there, so of two requests at the same time one finds nothing.

use crate::tree::prelude::*;
use std::collections::BTreeMap;

tavernkeep_engine::stored_enum! {
    /// What was deleted.
    TrashKind {
        Pages = "pages",
        Floors = "floors",
        Branch = "branch",
        Sync = "sync",
        Session = "session",
        Character = "character",
        GlobalSnapshot = "global_snapshot",
        /// States of pages that were dropped.
        Snapshots = "snapshots",
    }
}

/// Where what a request deletes goes.
#[derive(Debug, Clone)]
pub enum Bin {
    /// To the trash, under this id.
    Trash(Id),
    /// Nowhere.
    Purge,
}

/// What became of a thing that was to be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedId {
    /// Whether it was there.
    pub found: bool,
    /// What it can be restored by.
    pub trash: Option<Id>,
}

impl DeletedId {
    /// For things whose sessions are known, by the items that were made in those.
    pub(crate) fn of_sessions(sessions: &[Option<i64>], items: &BTreeMap<i64, Id>) -> Vec<DeletedId> {
        let one = |session: &Option<i64>| DeletedId {
            found: session.is_some(),
            trash: session.and_then(|session_row| items.get(&session_row)).cloned(),
        };
        sessions.iter().map(one).collect()
    }
}

/// How much an item holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amount {
    pub floors: i64,
    pub pages: i64,
    pub variables: i64,
}

/// What an item is about that belongs to no other session: a session, a character or a global snapshot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) kind: TrashKind,
    /// The row of the session or character; 0 for a global snapshot.
    pub(crate) row: i64,
    pub(crate) id: &'a Id,
    pub(crate) name: Option<&'a [u8]>,
    pub(crate) chat_file: Option<&'a [u8]>,
}

/// Puts a session, character or global snapshot into the trash. One request makes one item of each: those after the first have a
/// number behind the id.
pub(crate) fn put_subject(
    tx: &mut dyn Tx,
    tick: Tick<'_>,
    id: &Id,
    subject: Subject<'_>,
    amount: Amount,
) -> StoreResult<Id> {
    let account = tick.account();
    let taken =
        first(tx, sql!("SELECT 1 FROM trash WHERE account_id = ?1 AND id = ?2"), params![account, id], |_| Ok(()))?;
    let id = if taken.is_some() { numbered(id, subject.row)? } else { id.clone() };
    let sql = sql!(
        "INSERT INTO trash (account_id, session_row, id, deleted_at, kind, floors, pages, variables, subject_row, subject_id, name,
            chat_file) VALUES (?1, 0, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
    );
    let Amount { floors, pages, variables } = amount;
    let Subject { kind, row, id: subject_id, name, chat_file } = subject;
    let params =
        params![account, &id, tick.now(), kind.number(), floors, pages, variables, row, subject_id, name, chat_file];
    tx.execute(sql, params)?;
    Ok(id)
}

/// Adds to the item of a request in a session; returns the item's id.
pub(crate) fn put_part(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    id: &Id,
    kind: TrashKind,
    amount: Amount,
) -> StoreResult<Id> {
    let sql = sql!("SELECT session_row FROM trash WHERE account_id = ?1 AND id = ?2");
    let other = first(tx, sql, params![clock.account(), id], |row| row.int(0))?;
    let id = match other {
        Some(session_row) if session_row != clock.session_row() => numbered(id, clock.session_row())?,
        _ => id.clone(),
    };
    let sql = sql!(
        "INSERT INTO trash (account_id, session_row, id, deleted_at, kind, floors, pages, variables)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (account_id, id) DO UPDATE SET floors = trash.floors + excluded.floors,
            pages = trash.pages + excluded.pages, variables = trash.variables + excluded.variables"
    );
    let Amount { floors, pages, variables } = amount;
    tx.execute(sql, in_session![clock, &id, clock.now(), kind.number(), floors, pages, variables])?;
    Ok(id)
}

/// An item that is not in the trash yet: what it is to hold is deleted in parts. What becomes of it stands in its `deleted_at`.
#[derive(Debug, Clone)]
pub struct Unfinished {
    pub session_row: i64,
    pub item: Id,
    pub kind: TrashKind,
    pub bin: Bin,
}

/// The `deleted_at` of items that are unfinished.
const PURGED_LATER: i64 = -1;
const TRASHED_LATER: i64 = -2;

impl Unfinished {
    pub(crate) fn of(session_row: i64, item: &Id, kind: TrashKind, bin: &Bin) -> Unfinished {
        Unfinished { session_row, item: item.clone(), kind, bin: bin.clone() }
    }
}

/// Begins an item that is finished later, whatever happens.
pub(crate) fn begin(tx: &mut dyn Tx, clock: &SessionClock, item: &Id, kind: TrashKind, bin: &Bin) -> StoreResult<()> {
    let later = if let Bin::Trash(_) = bin { TRASHED_LATER } else { PURGED_LATER };
    begin_at(tx, clock, item, kind, later)
}

/// Begins an item for something that may never happen: it is dropped if it is not finished within an hour.
pub(crate) fn begin_draft(tx: &mut dyn Tx, clock: &SessionClock, item: &Id, kind: TrashKind) -> StoreResult<()> {
    begin_at(tx, clock, item, kind, -clock.now())
}

fn begin_at(tx: &mut dyn Tx, clock: &SessionClock, item: &Id, kind: TrashKind, deleted_at: i64) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO trash (account_id, session_row, id, deleted_at, kind, floors, pages, variables)
         VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, 0)
         ON CONFLICT (account_id, id) DO UPDATE SET deleted_at = excluded.deleted_at"
    );
    tx.execute(sql, in_session![clock, item, deleted_at, kind.number()]).map(drop)
}

/// How long a draft may take.
pub const DRAFT_MS_MAX: i64 = 60 * 60 * 1000;

/// The drafts that were begun before a time.
pub fn drafts(tx: &mut dyn Tx, account: &Id, before: i64) -> StoreResult<Vec<Id>> {
    let sql = sql!("SELECT id FROM trash WHERE account_id = ?1 AND deleted_at < ?2 AND deleted_at > ?3");
    all(tx, sql, params![account, TRASHED_LATER, -before], |row| stored_id(row.text(0)?))
}

/// Leaves one draft to be purged.
pub fn drop_draft(tx: &mut dyn Tx, account: &Id, item: &Id) -> StoreResult<()> {
    let sql = sql!("UPDATE trash SET deleted_at = 0 WHERE account_id = ?1 AND id = ?2 AND deleted_at < ?3");
    tx.execute(sql, params![account, item, TRASHED_LATER]).map(drop)
}

/// Counts more that a draft holds.
pub(crate) fn add_to_draft(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    item: &Id,
    (pages, variables): (i64, i64),
) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE trash SET pages = pages + ?4, variables = variables + ?5
         WHERE account_id = ?1 AND session_row = ?2 AND id = ?3 AND deleted_at < 0"
    );
    match tx.execute(sql, in_session![session, item, pages, variables])? {
        0 => Err(dropped()),
        _ => Ok(()),
    }
}

/// Puts an item into the trash, or leaves it to be purged, when all that it is to hold is there.
pub(crate) fn finish(tx: &mut dyn Tx, clock: &SessionClock, unfinished: &Unfinished) -> StoreResult<()> {
    let deleted_at = if let Bin::Trash(_) = unfinished.bin { clock.now() } else { 0 };
    let sql = sql!(
        "UPDATE trash SET deleted_at = ?4 WHERE account_id = ?1 AND session_row = ?2 AND id = ?3 AND deleted_at < 0"
    );
    match tx.execute(sql, in_session![clock, &unfinished.item, deleted_at])? {
        0 => Err(dropped()),
        _ => Ok(()),
    }
}

fn dropped() -> StoreError {
    StoreError::Contended("what was prepared for the trash has been dropped".into())
}

/// Deletes a draft that nothing is kept in.
pub(crate) fn end_draft(tx: &mut dyn Tx, clock: &SessionClock, item: &Id) -> StoreResult<()> {
    let sql = sql!("DELETE FROM trash WHERE account_id = ?1 AND session_row = ?2 AND id = ?3 AND deleted_at < 0");
    match tx.execute(sql, in_session![clock, item])? {
        0 => Err(dropped()),
        _ => Ok(()),
    }
}

/// Deletes a draft that nothing is kept in, if it is still there.
pub(crate) fn forget_draft(tx: &mut dyn Tx, clock: &SessionClock, item: &Id) -> StoreResult<()> {
    let sql = sql!(
        "DELETE FROM trash WHERE account_id = ?1 AND session_row = ?2 AND id = ?3 AND (deleted_at < ?4 OR deleted_at = 0)"
    );
    tx.execute(sql, in_session![clock, item, TRASHED_LATER]).map(drop)
}

pub(crate) fn is_unfinished(tx: &mut dyn Tx, account: &Id, item: &Id) -> StoreResult<bool> {
    let sql = sql!("SELECT 1 FROM trash WHERE account_id = ?1 AND id = ?2 AND deleted_at < 0");
    Ok(first(tx, sql, params![account, item], |_| Ok(()))?.is_some())
}

/// The unfinished items of sessions that are there.
pub fn unfinished(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<Unfinished>> {
    let sql = sql!(
        "SELECT t.session_row, t.id, t.deleted_at, t.kind FROM trash t
         JOIN session s ON s.account_id = t.account_id AND s.session_row = t.session_row
         WHERE t.account_id = ?1 AND t.deleted_at >= ?2 AND t.deleted_at < 0 AND s.deleted_at IS NULL"
    );
    all(tx, sql, params![account, TRASHED_LATER], |row| {
        let (session_row, item) = (row.int(0)?, stored_id(row.text(1)?)?);
        let bin = if row.int(2)? == TRASHED_LATER { Bin::Trash(item.clone()) } else { Bin::Purge };
        Ok(Unfinished { session_row, item, kind: stored_enum(row.int(3)?)?, bin })
    })
}

/// The id of a part of an item.
pub(crate) fn numbered(id: &Id, number: i64) -> StoreResult<Id> {
    let text = format!("{id}.{number}");
    text.parse().map_err(|_| StoreError::Internal(format!("{text} is no id")))
}

/// Takes the items of a session out of the trash for good, since the session is: their variables count no more. Those of drafts never did.
pub(crate) fn drop_of_session(tx: &mut dyn Tx, session: SessionKey<'_>, totals: &mut Totals) -> StoreResult<()> {
    let sql = sql!(
        "SELECT CAST(COALESCE(SUM(variables), 0) AS BIGINT) FROM trash
         WHERE account_id = ?1 AND session_row = ?2 AND deleted_at <> 0 AND deleted_at >= ?3"
    );
    let variables: i64 = one(tx, sql, in_session![session, TRASHED_LATER], |row| row.int(0))?;
    totals.add_trashed(session.row, -variables);
    let sql = sql!("UPDATE trash SET deleted_at = 0 WHERE account_id = ?1 AND session_row = ?2 AND deleted_at <> 0");
    tx.execute(sql, in_session![session]).map(drop)
}

/// How many things of a kind are in an account's trash.
pub(crate) fn count_of(tx: &mut dyn Tx, account: &Id, kind: TrashKind) -> StoreResult<i64> {
    let sql =
        sql!("SELECT COUNT(*) FROM trash WHERE account_id = ?1 AND session_row = 0 AND kind = ?2 AND deleted_at > 0");
    one(tx, sql, params![account, kind.number()], |row| row.int(0))
}
