//! Everything that can be seen from one place in a conversation: the place first, then its layers in one statement.

use crate::tree::line;
use crate::tree::prelude::*;
use crate::types::record::{Before, Context, Host, KeyFilter, ResolveQuery, Resolved, SessionStamp, Variable};
use crate::variables::lineage;
use crate::variables::listing::statements::{key_conditions, kind_of, with_key_params};
use std::sync::LazyLock;

/// The clocks of a session and its account: while they stand still, nothing that can be seen from the session changes.
pub fn stamp(tx: &mut dyn Tx, account: &Id, session: &Id) -> StoreResult<SessionStamp> {
    let sql = sql!(
        "SELECT s.session_row, s.seq, a.seq FROM session s JOIN account a ON a.account_id = s.account_id
         WHERE s.account_id = ?1 AND s.id = ?2"
    );
    let found = first(tx, sql, params![account, session], |row| {
        Ok(SessionStamp { session_row: row.int(0)?, session_seq: row.int(1)?, account_seq: row.int(2)? })
    })?;
    found.ok_or_else(|| Refusal::HostNotFound(Host::Chat(session.clone())).into())
}

/// A number that changes whenever anything in the account does: the position of its last event. Only where positions are
/// given out in the order of commits; elsewhere nothing can be said.
pub fn account_stamp(tx: &mut dyn Tx, account: &Id) -> StoreResult<Option<SessionStamp>> {
    if tx.events_settled()? != i64::MAX {
        return Ok(None);
    }
    let sql = sql!(
        "SELECT events_purged, (SELECT MAX(e.position) FROM event e WHERE e.account_id = ?1) FROM account
         WHERE account_id = ?1"
    );
    let last = one(tx, sql, params![account], |row| Ok(row.int(0)?.max(row.int_or_null(1)?.unwrap_or(0))))?;
    Ok(Some(SessionStamp { session_row: 0, session_seq: last, account_seq: 0 }))
}

/// Room is made beforehand for so many rows at most.
const ROWS_EXPECTED_MAX: usize = 10_000;

/// Reads the layers of a place; merging them is the engine's. Nothing is returned if there are more rows than `rows_max`.
pub fn resolve(tx: &mut dyn Tx, account: &Id, query: &ResolveQuery, rows_max: usize) -> StoreResult<Option<Resolved>> {
    let place = ResolvePosition::find(tx, account, query)?;
    // The kept counts know it beforehand, so that nothing is read twice.
    if query.keys == KeyFilter::Any && usize::try_from(place.variables).is_ok_and(|count| count > rows_max) {
        return Ok(None);
    }
    let absent = -1;
    let params: [i64; 4] = [
        place.session_row,
        place.branch.as_ref().map_or(absent, |(row, _)| *row),
        place.floor.as_ref().map_or(absent, |(row, _)| *row),
        place.page.as_ref().map_or(absent, |(row, _)| *row),
    ];
    let expected = usize::try_from(place.variables).unwrap_or(0).min(ROWS_EXPECTED_MAX);
    let mut rows = Vec::with_capacity(expected);
    with_key_params(&query.keys, |key_params| {
        let mut all_params: Vec<Param<'_>> = vec![account.into()];
        all_params.extend(params.map(Param::Int));
        all_params.push(Param::Int(i64::try_from(rows_max).map_or(i64::MAX, |max| max.saturating_add(1))));
        all_params.extend_from_slice(key_params);
        tx.query(LAYERS[kind_of(&query.keys)], &all_params, &mut |row| {
            rows.push(place.variable(row)?);
            Ok(())
        })
    })?;
    if rows.len() > rows_max {
        return Ok(None);
    }
    // Sorted already on SQLite; PostgreSQL promises nothing about the parts of a union.
    rows.sort_by(|left, right| (left.host.scope(), &left.key).cmp(&(right.host.scope(), &right.key)));
    let before = place.before(tx, account, query)?;
    Ok(Some(Resolved { rows, before, computed: None, context: place.context() }))
}

static LAYERS: LazyLock<[Sql; 3]> = LazyLock::new(|| {
    key_conditions().map(|keys| {
        let layer = |scope: Scope, session: &str, host: &str| {
            format!(
                "SELECT scope, key, id, updated_at, revision, value FROM variable
                 WHERE account_id = ?1 AND session_row = {session} AND scope = {} AND host_row = {host}{keys}",
                scope.number()
            )
        };
        let layers = [
            layer(Scope::Global, "0", "0"),
            layer(Scope::Chat, "?2", "0"),
            layer(Scope::Branch, "?2", "?3"),
            layer(Scope::Floor, "?2", "?4"),
            layer(Scope::Page, "?2", "?5"),
        ];
        Sql::assembled(format!("{} LIMIT ?6", layers.join(" UNION ALL ")))
    })
});

struct ResolvePosition {
    session: Id,
    session_row: i64,
    branch: Option<(i64, String)>,
    /// Whether the branch was forked from another.
    is_fork: bool,
    floor: Option<(i64, Id)>,
    /// The floor's position, beyond all of them if there is no floor.
    floor_no: i64,
    page: Option<(i64, Id)>,
    /// How many variables its layers have.
    variables: i64,
}

impl ResolvePosition {
    fn find(tx: &mut dyn Tx, account: &Id, query: &ResolveQuery) -> StoreResult<ResolvePosition> {
        let sql = sql!(
            "SELECT s.session_row, s.variables + a.variables FROM session s
             JOIN account a ON a.account_id = s.account_id WHERE s.account_id = ?1 AND s.id = ?2"
        );
        let (session_row, variables) =
            first(tx, sql, params![account, &query.session], |row| Ok((row.int(0)?, row.int(1)?)))?
                .ok_or_else(|| Refusal::HostNotFound(Host::Chat(query.session.clone())))?;
        let mut place = ResolvePosition {
            session: query.session.clone(),
            session_row,
            branch: None,
            is_fork: false,
            floor: None,
            floor_no: i64::MAX,
            page: None,
            variables,
        };
        if let Some(page) = &query.page {
            place.enter_page(tx, account, page)?;
            place.follow_line(tx, account, query)?;
            place.agree("Page", page, query)?;
        } else if let Some(floor) = &query.floor {
            place.enter_floor(tx, account, floor)?;
            place.follow_line(tx, account, query)?;
            place.agree("Floor", floor, query)?;
        } else if let Some(branch) = &query.branch {
            place.enter_branch(tx, account, branch)?;
        }
        Ok(place)
    }

    fn enter_page(&mut self, tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<()> {
        let sql = sql!(
            "SELECT p.session_row, b.branch_row, b.id, f.floor_row, f.id, p.page_row, f.floor_no,
                COALESCE(b.source_floor_row, b.source_branch_row), p.variables + f.variables + b.variables
             FROM page p
             JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
             JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
             JOIN session s ON s.account_id = p.account_id AND s.session_row = p.session_row
             WHERE p.account_id = ?1 AND p.id = ?2 AND s.deleted_at IS NULL AND f.floor_no >= 0"
        );
        let found = first(tx, sql, params![account, page], |row| {
            let branch = (row.int(1)?, stored_text(row.bytes(2)?)?);
            let floor = (row.int(3)?, stored_id(row.text(4)?)?);
            Ok((row.int(0)?, branch, floor, row.int(5)?, row.int(6)?, row.int_or_null(7)?, row.int(8)?))
        })?;
        let (session_row, branch, floor, page_row, floor_no, source, variables) =
            found.ok_or_else(|| Refusal::HostNotFound(Host::Page(page.clone())))?;
        self.same_session("Page", page, session_row)?;
        (self.floor_no, self.is_fork) = (floor_no, source.is_some());
        self.variables += variables;
        self.branch = Some(branch);
        self.floor = Some(floor);
        self.page = Some((page_row, page.clone()));
        Ok(())
    }

    fn enter_floor(&mut self, tx: &mut dyn Tx, account: &Id, floor: &Id) -> StoreResult<()> {
        let sql = sql!(
            "SELECT f.session_row, b.branch_row, b.id, f.floor_row, f.floor_no,
                COALESCE(b.source_floor_row, b.source_branch_row), f.variables + b.variables
             FROM floor f
             JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
             JOIN session s ON s.account_id = f.account_id AND s.session_row = f.session_row
             WHERE f.account_id = ?1 AND f.id = ?2 AND s.deleted_at IS NULL"
        );
        let found = first(tx, sql, params![account, floor], |row| {
            let branch = (row.int(1)?, stored_text(row.bytes(2)?)?);
            Ok((row.int(0)?, branch, row.int(3)?, row.int(4)?, row.int_or_null(5)?, row.int(6)?))
        })?;
        let (session_row, branch, floor_row, floor_no, source, variables) =
            found.ok_or_else(|| Refusal::HostNotFound(Host::Floor(floor.clone())))?;
        self.same_session("Floor", floor, session_row)?;
        (self.floor_no, self.is_fork) = (floor_no, source.is_some());
        self.variables += variables;
        self.branch = Some(branch);
        self.floor = Some((floor_row, floor.clone()));
        Ok(())
    }

    fn enter_branch(&mut self, tx: &mut dyn Tx, account: &Id, branch: &str) -> StoreResult<()> {
        let sql = sql!(
            "SELECT branch_row, COALESCE(source_floor_row, source_branch_row), variables FROM branch
             WHERE account_id = ?1 AND session_row = ?2 AND id = ?3"
        );
        let params = params![account, self.session_row, branch.as_bytes()];
        let found = first(tx, sql, params, |row| Ok((row.int(0)?, row.int_or_null(1)?, row.int(2)?)))?;
        let (row, source, variables) =
            found.ok_or_else(|| Refusal::HostNotFound(Host::Branch(self.session.clone(), branch.to_owned())))?;
        self.branch = Some((row, branch.to_owned()));
        self.is_fork = source.is_some();
        self.variables += variables;
        Ok(())
    }

    /// A floor that the wanted branch shares is seen from there: the branch that it was written on counts for others.
    fn follow_line(&mut self, tx: &mut dyn Tx, account: &Id, query: &ResolveQuery) -> StoreResult<()> {
        let (Some(wanted), Some((own_row, own))) = (&query.branch, self.branch.clone()) else { return Ok(()) };
        if *wanted == own {
            return Ok(());
        }
        let session = SessionKey::new(account, self.session_row);
        let Some(branch_row) = lookup::find_branch(tx, session, wanted)? else { return Ok(()) };
        let line = line::segments(tx, session, branch_row, i64::MAX)?;
        match line.iter().any(|&(branch_row, last)| branch_row == own_row && self.floor_no <= last) {
            true => self.enter_branch(tx, account, wanted),
            false => Ok(()),
        }
    }

    /// What is seen of the branches before, and on request of the floors before.
    fn before(&self, tx: &mut dyn Tx, account: &Id, query: &ResolveQuery) -> StoreResult<Vec<Before>> {
        let Some((branch_row, branch)) = &self.branch else { return Ok(Vec::new()) };
        let session = SessionKey::new(account, self.session_row);
        let way = if self.is_fork { lineage::branches_before(tx, session, *branch_row)? } else { Vec::new() };
        let mut before = Vec::new();
        if !way.is_empty() {
            let host = Host::Branch(self.session.clone(), branch.clone());
            let seen = lineage::inherited(tx, session, *branch_row, &way)?;
            before.extend(seen.into_iter().filter_map(|(key, mut seen)| {
                let floor = seen.floor.take();
                Some(Before { variable: seen.on(host.clone(), key)?, floor })
            }));
        }
        if query.lineage {
            let floor = (self.floor.as_ref().map(|(row, _)| *row), self.floor_no);
            let seen = lineage::before_floor(tx, session, *branch_row, floor)?;
            before.extend(seen.into_iter().filter_map(|(key, mut seen)| {
                let host = Host::Floor(seen.floor.take()?);
                Some(Before { variable: seen.on(host, key)?, floor: None })
            }));
        }
        before.retain(|seen| query.keys.covers(&seen.variable.key));
        Ok(before)
    }

    fn same_session(&self, what: &str, id: &Id, session_row: i64) -> StoreResult<()> {
        if session_row == self.session_row {
            return Ok(());
        }
        mismatch(format!("{what} '{id}' does not belong to session '{}'", self.session))
    }

    /// Whether what the caller said besides fits what follows from the page or floor.
    fn agree(&self, what: &str, id: &Id, query: &ResolveQuery) -> StoreResult<()> {
        if let (Some(wanted), Some((_, found))) = (&query.floor, &self.floor)
            && wanted != found
        {
            return mismatch(format!("{what} '{id}' does not belong to floor '{wanted}'"));
        }
        if let (Some(wanted), Some((_, found))) = (&query.branch, &self.branch)
            && wanted != found
        {
            return mismatch(format!("{what} '{id}' does not belong to branch '{wanted}'"));
        }
        Ok(())
    }

    fn variable(&self, row: &dyn Row) -> StoreResult<Variable> {
        Ok(Variable {
            host: self.host(stored_enum(row.int(0)?)?),
            key: stored_key(row.bytes(1)?)?,
            id: stored_id(row.text(2)?)?,
            updated_at: row.int(3)?,
            revision: row.int(4)?,
            value: codec::decode_json(row.bytes(5)?)?,
        })
    }

    fn host(&self, scope: Scope) -> Host {
        match (scope, &self.branch, &self.floor, &self.page) {
            (Scope::Branch, Some((_, branch)), ..) => Host::Branch(self.session.clone(), branch.clone()),
            (Scope::Floor, _, Some((_, floor)), _) => Host::Floor(floor.clone()),
            (Scope::Page, _, _, Some((_, page))) => Host::Page(page.clone()),
            (Scope::Global, ..) => Host::Global,
            _ => Host::Chat(self.session.clone()),
        }
    }

    fn context(self) -> Context {
        Context {
            session: self.session,
            branch: self.branch.map(|(_, branch)| branch),
            floor: self.floor.map(|(_, floor)| floor),
            page: self.page.map(|(_, page)| page),
        }
    }
}

fn mismatch<T>(what: String) -> StoreResult<T> {
    Err(Refusal::ContextMismatch(what).into())
}
