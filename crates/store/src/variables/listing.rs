//! Lists of variables: index reads whose cost depends on what they return, not on what the account holds.
//!
//! A list covers a region (account, scope, host, the branches of a session), a choice of keys, perhaps a time, and comes
//! in one of four orders. Each combination is one statement of a fixed table, see [`statements`].

pub(crate) mod statements;

use crate::tree::hosts;
use crate::tree::prelude::*;
use crate::tree::totals::TRASH;
use crate::types::record::{KeyFilter, Listed, Region, Variable, VariableQuery, VariableSort};
use crate::variables::{self, StoredVariable};
use statements::{STATEMENTS, with_key_params};
use std::collections::HashMap;

pub fn list(tx: &mut dyn Tx, account: &Id, query: &VariableQuery) -> StoreResult<Listed<Variable>> {
    let mut names = HashMap::new();
    let mut ranges = ranges(tx, account, &query.region, &mut names)?;
    let window = query.window;
    let total = if window.total { Some(count(tx, account, &ranges, query)?) } else { None };
    if ranges == [Range::Account] && window.offset + window.limit < MERGED_HERE_MAX {
        ranges = Scope::ALL.iter().copied().map(Range::Scope).collect();
    }
    let rows = match ranges.as_slice() {
        [range @ (Range::Scope(_) | Range::Host(_) | Range::BranchesOf(_))] => {
            let statement = STATEMENTS.rows(range.place().0, query);
            fetch(tx, account, *range, query, (window.limit + 1, window.offset), statement, StoredVariable::read)?
        }
        ranges => merge(tx, account, ranges, query)?,
    };
    let listed = Listed::cut(rows, window, total);
    let items = variables::name(tx, account, listed.items, names)?;
    Ok(Listed { items, total, has_more: listed.has_more })
}

/// The beginning of an account's whole list is merged here, from the first rows of each scope. Further behind, the
/// database merges: it need not hand over the rows that are skipped.
const MERGED_HERE_MAX: i64 = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    Account,
    Scope(Scope),
    Host(HostRow),
    BranchesOf(i64),
}

/// The stretches that a region covers. Hosts that the caller named need no look-up for their names later.
fn ranges(tx: &mut dyn Tx, account: &Id, region: &Region, names: &mut hosts::Names) -> StoreResult<Vec<Range>> {
    Ok(match region {
        Region::Account => vec![Range::Account],
        // All global variables hang on one host.
        Region::Scope(Scope::Global) => vec![Range::Host(HostRow::GLOBAL)],
        Region::Scope(scope) => vec![Range::Scope(*scope)],
        Region::Hosts(wanted) => {
            let mut ranges = Vec::with_capacity(wanted.len());
            for host in wanted {
                let row = hosts::find(tx, account, host)?;
                names.extend(row.map(|row| (row, host.clone())));
                ranges.extend(row.map(Range::Host));
            }
            ranges
        }
        Region::BranchesOf(session) => {
            let sql = sql!("SELECT session_row FROM session WHERE account_id = ?1 AND id = ?2");
            all(tx, sql, params![account, session], |row| Ok(Range::BranchesOf(row.int(0)?)))?
        }
    })
}

impl Range {
    /// Which row of the statement table is meant, and the values of ?2, ?3, ?4.
    fn place(self) -> (usize, [i64; 3]) {
        match self {
            Range::Account => (0, [0, 0, 0]),
            Range::Scope(scope) => (1, [0, scope.number(), 0]),
            Range::Host(host) => (2, [host.session_row, host.scope.number(), host.host_row]),
            Range::BranchesOf(session_row) => (3, [session_row, Scope::Branch.number(), 0]),
        }
    }
}

/// Where a row of several ranges stands. Values may be large, so they are read only for the rows that are returned.
struct ListedRow {
    row: HostRow,
    key: Key,
    updated_at: i64,
}

impl ListedRow {
    /// Reads the columns session_row, scope, host_row, key, updated_at.
    fn read(row: &dyn Row) -> StoreResult<ListedRow> {
        Ok(ListedRow {
            row: HostRow::new(row.int(0)?, stored_enum(row.int(1)?)?, row.int(2)?),
            key: stored_key(row.bytes(3)?)?,
            updated_at: row.int(4)?,
        })
    }
}

/// Finds the wanted rows of several ranges by their keys, then reads them.
fn merge(tx: &mut dyn Tx, account: &Id, ranges: &[Range], query: &VariableQuery) -> StoreResult<Vec<StoredVariable>> {
    let window = query.window;
    let mut rows = Vec::new();
    let mut skip = 0;
    if let [range] = ranges {
        let statement = STATEMENTS.keys_of_rows(range.place().0, query);
        rows = fetch(tx, account, *range, query, (window.limit + 1, window.offset), statement, ListedRow::read)?;
    } else {
        for range in ranges {
            let statement = STATEMENTS.keys_of_rows(range.place().0, query);
            let part = (window.offset + window.limit + 1, 0);
            rows.extend(fetch(tx, account, *range, query, part, statement, ListedRow::read)?);
        }
        sort(&mut rows, query.sort, window.ascending);
        skip = usize::try_from(window.offset).unwrap_or(usize::MAX);
    }
    let wanted = usize::try_from(window.limit + 1).unwrap_or(usize::MAX);
    let sets: Vec<Vec<Param<'_>>> = rows
        .iter()
        .skip(skip)
        .take(wanted)
        .map(|ListedRow { row, key, .. }| {
            params![account, row.session_row, row.scope.number(), row.host_row, key.as_str().as_bytes()].to_vec()
        })
        .collect();
    let sql = sql!(
        "SELECT session_row, scope, host_row, key, id, updated_at, revision, value FROM variable
         WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4 AND key = ?5"
    );
    all_of_each(tx, sql, &sets, StoredVariable::read)
}

fn fetch<T>(
    tx: &mut dyn Tx,
    account: &Id,
    range: Range,
    query: &VariableQuery,
    (limit, offset): (i64, i64),
    statement: Sql,
    read: impl Fn(&dyn Row) -> StoreResult<T>,
) -> StoreResult<Vec<T>> {
    with_params(account, range, query, (limit, offset), |params| all(tx, statement, params, read))
}

/// Hands over the parameters of a statement of the table.
fn with_params<T>(
    account: &Id,
    range: Range,
    query: &VariableQuery,
    (limit, offset): (i64, i64),
    work: impl FnOnce(&[Param<'_>]) -> T,
) -> T {
    with_key_params(&query.keys, |key_params| {
        let mut params: Vec<Param<'_>> = vec![account.into()];
        params.extend(range.place().1.map(Param::Int));
        params.extend([Param::Int(limit), Param::Int(offset)]);
        params.extend_from_slice(key_params);
        params.extend(query.updated_since.map(Param::Int));
        work(&params)
    })
}

fn count(tx: &mut dyn Tx, account: &Id, ranges: &[Range], query: &VariableQuery) -> StoreResult<i64> {
    let mut total = 0;
    for &range in ranges {
        total += match (&query.keys, query.updated_since) {
            (KeyFilter::Any, None) => kept_count(tx, account, range)?,
            _ => {
                let statement = STATEMENTS.count(range.place().0, query);
                with_params(account, range, query, (0, 0), |params| one(tx, statement, params, |row| row.int(0)))?
            }
        };
    }
    Ok(total)
}

/// Counts that every write keeps, so that a total costs no walk over the rows.
fn kept_count(tx: &mut dyn Tx, account: &Id, range: Range) -> StoreResult<i64> {
    let number = |row: &dyn Row| row.int(0);
    match range {
        Range::Account => {
            let sql = sql!(
                "SELECT CAST(COALESCE(SUM(total), 0) AS BIGINT) FROM variable_total WHERE account_id = ?1 AND scope <> ?2"
            );
            one(tx, sql, params![account, TRASH], number)
        }
        Range::Scope(scope) => {
            let sql = sql!(
                "SELECT CAST(COALESCE(SUM(total), 0) AS BIGINT) FROM variable_total WHERE account_id = ?1 AND scope = ?2"
            );
            one(tx, sql, params![account, scope.number()], number)
        }
        Range::BranchesOf(session_row) => {
            let sql = sql!(
                "SELECT CAST(COALESCE(SUM(variables), 0) AS BIGINT) FROM branch WHERE account_id = ?1 AND session_row = ?2"
            );
            one(tx, sql, params![account, session_row], number)
        }
        Range::Host(HostRow { session_row, scope, host_row }) => {
            let sql = match scope {
                Scope::Global => {
                    let sql = sql!("SELECT variables FROM account WHERE account_id = ?1");
                    return one(tx, sql, params![account], number);
                }
                Scope::Chat => {
                    let sql = sql!("SELECT variables FROM session WHERE account_id = ?1 AND session_row = ?2");
                    return one(tx, sql, params![account, session_row], number);
                }
                Scope::Branch => {
                    sql!("SELECT variables FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3")
                }
                Scope::Floor => {
                    sql!("SELECT variables FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3")
                }
                Scope::Page => {
                    sql!("SELECT variables FROM page WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3")
                }
            };
            one(tx, sql, params![account, session_row, host_row], number)
        }
    }
}

/// Sorts as the statement that merges all scopes does.
fn sort(rows: &mut [ListedRow], sort: VariableSort, ascending: bool) {
    rows.sort_by(|left, right| {
        let host = |listed: &ListedRow| (listed.row.session_row, listed.row.host_row);
        let order = match sort {
            VariableSort::UpdatedAt => {
                (left.updated_at, host(left), &left.key).cmp(&(right.updated_at, host(right), &right.key))
            }
            VariableSort::Key => (&left.key, host(left)).cmp(&(&right.key, host(right))),
        };
        let order = order.then_with(|| left.row.scope.cmp(&right.row.scope));
        if ascending { order } else { order.reverse() }
    });
}
