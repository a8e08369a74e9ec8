//! Writes to the write-ahead log, put together: SQLite writes each frame with two calls, its head and its page, and a commit has dozens
//! of frames. Here they become a few writes of the system, which take less than half of its time.
//!
//! Nothing that a commit consists of waits here when the write of its last frame returns, and the log is synced after that. Frames
//! of a transaction that is not committed yet may wait, since only the connection that wrote them reads them: whatever it does with the
//! file besides, they are written first. If that fails, these frames are missing in the log, and SQLite believes that they are there.
//! So the log can then be neither read nor written from there on, until a frame is begun at that place or before it. A connection
//! that gives the lock for writing back has committed its frames or has no use for them, and another one may write in their place: what
//! waits then is dropped.

use super::shared::SharedFile;
use std::ffi::c_int;
use std::sync::Arc;

/// The head of a frame. Its second number is the size of the database in the last frame of a commit, and zero in the others.
const FRAME_HEAD: usize = 24;
/// The head of the log, at its beginning.
const LOG_HEAD: usize = 32;
/// So many bytes wait at most. SQLite's own VFS writes less than 128 KiB with one call.
const WAITING_MAX: usize = 120 * 1024;

const OK: c_int = rusqlite::ffi::SQLITE_OK;

/// Bytes that are still to be written to a log.
pub(super) struct LogWrites {
    /// The database that the log belongs to.
    shared: Arc<SharedFile>,
    /// How often its lock for writing had been given back when the first byte of these came.
    turn: u64,
    waiting: Vec<u8>,
    /// Where the last write ended, and with it what waits; none if nothing was written yet.
    end: Option<u64>,
    /// Whether the last frame that was begun is the last one of a commit.
    commits: bool,
    missing: Option<Missing>,
}

/// Frames that could not be written.
#[derive(Debug, Clone, Copy)]
struct Missing {
    from: u64,
    code: c_int,
}

impl LogWrites {
    pub fn new(shared: Arc<SharedFile>) -> LogWrites {
        let turn = shared.writer_turns();
        LogWrites { shared, turn, waiting: Vec::new(), end: None, commits: false, missing: None }
    }

    /// Drops what belongs to a transaction that has ended.
    fn renew(&mut self) {
        let turn = self.shared.writer_turns();
        if self.turn != turn {
            self.turn = turn;
            if !self.waiting.is_empty() {
                self.waiting.clear();
                self.end = None;
            }
            self.missing = None;
        }
    }

    /// Takes bytes to be written at a place; `write` writes to the file. Returns the code of what went wrong, now or with bytes that
    /// waited.
    pub fn write(&mut self, at: u64, bytes: &[u8], mut write: impl FnMut(u64, &[u8]) -> c_int) -> c_int {
        self.renew();
        let is_head = bytes.len() == FRAME_HEAD || (at == 0 && bytes.len() == LOG_HEAD);
        if let Some(Missing { from, code }) = self.missing {
            match at {
                // What missed them was rolled back.
                at if is_head && at <= from => self.missing = None,
                at if at >= from => return code,
                // A page that is written once more.
                _ => {}
            }
        }
        if is_head {
            self.commits = bytes.get(4..8).is_some_and(|size| size != [0; 4]);
        }
        let is_behind = self.end == Some(at);
        if !is_behind || self.waiting.len() + bytes.len() > WAITING_MAX {
            let code = self.flush(&mut write);
            if code != OK {
                return code;
            }
        }
        self.end = at.checked_add(bytes.len() as u64);
        if !is_behind {
            return write(at, bytes);
        }
        self.waiting.extend_from_slice(bytes);
        if self.commits && !is_head { self.flush(write) } else { OK }
    }

    /// Writes what waits.
    pub fn flush(&mut self, mut write: impl FnMut(u64, &[u8]) -> c_int) -> c_int {
        self.renew();
        let Some(from) = self.end.and_then(|end| end.checked_sub(self.waiting.len() as u64)) else { return OK };
        if self.waiting.is_empty() {
            return OK;
        }
        let code = write(from, &self.waiting);
        self.waiting.clear();
        if code != OK {
            self.missing = Some(Missing { from, code });
        }
        code
    }

    /// Why so many bytes at a place cannot be read; nothing waits.
    pub fn refuses_read(&self, at: u64, len: usize) -> Option<c_int> {
        let end = at.saturating_add(len as u64);
        self.missing.filter(|missing| end > missing.from).map(|missing| missing.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: usize = 512;
    const FRAME: u64 = (FRAME_HEAD + PAGE) as u64;
    const FULL: c_int = rusqlite::ffi::SQLITE_FULL;

    /// A file, and the writes to it.
    #[derive(Default)]
    struct File {
        bytes: Vec<u8>,
        writes: usize,
        fails: bool,
    }

    impl File {
        fn write(&mut self, at: u64, bytes: &[u8]) -> c_int {
            if self.fails {
                return FULL;
            }
            let (at, end) = (at as usize, at as usize + bytes.len());
            self.bytes.resize(self.bytes.len().max(end), 0);
            self.bytes[at..end].copy_from_slice(bytes);
            self.writes += 1;
            OK
        }
    }

    /// As SQLite writes a frame: its head, then its page.
    fn frame(log: &mut LogWrites, file: &mut File, number: u64, size: u8, fill: u8) -> c_int {
        let at = LOG_HEAD as u64 + number * FRAME;
        let mut head = [fill; FRAME_HEAD];
        head[4..8].copy_from_slice(&[0, 0, 0, size]);
        match log.write(at, &head, |at, bytes| file.write(at, bytes)) {
            OK => log.write(at + FRAME_HEAD as u64, &[fill; PAGE], |at, bytes| file.write(at, bytes)),
            code => code,
        }
    }

    fn begun() -> (LogWrites, File) {
        let (mut log, mut file) = (LogWrites::new(Arc::default()), File::default());
        assert_eq!(log.write(0, &[1; LOG_HEAD], |at, bytes| file.write(at, bytes)), OK);
        assert_eq!(file.bytes.len(), LOG_HEAD, "the head does not wait");
        (log, file)
    }

    #[test]
    fn a_commit_is_written_at_once_and_is_all_there() {
        let (mut log, mut file) = begun();
        for commit in 0..3 {
            let writes = file.writes;
            for number in 0..9 {
                assert_eq!(frame(&mut log, &mut file, commit * 10 + number, 0, 2), OK);
            }
            assert_eq!(file.writes, writes, "frames wait for the last one");
            assert_eq!(frame(&mut log, &mut file, commit * 10 + 9, 7, 3), OK);
            assert_eq!(file.writes, writes + 1);
            assert_eq!(file.bytes.len() as u64, LOG_HEAD as u64 + (commit + 1) * 10 * FRAME);
        }
        // The log starts over, and a page is written once more.
        assert_eq!(frame(&mut log, &mut file, 0, 7, 4), OK);
        assert_eq!(file.bytes[LOG_HEAD..][8..FRAME as usize], [4; FRAME as usize - 8]);
        let place = LOG_HEAD as u64 + 5 * FRAME + FRAME_HEAD as u64;
        assert_eq!(log.write(place, &[9; PAGE], |at, bytes| file.write(at, bytes)), OK);
        assert_eq!(file.bytes[place as usize..][..PAGE], [9; PAGE]);
    }

    #[test]
    fn what_was_rolled_back_is_not_written_over_what_another_connection_wrote() {
        let (mut log, mut file) = begun();
        assert_eq!(frame(&mut log, &mut file, 0, 7, 2), OK);
        assert_eq!(frame(&mut log, &mut file, 1, 0, 3), OK);
        log.shared.end_writer_turn();
        let place = LOG_HEAD as u64 + FRAME;
        file.write(place, &[8; 2 * FRAME as usize]);
        assert_eq!(log.flush(|at, bytes| file.write(at, bytes)), OK);
        assert_eq!(frame(&mut log, &mut file, 3, 7, 5), OK);
        assert_eq!(file.bytes[place as usize..][..2 * FRAME as usize], [8; 2 * FRAME as usize]);
        // The same after frames could not be written.
        assert_eq!(frame(&mut log, &mut file, 4, 0, 6), OK);
        file.fails = true;
        assert_eq!(log.flush(|at, bytes| file.write(at, bytes)), FULL);
        file.fails = false;
        log.shared.end_writer_turn();
        assert_eq!(frame(&mut log, &mut file, 6, 7, 6), OK);
        assert_eq!(log.refuses_read(place, PAGE), None);
    }

    #[test]
    fn a_long_transaction_does_not_wait_for_its_end() {
        let (mut log, mut file) = begun();
        for number in 0..1_000 {
            assert_eq!(frame(&mut log, &mut file, number, 0, 2), OK);
            assert!(log.waiting.len() <= WAITING_MAX);
        }
        let writes = file.writes;
        assert_eq!(log.flush(|at, bytes| file.write(at, bytes)), OK);
        assert_eq!(log.flush(|at, bytes| file.write(at, bytes)), OK);
        assert_eq!((file.writes, file.bytes.len() as u64), (writes + 1, LOG_HEAD as u64 + 1_000 * FRAME));
    }

    #[test]
    fn a_transaction_that_misses_frames_cannot_be_committed() {
        let (mut log, mut file) = begun();
        let (first, third) = (LOG_HEAD as u64, LOG_HEAD as u64 + 2 * FRAME);
        assert_eq!(frame(&mut log, &mut file, 0, 0, 2), OK);
        assert_eq!(frame(&mut log, &mut file, 1, 7, 2), OK);
        assert_eq!(frame(&mut log, &mut file, 2, 0, 2), OK);
        file.fails = true;
        assert_eq!(log.flush(|at, bytes| file.write(at, bytes)), FULL, "a read wants to see it");
        file.fails = false;
        assert_eq!((log.refuses_read(third, PAGE), log.refuses_read(first, PAGE)), (Some(FULL), None));
        assert_eq!(frame(&mut log, &mut file, 3, 7, 2), FULL);
        // A page of the same transaction is written once more.
        assert_eq!(log.write(first + FRAME_HEAD as u64, &[9; PAGE], |at, bytes| file.write(at, bytes)), OK);
        assert_eq!(frame(&mut log, &mut file, 3, 7, 2), FULL);
        // It was rolled back, and the next one begins at its place.
        assert_eq!(frame(&mut log, &mut file, 2, 7, 5), OK);
        assert_eq!((log.refuses_read(third, PAGE), file.bytes.len() as u64), (None, third + FRAME));
    }

    /// With a small cache SQLite writes pages to the log before the commit, reads them back and writes them once more.
    #[test]
    fn transactions_that_do_not_fit_the_cache_are_whole() {
        let (folder, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = folder.path().join("a.db");
        let writer = crate::db::sqlite::connect(&path).unwrap();
        writer.execute_batch("PRAGMA cache_size = 10; CREATE TABLE t (id INTEGER PRIMARY KEY, bytes BLOB);").unwrap();
        let reader = rusqlite::Connection::open(&path).unwrap();
        let state = |connection: &rusqlite::Connection| -> (i64, i64) {
            let intact: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
            assert_eq!(intact, "ok");
            let sql = "SELECT COUNT(*), COALESCE(SUM(LENGTH(bytes)), 0) FROM t";
            connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
        };
        let mut committed = state(&writer);
        for round in 0..12 {
            writer.execute_batch("BEGIN IMMEDIATE").unwrap();
            for _ in 0..60 {
                writer.execute("INSERT INTO t (bytes) VALUES (RANDOMBLOB(3000))", []).unwrap();
                writer.execute("UPDATE t SET bytes = RANDOMBLOB(2999) WHERE id % 17 = 3", []).unwrap();
            }
            let written = state(&writer);
            assert_eq!(state(&reader), committed, "nobody else sees it before the commit");
            let ends = if round % 3 == 1 { "ROLLBACK" } else { "COMMIT" };
            writer.execute_batch(ends).unwrap();
            committed = if ends == "COMMIT" { written } else { committed };
            assert_eq!((state(&reader), state(&writer)), (committed, committed));
            // As after the end of the process: what is in the files counts.
            for name in ["a.db", "a.db-wal"] {
                std::fs::copy(folder.path().join(name), copy.path().join(name)).unwrap();
            }
            assert_eq!(state(&rusqlite::Connection::open(copy.path().join("a.db")).unwrap()), committed);
        }
    }

    #[test]
    fn a_commit_that_cannot_be_written_fails() {
        let (mut log, mut file) = begun();
        assert_eq!(frame(&mut log, &mut file, 0, 0, 2), OK);
        file.fails = true;
        assert_eq!(frame(&mut log, &mut file, 1, 7, 2), FULL);
        file.fails = false;
        assert_eq!(frame(&mut log, &mut file, 0, 7, 3), OK);
        assert_eq!(file.bytes.len() as u64, LOG_HEAD as u64 + FRAME);
    }
}
