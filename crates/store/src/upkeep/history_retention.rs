//! How the history of variables becomes shorter without anybody noticing.
//!
//! A row has expired when it is too old, or when its variable has enough newer ones. It may go unless something could still
//! read it as a value:
//!
//! - the variable itself, now or after a swipe, reads the newest row that counts: a row is needed as long as no later one
//!   that always counts stands before it. A restored row never counts, and a promoted one no more once its page is gone;
//! - on a branch, every fork of a floor that was committed reads the newest row up to the tick of that commit, whether it
//!   counts or not: a row is needed as long as such a tick lies between it and the next row. Of keys that pages promoted to it
//!   reads the newest row that always counts up to that tick, and the rows of all pages that are on its line: they are needed
//!   while their pages exist.

use crate::tree::clock::{self, Clocks};
use crate::tree::hosts;
use crate::tree::prelude::*;
use crate::types::record::HistorySource;
use crate::upkeep::retention::Retention;

/// A variable by its place. Sorted as the history is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct VariableAddress {
    session_row: i64,
    scope: i64,
    host_row: i64,
    key: Vec<u8>,
}

impl VariableAddress {
    /// Before all others.
    pub const FIRST: VariableAddress = VariableAddress { session_row: -1, scope: 0, host_row: 0, key: Vec::new() };
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryChunk {
    /// The variables in it that have expired rows.
    pub expired: Vec<VariableAddress>,
    /// Where the next chunk begins; none at the end.
    pub next: Option<VariableAddress>,
}

/// One pass over an account's history: what is kept, how many rows are looked at, and when.
#[derive(Debug, Clone)]
pub struct HistoryPass {
    pub account: Id,
    pub retention: Retention,
    pub rows: i64,
    pub now: i64,
}

/// Looks at the next rows of an account's history, behind `from`.
pub fn look(tx: &mut dyn Tx, pass: &HistoryPass, from: &VariableAddress) -> StoreResult<HistoryChunk> {
    let HistoryPass { account, retention, rows, .. } = pass;
    let sql = sql!(
        "SELECT session_row, scope, host_row, key, COUNT(*), MIN(seq) FROM (
            SELECT session_row, scope, host_row, key, seq FROM history
            WHERE account_id = ?1 AND (session_row, scope, host_row, key) > (?2, ?3, ?4, ?5)
            ORDER BY session_row, scope, host_row, key, seq LIMIT ?6) AS chunk
         GROUP BY session_row, scope, host_row, key ORDER BY session_row, scope, host_row, key"
    );
    let params = params![account, from.session_row, from.scope, from.host_row, &from.key, *rows];
    let mut found = all(tx, sql, params, |row| {
        let key = row.bytes(3)?.to_vec();
        let address = VariableAddress { session_row: row.int(0)?, scope: row.int(1)?, host_row: row.int(2)?, key };
        Ok((address, row.int(4)?, row.int(5)?))
    })?;
    let seen: i64 = found.iter().map(|(_, count, _)| count).sum();
    // The last variable may go on behind the chunk; it is looked at again, unless it fills the chunk alone.
    let next = match (seen >= *rows, found.as_slice()) {
        (false, _) | (true, []) => None,
        (true, [(only, ..)]) => Some(only.clone()),
        (true, _) => {
            found.pop();
            found.last().map(|(address, ..)| address.clone())
        }
    };
    let old = cutoff(pass);
    let is_expired = |count: i64, oldest: i64| {
        retention.history_count.is_some_and(|most| count > most) || old.is_some_and(|old| oldest < old)
    };
    let expired =
        found.into_iter().filter(|(_, count, oldest)| is_expired(*count, *oldest)).map(|(address, ..)| address);
    Ok(HistoryChunk { expired: expired.collect(), next })
}

fn cutoff(pass: &HistoryPass) -> Option<i64> {
    pass.retention.history_age_ms.map(|age| clock::micros(pass.now.saturating_sub(age)))
}

struct Past {
    seq: i64,
    /// Whether it counts, now or after a swipe.
    can_count: bool,
    /// Whether it counts whatever happens to pages.
    always_counts: bool,
}

/// Deletes what may go of one variable's history, looking at no more than `rows` of it behind the tick `after`. Returns how
/// many rows are gone, and where to go on; nowhere at the end.
pub fn forget(
    tx: &mut dyn Tx,
    pass: &HistoryPass,
    address: &VariableAddress,
    after: i64,
) -> StoreResult<(u64, Option<i64>)> {
    let account = &pass.account;
    // A swipe or a commit must not need a row that goes at this moment.
    let host = HostRow::new(address.session_row, stored_enum(address.scope)?, address.host_row);
    hosts::with_rows(tx, account, vec![host], pass.now, |tx, locked| {
        if locked.tick_of(host).is_err() {
            return Ok((0, None));
        }
        let (expired, next) = expired(tx, pass, address, after)?;
        let sets: Vec<Vec<_>> = expired.iter().map(|&seq| place(account, host, &address.key, seq).to_vec()).collect();
        tx.query_many(DELETE, &sets, &mut |_, _| Ok(()))?;
        Ok((sets.len() as u64, next))
    })
}

/// The ticks of the rows that [`forget`] would delete, and where it would go on. For a look before: to delete means to
/// take a clock, which makes every cached answer old.
pub fn expired(
    tx: &mut dyn Tx,
    pass: &HistoryPass,
    address: &VariableAddress,
    after: i64,
) -> StoreResult<(Vec<i64>, Option<i64>)> {
    let &HistoryPass { ref account, retention, rows, .. } = pass;
    let host = HostRow::new(address.session_row, stored_enum(address.scope)?, address.host_row);
    let past = past(tx, account, host, &address.key, after, rows)?;
    let Some(last) = past.last().map(|row| row.seq) else { return Ok((Vec::new(), None)) };
    let next = (i64::try_from(past.len()).unwrap_or(i64::MAX) >= rows).then_some(last);
    let crowded = retention.history_count.map(|most| nth_newest(tx, account, host, &address.key, most)).transpose()?;
    let old = cutoff(pass);
    let is_expired =
        |seq: i64| crowded.flatten().is_some_and(|newest| seq <= newest) || old.is_some_and(|old| seq < old);
    let readers = readers(tx, account, host)?;
    // From the newest to the oldest, so that the next row that always counts is known.
    let mut covered = next_that_counts(tx, account, host, &address.key, last)?;
    let mut later = next_row(tx, account, host, &address.key, last)?;
    let mut expired = Vec::new();
    for row in past.iter().rev() {
        let needed = row.can_count && covered.is_none()
            || is_read(&readers, row.seq, later)
            || row.always_counts && is_read(&readers, row.seq, covered)
            || row.can_count && !row.always_counts && host.scope == Scope::Branch;
        later = Some(row.seq);
        if is_expired(row.seq) && !needed {
            expired.push(row.seq);
        }
        if row.always_counts {
            covered = Some(row.seq);
        }
    }
    Ok((expired, next))
}

/// Whether a fork reads as of a tick from `seq` on and before `later`.
fn is_read(readers: &[i64], seq: i64, later: Option<i64>) -> bool {
    let first = readers.partition_point(|&reader| reader < seq);
    readers.get(first).is_some_and(|&reader| later.is_none_or(|later| reader < later))
}

const DELETE: Sql = sql!(
    "DELETE FROM history
     WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4 AND key = ?5 AND seq = ?6"
);

fn place<'a>(account: &'a Id, host: HostRow, key: &'a [u8], seq: i64) -> [Param<'a>; 6] {
    [account.into(), host.session_row.into(), host.scope.number().into(), host.host_row.into(), key.into(), seq.into()]
}

fn past(tx: &mut dyn Tx, account: &Id, host: HostRow, key: &[u8], after: i64, rows: i64) -> StoreResult<Vec<Past>> {
    let sql = sql!(
        "SELECT h.seq, h.source, h.page_row, p.page_row FROM history h
         LEFT JOIN page p ON p.account_id = h.account_id AND p.session_row = h.session_row AND p.page_row = h.page_row
         WHERE h.account_id = ?1 AND h.session_row = ?2 AND h.scope = ?3 AND h.host_row = ?4 AND h.key = ?5
            AND h.seq > ?6
         ORDER BY h.seq LIMIT ?7"
    );
    let mut params = place(account, host, key, after).to_vec();
    params.push(rows.into());
    all(tx, sql, &params, |row| {
        let source = row.int(1)?;
        let restored = [HistorySource::Restored, HistorySource::Withdrawn].iter().any(|kind| kind.number() == source);
        let (promoted, page_exists) = (row.int_or_null(2)?.is_some(), row.int_or_null(3)?.is_some());
        Ok(Past {
            seq: row.int(0)?,
            can_count: !restored && (!promoted || page_exists),
            always_counts: !restored && !promoted,
        })
    })
}

/// The newest row that is one too many.
fn nth_newest(tx: &mut dyn Tx, account: &Id, host: HostRow, key: &[u8], most: i64) -> StoreResult<Option<i64>> {
    let sql = sql!(
        "SELECT seq FROM history
         WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4 AND key = ?5
         ORDER BY seq DESC LIMIT 1 OFFSET ?6"
    );
    first(tx, sql, &place(account, host, key, most), |row| row.int(0))
}

/// The first row behind a tick that always counts.
fn next_that_counts(tx: &mut dyn Tx, account: &Id, host: HostRow, key: &[u8], seq: i64) -> StoreResult<Option<i64>> {
    let sql = sql!(
        "SELECT seq FROM history
         WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4 AND key = ?5 AND seq > ?6
            AND source NOT IN (5, 7) AND page_row IS NULL
         ORDER BY seq LIMIT 1"
    );
    first(tx, sql, &place(account, host, key, seq), |row| row.int(0))
}

fn next_row(tx: &mut dyn Tx, account: &Id, host: HostRow, key: &[u8], seq: i64) -> StoreResult<Option<i64>> {
    let sql = sql!(
        "SELECT seq FROM history
         WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4 AND key = ?5 AND seq > ?6
         ORDER BY seq LIMIT 1"
    );
    first(tx, sql, &place(account, host, key, seq), |row| row.int(0))
}

/// The ticks as of which a branch is read by forks, those that exist and those that could be made: a copied floor on any branch
/// keeps the tick of its commit. Sorted.
fn readers(tx: &mut dyn Tx, account: &Id, host: HostRow) -> StoreResult<Vec<i64>> {
    if host.scope != Scope::Branch {
        return Ok(Vec::new());
    }
    let sql = sql!(
        "SELECT committed_seq FROM floor WHERE account_id = ?1 AND session_row = ?2 AND committed_seq IS NOT NULL
         UNION SELECT committed_seq FROM page WHERE account_id = ?1 AND session_row = ?2 AND committed_seq IS NOT NULL
         UNION SELECT source_seq FROM branch WHERE account_id = ?1 AND session_row = ?2 AND source_seq IS NOT NULL
         ORDER BY 1"
    );
    all(tx, sql, params![account, host.session_row], |row| row.int(0))
}
