//! A transaction on PostgreSQL.

use super::event_places::{self, Places};
use super::{Connection, planning, trouble};
use crate::db::queues::{QueueHead, Queues};
use crate::db::sql::Sql;
use crate::db::tx::{ClockName, EachRow, EachRowOf, Param, Row, Tx, one};
use crate::error::{StoreError, StoreResult};
use crate::params;
use crate::types::record::EventPosition;
use futures_util::TryStreamExt as _;
use futures_util::future::maybe_done;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use tavernkeep_engine::id::Id;
use tokio::runtime::Handle;
use tokio_postgres::RowStream;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

pub struct PostgresTx<'a> {
    runtime: &'a Handle,
    connection: &'a mut Connection,
    failed: bool,
    places: Places,
    woken: Vec<Id>,
    /// The queues, where clocks are waited for in those; the one that was waited in; and those that this transaction came first in.
    queues: Option<(&'a Arc<Queues>, &'a mut Option<QueueHead>)>,
    heads: Vec<QueueHead>,
}

impl<'a> PostgresTx<'a> {
    pub fn new(
        runtime: &'a Handle,
        connection: &'a mut Connection,
        queues: Option<(&'a Arc<Queues>, &'a mut Option<QueueHead>)>,
    ) -> Self {
        let (places, woken, heads) = (Places::default(), Vec::new(), Vec::new());
        PostgresTx { runtime, connection, failed: false, places, woken, queues, heads }
    }

    /// Whether a statement failed, whatever the code around it made of that.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// Whose followers are to be woken after the commit, and the queues that are held until then.
    pub fn into_woken(self) -> (Vec<Id>, Vec<QueueHead>) {
        (self.woken, self.heads)
    }

    fn run<T>(&mut self, work: impl AsyncFnOnce(&mut Connection) -> Result<T, Failure>) -> StoreResult<T> {
        if self.failed {
            return Err(StoreError::Internal("a statement was run after an error in the same transaction".into()));
        }
        let result = self.runtime.block_on(work(self.connection));
        self.failed = result.is_err();
        result.map_err(|failure| match failure {
            Failure::OfServer(error) => trouble(&error),
            Failure::OfReader(error) => error,
        })
    }
}

/// Why a statement did not come to its end. Either way the transaction is lost.
enum Failure {
    OfServer(tokio_postgres::Error),
    /// The function that is handed the rows refused one.
    OfReader(StoreError),
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Failure::OfServer(error)
    }
}

/// Hands over each row as it comes: all of them together may be more than there is room for. The connection does not read on
/// while nobody takes what it has read.
async fn hand_over(rows: RowStream, mut each: impl FnMut(&dyn Row) -> StoreResult<()>) -> Result<(), Failure> {
    let mut rows = pin!(rows);
    while let Some(row) = rows.try_next().await? {
        each(&PostgresRow(&row)).map_err(Failure::OfReader)?;
    }
    Ok(())
}

impl Tx for PostgresTx<'_> {
    fn execute(&mut self, sql: Sql, params: &[Param<'_>]) -> StoreResult<u64> {
        self.run(async |connection| {
            let statement = connection.prepared(sql).await?;
            Ok(connection.client.execute(&statement, &borrowed(params)).await?)
        })
    }

    fn query(&mut self, sql: Sql, params: &[Param<'_>], each: &mut EachRow<'_>) -> StoreResult<()> {
        self.run(async |connection| {
            let statement = connection.prepared(sql).await?;
            hand_over(connection.client.query_raw(&statement, borrowed(params)).await?, each).await
        })
    }

    fn query_many(&mut self, sql: Sql, sets: &[Vec<Param<'_>>], each: &mut EachRowOf<'_>) -> StoreResult<()> {
        let mut begin = 0;
        while begin < sets.len() {
            let end = begin + together(&sets[begin..]);
            self.run(async |connection| {
                let statement = connection.prepared(sql).await?;
                let client = &connection.client;
                let begun = sets[begin..end].iter();
                let begun = begun.map(|params| client.query_raw(&statement, borrowed(params)));
                let mut sent: Vec<_> = begun.map(|query| Box::pin(maybe_done(query))).collect();
                // Who is polled has sent its query: one round trip for all of them. The server answers one after the other, and
                // the answers are taken in this order, since none comes while the one before it is not read.
                poll_fn(|context| {
                    for query in &mut sent {
                        let _ = query.as_mut().poll(context);
                    }
                    Poll::Ready(())
                })
                .await;
                for (number, mut query) in (begin..).zip(sent) {
                    query.as_mut().await;
                    if let Some(rows) = query.as_mut().take_output() {
                        hand_over(rows?, |row| each(number, row)).await?;
                    }
                }
                Ok(())
            })?;
            begin = end;
        }
        Ok(())
    }

    fn event_place(&mut self, account: &Id, session_row: i64) -> StoreResult<EventPosition> {
        if !self.places.knows(account, session_row) {
            let (number, last) = one(self, event_places::LAST, params![account, session_row], event_places::read_last)?;
            self.places.learn(account, session_row, number, last);
        }
        Ok(self.places.next())
    }

    fn events_settled(&mut self) -> StoreResult<i64> {
        one(self, OLDEST_RUNNING, &[], |row| row.int(0))
    }

    fn has_grown(&mut self) -> StoreResult<()> {
        self.run(async |connection| {
            let grown = planning::names(&connection.client.simple_query(&planning::grown()).await?);
            if grown.is_empty() {
                return Ok(());
            }
            Ok(connection.client.batch_execute(&planning::look(&grown)).await?)
        })
    }

    fn wake_followers(&mut self, account: &Id) {
        if !self.woken.contains(account) {
            self.woken.push(account.clone());
        }
    }

    fn queue_for(&mut self, clock: ClockName<'_>) -> StoreResult<()> {
        let Some((queues, waited)) = &self.queues else { return Ok(()) };
        let number = queues.number_of(clock);
        if waited.iter().chain(&self.heads).any(|head| head.number == number) {
            return Ok(());
        }
        match queues.try_enter(number) {
            Some(head) => {
                self.heads.push(head);
                Ok(())
            }
            None => {
                self.failed = true;
                Err(StoreError::ClockBusy(number))
            }
        }
    }
}

/// Transactions from this one on may still be running. Commits are not in the order of numbers.
const OLDEST_RUNNING: Sql =
    Sql::across_accounts("SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT)");

/// Sets of parameters that travel together, and bytes of them: what is under way is in memory twice.
const SETS_TOGETHER: usize = 1_000;
const BYTES_TOGETHER: usize = 4 << 20;

/// How many of these sets travel together; one at least.
fn together(sets: &[Vec<Param<'_>>]) -> usize {
    let mut bytes = 0;
    let fits = |set: &&Vec<Param<'_>>| {
        bytes += set.iter().map(Param::bytes).sum::<usize>();
        bytes <= BYTES_TOGETHER
    };
    sets.iter().take(SETS_TOGETHER).take_while(fits).count().max(1)
}

fn borrowed<'a>(params: &'a [Param<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    params.iter().map(|param| param as &(dyn ToSql + Sync)).collect()
}

impl ToSql for Param<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match *self {
            Param::Null => Ok(IsNull::Yes),
            Param::Int(number) if *kind == Type::INT4 => i32::try_from(number)?.to_sql(kind, out),
            Param::Int(number) => number.to_sql(kind, out),
            Param::Text(text) => text.to_sql(kind, out),
            Param::Bytes(bytes) => bytes.to_sql(kind, out),
        }
    }

    // The server checks what it gets; a wrong kind is a defect that the conformance story finds.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

struct PostgresRow<'a>(&'a tokio_postgres::Row);

impl<'a> PostgresRow<'a> {
    fn get<T: FromSql<'a>>(&self, column: usize) -> StoreResult<T> {
        self.0.try_get(column).map_err(|error| StoreError::Corrupt(format!("column {column}: {error}")))
    }
}

impl Row for PostgresRow<'_> {
    fn int_or_null(&self, column: usize) -> StoreResult<Option<i64>> {
        // A literal in a statement is four bytes wide, a column eight.
        if self.0.columns().get(column).is_some_and(|column| *column.type_() == Type::INT4) {
            return Ok(self.get::<Option<i32>>(column)?.map(i64::from));
        }
        self.get(column)
    }

    fn text_or_null(&self, column: usize) -> StoreResult<Option<&str>> {
        self.get(column)
    }

    fn bytes_or_null(&self, column: usize) -> StoreResult<Option<&[u8]>> {
        self.get(column)
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES_TOGETHER, SETS_TOGETHER, together};
    use crate::db::tx::Param;

    #[test]
    fn what_travels_together_is_bounded() {
        let small = vec![vec![Param::Int(1)]; SETS_TOGETHER + 1];
        assert_eq!(together(&small), SETS_TOGETHER);
        assert_eq!(together(&small[..3]), 3);
        let half = vec![0; BYTES_TOGETHER / 2];
        assert_eq!(together(&vec![vec![Param::Bytes(&half)]; 3]), 2);
        let large = vec![0; BYTES_TOGETHER + 1];
        assert_eq!(together(&vec![vec![Param::Bytes(&large)]; 3]), 1);
    }
}
