//! When a branch is deleted, its forks keep the variables that they inherited from it.
//!
//! Each fork gets the values that it saw as rows and history of its own, and the history before them, with the ticks they had, so
//! that the forks of the fork still find them; and it turns off where the deleted branch turned off.

use crate::tree::hidden::{self, BranchPlace};
use crate::tree::prelude::*;
use crate::tree::separation::{self, variable_id};
use crate::tree::trash_items::{self, TrashKind};
use crate::tree::trash_rows::{self, KeptRow, Table, Value};
use crate::types::record::HistorySource;
use crate::variables::lineage::{self, BranchLevel, ForkSegment, Level, Seen};
use std::collections::{BTreeMap, BTreeSet};

/// Gives the forks of a branch what they see of it, those in the trash included. The branch itself is still whole.
pub fn copy_to_forks(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64, totals: &mut Totals) -> StoreResult<()> {
    let sql =
        sql!("SELECT branch_row FROM branch WHERE account_id = ?1 AND session_row = ?2 AND source_branch_row = ?3");
    let forks = all(tx, sql, in_session![clock, branch_row], |row| row.int(0))?;
    let before = lineage::branches_before(tx, clock.key(), branch_row)?.into_iter().next();
    for fork_row in forks {
        let Some(segment) = lineage::branches_before(tx, clock.key(), fork_row)?.into_iter().next() else {
            continue;
        };
        let fork = HostRow::new(clock.session_row(), Scope::Branch, fork_row);
        if let Some(seq) = segment.seq {
            let BranchLevel { said: seen, promoted } = lineage::level(tx, clock.key(), &segment)?;
            // Of what pages promoted the fork gets the history that counts for it, with the pages that it still shares. Where none of
            // those is the fork's, that history alone says nothing, so the fork gets what it saw of these keys, too.
            let keys = promoted.iter().map(|key| key.as_str().as_bytes().to_vec()).collect();
            separation::own_keys(tx, clock, fork_row, &keys)?;
            match hidden::place_of(tx, clock.key(), fork_row)? {
                BranchPlace::Line => {
                    give(tx, clock.account(), fork, &seen, totals)?;
                    give_history(tx, clock, branch_row, fork_row, seq)?;
                    hold(tx, clock.account(), fork, totals)?;
                }
                BranchPlace::Trash(item) => {
                    let mut kept = KeptFork::of(tx, clock, fork_row, item)?;
                    kept.give(&seen)?;
                    kept.give_history(tx, clock, branch_row, seq)?;
                    kept.store(tx, clock, totals)?;
                }
                BranchPlace::Purged => {}
            }
        }
        move_fork_point(tx, clock.account(), fork, &segment, before.as_ref())?;
    }
    Ok(())
}

/// Writes what the fork saw into its own rows and history, where it has nothing newer of its own.
fn give(tx: &mut dyn Tx, account: &Id, fork: HostRow, seen: &Level, totals: &mut Totals) -> StoreResult<()> {
    let own = own_keys(tx, account, fork)?;
    let (session_row, scope, host_row) = (fork.session_row, fork.scope.number(), fork.host_row);
    let mut variables = Vec::new();
    for (key, seen) in seen {
        let bytes = key.as_str().as_bytes();
        let value = seen.value.as_ref().map(|value| codec::encode(value.as_str()));
        let id = variable_id(&seen.id, fork.host_row)?;
        let source = HistorySource::Inherited.number();
        let nobody: Option<i64> = None;
        let seq = seen.revision;
        let row = params![account, session_row, scope, host_row, bytes, seq, &id, source, nobody, value.as_deref()];
        tx.execute(GIVE, row)?;
        if !own.contains(key) {
            variables.push((key, Seen { id, ..seen.clone() }));
        }
    }
    add_variables(tx, account, fork, &variables, totals)
}

/// Makes variables of what a fork says by its history alone: it inherits from that branch no more, and perhaps from none.
fn hold(tx: &mut dyn Tx, account: &Id, fork: HostRow, totals: &mut Totals) -> StoreResult<()> {
    let said = lineage::said_without_variable(tx, SessionKey::new(account, fork.session_row), fork.host_row)?;
    let said: Vec<(&Key, Seen)> = said.iter().map(|(key, seen)| (key, seen.clone())).collect();
    add_variables(tx, account, fork, &said, totals)
}

/// Adds variables to a branch that has none of these keys. Those without a value are left out.
fn add_variables(
    tx: &mut dyn Tx,
    account: &Id,
    fork: HostRow,
    variables: &[(&Key, Seen)],
    totals: &mut Totals,
) -> StoreResult<()> {
    let mut added = 0;
    let sql = sql!(
        "INSERT INTO variable (account_id, session_row, scope, host_row, key, id, updated_at, revision, value)
         VALUES (?1, ?2, 2, ?3, ?4, ?5, ?6, ?7, ?8)"
    );
    for (key, Seen { id, updated_at, revision, value, .. }) in variables {
        let Some(value) = value else { continue };
        let (key, value) = (key.as_str().as_bytes(), codec::encode(value.as_str()));
        tx.execute(sql, params![account, fork.session_row, fork.host_row, key, id, *updated_at, *revision, &value])?;
        added += 1;
    }
    let sql = sql!(
        "UPDATE branch SET variables = variables + ?4 WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"
    );
    tx.execute(sql, params![account, fork.session_row, fork.host_row, added])?;
    totals.add(Scope::Branch, fork.session_row, added);
    Ok(())
}

/// Leaves a fork what the branch said before: forks of floors that were committed then look for it. None of it counts now.
fn give_history(tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64, fork_row: i64, last: i64) -> StoreResult<()> {
    let sql = sql!(
        "SELECT DISTINCT variable_id FROM history
         WHERE account_id = ?1 AND session_row = ?2 AND scope = 2 AND host_row = ?3 AND seq <= ?4"
    );
    let ids = all(tx, sql, in_session![clock, branch_row, last], |row| stored_id(row.text(0)?))?;
    let copies = ids.iter().map(|id| variable_id(id, fork_row)).collect::<StoreResult<Vec<Id>>>()?;
    let [restored, withdrawn] = [HistorySource::Restored, HistorySource::Withdrawn].map(HistorySource::number);
    let sql = sql!(
        "INSERT INTO history (account_id, session_row, scope, host_row, key, seq, variable_id, source, page_row, value)
         SELECT account_id, session_row, scope, ?4, key, seq, ?7, CASE WHEN source = ?9 THEN ?9 ELSE ?8 END, NULL, value
         FROM history WHERE account_id = ?1 AND session_row = ?2 AND scope = 2 AND host_row = ?3 AND variable_id = ?6
            AND seq <= ?5
         ON CONFLICT (account_id, session_row, scope, host_row, key, seq) DO NOTHING"
    );
    let pairs = ids.iter().zip(&copies);
    let sets: Vec<_> = pairs
        .map(|(id, copy)| in_session![clock, branch_row, fork_row, last, id, copy, restored, withdrawn].to_vec())
        .collect();
    execute_many(tx, sql, &sets)
}

/// Where the fork wrote in the same moment, its own word stands.
const GIVE: Sql = sql!(
    "INSERT INTO history (account_id, session_row, scope, host_row, key, seq, variable_id, source, page_row, value)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
     ON CONFLICT (account_id, session_row, scope, host_row, key, seq) DO NOTHING"
);

/// The keys that a branch has set or deleted itself, or has a history of its own for.
fn own_keys(tx: &mut dyn Tx, account: &Id, branch: HostRow) -> StoreResult<BTreeSet<Key>> {
    let sql =
        sql!("SELECT key FROM variable WHERE account_id = ?1 AND session_row = ?2 AND scope = 2 AND host_row = ?3");
    let place = params![account, branch.session_row, branch.host_row];
    let mut keys: BTreeSet<Key> = all(tx, sql, place, |row| stored_key(row.bytes(0)?))?.into_iter().collect();
    let session = SessionKey::new(account, branch.session_row);
    keys.extend(lineage::said_without_variable(tx, session, branch.host_row)?.into_keys());
    keys.extend(lineage::promoted_keys(tx, session, branch.host_row)?);
    Ok(keys)
}

/// The fork inherits from the branch that the deleted one inherited from.
fn move_fork_point(
    tx: &mut dyn Tx,
    account: &Id,
    fork: HostRow,
    from: &ForkSegment,
    before: Option<&ForkSegment>,
) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE branch SET source_floor_row = NULL, source_branch_row = ?4, source_seq = ?5
         WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"
    );
    let branch_row = before.map(|before| before.branch_row);
    // A fork without a tick saw nothing of the branch, and sees nothing of the branches behind it.
    let seq = from.seq.and_then(|seq| Some(seq.min(before?.seq?)));
    tx.execute(sql, params![account, fork.session_row, fork.host_row, branch_row, seq]).map(drop)
}

/// A fork in the trash, and what its item gets.
struct KeptFork {
    fork_row: i64,
    item: Id,
    /// The keys that it has set or deleted itself, or has a history of its own for.
    own: BTreeSet<Vec<u8>>,
    /// Keys and ticks that its history has.
    said: BTreeSet<(Vec<u8>, i64)>,
    given: Vec<KeptRow>,
}

impl KeptFork {
    fn of(tx: &mut dyn Tx, clock: &SessionClock, fork_row: i64, item: Id) -> StoreResult<KeptFork> {
        let mut of = |table: Table| -> StoreResult<Vec<KeptRow>> {
            let rows = trash_rows::of_table(tx, clock.key(), &item, table, Some(fork_row))?;
            Ok(rows.into_iter().filter(|row| row.int("scope").ok() == Some(Scope::Branch.number())).collect())
        };
        let key = |row: &KeptRow| Ok::<_, StoreError>(row.bytes("key")?.unwrap_or_default().to_vec());
        let mut own = of(Table::Variable)?.iter().map(key).collect::<StoreResult<BTreeSet<_>>>()?;
        let mut newest = BTreeMap::new();
        let mut said = BTreeSet::new();
        for row in of(Table::History)? {
            let (key, seq) = (key(&row)?, row.int("seq")?);
            said.insert((key.clone(), seq));
            if row.value("page_row")?.int().is_some() {
                own.insert(key.clone());
            }
            let is_deletion = row.bytes("value")?.is_none() && row.int("source")? != HistorySource::Withdrawn.number();
            let last = newest.entry(key).or_insert((seq, is_deletion));
            *last = (*last).max((seq, is_deletion));
        }
        own.extend(newest.into_iter().filter(|(_, (_, is_deletion))| *is_deletion).map(|(key, _)| key));
        Ok(KeptFork { fork_row, item, own, said, given: Vec::new() })
    }

    fn give(&mut self, seen: &Level) -> StoreResult<()> {
        for (key, seen) in seen {
            let bytes = key.as_str().as_bytes();
            let id = variable_id(&seen.id, self.fork_row)?;
            let value = seen.value.as_ref().map(|value| codec::encode(value.as_str()));
            let source = HistorySource::Inherited.number();
            self.say(bytes, seen.revision, &id, source, value.clone());
            if let Some(value) = value
                && !self.own.contains(bytes)
            {
                let values = vec![
                    Value::Int(Scope::Branch.number()),
                    Value::Int(self.fork_row),
                    Value::Bytes(bytes.to_vec()),
                    Value::Text(id.to_string()),
                    Value::Int(seen.updated_at),
                    Value::Int(seen.revision),
                    Value::Bytes(value),
                ];
                self.given.push(KeptRow { table: Table::Variable, values });
            }
        }
        Ok(())
    }

    fn give_history(&mut self, tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64, last: i64) -> StoreResult<()> {
        let sql = sql!(
            "SELECT key, seq, variable_id, source, value FROM history
             WHERE account_id = ?1 AND session_row = ?2 AND scope = 2 AND host_row = ?3 AND seq <= ?4"
        );
        let found = all(tx, sql, in_session![clock, branch_row, last], |row| {
            let value = row.bytes_or_null(4)?.map(<[u8]>::to_vec);
            Ok((row.bytes(0)?.to_vec(), row.int(1)?, stored_id(row.text(2)?)?, row.int(3)?, value))
        })?;
        let [restored, withdrawn] = [HistorySource::Restored, HistorySource::Withdrawn].map(HistorySource::number);
        for (key, seq, id, source, value) in found {
            let source = if source == withdrawn { withdrawn } else { restored };
            self.say(&key, seq, &variable_id(&id, self.fork_row)?, source, value);
        }
        Ok(())
    }

    /// Adds to the history, unless it says something of that key and moment.
    fn say(&mut self, key: &[u8], seq: i64, id: &Id, source: i64, value: Option<Vec<u8>>) {
        if self.said.insert((key.to_vec(), seq)) {
            let values = vec![
                Value::Int(Scope::Branch.number()),
                Value::Int(self.fork_row),
                Value::Bytes(key.to_vec()),
                Value::Int(seq),
                Value::Text(id.to_string()),
                Value::Int(source),
                Value::Null,
                value.map_or(Value::Null, Value::Bytes),
            ];
            self.given.push(KeptRow { table: Table::History, values });
        }
    }

    fn store(self, tx: &mut dyn Tx, clock: &SessionClock, totals: &mut Totals) -> StoreResult<()> {
        let amount = trash_rows::amount(&self.given);
        trash_items::put_part(tx, clock, &self.item, TrashKind::Branch, amount)?;
        totals.add_trashed(clock.session_row(), amount.variables);
        trash_rows::keep(tx, clock.key(), &self.item, &self.given)
    }
}
