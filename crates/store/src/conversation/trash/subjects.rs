//! Sessions, characters and global snapshots in the trash.

use super::{TrashItem, forget, load};
use crate::conversation::{characters, sessions};
use crate::jobs;
use crate::tree::hidden;
use crate::tree::prelude::*;
use crate::tree::trash_items::{self, Amount, Bin, Subject, TrashKind};
use crate::tree::trash_rows::{self, KeptRow, Table, Value};
use crate::types::record::{Condition, JobKind};
use crate::variables::global_snapshots::{self, GlobalSnapshot, StoredBody, WholeSnapshot};

/// Purges a hidden session whose item is gone: at once, or by a job if it is long. Returns whether there is a job.
pub(super) fn purge_session(
    tx: &mut dyn Tx,
    account: &Id,
    (session_row, id): (i64, &Id),
    job: &Id,
    now: i64,
) -> StoreResult<bool> {
    let clock = AccountClock::of(tx, account, now)?;
    let session = SessionKey::new(account, session_row);
    // Another process may have done it.
    let sql = sql!("SELECT 1 FROM session WHERE account_id = ?1 AND session_row = ?2 AND deleted_at IS NOT NULL");
    if first(tx, sql, in_session![session], |row| row.int(0))?.is_none() {
        return Ok(false);
    }
    if !hidden::is_long(tx, session)? {
        hidden::purge(tx, session)?;
        return Ok(false);
    }
    jobs::create(tx, clock.tick(), job, JobKind::DeleteSession, session_row, id)?;
    Ok(true)
}

/// Deletes a global snapshot; returns its item in the trash.
pub fn delete_global_snapshot(
    tx: &mut dyn Tx,
    account: &Id,
    id: &Id,
    (condition, bin): (Condition, &Bin),
    now: i64,
) -> StoreResult<Option<Id>> {
    let clock = AccountClock::of(tx, account, now)?;
    let WholeSnapshot { snapshot, body } = global_snapshots::delete(tx, &clock, id, condition)?;
    let Bin::Trash(item) = bin else { return Ok(None) };
    let kind = TrashKind::GlobalSnapshot;
    let subject = Subject { kind, row: 0, id, name: Some(snapshot.name.as_bytes()), chat_file: None };
    let item = trash_items::put_subject(tx, clock.tick(), item, subject, Amount::default())?;
    let tags = serde_json::to_vec(&snapshot.tags)
        .map_err(|error| StoreError::Internal(format!("tags cannot be written: {error}")))?;
    let description = snapshot.description.map_or(Value::Null, |text| Value::Bytes(text.into_bytes()));
    let row = KeptRow {
        table: Table::GlobalSnapshot,
        values: vec![
            Value::Text(id.to_string()),
            Value::Bytes(snapshot.name.into_bytes()),
            description,
            Value::Bytes(tags),
            Value::Int(snapshot.created_at),
            Value::Int(snapshot.revision),
            Value::Bytes(body.as_stored().to_vec()),
        ],
    };
    trash_rows::keep(tx, SessionKey::new(account, 0), &item, &[row])?;
    Ok(Some(item))
}

/// The global snapshot of an item, under the id it had.
pub(super) fn global_snapshot(tx: &mut dyn Tx, account: &Id, item: &Id) -> StoreResult<WholeSnapshot> {
    let missing = || StoreError::Corrupt(format!("the item {item} of the trash holds nothing"));
    let row = load(tx, SessionKey::new(account, 0), item)?.pop().ok_or_else(missing)?;
    let text = |column: &str| row.bytes(column)?.map(stored_text).transpose();
    let tags = serde_json::from_slice(row.bytes("tags")?.unwrap_or_default())
        .map_err(|error| StoreError::Corrupt(format!("the tags of a global snapshot: {error}")))?;
    Ok(WholeSnapshot {
        snapshot: GlobalSnapshot {
            id: row.id()?,
            name: text("name")?.ok_or_else(missing)?,
            description: text("description")?,
            tags,
            created_at: row.int("created_at")?,
            revision: row.int("revision")?,
        },
        body: StoredBody::from_stored(row.bytes("document")?.ok_or_else(missing)?),
    })
}

/// Puts a session, character or global snapshot back under names that are free. The item is held already.
pub(super) fn restore(
    tx: &mut dyn Tx,
    clock: &AccountClock,
    item: &TrashItem,
    (id, chat_file): (&Id, &str),
) -> StoreResult<()> {
    let account = clock.account();
    match item.kind {
        TrashKind::Session => {
            let mut totals = Totals::default();
            totals.add_trashed(item.subject_row, -item.variables);
            sessions::show_again(tx, clock, item.subject_row, (id, chat_file), totals)?;
        }
        TrashKind::Character => characters::show_again(tx, clock, item.subject_row, id)?,
        _ => {
            let mut whole = global_snapshot(tx, account, &item.id)?;
            if global_snapshots::exists(tx, account, id)? {
                return Err(Refusal::RestoreTaken("global snapshot", id.to_string()).into());
            }
            whole.snapshot.id = id.clone();
            global_snapshots::insert(tx, clock, &whole)?;
        }
    }
    forget(tx, SessionKey::new(account, 0), &item.id)
}
