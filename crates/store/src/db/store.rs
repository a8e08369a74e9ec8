//! The whole door to storage: a write, a small read, a larger read.
//!
//! ```ignore
//! store.write(move |tx| variables::put(tx, &account, &writes)).await?;
//! store.read(move |tx| resolve::resolve(tx, &account, &query)).await?;
//! ```
//!
//! A write may be run again (a void batch, a serialization failure), so it is `Fn` and brings its time and ids along. It
//! begins by taking the clocks of what it changes, see [`crate::tree::clock`].

use crate::db::long_work::{self, FoundWork, LongWork};
use crate::db::metering;
use crate::db::postgres::Postgres;
use crate::db::reservations::Reservations;
use crate::db::sqlite::{Access, Sqlite};
use crate::db::tx::{ReadWork, Tx, WriteWork};
use crate::db::wakeups::Follower;
use crate::db::watch::{Begin, WriteWatch};
use crate::db::work::{AnyRead, AnyResult, AnyWrite, Pending, any_read, any_write, typed};
use crate::error::{StoreError, StoreResult};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tavernkeep_engine::id::Id;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Database {
    Sqlite(PathBuf),
    /// A PostgreSQL server, as a connection URL.
    Postgres(String),
}

/// How often a write is stopped for long work before it does what is left by itself.
const STOPS_MAX: usize = 8;

pub struct Store {
    driver: Driver,
    reservations: Reservations,
}

enum Driver {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    pub writes: u64,
    pub commits: u64,
    pub batch_retries: u64,
    pub reads: u64,
}

/// The same while they change.
#[derive(Debug, Default)]
pub struct LiveCounters {
    pub writes: AtomicU64,
    pub commits: AtomicU64,
    pub batch_retries: AtomicU64,
    pub reads: AtomicU64,
}

impl LiveCounters {
    pub fn read(&self) -> Counters {
        let [writes, commits, batch_retries, reads] =
            [&self.writes, &self.commits, &self.batch_retries, &self.reads].map(|count| count.load(Ordering::Relaxed));
        Counters { writes, commits, batch_retries, reads }
    }
}

impl Store {
    /// Whether there is a database: a file, or the tables.
    pub async fn exists(database: &Database) -> StoreResult<bool> {
        match database {
            Database::Sqlite(folder) => {
                let file = folder.join(crate::FILE_NAME);
                file.try_exists().map_err(|error| StoreError::Unusable(format!("{}: {error}", file.display())))
            }
            Database::Postgres(url) => Postgres::has_schema(url).await,
        }
    }

    /// Opens a database and brings its schema up to date.
    pub async fn open(database: &Database, access: Access, connections: usize) -> StoreResult<Store> {
        let driver = match database {
            Database::Sqlite(folder) => Driver::Sqlite(Sqlite::open(folder, access)?),
            Database::Postgres(url) => Driver::Postgres(Postgres::open(url, access, connections).await?),
        };
        Ok(Store { driver, reservations: Reservations::default() })
    }

    /// Runs `work` in a transaction. When this returns, its effect is durable or did not happen.
    pub async fn write<T: Send + 'static>(&self, work: impl WriteWork<T>) -> StoreResult<T> {
        typed(self.write_any(any_write(work)).await?)
    }

    /// Runs a write, and before it what it needs that is too long for its transaction.
    fn write_any(&self, work: AnyWrite) -> Pending<'_> {
        let work = match WriteWatch::current() {
            Some(watch) => unless_cancelled(watch, work),
            None => work,
        };
        Box::pin(async move {
            for _ in 0..STOPS_MAX {
                let found = Arc::new(FoundWork::default());
                let result = self.write_once(long_work::stopping(Arc::clone(&work), Arc::clone(&found))).await;
                match found.take() {
                    Some(parts) if matches!(result, Err(StoreError::InParts)) => self.do_parts(&parts).await?,
                    _ => return result,
                }
            }
            self.write_once(work).await
        })
    }

    async fn do_parts(&self, parts: &LongWork) -> StoreResult<()> {
        loop {
            let part = parts.clone();
            if typed(self.write_once(any_write(move |tx: &mut dyn Tx| part.do_part(tx))).await?)? {
                return Ok(());
            }
        }
    }

    /// Runs a write as soon as nobody else has reserved what it changes.
    async fn write_once(&self, work: AnyWrite) -> StoreResult<AnyResult> {
        let work = self.reservations.respected_by(work);
        let mut waited = None;
        loop {
            let result = match &self.driver {
                Driver::Sqlite(sqlite) => sqlite.writer.write(Arc::clone(&work)).await,
                Driver::Postgres(postgres) => postgres.write(Arc::clone(&work)).await,
            };
            let Err(StoreError::Reserved(number)) = result else { return result };
            // Nobody waits for one session while others wait for it at another.
            drop(waited.take());
            waited = self.reservations.wait(number).await;
        }
    }

    /// Does work while all other writes of this process to a session wait. The work may write to this session and to none besides.
    pub async fn reserve<F: Future>(&self, account: &Id, session_row: i64, work: F) -> F::Output {
        self.reservations.reserve(account, session_row, work).await
    }

    /// Reads many rows or a body; all statements see the same moment.
    pub async fn read<T: Send + 'static>(&self, work: impl ReadWork<T>) -> StoreResult<T> {
        typed(self.read_any(any_read(metering::metered(work))).await?)
    }

    fn read_any(&self, work: AnyRead) -> Pending<'_> {
        match &self.driver {
            Driver::Sqlite(sqlite) => Box::pin(sqlite.readers.read_apart(work)),
            Driver::Postgres(postgres) => Box::pin(postgres.read(work)),
        }
    }

    /// Reads a few rows by their key. On SQLite this runs on the caller's thread: it takes less time than a change of
    /// threads does.
    pub async fn read_point<T: Send + 'static>(&self, work: impl ReadWork<T>) -> StoreResult<T> {
        match &self.driver {
            Driver::Sqlite(sqlite) => sqlite.readers.read(metering::metered(work)),
            Driver::Postgres(_) => self.read(work).await,
        }
    }

    /// Reads what is small as a rule. On SQLite this runs on the caller's thread; there is no result if it decodes more than a
    /// little, and the caller then asks with [`Store::read`].
    pub async fn read_small<T: Send + 'static>(&self, work: impl ReadWork<T>) -> StoreResult<Option<T>> {
        match &self.driver {
            Driver::Sqlite(sqlite) => match sqlite.readers.read(metering::small(work)) {
                Err(StoreError::NotSmall) => Ok(None),
                result => result.map(Some),
            },
            Driver::Postgres(_) => self.read(work).await.map(Some),
        }
    }

    /// Reads with one statement, a row or two. On SQLite that needs no transaction around it.
    pub async fn read_one<T: Send + 'static>(&self, work: impl ReadWork<T>) -> StoreResult<T> {
        match &self.driver {
            Driver::Sqlite(sqlite) => sqlite.readers.read_one(metering::metered(work)),
            Driver::Postgres(_) => self.read(work).await,
        }
    }

    /// Wants to know when an account may have new events. Only a hint: look by yourself now and then.
    pub fn follow(&self, account: &Id) -> Follower {
        match &self.driver {
            Driver::Sqlite(sqlite) => sqlite.wakeups.follow(account),
            Driver::Postgres(postgres) => postgres.follow(account),
        }
    }

    /// What is worth knowing about the checksums of a PostgreSQL server's pages; those of SQLite are checked with the file.
    pub async fn checksum_note(&self) -> StoreResult<Option<String>> {
        match &self.driver {
            Driver::Sqlite(_) => Ok(None),
            Driver::Postgres(postgres) => postgres.checksum_note().await,
        }
    }

    /// Fails if a SQLite file was removed or replaced since it was opened: then nothing can be stored.
    pub fn is_there(&self) -> StoreResult<()> {
        match &self.driver {
            Driver::Sqlite(sqlite) => sqlite.is_there(),
            Driver::Postgres(_) => Ok(()),
        }
    }

    pub fn backend(&self) -> &'static str {
        match &self.driver {
            Driver::Sqlite(_) => "sqlite",
            Driver::Postgres(_) => "postgres",
        }
    }

    pub fn counters(&self) -> Counters {
        match &self.driver {
            Driver::Sqlite(sqlite) => sqlite.counters(),
            Driver::Postgres(postgres) => postgres.counters(),
        }
    }

    pub fn path(&self) -> Option<&Path> {
        match &self.driver {
            Driver::Sqlite(sqlite) => Some(&sqlite.path),
            Driver::Postgres(_) => None,
        }
    }

    /// Lets the writes that are waiting finish, then lets go of the database.
    pub async fn close(self) {
        match self.driver {
            Driver::Sqlite(sqlite) => sqlite.writer.close().await,
            Driver::Postgres(postgres) => postgres.close(),
        }
    }
}

/// A write that does not begin once its request was given up.
fn unless_cancelled(watch: Arc<WriteWatch>, work: AnyWrite) -> AnyWrite {
    Arc::new(move |tx| {
        let begin = watch.begin();
        if begin == Begin::Cancelled {
            return Err(StoreError::Cancelled);
        }
        let result = work(tx);
        if begin == Begin::First
            && matches!(result, Err(StoreError::ClockBusy(_) | StoreError::Reserved(_) | StoreError::InParts))
        {
            watch.waits_again();
        }
        result
    })
}
