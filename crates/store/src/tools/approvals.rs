//! Approvals that wait for a person. A decision moves the call on in the same transaction, so it is used once.

use crate::tools::approval_rows::{self, approval_columns, count_pending, find, pending_of};
use crate::tools::call_bodies::{self, CallDetails, Viewer};
use crate::tools::call_rows::{self, CallRecord};
use crate::tools::calls::{self, CallUpdate, Run};
use crate::tools::clock::{self, ProgramRules, ToolClock};
use crate::tools::grants::{self, NewGrant};
use crate::tools::stamp::ConfigStamp;
use crate::tree::prelude::*;
use crate::types::record::{EventKind, Listed, Window};
use std::collections::{BTreeMap, HashMap};
use tavernkeep_engine::limits::{APPROVALS_PENDING_MAX, TOOL_LIST_BYTES_MAX};
use tavernkeep_engine::tools::call::{ApprovalKind, ApprovalOutcome, CANCELLED_RUNNING, CallEvent, CallState};
use tavernkeep_engine::tools::permission::{
    ApprovalScope, ExecutionPolicy, REJECTED_BY_USER, RESULT_REJECTED_BY_USER, Record, default_scope,
};

pub use crate::tools::approval_rows::{Approval, Settled};

/// An approval to ask for.
#[derive(Debug, Clone)]
pub struct NewApproval {
    pub id: Id,
    pub policy: ExecutionPolicy,
    /// How long a decision counts, in ms.
    pub expires_ms: Option<i64>,
    /// No answer until then is a rejection.
    pub ends_at: i64,
}

pub(crate) fn insert(
    tx: &mut dyn Tx,
    clock: &ToolClock,
    record: &CallRecord,
    kind: ApprovalKind,
    new: Option<&NewApproval>,
) -> StoreResult<()> {
    let Some(new) = new else { return Err(StoreError::Internal("a call asks without an approval".into())) };
    // A call that has run must be able to show its result to a person, however many others wait.
    if kind == ApprovalKind::Execution && count_pending(tx, clock)? >= APPROVALS_PENDING_MAX {
        return Err(Refusal::TooMany("pending approvals in one session", APPROVALS_PENDING_MAX).into());
    }
    let sql = sql!(
        "INSERT INTO tool_approval (account_id, session_row, id, call_row, kind, policy, expires_ms, created_at, ends_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
    );
    let (kind_number, policy) = (kind.number(), new.policy.number());
    let row =
        in_session![clock, &new.id, record.call_row, kind_number, policy, new.expires_ms, clock.now(), new.ends_at];
    tx.execute(sql, row)?;
    let detail =
        serde_json::json!({ "call_id": record.id.as_str(), "kind": kind.as_str(), "tool": record.tool }).to_string();
    clock.emit(tx, EventKind::ApprovalRequested, &new.id, &detail)
}

/// What a person decides.
#[derive(Debug, Clone)]
pub struct Verdict {
    pub approved: bool,
    pub reason: Option<String>,
    pub scope: Option<ApprovalScope>,
    pub by: Option<String>,
    /// Other arguments, resolved, as JSON, and their hash.
    pub args: Option<(String, Vec<u8>)>,
    /// Why the tool cannot run any more as it was asked for, whatever the person says.
    pub unusable: Option<String>,
    /// The configuration that this was found out with.
    pub config: ConfigStamp,
    /// The id of the decision, if it is remembered.
    pub grant: Id,
    /// Whether an application runs the tool, and until when it has time.
    pub by_client: bool,
    pub client_until: i64,
    /// Who runs it here.
    pub run: Run,
}

impl Verdict {
    /// What it makes of an approval. A decision about a result has neither scope nor arguments.
    fn settles(&self, approval: &Approval) -> Settled {
        decision(approval, self.approved, self.scope, self.args.as_ref().map(|(_, hash)| hash.clone()))
    }
}

/// What a person's words about an approval amount to.
pub fn decision(
    approval: &Approval,
    approved: bool,
    scope: Option<ApprovalScope>,
    args_hash: Option<Vec<u8>>,
) -> Settled {
    let is_execution = approval.kind == ApprovalKind::Execution;
    Settled {
        outcome: if approved { ApprovalOutcome::Approved } else { ApprovalOutcome::Rejected },
        scope: is_execution.then(|| scope.unwrap_or_else(|| default_scope(approval.policy))),
        args_hash: args_hash.filter(|_| is_execution && approved),
    }
}

/// Decides about a call. Returns the call after that, and whether the caller has to run it now: a decision that was made before
/// does nothing again.
pub fn decide(
    tx: &mut dyn Tx,
    account: &Id,
    id: &Id,
    rules: &ProgramRules,
    verdict: &Verdict,
    now: i64,
) -> StoreResult<(CallRecord, bool)> {
    let (_, record) = find(tx, account, id)?;
    clock::with_tools(tx, account, &record.session, now, rules, |tx, clock| {
        // Read again under the clock: another decision may have been faster.
        let (approval, record) = find(tx, account, id)?;
        if approval.is_repeated_by(&verdict.settles(&approval), &record.id, clock.now())? {
            return Ok((record, false));
        }
        // What the tool is now was read before; it must not have changed since.
        clock.expect_config(&verdict.config)?;
        let after = decide_on(tx, clock, &approval, &record, verdict)?;
        let runs = after.state == CallState::Running;
        Ok((after, runs))
    })
}

fn decide_on(
    tx: &mut dyn Tx,
    clock: &ToolClock,
    approval: &Approval,
    record: &CallRecord,
    verdict: &Verdict,
) -> StoreResult<CallRecord> {
    let settled = verdict.settles(approval);
    approval_rows::settle(tx, clock, approval, &settled)?;
    let is_execution = approval.kind == ApprovalKind::Execution;
    let default = if is_execution { REJECTED_BY_USER } else { RESULT_REJECTED_BY_USER };
    let (approved, reason) = match verdict {
        Verdict { approved: true, unusable: Some(why), .. } if is_execution => (false, Some(why.clone())),
        Verdict { approved: true, .. } => (true, None),
        Verdict { reason, .. } => (false, Some(reason.clone().unwrap_or_else(|| default.to_owned()))),
    };
    if let Some(scope) = settled.scope.filter(|_| verdict.unusable.is_none()) {
        let mut key = record.grant_key();
        let args = match verdict.args.as_ref().filter(|_| approved) {
            Some((args, hash)) => {
                key.args_hash.clone_from(hash);
                args.clone()
            }
            None => call_bodies::resolved_args(tx, clock.key(), record)?,
        };
        let expires_at = approval.expires_ms.map(|expires| clock.now().saturating_add(expires));
        let decision = Record { approved, reason: reason.clone(), expires_at };
        grants::put(tx, clock, scope, &key, &NewGrant { id: verdict.grant.clone(), args, decision })?;
    }
    let event = match (approved, is_execution) {
        (true, true) => CallEvent::Admitted { by_client: verdict.by_client },
        (true, false) => CallEvent::ResultApproved,
        (false, _) => CallEvent::Rejected,
    };
    let update = CallUpdate {
        reason: reason.as_deref(),
        decided_by: verdict.by.as_deref(),
        client_until: verdict.client_until,
        run: (!verdict.by_client && approved && is_execution).then_some(&verdict.run),
        args: verdict
            .args
            .as_ref()
            .filter(|_| approved && is_execution)
            .map(|(args, hash)| (args.as_str(), hash.as_slice())),
        ..CallUpdate::new(event)
    };
    let after = calls::advance(tx, clock, record, &update)?;
    decided(tx, clock, approval, approved, settled.outcome)?;
    Ok(after)
}

/// `approved` says whether the call goes on: a tool that cannot run any more does not, whatever the person said.
fn decided(
    tx: &mut dyn Tx,
    clock: &ToolClock,
    approval: &Approval,
    approved: bool,
    outcome: ApprovalOutcome,
) -> StoreResult<()> {
    let detail =
        serde_json::json!({ "approved": approved, "kind": approval.kind.as_str(), "outcome": outcome.as_str() });
    clock.emit(tx, EventKind::ApprovalDecided, &approval.id, &detail.to_string())
}

/// Gives a call up. What waits for a person is rejected.
pub fn cancel(
    tx: &mut dyn Tx,
    account: &Id,
    call: &Id,
    rules: &ProgramRules,
    event: CallEvent,
    reason: &str,
    now: i64,
) -> StoreResult<CallRecord> {
    let record = call_rows::find(tx, account, call)?;
    clock::with_tools(tx, account, &record.session, now, rules, |tx, clock| {
        let record = call_rows::find(tx, account, call)?;
        if matches!(record.state, CallState::AwaitingExecution | CallState::AwaitingResult { .. }) {
            let outcome = match event {
                CallEvent::Cancelled => ApprovalOutcome::Cancelled,
                _ => ApprovalOutcome::TimedOut,
            };
            for approval in pending_of(tx, clock, record.call_row)? {
                approval_rows::settle(tx, clock, &approval, &Settled::by_itself(outcome))?;
                decided(tx, clock, &approval, false, outcome)?;
            }
        }
        let may_have_run = matches!(record.state, CallState::Running | CallState::AwaitingClient);
        let reason = if event == CallEvent::Cancelled && may_have_run { CANCELLED_RUNNING } else { reason };
        calls::advance(tx, clock, &record, &CallUpdate { reason: Some(reason), ..CallUpdate::new(event) })
    })
}

/// The approvals of a session that are pending, the oldest first, each with its call. Fewer than wanted where their texts have many
/// bytes, but one at least.
pub fn list(
    tx: &mut dyn Tx,
    account: &Id,
    session: &Id,
    window: Window,
    now: i64,
) -> StoreResult<Listed<(Approval, CallDetails)>> {
    let session = lookup::session(tx, account, session)?;
    let sql = sql!(
        "SELECT ",
        approval_columns!(),
        " WHERE a.account_id = ?1 AND a.session_row = ?2 AND a.ends_at > ?3 AND a.outcome IS NULL
          ORDER BY a.created_at, a.call_row LIMIT ?4 OFFSET ?5"
    );
    let count = sql!(
        "SELECT COUNT(*) FROM tool_approval
         WHERE account_id = ?1 AND session_row = ?2 AND ends_at > ?3 AND outcome IS NULL"
    );
    let rows = in_session![session, now, window.limit + 1, window.offset];
    let listed = tx::list(tx, window, (sql, rows), (count, in_session![session, now]), approval_rows::read)?;
    with_calls(tx, account, listed, now)
}

/// The same for all sessions of an account, the oldest first.
pub fn list_of_account(
    tx: &mut dyn Tx,
    account: &Id,
    window: Window,
    now: i64,
) -> StoreResult<Listed<(Approval, CallDetails)>> {
    let sql = sql!(
        "SELECT ",
        approval_columns!(),
        " JOIN session s ON s.account_id = a.account_id AND s.session_row = a.session_row
          WHERE a.account_id = ?1 AND a.ends_at > ?2 AND a.outcome IS NULL AND s.deleted_at IS NULL
          ORDER BY a.created_at, a.session_row, a.call_row LIMIT ?3 OFFSET ?4"
    );
    let count = sql!(
        "SELECT COUNT(*) FROM tool_approval a
         JOIN session s ON s.account_id = a.account_id AND s.session_row = a.session_row
         WHERE a.account_id = ?1 AND a.ends_at > ?2 AND a.outcome IS NULL AND s.deleted_at IS NULL"
    );
    let rows = params![account, now, window.limit + 1, window.offset];
    let listed = tx::list(tx, window, (sql, rows), (count, params![account, now]), approval_rows::read)?;
    with_calls(tx, account, listed, now)
}

fn with_calls(
    tx: &mut dyn Tx,
    account: &Id,
    listed: Listed<Approval>,
    now: i64,
) -> StoreResult<Listed<(Approval, CallDetails)>> {
    let mut by_session: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for approval in &listed.items {
        by_session.entry(approval.session_row).or_default().push(approval.call_row);
    }
    let mut records = HashMap::new();
    for (session_row, rows) in by_session {
        let found = call_rows::of_rows(tx, SessionKey::new(account, session_row), &rows)?;
        records.extend(rows.into_iter().map(|row| (session_row, row)).zip(found));
    }
    let (mut items, mut has_more, mut bytes) = (Vec::with_capacity(listed.items.len()), listed.has_more, 0);
    for approval in listed.items {
        let Some(record) = records.remove(&(approval.session_row, approval.call_row)) else { continue };
        let details = call_bodies::details(tx, account, record, Viewer::Approver, now)?;
        bytes += details.bytes();
        if bytes > TOOL_LIST_BYTES_MAX && !items.is_empty() {
            has_more = true;
            break;
        }
        items.push((approval, details));
    }
    Ok(Listed { items, total: listed.total, has_more })
}
