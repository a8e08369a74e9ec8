//! What a session allows: the dialects it reads, how strictly commands are applied, what its document may hold.

pub(crate) mod dialect;
pub(crate) mod guard;
pub mod profile;
pub mod schema;
