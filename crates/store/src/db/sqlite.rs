//! The SQLite driver: one file, one writer thread with group commit, readers beside it.

mod cache;
mod checkpoints;
mod files;
mod lock;
pub mod page_checksums;
pub mod page_vfs;
pub mod pages;
mod planning;
mod presence;
mod reader;
mod reserve;
mod tx;
mod writer;

use crate::db::wakeups::Wakeups;
use crate::error::{StoreError, StoreResult};
use checkpoints::Checkpoints;
use files::Files;
use lock::FolderLock;
use presence::Presence;
use reader::Readers;
use reserve::Reserve;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
pub(crate) use tx::SqliteTx;
use writer::Writer;

pub const FILE_NAME: &str = "tavernkeep.db";

/// Prepared statements kept per connection: more than the crate has.
const STATEMENTS_MAX: usize = 256;
/// SQLite's number for the way in which free pages are kept.
const AUTO_VACUUM_INCREMENTAL: i64 = 2;
/// How long a connection waits for another process, such as the command line, that is writing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

pub struct Sqlite {
    pub writer: Writer,
    pub readers: Readers,
    pub wakeups: Arc<Wakeups>,
    pub path: PathBuf,
    presence: Arc<Presence>,
    /// Held while the database is open; absent for a visit beside a server.
    _lock: Option<FolderLock>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// For serving: no other process may serve from it.
    Own,
    /// For a short visit beside a process that may be serving.
    Visit,
}

impl Sqlite {
    /// Opens the database in a data folder, creating both if they are not there, and brings its schema up to date.
    pub fn open(folder: &Path, access: Access) -> StoreResult<Sqlite> {
        let unusable =
            |error: std::io::Error| StoreError::Unusable(format!("the data folder {}: {error}", folder.display()));
        create_folder(folder).map_err(unusable)?;
        let lock = match access {
            Access::Own => Some(FolderLock::take(folder)?),
            Access::Visit => FolderLock::try_take(folder)?,
        };
        let path = folder.join(FILE_NAME);
        if !path.exists() {
            create_private(&path).map_err(unusable)?;
            remember(&path);
        }
        let mut connection = connect(&path)?;
        let is_served = lock.is_some();
        match lock {
            Some(_) => {
                crate::db::migrate::sqlite(&mut connection, folder)?;
                planning::declare_sizes(&mut connection).map_err(|error| trouble(&error))?;
                page_checksums::add_checksums(&connection, &path);
            }
            // Another process is serving from it: its schema must not change.
            None => {
                leave_log(&connection).map_err(|error| trouble(&error))?;
                crate::db::migrate::require_current(&connection)?;
            }
        }
        let last_position = match last_position(&connection).map_err(|error| trouble(&error)) {
            // What is not damaged is served. The clock says where new events stand.
            Err(StoreError::Corrupt(error)) => {
                tracing::error!(%error, "the last event cannot be read; run `tavernkeep check`");
                0
            }
            position => position?,
        };
        let wakeups = Arc::new(Wakeups::default());
        // Reading has made the log, if it was not there.
        let presence = Arc::new(Presence::of(&path, is_served));
        let readers = Readers::new(path.clone(), Arc::clone(&presence));
        let reserve = if access == Access::Own { Reserve::take(folder) } else { Reserve::none() };
        let checkpoints = match access {
            Access::Own => Some(Checkpoints::start(&mut connection, &path, Arc::clone(&presence))?),
            Access::Visit => None,
        };
        let files = Files::new(Arc::clone(&presence), reserve, checkpoints);
        let writer = Writer::start(connection, last_position, Arc::clone(&wakeups), files)?;
        Ok(Sqlite { writer, readers, wakeups, path, presence, _lock: lock })
    }

    /// Fails if the database was removed or replaced since it was opened.
    pub fn is_there(&self) -> StoreResult<()> {
        self.presence.check()
    }

    pub fn counters(&self) -> crate::db::store::Counters {
        self.writer.counters(self.readers.count())
    }
}

fn last_position(connection: &Connection) -> rusqlite::Result<i64> {
    let sql = "SELECT COALESCE(MAX(MAX(a.events_purged, COALESCE(
            (SELECT MAX(e.position) FROM event e WHERE e.account_id = a.account_id), 0))), 0) FROM account a";
    connection.query_row(sql, [], |row| row.get(0))
}

/// Creates the data folder, and makes its name as durable as what will be in it: SQLite sees to its own files only.
fn create_folder(folder: &Path) -> std::io::Result<()> {
    let made = folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists()).count();
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    folder.ancestors().take(made).for_each(remember);
    Ok(())
}

/// Makes a new name survive a power cut.
fn remember(path: &Path) {
    // There are file systems that cannot do this; they are no reason not to start.
    if let Err(error) = sync_folder_of(path) {
        tracing::warn!(%error, path = %path.display(), "the folder of a new file could not be synced");
    }
}

pub fn sync_folder_of(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Creates a file that only its owner may read: it will hold people's conversations. SQLite's log takes over its mode.
pub fn create_private(path: &Path) -> std::io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map(drop)
}

/// Opens a connection that writes durably.
pub fn connect(path: &Path) -> StoreResult<Connection> {
    let connection = open(path, OpenFlags::default())?;
    // A file that is new keeps room for checksums from its first page on.
    page_vfs::reserve_bytes(&connection).map_err(|error| trouble(&error))?;
    configure(&connection).map_err(|error| trouble(&error))?;
    Ok(connection)
}

pub fn connect_read_only(path: &Path) -> StoreResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = open(path, flags)?;
    keep_plans(&connection).map_err(|error| trouble(&error))?;
    // The page cache of the system serves reads; a small cache of our own keeps memory low. The file is not mapped into
    // memory, which would save a copy: a page that the disk cannot read would then end the process by a signal, where it
    // is an error to be answered.
    connection.execute_batch("PRAGMA cache_size = -2048;").map_err(|error| trouble(&error))?;
    Ok(connection)
}

/// Opens a connection that compares the checksums of pages, and keeps them up.
fn open(path: &Path, flags: OpenFlags) -> StoreResult<Connection> {
    page_vfs::name()
        .and_then(|vfs| Connection::open_with_flags_and_vfs(path, flags, vfs))
        .map_err(|error| trouble(&error))
}

/// What every connection has: patience with other processes, and statements that are prepared once.
///
/// SQLite is built with STAT4, and then prepares a statement again whenever a value bound to it could change its plan,
/// which is on every use. Our plans must not depend on values, so the guarantee of stable plans is switched on.
fn keep_plans(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Leaves it to the process that serves a database to write to its file, which knows then what other programs write there.
fn leave_log(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.execute_batch("PRAGMA wal_autocheckpoint = 0;")
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    keep_plans(connection)?;
    // It counts only before the first table exists, and writes a page whenever it is set: a full disk could not be opened.
    let vacuum: i64 = connection.query_row("PRAGMA auto_vacuum", [], |row| row.get(0))?;
    if vacuum != AUTO_VACUUM_INCREMENTAL {
        connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL;")?;
    }
    // FULL makes an acknowledged write survive a power cut.
    // What is deleted is overwritten where that costs no further page; pages that become free go back to the system by
    // and by. A longer log is copied into the file less often, and a page that was written a hundred times meanwhile is
    // copied once; 40 MB of it are read within a tenth of a second after a crash.
    connection.execute_batch(&format!(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         PRAGMA secure_delete = FAST;
         PRAGMA foreign_keys = ON;
         PRAGMA cache_size = -{};
         PRAGMA wal_autocheckpoint = 10000;",
        cache::BYTES / 1024
    ))
}

/// Says what a SQLite error means to a caller.
pub fn trouble(error: &rusqlite::Error) -> StoreError {
    let text = error.to_string();
    match error.sqlite_error().map(|error| error.extended_code) {
        // Shared memory is a file, too: it cannot grow on a disk that is full.
        Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE) => return StoreError::Full(text),
        Some(rusqlite::ffi::SQLITE_IOERR_DATA) => return page_checksums::damaged_page(),
        _ => {}
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full(text),
        // SQLite has one sentence for all of them; its number says which call failed.
        Some(ErrorCode::SystemIoFailure) => {
            let code = error.sqlite_error().map_or(0, |error| error.extended_code);
            StoreError::Unavailable(format!("{text} (SQLite error {code})"))
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::CannotOpen) => {
            StoreError::Unavailable(text)
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::Unavailable(text),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Corrupt(text),
        // All tables were there when it was opened: the file was emptied since, and an empty file is an empty database.
        _ if text.starts_with("no such table") => StoreError::Corrupt(text),
        _ => StoreError::Internal(text),
    }
}
