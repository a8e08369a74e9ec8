//! Many pages at once, by runs of rows: a run has no other page in it, so one statement changes all of it. Looking up each row would take
//! longer than to go over a run.

use crate::tree::prelude::*;
use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

/// The first and the last row of pages that no other page interrupts.
pub(crate) type RowRun = RangeInclusive<i64>;

/// The runs of some rows of pages.
pub(crate) fn runs(tx: &mut dyn Tx, session: SessionKey<'_>, rows: &BTreeSet<i64>) -> StoreResult<Vec<RowRun>> {
    let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else { return Ok(Vec::new()) };
    let sql = sql!(
        "SELECT page_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND page_row >= ?3 AND page_row <= ?4
         ORDER BY page_row"
    );
    let (mut runs, mut run) = (Vec::new(), None);
    tx.query(sql, in_session![session, first, last], &mut |row| {
        let page_row = row.int(0)?;
        run = match (run.take(), rows.contains(&page_row)) {
            (Some((start, _)), true) => Some((start, page_row)),
            (None, true) => Some((page_row, page_row)),
            (ended, false) => {
                runs.extend(ended.map(|(start, end)| start..=end));
                None
            }
        };
        Ok(())
    })?;
    runs.extend(run.map(|(start, end)| start..=end));
    Ok(runs)
}

/// Cuts runs into groups that have so many of the pages each.
pub(crate) fn groups(rows: &BTreeSet<i64>, runs: &[RowRun], pages_max: usize) -> Vec<Vec<RowRun>> {
    let rows: Vec<i64> = rows.iter().copied().collect();
    let mut at = 0;
    let group = |rows: &[i64]| {
        let mut group: Vec<RowRun> = Vec::new();
        for &row in rows {
            let before = at;
            while runs.get(at).is_some_and(|run| *run.end() < row) {
                at += 1;
            }
            match group.last_mut() {
                Some(run) if before == at => *run = *run.start()..=row,
                _ => group.push(row..=row),
            }
        }
        group
    };
    rows.chunks(pages_max).map(group).collect()
}

/// Makes pages active that are not, and those inactive that are. Those on floors of a hidden branch stay as they are: a page
/// that comes back from the trash has the row that it had, which may lie within a run that was read before.
pub(crate) fn toggle(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    hidden_branch: Option<i64>,
    runs: &[RowRun],
) -> StoreResult<()> {
    // The floors of the branch were made after it.
    let hidden_from = hidden_branch.unwrap_or(i64::MAX);
    let set = |run: &RowRun| in_session![clock, *run.start(), *run.end(), hidden_from].to_vec();
    let sets: Vec<_> = runs.iter().map(set).collect();
    // A slot has one active page at any time: those that become active are marked until the others are inactive.
    for sql in [
        sql!(
            "UPDATE page SET is_active = CASE is_active WHEN 0 THEN 2 ELSE 0 END
             WHERE account_id = ?1 AND session_row = ?2 AND page_row >= ?3 AND page_row <= ?4 AND floor_row < ?5"
        ),
        sql!(
            "UPDATE page SET is_active = 1
             WHERE account_id = ?1 AND session_row = ?2 AND page_row >= ?3 AND page_row <= ?4 AND is_active = 2
               AND floor_row < ?5"
        ),
    ] {
        execute_many(tx, sql, &sets)?;
    }
    Ok(())
}

/// Takes pages off their floors: they wait on a hidden one, each with the row of its floor as its number.
pub(crate) fn hide(tx: &mut dyn Tx, clock: &SessionClock, hidden_floor: i64, runs: &[RowRun]) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE page SET page_no = floor_row, floor_row = ?5
         WHERE account_id = ?1 AND session_row = ?2 AND page_row >= ?3 AND page_row <= ?4"
    );
    let sets: Vec<_> =
        runs.iter().map(|run| in_session![clock, *run.start(), *run.end(), hidden_floor].to_vec()).collect();
    tx.execute_unchecked(sql, &sets)
}

/// Pages that wait on a hidden floor, and what they become.
#[derive(Debug, Clone)]
pub(crate) struct Waiting {
    pub rows: RowRun,
    pub page_no: i64,
    pub is_active: bool,
}

/// Lets pages come onto their floors, which were read at the tick of the clock.
pub(crate) fn show(tx: &mut dyn Tx, clock: &SessionClock, waiting: &[Waiting]) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE page SET floor_row = page_no, page_no = ?5, is_active = ?6
         WHERE account_id = ?1 AND session_row = ?2 AND page_row >= ?3 AND page_row <= ?4"
    );
    let set = |Waiting { rows, page_no, is_active }: &Waiting| {
        in_session![clock, *rows.start(), *rows.end(), *page_no, *is_active].to_vec()
    };
    tx.execute_unchecked(sql, &waiting.iter().map(set).collect::<Vec<_>>())
}

/// Pages that are put on a hidden floor in one transaction, and bytes of their texts.
const PAGES_AT_ONCE: usize = 250;
const BYTES_AT_ONCE: usize = 512 * 1024;

/// Cuts pages, of which those of one kind stand together, into parts for one transaction and of one kind each.
pub(crate) fn parts<T, K: PartialEq>(
    pages: &[T],
    kind_of: impl Fn(&T) -> K,
    bytes_of: impl Fn(&T) -> usize,
) -> Vec<Range<usize>> {
    let (mut parts, mut begin, mut bytes) = (Vec::new(), 0, 0);
    for (at, page) in pages.iter().enumerate() {
        bytes += bytes_of(page);
        let is_last = pages.get(at + 1).is_none_or(|next| kind_of(next) != kind_of(page));
        if is_last || at + 1 - begin >= PAGES_AT_ONCE || bytes >= BYTES_AT_ONCE {
            parts.push(begin..at + 1);
            (begin, bytes) = (at + 1, 0);
        }
    }
    parts
}

/// Gives floors the ticks of the commits of their chosen pages: forks read the history as of them.
pub(crate) fn move_commits(tx: &mut dyn Tx, clock: &SessionClock, commits: &[(i64, i64)]) -> StoreResult<()> {
    let sql = sql!("UPDATE floor SET committed_seq = ?4 WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let sets: Vec<_> = commits.iter().map(|&(floor_row, seq)| in_session![clock, floor_row, seq].to_vec()).collect();
    execute_many(tx, sql, &sets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_so_many_pages_and_no_other_ones() {
        let rows = BTreeSet::from([1, 2, 4, 9, 10, 11, 20]);
        // Rows 3 and 5 to 8 are of floors, 12 to 19 of other pages.
        let groups = groups(&rows, &[1..=11, 20..=20], 3);
        assert_eq!(groups, [vec![1..=4], vec![9..=11], vec![20..=20]]);
        assert_eq!(super::groups(&rows, &[1..=4, 9..=11, 20..=20], 4), [vec![1..=4, 9..=9], vec![10..=11, 20..=20]]);
    }

    #[test]
    fn parts_are_of_one_kind_and_bounded() {
        let sizes = [1, 1, 2, 2, 2];
        assert_eq!(parts(&sizes, |size| *size, |_| 1), [0..2, 2..5]);
        assert_eq!(parts(&sizes, |_| (), |_| BYTES_AT_ONCE / 2), [0..2, 2..4, 4..5]);
        assert_eq!(parts(&[0; PAGES_AT_ONCE + 1], |_| (), |_| 0), [0..PAGES_AT_ONCE, PAGES_AT_ONCE..PAGES_AT_ONCE + 1]);
    }
}
