//! A text as it is stored, with its checksum, compressed where that helps.

use crate::db::codec;
use crate::error::StoreResult;

/// It is made before the transaction that stores it, which others wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredText(Vec<u8>);

/// Bytes up to which a text stands in the row that it belongs to: a row of its own costs two more pages of each commit.
const SHORT_BYTES_MAX: usize = 256;

impl StoredText {
    pub fn new(text: &str) -> StoredText {
        StoredText(codec::encode(text))
    }

    pub(crate) fn from_stored(bytes: &[u8]) -> StoredText {
        StoredText(bytes.to_vec())
    }

    pub(crate) fn text(&self) -> StoreResult<String> {
        codec::decode(&self.0)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Its bytes, as the journal counts them.
    pub fn bytes(&self) -> i64 {
        i64::try_from(self.0.len()).unwrap_or(i64::MAX)
    }

    pub(crate) fn is_short(&self) -> bool {
        self.0.len() <= SHORT_BYTES_MAX
    }
}
