//! What requests delete goes to the trash: its rows leave their tables, so that nothing reads past them, and are kept as they were
//! until they are restored, purged, or too old. Snapshots stay where they are, as those of deleted pages always do.

mod restore;
pub mod rows;

pub use restore::{Restored, restore};

use self::rows::{Host, KeptRow, Table};
use crate::tree::prelude::*;
use crate::types::record::{Listed, Window};
use std::collections::HashMap;

tavernkeep_engine::stored_enum! {
    /// What was deleted.
    TrashKind {
        Pages = "pages",
        Floors = "floors",
        Branch = "branch",
        Sync = "sync",
    }
}

/// Where what a request deletes goes.
#[derive(Debug, Clone)]
pub enum Bin {
    /// To the trash, under this id.
    Trash(Id),
    /// Nowhere.
    Purge,
}

/// What one request deleted in one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrashItem {
    pub id: Id,
    pub session: Id,
    pub kind: TrashKind,
    pub deleted_at: i64,
    pub floors: i64,
    pub pages: i64,
}

/// Keeps the rows of floors that are about to be deleted, with their pages.
pub(crate) fn keep_floors(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    bin: &Bin,
    kind: TrashKind,
    floors: &[i64],
) -> StoreResult<()> {
    let Bin::Trash(id) = bin else { return Ok(()) };
    let pages = pages_of(tx, clock, floors)?;
    let mut kept = rows::read(tx, clock.key(), Host::Floor, floors)?;
    kept.extend(rows::read(tx, clock.key(), Host::Page, &pages)?);
    keep(tx, clock, id, kind, &kept)
}

/// Keeps the rows of pages that are about to be deleted.
pub(crate) fn keep_pages(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    bin: &Bin,
    kind: TrashKind,
    (pages, floors): (&[i64], &[i64]),
) -> StoreResult<()> {
    let Bin::Trash(id) = bin else { return Ok(()) };
    let mut kept = rows::read(tx, clock.key(), Host::Page, pages)?;
    kept.extend(rows::floors_of_pages(tx, clock.key(), floors)?);
    keep(tx, clock, id, kind, &kept)
}

/// Keeps the rows of a branch that is about to be deleted, with its floors and pages. It shares none of them.
pub(crate) fn keep_branch(tx: &mut dyn Tx, clock: &SessionClock, bin: &Bin, branch_row: i64) -> StoreResult<()> {
    let Bin::Trash(id) = bin else { return Ok(()) };
    let sql = sql!("SELECT floor_row FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
    let floors = all(tx, sql, in_session![clock, branch_row], |row| row.int(0))?;
    let kept = rows::read(tx, clock.key(), Host::Branch, &[branch_row])?;
    keep(tx, clock, id, TrashKind::Branch, &kept)?;
    keep_floors(tx, clock, bin, TrashKind::Branch, &floors)
}

fn pages_of(tx: &mut dyn Tx, clock: &SessionClock, floors: &[i64]) -> StoreResult<Vec<i64>> {
    let sql = sql!("SELECT page_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let sets: Vec<_> = floors.iter().map(|&floor_row| in_session![clock, floor_row].to_vec()).collect();
    all_of_each(tx, sql, &sets, |row| row.int(0))
}

/// Adds rows to an item. One request makes one item in each session: further ones have a number behind the id.
fn keep(tx: &mut dyn Tx, clock: &SessionClock, id: &Id, kind: TrashKind, kept: &[KeptRow]) -> StoreResult<()> {
    let id = item_id(tx, clock, id)?;
    let count = |table: Table| kept.iter().filter(|row| row.table == table).count() as i64;
    let sql = sql!(
        "INSERT INTO trash (account_id, session_row, id, deleted_at, kind, floors, pages) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (account_id, id) DO UPDATE SET floors = trash.floors + excluded.floors,
            pages = trash.pages + excluded.pages"
    );
    let (floors, pages) = (count(Table::Floor), count(Table::Page));
    tx.execute(sql, in_session![clock, &id, clock.now(), kind.number(), floors, pages])?;
    let sql = sql!(
        "SELECT COALESCE(MAX(number) + 1, 0) FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3"
    );
    let first: i64 = one(tx, sql, in_session![clock, &id], |row| row.int(0))?;
    let bodies: Vec<Vec<u8>> = kept.iter().map(KeptRow::encode).collect();
    let sql = sql!(
        "INSERT INTO trash_row (account_id, session_row, trash_id, number, table_no, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
    );
    let sets: Vec<_> = kept
        .iter()
        .zip(&bodies)
        .zip(first..)
        .map(|((row, body), number)| in_session![clock, &id, number, row.table.number(), body].to_vec())
        .collect();
    execute_many(tx, sql, &sets)
}

fn item_id(tx: &mut dyn Tx, clock: &SessionClock, id: &Id) -> StoreResult<Id> {
    let sql = sql!("SELECT session_row FROM trash WHERE account_id = ?1 AND id = ?2");
    let other = first(tx, sql, params![clock.account(), id], |row| row.int(0))?;
    if other.is_none_or(|session_row| session_row == clock.session_row()) {
        return Ok(id.clone());
    }
    let text = format!("{id}.{}", clock.session_row());
    text.parse().map_err(|_| StoreError::Internal(format!("{text} is no id")))
}

const ITEM: &str = "SELECT t.id, s.id, t.kind, t.deleted_at, t.floors, t.pages FROM trash t
    JOIN session s ON s.account_id = t.account_id AND s.session_row = t.session_row";

fn read_item(row: &dyn Row) -> StoreResult<TrashItem> {
    Ok(TrashItem {
        id: stored_id(row.text(0)?)?,
        session: stored_id(row.text(1)?)?,
        kind: stored_enum(row.int(2)?)?,
        deleted_at: row.int(3)?,
        floors: row.int(4)?,
        pages: row.int(5)?,
    })
}

/// Lists what is in the trash, of a session if one is named.
pub fn list(tx: &mut dyn Tx, account: &Id, session: Option<&Id>, window: Window) -> StoreResult<Listed<TrashItem>> {
    let session_row = match session {
        Some(session) => lookup::session(tx, account, session)?.row,
        None => -1,
    };
    let params = params![account, session_row, window.limit + 1, window.offset];
    let statements = &*LISTS;
    let sql = statements[usize::from(session.is_some())][usize::from(window.ascending)];
    let count = if session.is_some() { COUNT_OF_SESSION } else { COUNT };
    tx::list(tx, window, (sql, params), (count, &params[..2]), read_item)
}

const COUNT: Sql = sql!(
    "SELECT COUNT(*) FROM trash t JOIN session s ON s.account_id = t.account_id AND s.session_row = t.session_row
     WHERE t.account_id = ?1 AND CAST(?2 AS BIGINT) = -1 AND s.deleted_at IS NULL"
);
const COUNT_OF_SESSION: Sql = sql!("SELECT COUNT(*) FROM trash WHERE account_id = ?1 AND session_row = ?2");

/// By whether a session is named, by direction.
static LISTS: std::sync::LazyLock<[[Sql; 2]; 2]> = std::sync::LazyLock::new(|| {
    ["CAST(?2 AS BIGINT) = -1", "t.session_row = ?2"].map(|condition| {
        ["DESC", "ASC"].map(|direction| {
            Sql::assembled(format!(
                "{ITEM} WHERE t.account_id = ?1 AND {condition} AND s.deleted_at IS NULL
                 ORDER BY t.deleted_at {direction}, t.id {direction} LIMIT ?3 OFFSET ?4"
            ))
        })
    })
});

static GET: std::sync::LazyLock<Sql> = std::sync::LazyLock::new(|| {
    Sql::assembled(format!("{ITEM} WHERE t.account_id = ?1 AND t.id = ?2 AND s.deleted_at IS NULL"))
});

/// One item.
pub fn get(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<TrashItem> {
    first(tx, *GET, params![account, id], read_item)?.ok_or_else(|| Refusal::TrashNotFound(id.clone()).into())
}

/// A page in the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPage {
    pub id: Id,
    pub floor: Option<Id>,
    pub floor_no: Option<i64>,
    pub version: i64,
    pub is_active: bool,
    pub role: Option<String>,
    pub name: Option<String>,
    pub content: Option<String>,
    /// The snapshot of its state, which can be read as always.
    pub snapshot: Option<Id>,
}

/// The pages of an item with their texts, in the order of their floors.
pub fn pages(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Vec<KeptPage>> {
    let item = get(tx, account, id)?;
    let session = lookup::session(tx, account, &item.session)?;
    let rows = load(tx, session, id)?;
    let (mut floors, mut texts, mut found) = (HashMap::new(), HashMap::new(), Vec::new());
    for row in &rows {
        match row.table {
            Table::Floor | Table::FloorOfPages => {
                floors.insert(row.int("floor_row")?, (row.id()?, row.int("floor_no")?));
            }
            Table::Body if row.int("scope")? == Scope::Page.number() => {
                let text = row.bytes("content")?.map(codec::decode).transpose()?;
                texts.insert(row.int("host_row")?, text);
            }
            Table::Page => found.push((row.int("page_row")?, row)),
            _ => {}
        }
    }
    let sql = sql!("SELECT id FROM snapshot WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    let sets: Vec<_> = found.iter().map(|(page_row, _)| in_session![session, *page_row].to_vec()).collect();
    let snapshots = first_of_each(tx, sql, &sets, |row| stored_id(row.text(0)?))?;
    let mut pages = Vec::new();
    for ((page_row, page), snapshot) in found.into_iter().zip(snapshots) {
        let label = |column: &str| page.bytes(column)?.map(stored_text).transpose();
        let (floor, floor_no) = floors.get(&page.int("floor_row")?).cloned().unzip();
        pages.push(KeptPage {
            id: page.id()?,
            floor,
            floor_no,
            version: page.int("version")?,
            is_active: page.int("is_active")? == 1,
            role: label("role")?,
            name: label("name")?,
            content: texts.remove(&page_row).flatten(),
            snapshot,
        });
    }
    pages.sort_by_key(|page| (page.floor_no, page.version));
    Ok(pages)
}

fn load(tx: &mut dyn Tx, session: SessionKey<'_>, id: &Id) -> StoreResult<Vec<KeptRow>> {
    let sql = sql!(
        "SELECT table_no, body FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 ORDER BY number"
    );
    all(tx, sql, in_session![session, id], |row| KeptRow::decode(stored_enum(row.int(0)?)?, row.bytes(1)?))
}

/// Purges an item.
pub fn purge(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<()> {
    let item = get(tx, account, id)?;
    let session = lookup::session(tx, account, &item.session)?;
    forget(tx, session, id)
}

fn forget(tx: &mut dyn Tx, session: SessionKey<'_>, id: &Id) -> StoreResult<()> {
    let sql = sql!("DELETE FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3");
    tx.execute(sql, in_session![session, id])?;
    let sql = sql!("DELETE FROM trash WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
    tx.execute(sql, in_session![session, id]).map(drop)
}

/// Items that are purged in one transaction.
const PURGED_AT_ONCE: i64 = 20;

/// Purges what was deleted before a time, some items at once. Returns how many; fewer than asked for were the last ones.
pub fn purge_old(tx: &mut dyn Tx, account: &Id, before: i64) -> StoreResult<usize> {
    let sql = sql!(
        "SELECT session_row, id FROM trash WHERE account_id = ?1 AND deleted_at < ?2 ORDER BY deleted_at LIMIT ?3"
    );
    let old =
        all(tx, sql, params![account, before, PURGED_AT_ONCE], |row| Ok((row.int(0)?, stored_id(row.text(1)?)?)))?;
    for (session_row, id) in &old {
        forget(tx, SessionKey::new(account, *session_row), id)?;
    }
    Ok(old.len())
}

/// How many items are in the trash of all accounts.
pub fn count(tx: &mut dyn Tx) -> StoreResult<i64> {
    one(tx, Sql::across_accounts("SELECT COUNT(*) FROM trash"), params![], |row| row.int(0))
}
