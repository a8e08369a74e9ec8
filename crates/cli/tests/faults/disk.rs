//! A disk that is watched: every call of SQLite's is counted, can be written down, and can be made to fail.
//!
//! `vfs.rs` stands between SQLite and the system and asks here. A disk is a folder; files elsewhere are left alone.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// What SQLite asks of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    Open,
    Read,
    Write,
    Truncate,
    Sync,
    Size,
    /// Makes a part of the shared memory, which is a file too.
    Map,
    Delete,
}

impl Call {
    pub const ALL: [Call; 8] =
        [Call::Open, Call::Read, Call::Write, Call::Truncate, Call::Sync, Call::Size, Call::Map, Call::Delete];
}

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// `EIO`
    Broken,
    /// `ENOSPC`
    Full,
    /// `ENOSPC` after half of the bytes.
    Short,
}

/// A fault to come: the `nth` call of a kind from now on, counted from 1, and all of that kind behind it if it is sticky.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    pub call: Call,
    pub nth: u64,
    pub failure: Failure,
    pub sticky: bool,
}

/// What happened to a file.
#[derive(Debug, Clone)]
pub enum Event {
    Write {
        file: String,
        offset: u64,
        bytes: Vec<u8>,
    },
    Truncate {
        file: String,
        len: u64,
    },
    /// Everything written to the file so far is on the disk from here on.
    Sync {
        file: String,
        /// Whether its folder was synced, too: then names that were made or deleted stay so.
        folder: bool,
    },
    /// The sync did not work, and the system has forgotten what it should have written.
    FailedSync {
        file: String,
    },
    Delete {
        file: String,
        folder: bool,
    },
}

#[derive(Default)]
pub struct Disk(Mutex<State>);

#[derive(Default)]
struct State {
    events: Vec<Event>,
    recording: bool,
    fault: Option<Fault>,
    seen: u64,
    fired: u64,
}

impl Disk {
    /// Watches what SQLite does in a folder, from now until the disk is dropped.
    pub fn watch(folder: &Path) -> Arc<Disk> {
        crate::vfs::install();
        let folder = folder.canonicalize().expect("the folder exists");
        let disk = Arc::new(Disk::default());
        let mut disks = lock(&DISKS);
        disks.retain(|(_, disk)| disk.strong_count() > 0);
        disks.push((folder, Arc::downgrade(&disk)));
        disk
    }

    /// The disk that a file is on, if it is watched.
    pub fn of(path: &Path) -> Option<Arc<Disk>> {
        lock(&DISKS).iter().filter(|(folder, _)| path.starts_with(folder)).find_map(|(_, disk)| disk.upgrade())
    }

    /// Writes everything down from now on.
    pub fn record(&self) {
        lock(&self.0).recording = true;
    }

    /// How much has been written down: a point in time.
    pub fn position(&self) -> usize {
        lock(&self.0).events.len()
    }

    pub fn take_events(&self) -> Vec<Event> {
        std::mem::take(&mut lock(&self.0).events)
    }

    /// Makes a call fail.
    pub fn arm(&self, fault: Fault) {
        let mut state = lock(&self.0);
        state.fault = Some(fault);
        (state.seen, state.fired) = (0, 0);
    }

    /// Lets everything succeed again and says how often something failed.
    pub fn disarm(&self) -> u64 {
        let mut state = lock(&self.0);
        state.fault = None;
        std::mem::take(&mut state.fired)
    }

    /// Whether this call fails, and how.
    pub(crate) fn fails(&self, call: Call) -> Option<Failure> {
        let mut state = lock(&self.0);
        let fault = state.fault.filter(|fault| fault.call == call)?;
        state.seen += 1;
        let fires = state.seen == fault.nth || (fault.sticky && state.seen > fault.nth);
        state.fired += u64::from(fires);
        fires.then_some(fault.failure)
    }

    pub(crate) fn note(&self, event: impl FnOnce() -> Event) {
        let mut state = lock(&self.0);
        if state.recording {
            state.events.push(event());
        }
    }
}

static DISKS: Mutex<Vec<(PathBuf, Weak<Disk>)>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
