//! Every write of a variable leaves a row here. The newest row that counts is what the variable holds.
//!
//! A row that a page promoted counts only while that page is active. A restored row never counts: it records that a swipe
//! brought an older row back, which is still there itself.

use crate::tree::prelude::*;
use crate::types::record::{HistoryEntry, HistorySource, Listed, Window};
use std::sync::LazyLock;

/// Which rows count, for a table that is called `h`.
pub(crate) const COUNTS: &str = "h.source NOT IN (5, 7) AND (h.page_row IS NULL OR EXISTS (
    SELECT 1 FROM page p WHERE p.account_id = h.account_id AND p.session_row = h.session_row
        AND p.page_row = h.page_row AND p.is_active = 1))";

pub(crate) const INSERT: Sql = sql!(
    "INSERT INTO history (account_id, session_row, scope, host_row, key, seq, variable_id, source, page_row, value)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
);

pub(crate) struct Newest {
    pub(crate) variable_id: Id,
    pub(crate) source: HistorySource,
    pub(crate) value: Option<Vec<u8>>,
}

static NEWEST: LazyLock<Sql> = LazyLock::new(|| {
    Sql::assembled(format!(
        "SELECT h.variable_id, h.source, h.value FROM history h
         WHERE h.account_id = ?1 AND h.session_row = ?2 AND h.scope = ?3 AND h.host_row = ?4 AND h.key = ?5 AND {COUNTS}
         ORDER BY h.seq DESC LIMIT 1"
    ))
});

/// What a variable should hold now, from its history.
pub(crate) fn newest(tx: &mut dyn Tx, account: &Id, host: HostRow, key: &Key) -> StoreResult<Option<Newest>> {
    let params = params![account, host.session_row, host.scope.number(), host.host_row, key.as_str().as_bytes()];
    first(tx, *NEWEST, params, |row| {
        Ok(Newest {
            variable_id: stored_id(row.text(0)?)?,
            source: stored_enum(row.int(1)?)?,
            value: row.bytes_or_null(2)?.map(<[u8]>::to_vec),
        })
    })
}

static OF_VARIABLE: LazyLock<[Sql; 3]> = LazyLock::new(|| {
    let from = "FROM history h WHERE h.account_id = ?1 AND h.session_row = ?2 AND h.scope = ?3 AND h.host_row = ?4
        AND h.key = ?5";
    let rows = |direction: &str| {
        Sql::assembled(format!(
            "SELECT h.seq, h.variable_id, h.source, q.id, h.value FROM history h
             LEFT JOIN page q ON q.account_id = h.account_id AND q.session_row = h.session_row AND q.page_row = h.page_row
             WHERE h.account_id = ?1 AND h.session_row = ?2 AND h.scope = ?3 AND h.host_row = ?4 AND h.key = ?5
             ORDER BY h.seq {direction} LIMIT ?6 OFFSET ?7"
        ))
    };
    [rows("DESC"), rows("ASC"), Sql::assembled(format!("SELECT COUNT(*) {from}"))]
});

/// Every write of the variable with this id, and of those that stood at its place before it.
pub fn of_variable(tx: &mut dyn Tx, account: &Id, id: &Id, window: Window) -> StoreResult<Listed<HistoryEntry>> {
    let (host, key) = first(tx, crate::variables::PLACE, params![account, id], |row| {
        Ok((HostRow::new(row.int(0)?, stored_enum(row.int(1)?)?, row.int(2)?), row.bytes(3)?.to_vec()))
    })?
    .ok_or_else(|| Refusal::VariableNotFound(id.to_string()))?;
    let HostRow { session_row, scope, host_row } = host;
    let params = params![account, session_row, scope.number(), host_row, &key, window.limit + 1, window.offset];
    let rows = (OF_VARIABLE[usize::from(window.ascending)], params as &[_]);
    tx::list(tx, window, rows, (OF_VARIABLE[2], &params[..5]), read)
}

fn read(row: &dyn Row) -> StoreResult<HistoryEntry> {
    let seq = row.int(0)?;
    Ok(HistoryEntry {
        revision: seq,
        at: crate::tree::clock::millis(seq),
        variable: stored_id(row.text(1)?)?,
        source: stored_enum(row.int(2)?)?,
        page: row.text_or_null(3)?.map(stored_id).transpose()?,
        value: row.bytes_or_null(4)?.map(codec::decode_json).transpose()?,
    })
}
