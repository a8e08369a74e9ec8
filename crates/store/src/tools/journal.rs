//! The journal: the calls of a session in their order, those that have to be ended, and how many are kept.

use crate::tools::call_bodies::CallText;
use crate::tools::call_rows::{CallRecord, call_columns, read, stage};
use crate::tools::clock::ToolClock;
use crate::tree::prelude::*;
use crate::types::record::{Listed, Window};
use tavernkeep_engine::limits::{CALLS_DROPPED_AT_ONCE, CALLS_KEPT_MAX};
use tavernkeep_engine::tools::call::CallStatus;

/// Which calls are wanted.
#[derive(Debug, Clone, Default)]
pub struct CallFilter {
    pub status: Option<CallStatus>,
    pub tool: Option<String>,
    pub page: Option<Id>,
}

/// Calls that waited longer than they may have the status that this says, before upkeep writes it: see [`CallRecord::at`].
macro_rules! wanted_calls {
    () => {
        " WHERE c.account_id = ?1 AND c.session_row = ?2
            AND (CAST(?4 AS BYTEA) IS NULL OR c.tool = ?4) AND (CAST(?5 AS TEXT) IS NULL OR c.page_id = ?5)
            AND (CAST(?3 AS BIGINT) IS NULL OR ?3 = CASE
                WHEN c.status > ?7 OR c.lease_until IS NULL OR c.lease_until > ?6 THEN c.status
                WHEN c.status = ?7 THEN ?8
                WHEN c.stage = ?9 THEN ?10
                ELSE ?11 END)"
    };
}

/// The journal of a session, by the order of calls.
pub fn list(
    tx: &mut dyn Tx,
    account: &Id,
    session: &Id,
    filter: &CallFilter,
    window: Window,
    now: i64,
) -> StoreResult<Listed<CallRecord>> {
    let session = lookup::session(tx, account, session)?;
    const RISING: Sql = sql!("SELECT ", call_columns!(), wanted_calls!(), " ORDER BY c.call_row LIMIT ?12 OFFSET ?13");
    const FALLING: Sql =
        sql!("SELECT ", call_columns!(), wanted_calls!(), " ORDER BY c.call_row DESC LIMIT ?12 OFFSET ?13");
    let count = sql!("SELECT COUNT(*) FROM tool_call c", wanted_calls!());
    let tool = filter.tool.as_ref().map(String::as_bytes);
    let status = filter.status.map(CallStatus::number);
    let mut filters = in_session![session, status, tool, filter.page.as_ref(), now].to_vec();
    filters.extend_from_slice(params![
        CallStatus::AwaitingClient.number(),
        CallStatus::Interrupted.number(),
        stage::EXECUTION,
        CallStatus::ExecutionRejected.number(),
        CallStatus::ResultRejected.number()
    ]);
    let mut rows = filters.clone();
    rows.extend_from_slice(params![window.limit + 1, window.offset]);
    let statement = if window.ascending { RISING } else { FALLING };
    let listed = tx::list(tx, window, (statement, &rows), (count, &filters), read)?;
    let items = listed.items.into_iter().map(|record| record.at(now)).collect();
    Ok(Listed { items, total: listed.total, has_more: listed.has_more })
}

/// Calls of an account that wait for a person or an application longer than they may.
pub fn overdue(tx: &mut dyn Tx, account: &Id, now: i64, most: i64) -> StoreResult<Vec<CallRecord>> {
    let sql = sql!(
        "SELECT ",
        call_columns!(),
        " WHERE c.account_id = ?1 AND c.status = ?2 AND c.lease_until <= ?3 AND s.deleted_at IS NULL
          ORDER BY c.lease_until LIMIT ?4"
    );
    let mut found = Vec::new();
    for status in [CallStatus::AwaitingApproval, CallStatus::AwaitingClient] {
        found.extend(all(tx, sql, params![account, status.number(), now, most], read)?);
    }
    Ok(found)
}

/// Calls of an account that are running, the one whose lease ends first before the others.
pub fn running(tx: &mut dyn Tx, account: &Id, most: i64) -> StoreResult<Vec<CallRecord>> {
    let sql = sql!(
        "SELECT ",
        call_columns!(),
        " WHERE c.account_id = ?1 AND c.status = ?2 AND s.deleted_at IS NULL ORDER BY c.lease_until LIMIT ?3"
    );
    all(tx, sql, params![account, CallStatus::Running.number(), most], read)
}

/// How many calls of a session wait for applications.
pub(crate) fn count_awaiting_client(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<i64> {
    let sql = sql!("SELECT COUNT(*) FROM tool_call WHERE account_id = ?1 AND session_row = ?2 AND status = ?3");
    one(tx, sql, in_session![session, CallStatus::AwaitingClient.number()], |row| row.int(0))
}

/// The journal keeps the newest calls, and those that have not ended. Results that variables still refer to become theirs.
pub(crate) fn drop_oldest(tx: &mut dyn Tx, clock: &ToolClock, call_row: i64) -> StoreResult<()> {
    let last = call_row - CALLS_KEPT_MAX;
    if last <= 0 || call_row % CALLS_DROPPED_AT_ONCE != 0 {
        return Ok(());
    }
    let open = CallStatus::Running.number();
    let keep = sql!(
        "INSERT INTO scratch_value (account_id, session_row, name, value)
         SELECT s.account_id, s.session_row, s.name, b.body FROM scratch s
         JOIN tool_call_body b ON b.account_id = s.account_id AND b.session_row = s.session_row
            AND b.call_row = s.result_of AND b.part = ?4
         WHERE s.account_id = ?1 AND s.session_row = ?2 AND s.result_of <= ?3
         ON CONFLICT (account_id, session_row, name) DO UPDATE SET value = excluded.value"
    );
    tx.execute(keep, in_session![clock, last, CallText::Formatted as i64])?;
    let own =
        sql!("UPDATE scratch SET result_of = NULL WHERE account_id = ?1 AND session_row = ?2 AND result_of <= ?3");
    tx.execute(own, in_session![clock, last])?;
    let bodies = sql!(
        "DELETE FROM tool_call_body WHERE account_id = ?1 AND session_row = ?2 AND call_row IN (
            SELECT call_row FROM tool_call
            WHERE account_id = ?1 AND session_row = ?2 AND call_row <= ?3 AND status > ?4)"
    );
    tx.execute(bodies, in_session![clock, last, open])?;
    let approvals = sql!(
        "DELETE FROM tool_approval WHERE account_id = ?1 AND session_row = ?2 AND call_row IN (
            SELECT call_row FROM tool_call
            WHERE account_id = ?1 AND session_row = ?2 AND call_row <= ?3 AND status > ?4)"
    );
    tx.execute(approvals, in_session![clock, last, open])?;
    let calls =
        sql!("DELETE FROM tool_call WHERE account_id = ?1 AND session_row = ?2 AND call_row <= ?3 AND status > ?4");
    tx.execute(calls, in_session![clock, last, open]).map(drop)
}
