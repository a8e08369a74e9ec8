//! Pages that come back to floors which are still there: a text that stands there again is chosen, another one becomes a swipe.

use super::Restoring;
use crate::tree::positions::Slot;
use crate::tree::prelude::*;
use crate::tree::trash_rows::{KeptRow, Table, Value};
use std::collections::{BTreeMap, BTreeSet};

impl Restoring<'_> {
    /// Where a slot has a text again that a sync had replaced there, no other swipe comes back: that one is chosen.
    pub(super) fn choose_known_texts(&mut self, tx: &mut dyn Tx) -> StoreResult<()> {
        let replaced = self.rows_of(Table::ReplacedText, "page_row")?;
        let mut texts = Vec::new();
        for row in self.of(Table::Page) {
            let page_row = row.int("page_row")?;
            if replaced.contains(&page_row)
                && let Some(hash) = row.bytes("text_hash")?
            {
                texts.push((
                    page_row,
                    row.int("floor_row")?,
                    row.int("page_no")?,
                    hash.to_vec(),
                    row.int("is_active")? == 1,
                ));
            }
        }
        let sql = sql!(
            "SELECT id FROM page WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3 AND page_no = ?4
                AND text_hash = ?5 ORDER BY version LIMIT 1"
        );
        let sets: Vec<_> = texts
            .iter()
            .map(|(_, floor_row, page_no, hash, _)| in_session![self.clock, *floor_row, *page_no, hash].to_vec())
            .collect();
        let found = first_of_each(tx, sql, &sets, |row| stored_id(row.text(0)?))?;
        let mut known = BTreeSet::new();
        for ((page_row, .., is_active), found) in texts.iter().zip(found) {
            let Some(found) = found else { continue };
            known.insert(*page_row);
            self.chosen.extend(Some(found).filter(|_| *is_active));
        }
        let is_known = |row: &KeptRow| match row.table {
            Table::Page | Table::PageEdit => row.int("page_row").is_ok_and(|page_row| known.contains(&page_row)),
            Table::Body => {
                row.int("scope").ok() == Some(Scope::Page.number())
                    && row.int("host_row").is_ok_and(|page_row| known.contains(&page_row))
            }
            _ => false,
        };
        self.kept.retain(|row| !is_known(row));
        Ok(())
    }

    /// Gives pages that go back to floors which were not deleted with them free versions. Where other pages are in their slot,
    /// none of them is active at first; where none are, one of them is.
    pub(super) fn put_beside(&mut self, tx: &mut dyn Tx, whole: &BTreeSet<i64>) -> StoreResult<()> {
        let mut alone: Vec<&mut KeptRow> = Vec::new();
        for row in self.kept.iter_mut().filter(|row| row.table == Table::Page) {
            if !whole.contains(&row.int("floor_row")?) {
                alone.push(row);
            }
        }
        let slot = |row: &KeptRow| Ok::<Slot, StoreError>((row.int("floor_row")?, row.int("page_no")?));
        let slots = alone.iter().map(|row| slot(row)).collect::<StoreResult<BTreeSet<Slot>>>()?;
        let slots: Vec<Slot> = slots.into_iter().collect();
        let sql = sql!(
            "SELECT version FROM page WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3 AND page_no = ?4"
        );
        let sets: Vec<_> = slots.iter().map(|&(floor, no)| in_session![self.clock, floor, no].to_vec()).collect();
        let mut taken: BTreeMap<Slot, BTreeSet<i64>> = BTreeMap::new();
        tx.query_many(sql, &sets, &mut |number, row| {
            taken.entry(slots[number]).or_default().insert(row.int(0)?);
            Ok(())
        })?;
        let mut without_active: BTreeSet<Slot> =
            slots.iter().filter(|slot| !taken.contains_key(slot)).copied().collect();
        for row in &alone {
            if row.int("is_active")? == 1 {
                without_active.remove(&slot(row)?);
            }
        }
        for row in alone {
            let at = slot(row)?;
            let Some(taken) = taken.get_mut(&at) else {
                if without_active.remove(&at) {
                    row.set("is_active", Value::Int(1))?;
                }
                continue;
            };
            if !taken.insert(row.int("version")?) {
                let next = taken.last().map_or(0, |last| last + 1);
                taken.insert(next);
                row.set("version", Value::Int(next))?;
            }
            if row.int("is_active")? == 1 {
                row.set("is_active", Value::Int(0))?;
                self.chosen.push(row.id()?);
            }
        }
        Ok(())
    }
}
