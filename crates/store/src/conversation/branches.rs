//! Branches: register, fork, list, delete.

mod deletion;
mod detached;

pub(crate) use deletion::{HiddenBranch, drop_prepared, purge_hidden};
pub use deletion::{delete, go_on};
pub(crate) use detached::{detach, detach_swipes};

use crate::conversation::pages;
use crate::events::{self, EventScope};
use crate::story;
use crate::tree::positions;
use crate::tree::prelude::*;
use crate::tree::separation;
use crate::types::record::{Branch, EventKind, Listed, Window};
use crate::variables::lineage;
use std::sync::LazyLock;
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::limits::FORK_DEPTH_MAX;

/// Where a branch leaves another: the floor's row and position.
pub(crate) type Source = (i64, i64);

pub(crate) fn insert(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    branch_row: i64,
    name: &str,
    source: Option<Source>,
) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO branch
            (account_id, session_row, branch_row, id, source_floor_row, source_floor_no, shared_floor_no, source_branch_row,
             shared_branch_row, source_seq, created_at, variables)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6,
            (SELECT f.branch_row FROM floor f WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.floor_row = ?5),
            (SELECT f.branch_row FROM floor f WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.floor_row = ?5),
            (SELECT f.committed_seq FROM floor f WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.floor_row = ?5),
            ?7, 0)"
    );
    let (floor_row, floor_no) = source.unzip();
    let now = clock.now();
    if source.is_some() {
        clock.note_fork(tx)?;
    }
    tx.execute(sql, in_session![clock, branch_row, name.as_bytes(), floor_row, floor_no, now]).map(drop)
}

pub(crate) fn register(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    session: &Id,
    name: &str,
    source: Option<Source>,
) -> StoreResult<i64> {
    if let Some((floor_row, _)) = source {
        depth_left(tx, clock.key(), floor_row)?;
    }
    let branch_row = clock.next_row();
    insert(tx, clock, branch_row, name, source)?;
    let scope = EventScope::branch(clock.session_row(), session, branch_row, name);
    events::emit(tx, clock.tick(), EventKind::BranchCreated, &scope, session, None)?;
    Ok(branch_row)
}

/// Refuses a fork that would stand on too many others: its state would be read through all of them.
fn depth_left(tx: &mut dyn Tx, session: SessionKey<'_>, floor_row: i64) -> StoreResult<()> {
    let sql = sql!("SELECT branch_row FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let branch_row = one(tx, sql, in_session![session, floor_row], |row| row.int(0))?;
    let before = lineage::branches_before(tx, session, branch_row)?.len();
    if before < FORK_DEPTH_MAX { Ok(()) } else { Err(Refusal::ForkTooDeep.into()) }
}

/// What a fork is made from: a floor, with the swipes that are active, or one of its pages.
#[derive(Debug, Clone)]
pub enum ForkPoint {
    Floor(Id, Option<Id>),
    Page(Id),
}

/// Forks a new branch from a committed floor. A page that is not active there is on the fork.
pub fn fork(tx: &mut dyn Tx, account: &Id, from: &ForkPoint, name: &str, now: i64) -> StoreResult<Branch> {
    let page = match from {
        ForkPoint::Floor(_, page) => page.as_ref(),
        ForkPoint::Page(page) => Some(page),
    };
    let floor = match from {
        ForkPoint::Floor(floor, _) => floor.clone(),
        ForkPoint::Page(page) => pages::get(tx, account, page)?.floor,
    };
    positions::with_floor(tx, account, &floor, now, |tx, clock, place| {
        if place.state != FloorState::Committed {
            return Err(Refusal::InvalidState { found: place.state, wanted: "be forked; commit it first" }.into());
        }
        if lookup::find_branch(tx, clock.key(), name)?.is_some() {
            return Err(Refusal::BranchExists(name.to_owned()).into());
        }
        let sql = sql!("SELECT id FROM session WHERE account_id = ?1 AND session_row = ?2");
        let session = one(tx, sql, params![account, clock.session_row()], |row| stored_id(row.text(0)?))?;
        let source = (place.floor_row, place.floor_no);
        let page = page.map(|page| pages::on_floor(tx, clock, &place, page)).transpose()?;
        let branch_row = register(tx, clock, &session, name, Some(source))?;
        if let Some(page) = page.filter(|page| !page.is_active) {
            choose(tx, clock, branch_row, &place, &page)?;
        }
        let params = in_session![clock, branch_row];
        one(tx, STATEMENTS[2], params, read)
    })
}

/// Gives a new fork its own copy of the floor that it was made from, and chooses a page there. What it inherits are the values as
/// of that page's commit.
fn choose(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    branch_row: i64,
    floor: &FloorPosition,
    page: &PagePosition,
) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE branch SET source_seq = COALESCE((SELECT p.committed_seq FROM page p WHERE p.account_id = ?1
            AND p.session_row = ?2 AND p.page_row = ?4), source_seq)
         WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"
    );
    tx.execute(sql, in_session![clock, branch_row, page.page_row])?;
    separation::own(tx, clock, branch_row, floor.floor_no)?;
    // Its copy has the same number and version.
    let sql = sql!(
        "SELECT c.id FROM page p
         JOIN floor o ON o.account_id = p.account_id AND o.session_row = p.session_row AND o.branch_row = ?4 AND o.floor_no = ?5
         JOIN page c ON c.account_id = o.account_id AND c.session_row = o.session_row AND c.floor_row = o.floor_row
            AND c.page_no = p.page_no AND c.version = p.version
         WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = ?3"
    );
    let copy =
        one(tx, sql, in_session![clock, page.page_row, branch_row, floor.floor_no], |row| stored_id(row.text(0)?))?;
    let floors = pages::activate_all(tx, clock, &[&copy])?;
    story::refresh_changed(tx, clock, &floors)
}

static STATEMENTS: LazyLock<[Sql; 3]> = LazyLock::new(|| {
    let select = "SELECT s.id, b.id, f.id, b.source_floor_no, b.created_at,
            (SELECT COUNT(*) FROM floor o
             WHERE o.account_id = b.account_id AND o.session_row = b.session_row AND o.branch_row = b.branch_row
                AND o.floor_no > COALESCE(b.source_floor_no, -1)), q.id
        FROM branch b
        JOIN session s ON s.account_id = b.account_id AND s.session_row = b.session_row
        LEFT JOIN floor f
            ON f.account_id = b.account_id AND f.session_row = b.session_row AND f.floor_row = b.source_floor_row
        LEFT JOIN branch q
            ON q.account_id = f.account_id AND q.session_row = f.session_row AND q.branch_row = f.branch_row";
    let list = |direction: &str| {
        Sql::assembled(format!(
            "{select} WHERE b.account_id = ?1 AND b.session_row = ?2 AND LENGTH(b.id) <= 256 ORDER BY b.branch_row {direction} LIMIT ?3 OFFSET ?4"
        ))
    };
    let one = format!("{select} WHERE b.account_id = ?1 AND b.session_row = ?2 AND b.branch_row = ?3");
    [list("DESC"), list("ASC"), Sql::assembled(one)]
});

fn read(row: &dyn Row) -> StoreResult<Branch> {
    Ok(Branch {
        session: stored_id(row.text(0)?)?,
        id: stored_text(row.bytes(1)?)?,
        source_floor: row.text_or_null(2)?.map(stored_id).transpose()?,
        source_floor_no: row.int_or_null(3)?,
        created_at: row.int(4)?,
        floor_count: row.int(5)?,
        source_branch: row.bytes_or_null(6)?.map(stored_text).transpose()?,
    })
}

pub fn list(tx: &mut dyn Tx, account: &Id, session: &Id, window: Window) -> StoreResult<Listed<Branch>> {
    let session = lookup::session(tx, account, session)?;
    let params = in_session![session, window.limit + 1, window.offset];
    let count = sql!("SELECT COUNT(*) FROM branch WHERE account_id = ?1 AND session_row = ?2 AND LENGTH(id) <= 256");
    tx::list(tx, window, (STATEMENTS[usize::from(window.ascending)], params), (count, &params[..2]), read)
}

/// The names of a session's branches, the oldest first.
pub fn names(tx: &mut dyn Tx, account: &Id, session: &Id) -> StoreResult<Vec<String>> {
    let session = lookup::session(tx, account, session)?;
    let sql = sql!(
        "SELECT id FROM branch WHERE account_id = ?1 AND session_row = ?2 AND LENGTH(id) <= 256 ORDER BY branch_row"
    );
    all(tx, sql, in_session![session], |row| stored_text(row.bytes(0)?))
}
