//! Measures the engine: the 36 replies of `bench/mvu`, each with the right final hash; commands on
//! long lists and large objects; 10 MB of hostile text beside 10 MB of prose; what the rule pack `memory` adds; how every reader of values grows; prompts and views; and the instructions of each reply where valgrind is at hand.
//!
//! `cargo run --release -p tavernkeep-engine --example bench` reads `$TAVERNKEEP_SHARED/bench/mvu`, else `../shared`
//! beside the workspace. Times are the fastest of several rounds: other programs on the machine only ever add to them.
//! Compare them with each other.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::disallowed_types, clippy::expect_used)]

mod containers;
mod counts;
mod hostile;
mod packs;
mod prompts;
mod readers;
mod replies;

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, part, name, rounds] = &arguments[..]
        && word == "repeat"
    {
        return counts::repeat(part, name, rounds.parse().expect("a number of rounds"));
    }
    match arguments.first().map(String::as_str) {
        Some("prompts") => return prompts::measure(),
        Some("packs") => return packs::measure(),
        _ => {}
    }
    replies::measure();
    containers::measure();
    hostile::measure();
    packs::measure();
    readers::measure();
    prompts::measure();
    counts::measure();
}

/// Where the recorded replies are; says so where they are not.
fn folder() -> Option<PathBuf> {
    let shared = std::env::var_os("TAVERNKEEP_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let folder = shared.join("bench/mvu");
    if !folder.is_dir() {
        println!("SKIPPED: {} is not there; set TAVERNKEEP_SHARED", folder.display());
        return None;
    }
    Some(folder)
}

/// The fastest of so many rounds.
fn fastest<T>(rounds: usize, mut work: impl FnMut() -> T) -> Duration {
    let round = |_| {
        let start = Instant::now();
        let answer = black_box(work());
        let time = start.elapsed();
        drop(answer);
        time
    };
    (0..rounds).map(round).min().unwrap_or_default()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
