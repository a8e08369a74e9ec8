//! The function library in the database. The account's clock guards it.
//!
//! What the functions of a scope mean for turns is one text among the definitions, written whenever one of them changes. Turns
//! read that text by its hash and never these rows.

mod changes;
mod library;

pub use changes::{copy, create, delete, move_to, put_switch, reorder, update};
pub(crate) use changes::{purge, replace};
pub use library::{entries, entry, find_conflicts, in_use, own_entries, profile_of};

use crate::db::hash::{Hash, stored_hash};
use crate::story::definitions;
use crate::tree::characters;
use crate::tree::prelude::*;
use crate::types::order::FunctionScope;
use crate::types::record::Function;
use tavernkeep_engine::library::{LibraryFunction, ScopeFunctions, Shipped, shipped};
use tavernkeep_engine::limits::{FUNCTIONS_BYTES_MAX, FUNCTIONS_MAX};

/// The row that stands for the account itself.
const GLOBAL_ROW: i64 = 0;

fn scope_row(tx: &mut dyn Tx, account: &Id, scope: &FunctionScope) -> StoreResult<i64> {
    match scope {
        FunctionScope::Global => Ok(GLOBAL_ROW),
        FunctionScope::Character(id) => {
            characters::find(tx, account, id)?.ok_or_else(|| Refusal::CharacterNotFound(id.clone()).into())
        }
    }
}

/// The functions that authors put into a scope, in the order in which they run.
pub fn list(tx: &mut dyn Tx, account: &Id, scope: &FunctionScope) -> StoreResult<Vec<Function>> {
    let row = scope_row(tx, account, scope)?;
    of_scope(tx, account, row)
}

pub(crate) fn of_scope(tx: &mut dyn Tx, account: &Id, scope_row: i64) -> StoreResult<Vec<Function>> {
    let sql = sql!(
        "SELECT f.id, c.id, f.enabled, f.body, f.created_at, f.revision FROM function f
         LEFT JOIN character c ON c.account_id = f.account_id AND c.character_row = f.scope_row AND c.deleted_at IS NULL
         WHERE f.account_id = ?1 AND f.scope_row = ?2"
    );
    let mut functions = all(tx, sql, params![account, scope_row], read)?;
    functions.sort_by(|one, other| key(one).cmp(&key(other)));
    Ok(functions)
}

fn key(function: &Function) -> (i64, &str, &Id) {
    (function.function.order, &function.function.name, &function.id)
}

/// A function that comes with the program, whether it counts in a scope, and the revision of that.
pub type Switch = (&'static Shipped, bool, i64);

/// The switches of a scope.
pub fn switches(tx: &mut dyn Tx, account: &Id, scope: &FunctionScope) -> StoreResult<Vec<Switch>> {
    let row = scope_row(tx, account, scope)?;
    switches_of(tx, account, row)
}

pub(crate) fn switches_of(tx: &mut dyn Tx, account: &Id, scope_row: i64) -> StoreResult<Vec<Switch>> {
    let sql = sql!("SELECT id, enabled, revision FROM function_switch WHERE account_id = ?1 AND scope_row = ?2");
    let stored =
        all(tx, sql, params![account, scope_row], |row| Ok((row.text(0)?.to_owned(), row.int(1)? == 1, row.int(2)?)))?;
    let of = |shipped: &'static Shipped| {
        let stored = stored.iter().find(|(id, ..)| *id == shipped.id);
        stored.map_or((shipped, shipped.builtin, 0), |(_, enabled, revision)| (shipped, *enabled, *revision))
    };
    Ok(shipped().iter().map(of).collect())
}

pub fn get(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Function> {
    Ok(found(tx, account, id)?.1)
}

/// A function, and the row of its scope. Those of a character in the trash are hidden with it.
fn found(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<(i64, Function)> {
    let sql = sql!(
        "SELECT f.id, c.id, f.enabled, f.body, f.created_at, f.revision, f.scope_row FROM function f
         LEFT JOIN character c ON c.account_id = f.account_id AND c.character_row = f.scope_row AND c.deleted_at IS NULL
         WHERE f.account_id = ?1 AND f.id = ?2 AND (f.scope_row = 0 OR c.character_row IS NOT NULL)"
    );
    let found = first(tx, sql, params![account, id], |row| Ok((row.int(6)?, read(row)?)))?;
    found.ok_or_else(|| Refusal::FunctionNotFound(id.clone()).into())
}

fn read(row: &dyn Row) -> StoreResult<Function> {
    Ok(Function {
        id: stored_id(row.text(0)?)?,
        character: row.text_or_null(1)?.map(stored_id).transpose()?,
        enabled: row.int(2)? == 1,
        function: stored_function(row.bytes(3)?)?,
        created_at: row.int(4)?,
        revision: row.int(5)?,
    })
}

pub(crate) fn stored_function(bytes: &[u8]) -> StoreResult<LibraryFunction> {
    serde_json::from_str(&codec::decode(bytes)?)
        .map_err(|error| StoreError::Corrupt(format!("a function cannot be read: {error}")))
}

/// The hashes of what the functions of an account and of one of its characters mean for turns.
pub fn hashes(tx: &mut dyn Tx, account: &Id, character: Option<&Id>) -> StoreResult<(Option<Hash>, Option<Hash>)> {
    let sql = sql!("SELECT functions_hash FROM account WHERE account_id = ?1");
    let read = |row: &dyn Row| row.bytes_or_null(0)?.map(stored_hash).transpose();
    let global = first(tx, sql, params![account], read)?.flatten();
    let Some(character) = character else { return Ok((global, None)) };
    let sql = sql!(
        "SELECT k.functions_hash FROM character c
         JOIN character_story k ON k.account_id = c.account_id AND k.character_row = c.character_row
         WHERE c.account_id = ?1 AND c.id = ?2"
    );
    Ok((global, first(tx, sql, params![account, character], read)?.flatten()))
}

/// Writes what the functions of a scope mean, after one of them has changed, and refuses more of them than there may be.
fn refresh(tx: &mut dyn Tx, clock: &AccountClock, scope_row: i64) -> StoreResult<()> {
    let account = clock.account();
    let functions = of_scope(tx, account, scope_row)?;
    if functions.len() as i64 > FUNCTIONS_MAX {
        return Err(Refusal::TooMany("functions in this scope", FUNCTIONS_MAX).into());
    }
    if functions.iter().map(|function| function.function.bytes()).sum::<usize>() > FUNCTIONS_BYTES_MAX {
        return Err(Refusal::FunctionsTooLong.into());
    }
    let switches = switches_of(tx, account, scope_row)?;
    let own = functions.iter().filter(|function| function.enabled).map(|function| &function.function);
    let starters = switches.iter().filter(|(shipped, enabled, _)| *enabled && !shipped.builtin);
    let off = switches.iter().filter(|(shipped, enabled, _)| !*enabled && shipped.builtin);
    let off = off.map(|(shipped, ..)| shipped.function.name.clone()).collect();
    let enabled = own.chain(starters.map(|(shipped, ..)| &shipped.function));
    let text = ScopeFunctions::new(enabled, off).to_text().map(|text| JsonText::from_stored(&text));
    let hash = text.map(|text| definitions::put(tx, account, &text, clock.now())).transpose()?;
    let hash = hash.as_ref().map(Hash::as_slice);
    if scope_row == GLOBAL_ROW {
        let sql = sql!("UPDATE account SET functions_hash = ?2 WHERE account_id = ?1");
        return tx.execute(sql, params![account, hash]).map(drop);
    }
    let sql = sql!("UPDATE character_story SET functions_hash = ?3 WHERE account_id = ?1 AND character_row = ?2");
    tx.execute(sql, params![account, scope_row, hash])?;
    // A character's functions are a part of it.
    let sql = sql!("UPDATE character SET updated_at = ?3 WHERE account_id = ?1 AND character_row = ?2");
    tx.execute(sql, params![account, scope_row, clock.now()]).map(drop)
}
