//! The ids of copies. They follow from the id of what is copied and the branch, so no chance is needed to make them.

use crate::db::hash::hash;
use crate::tree::prelude::*;
use tavernkeep_engine::limits::ID_CHARS_MAX;

/// Stands between an id and the branch of a copy.
const MARK: &str = "~~";

/// The id of a floor's or page's copy on a branch.
pub fn own_id(session: SessionKey<'_>, id: &Id, branch_row: i64) -> StoreResult<Id> {
    let root = origin(id);
    let place = format!("{MARK}{}.{branch_row}", session.row);
    let text = match root.len() + place.len() <= ID_CHARS_MAX {
        true => format!("{root}{place}"),
        false => format!("{}{place}", hex(root)),
    };
    text.parse().map_err(|_| StoreError::Internal(format!("{text} is no id")))
}

/// Another id for a floor or page whose own one is taken. It is no copy's: a fork that copies both gives each an id of its own.
pub fn other_id(session: SessionKey<'_>, id: &Id, row: i64) -> StoreResult<Id> {
    let root = origin(id);
    let place = format!(".restored-{}.{row}", session.row);
    let text = match root.len() + place.len() + COPY_CHARS_MAX <= ID_CHARS_MAX {
        true => format!("{root}{place}"),
        false => format!("{}{place}", hex(root)),
    };
    text.parse().map_err(|_| StoreError::Internal(format!("{text} is no id")))
}

/// Room that is left for the place of a copy.
const COPY_CHARS_MAX: usize = 42;

/// The id of what a floor or page is a copy of; its own id if it is none.
pub fn origin(id: &Id) -> &str {
    id.as_str().split(MARK).next().unwrap_or_default()
}

/// Whether a floor or page is the copy of the one with this id: a client of its branch may know it by that, since the branch shared it.
pub fn is_copy_of(copy: &Id, id: &Id) -> bool {
    let Some((root, _)) = copy.as_str().split_once(MARK) else { return false };
    root == id.as_str() || root == hex(id.as_str())
}

/// Whether the snapshot of a page's copy was made of the one with this id.
pub fn is_snapshot_of_copy(page: &Id, snapshot: &Id, id: &Id) -> bool {
    let place = page.as_str().split_once(MARK).and_then(|(_, place)| place.split_once('.'));
    let branch_row = place.and_then(|(_, branch_row)| branch_row.parse().ok());
    branch_row.is_some_and(|branch_row| snapshot_id(id.as_str(), branch_row).is_ok_and(|made| made == *snapshot))
}

/// An id for the copy of a variable: the variable's own, with the branch it stands on.
pub fn variable_id(id: &Id, branch_row: i64) -> StoreResult<Id> {
    let first = id.as_str().split('.').next().unwrap_or_default();
    let text = format!("{first}.{branch_row}");
    text.parse().map_err(|_| StoreError::Internal(format!("{text} is no id")))
}

/// A snapshot's id is a UUID of version 4, also where it is made of another one.
pub fn snapshot_id(id: &str, branch_row: i64) -> StoreResult<Id> {
    let mut bytes = hash(format!("{id}{MARK}{branch_row}").as_bytes());
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    stored_id(&format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]))
}

fn hex(text: &str) -> String {
    hash(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
