//! Unused versions are deleted, a session at a time: looked for in one read, taken away in chunks.
//!
//! A snapshot only ever moves on to a version that is new, and a new version is stored only on one that is there. So what
//! is unused in that read can be used later only by versions that were stored meanwhile, which is checked.

use crate::db::hash::stored_hash;
use crate::story::archive;
use crate::tree::clock;
use crate::tree::prelude::*;
use std::collections::HashSet;
use tavernkeep_engine::garbage::{self, Node};
use tavernkeep_engine::story::Hash;

/// The tick before which versions are old enough to go.
pub fn limit(age_ms: i64, now: i64) -> i64 {
    clock::micros(now.saturating_sub(age_ms))
}

/// The next sessions that may have something to take away: they have changed since they were last looked at, and that is as
/// long ago as versions are kept in any case.
pub fn unswept(tx: &mut dyn Tx, account: &Id, after: i64, limit: i64, age_ms: i64, rows: i64) -> StoreResult<Vec<i64>> {
    let sql = sql!(
        "SELECT s.session_row FROM session s
         WHERE s.account_id = ?1 AND s.session_row > ?2 AND s.deleted_at IS NULL AND s.seq > s.swept_seq
            AND s.swept_seq <= ?3 AND EXISTS (
                SELECT 1 FROM version v WHERE v.account_id = s.account_id AND v.session_row = s.session_row)
         ORDER BY s.session_row LIMIT ?4"
    );
    let last = limit.saturating_sub(clock::micros(age_ms));
    all(tx, sql, params![account, after, last, rows], |row| row.int(0))
}

#[derive(Debug, Clone)]
pub struct Sweep {
    session_row: i64,
    /// Every version up to this tick was looked at.
    seen: i64,
    limit: i64,
    /// Unused versions, in the order in which they can be deleted.
    pub order: Vec<i64>,
    dead: HashSet<i64>,
    recipes: Vec<Hash>,
}

/// Finds what can be deleted from a session. Reads much; not for the writer thread.
pub fn look(tx: &mut dyn Tx, session: SessionKey<'_>, limit: i64) -> StoreResult<Option<Sweep>> {
    let keys = in_session![session];
    let sql = sql!("SELECT seq FROM session WHERE account_id = ?1 AND session_row = ?2 AND deleted_at IS NULL");
    let Some(seen) = first(tx, sql, keys, |row| row.int(0))? else { return Ok(None) };
    let sql = sql!(
        "SELECT version_row FROM snapshot WHERE account_id = ?1 AND session_row = ?2
         UNION ALL SELECT version_row FROM trash_snapshot WHERE account_id = ?1 AND session_row = ?2"
    );
    let pointed: HashSet<i64> = all(tx, sql, keys, |row| row.int(0))?.into_iter().collect();
    let sql = sql!(
        "SELECT version_row, parent_row, base_row, recipe_hash FROM version
         WHERE account_id = ?1 AND session_row = ?2 ORDER BY version_row"
    );
    let found = all(tx, sql, keys, |row| {
        let version = row.int(0)?;
        let is_root = version >= limit || pointed.contains(&version);
        let node = Node { version, parent: row.int_or_null(1)?, base: row.int_or_null(2)?, is_root };
        Ok((node, stored_hash(row.bytes(3)?)?))
    })?;
    let nodes: Vec<Node> = found.iter().map(|(node, _)| *node).collect();
    let order = garbage::find(&nodes);
    let dead: HashSet<i64> = order.iter().copied().collect();
    let used: HashSet<Hash> =
        found.iter().filter(|(node, _)| !dead.contains(&node.version)).map(|(_, recipe)| *recipe).collect();
    let sql = sql!("SELECT recipe_hash FROM recipe WHERE account_id = ?1 AND session_row = ?2");
    let mut recipes = all(tx, sql, keys, |row| stored_hash(row.bytes(0)?))?;
    recipes.retain(|recipe| !used.contains(recipe));
    Ok(Some(Sweep { session_row: session.row, seen, limit, order, dead, recipes }))
}

/// Deletes some of the unused versions, in their order; returns how many. None if they are not unused any more, or
/// if the session is gone.
pub fn delete_some(tx: &mut dyn Tx, account: &Id, sweep: &Sweep, versions: &[i64]) -> StoreResult<Option<u64>> {
    if !hold(tx, SessionKey::new(account, sweep.session_row))? || !is_still_true(tx, account, sweep)? {
        return Ok(None);
    }
    let sets: Vec<Vec<Param<'_>>> =
        versions.iter().map(|&row| vec![account.into(), sweep.session_row.into(), row.into()]).collect();
    let sql = sql!(
        "DELETE FROM version WHERE account_id = ?1 AND session_row = ?2 AND version_row = ?3 RETURNING version_row"
    );
    let mut gone = 0;
    tx.query_many(sql, &sets, &mut |_, _| {
        gone += 1;
        Ok(())
    })?;
    Ok(Some(gone))
}

/// Takes the recipes away that nothing was made with, and notes that the session was looked at.
pub fn finish(tx: &mut dyn Tx, account: &Id, sweep: &Sweep) -> StoreResult<()> {
    if !hold(tx, SessionKey::new(account, sweep.session_row))? || !is_still_true(tx, account, sweep)? {
        return Ok(());
    }
    let sql = sql!("DELETE FROM recipe WHERE account_id = ?1 AND session_row = ?2 AND recipe_hash = ?3");
    for recipe in &sweep.recipes {
        tx.execute(sql, params![account, sweep.session_row, recipe.as_slice()])?;
    }
    archive::sweep(tx, SessionKey::new(account, sweep.session_row))?;
    let sql = sql!("UPDATE session SET swept_seq = ?3 WHERE account_id = ?1 AND session_row = ?2 AND swept_seq < ?3");
    tx.execute(sql, params![account, sweep.session_row, sweep.limit]).map(drop)
}

/// Keeps everybody else from writing in a session, without a tick: nothing happens that anybody can see.
fn hold(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<bool> {
    let sql = sql!(
        "UPDATE session SET swept_seq = swept_seq WHERE account_id = ?1 AND session_row = ?2 AND deleted_at IS NULL"
    );
    Ok(tx.execute(sql, in_session![session])? == 1)
}

/// Whether nothing that was stored since needs a version or recipe that was found to be unused.
fn is_still_true(tx: &mut dyn Tx, account: &Id, sweep: &Sweep) -> StoreResult<bool> {
    let sql = sql!(
        "SELECT parent_row, base_row, recipe_hash FROM version
         WHERE account_id = ?1 AND session_row = ?2 AND version_row > ?3"
    );
    let newer = all(tx, sql, params![account, sweep.session_row, sweep.seen], |row| {
        Ok(([row.int_or_null(0)?, row.int_or_null(1)?], stored_hash(row.bytes(2)?)?))
    })?;
    let needs = |(rows, recipe): &([Option<i64>; 2], Hash)| {
        rows.iter().flatten().any(|row| sweep.dead.contains(row)) || sweep.recipes.contains(recipe)
    };
    Ok(!newer.iter().any(needs))
}

/// How many versions a session has, and how many whole documents.
pub fn size(tx: &mut dyn Tx, account: &Id, session: &Id) -> StoreResult<(i64, i64)> {
    let session = lookup::session(tx, account, session)?;
    let sql = sql!(
        "SELECT (SELECT COUNT(*) FROM version WHERE account_id = ?1 AND session_row = ?2),
            (SELECT COUNT(*) FROM keyframe WHERE account_id = ?1 AND session_row = ?2)"
    );
    one(tx, sql, in_session![session], |row| Ok((row.int(0)?, row.int(1)?)))
}
