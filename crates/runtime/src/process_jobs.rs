//! Processing that takes longer than a request should: what is left becomes a job.

use crate::process::{PartOutcome, ProcessOrder, ProcessReport, ProcessWork, Processing, joined};
use crate::record::{Job, JobState};
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, new_id, now_ms};
use serde::{Deserialize, Serialize};
use std::time::Instant;
use tavernkeep_engine::id::Id;
use tavernkeep_store::StoreResult;
use tavernkeep_store::conversation::branches;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::jobs::{self, Claim, NewWork};
use tavernkeep_store::story::goal::{self, Goal};
use tavernkeep_store::story::plan;

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
    Processing::of(job).ok().map(|processing| {
        let dry_run = processing.order.dry_run;
        (processing.report_so_far(), dry_run)
    })
}

/// Parts that a job stores before others get their turn.
const PARTS_AT_ONCE: u32 = 32;

impl Runtime {
    /// Processes a branch, or all branches of a session, for as long as a request may take; a job goes on with what is left. Under
    /// an idempotency key the report, or the job, is kept; an interrupted request continues.
    pub async fn process_or_job(&self, account: &Id, session: &Id, order: ProcessOrder) -> RuntimeResult<Handled> {
        if let Some(handled) = self.stored_response(account).await? {
            return Ok(handled);
        }
        if !order.names_place() {
            let handled = self.process_branches(account, session, order).await?;
            return self.write(account, move |_| Ok(handled.clone())).await;
        }
        self.process_branch(account, session, order, None).await
    }

    /// Processes every branch of a session, the oldest first.
    async fn process_branches(&self, account: &Id, session: &Id, order: ProcessOrder) -> RuntimeResult<Handled> {
        let (owner, wanted) = (account.clone(), session.clone());
        let branches = self.store.read(move |tx| branches::names(tx, &owner, &wanted)).await?;
        let end = self.process_end();
        let mut report = ProcessReport::default();
        for branch in branches {
            let left = end.saturating_duration_since(Instant::now());
            let runtime = Runtime { idempotency: None, process_time: left, ..self.clone() };
            let order = ProcessOrder { branch: Some(branch), ..order.clone() };
            match runtime.process_branch(account, session, order, Some(&report)).await {
                Ok(Handled::Done(part)) => report = report.with(part),
                // It goes on with the other branches as well.
                Ok(Handled::ByJob(job)) => return Ok(Handled::ByJob(job)),
                // It was deleted meanwhile.
                Err(RuntimeError::Refused(Refusal::BranchNotFound(..))) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Handled::Done(report))
    }

    /// Processes a branch. With what came of the branches before it, a job that goes on with it goes on with those behind it as
    /// well.
    async fn process_branch(
        &self,
        account: &Id,
        session: &Id,
        order: ProcessOrder,
        before: Option<&ProcessReport>,
    ) -> RuntimeResult<Handled> {
        let goal = order.goal(session);
        // A dry run blocks no job.
        if !order.dry_run
            && let Some(job) = self.job_at_work(account, goal.clone(), &order, before.is_some()).await?
        {
            return self.write(account, move |_| Ok(Handled::ByJob(job.clone()))).await;
        }
        let processing = self.begin(account, goal, order).await?;
        match (self.process_for_a_while(account, processing).await?, &self.idempotency) {
            (Ok(report), None) => Ok(Handled::Done(report)),
            (Ok(report), Some(_)) => self.write(account, move |_| Ok(Handled::Done(report.clone()))).await,
            (Err(rest), _) => {
                let mut rest = *rest;
                if let Some(before) = before {
                    rest.whole_session = true;
                    rest.before = before.clone();
                    rest.report = before.clone().with(rest.report);
                }
                let job = self.job_for(account, rest).await?;
                let handled = self.write(account, move |tx| job(tx).map(Handled::ByJob)).await?;
                self.wakes.processing.notify_one();
                Ok(handled)
            }
        }
    }

    /// Processes a branch to its end, however long that takes, unless a worker has a job there. One that waits is
    /// carried out: there may be no worker. If it does what is asked, that was it; otherwise it comes first.
    pub async fn process_unless_busy(
        &self,
        account: &Id,
        session: &Id,
        order: ProcessOrder,
    ) -> RuntimeResult<ProcessReport> {
        // A dry run blocks no job.
        let is_in_the_way = async || match order.dry_run {
            true => Ok(None),
            false => match self.job_at_work(account, order.goal(session), &order, false).await {
                Err(RuntimeError::Refused(Refusal::BranchBusy(job))) => Ok(Some((job, false))),
                found => found.map(|job| job.map(|job| (job.id, true))),
            },
        };
        while let Some((job, is_asked)) = is_in_the_way().await? {
            let ended = self.carry_out(account, &job).await?;
            if is_asked
                && ended.state == JobState::Done
                && let Some((report, _)) = processed_by(&ended)
            {
                return Ok(report);
            }
        }
        self.process(account, session, order).await
    }

    /// Carries a job out that processes, unless another worker has it.
    async fn carry_out(&self, account: &Id, id: &Id) -> RuntimeResult<Job> {
        loop {
            let (owner, wanted, now) = (account.clone(), id.clone(), now_ms());
            let claim = self.store.write(move |tx| jobs::claim(tx, &owner, &wanted, now)).await?;
            let Some(mut claim) = claim else {
                let job = self.job(account, id).await?;
                let is_open = matches!(job.state, JobState::Waiting | JobState::Running);
                return if is_open { Err(Refusal::BranchBusy(job.id).into()) } else { Ok(job) };
            };
            match self.process_by_job(&mut claim).await {
                Ok(_) => {}
                Err(error) => {
                    self.let_go(&claim, &error).await;
                    return Err(error);
                }
            }
        }
    }

    /// Processes until the time of a request has passed; hands back what is left then.
    pub(crate) async fn process_for_a_while(
        &self,
        account: &Id,
        processing: Processing,
    ) -> RuntimeResult<Result<ProcessReport, Box<Processing>>> {
        let end = self.process_end();
        let first = processing.clone();
        let mut work = ProcessWork::new(self, account, processing).until(end);
        while Instant::now() < end {
            if work.step(None).await? == PartOutcome::Done {
                return Ok(Ok(work.processing.report));
            }
        }
        // Of a dry run nothing is stored that a job could go on from.
        let rest = if first.order.dry_run { first } else { work.processing };
        Ok(Err(Box::new(rest)))
    }

    /// The open job that does on a goal's branch what is asked, if there is one.
    pub(crate) async fn job_at_work(
        &self,
        account: &Id,
        goal: Goal,
        order: &ProcessOrder,
        whole_session: bool,
    ) -> RuntimeResult<Option<Job>> {
        let (owner, order) = (account.clone(), order.clone());
        let read = move |tx: &mut dyn Tx| {
            let (session, branch) = goal::branch_of(tx, &owner, &goal)?;
            joined(&jobs::open_on(tx, &owner, &session, &branch)?, &order, whole_session)
        };
        self.store.read(read).await
    }

    /// The write that makes a job of what is left to process, to the end of the branch, unless an open one does that already ([`joined`]).
    pub(crate) async fn job_for(
        &self,
        account: &Id,
        rest: Processing,
    ) -> RuntimeResult<impl Fn(&mut dyn Tx) -> StoreResult<Job> + Send + use<>> {
        let owner = account.clone();
        let look = move |tx: &mut dyn Tx| {
            let (session, branch) = goal::branch_of(tx, &owner, &rest.goal)?;
            let goal = goal::this_branch(tx, &owner, &rest.goal)?;
            let rest = Processing { goal, ..rest };
            let left = plan::count(tx, &owner, &rest.goal, rest.from)?;
            Ok((session, branch, rest, left))
        };
        let (session, branch, rest, left) = self.store.read(look).await?;
        let done = rest.done();
        let amount = (done, done.saturating_add(left));
        let new = NewWork { id: new_id()?, session, branch, work: rest.to_text()?, amount };
        let (owner, order, whole_session, now) = (account.clone(), rest.order, rest.whole_session, now_ms());
        Ok(move |tx: &mut dyn Tx| jobs::create_work(tx, &owner, &new, |open| joined(open, &order, whole_session), now))
    }

    /// Goes on with a job that processes, until it is done or not ours any more; or until others should have their turn.
    /// Returns whether it has ended.
    pub(crate) async fn process_by_job(&self, claim: &mut Claim) -> RuntimeResult<bool> {
        let account = claim.account.clone();
        let processing = Processing::of(&self.job(&account, &claim.id).await?)?;
        // Of a dry run nothing is stored that could be gone on from later.
        let can_wait = !processing.order.dry_run;
        let mut work = ProcessWork::new(self, &account, processing);
        loop {
            match work.step(Some(claim)).await {
                Ok(PartOutcome::More) if can_wait && work.parts >= PARTS_AT_ONCE => {
                    let order = claim.clone();
                    self.store.write(move |tx| jobs::release(tx, &order)).await?;
                    return Ok(false);
                }
                Ok(PartOutcome::More) => {}
                Ok(PartOutcome::Done | PartOutcome::Lost) => return Ok(true),
                Err(RuntimeError::Refused(Refusal::BranchNotFound(..))) if work.processing.whole_session => {
                    if work.note(claim, true).await? != PartOutcome::More {
                        return Ok(true);
                    }
                }
                // What it works on is gone, and will not come back.
                Err(RuntimeError::Refused(gone @ (Refusal::SessionNotFound(_) | Refusal::BranchNotFound(..)))) => {
                    let (order, now) = (claim.clone(), now_ms());
                    self.store.write(move |tx| jobs::give_up(tx, &order, &gone.to_string(), now)).await?;
                    return Ok(true);
                }
                Err(error) => return Err(error),
            }
        }
    }
}
