//! Fingerprints: of texts that clients compute too, and of whatever else is compared.

use crate::error::{StoreError, StoreResult};
use sha2::{Digest as _, Sha256};
pub use tavernkeep_engine::story::Hash;

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
