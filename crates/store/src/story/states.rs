//! What the state is at a page, a floor or the end of a branch, and whether it is fresh.

use crate::story::places::{self, StoryPage};
use crate::story::settings;
use crate::story::snapshots::{self, Snapshot};
use crate::story::versions::Kind;
use crate::tree::line::{self, BranchPosition};
use crate::tree::prelude::*;
use crate::types::record::Context;
use crate::variables::state_key::STATE_KEY;
use tavernkeep_engine::story::StaleReason;

/// The state at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateAt {
    pub session_row: i64,
    /// The snapshot that is shown; none if it is the template.
    pub snapshot: Option<Id>,
    /// The version behind it; none if it is the template.
    pub version_row: Option<i64>,
    pub page: Option<Id>,
    pub floor: Option<Id>,
    /// Why it is stale; none if it is fresh.
    pub stale: Option<StaleReason>,
    /// Whether it was computed with another profile or template, or by an older engine.
    pub outdated: bool,
    /// Whether the page has edits by hand.
    pub edited: bool,
    /// Whether it is the state before the place, because the place has none of its own.
    pub inherited: bool,
    /// The page, and its floor, that was never processed and shows the state of the page above.
    pub unprocessed: Option<(Id, Id)>,
    /// The page, and its floor, that was asked for and has no state of its own, since no commands are read from it.
    pub asked: Option<(Id, Id)>,
}

impl StateAt {
    /// The snapshot, the page and the floor whose state this is. A page that has no state of its own has no snapshot, whatever it shows.
    pub fn ids(&self) -> (Option<&Id>, Option<&Id>, Option<&Id>) {
        match self.asked.as_ref().or(self.unprocessed.as_ref()) {
            Some((page, floor)) => (None, Some(page), Some(floor)),
            None => (self.snapshot.as_ref(), self.page.as_ref(), self.floor.as_ref()),
        }
    }
}

pub fn of_page(tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<StateAt> {
    let sql = sql!(
        "SELECT p.session_row, p.page_row, f.floor_row, f.branch_row, f.floor_no, p.page_no,
            CASE WHEN p.kind >= s.story_kind AND f.state = 2 THEN 1 ELSE 0 END, f.id
         FROM page p
         JOIN session s ON s.account_id = p.account_id AND s.session_row = p.session_row
         JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         WHERE p.account_id = ?1 AND p.id = ?2 AND s.deleted_at IS NULL AND f.floor_no >= 0"
    );
    let found = first(tx, sql, params![account, page], |row| {
        let place = (row.int(3)?, row.int(4)?);
        let floor = stored_id(row.text(7)?)?;
        Ok((row.int(0)?, row.int(1)?, (row.int(2)?, floor), place, row.int(5)?, row.int(6)? == 1))
    })?;
    let (session_row, page_row, (floor_row, floor), place, page_no, is_read) =
        found.ok_or_else(|| Refusal::PageNotFound(page.clone()))?;
    let session = SessionKey::new(account, session_row);
    // A swipe that is not chosen has a state of its own if it were the story page once it is chosen, also beside a chosen one that
    // no commands are read from. Whatever else stands on the floor has none.
    let own = match places::of_floor(tx, session, floor_row)? {
        Some(chosen) if chosen.page_row == page_row => Some(chosen),
        chosen if is_read && chosen.as_ref().is_none_or(|chosen| chosen.page_no <= page_no) => {
            places::of_page(tx, session, page_row)?
        }
        _ => None,
    };
    match own {
        Some(own) => shown(tx, session, own),
        None => Ok(StateAt { asked: Some((page.clone(), floor)), ..inherited(tx, session, place)? }),
    }
}

/// The state that a page builds on, whether or not it has one of its own: that of the last page before its floor that has one.
pub fn below_page(tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<StateAt> {
    let sql = sql!(
        "SELECT p.session_row, f.branch_row, f.floor_no FROM page p
         JOIN session s ON s.account_id = p.account_id AND s.session_row = p.session_row
         JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         WHERE p.account_id = ?1 AND p.id = ?2 AND s.deleted_at IS NULL AND f.floor_no >= 0"
    );
    let found = first(tx, sql, params![account, page], |row| Ok((row.int(0)?, row.int(1)?, row.int(2)?)))?;
    let (session_row, branch_row, floor_no) = found.ok_or_else(|| Refusal::PageNotFound(page.clone()))?;
    let session = SessionKey::new(account, session_row);
    match places::before_with_state(tx, session, branch_row, floor_no)? {
        Some(before) => shown(tx, session, before),
        None => of(tx, session, None),
    }
}

/// The state at a floor: its story page's, or what lies before it.
pub fn of_floor(tx: &mut dyn Tx, account: &Id, floor: &Id) -> StoreResult<StateAt> {
    let sql = sql!(
        "SELECT f.session_row, f.floor_row, f.branch_row, f.floor_no FROM floor f
         JOIN session s ON s.account_id = f.account_id AND s.session_row = f.session_row
         WHERE f.account_id = ?1 AND f.id = ?2 AND s.deleted_at IS NULL"
    );
    let found =
        first(tx, sql, params![account, floor], |row| Ok((row.int(0)?, row.int(1)?, (row.int(2)?, row.int(3)?))))?;
    let (session_row, floor_row, place) = found.ok_or_else(|| Refusal::FloorNotFound(floor.clone()))?;
    at_row(tx, SessionKey::new(account, session_row), floor_row, place)
}

/// The state at a floor that is known by its number, on the branch itself or among what it shares.
pub fn of_number(tx: &mut dyn Tx, account: &Id, session: &Id, branch: &str, floor_no: i64) -> StoreResult<StateAt> {
    let (session, branch_row) = branch_of(tx, account, session, branch)?;
    let sql = sql!(
        "SELECT floor_row FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND floor_no = ?4
            AND (state = 2 OR branch_row = ?5)"
    );
    let way = line::segments(tx, session, branch_row, floor_no)?;
    for (segment, _) in way.into_iter().filter(|&(_, last)| last == floor_no) {
        if let Some(floor_row) = first(tx, sql, in_session![session, segment, floor_no, branch_row], |row| row.int(0))?
        {
            return at_row(tx, session, floor_row, (branch_row, floor_no));
        }
    }
    Err(Refusal::FloorNumberNotFound { branch: branch.to_owned(), floor_no }.into())
}

fn at_row(tx: &mut dyn Tx, session: SessionKey<'_>, floor_row: i64, place: BranchPosition) -> StoreResult<StateAt> {
    if let Some(own) = places::of_floor(tx, session, floor_row)? {
        return shown(tx, session, own);
    }
    let sql = sql!(
        "SELECT p.id, f.id FROM floor f
         JOIN page p ON p.account_id = f.account_id AND p.session_row = f.session_row AND p.floor_row = f.floor_row
         WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.floor_row = ?3 AND p.is_active = 1 ORDER BY p.page_no LIMIT 1"
    );
    let asked = first(tx, sql, in_session![session, floor_row], |row| {
        Ok((stored_id(row.text(0)?)?, stored_id(row.text(1)?)?))
    })?;
    Ok(StateAt { asked, ..inherited(tx, session, place)? })
}

pub fn newest(tx: &mut dyn Tx, account: &Id, session: &Id, branch: &str) -> StoreResult<StateAt> {
    before(tx, account, session, branch, i64::MAX)
}

/// The state that a reply at a position of a branch starts from.
pub fn before(tx: &mut dyn Tx, account: &Id, session: &Id, branch: &str, below: i64) -> StoreResult<StateAt> {
    let (session, branch_row) = branch_of(tx, account, session, branch)?;
    match places::before(tx, session, branch_row, below)? {
        Some(last) => shown(tx, session, last),
        None => inherited(tx, session, (branch_row, below)),
    }
}

/// Refuses a position that no floor of a branch has and that the next one would not get either.
pub fn check_position(tx: &mut dyn Tx, account: &Id, session: &Id, branch: &str, floor_no: i64) -> StoreResult<()> {
    let found = of_number(tx, account, session, branch, floor_no);
    match found {
        Err(StoreError::Refused(Refusal::FloorNumberNotFound { .. })) if floor_no == 0 => Ok(()),
        Err(StoreError::Refused(missing @ Refusal::FloorNumberNotFound { .. })) => {
            let before = of_number(tx, account, session, branch, floor_no.saturating_sub(1));
            before.map(drop).map_err(|error| match error {
                StoreError::Refused(Refusal::FloorNumberNotFound { .. }) => missing.into(),
                error => error,
            })
        }
        found => found.map(drop),
    }
}

/// The last reply of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastReply {
    pub page: Id,
    pub floor_no: i64,
    /// The version that came of it; none if it was not processed.
    pub version_row: Option<i64>,
}

/// The last reply on a branch, up to a floor where one is given. In profiles that read what users write, the last page of the
/// story may be theirs.
pub fn last_reply(
    tx: &mut dyn Tx,
    account: &Id,
    (session, branch): (&Id, &str),
    last: Option<&Id>,
) -> StoreResult<Option<LastReply>> {
    let below = match last {
        Some(floor) => {
            let (session, _) = branch_of(tx, account, session, branch)?;
            floor_no(tx, session, floor)?.saturating_add(1)
        }
        None => i64::MAX,
    };
    last_reply_below(tx, account, (session, branch), below)
}

/// The last reply on a branch before a position.
pub fn last_reply_below(
    tx: &mut dyn Tx,
    account: &Id,
    (session, branch): (&Id, &str),
    below: i64,
) -> StoreResult<Option<LastReply>> {
    let (session, branch_row) = branch_of(tx, account, session, branch)?;
    let found = places::reply_before(tx, session, branch_row, below)?;
    Ok(found.map(|reply| LastReply {
        version_row: reply.pointer.map(|pointer| pointer.made_of.version_row),
        page: reply.page,
        floor_no: reply.floor_no,
    }))
}

/// The number of a floor that is there.
fn floor_no(tx: &mut dyn Tx, session: SessionKey<'_>, floor: &Id) -> StoreResult<i64> {
    let sql = sql!("SELECT floor_no FROM floor WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
    first(tx, sql, in_session![session, floor], |row| row.int(0))?
        .ok_or_else(|| Refusal::FloorNotFound(floor.clone()).into())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visible {
    pub key: Key,
    pub at: StateAt,
    /// Whether it is shown even if it is empty: the session has settings of its own.
    pub even_empty: bool,
}

/// The state that is seen from a place, under its name among variables; nothing where the story has not begun.
pub fn visible(tx: &mut dyn Tx, account: &Id, context: &Context) -> StoreResult<Option<Visible>> {
    // One query is enough for sessions without a story.
    let sql = sql!(
        "SELECT s.state_key, t.session_row FROM session s
         JOIN snapshot n ON n.account_id = s.account_id AND n.session_row = s.session_row
         LEFT JOIN session_story t ON t.account_id = s.account_id AND t.session_row = s.session_row
         WHERE s.account_id = ?1 AND s.id = ?2 LIMIT 1"
    );
    let found = first(tx, sql, params![account, &context.session], |row| {
        Ok((row.bytes_or_null(0)?.map(stored_key).transpose()?, row.int_or_null(1)?.is_some()))
    })?;
    let Some((key, even_empty)) = found else { return Ok(None) };
    let at = match context {
        Context { page: Some(page), .. } => of_page(tx, account, page)?,
        Context { floor: Some(floor), .. } => of_floor(tx, account, floor)?,
        Context { session, branch, .. } => newest(tx, account, session, branch.as_deref().unwrap_or(MAIN_BRANCH))?,
    };
    let usual = || STATE_KEY.parse().map_err(|_| StoreError::Internal("the state's name is no key".into()));
    let key = key.map_or_else(usual, Ok)?;
    Ok(at.version_row.is_some().then_some(Visible { key, at, even_empty }))
}

/// A page's own state. One that was never processed shows what lies before it.
fn shown(tx: &mut dyn Tx, session: SessionKey<'_>, page: StoryPage) -> StoreResult<StateAt> {
    let base = places::base(tx, session, page.branch_row, page.floor_no)?;
    let mut stale = page.inputs(base).misfit(page.made_of().as_ref());
    if stale.is_none() && !places::all_fit(tx, session, page.branch_row, page.floor_no - 1)? {
        stale = Some(StaleReason::EarlierStale);
    }
    if page.pointer.is_some() {
        return Ok(StateAt { stale, ..of(tx, session, Some(page))? });
    }
    let before = places::before_with_state(tx, session, page.branch_row, page.floor_no)?;
    let unprocessed = Some((page.page, page.floor));
    Ok(StateAt { stale, inherited: true, edited: false, unprocessed, ..of(tx, session, before)? })
}

fn inherited(tx: &mut dyn Tx, session: SessionKey<'_>, (branch_row, below): BranchPosition) -> StoreResult<StateAt> {
    let before = places::before(tx, session, branch_row, below)?;
    let state = match before {
        Some(before) => shown(tx, session, before)?,
        None => of(tx, session, None)?,
    };
    Ok(StateAt { inherited: true, edited: false, ..state })
}

fn of(tx: &mut dyn Tx, session: SessionKey<'_>, page: Option<StoryPage>) -> StoreResult<StateAt> {
    let recipe_hash = settings::read(tx, session)?.recipe.hash();
    let made_of = page.as_ref().and_then(|page| page.pointer.as_ref()).map(|pointer| &pointer.made_of);
    let edited = made_of.is_some_and(|made_of| made_of.kind == Kind::Edit);
    Ok(StateAt {
        session_row: session.row,
        version_row: made_of.map(|made_of| made_of.version_row),
        outdated: made_of.is_some_and(|made_of| made_of.is_outdated(&recipe_hash)),
        edited,
        stale: None,
        inherited: false,
        unprocessed: None,
        asked: None,
        snapshot: page.as_ref().and_then(|page| page.pointer.as_ref()).map(|pointer| pointer.snapshot.clone()),
        floor: page.as_ref().map(|page| page.floor.clone()),
        page: page.map(|page| page.page),
    })
}

/// What is known of the state that a snapshot shows, if its page still exists and shows it, too.
pub fn of_snapshot(tx: &mut dyn Tx, account: &Id, snapshot: &Snapshot) -> StoreResult<Option<StateAt>> {
    let Some(page) = &snapshot.page else { return Ok(None) };
    let at = of_page(tx, account, page)?;
    // A page that commands are read from no more shows the state of another one.
    Ok(Some(at).filter(|at| at.version_row == Some(snapshot.version_row)))
}

/// The last story page of a branch, and its snapshot if it has a state.
pub fn last_page(tx: &mut dyn Tx, account: &Id, session: &Id, branch: &str) -> StoreResult<Option<LastPage>> {
    let (session, branch_row) = branch_of(tx, account, session, branch)?;
    let Some(last) = places::before(tx, session, branch_row, i64::MAX)? else {
        return Ok(None);
    };
    let snapshot = last.pointer.map(|pointer| snapshots::get(tx, account, &pointer.snapshot)).transpose()?;
    Ok(Some((last.page, snapshot)))
}

pub type LastPage = (Id, Option<Snapshot>);

fn branch_of<'a>(tx: &mut dyn Tx, account: &'a Id, session: &Id, branch: &str) -> StoreResult<(SessionKey<'a>, i64)> {
    let key = lookup::session(tx, account, session)?;
    Ok((key, lookup::branch(tx, key, session, branch)?))
}
