//! What is kept for how long, and the deletion of what has expired: events, answers under idempotency keys, jobs that have ended. The
//! history of variables has rules of its own, in [`crate::upkeep::history_retention`].
//!
//! Everything is done in chunks. Two nodes that do the same at the same time find less to do, and nothing else.

use crate::db::prelude::*;
use crate::tree::clock;
use crate::upkeep::idempotency::{KEPT_AT_LEAST_MS, KEPT_MS};
use tavernkeep_engine::limits::ANSWERS_KEPT_MAX;

/// How long, and how many of them, things are kept. `None` keeps all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Age of an event in ms.
    pub events_age_ms: Option<i64>,
    /// Events of an account.
    pub events_count: Option<i64>,
    /// Age of a row of a variable's history in ms.
    pub history_age_ms: Option<i64>,
    /// Rows of one variable's history.
    pub history_count: Option<i64>,
    /// Age in ms of a version of a state that nothing points to any more. A turn can be repeated for a day and is then
    /// identified by what it was made of, so less than that is for tests.
    pub versions_age_ms: Option<i64>,
    /// Age in ms of what is in the trash; zero: nothing goes there.
    pub trash_age_ms: Option<i64>,
    /// Age of a call of a tool in ms.
    pub calls_age_ms: Option<i64>,
}

impl Default for Retention {
    /// Events are for listeners: one that was away for a month reads the state again. Of a variable the last
    /// thousand writes are more than anybody undoes.
    fn default() -> Self {
        Retention {
            events_age_ms: Some(30 * DAY_MS),
            events_count: Some(100_000),
            history_age_ms: None,
            history_count: Some(1_000),
            versions_age_ms: Some(2 * DAY_MS),
            trash_age_ms: Some(30 * DAY_MS),
            calls_age_ms: Some(365 * DAY_MS),
        }
    }
}

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
pub const JOBS_KEPT_MS: i64 = 7 * DAY_MS;

/// Where an account's events are cut. To find it can mean to look at as many rows as are kept, so it is found once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventsCut {
    /// The newest position that is too many: it and everything before it has expired.
    crowded: Option<i64>,
    /// The tick before which everything has expired.
    old: Option<i64>,
}

/// Finds where an account's events are cut. Runs outside of the writer thread.
pub fn events_cut(tx: &mut dyn Tx, account: &Id, retention: &Retention, now: i64) -> StoreResult<EventsCut> {
    let crowded = match retention.events_count {
        Some(count) => {
            let sql = sql!(
                "SELECT position FROM event WHERE account_id = ?1
                 ORDER BY position DESC, ordinal DESC LIMIT 1 OFFSET ?2"
            );
            first(tx, sql, params![account, count], |row| row.int(0))?
        }
        None => None,
    };
    Ok(EventsCut { crowded, old: retention.events_age_ms.map(|age| clock::micros(now.saturating_sub(age))) })
}

/// Up to where an account's events have expired, looking at no more than `rows` of them. Runs outside of the writer thread.
pub fn events_over(tx: &mut dyn Tx, account: &Id, cut: &EventsCut, rows: i64) -> StoreResult<Option<i64>> {
    // A transaction that is still running may yet add an event below this one, behind everybody's back.
    let settled = tx.events_settled()?;
    let sql = sql!(
        "SELECT position, seq FROM event WHERE account_id = ?1 AND position < ?2 ORDER BY position, ordinal LIMIT ?3"
    );
    let oldest = all(tx, sql, params![account, settled, rows], |row| Ok((row.int(0)?, row.int(1)?)))?;
    let is_over = |&&(position, seq): &&(i64, i64)| {
        cut.crowded.is_some_and(|last| position <= last) || cut.old.is_some_and(|old| seq < old)
    };
    Ok(oldest.iter().take_while(is_over).last().map(|(position, _)| *position))
}

/// Deletes an account's events up to a position, and remembers that they are gone.
pub fn purge_events(tx: &mut dyn Tx, account: &Id, position: i64) -> StoreResult<u64> {
    let sql = sql!("UPDATE account SET events_purged = ?2 WHERE account_id = ?1 AND events_purged < ?2");
    tx.execute(sql, params![account, position])?;
    tx.execute(sql!("DELETE FROM event WHERE account_id = ?1 AND position <= ?2"), params![account, position])
}

/// Up to when an account's kept answers have expired: all that are a day old, and of the younger ones those that are too
/// many and older than any client goes on trying.
pub fn answers_cut(tx: &mut dyn Tx, account: &Id, now: i64) -> StoreResult<i64> {
    let sql =
        sql!("SELECT created_at FROM kept_answer WHERE account_id = ?1 ORDER BY created_at DESC LIMIT 1 OFFSET ?2");
    let crowded = first(tx, sql, params![account, ANSWERS_KEPT_MAX], |row| row.int(0))?;
    let crowded = crowded.map_or(i64::MIN, |newest| newest.min(now - KEPT_AT_LEAST_MS));
    Ok(crowded.max(now - KEPT_MS))
}

/// Whether an account has kept answers up to a time, or jobs, that have expired.
pub fn leftovers_exist(tx: &mut dyn Tx, account: &Id, until: i64, now: i64) -> StoreResult<bool> {
    let sql = sql!(
        "SELECT 1 FROM kept_answer WHERE account_id = ?1 AND created_at <= ?2
         UNION ALL SELECT 1 FROM job WHERE account_id = ?1 AND created_at <= ?3 AND updated_at <= ?3 AND state IN (2, 3)
         LIMIT 1"
    );
    Ok(first(tx, sql, params![account, until, now - JOBS_KEPT_MS], |row| row.int(0))?.is_some())
}

/// Deletes up to so many expired answers and jobs; returns how many of each. A job that failed stays: it is the
/// only trace of work that is still to do.
pub fn purge_leftovers(tx: &mut dyn Tx, account: &Id, until: i64, rows: i64, now: i64) -> StoreResult<(u64, u64)> {
    let answers = tx.execute(
        sql!(
            "DELETE FROM kept_answer WHERE account_id = ?1 AND key IN (
                SELECT k.key FROM kept_answer k WHERE k.account_id = ?1 AND k.created_at <= ?2 LIMIT ?3)"
        ),
        params![account, until, rows],
    )?;
    let jobs = tx.execute(
        sql!(
            "DELETE FROM job WHERE account_id = ?1 AND id IN (
                SELECT j.id FROM job j
                WHERE j.account_id = ?1 AND j.created_at <= ?2 AND j.updated_at <= ?2 AND j.state IN (2, 3) LIMIT ?3)"
        ),
        params![account, now - JOBS_KEPT_MS, rows],
    )?;
    Ok((answers, jobs))
}

/// When a session was last changed, or an account made: the newest time that is known without a clock.
pub fn newest_row(tx: &mut dyn Tx) -> StoreResult<Option<i64>> {
    let sql = Sql::across_accounts(
        "SELECT MAX(newest) FROM (SELECT MAX(updated_at) AS newest FROM session
            UNION ALL SELECT MAX(created_at) FROM account WHERE created_at > 0) AS times",
    );
    Ok(first(tx, sql, params![], |row| row.int_or_null(0))?.flatten())
}

/// The time that the last pass went by; none before the first.
pub fn last_purge(tx: &mut dyn Tx) -> StoreResult<Option<i64>> {
    let sql = Sql::across_accounts("SELECT MAX(purged_at) FROM account");
    Ok(first(tx, sql, params![], |row| row.int_or_null(0))?.flatten())
}

/// Stores the time that a pass goes by.
pub fn store_purge(tx: &mut dyn Tx, time: i64) -> StoreResult<()> {
    // One row has it: nobody waits for more than one account. Another that had it, when there were other accounts, loses it.
    let clear = Sql::across_accounts(
        "UPDATE account SET purged_at = NULL
         WHERE purged_at IS NOT NULL AND account_id <> (SELECT MIN(a.account_id) FROM account a)",
    );
    tx.execute(clear, params![])?;
    let sql = Sql::across_accounts(
        "UPDATE account SET purged_at = ?1 WHERE account_id = (SELECT MIN(a.account_id) FROM account a)",
    );
    tx.execute(sql, params![time]).map(drop)
}

pub fn free_pages(tx: &mut dyn Tx) -> StoreResult<i64> {
    Ok(first(tx, Sql::across_accounts("PRAGMA freelist_count"), params![], |row| row.int(0))?.unwrap_or(0))
}

/// Gives some free pages of a SQLite file back to the system.
pub fn give_back(tx: &mut dyn Tx) -> StoreResult<()> {
    tx.query(Sql::across_accounts("PRAGMA incremental_vacuum(200)"), params![], &mut |_| Ok(()))
}
