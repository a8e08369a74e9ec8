//! Requests that happen once, however often they are sent.

use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, now_ms};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::upkeep::idempotency::{self, Attempt};
use tavernkeep_store::{StoreError, StoreResult};

/// One try of a request under an idempotency key, and what became of it.
#[derive(Debug)]
pub struct IdempotentRequest {
    attempt: Attempt,
    /// What the caller alone knows, if they had to show anything.
    credential: Option<String>,
    replayed: AtomicBool,
    refused: AtomicBool,
}

impl IdempotentRequest {
    /// A try of the request that `parts` consist of, sent with `credential`.
    pub fn new(key: &str, parts: &[&[u8]], credential: Option<&str>) -> IdempotentRequest {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            // The length in front keeps two parts from being taken for two others.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        IdempotentRequest {
            attempt: Attempt { key: key.to_owned(), fingerprint: *hasher.finalize().as_bytes(), now: now_ms() },
            credential: credential.map(str::to_owned),
            replayed: AtomicBool::new(false),
            refused: AtomicBool::new(false),
        }
    }

    /// Whether the response is a stored one.
    pub fn replayed(&self) -> bool {
        self.replayed.load(Ordering::Relaxed)
    }

    /// Whether the request was understood and refused, for the first time.
    pub fn refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// Bytes that are the same for every try of the request, and no other's: half of them for what is to be done, half for
    /// what was there before.
    pub(crate) fn token(&self, label: &[u8], before: &[u8]) -> [u8; 16] {
        let half = |parts: &[&[u8]]| {
            let mut hasher = blake3::Hasher::new();
            for part in [self.attempt.key.as_bytes(), &self.attempt.fingerprint].iter().chain(parts) {
                hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
            }
            let bytes = hasher.finalize().as_bytes().first_chunk().copied().unwrap_or_default();
            u64::from_be_bytes(bytes)
        };
        let (done, found) = (half(&[label]), half(&[label, before]));
        (u128::from(done) << 64 | u128::from(found)).to_be_bytes()
    }

    /// Whether something that was made at this moment can be the work of another try: later ones are new requests.
    pub(crate) fn is_of_its_time(&self, made_at: i64) -> bool {
        made_at > self.attempt.now - idempotency::KEPT_MS
    }

    pub(crate) fn credential(&self) -> Option<&str> {
        self.credential.as_deref()
    }

    fn note<T>(&self, result: &RuntimeResult<(T, bool)>) {
        let (repeated, refused) = match result {
            Ok((_, repeated)) => (*repeated, false),
            Err(RuntimeError::Refused(Refusal::StoredResponse(_))) => (true, false),
            Err(RuntimeError::Refused(Refusal::KeyReused)) => (false, false),
            // What passes by itself is worth another try.
            Err(error) => (false, error.is_final_refusal()),
        };
        self.replayed.store(repeated, Ordering::Relaxed);
        self.refused.store(refused, Ordering::Relaxed);
    }
}

impl Runtime {
    /// The runtime for one request with an idempotency key: its writes happen once.
    #[must_use]
    pub fn with_idempotency(&self, request: Arc<IdempotentRequest>) -> Runtime {
        Runtime { idempotency: Some(request), ..self.clone() }
    }

    /// Writes; under an idempotency key only the first time.
    pub(crate) async fn write<T, F>(&self, account: &Id, work: F) -> RuntimeResult<T>
    where
        F: Fn(&mut dyn Tx) -> StoreResult<T> + Send + Sync + 'static,
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        let Some(request) = &self.idempotency else { return self.store.write(work).await };
        let (account, attempt) = (account.clone(), request.attempt.clone());
        let result = self.store.write(move |tx| idempotency::run(tx, &account, &attempt, &work)).await;
        request.note(&result);
        result.map(|(result, _)| result)
    }

    /// Notes that the request is refused for a reason that no write found, so that its response is kept too.
    pub(crate) fn refuse(&self, error: RuntimeError) -> RuntimeError {
        if let Some(request) = &self.idempotency {
            request.refused.store(error.is_final_refusal(), Ordering::Relaxed);
        }
        error
    }

    /// Notes that a refusal does not count, since the request is tried again.
    pub(crate) fn try_again(&self) {
        if let Some(request) = &self.idempotency {
            request.refused.store(false, Ordering::Relaxed);
        }
    }

    /// Keeps more of what came of this request than was known when its effect was written. A repeated request gets less if
    /// this fails, and nothing else.
    pub(crate) async fn amend<T>(&self, account: &Id, result: T)
    where
        T: Serialize + Send + Sync + 'static,
    {
        let Some(request) = &self.idempotency else { return };
        let (account, attempt) = (account.clone(), request.attempt.clone());
        if let Err(error) = self.store.write(move |tx| idempotency::amend(tx, &account, &attempt, &result)).await {
            tracing::warn!(%error, "cannot store the response of a request under its idempotency key");
        }
    }

    /// Whether a response is stored; for requests that take more than one write.
    pub(crate) async fn has_stored_response(&self, account: &Id) -> RuntimeResult<bool> {
        let Some(request) = &self.idempotency else { return Ok(false) };
        let (account, attempt) = (account.clone(), request.attempt.clone());
        self.store.read_point(move |tx| idempotency::is_kept(tx, &account, &attempt)).await
    }

    /// The stored response, if there is one; for requests that read before they write.
    pub(crate) async fn stored_response<T>(&self, account: &Id) -> RuntimeResult<Option<T>>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        if !self.has_stored_response(account).await? {
            return Ok(None);
        }
        let expired = |_: &mut dyn Tx| {
            Err(StoreError::Unavailable("the stored response is expiring; send the request again".into()))
        };
        self.write(account, expired).await.map(Some)
    }

    /// Whether what was written last had been written before, by another try of the same request.
    pub(crate) fn was_replayed(&self) -> bool {
        self.idempotency.as_ref().is_some_and(|request| request.replayed())
    }

    /// Keeps a refusal under the request's key, so that a repeated request gets the same response.
    pub async fn keep_refusal(
        &self,
        account: &Id,
        request: &IdempotentRequest,
        response: JsonText,
    ) -> RuntimeResult<()> {
        let (account, attempt) = (account.clone(), request.attempt.clone());
        self.store.write(move |tx| idempotency::keep_refusal(tx, &account, &attempt, &response)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_by_itself_is_not_kept() {
        let id = || "s".parse::<Id>().expect("an id");
        let is_kept = |refusal: Refusal| {
            let request = IdempotentRequest::new("key", &[b"request"], None);
            request.note::<()>(&Err(refusal.into()));
            request.refused()
        };
        assert!(is_kept(Refusal::SessionNotFound(id())));
        assert!(is_kept(Refusal::ChatMoved));
        assert!(!is_kept(Refusal::ParentMoved));
        assert!(!is_kept(Refusal::BranchBusy(id())));
    }
}
