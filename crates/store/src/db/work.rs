//! Work on a transaction without the type of its result, so that queues, threads and tasks around it are compiled once
//! and not once for every piece of work.

use crate::db::tx::{ReadWork, Tx, WriteWork};
use crate::error::{StoreError, StoreResult};
use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;

pub type AnyResult = Box<dyn Any + Send>;
pub type AnyRead = Box<dyn FnOnce(&mut dyn Tx) -> StoreResult<AnyResult> + Send>;
pub type AnyWrite = Arc<dyn Fn(&mut dyn Tx) -> StoreResult<AnyResult> + Send + Sync>;
pub type Pending<'a> = Pin<Box<dyn Future<Output = StoreResult<AnyResult>> + Send + 'a>>;

pub fn any_read<T: Send + 'static>(work: impl ReadWork<T>) -> AnyRead {
    Box::new(move |tx| Ok(Box::new(work(tx)?)))
}

pub fn any_write<T: Send + 'static>(work: impl WriteWork<T>) -> AnyWrite {
    Arc::new(move |tx| Ok(Box::new(work(tx)?)))
}

/// The result with the type that its work had.
pub fn typed<T: 'static>(result: AnyResult) -> StoreResult<T> {
    result.downcast().map(|result| *result).map_err(|_| StoreError::Internal("a result changed its type".into()))
}
