//! The pool of workers: a few processes, a line for each account, and a thread that starts what is missing.

use crate::limits::{Limits, SLOW_FOR, START_TRIES_MAX, WORKER_CPU_US_MAX, WORKER_TURNS_MAX};
use crate::process::Worker;
use crate::schedule::Schedule;
use crate::turn::{Runner, ScriptTurn};
use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How scripts are run.
#[derive(Debug, Clone)]
pub struct PoolOptions {
    /// The program that serves as a worker: one that calls [`crate::worker_main`] first. By default the running one.
    pub binary: PathBuf,
    /// Worker processes at most. Of more than one, the last free one is kept for accounts that have none and whose scripts
    /// did not take long lately.
    pub workers: usize,
    /// Turns that may wait for a worker, of all accounts.
    pub waiting_max: usize,
    /// Turns of one account that may wait.
    pub waiting_per_account_max: usize,
    /// How long a turn may wait.
    pub wait_max: Duration,
    /// What scripts may use.
    pub limits: Limits,
}

impl Default for PoolOptions {
    fn default() -> PoolOptions {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        PoolOptions {
            // What runs now, even if the file was replaced since.
            binary: if cfg!(target_os = "linux") {
                PathBuf::from("/proc/self/exe")
            } else {
                std::env::current_exe().unwrap_or_default()
            },
            // One core is left for the requests that need no script. One worker more is kept back, and mostly idle.
            workers: cores.saturating_sub(1).clamp(1, 8) + 1,
            // Each of them holds a thread that others may need.
            waiting_max: 256,
            waiting_per_account_max: 128,
            wait_max: Duration::from_secs(20),
            limits: Limits::default(),
        }
    }
}

/// Why no script can be run now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unavailable {
    /// Too many turns wait already, or one waited too long.
    Busy(String),
    /// No worker can be started.
    NotStarted(String),
}

impl fmt::Display for Unavailable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unavailable::Busy(why) | Unavailable::NotStarted(why) => formatter.write_str(why),
        }
    }
}

impl std::error::Error for Unavailable {}

/// Runs scripts in worker processes. Workers end with the pool.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: PoolOptions,
    state: Mutex<State>,
    /// Asks the starting thread for one more worker.
    start: Mutex<Sender<()>>,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Worker>,
    /// Workers that run, are idle or are being started.
    workers: usize,
    schedule: Schedule<SyncSender<Result<Worker, Unavailable>>>,
    /// The numbers of the processes.
    processes: BTreeSet<u32>,
    /// Workers that were lost since the start.
    lost: u64,
    /// Workers in a row that did not start.
    failed_starts: usize,
}

impl Pool {
    /// A pool. Workers start when they are needed.
    pub fn new(options: PoolOptions) -> Pool {
        let (start, requests) = channel();
        let shared = Arc::new(Shared { options, state: Mutex::default(), start: Mutex::new(start) });
        let starter = Arc::downgrade(&shared);
        let binary = shared.options.binary.clone();
        let limits = shared.options.limits;
        // Workers end with the thread that started them, so it is one that lives as long as the pool.
        // Without it no worker is handed out, and waiting turns get an error.
        drop(thread::Builder::new().name("script-workers".to_owned()).spawn(move || {
            start_workers(&requests, &binary, &limits, &|started| {
                if let Some(shared) = starter.upgrade() {
                    shared.started(started);
                }
            });
        }));
        Pool { shared }
    }

    /// Starts the first worker, so that the first turn finds it ready.
    pub fn warm_up(&self) {
        self.shared.start_missing(&mut self.shared.lock());
    }

    /// What runs the scripts of one turn of an account. A worker is asked for with the first call.
    pub fn turn<'a>(&'a self, account: &'a str) -> ScriptTurn<'a> {
        let runner = Runner::Pool { pool: self, account, worker: None, is_slow: false };
        ScriptTurn::new(runner, self.shared.options.limits)
    }

    /// How many workers were lost since the start: killed, or ended by themselves.
    pub fn workers_lost(&self) -> u64 {
        self.shared.lock().lost
    }

    /// How many turns wait for a worker.
    pub fn turns_waiting(&self) -> usize {
        self.shared.lock().schedule.waiting()
    }

    /// The numbers of the worker processes that wait for work, for tests and operators.
    pub fn idle_workers(&self) -> Vec<u32> {
        self.shared.lock().idle.iter().map(Worker::id).collect()
    }

    /// The numbers of all worker processes, for tests and operators. One that just ended may be among them.
    pub fn workers(&self) -> Vec<u32> {
        self.shared.lock().processes.iter().copied().collect()
    }

    /// Takes a worker that is ready for a turn, waiting for it in the line of the account.
    pub(crate) fn acquire(&self, account: &str) -> Result<Worker, Unavailable> {
        loop {
            let mut worker = self.shared.take(account)?;
            if worker.begin_turn().is_ok() {
                return Ok(worker);
            }
            // It ended or stalled while it was idle; that is nobody's fault who comes now.
            self.lost(worker, account, false);
        }
    }

    /// Takes back a worker after a turn.
    pub(crate) fn release(&self, mut worker: Worker, account: &str, is_slow: bool) {
        let is_old = worker.turns >= WORKER_TURNS_MAX || worker.cpu_us() > WORKER_CPU_US_MAX;
        if is_old || worker.end_turn().is_err() {
            return self.shared.gone(worker, account, is_slow, !is_old);
        }
        let mut state = self.shared.lock();
        state.give_back(account, is_slow);
        state.idle.push(worker);
        self.shared.hand_out(&mut state);
    }

    /// Ends a worker that cannot be used any more.
    pub(crate) fn lost(&self, worker: Worker, account: &str, is_slow: bool) {
        self.shared.gone(worker, account, is_slow, true);
    }
}

impl State {
    fn give_back(&mut self, account: &str, is_slow: bool) {
        self.schedule.give_back(account);
        if is_slow {
            let now = Instant::now();
            self.schedule.mark_slow(account, now, now + SLOW_FOR);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // What the lock guards is whole between any two statements.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, account: &str) -> Result<Worker, Unavailable> {
        let options = &self.options;
        let (sender, receiver) = sync_channel(1);
        let ticket = {
            let mut state = self.lock();
            let waiting = state.schedule.waiting_of(account);
            if state.schedule.waiting() >= options.waiting_max || waiting >= options.waiting_per_account_max {
                let message = "too many turns with scripts are waiting; try again";
                return Err(Unavailable::Busy(message.to_owned()));
            }
            let ticket = state.schedule.push(account, sender);
            self.hand_out(&mut state);
            if state.schedule.waiting() > 0 {
                self.start_missing(&mut state);
            }
            ticket
        };
        match receiver.recv_timeout(options.wait_max) {
            Ok(handed_out) => handed_out,
            Err(RecvTimeoutError::Timeout) => {
                // Workers are handed out under the lock: one that is not there now will not come any more.
                let mut state = self.lock();
                state.schedule.remove(account, ticket);
                let late = receiver.try_recv().ok();
                late.unwrap_or_else(|| Err(Unavailable::Busy("scripts of others take too long; try again".to_owned())))
            }
            Err(RecvTimeoutError::Disconnected) => Err(Unavailable::NotStarted("the workers were stopped".to_owned())),
        }
    }

    /// Hands idle workers to the turns that wait and may have one.
    fn hand_out(&self, state: &mut State) {
        while !state.idle.is_empty()
            && let Some((account, waiter)) = state.schedule.next(self.options.workers, Instant::now())
            && let Some(worker) = state.idle.pop()
        {
            if let Err(TrySendError::Full(worker) | TrySendError::Disconnected(worker)) = waiter.try_send(Ok(worker)) {
                // Who waited has given up.
                state.schedule.give_back(&account);
                state.idle.extend(worker);
            }
        }
    }

    fn gone(&self, worker: Worker, account: &str, is_slow: bool, is_lost: bool) {
        self.lock().processes.remove(&worker.id());
        drop(worker);
        let mut state = self.lock();
        state.give_back(account, is_slow);
        state.workers = state.workers.saturating_sub(1);
        state.lost += u64::from(is_lost);
        // A replacement starts at once, so that the next turn finds it warm.
        self.start_missing(&mut state);
        // The account has one less, so one that is idle may be for it.
        self.hand_out(&mut state);
    }

    /// Asks for one more worker if there may be one.
    fn start_missing(&self, state: &mut State) {
        if state.workers < self.options.workers {
            let start = self.start.lock().unwrap_or_else(PoisonError::into_inner);
            state.workers += usize::from(start.send(()).is_ok());
        }
    }

    fn started(&self, started: Result<Worker, String>) {
        let mut state = self.lock();
        match started {
            Ok(worker) => {
                state.failed_starts = 0;
                state.processes.insert(worker.id());
                state.idle.push(worker);
                self.hand_out(&mut state);
            }
            Err(message) => {
                state.workers = state.workers.saturating_sub(1);
                state.failed_starts += 1;
                // One that was killed while it started says nothing about the next.
                if state.failed_starts < START_TRIES_MAX {
                    if state.schedule.waiting() > 0 {
                        self.start_missing(&mut state);
                    }
                } else if state.workers == 0 {
                    // Nobody comes to help those who wait.
                    state.failed_starts = 0;
                    for waiter in state.schedule.drain() {
                        let _ = waiter.try_send(Err(Unavailable::NotStarted(message.clone())));
                    }
                }
            }
        }
    }
}

fn start_workers(requests: &Receiver<()>, binary: &PathBuf, limits: &Limits, started: &dyn Fn(Result<Worker, String>)) {
    while let Ok(()) = requests.recv() {
        started(Worker::start(binary, limits).map_err(|error| format!("no script worker can be started: {error}")));
    }
}
