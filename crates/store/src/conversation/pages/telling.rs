//! What events tell of pages: their floor, slot and swipe come along.

use crate::db::codec;
use crate::db::tx::Tx;
use crate::error::StoreResult;
use crate::events::{self, NewEvent, Scene, Tells, detail};
use crate::tree::clock::Tick;
use crate::tree::positions::PagePlace;
use crate::types::record::EventKind;
use std::collections::{BTreeMap, HashMap};
use tavernkeep_engine::id::Id;

/// Something that happened to a page.
pub(super) struct Told<'a> {
    pub(super) kind: EventKind,
    pub(super) tick: Tick,
    pub(super) page: &'a Id,
    pub(super) floor: &'a Id,
    pub(super) floor_row: i64,
    pub(super) page_no: i64,
    pub(super) version: i64,
    pub(super) is_active: bool,
}

impl<'a> Told<'a> {
    pub(super) fn of(place: &'a PagePlace, tick: Tick, kind: EventKind, is_active: bool) -> Told<'a> {
        let PagePlace { id, floor, floor_row, page_no, version, .. } = place;
        let (floor_row, page_no, version) = (*floor_row, *page_no, *version);
        Told { kind, tick, page: id, floor, floor_row, page_no, version, is_active }
    }
}

/// Tells all of it, in this order. Of a floor that is gone there is nothing to tell.
pub(super) fn tell(tx: &mut dyn Tx, account: &Id, told: &[Told<'_>]) -> StoreResult<()> {
    if told.is_empty() {
        return Ok(());
    }
    let scenes = scenes(tx, account, told)?;
    let details: Vec<_> = told
        .iter()
        .map(|told| codec::encode(&detail::of_page(told.floor, told.page_no, told.version, told.is_active)))
        .collect();
    let told = told.iter().zip(&details).filter_map(|(told, detail)| {
        Some(NewEvent {
            tells: Tells::One(told.kind),
            scene: scenes.get(&(told.tick.session_row(), told.floor_row))?,
            seq: told.tick.seq(),
            subject: told.page,
            variable: None,
            detail: Some(detail),
        })
    });
    events::add(tx, account, &told.collect::<Vec<_>>())
}

/// Where the floors of pages stand, by session and floor.
fn scenes(tx: &mut dyn Tx, account: &Id, told: &[Told<'_>]) -> StoreResult<HashMap<(i64, i64), Scene>> {
    let mut sessions: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for told in told {
        sessions.entry(told.tick.session_row()).or_default().push(told.floor_row);
    }
    let mut scenes = HashMap::new();
    for (session_row, mut floors) in sessions {
        floors.sort_unstable();
        floors.dedup();
        let found = Scene::of_floors(tx, account, session_row, &floors)?;
        let found = floors.into_iter().zip(found);
        scenes.extend(found.filter_map(|(floor_row, scene)| Some(((session_row, floor_row), scene?))));
    }
    Ok(scenes)
}
