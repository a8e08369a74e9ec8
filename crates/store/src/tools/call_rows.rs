//! The rows of calls, without their texts.

use crate::tools::clock::ToolClock;
use crate::tools::grants::GrantKey;
use crate::tools::stored_text::StoredText;
use crate::tree::prelude::*;
use tavernkeep_engine::tools::call::{self, CallState, CallStatus};
use tavernkeep_engine::tools::output;
use tavernkeep_engine::tools::permission::ResultPolicy;

/// A row of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRecord {
    pub session_row: i64,
    pub call_row: i64,
    pub id: Id,
    pub session: Id,
    pub tool: String,
    pub group: Option<String>,
    pub state: CallState,
    pub result_policy: ResultPolicy,
    pub created_at: i64,
    pub started_at: Option<i64>,
    pub ended_at: Option<i64>,
    pub definition_hash: Vec<u8>,
    pub args_hash: Vec<u8>,
    pub node: String,
    pub page: Option<Id>,
    pub branch: Option<String>,
    pub run: Option<Vec<u8>>,
    /// Until when the process that runs it counts as alive, or a person or an application has time to answer.
    pub lease_until: Option<i64>,
    pub is_truncated: bool,
    pub is_cached: bool,
    pub data_is_text: bool,
    /// Whether the resolved arguments hold untrusted text.
    pub is_untrusted: bool,
    pub error: Option<String>,
    pub reason: Option<String>,
    pub decided_by: Option<String>,
    /// The arguments as they were asked for, if they are short.
    pub(crate) args: Option<StoredText>,
}

impl CallRecord {
    pub fn status(&self) -> CallStatus {
        self.state.status()
    }

    /// Whether the result waits for a person and nobody else may see it.
    pub fn is_quarantined(&self) -> bool {
        matches!(self.state, CallState::AwaitingResult { .. })
    }

    /// The variables of its result and of its arguments, if they were put on the scratchpad.
    pub fn cache_names(&self) -> Option<(String, String)> {
        self.is_cached.then(|| output::cache_names(&self.tool, &self.node))
    }

    pub fn grant_key(&self) -> GrantKey {
        GrantKey {
            tool: self.tool.clone(),
            definition_hash: self.definition_hash.clone(),
            args_hash: self.args_hash.clone(),
        }
    }

    /// The call as it is at a moment: one that waited too long has ended, whether or not upkeep has written that yet.
    #[must_use]
    pub fn at(mut self, now: i64) -> CallRecord {
        let Some(end) = self.lease_until.filter(|end| *end <= now) else { return self };
        let Some((event, reason)) = self.state.expired() else { return self };
        if let Ok((state, _)) = call::next(self.state, event) {
            (self.state, self.reason, self.ended_at) = (state, Some(reason.to_owned()), Some(end));
        }
        if self.status() == CallStatus::ResultRejected {
            self.hide_result();
        }
        self
    }

    /// Removes everything that shows the result.
    pub(crate) fn hide_result(&mut self) {
        (self.is_truncated, self.is_cached, self.data_is_text, self.error) = (false, false, false, None);
    }
}

pub(crate) fn insert(tx: &mut dyn Tx, clock: &ToolClock, record: &CallRecord) -> StoreResult<()> {
    let (status, stage) = numbers(record.state);
    let sql = sql!(
        "INSERT INTO tool_call (account_id, session_row, call_row, id, tool, tool_group, status, stage, result_policy,
            created_at, started_at, ended_at, definition_hash, args_hash, node, page_id, branch_id, run, lease_until,
            is_truncated, is_cached, data_is_text, error, reason, decided_by, is_untrusted, args)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, 0, 0, 0, ?20, ?21,
            NULL, ?22, ?23)"
    );
    let bytes = |text: &Option<String>| text.clone().map(String::into_bytes);
    let (group, branch) = (bytes(&record.group), bytes(&record.branch));
    let (error, reason) = (bytes(&record.error), bytes(&record.reason));
    let tool = record.tool.as_bytes();
    let mut row = in_session![clock, record.call_row, &record.id, tool, group.as_deref(), status, stage].to_vec();
    row.extend_from_slice(params![
        record.result_policy.number(),
        record.created_at,
        record.started_at,
        record.ended_at
    ]);
    row.extend_from_slice(params![&record.definition_hash, &record.args_hash, record.node.as_bytes()]);
    row.extend_from_slice(params![record.page.as_ref(), branch.as_deref(), record.run.as_deref()]);
    row.extend_from_slice(params![record.lease_until, error.as_deref(), reason.as_deref(), record.is_untrusted]);
    row.extend_from_slice(params![record.args.as_ref().map(StoredText::as_bytes)]);
    tx.execute(sql, &row).map(drop)
}

/// Writes a call as it is now. With the token of a run only if the call still runs under it; returns whether it was written.
pub(crate) fn update(
    tx: &mut dyn Tx,
    clock: &ToolClock,
    record: &CallRecord,
    run_by: Option<&[u8]>,
) -> StoreResult<bool> {
    let sql = sql!(
        "UPDATE tool_call SET status = ?4, stage = ?5, started_at = ?6, ended_at = ?7, args_hash = ?8, run = ?9,
            lease_until = ?10, is_truncated = ?11, is_cached = ?12, data_is_text = ?13, error = ?14, reason = ?15,
            decided_by = ?16 WHERE account_id = ?1 AND session_row = ?2 AND call_row = ?3
            AND (CAST(?17 AS BYTEA) IS NULL OR (run = ?17 AND status = ?18))"
    );
    let (status, stage) = numbers(record.state);
    let bytes = |text: &Option<String>| text.clone().map(String::into_bytes);
    let (error, reason, by) = (bytes(&record.error), bytes(&record.reason), bytes(&record.decided_by));
    let mut row = in_session![clock, record.call_row, status, stage, record.started_at, record.ended_at].to_vec();
    row.extend_from_slice(params![&record.args_hash, record.run.as_deref(), record.lease_until, record.is_truncated]);
    row.extend_from_slice(params![record.is_cached, record.data_is_text, error.as_deref(), reason.as_deref()]);
    row.extend_from_slice(params![by.as_deref(), run_by, CallStatus::Running.number()]);
    Ok(tx.execute(sql, &row)? == 1)
}

tavernkeep_engine::stored_enum! {
    /// What a call in `awaiting_approval` waits for.
    ApprovalStage {
        /// That it may run.
        Execution = "execution",
        /// That the result of a call that succeeded may be shown.
        ResultOfSuccess = "result_of_success",
        /// That the result of a call that failed may be shown.
        ResultOfFailure = "result_of_failure",
    }
}

fn numbers(state: CallState) -> (i64, Option<i64>) {
    let stage = match state {
        CallState::AwaitingExecution => Some(ApprovalStage::Execution),
        CallState::AwaitingResult { succeeded: true } => Some(ApprovalStage::ResultOfSuccess),
        CallState::AwaitingResult { succeeded: false } => Some(ApprovalStage::ResultOfFailure),
        _ => None,
    };
    (state.status().number(), stage.map(ApprovalStage::number))
}

fn state(status: CallStatus, stage: Option<i64>) -> CallState {
    match (status, stage) {
        (CallStatus::AwaitingApproval, stage) => match stage.unwrap_or(ApprovalStage::Execution.number()) {
            stage if stage == ApprovalStage::Execution.number() => CallState::AwaitingExecution,
            stage => CallState::AwaitingResult { succeeded: stage == ApprovalStage::ResultOfSuccess.number() },
        },
        (CallStatus::AwaitingClient, _) => CallState::AwaitingClient,
        (CallStatus::Running, _) => CallState::Running,
        (ended, _) => CallState::Ended(ended),
    }
}

macro_rules! call_columns {
    () => {
        "c.session_row, c.call_row, c.id, s.id, c.tool, c.tool_group, c.status, c.stage, c.result_policy, c.created_at,
         c.started_at, c.ended_at, c.definition_hash, c.args_hash, c.node, c.page_id, c.branch_id, c.run, c.is_truncated,
         c.is_cached, c.data_is_text, c.error, c.reason, c.decided_by, c.lease_until, c.is_untrusted, c.args FROM tool_call c
         JOIN session s ON s.account_id = c.account_id AND s.session_row = c.session_row"
    };
}
pub(crate) use call_columns;

pub(crate) fn read(row: &dyn Row) -> StoreResult<CallRecord> {
    let text = |column: usize| row.bytes_or_null(column).and_then(|bytes| bytes.map(stored_text).transpose());
    Ok(CallRecord {
        session_row: row.int(0)?,
        call_row: row.int(1)?,
        id: stored_id(row.text(2)?)?,
        session: stored_id(row.text(3)?)?,
        tool: stored_text(row.bytes(4)?)?,
        group: text(5)?,
        state: state(stored_enum(row.int(6)?)?, row.int_or_null(7)?),
        result_policy: stored_enum(row.int(8)?)?,
        created_at: row.int(9)?,
        started_at: row.int_or_null(10)?,
        ended_at: row.int_or_null(11)?,
        definition_hash: row.bytes(12)?.to_vec(),
        args_hash: row.bytes(13)?.to_vec(),
        node: stored_text(row.bytes(14)?)?,
        page: row.text_or_null(15)?.map(stored_id).transpose()?,
        branch: text(16)?,
        run: row.bytes_or_null(17)?.map(<[u8]>::to_vec),
        is_truncated: row.int(18)? == 1,
        is_cached: row.int(19)? == 1,
        data_is_text: row.int(20)? == 1,
        error: text(21)?,
        reason: text(22)?,
        decided_by: text(23)?,
        lease_until: row.int_or_null(24)?,
        is_untrusted: row.int(25)? == 1,
        args: row.bytes_or_null(26)?.map(StoredText::from_stored),
    })
}

/// A call by its id, as it is stored.
pub fn find(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<CallRecord> {
    let sql = sql!("SELECT ", call_columns!(), " WHERE c.account_id = ?1 AND c.id = ?2 AND s.deleted_at IS NULL");
    first(tx, sql, params![account, id], read)?.ok_or_else(|| Refusal::CallNotFound(id.clone()).into())
}

/// Calls by their rows, in that order.
pub(crate) fn of_rows(tx: &mut dyn Tx, session: SessionKey<'_>, call_rows: &[i64]) -> StoreResult<Vec<CallRecord>> {
    let sql = sql!("SELECT ", call_columns!(), " WHERE c.account_id = ?1 AND c.session_row = ?2 AND c.call_row = ?3");
    let keys = |&call_row: &i64| vec![Param::from(session.account), Param::from(session.row), Param::from(call_row)];
    let sets: Vec<_> = call_rows.iter().map(keys).collect();
    let found: Option<Vec<CallRecord>> = first_of_each(tx, sql, &sets, read)?.into_iter().collect();
    found.ok_or_else(|| StoreError::Internal("an approval has no call".into()))
}

pub(crate) fn of_row(tx: &mut dyn Tx, session: SessionKey<'_>, call_row: i64) -> StoreResult<CallRecord> {
    let sql = sql!("SELECT ", call_columns!(), " WHERE c.account_id = ?1 AND c.session_row = ?2 AND c.call_row = ?3");
    one(tx, sql, in_session![session, call_row], read)
}
