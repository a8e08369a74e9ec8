//! How much a read may bring into memory. What a request reads is held until its response is built, so every body is counted
//! before it is decoded, whichever list, state or file it belongs to; where there is no room the read ends.

use crate::db::tx::{ReadWork, Tx};
use crate::error::{StoreError, StoreResult};
use std::cell::RefCell;
use std::sync::Arc;

/// Is called with a number of bytes before more are read, and returns whether there is room for them.
pub type Meter = dyn Fn(usize) -> bool + Send + Sync;

/// What a body takes in memory besides its bytes, with the rest of its row, about.
const ROW_BYTES: usize = 200;

/// Bytes that are decoded on a thread that serves others.
const SMALL_BYTES_MAX: usize = 512 * 1024;

tokio::task_local! {
    static METER: Arc<Meter>;
}

thread_local! {
    /// The read that runs on this thread.
    static READ: RefCell<Reading> = RefCell::default();
}

#[derive(Default)]
struct Reading {
    meter: Option<Arc<Meter>>,
    /// What may still be decoded here; none if that has no limit.
    small: Option<usize>,
}

/// Runs work whose reads are counted.
pub async fn scope<F: Future>(meter: Arc<Meter>, work: F) -> F::Output {
    METER.scope(meter, work).await
}

/// A read that counts what it decodes for the task that asks for it, on whatever thread it runs.
pub(crate) fn metered<T>(work: impl ReadWork<T>) -> impl ReadWork<T> {
    let meter = METER.try_with(Arc::clone).ok();
    move |tx: &mut dyn Tx| within(Reading { meter, small: None }, || work(tx))
}

/// The same for one that is broken off with [`StoreError::NotSmall`] when it decodes more than a little.
pub(crate) fn small<T>(work: impl ReadWork<T>) -> impl ReadWork<T> {
    let meter = METER.try_with(Arc::clone).ok();
    move |tx: &mut dyn Tx| within(Reading { meter, small: Some(SMALL_BYTES_MAX) }, || work(tx))
}

/// Counts so many bytes that a read is about to keep: a body that is decoded, or what is made of bodies.
pub fn count(bytes: usize) -> StoreResult<()> {
    READ.with_borrow_mut(|read| {
        if let Some(left) = &mut read.small {
            *left = left.checked_sub(bytes).ok_or(StoreError::NotSmall)?;
        }
        match &read.meter {
            Some(meter) if !meter(bytes.saturating_add(ROW_BYTES)) => Err(StoreError::NoRoom),
            _ => Ok(()),
        }
    })
}

fn within<T>(reading: Reading, work: impl FnOnce() -> T) -> T {
    /// A read that panics must not leave its limits to the next one on this thread.
    struct Restored(Option<Reading>);
    impl Drop for Restored {
        fn drop(&mut self) {
            READ.set(self.0.take().unwrap_or_default());
        }
    }
    let _restored = Restored(Some(READ.replace(reading)));
    work()
}
