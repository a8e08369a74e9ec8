//! Jobs: reading them, and the one loop of a process that runs them.

use crate::record::{Job, Listed, Window};
use crate::{Runtime, StoreResult, now_ms};
use std::time::{Duration, Instant};
use tavernkeep_engine::id::Id;
use tavernkeep_store::jobs::{self, Claim, Step};
use tavernkeep_store::purge;

/// Rows of the first chunk of a job, and of the largest one.
const ROWS_FIRST: i64 = 100;
const ROWS_MAX: i64 = 2_000;
/// What a chunk should take. Others wait for it, and rows differ: a page's text may be a byte or megabytes.
const CHUNK_TIME: Duration = Duration::from_millis(20);

impl Runtime {
    /// Lists an account's jobs.
    pub async fn jobs(&self, account: &Id, window: Window) -> StoreResult<Listed<Job>> {
        let account = account.clone();
        self.store.read(move |tx| jobs::list(tx, &account, window)).await
    }

    /// Reads one job.
    pub async fn job(&self, account: &Id, id: &Id) -> StoreResult<Job> {
        let (account, id) = (account.clone(), id.clone());
        self.store.read_point(move |tx| jobs::get(tx, &account, &id)).await
    }

    /// Stops a job, if it can be stopped.
    pub async fn cancel_job(&self, account: &Id, id: &Id) -> StoreResult<Job> {
        let (owner, id, now) = (account.clone(), id.clone(), now_ms());
        self.write(account, move |tx| jobs::cancel(tx, &owner, &id, now)).await
    }

    /// Resolves when this process has made a job. Another process may have made one too, so look now and then anyway.
    pub async fn job_made(&self) {
        self.wake.notified().await;
    }

    /// Takes over what a process that held the data folder alone has left behind. Nobody else can be at work there.
    pub async fn resume_jobs(&self) -> StoreResult<()> {
        if self.store.path().is_some() {
            self.store.write(jobs::release_all).await?;
        }
        Ok(())
    }

    /// Runs the jobs that nobody works on, to their end; tells how many there were.
    pub async fn run_jobs(&self) -> StoreResult<u64> {
        let mut count = 0;
        loop {
            let now = now_ms();
            let idle = self.store.read(move |tx| jobs::idle(tx, now)).await?;
            if idle.is_empty() {
                return Ok(count);
            }
            for (account, id) in idle {
                let now = now_ms();
                let claim = self.store.write(move |tx| jobs::claim(tx, &account, &id, now)).await?;
                if let Some(claim) = claim {
                    self.run_job(claim).await?;
                    count += 1;
                }
            }
        }
    }

    async fn run_job(&self, mut claim: Claim) -> StoreResult<()> {
        let (account, session_row) = (claim.account.clone(), claim.session_row);
        let total = self.store.read(move |tx| purge::count(tx, &account, session_row)).await?;
        let mut total = Some(total);
        let mut rows = ROWS_FIRST;
        loop {
            let (order, now, whole) = (claim.clone(), now_ms(), total.take());
            let started = Instant::now();
            match self.store.write(move |tx| jobs::step(tx, &order, rows, whole, now)).await {
                Ok(Step::Over) => return Ok(()),
                Ok(Step::More(renewed)) => claim = renewed,
                Err(error) => {
                    let problem = error.to_string();
                    let order = claim.clone();
                    // Whether or not that can be written down, the lease ends and somebody tries again.
                    let _ = self.store.write(move |tx| jobs::stumble(tx, &order, &problem)).await;
                    return Err(error);
                }
            }
            rows = next_rows(rows, started.elapsed());
        }
    }

    /// Takes a hidden session (row 0: what hangs on the account itself) away to its end, whoever else is at it.
    pub(crate) async fn purge_session(&self, account: &Id, session_row: i64) -> StoreResult<()> {
        let mut rows = ROWS_FIRST;
        loop {
            let (owner, started) = (account.clone(), Instant::now());
            let gone = self.store.write(move |tx| purge::chunk(tx, &owner, session_row, rows)).await?;
            if gone < rows {
                return Ok(());
            }
            rows = next_rows(rows, started.elapsed());
        }
    }
}

/// Half as many after a chunk that took too long, twice as many after a quick one.
fn next_rows(rows: i64, took: Duration) -> i64 {
    match took {
        took if took > CHUNK_TIME => (rows / 2).max(1),
        took if took < CHUNK_TIME / 2 => (rows * 2).min(ROWS_MAX),
        _ => rows,
    }
}
