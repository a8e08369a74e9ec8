//! The one place where floors become committed.

use crate::story::effects;
use crate::story::versions::NewVersion;
use crate::tree::prelude::*;
use crate::tree::quota::{self, Quotas};
use crate::variables::commit::{self, Ids};

/// Commits a floor, with the page that is committed: its effects are performed, staged writes are decided, and the page's
/// variables are promoted. The account's clock is taken where macros write global variables.
pub fn commit(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    floor: &FloorPosition,
    page_row: Option<i64>,
    account_clock: Option<&AccountClock>,
    ids: &mut Ids<'_>,
    quotas: &Quotas,
) -> StoreResult<()> {
    if let Some(page_row) = page_row {
        effects::stage(tx, clock, page_row, ids)?;
    }
    let mut totals = Totals::default();
    commit::decide(tx, clock, floor, page_row, account_clock, ids, &mut totals)?;
    totals.keep(tx, clock.account())?;
    // What a commit makes is known when it is made; one too many takes everything back.
    quota::keep_within(tx, clock.account(), quotas)?;
    set_committed(tx, clock, &[(floor.floor_row, page_row)])
}

/// The tick of a commit: what forks of a floor read the history as of. Rows that are inserted as committed keep it.
#[derive(Debug, Clone, Copy)]
pub struct CommitMark(i64);

impl CommitMark {
    pub fn seq(self) -> i64 {
        self.0
    }
}

/// Commits a floor and a page that this write is about to insert; [`perform_effects`] comes when the page has its state.
pub fn mark(clock: &SessionClock) -> CommitMark {
    CommitMark(clock.seq())
}

/// The same for a session that is being imported.
pub fn mark_at(tick: Tick<'_>) -> CommitMark {
    CommitMark(tick.seq())
}

/// Performs the effects of a page that this write has made and committed.
pub fn perform_effects(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    floor: &FloorPosition,
    page_row: i64,
    version: &NewVersion,
    ids: &mut Ids<'_>,
) -> StoreResult<()> {
    if version.effects.is_empty() { Ok(()) } else { effects::perform(tx, clock, floor, page_row, ids) }
}

/// Commits a floor with a page that this write has made: nothing but its effects can be waiting.
pub fn commit_new(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    floor: &FloorPosition,
    page_row: i64,
    version: Option<&NewVersion>,
    ids: &mut Ids<'_>,
) -> StoreResult<()> {
    if let Some(version) = version {
        perform_effects(tx, clock, floor, page_row, version, ids)?;
    }
    set_committed(tx, clock, &[(floor.floor_row, Some(page_row))])
}

/// Notes the state, and the tick that forks of the floors will read the history as of.
fn set_committed(tx: &mut dyn Tx, clock: &SessionClock, rows: &[(i64, Option<i64>)]) -> StoreResult<()> {
    let seq = clock.seq();
    let sql = sql!(
        "UPDATE floor SET state = 2, lease_until = NULL, committed_seq = ?4
         WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3"
    );
    let sets: Vec<_> = rows.iter().map(|&(floor_row, _)| in_session![clock, floor_row, seq].to_vec()).collect();
    execute_many(tx, sql, &sets)?;
    let sql = sql!("UPDATE page SET committed_seq = ?4 WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    let pages = rows.iter().filter_map(|&(_, page_row)| page_row);
    let sets: Vec<_> = pages.map(|page_row| in_session![clock, page_row, seq].to_vec()).collect();
    execute_many(tx, sql, &sets)
}
