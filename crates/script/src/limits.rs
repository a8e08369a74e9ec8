//! The bounds of scripts and of the processes that run them. What authors and clients meet is in the engine's `limits.rs`.

use std::time::Duration;
use tavernkeep_engine::limits::{SCRIPT_FUNCTION_MS, SCRIPT_MEMORY_BYTES, SCRIPT_STACK_BYTES, SCRIPT_TURN_MS};

/// What scripts may use. Times are of the processor: on a busy machine a script does not get less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Microseconds for one run of a function or one pattern.
    pub function_us: u64,
    /// Microseconds for all functions and patterns of a turn.
    pub turn_us: u64,
    /// Bytes of memory of a machine, lodash included.
    pub memory_bytes: usize,
    /// Bytes of its stack.
    pub stack_bytes: usize,
}

impl Limits {
    /// Why a script is not run.
    pub(crate) fn out_of_time(&self) -> String {
        let ms = self.turn_us / 1000;
        format!(
            "not run: the scripts of a turn may run for {ms} ms, and for much less once one of them used up its time"
        )
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            function_us: SCRIPT_FUNCTION_MS * 1000,
            turn_us: SCRIPT_TURN_MS * 1000,
            memory_bytes: SCRIPT_MEMORY_BYTES,
            stack_bytes: SCRIPT_STACK_BYTES,
        }
    }
}

/// How much less a script may use behind one of the same turn that used up its time.
pub(crate) const SHARE_AFTER_TIMEOUT: u64 = 8;

/// Time that a worker gets beyond what its script may take, before it is killed: the machine stops most scripts itself.
pub(crate) const GRACE_US: u64 = 10_000;

/// The processor time after which a worker is killed that runs a script of `script_us` or looks for a pattern in so many bytes.
pub(crate) fn kill_us(script_us: u64, bytes: usize) -> u64 {
    script_us * 3 / 2 + GRACE_US + bytes as u64 / 10
}

/// The processor time that a worker gets beside its script for what it reads before and compares behind it. Documents and replies
/// are bounded, and so is this.
pub(crate) fn read_us(bytes: usize) -> u64 {
    bytes as u64 / 10
}

/// How long a worker may take that would use `cpu_us` of the processor: far longer than a busy machine keeps it waiting, and
/// shorter than others wait for it.
pub(crate) fn silence_max(cpu_us: u64) -> Duration {
    Duration::from_micros(cpu_us.saturating_mul(20)).saturating_add(Duration::from_secs(1))
}

/// Processor time of a worker that starts, and how long it may take.
pub(crate) const START_US: u64 = 5_000_000;
pub(crate) const START_MAX: Duration = Duration::from_secs(10);

/// Workers that are started in a row without success before those who wait get an error.
pub(crate) const START_TRIES_MAX: usize = 3;

/// How often a worker that does not answer is looked at.
pub(crate) const LOOK: Duration = Duration::from_millis(5);

/// A worker is replaced after so many turns, or so much time of the processor.
pub(crate) const WORKER_TURNS_MAX: u64 = 100_000;
pub(crate) const WORKER_CPU_US_MAX: u64 = 600_000_000;

/// How long an account whose scripts took long does not get the last free worker.
pub(crate) const SLOW_FOR: Duration = Duration::from_secs(60);

/// How much less important than other processes a worker is.
pub(crate) const NICENESS: i32 = 10;

/// Seconds of processor time after which the kernel ends a worker. The pool ends it earlier.
pub(crate) const CPU_SECONDS_MAX: u64 = 1_200;

/// Bytes of memory of a worker beside its machine: an order with a large document, and the answer.
#[cfg(target_os = "linux")]
pub(crate) const MEMORY_BESIDE: u64 = 384 * 1024 * 1024;

/// Machines in this process that are kept for later. Each has a few megabytes.
pub(crate) const IDLE_MACHINES_MAX: usize = 4;

/// Bytes of an error message. An author sees it on a line.
pub(crate) const MESSAGE_BYTES_MAX: usize = 500;
