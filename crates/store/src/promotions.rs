//! Promotions: what a page's values become on its floor, and on request on its branch or chat.
//!
//! A promoted value remembers its page and counts only while that page is active. So a swipe takes back what the page
//! before had promoted, and swiping back brings it again.

use crate::clock::Tick;
use crate::error::StoreResult;
use crate::hosts::{self, HostRow, Locked, scope_number, scope_of_number, stored_id};
use crate::record::{Ledger, Promotion};
use crate::sql::Sql;
use crate::staging::word;
use crate::tx::{Param, Row, Tx, all};
use crate::variables::stored_key;
use crate::{codec, params, sql, writes};
use std::sync::LazyLock;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::staging::ConflictPolicy;

/// One hop of a value, to be written down.
pub(crate) struct Trace<'a> {
    pub(crate) id: Id,
    pub(crate) staged: Option<&'a Id>,
    pub(crate) key: &'a Key,
    pub(crate) from: HostRow,
    pub(crate) to: HostRow,
    pub(crate) policy: ConflictPolicy,
    pub(crate) source_variable: Option<Id>,
    pub(crate) target_variable: Id,
    pub(crate) value: Option<&'a [u8]>,
}

/// Writes hops down.
pub(crate) fn trace(tx: &mut dyn Tx, account: &Id, tick: Tick, page_row: i64, traces: &[Trace<'_>]) -> StoreResult<()> {
    let sets: Vec<Vec<Param<'_>>> = traces
        .iter()
        .map(|trace| {
            params![
                account,
                tick.session_row,
                page_row,
                tick.seq,
                &trace.id,
                trace.staged,
                trace.key.as_str().as_bytes(),
                scope_number(trace.from.scope),
                trace.from.host_row,
                scope_number(trace.to.scope),
                trace.to.host_row,
                trace.policy.number(),
                trace.source_variable.as_ref(),
                &trace.target_variable,
                trace.value,
            ]
            .to_vec()
        })
        .collect();
    tx.query_many(INSERT, &sets, &mut |_, _| Ok(()))
}

const INSERT: Sql = sql!(
    "INSERT INTO promotion (account_id, session_row, page_row, seq, id, staged_id, key, from_scope, from_row,
        to_scope, to_row, policy, source_variable_id, target_variable_id, value)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
);

/// What a page has promoted, in the order in which it happened.
pub fn of_page(tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<Ledger<Promotion>> {
    let (ledger, host) = crate::staging::find(tx, account, page)?;
    let sql = sql!(
        "SELECT id, staged_id, key, from_scope, from_row, to_scope, to_row, policy, source_variable_id,
            target_variable_id, value, seq
         FROM promotion WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 ORDER BY seq, id"
    );
    let rows = all(tx, sql, params![account, host.session_row, host.host_row], |row| read(row, host.session_row))?;
    let ends: Vec<HostRow> = rows.iter().flat_map(|(from, to, _)| [*from, *to]).collect();
    let names = hosts::names(tx, account, ends)?;
    let items =
        rows.into_iter().filter_map(|(from, to, make)| Some(make(names.get(&from)?.clone(), names.get(&to)?.clone())));
    Ok(ledger.with(items.collect()))
}

/// A promotion that waits for the names of its ends.
type Unnamed = (HostRow, HostRow, Box<dyn FnOnce(crate::record::Host, crate::record::Host) -> Promotion>);

fn read(row: &dyn Row, session_row: i64) -> StoreResult<Unnamed> {
    let from_row = HostRow::new(session_row, scope_of_number(row.int(3)?)?, row.int(4)?);
    let to_row = HostRow::new(session_row, scope_of_number(row.int(5)?)?, row.int(6)?);
    let id = stored_id(row.text(0)?)?;
    let staged_write = row.text_or_null(1)?.map(stored_id).transpose()?;
    let key = stored_key(row.bytes(2)?)?;
    let policy = word(ConflictPolicy::of_number(row.int(7)?))?;
    let source_variable = row.text_or_null(8)?.map(stored_id).transpose()?;
    let target_variable = row.text_or_null(9)?.map(stored_id).transpose()?;
    let value = row.bytes_or_null(10)?.map(codec::decode_json).transpose()?;
    let created_at = crate::clock::millis(row.int(11)?);
    let make = move |from, to| Promotion {
        id,
        staged_write,
        key,
        from,
        to,
        policy,
        source_variable,
        target_variable,
        value,
        created_at,
    };
    Ok((from_row, to_row, Box::new(make)))
}

/// Pages whose promotions may stop or begin to count.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pages {
    /// All versions of a slot: a floor and a page number.
    Slot(i64, i64),
    /// All pages of a floor.
    Floor(i64),
    /// All pages of a branch.
    Branch(i64),
}

static TARGETS: LazyLock<[Sql; 3]> = LazyLock::new(|| {
    [
        "p.floor_row = ?3 AND p.page_no = ?4",
        "p.floor_row = ?3 AND CAST(?4 AS BIGINT) = 0",
        "f.branch_row = ?3 AND CAST(?4 AS BIGINT) = 0",
    ]
    .map(|which| {
        Sql::assembled(format!(
            "SELECT DISTINCT t.to_scope, t.to_row, t.key FROM page p
                 JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row
                    AND f.floor_row = p.floor_row
                 JOIN promotion t ON t.account_id = p.account_id AND t.session_row = p.session_row
                    AND t.page_row = p.page_row
                 WHERE p.account_id = ?1 AND p.session_row = ?2 AND {which}"
        ))
    })
});

/// The variables that pages have promoted to. Ask before pages are deleted.
pub(crate) fn targets(
    tx: &mut dyn Tx,
    account: &Id,
    session_row: i64,
    pages: Pages,
) -> StoreResult<Vec<(HostRow, Key)>> {
    let (which, row, page_no) = match pages {
        Pages::Slot(floor_row, page_no) => (0, floor_row, page_no),
        Pages::Floor(floor_row) => (1, floor_row, 0),
        Pages::Branch(branch_row) => (2, branch_row, 0),
    };
    all(tx, TARGETS[which], params![account, session_row, row, page_no], |row| {
        Ok((HostRow::new(session_row, scope_of_number(row.int(0)?)?, row.int(1)?), stored_key(row.bytes(2)?)?))
    })
}

/// Makes the targets hold what counts now.
pub(crate) fn restore(tx: &mut dyn Tx, account: &Id, tick: Tick, targets: &[(HostRow, Key)]) -> StoreResult<()> {
    if targets.is_empty() {
        return Ok(());
    }
    let locked = Locked::by(tick);
    let names = hosts::names(tx, account, targets.iter().map(|(row, _)| *row).collect())?;
    for (row, key) in targets {
        // A target that is deleted together with the page needs nothing any more.
        if let Some(host) = names.get(row) {
            writes::restore(tx, account, &locked, *row, host, key)?;
        }
    }
    Ok(())
}
