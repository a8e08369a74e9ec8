//! What a session begins with: floor 0 with a swipe for each greeting, each with a state of its own.

use crate::conversation::{floors, pages};
use crate::db::tx::{Tx, one};
use crate::error::{Refusal, StoreResult};
use crate::story::snapshots::{self, Pointed};
use crate::story::touched;
use crate::story::versions::{self, Kind, NewVersion};
use crate::tree::bodies::Body;
use crate::tree::{clock, hosts};
use crate::types::order::{NewFloor, NewPage};
use crate::types::record::{EventKind, Host};
use crate::{params, sql};
use tavernkeep_engine::floor::{FloorState, PageKind};
use tavernkeep_engine::id::Id;

/// Who greets.
const ROLE: &str = "assistant";

/// A greeting that is computed and can be stored.
#[derive(Debug)]
pub struct Greeting {
    /// The text.
    pub text: String,
    /// The same, as it is stored.
    pub body: Body,
    /// Whose greeting it is.
    pub name: Option<String>,
    /// For the page.
    pub page: Id,
    /// For its snapshot.
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
    now: i64,
) -> StoreResult<()> {
    if greetings.is_empty() {
        return Ok(());
    }
    let new = NewFloor {
        id: None,
        session: session.clone(),
        branch: None,
        floor_no: None,
        parent: None,
        state: FloorState::Committed,
        lease_ms: None,
        metadata: None,
    };
    floors::create(tx, account, &new, floor, now)?;
    let gone = || Refusal::FloorNotFound(floor.clone());
    let host = hosts::find(tx, account, &Host::Floor(floor.clone()))?.ok_or_else(gone)?;
    let (session_row, floor_row) = (host.session_row, host.host_row);
    let mut pages = Vec::with_capacity(greetings.len());
    for greeting in greetings {
        let new = NewPage {
            id: None,
            floor: floor.clone(),
            page_no: 0,
            version: None,
            kind: PageKind::Output,
            // The first one of a slot is active.
            is_active: false,
            role: Some(ROLE.to_owned()),
            name: greeting.name.clone(),
            content: Some(greeting.text.clone()),
            extra: None,
        };
        pages::create(tx, account, &new, &greeting.body, &greeting.page, now)?;
        let sql = sql!("SELECT page_row FROM page WHERE account_id = ?1 AND id = ?2");
        let page_row = one(tx, sql, params![account, &greeting.page], |row| row.int(0))?;
        pages.push(page_row);
        let Some(version) = &greeting.version else { continue };
        let tick = clock::of_session_row(tx, account, session_row, now)?.ok_or_else(gone)?;
        let version_row = versions::add(tx, account, tick, page_row, version, None, None)?;
        let rows = (floor_row, page_row);
        let fresh = &greeting.snapshot;
        snapshots::point(tx, account, &Pointed { tick, rows, fresh, version_row, kind: Kind::Turn })?;
    }
    let tick = clock::of_session_row(tx, account, session_row, now)?.ok_or_else(gone)?;
    for &page_row in &pages {
        floors::mark_committed(tx, account, tick, floor_row, Some(page_row))?;
    }
    let sql = sql!("SELECT branch_row FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let branch_row = one(tx, sql, params![account, session_row, floor_row], |row| row.int(0))?;
    floors::told(tx, account, tick, EventKind::FloorCommitted, branch_row, floor)?;
    touched(tx, account, session_row, &[floor_row])
}
