//! Takes what is hidden away, a few rows at a time: nobody waits long for the one who writes.

use crate::error::StoreResult;
use crate::sql::Sql;
use crate::tx::{Tx, one};
use crate::{params, sql};
use tavernkeep_engine::id::Id;

/// What a session consists of, in the order in which it can be taken away: whatever refers to something goes before it, so
/// that no row takes others along. `?3` is how many rows at most.
const PARTS: [Sql; 15] = [
    sql!(
        "DELETE FROM history WHERE account_id = ?1 AND session_row = ?2 AND (scope, host_row, key, seq) IN (
            SELECT h.scope, h.host_row, h.key, h.seq FROM history h
            WHERE h.account_id = ?1 AND h.session_row = ?2 LIMIT ?3)"
    ),
    sql!(
        "DELETE FROM variable WHERE account_id = ?1 AND session_row = ?2 AND (scope, host_row, key) IN (
            SELECT v.scope, v.host_row, v.key FROM variable v
            WHERE v.account_id = ?1 AND v.session_row = ?2 LIMIT ?3)"
    ),
    sql!(
        "DELETE FROM event WHERE account_id = ?1 AND session_row = ?2 AND (position, ordinal) IN (
            SELECT e.position, e.ordinal FROM event e WHERE e.account_id = ?1 AND e.session_row = ?2 LIMIT ?3)"
    ),
    sql!(
        "DELETE FROM staged_write WHERE account_id = ?1 AND session_row = ?2 AND (page_row, key) IN (
            SELECT w.page_row, w.key FROM staged_write w WHERE w.account_id = ?1 AND w.session_row = ?2 LIMIT ?3)"
    ),
    sql!(
        "DELETE FROM promotion WHERE account_id = ?1 AND session_row = ?2 AND (page_row, seq, id) IN (
            SELECT p.page_row, p.seq, p.id FROM promotion p WHERE p.account_id = ?1 AND p.session_row = ?2 LIMIT ?3)"
    ),
    sql!(
        "DELETE FROM floor_key WHERE account_id = ?1 AND session_row = ?2 AND (branch_row, key, floor_no) IN (
            SELECT k.branch_row, k.key, k.floor_no FROM floor_key k
            WHERE k.account_id = ?1 AND k.session_row = ?2 LIMIT ?3)"
    ),
    sql!(
        "DELETE FROM snapshot WHERE account_id = ?1 AND session_row = ?2 AND page_row IN (
            SELECT n.page_row FROM snapshot n WHERE n.account_id = ?1 AND n.session_row = ?2 LIMIT ?3)"
    ),
    sql!(
        "DELETE FROM keyframe WHERE account_id = ?1 AND session_row = ?2 AND version_row IN (
            SELECT k.version_row FROM keyframe k WHERE k.account_id = ?1 AND k.session_row = ?2 LIMIT ?3)"
    ),
    sql!(
        "DELETE FROM version WHERE account_id = ?1 AND session_row = ?2 AND version_row IN (
            SELECT v.version_row FROM version v WHERE v.account_id = ?1 AND v.session_row = ?2 LIMIT ?3)"
    ),
    sql!(
        "DELETE FROM recipe WHERE account_id = ?1 AND session_row = ?2 AND recipe_hash IN (
            SELECT r.recipe_hash FROM recipe r WHERE r.account_id = ?1 AND r.session_row = ?2 LIMIT ?3)"
    ),
    sql!(
        "DELETE FROM session_story WHERE account_id = ?1 AND session_row = ?2 AND session_row IN (
            SELECT t.session_row FROM session_story t WHERE t.account_id = ?1 AND t.session_row = ?2 LIMIT ?3)"
    ),
    sql!(
        "DELETE FROM body WHERE account_id = ?1 AND session_row = ?2 AND (scope, host_row) IN (
            SELECT b.scope, b.host_row FROM body b WHERE b.account_id = ?1 AND b.session_row = ?2 LIMIT ?3)"
    ),
    sql!(
        "DELETE FROM page WHERE account_id = ?1 AND session_row = ?2 AND page_row IN (
            SELECT p.page_row FROM page p WHERE p.account_id = ?1 AND p.session_row = ?2 LIMIT ?3)"
    ),
    sql!(
        "DELETE FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row IN (
            SELECT f.floor_row FROM floor f WHERE f.account_id = ?1 AND f.session_row = ?2 LIMIT ?3)"
    ),
    sql!(
        "DELETE FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row IN (
            SELECT b.branch_row FROM branch b WHERE b.account_id = ?1 AND b.session_row = ?2 LIMIT ?3)"
    ),
];

/// Takes up to so many rows of a hidden session away; tells how many there were. None is left when there are fewer.
///
/// Row 0 is what hangs on the account itself; for an account that is being deleted.
pub fn chunk(tx: &mut dyn Tx, account: &Id, session_row: i64, rows: i64) -> StoreResult<i64> {
    let mut left = rows;
    for sql in PARTS {
        if left <= 0 {
            return Ok(rows);
        }
        left -= i64::try_from(tx.execute(sql, params![account, session_row, left])?).unwrap_or(left);
    }
    if left > 0 && session_row != 0 {
        let sql = sql!("DELETE FROM session WHERE account_id = ?1 AND session_row = ?2 AND deleted_at IS NOT NULL");
        tx.execute(sql, params![account, session_row])?;
        crate::characters::sweep(tx, account)?;
    }
    Ok(rows - left)
}

/// How many rows a session consists of. Reads much; not for the one who writes.
pub fn count(tx: &mut dyn Tx, account: &Id, session_row: i64) -> StoreResult<i64> {
    let sql = sql!(
        "SELECT (SELECT COUNT(*) FROM history WHERE account_id = ?1 AND session_row = ?2)
            + (SELECT COUNT(*) FROM variable WHERE account_id = ?1 AND session_row = ?2)
            + (SELECT COUNT(*) FROM event WHERE account_id = ?1 AND session_row = ?2)
            + (SELECT COUNT(*) FROM staged_write WHERE account_id = ?1 AND session_row = ?2)
            + (SELECT COUNT(*) FROM promotion WHERE account_id = ?1 AND session_row = ?2)
            + (SELECT COUNT(*) FROM floor_key WHERE account_id = ?1 AND session_row = ?2)
            + (SELECT COUNT(*) FROM snapshot WHERE account_id = ?1 AND session_row = ?2)
            + (SELECT COUNT(*) FROM keyframe WHERE account_id = ?1 AND session_row = ?2)
            + (SELECT COUNT(*) FROM version WHERE account_id = ?1 AND session_row = ?2)
            + (SELECT COUNT(*) FROM recipe WHERE account_id = ?1 AND session_row = ?2)
            + (SELECT COUNT(*) FROM session_story WHERE account_id = ?1 AND session_row = ?2)
            + (SELECT COUNT(*) FROM body WHERE account_id = ?1 AND session_row = ?2)
            + (SELECT COUNT(*) FROM page WHERE account_id = ?1 AND session_row = ?2)
            + (SELECT COUNT(*) FROM floor WHERE account_id = ?1 AND session_row = ?2)
            + (SELECT COUNT(*) FROM branch WHERE account_id = ?1 AND session_row = ?2)"
    );
    one(tx, sql, params![account, session_row], |row| row.int(0))
}

#[cfg(test)]
mod tests {
    use super::PARTS;
    use crate::migrate::MIGRATIONS;

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
