//! The store as the runtime uses it: its transactions, with the errors of the runtime.

use crate::{Access, Database, RuntimeResult};
use std::ops::Deref;
use tavernkeep_store::db::tx::{ReadWork, WriteWork};

pub(crate) struct Store(tavernkeep_store::Store);

impl Deref for Store {
    type Target = tavernkeep_store::Store;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Store {
    pub(crate) async fn open(database: &Database, access: Access, connections: usize) -> RuntimeResult<Store> {
        Ok(Store(tavernkeep_store::Store::open(database, access, connections).await?))
    }

    pub(crate) async fn write<T: Send + 'static>(&self, work: impl WriteWork<T>) -> RuntimeResult<T> {
        Ok(self.0.write(work).await?)
    }

    pub(crate) async fn read<T: Send + 'static>(&self, work: impl ReadWork<T>) -> RuntimeResult<T> {
        Ok(self.0.read(work).await?)
    }

    pub(crate) async fn read_point<T: Send + 'static>(&self, work: impl ReadWork<T>) -> RuntimeResult<T> {
        Ok(self.0.read_point(work).await?)
    }

    pub(crate) async fn read_small<T: Send + 'static>(&self, work: impl ReadWork<T>) -> RuntimeResult<Option<T>> {
        Ok(self.0.read_small(work).await?)
    }

    pub(crate) async fn read_one<T: Send + 'static>(&self, work: impl ReadWork<T>) -> RuntimeResult<T> {
        Ok(self.0.read_one(work).await?)
    }

    pub(crate) async fn close(self) {
        self.0.close().await;
    }
}
