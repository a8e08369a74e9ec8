//! What SQLite should assume of our tables when it plans a statement.
//!
//! Without statistics SQLite assumes that a session has nine floors and nine pages. So for the floors of a branch, and for the
//! pages of a floor, it reads all that the session has along the primary key, which saves it the way from an index to the
//! row. The statements of the crate are written so that this does not happen (see `db/plans.rs`), but those with which SQLite
//! carries out `ON DELETE CASCADE` are its own: deleting many floors took time with the square of their number. So the sizes are
//! declared, once for a database, as `postgres/planning.rs` declares them.

use rusqlite::{Connection, Result};

/// Rows in all, for each account, for each session, and for the whole key.
const SIZES: &str = "1000000 100000 10000 1";
/// The tables whose rows are looked for by another column than the one that follows the session in their key.
const TABLES: [&str; 2] = ["floor", "page"];

/// Declares the sizes, unless the database has them. Connections that are opened later find them there.
pub fn declare_sizes(connection: &mut Connection) -> Result<()> {
    if are_declared(connection)? {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    // SQLite makes the table of statistics when it analyzes anything; this one has a row for each migration.
    transaction.execute_batch("ANALYZE schema_version")?;
    for table in TABLES {
        transaction.execute("DELETE FROM sqlite_stat1 WHERE tbl = ?1", [table])?;
        // The key of a table without row ids has the name of the table.
        transaction.execute("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?1, ?1, ?2)", [table, SIZES])?;
    }
    transaction.commit()?;
    // This connection has read its statistics already.
    connection.execute_batch("ANALYZE sqlite_schema")
}

fn are_declared(connection: &Connection) -> Result<bool> {
    let has_statistics = "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'";
    if connection.query_row(has_statistics, [], |row| row.get::<_, i64>(0))? == 0 {
        return Ok(false);
    }
    let mut declared = connection.prepare("SELECT 1 FROM sqlite_stat1 WHERE tbl = ?1 AND stat = ?2")?;
    for table in TABLES {
        if !declared.exists([table, SIZES])? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use crate::db::plans::program;

    /// What SQLite does by itself when a branch or a floor is deleted grows with what hangs on it and not with the session.
    #[test]
    fn cascades_read_what_hangs_on_a_row() {
        let branch = "DELETE FROM branch WHERE account_id = 'a' AND session_row = 1 AND branch_row = 2";
        let searched = program(branch);
        // Every search of a table of sessions compares three columns or more: the account, the session and what is asked for.
        let narrow = searched.iter().filter(|columns| **columns >= 3).count();
        assert!(narrow > 5, "{searched:?}");
        assert_eq!(searched.iter().filter(|columns| **columns < 3).count(), 0, "{searched:?}");
    }
}
