//! Which pages are processed.

use super::path::Step;
use super::{At, World};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Stale(Option<i64>),
    Latest,
    All(Option<i64>),
}

/// What somebody asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    pub mode: Mode,
    pub overwrite: bool,
}

impl Order {
    /// What does not fit is processed.
    pub const USUAL: Order = Order { mode: Mode::Stale(None), overwrite: false };
}

impl World {
    /// The last page of a branch, where that is asked for.
    pub fn latest(&self, branch: At, order: &Order) -> Option<At> {
        self.path(branch, i64::MAX).last().filter(|_| order.mode == Mode::Latest).map(|&(_, page)| page)
    }

    /// Where an order begins on a path; at its end if there is nothing to do.
    pub fn start(&self, path: &[Step], order: &Order) -> usize {
        let from = |floor_no: i64| path.iter().position(|&(no, _)| no >= floor_no);
        let wanted = match order.mode {
            // Edits may stand on pages that fit.
            Mode::Stale(None) => order.overwrite.then(|| from(0)).flatten(),
            Mode::Latest => path.len().checked_sub(1),
            Mode::Stale(Some(floor_no)) | Mode::All(Some(floor_no)) => from(floor_no),
            Mode::All(None) => from(0),
        };
        self.first_misfit(path).into_iter().chain(wanted).min().unwrap_or(path.len())
    }

    /// Processes a page of a path as an order says.
    pub fn process_step(&mut self, path: &[Step], at: usize, order: &Order, latest: Option<At>, asks: u64) {
        let (floor_no, page) = path[at];
        let is_forced = match order.mode {
            Mode::Stale(from) => from.is_some_and(|from| floor_no >= from),
            Mode::Latest => latest == Some(page),
            Mode::All(_) => true,
        };
        self.process_page(page, at.checked_sub(1).map(|at| path[at].1), is_forced, order, asks);
    }

    /// Processes the way to a position.
    pub fn process(&mut self, branch: At, last: i64, order: &Order) {
        if !self.settings.is_enabled {
            return;
        }
        self.follow();
        self.asks += 1;
        let (path, latest) = (self.path(branch, last), self.latest(branch, order));
        for at in self.start(&path, order)..path.len() {
            self.process_step(&path, at, order, latest, self.asks);
        }
    }
}
