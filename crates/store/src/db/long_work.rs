//! Work that is too long for one transaction and changes nothing that can be seen, so that it can be done in parts before the write
//! that needs it.
//!
//! A write that meets such work stops with [`StoreError::InParts`], and nothing of it is kept. The store does the parts, each in a
//! transaction of its own, and runs the write again. So others wait for a part, and never for the whole.
//!
//! The parts take the clock of the session. So a write that takes that clock at a tick which it has read must not stop: it would find
//! another tick when it is run again, and be refused. Such a write does the work by itself ([`without_stops`]); what prepares it
//! does the long work before it reads the tick.

use crate::db::tx::Tx;
use crate::db::work::AnyWrite;
use crate::error::{StoreError, StoreResult};
use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex, PoisonError};

/// Does the next part; returns whether nothing is left.
type DoPart = dyn Fn(&mut dyn Tx) -> StoreResult<bool> + Send + Sync;

#[derive(Clone)]
pub struct LongWork(Arc<DoPart>);

impl LongWork {
    pub fn do_part(&self, tx: &mut dyn Tx) -> StoreResult<bool> {
        (self.0)(tx)
    }
}

/// The work that a write stopped for, on its way from the thread of the write to the one that waits for it.
#[derive(Default)]
pub struct FoundWork(Mutex<Option<LongWork>>);

impl FoundWork {
    pub fn take(&self) -> Option<LongWork> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, work: Option<LongWork>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = work;
    }
}

thread_local! {
    /// Whether the write that runs on this thread stops before long work.
    static STOPS: Cell<bool> = const { Cell::new(false) };
    /// What it stopped for.
    static FOUND: RefCell<Option<LongWork>> = const { RefCell::new(None) };
}

/// Whether the write that runs should stop before long work and be run again after it. One that was stopped often enough, because
/// others make new work for it, does all of it by itself.
pub fn stops() -> bool {
    STOPS.get()
}

/// The error that a write stops with.
pub fn in_parts(part: impl Fn(&mut dyn Tx) -> StoreResult<bool> + Send + Sync + 'static) -> StoreError {
    FOUND.set(Some(LongWork(Arc::new(part))));
    StoreError::InParts
}

/// Sets whether the write stops for as long as this lives, also when the write panics.
struct Stops {
    before: bool,
}

impl Stops {
    fn set(stops: bool) -> Stops {
        Stops { before: STOPS.replace(stops) }
    }
}

impl Drop for Stops {
    fn drop(&mut self) {
        STOPS.set(self.before);
    }
}

/// Does a part of a write that must not stop.
pub fn without_stops<T>(work: impl FnOnce() -> T) -> T {
    let _stops = Stops::set(false);
    work()
}

/// A write that stops before long work, and says which.
pub fn stopping(work: AnyWrite, found: Arc<FoundWork>) -> AnyWrite {
    Arc::new(move |tx| {
        let _stops = Stops::set(true);
        let result = work(tx);
        found.put(FOUND.take());
        result
    })
}
