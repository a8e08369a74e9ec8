//! Forks whose rows are made late.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code, missing_docs)]

#[path = "../../cli/tests/support/log.rs"]
mod log;
#[path = "../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../../cli/tests/support/undertaker.rs"]
mod undertaker;

use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::path::WrittenPath;
use tavernkeep_engine::staging::{ConflictPolicy, Intent, SourceKind, StagedOp};
use tavernkeep_runtime::order::{FloorStep, NewFloor, NewPage, NewSession, NewStagedWrite, NewTurn, Write};
use tavernkeep_runtime::record::{Condition, Host, KeyFilter, ResolveQuery, Target};
use tavernkeep_runtime::{Database, FloorRange, Options, Refusal, Runtime, RuntimeError, Under};

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

fn on_both(story: &impl AsyncFn(&Runtime)) {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let remote = postgres::Database::fresh();
    for database in [Database::Sqlite(folder.path().into()), Database::Postgres(remote.url.clone())] {
        eprintln!("on {database:?}");
        tokio.block_on(async {
            let runtime = Runtime::open(Options::new(database)).await.unwrap();
            story(&runtime).await;
            runtime.close().await;
        });
    }
}

/// A page that waits for its commit.
async fn waiting_page(runtime: &Runtime) -> (Id, Id) {
    let account = Runtime::default_account();
    runtime.create_session(&account, NewSession { id: Some(id("s")), ..NewSession::default() }).await.unwrap();
    let floor = runtime.create_floor(&account, NewFloor::of(id("s"))).await.unwrap().id;
    runtime.create_page(&account, NewPage { is_active: true, ..NewPage::of(floor.clone()) }).await.unwrap();
    for step in [FloorStep::Generate { lease_ms: None, renew: false }, FloorStep::Commit { page: None }] {
        runtime.move_floor(&account, &floor, step).await.unwrap();
    }
    let page = runtime.create_page(&account, NewPage { is_active: false, ..NewPage::of(floor.clone()) }).await.unwrap();
    (floor, page.id)
}

async fn stage(runtime: &Runtime, page: &Id, gold: i64) {
    let new = NewStagedWrite {
        key: "gold".parse().unwrap(),
        op: StagedOp::Set,
        value: Some(JsonText::from_i64(gold)),
        intent: Intent::PromoteToBranch,
        policy: ConflictPolicy::Replace,
        source_kind: SourceKind::Tool,
        reason: None,
        source: None,
        evidence: None,
    };
    runtime.stage_write(&Runtime::default_account(), page, new).await.unwrap();
}

/// Commits a page on a branch and answers with what the branch shows then.
async fn accepted(runtime: &Runtime, floor: &Id, page: &Id, branch: &str) -> Vec<String> {
    let account = Runtime::default_account();
    let floor = runtime.floor_on(&account, floor, Some(branch)).await.unwrap();
    let page = runtime.page_on(&account, page, Some(branch)).await.unwrap();
    runtime.activate_page(&account, &page).await.unwrap();
    runtime.move_floor(&account, &floor, FloorStep::Commit { page: Some(page) }).await.unwrap();
    shown(runtime, branch).await
}

/// What a branch shows of the one variable that there is.
async fn shown(runtime: &Runtime, branch: &str) -> Vec<String> {
    let query = ResolveQuery {
        session: id("s"),
        branch: Some(branch.into()),
        floor: None,
        page: None,
        keys: KeyFilter::Any,
        lineage: false,
    };
    let seen = runtime.resolve(&Runtime::default_account(), query).await.unwrap();
    let inherited = seen.before.iter().map(|before| &before.variable);
    seen.rows.iter().chain(inherited).map(|variable| variable.value.as_str().to_owned()).collect()
}

/// A fork has what was staged on its pages when it was made. What is staged later, on either line, is staged there alone.
#[test]
fn what_is_staged_after_a_fork_is_staged_on_one_line() {
    on_both(&async |runtime: &Runtime| {
        let account = Runtime::default_account();
        let (floor, page) = waiting_page(runtime).await;
        runtime.fork(&account, &floor, Some("before".into())).await.unwrap();
        stage(runtime, &page, 5).await;
        for name in ["between", "own"] {
            runtime.fork(&account, &floor, Some(name.into())).await.unwrap();
        }
        stage(runtime, &page, 7).await;
        let own = runtime.page_on(&account, &page, Some("own")).await.unwrap();
        stage(runtime, &own, 9).await;
        runtime.fork(&account, &floor, Some("after".into())).await.unwrap();
        let nothing: [&str; 0] = [];
        assert_eq!(accepted(runtime, &floor, &page, "before").await, nothing);
        assert_eq!(accepted(runtime, &floor, &page, "between").await, ["5"]);
        assert_eq!(accepted(runtime, &floor, &page, "own").await, ["9"]);
        assert_eq!(accepted(runtime, &floor, &page, "main").await, ["7"]);
        assert_eq!(accepted(runtime, &floor, &page, "after").await, ["7"]);
    });
}

/// A floor whose page promotes a value, if there is one.
async fn committed_floor(runtime: &Runtime, branch: &str, gold: Option<i64>) -> Id {
    let account = Runtime::default_account();
    let new = NewFloor { branch: Some(branch.into()), ..NewFloor::of(id("s")) };
    let floor = runtime.create_floor(&account, new).await.unwrap().id;
    let page = runtime.create_page(&account, NewPage { is_active: true, ..NewPage::of(floor.clone()) }).await.unwrap();
    if let Some(gold) = gold {
        stage(runtime, &page.id, gold).await;
    }
    for step in [FloorStep::Generate { lease_ms: None, renew: false }, FloorStep::Commit { page: None }] {
        runtime.move_floor(&account, &floor, step).await.unwrap();
    }
    floor
}

/// A fork keeps what it inherited when its source is deleted, also where a page of the source has promoted to the key since.
#[test]
fn forks_keep_what_they_inherited_of_keys_that_were_promoted_later() {
    on_both(&async |runtime: &Runtime| {
        let account = Runtime::default_account();
        let new = NewSession { id: Some(id("s")), ..NewSession::default() };
        runtime.create_session(&account, new).await.unwrap();
        let first = committed_floor(runtime, "main", None).await;
        runtime.fork(&account, &first, Some("source".into())).await.unwrap();
        let host = Host::Branch(id("s"), "source".into());
        let target = Target { host, key: "gold".parse().unwrap() };
        let write = Write { target, value: JsonText::from_i64(5), condition: Condition::None };
        runtime.put_variables(&account, vec![write]).await.unwrap();
        let last = committed_floor(runtime, "source", None).await;
        for name in ["fork", "in-the-trash"] {
            runtime.fork(&account, &last, Some(name.into())).await.unwrap();
        }
        let trash = runtime.remove_branch(&account, &id("s"), "in-the-trash", false).await.unwrap().1.unwrap();
        committed_floor(runtime, "source", Some(7)).await;
        assert_eq!(
            (shown(runtime, "source").await, shown(runtime, "fork").await),
            (vec!["7".into()], vec!["5".into()])
        );
        runtime.remove_branch(&account, &id("s"), "source", true).await.unwrap();
        runtime.restore(&account, &trash, Under::default()).await.unwrap();
        for name in ["fork", "in-the-trash"] {
            assert_eq!(shown(runtime, name).await, ["5"], "{name}");
        }
        assert!(shown(runtime, "main").await.is_empty());
    });
}
