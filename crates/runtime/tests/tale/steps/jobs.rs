//! Processing as a job: asked for by somebody in a hurry, carried out in parts, by one process after the other.

use super::words::asked;
use super::{Tale, for_a_while};
use crate::oracle::{At, Order};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::record::JobState;
use tavernkeep_runtime::{Handled, JobLane, Refusal, Runtime, RuntimeError, RuntimeResult};

impl Tale {
    /// Asks a process that does nothing at once for processing.
    pub(super) async fn ask(&mut self, jobs_only: &Runtime) {
        let (branch, order) = (self.some_branch(), self.some_order());
        self.say(format!("a job for branch {branch}: {order:?}"));
        let answer = jobs_only.process_or_job(&self.account, &self.session, asked(self.name(branch), &order)).await;
        if let Some(there) = self.world.job_of(branch) {
            return self.joins(branch, &order, &there, answer);
        }
        let Ok(Handled::ByJob(job)) = answer else { panic!("{answer:?} after\n{}", self.said.join("\n")) };
        self.world.ask(branch, order);
        self.jobs.push(job.id);
    }

    /// The job that is there does what is asked, or is in the way.
    fn joins(&self, branch: At, order: &Order, there: &Order, answer: RuntimeResult<Handled>) {
        let at = self.world.jobs.iter().position(|job| job.branch == branch).unwrap();
        match answer {
            Ok(Handled::ByJob(job)) if *order == Order::USUAL || order == there => assert_eq!(job.id, self.jobs[at]),
            Err(RuntimeError::Refused(Refusal::BranchBusy(job))) if order != there => assert_eq!(job, self.jobs[at]),
            answer => panic!("{answer:?} of {} after\n{}", self.name(branch), self.said.join("\n")),
        }
    }

    /// The jobs come to their end.
    pub async fn finish(&mut self, runtime: &Runtime) {
        if !self.jobs.is_empty() {
            self.say(format!("{} jobs end", self.jobs.len()));
        }
        runtime.run_lane(JobLane::Processing).await.unwrap();
        self.look_at_jobs(runtime).await;
        if let Some(job) = self.jobs.first() {
            let job = runtime.job(&self.account, job).await.unwrap();
            panic!("{job:?} did not end after\n{}", self.said.join("\n"));
        }
    }

    /// The jobs go on for a while, or until a part of one is stored.
    pub(super) async fn work(&mut self, runtime: &Runtime, moments: u64) {
        let working = runtime.run_lane(JobLane::Processing);
        match self.jobs.last().filter(|_| self.dice.once_in(2)) {
            None => for_a_while(moments, working).await,
            Some(job) => {
                tokio::select! {
                    biased;
                    () = self.gets_on(runtime, job) => {}
                    _ = working => {}
                }
            }
        }
    }

    async fn gets_on(&self, runtime: &Runtime, job: &Id) {
        let before = runtime.job(&self.account, job).await.unwrap().done;
        while runtime.job(&self.account, job).await.unwrap().done == before {
            tokio::task::yield_now().await;
        }
    }

    /// How far the jobs got, the oracle takes from their rows; what that comes to, it knows itself.
    pub(super) async fn look_at_jobs(&mut self, runtime: &Runtime) {
        let (ids, jobs) = (std::mem::take(&mut self.jobs), std::mem::take(&mut self.world.jobs));
        for (id, job) in ids.into_iter().zip(jobs) {
            let (is_over, far) = self.far(runtime, &id).await;
            self.say(format!("job of branch {}: {far:?}, over: {is_over}", job.branch));
            if let Some(job) = self.world.go_on(job, (!is_over).then_some(far)) {
                assert!(!is_over);
                self.jobs.push(id);
                self.world.jobs.push(job);
            } else {
                assert!(is_over, "after\n{}", self.said.join("\n"));
            }
        }
    }

    async fn far(&self, runtime: &Runtime, id: &Id) -> (bool, (i64, u64)) {
        let job = runtime.job(&self.account, id).await.unwrap();
        let is_over = match job.state {
            JobState::Done | JobState::Cancelled => true,
            JobState::Waiting | JobState::Running => false,
            JobState::Failed => panic!("{job:?} after\n{}", self.said.join("\n")),
        };
        let work = Value::from(job.work.as_ref().unwrap());
        let Some(Value::Number(passes)) = work.get("passes") else { panic!("{work:?}") };
        (is_over, (job.done, u64::try_from(passes.as_i64().unwrap()).unwrap()))
    }
}
