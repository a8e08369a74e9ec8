//! What is done around conversations: accounts, requests that are sent twice, purging, retention, export and checks.

pub mod accounts;
pub mod browsers;
pub mod check;
pub mod export;
pub mod history_retention;
pub mod idempotency;
pub mod purge;
pub mod retention;
