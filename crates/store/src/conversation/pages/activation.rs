//! Choosing swipes: one or thousands, with as many questions. One version of a slot is active, always.

use super::get;
use super::page_events::{PageEvent, emit};
use crate::conversation::floors;
use crate::story;
use crate::tree::positions::{self, Slot};
use crate::tree::prelude::*;
use crate::tree::separation;
use crate::types::record::{EventKind, Page};
use crate::variables::promotions::{self, Affected};

/// Makes a page the chosen swipe of its slot. What the one before it had promoted counts no more, what it has promoted
/// itself does.
pub fn activate(tx: &mut dyn Tx, account: &Id, id: &Id, now: i64) -> StoreResult<Page> {
    positions::with_page(tx, account, id, now, |tx, clock, place| {
        if !place.is_active {
            let floors = choose(tx, clock, &[place])?;
            story::refresh_changed(tx, clock, &floors)?;
        }
        get(tx, account, id)
    })
}

/// The same for pages of one session, each of another slot. They are chosen under a tick of their own: what an earlier tick
/// of the same write has promoted or taken back is older. Returns the floors whose flags the caller has to look at again.
pub fn activate_all(tx: &mut dyn Tx, clock: &SessionClock, ids: &[&Id]) -> StoreResult<Vec<i64>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    clock.advance();
    let found = positions::pages(tx, clock.account(), ids, clock.now())?.into_iter().flatten();
    let chosen = found.filter(|place| place.session_row == clock.session_row() && !place.is_active);
    choose(tx, clock, &chosen.collect::<Vec<_>>())
}

/// Chooses pages that are not chosen. Returns their floors.
fn choose(tx: &mut dyn Tx, clock: &SessionClock, chosen: &[PagePosition]) -> StoreResult<Vec<i64>> {
    let slots: Vec<Slot> = chosen.iter().map(PagePosition::slot).collect();
    let rows: Vec<i64> = chosen.iter().map(|place| place.page_row).collect();
    let floors: Vec<i64> = chosen.iter().map(|place| place.floor_row).collect();
    separation::separate_floors(tx, clock, &floors)?;
    deactivate(tx, clock, &slots)?;
    set_active(tx, clock, &rows)?;
    read_as_of(tx, clock, &rows)?;
    let (mut totals, mut affected) = (Totals::default(), Affected::default());
    affected.add(clock, promotions::targets_of_slots(tx, clock.key(), &slots)?);
    affected.restore(tx, &mut totals)?;
    floors::mark_changed(tx, clock, &floors)?;
    let page_events: Vec<PageEvent<'_>> =
        chosen.iter().map(|place| PageEvent::of(place, clock.tick(), EventKind::PageActivated, true)).collect();
    emit(tx, clock.account(), &page_events)?;
    totals.keep(tx, clock.account())?;
    Ok(floors)
}

/// Deactivates the active swipe of slots; the caller activates another one.
pub fn deactivate(tx: &mut dyn Tx, clock: &SessionClock, slots: &[Slot]) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE page SET is_active = 0
         WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3 AND page_no = ?4 AND is_active = 1"
    );
    let slots = slots.iter().map(|&(floor_row, page_no)| in_session![clock, floor_row, page_no].to_vec());
    execute_many(tx, sql, &slots.collect::<Vec<_>>())
}

/// Chooses pages. Those that are gone are left out.
pub fn set_active(tx: &mut dyn Tx, clock: &SessionClock, pages: &[i64]) -> StoreResult<()> {
    let sql = sql!("UPDATE page SET is_active = 1 WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    let pages: Vec<_> = pages.iter().map(|&page_row| in_session![clock, page_row].to_vec()).collect();
    execute_many(tx, sql, &pages)
}

/// Forks of the floors of chosen pages read the history as of the page's own commit, if it had one.
pub fn read_as_of(tx: &mut dyn Tx, clock: &SessionClock, pages: &[i64]) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE floor SET committed_seq = (SELECT p.committed_seq FROM page p
                WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = ?3)
         WHERE account_id = ?1 AND session_row = ?2 AND floor_row = (SELECT p.floor_row FROM page p
            WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = ?3 AND p.committed_seq IS NOT NULL)"
    );
    let pages: Vec<_> = pages.iter().map(|&page_row| in_session![clock, page_row].to_vec()).collect();
    execute_many(tx, sql, &pages)
}
