//! Deleting branches. The name goes at once, and with it the branch from every list; the floors follow in parts, so that nobody waits
//! long for a branch of thousands.
//!
//! While that lasts, the branch has the name of its item in the trash ([`hidden::branch_name`]), and the item is not in the trash yet
//! (its `deleted_at` says what is to become of it). The request goes on with such an item, or upkeep after a crash.
//!
//! A fork that shares floors with another line, or inherits variables from it, leaves its row behind, under the hidden name: that is all
//! it takes for what it shares to be kept for it, as for any other fork. Only what is its own goes to the trash.

use super::detached;
use crate::conversation::cascade;
use crate::conversation::trash::{self, Bin, TrashKind};
use crate::events::{self, EventScope};
use crate::tree::clock::{self, Reserve};
use crate::tree::hidden;
use crate::tree::line;
use crate::tree::prelude::*;
use crate::tree::separation;
use crate::tree::trash_items::{self, Unfinished};
use crate::tree::trash_rows::{self, Host};
use crate::types::record::EventKind;
use crate::variables::promotions::{self, Affected};
use std::collections::BTreeMap;

/// Floors that are deleted in one transaction.
const FLOORS_AT_ONCE: i64 = 128;

/// Deletes a branch; returns how many floors it has of its own. The item is finished by [`go_on`].
pub fn delete(
    tx: &mut dyn Tx,
    account: &Id,
    session: &Id,
    name: &str,
    (bin, item): (&Bin, &Id),
    now: i64,
) -> StoreResult<i64> {
    let missing = || Refusal::BranchNotFound(session.clone(), name.to_owned());
    let deleted = clock::with_session(tx, account, session, now, Reserve::default(), |tx, clock| {
        let branch_row = lookup::find_branch(tx, clock.key(), name)?.ok_or_else(missing)?;
        if name == MAIN_BRANCH {
            return Err(Refusal::BranchProtected.into());
        }
        clock.mark_changed();
        let sql = sql!("SELECT COUNT(*) FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
        let floors = one(tx, sql, in_session![clock, branch_row], |row| row.int(0))?;
        trash_items::begin(tx, clock, item, TrashKind::Branch, bin)?;
        if let Bin::Trash(_) = bin {
            // While it still has its name.
            trash::keep_branch_row(tx, clock, item, branch_row)?;
        }
        rename(tx, clock, branch_row, &hidden::branch_name(item))?;
        let scope = EventScope::branch(clock.session_row(), session, branch_row, name);
        events::emit(tx, clock.tick(), EventKind::BranchDeleted, &scope, session, None)?;
        // Most branches are short, and this is all of them.
        if floors < FLOORS_AT_ONCE {
            part(tx, clock, branch_row, &Unfinished::of(clock.session_row(), item, TrashKind::Branch, bin))?;
        }
        Ok(floors)
    });
    deleted.map_err(|error| match error {
        StoreError::Refused(Refusal::SessionNotFound(_)) => missing().into(),
        error => error,
    })
}

fn rename(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64, name: &str) -> StoreResult<()> {
    let sql = sql!("UPDATE branch SET id = ?4 WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
    tx.execute(sql, in_session![clock, branch_row, name.as_bytes()]).map(drop)
}

/// Deletes the next floors of a branch that is being deleted; returns whether it is done.
pub fn go_on(tx: &mut dyn Tx, account: &Id, unfinished: &Unfinished, now: i64) -> StoreResult<bool> {
    let session = SessionKey::new(account, unfinished.session_row);
    let done = clock::with_session_row(tx, session, now, |tx, clock| {
        // Another process may have finished it.
        if !trash_items::is_unfinished(tx, account, &unfinished.item)? {
            return Ok(true);
        }
        match lookup::find_branch(tx, clock.key(), &hidden::branch_name(&unfinished.item))? {
            Some(branch_row) => part(tx, clock, branch_row, unfinished),
            None => trash_items::finish(tx, clock, unfinished).map(|()| true),
        }
    })?;
    // A session that was deleted meanwhile takes its branches along.
    Ok(done.unwrap_or(true))
}

fn part(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64, unfinished: &Unfinished) -> StoreResult<bool> {
    let Part { floors, pages, are_kept, is_last } = next_part(tx, clock, branch_row, &unfinished.bin)?;
    let mut totals = Totals::default();
    if are_kept {
        cascade_part(tx, clock, &floors, pages.as_ref(), &mut totals)?;
    } else if !floors.is_empty() {
        separation::separate_floors(tx, clock, &floors)?;
        let mut affected = Affected::default();
        affected.add(clock, promotions::targets_of_floors(tx, clock.key(), &floors)?);
        let home = match unfinished.kind {
            TrashKind::Sync => Some(detached::home_of(tx, clock, branch_row)?),
            _ => None,
        };
        match (&pages, &unfinished.bin) {
            (Some(SomePages { rows, .. }), Bin::Trash(item)) => {
                trash::keep_some_pages(tx, clock, (item, unfinished.kind), (floors[0], rows), home, &mut totals)?;
            }
            (Some(_), Bin::Purge) => {}
            (None, bin) => {
                trash::keep_floors_of(tx, clock, bin, unfinished.kind, &floors, home, &mut totals)?;
            }
        }
        if let (None | Some(SomePages { are_last: true, .. }), Some(home)) = (&pages, home) {
            detached::emit_deleted(tx, clock, home, &floors)?;
        }
        cascade_part(tx, clock, &floors, pages.as_ref(), &mut totals)?;
        affected.restore(tx, &mut totals)?;
    }
    if is_last {
        let is_fork = line::source(tx, clock.key(), branch_row)?.is_some() || inherits(tx, clock, branch_row)?;
        match (&unfinished.bin, is_fork) {
            (Bin::Trash(_), true) => cascade::branch_variables(tx, clock, branch_row, &mut totals)?,
            _ => cascade::branch(tx, clock, branch_row, &mut totals)?,
        }
        trash_items::finish(tx, clock, unfinished)?;
    }
    totals.keep(tx, clock.account())?;
    Ok(is_last)
}

/// Whether a branch inherits variables of another.
fn inherits(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64) -> StoreResult<bool> {
    let sql = sql!(
        "SELECT 1 FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND source_branch_row IS NOT NULL"
    );
    Ok(first(tx, sql, in_session![clock, branch_row], |_| Ok(()))?.is_some())
}

/// What is left of the hidden branch of an item that is purged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HiddenBranch {
    Gone,
    /// More of it can be deleted at once.
    Partly,
    /// Nothing of it was deleted: the session is in the trash.
    Kept,
}

/// Deletes some of the hidden branch of an item that is purged: what is left of a fork, or what was prepared.
pub(crate) fn purge_hidden(tx: &mut dyn Tx, session: SessionKey<'_>, item: &Id, now: i64) -> StoreResult<HiddenBranch> {
    let is_last = clock::with_session_row(tx, session, now, |tx, clock| {
        match lookup::find_branch(tx, clock.key(), &hidden::branch_name(item))? {
            Some(branch_row) => purge_floors(tx, clock, branch_row),
            None => Ok(true),
        }
    })?;
    match is_last {
        Some(true) => return Ok(HiddenBranch::Gone),
        Some(false) => return Ok(HiddenBranch::Partly),
        None => {}
    }
    let sql = sql!("SELECT 1 FROM session WHERE account_id = ?1 AND session_row = ?2");
    let is_there = first(tx, sql, in_session![session], |_| Ok(()))?.is_some();
    Ok(if is_there { HiddenBranch::Kept } else { HiddenBranch::Gone })
}

/// Deletes some of a hidden branch that a request has prepared, and its draft with the last part; returns whether nothing is left.
pub(crate) fn drop_prepared(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64) -> StoreResult<bool> {
    let Some(draft) = hidden::item_of(tx, clock.key(), branch_row)? else { return Ok(true) };
    let is_last = purge_floors(tx, clock, branch_row)?;
    if is_last {
        trash_items::forget_draft(tx, clock, &draft)?;
    }
    Ok(is_last)
}

/// Deletes the last floors of a hidden branch, and the branch with the last of them; returns whether it is gone.
fn purge_floors(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64) -> StoreResult<bool> {
    let Part { floors, pages, is_last, .. } = next_part(tx, clock, branch_row, &Bin::Purge)?;
    let mut totals = Totals::default();
    cascade_part(tx, clock, &floors, pages.as_ref(), &mut totals)?;
    if is_last {
        cascade::branch(tx, clock, branch_row, &mut totals)?;
    }
    totals.keep(tx, clock.account())?;
    Ok(is_last)
}

/// Some pages of a floor.
struct SomePages {
    rows: Vec<i64>,
    are_last: bool,
}

/// Deletes floors, or some pages of the only one of them; the floor with the last of these.
fn cascade_part(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    floors: &[i64],
    pages: Option<&SomePages>,
    totals: &mut Totals,
) -> StoreResult<()> {
    match pages {
        Some(SomePages { rows, are_last: false }) => cascade::pages(tx, clock, rows, totals),
        _ => cascade::floors(tx, clock, floors, totals),
    }
}

/// What is deleted of a branch in one transaction.
struct Part {
    /// The last floors, from the end on: forks get rows of their own for the part that goes, and no more.
    floors: Vec<i64>,
    /// Some pages of the only one of them, where that is too large for one transaction.
    pages: Option<SomePages>,
    /// Whether what is on them is in the item already: they hold swipes that have left their floors.
    are_kept: bool,
    /// Whether the branch has no floors then.
    is_last: bool,
}

fn next_part(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64, bin: &Bin) -> StoreResult<Part> {
    let found = last_floors(tx, clock, branch_row)?;
    let are_kept = found.first().is_some_and(|&(_, floor_no)| floor_no < 0);
    // A hidden floor of swipes has as many pages as are deleted at once.
    let together = if are_kept { 1 } else { found.iter().take_while(|&&(_, floor_no)| floor_no >= 0).count() };
    let are_all = i64::try_from(found.len()).unwrap_or(i64::MAX) < FLOORS_AT_ONCE && together >= found.len();
    let mut floors: Vec<i64> = found.iter().take(together).map(|&(floor_row, _)| floor_row).collect();
    let Some(&floor) = floors.first() else { return Ok(Part { floors, pages: None, are_kept, is_last: true }) };
    let sql =
        sql!("SELECT floor_row, page_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let sets: Vec<_> = floors.iter().map(|&floor_row| in_session![clock, floor_row].to_vec()).collect();
    let (of_floors, pages): (Vec<i64>, Vec<i64>) =
        all_of_each(tx, sql, &sets, |row| Ok((row.int(0)?, row.int(1)?)))?.into_iter().unzip();
    let page_sizes = trash_rows::sizes(tx, clock.key(), Host::Page, &pages)?;
    let mut sizes: BTreeMap<i64, i64> =
        floors.iter().copied().zip(trash_rows::sizes(tx, clock.key(), Host::Floor, &floors)?).collect();
    for (floor_row, size) in of_floors.iter().zip(&page_sizes) {
        *sizes.entry(*floor_row).or_default() += size;
    }
    let sizes: Vec<i64> = floors.iter().map(|floor_row| sizes[floor_row]).collect();
    // Of a floor that was begun, the rest must not be taken for all of it.
    let is_begun = match bin {
        Bin::Trash(item) => trash_rows::has_floor(tx, clock.key(), item, floor)?,
        Bin::Purge => false,
    };
    let count = if is_begun { 1 } else { trash_rows::fitting(&sizes) };
    let is_whole = floors.len() == count;
    floors.truncate(count);
    let of_first = of_floors.iter().take_while(|of_floor| **of_floor == floor).count();
    let (pages, of_pages) = (&pages[..of_first], &page_sizes[..of_first]);
    let fitting = trash_rows::fitting(of_pages).min(pages.len());
    if count > 1 || (!is_begun && fitting == pages.len()) {
        return Ok(Part { floors, pages: None, are_kept, is_last: are_all && is_whole });
    }
    let are_last = fitting == pages.len();
    let pages = Some(SomePages { rows: pages[..fitting].to_vec(), are_last });
    Ok(Part { floors, pages, are_kept, is_last: are_all && is_whole && are_last })
}

/// The last floors of a branch with their numbers, as many as are deleted in one transaction.
fn last_floors(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64) -> StoreResult<Vec<(i64, i64)>> {
    let sql = sql!(
        "SELECT floor_row, floor_no FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3
         ORDER BY floor_no DESC LIMIT ?4"
    );
    all(tx, sql, in_session![clock, branch_row, FLOORS_AT_ONCE], |row| Ok((row.int(0)?, row.int(1)?)))
}
