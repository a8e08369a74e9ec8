//! Deleting floors: one or thousands, with as many questions.

use crate::conversation::branches;
use crate::conversation::cascade;
use crate::conversation::trash::{self, Bin, DeletedId, TrashKind};
use crate::events::{self, Emits, EventScope, NewEvent};
use crate::story;
use crate::tree::hosts;
use crate::tree::prelude::*;
use crate::tree::separation;
use crate::types::record::EventKind;
use crate::variables::promotions::{self, Affected};
use std::collections::{BTreeMap, BTreeSet};

/// Deletes floors with their pages. For each id whether it was there, and the item that it is in now.
pub fn delete(tx: &mut dyn Tx, account: &Id, ids: &[Id], bin: &Bin, now: i64) -> StoreResult<Vec<DeletedId>> {
    let rows = find(tx, account, ids)?.into_iter().flatten().collect();
    hosts::with_rows(tx, account, rows, now, |tx, locked| {
        // Looked up again under the clocks: another write may have deleted a floor, or made one in a session that is not
        // locked.
        let rows = find(tx, account, ids)?;
        let mut sessions: BTreeMap<i64, (&SessionClock, Vec<DeletedFloor<'_>>)> = BTreeMap::new();
        let mut deleted = Vec::with_capacity(ids.len());
        let mut seen = BTreeSet::new();
        for (id, row) in ids.iter().zip(rows) {
            let clock =
                row.and_then(|row| locked.session(row).filter(|_| seen.insert((row.session_row, row.host_row))));
            if let (Some(row), Some(clock)) = (row, clock) {
                let (_, gone) = sessions.entry(row.session_row).or_insert_with(|| (clock, Vec::new()));
                gone.push(DeletedFloor { floor_row: row.host_row, id });
            }
            deleted.push(row.filter(|_| clock.is_some()).map(|row| row.session_row));
        }
        let (mut totals, mut affected) = (Totals::default(), Affected::default());
        let mut items = BTreeMap::new();
        for (session_row, (clock, gone)) in sessions {
            let item = of_session(tx, clock, &gone, (bin, TrashKind::Floors), &mut totals, &mut affected)?;
            items.extend(item.map(|item| (session_row, item)));
        }
        affected.restore(tx, &mut totals)?;
        totals.keep(tx, account)?;
        Ok(DeletedId::of_sessions(&deleted, &items))
    })
}

/// Floors that a sync deletes in its own transaction; more are taken off their branch and deleted in parts.
const AT_ONCE_MAX: usize = 250;

/// The first and the last number of floors that no other floor interrupts.
pub type NumberRun = (i64, i64);

/// Deletes floors that a sync removes from a branch; they are the runs of its positions. If they are many, the caller sees to the
/// flags of those behind them.
pub fn delete_under(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    branch_row: i64,
    (floors, runs): (&[(i64, &Id)], &[NumberRun]),
    bin: &Bin,
) -> StoreResult<()> {
    if floors.is_empty() {
        return Ok(());
    }
    if let (Bin::Trash(item), true) = (bin, floors.len() > AT_ONCE_MAX) {
        let rows: Vec<i64> = floors.iter().map(|&(floor_row, _)| floor_row).collect();
        // A promoted value counts as long as its page is there.
        if promotions::targets_of_floors(tx, clock.key(), &rows)?.is_empty() {
            clock.mark_changed();
            return branches::detach(tx, clock, branch_row, (&rows, runs), item);
        }
    }
    let gone: Vec<DeletedFloor<'_>> = floors.iter().map(|&(floor_row, id)| DeletedFloor { floor_row, id }).collect();
    let (mut totals, mut affected) = (Totals::default(), Affected::default());
    of_session(tx, clock, &gone, (bin, TrashKind::Sync), &mut totals, &mut affected)?;
    affected.restore(tx, &mut totals)?;
    totals.keep(tx, clock.account())
}

struct DeletedFloor<'a> {
    floor_row: i64,
    id: &'a Id,
}

fn find(tx: &mut dyn Tx, account: &Id, ids: &[Id]) -> StoreResult<Vec<Option<HostRow>>> {
    let sql = sql!("SELECT session_row, floor_row FROM floor WHERE account_id = ?1 AND id = ?2 AND floor_no >= 0");
    let sets: Vec<_> = ids.iter().map(|id| params![account, id].to_vec()).collect();
    first_of_each(tx, sql, &sets, |row| Ok(HostRow::new(row.int(0)?, Scope::Floor, row.int(1)?)))
}

fn of_session<'a>(
    tx: &mut dyn Tx,
    clock: &'a SessionClock,
    gone: &[DeletedFloor<'_>],
    (bin, kind): (&Bin, TrashKind),
    totals: &mut Totals,
    affected: &mut Affected<'a>,
) -> StoreResult<Option<Id>> {
    let floors: Vec<i64> = gone.iter().map(|gone| gone.floor_row).collect();
    separation::separate_floors(tx, clock, &floors)?;
    let scopes = EventScope::of_floors(tx, clock.key(), &floors)?;
    affected.add(clock, promotions::targets_of_floors(tx, clock.key(), &floors)?);
    let behind = story::around(tx, clock.key(), &floors)?;
    let item = trash::keep_floors(tx, clock, bin, kind, &floors, totals)?;
    cascade::floors(tx, clock, &floors, totals)?;
    let left: BTreeSet<i64> = behind.difference(&floors.into_iter().collect()).copied().collect();
    story::refresh(tx, clock, &left)?;
    let emitted = gone.iter().zip(&scopes).filter_map(|(gone, scope)| {
        let (emits, scope, subject) = (Emits::One(EventKind::FloorDeleted), scope.as_ref()?, gone.id);
        Some(NewEvent { emits, scope, seq: clock.seq(), subject, variable: None, detail: None })
    });
    clock.mark_changed();
    events::emit_all(tx, clock.account(), &emitted.collect::<Vec<_>>())?;
    Ok(item)
}
