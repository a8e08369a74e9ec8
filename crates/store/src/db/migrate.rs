//! Brings a database's schema up to date by itself, and refuses one that is newer than this program.
//!
//! Migrations are numbered files that run once, in order, in one transaction, under a lock, after a backup where there was
//! data (on SQLite; a PostgreSQL server has its own backups). A migration that has been released never
//! changes.

mod checksums;
mod hashes;

use crate::db::body_columns::{BodyTable, TRASH};
use crate::db::postgres::planning;
use crate::db::session_tables;
use crate::db::sqlite::page_checksums::connect_to_copy;
use crate::db::sqlite::{FILE_NAME, trouble as sqlite_trouble};
use crate::error::{StoreError, StoreResult};
use rusqlite::types::Value;
use std::path::{Path, PathBuf};

/// The migrations; the first has number 1.
pub const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001.sql"),
    include_str!("../../migrations/0002.sql"),
    include_str!("../../migrations/0003.sql"),
    include_str!("../../migrations/0004.sql"),
    include_str!("../../migrations/0005.sql"),
    include_str!("../../migrations/0006.sql"),
    include_str!("../../migrations/0007.sql"),
    include_str!("../../migrations/0008.sql"),
    include_str!("../../migrations/0009.sql"),
    include_str!("../../migrations/0010.sql"),
    include_str!("../../migrations/0011.sql"),
    include_str!("../../migrations/0012.sql"),
    include_str!("../../migrations/0013.sql"),
    include_str!("../../migrations/0014.sql"),
    include_str!("../../migrations/0015.sql"),
    include_str!("../../migrations/0016.sql"),
    include_str!("../../migrations/0017.sql"),
    include_str!("../../migrations/0018.sql"),
    include_str!("../../migrations/0019.sql"),
    include_str!("../../migrations/0020.sql"),
];

pub fn tables() -> impl Iterator<Item = &'static str> {
    OTHER_TABLES.iter().chain(session_tables::NAMES).copied()
}

/// The tables that hold no rows of sessions.
const OTHER_TABLES: &[&str] = &[
    "account",
    "api_key",
    "session",
    "variable_total",
    "kept_answer",
    "job",
    "global_snapshot",
    "global_snapshot_tag",
    "global_snapshot_body",
    "character",
    "character_story",
    "character_card",
    "definition",
    "function",
    "function_switch",
    "tool_default",
    "account_grant",
];

#[allow(clippy::cast_possible_wrap)]
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// The account that everything belongs to while there are no keys.
pub const DEFAULT_ACCOUNT: &str = "default-admin";

/// Names our lock among all advisory locks of a server.
const POSTGRES_LOCK: i64 = 0x7461_7665_726e;

const CREATE_VERSION_TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_version (version INT NOT NULL PRIMARY KEY)";
const READ_VERSION: &str = "SELECT COALESCE(MAX(version), 0) FROM schema_version";

pub fn sqlite(connection: &mut rusqlite::Connection, folder: &Path) -> StoreResult<()> {
    migrate_sqlite(connection, folder).map_err(|error| match error {
        Trouble::Store(error) => error,
        Trouble::Sqlite(error) => sqlite_trouble(&error),
    })
}

/// Refuses a database whose schema is not exactly ours.
pub fn require_current(connection: &rusqlite::Connection) -> StoreResult<()> {
    let found: i64 =
        connection.query_row(READ_VERSION, [], |row| row.get(0)).map_err(|error| sqlite_trouble(&error))?;
    require_version(found)
}

pub fn require_version(found: i64) -> StoreResult<()> {
    refuse_newer(found)?;
    match found {
        SCHEMA_VERSION => Ok(()),
        _ => Err(StoreError::Unavailable(format!(
            "the database is served with schema version {found} and this program has {SCHEMA_VERSION}; \
             use the version of tavernkeep that is serving it"
        ))),
    }
}

pub async fn postgres_version(snapshot: &tokio_postgres::Transaction<'_>) -> StoreResult<i64> {
    let row = snapshot.query_one(READ_VERSION, &[]).await.and_then(|row| row.try_get(0));
    row.map_err(|error| crate::db::postgres::trouble(&error))
}

enum Trouble {
    Store(StoreError),
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        Trouble::Sqlite(error)
    }
}

fn migrate_sqlite(connection: &mut rusqlite::Connection, folder: &Path) -> Result<(), Trouble> {
    connection.execute_batch(&CREATE_VERSION_TABLE.replace("INT ", "INTEGER "))?;
    let found: i64 = connection.query_row(READ_VERSION, [], |row| row.get(0))?;
    refuse_newer(found).map_err(Trouble::Store)?;
    if found == SCHEMA_VERSION {
        return Ok(());
    }
    if found > 0 {
        let backup = folder.join(format!("before-schema-{SCHEMA_VERSION}.db"));
        // An attempt that failed has left its copy, and nothing has changed since.
        if !backup.exists() {
            let path = connection.path().map_or_else(|| folder.join(FILE_NAME), PathBuf::from);
            let source = connect_to_copy(&path).map_err(Trouble::Store)?;
            crate::db::backup::copy_file(&source, &backup).map_err(Trouble::Store)?;
        }
        tracing::info!(file = %backup.display(), "the database is saved before its schema changes");
    }
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    let found: i64 = transaction.query_row(READ_VERSION, [], |row| row.get(0))?;
    for (version, migration) in pending(found) {
        transaction.execute_batch(&for_sqlite(migration))?;
        if version == hashes::VERSION {
            hash_sqlite(&transaction)?;
            transaction.execute_batch(hashes::DROP_RECIPE_TEXT)?;
        }
        // A new database has no bodies yet.
        if version == checksums::VERSION && found > 0 {
            for table in checksums::tables() {
                seal_sqlite(&transaction, table)?;
            }
        }
        transaction.execute("INSERT INTO schema_version (version) VALUES (?1)", [version])?;
    }
    transaction.execute(INSERT_DEFAULT_ACCOUNT, [DEFAULT_ACCOUNT])?;
    transaction.commit()?;
    Ok(())
}

fn seal_sqlite(transaction: &rusqlite::Transaction<'_>, table: &BodyTable) -> Result<(), Trouble> {
    let mut rows = transaction.prepare(&checksums::select(table))?;
    let mut update = transaction.prepare(&checksums::update(table))?;
    let columns = rows.column_count();
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let values = (0..columns).map(|column| row.get(column)).collect::<rusqlite::Result<Vec<Value>>>()?;
        if let Some(values) = sealed(table, values) {
            update.execute(rusqlite::params_from_iter(values))?;
        }
    }
    Ok(())
}

/// A row of [`checksums::select`] as [`checksums::update`] takes it; none if it has nothing to seal.
fn sealed(table: &BodyTable, mut values: Vec<Value>) -> Option<Vec<Value>> {
    let table_no = match (table.name == TRASH).then(|| values.pop()).flatten() {
        Some(Value::Integer(number)) => Some(number),
        _ => None,
    };
    let mut changed = false;
    for value in values.iter_mut().skip(table.whole_key().len()) {
        // An answer that is not known yet is empty.
        if let Value::Blob(body) = value
            && !body.is_empty()
        {
            let sealed = checksums::sealed(body, table_no);
            changed |= sealed != *body;
            *body = sealed;
        }
    }
    changed.then_some(values)
}

fn hash_sqlite(transaction: &rusqlite::Transaction<'_>) -> Result<(), Trouble> {
    for (table, row) in hashes::OWNERS {
        let mut owners = transaction.prepare(&hashes::select_profiles(table, row))?;
        let mut owners = owners.query([])?;
        while let Some(owner) = owners.next()? {
            let (account, row_number, text): (String, i64, Vec<u8>) = (owner.get(0)?, owner.get(1)?, owner.get(2)?);
            let old = hashes::profile(&text).map_err(Trouble::Store)?;
            transaction.execute(hashes::INSERT_DEFINITION, (&account, old.hash.as_slice(), &text))?;
            if let Some((hash, rules)) = &old.rules {
                transaction.execute(hashes::INSERT_DEFINITION, (&account, hash.as_slice(), rules))?;
            }
            let rules = old.rules.as_ref().map(|(hash, _)| hash.as_slice());
            let hashes = (&account, row_number, old.hash.as_slice(), rules, old.reads_users);
            transaction.execute(&hashes::use_profile(table, row), hashes)?;
        }
    }
    let mut recipes = transaction.prepare(hashes::SELECT_RECIPES)?;
    let mut recipes = recipes.query([])?;
    while let Some(row) = recipes.next()? {
        let (account, session_row, hash): (String, i64, Vec<u8>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let old = hashes::recipe(row.get_ref(3)?.as_blob().unwrap_or_default()).map_err(Trouble::Store)?;
        let profile_hash = old.profile_hash.as_slice();
        transaction.execute(hashes::INSERT_DEFINITION, (&account, profile_hash, &old.profile))?;
        let recipe = (&account, session_row, &hash, old.semantics, profile_hash, &old.template_hash);
        transaction.execute(hashes::INSERT_RECIPE, recipe)?;
    }
    Ok(())
}

async fn hash_postgres(
    transaction: &tokio_postgres::Transaction<'_>,
) -> Result<StoreResult<()>, tokio_postgres::Error> {
    let dollars = |sql: &str| sql.replace('?', "$");
    let definition = dollars(hashes::INSERT_DEFINITION);
    for (table, row) in hashes::OWNERS {
        let update = dollars(&hashes::use_profile(table, row));
        for owner in transaction.query(&hashes::select_profiles(table, row), &[]).await? {
            let (account, row_number, text): (&str, i64, &[u8]) = (owner.get(0), owner.get(1), owner.get(2));
            let old = match hashes::profile(text) {
                Ok(old) => old,
                Err(error) => return Ok(Err(error)),
            };
            transaction.execute(&definition, &[&account, &old.hash.as_slice(), &text]).await?;
            if let Some((hash, rules)) = &old.rules {
                transaction.execute(&definition, &[&account, &hash.as_slice(), rules]).await?;
            }
            let rules = old.rules.as_ref().map(|(hash, _)| hash.as_slice());
            let hashes: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
                [&account, &row_number, &old.hash.as_slice(), &rules, &old.reads_users];
            transaction.execute(&update, &hashes).await?;
        }
    }
    let insert = dollars(hashes::INSERT_RECIPE);
    for row in transaction.query(hashes::SELECT_RECIPES, &[]).await? {
        let (account, session_row, hash): (&str, i64, &[u8]) = (row.get(0), row.get(1), row.get(2));
        let old = match hashes::recipe(row.get(3)) {
            Ok(old) => old,
            Err(error) => return Ok(Err(error)),
        };
        let profile_hash = old.profile_hash.as_slice();
        transaction.execute(&definition, &[&account, &profile_hash, &old.profile]).await?;
        let recipe: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
            [&account, &session_row, &hash, &old.semantics, &profile_hash, &old.template_hash];
        transaction.execute(&insert, &recipe).await?;
    }
    transaction.batch_execute(hashes::DROP_RECIPE_TEXT).await?;
    Ok(Ok(()))
}

/// Rows that are read and written together while bodies get their checksums.
const ROWS_SEALED_AT_ONCE: i32 = 500;

async fn seal_postgres(
    transaction: &tokio_postgres::Transaction<'_>,
    table: &BodyTable,
) -> Result<StoreResult<()>, tokio_postgres::Error> {
    let rows = transaction.bind(&checksums::select(table), &[]).await?;
    let update = transaction.prepare(&checksums::update(table).replace('?', "$")).await?;
    loop {
        let some = transaction.query_portal(&rows, ROWS_SEALED_AT_ONCE).await?;
        let mut sets = Vec::with_capacity(some.len());
        for row in &some {
            let values = (0..row.len()).map(|column| crate::db::backup::sqlite_value(row, column));
            match values.collect::<StoreResult<Vec<Value>>>() {
                Ok(values) => sets.extend(sealed(table, values)),
                Err(error) => return Ok(Err(error)),
            }
        }
        // They travel together.
        let sent = sets.into_iter().map(|values| {
            let params: Vec<_> = values.into_iter().map(postgres_value).collect();
            let update = &update;
            async move {
                let params: Vec<&(dyn tokio_postgres::types::ToSql + Sync)> =
                    params.iter().map(|param| &**param as &(dyn tokio_postgres::types::ToSql + Sync)).collect();
                transaction.execute(update, &params).await
            }
        });
        futures_util::future::try_join_all(sent).await?;
        if some.is_empty() {
            return Ok(Ok(()));
        }
    }
}

fn postgres_value(value: Value) -> Box<dyn tokio_postgres::types::ToSql + Sync + Send> {
    match value {
        Value::Integer(number) => Box::new(number),
        Value::Text(text) => Box::new(text),
        Value::Blob(bytes) => Box::new(bytes),
        Value::Null | Value::Real(_) => Box::new(None::<Vec<u8>>),
    }
}

pub async fn postgres(client: &mut tokio_postgres::Client) -> StoreResult<()> {
    migrate_postgres(client).await.map_err(|error| crate::db::postgres::trouble(&error))?
}

async fn migrate_postgres(client: &mut tokio_postgres::Client) -> Result<StoreResult<()>, tokio_postgres::Error> {
    let transaction = client.transaction().await?;
    // Two nodes that start together take turns; the lock ends with the transaction.
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&POSTGRES_LOCK]).await?;
    transaction.batch_execute(&CREATE_VERSION_TABLE.replace("INT ", "BIGINT ")).await?;
    let found: i64 = transaction.query_one(READ_VERSION, &[]).await?.try_get(0)?;
    if let Err(newer) = refuse_newer(found) {
        return Ok(Err(newer));
    }
    for (version, migration) in pending(found) {
        transaction.batch_execute(&for_postgres(migration)).await?;
        if version == hashes::VERSION
            && let Err(error) = hash_postgres(&transaction).await?
        {
            return Ok(Err(error));
        }
        if version == checksums::VERSION && found > 0 {
            for table in checksums::tables() {
                if let Err(error) = seal_postgres(&transaction, table).await? {
                    return Ok(Err(error));
                }
            }
        }
        transaction.execute("INSERT INTO schema_version (version) VALUES ($1)", &[&version]).await?;
    }
    // Not only with a migration: a newer program may declare more.
    let undeclared = planning::names(&transaction.simple_query(&planning::undeclared()).await?);
    if !undeclared.is_empty() {
        transaction.batch_execute(&planning::declarations(&undeclared)).await?;
        // A new database has no rows to look at.
        if found > 0 {
            transaction.batch_execute(&planning::look(&undeclared)).await?;
        }
    }
    if found < SCHEMA_VERSION {
        transaction.execute(&INSERT_DEFAULT_ACCOUNT.replace("?1", "$1"), &[&DEFAULT_ACCOUNT]).await?;
    }
    for row in transaction.query(MEND_STRANDED, &[]).await? {
        let account: &str = row.try_get(0)?;
        let gone = transaction.execute(DELETE_STRANDED, &[&account]).await?;
        tracing::warn!(
            account,
            gone,
            "events of another PostgreSQL server are dropped; listeners have to read the state again"
        );
    }
    transaction.commit().await?;
    Ok(Ok(()))
}

/// On PostgreSQL an event's position is the number of a transaction. A dump that is restored on another server brings
/// positions that this server has not reached, and whatever happens next would stand before them. No row that a statement
/// sees can have a number from its snapshot's end on, unless it came that way.
///
/// Listeners of the account must learn that events are missing. Transactions that run at this moment stand at
/// the snapshot's beginning or behind it, so everything before is said to be purged.
const MEND_STRANDED: &str = "UPDATE account
    SET events_purged = CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT) - 1
    WHERE events_purged >= CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT)
        OR (SELECT MAX(e.position) FROM event e WHERE e.account_id = account.account_id)
            >= CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT)
    RETURNING account_id";
const DELETE_STRANDED: &str = "DELETE FROM event WHERE account_id = $1
    AND position >= CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT)";

const INSERT_DEFAULT_ACCOUNT: &str = "INSERT INTO account
        (account_id, created_at, disabled_at, seq, last_session, variables, keys_made)
    VALUES (?1, 0, NULL, 0, 0, 0, 0)
    ON CONFLICT (account_id) DO NOTHING";

fn refuse_newer(found: i64) -> StoreResult<()> {
    if found > SCHEMA_VERSION {
        return Err(StoreError::NewerSchema { found, known: SCHEMA_VERSION });
    }
    Ok(())
}

fn pending(found: i64) -> impl Iterator<Item = (i64, &'static str)> {
    (1..).zip(MIGRATIONS.iter().copied()).filter(move |(version, _)| *version > found)
}

fn for_sqlite(migration: &str) -> String {
    translate(migration, "TEXT", "BLOB", "INTEGER", ["STRICT, WITHOUT ROWID", "STRICT"])
}

fn for_postgres(migration: &str) -> String {
    translate(migration, "TEXT COLLATE \"C\"", "BYTEA", "BIGINT", ["", ""])
}

/// Puts a database's own types where the migration names ours.
///
/// A table whose rows may be large has a kind of its own: SQLite keeps the rows of others in the tree of their key, and there
/// it reads a whole large row for every comparison on the way to another.
fn translate(migration: &str, id: &str, bytes: &str, int: &str, [table_kind, large_table_kind]: [&str; 2]) -> String {
    let mut out = String::with_capacity(migration.len() * 2);
    for line in migration.lines() {
        let code = line.split_once("--").map_or(line, |(code, _)| code);
        for word in code.split_inclusive(|character: char| !character.is_alphanumeric() && character != '_') {
            let name = word.trim_end_matches(|character: char| !character.is_alphanumeric() && character != '_');
            let own = match name {
                "ID" => id,
                "BYTES" => bytes,
                "INT" => int,
                "TABLE_KIND" => table_kind,
                "LARGE_TABLE_KIND" => large_table_kind,
                other => other,
            };
            out.push_str(own);
            out.push_str(&word[name.len()..]);
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table that is missing would be left out of a backup.
    #[test]
    fn every_table_is_listed() {
        let created = MIGRATIONS.iter().flat_map(|text| text.split("CREATE TABLE ").skip(1));
        let created = created.filter_map(|table| table.split_once(" (")).map(|(name, _)| name);
        // These two were given the names of the tables that they replaced.
        let mut created: Vec<&str> = created.filter(|name| !["large_body", "slotted_write"].contains(name)).collect();
        let mut listed: Vec<&str> = tables().collect();
        created.sort_unstable();
        listed.sort_unstable();
        // `recipe` was made a second time.
        created.dedup();
        assert_eq!(created, listed);
    }

    #[test]
    fn our_types_become_the_databases() {
        let migration = "CREATE TABLE t ( -- INT in a comment\n  a ID NOT NULL, b BYTES, c INT,\n) TABLE_KIND;";
        assert_eq!(
            for_sqlite(migration),
            "CREATE TABLE t ( \n  a TEXT NOT NULL, b BLOB, c INTEGER,\n) STRICT, WITHOUT ROWID;\n"
        );
        assert_eq!(for_sqlite("CREATE TABLE t (a ID) LARGE_TABLE_KIND;"), "CREATE TABLE t (a TEXT) STRICT;\n");
        assert!(for_postgres(migration).contains("a TEXT COLLATE \"C\" NOT NULL, b BYTEA, c BIGINT"));
    }
}
