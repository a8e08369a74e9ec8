//! Which write goes first: a write begins by taking the clock row of what it changes.
//!
//! Taking the row serialises the writers of one session (of one account for global data) on PostgreSQL as the one writer
//! thread does on SQLite. So whatever a transaction reads after it has taken a clock stays true until it commits. A write
//! of several sessions takes the account's clock first and then the sessions' by rising row, so that two writes never
//! deadlock.
//!
//! A tick is the time in microseconds, or one more than the last tick if that was not earlier. So ticks rise strictly,
//! times never go back, and a tick is never used twice: not after a session was deleted and made again, and not after a
//! backup was restored. Revisions that are shown outside rely on that.
//!
//! A [`SessionClock`] or [`AccountClock`] proves that the row is taken: only this module makes them, and functions that
//! write rows of a session borrow one. A session's clock gives out ticks and row numbers from memory; the function that has
//! taken the clock stores how far they got with one statement when the work is done.

use crate::db::tx::ClockName;
use crate::db::{long_work, reservations};
use crate::tree::prelude::*;
use std::cell::Cell;

/// One tick of a clock that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tick<'a> {
    session: SessionKey<'a>,
    seq: i64,
}

impl<'a> Tick<'a> {
    /// The tick at which a session was made that is hidden while it is imported. Nobody else finds it, and its clock moves on only
    /// when it is shown.
    pub(crate) fn of_import(session: SessionKey<'a>, seq: i64) -> Tick<'a> {
        Tick { session, seq }
    }

    pub(crate) fn account(self) -> &'a Id {
        self.session.account
    }

    /// The session; its row is 0 for the account's clock.
    pub(crate) fn key(self) -> SessionKey<'a> {
        self.session
    }

    /// The session's row; 0 for the account's clock.
    pub(crate) fn session_row(self) -> i64 {
        self.session.row
    }

    pub(crate) fn seq(self) -> i64 {
        self.seq
    }

    /// The time of this tick in milliseconds.
    pub(crate) fn now(self) -> i64 {
        millis(self.seq)
    }
}

/// The clocks that a write of variables has taken.
pub(crate) trait Clocks {
    fn account(&self) -> &Id;

    /// The clock of a host's session; none for global data.
    fn session_of(&self, host: HostRow) -> Option<&SessionClock>;

    /// The tick under which a host is written.
    fn tick_of(&self, host: HostRow) -> StoreResult<Tick<'_>>;

    /// The time of the whole write: the latest of its clocks, so that one batch has one time.
    fn time(&self) -> i64;
}

/// The account's clock, which also guards the names of its sessions. A function that borrows one knows that it is taken.
#[derive(Debug)]
pub struct AccountClock {
    account: Id,
    seq: i64,
}

impl AccountClock {
    /// Takes the clock of an account. Nothing is returned if there is no such account.
    pub(crate) fn take(tx: &mut dyn Tx, account: &Id, now: i64) -> StoreResult<Option<AccountClock>> {
        tx.queue_for(ClockName::Account(account))?;
        let sql = sql!(
            "UPDATE account SET seq = CASE WHEN seq < ?2 THEN ?2 ELSE seq + 1 END WHERE account_id = ?1 RETURNING seq"
        );
        first(tx, sql, params![account, micros(now)], |row| {
            Ok(AccountClock { account: account.clone(), seq: row.int(0)? })
        })
    }

    /// The same for an account that must be there.
    pub(crate) fn of(tx: &mut dyn Tx, account: &Id, now: i64) -> StoreResult<AccountClock> {
        AccountClock::take(tx, account, now)?.ok_or_else(|| Refusal::AccountNotFound(account.clone()).into())
    }

    pub(crate) fn account(&self) -> &Id {
        &self.account
    }

    pub(crate) fn tick(&self) -> Tick<'_> {
        Tick { session: SessionKey::new(&self.account, 0), seq: self.seq }
    }

    /// The time of this write in milliseconds.
    pub(crate) fn now(&self) -> i64 {
        millis(self.seq)
    }
}

/// A session's clock. A function that borrows one knows that it is taken.
#[derive(Debug)]
pub struct SessionClock {
    account: Id,
    session_row: i64,
    names_state: bool,
    has_forks: Cell<bool>,
    /// The current tick, and the highest row number that was given out.
    seq: Cell<i64>,
    last_row: Cell<i64>,
    changed: Cell<bool>,
    /// The same as the session's row has them.
    stored: Stored,
}

#[derive(Debug, Clone, Copy)]
struct Stored {
    seq: i64,
    last_row: i64,
    changed: bool,
}

/// What a write is known to need beside its first tick: it is stored when the clock is taken, which saves a statement at
/// the end.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reserve {
    pub(crate) ticks: i64,
    /// Row numbers. A session that gets rows has changed.
    pub(crate) rows: i64,
}

impl SessionClock {
    /// The clock of a session that this transaction has inserted with the account's tick. No other transaction sees it yet.
    pub(crate) fn of_new(held: &AccountClock, session_row: i64, last_row: i64) -> SessionClock {
        let stored = Stored { seq: held.seq, last_row, changed: true };
        SessionClock::new(SessionKey::new(&held.account, session_row), (false, false), stored, Reserve::default())
    }

    fn new(
        session: SessionKey<'_>,
        (names_state, has_forks): (bool, bool),
        stored: Stored,
        reserve: Reserve,
    ) -> SessionClock {
        SessionClock {
            account: session.account.clone(),
            session_row: session.row,
            names_state,
            has_forks: Cell::new(has_forks),
            seq: Cell::new(stored.seq - reserve.ticks),
            last_row: Cell::new(stored.last_row - reserve.rows),
            changed: Cell::new(stored.changed),
            stored,
        }
    }

    fn read(account: &Id, row: &dyn Row, reserve: Reserve) -> StoreResult<SessionClock> {
        let stored = Stored { seq: row.int(1)?, last_row: row.int(2)?, changed: reserve.rows > 0 };
        let flags = (row.int(3)? == 1, row.int(4)? == 1);
        Ok(SessionClock::new(SessionKey::new(account, row.int(0)?), flags, stored, reserve))
    }

    /// Takes the clock of a session by its public id. The caller calls `store`.
    pub(super) fn take(
        tx: &mut dyn Tx,
        account: &Id,
        session: &Id,
        now: i64,
        reserve: Reserve,
    ) -> StoreResult<Option<SessionClock>> {
        reservations::respect_by_id(tx, account, session)?;
        tx.queue_for(ClockName::Session(account, session))?;
        let sql = sql!(
            "UPDATE session SET seq = CASE WHEN seq < ?3 THEN ?3 ELSE seq + 1 END + ?4, last_row = last_row + ?5,
                updated_at = CASE WHEN CAST(?5 AS BIGINT) = 0 THEN updated_at WHEN seq < ?3 THEN ?3 / 1000
                    ELSE (seq + 1) / 1000 END
             WHERE account_id = ?1 AND id = ?2
             RETURNING session_row, seq, last_row, CASE WHEN state_key IS NULL THEN 0 ELSE 1 END, has_forks"
        );
        let params = params![account, session, micros(now), reserve.ticks, reserve.rows];
        first(tx, sql, params, |row| SessionClock::read(account, row, reserve))
    }

    /// Takes the clock of a session by its row. One that is being deleted has none any more. The caller calls `store`.
    pub(super) fn take_row(tx: &mut dyn Tx, session: SessionKey<'_>, now: i64) -> StoreResult<Option<SessionClock>> {
        reservations::respect(session.account, session.row)?;
        tx.queue_for(ClockName::SessionRow(session.account, session.row))?;
        let sql = sql!(
            "UPDATE session SET seq = CASE WHEN seq < ?3 THEN ?3 ELSE seq + 1 END
             WHERE account_id = ?1 AND session_row = ?2 AND deleted_at IS NULL
             RETURNING session_row, seq, last_row, CASE WHEN state_key IS NULL THEN 0 ELSE 1 END, has_forks"
        );
        let read = |row: &dyn Row| SessionClock::read(session.account, row, Reserve::default());
        first(tx, sql, in_session![session, micros(now)], read)
    }

    /// Stores how far ticks and rows got, and whether the session has changed; nothing if the row has it already.
    pub(super) fn store(&self, tx: &mut dyn Tx) -> StoreResult<()> {
        let changed = self.changed.get() && !self.stored.changed;
        if self.seq.get() <= self.stored.seq && self.last_row.get() <= self.stored.last_row && !changed {
            return Ok(());
        }
        let sql = sql!(
            "UPDATE session SET seq = ?3, last_row = ?4, updated_at = COALESCE(CAST(?5 AS BIGINT), updated_at)
             WHERE account_id = ?1 AND session_row = ?2"
        );
        let (seq, last_row) = (self.seq.get().max(self.stored.seq), self.last_row.get().max(self.stored.last_row));
        let updated_at = changed.then(|| self.now());
        tx.execute(sql, params![&self.account, self.session_row, seq, last_row, updated_at]).map(drop)
    }

    pub(crate) fn account(&self) -> &Id {
        &self.account
    }

    pub(crate) fn session_row(&self) -> i64 {
        self.session_row
    }

    pub(crate) fn key(&self) -> SessionKey<'_> {
        SessionKey::new(&self.account, self.session_row)
    }

    /// Whether the session's story state has a name of its own among variables.
    pub(crate) fn names_state(&self) -> bool {
        self.names_state
    }

    /// Whether the session ever had a fork.
    pub(crate) fn has_forks(&self) -> bool {
        self.has_forks.get()
    }

    /// Notes that the session has a fork.
    pub(crate) fn note_fork(&self, tx: &mut dyn Tx) -> StoreResult<()> {
        if self.has_forks.replace(true) {
            return Ok(());
        }
        let sql = sql!("UPDATE session SET has_forks = 1 WHERE account_id = ?1 AND session_row = ?2");
        tx.execute(sql, params![&self.account, self.session_row]).map(drop)
    }

    pub(crate) fn tick(&self) -> Tick<'_> {
        Tick { session: self.key(), seq: self.seq.get() }
    }

    pub(crate) fn seq(&self) -> i64 {
        self.seq.get()
    }

    /// The time of the current tick in milliseconds.
    pub(crate) fn now(&self) -> i64 {
        millis(self.seq.get())
    }

    /// Goes on to the next tick: what is written from here on is later than what was written before.
    pub(crate) fn advance(&self) -> Tick<'_> {
        self.seq.set(self.seq.get() + 1);
        self.tick()
    }

    /// The next row number for a branch, floor or page. The session has changed.
    pub(crate) fn next_row(&self) -> i64 {
        self.next_rows(1)
    }

    /// The first of so many row numbers.
    pub(crate) fn next_rows(&self, count: i64) -> i64 {
        self.mark_changed();
        let first = self.last_row.get() + 1;
        self.last_row.set(self.last_row.get() + count);
        first
    }

    pub(crate) fn mark_changed(&self) {
        self.changed.set(true);
    }
}

impl Clocks for AccountClock {
    fn account(&self) -> &Id {
        &self.account
    }

    fn session_of(&self, _: HostRow) -> Option<&SessionClock> {
        None
    }

    fn tick_of(&self, host: HostRow) -> StoreResult<Tick<'_>> {
        match host.session_row {
            0 => Ok(self.tick()),
            _ => Err(StoreError::Internal("the clock of this host is not taken".into())),
        }
    }

    fn time(&self) -> i64 {
        self.now()
    }
}

impl Clocks for SessionClock {
    fn account(&self) -> &Id {
        &self.account
    }

    fn session_of(&self, host: HostRow) -> Option<&SessionClock> {
        Some(self).filter(|clock| clock.session_row == host.session_row)
    }

    fn tick_of(&self, host: HostRow) -> StoreResult<Tick<'_>> {
        match host.session_row == self.session_row {
            true => Ok(self.tick()),
            false => Err(StoreError::Internal("the clock of this host is not taken".into())),
        }
    }

    fn time(&self) -> i64 {
        self.now()
    }
}

/// Takes the clock of a session by its public id, does the work, and stores how far the clock got.
pub(crate) fn with_session<T>(
    tx: &mut dyn Tx,
    account: &Id,
    session: &Id,
    now: i64,
    reserve: Reserve,
    work: impl FnOnce(&mut dyn Tx, &SessionClock) -> StoreResult<T>,
) -> StoreResult<T> {
    let clock = SessionClock::take(tx, account, session, now, reserve)?;
    finish(tx, clock, work)?.ok_or_else(|| Refusal::SessionNotFound(session.clone()).into())
}

/// The same for a session whose clock still stands at the tick that was read, in an account whose functions are still those that
/// were read: they change without its sessions. Nothing is done if one of them has moved on, or if the session is gone.
pub(crate) fn with_unchanged_session<T>(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    (seq, functions): (i64, Option<&[u8]>),
    now: i64,
    reserve: Reserve,
    work: impl FnOnce(&mut dyn Tx, &SessionClock) -> StoreResult<T>,
) -> StoreResult<Option<T>> {
    reservations::respect(session.account, session.row)?;
    tx.queue_for(ClockName::SessionRow(session.account, session.row))?;
    let sql = sql!(
        "UPDATE session SET seq = ?4, last_row = last_row + ?5, updated_at = ?6
         WHERE account_id = ?1 AND session_row = ?2 AND seq = ?3 AND deleted_at IS NULL AND EXISTS (
            SELECT 1 FROM account a WHERE a.account_id = ?1 AND a.functions_hash IS NOT DISTINCT FROM ?7)
         RETURNING session_row, seq, last_row, CASE WHEN state_key IS NULL THEN 0 ELSE 1 END, has_forks"
    );
    let next = micros(now).max(seq + 1) + reserve.ticks;
    let params = in_session![session, seq, next, reserve.rows, millis(next), functions];
    let clock = first(tx, sql, params, |row| SessionClock::read(session.account, row, reserve))?;
    finish(tx, clock, work)
}

/// The same for a session whose clock still stands at the tick that was read: nothing of it has changed since. Nothing is done
/// if it has. The work does not stop for long work, which would change the tick.
pub(crate) fn with_session_at<T>(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    seq: i64,
    now: i64,
    work: impl FnOnce(&mut dyn Tx, &SessionClock) -> StoreResult<T>,
) -> StoreResult<Option<T>> {
    reservations::respect(session.account, session.row)?;
    tx.queue_for(ClockName::SessionRow(session.account, session.row))?;
    let sql = sql!(
        "UPDATE session SET seq = ?4 WHERE account_id = ?1 AND session_row = ?2 AND seq = ?3 AND deleted_at IS NULL
         RETURNING session_row, seq, last_row, CASE WHEN state_key IS NULL THEN 0 ELSE 1 END, has_forks"
    );
    let params = in_session![session, seq, micros(now).max(seq + 1)];
    let clock = first(tx, sql, params, |row| SessionClock::read(session.account, row, Reserve::default()))?;
    finish(tx, clock, |tx, clock| long_work::without_stops(|| work(tx, clock)))
}

/// The same for a session that is known by its row. Nothing is done if it is gone or being deleted.
pub fn with_session_row<T>(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    now: i64,
    work: impl FnOnce(&mut dyn Tx, &SessionClock) -> StoreResult<T>,
) -> StoreResult<Option<T>> {
    let clock = SessionClock::take_row(tx, session, now)?;
    finish(tx, clock, work)
}

fn finish<T>(
    tx: &mut dyn Tx,
    clock: Option<SessionClock>,
    work: impl FnOnce(&mut dyn Tx, &SessionClock) -> StoreResult<T>,
) -> StoreResult<Option<T>> {
    let Some(clock) = clock else { return Ok(None) };
    let done = work(tx, &clock)?;
    clock.store(tx)?;
    Ok(Some(done))
}

const MICROS_PER_MS: i64 = 1_000;

/// The time of a tick in milliseconds.
pub(crate) fn millis(seq: i64) -> i64 {
    seq / MICROS_PER_MS
}

/// The first tick of a millisecond.
pub(crate) fn micros(now: i64) -> i64 {
    now.saturating_mul(MICROS_PER_MS)
}
