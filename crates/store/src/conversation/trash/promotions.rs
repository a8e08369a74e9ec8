//! What a page promoted to its branch goes with the page when that comes back on another branch, so that the branch which it was on
//! stays as it is.

use crate::tree::prelude::*;
use crate::tree::separation;
use crate::tree::trash_rows::{KeptRow, Table, Value};
use crate::types::record::HistorySource;
use std::collections::BTreeSet;

/// Makes promotions of pages to a branch promotions to a new one. The new branch gets the rows of the history that say so; those of
/// the old one stay and belong to no page any more: the page is on another line now. Forks that had the page have a history of their
/// own by then.
pub(super) fn move_to_branch(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    kept: &mut [KeptRow],
    pages: &BTreeSet<i64>,
    branch_row: i64,
) -> StoreResult<()> {
    let (mut left, mut moved) = (Vec::new(), Vec::new());
    for row in kept.iter_mut().filter(|row| row.table == Table::Promotion) {
        if !pages.contains(&row.int("page_row")?) || row.int("to_scope")? != Scope::Branch.number() {
            continue;
        }
        left.push((row.int("to_row")?, key_of(row)?, row.int("seq")?));
        // What a branch takes away may be inherited, and then it had no variable of its own.
        let variable = match row.value("target_variable_id")? {
            Value::Text(id) => separation::variable_id(&stored_id(id)?, branch_row)?,
            _ => separation::variable_id(&row.id()?, branch_row)?,
        };
        if row.value("target_variable_id")? != &Value::Null {
            row.set("target_variable_id", Value::Text(variable.to_string()))?;
        }
        row.set("to_row", Value::Int(branch_row))?;
        moved.push((row.clone(), variable));
    }
    let sql = sql!(
        "UPDATE history SET page_row = 0
         WHERE account_id = ?1 AND session_row = ?2 AND scope = 2 AND host_row = ?3 AND key = ?4 AND seq = ?5
            AND page_row IS NOT NULL"
    );
    let sets: Vec<_> = left.iter().map(|(branch, key, seq)| in_session![clock, *branch, key, *seq].to_vec()).collect();
    execute_many(tx, sql, &sets)?;
    let sql = sql!(
        "INSERT INTO history (account_id, session_row, scope, host_row, key, seq, variable_id, source, page_row, value)
         VALUES (?1, ?2, 2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (account_id, session_row, scope, host_row, key, seq) DO NOTHING"
    );
    let mut sets = Vec::new();
    for (row, variable) in &moved {
        let (seq, page_row) = (row.int("seq")?, row.int("page_row")?);
        let (key, value) = (row.bytes("key")?, row.bytes("value")?);
        let source = HistorySource::Promoted.number();
        sets.push(in_session![clock, branch_row, key, seq, variable, source, page_row, value].to_vec());
    }
    execute_many(tx, sql, &sets)?;
    // What came back may be older than what the new branch sees of the floors before, so it is not on top of that.
    separation::own_keys(tx, clock, branch_row, &left.into_iter().map(|(_, key, _)| key).collect())
}

fn key_of(row: &KeptRow) -> StoreResult<Vec<u8>> {
    let key = row.bytes("key")?.ok_or_else(|| StoreError::Corrupt("a kept promotion has no key".into()))?;
    Ok(key.to_vec())
}
