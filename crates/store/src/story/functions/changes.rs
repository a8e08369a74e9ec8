//! What changes the function library. Each change ends with [`refresh`], in its own transaction.

use super::{GLOBAL_ROW, found, get, of_scope, refresh, scope_row};
use crate::events::{self, EventScope};
use crate::tree::prelude::*;
use crate::types::order::{FunctionCopy, FunctionPatch, FunctionScope, LocalFunction, NewFunction};
use crate::types::record::{Condition, EventKind, Function};
use std::collections::{HashMap, HashSet};
use tavernkeep_engine::library::{BUILTIN_PREFIX, LibraryFunction, STARTER_PREFIX, shipped};

/// Puts functions into a scope.
pub fn create(
    tx: &mut dyn Tx,
    account: &Id,
    scope: &FunctionScope,
    new: &[NewFunction],
    now: i64,
) -> StoreResult<Vec<Function>> {
    let clock = AccountClock::of(tx, account, now)?;
    let row = scope_row(tx, account, scope)?;
    for function in new {
        insert(tx, &clock, row, function)?;
    }
    refresh(tx, &clock, row)?;
    let mut stored = by_id(tx, account, row)?;
    Ok(new.iter().filter_map(|function| stored.remove(&function.id)).collect())
}

fn by_id(tx: &mut dyn Tx, account: &Id, scope_row: i64) -> StoreResult<HashMap<Id, Function>> {
    Ok(of_scope(tx, account, scope_row)?.into_iter().map(|function| (function.id.clone(), function)).collect())
}

fn insert(tx: &mut dyn Tx, clock: &AccountClock, scope_row: i64, new: &NewFunction) -> StoreResult<()> {
    let account = clock.account();
    if is_shipped(&new.id) {
        return Err(Refusal::IdTaken("function", new.id.to_string()).into());
    }
    let sql = sql!(
        "INSERT INTO function (account_id, id, scope_row, enabled, size, created_at, revision, body)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (account_id, id) DO NOTHING"
    );
    let (body, size) = (body(&new.function)?, size(&new.function));
    let params = params![account, &new.id, scope_row, new.enabled, size, clock.now(), clock.tick().seq(), &body];
    if tx.execute(sql, params)? == 0 {
        return Err(Refusal::IdTaken("function", new.id.to_string()).into());
    }
    emit(tx, clock, EventKind::FunctionCreated, &new.id)
}

/// Whether an id is one of the program's own, or could become one.
fn is_shipped(id: &Id) -> bool {
    [BUILTIN_PREFIX, STARTER_PREFIX].iter().any(|prefix| id.as_str().starts_with(prefix))
}

fn body(function: &LibraryFunction) -> StoreResult<Vec<u8>> {
    let text = serde_json::to_string(function)
        .map_err(|error| StoreError::Internal(format!("a function cannot be written: {error}")))?;
    Ok(codec::encode(&text))
}

fn size(function: &LibraryFunction) -> i64 {
    i64::try_from(function.bytes()).unwrap_or(i64::MAX)
}

fn emit(tx: &mut dyn Tx, clock: &AccountClock, kind: EventKind, id: &Id) -> StoreResult<()> {
    events::emit(tx, clock.tick(), kind, &EventScope::ACCOUNT, id, None)
}

/// An author's function, and the row of its scope.
fn writable(tx: &mut dyn Tx, account: &Id, id: &Id, condition: Condition) -> StoreResult<(i64, Function)> {
    if shipped().iter().any(|shipped| shipped.id == id.as_str()) {
        return Err(Refusal::FunctionBuiltIn(id.clone()).into());
    }
    let (row, function) = found(tx, account, id)?;
    check(condition, function.revision)?;
    Ok((row, function))
}

fn check(condition: Condition, found: i64) -> StoreResult<()> {
    match condition {
        Condition::Absent => Err(Refusal::FunctionMoved.into()),
        Condition::Revision(revision) if revision != found => Err(Refusal::FunctionMoved.into()),
        _ => Ok(()),
    }
}

pub fn update(
    tx: &mut dyn Tx,
    account: &Id,
    id: &Id,
    patch: &FunctionPatch,
    condition: Condition,
    now: i64,
) -> StoreResult<Function> {
    let clock = AccountClock::of(tx, account, now)?;
    let (row, function) = writable(tx, account, id, condition)?;
    let (enabled, changed) = (patch.enabled.unwrap_or(function.enabled), patch.apply(function.function));
    changed.check().map_err(|error| Refusal::FunctionInvalid(None, error))?;
    put(tx, &clock, id, enabled, &changed)?;
    refresh(tx, &clock, row)?;
    get(tx, account, id)
}

fn put(tx: &mut dyn Tx, clock: &AccountClock, id: &Id, enabled: bool, function: &LibraryFunction) -> StoreResult<()> {
    let sql =
        sql!("UPDATE function SET enabled = ?3, size = ?4, revision = ?5, body = ?6 WHERE account_id = ?1 AND id = ?2");
    let (body, size) = (body(function)?, size(function));
    tx.execute(sql, params![clock.account(), id, enabled, size, clock.tick().seq(), &body])?;
    emit(tx, clock, EventKind::FunctionUpdated, id)
}

pub fn delete(tx: &mut dyn Tx, account: &Id, id: &Id, condition: Condition, now: i64) -> StoreResult<()> {
    let clock = AccountClock::of(tx, account, now)?;
    let (row, _) = writable(tx, account, id, condition)?;
    remove(tx, &clock, id)?;
    refresh(tx, &clock, row)
}

fn remove(tx: &mut dyn Tx, clock: &AccountClock, id: &Id) -> StoreResult<()> {
    tx.execute(sql!("DELETE FROM function WHERE account_id = ?1 AND id = ?2"), params![clock.account(), id])?;
    emit(tx, clock, EventKind::FunctionDeleted, id)
}

/// Copies a function, also one that comes with the program. The copy is disabled: two functions of one name would get into each
/// other's way.
pub fn copy(tx: &mut dyn Tx, account: &Id, id: &Id, copy: &FunctionCopy, now: i64) -> StoreResult<Function> {
    let clock = AccountClock::of(tx, account, now)?;
    let row = scope_row(tx, account, &copy.scope)?;
    let mut function = match shipped().iter().find(|shipped| shipped.id == id.as_str()) {
        // A copy of a built-in one is called by its name, so that the dialect reads its arguments as it reads them for the
        // original; the pattern that is shown for it ends at the first bracket.
        Some(shipped) if shipped.builtin => LibraryFunction { pattern: None, ..shipped.function.clone() },
        Some(shipped) => shipped.function.clone(),
        None => get(tx, account, id)?.function,
    };
    if let Some(name) = &copy.name {
        function.name.clone_from(name);
    }
    function.check().map_err(|error| Refusal::FunctionInvalid(None, error))?;
    insert(tx, &clock, row, &NewFunction { id: copy.id.clone(), enabled: false, function })?;
    refresh(tx, &clock, row)?;
    get(tx, account, &copy.id)
}

/// Moves a function to another scope; it stays as it is.
pub fn move_to(
    tx: &mut dyn Tx,
    account: &Id,
    id: &Id,
    scope: &FunctionScope,
    condition: Condition,
    now: i64,
) -> StoreResult<Function> {
    let clock = AccountClock::of(tx, account, now)?;
    let (from, _) = writable(tx, account, id, condition)?;
    let to = scope_row(tx, account, scope)?;
    if from != to {
        let sql = sql!("UPDATE function SET scope_row = ?3, revision = ?4 WHERE account_id = ?1 AND id = ?2");
        tx.execute(sql, params![account, id, to, clock.tick().seq()])?;
        emit(tx, &clock, EventKind::FunctionUpdated, id)?;
        refresh(tx, &clock, from)?;
        refresh(tx, &clock, to)?;
    }
    get(tx, account, id)
}

/// Gives the functions of a scope the orders 1, 2, 3 and so on. All of them must be named, each once.
pub fn reorder(
    tx: &mut dyn Tx,
    account: &Id,
    scope: &FunctionScope,
    ids: &[Id],
    now: i64,
) -> StoreResult<Vec<Function>> {
    let clock = AccountClock::of(tx, account, now)?;
    let row = scope_row(tx, account, scope)?;
    let mut known = by_id(tx, account, row)?;
    for (order, (place, id)) in (1..).zip(ids.iter().enumerate()) {
        let Some(Function { enabled, mut function, .. }) = known.remove(id) else {
            return Err(Refusal::FunctionOrder { place: Some(place), id: id.clone() }.into());
        };
        if function.order != order {
            function.order = order;
            put(tx, &clock, id, enabled, &function)?;
        }
    }
    if let Some(id) = known.into_keys().min() {
        return Err(Refusal::FunctionOrder { place: None, id }.into());
    }
    refresh(tx, &clock, row)?;
    of_scope(tx, account, row)
}

/// Switches a function that comes with the program on or off in a scope.
pub fn put_switch(
    tx: &mut dyn Tx,
    account: &Id,
    scope: &FunctionScope,
    id: &Id,
    enabled: bool,
    condition: Condition,
    now: i64,
) -> StoreResult<()> {
    let clock = AccountClock::of(tx, account, now)?;
    let row = scope_row(tx, account, scope)?;
    let sql = sql!(
        "SELECT COALESCE(MAX(revision), 0) FROM function_switch
         WHERE account_id = ?1 AND id = ?3 AND (scope_row = ?2 OR scope_row = ?4)"
    );
    // Whether a character has a built-in function is the account's to say as well.
    let is_builtin = shipped().iter().any(|shipped| shipped.builtin && shipped.id == id.as_str());
    let above = if is_builtin { GLOBAL_ROW } else { row };
    check(condition, one(tx, sql, params![account, row, id, above], |row| row.int(0))?)?;
    let sql = sql!(
        "INSERT INTO function_switch (account_id, scope_row, id, enabled, revision) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (account_id, scope_row, id) DO UPDATE SET enabled = excluded.enabled, revision = excluded.revision"
    );
    tx.execute(sql, params![account, row, id, enabled, clock.tick().seq()])?;
    emit(tx, &clock, EventKind::FunctionUpdated, id)?;
    refresh(tx, &clock, row)
}

/// Makes these the functions of a character. Those with the id of one that it has replace it, the others are new and get fresh
/// ids, one for each of the list.
pub(crate) fn replace(
    tx: &mut dyn Tx,
    clock: &AccountClock,
    character_row: i64,
    functions: &[LocalFunction],
    fresh: &[Id],
) -> StoreResult<()> {
    let mut known: HashSet<Id> =
        of_scope(tx, clock.account(), character_row)?.into_iter().map(|function| function.id).collect();
    for (LocalFunction { id, enabled, function }, fresh) in functions.iter().zip(fresh) {
        match id.as_ref().filter(|id| known.remove(id)) {
            Some(id) => put(tx, clock, id, *enabled, function)?,
            None => {
                let new = NewFunction { id: fresh.clone(), enabled: *enabled, function: function.clone() };
                insert(tx, clock, character_row, &new)?;
            }
        }
    }
    for id in known {
        remove(tx, clock, &id)?;
    }
    refresh(tx, clock, character_row)
}

/// Deletes the functions and switches of a character that is gone for good. What they mean for its sessions stays.
pub(crate) fn purge(tx: &mut dyn Tx, account: &Id, character_row: i64) -> StoreResult<()> {
    debug_assert_ne!(character_row, GLOBAL_ROW);
    for sql in [
        sql!("DELETE FROM function WHERE account_id = ?1 AND scope_row = ?2"),
        sql!("DELETE FROM function_switch WHERE account_id = ?1 AND scope_row = ?2"),
    ] {
        tx.execute(sql, params![account, character_row])?;
    }
    Ok(())
}
