//! Deleting floors: one or thousands, with as many questions.

use crate::conversation::cascade;
use crate::db::tx::{Tx, first_of_each};
use crate::error::StoreResult;
use crate::events::{self, NewEvent, Scene, Tells};
use crate::tree::clock::{self, Tick};
use crate::tree::hosts::{self, HostRow};
use crate::tree::totals::Totals;
use crate::types::record::EventKind;
use crate::variables::promotions::{self, Affected};
use crate::{params, sql, story};
use std::collections::{BTreeMap, BTreeSet};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::scope::Scope;

/// Deletes floors with their pages. For each id whether it was there.
pub fn delete(tx: &mut dyn Tx, account: &Id, ids: &[Id], now: i64) -> StoreResult<Vec<bool>> {
    let rows = find(tx, account, ids)?;
    let locked = hosts::lock_rows(tx, account, rows.into_iter().flatten().collect(), now)?;
    // Looked up again under the clocks: somebody may have been faster, or made one only now in a session we do not hold.
    let rows = find(tx, account, ids)?;
    let mut sessions: BTreeMap<i64, (Tick, Vec<Gone<'_>>)> = BTreeMap::new();
    let mut deleted = Vec::with_capacity(ids.len());
    let mut seen = BTreeSet::new();
    for (id, row) in ids.iter().zip(rows) {
        let row = row.filter(|row| locked.holds(*row) && seen.insert((row.session_row, row.host_row)));
        if let Some(row) = row {
            let tick = locked.tick(row)?;
            let (_, gone) = sessions.entry(row.session_row).or_insert_with(|| (tick, Vec::new()));
            gone.push(Gone { floor_row: row.host_row, id });
        }
        deleted.push(row.is_some());
    }
    let (mut totals, mut affected) = (Totals::default(), Affected::default());
    for (tick, gone) in sessions.into_values() {
        of_session(tx, account, tick, &gone, &mut totals, &mut affected)?;
    }
    affected.restore(tx, account, &mut totals)?;
    totals.keep(tx, account)?;
    Ok(deleted)
}

/// A floor that goes.
struct Gone<'a> {
    floor_row: i64,
    id: &'a Id,
}

fn find(tx: &mut dyn Tx, account: &Id, ids: &[Id]) -> StoreResult<Vec<Option<HostRow>>> {
    let sql = sql!("SELECT session_row, floor_row FROM floor WHERE account_id = ?1 AND id = ?2");
    let sets: Vec<_> = ids.iter().map(|id| params![account, id].to_vec()).collect();
    first_of_each(tx, sql, &sets, |row| Ok(HostRow::new(row.int(0)?, Scope::Floor, row.int(1)?)))
}

fn of_session(
    tx: &mut dyn Tx,
    account: &Id,
    tick: Tick,
    gone: &[Gone<'_>],
    totals: &mut Totals,
    affected: &mut Affected,
) -> StoreResult<()> {
    let session_row = tick.session_row;
    let floors: Vec<i64> = gone.iter().map(|gone| gone.floor_row).collect();
    let scenes = Scene::of_floors(tx, account, session_row, &floors)?;
    affected.add(tick, promotions::targets_of_floors(tx, account, session_row, &floors)?);
    let behind = story::around(tx, account, session_row, &floors)?;
    cascade::floors(tx, account, session_row, &floors, totals)?;
    let left: BTreeSet<i64> = behind.difference(&floors.into_iter().collect()).copied().collect();
    story::refresh(tx, account, session_row, &left)?;
    let told = gone.iter().zip(&scenes).filter_map(|(gone, scene)| {
        let (tells, scene, subject) = (Tells::One(EventKind::FloorDeleted), scene.as_ref()?, gone.id);
        Some(NewEvent { tells, scene, seq: tick.seq, subject, variable: None, detail: None })
    });
    events::add(tx, account, &told.collect::<Vec<_>>())?;
    clock::touch(tx, account, tick)
}
