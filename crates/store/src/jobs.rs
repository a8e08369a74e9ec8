//! Jobs: work that is too long for one transaction. A job is a row; whoever runs it holds a lease on the row and works in
//! chunks, each a transaction that also writes down how far it got. Whoever dies leaves a lease that ends.

use crate::clock::{self, Tick};
use crate::error::{Refusal, StoreError, StoreResult};
use crate::events::{self, Scene};
use crate::hosts::stored_id;
use crate::record::{EventKind, Job, JobKind, JobState, Listed, Window};
use crate::sql::Sql;
use crate::tx::{Row, Tx, all, first, one};
use crate::{branches, codec, floors, params, purge, sql};
use std::sync::LazyLock;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::JOBS_OPEN_MAX;

/// How long a node that runs a job is believed alive without a sign. Far longer than a chunk takes.
pub const LEASE_MS: i64 = 10_000;

/// Writes a job down, and tells so.
pub(crate) fn create(
    tx: &mut dyn Tx,
    account: &Id,
    tick: Tick,
    id: &Id,
    kind: JobKind,
    session_row: i64,
    subject: &Id,
) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO job (account_id, id, kind, state, session_row, subject_id, done, total, created_at, updated_at)
         VALUES (?1, ?2, ?3, 0, ?4, ?5, 0, 0, ?6, ?6)"
    );
    tx.execute(sql, params![account, id, kind.number(), session_row, subject, tick.now])?;
    let job = get(tx, account, id)?;
    tell(tx, account, tick, &job)
}

/// The jobs that process a branch and have not ended.
pub fn open_on(tx: &mut dyn Tx, account: &Id, session: &Id, branch: &str) -> StoreResult<Vec<Job>> {
    let session_row = floors::session_row(tx, account, session)?;
    let branch_row = branch_row(tx, account, session, session_row, branch)?;
    all(tx, *OPEN_ON, params![account, session_row, branch_row], read)
}

fn branch_row(tx: &mut dyn Tx, account: &Id, session: &Id, session_row: i64, branch: &str) -> StoreResult<i64> {
    branches::find(tx, account, session_row, branch)?
        .ok_or_else(|| Refusal::BranchNotFound(session.clone(), branch.to_owned()).into())
}

/// A job that works on a branch in parts.
#[derive(Debug, Clone)]
pub struct NewWork {
    /// Its id.
    pub id: Id,
    /// The session.
    pub session: Id,
    /// The branch.
    pub branch: String,
    /// What it is to do.
    pub work: JsonText,
    /// How much of it is done, and how much it is in all.
    pub amount: (i64, i64),
}

/// Writes down a job that processes a branch, unless `instead` names one of those that are there to do it.
pub fn create_work(
    tx: &mut dyn Tx,
    account: &Id,
    new: &NewWork,
    instead: impl Fn(&[Job]) -> StoreResult<Option<Job>>,
    now: i64,
) -> StoreResult<Job> {
    let NewWork { id, session, work, amount: (done, total), .. } = new;
    let tick = clock::of_this_account(tx, account, now)?;
    let session_row = floors::session_row(tx, account, session)?;
    let branch_row = branch_row(tx, account, session, session_row, &new.branch)?;
    let open = all(tx, *OPEN_ON, params![account, session_row, branch_row], read)?;
    if let Some(job) = instead(&open)? {
        return Ok(job);
    }
    let sql = sql!("SELECT COUNT(*) FROM job WHERE account_id = ?1 AND state < 2");
    if one(tx, sql, params![account], |row| row.int(0))? >= JOBS_OPEN_MAX {
        return Err(Refusal::TooMany("jobs that have not ended", JOBS_OPEN_MAX).into());
    }
    create(tx, account, tick, id, JobKind::ProcessSession, session_row, session)?;
    let sql =
        sql!("UPDATE job SET work = ?3, done = ?4, total = ?5, branch_row = ?6 WHERE account_id = ?1 AND id = ?2");
    tx.execute(sql, params![account, id, &codec::encode(work.as_str()), *done, *total, branch_row])?;
    get(tx, account, id)
}

fn tell(tx: &mut dyn Tx, account: &Id, tick: Tick, job: &Job) -> StoreResult<()> {
    let Job { kind, state, done, total, .. } = job;
    let (kind, state) = (kind.as_str(), state.as_str());
    let detail = format!("{{\"kind\":\"{kind}\",\"state\":\"{state}\",\"done\":{done},\"total\":{total}}}");
    events::tell(tx, account, tick, EventKind::JobChanged, &Scene::ACCOUNT, &job.id, Some(&detail))
}

const COLUMNS: &str = "id, kind, state, subject_id, done, total, problem, created_at, updated_at";

static OPEN_ON: LazyLock<Sql> = LazyLock::new(|| {
    Sql::assembled(format!(
        "SELECT {COLUMNS}, work FROM job WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND state < 2
         ORDER BY created_at, id"
    ))
});

static STATEMENTS: LazyLock<[Sql; 3]> = LazyLock::new(|| {
    let list = |direction: &str| {
        Sql::assembled(format!(
            "SELECT {COLUMNS} FROM job WHERE account_id = ?1 ORDER BY created_at {direction}, id {direction} LIMIT ?2 OFFSET ?3"
        ))
    };
    [
        list("DESC"),
        list("ASC"),
        Sql::assembled(format!("SELECT {COLUMNS}, work FROM job WHERE account_id = ?1 AND id = ?2")),
    ]
});

fn read(row: &dyn Row) -> StoreResult<Job> {
    Ok(Job { work: row.bytes_or_null(9)?.map(codec::decode_json).transpose()?, ..listed(row)? })
}

/// A job without its work, which can be long.
fn listed(row: &dyn Row) -> StoreResult<Job> {
    Ok(Job {
        id: stored_id(row.text(0)?)?,
        kind: JobKind::of_number(row.int(1)?).ok_or_else(broken)?,
        state: JobState::of_number(row.int(2)?).ok_or_else(broken)?,
        subject: stored_id(row.text(3)?)?,
        done: row.int(4)?,
        total: row.int(5)?,
        problem: row.bytes_or_null(6)?.map(crate::hosts::stored_text).transpose()?,
        created_at: row.int(7)?,
        updated_at: row.int(8)?,
        work: None,
    })
}

fn broken() -> StoreError {
    StoreError::Corrupt("a job is stored that is none".into())
}

/// Reads one job.
pub fn get(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Job> {
    first(tx, STATEMENTS[2], params![account, id], read)?.ok_or_else(|| Refusal::JobNotFound(id.clone()).into())
}

/// Lists jobs in the order of their creation, without their work.
pub fn list(tx: &mut dyn Tx, account: &Id, window: Window) -> StoreResult<Listed<Job>> {
    let statement = STATEMENTS[usize::from(window.ascending)];
    let rows = all(tx, statement, params![account, window.limit + 1, window.offset], listed)?;
    let total = match window.total {
        true => {
            let sql = sql!("SELECT COUNT(*) FROM job WHERE account_id = ?1");
            Some(one(tx, sql, params![account], |row| row.int(0))?)
        }
        false => None,
    };
    Ok(crate::listing::cut(rows, window, total))
}

/// Stops a job between two of its parts, if it can be stopped. A deletion cannot: what it deletes is gone for everybody
/// already.
pub fn cancel(tx: &mut dyn Tx, account: &Id, id: &Id, now: i64) -> StoreResult<Job> {
    let tick = clock::of_this_account(tx, account, now)?;
    let job = get(tx, account, id)?;
    match (job.state, job.kind) {
        // Whoever works on it finds the lease gone before the next part.
        (JobState::Waiting | JobState::Running, JobKind::ProcessSession) => {
            let sql = sql!(
                "UPDATE job SET state = ?3, lease_until = NULL, updated_at = ?4 WHERE account_id = ?1 AND id = ?2"
            );
            tx.execute(sql, params![account, id, JobState::Cancelled.number(), tick.now])?;
            let job = get(tx, account, id)?;
            tell(tx, account, tick, &job).map(|()| job)
        }
        (JobState::Waiting | JobState::Running, JobKind::DeleteSession | JobKind::DeleteAccount) => {
            Err(Refusal::JobNotCancellable(
                "a deletion cannot be cancelled: what it deletes is gone already, only its room is not free yet",
            )
            .into())
        }
        (JobState::Done | JobState::Cancelled | JobState::Failed, _) => {
            Err(Refusal::JobNotCancellable("the job has ended already").into())
        }
    }
}

/// A job whose lease this node holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Its account.
    pub account: Id,
    /// Its id.
    pub id: Id,
    /// What it does.
    pub kind: JobKind,
    /// The session that it works on.
    pub session_row: i64,
    /// Until when the lease lasts, which also tells it from everybody else's.
    lease_until: i64,
}

/// Jobs that do not wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Those that take away what is deleted.
    Deletions,
    /// Those that process stories.
    Processing,
}

/// The jobs of a lane that nobody works on, whatever account they belong to. First those that nobody has worked on for the
/// longest time.
pub fn idle(tx: &mut dyn Tx, lane: Lane, now: i64) -> StoreResult<Vec<(Id, Id)>> {
    let sql = Sql::across_accounts(
        "SELECT account_id, id FROM job WHERE state < 2 AND (lease_until IS NULL OR lease_until <= ?1)
            AND CASE WHEN kind = ?2 THEN 1 ELSE 0 END = ?3
         ORDER BY updated_at, created_at, account_id, id LIMIT 100",
    );
    let params = params![now, JobKind::ProcessSession.number(), i64::from(lane == Lane::Processing)];
    all(tx, sql, params, |row| Ok((stored_id(row.text(0)?)?, stored_id(row.text(1)?)?)))
}

/// Lets go of a job between two of its parts, so that others get their turn.
pub fn release(tx: &mut dyn Tx, claim: &Claim) -> StoreResult<()> {
    let Claim { account, id, lease_until, .. } = claim;
    let sql = sql!(
        "UPDATE job SET state = 0, lease_until = NULL
         WHERE account_id = ?1 AND id = ?2 AND state = 1 AND lease_until = ?3"
    );
    tx.execute(sql, params![account, id, *lease_until]).map(drop)
}

/// How many jobs have not ended, whatever account they belong to.
pub fn open_count(tx: &mut dyn Tx) -> StoreResult<i64> {
    one(tx, Sql::across_accounts("SELECT COUNT(*) FROM job WHERE state < 2"), params![], |row| row.int(0))
}

/// Lets the jobs that have failed be tried again, and ends every lease if the process knows that it is alone.
pub fn release_all(tx: &mut dyn Tx, alone: bool) -> StoreResult<()> {
    let sql = Sql::across_accounts(
        "UPDATE job SET state = 0, lease_until = NULL
         WHERE state = 4 OR (state < 2 AND lease_until IS NOT NULL AND CAST(?1 AS BIGINT) = 1)",
    );
    tx.execute(sql, params![i64::from(alone)]).map(drop)
}

/// Takes the lease of a job, unless somebody has it.
pub fn claim(tx: &mut dyn Tx, account: &Id, id: &Id, now: i64) -> StoreResult<Option<Claim>> {
    let sql = sql!(
        "UPDATE job SET state = 1, lease_until = ?3
         WHERE account_id = ?1 AND id = ?2 AND state < 2 AND (lease_until IS NULL OR lease_until <= ?4)
         RETURNING session_row, kind"
    );
    let lease_until = now + LEASE_MS;
    first(tx, sql, params![account, id, lease_until, now], |row| {
        let kind = JobKind::of_number(row.int(1)?).ok_or_else(broken)?;
        Ok(Claim { account: account.clone(), id: id.clone(), kind, session_row: row.int(0)?, lease_until })
    })
}

/// Renews the lease of a job; none if it has ended or somebody else has it.
pub fn renew(tx: &mut dyn Tx, claim: &Claim, now: i64) -> StoreResult<Option<Claim>> {
    let Claim { account, id, lease_until, .. } = claim;
    let renewed = renewed(*lease_until, now);
    let sql =
        sql!("UPDATE job SET lease_until = ?4 WHERE account_id = ?1 AND id = ?2 AND state = 1 AND lease_until = ?3");
    let rows = tx.execute(sql, params![account, id, *lease_until, renewed])?;
    Ok((rows > 0).then(|| Claim { lease_until: renewed, ..claim.clone() }))
}

/// A lease is told from the one before by its end.
fn renewed(lease_until: i64, now: i64) -> i64 {
    (now + LEASE_MS).max(lease_until + 1)
}

/// Whether a job goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// There is more to do; the lease is renewed.
    More(Claim),
    /// It has ended, or somebody else has it.
    Over,
}

/// Does one chunk of a deletion: up to so many rows. `total` is what the job will amount to, as far as is known.
pub fn step(tx: &mut dyn Tx, claim: &Claim, rows: i64, total: Option<i64>, now: i64) -> StoreResult<Step> {
    let Some(held) = hold(tx, claim, END, now)? else { return Ok(Step::Over) };
    let gone = purge::chunk(tx, &claim.account, claim.session_row, rows)?;
    let (done, over) = (held.done + gone, gone < rows);
    // What was counted before the work began, corrected by what the work found.
    let total = if over { done } else { total.unwrap_or(held.total).max(done) };
    advance(tx, claim, &held, &Progress { done, total, work: None, over }, now)
}

/// A job whose lease is held, in the transaction of its next part.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    /// The account's clock, where it may be needed to tell how far the job got.
    tick: Option<Tick>,
    now: i64,
    /// What was done before.
    pub done: i64,
    /// What there is to do, as far as is known.
    pub total: i64,
}

/// As far as a part can get that may be the last one.
pub const END: i64 = i64::MAX;

/// Begins the next part of a job, which gets up to `ahead` at most; none if the job has ended or somebody else has it. Comes
/// before everything else that is written: where the part is told of it takes the account's clock, and always the job's
/// row, so that nobody cancels the job meanwhile. Whoever else works in the account does not wait for the other parts.
pub fn hold(tx: &mut dyn Tx, claim: &Claim, ahead: i64, now: i64) -> StoreResult<Option<Held>> {
    let Claim { account, id, lease_until, .. } = claim;
    // Both numbers are changed by nobody but the one who has the lease.
    let sql = sql!("SELECT done, total FROM job WHERE account_id = ?1 AND id = ?2 AND state = 1 AND lease_until = ?3");
    let found = first(tx, sql, params![account, id, *lease_until], |row| Ok((row.int(0)?, row.int(1)?)))?;
    let Some((done, total)) = found else { return Ok(None) };
    let tick = match ahead == END || tenth(done, total) != tenth(ahead, total.max(ahead)) {
        true => match clock::of_account(tx, account, now)? {
            Some(tick) => Some(tick),
            None => return Ok(None),
        },
        false => None,
    };
    let sql = sql!(
        "UPDATE job SET lease_until = lease_until WHERE account_id = ?1 AND id = ?2 AND state = 1 AND lease_until = ?3"
    );
    let is_held = tx.execute(sql, params![account, id, *lease_until])? > 0;
    let now = tick.map_or(now, |tick| tick.now);
    Ok(is_held.then_some(Held { tick, now, done, total }))
}

/// Every tenth is told: often enough to watch, seldom enough not to drown what else happens.
fn tenth(part: i64, whole: i64) -> i64 {
    if whole > 0 { part.saturating_mul(10) / whole } else { 0 }
}

/// How far a job got.
#[derive(Debug, Clone)]
pub struct Progress {
    /// What is done.
    pub done: i64,
    /// What there is to do, as far as is known.
    pub total: i64,
    /// What is still to do, where that is not all.
    pub work: Option<JsonText>,
    /// Whether it is done.
    pub over: bool,
}

/// Writes down how far a job got with its part, and renews the lease.
pub fn advance(tx: &mut dyn Tx, claim: &Claim, held: &Held, progress: &Progress, now: i64) -> StoreResult<Step> {
    let Claim { account, id, lease_until, .. } = claim;
    let &Progress { done, total, over, .. } = progress;
    let state = if over { JobState::Done } else { JobState::Running };
    let lease = (!over).then(|| renewed(*lease_until, now));
    let sql = sql!(
        "UPDATE job SET done = ?4, total = ?5, state = ?6, lease_until = ?7, problem = NULL,
            updated_at = CASE WHEN updated_at < ?8 THEN ?8 ELSE updated_at END, work = COALESCE(?9, work)
         WHERE account_id = ?1 AND id = ?2 AND lease_until = ?3"
    );
    let work = progress.work.as_ref().map(|work| codec::encode(work.as_str()));
    let params = params![account, id, *lease_until, done, total, state.number(), lease, held.now, work.as_ref()];
    if tx.execute(sql, params)? == 0 {
        return Err(StoreError::Contended("somebody else took the job over".into()));
    }
    if let Some(tick) = held.tick
        && (over || tenth(held.done, held.total) != tenth(done, total))
    {
        let job = get(tx, account, id)?;
        tell(tx, account, tick, &job)?;
    }
    Ok(match lease {
        Some(lease_until) => Step::More(Claim { lease_until, ..claim.clone() }),
        None => Step::Over,
    })
}

/// Writes down why a job does not get on, and lets go of it: until it is to be tried again, or for good.
pub fn stumble(tx: &mut dyn Tx, claim: &Claim, problem: &str, again_at: Option<i64>, now: i64) -> StoreResult<()> {
    let Claim { account, id, lease_until, .. } = claim;
    let tick = match again_at {
        Some(_) => None,
        None => clock::of_account(tx, account, now)?,
    };
    let state = if again_at.is_some() { JobState::Waiting } else { JobState::Failed };
    let sql = sql!(
        "UPDATE job SET state = ?4, problem = ?5, lease_until = ?6
         WHERE account_id = ?1 AND id = ?2 AND lease_until = ?3"
    );
    let params = params![account, id, *lease_until, state.number(), problem.as_bytes(), again_at];
    let rows = tx.execute(sql, params)?;
    if let (Some(tick), true) = (tick, rows > 0) {
        let job = get(tx, account, id)?;
        tell(tx, account, tick, &job)?;
    }
    Ok(())
}

/// Ends a job that has lost what it works on.
pub fn give_up(tx: &mut dyn Tx, claim: &Claim, problem: &str, now: i64) -> StoreResult<()> {
    let Claim { account, id, .. } = claim;
    let Some(Held { tick: Some(tick), .. }) = hold(tx, claim, END, now)? else { return Ok(()) };
    let sql = sql!(
        "UPDATE job SET state = ?3, problem = ?4, lease_until = NULL, updated_at = ?5
         WHERE account_id = ?1 AND id = ?2"
    );
    let state = JobState::Cancelled.number();
    tx.execute(sql, params![account, id, state, problem.as_bytes(), tick.now])?;
    let job = get(tx, account, id)?;
    tell(tx, account, tick, &job)
}

/// Forgets the deletion of an account: somebody begins it anew, or calls it off.
pub(crate) fn drop_account_deletion(tx: &mut dyn Tx, account: &Id) -> StoreResult<()> {
    let sql = sql!("DELETE FROM job WHERE account_id = ?1 AND kind = ?2");
    tx.execute(sql, params![account, JobKind::DeleteAccount.number()]).map(drop)
}

/// A session that is hidden and not purged yet.
pub fn some_hidden_session(tx: &mut dyn Tx, account: &Id) -> StoreResult<Option<i64>> {
    let sql = sql!("SELECT session_row FROM session WHERE account_id = ?1 AND deleted_at IS NOT NULL LIMIT 1");
    first(tx, sql, params![account], |row| row.int(0))
}
