//! Deleting hosts with what hangs on them: variables, bodies, and the hosts below. The caller holds the clock, and keeps
//! the totals when all is done.

use crate::error::StoreResult;
use crate::fork_points;
use crate::hosts::{HostRow, scope_number, scope_of_number};
use crate::sql::Sql;
use crate::totals::Totals;
use crate::tx::{Param, Tx, all, one};
use crate::{params, sql};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::scope::Scope;

/// Deletes one page.
pub(crate) fn page(tx: &mut dyn Tx, account: &Id, page: HostRow, totals: &mut Totals) -> StoreResult<()> {
    let keys = params![account, page.session_row, page.host_row];
    let itself = sql!("SELECT page_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    clear(tx, keys, Scope::Page, itself, totals)?;
    tx.execute(sql!("DELETE FROM page WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3"), keys).map(drop)
}

/// Deletes one floor with its pages. Branches that were forked from it stay; they keep the number it had, and what they
/// inherit from their source, and stand on the floor before it.
pub(crate) fn floor(tx: &mut dyn Tx, account: &Id, floor: HostRow, totals: &mut Totals) -> StoreResult<()> {
    let keys = params![account, floor.session_row, floor.host_row];
    let pages = sql!("SELECT page_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let itself = sql!("SELECT floor_row FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    clear(tx, keys, Scope::Page, pages, totals)?;
    clear(tx, keys, Scope::Floor, itself, totals)?;
    let position = fork_points::let_go(tx, account, floor.session_row, floor.host_row)?;
    tx.execute(sql!("DELETE FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3"), keys)?;
    match position {
        Some(position) => fork_points::left(tx, account, floor.session_row, position),
        None => Ok(()),
    }
}

/// Deletes one branch with its floors and pages; tells how many floors there were.
pub(crate) fn branch(tx: &mut dyn Tx, account: &Id, branch: HostRow, totals: &mut Totals) -> StoreResult<i64> {
    let keys = params![account, branch.session_row, branch.host_row];
    let floors = sql!("SELECT floor_row FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
    let pages = sql!(
        "SELECT p.page_row FROM page p
         JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3"
    );
    let itself = sql!("SELECT branch_row FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
    crate::bequest::hand_on(tx, account, branch, totals)?;
    clear(tx, keys, Scope::Page, pages, totals)?;
    clear(tx, keys, Scope::Floor, floors, totals)?;
    clear(tx, keys, Scope::Branch, itself, totals)?;
    let count = one(
        tx,
        sql!("SELECT COUNT(*) FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"),
        keys,
        |row| row.int(0),
    )?;
    tx.execute(sql!("DELETE FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"), keys)?;
    Ok(count)
}

/// Deletes one session with everything in it.
pub(crate) fn session(tx: &mut dyn Tx, account: &Id, session_row: i64, totals: &mut Totals) -> StoreResult<()> {
    let keys = params![account, session_row];
    tx.query(
        sql!("SELECT scope, COUNT(*) FROM variable WHERE account_id = ?1 AND session_row = ?2 GROUP BY scope"),
        keys,
        &mut |row| {
            totals.add(scope_of_number(row.int(0)?)?, session_row, -row.int(1)?);
            Ok(())
        },
    )?;
    for sql in [
        sql!("DELETE FROM variable WHERE account_id = ?1 AND session_row = ?2"),
        sql!("DELETE FROM history WHERE account_id = ?1 AND session_row = ?2"),
        sql!("DELETE FROM floor_key WHERE account_id = ?1 AND session_row = ?2"),
        sql!("DELETE FROM event WHERE account_id = ?1 AND session_row = ?2"),
        sql!("DELETE FROM body WHERE account_id = ?1 AND session_row = ?2"),
        sql!("DELETE FROM session WHERE account_id = ?1 AND session_row = ?2"),
    ] {
        tx.execute(sql, keys)?;
    }
    crate::characters::sweep(tx, account)
}

/// Deletes variables, their history, and bodies of the hosts of one scope that `hosts` selects. `keys` begins with account and session.
fn clear(tx: &mut dyn Tx, keys: &[Param<'_>], scope: Scope, hosts: Sql, totals: &mut Totals) -> StoreResult<()> {
    let rows = all(tx, hosts, keys, |row| row.int(0))?;
    let (account, session) = (keys[0], keys[1]);
    let sets: Vec<Vec<Param<'_>>> =
        rows.iter().map(|&row| vec![account, session, scope_number(scope).into(), row.into()]).collect();
    tx.query_many(
        sql!(
            "DELETE FROM variable WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4
             RETURNING session_row"
        ),
        &sets,
        &mut |_, row| {
            totals.add(scope, row.int(0)?, -1);
            Ok(())
        },
    )?;
    let mut rest = vec![
        sql!("DELETE FROM history WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4"),
        sql!("DELETE FROM body WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4"),
    ];
    if scope == Scope::Floor {
        rest.push(sql!("DELETE FROM floor_key WHERE account_id = ?1 AND session_row = ?2 AND CAST(?3 AS BIGINT) = 3 AND floor_row = ?4"));
    }
    rest.into_iter().try_for_each(|sql| tx.query_many(sql, &sets, &mut |_, _| Ok(())))
}
