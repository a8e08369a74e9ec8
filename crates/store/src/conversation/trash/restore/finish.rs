//! The end of restoring: counts, flags, promoted values and the active swipes agree again, and events say what is there.

use super::{Placed, RestoredBranch, Restoring};
use crate::conversation::pages;
use crate::events::{self, Emits, EventScope, NewEvent, detail};
use crate::story;
use crate::tree::prelude::*;
use crate::tree::trash_rows::Table;
use crate::types::record::EventKind;
use crate::variables::promotions::{self, Affected, Target};
use std::collections::{BTreeMap, BTreeSet};
use tavernkeep_engine::floor::FloorState;

impl Restoring<'_> {
    /// Makes everything agree again: counts, flags, promoted values, the active swipes; and says what is there.
    pub(super) fn finish(&self, tx: &mut dyn Tx, placed: &Placed) -> StoreResult<Vec<RestoredBranch>> {
        let mut totals = Totals::default();
        for row in self.of(Table::Variable) {
            totals.add(stored_enum(row.int("scope")?)?, self.clock.session_row(), 1);
            totals.add_trashed(self.clock.session_row(), -1);
        }
        let mut floors = self.rows_of(Table::Page, "floor_row")?;
        floors.extend(self.rows_of(Table::Floor, "floor_row")?);
        let mut floors: Vec<i64> = floors.into_iter().collect();
        let mut affected = Affected::default();
        affected.add(self.clock, promotions::targets_of_floors(tx, self.clock.key(), &self.promoting()?)?);
        affected.add(self.clock, self.promoted()?);
        affected.restore(tx, &mut totals)?;
        let branches = self.emit(tx, placed)?;
        let chosen: Vec<&Id> = self.chosen.iter().collect();
        floors.extend(pages::activate_all(tx, self.clock, &chosen)?);
        floors.sort_unstable();
        floors.dedup();
        story::refresh_or_leave(tx, self.clock, &floors)?;
        totals.keep(tx, self.clock.account())?;
        Ok(branches)
    }

    /// The floors of pages that have promoted something.
    fn promoting(&self) -> StoreResult<Vec<i64>> {
        let pages = self.rows_of(Table::Promotion, "page_row")?;
        let mut floors = BTreeSet::new();
        for page in self.of(Table::Page) {
            if pages.contains(&page.int("page_row")?) {
                floors.insert(page.int("floor_row")?);
            }
        }
        Ok(floors.into_iter().collect())
    }

    /// What pages promoted to branches that come back: these may have got a history of their own in the trash.
    fn promoted(&self) -> StoreResult<Vec<Target>> {
        let mut targets = BTreeSet::new();
        for row in self.of(Table::History) {
            if row.int("scope")? == Scope::Branch.number() && row.value("page_row")?.int().is_some() {
                let host = HostRow::new(self.clock.session_row(), Scope::Branch, row.int("host_row")?);
                targets.insert((host, stored_key(row.bytes("key")?.unwrap_or_default())?));
            }
        }
        Ok(targets.into_iter().collect())
    }

    fn emit(&self, tx: &mut dyn Tx, placed: &Placed) -> StoreResult<Vec<RestoredBranch>> {
        let sql = sql!("SELECT id FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
        let (mut branches, mut scopes) = (Vec::new(), BTreeMap::new());
        for (&branch_row, &is_new) in placed {
            let id = one(tx, sql, in_session![self.clock, branch_row], |row| stored_text(row.bytes(0)?))?;
            let scope = EventScope::branch(self.clock.session_row(), &self.session, branch_row, &id);
            if self.is_branch {
                events::emit(tx, self.clock.tick(), EventKind::BranchCreated, &scope, &self.session, None)?;
            }
            scopes.insert(branch_row, scope);
            branches.push(RestoredBranch { id, is_new });
        }
        let mut floors = Vec::new();
        for floor in self.of(Table::Floor) {
            let state = stored_enum::<FloorState>(floor.int("state")?)?;
            let detail = detail::of_floor(floor.int("floor_no")?, state);
            floors.push((floor.int("branch_row")?, floor.id()?, detail));
        }
        self.emit_on(tx, EventKind::FloorCreated, &scopes, &floors)?;
        self.emit_pages(tx, &scopes)?;
        Ok(branches)
    }

    fn emit_pages(&self, tx: &mut dyn Tx, scopes: &BTreeMap<i64, EventScope>) -> StoreResult<()> {
        let mut floors = BTreeMap::new();
        for floor in self.of(Table::Floor) {
            floors.insert(floor.int("floor_row")?, (floor.int("branch_row")?, floor.id()?));
        }
        let (mut with_floors, mut alone) = (Vec::new(), Vec::new());
        for page in self.of(Table::Page) {
            match floors.get(&page.int("floor_row")?) {
                Some((branch_row, floor)) => {
                    let (page_no, version, is_active) =
                        (page.int("page_no")?, page.int("version")?, page.int("is_active")? == 1);
                    let detail = detail::of_page(floor, page_no, version, is_active);
                    with_floors.push((*branch_row, page.id()?, detail));
                }
                None => alone.push(page.id()?),
            }
        }
        self.emit_on(tx, EventKind::PageCreated, scopes, &with_floors)?;
        pages::emit_created(tx, self.clock, &alone.iter().collect::<Vec<_>>())
    }

    /// Emits events of what is on branches, each with its detail.
    fn emit_on(
        &self,
        tx: &mut dyn Tx,
        kind: EventKind,
        scopes: &BTreeMap<i64, EventScope>,
        subjects: &[(i64, Id, String)],
    ) -> StoreResult<()> {
        let (emits, seq) = (Emits::One(kind), self.clock.seq());
        let emitted = subjects.iter().filter_map(|(branch_row, subject, detail)| {
            let scope = scopes.get(branch_row)?;
            Some(NewEvent { emits, scope, seq, subject, variable: None, detail: Some(detail) })
        });
        events::emit_all(tx, self.clock.account(), &emitted.collect::<Vec<_>>())
    }
}
