//! The rows of floors once more, for another branch: floors, all their pages, snapshots and variables.

use super::{names, promoted};
use crate::tree::line::LineSegment;
use crate::tree::prelude::*;
use crate::tree::trash_rows;
use std::collections::BTreeMap;

/// Rows of one table: the number that is there, and the one of its copy.
pub(super) type Copies = BTreeMap<i64, i64>;

/// A row of floors or pages with its id.
pub(super) type NamedRow = (i64, Id);

/// Copies the committed floors from a position on to a branch.
pub fn floors(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    way: &[LineSegment],
    from: i64,
    branch_row: i64,
) -> StoreResult<()> {
    let found = shared_floors(tx, clock, way, from)?;
    let floors = copies(clock, &found);
    let sql = sql!(
        "INSERT INTO floor (account_id, session_row, floor_row, id, branch_row, floor_no, state, lease_until, created_at,
            updated_at, variables, committed_seq, broken, has_state)
         SELECT account_id, session_row, ?5, ?4, ?6, floor_no, state, lease_until, created_at, updated_at, variables,
            committed_seq, broken, has_state
         FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3
         ON CONFLICT DO NOTHING RETURNING floor_row"
    );
    insert(tx, clock, sql, (&found, branch_row), |row| [floors[&row], branch_row])?;
    let pages = pages(tx, clock, &floors, branch_row)?;
    bodies(tx, clock, &floors)?;
    variables(tx, clock, &floors, &pages, branch_row)
}

/// The committed floors of a way from a position on.
pub(super) fn shared_floors(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    way: &[LineSegment],
    from: i64,
) -> StoreResult<Vec<NamedRow>> {
    let sql = sql!(
        "SELECT floor_row, id FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3
            AND floor_no >= ?4 AND floor_no <= ?5 AND state = 2 ORDER BY floor_no"
    );
    let sets: Vec<_> = way.iter().map(|&(source, last)| in_session![clock, source, from, last].to_vec()).collect();
    all_of_each(tx, sql, &sets, |row| Ok((row.int(0)?, stored_id(row.text(1)?)?)))
}

/// A number for the copy of each row.
pub(super) fn copies(clock: &SessionClock, found: &[NamedRow]) -> Copies {
    let first = clock.next_rows(i64::try_from(found.len()).unwrap_or(i64::MAX));
    found.iter().map(|(row, _)| *row).zip(first..).collect()
}

/// Inserts the copy of each row. A line can have several copies of one floor or page, which would have the same id once more: those that
/// come later get another one.
fn insert(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    sql: Sql,
    (found, branch_row): (&[NamedRow], i64),
    numbers: impl Fn(i64) -> [i64; 2],
) -> StoreResult<()> {
    let mut left: Vec<&NamedRow> = found.iter().collect();
    for name in [names::own_id, names::second_id] {
        let ids = left.iter().map(|(_, id)| name(clock.key(), id, branch_row)).collect::<StoreResult<Vec<Id>>>()?;
        let set = |((row, _), id): (&&NamedRow, _)| {
            let [first, second] = numbers(*row);
            in_session![clock, *row, id, first, second].to_vec()
        };
        let sets: Vec<_> = left.iter().zip(&ids).map(set).collect();
        let inserted = first_of_each(tx, sql, &sets, |_| Ok(()))?;
        let mut inserted = inserted.iter().map(Option::is_some);
        left.retain(|_| !inserted.next().unwrap_or_default());
        if left.is_empty() {
            return Ok(());
        }
    }
    Err(StoreError::Internal("rows of a line could not be copied: their ids or places are taken".into()))
}

/// The pages of floors, and the floor of each.
pub(super) fn pages_of(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    floors: &Copies,
) -> StoreResult<(Vec<NamedRow>, Vec<i64>)> {
    let sql = sql!(
        "SELECT page_row, id, floor_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3
         ORDER BY page_no, version"
    );
    let sets: Vec<_> = floors.keys().map(|&floor_row| in_session![clock, floor_row].to_vec()).collect();
    let found = all_of_each(tx, sql, &sets, |row| Ok(((row.int(0)?, stored_id(row.text(1)?)?), row.int(2)?)))?;
    Ok(found.into_iter().unzip())
}

fn pages(tx: &mut dyn Tx, clock: &SessionClock, floors: &Copies, branch_row: i64) -> StoreResult<Copies> {
    let (found, of_floor) = pages_of(tx, clock, floors)?;
    let pages = copies(clock, &found);
    let sql = sql!(
        "INSERT INTO page (account_id, session_row, page_row, id, floor_row, page_no, version, kind, is_active, role, name,
            created_at, updated_at, variables, committed_seq, text_hash, turn_hash, text_row, edits_hash)
         SELECT account_id, session_row, ?5, ?4, ?6, page_no, version, kind, is_active, role, name, created_at, updated_at,
            variables, committed_seq, text_hash, NULL, COALESCE(text_row, page_row), edits_hash
         FROM page WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3
         ON CONFLICT DO NOTHING RETURNING page_row"
    );
    let floor_of: BTreeMap<i64, i64> = found.iter().map(|(row, _)| *row).zip(of_floor).collect();
    insert(tx, clock, sql, (&found, branch_row), |row| [pages[&row], floors[&floor_of[&row]]])?;
    edits(tx, clock, &pages)?;
    staged_writes(tx, clock, &pages, branch_row)?;
    snapshots(tx, clock, &pages, branch_row)?;
    Ok(pages)
}

/// Whether a session has any row of a kind. Most have no edits, no variables of floors or pages and no metadata, and then the thousands of
/// floors of a long chat need not be asked for them one by one.
fn has_any(tx: &mut dyn Tx, clock: &SessionClock, sql: Sql) -> StoreResult<bool> {
    Ok(first(tx, sql, in_session![clock], |_| Ok(()))?.is_some())
}

/// Edits keep their ids, so the versions that were computed with them fit the copies.
fn edits(tx: &mut dyn Tx, clock: &SessionClock, pages: &Copies) -> StoreResult<()> {
    let any = sql!("SELECT 1 FROM page_edit WHERE account_id = ?1 AND session_row = ?2 LIMIT 1");
    if !has_any(tx, clock, any)? {
        return Ok(());
    }
    let sql = sql!(
        "INSERT INTO page_edit (account_id, session_row, page_row, number, id, kind, created_at, taken_back_at, reason, ops)
         SELECT account_id, session_row, ?4, number, id, kind, created_at, taken_back_at, reason, ops FROM page_edit
         WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3"
    );
    let sets: Vec<_> = pages.iter().map(|(&row, &copy)| in_session![clock, row, copy].to_vec()).collect();
    execute_many(tx, sql, &sets)
}

/// What is staged on a page waits on its copy as well: the copy may be committed, too.
fn staged_writes(tx: &mut dyn Tx, clock: &SessionClock, pages: &Copies, branch_row: i64) -> StoreResult<()> {
    let any = sql!("SELECT 1 FROM staged_write WHERE account_id = ?1 AND session_row = ?2 LIMIT 1");
    if !has_any(tx, clock, any)? {
        return Ok(());
    }
    let sql = sql!(
        "SELECT page_row, key, slot, id FROM staged_write WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3"
    );
    let sets: Vec<_> = pages.keys().map(|&page_row| in_session![clock, page_row].to_vec()).collect();
    let found = all_of_each(tx, sql, &sets, |row| {
        let id = names::variable_id(&stored_id(row.text(3)?)?, branch_row)?;
        Ok((row.int(0)?, row.bytes(1)?.to_vec(), row.int(2)?, id))
    })?;
    let sql = sql!(
        "INSERT INTO staged_write (account_id, session_row, page_row, key, id, seq, op, value, intent, policy,
            source_kind, reason, source, evidence, status, decision, created_at, resolved_at, slot)
         SELECT account_id, session_row, ?6, key, ?7, seq, op, value, intent, policy,
            source_kind, reason, source, evidence, status, decision, created_at, resolved_at, slot
         FROM staged_write WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 AND key = ?4 AND slot = ?5"
    );
    let sets =
        found.iter().map(|(page, key, slot, id)| in_session![clock, *page, key, *slot, pages[page], id].to_vec());
    execute_many(tx, sql, &sets.collect::<Vec<_>>())
}

/// Each copy has a snapshot of its own, which points to the same version.
pub(super) fn snapshots(tx: &mut dyn Tx, clock: &SessionClock, pages: &Copies, branch_row: i64) -> StoreResult<()> {
    let sql = sql!("SELECT page_row, id FROM snapshot WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    let sets: Vec<_> = pages.keys().map(|&page_row| in_session![clock, page_row].to_vec()).collect();
    let found = all_of_each(tx, sql, &sets, |row| Ok((row.int(0)?, names::snapshot_id(row.text(1)?, branch_row)?)))?;
    let sql = sql!(
        "INSERT INTO snapshot (account_id, session_row, page_row, id, version_row, created_at)
         SELECT account_id, session_row, ?4, ?5, version_row, created_at FROM snapshot
         WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3"
    );
    let sets: Vec<_> = found.iter().map(|(row, id)| in_session![clock, *row, pages[row], id].to_vec()).collect();
    execute_many(tx, sql, &sets)?;
    dropped_snapshots(tx, clock, pages, branch_row)
}

/// A fork that was there when states were dropped lost its own with them, and gets them back with them.
fn dropped_snapshots(tx: &mut dyn Tx, clock: &SessionClock, pages: &Copies, branch_row: i64) -> StoreResult<()> {
    let any = sql!("SELECT 1 FROM trash_snapshot WHERE account_id = ?1 AND session_row = ?2 LIMIT 1");
    if !has_any(tx, clock, any)? {
        return Ok(());
    }
    for item in trash_rows::dropped_after(tx, clock.key(), branch_row)? {
        let sql = sql!(
            "SELECT page_row, id FROM trash_snapshot
             WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND page_row = ?4"
        );
        let sets: Vec<_> = pages.keys().map(|&page_row| in_session![clock, &item, page_row].to_vec()).collect();
        let found =
            all_of_each(tx, sql, &sets, |row| Ok((row.int(0)?, names::snapshot_id(row.text(1)?, branch_row)?)))?;
        let sql = sql!(
            "INSERT INTO trash_snapshot (account_id, session_row, trash_id, page_row, id, version_row, created_at)
             SELECT account_id, session_row, trash_id, ?5, ?6, version_row, created_at FROM trash_snapshot
             WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND page_row = ?4"
        );
        let sets: Vec<_> =
            found.iter().map(|(row, id)| in_session![clock, &item, *row, pages[row], id].to_vec()).collect();
        execute_many(tx, sql, &sets)?;
        let sql = sql!("UPDATE trash SET pages = pages + ?4 WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
        tx.execute(sql, in_session![clock, &item, i64::try_from(found.len()).unwrap_or(i64::MAX)])?;
    }
    Ok(())
}

/// What clients keep with floors; what they keep with pages stands beside their texts.
fn bodies(tx: &mut dyn Tx, clock: &SessionClock, floors: &Copies) -> StoreResult<()> {
    let any = sql!("SELECT 1 FROM body WHERE account_id = ?1 AND session_row = ?2 AND scope = 3 LIMIT 1");
    if !has_any(tx, clock, any)? {
        return Ok(());
    }
    let sql = sql!(
        "INSERT INTO body (account_id, session_row, scope, host_row, content, extra)
         SELECT account_id, session_row, scope, ?4, content, extra FROM body
         WHERE account_id = ?1 AND session_row = ?2 AND scope = 3 AND host_row = ?3"
    );
    let sets: Vec<_> = floors.iter().map(|(&row, &copy)| in_session![clock, row, copy].to_vec()).collect();
    execute_many(tx, sql, &sets)
}

/// The variables of floors and pages with their history.
fn variables(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    floors: &Copies,
    pages: &Copies,
    branch_row: i64,
) -> StoreResult<()> {
    let mut totals = Totals::default();
    for (scope, hosts) in [(Scope::Floor, floors), (Scope::Page, pages)] {
        let any = sql!("SELECT 1 FROM history WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 LIMIT 1");
        if first(tx, any, in_session![clock, scope.number()], |_| Ok(()))?.is_none() {
            continue;
        }
        let sql = sql!(
            "SELECT DISTINCT host_row, variable_id FROM history
             WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4"
        );
        let sets: Vec<_> = hosts.keys().map(|&row| in_session![clock, scope.number(), row].to_vec()).collect();
        let found = all_of_each(tx, sql, &sets, |row| Ok((row.int(0)?, stored_id(row.text(1)?)?)))?;
        let ids = found.iter().map(|(_, id)| names::variable_id(id, branch_row)).collect::<StoreResult<Vec<Id>>>()?;
        let copied = found.iter().zip(&ids);
        let sets: Vec<_> = copied
            .map(|((row, id), copy)| in_session![clock, scope.number(), *row, hosts[row], id, copy].to_vec())
            .collect();
        let mut count = 0;
        tx.query_many(VARIABLES, &sets, &mut |_, _| {
            count += 1;
            Ok(())
        })?;
        totals.add(scope, clock.session_row(), count);
        execute_many(tx, HISTORY, &sets)?;
    }
    let sql = sql!(
        "INSERT INTO floor_key (account_id, session_row, branch_row, key, floor_no, floor_row)
         SELECT account_id, session_row, ?5, key, floor_no, ?4 FROM floor_key
         WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3"
    );
    if has_any(tx, clock, sql!("SELECT 1 FROM floor_key WHERE account_id = ?1 AND session_row = ?2 LIMIT 1"))? {
        let copy = |(&row, &copy): (&i64, &i64)| in_session![clock, row, copy, branch_row].to_vec();
        execute_many(tx, sql, &floors.iter().map(copy).collect::<Vec<_>>())?;
    }
    if has_any(tx, clock, sql!("SELECT 1 FROM promotion WHERE account_id = ?1 AND session_row = ?2 LIMIT 1"))? {
        promotions(tx, clock, floors, pages, branch_row)?;
        promoted::of_copies(tx, clock, pages, branch_row)?;
    }
    totals.keep(tx, clock.account())
}

const VARIABLES: Sql = sql!(
    "INSERT INTO variable (account_id, session_row, scope, host_row, key, id, updated_at, revision, value)
     SELECT account_id, session_row, scope, ?5, key, ?7, updated_at, revision, value FROM variable
     WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4 AND id = ?6
     RETURNING host_row"
);

const HISTORY: Sql = sql!(
    "INSERT INTO history (account_id, session_row, scope, host_row, key, seq, variable_id, source, page_row, value)
     SELECT account_id, session_row, scope, ?5, key, seq, ?7, source, page_row, value FROM history
     WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4 AND variable_id = ?6"
);

/// What pages promoted to their floors and their branch counts while they are active; on another branch that are the copied pages.
fn promotions(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    floors: &Copies,
    pages: &Copies,
    branch_row: i64,
) -> StoreResult<()> {
    let sql = sql!(
        "SELECT DISTINCT p.page_row, p.to_scope, p.to_row, g.floor_row FROM promotion p
         JOIN page g ON g.account_id = p.account_id AND g.session_row = p.session_row AND g.page_row = p.page_row
         WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = ?3 AND p.to_scope IN (2, 3)"
    );
    let sets: Vec<_> = pages.keys().map(|&page_row| in_session![clock, page_row].to_vec()).collect();
    let found = all_of_each(tx, sql, &sets, |row| Ok((row.int(0)?, row.int(1)?, row.int(2)?, row.int(3)?)))?;
    let (mut sets, mut of_floors) = (Vec::new(), Vec::new());
    for (page, scope, to, floor) in found {
        let (page_copy, Some(&floor_copy)) = (pages[&page], floors.get(&floor)) else { continue };
        let to_copy = if scope == Scope::Branch.number() { branch_row } else { floor_copy };
        sets.push(in_session![clock, page, page_copy, scope, to, to_copy, floor_copy].to_vec());
        if scope == Scope::Floor.number() {
            of_floors.push(in_session![clock, page, page_copy, floor_copy].to_vec());
        }
    }
    let sql = sql!(
        "INSERT INTO promotion (account_id, session_row, page_row, seq, id, staged_id, key, from_scope, from_row, to_scope,
            to_row, policy, source_variable_id, target_variable_id, value)
         SELECT account_id, session_row, ?4, seq, id, staged_id, key, from_scope,
            CASE from_scope WHEN 4 THEN ?4 WHEN 3 THEN ?8 ELSE from_row END, to_scope, ?7, policy, source_variable_id,
            target_variable_id, value
         FROM promotion
         WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 AND to_scope = ?5 AND to_row = ?6"
    );
    execute_many(tx, sql, &sets)?;
    let sql = sql!(
        "UPDATE history SET page_row = ?4
         WHERE account_id = ?1 AND session_row = ?2 AND scope = 3 AND host_row = ?5 AND page_row = ?3"
    );
    execute_many(tx, sql, &of_floors)?;
    let sql = sql!(
        "SELECT DISTINCT page_row, staged_id FROM promotion
         WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 AND staged_id IS NOT NULL"
    );
    let sets: Vec<_> = pages.values().map(|&copy| in_session![clock, copy].to_vec()).collect();
    let staged = all_of_each(tx, sql, &sets, |row| {
        let id = stored_id(row.text(1)?)?;
        Ok((row.int(0)?, names::variable_id(&id, branch_row)?, id))
    })?;
    let sql = sql!(
        "UPDATE promotion SET staged_id = ?5 WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 AND staged_id = ?4"
    );
    let sets: Vec<_> = staged.iter().map(|(copy, own, id)| in_session![clock, *copy, id, own].to_vec()).collect();
    execute_many(tx, sql, &sets)
}
