//! Where the events of a transaction stand: at its number, or further back if its sessions are there already.
//!
//! A transaction gets its number with its first write, before it waits for a clock. So of two that wait for the same
//! clock, the one with the higher number may go first, and the other's events must stand behind its events all the same:
//! it takes over the position that it finds. That position is not settled before both have ended, since the number of
//! who takes it over is lower; a settled one cannot be taken over. Readers therefore need to know nothing of this.
//!
//! Several may take over the same position, each behind another session's events. Their ordinals must differ and rise
//! within a session: `generation << 52 | number << 20 | count`, where a generation is one more than the one it found.

use crate::db::sql::Sql;
use crate::db::tx::Row;
use crate::error::StoreResult;
use crate::sql;
use crate::types::record::EventPosition;
use tavernkeep_engine::id::Id;

const GENERATION_SHIFT: u32 = 52;
const NUMBER_SHIFT: u32 = 20;
const NUMBER_MASK: i64 = 0xffff_ffff;

/// The transaction's number and the last event of a session, or of the account itself.
pub const LAST: Sql = sql!(
    "SELECT CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT), last.position, last.ordinal
     FROM (SELECT 1) AS here LEFT JOIN LATERAL (
         SELECT position, ordinal FROM event WHERE account_id = ?1 AND session_row = ?2
         ORDER BY position DESC, ordinal DESC LIMIT 1) AS last ON TRUE"
);

pub fn read_last(row: &dyn Row) -> StoreResult<(i64, Option<EventPosition>)> {
    let place = |(position, ordinal)| EventPosition { position, ordinal };
    Ok((row.int(0)?, row.int_or_null(1)?.zip(row.int_or_null(2)?).map(place)))
}

#[derive(Default)]
pub struct Places {
    next: Option<EventPosition>,
    known: Vec<(Id, i64)>,
}

impl Places {
    /// Whether it is known how far a session is.
    pub fn knows(&self, account: &Id, session_row: i64) -> bool {
        self.known.iter().any(|(known, row)| *row == session_row && known == account)
    }

    /// Takes into account how far a session is.
    pub fn learn(&mut self, account: &Id, session_row: i64, number: i64, last: Option<EventPosition>) {
        self.known.push((account.clone(), session_row));
        let next = self.next.unwrap_or(EventPosition { position: number, ordinal: 0 });
        let behind = last.filter(|last| *last >= next).map(|last| {
            let generation = (last.ordinal >> GENERATION_SHIFT) + 1;
            let ordinal = generation << GENERATION_SHIFT | (number & NUMBER_MASK) << NUMBER_SHIFT;
            EventPosition { position: last.position, ordinal }
        });
        self.next = Some(behind.unwrap_or(next));
    }

    pub fn next(&mut self) -> EventPosition {
        let place = self.next.unwrap_or(EventPosition { position: 0, ordinal: 0 });
        self.next = Some(EventPosition { ordinal: place.ordinal + 1, ..place });
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Emits `count` events of each session, whose last places are in `last`.
    fn emit_all(number: i64, sessions: &[i64], count: usize, last: &mut [Option<EventPosition>]) -> Vec<EventPosition> {
        let account: Id = "a".parse().unwrap();
        let mut places = Places::default();
        let mut emitted = Vec::new();
        for _ in 0..count {
            for &session in sessions {
                let row = usize::try_from(session).unwrap();
                if !places.knows(&account, session) {
                    places.learn(&account, session, number, last[row]);
                }
                let place = places.next();
                assert!(last[row] < Some(place), "{number} stands behind what its session has emitted");
                assert!(place.position >= number);
                last[row] = Some(place);
                emitted.push(place);
            }
        }
        assert!(emitted.is_sorted_by(|left, right| left < right));
        emitted
    }

    #[test]
    fn places_rise_in_every_session_and_no_two_are_the_same() {
        let last = &mut [None; 4];
        let mut all = Vec::new();
        // Number, sessions: in the order in which they got their clocks.
        for (number, sessions) in [
            (12, &[1, 2][..]),
            (10, &[1]),
            (11, &[2]),
            (9, &[1, 2]),
            (8, &[3]),
            (7, &[3, 1]),
            (13, &[1]),
            (14, &[0, 3]),
            (6, &[2, 0]),
        ] {
            all.extend(emit_all(number, sessions, 3, last));
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        // Who comes without having waited stands at their own number.
        assert_eq!(emit_all(20, &[1], 1, last), [EventPosition { position: 20, ordinal: 0 }]);
    }
}
