//! What variables and bodies hang on, as rows: finding hosts, locking them for a write, and naming them again.

use crate::tree::clock::{Clocks, Reserve};
use crate::tree::prelude::*;
use crate::types::record::Host;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tavernkeep_engine::floor::FloorState;

/// A host as the database knows it. Global data has session 0; global and chat data have host 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostRow {
    pub session_row: i64,
    pub scope: Scope,
    /// The branch, floor or page.
    pub host_row: i64,
}

impl HostRow {
    pub const GLOBAL: HostRow = HostRow { session_row: 0, scope: Scope::Global, host_row: 0 };

    pub(crate) fn new(session_row: i64, scope: Scope, host_row: i64) -> Self {
        HostRow { session_row, scope, host_row }
    }
}

pub fn find(tx: &mut dyn Tx, account: &Id, host: &Host) -> StoreResult<Option<HostRow>> {
    let (sql, params): (Sql, &[Param<'_>]) = match host {
        Host::Global => return Ok(Some(HostRow::GLOBAL)),
        Host::Chat(session) => {
            (sql!("SELECT session_row, 0 FROM session WHERE account_id = ?1 AND id = ?2"), params![account, session])
        }
        Host::Branch(session, branch) => (
            sql!(
                "SELECT s.session_row, b.branch_row FROM session s
                 JOIN branch b ON b.account_id = s.account_id AND b.session_row = s.session_row
                 WHERE s.account_id = ?1 AND s.id = ?2 AND b.id = ?3"
            ),
            params![account, session, branch.as_bytes()],
        ),
        Host::Floor(floor) => (
            sql!(
                "SELECT f.session_row, f.floor_row FROM floor f
                 JOIN session s ON s.account_id = f.account_id AND s.session_row = f.session_row
                 WHERE f.account_id = ?1 AND f.id = ?2 AND s.deleted_at IS NULL AND f.floor_no >= 0"
            ),
            params![account, floor],
        ),
        Host::Page(page) => (
            sql!(
                "SELECT p.session_row, p.page_row FROM page p
                 JOIN session s ON s.account_id = p.account_id AND s.session_row = p.session_row
                 JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
                 WHERE p.account_id = ?1 AND p.id = ?2 AND s.deleted_at IS NULL AND f.floor_no >= 0"
            ),
            params![account, page],
        ),
    };
    first(tx, sql, params, |row| Ok(HostRow::new(row.int(0)?, host.scope(), row.int(1)?)))
}

/// Hosts whose clocks a write has taken.
pub(crate) struct Locked {
    /// The hosts, in the order they were asked for.
    pub(crate) rows: Vec<HostRow>,
    account: Id,
    global: Option<AccountClock>,
    sessions: BTreeMap<i64, SessionClock>,
}

impl Locked {
    /// The clock of a host's session; none if there was none to be taken.
    pub(crate) fn session(&self, row: HostRow) -> Option<&SessionClock> {
        self.sessions.get(&row.session_row)
    }

    /// Takes the clocks of hosts that are known by row, the account's first, then the sessions' by rising row.
    fn take(tx: &mut dyn Tx, account: &Id, rows: Vec<HostRow>, now: i64) -> StoreResult<Locked> {
        let mut locked = Locked { rows, account: account.clone(), global: None, sessions: BTreeMap::new() };
        let sessions: BTreeSet<i64> = locked.rows.iter().map(|row| row.session_row).collect();
        for session_row in sessions {
            if session_row == 0 {
                locked.global = AccountClock::take(tx, account, now)?;
            } else if let Some(clock) = SessionClock::take_row(tx, SessionKey::new(account, session_row), now)? {
                locked.sessions.insert(session_row, clock);
            }
        }
        Ok(locked)
    }

    fn holds(&self, row: HostRow) -> bool {
        if row.session_row == 0 { self.global.is_some() } else { self.session(row).is_some() }
    }
}

impl Clocks for Locked {
    fn account(&self) -> &Id {
        &self.account
    }

    fn session_of(&self, host: HostRow) -> Option<&SessionClock> {
        self.session(host)
    }

    fn tick_of(&self, host: HostRow) -> StoreResult<Tick<'_>> {
        let tick = match host.session_row {
            0 => self.global.as_ref().map(AccountClock::tick),
            _ => self.session(host).map(SessionClock::tick),
        };
        tick.ok_or_else(|| StoreError::Internal("the clock of this host is not taken".into()))
    }

    fn time(&self) -> i64 {
        let global = self.global.iter().map(AccountClock::now);
        global.chain(self.sessions.values().map(SessionClock::now)).max().unwrap_or(0)
    }
}

/// Takes the clocks of hosts, checks that their variables may be written, and writes them.
pub(crate) fn with_hosts<T>(
    tx: &mut dyn Tx,
    account: &Id,
    hosts: &[&Host],
    now: i64,
    work: impl FnOnce(&mut dyn Tx, &Locked) -> StoreResult<T>,
) -> StoreResult<T> {
    let missing = |host: &Host| Refusal::HostNotFound(host.clone());
    // The common case needs one statement: the clock finds the session by its id.
    if let [host @ Host::Chat(session)] = hosts {
        let locked = SessionClock::take(tx, account, session, now, Reserve::default())?.map(|clock| Locked {
            rows: vec![HostRow::new(clock.session_row(), Scope::Chat, 0)],
            account: account.clone(),
            global: None,
            sessions: BTreeMap::from([(clock.session_row(), clock)]),
        });
        return finish(tx, &locked.ok_or_else(|| missing(host))?, work);
    }
    let mut rows = Vec::with_capacity(hosts.len());
    for host in hosts {
        rows.push(find(tx, account, host)?.ok_or_else(|| missing(host))?);
    }
    with_rows(tx, account, rows, now, |tx, locked| {
        for (host, &row) in hosts.iter().zip(&locked.rows) {
            // The write that held the clock before us may have deleted the host or moved its floor on.
            if !locked.holds(row) || !may_write(tx, account, row, locked.time())? {
                return Err(missing(host).into());
            }
        }
        work(tx, locked)
    })
}

/// Takes the clocks of hosts that are known by row, and does the work.
pub(crate) fn with_rows<T>(
    tx: &mut dyn Tx,
    account: &Id,
    rows: Vec<HostRow>,
    now: i64,
    work: impl FnOnce(&mut dyn Tx, &Locked) -> StoreResult<T>,
) -> StoreResult<T> {
    let locked = Locked::take(tx, account, rows, now)?;
    finish(tx, &locked, work)
}

fn finish<T>(
    tx: &mut dyn Tx,
    locked: &Locked,
    work: impl FnOnce(&mut dyn Tx, &Locked) -> StoreResult<T>,
) -> StoreResult<T> {
    let done = work(tx, locked)?;
    locked.sessions.values().try_for_each(|clock| clock.store(tx))?;
    Ok(done)
}

/// Whether the host still exists. A floor or page that is locked is a refusal.
pub(crate) fn may_write(tx: &mut dyn Tx, account: &Id, row: HostRow, now: i64) -> StoreResult<bool> {
    let sql = match row.scope {
        Scope::Global => return Ok(true),
        Scope::Chat => sql!(
            "SELECT 0, CAST(NULL AS BIGINT) FROM session
                 WHERE account_id = ?1 AND session_row = ?2 AND ?3 = 0"
        ),
        Scope::Branch => {
            sql!(
                "SELECT 0, CAST(NULL AS BIGINT) FROM branch
                 WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"
            )
        }
        Scope::Floor => {
            sql!("SELECT state, lease_until FROM floor WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3")
        }
        Scope::Page => sql!(
            "SELECT f.state, f.lease_until FROM page p
             JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
             WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = ?3"
        ),
    };
    let state = first(tx, sql, params![account, row.session_row, row.host_row], floor_state)?;
    let Some((state, lease_until)) = state else { return Ok(false) };
    if !state.at(lease_until, now).variables_writable() {
        return Err(Refusal::VariableLocked(row.scope).into());
    }
    Ok(true)
}

fn floor_state(row: &dyn Row) -> StoreResult<(FloorState, Option<i64>)> {
    // Every host that is no floor counts as a draft here: nothing locks it.
    Ok((stored_enum(row.int(0)?)?, row.int_or_null(1)?))
}

/// Hosts by their rows.
pub(crate) type Names = HashMap<HostRow, Host>;

/// The public names of hosts, looked up in one go for each kind.
pub fn names(tx: &mut dyn Tx, account: &Id, mut wanted: Vec<HostRow>) -> StoreResult<Names> {
    wanted.sort_unstable();
    wanted.dedup();
    let mut names = HashMap::with_capacity(wanted.len());
    for &scope in Scope::ALL {
        let rows: Vec<HostRow> = wanted.iter().copied().filter(|row| row.scope == scope).collect();
        let sql = match scope {
            _ if rows.is_empty() => continue,
            Scope::Global => {
                names.insert(HostRow::GLOBAL, Host::Global);
                continue;
            }
            Scope::Chat => sql!(
                "SELECT id FROM session
                 WHERE account_id = ?1 AND session_row = ?2 AND ?3 = 0 AND deleted_at IS NULL"
            ),
            Scope::Branch => sql!(
                "SELECT s.id, b.id FROM branch b
                 JOIN session s ON s.account_id = b.account_id AND s.session_row = b.session_row
                 WHERE b.account_id = ?1 AND b.session_row = ?2 AND b.branch_row = ?3 AND s.deleted_at IS NULL"
            ),
            Scope::Floor => sql!(
                "SELECT f.id FROM floor f
                 JOIN session s ON s.account_id = f.account_id AND s.session_row = f.session_row
                 WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.floor_row = ?3 AND s.deleted_at IS NULL"
            ),
            Scope::Page => sql!(
                "SELECT p.id FROM page p
                 JOIN session s ON s.account_id = p.account_id AND s.session_row = p.session_row
                 WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = ?3 AND s.deleted_at IS NULL"
            ),
        };
        let sets: Vec<_> = rows.iter().map(|row| params![account, row.session_row, row.host_row].to_vec()).collect();
        tx.query_many(sql, &sets, &mut |number, row| {
            let id = stored_id(row.text(0)?)?;
            let host = match scope {
                Scope::Global => Host::Global,
                Scope::Chat => Host::Chat(id),
                Scope::Branch => Host::Branch(id, stored_text(row.bytes(1)?)?),
                Scope::Floor => Host::Floor(id),
                Scope::Page => Host::Page(id),
            };
            names.insert(rows[number], host);
            Ok(())
        })?;
    }
    Ok(names)
}
