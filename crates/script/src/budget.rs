//! The time that the scripts of a turn have.
//!
//! A turn in which a script uses up its time is most likely one that does so in every function. What is left of its time is then
//! cut, so that a dozen endless functions cost about as much as two, and short functions behind one that went wrong still run.

use crate::limits::{Limits, SHARE_AFTER_TIMEOUT};

/// What is left of the time of a turn, in microseconds of processor time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    /// For all scripts together.
    pub(crate) left_us: u64,
    /// For one script.
    pub(crate) script_us: u64,
    /// Whether a script has used up its time.
    pub(crate) is_cut: bool,
}

impl Budget {
    pub(crate) fn new(limits: &Limits) -> Budget {
        Budget { left_us: limits.turn_us, script_us: limits.function_us, is_cut: false }
    }

    /// The time of the next script.
    pub(crate) fn next_us(&self) -> u64 {
        self.script_us.min(self.left_us)
    }

    /// Takes away what a script used.
    pub(crate) fn spend(&mut self, used_us: u64) {
        let is_used_up = used_us >= self.next_us();
        self.left_us = self.left_us.saturating_sub(used_us);
        if is_used_up && !self.is_cut {
            self.is_cut = true;
            self.left_us = self.left_us.min(self.script_us);
            self.script_us = (self.script_us / SHARE_AFTER_TIMEOUT).max(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { function_us: 100, turn_us: 1_000, memory_bytes: 0, stack_bytes: 0 };

    #[test]
    fn endless_scripts_cost_two_budgets_together() {
        let (mut budget, mut used, mut ran) = (Budget::new(&LIMITS), 0, 0);
        while budget.left_us > 0 {
            let next = budget.next_us();
            budget.spend(next);
            (used, ran) = (used + next, ran + 1);
        }
        assert_eq!(used, 200);
        assert!(ran > 2, "what is left is not spent on one script");
    }

    #[test]
    fn scripts_within_their_time_have_all_of_the_turn() {
        let mut budget = Budget::new(&LIMITS);
        for _ in 0..10 {
            assert_eq!(budget.next_us(), 100.min(budget.left_us));
            budget.spend(99);
        }
        assert_eq!((budget.left_us, budget.is_cut), (10, false));
    }
}
