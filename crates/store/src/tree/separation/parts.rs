//! Giving branches their own rows in parts: the last floors that a branch shares first. After each part it is the same copy and shares
//! fewer floors, so nobody sees the difference.

use super::own_at_once;
use crate::db::long_work;
use crate::tree::clock;
use crate::tree::line::{self, BranchPosition, LineSegment};
use crate::tree::prelude::*;

/// Floors that get rows of their own in one transaction.
const FLOORS_AT_ONCE: usize = 250;

/// Stops a write that would copy more floors than one transaction should.
pub fn stop_if_long(tx: &mut dyn Tx, clock: &SessionClock, owners: &[BranchPosition]) -> StoreResult<()> {
    if !long_work::stops() {
        return Ok(());
    }
    let mut count = 0;
    for &(branch_row, from) in owners {
        count += last_shared(tx, clock, branch_row, from, FLOORS_AT_ONCE + 1)?.len();
        if count > FLOORS_AT_ONCE {
            return Err(in_parts(clock, owners.to_vec()));
        }
    }
    Ok(())
}

fn in_parts(clock: &SessionClock, owners: Vec<BranchPosition>) -> StoreError {
    let (account, session_row, now) = (clock.account().clone(), clock.session_row(), clock.now());
    long_work::in_parts(move |tx| {
        let session = SessionKey::new(&account, session_row);
        let is_done = clock::with_session_row(tx, session, now, |tx, clock| own_some(tx, clock, &owners))?;
        // A session that is gone has nothing left to do.
        Ok(is_done.unwrap_or(true))
    })
}

/// Does a part for the first branch that still shares something; returns whether there was none.
fn own_some(tx: &mut dyn Tx, clock: &SessionClock, owners: &[BranchPosition]) -> StoreResult<bool> {
    for &(branch_row, from) in owners {
        if let Some(&first) = last_shared(tx, clock, branch_row, from, FLOORS_AT_ONCE)?.last() {
            own_at_once(tx, clock, branch_row, first)?;
            tx.has_grown()?;
            return Ok(false);
        }
    }
    Ok(true)
}

/// The positions of the last floors that a branch shares from a position on, the last one first.
fn last_shared(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    branch_row: i64,
    from: i64,
    count: usize,
) -> StoreResult<Vec<i64>> {
    if line::source(tx, clock.key(), branch_row)?.is_none_or(|(_, shared)| shared < from) {
        return Ok(Vec::new());
    }
    let mut way: Vec<LineSegment> = line::segments(tx, clock.key(), branch_row, i64::MAX)?;
    way.pop();
    let sql = sql!(
        "SELECT floor_no FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3
            AND floor_no >= ?4 AND floor_no <= ?5 AND state = 2 ORDER BY floor_no DESC LIMIT ?6"
    );
    let mut positions = Vec::new();
    for (source, last) in way.into_iter().rev() {
        let left = (count - positions.len()) as i64;
        if left == 0 {
            break;
        }
        positions.extend(all(tx, sql, in_session![clock, source, from, last, left], |row| row.int(0))?);
    }
    Ok(positions)
}
