//! The story state: one document for each page, as versions that never change and snapshots that point to them.
//!
//! A floor is part of the story once it is committed. Its *story page* is the active page of its last slot that commands
//! are read from: `output` and `mixed`, and `input` too where the session's profile reads what people write.

pub mod edits;
mod flags;
pub mod greetings;
mod places;
pub mod plan;
pub mod settings;
pub mod snapshots;
pub mod states;
pub mod turns;
pub mod versions;

pub(crate) use flags::{around, around_branch, refresh, refresh_all, touched, wrong_flags};

use crate::error::{StoreError, StoreResult};
use tavernkeep_engine::story::Hash;

/// The fingerprint of a text.
pub fn text_hash(text: Option<&str>) -> Hash {
    hash(text.unwrap_or_default().as_bytes())
}

/// The fingerprint of bytes. Half of what the function gives is far more than chance can meet twice.
pub fn hash(bytes: &[u8]) -> Hash {
    let whole = blake3::hash(bytes);
    let mut half = Hash::default();
    let length = half.len();
    half.copy_from_slice(&whole.as_bytes()[..length]);
    half
}

pub(crate) fn stored_hash(bytes: &[u8]) -> StoreResult<Hash> {
    bytes.try_into().map_err(|_| StoreError::Corrupt("a fingerprint has another length".into()))
}
