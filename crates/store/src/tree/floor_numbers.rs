//! The numbers of floors: which ones of a line are free. A fork counts on from where it was made.

use crate::tree::line;
use crate::tree::prelude::*;
use std::collections::HashSet;
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

/// Refuses a number that another floor of the line has.
pub fn free(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64, floor_no: i64) -> StoreResult<()> {
    if are_free(tx, session, branch_row, &[floor_no])? {
        return Ok(());
    }
    let next = Some(next(tx, session, branch_row)?).filter(|&next| next <= POSITION_MAX);
    Err(Refusal::FloorNumberTaken { floor_no, next }.into())
}

/// Whether no floor of the line has one of these numbers. Drafts of the branches that it shares floors with are not on the line.
pub fn are_free(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64, numbers: &[i64]) -> StoreResult<bool> {
    let sql = sql!(
        "SELECT 1 FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND floor_no = ?4
            AND (state = 2 OR branch_row = ?5)"
    );
    for (branch, last) in line::segments(tx, session, branch_row, i64::MAX)? {
        if numbers.len() > MANY {
            if !are_many_free(tx, session, (branch, last), branch_row, numbers)? {
                return Ok(false);
            }
            continue;
        }
        let sets: Vec<_> = numbers
            .iter()
            .filter(|&&floor_no| floor_no <= last)
            .map(|&floor_no| in_session![session, branch, floor_no, branch_row].to_vec())
            .collect();
        if first_of_each(tx, sql, &sets, |row| row.int(0))?.into_iter().flatten().next().is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Numbers from which on one question is asked for all of them.
const MANY: usize = 32;

fn are_many_free(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    (branch, last): (i64, i64),
    branch_row: i64,
    numbers: &[i64],
) -> StoreResult<bool> {
    let wanted: HashSet<i64> = numbers.iter().copied().filter(|&floor_no| floor_no <= last).collect();
    let (Some(&from), Some(&to)) = (wanted.iter().min(), wanted.iter().max()) else { return Ok(true) };
    let sql = sql!(
        "SELECT floor_no FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3
            AND floor_no >= ?5 AND floor_no <= ?6 AND (state = 2 OR branch_row = ?4)"
    );
    let taken = all(tx, sql, in_session![session, branch, branch_row, from, to], |row| row.int(0))?;
    Ok(!taken.iter().any(|floor_no| wanted.contains(floor_no)))
}

/// The number behind the last floor of a branch, its own or one that it shares.
fn next(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64) -> StoreResult<i64> {
    let sql = sql!(
        "SELECT COALESCE(
            (SELECT MAX(f.floor_no) FROM floor f
             WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3),
            b.shared_floor_no, -1) + 1
         FROM branch b WHERE b.account_id = ?1 AND b.session_row = ?2 AND b.branch_row = ?3"
    );
    one(tx, sql, in_session![session, branch_row], |row| row.int(0))
}

/// Whether floors of a branch have variables, whose keys know the numbers of the floors.
pub fn has_keys(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64) -> StoreResult<bool> {
    let sql = sql!("SELECT 1 FROM floor_key WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 LIMIT 1");
    Ok(first(tx, sql, in_session![session, branch_row], |_| Ok(()))?.is_some())
}
