//! Who works at a job: a lease on its row, and the parts that are done under it.

use super::{emit, get};
use crate::tree::prelude::*;
use crate::types::record::{JobKind, JobLane, JobState};

/// How long a node that runs a job is believed alive without a sign. Far longer than a chunk takes.
pub const LEASE_MS: i64 = 10_000;

/// A job whose lease this node holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub account: Id,
    pub id: Id,
    pub kind: JobKind,
    pub session_row: i64,
    /// Until when the lease lasts, which also distinguishes it from the leases of other workers.
    lease_until: i64,
}

/// The jobs of a lane that no node works on, in all accounts. The ones that have waited longest come first.
pub fn idle(tx: &mut dyn Tx, lane: JobLane, now: i64) -> StoreResult<Vec<(Id, Id)>> {
    let sql = Sql::across_accounts(
        "SELECT account_id, id FROM job WHERE state < 2 AND (lease_until IS NULL OR lease_until <= ?1)
            AND lane = ?2
         ORDER BY updated_at, created_at, account_id, id LIMIT 100",
    );
    all(tx, sql, params![now, lane.number()], |row| Ok((stored_id(row.text(0)?)?, stored_id(row.text(1)?)?)))
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

/// Lets the jobs that have failed be tried again, and ends every lease if the process knows that it is alone.
pub fn release_all(tx: &mut dyn Tx, alone: bool) -> StoreResult<()> {
    let sql = Sql::across_accounts(
        "UPDATE job SET state = 0, lease_until = NULL
         WHERE state = 4 OR (state < 2 AND lease_until IS NOT NULL AND CAST(?1 AS BIGINT) = 1)",
    );
    tx.execute(sql, params![i64::from(alone)]).map(drop)
}

/// Takes the lease of a job, if it is free.
pub fn claim(tx: &mut dyn Tx, account: &Id, id: &Id, now: i64) -> StoreResult<Option<Claim>> {
    let sql = sql!(
        "UPDATE job SET state = 1, lease_until = ?3
         WHERE account_id = ?1 AND id = ?2 AND state < 2 AND (lease_until IS NULL OR lease_until <= ?4)
         RETURNING session_row, kind"
    );
    let lease_until = now + LEASE_MS;
    first(tx, sql, params![account, id, lease_until, now], |row| {
        let kind = stored_enum(row.int(1)?)?;
        Ok(Claim { account: account.clone(), id: id.clone(), kind, session_row: row.int(0)?, lease_until })
    })
}

/// Renews the lease of a job; none if it has ended or another node has it.
pub fn renew(tx: &mut dyn Tx, claim: &Claim, now: i64) -> StoreResult<Option<Claim>> {
    let Claim { account, id, lease_until, .. } = claim;
    let renewed = renewed(*lease_until, now);
    let sql =
        sql!("UPDATE job SET lease_until = ?4 WHERE account_id = ?1 AND id = ?2 AND state = 1 AND lease_until = ?3");
    let rows = tx.execute(sql, params![account, id, *lease_until, renewed])?;
    Ok((rows > 0).then(|| Claim { lease_until: renewed, ..claim.clone() }))
}

/// Each lease of a job ends at another time, which identifies it.
fn renewed(lease_until: i64, now: i64) -> i64 {
    (now + LEASE_MS).max(lease_until + 1)
}

/// Whether a job goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobStep {
    /// There is more to do; the lease is renewed.
    More(Claim),
    /// It has ended, or another node has it.
    Finished,
}

/// A job whose lease is held, in the transaction of its next part.
#[derive(Debug)]
pub struct Held {
    /// The account's clock, where the part may emit an event.
    clock: Option<AccountClock>,
    now: i64,
    pub done: i64,
    /// What there is to do, as far as is known.
    pub total: i64,
}

/// As far as a part can get that may be the last one.
pub const END: i64 = i64::MAX;

/// Begins the next part of a job, which gets up to `ahead` at most; none if the job has ended or another node has it. Comes
/// before everything else that is written: where the part emits an event it takes the account's clock, and always the job's
/// row, so that the job cannot be cancelled meanwhile. Other writes in the account do not wait for the other parts.
pub fn hold(tx: &mut dyn Tx, claim: &Claim, ahead: i64, now: i64) -> StoreResult<Option<Held>> {
    let Claim { account, id, lease_until, .. } = claim;
    // Only the holder of the lease changes both numbers.
    let sql = sql!("SELECT done, total FROM job WHERE account_id = ?1 AND id = ?2 AND state = 1 AND lease_until = ?3");
    let found = first(tx, sql, params![account, id, *lease_until], |row| Ok((row.int(0)?, row.int(1)?)))?;
    let Some((done, total)) = found else { return Ok(None) };
    let clock = match ahead == END || tenth(done, total) != tenth(ahead, total.max(ahead)) {
        true => match AccountClock::take(tx, account, now)? {
            Some(clock) => Some(clock),
            None => return Ok(None),
        },
        false => None,
    };
    let sql = sql!(
        "UPDATE job SET lease_until = lease_until WHERE account_id = ?1 AND id = ?2 AND state = 1 AND lease_until = ?3"
    );
    let is_held = tx.execute(sql, params![account, id, *lease_until])? > 0;
    let now = clock.as_ref().map_or(now, AccountClock::now);
    Ok(is_held.then_some(Held { clock, now, done, total }))
}

/// An event for every tenth: often enough to watch, seldom enough not to flood the stream.
fn tenth(part: i64, whole: i64) -> i64 {
    if whole > 0 { part.saturating_mul(10) / whole } else { 0 }
}

#[derive(Debug, Clone)]
pub struct Progress {
    pub done: i64,
    /// What there is to do, as far as is known.
    pub total: i64,
    /// What is still to do, where that is not all.
    pub work: Option<JsonText>,
    pub finished: bool,
}

/// Writes down how far a job got with its part, and renews the lease.
pub fn advance(tx: &mut dyn Tx, claim: &Claim, held: &Held, progress: &Progress, now: i64) -> StoreResult<JobStep> {
    let Claim { account, id, lease_until, .. } = claim;
    let &Progress { done, total, finished, .. } = progress;
    let state = if finished { JobState::Done } else { JobState::Running };
    let lease = (!finished).then(|| renewed(*lease_until, now));
    let sql = sql!(
        "UPDATE job SET done = ?4, total = ?5, state = ?6, lease_until = ?7, problem = NULL,
            updated_at = CASE WHEN updated_at < ?8 THEN ?8 ELSE updated_at END, work = COALESCE(?9, work)
         WHERE account_id = ?1 AND id = ?2 AND lease_until = ?3"
    );
    let work = progress.work.as_ref().map(|work| codec::encode(work.as_str()));
    let params = params![account, id, *lease_until, done, total, state.number(), lease, held.now, work.as_ref()];
    if tx.execute(sql, params)? == 0 {
        return Err(StoreError::Contended("another node took the job over".into()));
    }
    if let Some(clock) = &held.clock
        && (finished || tenth(held.done, held.total) != tenth(done, total))
    {
        let job = get(tx, account, id)?;
        emit(tx, clock.tick(), &job)?;
    }
    Ok(match lease {
        Some(lease_until) => JobStep::More(Claim { lease_until, ..claim.clone() }),
        None => JobStep::Finished,
    })
}

/// Lets a job go on with another branch of its session. Comes behind [`hold`].
pub fn move_to_branch(tx: &mut dyn Tx, claim: &Claim, branch_row: i64) -> StoreResult<()> {
    let sql = sql!("UPDATE job SET branch_row = ?3 WHERE account_id = ?1 AND id = ?2");
    tx.execute(sql, params![&claim.account, &claim.id, branch_row]).map(drop)
}

/// Writes down why a job does not get on, and lets go of it: until it is to be tried again, or for good.
pub fn record_failure(tx: &mut dyn Tx, claim: &Claim, cause: &str, again_at: Option<i64>, now: i64) -> StoreResult<()> {
    let Claim { account, id, lease_until, .. } = claim;
    let clock = match again_at {
        Some(_) => None,
        None => AccountClock::take(tx, account, now)?,
    };
    let state = if again_at.is_some() { JobState::Waiting } else { JobState::Failed };
    let sql = sql!(
        "UPDATE job SET state = ?4, problem = ?5, lease_until = ?6
         WHERE account_id = ?1 AND id = ?2 AND lease_until = ?3"
    );
    let params = params![account, id, *lease_until, state.number(), cause.as_bytes(), again_at];
    let rows = tx.execute(sql, params)?;
    if let (Some(clock), true) = (&clock, rows > 0) {
        let job = get(tx, account, id)?;
        emit(tx, clock.tick(), &job)?;
    }
    Ok(())
}

/// Ends a job that has lost what it works on.
pub fn give_up(tx: &mut dyn Tx, claim: &Claim, problem: &str, now: i64) -> StoreResult<()> {
    let Claim { account, id, .. } = claim;
    let Some(Held { clock: Some(clock), .. }) = hold(tx, claim, END, now)? else { return Ok(()) };
    let sql = sql!(
        "UPDATE job SET state = ?3, problem = ?4, lease_until = NULL, updated_at = ?5
         WHERE account_id = ?1 AND id = ?2"
    );
    let state = JobState::Cancelled.number();
    tx.execute(sql, params![account, id, state, problem.as_bytes(), clock.now()])?;
    let job = get(tx, account, id)?;
    emit(tx, clock.tick(), &job)
}
