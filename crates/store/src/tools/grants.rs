//! Decisions that count longer than their call, by the tool, the hash of its definition and the hash of the arguments.

use crate::tools::clock::{self, ProgramRules, ToolClock};
use crate::tree::prelude::*;
use crate::types::record::{EventKind, Listed, Window};
use tavernkeep_engine::limits::{APPROVAL_RECORDS_MAX, TOOL_LIST_BYTES_MAX};
use tavernkeep_engine::tools::permission::{ApprovalScope, Record};

/// What a decision is about. Hashes are SHA-256.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantKey {
    pub tool: String,
    pub definition_hash: Vec<u8>,
    pub args_hash: Vec<u8>,
}

/// A decision to remember.
pub(crate) struct NewGrant {
    pub(crate) id: Id,
    /// The resolved arguments, JSON.
    pub(crate) args: String,
    pub(crate) decision: Record,
}

/// A decision that is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    pub id: Id,
    pub scope: ApprovalScope,
    pub tool: String,
    /// The resolved arguments, JSON.
    pub args: String,
    pub decision: Record,
    pub created_at: i64,
}

/// The decision that counts: the session's own before the account's.
pub fn find(tx: &mut dyn Tx, session: SessionKey<'_>, key: &GrantKey, now: i64) -> StoreResult<Option<Record>> {
    if let Some(record) = find_own(tx, session, key, now)? {
        return Ok(Some(record));
    }
    let accounts = sql!(
        "SELECT approved, reason, expires_at FROM account_grant WHERE account_id = ?1 AND tool = ?2
            AND definition_hash = ?3 AND args_hash = ?4"
    );
    let tool = key.tool.as_bytes();
    first(tx, accounts, params![session.account, tool, &key.definition_hash, &key.args_hash], |row| read(row, 0))
}

fn find_own(tx: &mut dyn Tx, session: SessionKey<'_>, key: &GrantKey, now: i64) -> StoreResult<Option<Record>> {
    let own = sql!(
        "SELECT approved, reason, expires_at FROM tool_grant WHERE account_id = ?1 AND session_row = ?2 AND tool = ?3
            AND definition_hash = ?4 AND args_hash = ?5"
    );
    let row = in_session![session, key.tool.as_bytes(), &key.definition_hash, &key.args_hash];
    let found = first(tx, own, row, |row| read(row, 0))?;
    Ok(found.filter(|record| record.expires_at.is_none_or(|end| end > now)))
}

/// Refuses to go on with a decision that does not count any more: it was revoked, or another was made, since it was read. An account's
/// decision stays as it is until this transaction ends: it may be revoked from other sessions, whose clocks are not taken here.
pub(crate) fn expect(tx: &mut dyn Tx, clock: &ToolClock, key: &GrantKey, decision: &Record) -> StoreResult<()> {
    let found = match find_own(tx, clock.key(), key, clock.now())? {
        Some(own) => Some(own),
        None => {
            let lock = sql!(
                "UPDATE account_grant SET approved = approved WHERE account_id = ?1 AND tool = ?2
                    AND definition_hash = ?3 AND args_hash = ?4 RETURNING approved, reason, expires_at"
            );
            let row = params![clock.key().account, key.tool.as_bytes(), &key.definition_hash, &key.args_hash];
            first(tx, lock, row, |row| read(row, 0))?
        }
    };
    match found.as_ref() == Some(decision) {
        true => Ok(()),
        false => Err(Refusal::ToolsChanged.into()),
    }
}

/// The decision in the columns from this one on.
fn read(row: &dyn Row, from: usize) -> StoreResult<Record> {
    let reason = row.bytes_or_null(from + 1)?.map(stored_text).transpose()?;
    Ok(Record { approved: row.int(from)? == 1, reason, expires_at: row.int_or_null(from + 2)? })
}

/// Remembers a decision. One that counts once is not remembered.
pub(crate) fn put(
    tx: &mut dyn Tx,
    clock: &ToolClock,
    scope: ApprovalScope,
    key: &GrantKey,
    new: &NewGrant,
) -> StoreResult<()> {
    let Record { approved, reason, expires_at } = &new.decision;
    let (tool, reason, args) = (key.tool.as_bytes(), reason.as_ref().map(String::as_bytes), codec::encode(&new.args));
    let mut row = match scope {
        ApprovalScope::Once => return Ok(()),
        ApprovalScope::Session => in_session![clock].to_vec(),
        ApprovalScope::Always => params![clock.key().account].to_vec(),
    };
    row.extend_from_slice(params![tool, &key.definition_hash, &key.args_hash, &new.id, &args, *approved]);
    row.extend_from_slice(params![reason, clock.now(), *expires_at]);
    match scope {
        ApprovalScope::Once => Ok(()),
        ApprovalScope::Session => {
            let crowded = sql!(
                "DELETE FROM tool_grant WHERE account_id = ?1 AND session_row = ?2 AND created_at <= (
                    SELECT created_at FROM tool_grant WHERE account_id = ?1 AND session_row = ?2
                    ORDER BY created_at DESC LIMIT 1 OFFSET ?3)"
            );
            tx.execute(crowded, in_session![clock, APPROVAL_RECORDS_MAX - 1])?;
            let sql = sql!(
                "INSERT INTO tool_grant (account_id, session_row, tool, definition_hash, args_hash, id, args, approved,
                    reason, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
                 ON CONFLICT (account_id, session_row, tool, definition_hash, args_hash) DO UPDATE SET
                    id = excluded.id, approved = excluded.approved, reason = excluded.reason,
                    created_at = excluded.created_at, expires_at = excluded.expires_at"
            );
            tx.execute(sql, &row).map(drop)
        }
        ApprovalScope::Always => {
            let crowded = sql!(
                "DELETE FROM account_grant WHERE account_id = ?1 AND created_at <= (
                    SELECT created_at FROM account_grant WHERE account_id = ?1
                    ORDER BY created_at DESC LIMIT 1 OFFSET ?2)"
            );
            tx.execute(crowded, params![clock.key().account, APPROVAL_RECORDS_MAX - 1])?;
            let sql = sql!(
                "INSERT INTO account_grant (account_id, tool, definition_hash, args_hash, id, args, approved, reason,
                    created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                 ON CONFLICT (account_id, tool, definition_hash, args_hash) DO UPDATE SET
                    id = excluded.id, approved = excluded.approved, reason = excluded.reason,
                    created_at = excluded.created_at, expires_at = excluded.expires_at"
            );
            tx.execute(sql, &row).map(drop)
        }
    }
}

/// The decisions that count in a session at a moment, its own and those of the account, the newest first. Fewer than wanted where
/// their arguments have many bytes, but one at least.
pub fn list(tx: &mut dyn Tx, account: &Id, session: &Id, window: Window, now: i64) -> StoreResult<Listed<Grant>> {
    let session = lookup::session(tx, account, session)?;
    let sql = sql!(
        "SELECT id, scope, tool, args, created_at, approved, reason, expires_at FROM (
            SELECT id, CAST(?4 AS BIGINT) AS scope, tool, args, created_at, approved, reason, expires_at FROM tool_grant
            WHERE account_id = ?1 AND session_row = ?2 AND (expires_at IS NULL OR expires_at > ?3)
            UNION ALL
            SELECT id, CAST(?5 AS BIGINT) AS scope, tool, args, created_at, approved, reason, expires_at FROM account_grant
            WHERE account_id = ?1 AND (expires_at IS NULL OR expires_at > ?3)) AS g
         ORDER BY created_at DESC, id DESC LIMIT ?6 OFFSET ?7"
    );
    let count = sql!(
        "SELECT (SELECT COUNT(*) FROM tool_grant
            WHERE account_id = ?1 AND session_row = ?2 AND (expires_at IS NULL OR expires_at > ?3))
         + (SELECT COUNT(*) FROM account_grant WHERE account_id = ?1 AND (expires_at IS NULL OR expires_at > ?3))"
    );
    let (own, always) = (ApprovalScope::Session.number(), ApprovalScope::Always.number());
    let rows = in_session![session, now, own, always, window.limit + 1, window.offset];
    let (mut items, mut bytes) = (Vec::new(), 0);
    let mut is_full = false;
    tx.query(sql, rows, &mut |row| {
        // The arguments of those that are left out are not decoded.
        if is_full {
            return Ok(());
        }
        let grant = read_grant(row)?;
        bytes += grant.args.len();
        is_full = bytes > TOOL_LIST_BYTES_MAX && !items.is_empty();
        if !is_full {
            items.push(grant);
        }
        Ok(())
    })?;
    let total = if window.total { Some(one(tx, count, in_session![session, now], |row| row.int(0))?) } else { None };
    let listed = Listed::cut(items, window, total);
    Ok(Listed { has_more: listed.has_more || is_full, ..listed })
}

/// The decisions of an account that count in all of its sessions, for an export.
pub fn of_account(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<Grant>> {
    let sql = sql!(
        "SELECT id, CAST(?2 AS BIGINT), tool, args, created_at, approved, reason, expires_at FROM account_grant
         WHERE account_id = ?1 ORDER BY created_at, id"
    );
    all(tx, sql, params![account, ApprovalScope::Always.number()], read_grant)
}

/// The decisions of a session, for an export.
pub fn of_session(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<Vec<Grant>> {
    let sql = sql!(
        "SELECT id, CAST(?3 AS BIGINT), tool, args, created_at, approved, reason, expires_at FROM tool_grant
         WHERE account_id = ?1 AND session_row = ?2 ORDER BY created_at, id"
    );
    all(tx, sql, in_session![session, ApprovalScope::Session.number()], read_grant)
}

fn read_grant(row: &dyn Row) -> StoreResult<Grant> {
    Ok(Grant {
        id: stored_id(row.text(0)?)?,
        scope: stored_enum(row.int(1)?)?,
        tool: stored_text(row.bytes(2)?)?,
        args: codec::decode(row.bytes(3)?)?,
        created_at: row.int(4)?,
        decision: read(row, 5)?,
    })
}

/// Forgets a decision, seen from a session: the next call asks again.
pub fn revoke(tx: &mut dyn Tx, account: &Id, session: &Id, rules: &ProgramRules, id: &Id, now: i64) -> StoreResult<()> {
    clock::with_tools(tx, account, session, now, rules, |tx, clock| {
        let own = sql!("DELETE FROM tool_grant WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
        let always = sql!("DELETE FROM account_grant WHERE account_id = ?1 AND id = ?2");
        let gone = tx.execute(own, in_session![clock, id])? + tx.execute(always, params![account, id])?;
        if gone == 0 {
            return Err(Refusal::GrantNotFound(id.clone()).into());
        }
        // Calls that were decided by it and are not stored yet are decided again.
        clock.note_config();
        let detail = serde_json::json!({ "grant": id.as_str(), "revoked": true }).to_string();
        clock.emit(tx, EventKind::ToolsChanged, clock.session(), &detail)
    })
}
