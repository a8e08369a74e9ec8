//! Where forks stand whose floor is gone: on the last floor before it, by its number.
//!
//! Invariant: such a number is the one of a floor that is there, or -1. The next turn of the source gets a number behind its
//! last floor, so no fork ever stands on what comes to its source later.

use crate::error::StoreResult;
use crate::tx::{Tx, execute_many, first_of_each};
use crate::{params, sql};
use tavernkeep_engine::id::Id;

/// A branch and a position on it.
pub(crate) type Position = (i64, i64);

/// Lets the forks of floors go that are about to be deleted. They keep the number as the place where they turned off. Tells
/// where the floors stand; see [`left`].
pub(crate) fn let_go(tx: &mut dyn Tx, account: &Id, session_row: i64, floors: &[i64]) -> StoreResult<Vec<Position>> {
    let sql =
        sql!("SELECT branch_row, floor_no FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let sets: Vec<_> = floors.iter().map(|&floor_row| params![account, session_row, floor_row].to_vec()).collect();
    let found = first_of_each(tx, sql, &sets, |row| Ok((row.int(0)?, row.int(1)?)))?;
    let sql = sql!(
        "UPDATE branch SET source_floor_row = NULL, source_floor_no = ?4, source_branch_floor_no = ?4
         WHERE account_id = ?1 AND session_row = ?2 AND source_floor_row = ?3"
    );
    let gone = floors.iter().zip(&found).filter_map(|(&floor_row, position)| Some((floor_row, (*position)?.1)));
    let sets: Vec<_> = gone.map(|(row, floor_no)| params![account, session_row, row, floor_no].to_vec()).collect();
    execute_many(tx, sql, &sets)?;
    Ok(found.into_iter().flatten().collect())
}

/// Positions have been left: whoever stood there by number stands on the floor before.
pub(crate) fn left(tx: &mut dyn Tx, account: &Id, session_row: i64, positions: &[Position]) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE branch SET source_branch_floor_no = COALESCE((SELECT MAX(f.floor_no) FROM floor f
            WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3 AND f.floor_no < ?4), -1)
         WHERE account_id = ?1 AND session_row = ?2 AND source_branch_row = ?3 AND source_floor_row IS NULL
            AND source_branch_floor_no = ?4"
    );
    let sets: Vec<_> = positions
        .iter()
        .map(|&(branch_row, floor_no)| params![account, session_row, branch_row, floor_no].to_vec())
        .collect();
    execute_many(tx, sql, &sets)
}
