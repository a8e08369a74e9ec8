//! Where forks stand whose floor is gone or has moved away: on the last floor before it, by its number.
//!
//! A floor that is moved past others, of its branch or of a fork itself, leaves its forks where they were: they lose at most
//! that floor and never stand on what they did not have before.
//!
//! Invariant: such a number is the one of a floor that is there, or -1. The next turn of the source gets a number behind its
//! last floor, so no fork ever stands on what comes to its source later.

use crate::tree::line::BranchPosition;
use crate::tree::prelude::*;

/// Lets the forks of floors go that are about to be deleted. They keep the number as the place where they turned off. Returns
/// where the floors stand; see [`left`].
pub fn let_go(tx: &mut dyn Tx, clock: &SessionClock, floors: &[i64]) -> StoreResult<Vec<BranchPosition>> {
    let sql =
        sql!("SELECT branch_row, floor_no FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let sets: Vec<_> = floors.iter().map(|&floor_row| in_session![clock, floor_row].to_vec()).collect();
    let found = first_of_each(tx, sql, &sets, |row| Ok((row.int(0)?, row.int(1)?)))?;
    let sql = sql!(
        "UPDATE branch SET source_floor_row = NULL, source_floor_no = ?4, source_branch_floor_no = ?4
         WHERE account_id = ?1 AND session_row = ?2 AND source_floor_row = ?3"
    );
    let gone = floors.iter().zip(&found).filter_map(|(&floor_row, position)| Some((floor_row, (*position)?.1)));
    let sets: Vec<_> = gone.map(|(row, floor_no)| in_session![clock, row, floor_no].to_vec()).collect();
    execute_many(tx, sql, &sets)?;
    Ok(found.into_iter().flatten().collect())
}

/// A floor has been moved to another number of its branch. Forks that stand on it go along, unless it has passed others.
pub fn moved(tx: &mut dyn Tx, clock: &SessionClock, floor: &FloorPosition, to: i64) -> StoreResult<()> {
    let from = floor.floor_no;
    let place = in_session![clock, floor.branch_row, from, to, floor.floor_row];
    tx.execute(LEAVE, place)?;
    tx.execute(FOLLOW, &place[..5])?;
    left(tx, clock, &[(floor.branch_row, from)])
}

/// Forks that know their floor and are passed by it stay at the number it had.
const LEAVE: Sql = sql!(
    "UPDATE branch SET source_floor_row = NULL, source_floor_no = ?4, source_branch_floor_no = ?4
     WHERE account_id = ?1 AND session_row = ?2 AND source_floor_row = ?6 AND (
        EXISTS (SELECT 1 FROM floor f WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3
            AND ((f.floor_no > ?4 AND f.floor_no < ?5) OR (f.floor_no > ?5 AND f.floor_no < ?4)))
        OR EXISTS (SELECT 1 FROM floor f WHERE f.account_id = ?1 AND f.session_row = ?2
            AND f.branch_row = branch.branch_row AND f.floor_no > ?4 AND f.floor_no <= ?5))"
);

/// Forks that know the number alone get the new one, unless they are passed.
const FOLLOW: Sql = sql!(
    "UPDATE branch SET source_branch_floor_no = ?5,
        source_floor_no = CASE WHEN source_floor_no < ?5 THEN ?5 ELSE source_floor_no END
     WHERE account_id = ?1 AND session_row = ?2 AND source_branch_row = ?3 AND source_floor_row IS NULL
        AND source_branch_floor_no = ?4
        AND NOT EXISTS (SELECT 1 FROM floor f WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3
            AND ((f.floor_no > ?4 AND f.floor_no < ?5) OR (f.floor_no > ?5 AND f.floor_no < ?4)))
        AND NOT EXISTS (SELECT 1 FROM floor f WHERE f.account_id = ?1 AND f.session_row = ?2
            AND f.branch_row = branch.branch_row AND f.floor_no > ?4 AND f.floor_no <= ?5)"
);

/// Floors have left positions: forks that stood there by number stand on the floor before.
pub fn left(tx: &mut dyn Tx, clock: &SessionClock, positions: &[BranchPosition]) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE branch SET source_branch_floor_no = COALESCE((SELECT MAX(f.floor_no) FROM floor f
            WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3 AND f.floor_no < ?4), -1)
         WHERE account_id = ?1 AND session_row = ?2 AND source_branch_row = ?3 AND source_floor_row IS NULL
            AND source_branch_floor_no = ?4"
    );
    let sets: Vec<_> =
        positions.iter().map(|&(branch_row, floor_no)| in_session![clock, branch_row, floor_no].to_vec()).collect();
    execute_many(tx, sql, &sets)
}
