//! Processing that goes on for longer than a request, with whatever else happens in between.

use super::path::Step;
use super::{At, Mode, Order, World};

/// How far processing got.
#[derive(Debug, Clone)]
pub struct Job {
    pub branch: At,
    pub order: Order,
    /// The page that was the last one when the job was asked for, where that is to be processed in any case.
    latest: Option<At>,
    from: From,
    /// Pages that were looked at.
    pub done: i64,
    /// The number of times that processing was asked for, with this one.
    asks: u64,
    /// How often the end was reached and something did not fit by then.
    pub passes: u64,
}

#[derive(Debug, Clone, Copy)]
enum From {
    /// Where the order says.
    Order,
    /// Where something does not fit.
    Stale,
    /// Behind a position.
    Behind(i64),
}

impl World {
    /// A job is made for the rest of a branch.
    pub fn ask(&mut self, branch: At, order: Order) {
        if order.mode == Mode::Latest && self.settings.is_enabled {
            self.follow();
        }
        let latest = self.latest(branch, &order);
        self.asks += 1;
        self.jobs.push(Job { branch, order, latest, from: From::Order, done: 0, asks: self.asks, passes: 0 });
    }

    /// The order of the job that a branch has.
    pub fn job_of(&self, branch: At) -> Option<Order> {
        self.jobs.iter().find(|job| job.branch == branch).map(|job| job.order)
    }

    /// Processes what does not fit on the way to a position, unless a job is at it; tells whether all fits then, or nothing
    /// is processed at all.
    pub fn process_some(&mut self, branch: At, last: i64) -> bool {
        let is_needed = self.settings.lags_behind() || self.first_misfit(&self.path(branch, last)).is_some();
        if !self.settings.is_enabled || !is_needed {
            return true;
        }
        let is_free = self.job_of(branch).is_none();
        if is_free {
            self.process(branch, last, &Order::USUAL);
        }
        is_free
    }

    /// A job goes on until it has looked at so many pages in so many passes, or to its end.
    pub fn go_on(&mut self, mut job: Job, until: Option<(i64, u64)>) -> Option<Job> {
        while until != Some((job.done, job.passes)) {
            if !self.branches[job.branch].is_alive || !self.settings.is_enabled {
                return None;
            }
            self.follow();
            let path = self.path(job.branch, i64::MAX);
            let at = self.next(&job, &path);
            let before = at.checked_sub(1).map(|at| path[at].1);
            if matches!(job.from, From::Behind(_))
                && at < path.len()
                && before.is_some_and(|before| self.pages[before].state.is_none())
            {
                // There is nothing to go on from.
                job.from = From::Stale;
            } else if at < path.len() {
                // A job that starts again mends what was changed meanwhile.
                let order = if job.passes == 0 { job.order } else { Order::USUAL };
                self.process_step(&path, at, &order, job.latest, job.asks);
                // It gets another name once, however often its floor is met because that was moved.
                job.latest = job.latest.filter(|&page| page != path[at].1);
                job.from = From::Behind(path[at].0);
                job.done += 1;
            } else if self.first_misfit(&path).is_some() {
                job.from = From::Stale;
                job.passes += 1;
            } else {
                return None;
            }
        }
        Some(job)
    }

    fn next(&self, job: &Job, path: &[Step]) -> usize {
        match job.from {
            From::Order => self.start(path, &job.order),
            From::Stale => self.first_misfit(path).unwrap_or(path.len()),
            From::Behind(last) => path.iter().position(|&(no, _)| no > last).unwrap_or(path.len()),
        }
    }
}
