//! Writes what a response says.

pub(crate) mod cache;
pub(crate) mod convert;
pub(crate) mod export;
pub(crate) mod functions;
pub(crate) mod history;
pub(crate) mod imports;
pub(crate) mod prompt;
pub(crate) mod render;
pub(crate) mod reply;
pub(crate) mod tools;
pub(crate) mod trash;
pub mod wire;
