//! The tables that hold the rows of sessions. One list drives the deletion of a session, at once or in chunks, the decision
//! between the two, what is declared to PostgreSQL's planner, and the check that migrations add no table without naming it here.

use crate::db::sql::Sql;
use crate::sql;

/// Writes the statements for each table. All of them take the account and the session's row first.
macro_rules! session_tables {
    ($($table:literal by $keys:literal,)+) => {
        pub const NAMES: &[&str] = &[$($table),+];

        pub const DELETE_ALL: &[Sql] =
            &[$(sql!("DELETE FROM ", $table, " WHERE account_id = ?1 AND session_row = ?2")),+];

        /// Deletes at most `?3` rows of a session.
        pub const DELETE_SOME: &[Sql] = &[$(sql!(
            "DELETE FROM ", $table, " WHERE account_id = ?1 AND session_row = ?2 AND (", $keys, ") IN (
                SELECT ", $keys, " FROM ", $table, " WHERE account_id = ?1 AND session_row = ?2 LIMIT ?3)"
        )),+];

        /// Counts the rows of a session, at most `?3` in each table.
        pub const COUNT: Sql = sql!(
            "SELECT 0", $(" + (SELECT COUNT(*) FROM (
                SELECT 1 FROM ", $table, " WHERE account_id = ?1 AND session_row = ?2 LIMIT ?3) AS counted)"),+
        );
    };
}

// A table that refers to another stands before it, so that no deleted row cascades to others.
session_tables! {
    "tool_call_body" by "call_row, part",
    "tool_call" by "call_row",
    "tool_approval" by "id",
    "tool_grant" by "tool, definition_hash, args_hash",
    "tool_group" by "name",
    "tool_setting" by "kind, name",
    "scratch_value" by "name",
    "scratch" by "name",
    "tool_session" by "session_row",
    "trash_row" by "trash_id, number",
    "trash_snapshot" by "trash_id, page_row",
    "trash" by "id",
    "history" by "scope, host_row, key, seq",
    "variable" by "scope, host_row, key",
    "event" by "position, ordinal",
    "staged_write" by "page_row, key, slot",
    "promotion" by "page_row, seq, id",
    "floor_key" by "branch_row, key, floor_no",
    "snapshot" by "page_row",
    "keyframe" by "version_row",
    "version" by "version_row",
    "effect" by "page_row, version_row, ordinal",
    "recipe" by "recipe_hash",
    "session_story" by "session_row",
    "body" by "scope, host_row",
    "page_edit" by "page_row, number",
    "page" by "page_row",
    "floor" by "floor_row",
    "branch" by "branch_row",
}

#[cfg(test)]
mod tests {
    use super::NAMES;
    use crate::db::migrate::MIGRATIONS;

    /// A table that is missing here would be deleted in one go, with the session's row, however long it is.
    #[test]
    fn every_table_with_a_session_row_is_listed() {
        let tables = MIGRATIONS.iter().flat_map(|text| text.split("CREATE TABLE ").skip(1));
        for table in tables {
            let (name, columns) = table.split_once(" (").expect("a table has columns");
            let columns = columns.split("TABLE_KIND;").next().unwrap_or_default();
            let of_session = columns.lines().any(|line| line.trim_start().starts_with("session_row "));
            // A job outlives its session; migrations rename `large_body` to `body`, and `slotted_write` to `staged_write`.
            if of_session && !["session", "job", "large_body", "slotted_write"].contains(&name) {
                assert!(NAMES.contains(&name), "{name}");
            }
        }
    }
}
