//! A floor or page that a branch shares, named on that branch: it gets a copy of its own first, so that what is done with it is
//! done on this branch alone.

use crate::tree::clock;
use crate::tree::line;
use crate::tree::prelude::*;
use crate::tree::separation;
use std::collections::BTreeSet;

/// The floor that a branch has where this one stands; the floor itself if it is the branch's own. A floor that was deleted
/// elsewhere is still known by its id on the branches that have a copy of it.
pub fn floor_on(tx: &mut dyn Tx, account: &Id, floor: &Id, branch: &str, now: i64) -> StoreResult<Id> {
    on_branch(tx, account, (Scope::Floor, floor), branch, now)?
        .ok_or_else(|| Refusal::FloorNotFound(floor.clone()).into())
}

/// The same for a page.
pub fn page_on(tx: &mut dyn Tx, account: &Id, page: &Id, branch: &str, now: i64) -> StoreResult<Id> {
    on_branch(tx, account, (Scope::Page, page), branch, now)?.ok_or_else(|| Refusal::PageNotFound(page.clone()).into())
}

/// The same for the snapshot of a page. One that belongs to no page is its own.
pub fn snapshot_on(tx: &mut dyn Tx, account: &Id, snapshot: &Id, branch: &str, now: i64) -> StoreResult<Id> {
    let Some(page) = page_of_snapshot(tx, account, snapshot)? else {
        let copy = copy_of_snapshot(tx, account, snapshot, branch)?;
        return copy.map_or_else(|| Ok(snapshot.clone()), |copy| snapshot_on(tx, account, &copy, branch, now));
    };
    let own = page_on(tx, account, &page, branch, now)?;
    if own == page {
        return Ok(snapshot.clone());
    }
    let sql = sql!(
        "SELECT n.id FROM page p
         JOIN snapshot n ON n.account_id = p.account_id AND n.session_row = p.session_row AND n.page_row = p.page_row
         WHERE p.account_id = ?1 AND p.id = ?2"
    );
    let found = first(tx, sql, params![account, &own], |row| stored_id(row.text(0)?))?;
    found.ok_or_else(|| Refusal::PageNotFound(page).into())
}

fn page_of_snapshot(tx: &mut dyn Tx, account: &Id, snapshot: &Id) -> StoreResult<Option<Id>> {
    let sql = sql!(
        "SELECT p.id FROM snapshot n
         JOIN page p ON p.account_id = n.account_id AND p.session_row = n.session_row AND p.page_row = n.page_row
         JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
         WHERE n.account_id = ?1 AND n.id = ?2 AND LENGTH(b.id) <= 256"
    );
    first(tx, sql, params![account, snapshot], |row| stored_id(row.text(0)?))
}

/// The copy that the line of a branch has of a snapshot whose own page was deleted.
fn copy_of_snapshot(tx: &mut dyn Tx, account: &Id, snapshot: &Id, branch: &str) -> StoreResult<Option<Id>> {
    let sql = sql!("SELECT session_row FROM snapshot WHERE account_id = ?1 AND id = ?2");
    let Some(session_row) = first(tx, sql, params![account, snapshot], |row| row.int(0))? else { return Ok(None) };
    let session = SessionKey::new(account, session_row);
    let Some(branch_row) = lookup::find_branch(tx, session, branch)? else { return Ok(None) };
    for (branch_row, _) in line::segments(tx, session, branch_row, i64::MAX)?.into_iter().rev() {
        let copy = separation::snapshot_id(snapshot.as_str(), branch_row)?;
        if page_of_snapshot(tx, account, &copy)?.is_some() {
            return Ok(Some(copy));
        }
    }
    Ok(None)
}

/// The copy of a floor that a branch of a session has or shares.
pub fn copy_of_floor(tx: &mut dyn Tx, account: &Id, session: &Id, floor: &Id, branch: &str) -> StoreResult<Option<Id>> {
    let session = lookup::session(tx, account, session)?;
    Ok(find(tx, session, (Scope::Floor, floor), branch)?.map(|found| found.id))
}

/// The same for a page.
pub fn copy_of_page(tx: &mut dyn Tx, account: &Id, session: &Id, page: &Id, branch: &str) -> StoreResult<Option<Id>> {
    let session = lookup::session(tx, account, session)?;
    Ok(find(tx, session, (Scope::Page, page), branch)?.map(|found| found.id))
}

/// A floor or page by its id.
type Named<'a> = (Scope, &'a Id);

/// A floor or page, or a copy of it, on the line of a branch.
struct OnLine {
    branch_row: i64,
    id: Id,
    /// The branch whose row it is, and its position there.
    place: (i64, i64),
}

fn on_branch(tx: &mut dyn Tx, account: &Id, named: Named<'_>, branch: &str, now: i64) -> StoreResult<Option<Id>> {
    let (scope, id) = named;
    let session_row = first(tx, statements(scope).session, params![account, id], |row| row.int(0))?;
    let is_live = session_row.is_some();
    let Some(session_row) =
        session_row.map_or_else(|| session_of_copy(tx, account, named, branch), |row| Ok(Some(row)))?
    else {
        return Ok(None);
    };
    let own = clock::with_session_row(tx, SessionKey::new(account, session_row), now, |tx, clock| {
        let Some(found) = find(tx, clock.key(), named, branch)? else {
            if lookup::find_branch(tx, clock.key(), branch)?.is_some() {
                return Ok(None);
            }
            let sql = sql!("SELECT id FROM session WHERE account_id = ?1 AND session_row = ?2");
            let session = one(tx, sql, in_session![clock], |row| stored_id(row.text(0)?))?;
            return Err(Refusal::BranchNotFound(session, branch.to_owned()).into());
        };
        let (branch_row, floor_no) = found.place;
        if branch_row == found.branch_row {
            return Ok(Some(found.id));
        }
        separation::own(tx, clock, found.branch_row, floor_no)?;
        let statement = statements(scope).place;
        for copy in separation::ids_of_copy(clock.key(), &found.id, found.branch_row)? {
            if first(tx, statement, in_session![clock, &copy], |_| Ok(()))?.is_some() {
                return Ok(Some(copy));
            }
        }
        Ok(None)
    });
    match own {
        // It has gone, or its branch has, since the session was looked for.
        Err(StoreError::Refused(Refusal::BranchNotFound(..))) if !is_live => Ok(None),
        own => own.map(Option::flatten),
    }
}

/// Finds a floor or page, or the copy of it, on the line of a branch.
fn find(tx: &mut dyn Tx, session: SessionKey<'_>, (scope, id): Named<'_>, branch: &str) -> StoreResult<Option<OnLine>> {
    let Some(branch_row) = lookup::find_branch(tx, session, branch)? else { return Ok(None) };
    let way = line::segments(tx, session, branch_row, i64::MAX)?;
    // The nearest copy counts: the branch's own, then those of the branches that it was forked from.
    let mut ids = vec![id.clone()];
    for &(branch_row, _) in way.iter().rev() {
        ids.extend(separation::ids_of_copy(session, id, branch_row)?);
    }
    let sets: Vec<_> = ids.iter().map(|id| in_session![session, id].to_vec()).collect();
    let places = first_of_each(tx, statements(scope).place, &sets, |row| Ok((row.int(0)?, row.int(1)?)))?;
    let is_on_line = |place: &(i64, i64)| way.iter().any(|&(row, last)| row == place.0 && place.1 <= last);
    let found = ids.into_iter().zip(places).find_map(|(id, place)| Some((id, place.filter(is_on_line)?)));
    Ok(found.map(|(id, place)| OnLine { branch_row, id, place }))
}

/// Sessions that are looked at for copies of one id.
const SESSIONS_MAX: usize = 64;

/// The session where a branch of this name has a copy of a floor or page that is gone. None if there are several: it could be any of
/// them.
fn session_of_copy(tx: &mut dyn Tx, account: &Id, named: Named<'_>, branch: &str) -> StoreResult<Option<i64>> {
    let (scope, id) = named;
    let mut sessions = BTreeSet::new();
    for (mut start, end) in separation::ranges_of_copies(id) {
        // One id of each session, however many copies it has; what clients call their pages is bounded as well.
        for _ in 0..SESSIONS_MAX {
            let params = params![account, start.as_str(), end.as_str()];
            let next = first(tx, statements(scope).copy, params, |row| Ok((stored_id(row.text(0)?)?, row.int(1)?)))?;
            let Some((next, session_row)) = next else { break };
            sessions.insert(session_row);
            start = separation::behind_copies(&next);
        }
    }
    let mut found = Vec::new();
    for session_row in sessions {
        if find(tx, SessionKey::new(account, session_row), named, branch)?.is_some() {
            found.push(session_row);
        }
    }
    Ok(found.first().copied().filter(|_| found.len() == 1))
}

struct Statements {
    /// The session that has an id.
    session: Sql,
    /// The first id of a range, with its session.
    copy: Sql,
    /// The branch and the position of an id in a session.
    place: Sql,
}

const fn statements(scope: Scope) -> Statements {
    match scope {
        Scope::Page => Statements {
            session: sql!(
                "SELECT p.session_row FROM page p
                 JOIN session s ON s.account_id = p.account_id AND s.session_row = p.session_row
                 WHERE p.account_id = ?1 AND p.id = ?2 AND s.deleted_at IS NULL"
            ),
            copy: sql!(
                "SELECT p.id, p.session_row FROM page p
                 JOIN session s ON s.account_id = p.account_id AND s.session_row = p.session_row
                 WHERE p.account_id = ?1 AND p.id >= ?2 AND p.id < ?3 AND s.deleted_at IS NULL
                 ORDER BY p.account_id, p.id LIMIT 1"
            ),
            place: sql!(
                "SELECT f.branch_row, f.floor_no FROM page p
                 JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
                 WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.id = ?3"
            ),
        },
        _ => Statements {
            session: sql!(
                "SELECT f.session_row FROM floor f
                 JOIN session s ON s.account_id = f.account_id AND s.session_row = f.session_row
                 WHERE f.account_id = ?1 AND f.id = ?2 AND s.deleted_at IS NULL"
            ),
            copy: sql!(
                "SELECT f.id, f.session_row FROM floor f
                 JOIN session s ON s.account_id = f.account_id AND s.session_row = f.session_row
                 WHERE f.account_id = ?1 AND f.id >= ?2 AND f.id < ?3 AND s.deleted_at IS NULL
                 ORDER BY f.account_id, f.id LIMIT 1"
            ),
            place: sql!("SELECT branch_row, floor_no FROM floor WHERE account_id = ?1 AND session_row = ?2 AND id = ?3"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::statements;
    use crate::db::plans::assert_narrow;
    use tavernkeep_engine::scope::Scope;

    #[test]
    fn ids_are_found_by_their_index() {
        for scope in [Scope::Floor, Scope::Page] {
            let statements = statements(scope);
            [statements.session, statements.copy, statements.place].into_iter().for_each(assert_narrow);
        }
    }
}
