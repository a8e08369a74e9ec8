//! The story state: one document for each page, as versions that never change and snapshots that point to them.
//!
//! A floor is part of the story once it is committed. Its *story page* is the active page of its last slot that commands
//! are read from: `output` and `mixed`, and `input` too where the session's profile reads what people write.

pub mod cleanup;
pub mod edits;
mod flags;
pub mod garbage;
pub mod goal;
pub mod inventory;
pub mod origins;
pub(crate) mod places;
pub mod plan;
pub mod results;
pub mod settings;
pub mod snapshots;
pub mod states;
pub mod texts;
pub mod versions;
pub mod walk;

pub(crate) use flags::{around, around_branch, doubt_all, look_on, refresh, touched, wrong_flags};

use crate::error::{StoreError, StoreResult};
use sha2::{Digest as _, Sha256};
use tavernkeep_engine::story::Hash;

/// The fingerprint of a text: the first half of its SHA-256, which clients can compute as well and name it by.
pub fn text_hash(text: Option<&str>) -> Hash {
    half(&Sha256::digest(text.unwrap_or_default().as_bytes()))
}

/// The fingerprint of bytes. Half of what the function gives is far more than chance can meet twice.
pub fn hash(bytes: &[u8]) -> Hash {
    half(blake3::hash(bytes).as_bytes())
}

fn half(whole: &[u8]) -> Hash {
    whole.first_chunk().copied().unwrap_or_default()
}

pub(crate) fn stored_hash(bytes: &[u8]) -> StoreResult<Hash> {
    bytes.try_into().map_err(|_| StoreError::Corrupt("a fingerprint has another length".into()))
}
