//! The schema is stored in the file as well: tables, columns and indexes must be those of this program.

use crate::db::sqlite::trouble;
use crate::error::{StoreError, StoreResult};
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::path::Path;

/// Every column of every table and index, as one line. A damaged name may be no text, so names are bytes.
const COLUMNS: &str = "
    SELECT CAST(m.name || '.' || c.name || ' ' || c.type || ' ' || c.\"notnull\" || ' ' || c.pk AS BLOB)
        FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'
    UNION ALL SELECT CAST(m.name || ' on ' || m.tbl_name || '.' || COALESCE(c.name, '') || ' ' || c.seqno || ' ' || c.desc AS BLOB)
        FROM sqlite_master m, pragma_index_xinfo(m.name) c WHERE m.type = 'index' AND m.name NOT LIKE 'sqlite_%'";

/// What of the schema is missing or should not be there.
pub(super) fn differences(connection: &Connection) -> StoreResult<Vec<String>> {
    let mut fresh = Connection::open_in_memory().map_err(|error| trouble(&error))?;
    crate::db::migrate::sqlite(&mut fresh, Path::new("."))?;
    let (wanted, found) = (columns(&fresh)?, columns(connection)?);
    let shown = |line: &Vec<u8>| String::from_utf8_lossy(line).into_owned();
    let missing = wanted.difference(&found).map(|line| format!("the schema lacks {}", shown(line)));
    let strange = found
        .difference(&wanted)
        .map(|line| format!("the schema has {}, which this program does not know", shown(line)));
    Ok(missing.chain(strange).collect())
}

fn columns(connection: &Connection) -> StoreResult<BTreeSet<Vec<u8>>> {
    let read = || {
        let mut statement = connection.prepare(COLUMNS)?;
        statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()
    };
    read().map_err(|error: rusqlite::Error| match trouble(&error) {
        // A schema that cannot be understood is damaged, whatever SQLite calls it.
        StoreError::Internal(cause) => StoreError::Corrupt(cause),
        other => other,
    })
}
