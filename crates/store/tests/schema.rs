//! Accounts never meet: what the schema and the statements must say for that.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use tavernkeep_store::{Access, Database, FILE_NAME, Store};

async fn fresh_database(folder: &Path) -> rusqlite::Connection {
    let store = Store::open(&Database::Sqlite(folder.into()), Access::Own, 1).await.unwrap();
    store.close().await;
    rusqlite::Connection::open(folder.join(FILE_NAME)).unwrap()
}

fn column<T: rusqlite::types::FromSql>(connection: &rusqlite::Connection, sql: &str, place: usize) -> Vec<T> {
    let mut statement = connection.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(place)).unwrap().collect::<Result<_, _>>().unwrap()
}

/// Tables that hold nothing of an account's, and the one that finds the account.
const WITHOUT_ACCOUNT: &[&str] = &["schema_version"];
const FOUND_BY_HASH: &str = "api_key";

#[tokio::test]
async fn account_id_leads_every_key() {
    let folder = tempfile::tempdir().unwrap();
    let connection = fresh_database(folder.path()).await;
    let tables: Vec<String> =
        column(&connection, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'", 0);
    assert!(tables.len() >= 10, "{tables:?}");
    for table in tables.iter().filter(|table| !WITHOUT_ACCOUNT.contains(&table.as_str())) {
        let indexes: Vec<String> = column(&connection, &format!("PRAGMA index_list({table})"), 1);
        assert!(!indexes.is_empty(), "{table} has no key");
        for index in indexes {
            let columns: Vec<String> = column(&connection, &format!("PRAGMA index_info({index})"), 2);
            let is_hash_key = table == FOUND_BY_HASH && columns == ["key_hash"];
            assert!(columns[0] == "account_id" || is_hash_key, "{table}.{index} starts with {}", columns[0]);
        }
        let references: Vec<(i64, i64, String)> = {
            let mut statement = connection.prepare(&format!("PRAGMA foreign_key_list({table})")).unwrap();
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(3)?))).unwrap();
            rows.collect::<Result<_, _>>().unwrap()
        };
        for (_, _, from) in references.iter().filter(|(_, place, _)| *place == 0) {
            assert_eq!(from, "account_id", "a reference of {table}");
        }
    }
}

/// `sql!` refuses to compile a statement without its account. What goes around it must be few and known.
#[test]
fn statements_across_accounts_are_few_and_known() {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            let uses = text.matches("Sql::across_accounts(").count();
            found.extend(std::iter::repeat_n(name, uses));
        }
    }
    found.sort();
    // All accounts for the operator, the sweep of ended leases, the search for open jobs, their number and their leases, the
    // free pages of a file, when something was last changed, the time of the last purge (read, stored, cleared elsewhere), how much is in the trash, and the oldest of PostgreSQL's running transactions.
    assert_eq!(
        found,
        [
            "accounts.rs",
            "floors.rs",
            "jobs.rs",
            "leases.rs",
            "leases.rs",
            "retention.rs",
            "retention.rs",
            "retention.rs",
            "retention.rs",
            "retention.rs",
            "retention.rs",
            "trash.rs",
            "tx.rs"
        ]
    );
}
