//! Processing on request.

use super::Tale;
use super::words::asked;
use crate::oracle::{At, Mode, Order};
use crate::tree::Spot;
use std::fmt::Debug;
use tavernkeep_runtime::{ProcessOrder, ProcessReport, Refusal, Runtime, RuntimeError, RuntimeResult};

/// A story with so many pages has more than are processed at once.
const LONG: usize = 150;

impl Tale {
    pub(super) fn some_order(&mut self) -> Order {
        let from = self.dice.once_in(3).then(|| i64::try_from(self.dice.below(10)).unwrap());
        // What is long is done in several parts, if all of it is.
        let sides = if self.world.pages.len() > LONG { 2 } else { 4 };
        let mode = match self.dice.below(sides) {
            0 => Mode::All(from),
            1 => Mode::Latest,
            _ => Mode::Stale(from),
        };
        Order { mode, overwrite: self.dice.once_in(4) }
    }

    pub(super) async fn process(&mut self, runtime: &Runtime) {
        let (branch, order) = (self.some_branch(), self.some_order());
        self.say(format!("process branch {branch}: {order:?}"));
        let asked = asked(self.name(branch), &order);
        let dry = ProcessOrder { dry_run: true, ..asked.clone() };
        let planned = match self.dice.once_in(2) {
            true => Some(runtime.process(&self.account, &self.session, dry).await.unwrap()),
            false => None,
        };
        let done = runtime.process(&self.account, &self.session, asked).await.unwrap();
        let counts = |report: &ProcessReport| (report.processed, report.kept, report.unchanged);
        let planned = planned.as_ref().map_or(counts(&done), counts);
        assert_eq!(planned, counts(&done), "a dry run reported otherwise after\n{}", self.said.join("\n"));
        self.world.process(branch, i64::MAX, &order);
    }

    /// What follows a page is processed, unless a job is at it.
    pub(super) fn process_branch_of(&mut self, page: At) {
        let branch = self.world.floors[self.world.pages[page].floor].branch;
        self.world.process_some(branch, i64::MAX);
    }

    /// A floor is processed; tells whether no job is in the way.
    pub(super) fn process_floor(&mut self, floor: At) -> bool {
        let Spot { branch, floor_no, .. } = self.world.floors[floor].spot;
        self.world.process_some(branch, floor_no)
    }

    /// A job is in the way.
    pub(super) fn expect_busy<T: Debug>(&self, answer: &RuntimeResult<T>) {
        let is_busy = matches!(answer, Err(RuntimeError::Refused(Refusal::BranchBusy(job))) if self.jobs.contains(job));
        assert!(is_busy, "{answer:?} after\n{}", self.said.join("\n"));
    }
}
