//! Where floors and pages stand, and what a write has to know of them once it holds their session's clock.

use crate::tree::clock;
use crate::tree::prelude::*;
use tavernkeep_engine::floor::FloorState;

/// What a write needs to know of a floor whose clock it holds.
pub struct FloorPosition {
    pub id: Id,
    pub floor_row: i64,
    pub branch_row: i64,
    pub floor_no: i64,
    /// The state at the time of the write, an ended lease counted as failed.
    pub state: FloorState,
}

/// Takes the clock of a floor's session, reads the floor under it, and does the work.
pub fn with_floor<T>(
    tx: &mut dyn Tx,
    account: &Id,
    floor: &Id,
    now: i64,
    work: impl FnOnce(&mut dyn Tx, &SessionClock, FloorPosition) -> StoreResult<T>,
) -> StoreResult<T> {
    let missing = || Refusal::FloorNotFound(floor.clone());
    let sql = sql!("SELECT session_row FROM floor WHERE account_id = ?1 AND id = ?2");
    let session_row = first(tx, sql, params![account, floor], |row| row.int(0))?.ok_or_else(missing)?;
    let done = clock::with_session_row(tx, SessionKey::new(account, session_row), now, |tx, clock| {
        let place = self::floor(tx, clock, floor)?;
        work(tx, clock, place)
    });
    done?.ok_or_else(|| missing().into())
}

pub fn floor(tx: &mut dyn Tx, clock: &SessionClock, floor: &Id) -> StoreResult<FloorPosition> {
    let sql = sql!(
        "SELECT floor_row, branch_row, floor_no, state, lease_until FROM floor
         WHERE account_id = ?1 AND session_row = ?2 AND id = ?3 AND floor_no >= 0"
    );
    let place = first(tx, sql, in_session![clock, floor], |row| {
        let state = stored_enum::<FloorState>(row.int(3)?)?.at(row.int_or_null(4)?, clock.now());
        let (floor_row, branch_row, floor_no) = (row.int(0)?, row.int(1)?, row.int(2)?);
        Ok(FloorPosition { id: floor.clone(), floor_row, branch_row, floor_no, state })
    })?;
    place.ok_or_else(|| Refusal::FloorNotFound(floor.clone()).into())
}

/// The same by the floor's row.
pub fn floor_at(tx: &mut dyn Tx, clock: &SessionClock, floor_row: i64) -> StoreResult<FloorPosition> {
    let sql = sql!("SELECT id FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let id = one(tx, sql, in_session![clock, floor_row], |row| stored_id(row.text(0)?))?;
    floor(tx, clock, &id)
}

/// A slot: a floor and a page number.
pub type Slot = (i64, i64);

#[derive(Clone)]
pub struct PagePosition {
    pub session_row: i64,
    pub page_row: i64,
    pub id: Id,
    pub floor_row: i64,
    pub floor: Id,
    pub page_no: i64,
    pub version: i64,
    pub is_active: bool,
    /// The state of its floor at the time of the write.
    pub state: FloorState,
    /// Whether the floor went through a commit.
    pub floor_committed: bool,
    /// Whether the page was the one that was committed.
    pub committed: bool,
}

impl PagePosition {
    pub fn host(&self) -> HostRow {
        HostRow::new(self.session_row, Scope::Page, self.page_row)
    }

    pub fn slot(&self) -> Slot {
        (self.floor_row, self.page_no)
    }
}

/// Takes the clock of a page's session, reads the page under it, and does the work.
pub fn with_page<T>(
    tx: &mut dyn Tx,
    account: &Id,
    page: &Id,
    now: i64,
    work: impl FnOnce(&mut dyn Tx, &SessionClock, PagePosition) -> StoreResult<T>,
) -> StoreResult<T> {
    let missing = || Refusal::PageNotFound(page.clone());
    let sql = sql!("SELECT session_row FROM page WHERE account_id = ?1 AND id = ?2");
    let session_row = first(tx, sql, params![account, page], |row| row.int(0))?.ok_or_else(missing)?;
    let done = clock::with_session_row(tx, SessionKey::new(account, session_row), now, |tx, clock| {
        let place = self::page(tx, clock, page)?.ok_or_else(missing)?;
        work(tx, clock, place)
    });
    done?.ok_or_else(|| missing().into())
}

pub fn page(tx: &mut dyn Tx, clock: &SessionClock, page: &Id) -> StoreResult<Option<PagePosition>> {
    let found = pages(tx, clock.account(), &[page], clock.now())?;
    Ok(found.into_iter().flatten().find(|place| place.session_row == clock.session_row()))
}

/// Where each of many pages stands; none for those that are not there, or wait on a hidden floor.
pub fn pages(tx: &mut dyn Tx, account: &Id, pages: &[&Id], now: i64) -> StoreResult<Vec<Option<PagePosition>>> {
    let sql = sql!(
        "SELECT p.session_row, p.page_row, p.id, p.floor_row, f.id, p.page_no, p.version, p.is_active, f.state,
            f.lease_until, f.committed_seq, p.committed_seq
         FROM page p
         JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         WHERE p.account_id = ?1 AND p.id = ?2 AND f.floor_no >= 0"
    );
    let sets: Vec<_> = pages.iter().map(|&page| params![account, page].to_vec()).collect();
    first_of_each(tx, sql, &sets, |row| {
        Ok(PagePosition {
            session_row: row.int(0)?,
            page_row: row.int(1)?,
            id: stored_id(row.text(2)?)?,
            floor_row: row.int(3)?,
            floor: stored_id(row.text(4)?)?,
            page_no: row.int(5)?,
            version: row.int(6)?,
            is_active: row.int(7)? == 1,
            state: stored_enum::<FloorState>(row.int(8)?)?.at(row.int_or_null(9)?, now),
            floor_committed: row.int_or_null(10)?.is_some(),
            committed: row.int_or_null(11)?.is_some(),
        })
    })
}
