//! What the state of a story costs as the chat grows, beside LangGraph's SQLite saver doing the same steps.
//!
//! `make bench` prints the tables of `docs/benchmarks.md`; `cargo bench --bench story -- memory` only what the rule pack costs,
//! `-- imports` only what chats of SillyTavern cost, `-- turns` only turns over HTTP.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod bare;
mod chat;
mod imports;
mod memory;
mod ours;
mod peer;
#[path = "../variables/process.rs"]
#[allow(dead_code)]
mod process;
mod turns;

use ours::{Chat, Cost};
use std::ops::Range;
use std::path::Path;
use tavernkeep_runtime::FILE_NAME;

/// Floors that are measured together at the beginning and at the end of a chat.
const WINDOW: usize = 100;
const BEGINNING: usize = 10;

fn main() {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    if std::env::args().any(|word| word == "memory") {
        return tokio.block_on(memory::measure());
    }
    if std::env::args().any(|word| word == "imports") {
        return imports::measure();
    }
    if std::env::args().any(|word| word == "turns") {
        return turns::measure();
    }
    let python = peer::install();
    println!(
        "## Stories: a state of {:.0} KB, a durable turn for every floor\n",
        chat::template().len() as f64 / 1000.0
    );
    println!("| floors | changes a floor | figure | ours | LangGraph's saver | ratio |");
    println!("|---:|---:|---|---:|---:|---:|");
    for (floors, changes) in [(1_000, 10), (10_000, 10), (1_000, 1)] {
        tokio.block_on(measure(floors, changes, python.as_deref()));
    }
    tokio.block_on(memory::measure());
    imports::measure();
    turns::measure();
}

async fn measure(floors: usize, changes: usize, python: Option<&Path>) {
    let peer = python.map(|python| peer::run(python, floors, changes));
    let row = |figure: &str, unit: &str, scale: f64, ours: f64, theirs: Option<f64>| {
        let ours = ours * scale;
        let theirs = theirs.map(|theirs| theirs * scale);
        let beside = theirs.map_or("| | ".to_owned(), |theirs| format!("| {theirs:.3} {unit} | {:.3} ", ours / theirs));
        println!("| {floors} | {changes} | {figure} | {ours:.3} {unit} {beside}|");
    };
    let mut chat = Chat::begin(changes).await;
    chat.grow(BEGINNING).await;
    let first = chat.grow(BEGINNING + WINDOW).await;
    let middle = chat.grow(floors - WINDOW).await;
    let last = chat.grow(floors).await;
    let all = together(&[(first, WINDOW), (middle, floors - BEGINNING - 2 * WINDOW), (last, WINDOW)]);
    row("a turn", "ms", 1e3, all.seconds, peer.as_ref().map(|peer| peer.seconds_per_step));
    row("CPU of a turn", "ms", 1e3, all.cpu, peer.as_ref().map(|peer| peer.cpu_per_step));
    row(&format!("a turn, floors {BEGINNING} to {}", BEGINNING + WINDOW), "ms", 1e3, first.seconds, None);
    row(&format!("a turn, the last {WINDOW} floors"), "ms", 1e3, last.seconds, None);
    let (chat, any) = median_read(chat, 0..floors, floors / 200).await;
    row("read any floor", "ms", 1e3, any, peer.as_ref().map(|peer| peer.seconds_per_read));
    let (chat, first) = median_read(chat, BEGINNING..BEGINNING + WINDOW, 10).await;
    let (chat, last) = median_read(chat, floors - WINDOW..floors, 10).await;
    row(&format!("read, floors {BEGINNING} to {}", BEGINNING + WINDOW), "ms", 1e3, first, None);
    row(&format!("read, the last {WINDOW} floors"), "ms", 1e3, last, None);
    // Before there are forks, and while the first page is the chosen one.
    let chat = chat.reopened().await;
    let processed = chat.process().await;
    row("fork in the middle and a turn there", "ms", 1e3, chat.fork(floors).await.seconds, None);
    let [fork, added, chosen] = chat.swipe_beginning().await;
    row("fork at the end", "ms", 1e3, fork.seconds, None);
    row("add a swipe to the first floor of a chat with a fork at its end", "ms", 1e3, added.seconds, None);
    row("choose it, and all floors behind it follow", "ms", 1e3, chosen.seconds, None);
    let synced = ours::sync(floors, changes).await;
    row("sync a chat and process it, CPU for 1,000 floors", "s", 1_000.0 / floors as f64, synced.cpu, None);
    row("sync a chat and process it, time for 1,000 floors", "s", 1_000.0 / floors as f64, synced.seconds, None);
    row("process floors whose beginning changed, CPU for 1,000", "s", 1_000.0 / floors as f64, processed.cpu, None);
    let mut small = Chat::begin(changes).await;
    small.grow(floors).await;
    let (bytes, folder) = small.bytes_per_floor().await;
    let least = bare::turns(&folder.path().join(FILE_NAME), floors);
    row("the rows of a turn in bare SQLite", "ms", 1e3, least.all.seconds, None);
    row("the rows of a turn in bare SQLite, CPU", "ms", 1e3, least.all.cpu, None);
    for (name, seconds) in &least.statements {
        row(&format!("the rows of a turn in bare SQLite: {name}"), "ms", 1e3, *seconds, None);
    }
    row("bytes a floor without its text", "B", 1.0, bytes, peer.as_ref().map(|peer| peer.bytes_per_step));
}

/// The median of five rounds, each with other floors and nothing in memory but what its first read brought there.
async fn median_read(mut chat: Chat, floors: Range<usize>, step: usize) -> (Chat, f64) {
    let mut rounds = Vec::new();
    for round in 0..5 {
        chat = chat.reopened().await;
        // A store that was just opened has its own business at first.
        chat.read(std::iter::once(0)).await;
        rounds.push(chat.read((floors.start + round..floors.end).step_by(step)).await.seconds);
    }
    rounds.sort_by(f64::total_cmp);
    (chat, rounds[2])
}

fn together(parts: &[(Cost, usize)]) -> Cost {
    let count: usize = parts.iter().map(|(_, count)| count).sum();
    let mean =
        |of: fn(&Cost) -> f64| parts.iter().map(|(cost, count)| of(cost) * *count as f64).sum::<f64>() / count as f64;
    Cost { seconds: mean(|cost| cost.seconds), cpu: mean(|cost| cost.cpu) }
}
