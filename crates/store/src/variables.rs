//! Writing variables: put, count up, delete. Each function is one transaction with all its checks inside.

pub(crate) mod commit;
pub mod global_snapshots;
pub mod history;
pub(crate) mod inheritance;
pub(crate) mod lineage;
pub mod listing;
pub mod promotions;
pub mod prompt;
pub mod resolve;
pub mod staging;
pub mod state_key;
pub(crate) mod writes;

use self::writes::{Change, Existing};
use crate::tree::clock::Clocks;
use crate::tree::hosts::{self, Locked, Names};
use crate::tree::prelude::*;
use crate::tree::quota::{self, Quotas};
use crate::tree::separation;
use crate::types::order::{DeleteTarget, Increment, Write};
use crate::types::record::{Action, Condition, HistorySource, Host, Target, Variable};
use crate::variables::state_key::not_reserved;
use std::collections::{BTreeSet, HashMap};
use tavernkeep_engine::json_patch::Patch;
use tavernkeep_engine::number;

/// A write that is ready to be queued: its value is compressed already, since other writes wait for the writer thread.
pub struct PreparedWrite {
    write: Write,
    /// For the variable, should it turn out to be new.
    id: Id,
    value: Vec<u8>,
}

impl PreparedWrite {
    /// Does what can be done before the transaction.
    pub fn new(write: Write, id: Id) -> PreparedWrite {
        let value = codec::encode(write.value.as_str());
        PreparedWrite { write, id, value }
    }

    fn change(&self, row: HostRow, source: HistorySource) -> Change<'_> {
        let Target { host, key } = &self.write.target;
        Change { row, host, key, value: Some(&self.value), id: &self.id, source, page_row: None }
    }
}

pub fn put(
    tx: &mut dyn Tx,
    account: &Id,
    orders: &[PreparedWrite],
    quotas: &Quotas,
    now: i64,
) -> StoreResult<Vec<(Action, Variable)>> {
    let hosts = orders.iter().map(|order| &order.write.target.host);
    with_hosts(tx, account, hosts, now, |tx, locked, rows| {
        for (order, &row) in orders.iter().zip(rows) {
            not_reserved(tx, locked.session(row), &order.write.target.key)?;
        }
        let places: Vec<_> = orders.iter().zip(rows).map(|(order, &row)| (row, &order.write.target.key)).collect();
        let found = writes::find(tx, locked.account(), &places)?;
        for (order, found) in orders.iter().zip(&found) {
            check(order.write.condition, found.as_ref().map(|found| found.revision))?;
        }
        let fresh = found.iter().filter(|found| found.is_none()).count();
        quota::room_for_variables(tx, locked.account(), i64::try_from(fresh).unwrap_or(i64::MAX), quotas)?;
        let changes: Vec<_> =
            orders.iter().zip(rows).map(|(order, &row)| order.change(row, HistorySource::Put)).collect();
        let mut totals = Totals::default();
        let written = writes::apply(tx, locked, &changes, &found, &mut totals)?;
        totals.keep(tx, locked.account())?;
        let mut results = Vec::with_capacity(orders.len());
        for (((id, action), order), &row) in written.into_iter().zip(orders).zip(rows) {
            results.push((action, variable(&order.write, id, locked.time(), locked.tick_of(row)?.seq())));
        }
        Ok(results)
    })
}

fn variable(write: &Write, id: Id, updated_at: i64, revision: i64) -> Variable {
    let Write { target, value, .. } = write;
    Variable { id, host: target.host.clone(), key: target.key.clone(), value: value.clone(), updated_at, revision }
}

/// Adds a number to a variable; an absent one counts as `initial`.
pub fn increment(
    tx: &mut dyn Tx,
    account: &Id,
    order: &Increment,
    id: &Id,
    quotas: &Quotas,
    now: i64,
) -> StoreResult<(Action, Variable)> {
    let make = |held: Option<(&Existing, &JsonText)>| {
        let base = held.map_or(&order.initial, |(_, value)| value);
        number::add(base, &order.by).map_err(|error| Refusal::NotCountable(error.message()).into())
    };
    let (condition, source) = (order.condition, HistorySource::Increment);
    let order = Rewrite { target: &order.target, condition, source, id, quotas, make: &make };
    rewrite(tx, account, &order, now)
}

/// A value that is to be made of the one before.
struct Rewrite<'a> {
    target: &'a Target,
    condition: Condition,
    source: HistorySource,
    id: &'a Id,
    quotas: &'a Quotas,
    make: &'a Make<'a>,
}

pub fn patch(
    tx: &mut dyn Tx,
    account: &Id,
    id: &Id,
    patch: &Patch,
    condition: Condition,
    quotas: &Quotas,
    now: i64,
) -> StoreResult<Variable> {
    let missing = || Refusal::VariableNotFound(id.to_string());
    let (row, key) = place_of(tx, account, id)?.ok_or_else(missing)?;
    let host = hosts::names(tx, account, vec![row])?.remove(&row).ok_or_else(missing)?;
    let make = |held: Option<(&Existing, &JsonText)>| {
        // Another write may have deleted the variable before the clock was taken, and made another one with its key.
        let (_, value) = held.filter(|(found, _)| found.id == *id).ok_or_else(missing)?;
        patch.apply(value).map_err(|misfit| Refusal::PatchMisfit(misfit).into())
    };
    let target = Target { host, key };
    let source = HistorySource::Patch;
    let order = Rewrite { target: &target, condition, source, id, quotas, make: &make };
    let (_, variable) = rewrite(tx, account, &order, now)?;
    Ok(variable)
}

/// Makes a value of the one that is there, if one is.
type Make<'a> = dyn Fn(Option<(&Existing, &JsonText)>) -> StoreResult<JsonText> + 'a;

/// Replaces a variable's value by one that is made of it.
fn rewrite(tx: &mut dyn Tx, account: &Id, order: &Rewrite<'_>, now: i64) -> StoreResult<(Action, Variable)> {
    let Rewrite { target, condition, source, id, quotas, make } = *order;
    with_hosts(tx, account, std::iter::once(&target.host), now, |tx, locked, rows| {
        let row = rows[0];
        not_reserved(tx, locked.session(row), &target.key)?;
        let held = held(tx, account, row, &target.key)?;
        check(condition, held.as_ref().map(|(found, _)| found.revision))?;
        let (found, value) = held.unzip();
        quota::room_for_variables(tx, account, i64::from(found.is_none()), quotas)?;
        // A fork counts on from what it inherits.
        let before = match found.is_none() && source == HistorySource::Increment {
            true => inherited(tx, account, row, &target.key)?,
            false => None,
        };
        let value = make(found.as_ref().zip(value.as_ref()).or(before.as_ref().map(|(found, value)| (found, value))))?;
        let write = Write { target: target.clone(), value, condition };
        let prepared = PreparedWrite::new(write, id.clone());
        let change = prepared.change(row, source);
        let mut totals = Totals::default();
        let mut written = writes::apply(tx, locked, &[change], &[found], &mut totals)?;
        totals.keep(tx, account)?;
        let (id, action) = written.pop().ok_or_else(|| StoreError::Internal("a change was not answered".into()))?;
        Ok((action, variable(&prepared.write, id, locked.time(), locked.tick_of(row)?.seq())))
    })
}

fn held(tx: &mut dyn Tx, account: &Id, row: HostRow, key: &Key) -> StoreResult<Option<(Existing, JsonText)>> {
    let sql = sql!(
        "SELECT id, revision, value FROM variable
         WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4 AND key = ?5"
    );
    let params = params![account, row.session_row, row.scope.number(), row.host_row, key.as_str().as_bytes()];
    first(tx, sql, params, |row| {
        Ok((Existing { id: stored_id(row.text(0)?)?, revision: row.int(1)? }, codec::decode_json(row.bytes(2)?)?))
    })
}

/// Deletes variables by id or address. For each one: its id, or nothing if it was not there.
///
/// A host that does not exist is a refusal where an address names it. Locks refuse the whole batch. A key that a branch
/// only inherits is hidden there, under an id of its own: the variable that is inherited stays what it is on its branch.
pub fn delete(
    tx: &mut dyn Tx,
    account: &Id,
    which: &[(DeleteTarget, Condition)],
    now: i64,
) -> StoreResult<Vec<Option<Id>>> {
    let mut places = Vec::with_capacity(which.len());
    for (target, _) in which {
        places.push(match target {
            DeleteTarget::Id(id) => place_of(tx, account, id)?,
            DeleteTarget::Target(Target { host, key }) => {
                let row = hosts::find(tx, account, host)?.ok_or_else(|| Refusal::HostNotFound(host.clone()))?;
                Some((row, key.clone()))
            }
        });
    }
    let mut rows: Vec<HostRow> = places.iter().flatten().map(|(row, _)| *row).collect();
    rows.sort_unstable();
    rows.dedup();
    hosts::with_rows(tx, account, rows, now, |tx, locked| {
        for &row in &locked.rows {
            hosts::may_write(tx, locked.account(), row, locked.time())?;
        }
        let names = hosts::names(tx, locked.account(), locked.rows.clone())?;
        let mut totals = Totals::default();
        let mut gone: BTreeSet<(HostRow, Key)> = BTreeSet::new();
        let mut ids = Vec::with_capacity(which.len());
        for ((target, condition), place) in which.iter().zip(places) {
            // Another write may have deleted the variable before the clock was taken, and made another one with its key.
            let place = match target {
                DeleteTarget::Id(id) => place_of(tx, locked.account(), id)?.filter(|now| Some(now) == place.as_ref()),
                DeleteTarget::Target(_) => place.filter(|place| !gone.contains(place)),
            };
            let host = place.as_ref().and_then(|(row, _)| names.get(row));
            let (Some((row, key)), Some(host)) = (place, host) else {
                check(*condition, None)?;
                ids.push(None);
                continue;
            };
            let found = writes::find(tx, locked.account(), &[(row, &key)])?;
            check(*condition, found[0].as_ref().map(|found| found.revision))?;
            let id = match &found[0] {
                Some(found) => Some(found.id.clone()),
                None => {
                    let seen = inherited(tx, locked.account(), row, &key)?;
                    seen.map(|(found, _)| separation::variable_id(&found.id, row.host_row)).transpose()?
                }
            };
            if let Some(id) = &id {
                let source = HistorySource::Put;
                let change = Change { row, host, key: &key, value: None, id, source, page_row: None };
                writes::apply(tx, locked, &[change], &found, &mut totals)?;
                gone.insert((row, key));
            }
            ids.push(id);
        }
        totals.keep(tx, locked.account())?;
        Ok(ids)
    })
}

/// What a branch sees under a key without having it.
fn inherited(tx: &mut dyn Tx, account: &Id, row: HostRow, key: &Key) -> StoreResult<Option<(Existing, JsonText)>> {
    if row.scope != Scope::Branch {
        return Ok(None);
    }
    let seen = lineage::inherited_key(tx, account, row, key)?;
    Ok(seen.and_then(|seen| Some((Existing { id: seen.id, revision: seen.revision }, seen.value?))))
}

/// Where a variable stands. Global ones have no session that could be hidden.
pub(crate) const PLACE: Sql = sql!(
    "SELECT v.session_row, v.scope, v.host_row, v.key FROM variable v
     LEFT JOIN session s ON s.account_id = v.account_id AND s.session_row = v.session_row
     WHERE v.account_id = ?1 AND v.id = ?2 AND s.deleted_at IS NULL"
);

fn place_of(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Option<(HostRow, Key)>> {
    first(tx, PLACE, params![account, id], |row| {
        Ok((HostRow::new(row.int(0)?, stored_enum(row.int(1)?)?, row.int(2)?), stored_key(row.bytes(3)?)?))
    })
}

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
            row: HostRow::new(row.int(0)?, stored_enum(row.int(1)?)?, row.int(2)?),
            key: stored_key(row.bytes(3)?)?,
            id: stored_id(row.text(4)?)?,
            updated_at: row.int(5)?,
            revision: row.int(6)?,
            value: codec::decode_json(row.bytes(7)?)?,
        })
    }

    pub(crate) fn on(self, host: Host) -> Variable {
        let StoredVariable { key, id, updated_at, revision, value, .. } = self;
        Variable { id, host, key, value, updated_at, revision }
    }
}

/// Names the hosts of rows. A row whose host is gone is left out: it cannot be reached.
pub(crate) fn name(
    tx: &mut dyn Tx,
    account: &Id,
    rows: Vec<StoredVariable>,
    mut names: Names,
) -> StoreResult<Vec<Variable>> {
    let unnamed: Vec<HostRow> = rows.iter().map(|stored| stored.row).filter(|row| !names.contains_key(row)).collect();
    if !unnamed.is_empty() {
        names.extend(hosts::names(tx, account, unnamed)?);
    }
    Ok(rows.into_iter().filter_map(|stored| names.get(&stored.row).cloned().map(|host| stored.on(host))).collect())
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

/// Takes the clock of each host once, and says which row each write goes to.
fn with_hosts<'a, T>(
    tx: &mut dyn Tx,
    account: &Id,
    wanted: impl Iterator<Item = &'a Host>,
    now: i64,
    work: impl FnOnce(&mut dyn Tx, &Locked, &[HostRow]) -> StoreResult<T>,
) -> StoreResult<T> {
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
    hosts::with_hosts(tx, account, &distinct, now, |tx, locked| {
        let rows: Vec<HostRow> = places.into_iter().map(|place| locked.rows[place]).collect();
        work(tx, locked, &rows)
    })
}
