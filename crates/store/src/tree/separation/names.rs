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

/// The id of a copy where another copy of the same floor or page has that of [`own_id`]: it is made of the whole id of what is copied.
pub fn second_id(session: SessionKey<'_>, id: &Id, branch_row: i64) -> StoreResult<Id> {
    let text = format!("{}{MARK}{}.{branch_row}", second_root(id), session.row);
    text.parse().map_err(|_| StoreError::Internal(format!("{text} is no id")))
}

fn second_root(id: &Id) -> String {
    hex(&format!("{id}{MARK}"))
}

/// The ids that the copy of a floor or page can have, the one that is surely its own first.
pub fn ids_of_copy(session: SessionKey<'_>, id: &Id, branch_row: i64) -> StoreResult<[Id; 2]> {
    Ok([second_id(session, id, branch_row)?, own_id(session, id, branch_row)?])
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
    copy(id).map_or(id.as_str(), |copy| copy.root)
}

/// Whether an id has the form of a copy's. Clients get no new ones of this form.
pub fn is_copy(id: &Id) -> bool {
    copy(id).is_some()
}

/// Whether a floor or page is the copy of the one with this id, or of what that is a copy of: a client of its branch may know it by
/// that, since the branch shared it.
pub fn is_copy_of(copied: &Id, id: &Id) -> bool {
    let root = origin(id);
    copy(copied).is_some_and(|copy| copy.root == root || copy.root == hex(root) || copy.root == second_root(id))
}

/// The branch that a copy was made for, by its id; none for any other id.
pub fn branch_of_copy(id: &Id) -> Option<i64> {
    copy(id).map(|copy| copy.branch_row)
}

/// What the id of a copy says.
struct CopyId<'a> {
    root: &'a str,
    /// The session and the branch, with a dot between them.
    place: &'a str,
    branch_row: i64,
}

/// Reads the id of a copy; none for any other id. Clients choose ids, so the mark alone does not make one a copy's.
fn copy(id: &Id) -> Option<CopyId<'_>> {
    let (root, place) = id.as_str().rsplit_once(MARK)?;
    let (session_row, branch_row) = place.split_once('.')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let branch_row = Some(branch_row).filter(|_| is_number(session_row) && is_number(branch_row))?.parse().ok()?;
    session_row.parse::<i64>().ok().map(|_| CopyId { root, place, branch_row })
}

/// The ids that copies of a floor or page can have, as ranges: each with its start, included, and its end, excluded. Others may have
/// such ids too, since clients choose theirs.
pub fn ranges_of_copies(id: &Id) -> [(String, String); 3] {
    // "~\u{7f}" sorts behind everything that begins with the mark.
    [origin(id).to_owned(), hex(origin(id)), second_root(id)]
        .map(|root| (format!("{root}{MARK}"), format!("{root}~\u{7f}")))
}

/// The start of what comes behind an id in such a range: behind all copies of the same session, if it is a copy's.
pub fn behind_copies(id: &Id) -> String {
    let copies = copy(id).and_then(|CopyId { root, place, .. }| Some((root, place.split_once('.')?.0)));
    // "/" is the character behind ".".
    copies.map_or_else(|| format!("{id}!"), |(root, session_row)| format!("{root}{MARK}{session_row}/"))
}

/// Whether the snapshot of a page's copy was made of the one with this id.
pub fn is_snapshot_of_copy(page: &Id, snapshot: &Id, id: &Id) -> bool {
    let made_of = |copy: CopyId<'_>| snapshot_id(id.as_str(), copy.branch_row).is_ok_and(|made| made == *snapshot);
    copy(page).is_some_and(made_of)
}

/// An id for the copy of a variable or of a staged write: its own, with the branch it stands on. That of a copy is made of its whole id,
/// since a line can have two copies of one variable.
pub fn variable_id(id: &Id, branch_row: i64) -> StoreResult<Id> {
    let text = match id.as_str().contains('.') {
        true => format!("{}.{branch_row}", hex(id.as_str())),
        false => format!("{id}.{branch_row}"),
    };
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
