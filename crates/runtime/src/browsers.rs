//! Signing browsers in and out.

use crate::accounts::hash_of;
use crate::record::ApiKey;
use crate::{Caller, Runtime, RuntimeResult, new_id, now_ms, random_bytes};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::SIGN_IN_DAYS_MAX;
use tavernkeep_store::upkeep::{accounts, browsers};

/// Starts the secret of a cookie.
const PREFIX: &str = "tb_";
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Characters that are kept of what a browser calls itself.
const NAME_CHARS_MAX: usize = 256;

impl Runtime {
    /// Signs a browser in with the secret of a key: the browser and the secret for its cookie. None if the key is unknown,
    /// revoked or expired, its account is disabled, or it is itself the secret of a browser.
    pub async fn sign_in(&self, secret: &str, name: &str, days: i64) -> RuntimeResult<Option<(ApiKey, String)>> {
        let (hash, now) = (hash_of(secret), now_ms());
        let found = self.store.read_point(move |tx| accounts::owner(tx, &hash, now)).await?;
        let Some((key, true)) = found.filter(|(key, _)| key.signed_in_with.is_none()) else { return Ok(None) };
        let mut bytes = [0; 32];
        random_bytes(&mut bytes)?;
        let token = bytes.iter().fold(PREFIX.to_owned(), |text, byte| format!("{text}{byte:02x}"));
        let end = now.saturating_add(days.clamp(1, SIGN_IN_DAYS_MAX) * DAY_MS);
        let new = browsers::NewBrowser {
            id: new_id()?,
            hash: hash_of(&token),
            name: name.chars().take(NAME_CHARS_MAX).collect(),
            expires_at: key.expires_at.map_or(end, |key_end| key_end.min(end)),
        };
        let browser = self.store.write(move |tx| browsers::sign_in(tx, &key, &new, now)).await?;
        Ok(browser.map(|browser| (browser, token)))
    }

    /// The browsers that are signed in, the newest first: an admin sees all of the account, others those of their key.
    pub async fn list_browsers(&self, caller: &Caller) -> RuntimeResult<Vec<ApiKey>> {
        let (account, now) = (caller.account.clone(), now_ms());
        let mut list = self.store.read(move |tx| browsers::list(tx, &account, now)).await?;
        if let Some(key) = own_key(caller) {
            list.retain(|browser| browser.signed_in_with.as_ref() == Some(&key));
        }
        Ok(list)
    }

    /// Signs a browser out, from its next request on.
    pub async fn sign_out(&self, account: &Id, browser: &Id) -> RuntimeResult<()> {
        let (owner, browser) = (account.clone(), browser.clone());
        self.write(account, move |tx| browsers::sign_out(tx, &owner, &browser)).await
    }
}

/// The key that a caller without the role of an admin is limited to.
fn own_key(caller: &Caller) -> Option<Id> {
    match caller.role {
        tavernkeep_engine::role::Role::Admin => None,
        _ => caller.signed_in_with.clone().or_else(|| caller.key.clone()),
    }
}
