//! The rows of sessions and branches, by their public names.

use crate::tree::prelude::*;

pub fn session<'a>(tx: &mut dyn Tx, account: &'a Id, id: &Id) -> StoreResult<SessionKey<'a>> {
    let sql = sql!("SELECT session_row FROM session WHERE account_id = ?1 AND id = ?2");
    first(tx, sql, params![account, id], |row| Ok(SessionKey::new(account, row.int(0)?)))?
        .ok_or_else(|| Refusal::SessionNotFound(id.clone()).into())
}

/// The row of a branch that must be there. The session's id is for the refusal.
pub fn branch(tx: &mut dyn Tx, session: SessionKey<'_>, id: &Id, name: &str) -> StoreResult<i64> {
    find_branch(tx, session, name)?.ok_or_else(|| Refusal::BranchNotFound(id.clone(), name.to_owned()).into())
}

pub fn find_branch(tx: &mut dyn Tx, session: SessionKey<'_>, name: &str) -> StoreResult<Option<i64>> {
    let sql = sql!("SELECT branch_row FROM branch WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
    first(tx, sql, in_session![session, name.as_bytes()], |row| row.int(0))
}
