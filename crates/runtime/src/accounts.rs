//! Accounts, their keys, and who a request comes from.

use crate::order::NewKey;
use crate::record::{Account, ApiKey, Condition};
use crate::{QuotaPatch, Refusal, Runtime, RuntimeError, RuntimeResult, Usage, new_id, now_ms, random_bytes};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::role::Role;
use tavernkeep_store::StoreError;
use tavernkeep_store::conversation::sessions;
use tavernkeep_store::conversation::trash::Bin;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::jobs;
use tavernkeep_store::tree::quota;
use tavernkeep_store::upkeep::accounts;

/// Starts every secret, so that people and scanners recognise one.
const SECRET_PREFIX: &str = "tk_";

/// Who a request comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The account it acts for.
    pub account: Id,
    /// What it may do.
    pub role: Role,
    /// Whether the account is closed.
    pub account_disabled: bool,
    /// The key it brought, if it brought one.
    pub key: Option<Id>,
    /// The key that a browser was signed in with; then `key` stands for the browser.
    pub signed_in_with: Option<Id>,
}

impl Runtime {
    /// Who a secret belongs to. An unknown, revoked or expired one belongs to no account.
    pub async fn authenticate(&self, secret: &str) -> RuntimeResult<Option<Caller>> {
        let (hash, now) = (hash_of(secret), now_ms());
        let found = self.store.read_point(move |tx| accounts::owner(tx, &hash, now)).await?;
        Ok(found.map(|(key, usable)| Caller {
            account: key.account,
            role: key.role,
            account_disabled: !usable,
            key: Some(key.id),
            signed_in_with: key.signed_in_with,
        }))
    }

    /// Whether a key still opens its account.
    pub async fn key_opens(&self, account: &Id, key: &Id) -> RuntimeResult<bool> {
        let (account, key, now) = (account.clone(), key.clone(), now_ms());
        self.store.read_point(move |tx| accounts::opens(tx, &account, &key, now)).await
    }

    /// Whether any key was ever made: from then on requests need one.
    pub async fn keys_exist(&self) -> RuntimeResult<bool> {
        self.store.read_point(accounts::keys_exist).await
    }

    /// Creates an account.
    pub async fn create_account(&self, id: Id) -> RuntimeResult<Account> {
        let now = now_ms();
        self.store.write(move |tx| accounts::create(tx, &id, now)).await
    }

    /// Lists all accounts; for the operator of the machine only.
    pub async fn list_accounts(&self) -> RuntimeResult<Vec<Account>> {
        self.store.read(accounts::list).await
    }

    /// Closes an account to all its keys, or opens it again.
    pub async fn set_account_disabled(&self, id: &Id, disabled: bool) -> RuntimeResult<Account> {
        let (id, now) = (id.clone(), now_ms());
        self.store.write(move |tx| accounts::set_disabled(tx, &id, disabled, now)).await
    }

    /// Deletes an account with everything in it: closes it first, then its sessions one by one, then the rest. If that is
    /// interrupted, a job goes on with it.
    pub async fn delete_account(&self, id: &Id) -> RuntimeResult<()> {
        if self.has_stored_response(id).await? {
            return self.empty_account(id, true).await;
        }
        let (account, job, now) = (id.clone(), new_id()?, now_ms());
        let mut claim = self.store.write(move |tx| accounts::begin_deletion(tx, &account, &job, now)).await?;
        match self.holding(&mut claim, self.empty_account(id, false)).await {
            Ok(Some(())) => Ok(()),
            Ok(None) => Err(RuntimeError::Contended("another process has taken the deletion".into())),
            Err(error) => {
                self.let_go(&claim, &error).await;
                Err(error)
            }
        }
    }

    /// Deletes what a closed account consists of, and the account. A repeated call does the last step only.
    pub(crate) async fn empty_account(&self, id: &Id, repeated: bool) -> RuntimeResult<()> {
        loop {
            let account = id.clone();
            let session = match repeated {
                true => None,
                false => self.store.read(move |tx| accounts::some_session(tx, &account)).await?,
            };
            let (account, now) = (id.clone(), now_ms());
            match session {
                Some(session) => {
                    let (ids, job_ids) = ([session], [new_id()?]);
                    self.store
                        .write(move |tx| {
                            sessions::delete(tx, &account, &ids, (Condition::None, &Bin::Purge, &job_ids), now)
                        })
                        .await?;
                }
                None => {
                    if !repeated {
                        self.purge_account(id).await?;
                    }
                    let made =
                        || StoreError::Contended("a session was made in an account that is being deleted".into());
                    let last =
                        move |tx: &mut dyn Tx| accounts::delete(tx, &account, now)?.then_some(()).ok_or_else(made);
                    match self.write(id, last).await {
                        Err(RuntimeError::Contended(_)) => {}
                        result => return result,
                    }
                }
            }
        }
    }

    /// Takes away what is hidden in an account, and what hangs on itself: all that can be much.
    async fn purge_account(&self, id: &Id) -> RuntimeResult<()> {
        loop {
            let account = id.clone();
            match self.store.read(move |tx| jobs::some_hidden_session(tx, &account)).await? {
                Some(session_row) => self.purge_session(id, session_row).await?,
                None => {
                    self.purge_global_snapshots(id).await?;
                    return self.purge_session(id, 0).await;
                }
            }
        }
    }

    /// Makes a key. The secret is returned here and never again: only its hash is stored.
    pub async fn create_key(&self, account: &Id, new: NewKey) -> RuntimeResult<(ApiKey, String)> {
        let mut seed = [0; 32];
        random_bytes(&mut seed)?;
        let quotas = self.quotas;
        let (owner, id, now, hash) = (account.clone(), new_id()?, now_ms(), hash_of(&self.secret_of(&seed)));
        let work = move |tx: &mut dyn Tx| {
            let key = accounts::create_key(tx, &owner, &new, &id, &hash, &quotas, now)?;
            Ok((key, seed, hash))
        };
        // Without a credential the seed would be the secret itself, which must not be stored. No client repeats such a request
        // either: the key it made closes the door to callers without one.
        let (key, seed, hash) = match self.credential() {
            Some(_) => self.write(account, work).await?,
            None => self.store.write(work).await?,
        };
        let secret = self.secret_of(&seed);
        if hash_of(&secret) != hash {
            // Another caller repeats the request, with another credential.
            return Err(Refusal::KeyReused.into());
        }
        Ok((key, secret))
    }

    /// What the caller of a request under an idempotency key has shown.
    fn credential(&self) -> Option<&str> {
        self.idempotency.as_ref().and_then(|request| request.credential())
    }

    /// The secret that a seed becomes. Under an idempotency key the seed is kept, so that the secret can be returned again;
    /// what is kept is worth nothing without the caller's own credential.
    fn secret_of(&self, seed: &[u8; 32]) -> String {
        let bytes = self.credential().map_or(*seed, |credential| {
            let mut hasher = blake3::Hasher::new_derive_key("tavernkeep: the secret of a key that is made once");
            *hasher.update(seed).update(credential.as_bytes()).finalize().as_bytes()
        });
        bytes.iter().fold(SECRET_PREFIX.to_owned(), |text, byte| format!("{text}{byte:02x}"))
    }

    /// What an account has and may have.
    pub async fn usage(&self, account: &Id) -> RuntimeResult<Usage> {
        let (account, quotas, now) = (account.clone(), self.quotas, now_ms());
        self.store.read_point(move |tx| quota::usage(tx, &account, &quotas, now)).await
    }

    /// Says what an account may have; for the operator of the machine only.
    pub async fn set_quota(&self, account: &Id, patch: QuotaPatch) -> RuntimeResult<()> {
        let (account, now) = (account.clone(), now_ms());
        self.store.write(move |tx| quota::set(tx, &account, &patch, now)).await
    }

    /// Lists an account's keys, the revoked ones too.
    pub async fn list_keys(&self, account: &Id) -> RuntimeResult<Vec<ApiKey>> {
        let account = account.clone();
        self.store.read(move |tx| accounts::keys(tx, &account)).await
    }

    /// Revokes a key, from the next request on.
    pub async fn revoke_key(&self, account: &Id, key: &Id) -> RuntimeResult<ApiKey> {
        let (owner, key, now) = (account.clone(), key.clone(), now_ms());
        self.write(account, move |tx| accounts::revoke_key(tx, &owner, &key, now)).await
    }
}

/// 256 random bits need no slow hash: they cannot be guessed.
pub(crate) fn hash_of(secret: &str) -> [u8; 32] {
    *blake3::hash(secret.as_bytes()).as_bytes()
}
