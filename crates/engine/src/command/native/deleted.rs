//! What `DEL` took out of a list: several in one reply use the indices that the list had at first.
//!
//! An item that `DEL` takes out leaves a hole that still counts. What other commands put in or take out meanwhile moves the
//! holes, and a list that was replaced has none.

use crate::document::op::Op;
use crate::document::path::{Path, Segment};

/// The holes of one list.
#[derive(Debug, Clone)]
pub(crate) struct Deleted {
    /// Where the holes are, ascending, by indices that count holes.
    holes: Vec<usize>,
    /// How many ops of the turn were looked at.
    seen: usize,
}

impl Deleted {
    /// No holes yet; so many ops are of no interest.
    pub(super) fn from_now_on(ops: usize) -> Deleted {
        Deleted { holes: Vec::new(), seen: ops }
    }

    /// How much work it is to catch up with so many ops.
    pub(super) fn work(&self, ops: usize) -> usize {
        (ops - self.seen.min(ops)).saturating_mul(1 + self.holes.len()) + self.holes.len()
    }

    /// Takes notice of what happened to the list since the last look.
    pub(super) fn catch_up(&mut self, list: &Path, ops: &[Op]) {
        for op in ops.iter().skip(self.seen) {
            let path = op.path();
            if list.starts_with(path) {
                self.holes.clear();
            }
            let Some((parent, Segment::Index(index))) = path.split_last() else { continue };
            if parent != list.segments() {
                continue;
            }
            let place = self.with_holes(*index);
            match op {
                Op::Add { .. } => self.holes.iter_mut().filter(|hole| **hole >= place).for_each(|hole| *hole += 1),
                Op::Remove { .. } => self.holes.iter_mut().filter(|hole| **hole > place).for_each(|hole| *hole -= 1),
                Op::Replace { .. } => {}
            }
        }
        self.seen = ops.len();
    }

    /// The present index of an item; `None` for a hole.
    pub(super) fn present(&self, wanted: usize) -> Option<usize> {
        match self.holes.binary_search(&wanted) {
            Ok(_) => None,
            Err(before) => Some(wanted - before),
        }
    }

    /// Leaves a hole; the op that took the item out is the last of these.
    pub(super) fn leave(&mut self, wanted: usize, ops: &[Op]) {
        if let Err(position) = self.holes.binary_search(&wanted) {
            self.holes.insert(position, wanted);
        }
        self.seen = ops.len();
    }

    /// The index of an item when holes count.
    fn with_holes(&self, index: usize) -> usize {
        self.holes.iter().fold(index, |place, hole| if *hole <= place { place + 1 } else { place })
    }
}
