//! The snapshots of a session: which page each belongs to, and where that stands.

use crate::story::versions::Kind;
use crate::tree::clock;
use crate::tree::prelude::*;
use crate::types::record::{Listed, Window};
use std::sync::LazyLock;
use tavernkeep_engine::limits::BRANCH_BYTES_MAX;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotEntry {
    pub id: Id,
    /// Where its page stands, while it exists.
    pub place: Option<SnapshotPlace>,
    pub edited: bool,
    /// When it got its id, in ms since 1970.
    pub created_at: i64,
    pub updated_at: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotPlace {
    pub page: Id,
    pub page_no: i64,
    pub page_version: i64,
    pub is_active: bool,
    /// Who speaks on it.
    pub role: Option<String>,
    pub floor: Id,
    pub floor_no: i64,
    pub branch: String,
}

tavernkeep_engine::stored_enum! {
    SnapshotSort {
        CreatedAt = "created_at",
        /// Where their pages stand; those without a page come before the first floor.
        FloorNo = "floor_no",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotQuery {
    pub session: Id,
    /// Only those whose page stands on this branch.
    pub branch: Option<String>,
    pub sort: SnapshotSort,
    pub window: Window,
}

const FROM: &str = "FROM snapshot n
    JOIN version v ON v.account_id = n.account_id AND v.session_row = n.session_row AND v.version_row = n.version_row
    LEFT JOIN page p ON p.account_id = n.account_id AND p.session_row = n.session_row AND p.page_row = n.page_row
    LEFT JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
    LEFT JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
    WHERE n.account_id = ?1 AND n.session_row = ?2 AND (CAST(?3 AS BIGINT) = 0 OR f.branch_row = ?3)";

static STATEMENTS: LazyLock<[Sql; 5]> = LazyLock::new(|| {
    let list = |order: &str| {
        Sql::assembled(format!(
            "SELECT n.id, n.version_row, n.created_at, v.kind, p.id, p.page_no, p.version, p.is_active, f.id, f.floor_no,
                b.id, p.role {FROM} ORDER BY {order} LIMIT ?4 OFFSET ?5"
        ))
    };
    [
        list("n.created_at DESC, n.page_row DESC"),
        list("n.created_at, n.page_row"),
        list("COALESCE(f.floor_no, -1) DESC, n.page_row DESC"),
        list("COALESCE(f.floor_no, -1), n.page_row"),
        Sql::assembled(format!("SELECT COUNT(*) {FROM}")),
    ]
});

pub fn list(tx: &mut dyn Tx, account: &Id, query: &SnapshotQuery) -> StoreResult<Listed<SnapshotEntry>> {
    let session = lookup::session(tx, account, &query.session)?;
    let branch_row = match &query.branch {
        None => 0,
        Some(branch) => lookup::branch(tx, session, &query.session, branch)?,
    };
    let window = query.window;
    let statement = STATEMENTS[usize::from(query.sort == SnapshotSort::FloorNo) * 2 + usize::from(window.ascending)];
    let params = in_session![session, branch_row, window.limit + 1, window.offset];
    tx::list(tx, window, (statement, params), (STATEMENTS[4], &params[..3]), read)
}

fn read(row: &dyn Row) -> StoreResult<SnapshotEntry> {
    let place = match row.text_or_null(4)? {
        None => None,
        // Its page is on its way to the trash.
        Some(_) if row.bytes(10)?.len() > BRANCH_BYTES_MAX => None,
        Some(page) => Some(SnapshotPlace {
            page: stored_id(page)?,
            page_no: row.int(5)?,
            page_version: row.int(6)?,
            is_active: row.int(7)? == 1,
            role: row.bytes_or_null(11)?.map(stored_text).transpose()?,
            floor: stored_id(row.text(8)?)?,
            floor_no: row.int(9)?,
            branch: stored_text(row.bytes(10)?)?,
        }),
    };
    Ok(SnapshotEntry {
        id: stored_id(row.text(0)?)?,
        place,
        edited: stored_enum::<Kind>(row.int(3)?)? == Kind::Edit,
        created_at: row.int(2)?,
        updated_at: clock::millis(row.int(1)?),
    })
}
