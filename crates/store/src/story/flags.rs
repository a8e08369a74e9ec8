//! Which floors do not fit the one before them: kept as a flag on each floor, in the transaction of whatever changes it.
//!
//! A change at a floor concerns the floor itself and the next story floor of its branch. Floors further on are not touched:
//! they still fit the one before them, and a read sees whether something earlier is broken. Other lines share nothing with a
//! floor that changes (see [`crate::tree::separation`]).

use crate::story::places::{self, StoryPage};
use crate::tree::line::BranchPosition;
use crate::tree::prelude::*;
use std::collections::BTreeSet;
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::story::Base;

/// Looks again at floors whose pages changed, and at those right behind them. Floors that are not committed have no flags.
pub fn refresh_changed(tx: &mut dyn Tx, clock: &SessionClock, floors: &[i64]) -> StoreResult<()> {
    let (mut affected, mut committed) = (BTreeSet::new(), BTreeSet::new());
    for (&floor_row, found) in floors.iter().zip(places_of(tx, clock.key(), floors)?) {
        if let Some((place, FloorState::Committed)) = found {
            affected.insert(floor_row);
            committed.insert(place);
        }
    }
    if committed.is_empty() {
        return Ok(());
    }
    affected.extend(right_behind(tx, clock.key(), &committed)?);
    refresh(tx, clock, &affected)
}

/// Floors from which on their flags are looked at later, in parts. Looking at one takes some questions.
const MANY: usize = 250;

/// Whether the flags of so many floors are looked at later.
pub fn are_many(floors: usize) -> bool {
    floors >= MANY
}

/// The same for any number of floors: the flags of many are unknown until they are looked at.
pub fn refresh_or_leave(tx: &mut dyn Tx, clock: &SessionClock, floors: &[i64]) -> StoreResult<()> {
    match are_many(floors.len()) {
        false => refresh_changed(tx, clock, floors),
        true => invalidate_flags(tx, clock),
    }
}

pub fn around(tx: &mut dyn Tx, session: SessionKey<'_>, floors: &[i64]) -> StoreResult<BTreeSet<i64>> {
    let places = places_of(tx, session, floors)?;
    let places = places.into_iter().flatten().map(|(place, _)| place).collect();
    Ok(floors.iter().copied().chain(right_behind(tx, session, &places)?).collect())
}

/// The story floors that come right behind these places on their branches.
fn right_behind(tx: &mut dyn Tx, session: SessionKey<'_>, places: &BTreeSet<BranchPosition>) -> StoreResult<Vec<i64>> {
    let behind = places::right_behind(tx, session, places)?;
    Ok(behind.into_iter().map(|page| page.floor_row).collect())
}

/// Where floors stand, and how far they are.
fn places_of(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    floors: &[i64],
) -> StoreResult<Vec<Option<(BranchPosition, FloorState)>>> {
    let sql = sql!(
        "SELECT branch_row, floor_no, state FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3"
    );
    let sets: Vec<_> = floors.iter().map(|&floor_row| in_session![session, floor_row].to_vec()).collect();
    first_of_each(tx, sql, &sets, |row| Ok(((row.int(0)?, row.int(1)?), stored_enum(row.int(2)?)?)))
}

/// What a floor's story page is like. A floor without one is no part of the story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Flags {
    /// It does not fit what is before it.
    broken: bool,
    /// One of its active pages has a state, whether commands are read from that page or not: which they are read from can
    /// change for a whole chat at once, and this does not change with it.
    has_state: bool,
}

/// Sets the flags of floors by what is there now. Those that are gone are left out.
pub fn refresh(tx: &mut dyn Tx, clock: &SessionClock, floors: &BTreeSet<i64>) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE floor SET broken = ?4, has_state = ?5
         WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3 AND (broken <> ?4 OR has_state <> ?5)"
    );
    let rows: Vec<i64> = floors.iter().copied().collect();
    let flags = flags(tx, clock.key(), &rows)?;
    let sets: Vec<_> = rows
        .iter()
        .zip(flags)
        .map(|(&floor_row, flags)| in_session![clock, floor_row, flags.broken, flags.has_state].to_vec())
        .collect();
    execute_many(tx, sql, &sets)
}

fn flags(tx: &mut dyn Tx, session: SessionKey<'_>, floors: &[i64]) -> StoreResult<Vec<Flags>> {
    let pages = places::of_floors(tx, session, floors)?;
    let places: Vec<BranchPosition> = pages.iter().flatten().map(|page| (page.branch_row, page.floor_no)).collect();
    let mut before = places::before_each(tx, session, &places)?.into_iter();
    let mut flags = |page: StoryPage| {
        let base = before.next().flatten().map_or(Base::Template, |page| page.base());
        let broken = page.inputs(base).misfit(page.made_of().as_ref()).is_some();
        Flags { broken, has_state: page.pointer.is_some() }
    };
    let mut flags: Vec<Flags> = pages.into_iter().map(|page| page.map_or_else(Flags::default, &mut flags)).collect();
    // Where the story page has no state another page of the floor may have one.
    let others: Vec<usize> = (0..flags.len()).filter(|&at| !flags[at].has_state).collect();
    let sets: Vec<_> = others.iter().map(|&at| in_session![session, floors[at]].to_vec()).collect();
    let found = first_of_each(tx, ANY_STATE, &sets, |_| Ok(()))?;
    for (at, found) in others.into_iter().zip(found) {
        flags[at].has_state = found.is_some();
    }
    Ok(flags)
}

const ANY_STATE: Sql = sql!(
    "SELECT 1 FROM floor f
     JOIN page p ON p.account_id = f.account_id AND p.session_row = f.session_row AND p.floor_row = f.floor_row
     JOIN snapshot n ON n.account_id = p.account_id AND n.session_row = p.session_row AND n.page_row = p.page_row
     WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.floor_row = ?3 AND f.state = 2 AND p.is_active = 1 LIMIT 1"
);

/// Floors that are checked with one question.
const FLOORS_CHECKED: usize = 500;

/// How many floors of a session have a flag that is not what it should be. Floors that are still to be looked at have none.
pub fn wrong_flags(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<usize> {
    let sql = sql!(
        "SELECT f.floor_row, f.broken, f.has_state FROM floor f
         JOIN session s ON s.account_id = f.account_id AND s.session_row = f.session_row
         JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
         WHERE f.account_id = ?1 AND f.session_row = ?2 AND (s.flags_from IS NULL OR f.floor_row < s.flags_from)
            AND LENGTH(b.id) <= 256"
    );
    let stored = all(tx, sql, in_session![session], |row| {
        Ok((row.int(0)?, Flags { broken: row.int(1)? == 1, has_state: row.int(2)? == 1 }))
    })?;
    let (rows, stored): (Vec<i64>, Vec<Flags>) = stored.into_iter().unzip();
    let mut wrong = 0;
    for (rows, stored) in rows.chunks(FLOORS_CHECKED).zip(stored.chunks(FLOORS_CHECKED)) {
        let right = flags(tx, session, rows)?;
        wrong += right.iter().zip(stored).filter(|(right, stored)| right != stored).count();
    }
    Ok(wrong)
}

/// Floors whose flags are set in one transaction when all of them are.
pub const FLOORS_AT_ONCE: usize = 64;

/// Marks all flags of a session as unknown, after another kind of page has become part of the story. Readers take floors
/// with unknown flags for broken ([`places::first_broken`]), so this is one row, however long the chat is.
pub fn invalidate_flags(tx: &mut dyn Tx, clock: &SessionClock) -> StoreResult<()> {
    let sql = sql!("UPDATE session SET flags_from = 0 WHERE account_id = ?1 AND session_row = ?2");
    tx.execute(sql, in_session![clock]).map(drop)
}

/// Sets the flags of the next floors that are unknown.
pub fn reindex_next(tx: &mut dyn Tx, clock: &SessionClock, from: i64) -> StoreResult<()> {
    let sql = sql!(
        "SELECT floor_row FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row >= ?3
         ORDER BY floor_row LIMIT ?4"
    );
    let limit = i64::try_from(FLOORS_AT_ONCE + 1).unwrap_or(i64::MAX);
    let floors = all(tx, sql, in_session![clock, from, limit], |row| row.int(0))?;
    // What lies behind the last one of this part is where the next one begins.
    let next = floors.get(FLOORS_AT_ONCE).copied();
    refresh(tx, clock, &floors.into_iter().take(FLOORS_AT_ONCE).collect())?;
    let sql = sql!("UPDATE session SET flags_from = ?3 WHERE account_id = ?1 AND session_row = ?2");
    tx.execute(sql, in_session![clock, next]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::counting::CountingTx;

    #[test]
    fn the_flags_of_many_floors_cost_one_statement() {
        let mut tx = CountingTx::default();
        let account: Id = "a".parse().unwrap();
        let held = AccountClock::of(&mut tx, &account, 1).unwrap();
        let clock = SessionClock::of_new(&held, 1, 1);
        let before = tx.statements;
        refresh_or_leave(&mut tx, &clock, &(1..20_000).collect::<Vec<_>>()).unwrap();
        assert_eq!(tx.statements - before, 1);
    }
}
