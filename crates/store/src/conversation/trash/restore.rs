//! Putting back what is in the trash: where it was, if that place is still there and free, else as a branch from the nearest floor
//! before.

use super::rows::{self, KeptRow, Table, Value};
use super::{forget, get, load};
use crate::conversation::{branches, pages};
use crate::events::{self, EventScope, detail};
use crate::story;
use crate::tree::clock::{self, Reserve};
use crate::tree::prelude::*;
use crate::tree::{floor_numbers, line, separation};
use crate::types::record::EventKind;
use crate::variables::promotions::{self, Affected};
use std::collections::BTreeMap;
use tavernkeep_engine::floor::FloorState;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Restored {
    pub session: Id,
    /// The branch that it is on now.
    pub branch: String,
    /// Whether that was made for it.
    pub is_new_branch: bool,
    pub floors: i64,
    pub pages: i64,
}

/// Puts an item back and takes it out of the trash.
pub fn restore(tx: &mut dyn Tx, account: &Id, id: &Id, now: i64) -> StoreResult<Restored> {
    let item = get(tx, account, id)?;
    clock::with_session(tx, account, &item.session, now, Reserve::default(), |tx, clock| {
        let kept = load(tx, clock.key(), id)?;
        let mut work = Work { clock, session: item.session.clone(), kept, chosen: Vec::new(), new_branch: None };
        let branch_row = work.place(tx)?;
        work.check_ids(tx)?;
        rows::insert(tx, clock.key(), &work.kept)?;
        work.finish(tx, branch_row)?;
        forget(tx, clock.key(), id)?;
        clock.mark_changed();
        let sql = sql!("SELECT id FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
        let branch = one(tx, sql, in_session![clock, branch_row], |row| stored_text(row.bytes(0)?))?;
        let is_new_branch = work.new_branch.is_some();
        Ok(Restored { session: item.session.clone(), branch, is_new_branch, floors: item.floors, pages: item.pages })
    })
}

struct Work<'a> {
    clock: &'a SessionClock,
    session: Id,
    kept: Vec<KeptRow>,
    /// Pages that were active alone and become so again.
    chosen: Vec<Id>,
    new_branch: Option<i64>,
}

impl Work<'_> {
    fn of(&self, table: Table) -> impl Iterator<Item = &KeptRow> {
        self.kept.iter().filter(move |row| row.table == table)
    }

    /// Decides where everything goes, and changes the rows so that they fit there. Returns the branch.
    fn place(&mut self, tx: &mut dyn Tx) -> StoreResult<i64> {
        let branch = self.of(Table::Branch).next().cloned();
        if let Some(branch) = branch {
            let branch_row = branch.int("branch_row")?;
            let name = branch.bytes("id")?.map(stored_text).transpose()?.unwrap_or_default();
            let name = self.free_name(tx, &name)?;
            let rename = |row: &mut KeptRow| row.set("id", Value::Bytes(name.clone().into_bytes()));
            self.kept.iter_mut().filter(|row| row.table == Table::Branch).try_for_each(rename)?;
            self.clock.note_fork(tx)?;
            return Ok(branch_row);
        }
        if self.of(Table::Floor).next().is_none() {
            return self.place_pages(tx);
        }
        // Swipes that a sync removed from floors that are there still go back to them; the others have their floors with them.
        let places = self.positions(Table::Floor)?;
        let Some((&branch_row, numbers)) = places.iter().next() else {
            return Err(StoreError::Corrupt("an item of the trash holds nothing".into()));
        };
        let alone = self.pages_alone()?;
        if !alone.is_empty() {
            self.put_beside(tx, &alone)?;
        }
        self.kept.retain(|row| row.table != Table::FloorOfPages);
        if places.len() == 1 && self.is_free(tx, branch_row, numbers)? {
            let first = numbers.iter().copied().min().unwrap_or_default();
            separation::separate(tx, self.clock, (branch_row, first))?;
            return Ok(branch_row);
        }
        self.make_branch(tx, branch_row, numbers.iter().copied().min().unwrap_or_default())
    }

    /// The branches that floors stood on, and their numbers there.
    fn positions(&self, table: Table) -> StoreResult<BTreeMap<i64, Vec<i64>>> {
        let mut places: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for floor in self.of(table) {
            places.entry(floor.int("branch_row")?).or_default().push(floor.int("floor_no")?);
        }
        Ok(places)
    }

    fn is_free(&self, tx: &mut dyn Tx, branch_row: i64, numbers: &[i64]) -> StoreResult<bool> {
        if !self.has_branch(tx, branch_row)? {
            return Ok(false);
        }
        for &floor_no in numbers {
            match floor_numbers::free(tx, self.clock.key(), branch_row, floor_no) {
                Ok(()) => {}
                Err(StoreError::Refused(_)) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn has_branch(&self, tx: &mut dyn Tx, branch_row: i64) -> StoreResult<bool> {
        let sql = sql!("SELECT 1 FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
        Ok(first(tx, sql, in_session![self.clock, branch_row], |row| row.int(0))?.is_some())
    }

    /// The pages whose floor was not deleted with them.
    fn pages_alone(&self) -> StoreResult<Vec<i64>> {
        let floors = self.of(Table::Floor).map(|floor| floor.int("floor_row")).collect::<StoreResult<Vec<_>>>()?;
        let mut alone = Vec::new();
        for page in self.of(Table::Page) {
            if !floors.contains(&page.int("floor_row")?) {
                alone.push(page.int("page_row")?);
            }
        }
        Ok(alone)
    }

    /// Puts pages back on their floor, or on a copy of it on a branch of its own.
    fn place_pages(&mut self, tx: &mut dyn Tx) -> StoreResult<i64> {
        let sql = sql!("SELECT branch_row FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
        let floors: Vec<i64> =
            self.of(Table::FloorOfPages).map(|floor| floor.int("floor_row")).collect::<StoreResult<_>>()?;
        let sets: Vec<_> = floors.iter().map(|&floor_row| in_session![self.clock, floor_row].to_vec()).collect();
        let there = first_of_each(tx, sql, &sets, |row| row.int(0))?;
        if let Some(branches) = there.into_iter().collect::<Option<Vec<i64>>>()
            && let Some(&branch_row) = branches.first()
        {
            let alone = self.pages_alone()?;
            separation::separate_floors(tx, self.clock, &floors)?;
            self.put_beside(tx, &alone)?;
            self.kept.retain(|row| row.table != Table::FloorOfPages);
            return Ok(branch_row);
        }
        // A floor is gone: its pages stand on one like it.
        let places = self.positions(Table::FloorOfPages)?;
        let Some((&branch_row, numbers)) = places.iter().next() else {
            return Err(StoreError::Corrupt("an item of the trash holds nothing".into()));
        };
        let mut copies = BTreeMap::new();
        for row in self.kept.iter_mut().filter(|row| row.table == Table::FloorOfPages) {
            let copy = self.clock.next_row();
            copies.insert(row.int("floor_row")?, copy);
            row.table = Table::Floor;
            row.set("floor_row", Value::Int(copy))?;
            row.set("variables", Value::Int(0))?;
        }
        for row in self.kept.iter_mut().filter(|row| row.table == Table::Page) {
            if let Some(&copy) = copies.get(&row.int("floor_row")?) {
                row.set("floor_row", Value::Int(copy))?;
            }
        }
        self.make_branch(tx, branch_row, numbers.iter().copied().min().unwrap_or_default())
    }

    /// Gives pages that go back to floors with other pages free versions; none of them is active at first.
    fn put_beside(&mut self, tx: &mut dyn Tx, pages: &[i64]) -> StoreResult<()> {
        let sql = sql!(
            "SELECT MAX(version), SUM(CASE WHEN version = ?5 THEN 1 ELSE 0 END) FROM page
             WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3 AND page_no = ?4"
        );
        for row in self.kept.iter_mut().filter(|row| row.table == Table::Page) {
            if !pages.contains(&row.int("page_row")?) {
                continue;
            }
            let (floor_row, page_no, version) = (row.int("floor_row")?, row.int("page_no")?, row.int("version")?);
            let place = in_session![self.clock, floor_row, page_no, version];
            let (last, taken) = one(tx, sql, place, |row| Ok((row.int_or_null(0)?, row.int_or_null(1)?)))?;
            if taken.unwrap_or(0) > 0 {
                row.set("version", Value::Int(last.unwrap_or(0) + 1))?;
            }
            if row.int("is_active")? == 1 && last.is_some() {
                row.set("is_active", Value::Int(0))?;
                self.chosen.push(row.id()?);
            }
        }
        Ok(())
    }

    /// Puts all floors on a new branch that is forked from the nearest floor before a position.
    fn make_branch(&mut self, tx: &mut dyn Tx, branch_row: i64, below: i64) -> StoreResult<i64> {
        let from = match self.has_branch(tx, branch_row)? {
            true => branch_row,
            false => lookup::branch(tx, self.clock.key(), &self.session, MAIN_BRANCH)?,
        };
        let source = self.nearest(tx, from, below)?;
        let name = self.free_name(tx, "restored")?;
        let new = branches::register(tx, self.clock, &self.session, &name, source)?;
        self.new_branch = Some(new);
        let mut next = source.map_or(0, |(_, floor_no)| floor_no + 1);
        let mut numbers = BTreeMap::new();
        let mut floors: Vec<&mut KeptRow> = self.kept.iter_mut().filter(|row| row.table == Table::Floor).collect();
        floors.sort_by_key(|row| (row.int("branch_row").unwrap_or(0), row.int("floor_no").unwrap_or(0)));
        for row in floors {
            let floor_no = row.int("floor_no")?.max(next);
            next = floor_no + 1;
            numbers.insert(row.int("floor_row")?, floor_no);
            row.set("branch_row", Value::Int(new))?;
            row.set("floor_no", Value::Int(floor_no))?;
        }
        for row in self.kept.iter_mut().filter(|row| row.table == Table::FloorKey) {
            if let Some(&floor_no) = numbers.get(&row.int("floor_row")?) {
                row.set("branch_row", Value::Int(new))?;
                row.set("floor_no", Value::Int(floor_no))?;
            }
        }
        Ok(new)
    }

    fn nearest(&self, tx: &mut dyn Tx, branch_row: i64, below: i64) -> StoreResult<Option<branches::Source>> {
        let sql = sql!(
            "SELECT floor_row, floor_no FROM floor
             WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND floor_no <= ?4 AND state = 2
             ORDER BY floor_no DESC LIMIT 1"
        );
        for (source, last) in line::segments(tx, self.clock.key(), branch_row, below - 1)?.into_iter().rev() {
            let found = first(tx, sql, in_session![self.clock, source, last], |row| Ok((row.int(0)?, row.int(1)?)))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// A name like this that no branch has.
    fn free_name(&self, tx: &mut dyn Tx, name: &str) -> StoreResult<String> {
        let mut free = name.to_owned();
        for number in 2.. {
            if lookup::find_branch(tx, self.clock.key(), &free)?.is_none() {
                break;
            }
            free = format!("{name}-{number}");
        }
        Ok(free)
    }

    /// Floors and pages whose ids others have by now get others.
    fn check_ids(&mut self, tx: &mut dyn Tx) -> StoreResult<()> {
        let statements = [
            (Table::Floor, sql!("SELECT 1 FROM floor WHERE account_id = ?1 AND id = ?2")),
            (Table::Page, sql!("SELECT 1 FROM page WHERE account_id = ?1 AND id = ?2")),
        ];
        for (table, sql) in statements {
            for row in self.kept.iter_mut().filter(|row| row.table == table) {
                let id = row.id()?;
                if first(tx, sql, params![self.clock.account(), &id], |row| row.int(0))?.is_none() {
                    continue;
                }
                let other = separation::own_id(self.clock.key(), &id, self.clock.seq())?;
                if let Some(chosen) = self.chosen.iter_mut().find(|chosen| **chosen == id) {
                    *chosen = other.clone();
                }
                row.set("id", Value::Text(other.to_string()))?;
            }
        }
        Ok(())
    }

    /// Makes everything agree again: counts, flags, promoted values, the active swipes; and says what is there.
    fn finish(&self, tx: &mut dyn Tx, branch_row: i64) -> StoreResult<()> {
        let mut totals = Totals::default();
        for row in self.of(Table::Variable) {
            totals.add(stored_enum(row.int("scope")?)?, self.clock.session_row(), 1);
        }
        let mut floors: Vec<i64> =
            self.of(Table::Page).map(|page| page.int("floor_row")).collect::<StoreResult<Vec<_>>>()?;
        floors.extend(self.of(Table::Floor).map(|floor| floor.int("floor_row")).collect::<StoreResult<Vec<_>>>()?);
        floors.sort_unstable();
        floors.dedup();
        let mut affected = Affected::default();
        affected.add(self.clock, promotions::targets_of_floors(tx, self.clock.key(), &floors)?);
        affected.restore(tx, &mut totals)?;
        self.emit(tx, branch_row)?;
        let chosen: Vec<&Id> = self.chosen.iter().collect();
        pages::activate_all(tx, self.clock, &chosen)?;
        story::refresh_changed(tx, self.clock, &floors)?;
        totals.keep(tx, self.clock.account())
    }

    fn emit(&self, tx: &mut dyn Tx, branch_row: i64) -> StoreResult<()> {
        let sql = sql!("SELECT id FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
        let name = one(tx, sql, in_session![self.clock, branch_row], |row| stored_text(row.bytes(0)?))?;
        let scope = EventScope::branch(self.clock.session_row(), &self.session, branch_row, &name);
        if self.of(Table::Branch).next().is_some() {
            events::emit(tx, self.clock.tick(), EventKind::BranchCreated, &scope, &self.session, None)?;
        }
        for floor in self.of(Table::Floor) {
            let state = stored_enum::<FloorState>(floor.int("state")?)?;
            let detail = detail::of_floor(floor.int("floor_no")?, state);
            events::emit(tx, self.clock.tick(), EventKind::FloorCreated, &scope, &floor.id()?, Some(&detail))?;
        }
        let sql = sql!("SELECT id FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
        for page in self.of(Table::Page) {
            let floor_row = page.int("floor_row")?;
            let floor = one(tx, sql, in_session![self.clock, floor_row], |row| stored_id(row.text(0)?))?;
            let is_active = page.int("is_active")? == 1;
            let detail = detail::of_page(&floor, page.int("page_no")?, page.int("version")?, is_active);
            let scope = EventScope::of_floor(tx, self.clock.key(), floor_row)?;
            events::emit(tx, self.clock.tick(), EventKind::PageCreated, &scope, &page.id()?, Some(&detail))?;
        }
        Ok(())
    }
}
