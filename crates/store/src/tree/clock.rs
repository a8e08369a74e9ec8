//! Who goes first: a write begins by taking the clock row of what it changes.
//!
//! Taking the row serialises the writers of one session (of one account for global data) on PostgreSQL as the one writer
//! does on SQLite. So whatever a transaction reads after it has its clock stays true until it commits. A write of several
//! sessions takes the account's clock first and then the sessions' by rising row, so that two of them never wait for each
//! other in a circle.
//!
//! A tick is the time in microseconds, or one more than the last tick if that was not earlier. So ticks rise strictly,
//! times never go back, and a tick is never seen twice: not after a session was deleted and made again, and not after a
//! backup was restored. What shows a tick to the outside (`ETag`) can rely on that.

use crate::db::tx::{Row, Tx, first};
use crate::error::{Refusal, StoreResult};
use crate::{params, sql};
use tavernkeep_engine::id::Id;

/// One tick of a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick {
    /// The session's row; 0 for the account's clock.
    pub session_row: i64,
    /// The number of this write: the time in microseconds, or one more than the last tick.
    pub seq: i64,
    /// The time of this write in milliseconds: the caller's, or the last tick's if that was later.
    pub now: i64,
    /// Whether the session's story state has a name of its own among variables.
    pub names_state: bool,
}

impl Tick {
    /// Another tick of the same clock.
    pub(crate) fn at(self, seq: i64) -> Tick {
        Tick { seq, now: millis(seq), ..self }
    }
}

/// Takes the clock of the account, which also guards the names of its sessions.
pub fn of_account(tx: &mut dyn Tx, account: &Id, now: i64) -> StoreResult<Option<Tick>> {
    let sql = sql!(
        "UPDATE account SET seq = CASE WHEN seq < ?2 THEN ?2 ELSE seq + 1 END
         WHERE account_id = ?1 RETURNING 0, seq, 0"
    );
    first(tx, sql, params![account, micros(now)], tick)
}

/// The same for an account that must be there.
pub fn of_this_account(tx: &mut dyn Tx, account: &Id, now: i64) -> StoreResult<Tick> {
    of_account(tx, account, now)?.ok_or_else(|| Refusal::AccountNotFound(account.clone()).into())
}

/// Takes the clock of a session by its public id. Nothing is returned if there is no such session.
pub fn of_session(tx: &mut dyn Tx, account: &Id, session: &Id, now: i64) -> StoreResult<Option<Tick>> {
    let sql = sql!(
        "UPDATE session SET seq = CASE WHEN seq < ?3 THEN ?3 ELSE seq + 1 END
         WHERE account_id = ?1 AND id = ?2
         RETURNING session_row, seq, CASE WHEN state_key IS NULL THEN 0 ELSE 1 END"
    );
    first(tx, sql, params![account, session, micros(now)], tick)
}

/// Takes the clock of a session by its row. One that is being deleted has none any more.
pub fn of_session_row(tx: &mut dyn Tx, account: &Id, session_row: i64, now: i64) -> StoreResult<Option<Tick>> {
    let sql = sql!(
        "UPDATE session SET seq = CASE WHEN seq < ?3 THEN ?3 ELSE seq + 1 END
         WHERE account_id = ?1 AND session_row = ?2 AND deleted_at IS NULL
         RETURNING session_row, seq, CASE WHEN state_key IS NULL THEN 0 ELSE 1 END"
    );
    first(tx, sql, params![account, session_row, micros(now)], tick)
}

/// Takes as many further ticks of a session whose clock is held; tells the first of them.
pub(crate) fn further(tx: &mut dyn Tx, account: &Id, tick: Tick, count: i64) -> StoreResult<i64> {
    let sql =
        sql!("UPDATE session SET seq = seq + ?3 WHERE account_id = ?1 AND session_row = ?2 RETURNING seq - ?3 + 1");
    crate::db::tx::one(tx, sql, params![account, tick.session_row, count], |row| row.int(0))
}

/// Marks the session as changed and hands out the next row number for a branch, floor or page in it.
pub fn next_row(tx: &mut dyn Tx, account: &Id, tick: Tick) -> StoreResult<i64> {
    next_rows(tx, account, tick, 1)
}

/// The same for as many rows as are needed; tells the first of them.
pub(crate) fn next_rows(tx: &mut dyn Tx, account: &Id, tick: Tick, count: i64) -> StoreResult<i64> {
    let sql = sql!(
        "UPDATE session SET last_row = last_row + ?4, updated_at = ?3
         WHERE account_id = ?1 AND session_row = ?2 RETURNING last_row - ?4 + 1"
    );
    crate::db::tx::one(tx, sql, params![account, tick.session_row, tick.now, count], |row| row.int(0))
}

/// Marks the session as changed.
pub fn touch(tx: &mut dyn Tx, account: &Id, tick: Tick) -> StoreResult<()> {
    let sql = sql!("UPDATE session SET updated_at = ?3 WHERE account_id = ?1 AND session_row = ?2");
    tx.execute(sql, params![account, tick.session_row, tick.now]).map(drop)
}

fn tick(row: &dyn Row) -> StoreResult<Tick> {
    let seq = row.int(1)?;
    Ok(Tick { session_row: row.int(0)?, seq, now: millis(seq), names_state: row.int(2)? == 1 })
}

const MICROS_PER_MS: i64 = 1_000;

/// The time of a tick in milliseconds.
pub(crate) fn millis(seq: i64) -> i64 {
    seq / MICROS_PER_MS
}

/// The first tick of a millisecond.
pub(crate) fn micros(now: i64) -> i64 {
    now.saturating_mul(MICROS_PER_MS)
}
