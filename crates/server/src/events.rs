//! `/events` on the wire.

pub(crate) mod frames;
pub(crate) mod id;
pub(crate) mod listeners;
pub(crate) mod stream;
