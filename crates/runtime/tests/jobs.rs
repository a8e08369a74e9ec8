//! What is hidden is gone for everybody, before anybody has taken it away. No job runs here unless the story runs it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code, missing_docs)]

#[path = "../../cli/tests/support/log.rs"]
mod log;
#[path = "../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../../cli/tests/support/undertaker.rs"]
mod undertaker;

use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::scope::Scope;
use tavernkeep_runtime::order::{DeleteTarget, NewFloor, NewPage, NewSession, SessionQuery, SessionSort, Write};
use tavernkeep_runtime::record::{
    Condition, Deletion, Host, JobState, KeyFilter, Region, ResolveQuery, Target, VariableQuery, VariableSort, Window,
};
use tavernkeep_runtime::{Access, Database, Options, Runtime};
use tavernkeep_store::db::sql::Sql;
use tavernkeep_store::{Store, params};

const WINDOW: Window = Window { limit: 100, offset: 0, ascending: true, total: true };

/// Runs a statement behind the runtime's back.
async fn meddle(store: &Store, sql: &'static str) {
    store.write(move |tx| tx.execute(Sql::across_accounts(sql), params![]).map(drop)).await.unwrap();
}

/// Tells a story on a fresh database of each kind.
fn on_both<F: Future<Output = ()>>(story: impl Fn(Runtime) -> F) {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let remote = postgres::Database::fresh();
    for database in [Database::Sqlite(folder.path().into()), Database::Postgres(remote.url.clone())] {
        tokio.block_on(async {
            let runtime = Runtime::open(Options::new(database)).await.unwrap();
            story(runtime.clone()).await;
            runtime.close().await;
        });
    }
}

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

async fn put(runtime: &Runtime, host: Host, keys: impl Iterator<Item = String>) -> bool {
    let write = |key: String| Write {
        target: Target { host: host.clone(), key: key.parse().unwrap() },
        value: JsonText::parse(b"\"text\"").unwrap(),
        condition: Condition::None,
    };
    runtime.put_variables(&Runtime::default_account(), keys.map(write).collect()).await.is_ok()
}

/// A session with a floor and a page, all with ids of their own.
async fn make(runtime: &Runtime) {
    let account = Runtime::default_account();
    let session = NewSession { id: Some(id("s")), ..NewSession::default() };
    runtime.create_session(&account, session).await.unwrap();
    let floor = NewFloor { id: Some(id("f")), ..NewFloor::of(id("s")) };
    runtime.create_floor(&account, floor).await.unwrap();
    let page = NewPage { id: Some(id("p")), content: Some("text".into()), ..NewPage::of(id("f")) };
    runtime.create_page(&account, page).await.unwrap();
}

fn hosts() -> [Host; 4] {
    [Host::Chat(id("s")), Host::Branch(id("s"), "main".into()), Host::Floor(id("f")), Host::Page(id("p"))]
}

async fn listed(runtime: &Runtime, region: Region) -> (usize, Option<i64>) {
    let query =
        VariableQuery { region, keys: KeyFilter::Any, updated_since: None, sort: VariableSort::Key, window: WINDOW };
    let listed = runtime.variables(&Runtime::default_account(), query).await.unwrap();
    (listed.items.len(), listed.total)
}

#[test]
fn a_hidden_session_is_gone_for_everybody() {
    on_both(|runtime| async move {
        let account = Runtime::default_account();
        assert!(put(&runtime, Host::Global, ["mine".to_owned()].into_iter()).await);
        make(&runtime).await;
        for host in hosts() {
            for hundred in 0..2 {
                assert!(put(&runtime, host.clone(), (0..100).map(|number| format!("{hundred}.{number}"))).await);
            }
        }
        let query = ResolveQuery {
            session: id("s"),
            branch: None,
            floor: None,
            page: Some(id("p")),
            keys: KeyFilter::Any,
            lineage: true,
        };
        let one = runtime.resolve(&account, query.clone()).await.unwrap().rows.pop().unwrap().id;
        let deleted = runtime.remove_sessions(&account, vec![id("s")], true).await.unwrap();
        let [Deletion::ByJob(job)] = deleted.as_slice() else { panic!("{deleted:?}") };

        // Reads.
        let sessions = SessionQuery { chat_file: None, sort: SessionSort::UpdatedAt, window: WINDOW };
        let sessions = runtime.sessions(&account, sessions).await.unwrap();
        assert_eq!((sessions.items.len(), sessions.total), (0, Some(0)));
        assert!(runtime.session(&account, &id("s")).await.is_err());
        assert!(runtime.floor(&account, &id("f")).await.is_err());
        assert!(runtime.page(&account, &id("p")).await.is_err());
        assert!(runtime.staged_writes(&account, &id("p")).await.is_err());
        assert!(runtime.promotions(&account, &id("p")).await.is_err());
        assert!(runtime.variable(&account, &one).await.is_err());
        assert!(runtime.variable_history(&account, &one, WINDOW).await.is_err());
        assert!(runtime.resolve(&account, query.clone()).await.is_err());
        assert!(runtime.stamp(&account, &id("s")).await.is_err());
        assert_eq!(listed(&runtime, Region::Account).await, (1, Some(1)));
        for scope in [Scope::Chat, Scope::Branch, Scope::Floor, Scope::Page] {
            assert_eq!(listed(&runtime, Region::Scope(scope)).await, (0, Some(0)), "{scope:?}");
        }
        assert_eq!(listed(&runtime, Region::Hosts(hosts().to_vec())).await, (0, Some(0)));
        let mut export = runtime.export_account(&account).await.unwrap();
        let mut exported = 0;
        while let Some(items) = export.next().await.unwrap() {
            exported += items.len();
        }
        assert_eq!(exported, 1, "the global variable alone");
        assert_eq!(runtime.usage(&account).await.unwrap().variables.used, 1);

        // Writes.
        for host in hosts() {
            assert!(!put(&runtime, host, ["k".to_owned()].into_iter()).await);
        }
        assert_eq!(runtime.delete_variables(&account, vec![DeleteTarget::Id(one.clone())]).await, Ok(vec![None]));
        assert_eq!(runtime.delete_floors(&account, vec![id("f")]).await, Ok(vec![false]));
        assert_eq!(runtime.delete_pages(&account, vec![id("p")]).await, Ok(vec![false]));
        assert_eq!(runtime.remove_sessions(&account, vec![id("s")], true).await, Ok(vec![Deletion::Absent]));
        assert!(runtime.activate_page(&account, &id("p")).await.is_err());
        assert!(runtime.fork(&account, &id("f"), None).await.is_err());
        assert_eq!(runtime.check().await.unwrap().findings, []);

        // Its names belong to somebody else now, who does not suffer when it is taken away.
        make(&runtime).await;
        assert!(put(&runtime, Host::Page(id("p")), ["k".to_owned()].into_iter()).await);
        assert_eq!(runtime.job(&account, job).await.unwrap().state, JobState::Waiting);
        assert_eq!(runtime.run_jobs().await, Ok(1));
        let done = runtime.job(&account, job).await.unwrap();
        assert_eq!((done.state, done.done), (JobState::Done, done.total));
        assert_eq!(runtime.run_jobs().await, Ok(0));
        assert_eq!(listed(&runtime, Region::Account).await, (2, Some(2)));
        assert_eq!(runtime.resolve(&account, query).await.unwrap().rows.len(), 2);
        assert_eq!(runtime.check().await.unwrap().findings, []);
    });
}

#[test]
fn a_job_that_fails_keeps_no_other_one_waiting() {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let remote = postgres::Database::fresh();
    let database = Database::Postgres(remote.url.clone());
    tokio.block_on(async {
        let runtime = Runtime::open(Options::new(database.clone())).await.unwrap();
        let store = Store::open(&database, Access::Own, 1).await.unwrap();
        let account = Runtime::default_account();
        for session in ["broken", "whole"] {
            let new = NewSession { id: Some(id(session)), ..NewSession::default() };
            runtime.create_session(&account, new).await.unwrap();
            for hundred in 0..8 {
                let keys = (0..100).map(|number| format!("{hundred}.{number}"));
                assert!(put(&runtime, Host::Chat(id(session)), keys).await);
            }
        }
        meddle(&store, "CREATE TABLE anchor AS SELECT account_id, session_row FROM session WHERE id = 'broken'").await;
        meddle(
            &store,
            "ALTER TABLE anchor ADD FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row)",
        )
        .await;
        let mut jobs = Vec::new();
        for session in ["broken", "whole"] {
            match runtime.remove_sessions(&account, vec![id(session)], true).await.unwrap().pop() {
                Some(Deletion::ByJob(job)) => jobs.push(job),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(runtime.run_jobs().await, Ok(1));
        assert_eq!(runtime.job(&account, &jobs[1]).await.unwrap().state, JobState::Done);
        let job = runtime.job(&account, &jobs[0]).await.unwrap();
        assert!(job.state == JobState::Waiting && job.problem.is_some(), "{job:?}");
        assert_eq!(runtime.run_jobs().await, Ok(0), "not before its time");
        for _ in 1..10 {
            meddle(&store, "UPDATE job SET lease_until = NULL WHERE state = 0").await;
            assert_eq!(runtime.run_jobs().await, Ok(0));
        }
        assert_eq!(runtime.job(&account, &jobs[0]).await.unwrap().state, JobState::Failed);

        meddle(&store, "DROP TABLE anchor").await;
        assert_eq!(runtime.run_jobs().await, Ok(0), "nobody goes on by themselves");
        runtime.resume_jobs().await.unwrap();
        assert_eq!(runtime.run_jobs().await, Ok(1));
        let job = runtime.job(&account, &jobs[0]).await.unwrap();
        assert_eq!((job.state, job.problem), (JobState::Done, None));

        // The deletion of an account that stopped on the way.
        let guest = id("guest");
        runtime.create_account(guest.clone()).await.unwrap();
        let new = NewSession { id: Some(id("s")), ..NewSession::default() };
        runtime.create_session(&guest, new).await.unwrap();
        let (owner, made) = (guest.clone(), id("deletion"));
        store.write(move |tx| tavernkeep_store::upkeep::accounts::begin_deletion(tx, &owner, &made, 0)).await.unwrap();
        assert_eq!(runtime.run_jobs().await, Ok(1));
        assert!(runtime.usage(&guest).await.is_err(), "it is gone");
        store.close().await;
        runtime.close().await;
    });
}

#[test]
fn upkeep_that_finds_nothing_to_forget_leaves_the_clock_alone() {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    tokio.block_on(async {
        let mut options = Options::new(Database::Sqlite(folder.path().into()));
        options.retention.history_age_ms = Some(0);
        let runtime = Runtime::open(options).await.unwrap();
        let account = Runtime::default_account();
        make(&runtime).await;
        let chat = Host::Chat(id("s"));
        assert!(put(&runtime, chat.clone(), ["k".to_owned()].into_iter()).await);
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        let before = runtime.stamp(&account, &id("s")).await.unwrap();
        runtime.purge().await.unwrap();
        assert_eq!(runtime.stamp(&account, &id("s")).await.unwrap(), before, "the only row is the value itself");
        assert!(put(&runtime, chat, ["k".to_owned()].into_iter()).await);
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        runtime.purge().await.unwrap();
        assert_eq!(runtime.upkeep().history, 1);
        runtime.close().await;
    });
}
