//! Snapshots that are dropped: one by one, by chat, or all that belong to no chat any more. Their pages are unprocessed then,
//! and the next processing gives them states under other ids, with the edits by hand of their pages. What only a snapshot had is
//! counted: the states of pages that are gone; edited ones are counted too.
//!
//! What is in the trash stays whole until it is restored or purged, so the state of a page there belongs to no one but that page: it is
//! dropped with its chat, and not as one that is left over.

use crate::events::{self, Emits, EventScope, NewEvent};
use crate::story::versions::Kind;
use crate::story::{are_many, around, edits, invalidate_flags, refresh, refresh_changed, snapshots};
use crate::tree::clock;
use crate::tree::prelude::*;
use crate::tree::separation;
use crate::tree::trash_items::{self, Amount, Bin, TrashKind};
use crate::tree::trash_rows::{self, Table};
use crate::types::record::{Condition, EventKind};
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Drops a snapshot; returns its item in the trash.
pub fn delete(
    tx: &mut dyn Tx,
    account: &Id,
    id: &Id,
    (condition, bin): (Condition, &Bin),
    now: i64,
) -> StoreResult<Option<Id>> {
    let session_row = snapshots::get(tx, account, id)?.session_row;
    let dropped = clock::with_session_row(tx, SessionKey::new(account, session_row), now, |tx, clock| {
        let snapshot = snapshots::get(tx, account, id)?;
        edits::check(&snapshot, condition)?;
        separation::separate_pages(tx, clock, &[snapshot.page_row])?;
        let sql = sql!("SELECT floor_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
        let floor_row = first(tx, sql, params![account, session_row, snapshot.page_row], |row| row.int(0))?;
        let dropped =
            DroppedSnapshot { page_row: snapshot.page_row, id: id.clone(), edited: snapshot.edited, floor_row };
        drop_all(tx, clock, &snapshot.session, &[dropped], bin)
    });
    dropped?.ok_or_else(|| Refusal::SnapshotNotFound(id.clone()).into())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatFile {
    pub session_row: i64,
    pub chat_file: String,
}

/// The next chats that have snapshots, in the order of their rows.
pub fn chats(tx: &mut dyn Tx, account: &Id, after: i64, limit: i64) -> StoreResult<Vec<ChatFile>> {
    let sql = sql!(
        "SELECT s.session_row, s.chat_file FROM session s
         WHERE s.account_id = ?1 AND s.session_row > ?2 AND s.deleted_at IS NULL AND EXISTS (
            SELECT 1 FROM snapshot n WHERE n.account_id = s.account_id AND n.session_row = s.session_row)
         ORDER BY s.session_row LIMIT ?3"
    );
    all(tx, sql, params![account, after, limit], |row| {
        Ok(ChatFile { session_row: row.int(0)?, chat_file: stored_text(row.bytes(1)?)? })
    })
}

pub fn chat(tx: &mut dyn Tx, account: &Id, chat_file: &str) -> StoreResult<Option<ChatFile>> {
    let sql = sql!(
        "SELECT s.session_row FROM session s
         WHERE s.account_id = ?1 AND s.chat_file = ?2 AND s.deleted_at IS NULL AND EXISTS (
            SELECT 1 FROM snapshot n WHERE n.account_id = s.account_id AND n.session_row = s.session_row)"
    );
    let found = first(tx, sql, params![account, chat_file.as_bytes()], |row| row.int(0))?;
    Ok(found.map(|session_row| ChatFile { session_row, chat_file: chat_file.to_owned() }))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    All,
    /// Those whose page is neither in the chat nor in the trash.
    Orphans,
}

/// How many snapshots were dropped, or would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    pub snapshots: i64,
    /// Of these the ones that were edited by hand.
    pub edited: i64,
    /// Of these the ones whose page is in the chat no more.
    pub orphans: i64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, more: Tally) {
        self.snapshots += more.snapshots;
        self.edited += more.edited;
        self.orphans += more.orphans;
    }
}

/// How many snapshots of a chat would be dropped.
pub fn count(tx: &mut dyn Tx, account: &Id, chat: &ChatFile, which: Which) -> StoreResult<Tally> {
    let sql = sql!(
        "SELECT COUNT(*), COALESCE(SUM(CASE WHEN v.kind = 1 THEN 1 ELSE 0 END), 0),
            COALESCE(SUM(CASE WHEN p.page_row IS NULL THEN 1 ELSE 0 END), 0)
         FROM snapshot n
         JOIN version v ON v.account_id = n.account_id AND v.session_row = n.session_row AND v.version_row = n.version_row
         LEFT JOIN page p ON p.account_id = n.account_id AND p.session_row = n.session_row AND p.page_row = n.page_row
         WHERE n.account_id = ?1 AND n.session_row = ?2 AND (CAST(?3 AS BIGINT) = 0 OR p.page_row IS NULL AND n.page_row NOT IN (
            SELECT r.host_row FROM trash t JOIN trash_row r ON r.account_id = t.account_id AND r.session_row = t.session_row
                AND r.trash_id = t.id AND r.table_no = ?4 AND r.host_row IS NOT NULL
            WHERE t.account_id = ?1 AND t.session_row = ?2 AND t.deleted_at <> 0))"
    );
    let params = params![account, chat.session_row, which == Which::Orphans, Table::Page.number()];
    one(tx, sql, params, |row| Ok(Tally { snapshots: row.int(0)?, edited: row.int(1)?, orphans: row.int(2)? }))
}

/// Snapshots that are dropped in one transaction.
pub const DROPPED_AT_ONCE: i64 = 100;

/// Drops some snapshots of a chat, up to [`DROPPED_AT_ONCE`]; fewer were the last ones. Drops nothing if the session has another
/// name by now, or is gone: then it is not the chat that was meant. Returns their item in the trash too.
pub fn drop_some(
    tx: &mut dyn Tx,
    account: &Id,
    chat: &ChatFile,
    (which, bin): (Which, &Bin),
    now: i64,
) -> StoreResult<(Tally, Option<Id>)> {
    let drop = |tx: &mut dyn Tx, clock: &SessionClock| drop_under(tx, clock, chat, which, bin);
    Ok(clock::with_session_row(tx, SessionKey::new(account, chat.session_row), now, drop)?.unwrap_or_default())
}

fn drop_under(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    chat: &ChatFile,
    which: Which,
    bin: &Bin,
) -> StoreResult<(Tally, Option<Id>)> {
    let sql = sql!("SELECT id, chat_file FROM session WHERE account_id = ?1 AND session_row = ?2");
    let (session, chat_file) =
        one(tx, sql, in_session![clock], |row| Ok((stored_id(row.text(0)?)?, stored_text(row.bytes(1)?)?)))?;
    if chat_file != chat.chat_file {
        return Ok((Tally::default(), None));
    }
    let sql = sql!(
        "SELECT n.page_row, n.id, v.kind, p.floor_row FROM snapshot n
         JOIN version v ON v.account_id = n.account_id AND v.session_row = n.session_row AND v.version_row = n.version_row
         LEFT JOIN page p ON p.account_id = n.account_id AND p.session_row = n.session_row AND p.page_row = n.page_row
         WHERE n.account_id = ?1 AND n.session_row = ?2 AND (CAST(?3 AS BIGINT) = 0 OR p.page_row IS NULL AND n.page_row NOT IN (
            SELECT r.host_row FROM trash t JOIN trash_row r ON r.account_id = t.account_id AND r.session_row = t.session_row
                AND r.trash_id = t.id AND r.table_no = ?4 AND r.host_row IS NOT NULL
            WHERE t.account_id = ?1 AND t.session_row = ?2 AND t.deleted_at <> 0))
         ORDER BY n.page_row LIMIT ?5"
    );
    let params = in_session![clock, which == Which::Orphans, Table::Page.number(), DROPPED_AT_ONCE];
    let dropped = all(tx, sql, params, |row| {
        Ok(DroppedSnapshot {
            page_row: row.int(0)?,
            id: stored_id(row.text(1)?)?,
            edited: stored_enum::<Kind>(row.int(2)?)? == Kind::Edit,
            floor_row: row.int_or_null(3)?,
        })
    })?;
    let item = drop_all(tx, clock, &session, &dropped, bin)?;
    let mut tally = Tally::default();
    for dropped in &dropped {
        let (edited, orphans) = (i64::from(dropped.edited), i64::from(dropped.floor_row.is_none()));
        tally += Tally { snapshots: 1, edited, orphans };
    }
    Ok((tally, item))
}

struct DroppedSnapshot {
    page_row: i64,
    id: Id,
    edited: bool,
    /// The floor of its page, while that exists.
    floor_row: Option<i64>,
}

/// Drops snapshots of a session, and looks again at the floors that had them.
fn drop_all(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    session: &Id,
    dropped: &[DroppedSnapshot],
    bin: &Bin,
) -> StoreResult<Option<Id>> {
    let session_row = clock.session_row();
    let edited = dropped.iter().filter(|dropped| dropped.edited).map(|dropped| dropped.page_row);
    edits::keep_old(tx, clock, &edited.collect::<Vec<_>>())?;
    let pages: Vec<i64> = dropped.iter().map(|dropped| dropped.page_row).collect();
    let item = match bin {
        Bin::Trash(id) if !pages.is_empty() => Some(keep(tx, clock, id, &pages)?),
        _ => None,
    };
    snapshots::forget(tx, clock, &pages)?;
    let floors: Vec<i64> = dropped.iter().filter_map(|dropped| dropped.floor_row).collect();
    let mut scopes = EventScope::of_floors(tx, clock.key(), &floors)?.into_iter();
    let whole = EventScope::session(session_row, session);
    let scopes: Vec<Option<EventScope>> =
        dropped.iter().map(|dropped| dropped.floor_row.and_then(|_| scopes.next().flatten())).collect();
    let emitted = dropped.iter().zip(&scopes).map(|(dropped, scope)| {
        let (emits, scope) = (Emits::One(EventKind::StateDropped), scope.as_ref().unwrap_or(&whole));
        NewEvent { emits, scope, seq: clock.seq(), subject: &dropped.id, variable: None, detail: None }
    });
    events::emit_all(tx, clock.account(), &emitted.collect::<Vec<_>>())?;
    let floors = around(tx, clock.key(), &floors)?;
    refresh(tx, clock, &floors)?;
    Ok(item)
}

/// Puts the snapshots of pages into the trash.
fn keep(tx: &mut dyn Tx, clock: &SessionClock, id: &Id, pages: &[i64]) -> StoreResult<Id> {
    let amount = Amount { pages: i64::try_from(pages.len()).unwrap_or(i64::MAX), ..Amount::default() };
    let item = trash_items::put_part(tx, clock, id, TrashKind::Snapshots, amount)?;
    let sql = sql!(
        "INSERT INTO trash_snapshot (account_id, session_row, trash_id, page_row, id, version_row, created_at)
         SELECT account_id, session_row, ?3, page_row, id, version_row, created_at FROM snapshot
         WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?4"
    );
    let sets: Vec<_> = pages.iter().map(|&page_row| in_session![clock, &item, page_row].to_vec()).collect();
    execute_many(tx, sql, &sets)?;
    trash_rows::note_dropped(tx, clock, &item)?;
    Ok(item)
}

/// States that came back.
pub(crate) struct RestoredStates {
    pub(crate) count: i64,
    /// Whether those are all that the item held.
    pub(crate) is_whole: bool,
    /// The branches whose lines they are on.
    pub(crate) branches: Vec<String>,
}

/// Gives pages the snapshots of an item in the trash back. A page that has another one by now keeps that, and the item keeps the one that
/// it had. If all are back, the item is left to the caller, with the rows that it is taken out of the trash with.
///
/// A fork that was there when they were dropped lost its own with them; one that was made since is a copy of what was there then, without
/// them.
pub(crate) fn restore(tx: &mut dyn Tx, clock: &SessionClock, item: &Id) -> StoreResult<RestoredStates> {
    let sql = sql!("SELECT page_row FROM trash_snapshot WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3");
    let pages: Vec<i64> = all(tx, sql, in_session![clock, item], |row| row.int(0))?;
    // Of an item of an older program nobody knows which forks were there.
    let dropped_at = trash_rows::dropped_at(tx, clock.key(), item)?.unwrap_or(0);
    let lines = separation::separate_later(tx, clock, &pages, dropped_at)?;
    let sql = sql!(
        "INSERT INTO snapshot (account_id, session_row, page_row, id, version_row, created_at)
         SELECT account_id, session_row, page_row, id, version_row, created_at FROM trash_snapshot
         WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3
         ON CONFLICT (account_id, session_row, page_row) DO NOTHING RETURNING page_row"
    );
    let back: Vec<i64> = all(tx, sql, in_session![clock, item], |row| row.int(0))?;
    let count = i64::try_from(back.len()).unwrap_or(i64::MAX);
    let is_whole = back.len() == pages.len();
    if !is_whole {
        let sql = sql!(
            "DELETE FROM trash_snapshot WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND page_row = ?4"
        );
        let sets: Vec<_> = back.iter().map(|&page_row| in_session![clock, item, page_row].to_vec()).collect();
        execute_many(tx, sql, &sets)?;
    }
    let sql = sql!("UPDATE trash SET pages = pages - ?4 WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
    tx.execute(sql, in_session![clock, item, count])?;
    if are_many(back.len()) {
        invalidate_flags(tx, clock)?;
    } else {
        let sql = sql!("SELECT floor_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
        let sets: Vec<_> = back.iter().map(|&page_row| in_session![clock, page_row].to_vec()).collect();
        let floors: Vec<i64> = all_of_each(tx, sql, &sets, |row| row.int(0))?;
        refresh_changed(tx, clock, &floors)?;
    }
    clock.mark_changed();
    let sql = sql!(
        "SELECT id FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND LENGTH(id) <= 256"
    );
    let sets: Vec<_> = lines.iter().map(|&branch_row| in_session![clock, branch_row].to_vec()).collect();
    let branches = all_of_each(tx, sql, &sets, |row| stored_text(row.bytes(0)?))?;
    Ok(RestoredStates { count, is_whole, branches })
}
