//! How many floors `main` has in each session, as far as that was counted before: a list of sessions counts only those that have
//! changed since.
//!
//! Whatever changes the floors of a session takes its clock, and a tick of a clock is never used twice. So a count is right as long as
//! the clock stands where it stood, also if another process writes to the database.

use crate::tree::prelude::*;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Sessions whose counts are kept: as many as an account may have. With more than that all are counted again.
const KEPT_MAX: usize = 100_000;

#[derive(Debug, Default)]
pub struct FloorCounts {
    kept: Mutex<HashMap<(Id, i64), Count>>,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    /// Where the session's clock stood.
    seq: i64,
    floors: i64,
}

/// The row of `main` is the first one of each session.
const COUNT: Sql = sql!("SELECT COUNT(*) FROM floor WHERE account_id = ?1 AND session_row = ?2 AND branch_row = 1");

impl FloorCounts {
    /// The floors of sessions, by their rows and by where their clocks stand.
    pub(super) fn of(&self, tx: &mut dyn Tx, account: &Id, sessions: &[(i64, i64)]) -> StoreResult<Vec<i64>> {
        let mut counts: Vec<Option<i64>> = sessions.iter().map(|&session| self.kept(account, session)).collect();
        let unknown: Vec<usize> = (0..sessions.len()).filter(|&at| counts[at].is_none()).collect();
        let sets: Vec<_> = unknown.iter().map(|&at| params![account, sessions[at].0].to_vec()).collect();
        let counted = first_of_each(tx, COUNT, &sets, |row| row.int(0))?;
        for (&at, floors) in unknown.iter().zip(counted) {
            let floors = floors.unwrap_or(0);
            self.keep(account, sessions[at], floors);
            counts[at] = Some(floors);
        }
        Ok(counts.into_iter().map(Option::unwrap_or_default).collect())
    }

    fn kept(&self, account: &Id, (session_row, seq): (i64, i64)) -> Option<i64> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(&(account.clone(), session_row)).filter(|count| count.seq == seq).map(|count| count.floors)
    }

    fn keep(&self, account: &Id, (session_row, seq): (i64, i64), floors: i64) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        kept.insert((account.clone(), session_row), Count { seq, floors });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::counting::CountingTx;

    #[test]
    fn only_sessions_that_have_changed_are_counted_again() {
        let (counts, mut tx) = (FloorCounts::default(), CountingTx::default());
        let (account, other): (Id, Id) = ("a".parse().unwrap(), "b".parse().unwrap());
        assert_eq!(counts.of(&mut tx, &account, &[(1, 10), (2, 10)]).unwrap(), [1, 2]);
        assert_eq!(counts.of(&mut tx, &account, &[(2, 10), (1, 10)]).unwrap(), [2, 1]);
        assert_eq!(counts.of(&mut tx, &account, &[(1, 10), (2, 11)]).unwrap(), [1, 3]);
        assert_eq!(counts.of(&mut tx, &other, &[(1, 10)]).unwrap(), [4]);
        assert_eq!(tx.statements, 4);
    }
}
