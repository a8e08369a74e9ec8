//! Carries wake-ups between the nodes on one PostgreSQL: one connection that listens and, every few milliseconds at most,
//! notifies. Never inside a write's transaction: that would make all commits wait for each other.
//!
//! Whatever is lost on the way, since a connection broke or a pooler in between does not carry notifications, costs
//! time and no event: followers look by themselves too.

use super::{connect_with_messages, trouble};
use crate::db::wakeups::Wakeups;
use crate::error::{StoreError, StoreResult};
use futures_util::{StreamExt as _, stream};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tavernkeep_engine::id::Id;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio_postgres::{AsyncMessage, Client, Config};

/// Between two notifications of one node.
const PAUSE: Duration = Duration::from_millis(15);
/// Before the next attempt to connect.
const RECONNECT: Duration = Duration::from_millis(500);
/// Accounts named in one notification, which PostgreSQL bounds to 8,000 bytes. More are sent as `*`: all accounts.
const ACCOUNTS_MAX: usize = 60;
const EVERYBODY: &str = "*";
const LISTEN: &str = "LISTEN tavernkeep_news";
const NOTIFY: &str = "SELECT pg_notify('tavernkeep_news', $1)";

pub struct Notifier {
    shared: Arc<Shared>,
    runtime: Handle,
    /// The task, started by the first write with events or the first follower: short commands need no second connection.
    task: OnceLock<AbortHandle>,
}

struct Shared {
    config: Config,
    wakeups: Arc<Wakeups>,
    /// The accounts that other nodes have not been notified of yet.
    pending: Mutex<BTreeSet<Id>>,
    sender: Notify,
}

impl Notifier {
    pub fn new(config: Config, wakeups: Arc<Wakeups>) -> Notifier {
        let shared = Shared { config, wakeups, pending: Mutex::default(), sender: Notify::new() };
        Notifier { shared: Arc::new(shared), runtime: Handle::current(), task: OnceLock::new() }
    }

    /// Wakes the listeners of accounts that have new events: on this node at once, on others soon.
    pub fn wake(&self, accounts: Vec<Id>) {
        if accounts.is_empty() {
            return;
        }
        self.shared.wakeups.wake(&accounts);
        let mut pending = self.shared.pending();
        // One more than fits says that it was too many.
        let room = (ACCOUNTS_MAX + 1).saturating_sub(pending.len());
        pending.extend(accounts.into_iter().take(room));
        drop(pending);
        self.shared.sender.notify_one();
        self.start();
    }

    pub fn start(&self) {
        self.task.get_or_init(|| self.runtime.spawn(run(Arc::clone(&self.shared))).abort_handle());
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }
}

impl Shared {
    fn pending(&self) -> MutexGuard<'_, BTreeSet<Id>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn payload(&self) -> Option<String> {
        let pending = std::mem::take(&mut *self.pending());
        match pending.len() {
            0 => None,
            1..=ACCOUNTS_MAX => Some(pending.iter().map(Id::as_str).collect::<Vec<_>>().join(" ")),
            _ => Some(EVERYBODY.to_owned()),
        }
    }

    fn hear(&self, payload: &str) {
        if payload == EVERYBODY {
            return self.wakeups.wake_all();
        }
        let accounts: Vec<Id> = payload.split(' ').filter_map(|account| account.parse().ok()).collect();
        self.wakeups.wake(&accounts);
    }
}

async fn run(shared: Arc<Shared>) {
    loop {
        if let Err(error) = serve(&shared).await {
            tracing::debug!(%error, "the connection for wake-ups from other nodes ended; connecting again");
        }
        tokio::time::sleep(RECONNECT).await;
    }
}

/// Listens and notifies until the connection breaks.
async fn serve(shared: &Shared) -> StoreResult<()> {
    let (client, mut connection) = connect_with_messages(&shared.config).await?;
    let mut messages = stream::poll_fn(move |context| connection.poll_message(context));
    // The server also sends us our own notifications.
    let own = AtomicI32::new(0);
    let hearing = async {
        while let Some(message) = messages.next().await {
            match message.map_err(|error| trouble(&error))? {
                AsyncMessage::Notification(heard) if heard.process_id() != own.load(Ordering::Relaxed) => {
                    shared.hear(heard.payload());
                }
                _ => {}
            }
        }
        Err(StoreError::Unavailable("the connection ended".into()))
    };
    tokio::select! {
        ended = hearing => ended,
        ended = notify_others(shared, &client, &own) => ended,
    }
}

async fn notify_others(shared: &Shared, client: &Client, own: &AtomicI32) -> StoreResult<()> {
    let trouble = |error: tokio_postgres::Error| trouble(&error);
    let row = client.query_one("SELECT pg_backend_pid()", &[]).await.map_err(trouble)?;
    own.store(row.get(0), Ordering::Relaxed);
    client.batch_execute(LISTEN).await.map_err(trouble)?;
    // Notifications may have been missed while no connection listened.
    shared.wakeups.wake_all();
    let notify = client.prepare(NOTIFY).await.map_err(trouble)?;
    loop {
        shared.sender.notified().await;
        if let Some(payload) = shared.payload() {
            client.execute(&notify, &[&payload]).await.map_err(trouble)?;
        }
        tokio::time::sleep(PAUSE).await;
    }
}
