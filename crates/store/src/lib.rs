//! SQLite and PostgreSQL behind one door. Only this crate knows SQL.
//!
//! [`Store`] opens a database and runs transactions; the modules beside it are functions that read like the domain, each
//! written once against [`tx::Tx`] for both databases.

pub mod accounts;
pub mod backup;
pub mod bodies;
pub mod branches;
mod cascade;
pub mod check;
pub mod clock;
mod codec;
mod door;
pub mod error;
pub mod export;
pub mod floors;
pub mod hosts;
pub mod listing;
mod migrate;
pub mod order;
pub mod pages;
mod postgres;
pub mod record;
pub mod resolve;
pub mod sessions;
pub mod sql;
mod sqlite;
mod totals;
pub mod tx;
pub mod variables;

pub use door::{Counters, Database, Store};
pub use error::{Refusal, StoreError, StoreResult};
pub use migrate::{DEFAULT_ACCOUNT, SCHEMA_VERSION};
pub use sqlite::{Access, FILE_NAME};
