//! Promotions: what a page's values become on its floor, and on request on its branch or chat.
//!
//! A promoted value remembers its page and counts only while that page is active. So a swipe takes back what the page
//! before had promoted, and swiping back brings it again. Global variables belong to no line and keep what they got.

use crate::tree::hosts;
use crate::tree::positions::Slot;
use crate::tree::prelude::*;
use crate::types::record::{Host, Ledger, Promotion};
use crate::variables::writes;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
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
    /// None where nothing was there that could be taken away.
    pub(crate) target_variable: Option<Id>,
    pub(crate) value: Option<&'a [u8]>,
}

pub(crate) fn trace(tx: &mut dyn Tx, clock: &SessionClock, page_row: i64, traces: &[Trace<'_>]) -> StoreResult<()> {
    let sets: Vec<Vec<Param<'_>>> = traces
        .iter()
        .map(|trace| {
            let &Trace { ref id, staged, key, from, to, policy, ref target_variable, value, .. } = trace;
            let (key, source) = (key.as_str().as_bytes(), trace.source_variable.as_ref());
            let target_variable = target_variable.as_ref();
            let mut set = in_session![clock, page_row, clock.seq(), id, staged, key].to_vec();
            set.extend(
                [from, to].iter().flat_map(|host| [Param::from(host.scope.number()), Param::from(host.host_row)]),
            );
            set.extend_from_slice(params![policy.number(), source, target_variable, value]);
            set
        })
        .collect();
    execute_many(tx, INSERT, &sets)
}

const INSERT: Sql = sql!(
    "INSERT INTO promotion (account_id, session_row, page_row, seq, id, staged_id, key, from_scope, from_row,
        to_scope, to_row, policy, source_variable_id, target_variable_id, value)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
);

/// What a page has promoted, in the order in which it happened.
pub fn of_page(tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<Ledger<Promotion>> {
    let (ledger, host) = crate::variables::staging::find(tx, account, page)?;
    let page = params![account, host.session_row, host.host_row];
    let sql = sql!(
        "SELECT DISTINCT from_scope, from_row FROM promotion WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3
         UNION SELECT to_scope, to_row FROM promotion WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3"
    );
    let ends = all(tx, sql, page, |row| end(row, 0, host.session_row))?;
    let names = hosts::names(tx, account, ends)?;
    let sql = sql!(
        "SELECT from_scope, from_row, to_scope, to_row, id, staged_id, key, policy, source_variable_id,
            target_variable_id, value, seq
         FROM promotion WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 ORDER BY seq, id"
    );
    let items = all(tx, sql, page, |row| {
        let named = |column| Ok::<_, StoreError>(names.get(&end(row, column, host.session_row)?).cloned());
        Ok(match (named(0)?, named(2)?) {
            (Some(from), Some(to)) => Some(read(row, from, to)?),
            _ => None,
        })
    })?;
    Ok(ledger.with(items.into_iter().flatten().collect()))
}

fn end(row: &dyn Row, column: usize, session_row: i64) -> StoreResult<HostRow> {
    Ok(match stored_enum(row.int(column)?)? {
        // Global variables are in no session.
        Scope::Global => HostRow::GLOBAL,
        scope => HostRow::new(session_row, scope, row.int(column + 1)?),
    })
}

fn read(row: &dyn Row, from: Host, to: Host) -> StoreResult<Promotion> {
    Ok(Promotion {
        id: stored_id(row.text(4)?)?,
        staged_write: row.text_or_null(5)?.map(stored_id).transpose()?,
        key: stored_key(row.bytes(6)?)?,
        from,
        to,
        policy: stored_enum(row.int(7)?)?,
        source_variable: row.text_or_null(8)?.map(stored_id).transpose()?,
        target_variable: row.text_or_null(9)?.map(stored_id).transpose()?,
        value: row.bytes_or_null(10)?.map(codec::decode_json).transpose()?,
        created_at: crate::tree::clock::millis(row.int(11)?),
    })
}

static TARGETS: LazyLock<[Sql; 2]> = LazyLock::new(|| {
    ["p.floor_row = ?3 AND p.page_no = ?4", "p.floor_row = ?3 AND CAST(?4 AS BIGINT) = 0"].map(|which| {
        Sql::assembled(format!(
            "SELECT DISTINCT t.to_scope, t.to_row, t.key FROM page p
                 JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row
                    AND f.floor_row = p.floor_row
                 JOIN promotion t ON t.account_id = p.account_id AND t.session_row = p.session_row
                    AND t.page_row = p.page_row
                 WHERE p.account_id = ?1 AND p.session_row = ?2 AND t.to_scope <> 0 AND {which}"
        ))
    })
});

/// The variables that all pages of many floors have promoted to. Ask before pages are deleted.
pub(crate) fn targets_of_floors(tx: &mut dyn Tx, session: SessionKey<'_>, floors: &[i64]) -> StoreResult<Vec<Target>> {
    let floors: Vec<Slot> = floors.iter().map(|&floor| (floor, 0)).collect();
    targets_of_each(tx, session, TARGETS[1], &floors)
}

/// The same for all versions of many slots.
pub(crate) fn targets_of_slots(tx: &mut dyn Tx, session: SessionKey<'_>, slots: &[Slot]) -> StoreResult<Vec<Target>> {
    targets_of_each(tx, session, TARGETS[0], slots)
}

/// Whether a page of one of these floors has promoted a value, which counts while the page is chosen.
pub(crate) fn any_of_floors(tx: &mut dyn Tx, session: SessionKey<'_>, floors: &BTreeSet<i64>) -> StoreResult<bool> {
    let sql = sql!(
        "SELECT DISTINCT p.floor_row FROM promotion t
         JOIN page p ON p.account_id = t.account_id AND p.session_row = t.session_row AND p.page_row = t.page_row
         WHERE t.account_id = ?1 AND t.session_row = ?2"
    );
    let promoting = all(tx, sql, in_session![session], |row| row.int(0))?;
    Ok(promoting.iter().any(|floor_row| floors.contains(floor_row)))
}

/// Places from which on it is worth asking first whether a session has promoted anything at all.
const MANY: usize = 32;

fn targets_of_each(tx: &mut dyn Tx, session: SessionKey<'_>, sql: Sql, places: &[Slot]) -> StoreResult<Vec<Target>> {
    if places.len() > MANY {
        let sql = sql!("SELECT 1 FROM promotion WHERE account_id = ?1 AND session_row = ?2 LIMIT 1");
        if first(tx, sql, in_session![session], |_| Ok(()))?.is_none() {
            return Ok(Vec::new());
        }
    }
    let sets: Vec<_> = places.iter().map(|&(row, page_no)| in_session![session, row, page_no].to_vec()).collect();
    all_of_each(tx, sql, &sets, |row| target(row, session.row))
}

/// A variable that a page has promoted to.
pub(crate) type Target = (HostRow, Key);

fn target(row: &dyn Row, session_row: i64) -> StoreResult<Target> {
    Ok((HostRow::new(session_row, stored_enum(row.int(0)?)?, row.int(1)?), stored_key(row.bytes(2)?)?))
}

/// Targets of several changes, each one once: a variable is written once under one tick.
#[derive(Default)]
pub(crate) struct Affected<'a>(BTreeMap<i64, (&'a SessionClock, BTreeSet<Target>)>);

impl<'a> Affected<'a> {
    pub(crate) fn add(&mut self, clock: &'a SessionClock, targets: Vec<Target>) {
        let (_, known) = self.0.entry(clock.session_row()).or_insert_with(|| (clock, BTreeSet::new()));
        known.extend(targets);
    }

    pub(crate) fn restore(self, tx: &mut dyn Tx, totals: &mut Totals) -> StoreResult<()> {
        for (clock, targets) in self.0.into_values() {
            let targets: Vec<_> = targets.into_iter().collect();
            restore(tx, clock, &targets, totals)?;
        }
        Ok(())
    }
}

pub(crate) fn restore(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    targets: &[Target],
    totals: &mut Totals,
) -> StoreResult<()> {
    if targets.is_empty() {
        return Ok(());
    }
    let names = hosts::names(tx, clock.account(), targets.iter().map(|(row, _)| *row).collect())?;
    for (row, key) in targets {
        // A target that is deleted together with the page needs nothing any more.
        if let Some(host) = names.get(row) {
            writes::restore(tx, clock, *row, host, key, totals)?;
        }
    }
    Ok(())
}
