//! Forks whose rows are made late.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use tavernkeep_engine::id::Id;
use tavernkeep_engine::path::WrittenPath;
use tavernkeep_runtime::order::{NewSession, NewTurn};
use tavernkeep_runtime::{Database, FloorRange, Options, Refusal, Runtime, RuntimeError};

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

/// A chat of four turns that count `n` up, and a fork from its last floor. Answers with the floors.
async fn forked(runtime: &Runtime) -> Vec<Id> {
    let account = Runtime::default_account();
    let new = NewSession { id: Some(id("s")), ..NewSession::default() };
    runtime.create_session(&account, new).await.unwrap();
    let mut floors = Vec::new();
    for _ in 0..4 {
        let turn = NewTurn::of(id("s"), "assistant", "@.ADD(\"n\", 1);");
        floors.push(runtime.take_turn(&account, turn).await.unwrap().floor);
    }
    runtime.fork(&account, &floors[3], Some("fork".into())).await.unwrap();
    floors
}

async fn swipe(runtime: &Runtime, floor: &Id) {
    let turn = NewTurn::of(id("s"), "assistant", "@.SET(\"n\", 100);");
    runtime.take_turn(&Runtime::default_account(), NewTurn { swipe_of: Some(floor.clone()), ..turn }).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_walk_goes_on_when_the_fork_gets_rows_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
    let (account, floors) = (Runtime::default_account(), forked(&runtime).await);
    let part = |after: Option<Id>| FloorRange {
        session: id("s"),
        branch: "fork".into(),
        from_floor: None,
        to_floor: None,
        after,
    };
    let (lines, _) = runtime.log(&account, part(None), 2).await.unwrap();
    let last = lines.last().unwrap().floor.clone();
    assert_eq!(last, floors[1], "it is shared");
    swipe(&runtime, &floors[0]).await;
    let (lines, _) = runtime.log(&account, part(Some(last.clone())), 10).await.unwrap();
    assert_eq!(lines.iter().map(|line| line.floor_no).collect::<Vec<_>>(), [2, 3]);
    let whole: WrittenPath = "n".parse().unwrap();
    let points = runtime.history(&account, part(Some(last)), whole, 10).await.unwrap().points;
    let values: Vec<String> = points.iter().map(|point| point.value.as_ref().unwrap().to_json()).collect();
    assert_eq!(values, ["3", "4"]);
    runtime.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_state_at_a_floor_is_found_by_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
    let (account, floors) = (Runtime::default_account(), forked(&runtime).await);
    let at = async |branch: Option<&str>, floor_no: i64| {
        let state = runtime.state_at_floor(&account, &id("s"), branch, floor_no).await;
        state.map(|state| (state.document.to_json(), state.at.stale))
    };
    assert_eq!(at(Some("fork"), 2).await.unwrap(), ("{\"n\":3}".into(), None), "it is shared");
    swipe(&runtime, &floors[2]).await;
    assert_eq!(at(Some("fork"), 2).await.unwrap(), ("{\"n\":3}".into(), None), "it is the fork's own");
    assert_eq!(at(None, 2).await.unwrap(), ("{\"n\":100}".into(), None));
    let missing = at(Some("fork"), 4).await;
    let refused = Refusal::FloorNumberNotFound { branch: "fork".into(), floor_no: 4 };
    assert!(matches!(missing, Err(RuntimeError::Refused(found)) if found == refused));
    runtime.close().await;
}
