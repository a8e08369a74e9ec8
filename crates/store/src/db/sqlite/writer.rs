//! The one writer: a thread that takes all writes that are waiting and commits them together.
//!
//! A refusal undoes nothing but itself. Savepoints give that, and cost a copy of every page that a write touches; since
//! refusals are rare, a batch is first tried without them. If a write refuses after it has written something, the batch
//! is undone and run again with a savepoint for each write, and so are the next batches: conflicts come in swarms.
//!
//! No answer, success or refusal, leaves before the commit: a refusal may rest on a neighbour's write. If the transaction
//! is lost after an error (a full disk rolls back everything) or the commit fails, the batch is void and each write is
//! tried again alone, so that only the guilty one fails.

use super::{SqliteTx, trouble};
use crate::db::store::{Counters, LiveCounters};
use crate::db::tx::{Tx, WriteWork};
use crate::db::wakeups::Wakeups;
use crate::error::{StoreError, StoreResult, overlooked};
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
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
    Write(Box<dyn Job>),
    Close,
}

impl Writer {
    /// Starts the thread. Its events stand behind `last_position`, and `wakeups` wakes their followers.
    pub fn start(connection: Connection, last_position: i64, wakeups: Arc<Wakeups>) -> StoreResult<Writer> {
        let (queue, waiting) = sync_channel(WAITING_MAX);
        let counters = Arc::new(LiveCounters::default());
        let shared = Arc::clone(&counters);
        let thread = std::thread::Builder::new()
            .name("store-writer".into())
            .spawn(move || run(Desk::new(&connection, &shared, last_position, &wakeups), &waiting))
            .map_err(|error| StoreError::Unavailable(format!("the writer cannot start: {error}")))?;
        Ok(Writer { queue, thread, counters })
    }

    pub async fn write<T: Send + 'static>(&self, work: impl WriteWork<T>) -> StoreResult<T> {
        let (answer, answered) = oneshot::channel();
        let job = Box::new(TypedJob { work, result: None, answer });
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

    /// Lets the writes that are waiting finish and folds the log into the database.
    pub async fn close(self) {
        let _ = self.queue.send(Message::Close);
        let _ = tokio::task::spawn_blocking(move || self.thread.join()).await;
    }
}

trait Job: Send {
    /// Runs it and keeps its result for later.
    fn run(&mut self, tx: &mut dyn Tx) -> Result<(), StoreError>;
    fn fail(&mut self, error: StoreError);
    /// Sends the kept result, or `trouble` if the commit did not happen.
    fn answer(self: Box<Self>, trouble: Option<&StoreError>);
}

struct TypedJob<T, F> {
    work: F,
    result: Option<StoreResult<T>>,
    answer: oneshot::Sender<StoreResult<T>>,
}

impl<T, F> Job for TypedJob<T, F>
where
    F: Fn(&mut dyn Tx) -> StoreResult<T> + Send,
    T: Send,
{
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

    fn answer(self: Box<Self>, trouble: Option<&StoreError>) {
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
        let Ok(Message::Write(first)) = waiting.recv() else { break };
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
    }
    // A short log makes the next start fast; if this fails, the log is read at the next start instead.
    desk.fold();
}

/// What the writer has before it from batch to batch.
struct Desk<'a> {
    connection: &'a Connection,
    counters: &'a LiveCounters,
    wakeups: &'a Wakeups,
    last_position: i64,
    /// How many batches to come get savepoints.
    careful: u32,
}

impl<'a> Desk<'a> {
    fn new(connection: &'a Connection, counters: &'a LiveCounters, last_position: i64, wakeups: &'a Wakeups) -> Self {
        Desk { connection, counters, wakeups, last_position, careful: 0 }
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

    /// Folds the log into the database and gives its room back. False if a reader uses the log, or there is no room.
    fn fold(&self) -> bool {
        let folded = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        match folded {
            Ok(busy) => busy == 0,
            Err(error) => {
                tracing::warn!(%error, "the write-ahead log could not be folded in");
                false
            }
        }
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
    jobs: Vec<Box<dyn Job>>,
    wakeups: Vec<Id>,
    started: Instant,
    savepoints: bool,
    /// Whether the log was folded in to make room for it.
    folded: bool,
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
        let void = desk.statement("BEGIN IMMEDIATE").err().map(Void::Lost);
        Batch { desk, jobs: Vec::new(), wakeups: Vec::new(), started: Instant::now(), savepoints, folded: false, void }
    }

    fn has_room(&self) -> bool {
        self.void.is_none() && self.jobs.len() < BATCH_MAX && self.started.elapsed() < BATCH_TIME
    }

    fn add(&mut self, mut job: Box<dyn Job>) {
        if self.void.is_none() {
            self.void = self.run(job.as_mut()).err();
        }
        self.jobs.push(job);
    }

    /// Runs one write. An error of this function means that the transaction around it cannot stand.
    fn run(&mut self, job: &mut dyn Job) -> Result<(), Void> {
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
            (Void::Lost(StoreError::Full(_)), _) if !self.folded && self.desk.fold() => {
                let mut again = Batch::begin(self.desk);
                again.folded = true;
                self.jobs.into_iter().for_each(|job| again.add(job));
                again.finish();
            }
            (Void::Lost(trouble), [_]) => self.jobs.into_iter().for_each(|job| job.answer(Some(&trouble))),
            // The refusal of a write that ran alone depends on no other write, and nothing of it is left.
            (Void::WantsSavepoints, [_]) => self.jobs.into_iter().for_each(|job| job.answer(None)),
            (Void::WantsSavepoints, _) => {
                self.desk.careful = CAREFUL_BATCHES;
                let mut again = Batch::begin(self.desk);
                again.folded = self.folded;
                self.jobs.into_iter().for_each(|job| again.add(job));
                again.finish();
            }
            (Void::Lost(trouble), jobs) => {
                tracing::warn!(%trouble, writes = jobs.len(), "a batch is void; its writes are tried again one by one");
                self.desk.counters.batch_retries.fetch_add(1, Ordering::Relaxed);
                for job in self.jobs {
                    let mut alone = Batch::begin(self.desk);
                    alone.folded = self.folded;
                    alone.add(job);
                    alone.finish();
                }
            }
        }
    }
}
