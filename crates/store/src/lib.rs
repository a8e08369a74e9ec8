//! SQLite and PostgreSQL behind one door. Only this crate knows SQL.
//!
//! [`Store`] opens a database and runs transactions; the modules beside it are functions that read like the domain, each
//! written once against [`tx::Tx`] for both databases.

pub mod accounts;
pub mod backup;
mod bequest;
pub mod bodies;
pub mod branches;
mod cascade;
pub mod characters;
pub mod check;
pub mod clock;
mod codec;
mod commit;
mod door;
pub mod error;
pub mod events;
pub mod export;
mod floor_numbers;
pub mod floors;
pub mod forgetting;
mod fork_points;
pub mod global_snapshots;
mod hidden;
pub mod history;
pub mod hosts;
pub mod jobs;
mod lineage;
pub mod listening;
pub mod listing;
mod migrate;
mod news;
pub mod once;
pub mod order;
pub mod pages;
#[cfg(test)]
mod plans;
mod postgres;
pub mod promotions;
pub mod purge;
pub mod quota;
pub mod record;
pub mod resolve;
pub mod retention;
pub mod sessions;
pub mod sql;
mod sqlite;
pub mod staging;
pub mod story;
mod totals;
mod turn_event;
pub mod tx;
pub mod variables;
mod writes;

pub use door::{Counters, Database, Store};
pub use error::{Refusal, StoreError, StoreResult};
pub use migrate::{DEFAULT_ACCOUNT, SCHEMA_VERSION};
pub use news::Follower;
pub use sqlite::{Access, FILE_NAME};
