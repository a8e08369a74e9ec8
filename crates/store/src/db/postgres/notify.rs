//! Carries news between the nodes on one PostgreSQL: one connection that listens and, every few milliseconds at most,
//! notifies. Never inside a write's transaction: that would make all commits wait for each other.
//!
//! Whatever is lost on the way, since a connection broke or a pooler in between does not carry notifications, costs
//! time and no event: followers look by themselves too.

use super::{connect_with_messages, trouble};
use crate::db::wakeups::News;
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
/// Accounts named in one notification, which PostgreSQL bounds to 8,000 bytes. More are told as `*`: everybody.
const ACCOUNTS_MAX: usize = 60;
const EVERYBODY: &str = "*";
const LISTEN: &str = "LISTEN tavernkeep_news";
const NOTIFY: &str = "SELECT pg_notify('tavernkeep_news', $1)";

pub(super) struct Herald {
    shared: Arc<Shared>,
    runtime: Handle,
    /// The task, started by the first who tells or follows: a short visit needs no second connection.
    task: OnceLock<AbortHandle>,
}

struct Shared {
    config: Config,
    news: Arc<News>,
    /// What the other nodes have not been told yet.
    untold: Mutex<BTreeSet<Id>>,
    bell: Notify,
}

impl Herald {
    pub(super) fn new(config: Config, news: Arc<News>) -> Herald {
        let shared = Shared { config, news, untold: Mutex::default(), bell: Notify::new() };
        Herald { shared: Arc::new(shared), runtime: Handle::current(), task: OnceLock::new() }
    }

    /// Tells that accounts have new events: here at once, elsewhere soon.
    pub(super) fn tell(&self, accounts: Vec<Id>) {
        if accounts.is_empty() {
            return;
        }
        self.shared.news.tell(&accounts);
        let mut untold = self.shared.untold();
        // One more than fits says that it was too many.
        let room = (ACCOUNTS_MAX + 1).saturating_sub(untold.len());
        untold.extend(accounts.into_iter().take(room));
        drop(untold);
        self.shared.bell.notify_one();
        self.start();
    }

    /// Starts to listen, if it does not yet.
    pub(super) fn start(&self) {
        self.task.get_or_init(|| self.runtime.spawn(run(Arc::clone(&self.shared))).abort_handle());
    }
}

impl Drop for Herald {
    fn drop(&mut self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }
}

impl Shared {
    fn untold(&self) -> MutexGuard<'_, BTreeSet<Id>> {
        self.untold.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the next notification says.
    fn payload(&self) -> Option<String> {
        let untold = std::mem::take(&mut *self.untold());
        match untold.len() {
            0 => None,
            1..=ACCOUNTS_MAX => Some(untold.iter().map(Id::as_str).collect::<Vec<_>>().join(" ")),
            _ => Some(EVERYBODY.to_owned()),
        }
    }

    fn hear(&self, payload: &str) {
        if payload == EVERYBODY {
            return self.news.tell_everybody();
        }
        let accounts: Vec<Id> = payload.split(' ').filter_map(|account| account.parse().ok()).collect();
        self.news.tell(&accounts);
    }
}

async fn run(shared: Arc<Shared>) {
    loop {
        if let Err(error) = serve(&shared).await {
            tracing::debug!(%error, "news from other nodes are interrupted; connecting again");
        }
        tokio::time::sleep(RECONNECT).await;
    }
}

/// Listens and notifies until the connection breaks.
async fn serve(shared: &Shared) -> StoreResult<()> {
    let (client, mut connection) = connect_with_messages(&shared.config).await?;
    let mut messages = stream::poll_fn(move |context| connection.poll_message(context));
    // The server tells us what we said too.
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
        ended = telling(shared, &client, &own) => ended,
    }
}

async fn telling(shared: &Shared, client: &Client, own: &AtomicI32) -> StoreResult<()> {
    let trouble = |error: tokio_postgres::Error| trouble(&error);
    let row = client.query_one("SELECT pg_backend_pid()", &[]).await.map_err(trouble)?;
    own.store(row.get(0), Ordering::Relaxed);
    client.batch_execute(LISTEN).await.map_err(trouble)?;
    // Nobody knows what was said while nobody listened.
    shared.news.tell_everybody();
    let notify = client.prepare(NOTIFY).await.map_err(trouble)?;
    loop {
        shared.bell.notified().await;
        if let Some(payload) = shared.payload() {
            client.execute(&notify, &[&payload]).await.map_err(trouble)?;
        }
        tokio::time::sleep(PAUSE).await;
    }
}
