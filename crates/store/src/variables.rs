//! Writing variables: put, count up, delete. Each function is one transaction with all its checks inside.

use crate::clock::Tick;
use crate::codec;
use crate::error::{Refusal, StoreError, StoreResult};
use crate::hosts::{self, HostRow, Locked, scope_number, scope_of_number, stored_id};
use crate::order::{Doomed, Increment, Write};
use crate::params;
use crate::record::{Action, Condition, Host, Target, Variable};
use crate::sql;
use crate::sql::Sql;
use crate::totals::Totals;
use crate::tx::{Row, Tx, first};
use std::collections::{BTreeMap, HashMap};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::number;
use tavernkeep_engine::scope::Scope;

/// A write that is ready to be queued: its value is compressed already, since others wait for the one who writes.
pub struct Prepared {
    write: Write,
    /// For the variable, should it turn out to be new.
    id: Id,
    value: Vec<u8>,
}

impl Prepared {
    /// Does what can be done before the transaction.
    pub fn new(write: Write, id: Id) -> Prepared {
        let value = codec::encode(write.value.as_str());
        Prepared { write, id, value }
    }
}

/// Puts values on targets, all of them or none.
pub fn put(tx: &mut dyn Tx, account: &Id, orders: &[Prepared], now: i64) -> StoreResult<Vec<(Action, Variable)>> {
    let hosts = orders.iter().map(|order| &order.write.target.host);
    let (locked, host_of) = lock_hosts(tx, account, hosts, now)?;
    for (Prepared { write, .. }, &row) in orders.iter().zip(&host_of) {
        if write.condition != Condition::None {
            let found = find(tx, account, row, &write.target.key)?;
            check(write.condition, found.map(|stored| stored.revision))?;
        }
    }
    let mut sets = Vec::with_capacity(orders.len());
    for (Prepared { write, id, value }, &row) in orders.iter().zip(&host_of) {
        sets.push(vec![
            account.into(),
            row.session_row.into(),
            scope_number(row.scope).into(),
            row.host_row.into(),
            write.target.key.as_str().as_bytes().into(),
            id.into(),
            locked.now().into(),
            locked.tick(row)?.seq.into(),
            value.into(),
        ]);
    }
    let mut stored: Vec<Option<Id>> = vec![None; orders.len()];
    tx.query_many(UPSERT, &sets, &mut |number, row| {
        stored[number] = Some(stored_id(row.text(0)?)?);
        Ok(())
    })?;
    let mut results = Vec::with_capacity(orders.len());
    let mut created: BTreeMap<HostRow, i64> = BTreeMap::new();
    for ((Prepared { write, id: new_id, .. }, &row), stored) in orders.iter().zip(&host_of).zip(stored) {
        let id = stored.ok_or_else(|| StoreError::Internal("an upsert answered nothing".into()))?;
        let is_new = id == *new_id;
        if is_new {
            *created.entry(row).or_default() += 1;
        }
        let variable = Variable {
            id,
            host: write.target.host.clone(),
            key: write.target.key.clone(),
            value: write.value.clone(),
            updated_at: locked.now(),
            revision: locked.tick(row)?.seq,
        };
        results.push((if is_new { Action::Created } else { Action::Updated }, variable));
    }
    count_hosts(tx, account, created)?;
    Ok(results)
}

const UPSERT: Sql = sql!(
    "INSERT INTO variable (account_id, session_row, scope, host_row, key, id, updated_at, revision, value)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
     ON CONFLICT (account_id, session_row, scope, host_row, key)
     DO UPDATE SET updated_at = excluded.updated_at, revision = excluded.revision, value = excluded.value
     RETURNING id"
);

/// Adds a number to a variable; an absent one counts as `initial`.
pub fn increment(
    tx: &mut dyn Tx,
    account: &Id,
    order: &Increment,
    id: &Id,
    now: i64,
) -> StoreResult<(Action, Variable)> {
    let (locked, host_of) = lock_hosts(tx, account, std::iter::once(&order.target.host), now)?;
    let row = host_of[0];
    let found = find(tx, account, row, &order.target.key)?;
    check(order.condition, found.as_ref().map(|stored| stored.revision))?;
    let base = match &found {
        Some(stored) => codec::decode_json(&stored.value)?,
        None => order.initial.clone(),
    };
    let value = number::add(&base, &order.by).map_err(|error| Refusal::NotCountable(error.message()))?;
    let write = Write { target: order.target.clone(), value, condition: Condition::None };
    let stored = store_one(tx, account, &write, row, locked.tick(row)?, id)?;
    if stored.0 == Action::Created {
        count_hosts(tx, account, BTreeMap::from([(row, 1)]))?;
    }
    Ok(stored)
}

fn store_one(
    tx: &mut dyn Tx,
    account: &Id,
    write: &Write,
    row: HostRow,
    tick: Tick,
    id: &Id,
) -> StoreResult<(Action, Variable)> {
    let value = codec::encode(write.value.as_str());
    let key = write.target.key.as_str().as_bytes();
    let scope = scope_number(row.scope);
    let params = params![account, row.session_row, scope, row.host_row, key, id, tick.now, tick.seq, &value];
    let stored = crate::tx::one(tx, UPSERT, params, |row| stored_id(row.text(0)?))?;
    let action = if stored == *id { Action::Created } else { Action::Updated };
    let variable = Variable {
        id: stored,
        host: write.target.host.clone(),
        key: write.target.key.clone(),
        value: write.value.clone(),
        updated_at: tick.now,
        revision: tick.seq,
    };
    Ok((action, variable))
}

/// Deletes variables by id or address. For each one: its id, or nothing if it was not there.
///
/// A host that does not exist is a refusal where an address names it. Locks refuse the whole batch.
pub fn delete(tx: &mut dyn Tx, account: &Id, which: &[(Doomed, Condition)], now: i64) -> StoreResult<Vec<Option<Id>>> {
    let mut places = Vec::with_capacity(which.len());
    for (doomed, _) in which {
        places.push(match doomed {
            Doomed::Id(id) => place_of(tx, account, id)?,
            Doomed::Target(Target { host, key }) => {
                let row = hosts::find(tx, account, host)?.ok_or_else(|| Refusal::HostNotFound(host.clone()))?;
                Some((row, key.clone()))
            }
        });
    }
    let mut rows: Vec<HostRow> = places.iter().flatten().map(|(row, _)| *row).collect();
    rows.sort_unstable();
    rows.dedup();
    let locked = hosts::lock_rows(tx, account, rows, now)?;
    for &row in &locked.rows {
        hosts::may_write(tx, account, row, locked.now())?;
    }
    let mut removed: BTreeMap<HostRow, i64> = BTreeMap::new();
    let mut ids = Vec::with_capacity(which.len());
    for ((doomed, condition), place) in which.iter().zip(places) {
        // Somebody may have deleted the variable before we had the clock, and made another one with its key.
        let place = match doomed {
            Doomed::Id(id) => place_of(tx, account, id)?.filter(|now| Some(now) == place.as_ref()),
            Doomed::Target(_) => place,
        };
        let Some((row, key)) = place else {
            check(*condition, None)?;
            ids.push(None);
            continue;
        };
        if *condition != Condition::None {
            let found = find(tx, account, row, &key)?;
            check(*condition, found.map(|stored| stored.revision))?;
        }
        let id = remove(tx, account, row, &key)?;
        *removed.entry(row).or_default() -= i64::from(id.is_some());
        ids.push(id);
    }
    count_hosts(tx, account, removed)?;
    Ok(ids)
}

fn remove(tx: &mut dyn Tx, account: &Id, row: HostRow, key: &Key) -> StoreResult<Option<Id>> {
    let sql = sql!(
        "DELETE FROM variable
         WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4 AND key = ?5 RETURNING id"
    );
    let params = params![account, row.session_row, scope_number(row.scope), row.host_row, key.as_str().as_bytes()];
    first(tx, sql, params, |row| stored_id(row.text(0)?))
}

/// Where the variable with this id stands.
fn place_of(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Option<(HostRow, Key)>> {
    let sql = sql!("SELECT session_row, scope, host_row, key FROM variable WHERE account_id = ?1 AND id = ?2");
    first(tx, sql, params![account, id], |row| {
        Ok((HostRow::new(row.int(0)?, scope_of_number(row.int(1)?)?, row.int(2)?), stored_key(row.bytes(3)?)?))
    })
}

/// Reads one variable by its id.
pub fn get(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Variable> {
    let sql = sql!(
        "SELECT session_row, scope, host_row, key, id, updated_at, revision, value
         FROM variable WHERE account_id = ?1 AND id = ?2"
    );
    let missing = || Refusal::VariableNotFound(id.to_string());
    let stored = first(tx, sql, params![account, id], StoredVariable::read)?.ok_or_else(missing)?;
    let mut named = name(tx, account, vec![stored], HashMap::new())?;
    named.pop().ok_or_else(|| missing().into())
}

/// A variable as it lies in its row, its host not named yet.
#[derive(Debug)]
pub(crate) struct StoredVariable {
    pub(crate) row: HostRow,
    pub(crate) key: Key,
    pub(crate) id: Id,
    pub(crate) updated_at: i64,
    pub(crate) revision: i64,
    pub(crate) value: JsonText,
}

impl StoredVariable {
    /// Reads the columns session_row, scope, host_row, key, id, updated_at, revision, value.
    pub(crate) fn read(row: &dyn Row) -> StoreResult<StoredVariable> {
        Ok(StoredVariable {
            row: HostRow::new(row.int(0)?, scope_of_number(row.int(1)?)?, row.int(2)?),
            key: stored_key(row.bytes(3)?)?,
            id: stored_id(row.text(4)?)?,
            updated_at: row.int(5)?,
            revision: row.int(6)?,
            value: codec::decode_json(row.bytes(7)?)?,
        })
    }

    pub(crate) fn on(self, host: Host) -> Variable {
        Variable {
            id: self.id,
            host,
            key: self.key,
            value: self.value,
            updated_at: self.updated_at,
            revision: self.revision,
        }
    }
}

/// Names the hosts of rows. A row whose host is gone is left out: nobody can reach it.
pub(crate) fn name(
    tx: &mut dyn Tx,
    account: &Id,
    rows: Vec<StoredVariable>,
    mut names: HashMap<HostRow, Host>,
) -> StoreResult<Vec<Variable>> {
    let unnamed: Vec<HostRow> = rows.iter().map(|stored| stored.row).filter(|row| !names.contains_key(row)).collect();
    if !unnamed.is_empty() {
        names.extend(hosts::names(tx, account, unnamed)?);
    }
    Ok(rows.into_iter().filter_map(|stored| names.get(&stored.row).cloned().map(|host| stored.on(host))).collect())
}

pub(crate) fn stored_key(bytes: &[u8]) -> StoreResult<Key> {
    let broken = || StoreError::Corrupt("a key is stored that is none".into());
    std::str::from_utf8(bytes).map_err(|_| broken())?.parse().map_err(|_| broken())
}

struct Found {
    revision: i64,
    value: Vec<u8>,
}

fn find(tx: &mut dyn Tx, account: &Id, row: HostRow, key: &Key) -> StoreResult<Option<Found>> {
    let sql = sql!(
        "SELECT revision, value FROM variable
         WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4 AND key = ?5"
    );
    let params = params![account, row.session_row, scope_number(row.scope), row.host_row, key.as_str().as_bytes()];
    first(tx, sql, params, |row| Ok(Found { revision: row.int(0)?, value: row.bytes(1)?.to_vec() }))
}

fn check(condition: Condition, revision: Option<i64>) -> StoreResult<()> {
    let holds = match condition {
        Condition::None => true,
        Condition::Exists => revision.is_some(),
        Condition::Absent => revision.is_none(),
        Condition::Revision(expected) => revision == Some(expected),
    };
    if holds { Ok(()) } else { Err(Refusal::ConditionFailed(condition).into()) }
}

/// Locks each host once and says which row each write goes to.
fn lock_hosts<'a>(
    tx: &mut dyn Tx,
    account: &Id,
    wanted: impl Iterator<Item = &'a Host>,
    now: i64,
) -> StoreResult<(Locked, Vec<HostRow>)> {
    let mut distinct: Vec<&Host> = Vec::new();
    let mut places: HashMap<&Host, usize> = HashMap::new();
    let places: Vec<usize> = wanted
        .map(|host| {
            *places.entry(host).or_insert_with(|| {
                distinct.push(host);
                distinct.len() - 1
            })
        })
        .collect();
    let locked = hosts::lock(tx, account, &distinct, now)?;
    let rows = places.into_iter().map(|place| locked.rows[place]).collect();
    Ok((locked, rows))
}

/// Keeps the counts: each host's own, then the account's for the scopes.
fn count_hosts(tx: &mut dyn Tx, account: &Id, changes: BTreeMap<HostRow, i64>) -> StoreResult<()> {
    let mut totals = Totals::default();
    for (row, count) in changes.into_iter().filter(|(_, count)| *count != 0) {
        let sql = match row.scope {
            Scope::Global => sql!(
                "UPDATE account SET variables = variables + ?4
                 WHERE account_id = ?1 AND CAST(?2 AS BIGINT) = 0 AND CAST(?3 AS BIGINT) = 0"
            ),
            Scope::Chat => sql!(
                "UPDATE session SET variables = variables + ?4
                 WHERE account_id = ?1 AND session_row = ?2 AND CAST(?3 AS BIGINT) = 0"
            ),
            Scope::Branch => sql!(
                "UPDATE branch SET variables = variables + ?4
                 WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"
            ),
            Scope::Floor => sql!(
                "UPDATE floor SET variables = variables + ?4
                 WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3"
            ),
            Scope::Page => sql!(
                "UPDATE page SET variables = variables + ?4
                 WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3"
            ),
        };
        tx.execute(sql, params![account, row.session_row, row.host_row, count])?;
        totals.add(row.scope, row.session_row, count);
    }
    totals.keep(tx, account)
}

/// All variables of a session, of whatever scope.
pub(crate) fn of_session(tx: &mut dyn Tx, account: &Id, session: &Id) -> StoreResult<Vec<Variable>> {
    let sql = sql!(
        "SELECT v.session_row, v.scope, v.host_row, v.key, v.id, v.updated_at, v.revision, v.value
         FROM session s JOIN variable v ON v.account_id = s.account_id AND v.session_row = s.session_row
         WHERE s.account_id = ?1 AND s.id = ?2 ORDER BY v.scope, v.host_row, v.key"
    );
    let rows = crate::tx::all(tx, sql, params![account, session], StoredVariable::read)?;
    name(tx, account, rows, HashMap::new())
}
