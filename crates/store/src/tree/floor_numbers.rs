//! The numbers of floors: which ones of a branch are free.
//!
//! A branch counts on from where it turns off, so its own floors have numbers above that. What has a number up to there lies
//! before the fork and belongs to the branch it was forked from.

use crate::tree::line;
use crate::tree::prelude::*;
use tavernkeep_engine::limits::POSITION_MAX;

/// The number that a new floor gets: the one that is wanted, if it is free, or the next one.
pub fn choose(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64, wanted: Option<i64>) -> StoreResult<i64> {
    if let Some(wanted) = wanted {
        free(tx, session, branch_row, wanted)?;
        return Ok(wanted);
    }
    let next = next(tx, session, branch_row)?;
    if next <= POSITION_MAX { Ok(next) } else { Err(Refusal::FloorNumbersEnd.into()) }
}

/// Refuses a number that is taken or lies before the fork.
pub fn free(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64, floor_no: i64) -> StoreResult<()> {
    let sql =
        sql!("SELECT 1 FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND floor_no = ?4");
    let is_taken = first(tx, sql, in_session![session, branch_row, floor_no], |row| row.int(0))?.is_some();
    let source = line::source(tx, session, branch_row)?;
    let fork = source.map(|(_, fork)| fork).filter(|&fork| floor_no <= fork);
    if !is_taken && fork.is_none() {
        return Ok(());
    }
    let next = next(tx, session, branch_row)?;
    Err(Refusal::FloorNumberTaken { floor_no, fork, next: Some(next).filter(|&next| next <= POSITION_MAX) }.into())
}

/// The number behind the last floor of a branch and behind what lies before the fork; of a branch without floors, behind the
/// place where it was forked.
fn next(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64) -> StoreResult<i64> {
    let sql = sql!(
        "SELECT CASE
            WHEN w.last IS NULL THEN COALESCE(w.forked, -1)
            WHEN w.last < w.before THEN w.before
            ELSE w.last END + 1
         FROM (SELECT COALESCE(f.floor_no, b.source_floor_no) AS forked,
                COALESCE(f.floor_no, b.source_branch_floor_no) AS before,
                (SELECT MAX(o.floor_no) FROM floor o WHERE o.account_id = ?1 AND o.session_row = ?2 AND o.branch_row = ?3)
                    AS last
             FROM branch b
             LEFT JOIN floor f ON f.account_id = b.account_id AND f.session_row = b.session_row
                AND f.floor_row = b.source_floor_row
             WHERE b.account_id = ?1 AND b.session_row = ?2 AND b.branch_row = ?3) w"
    );
    one(tx, sql, in_session![session, branch_row], |row| row.int(0))
}
