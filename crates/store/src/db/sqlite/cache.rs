//! How much of the database file the writer keeps in memory: little as a rule, and more while large work goes on.
//!
//! A large sync or restore is done in parts, and its last step touches again what the parts have read and written. From the file that
//! takes five times as long as from memory, and all other writes wait meanwhile.

use rusqlite::Connection;
use std::time::{Duration, Instant};

/// Bytes that the writer keeps, as a rule and during large work.
pub(super) const BYTES: i64 = 8 * 1024 * 1024;
const BYTES_LARGE: i64 = 96 * 1024 * 1024;

/// Changed rows from which on a write is part of large work. A hundred variables with their history are not.
const CHANGES_LARGE: u64 = 500;
/// When large work has paused for so long, the memory is given back.
const IDLE: Duration = Duration::from_secs(2);

/// The memory of the writer's connection.
#[derive(Default)]
pub(super) struct WriterCache {
    /// When the last part of large work ended, while more is kept.
    large_at: Option<Instant>,
}

impl WriterCache {
    /// Looks at how many rows a write has changed.
    pub fn note_changes(&mut self, connection: &Connection, changes: u64) {
        if changes < CHANGES_LARGE {
            return self.shrink_if_idle(connection);
        }
        if self.large_at.replace(Instant::now()).is_none() {
            keep(connection, BYTES_LARGE);
        }
    }

    /// Keeps little again some time after large work.
    pub fn shrink_if_idle(&mut self, connection: &Connection) {
        if self.large_at.is_some_and(|at| at.elapsed() > IDLE) {
            self.large_at = None;
            keep(connection, BYTES);
        }
    }
}

/// SQLite frees what is above the limit at once.
fn keep(connection: &Connection, bytes: i64) {
    // Only speed depends on it.
    if let Err(error) = connection.execute_batch(&format!("PRAGMA cache_size = -{}", bytes / 1024)) {
        tracing::debug!(%error, "the size of the writer's cache stays as it is");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(connection: &Connection) -> i64 {
        connection.query_row("PRAGMA cache_size", [], |row| row.get::<_, i64>(0)).unwrap() * -1024
    }

    #[test]
    fn more_is_kept_during_large_work_alone() {
        let connection = Connection::open_in_memory().unwrap();
        keep(&connection, BYTES);
        let mut cache = WriterCache::default();
        cache.note_changes(&connection, CHANGES_LARGE - 1);
        assert_eq!(kept(&connection), BYTES);
        cache.note_changes(&connection, CHANGES_LARGE);
        assert_eq!(kept(&connection), BYTES_LARGE);
        // A small write of another client comes between two parts.
        cache.note_changes(&connection, 1);
        assert_eq!(kept(&connection), BYTES_LARGE);
        cache.large_at = Instant::now().checked_sub(IDLE + Duration::from_secs(1));
        cache.shrink_if_idle(&connection);
        assert_eq!(kept(&connection), BYTES);
    }
}
