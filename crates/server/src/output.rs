//! Writes what a response says.

pub(crate) mod cache;
pub(crate) mod convert;
pub(crate) mod export;
pub(crate) mod history;
pub(crate) mod render;
pub(crate) mod reply;
pub mod wire;
