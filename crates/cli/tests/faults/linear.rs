//! Is there one order of all operations on a variable that explains every answer?
//!
//! A history is linearizable if each operation can be given one moment between its request and its answer so that, done
//! one after the other at those moments, all operations answer what they did answer (Herlihy and Wing 1990). The search
//! walks through the history and keeps every state that is still possible, with those operations that have happened
//! already and not been answered yet; an answer removes the states in which it could not have been given (the just-in-time
//! linearization of Lowe 2017). With few clients these are few states, however long the history is.

use std::collections::{BTreeSet, HashSet};

/// What a variable holds.
pub type State = Option<i64>;

/// What was asked and what was answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    Read(State),
    Write(i64),
    /// Writes `new` if the variable still holds `expected`; `done` says what was answered.
    Swap {
        expected: i64,
        new: i64,
        done: bool,
    },
    Add {
        by: i64,
        sum: i64,
    },
}

/// One operation on one variable. Times are of a clock that all clients share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Operation {
    pub began: u64,
    pub ended: u64,
    pub action: Action,
    /// Whether it was answered. If not, it happened before `ended` or never, and what it says of an answer means nothing.
    pub answered: bool,
}

impl Operation {
    /// The state behind it, unless it could not have answered so.
    fn follow(&self, state: State) -> Option<State> {
        match self.action {
            Action::Read(found) => (found == state).then_some(state),
            Action::Write(new) => Some(Some(new)),
            Action::Swap { expected, new, done } => match (state == Some(expected), done || !self.answered) {
                (true, true) => Some(Some(new)),
                (false, true) => (!self.answered).then_some(state),
                (true, false) => None,
                (false, false) => Some(state),
            },
            Action::Add { by, sum } => {
                let found = state.unwrap_or(0) + by;
                (found == sum || !self.answered).then_some(Some(found))
            }
        }
    }
}

/// A state that is possible, and the operations without an answer that have happened in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Possible {
    state: State,
    happened: BTreeSet<usize>,
}

/// Looks for an order; if there is none, says at which answer the last possible state was lost.
pub fn check(first: State, history: &[Operation]) -> Result<(), String> {
    let mut moments: Vec<(u64, usize)> =
        history.iter().enumerate().flat_map(|(index, one)| [(one.began, index), (one.ended, index)]).collect();
    moments.sort_unstable();
    let mut running = BTreeSet::new();
    let mut possible = HashSet::from([Possible { state: first, happened: BTreeSet::new() }]);
    for (_, index) in moments {
        if running.insert(index) {
            continue;
        }
        let before = possible.clone();
        possible = answered(history, possible, &running, index);
        running.remove(&index);
        if possible.is_empty() {
            let states: Vec<State> = before.iter().map(|possible| possible.state).collect();
            let beside: Vec<&Operation> = running.iter().map(|&other| &history[other]).collect();
            let answer = history[index];
            return Err(format!("no order explains {answer:?}\n  behind one of {states:?}\n  beside {beside:?}"));
        }
    }
    Ok(())
}

/// The states that are possible behind the answer of an operation.
fn answered(
    history: &[Operation],
    possible: HashSet<Possible>,
    running: &BTreeSet<usize>,
    index: usize,
) -> HashSet<Possible> {
    let mut left = HashSet::new();
    let mut seen = possible.clone();
    let mut open: Vec<Possible> = possible.into_iter().collect();
    while let Some(mut one) = open.pop() {
        let happened = one.happened.contains(&index);
        if !happened {
            for &other in running.difference(&one.happened) {
                if let Some(state) = history[other].follow(one.state) {
                    let mut happened = one.happened.clone();
                    happened.insert(other);
                    let next = Possible { state, happened };
                    if seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        if happened || !history[index].answered {
            one.happened.remove(&index);
            left.insert(one);
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(began: u64, ended: u64, action: Action) -> Operation {
        Operation { began, ended, action, answered: true }
    }

    fn unanswered(began: u64, ended: u64, action: Action) -> Operation {
        Operation { answered: false, ..one(began, ended, action) }
    }

    fn swap(expected: i64, new: i64, done: bool) -> Action {
        Action::Swap { expected, new, done }
    }

    #[test]
    fn what_happens_at_the_same_time_may_happen_in_any_order() {
        let history = [one(1, 4, Action::Write(1)), one(2, 5, Action::Write(2)), one(3, 6, Action::Read(Some(1)))];
        assert_eq!(check(None, &history), Ok(()));
        let counted = [one(1, 3, Action::Add { by: 1, sum: 3 }), one(2, 4, Action::Add { by: 2, sum: 2 })];
        assert_eq!(check(None, &counted), Ok(()));
        let swapped = [one(1, 3, swap(7, 8, true)), one(2, 4, swap(7, 9, false)), one(5, 6, Action::Read(Some(8)))];
        assert_eq!(check(Some(7), &swapped), Ok(()));
    }

    #[test]
    fn an_operation_without_an_answer_may_have_happened_or_not() {
        for found in [None, Some(1)] {
            let history = [unanswered(1, 2, Action::Write(1)), one(3, 4, Action::Read(found))];
            assert_eq!(check(None, &history), Ok(()), "{found:?}");
        }
        let late =
            [unanswered(1, 2, Action::Write(1)), one(3, 4, Action::Read(None)), one(5, 6, Action::Read(Some(1)))];
        assert!(check(None, &late).is_err(), "it happened after its end");
    }

    #[test]
    fn planted_violations_are_found() {
        let planted: [(&str, State, Vec<Operation>); 6] = [
            ("a lost write", None, vec![one(1, 2, Action::Write(1)), one(3, 4, Action::Read(None))]),
            (
                "a stale read",
                Some(1),
                vec![one(1, 2, Action::Write(2)), one(3, 4, Action::Read(Some(2))), one(5, 6, Action::Read(Some(1)))],
            ),
            ("two winners", Some(7), vec![one(1, 3, swap(7, 8, true)), one(2, 4, swap(7, 9, true))]),
            ("a refusal without a reason", Some(7), vec![one(1, 2, swap(7, 8, false))]),
            (
                "a lost increment",
                None,
                vec![one(1, 3, Action::Add { by: 1, sum: 1 }), one(2, 4, Action::Add { by: 1, sum: 1 })],
            ),
            (
                "a write that happened twice",
                None,
                vec![
                    unanswered(1, 9, Action::Write(1)),
                    one(2, 3, Action::Read(Some(1))),
                    one(4, 5, Action::Write(2)),
                    one(6, 7, Action::Read(Some(1))),
                ],
            ),
        ];
        for (name, first, history) in planted {
            assert!(check(first, &history).is_err(), "{name}");
        }
    }
}
