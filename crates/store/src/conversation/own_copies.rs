//! A floor or page that a branch shares, named on that branch: it gets a copy of its own first, so that what is done with it is
//! done on this branch alone.

use crate::tree::line;
use crate::tree::positions;
use crate::tree::prelude::*;
use crate::tree::separation;

/// The floor that a branch has where this one stands; the floor itself if it is the branch's own.
pub fn floor_on(tx: &mut dyn Tx, account: &Id, floor: &Id, branch: &str, now: i64) -> StoreResult<Id> {
    positions::with_floor(tx, account, floor, now, |tx, clock, place| own(tx, clock, &place, branch, floor))
}

/// The same for a page.
pub fn page_on(tx: &mut dyn Tx, account: &Id, page: &Id, branch: &str, now: i64) -> StoreResult<Id> {
    positions::with_page(tx, account, page, now, |tx, clock, place| {
        let floor = positions::floor(tx, clock, &place.floor)?;
        own(tx, clock, &floor, branch, page)
    })
}

/// Makes the copy of a floor and returns the id that the floor or one of its pages has there.
fn own(tx: &mut dyn Tx, clock: &SessionClock, floor: &FloorPosition, branch: &str, id: &Id) -> StoreResult<Id> {
    let Some(branch_row) = lookup::find_branch(tx, clock.key(), branch)? else {
        let sql = sql!("SELECT id FROM session WHERE account_id = ?1 AND session_row = ?2");
        let session = one(tx, sql, in_session![clock], |row| stored_id(row.text(0)?))?;
        return Err(Refusal::BranchNotFound(session, branch.to_owned()).into());
    };
    if branch_row == floor.branch_row {
        return Ok(id.clone());
    }
    let way = line::segments(tx, clock.key(), branch_row, i64::MAX)?;
    if way.iter().any(|&(branch, last)| branch == floor.branch_row && floor.floor_no <= last) {
        separation::own(tx, clock, branch_row, floor.floor_no)?;
    }
    // Where the branch has no such floor, nothing has this id.
    separation::own_id(clock.key(), id, branch_row)
}
