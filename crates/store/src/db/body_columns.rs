//! Which columns hold encoded bodies (`db/codec.rs`). One list drives the check of their checksums and the migration that gave
//! them some.

use crate::db::sql::Sql;
use std::sync::LazyLock;

/// A table with bodies.
pub struct BodyTable {
    pub name: &'static str,
    /// The columns of its key behind the account and, where it has sessions, the session.
    pub key: &'static [&'static str],
    pub columns: &'static [&'static str],
    pub has_sessions: bool,
}

const fn of_session(name: &'static str, key: &'static [&'static str], columns: &'static [&'static str]) -> BodyTable {
    BodyTable { name, key, columns, has_sessions: true }
}

const fn of_account(name: &'static str, key: &'static [&'static str], columns: &'static [&'static str]) -> BodyTable {
    BodyTable { name, key, columns, has_sessions: false }
}

/// The rows of the trash, which hold bodies within their body.
pub const TRASH: &str = "trash_row";

pub const BODY_TABLES: &[BodyTable] = &[
    of_session("body", &["scope", "host_row"], &["content", "extra"]),
    of_session("version", &["version_row"], &["change", "outcome", "schema_change", "edit_problems"]),
    of_session("keyframe", &["version_row"], &["document", "mvu_schema"]),
    of_session("variable", &["scope", "host_row", "key"], &["value"]),
    of_session("history", &["scope", "host_row", "key", "seq"], &["value"]),
    of_session("staged_write", &["page_row", "key", "slot"], &["value", "reason", "source", "evidence"]),
    of_session("promotion", &["page_row", "seq", "id"], &["value"]),
    of_session("page_edit", &["page_row", "number"], &["ops"]),
    of_session("effect", &["page_row", "version_row", "ordinal"], &["detail"]),
    of_session("event", &["position", "ordinal"], &["detail"]),
    of_session("session_story", &[], &["template"]),
    of_session(TRASH, &["trash_id", "number"], &["body"]),
    of_session("scratch_value", &["name"], &["value"]),
    of_session("scratch", &["name"], &["value"]),
    of_session("tool_call_body", &["call_row", "part"], &["body"]),
    of_session("tool_call", &["call_row"], &["args"]),
    of_session("tool_group", &["name"], &["declaration"]),
    of_session("tool_setting", &["kind", "name"], &["permission"]),
    of_session("tool_session", &[], &["defaults"]),
    of_session("tool_grant", &["tool", "definition_hash", "args_hash"], &["args"]),
    of_account("account_grant", &["tool", "definition_hash", "args_hash"], &["args"]),
    of_account("tool_default", &[], &["defaults"]),
    of_account("function", &["id"], &["body"]),
    of_account("definition", &["hash"], &["body"]),
    of_account("character_story", &["character_row"], &["template", "greetings"]),
    of_account("character_card", &["character_row"], &["card", "image"]),
    of_account("global_snapshot_body", &["id"], &["document"]),
    of_account("job", &["id"], &["work"]),
    of_account("kept_answer", &["key"], &["answer"]),
];

impl BodyTable {
    /// All columns of its key.
    pub fn whole_key(&self) -> Vec<&'static str> {
        let leading: &[&str] = if self.has_sessions { &["account_id", "session_row"] } else { &["account_id"] };
        leading.iter().chain(self.key).copied().collect()
    }

    /// Reads the key and the bodies of its rows. Takes the account and the session's row; a table without
    /// sessions has its rows under 0.
    fn select(&self) -> String {
        let columns: Vec<&str> = self.key.iter().chain(self.columns).copied().collect();
        let columns = columns.join(", ");
        let session = if self.has_sessions { "session_row = ?2" } else { "CAST(?2 AS BIGINT) = 0" };
        format!("SELECT {columns} FROM {} WHERE account_id = ?1 AND {session}", self.name)
    }
}

/// The tables with the statements that read them.
pub static SELECTS: LazyLock<Vec<(&'static BodyTable, Sql)>> =
    LazyLock::new(|| BODY_TABLES.iter().map(|table| (table, Sql::assembled(table.select()))).collect());
