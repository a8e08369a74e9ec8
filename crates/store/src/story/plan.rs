//! What has to be processed, in the order of the story.

use crate::db::hash::text_hash;
use crate::story::edits::{self, PageEdits};
use crate::story::goal::{Goal, place};
use crate::story::places::{self, COLUMN_COUNT, COLUMNS, JOIN, StoryPage};
use crate::story::settings::{self, Settings};
use crate::story::texts::{self, StoredText};
use crate::story::versions::MadeOf;
use crate::tree::clock;
use crate::tree::line::{self, LineSegment};
use crate::tree::prelude::*;
use crate::tree::separation;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;
use tavernkeep_engine::floor::PageKind;
use tavernkeep_engine::story::{Base, Hash};
use tavernkeep_engine::turn::TurnPosition;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StartAt {
    Stale,
    /// A position, or the first page that does not fit if that comes earlier.
    Floor(i64),
    Latest,
    /// Behind a page that was processed just now, whatever comes.
    Behind(Cursor),
}

/// Where a page that was processed stood. Whatever else becomes of its floor, everything up to there has been looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    floor_no: i64,
}

#[derive(Debug, Clone)]
pub struct Plan {
    pub session_row: i64,
    /// The branch of the goal. Floors that it shares with another one are planned too.
    pub branch_row: i64,
    pub settings: Settings,
    pub base: Base,
    pub steps: Vec<PageDue>,
    /// The names of session and branches, where functions may ask for them.
    pub names: Option<PlanNames>,
}

#[derive(Debug, Clone)]
pub struct PlanNames {
    pub session: Id,
    /// By their rows.
    pub branches: Vec<(i64, String)>,
}

#[derive(Debug, Clone)]
pub struct PageDue {
    pub branch_row: i64,
    pub floor: Id,
    pub floor_no: i64,
    pub floor_row: i64,
    pub page: Id,
    pub page_row: i64,
    pub created_at: i64,
    /// Who wrote it.
    pub role: Option<String>,
    /// The fingerprint of its text, where it is known.
    pub text_hash: Option<Hash>,
    pub text: StoredText,
    /// Whether a person wrote it.
    pub from_user: bool,
    pub snapshot: Option<Id>,
    pub made_of: Option<MadeOf>,
    pub edits: PageEdits,
    /// What pages have no field for, where it was asked for.
    pub extra: Option<JsonText>,
}

impl PageDue {
    /// Where it stands: session, branch, floor number.
    pub fn position(&self, session_row: i64) -> (i64, i64, i64) {
        (session_row, self.branch_row, self.floor_no)
    }

    /// Where the next part goes on.
    pub fn cursor(&self) -> Cursor {
        Cursor { floor_no: self.floor_no }
    }

    /// Where it stands, for functions.
    pub fn turn_position(&self, names: Option<&PlanNames>) -> TurnPosition {
        let branch = names.and_then(|names| names.branches.iter().find(|(row, _)| *row == self.branch_row));
        TurnPosition {
            session: names.map(|names| names.session.to_string()),
            branch: branch.map(|(_, name)| name.clone()),
            floor_no: Some(self.floor_no),
            page: Some(self.page.to_string()),
            role: self.role.clone(),
        }
    }

    pub fn fingerprint(&self) -> StoreResult<Hash> {
        self.text_hash.map_or_else(|| Ok(text_hash(Some(&self.text.read()?))), Ok)
    }
}

/// Pages that are processed in one transaction.
pub const STEPS_MAX: i64 = 64;

/// Who a page is from.
struct Speaker {
    role: Option<String>,
    from_user: bool,
}

static STEPS: LazyLock<Sql> = LazyLock::new(|| {
    Sql::assembled(format!(
        "SELECT {COLUMNS}, LENGTH(y.content), p.role, p.kind {JOIN}
         LEFT JOIN body y ON y.account_id = p.account_id AND y.session_row = p.session_row AND y.scope = 4
            AND y.host_row = COALESCE(p.text_row, p.page_row)
         WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3 AND f.floor_no >= ?4 AND f.floor_no <= ?5
            AND f.state = 2 AND p.page_row = {}
         ORDER BY f.floor_no LIMIT ?6",
        places::story_page()
    ))
});

/// The next part of what has to be processed on the way to a goal.
pub fn plan(tx: &mut dyn Tx, account: &Id, goal: &Goal, from: StartAt) -> StoreResult<Plan> {
    let (session, branch_row, last) = place(tx, account, goal)?;
    let way = line::segments(tx, session, branch_row, last)?;
    let settings = settings::read(tx, session)?;
    let mut plan =
        Plan { session_row: session.row, branch_row, settings, base: Base::Template, steps: Vec::new(), names: None };
    // The flags are not up to date yet, so the first stale page is unknown: the caller reindexes them and plans again.
    if plan.settings.enabled && plan.settings.lags_behind() {
        return Ok(plan);
    }
    let Some(first_no) = start(tx, session, &way, from)? else {
        return Ok(plan);
    };
    let mut found: Vec<(StoryPage, i64, Speaker)> = Vec::new();
    for (branch_row, last) in way {
        let room = STEPS_MAX - i64::try_from(found.len()).unwrap_or(STEPS_MAX);
        if room <= 0 {
            break;
        }
        let params = in_session![session, branch_row, first_no, last, room];
        tx.query(*STEPS, params, &mut |row| {
            let role = row.bytes_or_null(COLUMN_COUNT + 1)?.map(stored_text).transpose()?;
            let from_user = stored_enum::<PageKind>(row.int(COLUMN_COUNT + 2)?)? == PageKind::Input;
            let size = row.int_or_null(COLUMN_COUNT)?.unwrap_or(0);
            found.push((places::read(row)?, size, Speaker { role, from_user }));
            Ok(())
        })?;
    }
    found.truncate(texts::at_once(found.iter().map(|(_, size, _)| *size)));
    if let Some((page, ..)) = found.first() {
        plan.base = places::base(tx, session, page.branch_row, page.floor_no)?;
    }
    let rows: Vec<i64> = found.iter().map(|(page, ..)| page.page_row).collect();
    let texts = texts::load(tx, session, &rows)?;
    for ((page, _, Speaker { role, from_user }), text) in found.into_iter().zip(texts) {
        let edits = edits::of_page(tx, session, &page)?;
        plan.steps.push(PageDue { role, from_user, ..due(page, text, edits) });
    }
    if plan.settings.recipe.has_functions() {
        plan.names = Some(names(tx, session, &plan.steps)?);
    }
    Ok(plan)
}

/// The same with what the pages have no field for.
pub fn plan_with_extras(tx: &mut dyn Tx, account: &Id, goal: &Goal, from: StartAt) -> StoreResult<Plan> {
    let mut plan = plan(tx, account, goal, from)?;
    let rows: Vec<i64> = plan.steps.iter().map(|step| step.page_row).collect();
    let extras = texts::extras(tx, SessionKey::new(account, plan.session_row), &rows)?;
    for (step, extra) in plan.steps.iter_mut().zip(extras) {
        step.extra = extra;
    }
    Ok(plan)
}

fn names(tx: &mut dyn Tx, session: SessionKey<'_>, steps: &[PageDue]) -> StoreResult<PlanNames> {
    let sql = sql!("SELECT id FROM session WHERE account_id = ?1 AND session_row = ?2");
    let id = one(tx, sql, in_session![session], |row| stored_id(row.text(0)?))?;
    let sql = sql!("SELECT id FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
    let mut branches: Vec<(i64, String)> = Vec::new();
    for step in steps {
        if !branches.iter().any(|(row, _)| *row == step.branch_row) {
            let name = first(tx, sql, in_session![session, step.branch_row], |row| stored_text(row.bytes(0)?))?;
            branches.extend(name.map(|name| (step.branch_row, name)));
        }
    }
    Ok(PlanNames { session: id, branches })
}

/// Gives a branch rows of its own from a position on, so that it can have other states there than the line it was forked from.
pub fn own(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64, floor_no: i64, now: i64) -> StoreResult<()> {
    let own = |tx: &mut dyn Tx, clock: &SessionClock| separation::own(tx, clock, branch_row, floor_no);
    clock::with_session_row(tx, session, now, own).map(drop)
}

static COUNT: LazyLock<Sql> = LazyLock::new(|| {
    Sql::assembled(format!(
        "SELECT COUNT(*) FROM floor f
         WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3 AND f.floor_no >= ?4 AND f.floor_no <= ?5
            AND f.state = 2 AND {} IS NOT NULL",
        places::story_page()
    ))
});

/// How many pages have to be looked at on the way to a goal. Reads much; not for the writer thread.
pub fn count(tx: &mut dyn Tx, account: &Id, goal: &Goal, from: StartAt) -> StoreResult<i64> {
    let (session, branch_row, last) = place(tx, account, goal)?;
    let way = line::segments(tx, session, branch_row, last)?;
    match start(tx, session, &way, from)? {
        Some(first_no) => count_from(tx, session, &way, first_no),
        None => Ok(0),
    }
}

/// The floors of a line whose states are stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaleFloors {
    pub floors: i64,
    pub first_floor_no: i64,
}

/// The floors on the way to a goal whose states are stale; none if all are fresh.
pub fn stale(tx: &mut dyn Tx, account: &Id, goal: &Goal) -> StoreResult<Option<StaleFloors>> {
    let (session, branch_row, last) = place(tx, account, goal)?;
    if !settings::read(tx, session)?.enabled {
        return Ok(None);
    }
    let way = line::segments(tx, session, branch_row, last)?;
    let Some(first_floor_no) = first_stale(tx, session, &way)? else { return Ok(None) };
    Ok(Some(StaleFloors { floors: count_from(tx, session, &way, first_floor_no)?, first_floor_no }))
}

fn count_from(tx: &mut dyn Tx, session: SessionKey<'_>, way: &[LineSegment], first_no: i64) -> StoreResult<i64> {
    let mut count = 0;
    for &(branch_row, last) in way {
        count += one(tx, *COUNT, in_session![session, branch_row, first_no, last], |row| row.int(0))?;
    }
    Ok(count)
}

fn due(page: StoryPage, text: StoredText, edits: PageEdits) -> PageDue {
    let (snapshot, made_of) = page.pointer.map(|pointer| (pointer.snapshot, pointer.made_of)).unzip();
    PageDue {
        branch_row: page.branch_row,
        floor: page.floor,
        floor_no: page.floor_no,
        floor_row: page.floor_row,
        page: page.page,
        page_row: page.page_row,
        created_at: page.created_at,
        role: None,
        text_hash: page.text_hash,
        text,
        from_user: false,
        snapshot,
        made_of,
        edits,
        extra: None,
    }
}

/// What there is to do on the way to a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Nothing: the session's character is disabled.
    Disabled,
    /// Nothing: everything fits.
    Nothing,
    /// Something does not fit.
    Something,
}

/// Whether something on the way to a goal has to be processed.
pub fn need(tx: &mut dyn Tx, account: &Id, goal: &Goal) -> StoreResult<Need> {
    let (session, branch_row, last) = place(tx, account, goal)?;
    let settings = settings::read(tx, session)?;
    if !settings.enabled {
        return Ok(Need::Disabled);
    }
    let fits = !settings.lags_behind() && places::all_fit(tx, session, branch_row, last)?;
    Ok(if fits { Need::Nothing } else { Need::Something })
}

/// The same in the transaction that stores the end of the work: the session's clock is taken, so nothing changes until then.
pub fn need_now(tx: &mut dyn Tx, account: &Id, goal: &Goal, now: i64) -> StoreResult<Need> {
    let (session, ..) = place(tx, account, goal)?;
    match clock::with_session_row(tx, session, now, |tx, _| need(tx, account, goal))? {
        Some(need) => Ok(need),
        None => need(tx, account, goal),
    }
}

/// The position to start at; none if nothing has to be done.
fn start(tx: &mut dyn Tx, session: SessionKey<'_>, way: &[LineSegment], from: StartAt) -> StoreResult<Option<i64>> {
    let wanted = match from {
        StartAt::Behind(cursor) => return Ok(Some(cursor.floor_no.saturating_add(1))),
        StartAt::Stale => None,
        StartAt::Floor(floor_no) => Some(floor_no),
        StartAt::Latest => {
            let Some(&(branch_row, last)) = way.last() else { return Ok(None) };
            places::before(tx, session, branch_row, last.saturating_add(1))?.map(|page| page.floor_no)
        }
    };
    Ok(wanted.into_iter().chain(first_stale(tx, session, way)?).min())
}

/// The first floor of the way that does not fit the one before it.
fn first_stale(tx: &mut dyn Tx, session: SessionKey<'_>, way: &[LineSegment]) -> StoreResult<Option<i64>> {
    for &segment in way {
        if let Some(floor_no) = places::first_broken(tx, session, segment)? {
            return Ok(Some(floor_no));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    #[test]
    fn steps_are_found_floor_by_floor() {
        crate::db::plans::assert_narrow(*super::STEPS);
        crate::db::plans::assert_narrow(*super::COUNT);
    }
}
