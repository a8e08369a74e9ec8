//! SQLite and PostgreSQL behind one handle. Only this crate knows SQL.
//!
//! [`Store`] opens a database and runs transactions; the modules beside it are functions that read like the domain, each
//! written once against [`db::tx::Tx`] for both databases.
//!
//! The folders stand on each other in this order, and none imports one behind it (`scripts/import-cycles` checks that):
//! [`types`], [`error`], [`db`], [`tree`], [`events`], [`tools`], [`variables`], [`story`], [`jobs`], [`conversation`], [`upkeep`].

// Only this workspace uses the crate: a comment that repeats a name helps nobody.
#![allow(missing_docs)]

pub mod conversation;
pub mod db;
pub mod error;
pub mod events;
pub mod jobs;
pub mod story;
pub mod tools;
pub mod tree;
pub mod types;
pub mod upkeep;
pub mod variables;

pub use db::migrate::{DEFAULT_ACCOUNT, SCHEMA_VERSION};
pub use db::sqlite::page_checksums::stamp;
pub use db::sqlite::{Access, FILE_NAME};
pub use db::store::{Counters, Database, Store};
pub use db::wakeups::Follower;
pub use error::{Refusal, StoreError, StoreResult};
