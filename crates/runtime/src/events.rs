//! Sends listeners the events of an account, as it happens and in order: none skipped, none twice.
//!
//! The rows in the database are the truth. For each account with a listener, one [`channel`] reads them once
//! for all and keeps the newest in memory. A [`listener`] that begins further back, or falls behind what is kept, reads
//! the database itself, a page at a time, until it has caught up. No listener waits for another: one that does not
//! listen holds nothing up and keeps nothing alive.

mod batch;
mod channel;
mod listener;

pub use batch::Kinds;
pub use listener::{Ending, Listener, StreamItem};

use crate::Runtime;
use crate::record::{Event, EventPosition};
use crate::store::Store;
use crate::{RuntimeError, RuntimeResult};
use bytes::Bytes;
use channel::Channel;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tavernkeep_engine::id::Id;
use tavernkeep_store::events::listening;
use tokio::task::JoinSet;

/// Writes an event as listeners get it. It is called once for all who listen live.
pub type Render = fn(&Event) -> Bytes;

/// What a listener wants to receive.
#[derive(Debug, Clone)]
pub struct Subscription {
    /// In which account.
    pub account: Id,
    /// Only in this session.
    pub session: Option<Id>,
    /// Only on this branch of it.
    pub branch: Option<String>,
    /// Only of these kinds.
    pub kinds: Kinds,
    /// Behind which place; from now on if it is not said.
    pub after: Option<EventPosition>,
}

/// What listening has cost so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HubCounters {
    /// Events handed to listeners.
    pub delivered: u64,
    /// Pages read from the database, for all listeners together or for one that was behind.
    pub pages: u64,
    /// How often a listener fell behind what is kept in memory.
    pub lags: u64,
}

/// Where all listeners of this process come together. Cheap to clone.
#[derive(Clone)]
pub struct Hub(Arc<Shared>);

struct Shared {
    store: Arc<Store>,
    render: Render,
    channels: Mutex<HashMap<Id, Weak<Channel>>>,
    readers: Mutex<JoinSet<()>>,
    delivered: AtomicU64,
    pages: AtomicU64,
    lags: AtomicU64,
}

impl Runtime {
    /// A hub for listeners that want events written by `render`. Close it before the runtime.
    pub fn hub(&self, render: Render) -> Hub {
        Hub(Arc::new(Shared {
            store: Arc::clone(&self.store),
            render,
            channels: Mutex::default(),
            readers: Mutex::default(),
            delivered: AtomicU64::new(0),
            pages: AtomicU64::new(0),
            lags: AtomicU64::new(0),
        }))
    }
}

impl Hub {
    /// Begins to listen. What cannot be listened to (a session that is not there, a place that was purged) is refused
    /// here and not later.
    pub async fn listen(&self, subscription: Subscription) -> RuntimeResult<Listener> {
        // The channel first: every event from here on passes through it.
        let channel = self.channel(&subscription.account);
        channel.started(&self.0).await?;
        let mark = channel.mark();
        let wanted = subscription.clone();
        let begin = move |tx: &mut dyn tavernkeep_store::db::tx::Tx| {
            listening::begin(tx, &wanted.account, wanted.session.as_ref(), wanted.branch.as_deref(), wanted.after)
        };
        let beginning = self.0.store.read_point(begin).await?;
        Ok(Listener::new(Arc::clone(&self.0), channel, subscription, &beginning, mark))
    }

    /// What listening has cost so far.
    pub fn counters(&self) -> HubCounters {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        HubCounters { delivered: load(&self.0.delivered), pages: load(&self.0.pages), lags: load(&self.0.lags) }
    }

    /// Ends all reading, so that the store can be closed.
    pub async fn close(&self) {
        let mut readers = std::mem::take(&mut *hold(&self.0.readers));
        readers.shutdown().await;
    }

    /// The account's channel: the one that others listen to, or a new one.
    fn channel(&self, account: &Id) -> Arc<Channel> {
        let mut channels = hold(&self.0.channels);
        if let Some(channel) = channels.get(account).and_then(Weak::upgrade) {
            return channel;
        }
        // Channels without listeners are removed when the next one is added.
        channels.retain(|_, channel| channel.strong_count() > 0);
        let channel = Arc::new(Channel::new(account.clone()));
        channels.insert(account.clone(), Arc::downgrade(&channel));
        channel
    }
}

impl Shared {
    fn count_page(&self) {
        self.pages.fetch_add(1, Ordering::Relaxed);
    }
}

/// A panic elsewhere must not silence everybody.
fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether trying again later can help.
fn is_passing(error: &RuntimeError) -> bool {
    !matches!(error, RuntimeError::Refused(_))
}
