//! Snapshots: names of states that stay while the version behind them moves.

use crate::clock::Tick;
use crate::error::{Refusal, StoreResult};
use crate::events::{self, Scene};
use crate::hosts::stored_id;
use crate::record::EventKind;
use crate::story::versions::Kind;
use crate::tx::{Tx, first, one};
use crate::{params, sql};
use serde::{Deserialize, Serialize};
use tavernkeep_engine::id::Id;

/// A snapshot and where it belongs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Public id.
    pub id: Id,
    /// The session.
    pub session: Id,
    /// Its row.
    pub session_row: i64,
    /// The page, while it exists.
    pub page: Option<Id>,
    /// The page's row.
    pub page_row: i64,
    /// The version it points to.
    pub version_row: i64,
    /// Whether that was made by hand.
    pub edited: bool,
    /// When it got its id, in ms since 1970.
    pub created_at: i64,
    /// When it got this version.
    pub updated_at: i64,
}

/// Finds a snapshot by its id.
pub fn get(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Snapshot> {
    let sql = sql!(
        "SELECT s.id, n.session_row, p.id, n.page_row, n.version_row, v.kind, n.created_at FROM snapshot n
         JOIN session s ON s.account_id = n.account_id AND s.session_row = n.session_row
         JOIN version v ON v.account_id = n.account_id AND v.session_row = n.session_row AND v.version_row = n.version_row
         LEFT JOIN page p ON p.account_id = n.account_id AND p.session_row = n.session_row AND p.page_row = n.page_row
         WHERE n.account_id = ?1 AND n.id = ?2 AND s.deleted_at IS NULL"
    );
    let found = first(tx, sql, params![account, id], |row| {
        Ok(Snapshot {
            id: id.clone(),
            session: stored_id(row.text(0)?)?,
            session_row: row.int(1)?,
            page: row.text_or_null(2)?.map(stored_id).transpose()?,
            page_row: row.int(3)?,
            version_row: row.int(4)?,
            edited: Kind::of_number(row.int(5)?)? == Kind::Edit,
            created_at: row.int(6)?,
            updated_at: crate::clock::millis(row.int(4)?),
        })
    })?;
    found.ok_or_else(|| Refusal::SnapshotNotFound(id.clone()).into())
}

/// The version that a page's snapshot points to.
pub(crate) fn version_of(tx: &mut dyn Tx, account: &Id, session_row: i64, page_row: i64) -> StoreResult<Option<i64>> {
    let sql = sql!("SELECT version_row FROM snapshot WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    first(tx, sql, params![account, session_row, page_row], |row| row.int(0))
}

/// Points a page's snapshot to a version and tells so. A page that had none gets the id that was brought along.
pub(crate) fn point(
    tx: &mut dyn Tx,
    account: &Id,
    tick: Tick,
    (floor_row, page_row): (i64, i64),
    fresh: &Id,
    version_row: i64,
    kind: Kind,
) -> StoreResult<Id> {
    let id = set(tx, account, tick, page_row, fresh, version_row)?;
    let told = match kind {
        Kind::Turn => EventKind::StateComputed,
        Kind::Edit => EventKind::StateEdited,
    };
    let sql = sql!("SELECT id FROM page WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    let page = one(tx, sql, params![account, tick.session_row, page_row], |row| stored_id(row.text(0)?))?;
    let scene = Scene::of_floor(tx, account, tick.session_row, floor_row)?;
    events::tell(tx, account, tick, told, &scene, &id, Some(&event_detail(&page)))?;
    Ok(id)
}

/// What events of a snapshot tell beside its name.
pub(crate) fn event_detail(page: &Id) -> String {
    format!("{{\"page_id\":\"{page}\"}}")
}

/// The same, told by the caller.
pub(crate) fn set(
    tx: &mut dyn Tx,
    account: &Id,
    tick: Tick,
    page_row: i64,
    fresh: &Id,
    version_row: i64,
) -> StoreResult<Id> {
    let sql = sql!(
        "INSERT INTO snapshot (account_id, session_row, page_row, id, version_row, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (account_id, session_row, page_row) DO UPDATE SET version_row = excluded.version_row
         RETURNING id"
    );
    let params = params![account, tick.session_row, page_row, fresh, version_row, tick.now];
    one(tx, sql, params, |row| stored_id(row.text(0)?))
}

/// Forgets a page's snapshot, so that the next one gets another id.
pub(crate) fn forget(tx: &mut dyn Tx, account: &Id, session_row: i64, page_row: i64) -> StoreResult<()> {
    let sql = sql!("DELETE FROM snapshot WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    tx.execute(sql, params![account, session_row, page_row]).map(drop)
}
