//! Sessions that are in the trash, or being purged: hidden at once, purged in chunks.
//!
//! A hidden session has `deleted_at`, no chat file and, instead of its id, a name that no id can have. So a lookup of
//! the id or the chat file finds nothing and the name can be used again, and a clock that is asked for by row refuses to tick. What is
//! found by an id of its own (floors, pages, variables, snapshots) joins its session and asks for `deleted_at IS NULL`.
//!
//! A branch that is being deleted, or that shares floors from the trash, is hidden in the same way: its name is longer than any
//! other name can be. Statements that list branches ask for `LENGTH(id) <= 256`.

use crate::db::session_tables;
use crate::tree::prelude::*;
use crate::tree::separation;
use crate::tree::trash_items::{self, Amount, TrashKind};
use tavernkeep_engine::limits::BRANCH_BYTES_MAX;

/// Statements have the number in their text.
const _: () = assert!(BRANCH_BYTES_MAX == 256);

/// The name of a branch that belongs to an item of the trash.
pub fn branch_name(item: &Id) -> String {
    format!("{:.<width$}", item.as_str(), width = BRANCH_BYTES_MAX + 1)
}

/// Makes the hidden branch of a draft, on which nobody finds what is prepared. A draft of this kind that is given up is purged with it.
pub(crate) fn make_branch(tx: &mut dyn Tx, clock: &SessionClock, draft: &Id, branch_row: i64) -> StoreResult<()> {
    trash_items::begin_draft(tx, clock, draft, TrashKind::Sync)?;
    let sql = sql!(
        "INSERT INTO branch (account_id, session_row, branch_row, id, created_at, variables)
         VALUES (?1, ?2, ?3, ?4, ?5, 0)"
    );
    let name = branch_name(draft);
    tx.execute(sql, in_session![clock, branch_row, name.as_bytes(), clock.now()]).map(drop)
}

/// Makes a floor of a hidden branch on which swipes wait that come onto their floors or have left them. Its number is below zero, which no
/// other floor has: nobody finds the pages on it ([`positions`](crate::tree::positions)).
pub(crate) fn make_floor_of_swipes(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    (item, branch_row): (&Id, i64),
    number: usize,
) -> StoreResult<i64> {
    let sql = sql!(
        "INSERT INTO floor (account_id, session_row, floor_row, id, branch_row, floor_no, state, created_at, updated_at, variables)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 2, ?7, ?7, 0)"
    );
    let floor_row = clock.next_row();
    let id = trash_items::numbered(item, number as i64)?;
    tx.execute(sql, in_session![clock, floor_row, &id, branch_row, -1 - number as i64, clock.now()])?;
    Ok(floor_row)
}

/// Deletes a hidden branch when everything has left it.
pub(crate) fn remove_branch(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64) -> StoreResult<()> {
    for sql in [
        sql!("DELETE FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"),
        sql!("DELETE FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"),
    ] {
        tx.execute(sql, in_session![clock, branch_row])?;
    }
    Ok(())
}

/// The item that a hidden branch belongs to; none for another branch.
pub(crate) fn item_of(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64) -> StoreResult<Option<Id>> {
    let sql = sql!("SELECT id FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
    let name = first(tx, sql, in_session![session, branch_row], |row| stored_text(row.bytes(0)?))?.unwrap_or_default();
    if name.len() <= BRANCH_BYTES_MAX {
        return Ok(None);
    }
    stored_id(name.trim_end_matches('.')).map(Some)
}

/// Whether a branch is in the trash.
pub(crate) enum BranchPlace {
    /// It is no part of the trash, or it is on its way there: what others share with it is still on it.
    Line,
    /// It is in this item, with everything that is its own.
    Trash(Id),
    /// Its item is being purged: nobody needs what it shares.
    Purged,
}

/// Finds out where a branch is.
pub(crate) fn place_of(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64) -> StoreResult<BranchPlace> {
    let Some(item) = item_of(tx, session, branch_row)? else { return Ok(BranchPlace::Line) };
    let sql = sql!("SELECT deleted_at FROM trash WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
    Ok(match first(tx, sql, in_session![session, &item], |row| row.int(0))? {
        Some(1..) => BranchPlace::Trash(item),
        Some(..0) => BranchPlace::Line,
        Some(0) | None => BranchPlace::Purged,
    })
}

/// Rows from which on a session is hidden first. Deleting as many takes a few milliseconds; more would
/// block other writers.
pub const ROWS_AT_ONCE_MAX: i64 = 2_000;

/// Whether a session is too long to be deleted in one transaction. Counts no more rows than needed.
pub fn is_long(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<bool> {
    let rows: i64 = one(tx, session_tables::COUNT, in_session![session, ROWS_AT_ONCE_MAX + 1], |row| row.int(0))?;
    Ok(rows > ROWS_AT_ONCE_MAX)
}

/// Hides a session; returns how much it holds. Its variables count in no list any more.
pub fn hide(tx: &mut dyn Tx, clock: &SessionClock, totals: &mut Totals) -> StoreResult<Amount> {
    let amount = count(tx, clock.key(), totals, -1)?;
    let sql = sql!(
        "UPDATE session SET deleted_at = ?3, id = '/' || CAST(session_row AS TEXT), chat_file = NULL
         WHERE account_id = ?1 AND session_row = ?2"
    );
    tx.execute(sql, in_session![clock, clock.now()])?;
    Ok(amount)
}

/// Shows a hidden session again, under names that are free.
pub fn show(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    (id, chat_file): (&Id, &str),
    totals: &mut Totals,
) -> StoreResult<()> {
    count(tx, session, totals, 1)?;
    let sql = sql!(
        "UPDATE session SET deleted_at = NULL, id = ?3, chat_file = ?4
         WHERE account_id = ?1 AND session_row = ?2 AND deleted_at IS NOT NULL"
    );
    tx.execute(sql, in_session![session, id, chat_file.as_bytes()]).map(drop)
}

/// Adds what a session holds to the totals, or takes it from them. Hosts count their variables, and counting rows would read every
/// value.
fn count(tx: &mut dyn Tx, session: SessionKey<'_>, totals: &mut Totals, times: i64) -> StoreResult<Amount> {
    let sql = sql!(
        "SELECT 1, CAST(SUM(variables) AS BIGINT), 0 FROM session WHERE account_id = ?1 AND session_row = ?2
         UNION ALL SELECT 2, CAST(SUM(variables) AS BIGINT), 0 FROM branch WHERE account_id = ?1 AND session_row = ?2
         UNION ALL SELECT 3, CAST(SUM(variables) AS BIGINT), COUNT(*) FROM floor WHERE account_id = ?1 AND session_row = ?2
         UNION ALL SELECT 4, CAST(SUM(variables) AS BIGINT), COUNT(*) FROM page WHERE account_id = ?1 AND session_row = ?2"
    );
    let mut amount = Amount::default();
    tx.query(sql, in_session![session], &mut |row| {
        let (scope, variables) = (stored_enum::<Scope>(row.int(0)?)?, row.int_or_null(1)?.unwrap_or(0));
        totals.add(scope, session.row, times * variables);
        amount.variables += variables;
        match scope {
            Scope::Floor => amount.floors = row.int(2)?,
            Scope::Page => amount.pages = row.int(2)?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(amount)
}

/// Deletes everything of a session in one transaction; for one that is not long.
pub fn purge(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<()> {
    for &sql in session_tables::DELETE_ALL {
        tx.execute(sql, in_session![session])?;
    }
    let sql = sql!("DELETE FROM session WHERE account_id = ?1 AND session_row = ?2");
    tx.execute(sql, in_session![session])?;
    crate::tree::characters::sweep(tx, session.account)
}

/// Finds a floor and a page of a hidden session by their ids, and renames them.
const FREE_IDS: [[Sql; 2]; 2] = [
    [
        sql!(
            "SELECT f.session_row, f.floor_row FROM floor f
             JOIN session s ON s.account_id = f.account_id AND s.session_row = f.session_row
             WHERE f.account_id = ?1 AND f.id = ?2 AND s.deleted_at IS NOT NULL"
        ),
        sql!("UPDATE floor SET id = ?4 WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3"),
    ],
    [
        sql!(
            "SELECT p.session_row, p.page_row FROM page p
             JOIN session s ON s.account_id = p.account_id AND s.session_row = p.session_row
             WHERE p.account_id = ?1 AND p.id = ?2 AND s.deleted_at IS NOT NULL"
        ),
        sql!("UPDATE page SET id = ?4 WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3"),
    ],
];

/// Frees an id that a floor or page of a hidden session has: that one gets another, should it come back.
fn free_id(tx: &mut dyn Tx, scope: Scope, account: &Id, id: &Id) -> StoreResult<()> {
    let [find, rename] = FREE_IDS[usize::from(scope == Scope::Page)];
    let found = first(tx, find, params![account, id], |row| Ok((row.int(0)?, row.int(1)?)))?;
    let Some((session_row, row)) = found else { return Ok(()) };
    let other = separation::other_id(SessionKey::new(account, session_row), id, row)?;
    tx.execute(rename, params![account, session_row, row, &other]).map(drop)
}

/// Inserts a floor or a page by a statement that does nothing where its id is taken. An id that is being deleted with its
/// session is free. Refuses one that belongs to something else.
pub fn insert(
    tx: &mut dyn Tx,
    scope: Scope,
    sql: Sql,
    (account, params): (&Id, &[Param<'_>]),
    id: &Id,
) -> StoreResult<()> {
    // The copies of two such ids would have one id, and anybody's copy could have it.
    if separation::is_copy(id) {
        return Err(Refusal::IdReserved(id.to_string()).into());
    }
    if tx.execute(sql, params)? > 0 {
        return Ok(());
    }
    free_id(tx, scope, account, id)?;
    // Also where nothing was freed: the row may have been purged meanwhile.
    if tx.execute(sql, params)? == 0 {
        return Err(Refusal::IdTaken(scope.as_str(), id.to_string()).into());
    }
    Ok(())
}
