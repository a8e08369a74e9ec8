//! Where texts of the trash go back to: the kept rows of an item, what stands on their floors, and the free places there.

use crate::tree::positions::Slot;
use crate::tree::prelude::*;
use crate::tree::trash_rows::{KeptRow, Table, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

#[derive(Debug)]
pub(super) struct TextPage {
    /// In the trash.
    pub(super) page_row: i64,
    pub(super) was: Id,
    pub(super) floor_row: i64,
    pub(super) floor: Id,
    pub(super) page_no: i64,
    pub(super) version: i64,
    /// Whether it is the text that a page had, and no page of its own.
    pub(super) is_replaced: bool,
    /// Whether it becomes the active swipe.
    pub(super) is_chosen: bool,
    /// The tick of its own commit, if it is chosen and its floor has another one.
    pub(super) committed_seq: Option<i64>,
    pub(super) bytes: i64,
}

impl TextPage {
    /// What the pages of a part have in common.
    pub(super) fn kind(&self) -> (i64, bool, bool) {
        (self.page_no, self.is_chosen, self.is_replaced)
    }
}

/// The kept rows of an item that has nothing but replaced texts and deleted swipes.
pub(super) struct KeptTexts<'a> {
    pages: Vec<&'a KeptRow>,
    pub(super) floors: BTreeSet<i64>,
    /// Those of the pages that are replaced texts.
    replaced: HashSet<i64>,
}

impl KeptTexts<'_> {
    pub(super) fn of(rows: &[KeptRow]) -> StoreResult<Option<KeptTexts<'_>>> {
        let (mut pages, mut floors, mut replaced) = (Vec::new(), BTreeSet::new(), HashSet::new());
        for row in rows {
            match row.table {
                Table::Page => pages.push(row),
                Table::FloorOfPages => drop(floors.insert(row.int("floor_row")?)),
                Table::ReplacedText => drop(replaced.insert(row.int("page_row")?)),
                Table::PageEdit | Table::BranchBase => {}
                _ => return Ok(None),
            }
        }
        for page in &pages {
            if !floors.contains(&page.int("floor_row")?) {
                return Ok(None);
            }
        }
        Ok(Some(KeptTexts { pages, floors, replaced }))
    }
}

/// How long the texts of an item are, by their pages; none if a row does not say what it hangs on.
pub(super) fn body_bytes(tx: &mut dyn Tx, session: SessionKey<'_>, id: &Id) -> StoreResult<Option<HashMap<i64, i64>>> {
    let sql = sql!(
        "SELECT table_no, host_row, LENGTH(body) FROM trash_row
         WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND table_no IN (2, 3, 10)"
    );
    let rows = all(tx, sql, in_session![session, id], |row| Ok((row.int(0)?, row.int_or_null(1)?, row.int(2)?)))?;
    let mut bytes = HashMap::new();
    for (table, host, length) in rows {
        let Some(host) = host else { return Ok(None) };
        if table == Table::Body.number() {
            bytes.insert(host, length);
        }
    }
    Ok(Some(bytes))
}

/// What stands on the floors that texts go back to.
pub(super) struct Places {
    /// Their ids and the ticks of their commits.
    floors: HashMap<i64, (Id, Option<i64>)>,
    slots: BTreeMap<Slot, StoredSlot>,
    /// Of all pages.
    ids: HashSet<Id>,
}

#[derive(Default)]
struct StoredSlot {
    versions: BTreeSet<i64>,
    texts: HashSet<Vec<u8>>,
    /// The row of its active page.
    active: Option<i64>,
}

impl Places {
    /// Reads the branch of floors; none if they are not all there, on one branch that can be seen.
    pub(super) fn read(
        tx: &mut dyn Tx,
        session: SessionKey<'_>,
        wanted: &BTreeSet<i64>,
    ) -> StoreResult<Option<((i64, String), Places)>> {
        let Some(&any) = wanted.first() else { return Ok(None) };
        let sql = sql!(
            "SELECT b.branch_row, b.id FROM floor f
             JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
             WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.floor_row = ?3 AND LENGTH(b.id) <= 256"
        );
        let read = |row: &dyn Row| Ok((row.int(0)?, stored_text(row.bytes(1)?)?));
        let Some(branch) = first(tx, sql, in_session![session, any], read)? else { return Ok(None) };
        let sql = sql!(
            "SELECT f.floor_row, f.id, p.page_no, p.version, p.text_hash, p.id, f.committed_seq, p.page_row, p.is_active
             FROM floor f
             JOIN page p ON p.account_id = f.account_id AND p.session_row = f.session_row AND p.floor_row = f.floor_row
             WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3"
        );
        let mut places = Places { floors: HashMap::new(), slots: BTreeMap::new(), ids: HashSet::new() };
        tx.query(sql, in_session![session, branch.0], &mut |row| {
            let floor_row = row.int(0)?;
            if !wanted.contains(&floor_row) {
                return Ok(());
            }
            places.floors.insert(floor_row, (stored_id(row.text(1)?)?, row.int_or_null(6)?));
            let slot = places.slots.entry((floor_row, row.int(2)?)).or_default();
            slot.versions.insert(row.int(3)?);
            slot.texts.extend(row.bytes_or_null(4)?.map(<[u8]>::to_vec));
            if row.int(8)? == 1 {
                slot.active = Some(row.int(7)?);
            }
            places.ids.insert(stored_id(row.text(5)?)?);
            Ok(())
        })?;
        let are_there = wanted.iter().all(|floor_row| places.floors.contains_key(floor_row));
        Ok(are_there.then_some((branch, places)))
    }

    /// Gives texts free versions, and finds the rows of the pages that they take the place of. None if a replaced text stands there again or
    /// has the id of no page there, if there is no other swipe beside one, or if two of a slot were chosen.
    pub(super) fn place(
        mut self,
        kept: &KeptTexts<'_>,
        bytes: &HashMap<i64, i64>,
    ) -> StoreResult<Option<(Vec<TextPage>, BTreeSet<i64>)>> {
        let (mut pages, mut chosen, mut replaced) = (Vec::new(), HashSet::new(), BTreeSet::new());
        for row in &kept.pages {
            let (page_row, floor_row, page_no) = (row.int("page_row")?, row.int("floor_row")?, row.int("page_no")?);
            let (was, is_chosen) = (row.id()?, row.int("is_active")? == 1);
            let slot = self.slots.get_mut(&(floor_row, page_no)).zip(self.floors.get(&floor_row));
            let Some((slot, (floor, floor_commit))) = slot else { return Ok(None) };
            let is_replaced = kept.replaced.contains(&page_row);
            let is_known = row.bytes("text_hash")?.is_some_and(|hash| slot.texts.contains(hash));
            let is_lost = is_replaced && (is_known || !self.ids.contains(&was));
            if is_lost || (is_chosen && !chosen.insert((floor_row, page_no))) {
                return Ok(None);
            }
            let mut version = row.int("version")?;
            if !slot.versions.insert(version) {
                version = slot.versions.last().map_or(0, |last| last + 1);
                slot.versions.insert(version);
            }
            replaced.extend(slot.active.filter(|_| is_chosen));
            let committed_seq = match row.value("committed_seq")? {
                Value::Int(seq) if is_chosen && *floor_commit != Some(*seq) => Some(*seq),
                _ => None,
            };
            let (floor, bytes) = (floor.clone(), bytes.get(&page_row).copied().unwrap_or(0));
            pages.push(TextPage {
                page_row,
                was,
                floor_row,
                floor,
                page_no,
                version,
                is_replaced,
                is_chosen,
                committed_seq,
                bytes,
            });
        }
        Ok(Some((pages, replaced)))
    }
}
