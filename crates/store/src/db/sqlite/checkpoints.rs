//! Copying the log into the database file while the writer goes on.
//!
//! By itself SQLite copies a log that has become long inside of the commit that made it so, and all writes wait until 40 MB are
//! copied. A thread with a connection of its own does that here, earlier. A writer that adds to the log all the time may be ahead of
//! it for ever; it copies what is left itself before the log becomes too long, and that is little.

use super::presence::Presence;
use super::{connect, leave_log, trouble};
use crate::error::{StoreError, StoreResult};
use rusqlite::hooks::Wal;
use rusqlite::wal::CheckpointMode;
use rusqlite::{Connection, ErrorCode, MAIN_DB};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// How many pages the log may have.
#[derive(Debug, Clone, Copy)]
struct LogPages {
    /// From so many on the thread copies them.
    copied: i32,
    /// It is asked again when there are so many more.
    more: i32,
    /// From so many on the writer copies what is left, unless the thread is copying at that moment. The reserve of a full disk has room for as many (`reserve.rs`).
    max: i32,
}

/// 16, 8 and 40 MB.
const LOG_PAGES: LogPages = LogPages { copied: 4_000, more: 2_000, max: 10_000 };

enum Message {
    Copy,
    Close,
}

/// The thread that copies the log.
pub struct Checkpoints {
    queue: SyncSender<Message>,
    thread: JoinHandle<()>,
}

impl Checkpoints {
    /// Starts the thread, and lets the connection of the writer ask it.
    pub fn start(writer: &mut Connection, path: &Path, presence: Arc<Presence>) -> StoreResult<Checkpoints> {
        Checkpoints::start_at(LOG_PAGES, writer, path, presence)
    }

    fn start_at(
        log_pages: LogPages,
        writer: &mut Connection,
        path: &Path,
        presence: Arc<Presence>,
    ) -> StoreResult<Checkpoints> {
        // It is opened now: later another file may have the name.
        let connection = connect(path)?;
        leave_log(&connection).map_err(|error| trouble(&error))?;
        let (queue, asked) = sync_channel(1);
        let thread = std::thread::Builder::new()
            .name("store-log".into())
            .spawn(move || run(&connection, &presence, &asked))
            .map_err(|error| StoreError::Unavailable(format!("the thread for the log cannot start: {error}")))?;
        let (ask, mut next) = (queue.clone(), log_pages.copied);
        let hook = move |log: &mut Wal, pages: i32| {
            if pages < log_pages.copied {
                next = log_pages.copied;
            } else if pages >= log_pages.max {
                // The commit stands whether this works or not, and the next one tries it again.
                match log.checkpoint() {
                    // The thread is copying it, and is to go on with what has come since.
                    Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                        let _ = ask.try_send(Message::Copy);
                    }
                    Err(error) => tracing::warn!(%error, "a long write-ahead log could not be copied"),
                    Ok(()) => {}
                }
            } else if pages >= next {
                next = pages + log_pages.more;
                // If it is asked already, it will see these pages, too.
                let _ = ask.try_send(Message::Copy);
            }
            Ok(())
        };
        writer.wal_hook(Some(hook)).map_err(|error| trouble(&error))?;
        Ok(Checkpoints { queue, thread })
    }

    /// Asks for the log to be copied, however short it is.
    pub fn copy(&self) {
        // If it is asked already, it will see all pages.
        let _ = self.queue.try_send(Message::Copy);
    }

    /// Ends the thread when it has copied what it is copying.
    pub fn close(self) {
        let _ = self.queue.send(Message::Close);
        let _ = self.thread.join();
    }
}

fn run(connection: &Connection, presence: &Presence, asked: &Receiver<Message>) {
    while let Ok(Message::Copy) = asked.recv() {
        // Otherwise the log belongs to another database than the one that is there now; the writer says so.
        if presence.check_content().is_ok() {
            if let Err(error) = connection.wal_checkpoint_v2(Some(MAIN_DB), CheckpointMode::PASSIVE) {
                tracing::warn!(%error, "the write-ahead log could not be copied beside the writer");
            }
            presence.note_writes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG_PAGES: LogPages = LogPages { copied: 200, more: 100, max: 600 };
    const KILOBYTE: u64 = 1024;

    /// Adds at least so many kilobytes to the log, in commits of about 40.
    fn fill(writer: &Connection, kilobytes: u64) {
        for _ in 0..kilobytes / 32 {
            writer.execute("INSERT INTO filled (bytes) VALUES (RANDOMBLOB(32768))", []).unwrap();
        }
    }

    #[test]
    fn a_long_log_is_copied_by_the_thread_and_a_longer_one_by_the_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let mut writer = connect(&path).unwrap();
        writer.execute_batch("CREATE TABLE filled (bytes BLOB)").unwrap();
        let presence = Arc::new(Presence::of(&path, true));
        let checkpoints = Checkpoints::start_at(LOG_PAGES, &mut writer, &path, Arc::clone(&presence)).unwrap();
        let len = || std::fs::metadata(&path).unwrap().len();
        fill(&writer, 400);
        assert!(len() < 100 * KILOBYTE, "nobody has asked: {}", len());
        fill(&writer, 500);
        checkpoints.close();
        assert!(len() > 600 * KILOBYTE, "the thread has copied them: {}", len());
        presence.check().unwrap();
        let before = len();
        fill(&writer, 400);
        assert_eq!(len(), before, "the thread has ended, and the log is not too long");
        fill(&writer, 2_400);
        presence.note_writes();
        presence.check().unwrap();
        assert!(len() > before + 1_200 * KILOBYTE, "the writer has copied them: {}", len());
    }
}
