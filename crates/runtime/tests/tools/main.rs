//! Runs every file below `cases/tools` on both databases. Its title is the sentence we promise, and its number is that of the list
//! in which the behaviour of tools was written down.
//!
//! ````text
//! # 26. title
//! ```json steps
//! {"step": …}       one JSON object per line; `steps.rs` lists them
//! ````
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::type_complexity,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    dead_code,
    unused_imports
)]

#[path = "../../../cli/tests/support/log.rs"]
mod log;
#[path = "../../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../../../cli/tests/support/undertaker.rs"]
mod undertaker;

mod groups;
mod journal;
mod steps;

use std::path::{Path, PathBuf};
use tavernkeep_runtime::Database;

fn files() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases/tools");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn steps_of(file: &Path) -> Vec<serde_json::Value> {
    let source = std::fs::read_to_string(file).unwrap();
    let (_, rest) = source.split_once("```json steps\n").unwrap_or_else(|| panic!("{} has no steps", file.display()));
    let (steps, _) = rest.split_once("```").unwrap();
    let read =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}\n{line}", file.display()));
    steps.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}

async fn run_all(database: Database) {
    let only = std::env::var("TAVERNKEEP_TEST_CASE").ok();
    let mut failures = Vec::new();
    let mut count = 0;
    for file in files() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| !name.starts_with(only.as_str())) {
            continue;
        }
        count += 1;
        if let Err(failure) = steps::run(&database, &name, &steps_of(&file)).await {
            failures.push(format!("{name}: {failure}"));
        }
    }
    println!("{count} cases");
    assert!(failures.is_empty(), "{} cases failed\n{}", failures.len(), failures.join("\n\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_holds_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    run_all(Database::Sqlite(folder.path().into())).await;
}

#[test]
fn every_case_holds_on_postgresql() {
    let remote = postgres::Database::fresh();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(run_all(Database::Postgres(remote.url.clone())));
}

/// Numbers of the list that no file has: the test that shows them, by the words with which it says so.
const ELSEWHERE: [(u32, &str, &str); 1] =
    [(94, "crates/cli/tests/http/tools.rs", "94: what is pending can be read, and a decision empties the list")];

/// How many numbers the list has that are about tools themselves; those behind them are about the loop of a model.
const NUMBERS: u32 = 114;

#[test]
fn every_number_has_a_case_or_a_test() {
    let names: Vec<String> =
        files().iter().map(|file| file.file_name().unwrap().to_string_lossy().into_owned()).collect();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    for number in 1..=NUMBERS {
        let has_file = names.iter().any(|name| name.starts_with(&format!("{number:03}_")));
        let elsewhere = ELSEWHERE.iter().find(|(known, ..)| *known == number);
        match elsewhere {
            Some((_, file, words)) => {
                assert!(!has_file, "{number} has a file and needs no row");
                let source = std::fs::read_to_string(root.join(file)).unwrap();
                assert!(source.contains(words), "{file} does not say {words:?}");
            }
            None => assert!(has_file, "nothing shows number {number}"),
        }
    }
}

#[test]
fn every_file_has_a_number() {
    for file in files() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let number: u32 = name[..3].parse().unwrap_or_else(|_| panic!("{name} begins with its number"));
        assert!((1..=NUMBERS).contains(&number), "{name}");
        let source = std::fs::read_to_string(&file).unwrap();
        assert!(source.starts_with(&format!("# {number}. ")), "{name}: the title begins with the number");
    }
}
