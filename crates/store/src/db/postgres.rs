//! The PostgreSQL driver: a small pool of connections, one transaction for each write.
//!
//! The store's code is synchronous, the client is not: work runs on a thread that may wait, and the client's own task
//! moves the bytes. PostgreSQL shares one fsync among the commits that wait for it, as our writer does on SQLite.

mod event_places;
mod notify;
pub(crate) mod planning;
mod tx;

use crate::db::own_connection;
use crate::db::queues::{QueueHead, Queues};
use crate::db::sql::Sql;
use crate::db::sqlite::Access;
use crate::db::store::{Counters, LiveCounters};
use crate::db::tx::Tx;
use crate::db::wakeups::{Follower, Wakeups};
use crate::db::work::{AnyRead, AnyResult, AnyWrite};
use crate::error::{StoreError, StoreResult, overlooked};
use notify::Notifier;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tavernkeep_engine::id::Id;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::NoTlsStream;
use tokio_postgres::{Client, Config, NoTls, Socket, Statement};
pub(crate) use tx::PostgresTx;

/// How often a write is run again after PostgreSQL asked for it.
const ATTEMPTS_MAX: u32 = 5;
/// How often a write may wait in a queue.
const WAITS_MAX: u32 = 8;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long sent bytes may stay without an answer from the other machine.
const NETWORK_TIMEOUT: Duration = Duration::from_secs(30);
/// After how much silence the other machine is asked whether it is there, how often, and how many times. A connection
/// that only listens sends nothing, and would never learn that a firewall has dropped it.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(30);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
const KEEPALIVE_RETRIES: u32 = 3;

pub struct Postgres(Arc<Shared>);

struct Shared {
    config: Config,
    pool: Pool,
    /// One connection for looking at the server when the pool is taken.
    own: Pool,
    queues: Arc<Queues>,
    runtime: Handle,
    wakeups: Arc<Wakeups>,
    notifier: Notifier,
    counters: LiveCounters,
}

/// Connections, and how many there may be.
struct Pool {
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

impl Pool {
    fn new(connections: usize, idle: Vec<Connection>) -> Pool {
        Pool { idle: Mutex::new(idle), permits: Arc::new(Semaphore::new(connections.max(1))) }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        self.permits.close();
        self.idle().clear();
    }
}

/// Which pool work has its connection from.
#[derive(Clone, Copy)]
enum Source {
    Pool,
    Own,
}

pub struct Connection {
    pub client: Client,
    statements: HashMap<&'static str, Statement>,
}

/// Where a write waits for the clocks that others hold.
#[derive(Clone, Copy)]
enum Queueing {
    /// In their queues, without a connection.
    Outside,
    /// In PostgreSQL.
    Inside,
}

#[derive(Clone, Copy)]
enum Mode {
    Write,
    Read,
}

impl Mode {
    fn begin(self) -> &'static str {
        match self {
            // Checks inside the transaction are true at this level because the clock row was taken first.
            Mode::Write => "BEGIN ISOLATION LEVEL READ COMMITTED",
            Mode::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }
}

/// PostgreSQL has checksums of its own for pages, where its cluster was made with them.
async fn log_checksums(client: &Client) {
    match has_checksums(client).await {
        Ok(true) => tracing::info!("PostgreSQL compares the checksums of its pages (data_checksums is on)"),
        Ok(false) => tracing::warn!("{NO_CHECKSUMS}"),
        // A database that only speaks as PostgreSQL does may not know the setting.
        Err(error) => tracing::warn!(%error, "whether PostgreSQL compares the checksums of its pages is not known"),
    }
}

async fn has_checksums(client: &Client) -> StoreResult<bool> {
    let row = client.query_one("SHOW data_checksums", &[]).await.and_then(|row| row.try_get::<_, String>(0));
    Ok(row.map_err(|error| trouble(&error))? == "on")
}

const NO_CHECKSUMS: &str = "PostgreSQL does not notice damaged pages: data_checksums is off; stop it and run \
    `pg_checksums --enable`";

impl Postgres {
    /// What is worth knowing about its pages; none if they have checksums.
    pub async fn checksum_note(&self) -> StoreResult<Option<String>> {
        let connection = connect(&self.0.config).await?;
        Ok((!has_checksums(&connection.client).await?).then(|| NO_CHECKSUMS.to_owned()))
    }

    /// Whether a server has our tables.
    pub async fn has_schema(url: &str) -> StoreResult<bool> {
        let connection = connect(&config(url)?).await?;
        let row = connection.client.query_one("SELECT TO_REGCLASS('schema_version') IS NOT NULL", &[]).await;
        row.and_then(|row| row.try_get(0)).map_err(|error| trouble(&error))
    }

    pub async fn open(url: &str, access: Access, connections: usize) -> StoreResult<Postgres> {
        let config = config(url)?;
        let mut first = connect(&config).await?;
        crate::db::migrate::postgres(&mut first.client).await?;
        if access == Access::Own {
            log_checksums(&first.client).await;
        }
        let wakeups = Arc::new(Wakeups::default());
        Ok(Postgres(Arc::new(Shared {
            notifier: Notifier::new(config.clone(), Arc::clone(&wakeups)),
            wakeups,
            config,
            pool: Pool::new(connections, vec![first]),
            own: Pool::new(1, Vec::new()),
            queues: Arc::default(),
            runtime: Handle::current(),
            counters: LiveCounters::default(),
        })))
    }

    pub async fn write(&self, work: AnyWrite) -> StoreResult<AnyResult> {
        self.0.counters.writes.fetch_add(1, Ordering::Relaxed);
        let mut head = None;
        for wait in 1.. {
            // A write of several sessions may meet another queue each time. At last it waits in PostgreSQL, where all come up.
            let queueing = if wait < WAITS_MAX { Queueing::Outside } else { Queueing::Inside };
            let work = Arc::clone(&work);
            match self.apart(Source::Pool, move |shared| shared.write(&work, queueing, head)).await {
                Err(StoreError::ClockBusy(number)) => head = self.0.queues.enter(number).await,
                result => return result,
            }
        }
        Err(StoreError::Contended("the queue of a clock did not end".into()))
    }

    pub async fn read(&self, work: AnyRead) -> StoreResult<AnyResult> {
        self.0.counters.reads.fetch_add(1, Ordering::Relaxed);
        let source = if own_connection::is_current() { Source::Own } else { Source::Pool };
        self.apart(source, move |shared| shared.transaction(source, Mode::Read, None, work)).await
    }

    async fn apart<T: Send + 'static>(
        &self,
        source: Source,
        work: impl FnOnce(&Shared) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let closed = |_| StoreError::Unavailable("the store is closing".into());
        let permit = Arc::clone(&self.0.pool(source).permits).acquire_owned().await.map_err(closed)?;
        let shared = Arc::clone(&self.0);
        tokio::task::spawn_blocking(move || {
            // Held by the work itself: a caller that goes away must not make room for another.
            let _permit = permit;
            work(&shared)
        })
        .await
        .map_err(|error| StoreError::Internal(format!("a transaction did not finish: {error}")))?
    }

    pub fn counters(&self) -> Counters {
        self.0.counters.read()
    }

    pub fn follow(&self, account: &Id) -> Follower {
        self.0.notifier.start();
        self.0.wakeups.follow(account)
    }

    pub fn close(self) {
        self.0.pool.close();
        self.0.own.close();
    }
}

impl Shared {
    fn pool(&self, source: Source) -> &Pool {
        match source {
            Source::Pool => &self.pool,
            Source::Own => &self.own,
        }
    }

    /// Runs a write, again if PostgreSQL asks for it. The clock whose queue it is at the head of is its own.
    fn write(&self, work: &AnyWrite, queueing: Queueing, mut head: Option<QueueHead>) -> StoreResult<AnyResult> {
        for attempt in 1.. {
            let queues = match queueing {
                Queueing::Outside => Some((&self.queues, &mut head)),
                Queueing::Inside => None,
            };
            match self.transaction(Source::Pool, Mode::Write, queues, &**work) {
                Err(StoreError::Contended(_)) if attempt < ATTEMPTS_MAX => {
                    self.counters.batch_retries.fetch_add(1, Ordering::Relaxed);
                }
                result => {
                    self.counters.commits.fetch_add(u64::from(result.is_ok()), Ordering::Relaxed);
                    return result;
                }
            }
        }
        Err(StoreError::Internal("a write was never run".into()))
    }

    fn transaction<T>(
        &self,
        source: Source,
        mode: Mode,
        queues: Option<(&Arc<Queues>, &mut Option<QueueHead>)>,
        work: impl FnOnce(&mut dyn Tx) -> StoreResult<T>,
    ) -> StoreResult<T> {
        let mut connection = self.take(self.pool(source), mode)?;
        let mut tx = PostgresTx::new(&self.runtime, &mut connection, queues);
        let result = work(&mut tx);
        let result = if tx.has_failed() { result.and_then(|_| Err(overlooked())) } else { result };
        // A refusal undoes what it wrote; a read has nothing to keep. The next in a queue comes up when the transaction has ended.
        let (wakeups, _heads) = tx.into_woken();
        let end = if result.is_ok() && matches!(mode, Mode::Write) { "COMMIT" } else { "ROLLBACK" };
        let ended = self.runtime.block_on(connection.client.batch_execute(end));
        if ended.is_ok() {
            self.pool(source).idle().push(connection);
        }
        if end == "COMMIT" && ended.is_ok() {
            self.notifier.wake(wakeups);
        }
        match (result, ended) {
            // PostgreSQL may have committed before the connection broke.
            (Ok(_), Err(error)) if end == "COMMIT" => Err(match trouble(&error) {
                StoreError::Unavailable(cause) => StoreError::Unconfirmed(cause),
                other => other,
            }),
            (result, _) => result,
        }
    }

    /// A connection with a transaction begun on it. One that died while it was idle is replaced.
    fn take(&self, pool: &Pool, mode: Mode) -> StoreResult<Connection> {
        loop {
            let idle = pool.idle().pop();
            let fresh = idle.is_none();
            let connection = match idle {
                Some(connection) => connection,
                None => self.runtime.block_on(connect(&self.config))?,
            };
            match self.runtime.block_on(connection.client.batch_execute(mode.begin())) {
                Ok(()) => return Ok(connection),
                Err(error) if fresh => return Err(trouble(&error)),
                Err(_) => {}
            }
        }
    }
}

impl Connection {
    /// Prepares a statement once per connection.
    pub async fn prepared(&mut self, sql: Sql) -> Result<Statement, tokio_postgres::Error> {
        if let Some(statement) = self.statements.get(sql.text()) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(&numbered(sql.text())).await?;
        self.statements.insert(sql.text(), statement.clone());
        Ok(statement)
    }
}

/// A node that froze while it held a clock would keep every other node waiting; the server lets go of it instead.
const SESSION_SETTINGS: &str = "SET idle_in_transaction_session_timeout = '30s'; SET lock_timeout = '15s'";

pub fn config(url: &str) -> StoreResult<Config> {
    let unreadable = |error| StoreError::Unusable(format!("the database URL cannot be read: {error}"));
    let mut config: Config = url.parse().map_err(unreadable)?;
    config
        .application_name("tavernkeep")
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_user_timeout(NETWORK_TIMEOUT)
        .keepalives(true)
        .keepalives_idle(KEEPALIVE_IDLE)
        .keepalives_interval(KEEPALIVE_INTERVAL)
        .keepalives_retries(KEEPALIVE_RETRIES);
    Ok(config)
}

/// A connection whose messages the caller takes.
async fn connect_with_messages(
    config: &Config,
) -> StoreResult<(Client, tokio_postgres::Connection<Socket, NoTlsStream>)> {
    config
        .connect(NoTls)
        .await
        .map_err(|error| StoreError::Unavailable(format!("PostgreSQL cannot be reached: {}", with_cause(&error))))
}

pub async fn connect(config: &Config) -> StoreResult<Connection> {
    let (client, connection) = connect_with_messages(config).await?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to PostgreSQL ended");
        }
    });
    client
        .batch_execute(&format!("{SESSION_SETTINGS}; {}", planning::SETTINGS))
        .await
        .map_err(|error| trouble(&error))?;
    Ok(Connection { client, statements: HashMap::new() })
}

/// Our `?1` as PostgreSQL's `$1`. No statement has a question mark for another purpose.
fn numbered(sql: &str) -> String {
    sql.replace('?', "$")
}

/// Says what a PostgreSQL error means to a caller.
pub fn trouble(error: &tokio_postgres::Error) -> StoreError {
    let Some(code) = error.code() else { return StoreError::Unavailable(with_cause(error)) };
    let text = with_cause(error);
    match *code {
        SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => StoreError::Contended(text),
        SqlState::DISK_FULL => StoreError::Full(text),
        SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => StoreError::Corrupt(text),
        // Classes 08, 53, 55, 57: the connection, its resources, locks, the operator. 25: an idle transaction was ended.
        _ if ["08", "53", "55", "57", "25"].iter().any(|class| code.code().starts_with(class)) => {
            StoreError::Unavailable(text)
        }
        _ => StoreError::Internal(text),
    }
}

/// The client's own text hides what the server said.
fn with_cause(error: &tokio_postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
