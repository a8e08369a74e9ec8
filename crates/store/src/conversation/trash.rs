//! What requests delete goes to the trash. Rows of pages, floors and branches leave their tables, so that nothing reads past them,
//! and are kept as they were until they are restored, purged, or too old; so do global snapshots, and snapshots that are dropped. A
//! session or a character is hidden instead. Snapshots of deleted pages stay where they are.

mod content;
mod obstacles;
mod parts;
mod promotions;
mod restore;
mod subjects;
mod texts;

pub use content::{Content, KeptPage, PAGES_MAX, content, version_of};
pub use parts::{HiddenFloors, KeptFloors, LARGE, LargeRestore};
pub use restore::{RENAMED_LISTED_MAX, Renamed, Restored, RestoredBranch, Under, restore};
pub use subjects::delete_global_snapshot;
pub use texts::{HiddenTexts, LargeTexts, TextEvents};

use crate::conversation::branches::{self, HiddenBranch};
use crate::tree::prelude::*;
pub use crate::tree::trash_items::{
    Amount, Bin, DRAFT_MS_MAX, DeletedId, TrashKind, Unfinished, drafts, drop_draft, unfinished,
};
use crate::tree::trash_rows::{self, Host, KeptRow, Table, Value};
use crate::tree::{line, quota, trash_items};
use crate::types::record::{Listed, Window};
use std::collections::{BTreeMap, BTreeSet};

/// What one request deleted in one session, or one session, character or global snapshot that it deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrashItem {
    pub id: Id,
    /// The session that it was deleted from, or that was deleted.
    pub session: Option<Id>,
    pub kind: TrashKind,
    pub deleted_at: i64,
    pub floors: i64,
    pub pages: i64,
    /// The id of the session, character or global snapshot.
    pub subject: Option<Id>,
    /// Its title or name.
    pub name: Option<String>,
    /// The chat_file of a session.
    pub chat_file: Option<String>,
    variables: i64,
    session_row: i64,
    subject_row: i64,
}

impl TrashItem {
    /// Whether its rows are purged in parts when it is back.
    fn is_large(&self) -> bool {
        usize::try_from(self.floors.max(self.pages)).unwrap_or(0) >= LARGE
    }
}

/// Keeps the rows of floors that are about to be deleted, with their pages; returns the item.
pub(crate) fn keep_floors(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    bin: &Bin,
    kind: TrashKind,
    floors: &[i64],
    totals: &mut Totals,
) -> StoreResult<Option<Id>> {
    keep_floors_of(tx, clock, bin, kind, floors, None, totals)
}

/// The same for floors that are on a hidden branch, by the branch that they come from.
pub(crate) fn keep_floors_of(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    bin: &Bin,
    kind: TrashKind,
    floors: &[i64],
    home: Option<i64>,
    totals: &mut Totals,
) -> StoreResult<Option<Id>> {
    let Bin::Trash(id) = bin else { return Ok(None) };
    let pages = pages_of(tx, clock, floors)?;
    let mut kept = trash_rows::read(tx, clock.key(), Host::Floor, floors)?;
    move_home(&mut kept, home)?;
    kept.extend(trash_rows::read(tx, clock.key(), Host::Page, &pages)?);
    keep(tx, clock, id, kind, kept, totals).map(Some)
}

/// Keeps some pages of a floor that is too large for one transaction; the floor itself with the first of them.
pub(crate) fn keep_some_pages(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    (id, kind): (&Id, TrashKind),
    (floor, pages): (i64, &[i64]),
    home: Option<i64>,
    totals: &mut Totals,
) -> StoreResult<()> {
    let mut kept = match trash_rows::has_floor(tx, clock.key(), id, floor)? {
        true => Vec::new(),
        false => trash_rows::read(tx, clock.key(), Host::Floor, &[floor])?,
    };
    move_home(&mut kept, home)?;
    kept.extend(trash_rows::read(tx, clock.key(), Host::Page, pages)?);
    keep(tx, clock, id, kind, kept, totals).map(drop)
}

/// Floors that are on a hidden branch are kept as those of the branch that they come from.
fn move_home(kept: &mut [KeptRow], home: Option<i64>) -> StoreResult<()> {
    let Some(home) = home else { return Ok(()) };
    let of_branch = kept.iter_mut().filter(|row| matches!(row.table, Table::Floor | Table::FloorKey));
    of_branch.into_iter().try_for_each(|row| row.set("branch_row", Value::Int(home)))
}

/// Keeps the rows of pages that are about to be deleted; returns the item.
pub(crate) fn keep_pages(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    bin: &Bin,
    kind: TrashKind,
    (pages, floors): (&[i64], &[i64]),
    totals: &mut Totals,
) -> StoreResult<Option<Id>> {
    let Bin::Trash(id) = bin else { return Ok(None) };
    let mut kept = trash_rows::read(tx, clock.key(), Host::Page, pages)?;
    kept.extend(trash_rows::floors_of_pages(tx, clock.key(), floors)?);
    keep(tx, clock, id, kind, kept, totals).map(Some)
}

/// Keeps the texts of pages that a sync is about to give others, each as a page of its own: it comes back as another swipe.
pub(crate) fn keep_texts(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    bin: &Bin,
    (pages, floors): (&[i64], &[i64]),
) -> StoreResult<()> {
    let Bin::Trash(id) = bin else { return Ok(()) };
    let first = clock.next_rows(i64::try_from(pages.len()).unwrap_or(i64::MAX));
    let kept = texts_of(tx, clock.key(), pages, floors, first)?;
    keep(tx, clock, id, TrashKind::Sync, kept, &mut Totals::default()).map(drop)
}

/// Begins to keep texts before they are replaced: reserves rows for so many copies, and returns the first one.
pub(crate) fn draft_texts(tx: &mut dyn Tx, clock: &SessionClock, id: &Id, pages: usize) -> StoreResult<i64> {
    trash_items::begin_draft(tx, clock, id, TrashKind::Sync)?;
    Ok(clock.next_rows(i64::try_from(pages).unwrap_or(i64::MAX)))
}

/// Keeps some of the texts. Their copies get the rows from this one on.
pub(crate) fn draft_some_texts(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    id: &Id,
    (pages, floors): (&[i64], &[i64]),
    first: i64,
) -> StoreResult<()> {
    trash_items::add_to_draft(tx, session, id, (i64::try_from(pages.len()).unwrap_or(i64::MAX), 0))?;
    let kept = texts_of(tx, session, pages, floors, first)?;
    trash_rows::keep(tx, session, id, &kept)
}

/// Keeps some swipes that a sync is about to delete.
pub(crate) fn draft_swipes(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    id: &Id,
    (pages, floors): (&[i64], &[i64]),
) -> StoreResult<()> {
    let mut kept = trash_rows::read(tx, session, Host::Page, pages)?;
    kept.extend(trash_rows::floors_of_pages(tx, session, floors)?);
    let Amount { pages, variables, .. } = trash_rows::amount(&kept);
    trash_items::add_to_draft(tx, session, id, (pages, variables))?;
    trash_rows::keep(tx, session, id, &kept)
}

/// Keeps what the branch of such swipes stands on.
pub(crate) fn draft_bases(tx: &mut dyn Tx, session: SessionKey<'_>, id: &Id, branch_row: i64) -> StoreResult<()> {
    let kept = branch_bases(tx, session, BTreeSet::from([branch_row]))?;
    trash_rows::keep(tx, session, id, &kept)
}

/// Puts what was drafted into the trash.
pub(crate) fn finish_draft(tx: &mut dyn Tx, clock: &SessionClock, id: &Id) -> StoreResult<()> {
    let bin = Bin::Trash(id.clone());
    trash_items::finish(tx, clock, &Unfinished::of(clock.session_row(), id, TrashKind::Sync, &bin))?;
    let sql = sql!("SELECT variables FROM trash WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
    let variables = one(tx, sql, in_session![clock, id], |row| row.int(0))?;
    let mut totals = Totals::default();
    totals.add_trashed(clock.session_row(), variables);
    totals.keep(tx, clock.account())
}

/// The rows of pages as copies of their texts, with the floors that they are on.
fn texts_of(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    pages: &[i64],
    floors: &[i64],
    first: i64,
) -> StoreResult<Vec<KeptRow>> {
    let copies: BTreeMap<i64, i64> = pages.iter().copied().zip(first..).collect();
    let mut kept = trash_rows::read_texts(tx, session, pages)?;
    for row in &mut kept {
        let column = if row.table == Table::Body { "host_row" } else { "page_row" };
        if let Some(&copy) = copies.get(&row.int(column)?) {
            row.set(column, Value::Int(copy))?;
        }
        if row.table == Table::Page {
            row.set("variables", Value::Int(0))?;
            // No turn made the copy.
            row.set("turn_hash", Value::Null)?;
        }
    }
    let mark = |&copy: &i64| KeptRow { table: Table::ReplacedText, values: vec![Value::Int(copy)] };
    kept.extend(copies.values().map(mark));
    kept.extend(trash_rows::floors_of_pages(tx, session, floors)?);
    Ok(kept)
}

/// Keeps the row of a branch that is about to be deleted, with its variables.
pub(crate) fn keep_branch_row(tx: &mut dyn Tx, clock: &SessionClock, item: &Id, branch_row: i64) -> StoreResult<()> {
    let mut totals = Totals::default();
    let kept = trash_rows::read(tx, clock.key(), Host::Branch, &[branch_row])?;
    keep(tx, clock, item, TrashKind::Branch, kept, &mut totals)?;
    totals.keep(tx, clock.account())
}

fn pages_of(tx: &mut dyn Tx, clock: &SessionClock, floors: &[i64]) -> StoreResult<Vec<i64>> {
    let sql = sql!("SELECT page_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let sets: Vec<_> = floors.iter().map(|&floor_row| in_session![clock, floor_row].to_vec()).collect();
    all_of_each(tx, sql, &sets, |row| row.int(0))
}

/// Adds rows to an item, which it returns. One request makes one item in each session.
fn keep(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    id: &Id,
    kind: TrashKind,
    mut kept: Vec<KeptRow>,
    totals: &mut Totals,
) -> StoreResult<Id> {
    if kind != TrashKind::Branch && clock.has_forks() {
        let floors = kept.iter().filter(|row| matches!(row.table, Table::Floor | Table::FloorOfPages));
        let branches = floors.map(|floor| floor.int("branch_row")).collect::<StoreResult<BTreeSet<i64>>>()?;
        kept.extend(branch_bases(tx, clock.key(), branches)?);
    }
    let amount = trash_rows::amount(&kept);
    let id = trash_items::put_part(tx, clock, id, kind, amount)?;
    totals.add_trashed(clock.session_row(), amount.variables);
    trash_rows::keep(tx, clock.key(), &id, &kept)?;
    Ok(id)
}

/// What branches stand on: what they share, and what they were forked from. Floors of a branch that is gone when they are restored
/// follow the nearest floor that was on its line.
fn branch_bases(tx: &mut dyn Tx, session: SessionKey<'_>, branches: BTreeSet<i64>) -> StoreResult<Vec<KeptRow>> {
    let sql = sql!(
        "SELECT source_branch_row, source_floor_no FROM branch
         WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"
    );
    let mut kept = Vec::new();
    for branch_row in branches {
        let mut bases = line::segments(tx, session, branch_row, i64::MAX)?;
        bases.pop();
        bases.reverse();
        let source =
            first(tx, sql, in_session![session, branch_row], |row| Ok((row.int_or_null(0)?, row.int_or_null(1)?)))?;
        bases.extend(source.and_then(|(branch, floor_no)| branch.zip(floor_no)));
        let row = |(base, last)| {
            let values = vec![Value::Int(branch_row), Value::Int(base), Value::Int(last)];
            KeptRow { table: Table::BranchBase, values }
        };
        kept.extend(bases.into_iter().map(row));
    }
    Ok(kept)
}

const ITEM: &str =
    "SELECT t.id, COALESCE(s.id, CASE WHEN t.kind = 4 THEN t.subject_id END), t.kind, t.deleted_at, t.floors,
        t.pages, t.subject_id, t.name, t.chat_file, t.variables, t.session_row, t.subject_row FROM trash t
    LEFT JOIN session s ON s.account_id = t.account_id AND s.session_row = t.session_row AND s.deleted_at IS NULL";

/// An item of a session that is itself in the trash is not seen: it comes back with the session.
const VISIBLE: &str = "t.deleted_at > 0 AND (t.session_row = 0 OR s.session_row IS NOT NULL)";

fn read_item(row: &dyn Row) -> StoreResult<TrashItem> {
    Ok(TrashItem {
        id: stored_id(row.text(0)?)?,
        session: row.text_or_null(1)?.map(stored_id).transpose()?,
        kind: stored_enum(row.int(2)?)?,
        deleted_at: row.int(3)?,
        floors: row.int(4)?,
        pages: row.int(5)?,
        subject: row.text_or_null(6)?.map(stored_id).transpose()?,
        name: row.bytes_or_null(7)?.map(stored_text).transpose()?,
        chat_file: row.bytes_or_null(8)?.map(stored_text).transpose()?,
        variables: row.int(9)?,
        session_row: row.int(10)?,
        subject_row: row.int(11)?,
    })
}

/// Lists what is in the trash. If a session is named: what was deleted from it, and sessions that had its id.
pub fn list(tx: &mut dyn Tx, account: &Id, session: Option<&Id>, window: Window) -> StoreResult<Listed<TrashItem>> {
    let (limit, offset) = (window.limit + 1, window.offset);
    let Some(session) = session else {
        let params = params![account, limit, offset];
        let sql = LISTS[usize::from(window.ascending)];
        return tx::list(tx, window, (sql, params), (*COUNT, &params[..1]), read_item);
    };
    let sql = sql!("SELECT session_row FROM session WHERE account_id = ?1 AND id = ?2");
    let live = first(tx, sql, params![account, session], |row| row.int(0))?;
    // No item has this row.
    let params = params![account, live.unwrap_or(-1), session, limit, offset];
    let sql = LISTS_OF_SESSION[usize::from(window.ascending)];
    let listed = tx::list(tx, window, (sql, params), (COUNT_OF_SESSION, &params[..3]), read_item)?;
    if live.is_none() && one::<i64>(tx, COUNT_OF_SESSION, &params[..3], |row| row.int(0))? == 0 {
        return Err(Refusal::SessionNotFound(session.clone()).into());
    }
    Ok(listed)
}

static COUNT: std::sync::LazyLock<Sql> = std::sync::LazyLock::new(|| {
    Sql::assembled(format!(
        "SELECT COUNT(*) FROM trash t LEFT JOIN session s ON s.account_id = t.account_id AND s.session_row = t.session_row
            AND s.deleted_at IS NULL WHERE t.account_id = ?1 AND {VISIBLE}"
    ))
});

/// Counts the items of a session by its row, and those of sessions that had an id.
const COUNT_OF_SESSION: Sql = sql!(
    "SELECT (SELECT COUNT(*) FROM trash WHERE account_id = ?1 AND session_row = ?2 AND deleted_at > 0)
        + (SELECT COUNT(*) FROM trash WHERE account_id = ?1 AND subject_id = ?3 AND kind = 4 AND deleted_at > 0)"
);

/// By direction.
static LISTS: std::sync::LazyLock<[Sql; 2]> = std::sync::LazyLock::new(|| {
    ["DESC", "ASC"].map(|direction| {
        Sql::assembled(format!(
            "{ITEM} WHERE t.account_id = ?1 AND {VISIBLE}
             ORDER BY t.deleted_at {direction}, t.id {direction} LIMIT ?2 OFFSET ?3"
        ))
    })
});

static LISTS_OF_SESSION: std::sync::LazyLock<[Sql; 2]> = std::sync::LazyLock::new(|| {
    ["DESC", "ASC"].map(|direction| {
        Sql::assembled(format!(
            "SELECT * FROM ({ITEM} WHERE t.account_id = ?1 AND t.session_row = ?2 AND {VISIBLE}
                UNION ALL {ITEM} WHERE t.account_id = ?1 AND t.subject_id = ?3 AND t.kind = 4 AND {VISIBLE}) AS items
             ORDER BY 4 {direction}, 1 {direction} LIMIT ?4 OFFSET ?5"
        ))
    })
});

static IDS: std::sync::LazyLock<Sql> = std::sync::LazyLock::new(|| {
    Sql::assembled(format!("{ITEM} WHERE t.account_id = ?1 AND {VISIBLE} ORDER BY t.deleted_at, t.id"))
});

/// The ids of all items, the oldest first.
pub fn ids(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<Id>> {
    all(tx, *IDS, params![account], |row| stored_id(row.text(0)?))
}

static GET: std::sync::LazyLock<Sql> =
    std::sync::LazyLock::new(|| Sql::assembled(format!("{ITEM} WHERE t.account_id = ?1 AND t.id = ?2 AND {VISIBLE}")));

/// One item.
pub fn get(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<TrashItem> {
    first(tx, *GET, params![account, id], read_item)?.ok_or_else(|| Refusal::TrashNotFound(id.clone()).into())
}

/// Selects kept rows of an item, all or some of them, for [`load_rows`].
macro_rules! kept_rows {
    ($($condition:literal)?) => {
        sql!(
            "SELECT table_no, body FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3",
            $(" AND ", $condition,)? " ORDER BY number"
        )
    };
}
use kept_rows;

fn load(tx: &mut dyn Tx, session: SessionKey<'_>, id: &Id) -> StoreResult<Vec<KeptRow>> {
    load_rows(tx, kept_rows!(), in_session![session, id])
}

fn load_rows(tx: &mut dyn Tx, sql: Sql, params: &[Param<'_>]) -> StoreResult<Vec<KeptRow>> {
    all(tx, sql, params, |row| KeptRow::decode(stored_enum(row.int(0)?)?, row.bytes(1)?))
}

/// Takes an item out of the trash for good: nothing finds it any more, and it counts no more. Its rows are deleted by
/// [`purge_some`].
pub fn purge(tx: &mut dyn Tx, account: &Id, id: &Id, now: i64) -> StoreResult<()> {
    if get(tx, account, id)?.kind == TrashKind::Session {
        AccountClock::of(tx, account, now)?;
    }
    if !mark_purged(tx, account, id)? {
        return Err(Refusal::TrashNotFound(id.clone()).into());
    }
    Ok(())
}

/// Returns whether the item was in the trash until now.
fn mark_purged(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<bool> {
    let sql = sql!(
        "UPDATE trash SET deleted_at = 0 WHERE account_id = ?1 AND id = ?2 AND deleted_at > 0
         RETURNING kind, session_row, subject_row, variables"
    );
    let read = |row: &dyn Row| Ok((stored_enum::<TrashKind>(row.int(0)?)?, row.int(1)?, row.int(2)?, row.int(3)?));
    let Some((kind, session_row, subject_row, variables)) = first(tx, sql, params![account, id], read)? else {
        return Ok(false);
    };
    let mut totals = Totals::default();
    totals.add_trashed(session_row.max(subject_row), -variables);
    if kind == TrashKind::Session {
        quota::move_sessions(tx, account, 0, -1)?;
        trash_items::drop_of_session(tx, SessionKey::new(account, subject_row), &mut totals)?;
    }
    totals.keep(tx, account)?;
    Ok(true)
}

/// An item to purge.
#[derive(Debug, Clone)]
pub struct Expired {
    id: Id,
    kind: TrashKind,
    session_row: i64,
    subject_row: i64,
    subject: Option<Id>,
}

/// Leaves out items that wait: nothing is left of them but a hidden branch, and their session is in the trash. Nothing takes the clock of
/// such a session. The item goes when the session is back, or with it.
macro_rules! waits {
    () => {
        " AND NOT (t.deleted_at = 0 AND t.kind IN (2, 3)
            AND EXISTS (SELECT 1 FROM session s WHERE s.account_id = t.account_id AND s.session_row = t.session_row
                AND s.deleted_at IS NOT NULL)
            AND NOT EXISTS (SELECT 1 FROM trash_row r WHERE r.account_id = t.account_id AND r.session_row = t.session_row
                AND r.trash_id = t.id))"
    };
}

/// The first item that was purged, or deleted before a time.
pub fn expired(tx: &mut dyn Tx, account: &Id, before: i64) -> StoreResult<Option<Expired>> {
    let sql = sql!(
        "SELECT t.id, t.kind, t.session_row, t.subject_row, t.subject_id FROM trash t
         WHERE t.account_id = ?1 AND t.deleted_at >= 0 AND t.deleted_at < ?2",
        waits!(),
        " ORDER BY t.deleted_at, t.id LIMIT 1"
    );
    first(tx, sql, params![account, before], read_expired)
}

/// The item of this id, if it was purged and has rows left that can be deleted now.
pub fn purged(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Option<Expired>> {
    let sql = sql!(
        "SELECT t.id, t.kind, t.session_row, t.subject_row, t.subject_id FROM trash t
         WHERE t.account_id = ?1 AND t.id = ?2 AND t.deleted_at = 0",
        waits!()
    );
    first(tx, sql, params![account, id], read_expired)
}

fn read_expired(row: &dyn Row) -> StoreResult<Expired> {
    Ok(Expired {
        id: stored_id(row.text(0)?)?,
        kind: stored_enum(row.int(1)?)?,
        session_row: row.int(2)?,
        subject_row: row.int(3)?,
        subject: row.text_or_null(4)?.map(stored_id).transpose()?,
    })
}

/// Deletes some rows of an item, which nothing finds any more, and the item with the last of them. A long session is left to a job
/// of the given id; returns whether there is one.
pub fn purge_some(tx: &mut dyn Tx, account: &Id, expired: &Expired, job: &Id, now: i64) -> StoreResult<bool> {
    let Expired { id, kind, session_row, subject_row, subject } = expired;
    if *kind == TrashKind::Session {
        AccountClock::of(tx, account, now)?;
    }
    let hidden = match kind {
        TrashKind::Branch | TrashKind::Sync => {
            branches::purge_hidden(tx, SessionKey::new(account, *session_row), id, now)?
        }
        _ => HiddenBranch::Gone,
    };
    mark_purged(tx, account, id)?;
    if hidden == HiddenBranch::Partly {
        return Ok(false);
    }
    // Another request may have restored it, and deleted the same again as another item.
    let sql = sql!("SELECT 1 FROM trash WHERE account_id = ?1 AND id = ?2");
    if first(tx, sql, params![account, id], |row| row.int(0))?.is_none() {
        return Ok(false);
    }
    let session = SessionKey::new(account, *session_row);
    match (kind, subject) {
        (TrashKind::Session, Some(subject)) => {
            forget(tx, session, id)?;
            return subjects::purge_session(tx, account, (*subject_row, subject), job, now);
        }
        (TrashKind::Character, _) => {
            forget(tx, session, id)?;
            crate::conversation::characters::purge(tx, account, *subject_row)?;
            return Ok(false);
        }
        _ => {}
    }
    let are_rows_gone = trash_rows::purge_some(tx, session, id)?;
    let sql = sql!(
        "DELETE FROM trash_snapshot WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND page_row IN (
            SELECT r.page_row FROM trash_snapshot r WHERE r.account_id = ?1 AND r.session_row = ?2 AND r.trash_id = ?3 LIMIT ?4)"
    );
    let states = tx.execute(sql, in_session![session, id, trash_rows::ROWS_AT_ONCE])?;
    // The item owns its hidden branch until that is gone, too.
    if are_rows_gone && states < trash_rows::ROWS_AT_ONCE as u64 && hidden == HiddenBranch::Gone {
        forget(tx, session, id)?;
        if *kind == TrashKind::Snapshots {
            // Versions that nothing needs any more are looked for again.
            let sql = sql!("UPDATE session SET swept_seq = 0 WHERE account_id = ?1 AND session_row = ?2");
            tx.execute(sql, in_session![session])?;
        }
    }
    Ok(false)
}

fn forget(tx: &mut dyn Tx, session: SessionKey<'_>, id: &Id) -> StoreResult<()> {
    for sql in [
        sql!("DELETE FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3"),
        sql!("DELETE FROM trash_snapshot WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3"),
        sql!("DELETE FROM trash WHERE account_id = ?1 AND session_row = ?2 AND id = ?3"),
    ] {
        tx.execute(sql, in_session![session, id])?;
    }
    Ok(())
}

/// How many items are in the trash of all accounts.
pub fn count(tx: &mut dyn Tx) -> StoreResult<i64> {
    one(tx, Sql::across_accounts("SELECT COUNT(*) FROM trash WHERE deleted_at > 0"), params![], |row| row.int(0))
}
