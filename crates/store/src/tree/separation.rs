//! A fork is a copy of the line it was made from, and its rows are made late: a fork shares the floors before its fork point, and
//! before one of the two lines changes a floor there, the fork gets rows of its own for everything from that floor to the fork
//! point. Texts and versions are not copied; pages refer to them.
//!
//! A fork in the trash is a fork as well: its copies go to its item.
//!
//! So whatever changes a floor, its pages or what hangs on them calls [`separate`] first. A floor behind the last one of its
//! branch is shared with nobody.

mod copy;
mod kept;
mod names;
mod parts;
mod promoted;

pub use names::{
    behind_copies, branch_of_copy, ids_of_copy, is_copy, is_copy_of, is_snapshot_of_copy, origin, other_id,
    ranges_of_copies, snapshot_id, variable_id,
};
pub use promoted::own_keys;

use crate::tree::hidden::{self, BranchPlace};
use crate::tree::line::{self, BranchPosition, LineSegment};
use crate::tree::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Makes sure that a change at a position of a branch is a change of this branch alone.
pub fn separate(tx: &mut dyn Tx, clock: &SessionClock, (branch_row, floor_no): BranchPosition) -> StoreResult<()> {
    if !clock.has_forks() {
        return Ok(());
    }
    let forks = forks(tx, clock, (branch_row, floor_no))?;
    let owners: Vec<_> = std::iter::once(branch_row).chain(forks).map(|owner| (owner, floor_no)).collect();
    own_all(tx, clock, &owners)
}

/// The branches that share a position with the branch that it belongs to.
fn forks(tx: &mut dyn Tx, clock: &SessionClock, (branch_row, floor_no): BranchPosition) -> StoreResult<Vec<i64>> {
    let sql = sql!(
        "SELECT branch_row FROM branch
         WHERE account_id = ?1 AND session_row = ?2 AND shared_branch_row = ?3 AND shared_floor_no >= ?4
         ORDER BY branch_row"
    );
    all(tx, sql, in_session![clock, branch_row, floor_no], |row| row.int(0))
}

/// Makes sure that a change of pages is a change of the lines alone that were there at a time, which is given as a row of the session: of
/// the pages' own branches and of forks that were made before. Forks that were made later get rows of their own. Returns the lines that
/// the pages are on then.
pub fn separate_later(tx: &mut dyn Tx, clock: &SessionClock, pages: &[i64], row: i64) -> StoreResult<Vec<i64>> {
    let (mut lines, mut later) = (BTreeSet::new(), Vec::new());
    let floors = floors_of(tx, clock, pages)?;
    for (branch_row, floor_no) in first_positions(tx, clock, &floors)? {
        let mut waiting = vec![branch_row];
        while let Some(line) = waiting.pop() {
            lines.insert(line);
            for fork in forks(tx, clock, (line, floor_no))? {
                if fork > row {
                    later.push((fork, floor_no));
                } else {
                    waiting.push(fork);
                }
            }
        }
    }
    own_all(tx, clock, &later)?;
    Ok(lines.into_iter().collect())
}

/// Whether [`separate`] would have something to do.
pub fn is_shared(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    (branch_row, floor_no): BranchPosition,
) -> StoreResult<bool> {
    let sql = sql!(
        "SELECT MAX(shared_floor_no) FROM branch WHERE account_id = ?1 AND session_row = ?2 AND shared_branch_row = ?3"
    );
    let of_forks = first(tx, sql, in_session![session, branch_row], |row| row.int_or_null(0))?.flatten();
    let own = line::source(tx, session, branch_row)?.map(|(_, shared)| shared);
    Ok(of_forks.max(own).is_some_and(|shared| shared >= floor_no))
}

/// [`separate`] for changes of floors, which are there and are the branch's own.
pub fn separate_floors(tx: &mut dyn Tx, clock: &SessionClock, floors: &[i64]) -> StoreResult<()> {
    if !clock.has_forks() || floors.is_empty() {
        return Ok(());
    }
    first_positions(tx, clock, floors)?.into_iter().try_for_each(|place| separate(tx, clock, place))
}

/// The first position of floors on each of their branches.
fn first_positions(tx: &mut dyn Tx, clock: &SessionClock, floors: &[i64]) -> StoreResult<BTreeMap<i64, i64>> {
    let sql =
        sql!("SELECT branch_row, floor_no FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let sets: Vec<_> = floors.iter().map(|&floor_row| in_session![clock, floor_row].to_vec()).collect();
    let mut first: BTreeMap<i64, i64> = BTreeMap::new();
    for (branch_row, floor_no) in
        first_of_each(tx, sql, &sets, |row| Ok((row.int(0)?, row.int(1)?)))?.into_iter().flatten()
    {
        first.entry(branch_row).and_modify(|first| *first = floor_no.min(*first)).or_insert(floor_no);
    }
    Ok(first)
}

/// The same for changes of pages.
pub fn separate_pages(tx: &mut dyn Tx, clock: &SessionClock, pages: &[i64]) -> StoreResult<()> {
    if !clock.has_forks() || pages.is_empty() {
        return Ok(());
    }
    let floors = floors_of(tx, clock, pages)?;
    separate_floors(tx, clock, &floors)
}

/// The floors of pages that are there.
fn floors_of(tx: &mut dyn Tx, clock: &SessionClock, pages: &[i64]) -> StoreResult<Vec<i64>> {
    let sql = sql!("SELECT floor_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    let sets: Vec<_> = pages.iter().map(|&page_row| in_session![clock, page_row].to_vec()).collect();
    Ok(first_of_each(tx, sql, &sets, |row| row.int(0))?.into_iter().flatten().collect())
}

/// Gives a branch rows of its own for the floors from a position on that it shares.
pub fn own(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64, floor_no: i64) -> StoreResult<()> {
    own_all(tx, clock, &[(branch_row, floor_no)])
}

/// The same for several branches, each with the first position. Where that is much, it is done in parts before.
fn own_all(tx: &mut dyn Tx, clock: &SessionClock, owners: &[BranchPosition]) -> StoreResult<()> {
    parts::stop_if_long(tx, clock, owners)?;
    owners.iter().try_for_each(|&(branch_row, floor_no)| own_at_once(tx, clock, branch_row, floor_no))
}

fn own_at_once(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64, floor_no: i64) -> StoreResult<()> {
    if line::source(tx, clock.key(), branch_row)?.is_none_or(|(_, shared)| shared < floor_no) {
        return Ok(());
    }
    let mut way = line::segments(tx, clock.key(), branch_row, i64::MAX)?;
    way.pop();
    match hidden::place_of(tx, clock.key(), branch_row)? {
        BranchPlace::Line => copy::floors(tx, clock, &way, floor_no, branch_row)?,
        BranchPlace::Trash(item) => kept::floors(tx, clock, &way, floor_no, (branch_row, &item))?,
        BranchPlace::Purged => {}
    }
    share(tx, clock, branch_row, &way, floor_no)
}

/// Notes the last floor that a branch shares: the last one of a way before a position.
fn share(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64, way: &[LineSegment], below: i64) -> StoreResult<()> {
    let sql = sql!(
        "SELECT branch_row, floor_no FROM floor
         WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND floor_no <= ?4 AND state = 2
         ORDER BY floor_no DESC LIMIT 1"
    );
    let sets: Vec<_> =
        way.iter().rev().map(|&(source, last)| in_session![clock, source, last.min(below - 1)].to_vec()).collect();
    let found = first_of_each(tx, sql, &sets, |row| Ok((row.int(0)?, row.int(1)?)))?;
    let (shared, floor_no) = found.into_iter().flatten().next().unzip();
    let sql = sql!(
        "UPDATE branch SET shared_branch_row = ?4, shared_floor_no = ?5
         WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"
    );
    tx.execute(sql, in_session![clock, branch_row, shared, floor_no]).map(drop)
}

/// Gives the forks of a branch that is about to be deleted rows of their own for the floors that are its own. What it shares
/// itself they share with the branch it shares it with.
pub fn separate_forks(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64) -> StoreResult<()> {
    let sql = sql!(
        "SELECT branch_row, shared_floor_no FROM branch
         WHERE account_id = ?1 AND session_row = ?2 AND shared_branch_row = ?3 ORDER BY branch_row"
    );
    let forks = all(tx, sql, in_session![clock, branch_row], |row| Ok((row.int(0)?, row.int(1)?)))?;
    let shared = line::source(tx, clock.key(), branch_row)?.map_or(-1, |(_, shared)| shared);
    let owners: Vec<_> = forks.into_iter().map(|(fork, last)| (fork, shared.saturating_add(1).min(last))).collect();
    own_all(tx, clock, &owners)?;
    for (fork, _) in owners {
        // A fork that stands on no floor of the branch's own has nothing to copy.
        let mut way = line::segments(tx, clock.key(), fork, i64::MAX)?;
        way.pop();
        way.retain(|&(source, _)| source != branch_row);
        share(tx, clock, fork, &way, i64::MAX)?;
    }
    Ok(())
}
