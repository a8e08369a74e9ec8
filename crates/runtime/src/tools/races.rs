//! What happens between the steps of a call: each test does one step by hand and lets something else happen before the next.

use super::config::SessionTools;
use super::executor::CallRequest;
use super::prepare::Prepared;
use super::*;
use crate::order::NewSession;
use crate::record::Window;
use crate::{Database, Options, Refusal, Runtime, RuntimeError};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::tools::call::CANCELLED_RUNNING;
use tavernkeep_store::tools::call_rows;

struct World {
    keep: Runtime,
    account: Id,
    runs: Arc<AtomicUsize>,
    _folder: tempfile::TempDir,
}

impl World {
    async fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let keep = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
        World { keep, account: Runtime::default_account(), runs: Arc::default(), _folder: folder }
    }

    /// A new session with a tool that counts its runs.
    async fn executor(&self, policy: ExecutionPolicy) -> ToolExecutor {
        let session = self.keep.create_session(&self.account, NewSession::default()).await.unwrap().id;
        let mut executor = self.keep.tool_executor(&self.account, &session);
        let runs = Arc::clone(&self.runs);
        let count = Tool::new("Count", "Counts its runs.", json!({"type": "object"}), move |_| {
            // Before the future is polled: a call that was cancelled must not even come here.
            runs.fetch_add(1, Ordering::SeqCst);
            async { Ok(ToolOutput::of("done")) }
        });
        let permission = Permission::of(policy, ResultPolicy::Never);
        executor.register_tool_group(ToolGroup::new("g", vec![count.with_permission(permission)])).await.unwrap();
        executor
    }

    fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }
}

fn request() -> CallRequest {
    CallRequest { tool: "Count".into(), args: json!({}), ..CallRequest::default() }
}

/// A call that is decided about and not stored.
async fn prepared(executor: &ToolExecutor) -> (Arc<SessionTools>, Prepared) {
    let runtime = executor.runtime();
    let tools = runtime.session_tools(executor.account(), executor.session()).await.unwrap();
    let prepared = runtime.prepare(executor.account(), &tools, &request()).await.unwrap();
    (tools, prepared)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_cancelled_before_its_task_starts_does_nothing() {
    let world = World::new().await;
    let executor = world.executor(ExecutionPolicy::Auto).await;
    executor.toggle_group_enabled("g", Some(true)).await.unwrap();
    let (tools, prepared) = prepared(&executor).await;
    let runtime = executor.runtime();
    let (id, work) = runtime.store_call(&world.account, executor.session(), tools, prepared).await.unwrap();
    let cancelled = runtime.cancel_call(&world.account, &id).await.unwrap();
    assert_eq!(cancelled.record.status(), CallStatus::Cancelled);
    assert_eq!(cancelled.record.reason.as_deref(), Some(CANCELLED_RUNNING));
    let seen = runtime.begin_work(&world.account, work.unwrap()).await;
    assert!(seen.is_none());
    assert_eq!(world.runs(), 0, "the cancel was acknowledged before");
    assert_eq!(runtime.call(&world.account, &id).await.unwrap().record.status(), CallStatus::Cancelled);
    // The next call runs.
    executor.execute("Count", json!({})).await.unwrap();
    assert_eq!(world.runs(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_accounts_do_not_stop_a_call() {
    let world = World::new().await;
    let executor = world.executor(ExecutionPolicy::Auto).await;
    executor.toggle_group_enabled("g", Some(true)).await.unwrap();
    let (tools, prepared) = prepared(&executor).await;
    let runtime = executor.runtime();
    let (id, work) = runtime.store_call(&world.account, executor.session(), tools, prepared).await.unwrap();
    runtime.cancel_call(&"somewhere-else".parse().unwrap(), &id).await.unwrap_err();
    let seen = runtime.begin_work(&world.account, work.unwrap()).await;
    assert_eq!(seen.unwrap().record.status(), CallStatus::Success);
    assert_eq!(world.runs(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_that_is_revoked_from_another_session_starts_nothing() {
    let world = World::new().await;
    let mut one = world.executor(ExecutionPolicy::AskOnce).await;
    let other = world.executor(ExecutionPolicy::AskOnce).await;
    for executor in [&one, &other] {
        executor.toggle_group_enabled("g", Some(true)).await.unwrap();
    }
    let always = || ApprovalDecision { scope: Some(ApprovalScope::Always), ..ApprovalDecision::yes() };
    one.set_execution_approval_callback(Arc::new(move |_| Box::pin(async move { always() })));
    one.execute("Count", json!({})).await.unwrap();
    assert_eq!(world.runs(), 1);
    let (tools, prepared) = prepared(&other).await;
    assert!(prepared.new.run.is_some(), "the account's decision admits it");

    let window = Window { limit: 10, offset: 0, ascending: true, total: false };
    let runtime = one.runtime();
    let grants = runtime.grants(&world.account, one.session(), window).await.unwrap().items;
    runtime.revoke_grant(&world.account, one.session(), &grants[0].id).await.unwrap();

    let stored = other.runtime().store_call(&world.account, other.session(), tools, prepared).await;
    let Err(RuntimeError::Refused(Refusal::ToolsChanged)) = stored else {
        panic!("a call was stored by a decision that is revoked")
    };
    // As a request it is decided again, and asks.
    let (id, work) = other.runtime().start_call(&world.account, other.session(), request()).await.unwrap();
    assert!(work.is_none());
    let call = other.runtime().call(&world.account, &id).await.unwrap();
    assert_eq!(call.record.status(), CallStatus::AwaitingApproval);
    assert_eq!(world.runs(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn defaults_that_change_before_the_first_call_count_for_it() {
    let world = World::new().await;
    let executor = world.executor(ExecutionPolicy::Auto).await;
    let (account, session) = (&world.account, executor.session());
    let defaults = |policy: &str| Defaults {
        groups: [("g".to_owned(), true)].into(),
        permissions: [("Count".to_owned(), json!({ "executionPolicy": policy }))].into(),
        ..Defaults::default()
    };
    world.keep.put_tool_defaults(account, defaults("auto")).await.unwrap();
    let (tools, prepared) = prepared(&executor).await;
    assert!(prepared.new.run.is_some(), "the defaults let it run");
    world.keep.put_tool_defaults(account, defaults("ask-always")).await.unwrap();
    let stored = executor.runtime().store_call(account, session, tools, prepared).await;
    let Err(RuntimeError::Refused(Refusal::ToolsChanged)) = stored else {
        panic!("a call was stored by defaults that are replaced")
    };
    let (id, _) = executor.runtime().start_call(account, session, request()).await.unwrap();
    let call = executor.runtime().call(account, &id).await.unwrap();
    assert_eq!(call.record.status(), CallStatus::AwaitingApproval);
    assert_eq!(world.runs(), 0);
    // From now on the session has its own: later defaults are for other sessions.
    world.keep.put_tool_defaults(account, defaults("auto")).await.unwrap();
    let (id, _) = executor.runtime().start_call(account, session, request()).await.unwrap();
    let call = executor.runtime().call(account, &id).await.unwrap();
    assert_eq!(call.record.status(), CallStatus::AwaitingApproval);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_that_expired_settles_only_its_own_call() {
    let world = World::new().await;
    let now = Arc::new(AtomicI64::new(1_771_768_866_000));
    let clock = Arc::clone(&now);
    let options = ToolOptions {
        approval_ms: 1_000,
        clock: Some(Arc::new(move || clock.load(Ordering::SeqCst))),
        ..ToolOptions::default()
    };
    let mut one = world.executor(ExecutionPolicy::AskAlways).await.with_options(options.clone());
    let other = world.executor(ExecutionPolicy::AskAlways).await.with_options(options);
    for executor in [&one, &other] {
        executor.toggle_group_enabled("g", Some(true)).await.unwrap();
    }
    let (waiting, _) = other.runtime().start_call(&world.account, other.session(), request()).await.unwrap();
    // A person who takes too long.
    one.set_execution_approval_callback(Arc::new(move |_| {
        now.fetch_add(2_000, Ordering::SeqCst);
        Box::pin(async { ApprovalDecision::yes() })
    }));
    let result = one.execute("Count", json!({})).await.unwrap();
    assert_eq!((result.status, world.runs()), (CallStatus::ExecutionRejected, 0));
    let stored = |id: Id| {
        let account = world.account.clone();
        world.keep.store.read(move |tx| call_rows::find(tx, &account, &id))
    };
    assert_eq!(stored(result.id).await.unwrap().status(), CallStatus::ExecutionRejected);
    assert_eq!(stored(waiting).await.unwrap().status(), CallStatus::AwaitingApproval, "upkeep settles it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_goes_on_when_nobody_waits_for_it() {
    let world = World::new().await;
    let executor = world.executor(ExecutionPolicy::Auto).await;
    executor.toggle_group_enabled("g", Some(true)).await.unwrap();
    let (id, work) = executor.runtime().start_call(&world.account, executor.session(), request()).await.unwrap();
    drop(work.unwrap());
    while executor.runtime().call(&world.account, &id).await.unwrap().record.status() == CallStatus::Running {
        tokio::task::yield_now().await;
    }
    assert_eq!(executor.runtime().call(&world.account, &id).await.unwrap().record.status(), CallStatus::Success);
    assert_eq!(world.runs(), 1);
}
