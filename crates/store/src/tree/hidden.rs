//! Sessions that are being deleted: hidden at once, purged in chunks.
//!
//! A hidden session has `deleted_at`, no chat file and, instead of its id, a name that no id can have. So a lookup of
//! the id or the chat file finds nothing and the name can be used again, and a clock that is asked for by row refuses to tick. What is
//! found by an id of its own (floors, pages, variables, snapshots) joins its session and asks for `deleted_at IS NULL`.

use crate::db::session_tables;
use crate::tree::prelude::*;

/// Rows from which on a session is hidden first. Deleting as many takes a few milliseconds; more would
/// block other writers.
pub const ROWS_AT_ONCE_MAX: i64 = 2_000;

/// Whether a session is too long to be deleted in one transaction. Counts no more rows than needed.
pub fn is_long(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<bool> {
    let rows: i64 = one(tx, session_tables::COUNT, in_session![session, ROWS_AT_ONCE_MAX + 1], |row| row.int(0))?;
    Ok(rows > ROWS_AT_ONCE_MAX)
}

/// Hides a session. Its variables count no more.
pub fn hide(tx: &mut dyn Tx, clock: &SessionClock, totals: &mut Totals) -> StoreResult<()> {
    let keys = in_session![clock];
    // The counts that hosts keep, since counting rows would read every value.
    let sql = sql!(
        "SELECT 1, CAST(SUM(variables) AS BIGINT) FROM session WHERE account_id = ?1 AND session_row = ?2
         UNION ALL SELECT 2, CAST(SUM(variables) AS BIGINT) FROM branch WHERE account_id = ?1 AND session_row = ?2
         UNION ALL SELECT 3, CAST(SUM(variables) AS BIGINT) FROM floor WHERE account_id = ?1 AND session_row = ?2
         UNION ALL SELECT 4, CAST(SUM(variables) AS BIGINT) FROM page WHERE account_id = ?1 AND session_row = ?2"
    );
    tx.query(sql, keys, &mut |row| {
        totals.add(stored_enum(row.int(0)?)?, clock.session_row(), -row.int_or_null(1)?.unwrap_or(0));
        Ok(())
    })?;
    let sql = sql!(
        "UPDATE session SET deleted_at = ?3, id = '/' || CAST(session_row AS TEXT), title = NULL, chat_file = NULL
         WHERE account_id = ?1 AND session_row = ?2"
    );
    tx.execute(sql, in_session![clock, clock.now()]).map(drop)
}

/// Frees the ids of a floor and of a page that are being deleted with their session.
const FREE_IDS: [Sql; 2] = [
    sql!(
        "UPDATE floor SET id = '/' || CAST(session_row AS TEXT) || '/' || CAST(floor_row AS TEXT)
         WHERE account_id = ?1 AND id = ?2 AND session_row IN (
            SELECT s.session_row FROM session s WHERE s.account_id = ?1 AND s.deleted_at IS NOT NULL)"
    ),
    sql!(
        "UPDATE page SET id = '/' || CAST(session_row AS TEXT) || '/' || CAST(page_row AS TEXT)
         WHERE account_id = ?1 AND id = ?2 AND session_row IN (
            SELECT s.session_row FROM session s WHERE s.account_id = ?1 AND s.deleted_at IS NOT NULL)"
    ),
];

/// Inserts a floor or a page by a statement that does nothing where its id is taken. An id that is being deleted with its
/// session is free. Refuses one that belongs to something else.
pub fn insert(tx: &mut dyn Tx, scope: Scope, sql: Sql, params: &[Param<'_>], id: &Id) -> StoreResult<()> {
    if tx.execute(sql, params)? > 0 {
        return Ok(());
    }
    tx.execute(FREE_IDS[usize::from(scope == Scope::Page)], &[params[0], id.into()])?;
    // Also where nothing was freed: the row may have been purged meanwhile.
    if tx.execute(sql, params)? == 0 {
        return Err(Refusal::IdTaken(scope.as_str(), id.to_string()).into());
    }
    Ok(())
}
