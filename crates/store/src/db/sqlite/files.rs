//! The files that the writer looks after: nothing is acknowledged once the database is not where it was opened (`presence.rs`), the last
//! room of a disk is for deletions (`reserve.rs`), and what was deleted leaves the log within a minute, since the log is checkpointed
//! when nobody writes, and now and then under steady writes.

use super::checkpoints::Checkpoints;
use super::presence::Presence;
use super::reserve::Reserve;
use super::{BUSY_TIMEOUT, trouble};
use crate::error::StoreError;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long nobody writes before the log is checkpointed.
const REST_AFTER: Duration = Duration::from_secs(5);
/// How old the oldest part of the log may become under steady writes, and when it is copied before.
const LOG_AGE_MAX: Duration = Duration::from_secs(30);
const LOG_COPIED_AFTER: Duration = Duration::from_secs(28);
/// How often room is looked for while the reserve is used.
const ROOM_INTERVAL: Duration = Duration::from_secs(1);

pub struct Files {
    pub presence: Arc<Presence>,
    pub reserve: Reserve,
    /// Copies a log that becomes long; none for a short visit.
    checkpoints: Option<Checkpoints>,
    /// How long nobody writes before the log is checkpointed.
    pub rest_after: Duration,
    /// Since when the log holds something; none if it was checkpointed and nothing was written since.
    log_since: Option<Instant>,
    /// Whether the thread was asked to copy the log since then.
    is_copied: bool,
    rested_at: Instant,
}

impl Files {
    pub fn new(presence: Arc<Presence>, reserve: Reserve, checkpoints: Option<Checkpoints>) -> Files {
        let now = Instant::now();
        // The process before this one may have left a log.
        let log_since = Some(now);
        Files { presence, reserve, checkpoints, rest_after: REST_AFTER, log_since, is_copied: false, rested_at: now }
    }

    /// How long nobody may write before the files are looked at. Another process that visits the database leaves its writes in the log.
    pub fn pause(&self) -> Duration {
        if self.log_since.is_some() { self.rest_after } else { LOG_AGE_MAX }
    }

    /// Notes that the log holds something.
    pub fn note_commit(&mut self) {
        self.log_since.get_or_insert_with(Instant::now);
    }

    /// Puts the files in order while nobody writes.
    pub fn rest_if_needed(&mut self, connection: &Connection) {
        if self.log_since.is_some() || self.presence.has_log() {
            self.rest(connection);
        }
    }

    /// Leaves a short log, which makes the next start fast; if that fails, the log is read at the next start instead.
    pub fn close(&mut self, connection: &Connection) {
        if let Some(checkpoints) = self.checkpoints.take() {
            checkpoints.close();
        }
        self.checkpoint(connection);
    }

    /// Copies the log into the database file and gives its room back. False if a reader uses the log, there is no room, or another
    /// process does it.
    fn checkpoint(&mut self, connection: &Connection) -> bool {
        if !self.presence.is_served() {
            return false;
        }
        if let Err(error) = self.presence.check_content() {
            // The log belongs to another database than the one that is there now.
            tracing::error!(%error, "the write-ahead log is left as it is");
            let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
            return false;
        }
        let copy = || connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        let mut busy = copy().map_err(|error| trouble(&error));
        if let Err(StoreError::Full(_)) = busy
            && let Some(with_reserve) = self.reserve.lend(copy)
        {
            busy = with_reserve.map_err(|error| trouble(&error));
        }
        self.presence.note_writes();
        match busy {
            Ok(busy) => busy == 0,
            Err(error) => {
                tracing::warn!(%error, "the write-ahead log could not be checkpointed");
                false
            }
        }
    }

    /// Makes room on a full disk for a write: what is in the log goes into the database, and pages that deletions have left free go back
    /// to the disk. False if there is no more room than before.
    pub fn make_room(&mut self, connection: &Connection) -> bool {
        if !self.checkpoint(connection) {
            return false;
        }
        let free = connection.query_row("PRAGMA freelist_count", [], |row| row.get::<_, i64>(0));
        if !matches!(free, Ok(1..)) {
            return true;
        }
        self.give_back(connection);
        self.checkpoint(connection)
    }

    /// Puts the files in order after a batch: empties the log now and then under steady writes, and looks for room while the reserve is used.
    pub fn look_after(&mut self, connection: &Connection) {
        let age = self.log_since.map_or(Duration::ZERO, |since| since.elapsed());
        let wants_room = self.reserve.is_used() && self.rested_at.elapsed() > ROOM_INTERVAL;
        if age > LOG_AGE_MAX || wants_room {
            self.rest(connection);
        } else if age > LOG_COPIED_AFTER
            && !self.is_copied
            && let Some(checkpoints) = &self.checkpoints
        {
            // So that nobody waits for it.
            checkpoints.copy();
            self.is_copied = true;
        }
    }

    /// Puts the files in order: what is in the log goes into the database, so that nothing deleted stays behind in it, and the
    /// reserve is made again once there is room. It waits for no reader; if one is in the way, the next time will do.
    fn rest(&mut self, connection: &Connection) {
        let _ = connection.busy_timeout(Duration::ZERO);
        if self.reserve.is_used() {
            self.give_back(connection);
        }
        self.rested_at = Instant::now();
        // A reader is in the way for a moment only.
        let again = Instant::now().checked_sub(LOG_AGE_MAX.saturating_sub(self.rest_after));
        self.log_since = if self.checkpoint(connection) { None } else { again.or_else(|| Some(Instant::now())) };
        self.is_copied = false;
        let _ = connection.busy_timeout(BUSY_TIMEOUT);
        if self.reserve.is_used() && !self.reserve.restore() {
            // Deletions go on in the background; look again.
            self.log_since = Some(Instant::now());
        }
    }

    /// Gives some free pages back to the disk: until then they are room for the database alone. It takes room in the log.
    fn give_back(&mut self, connection: &Connection) {
        let give = || -> rusqlite::Result<()> {
            let mut statement = connection.prepare_cached("PRAGMA incremental_vacuum(4000)")?;
            let mut pages = statement.query([])?;
            while pages.next()?.is_some() {}
            Ok(())
        };
        if let Err(error) = self.reserve.lend(give).unwrap_or_else(give) {
            tracing::warn!(%error, "free pages could not be given back to the disk");
        }
    }
}
