//! Deleting hosts with what hangs on them: variables, bodies, and the hosts below. The caller holds the clock.

use crate::error::StoreResult;
use crate::hosts::scope_number;
use crate::sql::Sql;
use crate::tx::{Param, Tx, all, one};
use crate::variables::count_total;
use crate::{params, sql};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::scope::Scope;

/// Deletes one page.
pub(crate) fn page(tx: &mut dyn Tx, account: &Id, session_row: i64, page_row: i64) -> StoreResult<()> {
    let keys = params![account, session_row, page_row];
    clear(
        tx,
        account,
        session_row,
        Scope::Page,
        keys,
        sql!("SELECT page_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3"),
    )?;
    tx.execute(sql!("DELETE FROM page WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3"), keys).map(drop)
}

/// Deletes one floor with its pages.
pub(crate) fn floor(tx: &mut dyn Tx, account: &Id, session_row: i64, floor_row: i64) -> StoreResult<()> {
    let keys = params![account, session_row, floor_row];
    clear(
        tx,
        account,
        session_row,
        Scope::Page,
        keys,
        sql!("SELECT page_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3"),
    )?;
    clear(
        tx,
        account,
        session_row,
        Scope::Floor,
        keys,
        sql!("SELECT floor_row FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3"),
    )?;
    forget_sources(
        tx,
        keys,
        sql!(
            "UPDATE branch SET source_floor_row = NULL
         WHERE account_id = ?1 AND session_row = ?2 AND source_floor_row = ?3"
        ),
    )?;
    tx.execute(sql!("DELETE FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3"), keys).map(drop)
}

/// Deletes one branch with its floors and pages; tells how many floors there were.
pub(crate) fn branch(tx: &mut dyn Tx, account: &Id, session_row: i64, branch_row: i64) -> StoreResult<i64> {
    let keys = params![account, session_row, branch_row];
    let floors = one(
        tx,
        sql!("SELECT COUNT(*) FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"),
        keys,
        |row| row.int(0),
    )?;
    clear(
        tx,
        account,
        session_row,
        Scope::Page,
        keys,
        sql!(
            "SELECT p.page_row FROM page p
         JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3"
        ),
    )?;
    clear(
        tx,
        account,
        session_row,
        Scope::Floor,
        keys,
        sql!("SELECT floor_row FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"),
    )?;
    clear(
        tx,
        account,
        session_row,
        Scope::Branch,
        keys,
        sql!("SELECT branch_row FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"),
    )?;
    forget_sources(
        tx,
        keys,
        sql!(
            "UPDATE branch SET source_floor_row = NULL
         WHERE account_id = ?1 AND session_row = ?2 AND source_floor_row IN (
             SELECT floor_row FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3)"
        ),
    )?;
    tx.execute(sql!("DELETE FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"), keys)?;
    Ok(floors)
}

/// Deletes one session with everything in it.
pub(crate) fn session(tx: &mut dyn Tx, account: &Id, session_row: i64) -> StoreResult<()> {
    let keys = params![account, session_row];
    let counts = all(
        tx,
        sql!("SELECT scope, COUNT(*) FROM variable WHERE account_id = ?1 AND session_row = ?2 GROUP BY scope"),
        keys,
        |row| Ok((crate::hosts::scope_of_number(row.int(0)?)?, row.int(1)?)),
    )?;
    for (scope, count) in counts {
        count_total(tx, account, scope, session_row, -count)?;
    }
    for sql in [
        sql!("DELETE FROM variable WHERE account_id = ?1 AND session_row = ?2"),
        sql!("DELETE FROM body WHERE account_id = ?1 AND session_row = ?2"),
        sql!("DELETE FROM session WHERE account_id = ?1 AND session_row = ?2"),
    ] {
        tx.execute(sql, keys)?;
    }
    Ok(())
}

/// Deletes variables and bodies of the hosts of one scope that `hosts` selects.
fn clear(
    tx: &mut dyn Tx,
    account: &Id,
    session_row: i64,
    scope: Scope,
    keys: &[Param<'_>],
    hosts: Sql,
) -> StoreResult<()> {
    let rows = all(tx, hosts, keys, |row| row.int(0))?;
    let sets: Vec<Vec<Param<'_>>> =
        rows.iter().map(|&row| params![account, session_row, scope_number(scope), row].to_vec()).collect();
    let mut removed = 0;
    tx.query_many(
        sql!(
            "DELETE FROM variable WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4
             RETURNING revision"
        ),
        &sets,
        &mut |_, _| {
            removed += 1;
            Ok(())
        },
    )?;
    tx.query_many(
        sql!("DELETE FROM body WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4"),
        &sets,
        &mut |_, _| Ok(()),
    )?;
    if removed == 0 {
        return Ok(());
    }
    count_total(tx, account, scope, session_row, -removed)
}

/// Branches that were forked from a floor outlive it; they only forget where they came from.
fn forget_sources(tx: &mut dyn Tx, keys: &[Param<'_>], sql: Sql) -> StoreResult<()> {
    tx.execute(sql, keys).map(drop)
}
