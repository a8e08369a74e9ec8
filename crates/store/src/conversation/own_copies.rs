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

/// The same for the snapshot of a page. One that belongs to no page is its own.
pub fn snapshot_on(tx: &mut dyn Tx, account: &Id, snapshot: &Id, branch: &str, now: i64) -> StoreResult<Id> {
    let sql = sql!(
        "SELECT p.id FROM snapshot n
         JOIN page p ON p.account_id = n.account_id AND p.session_row = n.session_row AND p.page_row = n.page_row
         WHERE n.account_id = ?1 AND n.id = ?2"
    );
    let page = first(tx, sql, params![account, snapshot], |row| stored_id(row.text(0)?))?;
    let Some(page) = page else { return Ok(snapshot.clone()) };
    let own = page_on(tx, account, &page, branch, now)?;
    if own == page {
        return Ok(snapshot.clone());
    }
    let sql = sql!(
        "SELECT n.id FROM page p
         JOIN snapshot n ON n.account_id = p.account_id AND n.session_row = p.session_row AND n.page_row = p.page_row
         WHERE p.account_id = ?1 AND p.id = ?2"
    );
    let found = first(tx, sql, params![account, &own], |row| stored_id(row.text(0)?))?;
    found.ok_or_else(|| Refusal::PageNotFound(page).into())
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
