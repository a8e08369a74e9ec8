//! Processing that takes longer than a request should: what is left becomes a job.

use crate::process::{ProcessOrder, ProcessReport, Processing, Went, Work};
use crate::record::{Job, JobKind};
use crate::{Refusal, Runtime, StoreError, StoreResult, new_id, now_ms};
use serde::{Deserialize, Serialize};
use std::time::Instant;
use tavernkeep_engine::id::Id;
use tavernkeep_store::jobs::{self, Claim};
use tavernkeep_store::story::plan;
use tavernkeep_store::tx::Tx;

/// What became of a request to process.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Handled {
    /// All is done.
    Done(ProcessReport),
    /// A job goes on with it.
    ByJob(Job),
}

/// What a job that processes has done so far, and whether it stores nothing; none for other jobs.
pub fn processed_by(job: &Job) -> Option<(ProcessReport, bool)> {
    read(job).ok().map(|processing| (processing.report, processing.order.dry_run))
}

fn read(job: &Job) -> StoreResult<Processing> {
    let broken = |what: String| StoreError::Corrupt(format!("the job {}: {what}", job.id));
    let work = job.work.as_ref().ok_or_else(|| broken("nobody knows what it is to do".into()))?;
    serde_json::from_str(work.as_str()).map_err(|error| broken(error.to_string()))
}

impl Runtime {
    /// Processes a branch for as long as a request may take; a job goes on with what is left. Under an idempotency key the
    /// report, or the job, is kept; whoever was interrupted before goes on.
    pub async fn process_or_job(&self, account: &Id, session: &Id, order: ProcessOrder) -> StoreResult<Handled> {
        if let Some(handled) = self.told_before(account).await? {
            return Ok(handled);
        }
        let processing = self.begin(account, order.goal(session), order.clone()).await?;
        match (self.process_for_a_while(account, processing).await?, &self.once) {
            (Ok(report), None) => Ok(Handled::Done(report)),
            (Ok(report), Some(_)) => self.write(account, move |_| Ok(Handled::Done(report.clone()))).await,
            (Err(rest), _) => {
                let job = self.job_for(account, session, *rest).await?;
                let handled = self.write(account, move |tx| job(tx).map(Handled::ByJob)).await?;
                self.wake.notify_one();
                Ok(handled)
            }
        }
    }

    /// Processes until the time of a request is over; hands back what is left then.
    pub(crate) async fn process_for_a_while(
        &self,
        account: &Id,
        processing: Processing,
    ) -> StoreResult<Result<ProcessReport, Box<Processing>>> {
        let started = Instant::now();
        let first = processing.clone();
        let mut work = Work::new(self, account, processing);
        while started.elapsed() < self.process_time {
            if work.step(None).await? == Went::Done {
                return Ok(Ok(work.processing.report));
            }
        }
        // Of a dry run nothing is stored that a job could go on from.
        let rest = if first.order.dry_run { first } else { work.processing };
        Ok(Err(Box::new(rest)))
    }

    /// The write that makes a job of what is left to process.
    pub(crate) async fn job_for(
        &self,
        account: &Id,
        session: &Id,
        rest: Processing,
    ) -> StoreResult<impl Fn(&mut dyn Tx) -> StoreResult<Job> + Send + use<>> {
        let (owner, goal, from) = (account.clone(), rest.goal.clone(), rest.from);
        let left = self.store.read(move |tx| plan::count(tx, &owner, &goal, from)).await?;
        let (owner, session, id, now) = (account.clone(), session.clone(), new_id()?, now_ms());
        let (work, done) = (rest.to_text()?, rest.done());
        let amount = (done, done.saturating_add(left));
        Ok(move |tx: &mut dyn Tx| {
            jobs::create_work(tx, &owner, (&id, JobKind::ProcessSession), &session, &work, amount, now)
        })
    }

    /// Goes on with a job that processes, until it is done or not ours any more.
    pub(crate) async fn process_by_job(&self, claim: &mut Claim) -> StoreResult<()> {
        let account = claim.account.clone();
        let processing = read(&self.job(&account, &claim.id).await?)?;
        let mut work = Work::new(self, &account, processing);
        loop {
            match work.step(Some(claim)).await {
                Ok(Went::On) => {}
                Ok(Went::Done | Went::Lost) => return Ok(()),
                // What it works on is gone, and will not come back.
                Err(StoreError::Refused(gone @ (Refusal::SessionNotFound(_) | Refusal::BranchNotFound(..)))) => {
                    let (order, now) = (claim.clone(), now_ms());
                    return self.store.write(move |tx| jobs::give_up(tx, &order, &gone.to_string(), now)).await;
                }
                Err(error) => return Err(error),
            }
        }
    }
}
