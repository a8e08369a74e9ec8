//! Random stories of turns, swipes, edits, moves, deletions, forks, edits by hand and processing, sent to a real database
//! and to a naive oracle that keeps whole copies. Both must show the same document at every page, and believe it as much.
//!
//! `TAVERNKEEP_TEST_OPERATIONS` makes the story longer, `TAVERNKEEP_TEST_SEED` tells another one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code, missing_docs)]

mod history;
mod oracle;
mod steps;

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

use std::time::Duration;
use steps::Tale;
use tavernkeep_runtime::{Access, Database, FILE_NAME, Options, Retention, Runtime};
use tavernkeep_store::db::sql::Sql;
use tavernkeep_store::{Store, params};

fn tell(database: &Database, operations: u64) {
    let (operations, seed) = length::asked_for(operations);
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    tokio.block_on(async {
        let mut done = 0;
        for chapter in 0.. {
            let mut runtime = Runtime::open(options(database)).await.unwrap();
            let mut tale =
                Tale::begin(&runtime, seed.wrapping_mul(1_000_003) + chapter, chapter % LONG == LONG - 1).await;
            for _ in 0..CHAPTER.min(operations - done) {
                match tale.is_time_to_restart() {
                    true => runtime = tale.restart(runtime, database).await,
                    false => tale.step(&runtime).await,
                }
                tale.learn(&runtime).await;
                done += 1;
            }
            tale.finish(&runtime).await;
            tale.look_everywhere(&runtime).await;
            runtime.close().await;
            // Nothing that a process kept in memory may be needed.
            let runtime = Runtime::open(options(database)).await.unwrap();
            tale.look_everywhere(&runtime).await;
            runtime.close().await;
            if done == operations {
                return;
            }
        }
    });
}

const CHAPTER: u64 = 250;
/// One of so many chapters begins with a long chat.
const LONG: u64 = 3;

/// The next process, which takes over what the one before it left.
async fn reopened(database: &Database) -> Runtime {
    let runtime = Runtime::open(options(database)).await.unwrap();
    runtime.resume_jobs().await.unwrap();
    // Others wait for the end of a lease, unless they know that they are alone.
    if let Database::Postgres(_) = database {
        let store = Store::open(database, Access::Visit, 1).await.unwrap();
        let ended = Sql::across_accounts("UPDATE job SET lease_until = 1 WHERE lease_until IS NOT NULL");
        store.write(move |tx| tx.execute(ended, params![]).map(drop)).await.unwrap();
        store.close().await;
    }
    runtime
}

/// A process that leaves all processing to jobs.
async fn jobs_only(database: &Database) -> Runtime {
    Runtime::open(Options { process_time: Duration::ZERO, ..options(database) }).await.unwrap()
}

/// What nobody needs goes at once, and no request is so slow that a job goes on with it.
fn options(database: &Database) -> Options {
    let retention = Retention { versions_age_ms: Some(0), ..Retention::default() };
    Options { retention, process_time: Duration::from_secs(3_600), ..Options::new(database.clone()) }
}

#[test]
fn sqlite_shows_what_the_oracle_shows() {
    let folder = tempfile::tempdir().unwrap();
    tell(&Database::Sqlite(folder.path().into()), 1_000);
    let report = tavernkeep_runtime::check_file(&folder.path().join(FILE_NAME)).unwrap();
    assert!(report.findings.is_empty(), "{report:#?}");
}

#[test]
fn postgres_shows_what_the_oracle_shows() {
    let database = postgres::Database::fresh();
    tell(&Database::Postgres(database.url.clone()), 300);
}
