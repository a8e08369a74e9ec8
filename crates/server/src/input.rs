//! Reads what a request says: its path, its query, its body.

pub(crate) mod body;
pub(crate) mod import;
pub(crate) mod multipart;
pub(crate) mod path;
pub(crate) mod query;
pub(crate) mod shape;
pub(crate) mod target;
