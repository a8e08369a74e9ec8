//! A consistent copy of a database while it is being served. The copy is a SQLite file, whatever the source is: the
//! schema is the same, so a backup of a PostgreSQL database can be checked, read and served from a laptop.

use crate::db::sqlite::page_checksums::{check_copy, connect_to_copy};
use crate::db::sqlite::{connect, trouble};
use crate::error::{StoreError, StoreResult};
use futures_util::TryStreamExt as _;
use rusqlite::types::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use tokio_postgres::types::Type;

/// Copies the database in `folder` to `target`, which must not exist yet. Writers are not kept waiting.
pub fn sqlite(folder: &Path, target: &Path) -> StoreResult<()> {
    let source = folder.join(crate::db::sqlite::FILE_NAME);
    let unusable = |error| StoreError::Unusable(format!("{} cannot be looked at: {error}", source.display()));
    if !source.try_exists().map_err(unusable)? {
        return Err(StoreError::Unusable(format!("there is no database in {}", folder.display())));
    }
    copy_file(&connect_to_copy(&source)?, target)
}

/// Copies a PostgreSQL database, as it is at one moment, into a new SQLite file.
pub async fn postgres(url: &str, target: &Path) -> StoreResult<()> {
    let partial = partial_of(target)?;
    let config = crate::db::postgres::config(url)?;
    let mut source = crate::db::postgres::connect(&config).await?;
    let mut copy = connect(&partial)?;
    crate::db::migrate::sqlite(&mut copy, Path::new("."))?;
    let snapshot = source
        .client
        .build_transaction()
        .isolation_level(tokio_postgres::IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await
        .map_err(|error| crate::db::postgres::trouble(&error))?;
    // A program that does not know all tables would leave some out.
    crate::db::migrate::require_version(crate::db::migrate::postgres_version(&snapshot).await?)?;
    let local = |error: rusqlite::Error| trouble(&error);
    copy.execute_batch("PRAGMA foreign_keys = OFF; BEGIN; DELETE FROM account;").map_err(local)?;
    for table in crate::db::migrate::tables() {
        copy_table(&snapshot, &copy, table).await?;
    }
    // One file is easier to keep than a file and its log.
    copy.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;").map_err(local)?;
    drop(copy);
    give_name(&partial, target)
}

async fn copy_table(
    snapshot: &tokio_postgres::Transaction<'_>,
    copy: &rusqlite::Connection,
    table: &str,
) -> StoreResult<()> {
    let remote = |error: tokio_postgres::Error| crate::db::postgres::trouble(&error);
    let local = |error: rusqlite::Error| trouble(&error);
    let statement = snapshot.prepare(&format!("SELECT * FROM {table}")).await.map_err(remote)?;
    let names: Vec<&str> = statement.columns().iter().map(tokio_postgres::Column::name).collect();
    let places = vec!["?"; names.len()].join(", ");
    let insert = format!("INSERT INTO {table} ({}) VALUES ({places})", names.join(", "));
    let mut insert = copy.prepare(&insert).map_err(local)?;
    let no_params: [&str; 0] = [];
    let mut rows = Box::pin(snapshot.query_raw(&statement, no_params).await.map_err(remote)?);
    while let Some(row) = rows.try_next().await.map_err(remote)? {
        let values = (0..names.len()).map(|column| sqlite_value(&row, column)).collect::<StoreResult<Vec<_>>>()?;
        insert.execute(rusqlite::params_from_iter(values)).map_err(local)?;
    }
    Ok(())
}

pub(crate) fn sqlite_value(row: &tokio_postgres::Row, column: usize) -> StoreResult<Value> {
    let value = match row.columns().get(column).map(tokio_postgres::Column::type_) {
        Some(&Type::INT8) => row.try_get::<_, Option<i64>>(column).map(|value| value.map(Value::Integer)),
        Some(&Type::BYTEA) => row.try_get::<_, Option<Vec<u8>>>(column).map(|value| value.map(Value::Blob)),
        _ => row.try_get::<_, Option<String>>(column).map(|value| value.map(Value::Text)),
    };
    let unreadable = |error: tokio_postgres::Error| StoreError::Corrupt(error.to_string());
    Ok(value.map_err(unreadable)?.unwrap_or(Value::Null))
}

/// Copies what `connection` sees at one moment.
pub(crate) fn copy_file(connection: &rusqlite::Connection, target: &Path) -> StoreResult<()> {
    let partial = partial_of(target)?;
    let name = partial.to_str().ok_or_else(|| StoreError::Unavailable("the file's name is not UTF-8".into()))?;
    let copied = connection.execute("VACUUM INTO ?1", [name]).map_err(|error| trouble(&error));
    let named = copied.and_then(|_| check_copy(&partial)).and_then(|()| give_name(&partial, target));
    if named.is_err() {
        // Half a copy is useless. If it cannot be removed now, the next attempt removes it.
        let _ = std::fs::remove_file(&partial);
    }
    named
}

/// The name under which a copy grows. Nothing that exists is overwritten, except what an earlier attempt left behind.
fn partial_of(target: &Path) -> StoreResult<PathBuf> {
    if target.exists() {
        return Err(StoreError::Unusable(format!(
            "{} exists already; name a file that does not, so that no backup is overwritten",
            target.display()
        )));
    }
    let mut name = target.as_os_str().to_owned();
    name.push(".partial");
    let partial = PathBuf::from(name);
    if partial.exists() {
        std::fs::remove_file(&partial).map_err(|error| unusable(&partial, &error))?;
    }
    crate::db::sqlite::create_private(&partial).map_err(|error| unusable(&partial, &error))?;
    Ok(partial)
}

/// Gives a copy its name when it is whole and on disk.
fn give_name(partial: &Path, target: &Path) -> StoreResult<()> {
    File::open(partial)
        .and_then(|file| file.sync_all())
        .and_then(|()| std::fs::rename(partial, target))
        // The new name is durable only when its folder is.
        .and_then(|()| crate::db::sqlite::sync_folder_of(target))
        .map_err(|error| unusable(target, &error))
}

fn unusable(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Unusable(format!("{}: {error}", path.display()))
}
