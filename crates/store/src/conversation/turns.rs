//! A whole turn: floor, page, version and snapshot in one transaction, unless what it builds on has moved meanwhile.

mod tip;

pub use self::tip::BranchEnd;
use self::tip::Tip;
use crate::conversation::{commit, floors, pages, repeats};
use crate::events::EventScope;
use crate::events::turn_event::{self, TurnEvent};
use crate::story::places::{self, StoryPage};
use crate::story::settings::{self, Settings};
use crate::story::versions::{self, MadeOf, NewVersion};
use crate::story::{refresh_changed, snapshots};
use crate::tree::bodies::Body;
use crate::tree::clock::{self, Reserve};
use crate::tree::line;
use crate::tree::positions;
use crate::tree::prelude::*;
use crate::tree::separation;
use crate::types::order::{NewFloor, NewPage, NewTurn};
use crate::variables::commit::Ids;
use serde::{Deserialize, Serialize};
use tavernkeep_engine::floor::{FloorState, PageKind};
use tavernkeep_engine::story::{Base, Hash};

/// What a turn needs to know before it is computed.
#[derive(Debug, Clone)]
pub enum TurnStart {
    Stored(StoredTurn),
    New(TurnContext),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredTurn {
    pub session_row: i64,
    pub floor: Id,
    pub floor_no: i64,
    pub page: Id,
    pub page_version: i64,
    /// The snapshot; none where the page has no state of its own.
    pub snapshot: Option<Id>,
    pub made_of: Option<MadeOf>,
    /// The end of the branch behind it; none where other changes came with the turn.
    #[serde(skip)]
    pub end: Option<BranchEnd>,
}

/// Where a turn goes and what it builds on.
#[derive(Debug, Clone)]
pub struct TurnContext {
    pub session_row: i64,
    pub branch_row: i64,
    /// The page before stands below this position.
    pub below: i64,
    pub base: Base,
    /// Whether everything before fits; if not, it has to be processed first.
    pub fits: bool,
    pub settings: Settings,
    pub kind: PageKind,
    /// Whether commands are read from it.
    pub is_read: bool,
    /// The end of the branch, for a turn that goes there.
    tip: Option<Tip>,
}

impl TurnContext {
    /// The number of the turn's floor.
    pub fn floor_no(&self) -> i64 {
        self.tip.as_ref().map_or(self.below, Tip::floor_no)
    }
}

/// What people and programs say is input, however its role is spelled; everything else was written by a model.
pub(crate) fn kind_of(role: &str) -> PageKind {
    let says = |name: &&str| role.eq_ignore_ascii_case(name);
    if ["user", "human", "system", "developer", "tool"].iter().any(says) { PageKind::Input } else { PageKind::Output }
}

/// Looks up what a turn builds on.
pub fn prepare(tx: &mut dyn Tx, account: &Id, new: &NewTurn) -> StoreResult<TurnStart> {
    let session = lookup::session(tx, account, &new.session)?;
    if let Some(page) = &new.page
        && let Some(taken) = repeats::stored(tx, session, page, new)?
    {
        return Ok(TurnStart::Stored(taken));
    }
    let (branch_row, below) = match &new.swipe_of {
        Some(floor) => swiped(tx, session, floor, new)?,
        None => (branch(tx, session, new)?, new.floor_no.unwrap_or(i64::MAX)),
    };
    let before = places::before(tx, session, branch_row, below)?;
    if !Expectation::of(new, before.as_ref().map(Parent::of).as_ref()).holds(tx, session)? {
        return Err(Refusal::ParentMoved.into());
    }
    let settings = settings::read(tx, session)?;
    let (kind, is_read) = how_read(new, &settings);
    let tip = Tip::read(tx, session, branch_row, new, &settings, before.as_ref())?;
    Ok(TurnStart::New(TurnContext {
        session_row: session.row,
        branch_row,
        below,
        base: before.map_or(Base::Template, |page| page.base()),
        // Where nothing is processed, nothing has to fit.
        fits: !settings.enabled
            || (!settings.lags_behind() && places::all_fit(tx, session, branch_row, below.saturating_sub(1))?),
        is_read,
        settings,
        kind,
        tip,
    }))
}

/// The kind of a turn's page, and whether commands are read from it.
fn how_read(new: &NewTurn, settings: &Settings) -> (PageKind, bool) {
    let kind = kind_of(&new.role);
    (kind, settings.enabled && (kind != PageKind::Input || settings.reads_users))
}

/// The page that a turn builds on and its snapshot, by the ids that a client may name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Parent {
    page: Id,
    snapshot: Option<Id>,
}

impl Parent {
    fn of(page: &StoryPage) -> Parent {
        Parent { page: page.page.clone(), snapshot: page.pointer.as_ref().map(|pointer| pointer.snapshot.clone()) }
    }

    /// Whether this is an id of the page or its snapshot, or one that they had while the branch shared them.
    fn is_known_as(&self, id: &Id) -> bool {
        let is_snapshot = |snapshot: &Id| snapshot == id || separation::is_snapshot_of_copy(&self.page, snapshot, id);
        self.page == *id || separation::is_copy_of(&self.page, id) || self.snapshot.as_ref().is_some_and(is_snapshot)
    }

    /// The branches of the page and of the one with this id, where both are copies: those of two forks of one branch may differ.
    fn branches_of_copies(&self, id: &Id) -> Option<(i64, i64)> {
        let branches = separation::branch_of_copy(&self.page).zip(separation::branch_of_copy(id));
        branches.filter(|(own, other)| own != other)
    }
}

/// Whether a turn builds on the page that it expects.
#[derive(Debug, PartialEq, Eq)]
enum Expectation {
    Met,
    Failed,
    /// It is met if the first branch comes from the second.
    IfForked(i64, i64),
}

impl Expectation {
    fn of(new: &NewTurn, parent: Option<&Parent>) -> Expectation {
        match (&new.expected_parent, parent) {
            (None, _) | (Some(None), None) => Expectation::Met,
            (Some(Some(expected)), Some(parent)) if parent.is_known_as(expected) => parent
                .branches_of_copies(expected)
                .map_or(Expectation::Met, |(own, other)| Expectation::IfForked(own, other)),
            (Some(_), _) => Expectation::Failed,
        }
    }

    fn holds(self, tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<bool> {
        match self {
            Expectation::Met => Ok(true),
            Expectation::Failed => Ok(false),
            Expectation::IfForked(own, other) => line::may_come_from(tx, session, own, other),
        }
    }
}

fn branch(tx: &mut dyn Tx, session: SessionKey<'_>, new: &NewTurn) -> StoreResult<i64> {
    let name = new.branch.as_deref().unwrap_or(MAIN_BRANCH);
    lookup::branch(tx, session, &new.session, name)
}

/// The branch and the position of the floor that a turn is another swipe of. Where the turn names them as well, it must mean
/// these.
fn swiped(tx: &mut dyn Tx, session: SessionKey<'_>, floor: &Id, new: &NewTurn) -> StoreResult<(i64, i64)> {
    let (branch_row, floor_no) = committed(tx, session, floor)?;
    if new.branch.is_some() && branch(tx, session, new)? != branch_row {
        return Err(Refusal::FloorElsewhere(floor.clone(), "branch").into());
    }
    if new.floor_no.is_some_and(|wanted| wanted != floor_no) {
        return Err(Refusal::FloorElsewhere(floor.clone(), "floor_no").into());
    }
    Ok((branch_row, floor_no))
}

/// The branch and the position of a floor that can have another swipe.
fn committed(tx: &mut dyn Tx, session: SessionKey<'_>, floor: &Id) -> StoreResult<(i64, i64)> {
    let sql =
        sql!("SELECT branch_row, floor_no, state FROM floor WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
    let found =
        first(tx, sql, in_session![session, floor], |row| Ok((row.int(0)?, row.int(1)?, stored_enum(row.int(2)?)?)))?;
    match found.ok_or_else(|| Refusal::FloorNotFound(floor.clone()))? {
        (branch_row, floor_no, FloorState::Committed) => Ok((branch_row, floor_no)),
        (_, _, found) => Err(Refusal::InvalidState { found, wanted: "have another swipe; commit it first" }.into()),
    }
}

#[derive(Debug, Clone)]
pub struct TurnIds {
    /// For the floor, if it is new.
    pub floor: Id,
    pub page: Id,
    pub snapshot: Id,
}

#[derive(Debug)]
pub struct PreparedTurn {
    pub open: TurnContext,
    /// Its version; none where no commands are read from it.
    pub version: Option<NewVersion>,
    pub body: Body,
    pub text_hash: Hash,
    pub ids: TurnIds,
}

/// Stores a turn. Refuses with [`Refusal::ParentMoved`] if what it was computed from is not there any more.
pub fn append(
    tx: &mut dyn Tx,
    account: &Id,
    new: &NewTurn,
    ready: &PreparedTurn,
    ids: &mut Ids<'_>,
    now: i64,
) -> StoreResult<StoredTurn> {
    if let Some(tip) = &ready.open.tip {
        match tip::append(tx, account, new, ready, tip, ids, now)? {
            Some(stored) => return Ok(stored),
            // Nothing was read for this turn, so nothing is known of the changed session.
            None if tip.is_remembered => return Err(Refusal::ParentMoved.into()),
            None => {}
        }
    }
    // A floor and a page, or a page alone; and a second tick for the commit.
    let reserve = Reserve { ticks: 1, rows: if new.swipe_of.is_none() { 2 } else { 1 } };
    clock::with_session(tx, account, &new.session, now, reserve, |tx, clock| append_under(tx, clock, new, ready, ids))
}

fn append_under(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    new: &NewTurn,
    ready: &PreparedTurn,
    fresh: &mut Ids<'_>,
) -> StoreResult<StoredTurn> {
    let PreparedTurn { open, version, body, ids, .. } = ready;
    let session_row = clock.session_row();
    let moved = || StoreError::from(Refusal::ParentMoved);
    let swiped = match &new.swipe_of {
        Some(floor) => Some(swiped(tx, clock.key(), floor, new)?),
        None => None,
    };
    let place = match swiped {
        Some(place) => place,
        None => (branch(tx, clock.key(), new)?, open.below),
    };
    let before = places::before(tx, clock.key(), open.branch_row, open.below)?;
    let is_expected = Expectation::of(new, before.as_ref().map(Parent::of).as_ref()).holds(tx, clock.key())?;
    let base = before.map_or(Base::Template, |page| page.base());
    if session_row != open.session_row || place != (open.branch_row, open.below) || base != open.base || !is_expected {
        return Err(moved());
    }
    // A version says what it was made with, so that must still be what counts, and anything at all must.
    if let Some(version) = version {
        let settings = settings::read(tx, clock.key())?;
        if !settings.enabled || settings.recipe != version.recipe {
            return Err(moved());
        }
    }
    let (floor, page_no) = match &new.swipe_of {
        Some(floor) => {
            let floor = positions::floor(tx, clock, floor)?;
            let page_no = slot(tx, clock.key(), floor.floor_row)?;
            (floor, page_no)
        }
        None => (create_floor(tx, clock, new, &ids.floor)?, 0),
    };
    let page = NewPage {
        id: new.page.clone(),
        page_no,
        kind: open.kind,
        role: Some(new.role.clone()),
        name: new.name.clone(),
        content: Some(new.content.clone()),
        ..NewPage::of(floor.id.clone())
    };
    let (page_row, page) = pages::insert(tx, clock, &floor, &page, body, &ids.page)?;
    repeats::note(tx, clock, page_row, new)?;
    // The commit is later than what the page has brought back or taken away.
    clock.advance();
    let mut taken = StoredTurn {
        session_row,
        floor: floor.id.clone(),
        floor_no: floor.floor_no,
        page: page.id,
        page_version: page.version,
        snapshot: None,
        made_of: None,
        end: None,
    };
    if let Some(version) = version {
        let base_row = base.version_row();
        let version_row = versions::add(tx, clock, page_row, version, base_row, base_row)?;
        taken.snapshot = Some(snapshots::set(tx, clock, page_row, &ids.snapshot, version_row)?);
        taken.made_of = Some(version.made_of(version_row, base_row));
        refresh_changed(tx, clock, &[floor.floor_row])?;
    }
    commit::commit_new(tx, clock, &floor, page_row, version.as_ref(), fresh)?;
    let branch = new.branch.as_deref().unwrap_or(MAIN_BRANCH);
    let scope = match swiped {
        Some(_) => EventScope::of_floor(tx, clock.key(), floor.floor_row)?,
        None => EventScope::branch(session_row, &new.session, floor.branch_row, branch),
    };
    emit(tx, clock, &scope, &taken, (new.swipe_of.is_none(), page_no, page.is_active))?;
    Ok(taken)
}

/// Emits the events of a turn: whether its floor is new, the slot of its page, and whether the page is the active one.
fn emit(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    scope: &EventScope,
    turn: &StoredTurn,
    (is_new, page_no, is_active): (bool, i64, bool),
) -> StoreResult<()> {
    let page = (turn.page.clone(), page_no, turn.page_version, is_active);
    let detail = turn_event::Detail(is_new, turn.floor_no, page, turn.snapshot.clone());
    TurnEvent { floor: turn.floor.clone(), detail }.emit(tx, clock.tick(), scope)
}

fn create_floor(tx: &mut dyn Tx, clock: &SessionClock, new: &NewTurn, id: &Id) -> StoreResult<FloorPosition> {
    let floor = NewFloor {
        branch: new.branch.clone(),
        floor_no: new.floor_no,
        state: FloorState::Committed,
        ..NewFloor::of(new.session.clone())
    };
    floors::insert(tx, clock, &floor, id)
}

/// The slot that another swipe of a floor goes to: the story page's, else the last one.
fn slot(tx: &mut dyn Tx, session: SessionKey<'_>, floor_row: i64) -> StoreResult<i64> {
    if let Some(page) = places::of_floor(tx, session, floor_row)? {
        return Ok(page.page_no);
    }
    let sql = sql!(
        "SELECT COALESCE(MAX(page_no), 0) FROM page WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3"
    );
    one(tx, sql, in_session![session, floor_row], |row| row.int(0))
}
