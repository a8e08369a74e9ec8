//! Up to where a story is processed.

use crate::tree::prelude::*;
use serde::{Deserialize, Serialize};

/// Up to where a story is processed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Goal {
    Branch(Id, String),
    /// The end of this very branch, and of none that gets its name later.
    ThisBranch {
        session: Id,
        session_row: i64,
        branch: String,
        branch_row: i64,
    },
    /// A floor, included.
    Floor(Id),
    /// What lies before a position of a branch, by rows.
    Before {
        session_row: i64,
        branch_row: i64,
        below: i64,
    },
}

/// The branch that a goal lies on, to its end.
pub fn this_branch(tx: &mut dyn Tx, account: &Id, goal: &Goal) -> StoreResult<Goal> {
    let (key, branch_row, _) = place(tx, account, goal)?;
    let (session, branch) = branch_of(tx, account, goal)?;
    Ok(Goal::ThisBranch { session, session_row: key.row, branch, branch_row })
}

/// The end of the branch that was made next in the session of a goal.
pub fn next_branch(tx: &mut dyn Tx, account: &Id, goal: &Goal) -> StoreResult<Option<Goal>> {
    let Goal::ThisBranch { session, session_row, branch_row, .. } = goal else { return Ok(None) };
    let sql = sql!(
        "SELECT id, branch_row FROM branch
         WHERE account_id = ?1 AND session_row = ?2 AND branch_row > ?3 AND LENGTH(id) <= 256 ORDER BY branch_row LIMIT 1"
    );
    first(tx, sql, params![account, *session_row, *branch_row], |row| {
        let (branch, branch_row) = (stored_text(row.bytes(0)?)?, row.int(1)?);
        Ok(Goal::ThisBranch { session: session.clone(), session_row: *session_row, branch, branch_row })
    })
}

/// The session and the branch that a goal lies on.
pub fn branch_of(tx: &mut dyn Tx, account: &Id, goal: &Goal) -> StoreResult<(Id, String)> {
    if let Goal::Branch(session, branch) | Goal::ThisBranch { session, branch, .. } = goal {
        return Ok((session.clone(), branch.clone()));
    }
    let (key, branch_row, _) = place(tx, account, goal)?;
    let sql = sql!(
        "SELECT s.id, b.id FROM session s JOIN branch b ON b.account_id = s.account_id AND b.session_row = s.session_row
         WHERE s.account_id = ?1 AND s.session_row = ?2 AND b.branch_row = ?3"
    );
    let found = first(tx, sql, params![account, key.row, branch_row], |row| {
        Ok((stored_id(row.text(0)?)?, stored_text(row.bytes(1)?)?))
    })?;
    found.ok_or_else(|| Refusal::ParentMoved.into())
}

/// The session, the branch and the last position of a goal.
pub(crate) fn place<'a>(tx: &mut dyn Tx, account: &'a Id, goal: &Goal) -> StoreResult<(SessionKey<'a>, i64, i64)> {
    let session = |session_row: i64| SessionKey::new(account, session_row);
    match goal {
        Goal::Before { session_row, branch_row, below } => {
            Ok((session(*session_row), *branch_row, below.saturating_sub(1)))
        }
        Goal::Branch(session, branch) => {
            let key = lookup::session(tx, account, session)?;
            Ok((key, lookup::branch(tx, key, session, branch)?, i64::MAX))
        }
        Goal::ThisBranch { session, session_row, branch, branch_row } => {
            let key = lookup::session(tx, account, session)?;
            if key.row != *session_row {
                return Err(Refusal::SessionNotFound(session.clone()).into());
            }
            if lookup::branch(tx, key, session, branch)? != *branch_row {
                return Err(Refusal::BranchNotFound(session.clone(), branch.clone()).into());
            }
            Ok((key, *branch_row, i64::MAX))
        }
        Goal::Floor(floor) => {
            let sql = sql!(
                "SELECT f.session_row, f.branch_row, f.floor_no FROM floor f
                 JOIN session s ON s.account_id = f.account_id AND s.session_row = f.session_row
                 WHERE f.account_id = ?1 AND f.id = ?2 AND s.deleted_at IS NULL"
            );
            first(tx, sql, params![account, floor], |row| Ok((session(row.int(0)?), row.int(1)?, row.int(2)?)))?
                .ok_or_else(|| Refusal::FloorNotFound(floor.clone()).into())
        }
    }
}
