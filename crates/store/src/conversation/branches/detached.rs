//! Floors and swipes that a large sync removes: they move to a hidden branch, which is one change of each, and are deleted from there
//! in parts.

use crate::conversation::pages::in_runs::{self, RowRun};
use crate::conversation::trash::{Bin, TrashKind};
use crate::events::{self, Emits, EventScope, NewEvent};
use crate::tree::prelude::*;
use crate::tree::{floor_numbers, hidden, trash_items};
use crate::types::record::EventKind;

/// Takes floors off their branch. They share nothing with other lines any more, and have promoted nothing.
///
/// Runs are the first and the last number of each run of these floors that no other floor of the branch interrupts: changing a run
/// takes half as long as changing its floors one by one.
pub(crate) fn detach(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    home: i64,
    (floors, runs): (&[i64], &[(i64, i64)]),
    item: &Id,
) -> StoreResult<()> {
    let branch_row = hidden_branch(tx, clock, home, item)?;
    let has_keys = floor_numbers::has_keys(tx, clock.key(), home)?;
    let sql = sql!(
        "UPDATE floor SET branch_row = ?4 WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3
            AND floor_no >= ?5 AND floor_no <= ?6"
    );
    let sets: Vec<_> =
        runs.iter().map(|&(first, last)| in_session![clock, home, branch_row, first, last].to_vec()).collect();
    execute_many(tx, sql, &sets)?;
    if !has_keys {
        return Ok(());
    }
    let sql =
        sql!("UPDATE floor_key SET branch_row = ?4 WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let sets: Vec<_> = floors.iter().map(|&floor_row| in_session![clock, floor_row, branch_row].to_vec()).collect();
    execute_many(tx, sql, &sets)
}

/// Takes swipes off their floors, each group to a hidden one. They are in the item already, share nothing with other lines, and have
/// promoted nothing.
pub(crate) fn detach_swipes(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    home: i64,
    groups: &[Vec<RowRun>],
    item: &Id,
) -> StoreResult<()> {
    let branch_row = hidden_branch(tx, clock, home, item)?;
    for (number, runs) in groups.iter().enumerate() {
        let floor_row = hidden::make_floor_of_swipes(tx, clock, (item, branch_row), number)?;
        in_runs::hide(tx, clock, floor_row, runs)?;
    }
    Ok(())
}

/// The hidden branch of an item that is finished when nothing is left on it.
fn hidden_branch(tx: &mut dyn Tx, clock: &SessionClock, home: i64, item: &Id) -> StoreResult<i64> {
    let name = hidden::branch_name(item);
    if let Some(branch_row) = lookup::find_branch(tx, clock.key(), &name)? {
        return Ok(branch_row);
    }
    trash_items::begin(tx, clock, item, TrashKind::Sync, &Bin::Trash(item.clone()))?;
    let branch_row = clock.next_row();
    // A hidden branch is nobody's fork, so the column is free for the branch that the floors come from.
    let sql = sql!(
        "INSERT INTO branch (account_id, session_row, branch_row, id, source_floor_no, created_at, variables)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)"
    );
    tx.execute(sql, in_session![clock, branch_row, name.as_bytes(), home, clock.now()])?;
    Ok(branch_row)
}

/// The branch that the floors of a hidden one come from.
pub(super) fn home_of(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64) -> StoreResult<i64> {
    let sql = sql!("SELECT source_floor_no FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
    one(tx, sql, in_session![clock, branch_row], |row| row.int(0))
}

/// Emits that floors were deleted on the branch that they come from.
pub(super) fn emit_deleted(tx: &mut dyn Tx, clock: &SessionClock, home: i64, floors: &[i64]) -> StoreResult<()> {
    let sql = sql!(
        "SELECT s.id, b.id FROM session s JOIN branch b ON b.account_id = s.account_id AND b.session_row = s.session_row
         WHERE s.account_id = ?1 AND s.session_row = ?2 AND b.branch_row = ?3"
    );
    let read = |row: &dyn Row| Ok((stored_id(row.text(0)?)?, stored_text(row.bytes(1)?)?));
    // The branch may have been deleted since.
    let Some((session, branch)) = first(tx, sql, in_session![clock, home], read)? else { return Ok(()) };
    let scope = EventScope::branch(clock.session_row(), &session, home, &branch);
    let sql = sql!("SELECT id FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let sets: Vec<_> = floors.iter().map(|&floor_row| in_session![clock, floor_row].to_vec()).collect();
    let ids = all_of_each(tx, sql, &sets, |row| stored_id(row.text(0)?))?;
    let event = |subject| {
        let emits = Emits::One(EventKind::FloorDeleted);
        NewEvent { emits, scope: &scope, seq: clock.seq(), subject, variable: None, detail: None }
    };
    events::emit_all(tx, clock.account(), &ids.iter().map(event).collect::<Vec<_>>())
}
