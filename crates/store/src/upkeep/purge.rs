//! Purges hidden sessions, a few rows at a time, so that other writes do not wait long.

use crate::db::session_tables;
use crate::jobs::{Claim, END, JobStep, Progress, advance, hold};
use crate::tree::prelude::*;

/// Deletes up to so many rows of a hidden session; returns how many there were. None is left when there are fewer.
///
/// Row 0 is what hangs on the account itself; for an account that is being deleted.
pub fn chunk(tx: &mut dyn Tx, session: SessionKey<'_>, rows: i64) -> StoreResult<i64> {
    // The database may have no statistics of many rows yet.
    tx.has_grown()?;
    let mut left = rows;
    for &sql in session_tables::DELETE_SOME {
        if left <= 0 {
            return Ok(rows);
        }
        left -= i64::try_from(tx.execute(sql, in_session![session, left])?).unwrap_or(left);
    }
    if left > 0 && session.row != 0 {
        let sql = sql!("DELETE FROM session WHERE account_id = ?1 AND session_row = ?2 AND deleted_at IS NOT NULL");
        tx.execute(sql, in_session![session])?;
        crate::tree::characters::sweep(tx, session.account)?;
    }
    Ok(rows - left)
}

/// How many rows a session consists of. Reads much; not for the writer thread.
pub fn count(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<i64> {
    one(tx, session_tables::COUNT, in_session![session, i64::MAX], |row| row.int(0))
}

/// Does one chunk of a deletion: up to so many rows. `total` is what the job will amount to, as far as is known.
pub fn step(tx: &mut dyn Tx, claim: &Claim, rows: i64, total: Option<i64>, now: i64) -> StoreResult<JobStep> {
    let Some(held) = hold(tx, claim, END, now)? else { return Ok(JobStep::Finished) };
    let gone = chunk(tx, SessionKey::new(&claim.account, claim.session_row), rows)?;
    let (done, finished) = (held.done + gone, gone < rows);
    // What was counted before the work began, corrected by what the work found.
    let total = if finished { done } else { total.unwrap_or(held.total).max(done) };
    advance(tx, claim, &held, &Progress { done, total, work: None, finished }, now)
}
