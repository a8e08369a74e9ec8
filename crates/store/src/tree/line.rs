//! Lines through the conversation: where branches turn off, and the way from the beginning to a position.

use crate::tree::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A branch and a position on it.
pub type BranchPosition = (i64, i64);

/// Forks of forks that are followed; only damage makes a circle.
pub const FORKS_MAX: usize = 1_000;

/// Where a branch turns off: the branch before it and the last position there that lies before.
pub fn source(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64) -> StoreResult<Option<(i64, i64)>> {
    Ok(sources(tx, session, BTreeSet::from([branch_row]))?.remove(&branch_row))
}

/// The same for each of many branches that turns off from another.
pub fn sources(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    branches: BTreeSet<i64>,
) -> StoreResult<BTreeMap<i64, BranchPosition>> {
    let sql = sql!(
        "SELECT COALESCE(f.branch_row, b.source_branch_row), COALESCE(f.floor_no, b.source_branch_floor_no, -1)
         FROM branch b LEFT JOIN floor f ON f.account_id = b.account_id AND f.session_row = b.session_row
            AND f.floor_row = b.source_floor_row
         WHERE b.account_id = ?1 AND b.session_row = ?2 AND b.branch_row = ?3"
    );
    let sets: Vec<_> = branches.iter().map(|&branch_row| in_session![session, branch_row].to_vec()).collect();
    let found = first_of_each(tx, sql, &sets, |row| Ok(row.int_or_null(0)?.zip(row.int_or_null(1)?)))?;
    let found = branches.into_iter().zip(found);
    Ok(found.filter_map(|(branch_row, source)| Some((branch_row, source.flatten()?))).collect())
}

/// A branch and the last position of it that lies on a way.
pub type LineSegment = BranchPosition;

/// The way to a position, from the beginning of the story on.
pub fn segments(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64, last: i64) -> StoreResult<Vec<LineSegment>> {
    let mut way = vec![(branch_row, last)];
    let mut at = branch_row;
    while let Some(segment) = source(tx, session, at)?.filter(|_| way.len() <= FORKS_MAX) {
        way.push(segment);
        at = segment.0;
    }
    way.reverse();
    Ok(way)
}
