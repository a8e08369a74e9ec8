//! The rows of floors once more, for a fork that is in the trash: they go to its item. What is in the trash stands in no table that
//! anything else reads, so a line that changes under such a fork must not put rows there again.

use super::copy::{self, Copies};
use super::{names, promoted};
use crate::tree::line::LineSegment;
use crate::tree::prelude::*;
use crate::tree::trash_items::{self, TrashKind};
use crate::tree::trash_rows::{self, Host, KeptRow, Table, Value};

/// Floors that are held in memory at once, with their texts.
const FLOORS_AT_ONCE: usize = 128;

/// Keeps copies of the committed floors from a position on in the item of a branch.
pub fn floors(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    way: &[LineSegment],
    from: i64,
    (branch_row, item): (i64, &Id),
) -> StoreResult<()> {
    let mut totals = Totals::default();
    for part in copy::shared_floors(tx, clock, way, from)?.chunks(FLOORS_AT_ONCE) {
        let floors = copy::copies(clock, part);
        let (found, _) = copy::pages_of(tx, clock, &floors)?;
        let pages = copy::copies(clock, &found);
        let rows = |copies: &Copies| copies.keys().copied().collect::<Vec<i64>>();
        let mut kept = trash_rows::read(tx, clock.key(), Host::Floor, &rows(&floors))?;
        kept.extend(trash_rows::read(tx, clock.key(), Host::Page, &rows(&pages))?);
        let copier = Copier { session: clock.key(), floors: &floors, pages: &pages, branch_row };
        let mut copied = Vec::with_capacity(kept.len());
        for row in kept {
            copied.extend(copier.copy(row)?);
        }
        // As those of other pages in the trash: they stand where they always stood, and can be read.
        copy::snapshots(tx, clock, &pages, branch_row)?;
        let amount = trash_rows::amount(&copied);
        trash_items::put_part(tx, clock, item, TrashKind::Branch, amount)?;
        totals.add_trashed(clock.session_row(), amount.variables);
        trash_rows::keep(tx, clock.key(), item, &copied)?;
        promoted::of_kept_copies(tx, clock, &pages, &copied, (branch_row, item))?;
    }
    totals.keep(tx, clock.account())
}

struct Copier<'a> {
    session: SessionKey<'a>,
    floors: &'a Copies,
    pages: &'a Copies,
    branch_row: i64,
}

impl Copier<'_> {
    /// The copy of a row; none of what a fork gets no copy of.
    fn copy(&self, mut row: KeptRow) -> StoreResult<Option<KeptRow>> {
        match row.table {
            Table::Floor => {
                self.rename(&mut row)?;
                self.move_to(&mut row, "floor_row", self.floors)?;
                row.set("branch_row", Value::Int(self.branch_row))?;
            }
            Table::FloorKey => {
                self.move_to(&mut row, "floor_row", self.floors)?;
                row.set("branch_row", Value::Int(self.branch_row))?;
            }
            Table::Page => {
                self.rename(&mut row)?;
                self.move_to(&mut row, "page_row", self.pages)?;
                self.move_to(&mut row, "floor_row", self.floors)?;
                // No turn made the copy.
                row.set("turn_hash", Value::Null)?;
            }
            Table::PageEdit => self.move_to(&mut row, "page_row", self.pages)?,
            Table::Body => self.move_host(&mut row)?,
            Table::Variable => {
                self.move_host(&mut row)?;
                let id = names::variable_id(&row.id()?, self.branch_row)?;
                row.set("id", Value::Text(id.to_string()))?;
            }
            Table::History => return self.history(row).map(Some),
            Table::Promotion => return self.promotion(row),
            Table::StagedWrite => {
                self.move_to(&mut row, "page_row", self.pages)?;
                let id = names::variable_id(&row.id()?, self.branch_row)?;
                row.set("id", Value::Text(id.to_string()))?;
            }
            Table::Branch
            | Table::FloorOfPages
            | Table::GlobalSnapshot
            | Table::ReplacedText
            | Table::BranchBase
            | Table::DroppedAt => return Ok(None),
        }
        Ok(Some(row))
    }

    fn rename(&self, row: &mut KeptRow) -> StoreResult<()> {
        let id = names::own_id(self.session, &row.id()?, self.branch_row)?;
        row.set("id", Value::Text(id.to_string()))
    }

    fn move_to(&self, row: &mut KeptRow, column: &str, copies: &Copies) -> StoreResult<()> {
        match copies.get(&row.int(column)?) {
            Some(&copy) => row.set(column, Value::Int(copy)),
            None => Ok(()),
        }
    }

    fn move_host(&self, row: &mut KeptRow) -> StoreResult<()> {
        let is_page = row.int("scope")? == Scope::Page.number();
        self.move_to(row, "host_row", if is_page { self.pages } else { self.floors })
    }

    /// What a page promoted to its floor counts while it is active; on a copied floor that is the copied page.
    fn history(&self, mut row: KeptRow) -> StoreResult<KeptRow> {
        self.move_host(&mut row)?;
        if row.int("scope")? == Scope::Floor.number() && row.value("page_row")?.int().is_some() {
            self.move_to(&mut row, "page_row", self.pages)?;
        }
        let Value::Text(id) = row.value("variable_id")? else { return Ok(row) };
        let id = names::variable_id(&stored_id(id)?, self.branch_row)?;
        row.set("variable_id", Value::Text(id.to_string()))?;
        Ok(row)
    }

    /// What was promoted to the chat is no part of the line.
    fn promotion(&self, mut row: KeptRow) -> StoreResult<Option<KeptRow>> {
        let to_scope = row.int("to_scope")?;
        let to = if to_scope == Scope::Branch.number() {
            Some(self.branch_row)
        } else {
            self.floors.get(&row.int("to_row")?).copied().filter(|_| to_scope == Scope::Floor.number())
        };
        let Some(to) = to else { return Ok(None) };
        self.move_to(&mut row, "page_row", self.pages)?;
        let from_scope = row.int("from_scope")?;
        for (scope, copies) in [(Scope::Page, self.pages), (Scope::Floor, self.floors)] {
            if from_scope == scope.number() {
                self.move_to(&mut row, "from_row", copies)?;
            }
        }
        row.set("to_row", Value::Int(to))?;
        if let Value::Text(staged) = row.value("staged_id")? {
            let staged = names::variable_id(&stored_id(staged)?, self.branch_row)?;
            row.set("staged_id", Value::Text(staged.to_string()))?;
        }
        Ok(Some(row))
    }
}
