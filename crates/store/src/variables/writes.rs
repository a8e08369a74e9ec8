//! The one place where variables change. Whatever changes them — a put, a count, a promotion, a swipe — comes through
//! [`apply`], so row, history, event and counts always agree.

use crate::events::{self, Emits, EventScope, NewEvent, OfVariable};
use crate::tree::clock::Clocks;
use crate::tree::prelude::*;
use crate::tree::separation;
use crate::types::record::{Action, EventKind, HistorySource, Host};
use crate::variables::{history, lineage};
use std::collections::BTreeMap;

/// One change of one variable. Its host exists and may be written.
pub struct Change<'a> {
    pub row: HostRow,
    pub host: &'a Host,
    pub key: &'a Key,
    /// The new value as it is stored; none takes the variable away.
    pub value: Option<&'a [u8]>,
    /// For the variable, should it be new.
    pub id: &'a Id,
    pub source: HistorySource,
    /// The page that promotes it.
    pub page_row: Option<i64>,
}

/// What is stored at a place before a change.
#[derive(Debug, Clone)]
pub struct Existing {
    pub id: Id,
    pub revision: i64,
}

/// Looks up what is stored at places, in one go.
pub fn find(tx: &mut dyn Tx, account: &Id, places: &[(HostRow, &Key)]) -> StoreResult<Vec<Option<Existing>>> {
    let sets: Vec<_> = places.iter().map(|(row, key)| place(account, *row, key).to_vec()).collect();
    let mut found = vec![None; places.len()];
    tx.query_many(FIND, &sets, &mut |number, row| {
        found[number] = Some(Existing { id: stored_id(row.text(0)?)?, revision: row.int(1)? });
        Ok(())
    })?;
    Ok(found)
}

const FIND: Sql = sql!(
    "SELECT id, revision FROM variable
     WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4 AND key = ?5"
);

fn place<'a>(account: &'a Id, row: HostRow, key: &'a Key) -> [Param<'a>; 5] {
    [
        account.into(),
        row.session_row.into(),
        row.scope.number().into(),
        row.host_row.into(),
        key.as_str().as_bytes().into(),
    ]
}

/// Makes changes, at most one for each place, where `found` is what is stored there now. For each change the id of
/// its variable and whether that is new.
///
/// Taking away what is not there leaves a row in the history all the same: on a branch it hides what is inherited.
/// The caller keeps the totals when all is done.
pub fn apply(
    tx: &mut dyn Tx,
    clocks: &dyn Clocks,
    changes: &[Change<'_>],
    found: &[Option<Existing>],
    totals: &mut Totals,
) -> StoreResult<Vec<(Id, Action)>> {
    separate(tx, clocks, changes)?;
    let ids = || changes.iter().zip(found).map(|(change, found)| found.as_ref().map_or(change.id, |found| &found.id));
    let mut sets = Vec::new();
    let mut deletions = Vec::new();
    let mut rows = Vec::with_capacity(changes.len());
    let mut counts: BTreeMap<HostRow, i64> = BTreeMap::new();
    for ((change, id), found) in changes.iter().zip(ids()).zip(found) {
        let place = place(clocks.account(), change.row, change.key);
        let seq = clocks.tick_of(change.row)?.seq();
        match change.value {
            Some(value) => {
                let mut set = place.to_vec();
                set.extend_from_slice(params![id, clocks.time(), seq, value]);
                sets.push(set);
                *counts.entry(change.row).or_default() += i64::from(found.is_none());
            }
            None if found.is_some() => {
                deletions.push(place.to_vec());
                *counts.entry(change.row).or_default() -= 1;
            }
            None => {}
        }
        let mut row = place.to_vec();
        row.extend_from_slice(params![seq, id, change.source.number(), change.page_row, change.value]);
        rows.push(row);
    }
    for (sql, sets) in [(UPSERT, &sets), (DELETE, &deletions), (history::INSERT, &rows)] {
        if !sets.is_empty() {
            tx.query_many(sql, sets, &mut |_, _| Ok(()))?;
        }
    }
    lineage::note(tx, clocks.account(), changes)?;
    emit(tx, clocks, changes, found)?;
    count(tx, clocks.account(), counts, totals)?;
    let actions = found.iter().map(|found| if found.is_some() { Action::Updated } else { Action::Created });
    Ok(ids().cloned().zip(actions).collect())
}

/// Variables of floors and pages belong to one line.
fn separate(tx: &mut dyn Tx, clocks: &dyn Clocks, changes: &[Change<'_>]) -> StoreResult<()> {
    let mut hosts: BTreeMap<(i64, Scope), Vec<i64>> = BTreeMap::new();
    for HostRow { session_row, scope, host_row } in changes.iter().map(|change| change.row) {
        hosts.entry((session_row, scope)).or_default().push(host_row);
    }
    for ((session_row, scope), rows) in hosts {
        let Some(clock) = clocks.session_of(HostRow::new(session_row, scope, 0)) else { continue };
        match scope {
            Scope::Floor => separation::separate_floors(tx, clock, &rows)?,
            Scope::Page => separation::separate_pages(tx, clock, &rows)?,
            Scope::Global | Scope::Chat | Scope::Branch => {}
        }
    }
    Ok(())
}

const UPSERT: Sql = sql!(
    "INSERT INTO variable (account_id, session_row, scope, host_row, key, id, updated_at, revision, value)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
     ON CONFLICT (account_id, session_row, scope, host_row, key)
     DO UPDATE SET updated_at = excluded.updated_at, revision = excluded.revision, value = excluded.value"
);
const DELETE: Sql = sql!(
    "DELETE FROM variable WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4 AND key = ?5"
);

fn emit(tx: &mut dyn Tx, clocks: &dyn Clocks, changes: &[Change<'_>], found: &[Option<Existing>]) -> StoreResult<()> {
    let mut scopes: Vec<(HostRow, EventScope)> = Vec::new();
    for change in changes {
        if !scopes.iter().any(|(row, _)| *row == change.row) {
            scopes.push((change.row, EventScope::of_host(tx, clocks.account(), change.row, change.host)?));
        }
    }
    let mut emitted = Vec::with_capacity(changes.len());
    for (change, found) in changes.iter().zip(found) {
        let kind = match (change.source, change.value, found) {
            (HistorySource::Promoted, ..) => EventKind::VariablePromoted,
            (_, Some(_), None) => EventKind::VariableCreated,
            (_, Some(_), Some(_)) => EventKind::VariableUpdated,
            (_, None, _) => EventKind::VariableDeleted,
        };
        let Some((_, scope)) = scopes.iter().find(|(row, _)| *row == change.row) else { continue };
        emitted.push(NewEvent {
            emits: Emits::One(kind),
            scope,
            seq: clocks.tick_of(change.row)?.seq(),
            subject: found.as_ref().map_or(change.id, |found| &found.id),
            variable: Some(OfVariable { row: change.row, host: change.host, key: change.key }),
            detail: None,
        });
    }
    events::emit_all(tx, clocks.account(), &emitted)
}

/// Keeps each host's own count, and notes what the account's totals will be; the write keeps them at its end.
fn count(tx: &mut dyn Tx, account: &Id, changes: BTreeMap<HostRow, i64>, totals: &mut Totals) -> StoreResult<()> {
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
    Ok(())
}

/// Makes one variable hold what its history says now, after a page was activated, deactivated or deleted. What it holds
/// already is left alone.
pub fn restore(
    tx: &mut dyn Tx,
    clocks: &dyn Clocks,
    row: HostRow,
    host: &Host,
    key: &Key,
    totals: &mut Totals,
) -> StoreResult<()> {
    let sql = sql!(
        "SELECT id, revision, value FROM variable
         WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4 AND key = ?5"
    );
    let held = first(tx, sql, &place(clocks.account(), row, key), |row| {
        Ok((Existing { id: stored_id(row.text(0)?)?, revision: row.int(1)? }, row.bytes(2)?.to_vec()))
    })?;
    let wanted = history::newest(tx, clocks.account(), row, key)?;
    if row.scope == Scope::Floor {
        let says = |newest: &history::Newest| newest.value.is_some() || newest.source == HistorySource::Promoted;
        lineage::mark(tx, clocks.account(), row, key, wanted.as_ref().is_some_and(says))?;
    }
    let value = wanted.as_ref().and_then(|newest| newest.value.as_deref());
    if value == held.as_ref().map(|(_, value)| value.as_slice()) {
        return Ok(());
    }
    let found = held.map(|(found, _)| found);
    let Some(id) = found.as_ref().map(|found| &found.id).or(wanted.as_ref().map(|newest| &newest.variable_id)) else {
        return Ok(());
    };
    // Where nothing counts any more the host says nothing, which is not the same as that it deleted the key.
    let source = if wanted.is_some() { HistorySource::Restored } else { HistorySource::Withdrawn };
    let change = Change { row, host, key, value, id, source, page_row: None };
    apply(tx, clocks, &[change], std::slice::from_ref(&found), totals).map(drop)
}
