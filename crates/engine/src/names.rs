//! The names of things: ids, keys, scopes, roles and the codes of problems, and how they are stored.

pub mod id;
pub mod key;
pub mod nearest;
pub mod problem;
pub mod role;
pub mod scope;
mod stored;
pub mod stored_enum;
