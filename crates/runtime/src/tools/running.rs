//! The calls that this process runs or is about to run, and how one of them is stopped.
//!
//! A call is entered here before its row becomes `running`. A request that cancels the row afterwards finds it: a task that has begun is
//! stopped, and one that has not begun never does.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tavernkeep_engine::id::Id;
use tavernkeep_store::tools::call_bodies::CallDetails;
use tokio::runtime::Handle;
use tokio::task::{AbortHandle, JoinHandle};

/// Calls by account and id. Two requests may try to start the same call; one of them is refused by the store.
#[derive(Clone, Default)]
pub(super) struct RunningCalls(Arc<Mutex<SlotTable>>);

type SlotTable = HashMap<(Id, Id), Vec<Slot>>;
type Slot = Arc<Mutex<RunState>>;

enum RunState {
    Waiting,
    Started(AbortHandle),
    Cancelled,
}

/// The right to start the task of one call once. The call leaves the table when this is dropped.
pub(crate) struct RunPermit {
    calls: RunningCalls,
    key: (Id, Id),
    slot: Slot,
}

impl RunningCalls {
    pub(super) fn enter(&self, account: &Id, call: &Id) -> RunPermit {
        let (key, slot) = ((account.clone(), call.clone()), Slot::new(Mutex::new(RunState::Waiting)));
        lock(&self.0).entry(key.clone()).or_default().push(Arc::clone(&slot));
        RunPermit { calls: self.clone(), key, slot }
    }

    /// Stops a call whose row says that it was given up.
    pub(super) fn cancel(&self, account: &Id, call: &Id) {
        let slots = lock(&self.0).get(&(account.clone(), call.clone())).cloned().unwrap_or_default();
        for slot in slots {
            if let RunState::Started(task) = std::mem::replace(&mut *lock(&slot), RunState::Cancelled) {
                task.abort();
            }
        }
    }
}

impl RunPermit {
    /// Starts the task, unless the call was cancelled before.
    pub(super) fn start<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> Option<JoinHandle<T>> {
        let mut state = lock(&self.slot);
        match *state {
            RunState::Waiting => {
                let task = tokio::spawn(task);
                *state = RunState::Started(task.abort_handle());
                Some(task)
            }
            RunState::Started(_) | RunState::Cancelled => None,
        }
    }
}

impl Drop for RunPermit {
    fn drop(&mut self) {
        let mut calls = lock(&self.calls.0);
        if let Some(slots) = calls.get_mut(&self.key) {
            slots.retain(|slot| !Arc::ptr_eq(slot, &self.slot));
            if slots.is_empty() {
                calls.remove(&self.key);
            }
        }
    }
}

/// The work of a call, and what may be seen of the call when it is done. It runs on the task that waits for it; when that is dropped, on
/// a task of its own.
pub(crate) struct RunningCall(Option<Work>);

type Work = Pin<Box<dyn Future<Output = Option<CallDetails>> + Send>>;

impl RunningCall {
    pub(super) fn new(work: impl Future<Output = Option<CallDetails>> + Send + 'static) -> RunningCall {
        RunningCall(Some(Box::pin(work)))
    }
}

impl Future for RunningCall {
    type Output = Option<CallDetails>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(mut work) = self.0.take() else { return Poll::Ready(None) };
        // A defect of ours ends the call, as it did on a task of its own, and not the program that made it.
        let Ok(polled) = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) else {
            tracing::error!("the work of a call panicked; the call is interrupted when its lease ends");
            return Poll::Ready(None);
        };
        if polled.is_pending() {
            self.0 = Some(work);
        }
        polled
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        if let (Some(work), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(work);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_panics_ends_the_call_and_not_the_caller() {
        let work = async {
            tokio::task::yield_now().await;
            panic!("a defect");
        };
        assert!(RunningCall::new(work).await.is_none());
    }
}
