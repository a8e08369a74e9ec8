//! What requests of this process prepare at the moment, and who restores what.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tavernkeep_engine::id::Id;
use tokio::sync::OwnedMutexGuard;

/// Held by the request that restores an item; others wait for it.
type RestoreTurn = tokio::sync::Mutex<()>;

/// Shared by all requests of a process.
#[derive(Debug, Default)]
pub(crate) struct Drafts {
    /// The drafts that requests of this process work at.
    running: Mutex<BTreeSet<Id>>,
    /// The items that are being restored, by account and id.
    restored: Mutex<BTreeMap<(Id, Id), Weak<RestoreTurn>>>,
    /// How often a session changed again and again, so that what was prepared in it was given up.
    given_up: AtomicU64,
}

/// A draft that a request works at while this lives.
#[derive(Debug)]
pub(crate) struct RunningDraft {
    drafts: Arc<Drafts>,
    draft: Id,
}

impl Drafts {
    /// Keeps upkeep from dropping a draft, however old its time makes it.
    pub(crate) fn run(self: &Arc<Self>, draft: &Id) -> RunningDraft {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert(draft.clone());
        RunningDraft { drafts: Arc::clone(self), draft: draft.clone() }
    }

    pub(crate) fn is_running(&self, draft: &Id) -> bool {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).contains(draft)
    }

    /// Notes that a large change is made in one transaction, since what was prepared for it was outdated each time.
    pub(crate) fn give_up(&self) {
        self.given_up.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn given_up(&self) -> u64 {
        self.given_up.load(Ordering::Relaxed)
    }

    /// Waits until no other request of this process restores an item.
    pub(crate) async fn restoring(&self, account: &Id, item: &Id) -> OwnedMutexGuard<()> {
        let turn = {
            let mut restored = self.restored.lock().unwrap_or_else(PoisonError::into_inner);
            restored.retain(|_, turn| turn.strong_count() > 0);
            let entry = restored.entry((account.clone(), item.clone())).or_default();
            let turn = entry.upgrade().unwrap_or_default();
            *entry = Arc::downgrade(&turn);
            turn
        };
        turn.lock_owned().await
    }
}

impl Drop for RunningDraft {
    fn drop(&mut self) {
        self.drafts.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.draft);
    }
}
