//! The journal: the calls of a session in their order, those that have to be ended, and how many are kept.

use crate::tools::call_bodies::CallText;
use crate::tools::call_rows::{ApprovalStage, CallRecord, call_columns, read};
use crate::tools::clock::{self, ProgramRules, ToolClock};
use crate::tree::prelude::*;
use crate::types::record::{Listed, Window};
use tavernkeep_engine::limits::{CALLS_DROPPED_AT_ONCE, CALLS_DROPPED_MAX, CALLS_KEPT_BYTES_MAX, CALLS_KEPT_MAX};
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
        ApprovalStage::Execution.number(),
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

/// Calls of an account that wait for a person or an application longer than they may. The index of open calls has those up to
/// `running`; that number stands in the statement.
pub fn overdue(tx: &mut dyn Tx, account: &Id, now: i64, most: i64) -> StoreResult<Vec<CallRecord>> {
    let sql = sql!(
        "SELECT ",
        call_columns!(),
        " WHERE c.account_id = ?1 AND c.status <= 2 AND c.status = ?2 AND c.lease_until <= ?3 AND s.deleted_at IS NULL
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
        " WHERE c.account_id = ?1 AND c.status <= 2 AND c.status = ?2 AND s.deleted_at IS NULL
          ORDER BY c.lease_until LIMIT ?3"
    );
    all(tx, sql, params![account, CallStatus::Running.number(), most], read)
}

/// How many calls of a session wait for applications.
pub(crate) fn count_awaiting_client(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<i64> {
    // The number stands in the statement, so that the index of such calls can be used.
    let sql = sql!("SELECT COUNT(*) FROM tool_call WHERE account_id = ?1 AND session_row = ?2 AND status = 1");
    one(tx, sql, in_session![session], |row| row.int(0))
}

/// How much the journal of a session keeps. Calls that have not ended stay in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalLimits {
    pub calls: i64,
    /// Bytes of their texts as they are stored.
    pub bytes: i64,
}

impl Default for JournalLimits {
    fn default() -> Self {
        JournalLimits { calls: CALLS_KEPT_MAX, bytes: CALLS_KEPT_BYTES_MAX }
    }
}

/// Drops the oldest calls beyond the limits of the journal, a bounded number of them; the next call goes on. Those from this one on
/// stay, so a call can be read when it has ended, however long its result is.
pub(crate) fn drop_oldest(tx: &mut dyn Tx, clock: &ToolClock, call_row: i64) -> StoreResult<()> {
    let JournalLimits { calls, bytes } = clock.journal;
    let last = call_row - calls;
    let are_many = last > 0 && call_row % CALLS_DROPPED_AT_ONCE == 0;
    if !are_many && clock.journal_bytes.get() <= bytes {
        return Ok(());
    }
    let mut left = clock.journal_bytes.get();
    let mut end = None;
    for call in oldest_ended(tx, clock.key(), call_row)? {
        if call.row > last && left <= bytes {
            break;
        }
        (left, end) = (left - call.bytes, Some(call.row));
    }
    drop_until(tx, clock, end, left)
}

/// Drops calls of a session that were made before a moment, a bounded number of them. Returns whether there may be more.
pub fn drop_older(
    tx: &mut dyn Tx,
    account: &Id,
    session: &Id,
    rules: &ProgramRules,
    moment: i64,
    now: i64,
) -> StoreResult<bool> {
    clock::with_tools(tx, account, session, now, rules, |tx, clock| {
        let mut left = clock.journal_bytes.get();
        let (mut end, mut count) = (None, 0);
        for call in oldest_ended(tx, clock.key(), i64::MAX)?.into_iter().take_while(|call| call.created_at < moment) {
            (left, end, count) = (left - call.bytes, Some(call.row), count + 1);
        }
        drop_until(tx, clock, end, left)?;
        Ok(count == CALLS_DROPPED_MAX)
    })
}

/// A session whose journal begins before a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldJournal {
    pub session: Id,
    pub session_row: i64,
    pub begins_at: i64,
}

/// Sessions of an account whose journals begin before a moment, the oldest first; those behind one of them.
pub fn begun_before(
    tx: &mut dyn Tx,
    account: &Id,
    moment: i64,
    behind: Option<&OldJournal>,
    most: i64,
) -> StoreResult<Vec<OldJournal>> {
    let sql = sql!(
        "SELECT s.id, t.session_row, t.journal_from FROM tool_session t
         JOIN session s ON s.account_id = t.account_id AND s.session_row = t.session_row
         WHERE t.account_id = ?1 AND t.journal_from < ?2 AND (t.journal_from, t.session_row) > (?3, ?4)
            AND s.deleted_at IS NULL
         ORDER BY t.journal_from, t.session_row LIMIT ?5"
    );
    let (from, row) = behind.map_or((i64::MIN, 0), |behind| (behind.begins_at, behind.session_row));
    all(tx, sql, params![account, moment, from, row, most], |row| {
        Ok(OldJournal { session: stored_id(row.text(0)?)?, session_row: row.int(1)?, begins_at: row.int(2)? })
    })
}

struct EndedCall {
    row: i64,
    created_at: i64,
    /// Bytes of its texts.
    bytes: i64,
}

/// The oldest calls of a session that have ended, up to one of its calls, and as many as one transaction may drop.
fn oldest_ended(tx: &mut dyn Tx, session: SessionKey<'_>, before: i64) -> StoreResult<Vec<EndedCall>> {
    let sql = sql!(
        "SELECT c.call_row, c.created_at, COALESCE(LENGTH(c.args), 0) + (
            SELECT COALESCE(SUM(LENGTH(b.body)), 0) FROM tool_call_body b
            WHERE b.account_id = c.account_id AND b.session_row = c.session_row AND b.call_row = c.call_row)
         FROM tool_call c
         WHERE c.account_id = ?1 AND c.session_row = ?2 AND c.call_row < ?3 AND c.status > ?4
         ORDER BY c.call_row LIMIT ?5"
    );
    let row = in_session![session, before, CallStatus::Running.number(), CALLS_DROPPED_MAX];
    all(tx, sql, row, |row| Ok(EndedCall { row: row.int(0)?, created_at: row.int(1)?, bytes: row.int(2)? }))
}

/// Drops the calls up to one of them that have ended. Results that variables still refer to become theirs.
fn drop_until(tx: &mut dyn Tx, clock: &ToolClock, last: Option<i64>, bytes_left: i64) -> StoreResult<()> {
    let Some(last) = last else { return Ok(()) };
    let open = CallStatus::Running.number();
    let keep = sql!(
        "INSERT INTO scratch_value (account_id, session_row, name, value)
         SELECT s.account_id, s.session_row, s.name, b.body FROM scratch s
         JOIN tool_call_body b ON b.account_id = s.account_id AND b.session_row = s.session_row
            AND b.call_row = s.result_of AND b.part = ?4
         WHERE s.account_id = ?1 AND s.session_row = ?2 AND s.result_of <= ?3
         ON CONFLICT (account_id, session_row, name) DO UPDATE SET value = excluded.value"
    );
    tx.execute(keep, in_session![clock, last, CallText::Formatted.number()])?;
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
    tx.execute(calls, in_session![clock, last, open])?;
    let oldest =
        sql!("SELECT created_at FROM tool_call WHERE account_id = ?1 AND session_row = ?2 ORDER BY call_row LIMIT 1");
    clock.journal_from.set(first(tx, oldest, in_session![clock], |row| row.int(0))?);
    clock.journal_bytes.set(bytes_left);
    Ok(())
}
