//! SQLite and PostgreSQL behind one door. Only this crate knows SQL.

pub mod error;
pub mod order;
pub mod record;

pub use error::{Refusal, StoreError, StoreResult};
