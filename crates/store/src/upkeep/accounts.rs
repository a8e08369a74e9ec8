//! Accounts and the keys that open them.

use crate::db::migrate::DEFAULT_ACCOUNT;
use crate::jobs::{self, Claim};
use crate::tree::clock;
use crate::tree::prelude::*;
use crate::tree::quota::{self, Quotas};
use crate::types::order::NewKey;
use crate::types::record::{Account, ApiKey, JobKind};
use tavernkeep_engine::role::Role;

pub fn create(tx: &mut dyn Tx, id: &Id, now: i64) -> StoreResult<Account> {
    let sql = sql!(
        "INSERT INTO account (account_id, created_at, disabled_at, seq, last_session, variables, keys_made)
         VALUES (?1, ?2, NULL, ?3, 0, 0, 0) ON CONFLICT (account_id) DO NOTHING"
    );
    if tx.execute(sql, params![id, now, clock::micros(now)])? == 0 {
        return Err(Refusal::IdTaken("account", id.to_string()).into());
    }
    Ok(Account { id: id.clone(), created_at: now, disabled_at: None })
}

/// Lists all accounts. For the operator of the machine only.
pub fn list(tx: &mut dyn Tx) -> StoreResult<Vec<Account>> {
    let sql = Sql::across_accounts("SELECT account_id, created_at, disabled_at FROM account ORDER BY account_id");
    all(tx, sql, params![], read_account)
}

pub fn get(tx: &mut dyn Tx, id: &Id) -> StoreResult<Account> {
    let sql = sql!("SELECT account_id, created_at, disabled_at FROM account WHERE account_id = ?1");
    first(tx, sql, params![id], read_account)?.ok_or_else(|| Refusal::AccountNotFound(id.clone()).into())
}

fn read_account(row: &dyn Row) -> StoreResult<Account> {
    Ok(Account { id: stored_id(row.text(0)?)?, created_at: row.int(1)?, disabled_at: row.int_or_null(2)? })
}

/// Closes an account to all its keys, or opens it again.
pub fn set_disabled(tx: &mut dyn Tx, id: &Id, disabled: bool, now: i64) -> StoreResult<Account> {
    AccountClock::of(tx, id, now)?;
    let sql = sql!("UPDATE account SET disabled_at = ?2 WHERE account_id = ?1");
    tx.execute(sql, params![id, disabled.then_some(now)])?;
    if !disabled {
        // An account that is enabled again keeps what is left of it.
        jobs::drop_account_deletion(tx, id)?;
    }
    get(tx, id)
}

/// Closes an account for its deletion. After a crash another process goes on with the job.
pub fn begin_deletion(tx: &mut dyn Tx, id: &Id, job: &Id, now: i64) -> StoreResult<Claim> {
    let clock = AccountClock::of(tx, id, now)?;
    tx.execute(sql!("UPDATE account SET disabled_at = ?2 WHERE account_id = ?1"), params![id, now])?;
    jobs::drop_account_deletion(tx, id)?;
    jobs::create(tx, clock.tick(), job, JobKind::DeleteAccount, 0, id)?;
    jobs::claim(tx, id, job, now)?.ok_or_else(|| StoreError::Internal("the lease of a new job is taken already".into()))
}

/// The next session of an account that is being deleted.
pub fn some_session(tx: &mut dyn Tx, account: &Id) -> StoreResult<Option<Id>> {
    let sql = sql!("SELECT id FROM session WHERE account_id = ?1 AND deleted_at IS NULL ORDER BY session_row LIMIT 1");
    first(tx, sql, params![account], |row| stored_id(row.text(0)?))
}

/// Deletes an account that has no sessions left, with its global variables and keys. False if it has one again.
///
/// The default account is emptied and opened again instead: a server without keys acts for it.
pub fn delete(tx: &mut dyn Tx, account: &Id, now: i64) -> StoreResult<bool> {
    AccountClock::of(tx, account, now)?;
    if some_session(tx, account)?.is_some() || jobs::some_hidden_session(tx, account)?.is_some() {
        return Ok(false);
    }
    for sql in [
        // Listeners must learn that events are missing.
        sql!(
            "UPDATE account SET events_purged = COALESCE(
                (SELECT MAX(position) FROM event WHERE account_id = ?1), events_purged) WHERE account_id = ?1"
        ),
        sql!("DELETE FROM variable WHERE account_id = ?1"),
        sql!("DELETE FROM variable_total WHERE account_id = ?1"),
        sql!("DELETE FROM api_key WHERE account_id = ?1"),
        sql!("DELETE FROM history WHERE account_id = ?1"),
        sql!("DELETE FROM event WHERE account_id = ?1"),
        sql!("DELETE FROM job WHERE account_id = ?1"),
        sql!("DELETE FROM tool_default WHERE account_id = ?1"),
        sql!("DELETE FROM account_grant WHERE account_id = ?1"),
        sql!("DELETE FROM global_snapshot WHERE account_id = ?1"),
        sql!("DELETE FROM trash_row WHERE account_id = ?1"),
        sql!("DELETE FROM trash WHERE account_id = ?1"),
        sql!("DELETE FROM function WHERE account_id = ?1"),
        sql!("DELETE FROM function_switch WHERE account_id = ?1"),
        sql!("DELETE FROM character_card WHERE account_id = ?1"),
        sql!("DELETE FROM character_story WHERE account_id = ?1"),
        sql!("DELETE FROM character WHERE account_id = ?1"),
        // The one that is empty belongs to the request that does this.
        sql!("DELETE FROM kept_answer WHERE account_id = ?1 AND LENGTH(answer) > 0"),
    ] {
        tx.execute(sql, params![account])?;
    }
    let sql = match account.as_str() {
        DEFAULT_ACCOUNT => {
            sql!(
                "UPDATE account SET disabled_at = NULL, variables = 0, sessions = 0, sessions_trashed = 0, functions_hash = NULL
                 WHERE account_id = ?1"
            )
        }
        _ => {
            tx.execute(sql!("DELETE FROM kept_answer WHERE account_id = ?1"), params![account])?;
            sql!("DELETE FROM account WHERE account_id = ?1")
        }
    };
    tx.execute(sql, params![account])?;
    Ok(true)
}

pub fn create_key(
    tx: &mut dyn Tx,
    account: &Id,
    new: &NewKey,
    id: &Id,
    hash: &[u8],
    quotas: &Quotas,
    now: i64,
) -> StoreResult<ApiKey> {
    let clock = AccountClock::of(tx, account, now)?;
    quota::room_for_key(tx, &clock, quotas, now)?;
    tx.execute(sql!("UPDATE account SET keys_made = 1 WHERE account_id = ?1"), params![DEFAULT_ACCOUNT])?;
    let sql = sql!(
        "INSERT INTO api_key (key_hash, account_id, id, name, role, created_at, expires_at, revoked_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, NULL)"
    );
    tx.execute(sql, params![hash, account, id, new.name.as_bytes(), new.role.as_str(), now, new.expires_at])?;
    Ok(ApiKey {
        id: id.clone(),
        account: account.clone(),
        name: new.name.clone(),
        role: new.role,
        created_at: now,
        expires_at: new.expires_at,
        revoked_at: None,
        signed_in_with: None,
    })
}

/// Lists an account's keys, the revoked ones too.
pub fn keys(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<ApiKey>> {
    let sql = sql!(
        "SELECT id, account_id, name, role, created_at, expires_at, revoked_at, signed_in_with FROM api_key
         WHERE account_id = ?1 AND signed_in_with IS NULL ORDER BY created_at, id"
    );
    all(tx, sql, params![account], read_key)
}

/// Revokes a key and signs out the browsers that used it. Revoking it again changes nothing.
pub fn revoke_key(tx: &mut dyn Tx, account: &Id, id: &Id, now: i64) -> StoreResult<ApiKey> {
    // A browser that is signing in with it comes before, and is signed out here, or after, and finds it revoked.
    AccountClock::of(tx, account, now)?;
    let sql = sql!(
        "UPDATE api_key SET revoked_at = COALESCE(revoked_at, ?3)
         WHERE account_id = ?1 AND id = ?2 AND signed_in_with IS NULL
         RETURNING id, account_id, name, role, created_at, expires_at, revoked_at, signed_in_with"
    );
    tx.execute(sql!("DELETE FROM api_key WHERE account_id = ?1 AND signed_in_with = ?2"), params![account, id])?;
    first(tx, sql, params![account, id, now], read_key)?.ok_or_else(|| Refusal::ApiKeyNotFound(id.clone()).into())
}

/// Who a secret belongs to: the key and whether its account may be used. A revoked or expired key belongs to no account.
pub fn owner(tx: &mut dyn Tx, hash: &[u8], now: i64) -> StoreResult<Option<(ApiKey, bool)>> {
    let sql = sql!(
        "SELECT k.id, k.account_id, k.name, k.role, k.created_at, k.expires_at, k.revoked_at,
                k.signed_in_with, a.disabled_at
         FROM api_key k JOIN account a ON a.account_id = k.account_id WHERE k.key_hash = ?1"
    );
    let found = first(tx, sql, params![hash], |row| Ok((read_key(row)?, row.int_or_null(8)?.is_none())))?;
    let opens = |key: &ApiKey| key.revoked_at.is_none() && key.expires_at.is_none_or(|end| end > now);
    Ok(found.filter(|(key, _)| opens(key)))
}

/// Whether a key still opens its account: neither of them is gone, the one not revoked or expired, the other not closed.
pub fn opens(tx: &mut dyn Tx, account: &Id, key: &Id, now: i64) -> StoreResult<bool> {
    let sql = sql!(
        "SELECT 1 FROM api_key k JOIN account a ON a.account_id = k.account_id
         WHERE k.account_id = ?1 AND k.id = ?2 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?3)
           AND a.disabled_at IS NULL"
    );
    Ok(first(tx, sql, params![account, key, now], |_| Ok(()))?.is_some())
}

/// Whether any key was ever made: from then on requests need one, even if all keys are gone.
pub fn keys_exist(tx: &mut dyn Tx) -> StoreResult<bool> {
    let sql = sql!("SELECT keys_made FROM account WHERE account_id = ?1");
    one(tx, sql, params![DEFAULT_ACCOUNT], |row| Ok(row.int(0)? != 0))
}

pub(super) fn read_key(row: &dyn Row) -> StoreResult<ApiKey> {
    Ok(ApiKey {
        id: stored_id(row.text(0)?)?,
        account: stored_id(row.text(1)?)?,
        name: stored_text(row.bytes(2)?)?,
        // A role that we do not know is the weakest one: a newer program may have written it.
        role: row.text(3)?.parse().unwrap_or(Role::Read),
        created_at: row.int(4)?,
        expires_at: row.int_or_null(5)?,
        revoked_at: row.int_or_null(6)?,
        signed_in_with: row.text_or_null(7)?.map(stored_id).transpose()?,
    })
}
