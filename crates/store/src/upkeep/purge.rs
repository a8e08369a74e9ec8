//! Takes what is hidden away, a few rows at a time: nobody waits long for the one who writes.

use crate::db::sql::Sql;
use crate::db::tx::{Tx, one};
use crate::error::StoreResult;
use crate::jobs::{Claim, END, Progress, Step, advance, hold};
use crate::{params, sql};
use tavernkeep_engine::id::Id;

/// Says of which tables a session consists: how some rows of each are taken away, and how many there are in all. `?3` is how
/// many rows at most.
macro_rules! parts {
    ($($table:literal by $keys:literal,)+) => {
        const PARTS: &[Sql] = &[$(sql!(
            "DELETE FROM ", $table, " WHERE account_id = ?1 AND session_row = ?2 AND (", $keys, ") IN (
                SELECT ", $keys, " FROM ", $table, " WHERE account_id = ?1 AND session_row = ?2 LIMIT ?3)"
        )),+];

        const COUNT: Sql = sql!(
            "SELECT 0", $(" + (SELECT COUNT(*) FROM ", $table, " WHERE account_id = ?1 AND session_row = ?2)"),+
        );
    };
}

// In the order in which they can be taken away: whatever refers to something goes before it, so that no row takes others
// along.
parts! {
    "history" by "scope, host_row, key, seq",
    "variable" by "scope, host_row, key",
    "event" by "position, ordinal",
    "staged_write" by "page_row, key",
    "promotion" by "page_row, seq, id",
    "floor_key" by "branch_row, key, floor_no",
    "snapshot" by "page_row",
    "keyframe" by "version_row",
    "version" by "version_row",
    "recipe" by "recipe_hash",
    "session_story" by "session_row",
    "body" by "scope, host_row",
    "page" by "page_row",
    "floor" by "floor_row",
    "branch" by "branch_row",
}

/// Takes up to so many rows of a hidden session away; tells how many there were. None is left when there are fewer.
///
/// Row 0 is what hangs on the account itself; for an account that is being deleted.
pub fn chunk(tx: &mut dyn Tx, account: &Id, session_row: i64, rows: i64) -> StoreResult<i64> {
    // There may be many rows of which nobody has told the database.
    tx.has_grown()?;
    let mut left = rows;
    for &sql in PARTS {
        if left <= 0 {
            return Ok(rows);
        }
        left -= i64::try_from(tx.execute(sql, params![account, session_row, left])?).unwrap_or(left);
    }
    if left > 0 && session_row != 0 {
        let sql = sql!("DELETE FROM session WHERE account_id = ?1 AND session_row = ?2 AND deleted_at IS NOT NULL");
        tx.execute(sql, params![account, session_row])?;
        crate::tree::characters::sweep(tx, account)?;
    }
    Ok(rows - left)
}

/// How many rows a session consists of. Reads much; not for the one who writes.
pub fn count(tx: &mut dyn Tx, account: &Id, session_row: i64) -> StoreResult<i64> {
    one(tx, COUNT, params![account, session_row], |row| row.int(0))
}

/// Does one chunk of a deletion: up to so many rows. `total` is what the job will amount to, as far as is known.
pub fn step(tx: &mut dyn Tx, claim: &Claim, rows: i64, total: Option<i64>, now: i64) -> StoreResult<Step> {
    let Some(held) = hold(tx, claim, END, now)? else { return Ok(Step::Over) };
    let gone = chunk(tx, &claim.account, claim.session_row, rows)?;
    let (done, over) = (held.done + gone, gone < rows);
    // What was counted before the work began, corrected by what the work found.
    let total = if over { done } else { total.unwrap_or(held.total).max(done) };
    advance(tx, claim, &held, &Progress { done, total, work: None, over }, now)
}

#[cfg(test)]
mod tests {
    use super::PARTS;
    use crate::db::migrate::MIGRATIONS;

    /// A table that nobody takes away in chunks would be taken away at once, with the session's row.
    #[test]
    fn everything_that_hangs_on_a_session_is_a_part() {
        let tables = MIGRATIONS.iter().flat_map(|text| text.split("CREATE TABLE ").skip(1));
        for table in tables {
            let (name, columns) = table.split_once(" (").expect("a table has columns");
            let columns = columns.split("TABLE_KIND;").next().unwrap_or_default();
            let of_session = columns.lines().any(|line| line.trim_start().starts_with("session_row "));
            // A job tells of its session and outlives it; the second one becomes `body`.
            if of_session && !["session", "job", "large_body"].contains(&name) {
                let is_part = PARTS.iter().any(|part| part.text().starts_with(&format!("DELETE FROM {name} ")));
                assert!(is_part, "{name}");
            }
        }
    }
}
