//! Swipes that a large sync chooses and deletes on floors that stay. What happens to them is read before its transaction, which changes
//! runs of rows then and looks up none of them.

use super::outcome::Steps;
use super::{LARGE, Look, SyncOrder};
use crate::conversation::floors;
use crate::conversation::pages::in_runs::{self, RowRun};
use crate::tree::clock;
use crate::tree::prelude::*;
use crate::variables::promotions;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a sync does to swipes of floors that stay.
#[derive(Debug)]
pub struct SwipeChanges {
    /// Those that are active and will not be, also since they go, and those that will be active.
    toggled: Vec<RowRun>,
    /// Floors with the ticks of the commits of their chosen pages.
    commits: Vec<(i64, i64)>,
    /// Those that go, with their floors.
    deleted: BTreeMap<i64, i64>,
    /// The same in groups that are deleted in one transaction each, where they are short.
    groups: Vec<Vec<RowRun>>,
    /// The floors that get another active swipe.
    floors: Vec<i64>,
}

/// Floors that are marked in one transaction.
const FLOORS_AT_ONCE: usize = 250;
/// Swipes that are deleted in one transaction, where they are short.
const SWIPES_AT_ONCE: usize = 128;

impl SwipeChanges {
    /// Reads what a large sync does to swipes; none if that is little, or if values that they have promoted depend on it.
    pub fn read(tx: &mut dyn Tx, account: &Id, (sync, look): (&SyncOrder, &Look)) -> StoreResult<Option<SwipeChanges>> {
        let Some(found) = Found::of(&Steps::new(sync, look)).filter(|found| found.count >= LARGE) else {
            return Ok(None);
        };
        let session = SessionKey::new(account, look.chat.session_row);
        if promotions::any_of_floors(tx, session, &found.changed)? {
            return Ok(None);
        }
        let deleted = found.deleted.keys().copied().collect();
        let commits = commits(tx, session, look.chat.branch_row, &found.chosen)?;
        Ok(Some(SwipeChanges {
            toggled: in_runs::runs(tx, session, &found.toggled)?,
            commits,
            groups: in_runs::groups(&deleted, &in_runs::runs(tx, session, &deleted)?, SWIPES_AT_ONCE),
            deleted: found.deleted,
            floors: found.floors.into_iter().collect(),
        }))
    }

    /// The swipes that go, with their floors.
    pub(super) fn deleted(&self) -> &BTreeMap<i64, i64> {
        &self.deleted
    }

    pub(super) fn groups(&self) -> &[Vec<RowRun>] {
        &self.groups
    }

    /// In how many transactions floors are marked as changed.
    pub fn parts(&self) -> usize {
        self.floors.len().div_ceil(FLOORS_AT_ONCE)
    }

    /// Writes the time of the change into some floors whose active swipe has changed: the last step would take longer with these rows in it.
    pub fn mark_part(&self, tx: &mut dyn Tx, session: SessionKey<'_>, part: usize, now: i64) -> StoreResult<()> {
        let at = part * FLOORS_AT_ONCE;
        let some = &self.floors[at..self.floors.len().min(at + FLOORS_AT_ONCE)];
        let marked = clock::with_session_row(tx, session, now, |tx, clock| floors::mark_changed(tx, clock, some));
        marked.map(drop)
    }

    /// Chooses among the swipes that are there.
    pub(super) fn choose(&self, tx: &mut dyn Tx, clock: &SessionClock) -> StoreResult<()> {
        in_runs::toggle(tx, clock, None, &self.toggled)?;
        in_runs::move_commits(tx, clock, &self.commits)
    }
}

/// The rows of the swipes that change.
#[derive(Default)]
struct Found {
    toggled: BTreeSet<i64>,
    /// Those of them that become active, with their floors.
    chosen: BTreeMap<i64, i64>,
    deleted: BTreeMap<i64, i64>,
    floors: BTreeSet<i64>,
    /// All floors whose swipes change.
    changed: BTreeSet<i64>,
    count: usize,
}

impl Found {
    /// None if a page stands in another slot than the first of its floor: what waits has its floor instead of its number.
    fn of(steps: &Steps<'_>) -> Option<Found> {
        let mut found = Found::default();
        for (step, message) in steps.plan.messages.iter().zip(steps.messages) {
            let Some(floor) = step.from.map(|at| &steps.chat.floors[at]) else { continue };
            let new = step.swipes.iter().filter(|swipe| swipe.from.is_none()).count();
            let wanted = step.swipes.get(message.active);
            let active = floor.pages.iter().position(|page| page.is_active);
            let is_other = wanted.is_some_and(|wanted| wanted.from.is_none() || wanted.from != active);
            if !is_other && new == 0 && step.deleted.is_empty() {
                continue;
            }
            if wanted.is_none() || floor.pages.iter().any(|page| page.page_no != 0) {
                return None;
            }
            found.count += new + usize::from(is_other) + step.deleted.len();
            found.changed.insert(floor.floor_row);
            found.deleted.extend(step.deleted.iter().map(|&at| (floor.pages[at].page_row, floor.floor_row)));
            if is_other {
                // One that goes is in the trash as the active one.
                found.toggled.extend(active.map(|at| floor.pages[at].page_row));
                let chosen = wanted.and_then(|wanted| wanted.from).map(|at| floor.pages[at].page_row);
                found.toggled.extend(chosen);
                found.chosen.extend(chosen.map(|page_row| (page_row, floor.floor_row)));
                found.floors.insert(floor.floor_row);
            }
        }
        Some(found)
    }
}

/// The ticks that floors get by their chosen pages, where those were committed at another one.
fn commits(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    branch_row: i64,
    chosen: &BTreeMap<i64, i64>,
) -> StoreResult<Vec<(i64, i64)>> {
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let sql = sql!(
        "SELECT p.page_row, p.committed_seq FROM floor f
         JOIN page p ON p.account_id = f.account_id AND p.session_row = f.session_row AND p.floor_row = f.floor_row
         WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3 AND p.committed_seq IS NOT NULL
            AND (f.committed_seq IS NULL OR p.committed_seq <> f.committed_seq)"
    );
    let found: HashMap<i64, i64> =
        all(tx, sql, in_session![session, branch_row], |row| Ok((row.int(0)?, row.int(1)?)))?.into_iter().collect();
    Ok(chosen.iter().filter_map(|(page_row, floor_row)| Some((*floor_row, *found.get(page_row)?))).collect())
}
