//! A branch as a chat file has it: every floor with all its swipes and what came with them, as it was at one moment.

use crate::tree::line;
use crate::tree::prelude::*;

/// A floor, or one slot of a floor that has several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMessage {
    /// What floors have no field for.
    pub metadata: Option<JsonText>,
    /// Its pages in the order of the swipes.
    pub pages: Vec<FilePage>,
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePage {
    pub text: String,
    pub role: Option<String>,
    pub name: Option<String>,
    pub is_active: bool,
    /// What pages have no field for.
    pub extra: Option<JsonText>,
    pub created_at: i64,
    /// The version that its state points to.
    pub version_row: Option<i64>,
}

/// The committed floors of a branch, and the row of its session.
pub fn read(tx: &mut dyn Tx, account: &Id, id: &Id, branch: &str) -> StoreResult<(i64, Vec<FileMessage>)> {
    let session = lookup::session(tx, account, id)?;
    let branch_row = lookup::branch(tx, session, id, branch)?;
    let sql = sql!(
        "SELECT f.floor_row, p.page_no, p.role, p.name, p.is_active, p.created_at, y.content, y.extra, m.extra, n.version_row
         FROM floor f
         JOIN page p ON p.account_id = f.account_id AND p.session_row = f.session_row AND p.floor_row = f.floor_row
         LEFT JOIN body y ON y.account_id = p.account_id AND y.session_row = p.session_row AND y.scope = 4
            AND y.host_row = COALESCE(p.text_row, p.page_row)
         LEFT JOIN body m ON m.account_id = f.account_id AND m.session_row = f.session_row AND m.scope = 3
            AND m.host_row = f.floor_row
         LEFT JOIN snapshot n ON n.account_id = p.account_id AND n.session_row = p.session_row AND n.page_row = p.page_row
         WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3 AND f.floor_no <= ?4 AND f.state = 2
         ORDER BY f.floor_no, p.page_no, p.version"
    );
    let mut messages: Vec<FileMessage> = Vec::new();
    for (segment, last) in line::segments(tx, session, branch_row, i64::MAX)? {
        let mut at: Option<(i64, i64)> = None;
        tx.query(sql, in_session![session, segment, last], &mut |row| {
            let slot = (row.int(0)?, row.int(1)?);
            if at != Some(slot) {
                // What came with a floor belongs to its first slot.
                let is_first = at.is_none_or(|(floor_row, _)| floor_row != slot.0);
                let metadata = if is_first { row.bytes_or_null(8)?.map(codec::decode_json).transpose()? } else { None };
                messages.push(FileMessage { metadata, pages: Vec::new() });
                at = Some(slot);
            }
            let page = FilePage {
                text: row.bytes_or_null(6)?.map(codec::decode).transpose()?.unwrap_or_default(),
                role: row.bytes_or_null(2)?.map(stored_text).transpose()?,
                name: row.bytes_or_null(3)?.map(stored_text).transpose()?,
                is_active: row.int(4)? == 1,
                extra: row.bytes_or_null(7)?.map(codec::decode_json).transpose()?,
                created_at: row.int(5)?,
                version_row: row.int_or_null(9)?,
            };
            if let Some(message) = messages.last_mut() {
                message.pages.push(page);
            }
            Ok(())
        })?;
    }
    Ok((session.row, messages))
}
