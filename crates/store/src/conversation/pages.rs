//! Pages: create, read, list, change; choosing and deleting them have files of their own.

mod activation;
mod deletion;
pub(crate) mod in_runs;
mod page_events;

pub use self::activation::activate;
pub(crate) use self::activation::{activate_all, set_active};
pub use self::deletion::delete;
pub(crate) use self::deletion::delete_under;

use self::page_events::PageEvent;
use crate::conversation::commit::CommitMark;
use crate::conversation::tags;
use crate::conversation::turns::kind_of;
use crate::db::hash::{Hash, text_hash};
use crate::story;
use crate::tree::bodies::{self, Body};
use crate::tree::positions;
use crate::tree::prelude::*;
use crate::tree::{hidden, hosts, separation};
use crate::types::order::{NewPage, PagePatch, PageQuery};
use crate::types::record::{EventKind, Host, Listed, Page};
use crate::variables::promotions;
use std::sync::LazyLock;
use tavernkeep_engine::floor::PageKind;
use tavernkeep_engine::limits::POSITION_MAX;

/// The page that a commit is about: the one that is named, else the active output page. One that is named must be on the
/// floor, and where the floor is committed `again` it must be new to that.
pub(crate) fn to_commit(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    floor: &FloorPosition,
    named: Option<&Id>,
    again: bool,
) -> StoreResult<Option<i64>> {
    if let Some(page) = named {
        let place = on_floor(tx, clock, floor, page)?;
        let is_old = again && (place.committed || !place.is_active || !place.floor_committed);
        return Ok(Some(place.page_row).filter(|_| !is_old));
    }
    let sql = sql!(
        "SELECT page_row FROM page
         WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3 AND is_active = 1 AND kind > 0
         ORDER BY kind, page_no DESC LIMIT 1"
    );
    first(tx, sql, in_session![clock, floor.floor_row], |row| row.int(0))
}

/// The floor of a page.
pub fn floor_of(tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<Id> {
    let sql = sql!(
        "SELECT f.id FROM page p
         JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         JOIN session s ON s.account_id = p.account_id AND s.session_row = p.session_row
         WHERE p.account_id = ?1 AND p.id = ?2 AND s.deleted_at IS NULL AND f.floor_no >= 0"
    );
    first(tx, sql, params![account, page], |row| stored_id(row.text(0)?))?
        .ok_or_else(|| Refusal::PageNotFound(page.clone()).into())
}

/// A page that must be on a floor.
pub(crate) fn on_floor(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    floor: &FloorPosition,
    page: &Id,
) -> StoreResult<PagePosition> {
    match positions::page(tx, clock, page)?.filter(|place| place.floor_row == floor.floor_row) {
        Some(place) => Ok(place),
        None => Err(elsewhere(tx, clock.account(), page)?.into()),
    }
}

/// Why a page is not on the floor that it was looked for on.
fn elsewhere(tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<Refusal> {
    match get(tx, account, page) {
        Ok(found) => Ok(Refusal::PageElsewhere { page: page.clone(), floor: found.floor }),
        Err(StoreError::Refused(refusal)) => Ok(refusal),
        Err(error) => Err(error),
    }
}

/// Creates a page. It becomes the chosen swipe of its slot if it says so or is the first one.
pub fn create(tx: &mut dyn Tx, account: &Id, new: &NewPage, body: &Body, id: &Id, now: i64) -> StoreResult<Page> {
    positions::with_floor(tx, account, &new.floor, now, |tx, clock, floor| {
        create_under(tx, clock, &floor, new, body, id).map(|(_, page)| page)
    })
}

/// The same on a floor of a session whose clock is taken. Answers the page's row as well.
pub(crate) fn create_under(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    floor: &FloorPosition,
    new: &NewPage,
    body: &Body,
    id: &Id,
) -> StoreResult<(i64, Page)> {
    let (page_row, page) = insert(tx, clock, floor, new, body, id)?;
    emit_one(tx, clock, EventKind::PageCreated, floor.floor_row, &page)?;
    Ok((page_row, page))
}

/// The same without an event: the caller emits one.
pub(crate) fn insert(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    floor: &FloorPosition,
    new: &NewPage,
    body: &Body,
    id: &Id,
) -> StoreResult<(i64, Page)> {
    separation::separate(tx, clock, (floor.branch_row, floor.floor_no))?;
    let slot = in_session![clock, floor.floor_row, new.page_no];
    let sql = sql!(
        "SELECT MAX(version) FROM page WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3 AND page_no = ?4"
    );
    let last = one(tx, sql, slot, |row| row.int_or_null(0))?;
    let version = new.version.unwrap_or_else(|| last.map_or(0, |last| last + 1));
    let taken = || Refusal::PositionTaken("version", format!("{version} of page {}", new.page_no));
    if version > POSITION_MAX {
        return Err(taken().into());
    }
    let sql = sql!(
        "SELECT 1 FROM page
         WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3 AND page_no = ?4 AND version = ?5"
    );
    let position = in_session![clock, floor.floor_row, new.page_no, version];
    if first(tx, sql, position, |row| row.int(0))?.is_some() {
        return Err(taken().into());
    }
    let is_active = new.is_active || last.is_none();
    let targets = match is_active {
        true => {
            let slot = [(floor.floor_row, new.page_no)];
            activation::deactivate(tx, clock, &slot)?;
            promotions::targets_of_slots(tx, clock.key(), &slot)?
        }
        false => Vec::new(),
    };
    let page_row = clock.next_row();
    let row = PageRow {
        page_row,
        id,
        floor_row: floor.floor_row,
        page_no: new.page_no,
        version,
        kind: new.kind,
        is_active,
        role: new.role.as_deref(),
        name: new.name.as_deref(),
        text_hash: text_hash(new.content.as_deref()),
        turn_hash: None,
        committed: None,
    };
    insert_row(tx, clock, &row)?;
    bodies::put(tx, clock, (Scope::Page, page_row), body)?;
    let mut totals = Totals::default();
    promotions::restore(tx, clock, &targets, &mut totals)?;
    story::refresh_changed(tx, clock, &[floor.floor_row])?;
    let page = Page {
        id: id.clone(),
        floor: new.floor.clone(),
        page_no: new.page_no,
        version,
        kind: new.kind,
        is_active,
        role: new.role.clone(),
        name: new.name.clone(),
        content: new.content.clone(),
        extra: new.extra.clone(),
        created_at: clock.now(),
        updated_at: clock.now(),
    };
    totals.keep(tx, clock.account())?;
    Ok((page_row, page))
}

/// Emits that pages are there.
pub(crate) fn emit_created(tx: &mut dyn Tx, clock: &SessionClock, pages: &[&Id]) -> StoreResult<()> {
    let found = positions::pages(tx, clock.account(), pages, clock.now())?;
    let event = |place| PageEvent::of(place, clock.tick(), EventKind::PageCreated, place.is_active);
    page_events::emit(tx, clock.account(), &found.iter().flatten().map(event).collect::<Vec<_>>())
}

fn emit_one(tx: &mut dyn Tx, clock: &SessionClock, kind: EventKind, floor_row: i64, page: &Page) -> StoreResult<()> {
    let Page { id, floor, page_no, version, is_active, .. } = page;
    let (page_no, version, is_active) = (*page_no, *version, *is_active);
    page_events::emit(
        tx,
        clock.account(),
        &[PageEvent { kind, tick: clock.tick(), page: id, floor, floor_row, page_no, version, is_active }],
    )
}

pub(crate) struct PageRow<'a> {
    pub(crate) page_row: i64,
    pub(crate) id: &'a Id,
    pub(crate) floor_row: i64,
    pub(crate) page_no: i64,
    pub(crate) version: i64,
    pub(crate) kind: PageKind,
    pub(crate) is_active: bool,
    pub(crate) role: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
    pub(crate) text_hash: Hash,
    /// The fingerprint of the turn that made it, where its client may send that again.
    pub(crate) turn_hash: Option<Hash>,
    pub(crate) committed: Option<CommitMark>,
}

/// Inserts a page. Refuses an id that another page has.
pub(crate) fn insert_row(tx: &mut dyn Tx, clock: &SessionClock, page: &PageRow<'_>) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO page (account_id, session_row, page_row, id, floor_row, page_no, version, kind, is_active,
                           role, name, created_at, updated_at, variables, text_hash, turn_hash, committed_seq)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12, 0, ?13, ?14, ?15)
         ON CONFLICT (account_id, id) DO NOTHING"
    );
    let &PageRow { page_row, id, floor_row, page_no, version, is_active, .. } = page;
    let (kind, now, seq) = (page.kind.number(), clock.now(), page.committed.map(CommitMark::seq));
    let (role, name) = (page.role.map(str::as_bytes), page.name.map(str::as_bytes));
    let (text, turn) = (page.text_hash.as_slice(), page.turn_hash.as_ref().map(Hash::as_slice));
    let row = in_session![
        clock, page_row, id, floor_row, page_no, version, kind, is_active, role, name, now, text, turn, seq,
    ];
    hidden::insert(tx, Scope::Page, sql, (clock.account(), row), page.id)
}

struct Statements {
    get: Sql,
    /// By whether texts are read, by direction.
    lists: [[Sql; 2]; 2],
    count: Sql,
}

static STATEMENTS: LazyLock<Statements> = LazyLock::new(|| {
    let select = |content: &str| {
        format!(
            "SELECT p.id, f.id, p.page_no, p.version, p.kind, p.is_active, p.role, p.name, {content}, y.extra,
                p.created_at, p.updated_at
             FROM page p
             JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
             LEFT JOIN body y ON y.account_id = p.account_id AND y.session_row = p.session_row AND y.scope = 4
                AND y.host_row = COALESCE(p.text_row, p.page_row)"
        )
    };
    // -1 stands for "any".
    let condition = "p.account_id = ?1 AND p.session_row = ?2 AND p.floor_row = ?3
        AND (CAST(?4 AS BIGINT) = -1 OR p.page_no = ?4) AND (CAST(?5 AS BIGINT) = -1 OR p.is_active = ?5)";
    let list = |content: &str, direction: &str| {
        Sql::assembled(format!(
            "{} WHERE {condition} ORDER BY p.page_no {direction}, p.version {direction} LIMIT ?6 OFFSET ?7",
            select(content)
        ))
    };
    Statements {
        get: Sql::assembled(format!(
            "{}
             JOIN session s ON s.account_id = p.account_id AND s.session_row = p.session_row
             WHERE p.account_id = ?1 AND p.id = ?2 AND s.deleted_at IS NULL AND f.floor_no >= 0",
            select("y.content")
        )),
        lists: ["NULL", "y.content"].map(|content| ["DESC", "ASC"].map(|direction| list(content, direction))),
        count: Sql::assembled(format!("SELECT COUNT(*) FROM page p WHERE {condition}")),
    }
});

fn read(row: &dyn Row, with_content: bool) -> StoreResult<Page> {
    Ok(Page {
        id: stored_id(row.text(0)?)?,
        floor: stored_id(row.text(1)?)?,
        page_no: row.int(2)?,
        version: row.int(3)?,
        kind: stored_enum(row.int(4)?)?,
        is_active: row.int(5)? == 1,
        role: row.bytes_or_null(6)?.map(stored_text).transpose()?,
        name: row.bytes_or_null(7)?.map(stored_text).transpose()?,
        content: if with_content { row.bytes_or_null(8)?.map(codec::decode).transpose()? } else { None },
        extra: row.bytes_or_null(9)?.map(codec::decode_json).transpose()?,
        created_at: row.int(10)?,
        updated_at: row.int(11)?,
    })
}

pub fn get(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Page> {
    first(tx, STATEMENTS.get, params![account, id], |row| read(row, true))?
        .ok_or_else(|| Refusal::PageNotFound(id.clone()).into())
}

/// Those of these pages that are there.
pub fn get_all(tx: &mut dyn Tx, account: &Id, ids: &[&Id]) -> StoreResult<Vec<Option<Page>>> {
    let sets: Vec<_> = ids.iter().map(|&id| params![account, id].to_vec()).collect();
    first_of_each(tx, STATEMENTS.get, &sets, |row| read(row, true))
}

pub fn list(tx: &mut dyn Tx, account: &Id, query: &PageQuery) -> StoreResult<Listed<Page>> {
    let missing = || Refusal::FloorNotFound(query.floor.clone());
    let host = hosts::find(tx, account, &Host::Floor(query.floor.clone()))?.ok_or_else(missing)?;
    let (session_row, floor_row) = (host.session_row, host.host_row);
    let window = query.window;
    let sql = STATEMENTS.lists[usize::from(query.content)][usize::from(window.ascending)];
    let page_no = query.page_no.unwrap_or(-1);
    let is_active = query.is_active.map_or(-1, i64::from);
    let params = params![account, session_row, floor_row, page_no, is_active, window.limit + 1, window.offset];
    tx::list(tx, window, (sql, params), (STATEMENTS.count, &params[..5]), |row| read(row, query.content))
}

pub fn update(tx: &mut dyn Tx, account: &Id, id: &Id, patch: &PagePatch, now: i64) -> StoreResult<Page> {
    positions::with_page(tx, account, id, now, |tx, clock, place| update_under(tx, clock, &place, patch))
}

fn update_under(tx: &mut dyn Tx, clock: &SessionClock, place: &PagePosition, patch: &PagePatch) -> StoreResult<Page> {
    let id = &place.id;
    separation::separate_floors(tx, clock, &[place.floor_row])?;
    let page = get(tx, clock.account(), id)?;
    tags::check(patch.condition, "page", || Ok(tags::of_page(&page)))?;
    let label = |patch: &Option<Option<String>>, old: Option<String>| patch.clone().unwrap_or(old);
    // Whose kind follows from who speaks follows another one.
    let follows = |role: &Option<String>| role.as_deref().map(kind_of);
    let spoken = patch.role.as_ref().filter(|_| follows(&page.role) == Some(page.kind)).and_then(follows);
    let role = label(&patch.role, page.role);
    let name = label(&patch.name, page.name);
    let kind = patch.kind.or(spoken).unwrap_or(page.kind).number();
    let sql = sql!(
        "UPDATE page SET kind = ?4, role = ?5, name = ?6, updated_at = ?7
         WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3"
    );
    let (role, name) = (role.as_deref().map(str::as_bytes), name.as_deref().map(str::as_bytes));
    tx.execute(sql, in_session![clock, place.page_row, kind, role, name, clock.now()])?;
    let host = (Scope::Page, place.page_row);
    if patch.content.is_some() || patch.extra.is_some() {
        bodies::own(tx, clock, &[place.page_row])?;
    }
    if let Some(content) = &patch.content {
        bodies::set_content(tx, clock, host, content.as_deref())?;
        let sql = sql!("UPDATE page SET text_hash = ?4 WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
        let hash = text_hash(content.as_deref());
        tx.execute(sql, in_session![clock, place.page_row, hash.as_slice()])?;
    }
    if patch.content.is_some() || patch.kind.or(spoken).is_some() {
        story::refresh_changed(tx, clock, &[place.floor_row])?;
    }
    if let Some(extra) = &patch.extra {
        bodies::set_extra(tx, clock, host, extra.as_ref())?;
    }
    clock.mark_changed();
    let page = get(tx, clock.account(), id)?;
    emit_one(tx, clock, EventKind::PageUpdated, place.floor_row, &page)?;
    Ok(page)
}
