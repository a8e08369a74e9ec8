//! Global snapshots: states that belong to no page. They have a name, tags and a body of their own; the bodies stand apart,
//! so that a list touches none.

use crate::events::{self, EventScope};
use crate::tree::clock;
use crate::tree::prelude::*;
use crate::tree::quota::{self, Quotas};
use crate::tree::trash_items::{self, TrashKind};
use crate::types::record::{Condition, EventKind, Listed, Window};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;
use tavernkeep_engine::document::Value;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalSnapshot {
    pub id: Id,
    pub name: String,
    pub description: Option<String>,
    /// Words to find it by, in the order they were given.
    pub tags: Vec<String>,
    /// When it was made, in ms since 1970.
    pub created_at: i64,
    /// The tick of the account's clock at the last change.
    pub revision: i64,
}

impl GlobalSnapshot {
    /// When it last changed, in ms since 1970.
    pub fn updated_at(&self) -> i64 {
        clock::millis(self.revision)
    }
}

/// A document, compressed already, since other writes wait for the writer thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBody(Vec<u8>);

impl From<&Value> for StoredBody {
    fn from(document: &Value) -> Self {
        StoredBody(codec::encode(&document.to_json()))
    }
}

impl StoredBody {
    pub fn from_stored(bytes: &[u8]) -> StoredBody {
        StoredBody(bytes.to_vec())
    }

    pub fn as_stored(&self) -> &[u8] {
        &self.0
    }

    pub fn document(&self) -> StoreResult<Value> {
        Ok(Value::from(&codec::decode_json(&self.0)?))
    }
}

#[derive(Debug, Clone)]
pub struct NewGlobalSnapshot {
    pub id: Id,
    pub name: String,
    pub description: Option<String>,
    pub tags: Vec<String>,
    pub body: StoredBody,
}

/// What changes on a global snapshot. The outer `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct GlobalSnapshotPatch {
    pub name: Option<String>,
    pub description: Option<Option<String>>,
    pub tags: Option<Vec<String>>,
    pub body: Option<StoredBody>,
}

pub fn create(
    tx: &mut dyn Tx,
    account: &Id,
    new: &NewGlobalSnapshot,
    quotas: &Quotas,
    now: i64,
) -> StoreResult<GlobalSnapshot> {
    let clock = AccountClock::of(tx, account, now)?;
    let sql = sql!("SELECT COUNT(*) FROM global_snapshot WHERE account_id = ?1");
    let used: i64 = one(tx, sql, params![account], |row| row.int(0))?;
    let (trashed, max) = (trash_items::count_of(tx, account, TrashKind::GlobalSnapshot)?, quotas.global_snapshots);
    quota::refuse(used + trashed >= max, "global snapshots", max, trashed)?;
    if exists(tx, account, &new.id)? {
        return Err(Refusal::IdTaken("global snapshot", new.id.to_string()).into());
    }
    let whole = WholeSnapshot {
        snapshot: GlobalSnapshot {
            id: new.id.clone(),
            name: new.name.clone(),
            description: new.description.clone(),
            tags: new.tags.clone(),
            created_at: clock.now(),
            revision: clock.tick().seq(),
        },
        body: new.body.clone(),
    };
    insert(tx, &clock, &whole)?;
    Ok(whole.snapshot)
}

/// A global snapshot with its document as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeSnapshot {
    pub snapshot: GlobalSnapshot,
    pub body: StoredBody,
}

/// Inserts a global snapshot whose id is free.
pub(crate) fn insert(tx: &mut dyn Tx, clock: &AccountClock, whole: &WholeSnapshot) -> StoreResult<()> {
    let (account, GlobalSnapshot { id, name, description, tags, created_at, .. }) = (clock.account(), &whole.snapshot);
    let sql = sql!(
        "INSERT INTO global_snapshot (account_id, id, name, description, tags, created_at, revision)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
    );
    let description = description.as_deref().map(str::as_bytes);
    let written = written(tags);
    tx.execute(sql, params![account, id, name.as_bytes(), description, &written, *created_at, clock.tick().seq()])?;
    put_tags(tx, account, id, tags)?;
    let sql = sql!("INSERT INTO global_snapshot_body (account_id, id, document) VALUES (?1, ?2, ?3)");
    tx.execute(sql, params![account, id, &whole.body.0])?;
    events::emit(tx, clock.tick(), EventKind::GlobalSnapshotCreated, &EventScope::ACCOUNT, id, None)
}

pub fn update(
    tx: &mut dyn Tx,
    account: &Id,
    id: &Id,
    patch: &GlobalSnapshotPatch,
    condition: Condition,
    now: i64,
) -> StoreResult<GlobalSnapshot> {
    let clock = AccountClock::of(tx, account, now)?;
    let mut snapshot = get(tx, account, id)?;
    check(&snapshot, condition)?;
    let GlobalSnapshotPatch { name, description, tags, body } = patch;
    if let Some(name) = name {
        snapshot.name.clone_from(name);
    }
    if let Some(description) = description {
        snapshot.description.clone_from(description);
    }
    if let Some(tags) = tags {
        snapshot.tags.clone_from(tags);
        put_tags(tx, account, id, tags)?;
    }
    if let Some(StoredBody(document)) = body {
        let sql = sql!("UPDATE global_snapshot_body SET document = ?3 WHERE account_id = ?1 AND id = ?2");
        tx.execute(sql, params![account, id, document])?;
    }
    let sql = sql!(
        "UPDATE global_snapshot SET name = ?3, description = ?4, tags = ?5, revision = ?6
         WHERE account_id = ?1 AND id = ?2"
    );
    let description = snapshot.description.as_deref().map(str::as_bytes);
    let tags = written(&snapshot.tags);
    tx.execute(sql, params![account, id, snapshot.name.as_bytes(), description, &tags, clock.tick().seq()])?;
    events::emit(tx, clock.tick(), EventKind::GlobalSnapshotUpdated, &EventScope::ACCOUNT, id, None)?;
    get(tx, account, id)
}

/// Deletes a global snapshot; returns what it was.
pub(crate) fn delete(
    tx: &mut dyn Tx,
    clock: &AccountClock,
    id: &Id,
    condition: Condition,
) -> StoreResult<WholeSnapshot> {
    let account = clock.account();
    let snapshot = get(tx, account, id)?;
    check(&snapshot, condition)?;
    let sql = sql!("SELECT document FROM global_snapshot_body WHERE account_id = ?1 AND id = ?2");
    let body = one(tx, sql, params![account, id], |row| Ok(StoredBody(row.bytes(0)?.to_vec())))?;
    tx.execute(sql!("DELETE FROM global_snapshot WHERE account_id = ?1 AND id = ?2"), params![account, id])?;
    events::emit(tx, clock.tick(), EventKind::GlobalSnapshotDeleted, &EventScope::ACCOUNT, id, None)?;
    Ok(WholeSnapshot { snapshot, body })
}

/// Takes up to so many away, for an account that is being deleted; returns how many there were.
pub fn purge(tx: &mut dyn Tx, account: &Id, rows: i64) -> StoreResult<u64> {
    let sql = sql!(
        "DELETE FROM global_snapshot WHERE account_id = ?1 AND id IN (
            SELECT g.id FROM global_snapshot g WHERE g.account_id = ?1 LIMIT ?2)"
    );
    tx.execute(sql, params![account, rows])
}

pub fn get(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<GlobalSnapshot> {
    first(tx, STATEMENTS.get, params![account, id], read)?
        .ok_or_else(|| Refusal::GlobalSnapshotNotFound(id.clone()).into())
}

pub(crate) fn exists(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<bool> {
    Ok(first(tx, STATEMENTS.get, params![account, id], read)?.is_some())
}

pub fn with_body(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<(GlobalSnapshot, Value)> {
    let snapshot = get(tx, account, id)?;
    let sql = sql!("SELECT document FROM global_snapshot_body WHERE account_id = ?1 AND id = ?2");
    let document = one(tx, sql, params![account, id], |row| codec::decode_json(row.bytes(0)?))?;
    Ok((snapshot, Value::from(&document)))
}

pub fn ids(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<Id>> {
    let sql = sql!("SELECT id FROM global_snapshot WHERE account_id = ?1 ORDER BY created_at, id");
    all(tx, sql, params![account], |row| stored_id(row.text(0)?))
}

/// Lists them by their last change; with a tag only those that have it.
pub fn list(tx: &mut dyn Tx, account: &Id, tag: Option<&str>, window: Window) -> StoreResult<Listed<GlobalSnapshot>> {
    let direction = usize::from(window.ascending);
    let (limit, offset) = (window.limit + 1, window.offset);
    match tag {
        None => {
            let params = params![account, limit, offset];
            let count = sql!("SELECT COUNT(*) FROM global_snapshot WHERE account_id = ?1");
            tx::list(tx, window, (STATEMENTS.list[direction], params), (count, &params[..1]), read)
        }
        Some(tag) => {
            let params = params![account, limit, offset, tag.as_bytes()];
            let count = sql!("SELECT COUNT(*) FROM global_snapshot_tag WHERE account_id = ?1 AND tag = ?2");
            let tagged = params![account, tag.as_bytes()];
            tx::list(tx, window, (STATEMENTS.list_tagged[direction], params), (count, tagged), read)
        }
    }
}

struct Statements {
    get: Sql,
    /// Newest first, oldest first.
    list: [Sql; 2],
    list_tagged: [Sql; 2],
}

static STATEMENTS: LazyLock<Statements> = LazyLock::new(|| {
    let select = "SELECT g.id, g.name, g.description, g.tags, g.created_at, g.revision FROM global_snapshot g";
    let tagged = "JOIN global_snapshot_tag t ON t.account_id = g.account_id AND t.id = g.id AND t.tag = ?4";
    let list = |join: &str| {
        ["DESC", "ASC"].map(|direction| {
            Sql::assembled(format!(
                "{select} {join} WHERE g.account_id = ?1 ORDER BY g.revision {direction} LIMIT ?2 OFFSET ?3"
            ))
        })
    };
    Statements {
        get: Sql::assembled(format!("{select} WHERE g.account_id = ?1 AND g.id = ?2")),
        list: list(""),
        list_tagged: list(tagged),
    }
});

fn read(row: &dyn Row) -> StoreResult<GlobalSnapshot> {
    let tags = serde_json::from_slice(row.bytes(3)?)
        .map_err(|error| StoreError::Corrupt(format!("the tags of a global snapshot: {error}")))?;
    Ok(GlobalSnapshot {
        id: stored_id(row.text(0)?)?,
        name: stored_text(row.bytes(1)?)?,
        description: row.bytes_or_null(2)?.map(stored_text).transpose()?,
        tags,
        created_at: row.int(4)?,
        revision: row.int(5)?,
    })
}

fn written(tags: &[String]) -> Vec<u8> {
    let texts: Value = tags.iter().map(|tag| Value::from(tag.as_str())).collect();
    texts.to_json().into_bytes()
}

fn put_tags(tx: &mut dyn Tx, account: &Id, id: &Id, tags: &[String]) -> StoreResult<()> {
    tx.execute(sql!("DELETE FROM global_snapshot_tag WHERE account_id = ?1 AND id = ?2"), params![account, id])?;
    let sql = sql!(
        "INSERT INTO global_snapshot_tag (account_id, tag, id) VALUES (?1, ?2, ?3)
         ON CONFLICT (account_id, tag, id) DO NOTHING"
    );
    tags.iter().try_for_each(|tag| tx.execute(sql, params![account, tag.as_bytes(), id]).map(drop))
}

fn check(snapshot: &GlobalSnapshot, condition: Condition) -> StoreResult<()> {
    match condition {
        Condition::Absent => Err(Refusal::SnapshotMoved.into()),
        Condition::Revision(revision) if revision != snapshot.revision => Err(Refusal::SnapshotMoved.into()),
        _ => Ok(()),
    }
}
