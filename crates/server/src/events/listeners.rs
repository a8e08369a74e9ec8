//! The open event streams: how many each account has, whether their keys are still valid, and whether they are read.

use crate::error::ApiError;
use crate::http::auth::{Auth, Authenticated};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tavernkeep_api::ErrorCode;
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::Runtime;
use tokio::sync::{Notify, watch};

/// How often all listeners are checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// A connection that can be closed from outside of its requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct Connection(pub Arc<Notify>);

/// Why the server closes a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CloseReason {
    /// The key is no longer valid.
    Revoked,
    /// The server is stopping.
    Closing,
}

/// All listeners of a server.
#[derive(Debug)]
pub(crate) struct Listeners {
    all: Mutex<Entries>,
    started: Instant,
}

#[derive(Debug, Default)]
struct Entries {
    entries: HashMap<u64, Arc<Entry>>,
    of_account: HashMap<Id, usize>,
    next: u64,
    closing: bool,
}

/// One listener.
#[derive(Debug)]
struct Entry {
    caller: Authenticated,
    line: Option<Connection>,
    close_reason: watch::Sender<Option<CloseReason>>,
    /// When the connection last read something, in milliseconds after the start.
    read_ms: AtomicU64,
}

/// The registration of a listener; removed when dropped.
#[derive(Debug)]
pub(crate) struct Registration {
    listeners: Arc<Listeners>,
    number: u64,
    entry: Arc<Entry>,
    dismissed: watch::Receiver<Option<CloseReason>>,
}

impl Listeners {
    pub(crate) fn new() -> Listeners {
        Listeners { all: Mutex::default(), started: Instant::now() }
    }

    /// The number of listeners.
    pub(crate) fn count(&self) -> usize {
        self.all().entries.len()
    }

    /// Closes all streams, and new ones at once.
    pub(crate) fn close(&self) {
        let mut all = self.all();
        all.closing = true;
        for entry in all.entries.values() {
            entry.close_reason.send_replace(Some(CloseReason::Closing));
        }
    }

    fn all(&self) -> MutexGuard<'_, Entries> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl Registration {
    /// Registers a listener, unless the account has `max` of them.
    pub(crate) fn take(
        listeners: &Arc<Listeners>,
        max: usize,
        caller: &Authenticated,
        line: Option<Connection>,
    ) -> Result<Registration, ApiError> {
        let mut all = listeners.all();
        let count = all.of_account.entry(caller.account().clone()).or_default();
        if *count >= max {
            let message = format!("{max} listeners of the account are connected; close one or raise listeners_max");
            return Err(ApiError::new(ErrorCode::QuotaExceeded, message));
        }
        *count += 1;
        let number = all.next;
        all.next += 1;
        let close_reason = watch::Sender::new(all.closing.then_some(CloseReason::Closing));
        let dismissed = close_reason.subscribe();
        let read_ms = AtomicU64::new(listeners.now_ms());
        let entry = Arc::new(Entry { caller: caller.clone(), line, close_reason, read_ms });
        all.entries.insert(number, Arc::clone(&entry));
        drop(all);
        Ok(Registration { listeners: Arc::clone(listeners), number, entry, dismissed })
    }

    /// Notes that the connection reads.
    pub(crate) fn note_read(&self) {
        self.entry.read_ms.store(self.listeners.now_ms(), Ordering::Relaxed);
    }

    /// Waits until the server closes the stream.
    pub(crate) async fn closed(&mut self) -> CloseReason {
        match self.dismissed.wait_for(Option::is_some).await {
            Ok(reason) => reason.unwrap_or(CloseReason::Closing),
            Err(_) => CloseReason::Closing,
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut all = self.listeners.all();
        all.entries.remove(&self.number);
        let account = self.entry.caller.account();
        if let Some(count) = all.of_account.get_mut(account) {
            *count -= 1;
            if *count == 0 {
                all.of_account.remove(account);
            }
        }
    }
}

/// Checks the listeners until the server stops.
pub(crate) async fn look_after(listeners: &Listeners, patience: Duration, auth: &Auth, runtime: &Runtime) {
    let mut looks = tokio::time::interval(CHECK_INTERVAL);
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        let entries: Vec<Arc<Entry>> = listeners.all().entries.values().cloned().collect();
        cut_stalled(listeners.now_ms(), patience, &entries);
        dismiss_strangers(auth, runtime, &entries).await;
    }
}

/// Disconnects clients that have read nothing for long.
fn cut_stalled(now_ms: u64, patience: Duration, entries: &[Arc<Entry>]) {
    let patience_ms = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
    for entry in entries {
        let silent = now_ms.saturating_sub(entry.read_ms.load(Ordering::Relaxed)) > patience_ms;
        if let (true, Some(Connection(line))) = (silent, &entry.line) {
            tracing::info!(account = %entry.caller.account(), "disconnecting a listener that does not read");
            line.notify_one();
        }
    }
}

/// Closes the streams whose key is no longer valid. Each key is looked up once, however many streams it has.
async fn dismiss_strangers(auth: &Auth, runtime: &Runtime, entries: &[Arc<Entry>]) {
    let mut known: HashMap<(&Id, Option<&Id>), bool> = HashMap::new();
    for entry in entries {
        let key = (entry.caller.account(), entry.caller.0.key.as_ref());
        let welcome = match known.get(&key) {
            Some(welcome) => *welcome,
            // A database error says nothing about the key.
            None => auth.is_still_allowed(runtime, &entry.caller).await.unwrap_or(true),
        };
        known.insert(key, welcome);
        if !welcome {
            entry.close_reason.send_replace(Some(CloseReason::Revoked));
        }
    }
}
