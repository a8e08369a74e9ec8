//! Lines through the conversation: which floors a branch shares with the one it was forked from, and the way from the beginning to
//! a position.

use crate::tree::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A branch and a position on it.
pub type BranchPosition = (i64, i64);

/// Forks of forks that are followed; only damage makes a circle.
pub const FORKS_MAX: usize = 1_000;

/// The branch that a branch shares floors with, and the last position of those.
pub fn source(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64) -> StoreResult<Option<BranchPosition>> {
    Ok(sources(tx, session, BTreeSet::from([branch_row]))?.remove(&branch_row))
}

/// The same for each of many branches that was forked from another.
pub fn sources(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    branches: BTreeSet<i64>,
) -> StoreResult<BTreeMap<i64, BranchPosition>> {
    let sql = sql!(
        "SELECT shared_branch_row, shared_floor_no FROM branch
         WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"
    );
    let sets: Vec<_> = branches.iter().map(|&branch_row| in_session![session, branch_row].to_vec()).collect();
    let found = first_of_each(tx, sql, &sets, |row| Ok(row.int_or_null(0)?.zip(row.int_or_null(1)?)))?;
    let found = branches.into_iter().zip(found);
    Ok(found.filter_map(|(branch_row, source)| Some((branch_row, source.flatten()?))).collect())
}

/// Whether a branch was forked from another, or from a fork of it, whatever it still shares. Of a branch that is gone, or in
/// the trash, nobody knows.
pub fn may_come_from(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64, source: i64) -> StoreResult<bool> {
    // One in the trash has given its forks to the branch that it came from.
    let sql = sql!(
        "SELECT source_branch_row FROM branch
         WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND LENGTH(id) <= 256"
    );
    let read = |row: &dyn Row| row.int_or_null(0);
    if first(tx, sql, in_session![session, source], read)?.is_none() {
        return Ok(true);
    }
    let mut at = branch_row;
    for _ in 0..FORKS_MAX {
        match first(tx, sql, in_session![session, at], read)?.flatten() {
            Some(next) if next == source => return Ok(true),
            Some(next) => at = next,
            None => return Ok(false),
        }
    }
    Ok(false)
}

/// A branch and the last position of it that lies on a way.
pub type LineSegment = BranchPosition;

/// The way to a position, from the beginning of the story on. A branch never reaches further than those that are forked from it
/// look.
pub fn segments(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64, last: i64) -> StoreResult<Vec<LineSegment>> {
    let mut way = vec![(branch_row, last)];
    let (mut at, mut end) = (branch_row, last);
    while let Some((source, shared)) = source(tx, session, at)?.filter(|_| way.len() <= FORKS_MAX) {
        (at, end) = (source, end.min(shared));
        way.push((at, end));
    }
    way.reverse();
    Ok(way)
}
