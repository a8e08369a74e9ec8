//! The one writer: a thread that takes all writes that are waiting and commits them together.
//!
//! A refusal undoes nothing but itself. Savepoints give that, and cost a copy of every page that a write touches; since
//! refusals are rare, a batch is first tried without them. If a write refuses after it has written something, the batch
//! is undone and run again with a savepoint for each write, and so are the next batches: conflicts come in swarms.
//!
//! No answer, success or refusal, leaves before the commit: a refusal may rest on a neighbour's write. If the transaction
//! is lost after an error (a full disk rolls back everything) or the commit fails, the batch is void and each write is
//! tried again alone, so that only the guilty one fails.
//!
//! The writer also looks after the files (`files.rs`): nothing is acknowledged once the database is not where it was opened, and the
//! last room of a disk is for deletions.

use super::cache::WriterCache;
use super::files::Files;
use super::{SqliteTx, trouble};
use crate::db::freeing;
use crate::db::store::{Counters, LiveCounters};
use crate::db::tx::Tx;
use crate::db::wakeups::Wakeups;
use crate::db::work::{AnyResult, AnyWrite};
use crate::error::{StoreError, StoreResult, overlooked};
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tavernkeep_engine::id::Id;
use tokio::sync::oneshot;

/// Writes of one commit at most.
const BATCH_MAX: usize = 256;
/// Writes that may wait. More would only wait longer than their clients do.
const WAITING_MAX: usize = 8_192;
/// How long a batch may collect before it commits: others wait for it.
const BATCH_TIME: Duration = Duration::from_millis(50);
/// For how many batches savepoints stay on after one was needed.
const CAREFUL_BATCHES: u32 = 64;
pub struct Writer {
    queue: SyncSender<Message>,
    thread: JoinHandle<()>,
    counters: Arc<LiveCounters>,
}

enum Message {
    Write(Job),
    Close,
}

impl Writer {
    /// Starts the thread. Its events stand behind `last_position`, and `wakeups` wakes their followers.
    pub fn start(
        connection: Connection,
        last_position: i64,
        wakeups: Arc<Wakeups>,
        files: Files,
    ) -> StoreResult<Writer> {
        let (queue, waiting) = sync_channel(WAITING_MAX);
        let counters = Arc::new(LiveCounters::default());
        let shared = Arc::clone(&counters);
        let thread = std::thread::Builder::new()
            .name("store-writer".into())
            .spawn(move || run(Desk::new(&connection, &shared, last_position, &wakeups, files), &waiting))
            .map_err(|error| StoreError::Unavailable(format!("the writer cannot start: {error}")))?;
        Ok(Writer { queue, thread, counters })
    }

    pub async fn write(&self, work: AnyWrite) -> StoreResult<AnyResult> {
        let (answer, answered) = oneshot::channel();
        let job = Job { work, frees: freeing::is_current(), result: None, answer };
        let gone = || StoreError::Unavailable("the store is closing".into());
        self.queue.try_send(Message::Write(job)).map_err(|error| match error {
            TrySendError::Full(_) => StoreError::Unavailable(format!("{WAITING_MAX} writes are waiting already")),
            TrySendError::Disconnected(_) => gone(),
        })?;
        answered.await.map_err(|_| gone())?
    }

    pub fn counters(&self, reads: u64) -> Counters {
        Counters { reads, ..self.counters.read() }
    }

    /// Lets the writes that are waiting finish and checkpoints the log.
    pub async fn close(self) {
        let _ = self.queue.send(Message::Close);
        let _ = tokio::task::spawn_blocking(move || self.thread.join()).await;
    }
}

struct Job {
    work: AnyWrite,
    /// Whether it makes room, and may use the reserve of a full disk for that.
    frees: bool,
    result: Option<StoreResult<AnyResult>>,
    answer: oneshot::Sender<StoreResult<AnyResult>>,
}

impl Job {
    /// Runs it and keeps its result for later.
    fn run(&mut self, tx: &mut dyn Tx) -> Result<(), StoreError> {
        // A panic in one request must not take the writer, and with it every other request, down.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (self.work)(tx)))
            .unwrap_or_else(|_| Err(StoreError::Internal("a write panicked; nothing of it was kept".into())));
        let outcome = result.as_ref().map(drop).map_err(Clone::clone);
        self.result = Some(result);
        outcome
    }

    fn fail(&mut self, error: StoreError) {
        self.result = Some(Err(error));
    }

    /// Sends the kept result, or `trouble` if the commit did not happen.
    fn answer(self, trouble: Option<&StoreError>) {
        let result = match trouble {
            Some(trouble) => Err(trouble.clone()),
            None => self.result.unwrap_or_else(|| Err(StoreError::Internal("a write was never run".into()))),
        };
        // The caller may be gone; the write stands all the same.
        let _ = self.answer.send(result);
    }
}

fn run(mut desk: Desk<'_>, waiting: &Receiver<Message>) {
    let mut open = true;
    while open {
        let message = waiting.recv_timeout(desk.files.pause());
        let first = match message {
            Ok(Message::Write(first)) => first,
            Err(RecvTimeoutError::Timeout) => {
                desk.files.rest_if_needed(desk.connection);
                desk.cache.shrink_if_idle(desk.connection);
                continue;
            }
            Ok(Message::Close) | Err(RecvTimeoutError::Disconnected) => break,
        };
        let mut batch = Batch::begin(&mut desk, Tried::default());
        batch.add(first);
        while batch.has_room() {
            match waiting.try_recv() {
                Ok(Message::Write(job)) => batch.add(job),
                Ok(Message::Close) => {
                    open = false;
                    break;
                }
                Err(_) => break,
            }
        }
        batch.finish();
        desk.files.look_after(desk.connection);
    }
    desk.files.close(desk.connection);
}

/// What the writer has before it from batch to batch.
struct Desk<'a> {
    connection: &'a Connection,
    counters: &'a LiveCounters,
    wakeups: &'a Wakeups,
    last_position: i64,
    /// How many batches to come get savepoints.
    careful: u32,
    files: Files,
    cache: WriterCache,
}

impl<'a> Desk<'a> {
    fn new(
        connection: &'a Connection,
        counters: &'a LiveCounters,
        last_position: i64,
        wakeups: &'a Wakeups,
        files: Files,
    ) -> Self {
        Desk { connection, counters, wakeups, last_position, careful: 0, files, cache: WriterCache::default() }
    }

    /// The position of the next write: the time in microseconds, or one more than the last. So it rises across restarts
    /// too, whatever has been purged meanwhile.
    fn next_position(&mut self) -> i64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        let now = i64::try_from(now).unwrap_or(i64::MAX);
        self.last_position = now.max(self.last_position.saturating_add(1));
        self.last_position
    }

    fn statement(&self, sql: &'static str) -> StoreResult<()> {
        self.connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute([]))
            .map(drop)
            .map_err(|error| trouble(&error))
    }

    fn make_room(&mut self) -> bool {
        self.files.make_room(self.connection)
    }

    fn undo(&self, void: &Void) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.statement("ROLLBACK")
        {
            tracing::error!(%error, "a void batch could not be rolled back");
        }
        // Pages that were read while the file could not be read, or was another one, must not be used when it is well again.
        if matches!(void, Void::Lost(error) if !matches!(error, StoreError::Full(_)))
            && let Err(error) = self.connection.execute_batch("PRAGMA shrink_memory")
        {
            tracing::error!(%error, "the pages in memory could not be dropped");
        }
    }
}

struct Batch<'a, 'b> {
    desk: &'a mut Desk<'b>,
    jobs: Vec<Job>,
    wakeups: Vec<Id>,
    started: Instant,
    savepoints: bool,
    tried: Tried,
    void: Option<Void>,
}

/// What was done already to make room for a batch.
#[derive(Debug, Clone, Copy, Default)]
struct Tried {
    /// The log was checkpointed.
    checkpoint: bool,
    /// The reserve was given to it.
    reserve: bool,
}

enum Void {
    Lost(StoreError),
    /// A write refused after it had written, and only a savepoint can undo it alone.
    WantsSavepoints,
}

impl<'a, 'b> Batch<'a, 'b> {
    fn begin(desk: &'a mut Desk<'b>, tried: Tried) -> Self {
        let savepoints = desk.careful > 0;
        desk.careful = desk.careful.saturating_sub(1);
        let begun = desk.files.presence.check().and_then(|()| desk.statement("BEGIN IMMEDIATE"));
        let void = begun.err().map(Void::Lost);
        Batch { desk, jobs: Vec::new(), wakeups: Vec::new(), started: Instant::now(), savepoints, tried, void }
    }

    fn has_room(&self) -> bool {
        self.void.is_none() && self.jobs.len() < BATCH_MAX && self.started.elapsed() < BATCH_TIME
    }

    fn add(&mut self, mut job: Job) {
        if self.void.is_none() {
            match job.frees || self.desk.files.reserve.is_there() {
                true => self.void = self.run(&mut job).err(),
                // What is left of the disk is for deletions.
                false => job.fail(self.desk.files.reserve.refusal()),
            }
        }
        self.jobs.push(job);
    }

    /// Runs one write. An error of this function means that the transaction around it cannot stand.
    fn run(&mut self, job: &mut Job) -> Result<(), Void> {
        if self.savepoints {
            self.desk.statement("SAVEPOINT write").map_err(Void::Lost)?;
        }
        let connection = self.desk.connection;
        let before = connection.total_changes();
        let mut tx = SqliteTx::writing(connection, self.desk.next_position());
        let outcome = match job.run(&mut tx) {
            Ok(()) if tx.has_failed() => {
                job.fail(overlooked());
                Err(overlooked())
            }
            outcome => outcome,
        };
        if outcome.is_ok() {
            self.wakeups.extend(tx.into_woken());
        }
        self.desk.cache.note_changes(connection, connection.total_changes() - before);
        match outcome {
            Ok(()) if self.savepoints => self.desk.statement("RELEASE write").map_err(Void::Lost),
            Ok(()) => Ok(()),
            // Some errors end the whole transaction by themselves; its neighbours are gone with it.
            Err(error) if connection.is_autocommit() => Err(Void::Lost(error)),
            // Trouble with the disk: do not trust what is left of the transaction.
            Err(error @ (StoreError::Full(_) | StoreError::Unavailable(_) | StoreError::Corrupt(_))) => {
                Err(Void::Lost(error))
            }
            // A refusal, or a defect of ours, undoes nothing but itself.
            Err(_) if self.savepoints => self
                .desk
                .statement("ROLLBACK TO write")
                .and_then(|()| self.desk.statement("RELEASE write"))
                .map_err(Void::Lost),
            Err(_) if connection.total_changes() == before => Ok(()),
            Err(_) => Err(Void::WantsSavepoints),
        }
    }

    fn finish(mut self) {
        if self.void.is_none() {
            // A commit may copy the log into the file.
            let files = &self.desk.files;
            let committed = files.presence.check_content().and_then(|()| self.desk.statement("COMMIT"));
            files.presence.note_writes();
            self.void = committed.err().map(Void::Lost);
            self.desk.files.note_commit();
        }
        if self.void.is_none()
            && let Err(gone) = self.desk.files.presence.check()
        {
            // It was stored in a file that nobody finds, unless it is put back.
            let gone = StoreError::Unconfirmed(gone.to_string());
            return self.jobs.into_iter().for_each(|job| job.answer(Some(&gone)));
        }
        let Some(void) = self.void.take() else {
            let counters = self.desk.counters;
            counters.commits.fetch_add(1, Ordering::Relaxed);
            counters.writes.fetch_add(self.jobs.len() as u64, Ordering::Relaxed);
            self.jobs.into_iter().for_each(|job| job.answer(None));
            self.desk.wakeups.wake(&self.wakeups);
            return;
        };
        self.desk.undo(&void);
        let tried = self.tried;
        match (void, self.jobs.as_slice()) {
            // The log may hold more of the disk than what it is about.
            (Void::Lost(StoreError::Full(_)), _) if !tried.checkpoint && self.desk.make_room() => {
                self.run_again(Tried { checkpoint: true, ..tried });
            }
            // With the new room the log can be checkpointed.
            (Void::Lost(StoreError::Full(_)), [job])
                if job.frees && !tried.reserve && self.desk.files.reserve.release() =>
            {
                self.run_again(Tried { checkpoint: false, reserve: true });
            }
            (Void::Lost(trouble), [_]) => self.jobs.into_iter().for_each(|job| job.answer(Some(&trouble))),
            // The refusal of a write that ran alone depends on no other write, and nothing of it is left.
            (Void::WantsSavepoints, [_]) => self.jobs.into_iter().for_each(|job| job.answer(None)),
            (Void::WantsSavepoints, _) => {
                self.desk.careful = CAREFUL_BATCHES;
                self.run_again(tried);
            }
            (Void::Lost(trouble), jobs) => {
                tracing::warn!(%trouble, writes = jobs.len(), "a batch is void; its writes are tried again one by one");
                self.desk.counters.batch_retries.fetch_add(1, Ordering::Relaxed);
                for job in self.jobs {
                    let mut alone = Batch::begin(self.desk, tried);
                    alone.add(job);
                    alone.finish();
                }
            }
        }
    }

    fn run_again(self, tried: Tried) {
        let mut again = Batch::begin(self.desk, tried);
        self.jobs.into_iter().for_each(|job| again.add(job));
        again.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sqlite::presence::Presence;
    use crate::db::sqlite::reserve::Reserve;
    use crate::db::sqlite::{FILE_NAME, connect};
    use crate::db::work::any_write;
    use crate::{params, sql};

    /// What was deleted is in the log as long as it was written there; a writer that rests checkpoints the log and empties it.
    #[tokio::test]
    async fn a_resting_writer_empties_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        let connection = connect(&path).unwrap();
        connection.execute_batch("CREATE TABLE t (account_id TEXT, a BLOB) STRICT").unwrap();
        let presence = Arc::new(Presence::of(&path, true));
        let mut files = Files::new(presence, Reserve::none(), None);
        files.rest_after = Duration::from_millis(5);
        let writer = Writer::start(connection, 0, Arc::default(), files).unwrap();
        let insert = sql!("INSERT INTO t (account_id, a) VALUES ('a', ?1)");
        let work = move |tx: &mut dyn Tx| tx.execute(insert, params![b"a secret".as_slice()]);
        writer.write(any_write(work)).await.unwrap();
        let delete = sql!("DELETE FROM t WHERE account_id = 'a'");
        writer.write(any_write(move |tx: &mut dyn Tx| tx.execute(delete, params![]))).await.unwrap();
        let log = folder.path().join(format!("{FILE_NAME}-wal"));
        // It ends when the log is empty; the writer has nothing else to do.
        while std::fs::metadata(&log).unwrap().len() > 0 {
            tokio::task::yield_now().await;
        }
        let holds = |bytes: Vec<u8>| bytes.windows(8).any(|part| part == b"a secret");
        assert!(!holds(std::fs::read(&path).unwrap()));
        writer.close().await;
    }

    /// A copy over the file empties it first. Whenever a write comes meanwhile, the copy is what is served afterwards.
    #[tokio::test]
    async fn a_file_that_was_empty_for_a_moment_is_the_same_database_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        let connection = connect(&path).unwrap();
        connection.execute_batch("CREATE TABLE t (account_id TEXT, a BLOB) STRICT").unwrap();
        // As if the file was emptied between the look at it and the write.
        let presence = Arc::new(Presence::of(&folder.path().join("not there"), false));
        let writer = Writer::start(connection, 0, Arc::default(), Files::new(presence, Reserve::none(), None)).unwrap();
        let insert = sql!("INSERT INTO t (account_id, a) VALUES ('a', ?1)");
        let put = || writer.write(any_write(move |tx: &mut dyn Tx| tx.execute(insert, params![b"1".as_slice()])));
        put().await.unwrap();
        let other = connect(&path).unwrap();
        let checkpoint = || other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0)).unwrap();
        for expected in 1..4 {
            assert_eq!(checkpoint(), 0);
            let whole = std::fs::read(&path).unwrap();
            std::fs::write(&path, b"").unwrap();
            put().await.unwrap_err();
            std::fs::write(&path, whole).unwrap();
            let count = connect(&path).unwrap().query_row("SELECT COUNT(*) FROM t", [], |row| row.get::<_, i64>(0));
            assert_eq!(count, Ok(expected));
            put().await.unwrap();
        }
        writer.close().await;
    }
}
