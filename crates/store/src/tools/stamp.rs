//! Which configuration of a session's tools something was decided by.

use crate::tree::prelude::*;

/// Where a session's tools stand: its row, and a number that changes with every change of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConfigStamp {
    pub session_row: i64,
    pub config: i64,
    /// Of a session that has not used its tools yet: when the account's defaults were changed.
    pub defaults_at: i64,
}

impl ConfigStamp {
    /// Whether the session has a configuration of its own. Before its first use of tools the account's defaults count, and they
    /// change without a number.
    pub fn is_own(&self) -> bool {
        self.config != NOT_CONFIGURED
    }
}

/// Stands for the configuration of a session that has not used its tools yet.
pub(crate) const NOT_CONFIGURED: i64 = 0;
/// Stands for the time of defaults that an account does not have.
pub(crate) const NO_DEFAULTS: i64 = 0;

pub fn read(tx: &mut dyn Tx, account: &Id, session: &Id) -> StoreResult<ConfigStamp> {
    let sql = sql!(
        "SELECT s.session_row, t.config,
            CASE WHEN t.config IS NULL THEN (SELECT d.updated_at FROM tool_default d WHERE d.account_id = ?1) END
         FROM session s
         LEFT JOIN tool_session t ON t.account_id = s.account_id AND t.session_row = s.session_row
         WHERE s.account_id = ?1 AND s.id = ?2 AND s.deleted_at IS NULL"
    );
    first(tx, sql, params![account, session], |row| {
        let config = row.int_or_null(1)?.unwrap_or(NOT_CONFIGURED);
        Ok(ConfigStamp { session_row: row.int(0)?, config, defaults_at: row.int_or_null(2)?.unwrap_or(NO_DEFAULTS) })
    })?
    .ok_or_else(|| Refusal::SessionNotFound(session.clone()).into())
}
