//! What pages promoted to their branch, on the forks of it. A promoted value counts while its page is chosen, and a fork chooses for
//! itself. So when a fork gets pages of its own, it gets the history of the keys that they promoted to as well: the rows that it sees,
//! with its own pages in the place of those that were copied.

use super::copy::Copies;
use super::names;
use crate::tree::hidden::{self, BranchPlace};
use crate::tree::line::{self, ForkSegment};
use crate::tree::prelude::*;
use crate::tree::trash_items::{self, TrashKind};
use crate::tree::trash_rows::{self, KeptRow, Table, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A page and a key that it promoted to its branch.
type PromotedKey = (i64, Vec<u8>);

/// Pages were copied to a branch: what they promoted is promoted there by the copies.
pub(super) fn of_copies(tx: &mut dyn Tx, clock: &SessionClock, pages: &Copies, branch_row: i64) -> StoreResult<()> {
    let sql = sql!(
        "SELECT DISTINCT page_row, key FROM promotion
         WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 AND to_scope = 2"
    );
    let sets: Vec<_> = pages.keys().map(|&page_row| in_session![clock, page_row].to_vec()).collect();
    let found: Vec<PromotedKey> = all_of_each(tx, sql, &sets, |row| Ok((row.int(0)?, row.bytes(1)?.to_vec())))?;
    if found.is_empty() {
        return Ok(());
    }
    let keys = found.iter().map(|(_, key)| key.clone()).collect();
    own_keys(tx, clock, branch_row, &keys)?;
    let sql = sql!(
        "UPDATE history SET page_row = ?6
         WHERE account_id = ?1 AND session_row = ?2 AND scope = 2 AND host_row = ?3 AND key = ?4 AND page_row = ?5"
    );
    let sets: Vec<_> =
        found.iter().map(|(page, key)| in_session![clock, branch_row, key, *page, pages[page]].to_vec()).collect();
    execute_many(tx, sql, &sets)
}

/// The same for a branch in the trash.
pub(super) fn of_kept_copies(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    pages: &Copies,
    copied: &[KeptRow],
    (branch_row, item): (i64, &Id),
) -> StoreResult<()> {
    let mut keys = BTreeSet::new();
    for row in copied.iter().filter(|row| row.table == Table::Promotion) {
        if row.int("to_scope")? == Scope::Branch.number() {
            keys.extend(row.bytes("key")?.map(<[u8]>::to_vec));
        }
    }
    if keys.is_empty() {
        return Ok(());
    }
    own_kept_keys(tx, clock, (branch_row, item), &keys)?;
    trash_rows::rewrite(tx, clock.key(), item, (Table::History, branch_row), &mut |row| {
        let page = row.value("page_row")?.int().and_then(|page| pages.get(&page));
        match page {
            Some(&copy) if row.int("scope")? == Scope::Branch.number() => {
                row.set("page_row", Value::Int(copy)).map(|()| true)
            }
            _ => Ok(false),
        }
    })
}

/// Gives a branch the history that it sees of keys. It gets no variables: as before it shows what that history says, and whoever asks
/// for its own values sees no difference.
pub fn own_keys(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64, keys: &BTreeSet<Vec<u8>>) -> StoreResult<()> {
    match hidden::place_of(tx, clock.key(), branch_row)? {
        BranchPlace::Line => {}
        BranchPlace::Trash(item) => return own_kept_keys(tx, clock, (branch_row, &item), keys),
        BranchPlace::Purged => return Ok(()),
    }
    let way = line::branches_before(tx, clock.key(), branch_row)?;
    for key in keys {
        let seen = seen(tx, clock.key(), &way, key)?;
        let ids = seen.values().map(|seen| names::variable_id(&seen.id, branch_row));
        let ids = ids.collect::<StoreResult<Vec<Id>>>()?;
        let mut sets = Vec::with_capacity(seen.len());
        for ((&seq, seen), id) in seen.iter().zip(&ids) {
            let value = seen.value.as_deref();
            sets.push(in_session![clock, branch_row, key, seq, id, seen.source, seen.page_row, value].to_vec());
        }
        execute_many(tx, ADD, &sets)?;
    }
    Ok(())
}

const ADD: Sql = sql!(
    "INSERT INTO history (account_id, session_row, scope, host_row, key, seq, variable_id, source, page_row, value)
     VALUES (?1, ?2, 2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
     ON CONFLICT (account_id, session_row, scope, host_row, key, seq) DO NOTHING"
);

/// A row of a branch before, by its tick.
struct SeenRow {
    id: Id,
    source: i64,
    page_row: Option<i64>,
    value: Option<Vec<u8>>,
}

/// All that can count of a key, now or after a swipe, on the branches before.
fn seen(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    way: &[ForkSegment],
    key: &[u8],
) -> StoreResult<BTreeMap<i64, SeenRow>> {
    let sql = sql!(
        "SELECT h.seq, h.variable_id, h.source, h.page_row, h.value FROM history h
         WHERE h.account_id = ?1 AND h.session_row = ?2 AND h.scope = 2 AND h.host_row = ?3 AND h.key = ?4
            AND h.source NOT IN (5, 7) AND (h.page_row IS NULL AND h.seq <= ?5 OR EXISTS (
                SELECT 1 FROM page p
                JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
                WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = h.page_row AND f.branch_row = ?3
                    AND f.floor_no <= ?6))"
    );
    let mut found = BTreeMap::new();
    for segment in way {
        let Some(seq) = segment.seq else { break };
        let last = segment.last.unwrap_or(-1);
        let rows = all(tx, sql, in_session![session, segment.branch_row, key, seq, last], |row| {
            let (id, source) = (stored_id(row.text(1)?)?, row.int(2)?);
            let value = row.bytes_or_null(4)?.map(<[u8]>::to_vec);
            Ok((row.int(0)?, SeenRow { id, source, page_row: row.int_or_null(3)?, value }))
        })?;
        for (seq, row) in rows {
            found.entry(seq).or_insert(row);
        }
    }
    Ok(found)
}

/// The same for a branch in the trash: the history goes to its item.
fn own_kept_keys(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    (branch_row, item): (i64, &Id),
    keys: &BTreeSet<Vec<u8>>,
) -> StoreResult<()> {
    let way = line::branches_before(tx, clock.key(), branch_row)?;
    let mut said = BTreeSet::new();
    for row in trash_rows::of_table(tx, clock.key(), item, Table::History, Some(branch_row))? {
        if row.int("scope")? == Scope::Branch.number() {
            said.insert((row.bytes("key")?.unwrap_or_default().to_vec(), row.int("seq")?));
        }
    }
    let mut given = Vec::new();
    for key in keys {
        for (seq, seen) in seen(tx, clock.key(), &way, key)? {
            if said.contains(&(key.clone(), seq)) {
                continue;
            }
            let values = vec![
                Value::Int(Scope::Branch.number()),
                Value::Int(branch_row),
                Value::Bytes(key.clone()),
                Value::Int(seq),
                Value::Text(names::variable_id(&seen.id, branch_row)?.to_string()),
                Value::Int(seen.source),
                seen.page_row.map_or(Value::Null, Value::Int),
                seen.value.map_or(Value::Null, Value::Bytes),
            ];
            given.push(KeptRow { table: Table::History, values });
        }
    }
    trash_items::put_part(tx, clock, item, TrashKind::Branch, trash_rows::amount(&given))?;
    trash_rows::keep(tx, clock.key(), item, &given)
}
