//! A process ends in the middle of something. Whoever waited for an answer asks the next one again. (The campaigns of faults
//! end processes without asking them.)

use super::words::asked;
use super::{Telling, for_a_while};
use crate::oracle::Order;
use crate::{hasty, reborn};
use tavernkeep_runtime::{Database, Runtime};

impl Telling {
    pub async fn die(&mut self, runtime: Runtime, database: &Database) -> Runtime {
        let moments = 1 << self.dice.below(14);
        match self.dice.below(4) {
            0 => self.die_in_a_turn(runtime, database, moments).await,
            1 => self.die_processing(runtime, database, moments).await,
            _ => self.die_at_work(runtime, database, moments).await,
        }
    }

    async fn die_in_a_turn(&mut self, runtime: Runtime, database: &Database, moments: u64) -> Runtime {
        let mut turn = self.some_turn();
        turn.new.page = Some(format!("{}-{}", self.session, self.said.len()).parse().unwrap());
        self.say(format!("dies {moments} moments later"));
        for_a_while(moments, runtime.take_turn(&self.account, turn.new.clone())).await;
        runtime.close().await;
        let runtime = reborn(database).await;
        let answer = runtime.take_turn(&self.account, turn.new.clone()).await;
        self.took(turn, answer);
        runtime
    }

    async fn die_processing(&mut self, runtime: Runtime, database: &Database, moments: u64) -> Runtime {
        let branch = self.some_branch();
        self.say(format!("process branch {branch}, dies {moments} moments later"));
        let order = asked(branch, &Order::USUAL);
        for_a_while(moments, runtime.process(&self.account, &self.session, order.clone())).await;
        runtime.close().await;
        let runtime = reborn(database).await;
        runtime.process(&self.account, &self.session, order).await.unwrap();
        self.world.process(branch, i64::MAX, &Order::USUAL);
        runtime
    }

    /// A process that leaves all processing to jobs begins with them, and the next one goes on when it comes to that.
    async fn die_at_work(&mut self, runtime: Runtime, database: &Database, moments: u64) -> Runtime {
        runtime.close().await;
        let hasty = hasty(database).await;
        self.ask(&hasty).await;
        self.say(format!("works, dies {moments} moments later"));
        self.work(&hasty, moments).await;
        hasty.close().await;
        let runtime = reborn(database).await;
        self.look_at_jobs(&runtime).await;
        runtime
    }
}
