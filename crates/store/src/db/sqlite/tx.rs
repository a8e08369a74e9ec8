//! A transaction on SQLite.

use super::trouble;
use crate::db::sql::Sql;
use crate::db::tx::{EachRow, EachRowOf, Param, Row, Tx};
use crate::error::{StoreError, StoreResult};
use crate::types::record::EventPosition;
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ToSql};
use tavernkeep_engine::id::Id;

/// Runs statements on a connection. The code that made it begins and ends the transaction.
pub struct SqliteTx<'a> {
    connection: &'a Connection,
    failed: bool,
    /// Where the next event of a write stands; a read has none.
    next_event: Option<EventPosition>,
    woken: Vec<Id>,
}

impl<'a> SqliteTx<'a> {
    pub fn reading(connection: &'a Connection) -> Self {
        SqliteTx { connection, failed: false, next_event: None, woken: Vec::new() }
    }

    /// A transaction that writes, with its position among the events.
    pub fn writing(connection: &'a Connection, position: i64) -> Self {
        let next_event = Some(EventPosition { position, ordinal: 0 });
        SqliteTx { connection, failed: false, next_event, woken: Vec::new() }
    }

    /// Whether a statement failed, whatever the code around it made of that.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// Whose followers are to be woken after the commit.
    pub fn into_woken(self) -> Vec<Id> {
        self.woken
    }

    fn run<T>(&mut self, work: impl FnOnce(&Connection) -> StoreResult<T>) -> StoreResult<T> {
        if self.failed {
            return Err(StoreError::Internal("a statement was run after an error in the same transaction".into()));
        }
        let result = work(self.connection);
        self.failed = result.is_err();
        result
    }
}

impl Tx for SqliteTx<'_> {
    fn execute(&mut self, sql: Sql, params: &[Param<'_>]) -> StoreResult<u64> {
        self.run(|connection| {
            let changed = connection
                .prepare_cached(sql.text())
                .and_then(|mut statement| statement.execute(rusqlite::params_from_iter(params)))
                .map_err(|error| trouble(&error))?;
            Ok(changed as u64)
        })
    }

    fn query(&mut self, sql: Sql, params: &[Param<'_>], each: &mut EachRow<'_>) -> StoreResult<()> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql.text()).map_err(|error| trouble(&error))?;
            let mut rows = statement.query(rusqlite::params_from_iter(params)).map_err(|error| trouble(&error))?;
            while let Some(row) = rows.next().map_err(|error| trouble(&error))? {
                each(&SqliteRow(row))?;
            }
            Ok(())
        })
    }

    fn query_many(&mut self, sql: Sql, sets: &[Vec<Param<'_>>], each: &mut EachRowOf<'_>) -> StoreResult<()> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql.text()).map_err(|error| trouble(&error))?;
            for (number, params) in sets.iter().enumerate() {
                let mut rows = statement.query(rusqlite::params_from_iter(params)).map_err(|error| trouble(&error))?;
                while let Some(row) = rows.next().map_err(|error| trouble(&error))? {
                    each(number, &SqliteRow(row))?;
                }
            }
            Ok(())
        })
    }

    fn event_place(&mut self, _: &Id, _: i64) -> StoreResult<EventPosition> {
        let next = self.next_event.as_mut().ok_or_else(|| StoreError::Internal("a read made an event".into()))?;
        let place = *next;
        next.ordinal += 1;
        Ok(place)
    }

    fn events_settled(&mut self) -> StoreResult<i64> {
        // There is one writer: whatever can be seen is all there is.
        Ok(i64::MAX)
    }

    fn has_grown(&mut self) -> StoreResult<()> {
        // SQLite goes by the indexes alone.
        Ok(())
    }

    fn execute_unchecked(&mut self, sql: Sql, sets: &[Vec<Param<'_>>]) -> StoreResult<()> {
        let check = |connection: &Connection, is_on| {
            let set = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, is_on);
            set.map(drop).map_err(|error| trouble(&error))
        };
        // With foreign keys SQLite first notes all rows that it is going to change, and then looks up what each refers to.
        self.run(|connection| check(connection, false))?;
        let done = self.query_many(sql, sets, &mut |_, _| Ok(()));
        check(self.connection, true).inspect_err(|_| self.failed = true)?;
        done
    }

    fn wake_followers(&mut self, account: &Id) {
        if !self.woken.contains(account) {
            self.woken.push(account.clone());
        }
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match *self {
            Param::Null => ToSqlOutput::Owned(Value::Null),
            Param::Int(number) => ToSqlOutput::Owned(Value::Integer(number)),
            Param::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Param::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

struct SqliteRow<'a>(&'a rusqlite::Row<'a>);

impl SqliteRow<'_> {
    fn value(&self, column: usize) -> StoreResult<ValueRef<'_>> {
        self.0.get_ref(column).map_err(|error| trouble(&error))
    }
}

fn mismatch<T>(column: usize, wanted: &str, found: ValueRef<'_>) -> StoreResult<T> {
    Err(StoreError::Corrupt(format!("column {column} holds {} where {wanted} belongs", found.data_type())))
}

impl Row for SqliteRow<'_> {
    fn int_or_null(&self, column: usize) -> StoreResult<Option<i64>> {
        match self.value(column)? {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(number) => Ok(Some(number)),
            other => mismatch(column, "an integer", other),
        }
    }

    fn text_or_null(&self, column: usize) -> StoreResult<Option<&str>> {
        let broken = |_| StoreError::Corrupt(format!("column {column} is not UTF-8"));
        match self.value(column)? {
            ValueRef::Null => Ok(None),
            ValueRef::Text(text) => std::str::from_utf8(text).map(Some).map_err(broken),
            other => mismatch(column, "text", other),
        }
    }

    fn bytes_or_null(&self, column: usize) -> StoreResult<Option<&[u8]>> {
        match self.value(column)? {
            ValueRef::Null => Ok(None),
            ValueRef::Blob(bytes) => Ok(Some(bytes)),
            other => mismatch(column, "bytes", other),
        }
    }
}
