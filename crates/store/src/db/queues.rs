//! Writers of one session wait for each other before they have a connection, so that however many they are, the rest of the pool is
//! there for everybody else.
//!
//! A write does not say what it changes before it runs. So it runs, and when it is about to take a clock that another write of
//! this process holds, it stops ([`StoreError::ClockBusy`]), its transaction is rolled back and its connection returned, and it
//! waits in the queue of that clock. At its turn it runs again, and this time the clock is its own. Nothing is lost by that: a
//! write takes its clocks before it writes anything.
//!
//! Writers of other processes are waited for in PostgreSQL, by one write of each queue.
//!
//! [`StoreError::ClockBusy`]: crate::error::StoreError::ClockBusy

use crate::db::tx::ClockName;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Which queue: a hash of the clock's name. Two clocks that share one wait for each other sometimes, and nothing else happens.
pub type QueueNumber = u64;

/// The queues in which writes wait.
#[derive(Debug, Default)]
pub struct Queues {
    hasher: RandomState,
    known: Mutex<HashMap<QueueNumber, Arc<Semaphore>>>,
}

/// The head of a queue. The next one comes up when it is dropped.
#[derive(Debug)]
pub struct QueueHead {
    pub number: QueueNumber,
    queues: Arc<Queues>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Queues {
    pub fn number_of(&self, clock: ClockName<'_>) -> QueueNumber {
        self.hasher.hash_one(clock)
    }

    /// Whether nobody stands in any queue.
    #[cfg(test)]
    pub fn are_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// The head of a queue that nobody stands in.
    pub fn try_enter(self: &Arc<Self>, number: QueueNumber) -> Option<QueueHead> {
        let permit = self.queue(number).try_acquire_owned().ok()?;
        Some(self.head(number, permit))
    }

    /// Waits for the head of a queue.
    pub async fn enter(self: &Arc<Self>, number: QueueNumber) -> Option<QueueHead> {
        // Nobody closes a queue.
        let permit = self.queue(number).acquire_owned().await.ok()?;
        Some(self.head(number, permit))
    }

    fn head(self: &Arc<Self>, number: QueueNumber, permit: OwnedSemaphorePermit) -> QueueHead {
        QueueHead { number, queues: Arc::clone(self), permit: Some(permit) }
    }

    fn queue(&self, number: QueueNumber) -> Arc<Semaphore> {
        Arc::clone(self.lock().entry(number).or_insert_with(|| Arc::new(Semaphore::new(1))))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<QueueNumber, Arc<Semaphore>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for QueueHead {
    fn drop(&mut self) {
        let mut known = self.queues.lock();
        drop(self.permit.take());
        // Who waits has a reference, and so has who is at the head. One that gives up waiting leaves its queue to the next head.
        if known.get(&self.number).is_some_and(|queue| Arc::strong_count(queue) == 1) {
            known.remove(&self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Queues;
    use std::sync::Arc;

    #[tokio::test]
    async fn one_is_at_the_head_and_the_next_comes_up() {
        let queues = Arc::new(Queues::default());
        let first = queues.try_enter(1).unwrap();
        assert!(queues.try_enter(1).is_none());
        let other = queues.try_enter(2).unwrap();
        let waiting = tokio::spawn({
            let queues = Arc::clone(&queues);
            async move { queues.enter(1).await }
        });
        tokio::task::yield_now().await;
        drop((first, other));
        let second = waiting.await.unwrap().unwrap();
        assert!(queues.try_enter(1).is_none());
        drop(second);
        assert!(queues.are_empty(), "a queue is forgotten with its last one");
    }
}
