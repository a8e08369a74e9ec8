//! Jobs: work that is too long for one transaction. A job is a row; the node that runs it holds a lease on the row and works in
//! chunks, each a transaction that also stores how far it got. The lease of a node that dies expires.

mod leases;

pub use leases::{
    Claim, END, Held, JobStep, LEASE_MS, Progress, advance, claim, give_up, hold, idle, move_to_branch, record_failure,
    release, release_all, renew,
};

use crate::error::JOBS_OPEN;
use crate::events::{self, EventScope};
use crate::tree::prelude::*;
use crate::types::record::{EventKind, Job, JobKind, JobState, Listed, Window};
use std::sync::LazyLock;
use tavernkeep_engine::limits::JOBS_OPEN_MAX;

pub(crate) fn create(
    tx: &mut dyn Tx,
    tick: Tick<'_>,
    id: &Id,
    kind: JobKind,
    session_row: i64,
    subject: &Id,
) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO job (account_id, id, kind, state, session_row, subject_id, done, total, created_at, updated_at, lane)
         VALUES (?1, ?2, ?3, 0, ?4, ?5, 0, 0, ?6, ?6, ?7)"
    );
    let lane = kind.lane().number();
    tx.execute(sql, params![tick.account(), id, kind.number(), session_row, subject, tick.now(), lane])?;
    let job = get(tx, tick.account(), id)?;
    emit(tx, tick, &job)
}

/// The jobs that process a branch and have not ended.
pub fn open_on(tx: &mut dyn Tx, account: &Id, session: &Id, branch: &str) -> StoreResult<Vec<Job>> {
    let key = lookup::session(tx, account, session)?;
    let branch_row = lookup::branch(tx, key, session, branch)?;
    open(tx, key, branch_row)
}

/// There are few, so they are put in order here: by the database that would cost a walk through all that ever were.
fn open(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64) -> StoreResult<Vec<Job>> {
    let mut open = all(tx, *OPEN_ON, in_session![session, branch_row], read)?;
    open.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
    Ok(open)
}

/// A job that works on a branch in parts.
#[derive(Debug, Clone)]
pub struct NewWork {
    pub id: Id,
    pub session: Id,
    pub branch: String,
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
    let clock = AccountClock::of(tx, account, now)?;
    let key = lookup::session(tx, account, session)?;
    let branch_row = lookup::branch(tx, key, session, &new.branch)?;
    let open = open(tx, key, branch_row)?;
    if let Some(job) = instead(&open)? {
        return Ok(job);
    }
    let sql = sql!("SELECT COUNT(*) FROM job WHERE account_id = ?1 AND state < 2");
    if one(tx, sql, params![account], |row| row.int(0))? >= JOBS_OPEN_MAX {
        return Err(Refusal::TooMany(JOBS_OPEN, JOBS_OPEN_MAX).into());
    }
    create(tx, clock.tick(), id, JobKind::ProcessSession, key.row, session)?;
    let sql =
        sql!("UPDATE job SET work = ?3, done = ?4, total = ?5, branch_row = ?6 WHERE account_id = ?1 AND id = ?2");
    tx.execute(sql, params![account, id, &codec::encode(work.as_str()), *done, *total, branch_row])?;
    get(tx, account, id)
}

fn emit(tx: &mut dyn Tx, tick: Tick<'_>, job: &Job) -> StoreResult<()> {
    let Job { kind, state, done, total, .. } = job;
    let (kind, state) = (kind.as_str(), state.as_str());
    let detail = format!("{{\"kind\":\"{kind}\",\"state\":\"{state}\",\"done\":{done},\"total\":{total}}}");
    events::emit(tx, tick, EventKind::JobChanged, &EventScope::ACCOUNT, &job.id, Some(&detail))
}

const COLUMNS: &str = "id, kind, state, subject_id, done, total, problem, created_at, updated_at";

static OPEN_ON: LazyLock<Sql> = LazyLock::new(|| {
    Sql::assembled(format!(
        "SELECT {COLUMNS}, work FROM job WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND state < 2"
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
        kind: stored_enum(row.int(1)?)?,
        state: stored_enum(row.int(2)?)?,
        subject: stored_id(row.text(3)?)?,
        done: row.int(4)?,
        total: row.int(5)?,
        problem: row.bytes_or_null(6)?.map(stored_text).transpose()?,
        created_at: row.int(7)?,
        updated_at: row.int(8)?,
        work: None,
    })
}

pub fn get(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Job> {
    first(tx, STATEMENTS[2], params![account, id], read)?.ok_or_else(|| Refusal::JobNotFound(id.clone()).into())
}

/// Lists jobs in the order of their creation, without their work.
pub fn list(tx: &mut dyn Tx, account: &Id, window: Window) -> StoreResult<Listed<Job>> {
    let params = params![account, window.limit + 1, window.offset];
    let count = sql!("SELECT COUNT(*) FROM job WHERE account_id = ?1");
    tx::list(tx, window, (STATEMENTS[usize::from(window.ascending)], params), (count, &params[..1]), listed)
}

/// Stops a job between two of its parts, if it can be stopped. A deletion cannot: what it deletes is gone for everybody
/// already.
pub fn cancel(tx: &mut dyn Tx, account: &Id, id: &Id, now: i64) -> StoreResult<Job> {
    let clock = AccountClock::of(tx, account, now)?;
    let job = get(tx, account, id)?;
    match (job.state, job.kind) {
        // The node that works on it finds the lease gone before the next part.
        (JobState::Waiting | JobState::Running, JobKind::ProcessSession) => {
            let sql = sql!(
                "UPDATE job SET state = ?3, lease_until = NULL, updated_at = ?4 WHERE account_id = ?1 AND id = ?2"
            );
            tx.execute(sql, params![account, id, JobState::Cancelled.number(), clock.now()])?;
            let job = get(tx, account, id)?;
            emit(tx, clock.tick(), &job).map(|()| job)
        }
        (JobState::Waiting | JobState::Running, JobKind::DeleteSession | JobKind::DeleteAccount) => {
            Err(Refusal::JobNotCancellable(
                "a deletion cannot be cancelled: what it deletes is gone already, only its room is not free yet",
            )
            .into())
        }
        (JobState::Waiting | JobState::Running, JobKind::ImportSession) => Err(Refusal::JobNotCancellable(
            "an import cannot be cancelled: wait for it and delete the session, or end the request before it is done",
        )
        .into()),
        (JobState::Done | JobState::Cancelled | JobState::Failed, _) => {
            Err(Refusal::JobNotCancellable("the job has ended already").into())
        }
    }
}

/// How many jobs have not ended, whatever account they belong to.
pub fn open_count(tx: &mut dyn Tx) -> StoreResult<i64> {
    one(tx, Sql::across_accounts("SELECT COUNT(*) FROM job WHERE state < 2"), params![], |row| row.int(0))
}

/// Deletes the job that deletes an account: it is started again, or cancelled.
pub(crate) fn drop_account_deletion(tx: &mut dyn Tx, account: &Id) -> StoreResult<()> {
    let sql = sql!("DELETE FROM job WHERE account_id = ?1 AND kind = ?2");
    tx.execute(sql, params![account, JobKind::DeleteAccount.number()]).map(drop)
}

/// A session that is hidden and not purged yet.
pub fn some_hidden_session(tx: &mut dyn Tx, account: &Id) -> StoreResult<Option<i64>> {
    let sql = sql!("SELECT session_row FROM session WHERE account_id = ?1 AND deleted_at IS NOT NULL LIMIT 1");
    first(tx, sql, params![account], |row| row.int(0))
}
