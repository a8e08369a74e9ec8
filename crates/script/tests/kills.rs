//! Workers that are killed at any moment: a function did all of its work or none, and each kill costs one problem at most.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use rustix::process::{Pid, Signal, kill_process};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use support::{active, passive, play, pool, turn};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::turn::Status;
use tavernkeep_script::Limits;

/// Functions of one turn.
const FUNCTIONS: usize = 8;

#[test]
fn a_turn_is_whole_but_for_the_function_that_was_killed() {
    let pool = pool(2, Limits::default());
    let (done, kills, problems) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|account| {
                let (pool, problems) = (&pool, &problems);
                scope.spawn(move || {
                    for _ in 0..25 {
                        let found = one_turn(pool, &account.to_string());
                        problems.fetch_add(found, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        let killer = scope.spawn(|| {
            // Any order of numbers will do; it hits workers while they start, wait, run and make themselves ready.
            let mut state = 12_345_u64;
            while !done.load(Ordering::Relaxed) {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let workers = pool.workers();
                if let Some(worker) = workers.get((state >> 33) as usize % workers.len().max(1)) {
                    let process = Pid::from_raw(worker.cast_signed()).unwrap();
                    // A worker that is gone already was killed before.
                    if kill_process(process, Signal::KILL).is_ok() {
                        kills.fetch_add(1, Ordering::Relaxed);
                    }
                }
                for _ in 0..(state >> 40) % 64 {
                    std::thread::yield_now();
                }
                std::thread::park_timeout(std::time::Duration::from_micros(state >> 44 & 0x3fff));
            }
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        done.store(true, Ordering::Relaxed);
        killer.join().unwrap();
    });
    let (kills, problems) = (kills.into_inner(), problems.into_inner());
    assert!(problems <= kills, "{problems} problems of {kills} kills");
    assert_eq!(one_turn(&pool, "after"), 0, "the pool is healthy");
}

/// Runs a turn and returns its problems, one for each function that is missing.
fn one_turn(pool: &tavernkeep_script::Pool, account: &str) -> usize {
    let body = |number: usize| {
        format!("snapshot.a.push({number}); for (let i = 0; i < 3000; i++); snapshot.b.push({number});")
    };
    let mut functions: Vec<_> = (0..FUNCTIONS).map(|number| passive(&format!("f{number}"), &body(number))).collect();
    functions.push(active("called", "@called", "snapshot.called = 1"));
    let outcome = play(pool.turn(account), turn(r#"{"a":[],"b":[]}"#, "@called", functions));
    let list = |name: &str| -> Vec<Value> { outcome.document.get(name).unwrap().items().to_vec() };
    assert_eq!(list("a"), list("b"), "no function did half of its work");
    let ran = outcome.runs.iter().filter(|run| run.name.starts_with('f') && run.status == Status::Applied);
    let ran: Vec<Value> = ran.map(|run| run.name[1..].parse::<i64>().unwrap().into()).collect();
    assert_eq!(list("a"), ran);
    let refused = outcome.results.iter().filter(|result| matches!(result.status, Status::Refused(_))).count();
    let missing = FUNCTIONS - ran.len();
    // The pattern itself may have been what was killed.
    let unmatched = usize::from(outcome.results.is_empty());
    assert_eq!(outcome.problems.len() + refused, missing + refused + unmatched, "{:?}", outcome.problems);
    outcome.problems.len() + refused
}
