//! What has to be out of the way before many floors are restored: floors of the same item that an interrupted restore left on a hidden
//! branch, and other lines that share what changes. Neither can be seen, so both are done in parts.

use super::restore::is_free;
use crate::conversation::branches;
use crate::db::long_work;
use crate::tree::line::BranchPosition;
use crate::tree::prelude::*;
use crate::tree::trash_rows::{self, KeptRow, Table};
use crate::tree::{clock, separation};
use std::collections::{BTreeMap, BTreeSet};

/// The hidden branches with floors or swipes of an item. What is restored has the rows that it had, so a restore that was interrupted keeps
/// the next one from putting it anywhere.
pub(super) fn leftovers(tx: &mut dyn Tx, session: SessionKey<'_>, item: &Id) -> StoreResult<Vec<i64>> {
    let sql = sql!(
        "SELECT DISTINCT f.branch_row FROM trash_row r CROSS JOIN floor f CROSS JOIN branch b
         WHERE r.account_id = ?1 AND r.session_row = ?2 AND r.trash_id = ?3 AND r.table_no = 1
            AND f.account_id = r.account_id AND f.session_row = r.session_row AND f.floor_row = r.host_row
            AND b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
            AND LENGTH(b.id) > 256"
    );
    let mut left = all(tx, sql, in_session![session, item], |row| row.int(0))?;
    let sql = sql!(
        "SELECT DISTINCT b.branch_row FROM branch b CROSS JOIN floor f CROSS JOIN page p CROSS JOIN trash_row r
         WHERE b.account_id = ?1 AND b.session_row = ?2 AND LENGTH(b.id) > 256
            AND f.account_id = b.account_id AND f.session_row = b.session_row AND f.branch_row = b.branch_row AND f.floor_no < 0
            AND p.account_id = f.account_id AND p.session_row = f.session_row AND p.floor_row = f.floor_row
            AND r.account_id = p.account_id AND r.session_row = p.session_row AND r.trash_id = ?3 AND r.table_no = 2
            AND r.host_row = p.page_row"
    );
    left.extend(all(tx, sql, in_session![session, item], |row| row.int(0))?);
    Ok(left)
}

/// Deletes what earlier restores of an item left behind. A request that still works at one finds that the session has changed.
pub(super) fn drop_leftovers(tx: &mut dyn Tx, clock: &SessionClock, item: &Id) -> StoreResult<()> {
    let left = leftovers(tx, clock.key(), item)?;
    if left.is_empty() {
        return Ok(());
    }
    if long_work::stops() {
        let (account, session_row, now) = (clock.account().clone(), clock.session_row(), clock.now());
        return Err(long_work::in_parts(move |tx| {
            let session = SessionKey::new(&account, session_row);
            let is_done = clock::with_session_row(tx, session, now, |tx, clock| drop_some(tx, clock, &left))?;
            // A session that is gone has nothing left to do.
            Ok(is_done.unwrap_or(true))
        }));
    }
    while !drop_some(tx, clock, &left)? {}
    Ok(())
}

/// Deletes some floors of hidden branches; returns whether nothing is left.
fn drop_some(tx: &mut dyn Tx, clock: &SessionClock, left: &[i64]) -> StoreResult<bool> {
    for &branch_row in left {
        if !branches::drop_prepared(tx, clock, branch_row)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// From where on restoring an item changes branches that share floors with others: where its floors go, and the floors that its pages
/// go back to.
pub(super) fn shared(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    item: &Id,
    floors: &[KeptRow],
) -> StoreResult<Vec<BranchPosition>> {
    let (mut numbers, mut whole) = (BTreeMap::<i64, Vec<i64>>::new(), BTreeSet::new());
    for floor in floors {
        numbers.entry(floor.int("branch_row")?).or_default().push(floor.int("floor_no")?);
        whole.insert(floor.int("floor_row")?);
    }
    let mut changed = Vec::new();
    for (branch_row, numbers) in numbers {
        if is_free(tx, session, branch_row, &numbers)? {
            changed.extend(numbers.into_iter().min().map(|first| (branch_row, first)));
        }
    }
    let mut sets = Vec::new();
    for floor in trash_rows::of_table(tx, session, item, Table::FloorOfPages, None)? {
        let floor_row = floor.int("floor_row")?;
        if !whole.contains(&floor_row) {
            sets.push(in_session![session, floor_row].to_vec());
        }
    }
    let sql =
        sql!("SELECT branch_row, floor_no FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    changed.extend(first_of_each(tx, sql, &sets, |row| Ok((row.int(0)?, row.int(1)?)))?.into_iter().flatten());
    let mut first_changed: BTreeMap<i64, i64> = BTreeMap::new();
    for (branch_row, floor_no) in changed {
        first_changed.entry(branch_row).and_modify(|first| *first = floor_no.min(*first)).or_insert(floor_no);
    }
    let mut shared = Vec::new();
    for place in first_changed {
        if separation::is_shared(tx, session, place)? {
            shared.push(place);
        }
    }
    Ok(shared)
}
