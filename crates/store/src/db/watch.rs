//! Whether a request has begun to write, so that its two ends differ: a request that ran out of time while all its
//! writes were waiting has changed nothing, and never will.
//!
//! A watch belongs to one request and goes with its task. Whatever starts a write of that task asks the watch first.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

const NOTHING_BEGUN: u8 = 0;
const BEGUN: u8 = 1;
const CANCELLED: u8 = 2;

/// Whether a write may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// It is the first one of its request.
    First,
    Again,
    /// The request was cancelled before: the write must not begin.
    Cancelled,
}

/// What is known of the writes of one request.
#[derive(Debug, Default)]
pub struct WriteWatch(AtomicU8);

tokio::task_local! {
    static CURRENT: Arc<WriteWatch>;
}

impl WriteWatch {
    /// Runs a request whose writes are watched.
    pub async fn scope<F: Future>(self: Arc<Self>, request: F) -> F::Output {
        CURRENT.scope(self, request).await
    }

    /// The watch of the request that asks, if it has one.
    pub fn current() -> Option<Arc<WriteWatch>> {
        CURRENT.try_with(Arc::clone).ok()
    }

    /// Notes that a write begins.
    pub fn begin(&self) -> Begin {
        match self.0.compare_exchange(NOTHING_BEGUN, BEGUN, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Begin::First,
            Err(CANCELLED) => Begin::Cancelled,
            Err(_) => Begin::Again,
        }
    }

    /// Notes that the request's first write has to wait before it changes anything: it may still be cancelled.
    pub fn waits_again(&self) {
        // Only the write that has begun comes here, and what has begun is not cancelled.
        let _ = self.0.compare_exchange(BEGUN, NOTHING_BEGUN, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Keeps writes from beginning. False if one has begun already.
    pub fn cancel(&self) -> bool {
        self.0.compare_exchange(NOTHING_BEGUN, CANCELLED, Ordering::AcqRel, Ordering::Acquire) != Err(BEGUN)
    }
}

#[cfg(test)]
mod tests {
    use super::{Begin, WriteWatch};

    #[test]
    fn a_request_writes_or_is_cancelled() {
        let watch = WriteWatch::default();
        assert_eq!([watch.begin(), watch.begin()], [Begin::First, Begin::Again], "a request may write more than once");
        assert!(!watch.cancel(), "what has begun cannot be cancelled");
        watch.waits_again();
        assert!(watch.cancel(), "what has changed nothing and waits can be");
        let watch = WriteWatch::default();
        assert!(watch.cancel() && watch.cancel());
        assert_eq!(watch.begin(), Begin::Cancelled);
    }
}
