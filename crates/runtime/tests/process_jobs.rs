//! Processing as a job, step by step: no job runs here unless the story runs it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code, missing_docs)]

#[path = "../../cli/tests/support/log.rs"]
mod log;
#[path = "../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../../cli/tests/support/undertaker.rs"]
mod undertaker;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::floor::{FloorState, PageKind};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::JOBS_OPEN_MAX;
use tavernkeep_engine::story::StaleReason;
use tavernkeep_engine::sync::{Message, Speaker, Swipe};
use tavernkeep_runtime::order::{
    FloorPatch, NewFloor, NewPage, NewSession, NewTurn, PagePatch, SessionPatch, StorySettings,
};
use tavernkeep_runtime::record::{Condition, Job, JobState, Window};
use tavernkeep_runtime::{
    Access, CleanedChats, Cleanup, Database, Expected, Handled, IdempotentRequest, JobLane, Mode, Options,
    ProcessOrder, Refusal, Runtime, RuntimeError, RuntimeResult, SyncOrder, Text, processed_by, text_hash,
};
use tavernkeep_store::db::sql::Sql;
use tavernkeep_store::db::tx::{Tx, one};
use tavernkeep_store::jobs::{self, Progress};
use tavernkeep_store::story::goal::Goal;
use tavernkeep_store::story::plan::{self, Cursor, StartAt};
use tavernkeep_store::tree::separation::origin;
use tavernkeep_store::{Store, params};

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
    let order = ProcessOrder { branch: Some("main".into()), ..ProcessOrder::of(Mode::Stale) };
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
        assert!(store.write(move |tx| jobs::hold(tx, &held, 0, 1)).await.unwrap().is_some());
        let cancelled = runtime.cancel_job(&account, &made.id).await.unwrap();
        assert_eq!(cancelled.state, JobState::Cancelled);
        // The next part finds that it is over, and stores nothing.
        assert!(store.write(move |tx| jobs::hold(tx, &claim, 0, 1)).await.unwrap().is_none());
        store.close().await;
        assert_eq!(runtime.run_jobs().await.unwrap(), 0);
        assert!(!is_fresh(&runtime).await);
        let again = runtime.cancel_job(&account, &made.id).await;
        assert!(matches!(again, Err(RuntimeError::Refused(Refusal::JobNotCancellable(_)))), "{again:?}");
        runtime.close().await;
    });
}

#[test]
fn nobody_in_the_account_waits_for_a_part_without_events() {
    on_both(async |database, runtime| {
        let made = job(&runtime).await;
        let store = beside(&database).await;
        let (owner, wanted) = (Runtime::default_account(), made.id.clone());
        let claim = store.write(move |tx| jobs::claim(tx, &owner, &wanted, 1)).await.unwrap().unwrap();
        let ticks = async |ahead: i64| {
            let sql = Sql::across_accounts("SELECT seq FROM account");
            let claim = claim.clone();
            let hold = move |tx: &mut dyn Tx| {
                let before = one(tx, sql, params![], |row| row.int(0))?;
                assert!(jobs::hold(tx, &claim, ahead, 1)?.is_some());
                Ok(one(tx, sql, params![], |row| row.int(0))? - before)
            };
            store.write(hold).await.unwrap()
        };
        // Every tenth of the seventy pages is reported, and the end.
        assert_eq!((ticks(0).await, ticks(6).await), (0, 0));
        assert_eq!((ticks(7).await, ticks(FLOORS).await, ticks(jobs::END).await), (1, 1, 1));
        store.close().await;
        runtime.close().await;
    });
}

#[test]
fn the_jobs_of_a_branch_and_of_its_fork_come_to_an_end_together() {
    on_both(async |_, runtime| {
        let account = Runtime::default_account();
        let ask = async |branch: &str, mode: Mode| {
            let order = ProcessOrder { branch: Some(branch.into()), ..ProcessOrder::of(mode) };
            match runtime.process_or_job(&account, &id("s"), order).await.unwrap() {
                Handled::ByJob(job) => job,
                Handled::Done(report) => panic!("it was done at once: {report:?}"),
            }
        };
        for (round, mode) in [Mode::All, Mode::All, Mode::Stale].into_iter().enumerate() {
            let patch = PagePatch { content: Some(Some(format!("@.SET(\"n\", {round});"))), ..PagePatch::default() };
            runtime.update_page(&account, &id("p0"), patch).await.unwrap();
            let fork = format!("b{round}");
            runtime.fork(&account, &id("f60"), Some(fork.clone())).await.unwrap();
            let both = [ask("main", mode).await, ask(&fork, mode).await];
            // Both process the pages before the fork, at the same time. They share them when they begin.
            let (one, other) =
                tokio::join!(runtime.run_lane(JobLane::Processing), runtime.run_lane(JobLane::Processing));
            assert_eq!(one.unwrap() + other.unwrap(), 2);
            for job in &both {
                let done = look(&runtime, job).await;
                assert_eq!((done.state, done.problem), (JobState::Done, None));
            }
            for (branch, n) in [("main", 69 + round), (fork.as_str(), 60 + round)] {
                let state = runtime.newest_state(&account, &id("s"), Some(branch)).await.unwrap();
                assert_eq!((state.at.stale, state.document.to_json()), (None, format!("{{\"n\":{n}}}")), "{branch}");
            }
        }
        runtime.close().await;
    });
}

#[test]
fn a_job_whose_session_is_gone_ends() {
    on_both(async |_, runtime| {
        let made = job(&runtime).await;
        runtime.remove_sessions(&Runtime::default_account(), vec![id("s")], true).await.unwrap();
        runtime.run_jobs().await.unwrap();
        let ended = look(&runtime, &made).await;
        assert_eq!((ended.state, ended.problem.as_deref()), (JobState::Cancelled, Some("Session 's' not found")));
        runtime.close().await;
    });
}

#[test]
fn a_job_does_not_process_another_branch_of_the_same_name() {
    on_both(async |_, runtime| {
        let account = Runtime::default_account();
        runtime.fork(&account, &id("f20"), Some("b".into())).await.unwrap();
        let order = ProcessOrder { branch: Some("b".into()), ..ProcessOrder::of(Mode::Stale) };
        let Handled::ByJob(made) = runtime.process_or_job(&account, &id("s"), order).await.unwrap() else {
            panic!("it was done at once")
        };
        runtime.delete_branch(&account, &id("s"), "b").await.unwrap();
        runtime.fork(&account, &id("f20"), Some("b".into())).await.unwrap();
        runtime.run_jobs().await.unwrap();
        let ended = look(&runtime, &made).await;
        assert_eq!((ended.state, ended.done), (JobState::Cancelled, 0), "{:?}", ended.problem);
        let state = runtime.newest_state(&account, &id("s"), Some("b")).await.unwrap();
        assert!(state.at.stale.is_some());
        runtime.close().await;
    });
}

/// When a job for a whole session has ended, all branches are processed, whatever other jobs do; it goes on behind a branch that is
/// deleted.
#[test]
fn a_job_of_all_branches_processes_all_that_are_there() {
    on_both(async |database, runtime| {
        let account = Runtime::default_account();
        job(&runtime).await;
        runtime.run_jobs().await.unwrap();
        for branch in ["b", "c", "d"] {
            runtime.fork(&account, &id("f20"), Some(branch.into())).await.unwrap();
            let page = runtime.page_on(&account, &id("p10"), Some(branch)).await.unwrap();
            let patch = PagePatch { content: Some(Some("@.SET(\"n\", 100);".into())), ..PagePatch::default() };
            runtime.update_page(&account, &page, patch).await.unwrap();
        }
        let ask = async |branch: Option<&str>| {
            let order = ProcessOrder { branch: branch.map(str::to_owned), ..ProcessOrder::of(Mode::Stale) };
            match runtime.process_or_job(&account, &id("s"), order).await.unwrap() {
                Handled::ByJob(job) => job,
                Handled::Done(report) => panic!("it was done at once: {report:?}"),
            }
        };
        let whole = ask(None).await;
        let other = ask(Some("c")).await;
        assert_ne!(whole.id, other.id);
        // The other one is under way elsewhere until the first has ended.
        let store = beside(&database).await;
        let (owner, wanted) = (account.clone(), other.id.clone());
        let claim = store.write(move |tx| jobs::claim(tx, &owner, &wanted, i64::MAX / 4)).await.unwrap();
        assert!(claim.is_some());
        runtime.delete_branch(&account, &id("s"), "b").await.unwrap();
        runtime.run_jobs().await.unwrap();
        let done = look(&runtime, &whole).await;
        assert_eq!((done.state, done.problem.as_deref()), (JobState::Done, None));
        assert_eq!(processed_by(&done).unwrap().0.processed, 22, "the floors of c and d from 10 on");
        let is_stale =
            async |branch| runtime.newest_state(&account, &id("s"), Some(branch)).await.unwrap().at.stale.is_some();
        assert_eq!((is_stale("c").await, is_stale("d").await), (false, false));
        let ended = "UPDATE job SET lease_until = 1";
        store.write(move |tx| tx.execute(Sql::across_accounts(ended), params![]).map(drop)).await.unwrap();
        store.close().await;
        runtime.run_jobs().await.unwrap();
        assert_eq!(look(&runtime, &other).await.state, JobState::Done);
        runtime.close().await;
    });
}

#[test]
fn a_job_that_nobody_can_read_is_in_nobodys_way() {
    on_both(async |database, runtime| {
        let account = Runtime::default_account();
        let unreadable = job(&runtime).await;
        let store = beside(&database).await;
        let nonsense = "UPDATE job SET work = (SELECT content FROM body WHERE content IS NOT NULL LIMIT 1)";
        store.write(move |tx| tx.execute(Sql::across_accounts(nonsense), params![]).map(drop)).await.unwrap();
        store.close().await;
        let other = job(&runtime).await;
        assert_ne!(other.id, unreadable.id);
        runtime.run_jobs().await.unwrap();
        assert_eq!(look(&runtime, &other).await.state, JobState::Done);
        assert!(is_fresh(&runtime).await);
        runtime.take_turn(&account, NewTurn::of(id("s"), "assistant", "@.ADD(\"n\", 1);")).await.unwrap();
        runtime.close().await;
    });
}

#[test]
fn whoever_processes_by_hand_does_not_race_a_job() {
    on_both(async |database, runtime| {
        let account = Runtime::default_account();
        let made = job(&runtime).await;
        // Somebody works at it.
        let store = beside(&database).await;
        let (owner, wanted) = (account.clone(), made.id.clone());
        let claim = store.write(move |tx| jobs::claim(tx, &owner, &wanted, i64::MAX / 4)).await.unwrap().unwrap();
        let by_hand = async |order: ProcessOrder| {
            runtime.process_unless_busy(&account, &id("s"), order).await.map(|report| report.processed)
        };
        let busy = Err(RuntimeError::Refused(Refusal::BranchBusy(made.id.clone())));
        assert_eq!(by_hand(ProcessOrder::of(Mode::Stale)).await, busy);
        assert_eq!(by_hand(ProcessOrder::of(Mode::All)).await, busy);
        let dry = ProcessOrder { dry_run: true, ..ProcessOrder::of(Mode::Stale) };
        assert_eq!(by_hand(dry).await, Ok(70));
        store.write(move |tx| jobs::release(tx, &claim)).await.unwrap();
        store.close().await;
        runtime.run_jobs().await.unwrap();
        assert_eq!(by_hand(ProcessOrder::of(Mode::Stale)).await, Ok(0));
        runtime.close().await;
    });
}

/// Asks for a job on a branch that is new.
async fn ask_elsewhere(runtime: &Runtime, branch: i64) -> RuntimeResult<Handled> {
    let (account, name) = (Runtime::default_account(), format!("b{branch}"));
    runtime.fork(&account, &id("f0"), Some(name.clone())).await.unwrap();
    let order = ProcessOrder { branch: Some(name), ..ProcessOrder::of(Mode::Stale) };
    runtime.process_or_job(&account, &id("s"), order).await
}

#[test]
fn a_chat_that_could_not_be_processed_is_when_it_is_sent_again() {
    on_both(async |_, runtime| {
        let account = Runtime::default_account();
        let last = job(&runtime).await;
        for branch in 1..JOBS_OPEN_MAX {
            ask_elsewhere(&runtime, branch).await.unwrap();
        }
        runtime.create_session(&account, NewSession { id: Some(id("t")), ..NewSession::default() }).await.unwrap();
        let sync = async || {
            let text = "@.ADD(\"n\", 1);";
            let speaker = Speaker { role: Some("assistant".into()), name: None };
            let swipes = vec![Swipe { text: text_hash(Some(text)), speaker }];
            let order = SyncOrder {
                session: id("t"),
                branch: "main".into(),
                messages: vec![Message { swipes, active: 0 }],
                texts: HashMap::from([(text_hash(Some(text)), Text::new(text))]),
                expected: Expected::default(),
            };
            let once = Arc::new(IdempotentRequest::new("key", &[b"sync"], None));
            runtime.with_idempotency(once).sync(&account, order, false).await.unwrap()
        };
        let first = sync().await;
        assert!(first.synced.applied && first.processed.is_none() && first.job.is_none(), "{first:?}");
        runtime.cancel_job(&account, &last.id).await.unwrap();
        let again = sync().await;
        assert!(again.synced.applied && again.job.is_some(), "{again:?}");
        // What is done is kept.
        assert_eq!(sync().await.job, again.job);
        runtime.close().await;
    });
}

#[test]
fn a_job_that_waits_is_carried_out_by_whoever_processes_by_hand() {
    on_both(async |_, runtime| {
        let account = Runtime::default_account();
        let by_hand = async |order: ProcessOrder| {
            let report = runtime.process_unless_busy(&account, &id("s"), order).await.unwrap();
            (report.processed, report.unchanged)
        };
        // It does what is asked.
        let made = job(&runtime).await;
        assert_eq!(by_hand(ProcessOrder::of(Mode::Stale)).await, (70, 0));
        assert_eq!(look(&runtime, &made).await.state, JobState::Done);
        // Something else is asked, and done behind it.
        let patch = PagePatch { content: Some(Some("@.ADD(\"n\", 2);".into())), ..PagePatch::default() };
        runtime.update_page(&account, &id("p60"), patch).await.unwrap();
        let made = job(&runtime).await;
        assert_eq!(by_hand(ProcessOrder::of(Mode::All)).await, (0, 70));
        let done = look(&runtime, &made).await;
        assert_eq!((done.state, processed_by(&done).unwrap().0.processed), (JobState::Done, 10));
        assert!(is_fresh(&runtime).await);
        runtime.close().await;
    });
}

#[test]
fn there_are_only_so_many_jobs_at_a_time() {
    on_both(async |_, runtime| {
        let account = Runtime::default_account();
        let last = job(&runtime).await;
        for branch in 1..JOBS_OPEN_MAX {
            ask_elsewhere(&runtime, branch).await.unwrap();
        }
        let over = ask_elsewhere(&runtime, JOBS_OPEN_MAX).await;
        assert!(matches!(over, Err(RuntimeError::Refused(Refusal::TooMany(_, JOBS_OPEN_MAX)))), "{over:?}");
        runtime.cancel_job(&account, &last.id).await.unwrap();
        job(&runtime).await;
        runtime.close().await;
    });
}

#[test]
fn a_branch_has_one_job_at_a_time() {
    on_both(async |_, runtime| {
        let account = Runtime::default_account();
        let ask = async |order: ProcessOrder| match runtime.process_or_job(&account, &id("s"), order).await {
            Ok(Handled::ByJob(job)) => Ok(job.id),
            Ok(Handled::Done(report)) => panic!("it was done at once: {report:?}"),
            Err(error) => Err(error),
        };
        let all = ProcessOrder::of(Mode::All);
        let made = ask(all.clone()).await.unwrap();
        assert_eq!(ask(all.clone()).await, Ok(made.clone()));
        // Whatever does not fit is mended by any job that stores something.
        assert_eq!(ask(ProcessOrder::of(Mode::Stale)).await, Ok(made.clone()));
        let named = ProcessOrder { branch: Some("main".into()), ..ProcessOrder::of(Mode::Stale) };
        assert_eq!(ask(named).await, Ok(made.clone()));
        // Something else is not done by it, and is refused until it has ended.
        let busy = Err(RuntimeError::Refused(Refusal::BranchBusy(made.clone())));
        assert_eq!(ask(ProcessOrder { overwrite_edited: true, ..all.clone() }).await, busy);
        assert_eq!(ask(ProcessOrder::of(Mode::Latest)).await, busy);
        // A dry run has a job of its own.
        let dry = ProcessOrder { dry_run: true, ..all.clone() };
        let planned = ask(dry.clone()).await.unwrap();
        assert_ne!(planned, made);
        assert_eq!(ask(dry).await, Ok(planned));
        // Another branch has another job.
        runtime.fork(&account, &id("f3"), Some("other".into())).await.unwrap();
        assert_ne!(ask(ProcessOrder { branch: Some("other".into()), ..all.clone() }).await.unwrap(), made);
        assert_eq!(runtime.run_jobs().await.unwrap(), 3);
        assert!(is_fresh(&runtime).await);
        assert_ne!(ask(all).await.unwrap(), made);
        runtime.close().await;
    });
}

#[test]
fn whoever_is_given_a_job_finds_the_branch_fresh_when_it_has_ended() {
    on_both(async |_, runtime| {
        let account = Runtime::default_account();
        job(&runtime).await;
        for round in 0..12 {
            let working = tokio::spawn({
                let runtime = runtime.clone();
                async move { runtime.run_jobs().await.unwrap() }
            });
            // A text changes, before or behind the place where the job is just now.
            let content = Some(Some(format!("@.ADD(\"n\", {});", 2 + round)));
            let patch = PagePatch { content, ..PagePatch::default() };
            runtime.update_page(&account, &id(&format!("p{}", (round * 11) % FLOORS)), patch).await.unwrap();
            let given = job(&runtime).await;
            working.await.unwrap();
            runtime.run_jobs().await.unwrap();
            assert_eq!(look(&runtime, &given).await.state, JobState::Done);
            assert!(is_fresh(&runtime).await, "round {round}");
        }
        runtime.close().await;
    });
}

#[test]
fn a_job_whose_states_were_dropped_starts_again() {
    on_both(async |database, runtime| {
        let account = Runtime::default_account();
        let made = job(&runtime).await;
        let store = beside(&database).await;
        // It had come to the tenth page, and nothing of that is left.
        let (owner, goal) = (account.clone(), Goal::Branch(id("s"), "main".into()));
        let plan = store.read(move |tx| plan::plan(tx, &owner, &goal, StartAt::Stale)).await.unwrap();
        let behind = serde_json::to_string(&StartAt::Behind(plan.steps[9].cursor())).unwrap();
        let work = made.work.as_ref().unwrap().as_str().replace("\"Stale\"", &behind);
        let progress = Progress {
            done: 10,
            total: FLOORS,
            work: Some(JsonText::parse(work.as_bytes()).unwrap()),
            finished: false,
        };
        let wanted = made.id.clone();
        let write = move |tx: &mut dyn Tx| {
            let claim = jobs::claim(tx, &account, &wanted, 1)?.unwrap();
            let held = jobs::hold(tx, &claim, 10, 1)?.unwrap();
            jobs::advance(tx, &claim, &held, &progress, 1).map(drop)
        };
        store.write(write).await.unwrap();
        store.close().await;
        assert_eq!(runtime.run_jobs().await.unwrap(), 1);
        let ended = look(&runtime, &made).await;
        assert_eq!((ended.state, ended.problem), (JobState::Done, None));
        assert!(is_fresh(&runtime).await);
        runtime.close().await;
    });
}

#[test]
fn edits_stay_that_are_made_after_it_was_asked_to_take_edits_back() {
    for mode in [Mode::Stale, Mode::All] {
        on_both(async |_, runtime| {
            let account = Runtime::default_account();
            runtime.process(&account, &id("s"), ProcessOrder::of(Mode::All)).await.unwrap();
            let document = |values: &[(&str, i64)]| -> Value {
                values.iter().map(|&(key, number)| (key, Value::from(number))).collect()
            };
            let edit = async |page: &str, values: &[(&str, i64)]| {
                let snapshot = runtime.state_of_page(&account, &id(page)).await.unwrap().at.snapshot.unwrap();
                drop(runtime.edit_snapshot(&account, &snapshot, document(values), Condition::None).await.unwrap());
            };
            edit("p5", &[("n", 500)]).await;
            let order = ProcessOrder { branch: Some("main".into()), overwrite_edited: true, ..ProcessOrder::of(mode) };
            let answer = runtime.process_or_job(&account, &id("s"), order).await.unwrap();
            let Handled::ByJob(made) = answer else { panic!("{answer:?}") };
            edit("p5", &[("n", 500), ("later", 1)]).await;
            edit("p60", &[("n", 1_000)]).await;
            runtime.run_jobs().await.unwrap();
            assert_eq!(look(&runtime, &made).await.state, JobState::Done);
            for (page, values) in [("p5", [("n", 6), ("later", 1)]), ("p60", [("n", 1_000), ("later", 1)])] {
                let state = runtime.state_of_page(&account, &id(page)).await.unwrap();
                assert_eq!(state.document, document(&values), "{page}");
                assert!(state.at.stale.is_none(), "{page}");
            }
            runtime.close().await;
        });
    }
}

#[test]
fn an_edit_stays_that_was_made_after_a_job_had_done_the_page() {
    on_both(async |database, runtime| {
        let account = Runtime::default_account();
        runtime.process(&account, &id("s"), ProcessOrder::of(Mode::All)).await.unwrap();
        let store = beside(&database).await;
        let usual = ProcessOrder::of(Mode::Latest);
        let order = ProcessOrder { branch: Some("main".into()), overwrite_edited: true, ..usual };
        // The job is left when it has done the page and not come to its end, at some try.
        for _ in 0..20 {
            let answer = runtime.process_or_job(&account, &id("s"), order.clone()).await.unwrap();
            let Handled::ByJob(made) = answer else { panic!("{answer:?}") };
            let has_begun = async {
                while look(&runtime, &made).await.done == 0 {
                    tokio::task::yield_now().await;
                }
            };
            tokio::select! {
                biased;
                () = has_begun => {}
                _ = runtime.run_jobs() => {}
            }
            if look(&runtime, &made).await.state != JobState::Done {
                break;
            }
        }
        let snapshot = runtime.newest_state(&account, &id("s"), None).await.unwrap().at.snapshot.unwrap();
        let document: Value = [("n", Value::from(1_000_i64))].into_iter().collect();
        drop(runtime.edit_snapshot(&account, &snapshot, document.clone(), Condition::None).await.unwrap());
        // There is more to do, and nothing to go on from, so the job starts again.
        let floor = NewFloor { id: Some(id("g")), state: FloorState::Committed, ..NewFloor::of(id("s")) };
        runtime.create_floor(&account, floor).await.unwrap();
        let page = NewPage { content: Some("@.SET(\"m\", 1);".into()), ..NewPage::of(id("g")) };
        runtime.create_page(&account, NewPage { kind: PageKind::Output, is_active: true, ..page }).await.unwrap();
        let chats = CleanedChats::One("s".into());
        let order = Cleanup { chats, orphans: true, after: 0, dry_run: false, permanent: true };
        assert!(runtime.clean_up(&account, order).await.unwrap().dropped.snapshots > 0);
        let ended = Sql::across_accounts("UPDATE job SET lease_until = 1 WHERE lease_until IS NOT NULL");
        store.write(move |tx| tx.execute(ended, params![]).map(drop)).await.unwrap();
        store.close().await;
        runtime.run_jobs().await.unwrap();
        runtime.process(&account, &id("s"), ProcessOrder::of(Mode::Stale)).await.unwrap();
        let state = runtime.state_of_page(&account, &id("p69")).await.unwrap();
        assert_eq!((state.document, state.at.edited), (document, true));
        runtime.close().await;
    });
}

#[test]
fn a_place_is_found_again_after_moves_and_deletions() {
    on_both(async |database, runtime| {
        let account = Runtime::default_account();
        runtime.fork(&account, &id("f20"), Some("b".into())).await.unwrap();
        let committed = |name: &str, branch: &str| NewFloor {
            id: Some(id(name)),
            branch: Some(branch.into()),
            state: FloorState::Committed,
            ..NewFloor::of(id("s"))
        };
        for (floor, branch) in [("g0", "b"), ("g1", "b")] {
            runtime.create_floor(&account, committed(floor, branch)).await.unwrap();
            let page = NewPage { content: Some("@.ADD(\"n\", 1);".into()), ..NewPage::of(id(floor)) };
            runtime.create_page(&account, NewPage { kind: PageKind::Output, ..page }).await.unwrap();
        }
        runtime.fork(&account, &id("g0"), Some("c".into())).await.unwrap();
        let store = beside(&database).await;
        let steps = async |branch: &str, from: StartAt| -> Vec<(String, Cursor)> {
            let (owner, goal) = (account.clone(), Goal::Branch(id("s"), branch.into()));
            let plan = store.read(move |tx| plan::plan(tx, &owner, &goal, from)).await.unwrap();
            plan.steps.into_iter().map(|step| (origin(&step.floor).to_owned(), step.cursor())).collect()
        };
        let next = async |branch: &str, cursor: Cursor| steps(branch, StartAt::Behind(cursor)).await[0].0.clone();
        let on_main = steps("c", StartAt::Stale).await[9].1;
        let on_b = steps("c", StartAt::Stale).await[21].1;
        assert_eq!(next("b", on_b).await, "g1");
        assert_eq!(next("c", on_main).await, "f10");
        let moved = |floor_no: i64| FloorPatch { floor_no: Some(floor_no), metadata: None };
        runtime.update_floor(&account, &id("f9"), moved(500)).await.unwrap();
        assert_eq!(next("c", on_main).await, "f10", "moved on, nothing is left out");
        runtime.delete_floors(&account, vec![id("f9")]).await.unwrap();
        assert_eq!(next("c", on_main).await, "f10", "gone, it is known where it was");
        runtime.delete_branch(&account, &id("s"), "b").await.unwrap();
        assert_eq!(next("c", on_main).await, "f10", "the fork has floors of its own, at the same places");
        assert!(steps("c", StartAt::Behind(on_b)).await.is_empty(), "the last floor is the fork's own now");
        store.close().await;
        runtime.close().await;
    });
}

#[test]
fn the_latest_gets_another_id_once_for_a_key() {
    on_both(async |_, runtime| {
        let account = Runtime::default_account();
        runtime.process(&account, &id("s"), ProcessOrder::of(Mode::All)).await.unwrap();
        let snapshot = async || {
            let state = runtime.newest_state(&account, &id("s"), None).await.unwrap();
            state.at.snapshot.unwrap()
        };
        let latest = async |key: &str| {
            let once = Arc::new(IdempotentRequest::new(key, &[b"latest"], None));
            // Whoever dies before the answer is kept tries again.
            runtime.with_idempotency(once).process(&account, &id("s"), ProcessOrder::of(Mode::Latest)).await.unwrap()
        };
        let first = snapshot().await;
        assert_eq!(latest("k").await.processed, 1);
        let renewed = snapshot().await;
        assert_ne!(renewed, first);
        assert_eq!((latest("k").await.processed, snapshot().await), (0, renewed.clone()));
        latest("another").await;
        assert_ne!(snapshot().await, renewed);
        runtime.close().await;
    });
}

#[test]
fn a_key_that_is_used_again_after_its_time_is_another_request() {
    on_both(async |database, runtime| {
        let account = Runtime::default_account();
        runtime.process(&account, &id("s"), ProcessOrder::of(Mode::All)).await.unwrap();
        runtime.close().await;
        let patient = Options { process_time: Duration::from_secs(3_600), ..Options::new(database.clone()) };
        let runtime = Runtime::open(patient).await.unwrap();
        let latest = async || {
            let once = Arc::new(IdempotentRequest::new("k", &[b"latest"], None));
            let handled =
                runtime.with_idempotency(once).process_or_job(&account, &id("s"), ProcessOrder::of(Mode::Latest)).await;
            let Ok(Handled::Done(report)) = handled else { panic!("{handled:?}") };
            let state = runtime.newest_state(&account, &id("s"), None).await.unwrap();
            (report.processed, state.at.snapshot.unwrap())
        };
        let store = beside(&database).await;
        let mut seen = Vec::new();
        for _ in 0..3 {
            let first = latest().await;
            assert_eq!(first.0, 1);
            assert!(!seen.contains(&first.1));
            assert_eq!(latest().await, first, "reported again");
            seen.push(first.1);
            // A day and an hour go by.
            for table in ["kept_answer", "snapshot"] {
                let sql = Sql::assembled(format!(
                    "UPDATE {table} SET created_at = created_at - 90000000 WHERE account_id = account_id"
                ));
                store.write(move |tx| tx.execute(sql, params![]).map(drop)).await.unwrap();
            }
        }
        store.close().await;
        runtime.close().await;
    });
}

#[test]
fn what_takes_long_is_left_to_a_job_whoever_asks() {
    on_both(async |_, runtime| {
        let account = Runtime::default_account();
        let turn = |content: &str| NewTurn::of(id("s"), "assistant", content);
        let busy = |error: RuntimeError| match error {
            RuntimeError::Refused(Refusal::BranchBusy(job)) => job,
            error => panic!("{error}"),
        };
        // A turn has the right state or none.
        let job = busy(runtime.take_turn(&account, turn("@.ADD(\"n\", 1);")).await.unwrap_err());
        assert_eq!(busy(runtime.take_turn(&account, turn("@.ADD(\"n\", 1);")).await.unwrap_err()), job);
        // So has what is taken back; what is chosen is stale meanwhile.
        assert_eq!(busy(runtime.undo(&account, &id("p69"), None).await.unwrap_err()), job);
        runtime.activate_page(&account, &id("p69")).await.unwrap();
        assert!(!is_fresh(&runtime).await);
        assert_eq!(
            runtime
                .jobs(&account, Window { limit: 100, offset: 0, ascending: true, total: true })
                .await
                .unwrap()
                .items
                .len(),
            1
        );
        assert_eq!(runtime.run_jobs().await.unwrap(), 1);
        let taken = runtime.take_turn(&account, turn("@.ADD(\"n\", 1);")).await.unwrap();
        assert_eq!(taken.document.to_json(), "{\"n\":71}");
        runtime.undo(&account, &taken.page, None).await.unwrap();
        runtime.close().await;
    });
}

#[test]
fn deletions_do_not_wait_for_stories() {
    on_both(async |database, runtime| {
        let made = job(&runtime).await;
        let store = beside(&database).await;
        let deletion = "INSERT INTO job (account_id, id, kind, state, session_row, subject_id, done, total, created_at,
                updated_at)
            SELECT account_id, 'deletion', 0, 0, 999, 'gone', 0, 0, created_at + 1, updated_at + 1 FROM job";
        store.write(move |tx| tx.execute(Sql::across_accounts(deletion), params![]).map(drop)).await.unwrap();
        store.close().await;
        assert_eq!(runtime.run_lane(JobLane::Deletions).await.unwrap(), 1);
        assert_eq!(look(&runtime, &made).await.state, JobState::Waiting);
        assert_eq!(runtime.run_lane(JobLane::Processing).await.unwrap(), 1);
        runtime.close().await;
    });
}

/// Tells the session of the story whether what people write counts.
async fn read_user_floors(runtime: &Runtime, user_floors: bool) {
    let profile = format!("{{\"base\": \"default\", \"user_floors\": {user_floors}}}");
    let profile = Some(Some(JsonText::parse(profile.as_bytes()).unwrap()));
    let patch =
        SessionPatch { story: StorySettings { profile, ..StorySettings::default() }, ..SessionPatch::default() };
    runtime.update_session(&Runtime::default_account(), &id("s"), patch).await.unwrap();
}

#[test]
fn no_request_looks_at_all_floors_because_others_are_read() {
    on_both(async |database, runtime| {
        let account = Runtime::default_account();
        runtime.process(&account, &id("s"), ProcessOrder::of(Mode::All)).await.unwrap();
        let user = runtime.take_turn(&account, NewTurn::of(id("s"), "user", "@.ADD(\"n\", 1);")).await.unwrap();
        assert!(is_fresh(&runtime).await);
        let store = beside(&database).await;
        let looked_up_to = async || {
            let sql = Sql::across_accounts("SELECT flags_from FROM session");
            store.read(move |tx| one(tx, sql, params![], |row| row.int_or_null(0))).await.unwrap()
        };
        // Whoever says so looks at some, and nobody is believed until somebody has looked at the others.
        read_user_floors(&runtime, true).await;
        assert!(looked_up_to().await.is_some());
        for page in ["p1", "p69"] {
            let state = runtime.state_of_page(&account, &id(page)).await.unwrap();
            assert_eq!(state.at.stale, Some(StaleReason::EarlierStale), "{page}");
        }
        // A turn does not look at them while its client waits, but leaves them to a job.
        let busy = runtime.take_turn(&account, NewTurn::of(id("s"), "assistant", "@.ADD(\"n\", 1);")).await;
        let Err(RuntimeError::Refused(Refusal::BranchBusy(job))) = busy else { panic!("{busy:?}") };
        assert_eq!(runtime.run_jobs().await.unwrap(), 1);
        let done = runtime.job(&account, &job).await.unwrap();
        assert_eq!((done.state, processed_by(&done).unwrap().0.processed), (JobState::Done, 1));
        assert_eq!(looked_up_to().await, None);
        let state = runtime.state_of_page(&account, &user.page).await.unwrap();
        assert_eq!((state.at.stale, state.document.to_json()), (None, "{\"n\":71}".to_owned()));
        // What has a state is found however often that changes, also while the flags are looked at.
        read_user_floors(&runtime, false).await;
        read_user_floors(&runtime, true).await;
        let last = NewFloor { id: Some(id("last")), state: FloorState::Committed, ..NewFloor::of(id("s")) };
        runtime.create_floor(&account, last).await.unwrap();
        let page = NewPage { id: Some(id("last.p")), kind: PageKind::Output, ..NewPage::of(id("last")) };
        runtime.create_page(&account, page).await.unwrap();
        let state = runtime.state_of_page(&account, &id("last.p")).await.unwrap();
        assert_eq!((state.at.stale, state.at.page), (Some(StaleReason::Unprocessed), Some(user.page)));
        store.close().await;
        runtime.close().await;
    });
}
