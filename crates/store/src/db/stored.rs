//! Reading back what we stored ourselves: ids, texts, keys, and enums by their numbers.

use crate::error::{StoreError, StoreResult};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::stored_enum::StoredEnum;

pub fn stored_enum<T: StoredEnum>(number: i64) -> StoreResult<T> {
    T::of_number(number).ok_or_else(|| StoreError::Corrupt(format!("there is no {} with number {number}", T::NAME)))
}

pub fn stored_id(text: &str) -> StoreResult<Id> {
    text.parse().map_err(|_| StoreError::Corrupt(format!("{text:?} is stored where an id belongs and is not an id")))
}

pub fn stored_text(bytes: &[u8]) -> StoreResult<String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| StoreError::Corrupt("a text is not UTF-8".into()))
}

pub fn stored_key(bytes: &[u8]) -> StoreResult<Key> {
    let broken = || StoreError::Corrupt("a key is stored that is none".into());
    std::str::from_utf8(bytes).map_err(|_| broken())?.parse().map_err(|_| broken())
}
