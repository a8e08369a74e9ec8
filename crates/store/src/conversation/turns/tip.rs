//! A turn behind the last floor of a branch whose session nothing has changed since the turn was prepared: everything that
//! was read then still holds, so complete rows are inserted and nothing is read again.

use super::{Expectation, Parent, PreparedTurn, StoredTurn, TurnContext, emit, how_read};
use crate::conversation::floors::{self, FloorRow};
use crate::conversation::pages::{self, PageRow};
use crate::conversation::{commit, repeats};
use crate::events::EventScope;
use crate::story::places::StoryPage;
use crate::story::settings::{self, Settings};
use crate::story::{snapshots, versions};
use crate::tree::clock::{self, Reserve};
use crate::tree::prelude::*;
use crate::tree::{bodies, floor_numbers};
use crate::types::order::NewTurn;
use crate::variables::commit::Ids;
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::limits::POSITION_MAX;
use tavernkeep_engine::story::{Base, Hash};

/// The end of a branch as a turn was prepared for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tip {
    /// The session's clock then.
    seq: i64,
    floor_no: i64,
    /// The recipe of the page before, which is stored already.
    known_recipe: Option<Hash>,
    parent: Option<Parent>,
    /// Whether it was kept since an earlier turn instead of being read for this one.
    pub(super) is_remembered: bool,
}

/// The end of a branch behind a turn that was stored. While nothing else changes the session, the next turn can start from it
/// without reading anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchEnd {
    session_row: i64,
    branch_row: i64,
    base: Base,
    settings: Settings,
    tip: Tip,
}

impl BranchEnd {
    /// What a turn needs to know that goes to this end; nothing if it names another place or expects another parent.
    pub fn start(&self, new: &NewTurn) -> Option<TurnContext> {
        if new.swipe_of.is_some()
            || new.floor_no.is_some()
            || Expectation::of(new, self.tip.parent.as_ref()) != Expectation::Met
        {
            return None;
        }
        let (kind, is_read) = how_read(new, &self.settings);
        Some(TurnContext {
            session_row: self.session_row,
            branch_row: self.branch_row,
            below: i64::MAX,
            base: self.base,
            fits: true,
            settings: self.settings.clone(),
            kind,
            is_read,
            tip: Some(self.tip.clone()),
        })
    }
}

impl Tip {
    pub fn floor_no(&self) -> i64 {
        self.floor_no
    }

    /// Reads the end of a branch for a turn that goes there.
    pub fn read(
        tx: &mut dyn Tx,
        session: SessionKey<'_>,
        branch_row: i64,
        new: &NewTurn,
        settings: &Settings,
        before: Option<&StoryPage>,
    ) -> StoreResult<Option<Tip>> {
        // Where nothing is processed, the flags of a new floor are not known in advance.
        if new.swipe_of.is_some() || new.floor_no.is_some() || !settings.enabled {
            return Ok(None);
        }
        let floor_no = floor_numbers::choose(tx, session, branch_row, None)?;
        let known_recipe = before.and_then(|page| page.pointer.as_ref()).map(|pointer| pointer.made_of.recipe_hash);
        let parent = before.map(Parent::of);
        Ok(Some(Tip { seq: settings.seq, floor_no, known_recipe, parent, is_remembered: false }))
    }
}

/// Stores a turn at the end of its branch; nothing is done if the session has changed since.
pub fn append(
    tx: &mut dyn Tx,
    account: &Id,
    new: &NewTurn,
    turn: &PreparedTurn,
    tip: &Tip,
    ids: &mut Ids<'_>,
    now: i64,
) -> StoreResult<Option<StoredTurn>> {
    let settings = &turn.open.settings;
    let session = SessionKey::new(account, turn.open.session_row);
    // A character changes without its sessions.
    if settings.has_character && settings::read(tx, session)? != (Settings { seq: tip.seq, ..settings.clone() }) {
        return Ok(None);
    }
    let reserve = Reserve { ticks: 0, rows: 2 };
    let read = (tip.seq, settings.recipe.global_functions.as_ref().map(Hash::as_slice));
    clock::with_unchanged_session(tx, session, read, now, reserve, |tx, clock| insert(tx, clock, new, turn, tip, ids))
}

fn insert(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    new: &NewTurn,
    turn: &PreparedTurn,
    tip: &Tip,
    fresh: &mut Ids<'_>,
) -> StoreResult<StoredTurn> {
    let PreparedTurn { open, version, body, text_hash, ids } = turn;
    let committed = Some(commit::mark(clock));
    let (floor_row, page_row) = (clock.next_row(), clock.next_row());
    let floor = FloorRow {
        floor_row,
        id: &ids.floor,
        branch_row: open.branch_row,
        floor_no: tip.floor_no,
        state: FloorState::Committed,
        lease: None,
        committed,
        has_state: version.is_some(),
    };
    floors::insert_row(tx, clock, &floor)?;
    let page = PageRow {
        page_row,
        id: &ids.page,
        floor_row,
        page_no: 0,
        version: 0,
        kind: open.kind,
        is_active: true,
        role: Some(&new.role),
        name: new.name.as_deref(),
        text_hash: *text_hash,
        turn_hash: new.page.is_some().then(|| repeats::fingerprint(new)),
        committed,
    };
    pages::insert_row(tx, clock, &page)?;
    bodies::put(tx, clock, (Scope::Page, page_row), body)?;
    let mut stored = StoredTurn {
        session_row: clock.session_row(),
        floor: ids.floor.clone(),
        floor_no: tip.floor_no,
        page: ids.page.clone(),
        page_version: 0,
        snapshot: None,
        made_of: None,
        end: None,
    };
    if let Some(version) = version {
        let base_row = open.base.version_row();
        let version_row = versions::add_known(tx, clock, page_row, version, base_row, tip.known_recipe)?;
        snapshots::insert(tx, clock, page_row, &ids.snapshot, version_row)?;
        stored.snapshot = Some(ids.snapshot.clone());
        stored.made_of = Some(version.made_of(version_row, base_row));
        let (id, branch_row, floor_no, state) =
            (ids.floor.clone(), open.branch_row, tip.floor_no, FloorState::Committed);
        let position = FloorPosition { id, floor_row, branch_row, floor_no, state };
        commit::perform_effects(tx, clock, &position, page_row, version, fresh)?;
    }
    let branch = new.branch.as_deref().unwrap_or(MAIN_BRANCH);
    let scope = EventScope::branch(clock.session_row(), &new.session, open.branch_row, branch);
    emit(tx, clock, &scope, &stored, (true, 0, true))?;
    stored.end = end(clock, turn, tip, &stored);
    Ok(stored)
}

/// The end of the branch behind a turn. Effects change more than the story, and ticks may follow this one.
fn end(clock: &SessionClock, turn: &PreparedTurn, tip: &Tip, stored: &StoredTurn) -> Option<BranchEnd> {
    let PreparedTurn { open, version, .. } = turn;
    if tip.floor_no == POSITION_MAX || version.as_ref().is_some_and(|version| !version.effects.is_empty()) {
        return None;
    }
    let mut next = Tip { seq: clock.seq(), floor_no: tip.floor_no + 1, is_remembered: true, ..tip.clone() };
    let mut base = open.base;
    if let Some(made_of) = &stored.made_of {
        base = Base::Version(made_of.version_row);
        next.known_recipe = Some(made_of.recipe_hash);
        next.parent = Some(Parent { page: stored.page.clone(), snapshot: stored.snapshot.clone() });
    }
    let (session_row, branch_row, settings) = (open.session_row, open.branch_row, open.settings.clone());
    Some(BranchEnd { session_row, branch_row, base, settings, tip: next })
}
