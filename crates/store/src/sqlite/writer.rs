//! The one writer: a thread that takes all writes that are waiting and commits them together.
//!
//! Each write runs in a savepoint of its own, so a refusal undoes nothing but itself. No answer, success or refusal,
//! leaves before the commit: a refusal may rest on a neighbour's write. If the transaction is lost after an error (a full
//! disk rolls back everything) or the commit fails, the batch is void and each write is tried again alone, so that only
//! the guilty one fails.

use super::{SqliteTx, trouble};
use crate::door::Counters;
use crate::error::{StoreError, StoreResult, overlooked};
use crate::tx::Tx;
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Writes of one commit at most.
const BATCH_MAX: usize = 256;
/// Writes that may wait. More would only wait longer than their clients do.
const WAITING_MAX: usize = 8_192;
/// How long a batch may collect before it commits: others wait for it.
const BATCH_TIME: Duration = Duration::from_millis(50);

pub(super) struct Writer {
    queue: SyncSender<Message>,
    thread: JoinHandle<()>,
    tallies: Arc<Tallies>,
}

enum Message {
    Write(Box<dyn Job>),
    Close,
}

#[derive(Default)]
struct Tallies {
    writes: AtomicU64,
    commits: AtomicU64,
    void_batches: AtomicU64,
}

impl Writer {
    pub(super) fn start(connection: Connection) -> StoreResult<Writer> {
        let (queue, waiting) = sync_channel(WAITING_MAX);
        let tallies = Arc::new(Tallies::default());
        let shared = Arc::clone(&tallies);
        let thread = std::thread::Builder::new()
            .name("store-writer".into())
            .spawn(move || run(&connection, &waiting, &shared))
            .map_err(|error| StoreError::Unavailable(format!("the writer cannot start: {error}")))?;
        Ok(Writer { queue, thread, tallies })
    }

    pub(super) async fn write<T, F>(&self, work: F) -> StoreResult<T>
    where
        F: Fn(&mut dyn Tx) -> StoreResult<T> + Send + 'static,
        T: Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job = Box::new(TypedJob { work, result: None, answer });
        let gone = || StoreError::Unavailable("the store is closing".into());
        self.queue.try_send(Message::Write(job)).map_err(|error| match error {
            TrySendError::Full(_) => StoreError::Unavailable(format!("{WAITING_MAX} writes are waiting already")),
            TrySendError::Disconnected(_) => gone(),
        })?;
        answered.await.map_err(|_| gone())?
    }

    pub(super) fn counters(&self, reads: u64) -> Counters {
        Counters {
            writes: self.tallies.writes.load(Ordering::Relaxed),
            commits: self.tallies.commits.load(Ordering::Relaxed),
            batch_retries: self.tallies.void_batches.load(Ordering::Relaxed),
            reads,
        }
    }

    /// Lets the writes that are waiting finish and folds the log into the database.
    pub(super) async fn close(self) {
        let _ = self.queue.send(Message::Close);
        let _ = tokio::task::spawn_blocking(move || self.thread.join()).await;
    }
}

/// A write whose type has been forgotten.
trait Job: Send {
    /// Runs it and keeps its result for later.
    fn run(&mut self, tx: &mut dyn Tx) -> Result<(), StoreError>;
    /// Replaces the kept result.
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
        // Nobody may be waiting any more; the write stands all the same.
        let _ = self.answer.send(result);
    }
}

fn run(connection: &Connection, waiting: &Receiver<Message>, tallies: &Tallies) {
    let mut open = true;
    while open {
        let Ok(Message::Write(first)) = waiting.recv() else { break };
        let mut batch = Batch::begin(connection);
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
        batch.finish(tallies);
    }
    // A short log makes the next start fast; if this fails, the log is read at the next start instead.
    if let Err(error) = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())) {
        tracing::warn!(%error, "the write-ahead log could not be folded in at the end");
    }
}

/// The writes of one commit.
struct Batch<'a> {
    connection: &'a Connection,
    jobs: Vec<Box<dyn Job>>,
    started: Instant,
    /// Why nothing of this batch can stand.
    void: Option<StoreError>,
}

impl<'a> Batch<'a> {
    fn begin(connection: &'a Connection) -> Self {
        let void = statement(connection, "BEGIN IMMEDIATE").err();
        Batch { connection, jobs: Vec::new(), started: Instant::now(), void }
    }

    fn has_room(&self) -> bool {
        self.void.is_none() && self.jobs.len() < BATCH_MAX && self.started.elapsed() < BATCH_TIME
    }

    fn add(&mut self, mut job: Box<dyn Job>) {
        if self.void.is_none()
            && let Err(error) = run_in_savepoint(self.connection, job.as_mut())
        {
            self.void = Some(error);
        }
        self.jobs.push(job);
    }

    fn finish(mut self, tallies: &Tallies) {
        if self.void.is_none() {
            self.void = statement(self.connection, "COMMIT").err();
        }
        let Some(trouble) = self.void else {
            tallies.commits.fetch_add(1, Ordering::Relaxed);
            tallies.writes.fetch_add(self.jobs.len() as u64, Ordering::Relaxed);
            self.jobs.into_iter().for_each(|job| job.answer(None));
            return;
        };
        undo(self.connection);
        if let [_] = self.jobs.as_slice() {
            self.jobs.into_iter().for_each(|job| job.answer(Some(&trouble)));
            return;
        }
        tracing::warn!(%trouble, writes = self.jobs.len(), "a batch is void; its writes are tried again one by one");
        tallies.void_batches.fetch_add(1, Ordering::Relaxed);
        for job in self.jobs {
            let mut alone = Batch::begin(self.connection);
            alone.add(job);
            alone.finish(tallies);
        }
    }
}

/// Runs one write. An error of this function means that the transaction around it is lost.
fn run_in_savepoint(connection: &Connection, job: &mut dyn Job) -> StoreResult<()> {
    statement(connection, "SAVEPOINT write")?;
    let mut tx = SqliteTx::new(connection);
    let outcome = job.run(&mut tx);
    let outcome = match outcome {
        Ok(()) if tx.has_failed() => {
            job.fail(overlooked());
            Err(overlooked())
        }
        outcome => outcome,
    };
    match outcome {
        Ok(()) => statement(connection, "RELEASE write"),
        // Some errors end the whole transaction by themselves; its neighbours are gone with it.
        Err(error) if connection.is_autocommit() => Err(error),
        // Trouble with the disk: do not trust what is left of the transaction.
        Err(error @ (StoreError::Full(_) | StoreError::Unavailable(_) | StoreError::Corrupt(_))) => Err(error),
        // A refusal, or a defect of ours, undoes nothing but itself.
        Err(_) => {
            statement(connection, "ROLLBACK TO write")?;
            statement(connection, "RELEASE write")
        }
    }
}

fn undo(connection: &Connection) {
    if !connection.is_autocommit()
        && let Err(error) = statement(connection, "ROLLBACK")
    {
        tracing::error!(%error, "a void batch could not be rolled back");
    }
}

fn statement(connection: &Connection, sql: &'static str) -> StoreResult<()> {
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.execute([]))
        .map(drop)
        .map_err(|error| trouble(&error))
}
