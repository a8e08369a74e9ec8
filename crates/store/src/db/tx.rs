//! The one shape of a transaction that all SQL is written against, whatever database runs it.

use crate::db::sql::Sql;
use crate::error::{StoreError, StoreResult};
use crate::types::record::{EventPosition, Listed, Window};
use tavernkeep_engine::id::Id;

/// A transaction. Synchronous on purpose: code that reads like the domain runs on both databases.
///
/// After an error a transaction refuses every further statement, on both drivers: PostgreSQL does so by itself, and code
/// that went on after an error on SQLite would pass its tests and fail in production.
pub trait Tx {
    /// Runs a statement and returns how many rows it touched.
    fn execute(&mut self, sql: Sql, params: &[Param<'_>]) -> StoreResult<u64>;

    /// Runs a statement and hands every row to `each`.
    fn query(&mut self, sql: Sql, params: &[Param<'_>], each: &mut EachRow<'_>) -> StoreResult<()>;

    /// Runs one statement for many sets of parameters and hands every row to `each` with the number of its set.
    /// On PostgreSQL the sets travel together, so a batch costs one round trip and not one for each.
    fn query_many(&mut self, sql: Sql, sets: &[Vec<Param<'_>>], each: &mut EachRowOf<'_>) -> StoreResult<()>;

    /// The place of this write's next event in the order of all events, for an event of this session (0: of the account
    /// itself), whose clock is held. Only for writes.
    fn event_place(&mut self, account: &Id, session_row: i64) -> StoreResult<EventPosition>;

    /// Every event below this position that will ever be there can be seen now. A number that is given out before its
    /// transaction commits could otherwise appear behind a reader's back.
    fn events_settled(&mut self) -> StoreResult<i64>;

    /// Says that tables of conversations may have many rows more than before. A database that plans by what it knows of its tables looks at
    /// those that have grown to twice their size since it looked last: it would do so within minutes by itself, and until then read whole
    /// sessions where a row is meant.
    fn has_grown(&mut self) -> StoreResult<()>;

    /// Runs a statement that changes very many rows, with each set of parameters. Whether what the rows refer to exists is not checked where
    /// that takes as long as the change itself: the caller has seen to it in this transaction.
    fn execute_unchecked(&mut self, sql: Sql, sets: &[Vec<Param<'_>>]) -> StoreResult<()> {
        self.query_many(sql, sets, &mut |_, _| Ok(()))
    }

    /// Remembers that this write has events for an account, whose followers are woken once it is committed.
    fn wake_followers(&mut self, account: &Id);

    /// Says that this write is about to take a clock. Where others that hold it would be waited for with a connection in hand, it
    /// fails with [`StoreError::ClockBusy`], and the store runs the write again when it is its turn.
    fn queue_for(&mut self, _clock: ClockName<'_>) -> StoreResult<()> {
        Ok(())
    }
}

/// A clock that a write takes. A session is named by its id or by its row, as the write knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClockName<'a> {
    Account(&'a Id),
    Session(&'a Id, &'a Id),
    SessionRow(&'a Id, i64),
    Tools(&'a Id, i64),
}

/// What a write does. It may be run again, so it brings its time and its ids along.
pub trait WriteWork<T>: Fn(&mut dyn Tx) -> StoreResult<T> + Send + Sync + 'static {}
impl<T, F: Fn(&mut dyn Tx) -> StoreResult<T> + Send + Sync + 'static> WriteWork<T> for F {}

/// What a read does, on whatever thread.
pub trait ReadWork<T>: FnOnce(&mut dyn Tx) -> StoreResult<T> + Send + 'static {}
impl<T, F: FnOnce(&mut dyn Tx) -> StoreResult<T> + Send + 'static> ReadWork<T> for F {}

/// Reads a value from a row.
pub trait ReadRow<T>: Fn(&dyn Row) -> StoreResult<T> {}
impl<T, F: Fn(&dyn Row) -> StoreResult<T>> ReadRow<T> for F {}

/// Takes one row.
pub type EachRow<'a> = dyn FnMut(&dyn Row) -> StoreResult<()> + 'a;
/// Takes one row of the set with this number.
pub type EachRowOf<'a> = dyn FnMut(usize, &dyn Row) -> StoreResult<()> + 'a;

#[derive(Debug, Clone, Copy)]
pub enum Param<'a> {
    Null,
    /// An integer, a time in ms, a flag.
    Int(i64),
    /// An id.
    Text(&'a str),
    /// A key, a free text or a body.
    Bytes(&'a [u8]),
}

/// One row of an answer. Columns are counted from 0.
pub trait Row {
    fn int_or_null(&self, column: usize) -> StoreResult<Option<i64>>;
    /// An id or nothing.
    fn text_or_null(&self, column: usize) -> StoreResult<Option<&str>>;
    fn bytes_or_null(&self, column: usize) -> StoreResult<Option<&[u8]>>;

    fn int(&self, column: usize) -> StoreResult<i64> {
        self.int_or_null(column)?.ok_or_else(|| is_null(column, "an integer"))
    }

    /// An id.
    fn text(&self, column: usize) -> StoreResult<&str> {
        self.text_or_null(column)?.ok_or_else(|| is_null(column, "text"))
    }

    fn bytes(&self, column: usize) -> StoreResult<&[u8]> {
        self.bytes_or_null(column)?.ok_or_else(|| is_null(column, "bytes"))
    }
}

fn is_null(column: usize, wanted: &str) -> StoreError {
    StoreError::Corrupt(format!("column {column} holds NULL where {wanted} belongs"))
}

impl Param<'_> {
    /// How many bytes it takes to send, about.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Param::Null | Param::Int(_) => 8,
            Param::Text(text) => text.len(),
            Param::Bytes(bytes) => bytes.len(),
        }
    }
}

macro_rules! params_of {
    ($($from:ty, $value:ident => $param:expr;)+) => {
        $(impl<'a> From<$from> for Param<'a> {
            fn from($value: $from) -> Self {
                $param
            }
        })+
    };
}

params_of! {
    &'a str, text => Param::Text(text);
    &'a Id, id => Param::Text(id.as_str());
    &'a [u8], bytes => Param::Bytes(bytes);
    &'a Vec<u8>, bytes => Param::Bytes(bytes);
    i64, number => Param::Int(number);
    bool, flag => Param::Int(i64::from(flag));
}

impl<'a, T: Into<Param<'a>>> From<Option<T>> for Param<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Param::Null, Into::into)
    }
}

/// The parameters of a statement, in the order of their numbers.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::db::tx::Param::from($value)),*] };
}

/// The same behind what every row of a session begins with: `?1` is the account and `?2` the session's row. The first value has
/// the key of the session.
#[macro_export]
macro_rules! in_session {
    ($owner:expr $(, $value:expr)* $(,)?) => { $crate::params![$owner.key().account, $owner.key().row $(, $value)*] };
}

pub fn first<T>(tx: &mut dyn Tx, sql: Sql, params: &[Param<'_>], read: impl ReadRow<T>) -> StoreResult<Option<T>> {
    let mut found = None;
    tx.query(sql, params, &mut |row| {
        if found.is_none() {
            found = Some(read(row)?);
        }
        Ok(())
    })?;
    Ok(found)
}

pub fn all<T>(tx: &mut dyn Tx, sql: Sql, params: &[Param<'_>], read: impl ReadRow<T>) -> StoreResult<Vec<T>> {
    let mut rows = Vec::new();
    tx.query(sql, params, &mut |row| {
        rows.push(read(row)?);
        Ok(())
    })?;
    Ok(rows)
}

/// For each set of parameters the first row of its answer, if there is one.
pub fn first_of_each<T: Clone>(
    tx: &mut dyn Tx,
    sql: Sql,
    sets: &[Vec<Param<'_>>],
    read: impl ReadRow<T>,
) -> StoreResult<Vec<Option<T>>> {
    let mut found = vec![None; sets.len()];
    tx.query_many(sql, sets, &mut |number, row| {
        if let Some(place @ None) = found.get_mut(number) {
            *place = Some(read(row)?);
        }
        Ok(())
    })?;
    Ok(found)
}

/// All rows of the answers for all sets of parameters.
pub fn all_of_each<T>(
    tx: &mut dyn Tx,
    sql: Sql,
    sets: &[Vec<Param<'_>>],
    read: impl ReadRow<T>,
) -> StoreResult<Vec<T>> {
    let mut rows = Vec::new();
    tx.query_many(sql, sets, &mut |_, row| {
        rows.push(read(row)?);
        Ok(())
    })?;
    Ok(rows)
}

/// One part of a list. `rows` are read with one more than the limit, and `count` counts all, each with its parameters.
pub(crate) fn list<T>(
    tx: &mut dyn Tx,
    window: Window,
    rows: (Sql, &[Param<'_>]),
    count: (Sql, &[Param<'_>]),
    read: impl ReadRow<T>,
) -> StoreResult<Listed<T>> {
    let rows = all(tx, rows.0, rows.1, read)?;
    let total = if window.total { Some(one(tx, count.0, count.1, |row| row.int(0))?) } else { None };
    Ok(Listed::cut(rows, window, total))
}

/// Runs one statement for many sets of parameters, whatever rows it touches.
pub fn execute_many(tx: &mut dyn Tx, sql: Sql, sets: &[Vec<Param<'_>>]) -> StoreResult<()> {
    tx.query_many(sql, sets, &mut |_, _| Ok(()))
}

/// The one row that a statement must answer, such as a count.
pub fn one<T>(tx: &mut dyn Tx, sql: Sql, params: &[Param<'_>], read: impl ReadRow<T>) -> StoreResult<T> {
    first(tx, sql, params, read)?.ok_or_else(|| StoreError::Internal(format!("no row from: {}", sql.text())))
}
