//! Reading back what we stored ourselves: ids, texts, keys, and enums by their numbers.

use crate::error::{StoreError, StoreResult};
use tavernkeep_engine::floor::{FloorState, PageKind};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::scope::Scope;

/// A scope's number in the database.
pub(crate) fn scope_number(scope: Scope) -> i64 {
    match scope {
        Scope::Global => 0,
        Scope::Chat => 1,
        Scope::Branch => 2,
        Scope::Floor => 3,
        Scope::Page => 4,
    }
}

pub(crate) fn scope_of_number(number: i64) -> StoreResult<Scope> {
    usize::try_from(number)
        .ok()
        .and_then(|index| Scope::ALL.get(index).copied())
        .ok_or_else(|| StoreError::Corrupt(format!("there is no scope {number}")))
}

pub(crate) fn floor_state_number(state: FloorState) -> i64 {
    match state {
        FloorState::Draft => 0,
        FloorState::Generating => 1,
        FloorState::Committed => 2,
        FloorState::Failed => 3,
    }
}

pub(crate) fn floor_state_of_number(number: i64) -> StoreResult<FloorState> {
    usize::try_from(number)
        .ok()
        .and_then(|index| FloorState::ALL.get(index).copied())
        .ok_or_else(|| StoreError::Corrupt(format!("there is no floor state {number}")))
}

pub(crate) fn page_kind_number(kind: PageKind) -> i64 {
    match kind {
        PageKind::Input => 0,
        PageKind::Output => 1,
        PageKind::Mixed => 2,
    }
}

pub(crate) fn page_kind_of_number(number: i64) -> StoreResult<PageKind> {
    usize::try_from(number)
        .ok()
        .and_then(|index| PageKind::ALL.get(index).copied())
        .ok_or_else(|| StoreError::Corrupt(format!("there is no page kind {number}")))
}

/// Reads an id that we stored ourselves.
pub(crate) fn stored_id(text: &str) -> StoreResult<Id> {
    text.parse().map_err(|_| StoreError::Corrupt(format!("{text:?} is stored as an id and is none")))
}

/// Reads free text that we stored ourselves.
pub(crate) fn stored_text(bytes: &[u8]) -> StoreResult<String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| StoreError::Corrupt("a text is not UTF-8".into()))
}

pub(crate) fn stored_key(bytes: &[u8]) -> StoreResult<Key> {
    let broken = || StoreError::Corrupt("a key is stored that is none".into());
    std::str::from_utf8(bytes).map_err(|_| broken())?.parse().map_err(|_| broken())
}

/// A word that we stored as a number.
pub(crate) fn stored_word<T>(found: Option<T>) -> StoreResult<T> {
    found.ok_or_else(|| StoreError::Corrupt("a number is stored that stands for nothing".into()))
}
