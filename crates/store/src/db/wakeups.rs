//! Wakes those who follow an account's events after a commit. Only a hint: the rows are the truth, and whoever follows
//! them looks by themselves now and then too.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tavernkeep_engine::id::Id;
use tokio::sync::watch;

/// Who is followed, and the bells of those who follow.
#[derive(Default)]
pub(crate) struct News {
    bells: Mutex<HashMap<Id, watch::Sender<()>>>,
    /// How many bells there are, so that a commit that nobody waits for takes no lock.
    count: AtomicUsize,
}

impl News {
    /// Rings the bells of these accounts.
    pub(crate) fn tell(&self, accounts: &[Id]) {
        if accounts.is_empty() || self.count.load(Ordering::Relaxed) == 0 {
            return;
        }
        let bells = self.bells();
        accounts.iter().filter_map(|account| bells.get(account)).for_each(ring);
    }

    /// Rings all bells, when nobody knows what was missed.
    pub(crate) fn tell_everybody(&self) {
        self.bells().values().for_each(ring);
    }

    /// Follows an account from now on.
    pub(crate) fn follow(self: &Arc<Self>, account: &Id) -> Follower {
        let mut bells = self.bells();
        let bell = bells.entry(account.clone()).or_insert_with(|| watch::Sender::new(())).subscribe();
        self.count.store(bells.len(), Ordering::Relaxed);
        Follower { bell, account: account.clone(), news: Arc::clone(self) }
    }

    fn bells(&self) -> MutexGuard<'_, HashMap<Id, watch::Sender<()>>> {
        self.bells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ring(bell: &watch::Sender<()>) {
    bell.send_replace(());
}

/// Somebody who wants to know when an account has new events.
pub struct Follower {
    bell: watch::Receiver<()>,
    account: Id,
    news: Arc<News>,
}

impl Follower {
    /// Waits until there may be something new, or `patience` is over. What rang since the last call counts.
    pub async fn wait(&mut self, patience: Duration) {
        // The bell cannot be gone while this follower is there, and patience is no error.
        let _ = tokio::time::timeout(patience, self.bell.changed()).await;
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let mut bells = self.news.bells();
        // This one is still counted.
        if bells.get(&self.account).is_some_and(|bell| bell.receiver_count() <= 1) {
            bells.remove(&self.account);
        }
        self.news.count.store(bells.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[tokio::test]
    async fn a_bell_is_heard_even_if_it_rang_before() {
        let news = Arc::new(News::default());
        let (one, other): (Id, Id) = ("one".parse().unwrap(), "other".parse().unwrap());
        let mut follower = news.follow(&one);
        news.tell(&[other.clone(), one.clone()]);
        follower.wait(LONG).await;
        news.tell(std::slice::from_ref(&other));
        // Nothing rang for this one: only patience ends the wait.
        follower.wait(Duration::ZERO).await;
        news.tell_everybody();
        follower.wait(LONG).await;
    }

    #[test]
    fn a_follower_that_goes_leaves_nothing() {
        let news = Arc::new(News::default());
        let account: Id = "one".parse().unwrap();
        let (first, second) = (news.follow(&account), news.follow(&account));
        drop(first);
        assert_eq!(news.count.load(Ordering::Relaxed), 1);
        drop(second);
        assert_eq!(news.count.load(Ordering::Relaxed), 0);
        assert!(news.bells().is_empty());
    }
}
