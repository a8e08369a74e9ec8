//! The wire shapes and error codes of Tavernkeep's HTTP interface.
//!
//! These types are a public contract, so they do not depend on the engine or the store, and the API document is derived
//! from them. Values of variables stay JSON text, see [`Json`].
#![forbid(unsafe_code)]
// The derive of parameters writes whole paths.
#![allow(unused_qualifications)]

pub mod account;
pub mod apply;
pub mod character;
pub mod code;
pub mod edit;
pub mod envelope;
pub mod error;
pub mod event;
pub mod export;
pub mod floor;
pub mod function;
pub mod global_snapshot;
pub mod history;
pub mod import;
pub mod job;
pub mod json;
pub mod ledger;
pub mod list;
pub mod memory;
pub mod page;
pub mod prompt;
pub mod resolve;
pub mod service;
pub mod session;
pub mod snapshot;
pub mod story;
pub mod sync;
pub mod tool;
pub mod trash;
pub mod variable;
pub mod write;

pub use code::ErrorCode;
pub use envelope::{Data, List, ListMeta, SortOrder};
pub use error::{Detail, ErrorBody};
pub use json::{Json, JsonObject};
