//! Floors whose place is taken or gone: they come back on a branch of their own, from the nearest floor before them.

use super::super::promotions;
use super::{Restoring, has_branch};
use crate::conversation::branches;
use crate::tree::line::{self, BranchPosition};
use crate::tree::prelude::*;
use crate::tree::trash_rows::{KeptRow, Table, Value};
use std::collections::{BTreeMap, BTreeSet};
use tavernkeep_engine::limits::BRANCH_BYTES_MAX;

impl Restoring<'_> {
    /// Puts floors on a new branch that is forked from the nearest floor before them. If their branch is gone, that is the nearest
    /// one that it stood on.
    pub(super) fn make_branch(
        &mut self,
        tx: &mut dyn Tx,
        branch_row: i64,
        floors: &BTreeSet<i64>,
        bases: &[BranchPosition],
    ) -> StoreResult<i64> {
        let is_meant = |row: &KeptRow| row.int("floor_row").is_ok_and(|floor_row| floors.contains(&floor_row));
        let mut below = i64::MAX;
        for floor in self.of(Table::Floor).filter(|row| is_meant(row)) {
            below = below.min(floor.int("floor_no")?);
        }
        let source = match has_branch(tx, self.clock.key(), branch_row)? {
            true => self.nearest(tx, branch_row, below)?,
            false => self.nearest_base(tx, bases, below)?,
        };
        let name = self.free_name(tx, "restored")?;
        let new = branches::register(tx, self.clock, &self.session, &name, source)?;
        let mut next = source.map_or(0, |(_, floor_no)| floor_no + 1);
        let mut numbers = BTreeMap::new();
        let mut rows: Vec<&mut KeptRow> =
            self.kept.iter_mut().filter(|row| row.table == Table::Floor && is_meant(row)).collect();
        rows.sort_by_key(|row| row.int("floor_no").unwrap_or(0));
        for row in rows {
            let kept_no = row.int("floor_no")?;
            let floor_no = kept_no.max(next);
            // It has its kept number on the hidden branch. In one transaction it gets the other one.
            if let Some((large, _)) = self.prepared.filter(|(large, _)| floor_no != kept_no && large.has(row)) {
                return Err(large.cannot_be_prepared());
            }
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
        let mut pages = BTreeSet::new();
        for page in self.of(Table::Page).filter(|row| is_meant(row)) {
            pages.insert(page.int("page_row")?);
        }
        promotions::move_to_branch(tx, self.clock, &mut self.kept, &pages, new)?;
        Ok(new)
    }

    /// The nearest floor before a position among what a branch stood on. Items of an older program do not say what that was.
    fn nearest_base(
        &self,
        tx: &mut dyn Tx,
        bases: &[BranchPosition],
        below: i64,
    ) -> StoreResult<Option<branches::Source>> {
        for &(base, last) in bases {
            if has_branch(tx, self.clock.key(), base)? {
                return self.nearest(tx, base, below.min(last.saturating_add(1)));
            }
        }
        let main = lookup::branch(tx, self.clock.key(), &self.session, MAIN_BRANCH)?;
        self.nearest(tx, main, below)
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
    pub(super) fn free_name(&self, tx: &mut dyn Tx, name: &str) -> StoreResult<String> {
        let mut free = name.to_owned();
        for number in 2.. {
            if lookup::find_branch(tx, self.clock.key(), &free)?.is_none() {
                break;
            }
            let suffix = format!("-{number}");
            let mut end = name.len().min(BRANCH_BYTES_MAX - suffix.len());
            while !name.is_char_boundary(end) {
                end -= 1;
            }
            free = name.get(..end).unwrap_or_default().to_owned() + &suffix;
        }
        Ok(free)
    }
}
