//! How PostgreSQL goes about our statements: as SQLite does, row by row along the indexes that they were written for.
//!
//! Left to itself a server plans by what it believes of its tables, and that is wrong just when it matters. Every key begins
//! with the account and most go on with the session. Most sessions are short, so these two columns look nearly like a key of their
//! own, and a whole session is read where one row is meant: slow in the few that are long. So they are declared to have few
//! distinct values, and an index that matches further columns always wins. A declaration counts from the first `ANALYZE` that finds
//! rows. The server does that by itself within a minute or so; the first long chat of a new database does not wait for it.

use crate::db::session_tables::NAMES;

/// Nested loops over indexes, in the order of an index; what has no index is still done, as a last resort. A plan is made once
/// for each connection and not for each question: making it takes ten times as long as carrying it out.
pub const SETTINGS: &str = "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off;
    SET enable_mergejoin = off; SET enable_material = off; SET enable_sort = off; SET jit = off;
    SET plan_cache_mode = force_generic_plan";

/// Declares how many accounts and sessions the planner should assume.
pub fn declarations() -> String {
    let declare = |table: &&str| {
        format!(
            "ALTER TABLE {table} ALTER COLUMN account_id SET (n_distinct = 10),
                ALTER COLUMN session_row SET (n_distinct = 10);"
        )
    };
    format!(
        "{}ALTER TABLE session ALTER COLUMN account_id SET (n_distinct = 10);",
        NAMES.iter().map(declare).collect::<String>()
    )
}

/// The tables that have rows and were never looked at, by their names.
pub fn unknown() -> String {
    let names: String = NAMES.iter().map(|table| format!("'{table}', ")).collect();
    format!(
        "SELECT c.relname FROM pg_class c
         WHERE c.relname IN ({names}'session') AND pg_table_is_visible(c.oid) AND c.relpages = 0
            AND pg_relation_size(c.oid) > 0 ORDER BY c.relname"
    )
}

/// Analyzes tables, unless another connection does.
pub fn look(tables: &[String]) -> String {
    format!("ANALYZE (SKIP_LOCKED) {}", tables.join(", "))
}
