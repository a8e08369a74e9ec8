//! How SQLite goes about a statement, for tests: what it reads must not grow with what it does not ask for.

use crate::db::sql::Sql;
use crate::{Access, Database, FILE_NAME, Store};
use rusqlite::config::DbConfig;

/// The steps of a statement, a line each.
pub fn plan(sql: Sql) -> String {
    let (_folder, connection) = database();
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", sql.text())).unwrap();
    let count = statement.parameter_count();
    let steps = statement.query_map(rusqlite::params_from_iter(vec![1_i64; count]), |row| row.get(3)).unwrap();
    steps.collect::<Result<Vec<String>, _>>().unwrap().join("\n")
}

/// How many columns each search of a statement and of the cascades behind it compares.
pub fn program(sql: &str) -> Vec<i64> {
    let (_folder, connection) = database();
    connection.execute_batch("PRAGMA foreign_keys = ON").unwrap();
    let mut statement = connection.prepare(&format!("EXPLAIN {sql}")).unwrap();
    let steps =
        statement.query_map([], |row| Ok((row.get::<_, String>(1)?, row.get::<_, Option<String>>(5)?))).unwrap();
    let searches = steps.map(Result::unwrap).filter(|(step, _)| step == "SeekGE");
    searches.map(|(_, columns)| columns.unwrap().parse().unwrap()).collect()
}

/// A database with the schema of this program.
fn database() -> (tempfile::TempDir, rusqlite::Connection) {
    let folder = tempfile::tempdir().unwrap();
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio.block_on(async {
        Store::open(&Database::Sqlite(folder.path().into()), Access::Own, 1).await.unwrap().close().await;
    });
    let connection = rusqlite::Connection::open(folder.path().join(FILE_NAME)).unwrap();
    // As when it serves: without this a plan depends on the values, and a limit of 1 makes any plan good.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).unwrap();
    (folder, connection)
}

/// Panics if a statement reads all that a session has of something.
#[track_caller]
pub fn assert_narrow(sql: Sql) {
    let plan = plan(sql);
    for line in plan.lines() {
        // A session's own row is found so, too.
        let all_of_a_session = line.ends_with("(account_id=? AND session_row=?)") && !line.starts_with("SEARCH s ");
        assert!(!all_of_a_session && !line.contains("AUTOMATIC"), "{line}\n\nof\n\n{plan}\n\n{}", sql.text());
    }
}
