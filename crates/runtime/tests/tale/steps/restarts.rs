//! A process ends in the middle of something. Whoever waited for an answer asks the next one again. (The campaigns of faults
//! end processes without asking them.)

use super::words::asked;
use super::{Tale, for_a_while};
use crate::oracle::Order;
use crate::{jobs_only, reopened};
use tavernkeep_runtime::{Database, Runtime};

impl Tale {
    pub async fn restart(&mut self, runtime: Runtime, database: &Database) -> Runtime {
        let moments = 1 << self.dice.below(14);
        match self.dice.below(4) {
            0 => self.restart_in_a_turn(runtime, database, moments).await,
            1 => self.restart_while_processing(runtime, database, moments).await,
            _ => self.restart_at_work(runtime, database, moments).await,
        }
    }

    async fn restart_in_a_turn(&mut self, runtime: Runtime, database: &Database, moments: u64) -> Runtime {
        let mut turn = self.some_turn();
        // Whoever sends a turn again does not process what comes after it, so nothing may.
        turn.new.floor_no = None;
        turn.new.page = Some(format!("{}-{}", self.session, self.said.len()).parse().unwrap());
        self.say(format!("restarts {moments} moments later"));
        for_a_while(moments, runtime.take_turn(&self.account, turn.new.clone())).await;
        runtime.close().await;
        let runtime = reopened(database).await;
        let answer = runtime.take_turn(&self.account, turn.new.clone()).await;
        self.took(turn, answer);
        runtime
    }

    async fn restart_while_processing(&mut self, runtime: Runtime, database: &Database, moments: u64) -> Runtime {
        let branch = self.some_branch();
        self.say(format!("process branch {branch}, restarts {moments} moments later"));
        let order = asked(self.name(branch), &Order::USUAL);
        for_a_while(moments, runtime.process(&self.account, &self.session, order.clone())).await;
        runtime.close().await;
        let runtime = reopened(database).await;
        runtime.process(&self.account, &self.session, order).await.unwrap();
        self.world.process(branch, i64::MAX, &Order::USUAL);
        runtime
    }

    /// A process that leaves all processing to jobs begins with them, and the next one goes on when it comes to that.
    async fn restart_at_work(&mut self, runtime: Runtime, database: &Database, moments: u64) -> Runtime {
        runtime.close().await;
        let jobs_only = jobs_only(database).await;
        let lagged = self.world.settings.lags_behind();
        self.ask(&jobs_only).await;
        self.say(format!("works, restarts {moments} moments later"));
        self.work(&jobs_only, moments).await;
        jobs_only.close().await;
        let runtime = reopened(database).await;
        self.look_at_jobs(&runtime).await;
        // A job that stops while it looks at the floors again leaves some of them unknown, and they count as stale until a process
        // has looked at them (`process_jobs.rs` shows that). The oracle has no such state, so they are looked at now.
        if lagged && !self.jobs.is_empty() {
            self.put_profile(&runtime).await;
        }
        runtime
    }
}
