//! What a session begins with: floor 0 with a swipe for each greeting, each with a state of its own.

use crate::conversation::{commit, floors, pages};
use crate::story::refresh_changed;
use crate::story::snapshots::{self, Pointed};
use crate::story::versions::{self, Kind, NewVersion};
use crate::tree::bodies::Body;
use crate::tree::clock::{self, Reserve};
use crate::tree::positions;
use crate::tree::prelude::*;
use crate::types::order::{NewFloor, NewPage};
use crate::types::record::EventKind;
use crate::variables::commit::Ids;
use tavernkeep_engine::floor::FloorState;

pub const ROLE: &str = "assistant";

#[derive(Debug)]
pub struct Greeting {
    pub text: String,
    /// The same, as it is stored.
    pub body: Body,
    pub name: Option<String>,
    pub page: Id,
    pub snapshot: Id,
    /// Its state; none where nothing is processed.
    pub version: Option<NewVersion>,
}

/// Adds the greetings to a session that was made just now.
pub fn add(
    tx: &mut dyn Tx,
    account: &Id,
    session: &Id,
    greetings: &[Greeting],
    floor: &Id,
    ids: &mut Ids<'_>,
    now: i64,
) -> StoreResult<()> {
    if greetings.is_empty() {
        return Ok(());
    }
    let new = NewFloor { state: FloorState::Committed, ..NewFloor::of(session.clone()) };
    clock::with_session(tx, account, session, now, Reserve::default(), |tx, clock| {
        floors::create_under(tx, clock, &new, floor)?;
        let place = positions::floor(tx, clock, floor)?;
        let mut pages = Vec::with_capacity(greetings.len());
        for greeting in greetings {
            let new = NewPage {
                // The first one of a slot is active.
                is_active: false,
                role: Some(ROLE.to_owned()),
                name: greeting.name.clone(),
                content: Some(greeting.text.clone()),
                ..NewPage::of(floor.clone())
            };
            let (page_row, _) = pages::create_under(tx, clock, &place, &new, &greeting.body, &greeting.page)?;
            pages.push(page_row);
            let Some(version) = &greeting.version else { continue };
            let tick = clock.advance();
            let version_row = versions::add(tx, clock, page_row, version, None, None)?;
            let rows = (place.floor_row, page_row);
            let fresh = &greeting.snapshot;
            snapshots::point(tx, clock, &Pointed { tick, rows, fresh, version_row, kind: Kind::Turn })?;
        }
        clock.advance();
        for (&page_row, greeting) in pages.iter().zip(greetings) {
            commit::commit_new(tx, clock, &place, page_row, greeting.version.as_ref(), ids)?;
        }
        floors::emit_and_read(tx, clock, EventKind::FloorCommitted, place.branch_row, floor)?;
        refresh_changed(tx, clock, &[place.floor_row])
    })
}
