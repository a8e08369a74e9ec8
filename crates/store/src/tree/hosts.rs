//! What variables and bodies hang on, as rows: finding hosts, locking them for a write, and naming them again.

use crate::db::sql::Sql;
use crate::db::stored::{stored_id, stored_text};
use crate::db::tx::{Param, Row, Tx, first};
use crate::error::{Refusal, StoreError, StoreResult};
use crate::tree::clock::{self, Tick};
use crate::types::record::Host;
use crate::{params, sql};
use std::collections::{BTreeMap, HashMap};
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::scope::Scope;

/// A host as the database knows it. Global data has session 0; global and chat data have host 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostRow {
    /// The session.
    pub session_row: i64,
    /// The scope.
    pub scope: Scope,
    /// The branch, floor or page.
    pub host_row: i64,
}

impl HostRow {
    /// The account itself.
    pub const GLOBAL: HostRow = HostRow { session_row: 0, scope: Scope::Global, host_row: 0 };

    pub(crate) fn new(session_row: i64, scope: Scope, host_row: i64) -> Self {
        HostRow { session_row, scope, host_row }
    }
}

/// Finds a host for reading.
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
                 WHERE f.account_id = ?1 AND f.id = ?2 AND s.deleted_at IS NULL"
            ),
            params![account, floor],
        ),
        Host::Page(page) => (
            sql!(
                "SELECT p.session_row, p.page_row FROM page p
                 JOIN session s ON s.account_id = p.account_id AND s.session_row = p.session_row
                 WHERE p.account_id = ?1 AND p.id = ?2 AND s.deleted_at IS NULL"
            ),
            params![account, page],
        ),
    };
    first(tx, sql, params, |row| Ok(HostRow::new(row.int(0)?, host.scope(), row.int(1)?)))
}

/// Hosts whose clocks a write has taken.
pub struct Locked {
    /// The hosts, in the order they were asked for.
    pub rows: Vec<HostRow>,
    ticks: BTreeMap<i64, Tick>,
}

impl Locked {
    /// A session whose clock is held.
    pub(crate) fn by(tick: Tick) -> Locked {
        Locked { rows: Vec::new(), ticks: BTreeMap::from([(tick.session_row, tick)]) }
    }

    /// The tick under which this host is written.
    pub fn tick(&self, row: HostRow) -> StoreResult<Tick> {
        self.ticks.get(&row.session_row).copied().ok_or_else(|| StoreError::Internal("a host without a clock".into()))
    }

    /// Whether the host's clock was there to be taken.
    pub(crate) fn holds(&self, row: HostRow) -> bool {
        self.ticks.contains_key(&row.session_row)
    }

    /// The time of the whole write: the latest of its clocks, so that one batch has one time.
    pub fn now(&self) -> i64 {
        self.ticks.values().map(|tick| tick.now).max().unwrap_or(0)
    }
}

/// Takes the clocks of hosts and checks that their variables may be written.
pub fn lock(tx: &mut dyn Tx, account: &Id, hosts: &[&Host], now: i64) -> StoreResult<Locked> {
    // The common case needs one statement: the clock finds the session by its id.
    if let [Host::Chat(session)] = hosts {
        let tick = clock::of_session(tx, account, session, now)?
            .ok_or_else(|| Refusal::HostNotFound(Host::Chat(session.clone())))?;
        let row = HostRow::new(tick.session_row, Scope::Chat, 0);
        return Ok(Locked { rows: vec![row], ticks: BTreeMap::from([(tick.session_row, tick)]) });
    }
    let mut rows = Vec::with_capacity(hosts.len());
    for host in hosts {
        rows.push(find(tx, account, host)?.ok_or_else(|| Refusal::HostNotFound((*host).clone()))?);
    }
    let locked = lock_rows(tx, account, rows, now)?;
    for (host, &row) in hosts.iter().zip(&locked.rows) {
        // Whoever held the clock before us may have deleted the host or moved its floor on.
        if !locked.holds(row) || !may_write(tx, account, row, locked.now())? {
            return Err(Refusal::HostNotFound((*host).clone()).into());
        }
    }
    Ok(locked)
}

/// Takes the clocks of hosts that are known by row, the account's first, then the sessions' by rising row.
pub fn lock_rows(tx: &mut dyn Tx, account: &Id, rows: Vec<HostRow>, now: i64) -> StoreResult<Locked> {
    let mut ticks = BTreeMap::new();
    let mut sessions: Vec<i64> = rows.iter().map(|row| row.session_row).collect();
    sessions.sort_unstable();
    sessions.dedup();
    for session_row in sessions {
        let tick = match session_row {
            0 => clock::of_account(tx, account, now)?,
            _ => clock::of_session_row(tx, account, session_row, now)?,
        };
        ticks.extend(tick.map(|tick| (session_row, tick)));
    }
    Ok(Locked { rows, ticks })
}

/// Whether the host still exists. A floor or page that is locked is a refusal.
pub fn may_write(tx: &mut dyn Tx, account: &Id, row: HostRow, now: i64) -> StoreResult<bool> {
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
    Ok((crate::db::stored::stored_enum(row.int(0)?)?, row.int_or_null(1)?))
}

/// The public names of hosts, looked up in one go for each kind.
pub fn names(tx: &mut dyn Tx, account: &Id, mut wanted: Vec<HostRow>) -> StoreResult<HashMap<HostRow, Host>> {
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

/// Deletes one host under its session's clock.
pub(crate) type DeleteOne<'a> = dyn FnMut(&mut dyn Tx, HostRow, Tick, &Id) -> StoreResult<()> + 'a;

/// Deletes hosts by id: takes the clocks of their sessions in order, then deletes the ones that are still there. For each
/// id whether it was there.
pub(crate) fn delete_all(
    tx: &mut dyn Tx,
    account: &Id,
    ids: &[Id],
    scope: Scope,
    find: Sql,
    now: i64,
    delete: &mut DeleteOne<'_>,
) -> StoreResult<Vec<bool>> {
    let look = |tx: &mut dyn Tx, id: &Id| {
        first(tx, find, params![account, id], |row| Ok(HostRow::new(row.int(0)?, scope, row.int(1)?)))
    };
    let mut rows = Vec::new();
    for id in ids {
        rows.extend(look(tx, id)?);
    }
    let locked = lock_rows(tx, account, rows, now)?;
    let mut deleted = Vec::with_capacity(ids.len());
    for id in ids {
        // Looked up again under the clock: somebody may have been faster, or made it only now in a session we do not hold.
        let row = look(tx, id)?.filter(|row| locked.holds(*row));
        if let Some(row) = row {
            delete(tx, row, locked.tick(row)?, id)?;
        }
        deleted.push(row.is_some());
    }
    Ok(deleted)
}
