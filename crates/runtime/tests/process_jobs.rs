//! Processing as a job, told by hand: no job runs here unless the story runs it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code, missing_docs)]

#[path = "../../cli/tests/support/log.rs"]
mod log;
#[path = "../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../../cli/tests/support/undertaker.rs"]
mod undertaker;

use std::time::Duration;
use tavernkeep_engine::floor::{FloorState, PageKind};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::JOBS_OPEN_MAX;
use tavernkeep_runtime::order::{NewFloor, NewPage, NewSession};
use tavernkeep_runtime::record::{Job, JobState};
use tavernkeep_runtime::{
    Access, Database, Handled, Mode, Options, ProcessOrder, Refusal, Runtime, StoreError, processed_by,
};
use tavernkeep_store::sql::Sql;
use tavernkeep_store::{Store, jobs, params};

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

async fn open(database: &Database) -> Runtime {
    Runtime::open(Options { process_time: Duration::ZERO, ..Options::new(database.clone()) }).await.unwrap()
}

/// Tells a story on a fresh database of each kind, with a chat that nobody has processed.
fn on_both<F: Future<Output = ()>>(tell: impl Fn(Database, Runtime) -> F) {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let remote = postgres::Database::fresh();
    for database in [Database::Sqlite(folder.path().into()), Database::Postgres(remote.url.clone())] {
        tokio.block_on(async {
            let runtime = open(&database).await;
            begin(&runtime).await;
            tell(database, runtime).await;
        });
    }
}

const FLOORS: i64 = 70;

async fn begin(runtime: &Runtime) {
    let account = Runtime::default_account();
    runtime.create_session(&account, NewSession { id: Some(id("s")), ..NewSession::default() }).await.unwrap();
    for number in 0..FLOORS {
        let floor = NewFloor {
            id: Some(id(&format!("f{number}"))),
            session: id("s"),
            branch: None,
            floor_no: None,
            parent: None,
            state: FloorState::Committed,
            lease_ms: None,
            metadata: None,
        };
        let floor = runtime.create_floor(&account, floor).await.unwrap();
        let page = NewPage {
            id: Some(id(&format!("p{number}"))),
            floor: floor.id,
            page_no: 0,
            version: None,
            kind: PageKind::Output,
            is_active: true,
            role: None,
            name: None,
            content: Some("@.ADD(\"n\", 1);".into()),
            extra: None,
        };
        runtime.create_page(&account, page).await.unwrap();
    }
}

async fn job(runtime: &Runtime) -> Job {
    let order = ProcessOrder::of(Mode::Stale);
    match runtime.process_or_job(&Runtime::default_account(), &id("s"), order).await.unwrap() {
        Handled::ByJob(job) => job,
        Handled::Done(report) => panic!("it was done at once: {report:?}"),
    }
}

async fn look(runtime: &Runtime, job: &Job) -> Job {
    runtime.job(&Runtime::default_account(), &job.id).await.unwrap()
}

async fn is_fresh(runtime: &Runtime) -> bool {
    let state = runtime.newest_state(&Runtime::default_account(), &id("s"), None).await.unwrap();
    state.at.stale.is_none()
}

/// Opens the database beside the runtime.
async fn beside(database: &Database) -> Store {
    Store::open(database, Access::Visit, 1).await.unwrap()
}

#[test]
fn a_job_goes_on_where_another_process_left_it() {
    on_both(async |database, runtime| {
        let made = job(&runtime).await;
        assert_eq!((made.state, made.total, made.done), (JobState::Waiting, FLOORS, 0));
        // Somebody has begun, died, and their lease has not ended.
        let store = beside(&database).await;
        let (account, wanted) = (Runtime::default_account(), made.id.clone());
        let claim = store.write(move |tx| jobs::claim(tx, &account, &wanted, i64::MAX / 4)).await.unwrap();
        assert!(claim.is_some());
        assert_eq!(runtime.run_jobs().await.unwrap(), 0);
        assert_eq!(look(&runtime, &made).await.state, JobState::Running);
        let ended = "UPDATE job SET lease_until = 1";
        store.write(move |tx| tx.execute(Sql::across_accounts(ended), params![]).map(drop)).await.unwrap();
        store.close().await;
        runtime.close().await;
        // Another process takes it over.
        let runtime = open(&database).await;
        assert_eq!(runtime.run_jobs().await.unwrap(), 1);
        let done = look(&runtime, &made).await;
        assert_eq!((done.state, done.done, done.total), (JobState::Done, FLOORS, FLOORS));
        assert_eq!(processed_by(&done).unwrap().0.processed, 70);
        assert!(is_fresh(&runtime).await);
        runtime.close().await;
    });
}

#[test]
fn a_job_is_cancelled_between_its_parts() {
    on_both(async |database, runtime| {
        let made = job(&runtime).await;
        let account = Runtime::default_account();
        // Somebody works on it.
        let store = beside(&database).await;
        let (owner, wanted) = (account.clone(), made.id.clone());
        let claim = store.write(move |tx| jobs::claim(tx, &owner, &wanted, 1)).await.unwrap().unwrap();
        let held = claim.clone();
        assert!(store.write(move |tx| jobs::hold(tx, &held, 1)).await.unwrap().is_some());
        let cancelled = runtime.cancel_job(&account, &made.id).await.unwrap();
        assert_eq!(cancelled.state, JobState::Cancelled);
        // The next part finds that it is over, and stores nothing.
        assert!(store.write(move |tx| jobs::hold(tx, &claim, 1)).await.unwrap().is_none());
        store.close().await;
        assert_eq!(runtime.run_jobs().await.unwrap(), 0);
        assert!(!is_fresh(&runtime).await);
        let again = runtime.cancel_job(&account, &made.id).await;
        assert!(matches!(again, Err(StoreError::Refused(Refusal::JobNotCancellable(_)))), "{again:?}");
        runtime.close().await;
    });
}

#[test]
fn a_job_whose_session_is_gone_ends() {
    on_both(async |_, runtime| {
        let made = job(&runtime).await;
        runtime.delete_sessions(&Runtime::default_account(), vec![id("s")]).await.unwrap();
        runtime.run_jobs().await.unwrap();
        let ended = look(&runtime, &made).await;
        assert_eq!((ended.state, ended.problem.as_deref()), (JobState::Cancelled, Some("Session 's' not found")));
        runtime.close().await;
    });
}

#[test]
fn there_are_only_so_many_jobs_at_a_time() {
    on_both(async |_, runtime| {
        let account = Runtime::default_account();
        let mut last = job(&runtime).await;
        for _ in 1..JOBS_OPEN_MAX {
            last = job(&runtime).await;
        }
        let order = ProcessOrder::of(Mode::Stale);
        let over = runtime.process_or_job(&account, &id("s"), order).await;
        assert!(matches!(over, Err(StoreError::Refused(Refusal::TooMany(_, JOBS_OPEN_MAX)))), "{over:?}");
        runtime.cancel_job(&account, &last.id).await.unwrap();
        job(&runtime).await;
        runtime.close().await;
    });
}
