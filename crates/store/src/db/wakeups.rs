//! Wakes the followers of an account's events after a commit. Only a hint: the rows are the truth, and followers poll now
//! and then too.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tavernkeep_engine::id::Id;
use tokio::sync::watch;

/// A sender for each account that has followers.
#[derive(Default)]
pub struct Wakeups {
    senders: Mutex<HashMap<Id, watch::Sender<()>>>,
    /// How many senders there are, so that a commit without followers takes no lock.
    count: AtomicUsize,
}

impl Wakeups {
    pub fn wake(&self, accounts: &[Id]) {
        if accounts.is_empty() || self.count.load(Ordering::Relaxed) == 0 {
            return;
        }
        let senders = self.senders();
        accounts.iter().filter_map(|account| senders.get(account)).for_each(wake_one);
    }

    /// Wakes all followers, when notifications may have been missed.
    pub fn wake_all(&self) {
        self.senders().values().for_each(wake_one);
    }

    pub fn follow(self: &Arc<Self>, account: &Id) -> Follower {
        let mut senders = self.senders();
        let sender = senders.entry(account.clone()).or_insert_with(|| watch::Sender::new(())).subscribe();
        self.count.store(senders.len(), Ordering::Relaxed);
        Follower { sender, account: account.clone(), wakeups: Arc::clone(self) }
    }

    fn senders(&self) -> MutexGuard<'_, HashMap<Id, watch::Sender<()>>> {
        self.senders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wake_one(sender: &watch::Sender<()>) {
    sender.send_replace(());
}

pub struct Follower {
    sender: watch::Receiver<()>,
    account: Id,
    wakeups: Arc<Wakeups>,
}

impl Follower {
    /// Waits until there may be new events, or `patience` has passed. Wake-ups since the last call count.
    pub async fn wait(&mut self, patience: Duration) {
        // The sender exists as long as this follower does, and a timeout is no error.
        let _ = tokio::time::timeout(patience, self.sender.changed()).await;
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let mut senders = self.wakeups.senders();
        // This one is still counted.
        if senders.get(&self.account).is_some_and(|sender| sender.receiver_count() <= 1) {
            senders.remove(&self.account);
        }
        self.wakeups.count.store(senders.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[tokio::test]
    async fn a_wakeup_counts_even_if_it_came_before() {
        let wakeups = Arc::new(Wakeups::default());
        let (one, other): (Id, Id) = ("one".parse().unwrap(), "other".parse().unwrap());
        let mut follower = wakeups.follow(&one);
        wakeups.wake(&[other.clone(), one.clone()]);
        follower.wait(LONG).await;
        wakeups.wake(std::slice::from_ref(&other));
        // Nothing rang for this one: only patience ends the wait.
        follower.wait(Duration::ZERO).await;
        wakeups.wake_all();
        follower.wait(LONG).await;
    }

    #[test]
    fn a_follower_that_goes_leaves_nothing() {
        let wakeups = Arc::new(Wakeups::default());
        let account: Id = "one".parse().unwrap();
        let (first, second) = (wakeups.follow(&account), wakeups.follow(&account));
        drop(first);
        assert_eq!(wakeups.count.load(Ordering::Relaxed), 1);
        drop(second);
        assert_eq!(wakeups.count.load(Ordering::Relaxed), 0);
        assert!(wakeups.senders().is_empty());
    }
}
