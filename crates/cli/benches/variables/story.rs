//! What the conversation adds: commits with staged writes, floors that see the floors before them, forks that inherit, and
//! an account that holds much besides.

use crate::data::{self, id};
use crate::measure::{compare, head, rate, row};
use std::sync::atomic::{AtomicUsize, Ordering};
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::staging::{ConflictPolicy, Intent, SourceKind, StagedOp};
use tavernkeep_runtime::order::{FloorStep, NewFloor, NewPage, NewStagedWrite};
use tavernkeep_runtime::record::{Host, KeyFilter, ResolveQuery};
use tavernkeep_runtime::{Database, Options, Runtime};
use tokio::runtime::Runtime as Tokio;

const FLOORS: usize = 1_000;
const STAGED: usize = 20;

pub fn run() {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    head("the same without");
    lineage(&tokio);
    inheritance(&tokio);
    besides(&tokio);
    commits(&tokio);
}

fn opened(tokio: &Tokio) -> (tempfile::TempDir, Runtime) {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::Sqlite(folder.path().into());
    let runtime = tokio.block_on(Runtime::open(Options::new(database))).unwrap();
    (folder, runtime)
}

fn resolving<'a>(tokio: &'a Tokio, runtime: &'a Runtime, query: ResolveQuery) -> impl FnMut() -> f64 + 'a {
    move || {
        let account = Runtime::default_account();
        rate(1, |_| {
            let (query, account) = (query.clone(), account.clone());
            move || {
                tokio.block_on(runtime.resolve(&account, query.clone())).unwrap();
            }
        })
    }
}

fn at(session: &str, branch: Option<&str>, floor: Option<Id>, lineage: bool) -> ResolveQuery {
    let branch = branch.map(str::to_owned);
    ResolveQuery { session: id(session), branch, floor, page: None, keys: KeyFilter::Any, lineage }
}

/// A floor whose twenty variables are twenty of the same keys each time, committed.
async fn floor(runtime: &Runtime, number: usize) -> Id {
    let account = Runtime::default_account();
    let floor = id(&format!("floor-{number}"));
    let new = NewFloor { id: Some(floor.clone()), ..NewFloor::of(id("s")) };
    runtime.create_floor(&account, new).await.unwrap();
    data::fill(runtime, &Host::Floor(floor.clone()), STAGED).await;
    for step in [FloorStep::Generate { lease_ms: None, renew: false }, FloorStep::Commit { page: None }] {
        runtime.move_floor(&account, &floor, step).await.unwrap();
    }
    floor
}

fn lineage(tokio: &Tokio) {
    let (_folder, runtime) = opened(tokio);
    let last = tokio.block_on(async {
        data::layers(&runtime, 20).await;
        for number in 0..FLOORS {
            floor(&runtime, number).await;
        }
        floor(&runtime, FLOORS).await
    });
    let with = resolving(tokio, &runtime, at("s", None, Some(last.clone()), true));
    let without = resolving(tokio, &runtime, at("s", None, Some(last), false));
    row(&format!("resolve with lineage over {FLOORS} floors"), 1, &compare(with, without));
    tokio.block_on(runtime.close());
}

fn inheritance(tokio: &Tokio) {
    let (_folder, runtime) = opened(tokio);
    let account = Runtime::default_account();
    tokio.block_on(async {
        data::layers(&runtime, 20).await;
        let last = floor(&runtime, 0).await;
        runtime.fork(&account, &last, Some("fork".into())).await.unwrap();
        // Half of what the fork inherits has changed since.
        data::fill(&runtime, &Host::Branch(id("s"), "main".into()), 10).await;
    });
    let with = resolving(tokio, &runtime, at("s", Some("fork"), None, false));
    let without = resolving(tokio, &runtime, at("s", Some("main"), None, false));
    row("resolve on a fork that inherits 20 values, 10 of them changed since", 1, &compare(with, without));
    tokio.block_on(runtime.close());
}

fn besides(tokio: &Tokio) {
    let (_folder, runtime) = opened(tokio);
    let (_other_folder, other) = opened(tokio);
    tokio.block_on(async {
        data::layers(&other, 20).await;
        data::layers(&runtime, 20).await;
        data::session(&runtime, "besides").await;
        data::fill(&runtime, &Host::Chat(id("besides")), 100_000).await;
    });
    let page = ResolveQuery { page: Some(id("s-page")), ..at("s", None, None, false) };
    let with = resolving(tokio, &runtime, page.clone());
    let without = resolving(tokio, &other, page);
    row("resolve of 5 × 20 in an account with 100,000 variables besides", 1, &compare(with, without));
    tokio.block_on(async {
        runtime.close().await;
        other.close().await;
    });
}

fn commits(tokio: &Tokio) {
    let (_folder, runtime) = opened(tokio);
    tokio.block_on(data::session(&runtime, "s"));
    let next = AtomicUsize::new(0);
    let turns = |staged: usize| {
        let (runtime, next) = (&runtime, &next);
        move || {
            rate(1, |_| {
                move || {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    tokio.block_on(turn(runtime, number, staged));
                }
            })
        }
    };
    row(&format!("turn: floor, page, {STAGED} staged writes, commit"), 1, &compare(turns(STAGED), turns(0)));
    tokio.block_on(runtime.close());
}

/// A turn as a chat back end takes it.
async fn turn(runtime: &Runtime, number: usize, staged: usize) {
    let account = Runtime::default_account();
    let (floor, page) = (id(&format!("t{number}")), id(&format!("t{number}-page")));
    let new = NewFloor { id: Some(floor.clone()), state: FloorState::Generating, ..NewFloor::of(id("s")) };
    runtime.create_floor(&account, new).await.unwrap();
    let new = NewPage { id: Some(page.clone()), content: Some("She smiles.".into()), ..NewPage::of(floor.clone()) };
    runtime.create_page(&account, new).await.unwrap();
    for number in 0..staged {
        let new = NewStagedWrite {
            key: format!("key-{number}").parse().unwrap(),
            op: StagedOp::Set,
            value: Some(JsonText::parse(data::value(number).as_bytes()).unwrap()),
            intent: Intent::PromoteToFloor,
            policy: ConflictPolicy::Replace,
            source_kind: SourceKind::Tool,
            reason: None,
            source: None,
            evidence: None,
        };
        runtime.stage_write(&account, &page, new).await.unwrap();
    }
    runtime.move_floor(&account, &floor, FloorStep::Commit { page: None }).await.unwrap();
}
