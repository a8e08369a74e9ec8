//! Deleting pages: one or thousands, with as many questions.

use super::activation::{read_as_of, set_active};
use super::page_events::{PageEvent, emit};
use crate::conversation::trash::{self, Bin, DeletedId, TrashKind};
use crate::conversation::{cascade, tags};
use crate::story;
use crate::tree::clock::Clocks;
use crate::tree::hosts;
use crate::tree::positions::{self, Slot};
use crate::tree::prelude::*;
use crate::tree::separation;
use crate::types::record::{Condition, EventKind};
use crate::variables::promotions::{self, Affected};
use std::collections::{BTreeMap, BTreeSet};

/// Deletes pages. Where the chosen swipe goes, the one before it is chosen, else the one behind. For each id whether it
/// was there, and the item that it is in now.
pub fn delete(
    tx: &mut dyn Tx,
    account: &Id,
    ids: &[Id],
    (condition, bin): (Condition, &Bin),
    now: i64,
) -> StoreResult<Vec<DeletedId>> {
    let ids: Vec<&Id> = ids.iter().collect();
    let found = positions::pages(tx, account, &ids, now)?;
    let rows = found.iter().flatten().map(PagePosition::host).collect();
    hosts::with_rows(tx, account, rows, now, |tx, locked| {
        for id in &ids {
            tags::check(condition, "page", || Ok(tags::of_page(&super::get(tx, account, id)?)))?;
        }
        let deleted =
            delete_all(tx, account, &ids, (bin, TrashKind::Pages), locked.time(), |host| locked.session(host))?;
        for (clock, floors) in &deleted.floors {
            story::refresh_changed(tx, clock, floors)?;
        }
        Ok(deleted.found)
    })
}

/// Deletes pages of a session whose clock is taken, under a tick of their own. Returns the floors whose flags the caller has to
/// look at again.
pub fn delete_under(tx: &mut dyn Tx, clock: &SessionClock, ids: &[&Id], bin: &Bin) -> StoreResult<Vec<i64>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    clock.advance();
    let held = |host: HostRow| Some(clock).filter(|clock| clock.session_row() == host.session_row);
    let deleted = delete_all(tx, clock.account(), ids, (bin, TrashKind::Sync), clock.now(), held)?;
    Ok(deleted.floors.into_iter().flat_map(|(_, floors)| floors).collect())
}

struct Deleted<'a> {
    /// For each id whether it was there.
    found: Vec<DeletedId>,
    /// By session the floors whose flags have to be looked at again.
    floors: Vec<(&'a SessionClock, Vec<i64>)>,
}

fn delete_all<'a>(
    tx: &mut dyn Tx,
    account: &Id,
    ids: &[&Id],
    bin: (&Bin, TrashKind),
    now: i64,
    clock_of: impl Fn(HostRow) -> Option<&'a SessionClock>,
) -> StoreResult<Deleted<'a>> {
    // Looked up under the clocks: another write may have deleted a page, or made one in a session that is not locked.
    let found = positions::pages(tx, account, ids, now)?;
    let mut sessions: BTreeMap<i64, Session<'a>> = BTreeMap::new();
    let mut deleted = Vec::with_capacity(ids.len());
    let mut seen = BTreeSet::new();
    for (at, place) in found.into_iter().enumerate() {
        let held = place.and_then(|place| Some((clock_of(place.host())?, place)));
        let held = held.filter(|(_, place)| seen.insert(place.host()));
        deleted.push(held.as_ref().map(|(_, place)| place.session_row));
        if let Some((clock, place)) = held {
            let session = sessions.entry(place.session_row).or_insert_with(|| Session { clock, gone: Vec::new() });
            session.gone.push((at, place));
        }
    }
    let (mut totals, mut affected) = (Totals::default(), Affected::default());
    let (mut happened, mut floors) = (Vec::new(), Vec::new());
    let mut items = BTreeMap::new();
    for (&session_row, session) in &sessions {
        floors.push((session.clock, session.floors()));
        let item = session.delete(tx, account, bin, &mut totals, &mut affected, &mut happened)?;
        items.extend(item.map(|item| (session_row, item)));
    }
    // In the order of the ids, whatever sessions they are of.
    happened.sort_by_key(|happened| happened.at);
    emit(tx, account, &happened.iter().map(Happened::event).collect::<Vec<_>>())?;
    affected.restore(tx, &mut totals)?;
    totals.keep(tx, account)?;
    Ok(Deleted { found: DeletedId::of_sessions(&deleted, &items), floors })
}

struct Session<'c> {
    clock: &'c SessionClock,
    /// With the numbers of their ids.
    gone: Vec<(usize, PagePosition)>,
}

impl<'c> Session<'c> {
    fn floors(&self) -> Vec<i64> {
        let floors: BTreeSet<i64> = self.gone.iter().map(|(_, place)| place.floor_row).collect();
        floors.into_iter().collect()
    }

    fn delete<'a>(
        &'a self,
        tx: &mut dyn Tx,
        account: &Id,
        (bin, kind): (&Bin, TrashKind),
        totals: &mut Totals,
        affected: &mut Affected<'c>,
        happened: &mut Vec<Happened<'a>>,
    ) -> StoreResult<Option<Id>> {
        let session_row = self.clock.session_row();
        separation::separate_floors(tx, self.clock, &self.floors())?;
        let slots: BTreeSet<Slot> = self.gone.iter().map(|(_, place)| place.slot()).collect();
        let slots: Vec<Slot> = slots.into_iter().collect();
        affected.add(self.clock, promotions::targets_of_slots(tx, SessionKey::new(account, session_row), &slots)?);
        let mut swipes = swipes(tx, SessionKey::new(account, session_row), &slots)?;
        let mut successors = Vec::new();
        for (at, place) in &self.gone {
            let Some(swipes) = swipes.get_mut(&place.slot()) else { continue };
            let happens = |kind, swipe: Swipe| Happened { at: *at, tick: self.clock.tick(), kind, place, swipe };
            let Some((gone, successor)) = remove(swipes, place.page_row) else { continue };
            happened.push(happens(EventKind::PageDeleted, gone));
            if let Some(successor) = successor {
                successors.push(successor.page_row);
                happened.push(happens(EventKind::PageActivated, successor));
            }
        }
        // A successor may go itself: what it was committed as counts all the same, as long as the one behind it has nothing.
        read_as_of(tx, self.clock, &successors)?;
        let rows: Vec<i64> = self.gone.iter().map(|(_, place)| place.page_row).collect();
        let item = trash::keep_pages(tx, self.clock, bin, kind, (&rows, &self.floors()), totals)?;
        cascade::pages(tx, self.clock, &rows, totals)?;
        self.clock.mark_changed();
        set_active(tx, self.clock, &successors)?;
        Ok(item)
    }
}

#[derive(Clone)]
struct Swipe {
    page_row: i64,
    id: Id,
    version: i64,
    is_active: bool,
}

fn swipes(tx: &mut dyn Tx, session: SessionKey<'_>, slots: &[Slot]) -> StoreResult<BTreeMap<Slot, Vec<Swipe>>> {
    let sql = sql!(
        "SELECT page_row, id, version, is_active FROM page
         WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3 AND page_no = ?4 ORDER BY version"
    );
    let sets = slots.iter().map(|&(floor_row, page_no)| in_session![session, floor_row, page_no].to_vec());
    let mut swipes: BTreeMap<Slot, Vec<Swipe>> = BTreeMap::new();
    tx.query_many(sql, &sets.collect::<Vec<_>>(), &mut |number, row| {
        swipes.entry(slots[number]).or_default().push(Swipe {
            page_row: row.int(0)?,
            id: stored_id(row.text(1)?)?,
            version: row.int(2)?,
            is_active: row.int(3)? == 1,
        });
        Ok(())
    })?;
    Ok(swipes)
}

/// Takes a page from its slot. If it was the chosen one the one before it is chosen, else the one behind.
fn remove(swipes: &mut Vec<Swipe>, page_row: i64) -> Option<(Swipe, Option<Swipe>)> {
    let at = swipes.iter().position(|swipe| swipe.page_row == page_row)?;
    let gone = swipes.remove(at);
    let successor = swipes.get_mut(at.saturating_sub(1)).filter(|_| gone.is_active).map(|successor| {
        successor.is_active = true;
        successor.clone()
    });
    Some((gone, successor))
}

struct Happened<'a> {
    at: usize,
    tick: Tick<'a>,
    kind: EventKind,
    place: &'a PagePosition,
    swipe: Swipe,
}

impl Happened<'_> {
    fn event(&self) -> PageEvent<'_> {
        let Swipe { id, version, is_active, .. } = &self.swipe;
        PageEvent { page: id, version: *version, ..PageEvent::of(self.place, self.tick, self.kind, *is_active) }
    }
}
