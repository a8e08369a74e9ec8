//! Instructions of each reply, counted by valgrind's cachegrind: the same on a busy machine as on a quiet one.
//!
//! This program runs itself under valgrind twice for each figure, with one round and with several. The difference is what
//! the rounds cost, without starting up and reading files.

use super::{folder, replies};
use std::hint::black_box;
use std::process::Command;

const ROUNDS: u64 = 6;

pub(super) fn measure() {
    let Some(folder) = folder() else { return };
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("\nSKIPPED: instructions are counted by valgrind, which is not installed here");
        return;
    }
    println!("\n{:30} {:>12} {:>12}", "instructions", "parse", "together");
    for name in replies::names(&folder) {
        let [parse, together] = ["parse", "turn"].map(|part| {
            let [once, often] = [1, ROUNDS].map(|rounds| count(part, &name, rounds));
            often.saturating_sub(once) / (ROUNDS - 1)
        });
        println!("{name:30} {parse:>12} {together:>12}");
    }
}

/// Runs one part of one reply so many times; this is what valgrind watches.
pub(super) fn repeat(part: &str, name: &str, rounds: u64) {
    let folder = folder().expect("the recorded replies");
    let reply = replies::reply(&folder, name).expect("a recorded reply");
    for _ in 0..rounds {
        let _ = match part {
            "parse" => black_box(reply.parse()),
            _ => black_box(reply.turn()).results.len(),
        };
    }
}

/// The instructions of the whole run.
fn count(part: &str, name: &str, rounds: u64) -> u64 {
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(std::env::current_exe().expect("our own path"))
        .args(["repeat", part, name, &rounds.to_string()])
        .output()
        .expect("valgrind runs");
    let report = String::from_utf8_lossy(&output.stderr);
    let line = report.lines().find(|line| line.contains("refs:"));
    let digits: String = line.and_then(|line| line.rsplit(':').next()).unwrap_or_default().replace([',', ' '], "");
    digits.parse().expect("valgrind says how many instructions it counted")
}
