//! How much the journal of a session keeps: by count, by bytes, by age; on both databases.

use super::{groups, postgres};
use serde_json::{Value, json};
use std::pin::Pin;
use std::sync::Arc;
use tavernkeep_engine::limits::{CALLS_DROPPED_AT_ONCE, CALLS_DROPPED_MAX};
use tavernkeep_runtime::order::NewSession;
use tavernkeep_runtime::record::Window;
use tavernkeep_runtime::tools::{
    ApprovalDecision, ApprovalRequest, CallFilter, CallStatus, JournalLimits, ToolExecuteResult, ToolExecutor,
    ToolOptions, VarType,
};
use tavernkeep_runtime::{Database, FILE_NAME, Options, Runtime};
use tavernkeep_store::tools::stored_text::StoredText;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

struct World {
    keep: Runtime,
    executor: ToolExecutor,
    session: tavernkeep_engine::id::Id,
}

impl World {
    async fn new(database: Database, journal: JournalLimits) -> World {
        World::with_options(database, journal, ToolOptions::default()).await
    }

    async fn with_options(database: Database, journal: JournalLimits, tool_options: ToolOptions) -> World {
        let mut options = Options::new(database);
        options.retention.calls_age_ms = Some(100 * DAY_MS);
        let keep = Runtime::open(options).await.unwrap();
        let account = Runtime::default_account();
        let session = keep.create_session(&account, NewSession::default()).await.unwrap().id;
        let executor = keep.tool_executor(&account, &session).with_options(tool_options);
        let mut executor = executor.with_journal(journal);
        let group = json!({"name": "g", "tools": ["Big", "Echo", "Always", "Shown"]});
        executor.register_tool_group(groups::group(&group)).await.unwrap();
        executor.toggle_group_enabled("g", Some(true)).await.unwrap();
        World { keep, executor, session }
    }

    async fn call(&self, tool: &str, args: Value) -> ToolExecuteResult {
        self.executor.execute(tool, args).await.unwrap()
    }

    /// The arguments of the calls that the journal has, in order.
    async fn kept(&self) -> Vec<Value> {
        let window = Window { limit: 1_000, offset: 0, ascending: true, total: false };
        let account = Runtime::default_account();
        let listed = self.keep.calls(&account, &self.session, CallFilter::default(), window).await.unwrap();
        let mut kept = Vec::new();
        for record in listed.items {
            let call = self.keep.call(&account, &record.id).await.unwrap();
            kept.push(serde_json::from_str::<Value>(&call.args).unwrap()["n"].clone());
        }
        kept
    }

    async fn count(&self) -> i64 {
        let window = Window { limit: 1, offset: 0, ascending: true, total: true };
        let account = Runtime::default_account();
        self.keep.calls(&account, &self.session, CallFilter::default(), window).await.unwrap().total.unwrap()
    }
}

/// Arguments of `Echo`, as long for every number of one digit.
fn echo(n: i64) -> Value {
    json!({"n": n, "x": "something"})
}

async fn bytes_are_limited(database: Database) {
    let bytes = StoredText::new(&echo(1).to_string()).bytes() + StoredText::new("something").bytes();
    let world = World::new(database, JournalLimits { calls: 1_000, bytes: 3 * bytes }).await;
    let first = world.call("Echo", echo(5)).await;
    for n in [6, 7] {
        world.call("Echo", echo(n)).await;
    }
    assert_eq!(world.kept().await, [5, 6, 7], "at the limit");
    world.call("Echo", echo(8)).await;
    assert_eq!(world.kept().await, [6, 7, 8], "over it the oldest leaves");
    let variable = first.cache_var_result.unwrap();
    let (_, value) = world.executor.peek_variable(&variable).await.unwrap().unwrap();
    assert_eq!(value, "something", "the variable keeps the value of the call that left");

    // One that waits for a person stays, and so does a result that is longer than all that is kept.
    let account = Runtime::default_account();
    let mut waiting = world.executor.clone();
    waiting.set_execution_approval_callback(Arc::new(|_| Box::pin(std::future::pending())));
    let waits = tokio::spawn(async move { waiting.execute("Always", json!({"n": 1})).await });
    while world.executor.pending_approvals().await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    waits.abort();
    let words: String = (0..2_000).map(|word| format!("{word} ")).collect();
    let long = world.call("Echo", json!({"n": 2, "x": words})).await;
    assert_eq!(world.kept().await, [1, 2]);
    let call = world.keep.call(&account, &long.id).await.unwrap();
    assert_eq!(call.formatted.as_deref(), Some(words.as_str()));
    world.call("Big", json!({"n": 3})).await;
    assert_eq!(world.kept().await, [1, 3]);
    world.keep.close().await;
}

async fn deletion_is_bounded(database: Database) {
    let mut world = World::new(database, JournalLimits::default()).await;
    let many = 2 * CALLS_DROPPED_MAX + 50;
    for n in 0..many {
        world.call("Big", json!({ "n": n % 10 })).await;
    }
    assert_eq!(world.count().await, many);
    // Each of the two transactions of a call drops some, until nothing is left but the last.
    world.executor = world.executor.clone().with_journal(JournalLimits { calls: 1_000, bytes: 1 });
    world.call("Big", json!({"n": 1})).await;
    assert_eq!(world.count().await, many + 1 - 2 * CALLS_DROPPED_MAX);
    world.call("Big", json!({"n": 2})).await;
    assert_eq!(world.kept().await, [2]);
    // The number of calls is looked at now and then.
    world.executor = world.executor.clone().with_journal(JournalLimits { calls: 3, bytes: i64::MAX });
    for n in 0..2 * CALLS_DROPPED_AT_ONCE {
        world.call("Big", json!({ "n": n % 10 })).await;
        assert!(world.count().await < 3 + CALLS_DROPPED_AT_ONCE);
    }
    world.keep.close().await;
}

async fn age_is_limited(database: Database) {
    let now = i64::try_from(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis());
    let now = now.unwrap();
    let at = |moment: i64| ToolOptions { clock: Some(Arc::new(move || moment)), ..ToolOptions::default() };
    let mut world = World::with_options(database, JournalLimits::default(), at(now - 103 * DAY_MS)).await;
    for (n, days) in [(1, 102), (2, 101), (3, 99), (4, 0)] {
        world.executor = world.executor.clone().with_options(at(now - days * DAY_MS));
        world.call("Big", json!({ "n": n })).await;
    }
    world.keep.purge().await.unwrap();
    assert_eq!(world.kept().await, [3, 4]);
    world.keep.purge().await.unwrap();
    assert_eq!(world.kept().await, [3, 4]);
    world.keep.close().await;
}

type Asks = Arc<dyn Fn(ApprovalRequest) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send>> + Send + Sync>;

fn decide(decision: ApprovalDecision) -> Asks {
    Arc::new(move |_| {
        let decision = decision.clone();
        Box::pin(async move { decision })
    })
}

/// The number of bytes in the row of the session is that of its texts, whatever has happened to the calls.
async fn bytes_are_exact(folder: &std::path::Path) {
    let mut world = World::new(Database::Sqlite(folder.into()), JournalLimits { calls: 1_000, bytes: 3_000 }).await;
    let edited = ApprovalDecision { args: Some(json!({"x": "other"})), ..ApprovalDecision::yes() };
    world.executor.set_execution_approval_callback(decide(edited));
    world.executor.set_result_approval_callback(decide(ApprovalDecision::no("secret".to_owned())));
    let rejected = world.call("Shown", json!({"x": "a result that nobody may see"})).await;
    assert_eq!(rejected.status, CallStatus::ResultRejected);
    world.executor.set_result_approval_callback(decide(ApprovalDecision::yes()));
    world.call("Shown", json!({"x": {"a": 1}})).await;
    world.executor.add_variable("v", "value", VarType::LlmAdd).await.unwrap();
    world.call("Always", json!({"x": "$VAR_REF{{v}}"})).await;
    world.call("Big", json!({"n": 20_000})).await;
    for n in 0..100 {
        world.call("Big", json!({ "n": n })).await;
    }
    world.call("Nope", json!({})).await;
    world.keep.close().await;
    let connection = rusqlite::Connection::open(folder.join(FILE_NAME)).unwrap();
    let read = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let counted = read("SELECT journal_bytes FROM tool_session");
    let texts = read("SELECT SUM(LENGTH(body)) FROM tool_call_body")
        + read("SELECT SUM(COALESCE(LENGTH(args), 0)) FROM tool_call");
    assert_eq!(counted, texts);
    assert!(counted <= 3_000, "{counted}");
    assert_eq!(
        read("SELECT journal_from FROM tool_session"),
        read("SELECT created_at FROM tool_call ORDER BY call_row LIMIT 1")
    );
}

async fn run_all(database: impl Fn() -> Database) {
    bytes_are_limited(database()).await;
    deletion_is_bounded(database()).await;
    age_is_limited(database()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_journal_has_limits_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    run_all(|| Database::Sqlite(folder.path().into())).await;
    let folder = tempfile::tempdir().unwrap();
    bytes_are_exact(folder.path()).await;
}

#[test]
fn the_journal_has_limits_on_postgresql() {
    let remote = postgres::Database::fresh();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(run_all(|| Database::Postgres(remote.url.clone())));
}
