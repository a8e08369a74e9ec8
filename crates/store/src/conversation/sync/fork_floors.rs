//! Forks whose source has other numbers now: their own floors stay behind the place where they turn off.
//!
//! No state changes with a number, and the order of a fork's floors stays as it is.

use super::rows;
use crate::events::{self, Emits, EventScope, NewEvent, detail};
use crate::tree::prelude::*;
use crate::types::record::EventKind;
use std::collections::HashMap;
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::limits::POSITION_MAX;
use tavernkeep_engine::sync::numbers;

/// A fork that has floors at or before the place where it turns off.
struct Fork {
    branch_row: i64,
    name: String,
    /// The last position before it.
    point: i64,
}

/// A floor that gets another number.
struct MovedFloor {
    branch_row: i64,
    floor_row: i64,
    floor: Id,
    state: FloorState,
    from: i64,
    to: i64,
}

/// Moves the floors of the forks of a branch, and of their forks, above the places where they turn off.
pub fn move_behind_forks(tx: &mut dyn Tx, tick: Tick<'_>, session: &Id, branch_row: i64) -> StoreResult<()> {
    let mut sources = vec![branch_row];
    while !sources.is_empty() {
        let forks = forks(tx, tick.key(), &sources)?;
        let moved = moved(tx, tick, &forks)?;
        let rows: Vec<rows::Renumbered> = moved.iter().map(|floor| (floor.floor_row, floor.to)).collect();
        rows::renumber_floors(tx, tick, &rows)?;
        emit(tx, tick, session, &forks, &moved)?;
        sources = forks.iter().map(|fork| fork.branch_row).collect();
        follow(tx, tick, &sources, &moved)?;
    }
    Ok(())
}

fn forks(tx: &mut dyn Tx, session: SessionKey<'_>, sources: &[i64]) -> StoreResult<Vec<Fork>> {
    let sql = sql!(
        "SELECT b.branch_row, b.id, COALESCE(f.floor_no, b.source_branch_floor_no)
         FROM branch b LEFT JOIN floor f ON f.account_id = b.account_id AND f.session_row = b.session_row
            AND f.floor_row = b.source_floor_row
         WHERE b.account_id = ?1 AND b.session_row = ?2 AND b.source_branch_row = ?3
            AND EXISTS (SELECT 1 FROM floor o WHERE o.account_id = b.account_id AND o.session_row = b.session_row
                AND o.branch_row = b.branch_row AND o.floor_no <= COALESCE(f.floor_no, b.source_branch_floor_no))
         ORDER BY b.branch_row"
    );
    let sets: Vec<_> = sources.iter().map(|&source| in_session![session, source].to_vec()).collect();
    all_of_each(tx, sql, &sets, |row| {
        Ok(Fork { branch_row: row.int(0)?, name: stored_text(row.bytes(1)?)?, point: row.int(2)? })
    })
}

/// The floors of forks that have to get other numbers.
fn moved(tx: &mut dyn Tx, tick: Tick<'_>, forks: &[Fork]) -> StoreResult<Vec<MovedFloor>> {
    let sql = sql!(
        "SELECT floor_row, floor_no, id, state, lease_until FROM floor
         WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 ORDER BY floor_no"
    );
    let sets: Vec<_> = forks.iter().map(|fork| in_session![tick, fork.branch_row].to_vec()).collect();
    let mut floors: Vec<Vec<MovedFloor>> = forks.iter().map(|_| Vec::new()).collect();
    tx.query_many(sql, &sets, &mut |number, row| {
        let (branch_row, from) = (forks[number].branch_row, row.int(1)?);
        let state = stored_enum::<FloorState>(row.int(3)?)?.at(row.int_or_null(4)?, tick.now());
        let floor = stored_id(row.text(2)?)?;
        floors[number].push(MovedFloor { branch_row, floor_row: row.int(0)?, floor, state, from, to: from });
        Ok(())
    })?;
    for (fork, floors) in forks.iter().zip(&mut floors) {
        let kept: Vec<Option<i64>> = floors.iter().map(|floor| Some(floor.from)).collect();
        for (floor, to) in floors.iter_mut().zip(numbers(&kept, fork.point.saturating_add(1))) {
            floor.to = to;
        }
        if floors.last().is_some_and(|floor| floor.to > POSITION_MAX) {
            return Err(Refusal::FloorNumbersEnd.into());
        }
    }
    Ok(floors.into_iter().flatten().filter(|floor| floor.from != floor.to).collect())
}

fn emit(tx: &mut dyn Tx, tick: Tick<'_>, session: &Id, forks: &[Fork], moved: &[MovedFloor]) -> StoreResult<()> {
    let scope = |fork: &Fork| EventScope::branch(tick.session_row(), session, fork.branch_row, &fork.name);
    let scopes: HashMap<i64, EventScope> = forks.iter().map(|fork| (fork.branch_row, scope(fork))).collect();
    let details: Vec<_> = moved.iter().map(|floor| codec::encode(&detail::of_floor(floor.to, floor.state))).collect();
    let emitted: Vec<NewEvent<'_>> = moved
        .iter()
        .zip(&details)
        .filter_map(|(floor, detail)| {
            Some(NewEvent {
                emits: Emits::One(EventKind::FloorUpdated),
                scope: scopes.get(&floor.branch_row)?,
                seq: tick.seq(),
                subject: &floor.floor,
                variable: None,
                detail: Some(detail),
            })
        })
        .collect();
    events::emit_all(tx, tick.account(), &emitted)
}

/// Forks that know the number alone of what they stand on go along with it.
fn follow(tx: &mut dyn Tx, tick: Tick<'_>, sources: &[i64], moved: &[MovedFloor]) -> StoreResult<()> {
    let sql = sql!(
        "SELECT branch_row, source_branch_floor_no FROM branch
         WHERE account_id = ?1 AND session_row = ?2 AND source_branch_row = ?3 AND source_floor_row IS NULL
            AND source_branch_floor_no IS NOT NULL"
    );
    let sets: Vec<_> = sources.iter().map(|&source| in_session![tick, source].to_vec()).collect();
    let to: HashMap<(i64, i64), i64> = moved.iter().map(|floor| ((floor.branch_row, floor.from), floor.to)).collect();
    let mut others = Vec::new();
    tx.query_many(sql, &sets, &mut |number, row| {
        let from = row.int(1)?;
        if let Some(&to) = to.get(&(sources[number], from)) {
            others.push(in_session![tick, row.int(0)?, to, to - from].to_vec());
        }
        Ok(())
    })?;
    let sql = sql!(
        "UPDATE branch SET source_branch_floor_no = ?4, source_floor_no = source_floor_no + ?5
         WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"
    );
    execute_many(tx, sql, &others)
}
