//! The end of a branch is kept behind a turn: the next turn reads nothing, unless the session has changed meanwhile.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code, missing_docs)]

#[path = "../../cli/tests/support/log.rs"]
mod log;
#[path = "../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../../cli/tests/support/undertaker.rs"]
mod undertaker;

use tavernkeep_engine::id::Id;
use tavernkeep_runtime::order::{NewSession, NewTurn, PagePatch};
use tavernkeep_runtime::{Database, Options, Refusal, Runtime, RuntimeError, TakenTurn};

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

async fn turn(runtime: &Runtime, content: &str) -> TakenTurn {
    let (role, content) = ("assistant".into(), content.into());
    let (branch, floor_no, swipe_of, page, name, expected_parent) = (None, None, None, None, None, None);
    let turn = NewTurn { session: id("s"), branch, floor_no, swipe_of, page, role, name, content, expected_parent };
    runtime.take_turn(&Runtime::default_account(), turn).await.unwrap()
}

async fn begin(database: &Database) -> Runtime {
    let runtime = Runtime::open(Options::new(database.clone())).await.unwrap();
    let session = NewSession { id: Some(id("s")), ..NewSession::default() };
    runtime.create_session(&Runtime::default_account(), session).await.unwrap();
    runtime
}

fn on_both<F: Future<Output = ()>>(story: impl Fn(Runtime) -> F) {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let remote = postgres::Database::fresh();
    for database in [Database::Sqlite(folder.path().into()), Database::Postgres(remote.url.clone())] {
        tokio.block_on(async { story(begin(&database).await).await });
    }
}

#[test]
fn a_turn_behind_a_turn_reads_nothing() {
    on_both(async |runtime| {
        turn(&runtime, r#"@.SET("n", 1)"#).await;
        let reads = runtime.counters().reads;
        let second = turn(&runtime, r#"@.ADD("n", 1)"#).await;
        let third = turn(&runtime, r#"@.ADD("n", 1)"#).await;
        assert_eq!(runtime.counters().reads, reads);
        assert_eq!((second.floor_no, third.floor_no), (1, 2));
        assert_eq!(third.document.to_json(), r#"{"n":3}"#);
    });
}

#[test]
fn what_changed_meanwhile_is_seen() {
    on_both(async |runtime| {
        let account = Runtime::default_account();
        let first = turn(&runtime, r#"@.SET("n", 1)"#).await;
        turn(&runtime, r#"@.ADD("n", 1)"#).await;
        let patch = PagePatch { content: Some(Some(r#"@.SET("n", 10)"#.into())), ..PagePatch::default() };
        runtime.update_page(&account, &first.page, patch).await.unwrap();
        let third = turn(&runtime, r#"@.ADD("n", 1)"#).await;
        assert_eq!(third.document.to_json(), r#"{"n":12}"#);
        runtime.delete_floors(&account, vec![third.floor]).await.unwrap();
        let again = turn(&runtime, r#"@.ADD("n", 5)"#).await;
        assert_eq!((again.floor_no, again.document.to_json().as_str()), (2, r#"{"n":16}"#));
    });
}

#[test]
fn a_session_that_is_gone_takes_no_turn() {
    on_both(async |runtime| {
        let account = Runtime::default_account();
        turn(&runtime, "hello").await;
        runtime.remove_sessions(&account, vec![id("s")], true).await.unwrap();
        let (role, content, session) = ("assistant".into(), "more".into(), id("s"));
        let (branch, floor_no, swipe_of, page, name, expected_parent) = (None, None, None, None, None, None);
        let new = NewTurn { session, branch, floor_no, swipe_of, page, role, name, content, expected_parent };
        let answer = runtime.take_turn(&account, new).await;
        assert!(matches!(answer, Err(RuntimeError::Refused(Refusal::SessionNotFound(_)))), "{answer:?}");
        let session = NewSession { id: Some(id("s")), ..NewSession::default() };
        runtime.create_session(&account, session).await.unwrap();
        assert_eq!(turn(&runtime, "hello again").await.floor_no, 0);
    });
}
