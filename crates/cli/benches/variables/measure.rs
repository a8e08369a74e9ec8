//! Rates and ratios: two sides take turns, and the median of the rounds counts.

use std::time::{Duration, Instant};

const ROUNDS: usize = 5;
const SPAN: Duration = Duration::from_millis(700);

/// Runs one client of many until the time is up; returns how many operations it did.
pub fn until_done(mut operation: impl FnMut()) -> (u64, Duration) {
    let started = Instant::now();
    let mut count = 0;
    while started.elapsed() < SPAN {
        operation();
        count += 1;
    }
    (count, started.elapsed())
}

/// Operations per second of several clients on threads of their own.
pub fn rate<F: FnMut() + Send>(clients: usize, client: impl Fn(usize) -> F) -> f64 {
    let clients: Vec<F> = (0..clients).map(client).collect();
    std::thread::scope(|scope| {
        let handles: Vec<_> = clients.into_iter().map(|operation| scope.spawn(move || until_done(operation))).collect();
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap())
            .map(|(count, span)| count as f64 / span.as_secs_f64())
            .sum()
    })
}

/// What two sides that take turns reach.
pub struct Comparison {
    pub ours: f64,
    pub theirs: f64,
    pub ratio: f64,
}

pub fn compare(mut ours: impl FnMut() -> f64, mut theirs: impl FnMut() -> f64) -> Comparison {
    let rounds: Vec<(f64, f64)> = (0..ROUNDS).map(|_| (ours(), theirs())).collect();
    Comparison {
        ours: median(rounds.iter().map(|round| round.0)),
        theirs: median(rounds.iter().map(|round| round.1)),
        ratio: median(rounds.iter().map(|round| round.0 / round.1)),
    }
}

pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

pub fn head(theirs: &str) {
    println!("| operation | clients | ours, per second | {theirs}, per second | ratio |");
    println!("|---|---:|---:|---:|---:|");
}

pub fn row(name: &str, clients: usize, comparison: &Comparison) {
    let Comparison { ours, theirs, ratio } = comparison;
    println!("| {name} | {clients} | {ours:.0} | {theirs:.0} | {ratio:.2} |");
}
