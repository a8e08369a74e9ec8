//! The statements of lists, one for each combination, assembled once.
//!
//! Keys are chosen by a range of bytes: UTF-8 has no byte 0xFF, so `prefix … prefix+FF` is exactly what starts with the
//! prefix. Each order is the order of an index, so that the database reads rows and stops.
//!
//! Parameters: ?1 account, ?2 session, ?3 scope, ?4 host, ?5 limit, ?6 offset, from ?7 on the keys, then the time.
//! PostgreSQL wants every parameter used and typed, so a statement that has no use for one compares it with 0.

use crate::db::prelude::*;
use crate::types::record::{KeyFilter, VariableQuery, VariableSort};
use std::sync::LazyLock;
use tavernkeep_engine::limits::FILTER_KEYS_MAX;

/// The first parameter of a choice of keys.
const FIRST_KEY: usize = 7;

/// All columns of a variable, and those that say where it stands.
const ROW: &str = "session_row, scope, host_row, key, id, updated_at, revision, value";
const ROW_KEYS: &str = "session_row, scope, host_row, key, updated_at";

/// Leaves out what is being deleted with its session. There is seldom any, and then the database asks once.
macro_rules! visible {
    () => {
        " AND session_row NOT IN (SELECT h.session_row FROM session h
            WHERE h.account_id = ?1 AND h.deleted_at IS NOT NULL)"
    };
}

/// By region: account, scope, host, branches of a session.
const REGIONS: [&str; 4] = [
    concat!(
        "account_id = ?1 AND CAST(?2 AS BIGINT) = 0 AND CAST(?3 AS BIGINT) = 0 AND CAST(?4 AS BIGINT) = 0",
        visible!()
    ),
    concat!("account_id = ?1 AND CAST(?2 AS BIGINT) = 0 AND scope = ?3 AND CAST(?4 AS BIGINT) = 0", visible!()),
    "account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4",
    "account_id = ?1 AND session_row = ?2 AND scope = ?3 AND CAST(?4 AS BIGINT) = 0",
];

pub struct Statements {
    /// By region, condition, order.
    rows: [[[Sql; 4]; 6]; 4],
    keys_of_rows: [[[Sql; 4]; 6]; 4],
    /// By region, condition.
    counts: [[Sql; 6]; 4],
}

pub static STATEMENTS: LazyLock<Statements> = LazyLock::new(|| {
    let conditions = conditions();
    let lists = |columns: &str| {
        std::array::from_fn(|region| {
            std::array::from_fn(|condition| {
                std::array::from_fn(|order| list(columns, region, &conditions[condition], order))
            })
        })
    };
    Statements {
        rows: lists(ROW),
        keys_of_rows: lists(ROW_KEYS),
        counts: std::array::from_fn(|region| {
            std::array::from_fn(|condition| {
                Sql::assembled(format!(
                    "SELECT COUNT(*) FROM variable WHERE {}{} AND CAST(?5 AS BIGINT) = 0 AND CAST(?6 AS BIGINT) = 0",
                    REGIONS[region], conditions[condition]
                ))
            })
        }),
    }
});

impl Statements {
    pub fn rows(&self, region: usize, query: &VariableQuery) -> Sql {
        self.rows[region][condition_of(query)][order_of(query)]
    }

    pub fn keys_of_rows(&self, region: usize, query: &VariableQuery) -> Sql {
        self.keys_of_rows[region][condition_of(query)][order_of(query)]
    }

    pub fn count(&self, region: usize, query: &VariableQuery) -> Sql {
        self.counts[region][condition_of(query)]
    }
}

/// Which of the three kinds of key condition a filter needs.
pub fn kind_of(filter: &KeyFilter) -> usize {
    match filter {
        KeyFilter::Any => 0,
        KeyFilter::Prefix(_) => 1,
        KeyFilter::Keys(_) => 2,
    }
}

fn condition_of(query: &VariableQuery) -> usize {
    kind_of(&query.keys) + 3 * usize::from(query.updated_since.is_some())
}

fn order_of(query: &VariableQuery) -> usize {
    usize::from(query.sort == VariableSort::Key) * 2 + usize::from(query.window.ascending)
}

/// Hands over the parameters of a choice of keys.
pub fn with_key_params<T>(filter: &KeyFilter, work: impl FnOnce(&[Param<'_>]) -> T) -> T {
    match filter {
        KeyFilter::Any => work(&[]),
        KeyFilter::Prefix(prefix) => {
            let end = [prefix.as_bytes(), &[0xFF]].concat();
            work(&[prefix.as_bytes().into(), (&end).into()])
        }
        KeyFilter::Keys(keys) => {
            // The statement has a fixed number of places; the ones left over repeat the last key, or say nothing.
            let bytes = |index: usize| keys.get(index).or(keys.last()).map(|key| key.as_str().as_bytes());
            let params: Vec<Param<'_>> = (0..FILTER_KEYS_MAX).map(|index| bytes(index).into()).collect();
            work(&params)
        }
    }
}

/// The conditions on keys: none, a range, a list.
pub fn key_conditions() -> [String; 3] {
    let places: Vec<String> = (FIRST_KEY..FIRST_KEY + FILTER_KEYS_MAX).map(|number| format!("?{number}")).collect();
    [String::new(), " AND key >= ?7 AND key < ?8".into(), format!(" AND key IN ({})", places.join(", "))]
}

/// The conditions on keys alone, then the same with a time.
fn conditions() -> [String; 6] {
    let keys = key_conditions();
    let times = [FIRST_KEY, FIRST_KEY + 2, FIRST_KEY + FILTER_KEYS_MAX];
    std::array::from_fn(|index| match index {
        0..3 => keys[index].clone(),
        _ => format!("{} AND updated_at >= ?{}", keys[index - 3], times[index - 3]),
    })
}

fn list(columns: &str, region: usize, condition: &str, order: usize) -> Sql {
    let direction = if order % 2 == 1 { "ASC" } else { "DESC" };
    let sorted: &[&str] = match (region, order >= 2) {
        (2, true) => &["key"],
        (2, false) => &["updated_at", "key"],
        (_, true) => &["key", "session_row", "host_row"],
        (_, false) => &["updated_at", "session_row", "host_row", "key"],
    };
    let order = sorted.iter().map(|column| format!("{column} {direction}")).collect::<Vec<_>>().join(", ");
    let region_condition = REGIONS[region];
    if region > 0 {
        return Sql::assembled(format!(
            "SELECT {columns} FROM variable WHERE {region_condition}{condition} ORDER BY {order} LIMIT ?5 OFFSET ?6"
        ));
    }
    // The whole account: the first rows of each scope, merged. One index less to keep up to date on every write.
    let part = |&scope: &Scope| {
        format!(
            "SELECT * FROM (SELECT {columns} FROM variable WHERE {region_condition} AND scope = {}{condition}
             ORDER BY {order} LIMIT CAST(?5 AS BIGINT) + CAST(?6 AS BIGINT)) AS scope_{}",
            scope.number(),
            scope.as_str()
        )
    };
    let parts: Vec<String> = Scope::ALL.iter().map(part).collect();
    Sql::assembled(format!(
        "SELECT {columns} FROM ({}) AS merged ORDER BY {order}, scope {direction} LIMIT ?5 OFFSET ?6",
        parts.join(" UNION ALL ")
    ))
}
