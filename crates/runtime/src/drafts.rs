//! What requests of this process prepare at the moment.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use tavernkeep_engine::id::Id;

/// Shared by all requests of a process.
#[derive(Debug, Default)]
pub(crate) struct Drafts {
    /// The drafts that somebody works at.
    running: Mutex<BTreeSet<Id>>,
}

/// A draft that somebody works at while this lives.
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
}

impl Drop for RunningDraft {
    fn drop(&mut self) {
        self.drafts.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.draft);
    }
}
