//! The tools of a session in an export: groups of applications, settings, remembered decisions, the scratchpad, the journal.

use super::Item;
use crate::tools::call_bodies::{self, Viewer};
use crate::tools::call_rows::{call_columns, read};
use crate::tools::clock::ProgramRules;
use crate::tools::pad::PadView;
use crate::tools::{grants, settings};
use crate::tree::prelude::*;

/// Groups, settings and decisions of a session.
pub fn settings_of(tx: &mut dyn Tx, account: &Id, session: &Id, session_row: i64) -> StoreResult<Vec<Item>> {
    let key = SessionKey::new(account, session_row);
    let config = settings::load(tx, key)?;
    let mut items = Vec::new();
    let is_used = !(config.groups.is_empty() && config.tools.is_empty() && config.declared.is_empty());
    if is_used || !names(tx, account, session_row)?.is_empty() {
        items.push(Item::ToolSettings(session.clone(), Box::new(config)));
    }
    items.extend(grants::of_session(tx, key)?.into_iter().map(|grant| Item::Grant(Some(session.clone()), grant)));
    Ok(items)
}

/// The names of the variables of a session's scratchpad.
pub fn names(tx: &mut dyn Tx, account: &Id, session_row: i64) -> StoreResult<Vec<String>> {
    let variables = PadView::new(tx, SessionKey::new(account, session_row), &ProgramRules::default())?.all()?;
    Ok(variables.into_iter().map(|variable| variable.name).collect())
}

/// A variable of the scratchpad; none if it is gone.
pub fn variable(
    tx: &mut dyn Tx,
    account: &Id,
    session: &Id,
    session_row: i64,
    name: &str,
) -> StoreResult<Option<Item>> {
    let found = PadView::new(tx, SessionKey::new(account, session_row), &ProgramRules::default())?.get(name)?;
    Ok(found.map(|(variable, value)| Item::ScratchVariable(session.clone(), Box::new(variable), value)))
}

/// The next calls of the journal behind one, and the last of them.
pub fn calls(
    tx: &mut dyn Tx,
    account: &Id,
    session_row: i64,
    after: i64,
    most: i64,
    now: i64,
) -> StoreResult<(Vec<Item>, Option<i64>)> {
    let sql = sql!(
        "SELECT ",
        call_columns!(),
        " WHERE c.account_id = ?1 AND c.session_row = ?2 AND c.call_row > ?3 ORDER BY c.call_row LIMIT ?4"
    );
    let records = all(tx, sql, params![account, session_row, after, most], read)?;
    let last = records.last().map(|record| record.call_row);
    let mut items = Vec::with_capacity(records.len());
    for record in records {
        items.push(Item::Call(Box::new(call_bodies::details(tx, account, record, Viewer::Anybody, now)?)));
    }
    Ok((items, last))
}

/// The id of the next call behind one, and its row.
pub fn next_call(tx: &mut dyn Tx, account: &Id, session_row: i64, after: i64) -> StoreResult<Option<(String, i64)>> {
    let sql = sql!(
        "SELECT id, call_row FROM tool_call WHERE account_id = ?1 AND session_row = ?2 AND call_row > ?3
         ORDER BY call_row LIMIT 1"
    );
    first(tx, sql, params![account, session_row, after], |row| Ok((row.text(0)?.to_owned(), row.int(1)?)))
}
