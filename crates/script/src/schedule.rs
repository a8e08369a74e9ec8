//! Who gets a worker next: turns wait in a line for each account, and the lines take turns.
//!
//! One worker is kept back: only an account that has no worker now, and whose scripts did not take long lately, gets the last one. An
//! account can therefore fill its own line, and never the way of the others.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

/// Turns that wait, and accounts that have workers.
#[derive(Debug)]
pub(crate) struct Schedule<T> {
    lines: HashMap<String, VecDeque<Waiter<T>>>,
    /// The accounts that have a line; the first is next.
    order: VecDeque<String>,
    waiting: usize,
    tickets: u64,
    /// How many workers an account has.
    held: HashMap<String, usize>,
    /// How many workers all of them have.
    busy: usize,
    /// Accounts whose scripts took long, and until when that counts.
    slow: HashMap<String, Instant>,
}

#[derive(Debug)]
struct Waiter<T> {
    ticket: u64,
    waiter: T,
}

impl<T> Default for Schedule<T> {
    fn default() -> Schedule<T> {
        Schedule {
            lines: HashMap::new(),
            order: VecDeque::new(),
            waiting: 0,
            tickets: 0,
            held: HashMap::new(),
            busy: 0,
            slow: HashMap::new(),
        }
    }
}

impl<T> Schedule<T> {
    /// Puts a turn behind the others of its account. The ticket takes it out again.
    pub(crate) fn push(&mut self, account: &str, waiter: T) -> u64 {
        self.tickets += 1;
        let line = self.lines.entry(account.to_owned()).or_default();
        if line.is_empty() {
            self.order.push_back(account.to_owned());
        }
        line.push_back(Waiter { ticket: self.tickets, waiter });
        self.waiting += 1;
        self.tickets
    }

    /// Takes out a turn that waits no longer.
    pub(crate) fn remove(&mut self, account: &str, ticket: u64) {
        let Some(line) = self.lines.get_mut(account) else { return };
        let before = line.len();
        line.retain(|waiter| waiter.ticket != ticket);
        self.waiting -= before - line.len();
        if line.is_empty() {
            self.lines.remove(account);
            self.order.retain(|other| other != account);
        }
    }

    /// The turn that gets a free worker, of `workers` in all; its account has one more from now on.
    pub(crate) fn next(&mut self, workers: usize, now: Instant) -> Option<(String, T)> {
        let place = self.order.iter().position(|account| self.may_have(account, workers, now))?;
        let account = self.order.remove(place)?;
        let line = self.lines.get_mut(&account)?;
        let waiter = line.pop_front()?.waiter;
        if line.is_empty() {
            self.lines.remove(&account);
        } else {
            self.order.push_back(account.clone());
        }
        self.waiting -= 1;
        self.busy += 1;
        *self.held.entry(account.clone()).or_default() += 1;
        Some((account, waiter))
    }

    /// Whether an account may have one more worker.
    fn may_have(&self, account: &str, workers: usize, now: Instant) -> bool {
        let is_last = workers > 1 && self.busy + 1 >= workers;
        let is_slow = || self.slow.get(account).is_some_and(|until| *until > now);
        !is_last || (!self.held.contains_key(account) && !is_slow())
    }

    /// An account has one worker less.
    pub(crate) fn give_back(&mut self, account: &str) {
        if let Some(held) = self.held.get_mut(account) {
            *held -= 1;
            self.busy -= 1;
            if *held == 0 {
                self.held.remove(account);
            }
        }
    }

    /// Remembers that scripts of an account took long.
    pub(crate) fn mark_slow(&mut self, account: &str, now: Instant, until: Instant) {
        self.slow.retain(|_, until| *until > now);
        self.slow.insert(account.to_owned(), until);
    }

    /// How many turns wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting
    }

    /// How many turns of an account wait.
    pub(crate) fn waiting_of(&self, account: &str) -> usize {
        self.lines.get(account).map_or(0, VecDeque::len)
    }

    /// Takes out every turn that waits.
    pub(crate) fn drain(&mut self) -> Vec<T> {
        self.waiting = 0;
        self.order.clear();
        self.lines.drain().flat_map(|(_, line)| line).map(|waiter| waiter.waiter).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn served(schedule: &mut Schedule<&'static str>, workers: usize, now: Instant) -> Vec<&'static str> {
        std::iter::from_fn(|| schedule.next(workers, now).map(|(_, turn)| turn)).collect()
    }

    #[test]
    fn accounts_take_turns() {
        let (mut schedule, now) = (Schedule::default(), Instant::now());
        for turn in ["a1", "a2", "a3", "b1", "c1", "b2"] {
            schedule.push(&turn[..1], turn);
        }
        assert_eq!((schedule.waiting(), schedule.waiting_of("a")), (6, 3));
        let mut order = Vec::new();
        while let Some((account, turn)) = schedule.next(1, now) {
            order.push(turn);
            schedule.give_back(&account);
        }
        assert_eq!(order, ["a1", "b1", "c1", "a2", "b2", "a3"]);
        assert_eq!(schedule.waiting(), 0);
    }

    #[test]
    fn an_account_with_a_long_line_leaves_a_worker_for_the_others() {
        let (mut schedule, now) = (Schedule::default(), Instant::now());
        for turn in ["a1", "a2", "a3", "a4"] {
            schedule.push("a", turn);
        }
        assert_eq!(served(&mut schedule, 2, now), ["a1"], "the second worker is not for the same account");
        schedule.push("b", "b1");
        assert_eq!(served(&mut schedule, 2, now), ["b1"], "who comes later is served next");
        schedule.give_back("b");
        schedule.push("b", "b2");
        assert_eq!(served(&mut schedule, 2, now), ["b2"], "and so is their next turn");
    }

    #[test]
    fn two_accounts_whose_scripts_took_long_leave_a_worker_too() {
        let (mut schedule, now) = (Schedule::default(), Instant::now());
        let until = now + Duration::from_secs(60);
        for account in ["a", "b"] {
            schedule.mark_slow(account, now, until);
            schedule.push(account, account);
        }
        assert_eq!(served(&mut schedule, 2, now), ["a"]);
        schedule.push("c", "c");
        assert_eq!(served(&mut schedule, 2, now), ["c"]);
        schedule.give_back("c");
        assert!(served(&mut schedule, 2, now).is_empty());
        assert_eq!(served(&mut schedule, 2, until), ["b"], "it is forgotten in time");
    }

    #[test]
    fn one_worker_serves_everybody() {
        let (mut schedule, now) = (Schedule::default(), Instant::now());
        schedule.mark_slow("a", now, now + Duration::from_secs(60));
        schedule.push("a", "a");
        assert_eq!(served(&mut schedule, 1, now), ["a"]);
    }

    #[test]
    fn who_gives_up_leaves_the_line() {
        let (mut schedule, now) = (Schedule::default(), Instant::now());
        let first = schedule.push("a", "a1");
        schedule.push("a", "a2");
        let other = schedule.push("b", "b1");
        schedule.remove("a", first);
        schedule.remove("b", other);
        assert_eq!((schedule.waiting(), schedule.waiting_of("b")), (1, 0));
        assert_eq!(served(&mut schedule, 3, now), ["a2"]);
    }
}
