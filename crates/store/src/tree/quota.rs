//! How much an account may have, and how much it has. Whatever is counted here is counted as it is written, so that a
//! check costs a few small rows whatever the account holds.

use crate::tree::prelude::*;
use crate::tree::totals::TRASH;

/// What an account may have at most, unless it has quotas of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotas {
    pub sessions: i64,
    /// Variables on all scopes together.
    pub variables: i64,
    /// Keys that open the account.
    pub keys: i64,
    pub global_snapshots: i64,
}

impl Default for Quotas {
    /// Far above what a person makes, and low enough that a program run wild is noticed.
    fn default() -> Self {
        Quotas { sessions: 100_000, variables: 10_000_000, keys: 1_000, global_snapshots: 10_000 }
    }
}

/// What an account has of something, and what it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub used: i64,
    /// How much of that is in the trash.
    pub trashed: i64,
    pub max: i64,
    /// Whether that was said for this account alone.
    pub own: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    pub sessions: Share,
    /// Variables on all scopes together.
    pub variables: Share,
    /// Keys that open the account.
    pub keys: Share,
}

/// New quotas of one account. The outer `None` leaves one as it is, the inner `None` goes back to the server's setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuotaPatch {
    pub sessions: Option<Option<i64>>,
    pub variables: Option<Option<i64>>,
    pub keys: Option<Option<i64>>,
}

pub fn usage(tx: &mut dyn Tx, account: &Id, quotas: &Quotas, now: i64) -> StoreResult<Usage> {
    let sql = sql!(
        "SELECT sessions, sessions_max, variables_max, keys_max, sessions_trashed FROM account WHERE account_id = ?1"
    );
    let (sessions, trashed_sessions, own) = first(tx, sql, params![account], |row| {
        Ok((row.int(0)?, row.int(4)?, [row.int_or_null(1)?, row.int_or_null(2)?, row.int_or_null(3)?]))
    })?
    .ok_or_else(|| Refusal::AccountNotFound(account.clone()))?;
    let share = |(used, trashed), own: Option<i64>, usual| Share {
        used,
        trashed,
        max: own.unwrap_or(usual),
        own: own.is_some(),
    };
    Ok(Usage {
        sessions: share((sessions + trashed_sessions, trashed_sessions), own[0], quotas.sessions),
        variables: share(variables(tx, account)?, own[1], quotas.variables),
        keys: share((keys(tx, account, now)?, 0), own[2], quotas.keys),
    })
}

pub fn set(tx: &mut dyn Tx, account: &Id, patch: &QuotaPatch, now: i64) -> StoreResult<()> {
    AccountClock::of(tx, account, now)?;
    for (sql, max) in [
        (sql!("UPDATE account SET sessions_max = ?2 WHERE account_id = ?1"), patch.sessions),
        (sql!("UPDATE account SET variables_max = ?2 WHERE account_id = ?1"), patch.variables),
        (sql!("UPDATE account SET keys_max = ?2 WHERE account_id = ?1"), patch.keys),
    ] {
        if let Some(max) = max {
            tx.execute(sql, params![account, max])?;
        }
    }
    Ok(())
}

/// Counts a session that is made. One more than there may be, in the trash or not, is a refusal.
pub(crate) fn count_session(tx: &mut dyn Tx, clock: &AccountClock, max: i64) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE account SET sessions = sessions + 1 WHERE account_id = ?1
         RETURNING sessions, sessions_trashed, COALESCE(sessions_max, ?2)"
    );
    let read = |row: &dyn Row| Ok((row.int(0)?, row.int(1)?, row.int(2)?));
    let (used, trashed, max) = one(tx, sql, params![clock.account(), max], read)?;
    refuse(used + trashed > max, "sessions", max, trashed)
}

/// Counts sessions that go to the trash, come back or are purged.
pub(crate) fn move_sessions(tx: &mut dyn Tx, account: &Id, more: i64, trashed: i64) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE account SET sessions = sessions + ?2, sessions_trashed = sessions_trashed + ?3 WHERE account_id = ?1"
    );
    tx.execute(sql, params![account, more, trashed]).map(drop)
}

/// Refuses variables that would be more than there may be. Two sessions that write at the same moment do not wait for
/// each other, so together they can pass the limit by what they write in that moment.
pub(crate) fn room_for_variables(tx: &mut dyn Tx, account: &Id, more: i64, quotas: &Quotas) -> StoreResult<()> {
    if more <= 0 {
        return Ok(());
    }
    let max = variables_max(tx, account, quotas)?;
    let (used, trashed) = variables(tx, account)?;
    refuse(used + more > max, "variables", max, trashed)
}

/// Refuses a write that has made more variables than there may be.
pub(crate) fn keep_within(tx: &mut dyn Tx, account: &Id, quotas: &Quotas) -> StoreResult<()> {
    let max = variables_max(tx, account, quotas)?;
    let (used, trashed) = variables(tx, account)?;
    refuse(used > max, "variables", max, trashed)
}

fn variables_max(tx: &mut dyn Tx, account: &Id, quotas: &Quotas) -> StoreResult<i64> {
    let sql = sql!("SELECT COALESCE(variables_max, ?2) FROM account WHERE account_id = ?1");
    one(tx, sql, params![account, quotas.variables], |row| row.int(0))
}

pub(crate) fn room_for_key(tx: &mut dyn Tx, clock: &AccountClock, quotas: &Quotas, now: i64) -> StoreResult<()> {
    let sql = sql!("SELECT COALESCE(keys_max, ?2) FROM account WHERE account_id = ?1");
    let max = one(tx, sql, params![clock.account(), quotas.keys], |row| row.int(0))?;
    refuse(keys(tx, clock.account(), now)? >= max, "keys", max, 0)
}

/// How many variables there are, and how many of them are in the trash.
fn variables(tx: &mut dyn Tx, account: &Id) -> StoreResult<(i64, i64)> {
    let sql = sql!(
        "SELECT CAST(COALESCE(SUM(total), 0) AS BIGINT),
            CAST(COALESCE(SUM(CASE WHEN scope = ?2 THEN total ELSE 0 END), 0) AS BIGINT)
         FROM variable_total WHERE account_id = ?1"
    );
    one(tx, sql, params![account, TRASH], |row| Ok((row.int(0)?, row.int(1)?)))
}

fn keys(tx: &mut dyn Tx, account: &Id, now: i64) -> StoreResult<i64> {
    let sql = sql!(
        "SELECT COUNT(*) FROM api_key
         WHERE account_id = ?1 AND signed_in_with IS NULL AND revoked_at IS NULL
           AND (expires_at IS NULL OR expires_at > ?2)"
    );
    one(tx, sql, params![account, now], |row| row.int(0))
}

/// What is in the trash counts, so that deleting is no way around a quota; the refusal says that emptying it helps.
pub(crate) fn refuse(over: bool, what: &'static str, max: i64, trashed: i64) -> StoreResult<()> {
    match (over, trashed) {
        (false, _) => Ok(()),
        (true, 0) => Err(Refusal::TooMany(what, max).into()),
        (true, trashed) => Err(Refusal::TooManyWithTrash { what, max, trashed }.into()),
    }
}
