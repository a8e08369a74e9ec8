//! Jobs: reading them, and the one loop of a process that runs them.

use crate::record::{Job, JobKind, Listed, Window};
use crate::{Runtime, RuntimeError, RuntimeResult, now_ms};
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tavernkeep_engine::id::Id;
use tavernkeep_store::jobs::{self, Claim, JobStep, LEASE_MS};
use tavernkeep_store::tree::SessionKey;
use tavernkeep_store::types::record::JobLane;
use tavernkeep_store::upkeep::purge;
use tokio::sync::Notify;

/// Rows of the first chunk of a job, and of the largest one.
const ROWS_FIRST: i64 = 100;
const ROWS_MAX: i64 = 2_000;
/// What a chunk should take. Others wait for it, and rows differ: a page's text may be a byte or megabytes.
const CHUNK_TIME: Duration = Duration::from_millis(20);

/// How often a job is tried before it has failed.
const ATTEMPTS_MAX: u32 = 10;
/// How often a lease is renewed.
#[allow(clippy::cast_sign_loss)]
const RENEWAL: Duration = Duration::from_millis(LEASE_MS as u64 / 3);

/// Wakes the job runners when this process has made a job.
#[derive(Debug, Default)]
pub(crate) struct Wakes {
    pub(crate) deletions: Notify,
    pub(crate) processing: Notify,
}

impl Runtime {
    /// Lists an account's jobs.
    pub async fn jobs(&self, account: &Id, window: Window) -> RuntimeResult<Listed<Job>> {
        let account = account.clone();
        self.store.read(move |tx| jobs::list(tx, &account, window)).await
    }

    /// Reads one job.
    pub async fn job(&self, account: &Id, id: &Id) -> RuntimeResult<Job> {
        let (account, id) = (account.clone(), id.clone());
        self.store.read_point(move |tx| jobs::get(tx, &account, &id)).await
    }

    /// Stops a job, if it can be stopped.
    pub async fn cancel_job(&self, account: &Id, id: &Id) -> RuntimeResult<Job> {
        let (owner, id, now) = (account.clone(), id.clone(), now_ms());
        self.write(account, move |tx| jobs::cancel(tx, &owner, &id, now)).await
    }

    /// Resolves when this process has made a job of a lane. Another process may have made one too, so look now and then
    /// anyway.
    pub async fn job_made(&self, lane: JobLane) {
        match lane {
            JobLane::Deletions => self.wakes.deletions.notified().await,
            JobLane::Processing => self.wakes.processing.notified().await,
        }
    }

    /// Reclaims the jobs of an earlier process that held the data folder alone: no other process can work there. What
    /// failed is tried again in any case.
    pub async fn resume_jobs(&self) -> RuntimeResult<()> {
        let alone = self.store.path().is_some();
        self.store.write(move |tx| jobs::release_all(tx, alone)).await
    }

    /// Runs the jobs that have no lease, to their end; returns how many there were.
    pub async fn run_jobs(&self) -> RuntimeResult<u64> {
        let deletions = self.run_lane(JobLane::Deletions).await?;
        Ok(deletions + self.run_lane(JobLane::Processing).await?)
    }

    /// The same for one lane. A job that does not get on is let go of for a while and keeps no other one waiting.
    pub async fn run_lane(&self, lane: JobLane) -> RuntimeResult<u64> {
        let mut count = 0;
        loop {
            let now = now_ms();
            let idle = self.store.read(move |tx| jobs::idle(tx, lane, now)).await?;
            if idle.is_empty() {
                return Ok(count);
            }
            for (account, id) in idle {
                let now = now_ms();
                let claim = self.store.write(move |tx| jobs::claim(tx, &account, &id, now)).await?;
                if let Some(mut claim) = claim {
                    match self.run_job(&mut claim).await {
                        Ok(has_ended) => count += u64::from(has_ended),
                        Err(error) => self.let_go(&claim, &error).await,
                    }
                }
            }
        }
    }

    /// Returns whether the job has ended; one that has not goes on when others had their turn.
    async fn run_job(&self, claim: &mut Claim) -> RuntimeResult<bool> {
        let account = claim.account.clone();
        let mut has_ended = true;
        match claim.kind {
            // An import that broke off: nobody has ever seen what there is of it.
            JobKind::DeleteSession | JobKind::ImportSession => self.purge_hidden(claim).await?,
            JobKind::ProcessSession => has_ended = self.process_by_job(claim).await?,
            JobKind::DeleteAccount => self.holding(claim, self.empty_account(&account, false)).await?.unwrap_or(()),
        }
        self.failures().remove(&(claim.account.clone(), claim.id.clone()));
        Ok(has_ended)
    }

    async fn purge_hidden(&self, claim: &mut Claim) -> RuntimeResult<()> {
        let (account, session_row) = (claim.account.clone(), claim.session_row);
        let count = self.store.read(move |tx| purge::count(tx, SessionKey::new(&account, session_row)));
        let mut total = self.holding(claim, count).await?;
        let mut rows = ROWS_FIRST;
        loop {
            let (order, now, whole) = (claim.clone(), now_ms(), total.take());
            let started = Instant::now();
            match self.store.write(move |tx| purge::step(tx, &order, rows, whole, now)).await? {
                JobStep::Finished => return Ok(()),
                JobStep::More(renewed) => *claim = renewed,
            }
            rows = next_rows(rows, started.elapsed());
        }
    }

    /// Does some work and renews the lease meanwhile, however long it takes. Stops when another worker has the job.
    pub(crate) async fn holding<T>(
        &self,
        claim: &mut Claim,
        work: impl Future<Output = RuntimeResult<T>>,
    ) -> RuntimeResult<Option<T>> {
        let mut work = pin!(work);
        loop {
            if let Ok(result) = tokio::time::timeout(RENEWAL, &mut work).await {
                return result.map(Some);
            }
            let (order, now) = (claim.clone(), now_ms());
            match self.store.write(move |tx| jobs::renew(tx, &order, now)).await? {
                Some(renewed) => *claim = renewed,
                None => return Ok(None),
            }
        }
    }

    /// Lets go of a job that does not get on: for a while, or for good if it never will.
    pub(crate) async fn let_go(&self, claim: &Claim, error: &RuntimeError) {
        let (id, account) = (&claim.id, &claim.account);
        let failures = {
            let mut failures = self.failures();
            let count = failures.entry((account.clone(), id.clone())).or_insert(0);
            *count = count.saturating_add(1);
            *count
        };
        // A database that is away, busy or full comes back; what is broken does not.
        let is_its_own = matches!(error, RuntimeError::Damaged(_) | RuntimeError::Bug(_) | RuntimeError::Refused(_));
        let has_failed = is_its_own && failures >= ATTEMPTS_MAX;
        if has_failed {
            tracing::error!(%error, %account, job = %id, "a job failed; it is tried again at the next start");
            self.failures().remove(&(account.clone(), id.clone()));
        } else {
            tracing::warn!(%error, %account, job = %id, failures, "a job failed; it is tried again");
        }
        let now = now_ms();
        let again_at = (!has_failed).then(|| now + patience_ms(failures));
        let (order, problem) = (claim.clone(), error.to_string());
        // Whether or not that can be written down, the lease ends and another worker tries again.
        let _ = self.store.write(move |tx| jobs::record_failure(tx, &order, &problem, again_at, now)).await;
    }

    fn failures(&self) -> MutexGuard<'_, BTreeMap<(Id, Id), u32>> {
        self.upkeep.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a hidden session (row 0: what hangs on the account itself) away to its end, even if another worker does the same.
    pub(crate) async fn purge_session(&self, account: &Id, session_row: i64) -> RuntimeResult<()> {
        let mut rows = ROWS_FIRST;
        loop {
            let (owner, started) = (account.clone(), Instant::now());
            let gone = self.store.write(move |tx| purge::chunk(tx, SessionKey::new(&owner, session_row), rows)).await?;
            if gone < rows {
                return Ok(());
            }
            rows = next_rows(rows, started.elapsed());
        }
    }
}

/// How long to wait after so many attempts: twice as long each time, up to a few minutes.
fn patience_ms(failures: u32) -> i64 {
    1_000 << failures.min(8)
}

/// Half as many after a chunk that took too long, twice as many after a quick one.
fn next_rows(rows: i64, took: Duration) -> i64 {
    match took {
        took if took > CHUNK_TIME => (rows / 2).max(1),
        took if took < CHUNK_TIME / 2 => (rows * 2).min(ROWS_MAX),
        _ => rows,
    }
}
