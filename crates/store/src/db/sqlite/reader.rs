//! Reading beside the writer: small reads on the caller's thread, larger ones on threads that may wait.

use super::presence::Presence;
use super::{SqliteTx, connect_read_only, trouble};
use crate::db::tx::Tx;
use crate::db::work::{AnyRead, AnyResult};
use crate::error::{StoreError, StoreResult};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// How many larger reads run at once. More would only make them wait for the same two disks and cores.
const APART_MAX: usize = 4;

#[derive(Clone)]
pub struct Readers(Arc<Shared>);

struct Shared {
    path: PathBuf,
    presence: Arc<Presence>,
    idle: Mutex<Vec<Connection>>,
    apart: Arc<Semaphore>,
    count: AtomicU64,
}

impl Readers {
    pub fn new(path: PathBuf, presence: Arc<Presence>) -> Self {
        Readers(Arc::new(Shared {
            path,
            presence,
            idle: Mutex::new(Vec::new()),
            apart: Arc::new(Semaphore::new(APART_MAX)),
            count: AtomicU64::new(0),
        }))
    }

    pub fn count(&self) -> u64 {
        self.0.count.load(Ordering::Relaxed)
    }

    /// Reads in one transaction on this thread: all statements see the same moment.
    pub fn read<T>(&self, work: impl FnOnce(&mut dyn Tx) -> StoreResult<T>) -> StoreResult<T> {
        let connection = self.take()?;
        begin(&connection)?;
        let mut tx = SqliteTx::reading(&connection);
        let result = work(&mut tx);
        // A connection whose statement failed may keep pages that were read while the file could not be read, and one that cannot
        // end its transaction is of no use: the next reader opens a fresh one. What was merely too large says nothing about it.
        let is_too_large = matches!(result, Err(StoreError::NotSmall | StoreError::NoRoom));
        let has_failed = tx.has_failed() && !is_too_large;
        let ended = connection.prepare_cached("COMMIT").and_then(|mut statement| statement.execute([]));
        if ended.is_ok() && !has_failed {
            self.give_back(connection);
        }
        result
    }

    /// Reads with one statement on this thread: one statement sees one moment without a transaction.
    pub fn read_one<T>(&self, work: impl FnOnce(&mut dyn Tx) -> StoreResult<T>) -> StoreResult<T> {
        let connection = self.take()?;
        let mut tx = SqliteTx::reading(&connection);
        let result = work(&mut tx);
        if !tx.has_failed() {
            self.give_back(connection);
        }
        result
    }

    fn take(&self) -> StoreResult<Connection> {
        self.0.count.fetch_add(1, Ordering::Relaxed);
        self.0.presence.check_for_reader()?;
        let idle = self.0.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| self.connect(), Ok)
    }

    fn connect(&self) -> StoreResult<Connection> {
        // SQLite takes an empty file for a new database, and deletes the log beside it.
        self.0.presence.check()?;
        connect_read_only(&self.0.path)
    }

    fn give_back(&self, connection: Connection) {
        self.0.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }

    /// Reads on a thread that may wait for the disk.
    pub async fn read_apart(&self, work: AnyRead) -> StoreResult<AnyResult> {
        let closed = |_| StoreError::Unavailable("the store is closing".into());
        let permit = Arc::clone(&self.0.apart).acquire_owned().await.map_err(closed)?;
        let readers = self.clone();
        tokio::task::spawn_blocking(move || {
            // Held by the work itself: a caller that goes away must not make room for another.
            let _permit = permit;
            readers.read(work)
        })
        .await
        .map_err(|error| StoreError::Internal(format!("a read did not finish: {error}")))?
    }
}

fn begin(connection: &Connection) -> StoreResult<()> {
    connection
        .prepare_cached("BEGIN")
        .and_then(|mut statement| statement.execute([]))
        .map(drop)
        .map_err(|error| trouble(&error))
}
