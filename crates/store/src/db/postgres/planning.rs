//! How PostgreSQL goes about our statements: as SQLite does, row by row along the indexes that they were written for.
//!
//! Left to itself a server plans by what it believes of its tables, and that is wrong just when it matters. Every key begins
//! with the account and most go on with the session. Most sessions are short, so these two columns look nearly like a key of their
//! own, and a whole session is read where one row is meant: slow in the few that are long. So they are declared to have few
//! distinct values, and an index that matches further columns always wins; so are the columns that tell long lists within a session
//! apart. Where the server expects one row of a prefix, all indexes that begin with it cost the same, and it takes the one that
//! was made last.
//!
//! A declaration counts from the first `ANALYZE` that finds rows, and statistics of other columns are of the rows that it found: a
//! scope that had none is believed to have none. The server looks again within a minute or so. A write that makes a table many times
//! as large asks for an `ANALYZE` itself, so that the reads right behind it are planned well.

use crate::db::session_tables::NAMES;
use tokio_postgres::SimpleQueryMessage;

/// Nested loops over indexes, in the order of an index; what has no index is still done, as a last resort. A plan is made once
/// for each connection and not for each question: making it takes ten times as long as carrying it out.
pub const SETTINGS: &str = "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off;
    SET enable_mergejoin = off; SET enable_material = off; SET enable_sort = off; SET jit = off;
    SET plan_cache_mode = force_generic_plan";

/// How many accounts, and sessions of each, the planner should assume.
const FEW: u32 = 10;

/// Columns beside those that many rows of a session may share, which may be all of them.
const SHARED: [(&str, &str, u32); 2] = [("trash_row", "trash_id", 1), ("variable", "host_row", 1)];

/// The columns whose distinct values are declared, each with their number.
fn declared() -> impl Iterator<Item = (&'static str, &'static str, u32)> {
    let of_sessions = NAMES.iter().flat_map(|&table| [(table, "account_id", FEW), (table, "session_row", FEW)]);
    of_sessions.chain([("session", "account_id", FEW)]).chain(SHARED)
}

/// The tables that lack a declaration, by their names.
pub fn undeclared() -> String {
    let option = |(table, column, count)| format!("('{table}', '{column}', 'n_distinct={count}')");
    format!(
        "SELECT DISTINCT c.relname FROM (VALUES {}) AS d (table_name, column_name, option)
         JOIN pg_class c ON c.relname = CAST(d.table_name AS NAME)
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = CAST(d.column_name AS NAME)
         WHERE pg_table_is_visible(c.oid) AND NOT COALESCE(a.attoptions, '{{}}') @> ARRAY[d.option] ORDER BY c.relname",
        declared().map(option).collect::<Vec<_>>().join(", ")
    )
}

/// Declares how many accounts, sessions and lists within them the planner should assume in these tables.
pub fn declarations(tables: &[String]) -> String {
    let columns = declared().filter(|(table, _, _)| tables.iter().any(|name| name == table));
    let declare =
        |(table, column, count)| format!("ALTER TABLE {table} ALTER COLUMN {column} SET (n_distinct = {count});");
    columns.map(declare).collect()
}

/// The tables that have grown to twice their size or more since the planner last looked at them, by their names.
///
/// Their size says so, and two things beside it. A look of a transaction that was rolled back leaves the size behind, but no
/// statistics. And a look from outside of a transaction counts its pages, but none of its rows: autovacuum may come in the middle of an
/// import.
pub fn grown() -> String {
    let names: String = NAMES.iter().map(|table| format!("'{table}', ")).collect();
    format!(
        "SELECT c.relname FROM pg_class c
         WHERE c.relname IN ({names}'session') AND pg_table_is_visible(c.oid) AND pg_relation_size(c.oid) > 0
            AND (pg_relation_size(c.oid) >= 2 * c.relpages * CAST(current_setting('block_size') AS BIGINT)
                OR pg_stat_get_xact_tuples_inserted(c.oid) > 2 * c.reltuples
                OR NOT EXISTS (SELECT 1 FROM pg_stats s WHERE s.schemaname = current_schema()
                    AND s.tablename = c.relname AND s.attname = 'account_id'))
         ORDER BY c.relname"
    )
}

/// Analyzes tables, unless another connection does.
pub fn look(tables: &[String]) -> String {
    format!("ANALYZE (SKIP_LOCKED) {}", tables.join(", "))
}

/// The names of tables in an answer.
pub fn names(rows: &[SimpleQueryMessage]) -> Vec<String> {
    let name = |row: &SimpleQueryMessage| match row {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    };
    rows.iter().filter_map(name).collect()
}
