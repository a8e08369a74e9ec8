//! A database that counts statements, for tests: what is done must not grow with what is not asked for.

use crate::db::sql::Sql;
use crate::db::tx::{EachRow, EachRowOf, Param, Row, Tx};
use crate::error::StoreResult;
use crate::types::record::EventPosition;
use tavernkeep_engine::id::Id;

/// Answers every question with one row, in which every number is how many statements there were so far.
#[derive(Default)]
pub struct CountingTx {
    pub statements: i64,
}

struct Number(i64);

impl Row for Number {
    fn int_or_null(&self, _: usize) -> StoreResult<Option<i64>> {
        Ok(Some(self.0))
    }

    fn text_or_null(&self, _: usize) -> StoreResult<Option<&str>> {
        Ok(None)
    }

    fn bytes_or_null(&self, _: usize) -> StoreResult<Option<&[u8]>> {
        Ok(None)
    }
}

impl Tx for CountingTx {
    fn execute(&mut self, _: Sql, _: &[Param<'_>]) -> StoreResult<u64> {
        self.statements += 1;
        Ok(1)
    }

    fn query(&mut self, _: Sql, _: &[Param<'_>], each: &mut EachRow<'_>) -> StoreResult<()> {
        self.statements += 1;
        each(&Number(self.statements))
    }

    fn query_many(&mut self, _: Sql, sets: &[Vec<Param<'_>>], each: &mut EachRowOf<'_>) -> StoreResult<()> {
        for number in 0..sets.len() {
            self.statements += 1;
            each(number, &Number(self.statements))?;
        }
        Ok(())
    }

    fn event_place(&mut self, _: &Id, _: i64) -> StoreResult<EventPosition> {
        unreachable!("nothing is emitted")
    }

    fn events_settled(&mut self) -> StoreResult<i64> {
        unreachable!("no events are read")
    }

    fn has_grown(&mut self) -> StoreResult<()> {
        Ok(())
    }

    fn wake_followers(&mut self, _: &Id) {}
}
