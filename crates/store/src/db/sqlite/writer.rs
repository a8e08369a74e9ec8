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
//! The writer also looks after the files: nothing is acknowledged once the database is not where it was opened
//! (`presence.rs`), the last room of a disk is for deletions (`reserve.rs`), and what was deleted leaves the log within a
//! minute, since the log is checkpointed when nobody writes, and now and then under steady writes.

use super::presence::Presence;
use super::reserve::Reserve;
use super::{BUSY_TIMEOUT, SqliteTx, trouble};
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
/// How long nobody writes before the log is checkpointed.
const REST_AFTER: Duration = Duration::from_secs(5);
/// How old the oldest part of the log may become under steady writes.
const LOG_AGE_MAX: Duration = Duration::from_secs(30);
/// How often room is looked for while the reserve is used.
const ROOM_INTERVAL: Duration = Duration::from_secs(1);

/// The files that the writer looks after.
pub struct Files {
    pub presence: Arc<Presence>,
    pub reserve: Reserve,
    /// How long nobody writes before the log is checkpointed.
    pub rest_after: Duration,
}

impl Files {
    pub fn new(presence: Arc<Presence>, reserve: Reserve) -> Files {
        Files { presence, reserve, rest_after: REST_AFTER }
    }
}

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
        let message = match desk.log_since {
            None => waiting.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(_) => waiting.recv_timeout(desk.files.rest_after),
        };
        let first = match message {
            Ok(Message::Write(first)) => first,
            Err(RecvTimeoutError::Timeout) => {
                desk.rest();
                continue;
            }
            Ok(Message::Close) | Err(RecvTimeoutError::Disconnected) => break,
        };
        let mut batch = Batch::begin(&mut desk);
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
        let is_long = desk.log_since.is_some_and(|since| since.elapsed() > LOG_AGE_MAX);
        let wants_room = desk.files.reserve.is_used() && desk.rested_at.elapsed() > ROOM_INTERVAL;
        if is_long || wants_room {
            desk.rest();
        }
    }
    // A short log makes the next start fast; if this fails, the log is read at the next start instead.
    desk.checkpoint();
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
    /// Since when the log holds something; none if it was checkpointed and nothing was written since.
    log_since: Option<Instant>,
    rested_at: Instant,
}

impl<'a> Desk<'a> {
    fn new(
        connection: &'a Connection,
        counters: &'a LiveCounters,
        last_position: i64,
        wakeups: &'a Wakeups,
        files: Files,
    ) -> Self {
        // The process before this one may have left a log.
        let log_since = Some(Instant::now());
        Desk { connection, counters, wakeups, last_position, careful: 0, files, log_since, rested_at: Instant::now() }
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

    /// Copies the log into the database file and gives its room back. False if a reader uses the log, or there is no room.
    fn checkpoint(&self) -> bool {
        let busy = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        match busy {
            Ok(busy) => busy == 0,
            Err(error) => {
                tracing::warn!(%error, "the write-ahead log could not be checkpointed");
                false
            }
        }
    }

    /// Puts the files in order: what is in the log goes into the database, so that nothing deleted stays behind in it, and the
    /// reserve is made again once there is room. It waits for no reader; if one is in the way, the next time will do.
    fn rest(&mut self) {
        let _ = self.connection.busy_timeout(Duration::ZERO);
        if self.files.reserve.is_used() {
            // Free pages are room for the database alone until they are given back.
            if let Err(error) = self.give_back() {
                tracing::warn!(%error, "free pages could not be given back to the disk");
            }
        }
        self.rested_at = Instant::now();
        self.log_since = if self.checkpoint() { None } else { Some(Instant::now()) };
        let _ = self.connection.busy_timeout(BUSY_TIMEOUT);
        if self.files.reserve.is_used() && !self.files.reserve.restore() {
            // Deletions go on in the background; look again.
            self.log_since = Some(Instant::now());
        }
    }

    fn give_back(&self) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached("PRAGMA incremental_vacuum(4000)")?;
        let mut pages = statement.query([])?;
        while pages.next()?.is_some() {}
        Ok(())
    }

    fn undo(&self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.statement("ROLLBACK")
        {
            tracing::error!(%error, "a void batch could not be rolled back");
        }
    }
}

struct Batch<'a, 'b> {
    desk: &'a mut Desk<'b>,
    jobs: Vec<Job>,
    wakeups: Vec<Id>,
    started: Instant,
    savepoints: bool,
    /// Whether the log was checkpointed to make room for it.
    checkpointed: bool,
    void: Option<Void>,
}

enum Void {
    Lost(StoreError),
    /// A write refused after it had written, and only a savepoint can undo it alone.
    WantsSavepoints,
}

impl<'a, 'b> Batch<'a, 'b> {
    fn begin(desk: &'a mut Desk<'b>) -> Self {
        let savepoints = desk.careful > 0;
        desk.careful = desk.careful.saturating_sub(1);
        let begun = desk.files.presence.check().and_then(|()| desk.statement("BEGIN IMMEDIATE"));
        let void = begun.err().map(Void::Lost);
        Batch {
            desk,
            jobs: Vec::new(),
            wakeups: Vec::new(),
            started: Instant::now(),
            savepoints,
            checkpointed: false,
            void,
        }
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
            self.void = self.desk.statement("COMMIT").err().map(Void::Lost);
            self.desk.log_since.get_or_insert_with(Instant::now);
        }
        if self.void.is_none()
            && let Err(gone) = self.desk.files.presence.check()
        {
            // It was stored where nobody will find it.
            return self.jobs.into_iter().for_each(|job| job.answer(Some(&gone)));
        }
        let Some(void) = self.void else {
            let counters = self.desk.counters;
            counters.commits.fetch_add(1, Ordering::Relaxed);
            counters.writes.fetch_add(self.jobs.len() as u64, Ordering::Relaxed);
            self.jobs.into_iter().for_each(|job| job.answer(None));
            self.desk.wakeups.wake(&self.wakeups);
            return;
        };
        self.desk.undo();
        match (void, self.jobs.as_slice()) {
            // The log may hold more of the disk than what it is about.
            (Void::Lost(StoreError::Full(_)), _) if !self.checkpointed && self.desk.checkpoint() => {
                let mut again = Batch::begin(self.desk);
                again.checkpointed = true;
                self.jobs.into_iter().for_each(|job| again.add(job));
                again.finish();
            }
            (Void::Lost(StoreError::Full(_)), [job]) if job.frees && self.desk.files.reserve.release() => {
                let mut again = Batch::begin(self.desk);
                // With the new room the log can be checkpointed.
                self.jobs.into_iter().for_each(|job| again.add(job));
                again.finish();
            }
            (Void::Lost(trouble), [_]) => self.jobs.into_iter().for_each(|job| job.answer(Some(&trouble))),
            // The refusal of a write that ran alone depends on no other write, and nothing of it is left.
            (Void::WantsSavepoints, [_]) => self.jobs.into_iter().for_each(|job| job.answer(None)),
            (Void::WantsSavepoints, _) => {
                self.desk.careful = CAREFUL_BATCHES;
                let mut again = Batch::begin(self.desk);
                again.checkpointed = self.checkpointed;
                self.jobs.into_iter().for_each(|job| again.add(job));
                again.finish();
            }
            (Void::Lost(trouble), jobs) => {
                tracing::warn!(%trouble, writes = jobs.len(), "a batch is void; its writes are tried again one by one");
                self.desk.counters.batch_retries.fetch_add(1, Ordering::Relaxed);
                for job in self.jobs {
                    let mut alone = Batch::begin(self.desk);
                    alone.checkpointed = self.checkpointed;
                    alone.add(job);
                    alone.finish();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let presence = Arc::new(Presence::of(&path));
        let files = Files { rest_after: Duration::from_millis(5), ..Files::new(presence, Reserve::none()) };
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
}
