//! Writes whose requests ran out of time after they had begun. They go on, and their outcome is kept for a while, so that a
//! client can find out what became of them.

use axum::body::to_bytes;
use axum::response::Response;
use lru::LruCache;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::role::Role;
use tavernkeep_runtime::Caller;
use tokio::task::JoinSet;

/// Outcomes that are kept; older ones are forgotten first.
const KEPT_MAX: NonZeroUsize = NonZeroUsize::new(1_024).unwrap();
/// The longest body that is kept. Responses to writes are small.
const BODY_KEPT_MAX: usize = 64 * 1024;

/// What became of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Running,
    /// It is done: the status and the body that the request would have had; no body if it is too long to keep.
    Done {
        status: u16,
        body: Option<String>,
    },
}

/// The writes that are still under way or were so not long ago, by their ids.
#[derive(Debug, Clone)]
pub(crate) struct PendingWrites(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    known: Mutex<LruCache<String, Known>>,
    running: Mutex<JoinSet<()>>,
}

#[derive(Debug, Clone)]
struct Known {
    account: Id,
    /// What a caller must be allowed to do to see the outcome: an answer may hold a secret.
    role: Role,
    outcome: Outcome,
}

impl Default for PendingWrites {
    fn default() -> Self {
        let (known, running) = (Mutex::new(LruCache::new(KEPT_MAX)), Mutex::new(JoinSet::new()));
        PendingWrites(Arc::new(Parts { known, running }))
    }
}

impl PendingWrites {
    /// Lets a write of a caller with this role go on in the background under an id that nobody can guess, and keeps its
    /// outcome.
    pub(crate) fn follow(
        &self,
        id: &Id,
        account: &Id,
        role: Role,
        write: impl Future<Output = Response> + Send + 'static,
    ) {
        let (writes, id) = (self.clone(), id.to_string());
        self.set(id.clone(), Known { account: account.clone(), role, outcome: Outcome::Running });
        let account = account.clone();
        let mut running = lock(&self.0.running);
        // A set keeps tasks that have ended until they are taken from it.
        while running.try_join_next().is_some() {}
        running.spawn(async move {
            let response = write.await;
            let status = response.status().as_u16();
            let bytes = to_bytes(response.into_body(), BODY_KEPT_MAX).await;
            let body = bytes.ok().and_then(|bytes| String::from_utf8(bytes.into()).ok());
            writes.set(id, Known { account, role, outcome: Outcome::Done { status, body } });
        });
    }

    /// What became of a write that a caller may know of.
    pub(crate) fn outcome(&self, caller: &Caller, id: &str) -> Option<Outcome> {
        let known = lock(&self.0.known).get(id).cloned()?;
        (known.account == caller.account && caller.role.allows(known.role)).then_some(known.outcome)
    }

    /// Waits for the writes that are under way, as long as the server may take to stop.
    pub(crate) async fn finish(&self, patience: Duration) {
        let mut running = std::mem::take(&mut *lock(&self.0.running));
        let all = async { while running.join_next().await.is_some() {} };
        if tokio::time::timeout(patience, all).await.is_err() {
            tracing::warn!("writes that outlived their requests did not finish in time");
        }
    }

    fn set(&self, id: String, known: Known) {
        lock(&self.0.known).put(id, known);
    }
}

/// No operation on these can leave them half done.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn writes_that_have_ended_are_not_kept() {
        let writes = PendingWrites::default();
        let (id, account): (Id, Id) = ("w".parse().unwrap(), "a".parse().unwrap());
        let caller = Caller {
            account: account.clone(),
            role: Role::Admin,
            account_disabled: false,
            key: None,
            signed_in_with: None,
        };
        for _ in 0..100 {
            writes.follow(&id, &account, Role::Write, async { Response::default() });
            while writes.outcome(&caller, "w") == Some(Outcome::Running) {
                tokio::task::yield_now().await;
            }
        }
        let kept = lock(&writes.0.running).len();
        assert!(kept <= 2, "{kept} tasks");
    }
}
