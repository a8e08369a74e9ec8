//! Browsers that are signed in: keys of their own, each made with another key and ended with it.

use super::accounts::{opens, read_key};
use crate::tree::prelude::*;
use crate::types::record::ApiKey;
use tavernkeep_engine::limits::BROWSERS_MAX;

/// A browser that signs in.
#[derive(Debug, Clone)]
pub struct NewBrowser {
    pub id: Id,
    /// The hash of the secret in its cookie.
    pub hash: [u8; 32],
    /// What it calls itself.
    pub name: String,
    pub expires_at: i64,
}

/// Signs a browser in with a key; none if the key was revoked since it was read. Expired browsers go, and the oldest of the key
/// where it has too many.
pub fn sign_in(tx: &mut dyn Tx, key: &ApiKey, new: &NewBrowser, now: i64) -> StoreResult<Option<ApiKey>> {
    AccountClock::of(tx, &key.account, now)?;
    if !opens(tx, &key.account, &key.id, now)? {
        return Ok(None);
    }
    let sql = sql!("DELETE FROM api_key WHERE account_id = ?1 AND signed_in_with IS NOT NULL AND expires_at <= ?2");
    tx.execute(sql, params![&key.account, now])?;
    let sql = sql!(
        "DELETE FROM api_key WHERE account_id = ?1 AND id IN (
            SELECT id FROM api_key WHERE account_id = ?1 AND signed_in_with = ?4
            ORDER BY created_at DESC, id DESC LIMIT ?2 OFFSET ?3)"
    );
    tx.execute(sql, params![&key.account, i64::from(i32::MAX), BROWSERS_MAX - 1, &key.id])?;
    let sql = sql!(
        "INSERT INTO api_key (key_hash, account_id, id, name, role, created_at, expires_at, revoked_at, signed_in_with)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, NULL, ?8)"
    );
    let (name, role) = (new.name.as_bytes(), key.role.as_str());
    tx.execute(sql, params![&new.hash[..], &key.account, &new.id, name, role, now, new.expires_at, &key.id])?;
    Ok(Some(ApiKey {
        id: new.id.clone(),
        account: key.account.clone(),
        name: new.name.clone(),
        role: key.role,
        created_at: now,
        expires_at: Some(new.expires_at),
        revoked_at: None,
        signed_in_with: Some(key.id.clone()),
    }))
}

/// The browsers that are signed in, the newest first.
pub fn list(tx: &mut dyn Tx, account: &Id, now: i64) -> StoreResult<Vec<ApiKey>> {
    let sql = sql!(
        "SELECT id, account_id, name, role, created_at, expires_at, revoked_at, signed_in_with FROM api_key
         WHERE account_id = ?1 AND signed_in_with IS NOT NULL AND expires_at > ?2 ORDER BY created_at DESC, id DESC"
    );
    all(tx, sql, params![account, now], read_key)
}

/// Signs a browser out.
pub fn sign_out(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<()> {
    let sql = sql!("DELETE FROM api_key WHERE account_id = ?1 AND id = ?2 AND signed_in_with IS NOT NULL");
    match tx.execute(sql, params![account, id])? {
        0 => Err(Refusal::BrowserNotFound(id.clone()).into()),
        _ => Ok(()),
    }
}
