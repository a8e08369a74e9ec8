//! The rows of approvals. A settled one stays as long as its call, so that a decision can be sent again.

use crate::tools::call_rows::{self, CallRecord};
use crate::tools::clock::ToolClock;
use crate::tree::prelude::*;
use tavernkeep_engine::tools::call::{ApprovalKind, ApprovalOutcome};
use tavernkeep_engine::tools::permission::{ApprovalScope, ExecutionPolicy};

#[derive(Debug, Clone)]
pub struct Approval {
    pub id: Id,
    pub kind: ApprovalKind,
    pub policy: ExecutionPolicy,
    pub expires_ms: Option<i64>,
    pub created_at: i64,
    pub ends_at: i64,
    pub session_row: i64,
    pub call_row: i64,
    /// None while it is pending.
    pub settled: Option<Settled>,
}

/// How an approval was settled. Two decisions with equal ones are the same decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    pub outcome: ApprovalOutcome,
    /// How long a decision about an execution counts.
    pub scope: Option<ApprovalScope>,
    /// The hash of edited arguments.
    pub args_hash: Option<Vec<u8>>,
}

impl Settled {
    /// Without a decision of a person.
    pub(crate) fn by_itself(outcome: ApprovalOutcome) -> Settled {
        Settled { outcome, scope: None, args_hash: None }
    }
}

impl Approval {
    /// What became of it at a moment: one that waited too long has ended, whether or not upkeep has written that yet.
    fn settled_at(&self, now: i64) -> Option<Settled> {
        let late = || (self.ends_at <= now).then(|| Settled::by_itself(ApprovalOutcome::TimedOut));
        self.settled.clone().or_else(late)
    }

    /// Whether a decision repeats the one that was made. One that differs from it, or comes too late, is refused.
    pub fn is_repeated_by(&self, decision: &Settled, call: &Id, now: i64) -> StoreResult<bool> {
        match self.settled_at(now) {
            None => Ok(false),
            Some(settled) if settled == *decision => Ok(true),
            Some(Settled { outcome, .. }) => {
                Err(Refusal::ApprovalSettled { approval: self.id.clone(), call: call.clone(), outcome }.into())
            }
        }
    }
}

macro_rules! approval_columns {
    () => {
        "a.id, a.kind, a.policy, a.expires_ms, a.created_at, a.ends_at, a.session_row, a.call_row, a.outcome,
         a.decided_scope, a.decided_args FROM tool_approval a"
    };
}
pub(crate) use approval_columns;

pub(crate) fn read(row: &dyn Row) -> StoreResult<Approval> {
    let settled = match row.int_or_null(8)? {
        None => None,
        Some(outcome) => Some(Settled {
            outcome: stored_enum(outcome)?,
            scope: row.int_or_null(9)?.map(stored_enum).transpose()?,
            args_hash: row.bytes_or_null(10)?.map(<[u8]>::to_vec),
        }),
    };
    Ok(Approval {
        id: stored_id(row.text(0)?)?,
        kind: stored_enum(row.int(1)?)?,
        policy: stored_enum(row.int(2)?)?,
        expires_ms: row.int_or_null(3)?,
        created_at: row.int(4)?,
        ends_at: row.int(5)?,
        session_row: row.int(6)?,
        call_row: row.int(7)?,
        settled,
    })
}

/// Finds an approval, pending or settled, with its call.
pub fn find(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<(Approval, CallRecord)> {
    let sql = sql!(
        "SELECT ",
        approval_columns!(),
        " JOIN session s ON s.account_id = a.account_id AND s.session_row = a.session_row
          WHERE a.account_id = ?1 AND a.id = ?2 AND s.deleted_at IS NULL"
    );
    let approval = first(tx, sql, params![account, id], read)?;
    let approval = approval.ok_or_else(|| Refusal::ApprovalNotFound(id.clone()))?;
    let record = call_rows::of_row(tx, SessionKey::new(account, approval.session_row), approval.call_row)?;
    Ok((approval, record))
}

/// The pending approvals of one call.
pub(crate) fn pending_of(tx: &mut dyn Tx, clock: &ToolClock, call_row: i64) -> StoreResult<Vec<Approval>> {
    let sql = sql!(
        "SELECT ",
        approval_columns!(),
        " WHERE a.account_id = ?1 AND a.session_row = ?2 AND a.call_row = ?3 AND a.outcome IS NULL"
    );
    all(tx, sql, in_session![clock, call_row], read)
}

/// How many calls of a session wait for a person before they run.
pub(crate) fn count_pending(tx: &mut dyn Tx, clock: &ToolClock) -> StoreResult<i64> {
    let sql = sql!(
        "SELECT COUNT(*) FROM tool_approval
         WHERE account_id = ?1 AND session_row = ?2 AND kind = ?3 AND ends_at > ?4 AND outcome IS NULL"
    );
    one(tx, sql, in_session![clock, ApprovalKind::Execution.number(), clock.now()], |row| row.int(0))
}

pub(crate) fn settle(tx: &mut dyn Tx, clock: &ToolClock, approval: &Approval, settled: &Settled) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE tool_approval SET outcome = ?4, decided_scope = ?5, decided_args = ?6
         WHERE account_id = ?1 AND session_row = ?2 AND id = ?3"
    );
    let scope = settled.scope.map(ApprovalScope::number);
    let row = in_session![clock, &approval.id, settled.outcome.number(), scope, settled.args_hash.as_deref()];
    tx.execute(sql, row).map(drop)
}
