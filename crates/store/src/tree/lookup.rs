//! The rows of sessions and branches, by their public names.

use crate::db::tx::{Tx, first};
use crate::error::{Refusal, StoreResult};
use crate::{params, sql};
use tavernkeep_engine::id::Id;

pub(crate) fn session_row(tx: &mut dyn Tx, account: &Id, session: &Id) -> StoreResult<i64> {
    let sql = sql!("SELECT session_row FROM session WHERE account_id = ?1 AND id = ?2");
    first(tx, sql, params![account, session], |row| row.int(0))?
        .ok_or_else(|| Refusal::SessionNotFound(session.clone()).into())
}

/// The row of a branch, by its name.
pub(crate) fn find_branch(tx: &mut dyn Tx, account: &Id, session_row: i64, name: &str) -> StoreResult<Option<i64>> {
    let sql = sql!("SELECT branch_row FROM branch WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
    first(tx, sql, params![account, session_row, name.as_bytes()], |row| row.int(0))
}
