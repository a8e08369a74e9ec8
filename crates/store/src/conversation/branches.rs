//! Branches: register, fork, list, delete.

use crate::events::{self, EventScope};
use crate::story;
use crate::tree::clock::{self, Reserve};
use crate::tree::positions;
use crate::tree::prelude::*;
use crate::types::record::{Branch, EventKind, Listed, Window};
use crate::variables::{lineage, promotions};
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
            (account_id, session_row, branch_row, id, source_floor_row, source_floor_no, source_branch_floor_no,
             source_branch_row, source_seq, created_at, variables)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6,
            (SELECT f.branch_row FROM floor f WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.floor_row = ?5),
            (SELECT f.committed_seq FROM floor f WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.floor_row = ?5),
            ?7, 0)"
    );
    let (floor_row, floor_no) = source.unzip();
    let now = clock.now();
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

/// Forks a new branch from a committed floor.
pub fn fork(tx: &mut dyn Tx, account: &Id, floor: &Id, name: &str, now: i64) -> StoreResult<Branch> {
    positions::with_floor(tx, account, floor, now, |tx, clock, place| {
        if place.state != FloorState::Committed {
            return Err(Refusal::InvalidState { found: place.state, wanted: "be forked; commit it first" }.into());
        }
        if lookup::find_branch(tx, clock.key(), name)?.is_some() {
            return Err(Refusal::BranchExists(name.to_owned()).into());
        }
        let sql = sql!("SELECT id FROM session WHERE account_id = ?1 AND session_row = ?2");
        let session = one(tx, sql, params![account, clock.session_row()], |row| stored_id(row.text(0)?))?;
        let source = (place.floor_row, place.floor_no);
        let branch_row = register(tx, clock, &session, name, Some(source))?;
        let params = in_session![clock, branch_row];
        one(tx, STATEMENTS[2], params, read)
    })
}

static STATEMENTS: LazyLock<[Sql; 3]> = LazyLock::new(|| {
    let select = "SELECT s.id, b.id, f.id, COALESCE(f.floor_no, b.source_floor_no), b.created_at,
            (SELECT COUNT(*) FROM floor o
             WHERE o.account_id = b.account_id AND o.session_row = b.session_row AND o.branch_row = b.branch_row)
        FROM branch b
        JOIN session s ON s.account_id = b.account_id AND s.session_row = b.session_row
        LEFT JOIN floor f
            ON f.account_id = b.account_id AND f.session_row = b.session_row AND f.floor_row = b.source_floor_row";
    let list = |direction: &str| {
        Sql::assembled(format!(
            "{select} WHERE b.account_id = ?1 AND b.session_row = ?2 ORDER BY b.branch_row {direction} LIMIT ?3 OFFSET ?4"
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
    })
}

pub fn list(tx: &mut dyn Tx, account: &Id, session: &Id, window: Window) -> StoreResult<Listed<Branch>> {
    let session = lookup::session(tx, account, session)?;
    let params = in_session![session, window.limit + 1, window.offset];
    let count = sql!("SELECT COUNT(*) FROM branch WHERE account_id = ?1 AND session_row = ?2");
    tx::list(tx, window, (STATEMENTS[usize::from(window.ascending)], params), (count, &params[..2]), read)
}

/// Deletes a branch with its floors; returns how many there were.
pub fn delete(tx: &mut dyn Tx, account: &Id, session: &Id, name: &str, now: i64) -> StoreResult<i64> {
    let missing = || Refusal::BranchNotFound(session.clone(), name.to_owned());
    let deleted = clock::with_session(tx, account, session, now, Reserve::default(), |tx, clock| {
        let branch_row = lookup::find_branch(tx, clock.key(), name)?.ok_or_else(missing)?;
        if name == MAIN_BRANCH {
            return Err(Refusal::BranchProtected.into());
        }
        clock.mark_changed();
        let mut totals = Totals::default();
        let targets = promotions::targets_of_branch(tx, clock.key(), branch_row)?;
        let behind = story::around_branch(tx, clock.key(), branch_row)?;
        let floors = crate::conversation::cascade::branch(tx, clock, branch_row, &mut totals)?;
        story::refresh(tx, clock, &behind)?;
        promotions::restore(tx, clock, &targets, &mut totals)?;
        let scope = EventScope::branch(clock.session_row(), session, branch_row, name);
        events::emit(tx, clock.tick(), EventKind::BranchDeleted, &scope, session, None)?;
        totals.keep(tx, account)?;
        Ok(floors)
    });
    deleted.map_err(|error| match error {
        StoreError::Refused(Refusal::SessionNotFound(_)) => missing().into(),
        error => error,
    })
}
