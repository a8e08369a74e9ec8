//! How many variables an account has on each scope, kept with every write so that a list's total costs no walk.
//!
//! The count of a scope is spread over a few rows, so that sessions of one account rarely wait for each other, and a write
//! changes its rows at its end and in one order, so that two writes never wait for each other in a circle.

use crate::db::prelude::*;
use std::collections::BTreeMap;

/// How many rows share the count of one scope.
const SHARDS: i64 = 16;

/// Stands for the trash where a scope stands otherwise.
pub const TRASH: i64 = 5;

/// Changes of counts that one write has made, by scope and shard.
#[derive(Debug, Default)]
pub struct Totals(BTreeMap<(i64, i64), i64>);

impl Totals {
    pub fn add(&mut self, scope: Scope, session_row: i64, count: i64) {
        *self.0.entry((scope.number(), session_row % SHARDS)).or_default() += count;
    }

    /// Variables that go to the trash, or leave it. They count for the quota and in no list.
    pub fn add_trashed(&mut self, session_row: i64, count: i64) {
        *self.0.entry((TRASH, session_row % SHARDS)).or_default() += count;
    }

    /// Writes the changes down. The last thing a write does.
    pub fn keep(self, tx: &mut dyn Tx, account: &Id) -> StoreResult<()> {
        let sql = sql!(
            "INSERT INTO variable_total (account_id, scope, shard, total) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (account_id, scope, shard) DO UPDATE SET total = variable_total.total + excluded.total"
        );
        let changed = self.0.into_iter().filter(|(_, count)| *count != 0);
        for ((scope, shard), count) in changed {
            tx.execute(sql, params![account, scope, shard, count])?;
        }
        Ok(())
    }
}
