//! Random stories of puts, forks, stagings, commits, swipes and deletions, sent to a real database and to a naive oracle
//! that must see the same at every place.
//!
//! `TAVERNKEEP_TEST_OPERATIONS` makes the story longer, `TAVERNKEEP_TEST_SEED` tells another one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code, missing_docs)]

mod oracle;
mod story;

#[path = "../support/dice.rs"]
mod dice;
#[path = "../support/length.rs"]
mod length;
#[path = "../../../cli/tests/support/log.rs"]
mod log;
#[path = "../support/names.rs"]
mod names;
#[path = "../../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../support/tree.rs"]
mod tree;
#[path = "../../../cli/tests/support/undertaker.rs"]
mod undertaker;

use story::Story;
use tavernkeep_runtime::{Database, FILE_NAME, Options, Runtime};

fn tell(database: Database, operations: u64) {
    let (operations, seed) = length::asked_for(operations);
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    tokio.block_on(async {
        let runtime = Runtime::open(Options::new(database)).await.unwrap();
        let mut done = 0;
        // A conversation of some hundred operations, then the next: what is long is dull, and what is dull finds little.
        for chapter in 0.. {
            let mut story = Story::begin(&runtime, seed.wrapping_mul(1_000_003) + chapter).await;
            for _ in 0..CHAPTER {
                if done == operations {
                    runtime.close().await;
                    return;
                }
                story.step().await;
                done += 1;
            }
            story.look_everywhere().await;
        }
    });
}

const CHAPTER: u64 = 400;

#[test]
fn sqlite_sees_what_the_oracle_sees() {
    let folder = tempfile::tempdir().unwrap();
    tell(Database::Sqlite(folder.path().into()), 3_000);
    let report = tavernkeep_runtime::check_file(&folder.path().join(FILE_NAME)).unwrap();
    assert!(report.findings.is_empty(), "{report:#?}");
}

#[test]
fn postgres_sees_what_the_oracle_sees() {
    let database = postgres::Database::fresh();
    tell(Database::Postgres(database.url.clone()), 1_000);
}
