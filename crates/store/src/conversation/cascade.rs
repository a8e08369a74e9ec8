//! Deleting hosts with what hangs on them: variables, bodies, and the hosts below. The caller keeps the totals
//! when all is done.

use crate::tree::prelude::*;
use crate::tree::{bodies, hidden, separation, trash_items};

/// Deletes pages.
pub fn pages(tx: &mut dyn Tx, clock: &SessionClock, pages: &[i64], totals: &mut Totals) -> StoreResult<()> {
    clear(tx, clock, Scope::Page, pages, totals)?;
    let sql = sql!("DELETE FROM page WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    let sets: Vec<_> = pages.iter().map(|&page_row| in_session![clock, page_row].to_vec()).collect();
    execute_many(tx, sql, &sets)
}

/// Deletes floors with their pages. What other lines share with them is separated already.
pub fn floors(tx: &mut dyn Tx, clock: &SessionClock, floors: &[i64], totals: &mut Totals) -> StoreResult<()> {
    let sql = sql!("SELECT page_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let sets: Vec<_> = floors.iter().map(|&floor_row| in_session![clock, floor_row].to_vec()).collect();
    let pages = all_of_each(tx, sql, &sets, |row| row.int(0))?;
    clear(tx, clock, Scope::Page, &pages, totals)?;
    clear(tx, clock, Scope::Floor, floors, totals)?;
    let sql = sql!("DELETE FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    execute_many(tx, sql, &sets)
}

/// Deletes one branch with its floors and pages.
pub fn branch(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64, totals: &mut Totals) -> StoreResult<()> {
    let keys = in_session![clock, branch_row];
    let floors = sql!("SELECT floor_row FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
    let pages = sql!(
        "SELECT p.page_row FROM floor f CROSS JOIN page p
         WHERE p.account_id = f.account_id AND p.session_row = f.session_row AND p.floor_row = f.floor_row
            AND f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3"
    );
    separation::separate_forks(tx, clock, branch_row)?;
    crate::variables::inheritance::copy_to_forks(tx, clock, branch_row, totals)?;
    let pages = all(tx, pages, keys, |row| row.int(0))?;
    let floors = all(tx, floors, keys, |row| row.int(0))?;
    clear(tx, clock, Scope::Page, &pages, totals)?;
    clear(tx, clock, Scope::Floor, &floors, totals)?;
    clear(tx, clock, Scope::Branch, &[branch_row], totals)?;
    tx.execute(sql!("DELETE FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"), keys)
        .map(drop)
}

/// Deletes the variables of a branch whose row stays: it shares floors, and has none of its own any more.
pub fn branch_variables(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    branch_row: i64,
    totals: &mut Totals,
) -> StoreResult<()> {
    separation::separate_forks(tx, clock, branch_row)?;
    crate::variables::inheritance::copy_to_forks(tx, clock, branch_row, totals)?;
    clear(tx, clock, Scope::Branch, &[branch_row], totals)?;
    let sql = sql!("UPDATE branch SET variables = 0 WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
    tx.execute(sql, in_session![clock, branch_row]).map(drop)
}

/// Deletes one session with everything in it.
pub fn session(tx: &mut dyn Tx, clock: &SessionClock, totals: &mut Totals) -> StoreResult<()> {
    let session_row = clock.session_row();
    let keys = in_session![clock];
    tx.query(
        sql!("SELECT scope, COUNT(*) FROM variable WHERE account_id = ?1 AND session_row = ?2 GROUP BY scope"),
        keys,
        &mut |row| {
            totals.add(stored_enum(row.int(0)?)?, session_row, -row.int(1)?);
            Ok(())
        },
    )?;
    trash_items::drop_of_session(tx, clock.key(), totals)?;
    hidden::purge(tx, clock.key())
}

/// Deletes variables, their history, and bodies of hosts of one scope.
fn clear(tx: &mut dyn Tx, clock: &SessionClock, scope: Scope, hosts: &[i64], totals: &mut Totals) -> StoreResult<()> {
    if scope == Scope::Page {
        bodies::leave_to_others(tx, clock, hosts)?;
    }
    let sets: Vec<Vec<Param<'_>>> = hosts.iter().map(|&row| in_session![clock, scope.number(), row].to_vec()).collect();
    let has = |tx: &mut dyn Tx, sql: Sql| {
        Ok::<_, StoreError>(first(tx, sql, in_session![clock, scope.number()], |_| Ok(()))?.is_some())
    };
    // Most chats have texts and little else.
    if has(tx, sql!("SELECT 1 FROM variable WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 LIMIT 1"))? {
        variables(tx, scope, &sets, totals)?;
    }
    if has(tx, sql!("SELECT 1 FROM history WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 LIMIT 1"))? {
        let sql =
            sql!("DELETE FROM history WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4");
        execute_many(tx, sql, &sets)?;
    }
    let keys =
        sql!("SELECT 1 FROM floor_key WHERE account_id = ?1 AND session_row = ?2 AND CAST(?3 AS BIGINT) = 3 LIMIT 1");
    if scope == Scope::Floor && has(tx, keys)? {
        let sql = sql!(
            "DELETE FROM floor_key WHERE account_id = ?1 AND session_row = ?2 AND CAST(?3 AS BIGINT) = 3 AND floor_row = ?4"
        );
        execute_many(tx, sql, &sets)?;
    }
    let sql = sql!("DELETE FROM body WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4");
    execute_many(tx, sql, &sets)
}

fn variables(tx: &mut dyn Tx, scope: Scope, sets: &[Vec<Param<'_>>], totals: &mut Totals) -> StoreResult<()> {
    tx.query_many(
        sql!(
            "DELETE FROM variable WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4
             RETURNING session_row"
        ),
        sets,
        &mut |_, row| {
            totals.add(scope, row.int(0)?, -1);
            Ok(())
        },
    )
}
