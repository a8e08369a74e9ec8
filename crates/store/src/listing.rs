//! Lists of variables: index reads whose cost depends on what they return, not on what the account holds.
//!
//! A list covers a region (account, scope, host, the branches of a session), a choice of keys, and comes in one of four
//! orders. Each combination is one statement of a fixed table, assembled once. Keys are chosen by a range of bytes: UTF-8
//! has no byte 0xFF, so `prefix … prefix+FF` is exactly what starts with the prefix.

use crate::error::StoreResult;
use crate::hosts::{self, HostRow, scope_number};
use crate::record::{Host, KeyFilter, Listed, Region, Variable, VariableQuery, VariableSort, Window};
use crate::sql::Sql;
use crate::tx::{Param, Tx, all, one};
use crate::variables::{self, StoredVariable};
use crate::{params, sql};
use std::collections::HashMap;
use std::sync::LazyLock;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::FILTER_KEYS_MAX;
use tavernkeep_engine::scope::Scope;

/// Answers a question for a list of variables.
pub fn list(tx: &mut dyn Tx, account: &Id, query: &VariableQuery) -> StoreResult<Listed<Variable>> {
    let mut names = HashMap::new();
    let mut ranges = ranges(tx, account, &query.region, &mut names)?;
    let window = query.window;
    let total = match window.total {
        true => Some(count(tx, account, &ranges, &query.keys)?),
        false => None,
    };
    if ranges == [Range::Account] && window.offset + window.limit < MERGED_HERE_MAX {
        ranges = Scope::ALL.map(Range::Scope).to_vec();
    }
    let mut rows = Vec::new();
    if let [range] = ranges.as_slice() {
        rows = fetch(tx, account, *range, query, window.limit + 1, window.offset)?;
    } else {
        // Several stretches: each gives its first rows, and the merged list is cut.
        for range in &ranges {
            rows.extend(fetch(tx, account, *range, query, window.offset + window.limit + 1, 0)?);
        }
        sort(&mut rows, query.sort, window.ascending);
        rows.drain(..rows.len().min(usize::try_from(window.offset).unwrap_or(usize::MAX)));
    }
    let limit = usize::try_from(window.limit).unwrap_or(usize::MAX);
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    Ok(Listed { items: variables::name(tx, account, rows, names)?, total, has_more })
}

/// The beginning of an account's whole list is merged here, from the first rows of each scope. Further behind, the
/// database merges: it need not hand over the rows that are skipped.
const MERGED_HERE_MAX: i64 = 1_000;

/// A stretch of the table that one statement can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    Account,
    Scope(Scope),
    Host(HostRow),
    BranchesOf(i64),
}

/// The stretches that a region covers. Hosts that the caller named need no look-up for their names later.
fn ranges(
    tx: &mut dyn Tx,
    account: &Id,
    region: &Region,
    names: &mut HashMap<HostRow, Host>,
) -> StoreResult<Vec<Range>> {
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
            Range::Scope(scope) => (1, [0, scope_number(scope), 0]),
            Range::Host(host) => (2, [host.session_row, scope_number(host.scope), host.host_row]),
            Range::BranchesOf(session_row) => (3, [session_row, scope_number(Scope::Branch), 0]),
        }
    }
}

/// The bytes behind everything that a prefix covers.
fn end_of_prefix(prefix: &str) -> Vec<u8> {
    [prefix.as_bytes(), &[0xFF]].concat()
}

fn fetch(
    tx: &mut dyn Tx,
    account: &Id,
    range: Range,
    query: &VariableQuery,
    limit: i64,
    offset: i64,
) -> StoreResult<Vec<StoredVariable>> {
    let (region, numbers) = range.place();
    let order = usize::from(query.sort == VariableSort::Key) * 2 + usize::from(query.window.ascending);
    with_key_params(&query.keys, |keys, key_params| {
        let mut params: Vec<Param<'_>> = vec![account.into()];
        params.extend(numbers.map(Param::Int));
        params.extend([Param::Int(limit), Param::Int(offset)]);
        params.extend_from_slice(key_params);
        all(tx, STATEMENTS.lists[region][keys][order], &params, StoredVariable::read)
    })
}

fn count(tx: &mut dyn Tx, account: &Id, ranges: &[Range], filter: &KeyFilter) -> StoreResult<i64> {
    let mut total = 0;
    for range in ranges {
        let (region, numbers) = range.place();
        total += match filter {
            KeyFilter::Any => kept_count(tx, account, *range)?,
            _ => with_key_params(filter, |keys, key_params| {
                // ?5 and ?6 are limit and offset in the statements of the same family; here they say nothing.
                let mut params: Vec<Param<'_>> = vec![account.into()];
                params.extend(numbers.map(Param::Int));
                params.extend([Param::Int(0), Param::Int(0)]);
                params.extend_from_slice(key_params);
                one(tx, STATEMENTS.counts[region][keys], &params, |row| row.int(0))
            })?,
        };
    }
    Ok(total)
}

/// Counts that every write keeps, so that a total costs no walk over the rows.
fn kept_count(tx: &mut dyn Tx, account: &Id, range: Range) -> StoreResult<i64> {
    let number = |row: &dyn crate::tx::Row| row.int(0);
    match range {
        Range::Account => {
            let sql = sql!("SELECT CAST(COALESCE(SUM(total), 0) AS BIGINT) FROM variable_total WHERE account_id = ?1");
            one(tx, sql, params![account], number)
        }
        Range::Scope(scope) => {
            let sql = sql!(
                "SELECT CAST(COALESCE(SUM(total), 0) AS BIGINT) FROM variable_total WHERE account_id = ?1 AND scope = ?2"
            );
            one(tx, sql, params![account, scope_number(scope)], number)
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

/// Hands over which family of statements a filter needs and its parameters from ?7 on.
pub(crate) fn with_key_params<T>(filter: &KeyFilter, work: impl FnOnce(usize, &[Param<'_>]) -> T) -> T {
    match filter {
        KeyFilter::Any => work(0, &[]),
        KeyFilter::Prefix(prefix) => {
            let end = end_of_prefix(prefix);
            work(1, &[prefix.as_bytes().into(), (&end).into()])
        }
        KeyFilter::Keys(keys) => {
            // The statement has a fixed number of places; the ones left over repeat the last key, or say nothing.
            let bytes = |index: usize| keys.get(index).or(keys.last()).map(|key| key.as_str().as_bytes());
            let params: Vec<Param<'_>> = (0..FILTER_KEYS_MAX).map(|index| bytes(index).into()).collect();
            work(2, &params)
        }
    }
}

/// The conditions on keys, by family: none, a range, a list.
pub(crate) fn key_conditions() -> [String; 3] {
    let places: Vec<String> = (7..7 + FILTER_KEYS_MAX).map(|number| format!("?{number}")).collect();
    [String::new(), " AND key >= ?7 AND key < ?8".into(), format!(" AND key IN ({})", places.join(", "))]
}

struct Statements {
    /// By region, family of key condition, order.
    lists: [[[Sql; 4]; 3]; 4],
    /// By region, family of key condition.
    counts: [[Sql; 3]; 4],
}

const COLUMNS: &str = "session_row, scope, host_row, key, id, updated_at, revision, value";

static STATEMENTS: LazyLock<Statements> = LazyLock::new(|| {
    let keys = key_conditions();
    // Parameters that a statement has no use for are named all the same: PostgreSQL wants each one used.
    let regions = [
        "account_id = ?1 AND ?2 = 0 AND ?3 = 0 AND ?4 = 0",
        "account_id = ?1 AND ?2 = 0 AND scope = ?3 AND ?4 = 0",
        "account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4",
        "account_id = ?1 AND session_row = ?2 AND scope = ?3 AND ?4 = 0",
    ]
    .map(typed);
    Statements {
        lists: std::array::from_fn(|region| {
            std::array::from_fn(|family| {
                std::array::from_fn(|order| list_statement(region, &regions[region], &keys[family], order))
            })
        }),
        counts: std::array::from_fn(|region| {
            std::array::from_fn(|family| {
                let (condition, keys) = (&regions[region], &keys[family]);
                Sql::assembled(format!(
                    "SELECT COUNT(*) FROM variable WHERE {condition}{keys} AND {} AND {}",
                    typed("?5 = 0"),
                    typed("?6 = 0")
                ))
            })
        }),
    }
});

/// Gives the parameters that are compared with nothing but a number a type that both databases know.
fn typed(condition: &str) -> String {
    ["?2", "?3", "?4", "?5", "?6"].iter().fold(condition.to_owned(), |text, place| {
        text.replace(&format!("{place} = 0"), &format!("CAST({place} AS BIGINT) = 0"))
    })
}

fn list_statement(region: usize, condition: &str, keys: &str, order: usize) -> Sql {
    let direction = if order % 2 == 1 { "ASC" } else { "DESC" };
    let by_key = order >= 2;
    let order = |columns: &[&str]| {
        let columns: Vec<String> = columns.iter().map(|column| format!("{column} {direction}")).collect();
        columns.join(", ")
    };
    // Each order is the order of an index, so that the database reads rows and stops.
    let columns: &[&str] = match (region, by_key) {
        (2, true) => &["key"],
        (2, false) => &["updated_at", "key"],
        (_, true) => &["key", "session_row", "host_row"],
        (_, false) => &["updated_at", "session_row", "host_row", "key"],
    };
    if region > 0 {
        return Sql::assembled(format!(
            "SELECT {COLUMNS} FROM variable WHERE {condition}{keys} ORDER BY {} LIMIT ?5 OFFSET ?6",
            order(columns)
        ));
    }
    // The whole account: the first rows of each scope, merged. One index less to keep up to date on every write.
    let scopes: Vec<String> = Scope::ALL
        .iter()
        .map(|&scope| {
            format!(
                "SELECT * FROM (SELECT {COLUMNS} FROM variable WHERE {condition} AND scope = {}{keys}
                 ORDER BY {} LIMIT CAST(?5 AS BIGINT) + CAST(?6 AS BIGINT)) AS scope_{}",
                scope_number(scope),
                order(columns),
                scope.as_str()
            )
        })
        .collect();
    Sql::assembled(format!(
        "SELECT {COLUMNS} FROM ({}) AS merged ORDER BY {}, scope {direction} LIMIT ?5 OFFSET ?6",
        scopes.join(" UNION ALL "),
        order(columns)
    ))
}

/// Sorts as the statement that merges all scopes does.
fn sort(rows: &mut [StoredVariable], sort: VariableSort, ascending: bool) {
    rows.sort_by(|left, right| {
        let host = |row: &StoredVariable| (row.row.session_row, row.row.host_row);
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

/// How many rows match in all, as a list's `has_more` needs it when nobody counted.
pub(crate) fn cut<T>(mut rows: Vec<T>, window: Window, total: Option<i64>) -> Listed<T> {
    let limit = usize::try_from(window.limit).unwrap_or(usize::MAX);
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    Listed { items: rows, total, has_more }
}
