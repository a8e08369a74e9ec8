//! Turns with scripts in worker processes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod support;

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{active, passive, play, pool, turn};
use tavernkeep_engine::turn::Status;
use tavernkeep_script::{HAS_LODASH, InProcess, Limits};

const SET: &str = "const [path, value] = args;\n_.set(snapshot, path, value);\nreturn snapshot;";
const TICK: &str = "if (_.has(snapshot, \"世界.时间\")) {
  const currentTime = _.get(snapshot, \"世界.时间\");
  // 简单示例: 时间 +1 小时
  const newTime = addHours(currentTime, 1);
  _.set(snapshot, \"世界.时间\", newTime);
}
return snapshot;";

#[test]
fn the_examples_of_the_seed_run_as_they_stand() {
    if !HAS_LODASH {
        eprintln!("skipped: lodash is not part of this build; `make setup` installs it");
        return;
    }
    let pool = pool(1, Limits::default());
    let pattern = r#"/@\.SET\("([^"]+)",\s*(.+?)\);?/g"#;
    let document = r#"{"世界":{"时间":"2024年10月26日 20:00"},"角色":{"名字":"李四","金币":5}}"#;
    let reply = "她笑了。@.SET(\"角色.名字\", \"张三\"); @.SET(\"角色.金币\", 100) @.ADD(\"角色.金币\", 1);";
    let turn = turn(document, reply, vec![active("SET", pattern, SET), passive("时间推进", TICK)]);
    let outcome = play(pool.turn("one"), turn);
    assert_eq!(outcome.problems, []);
    assert_eq!(
        outcome.document.to_json(),
        r#"{"世界":{"时间":"2024年10月26日 21:00"},"角色":{"名字":"张三","金币":101}}"#
    );
    assert!(outcome.results.iter().all(|result| result.status == Status::Applied));
    assert_eq!(outcome.runs.len(), 3);
    assert_eq!(pool.workers_lost(), 0);
}

/// Never reaches the machine's own look at the clock: a search in a long text.
const STUCK: &str = "'a'.repeat(5e6).indexOf('a'.repeat(2e6) + 'b')";

#[test]
fn a_killed_worker_costs_one_problem() {
    let pool = pool(1, Limits::default());
    let functions = vec![
        passive("a", "snapshot.a = 1"),
        passive("b", STUCK),
        passive("c", "snapshot.c = snapshot.a + 1"),
        passive("d", "for (;;);"),
        passive("e", "snapshot.e = 1"),
    ];
    let outcome = play(pool.turn("one"), turn("{}", "", functions));
    assert_eq!(outcome.document.to_json(), r#"{"a":1,"c":2,"e":1}"#);
    let messages: Vec<&str> = outcome.problems.iter().map(|problem| problem.message.as_str()).collect();
    let shown = "d: ran longer than 12 ms and was stopped";
    assert_eq!(messages, ["b: ran longer than 100 ms and was killed", shown]);
    assert_eq!(pool.workers_lost(), 1);
    let outcome = play(pool.turn("two"), turn("{}", "", vec![passive("e", "snapshot.e = 1")]));
    assert_eq!((outcome.problems.len(), outcome.document.to_json().as_str()), (0, r#"{"e":1}"#));
}

#[test]
fn many_endless_functions_cost_little_more_than_one() {
    let pool = pool(1, Limits::default());
    let mut functions: Vec<_> = (0..12).map(|number| passive(&format!("f{number}"), "for (;;);")).collect();
    functions.insert(1, passive("f00", "snapshot.ok = 1"));
    let outcome = play(pool.turn("one"), turn("{}", "", functions));
    assert_eq!((outcome.document.to_json().as_str(), outcome.problems.len()), (r#"{"ok":1}"#, 12));
    let used_us: u64 = outcome.runs.iter().map(|run| run.duration_us).sum();
    assert!(used_us < 3 * Limits::default().function_us, "{used_us} µs of the processor");
    let patterns: Vec<_> = (0..40).map(|number| active(&format!("p{number}"), "(a+)+$", "")).collect();
    let outcome = play(pool.turn("one"), turn("{}", &format!("{}b", "a".repeat(64)), patterns));
    assert_eq!(outcome.problems.len(), 40);
    let not_run = outcome.problems.iter().filter(|problem| problem.message.contains("not run: ")).count();
    assert!(not_run > 20, "{:?}", outcome.problems);
}

/// A turn that holds a worker for as long as it is not killed.
const FOREVER: Limits =
    Limits { function_us: 600_000_000, turn_us: 600_000_000, memory_bytes: 32 << 20, stack_bytes: 1 << 20 };

#[test]
fn the_turns_of_one_account_do_not_keep_others_waiting() {
    let pool = pool(2, FOREVER);
    let functions = || vec![passive("a", "snapshot.n = 1")];
    let mut served = Vec::new();
    let ended = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                play(pool.turn("hostile"), turn("{}", "", vec![passive("endless", "for (;;);")]));
                ended.fetch_add(1, Ordering::Relaxed);
            });
        }
        while pool.turns_waiting() != 3 || pool.workers().len() == pool.idle_workers().len() {
            std::thread::yield_now();
        }
        // The others are served while the first endless turn still runs and three more wait.
        for account in ["b", "c", "b"] {
            let outcome = play(pool.turn(account), turn("{}", "", functions()));
            served.push((outcome.document.to_json(), pool.turns_waiting()));
        }
        // Ends each endless turn, one worker after the other. A worker may be killed before its turn has begun; that turn takes
        // another one.
        while ended.load(Ordering::Relaxed) < 4 {
            let idle = pool.idle_workers();
            for worker in pool.workers().into_iter().filter(|worker| !idle.contains(worker)) {
                let process = rustix::process::Pid::from_raw(worker.cast_signed()).unwrap();
                let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
            }
            std::thread::yield_now();
        }
    });
    assert_eq!(served, vec![(r#"{"n":1}"#.to_owned(), 3); 3]);
}

#[test]
fn a_worker_that_stalls_is_replaced() {
    let limits = Limits { function_us: 10_000, ..Limits::default() };
    let pool = pool(1, limits);
    let functions = || vec![passive("a", "snapshot.n = 1")];
    play(pool.turn("one"), turn("{}", "", functions()));
    let stalled = pool.workers();
    let process = rustix::process::Pid::from_raw(stalled[0].cast_signed()).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::STOP).unwrap();
    // At most this turn has a problem; it does not fail, and nobody after it notices.
    let outcome = play(pool.turn("one"), turn("{}", "", functions()));
    assert!(outcome.problems.len() <= 1, "{:?}", outcome.problems);
    let outcome = play(pool.turn("two"), turn("{}", "", functions()));
    assert_eq!((outcome.problems.len(), outcome.document.to_json().as_str()), (0, r#"{"n":1}"#));
    assert_ne!(pool.workers(), stalled);
    assert_eq!(pool.workers_lost(), 1);
}

#[test]
fn functions_of_other_turns_leave_nothing_behind() {
    if !HAS_LODASH {
        eprintln!("skipped: lodash is not part of this build; `make setup` installs it");
        return;
    }
    let pool = pool(1, Limits::default());
    let in_process = InProcess::default();
    let leave = "try { globalThis.x = 1 } catch {} try { Array.prototype.x = 1 } catch {} try { _.x = 1 } catch {}
        try { Object.getPrototypeOf(function* () {}).x = 1 } catch {} try { console.log.x = 1 } catch {}
        try { context.x = 1 } catch {} try { context.recent_texts.push(1) } catch {}";
    let look = "snapshot.seen = [typeof x, typeof [].x, typeof _.x, typeof Object.getPrototypeOf(function* () {}).x,
        typeof console.log.x, typeof context.x, context.recent_texts.length]";
    let seen = r#"{"seen":["undefined","undefined","undefined","undefined","undefined","undefined",0]}"#;
    for _ in 0..2 {
        let functions = || vec![passive("a", leave), passive("b", look)];
        assert_eq!(play(pool.turn("one"), turn("{}", "", functions())).document.to_json(), seen);
        assert_eq!(play(in_process.turn(), turn("{}", "", functions())).document.to_json(), seen);
    }
}

#[test]
fn many_turns_of_many_accounts_share_the_workers() {
    let pool = pool(2, Limits::default());
    let accounts: Vec<String> = (0..8).map(|account| account.to_string()).collect();
    std::thread::scope(|scope| {
        for account in &accounts {
            let pool = &pool;
            scope.spawn(move || {
                for _ in 0..10 {
                    let document = format!(r#"{{"account":{account},"n":0}}"#);
                    let functions = vec![passive("a", "snapshot.n++"), passive("b", "snapshot.n += snapshot.account")];
                    let outcome = play(pool.turn(account), turn(&document, "", functions));
                    let n = 1 + account.parse::<i64>().unwrap();
                    assert_eq!(outcome.document.to_json(), format!(r#"{{"account":{account},"n":{n}}}"#));
                }
            });
        }
    });
    assert_eq!(pool.workers_lost(), 0);
}

#[test]
fn a_worker_that_ends_while_it_is_idle_costs_nothing() {
    let pool = pool(1, Limits::default());
    let functions = || vec![passive("a", "snapshot.n = 1")];
    play(pool.turn("one"), turn("{}", "", functions()));
    let mut killed = HashSet::new();
    while killed.len() < 3 {
        for process in pool.idle_workers() {
            if killed.insert(process) {
                let process = rustix::process::Pid::from_raw(process.cast_signed()).unwrap();
                rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
            }
        }
        let outcome = play(pool.turn("one"), turn("{}", "", functions()));
        assert_eq!((outcome.problems.len(), outcome.document.to_json().as_str()), (0, r#"{"n":1}"#));
    }
}

#[test]
fn without_lodash_a_script_that_uses_it_says_so() {
    if HAS_LODASH {
        return;
    }
    let outcome = play(InProcess::default().turn(), turn("{}", "", vec![passive("a", "_.set(snapshot, 'a', 1)")]));
    assert!(outcome.problems[0].message.contains("built without lodash"), "{:?}", outcome.problems);
}

#[test]
fn a_program_that_is_no_worker_is_an_error() {
    let binary = "/bin/true".into();
    let pool = tavernkeep_script::Pool::new(tavernkeep_script::PoolOptions { binary, ..Default::default() });
    let tavernkeep_engine::turn::Step::Waiting(call, waiting) = turn("{}", "", vec![passive("a", "")]).start() else {
        panic!("a function is called")
    };
    let error = pool.turn("one").answer(&call, &waiting).unwrap_err();
    assert!(error.to_string().contains("no script worker can be started"), "{error}");
}

#[test]
fn scripts_know_their_turn_and_nothing_else() {
    let pool = pool(1, Limits::default());
    let executor = "snapshot.known = [context.round, context.text, context.now_ms, Date.now(), new Date().toISOString(),
        context.session, new Date(2024, 0, 1).toISOString()];
        snapshot.random = [Math.random(), context.random()];
        snapshot.names = Object.getOwnPropertyNames(globalThis).filter((name) => /eval|process|std|os|require|WeakRef|Atomics|performance|setTimeout|Worker|fetch|import/.test(name));";
    let mut turn = turn("{}", "hello", vec![passive("a", executor), passive("b", "snapshot.other = Math.random()")]);
    turn.clock = tavernkeep_engine::turn::Clock { now_ms: 1_700_000_000_000, round: 4, seed: 9 };
    turn.position.session = Some("s".to_owned());
    let outcome = play(pool.turn("one"), turn.clone());
    assert_eq!(outcome.problems, []);
    let document = &outcome.document;
    assert_eq!(
        document.get("known").unwrap().to_json(),
        r#"[4,"hello",1700000000000,1700000000000,"2023-11-14T22:13:20.000Z","s","2024-01-01T00:00:00.000Z"]"#
    );
    assert_eq!(document.get("names").unwrap().to_json(), "[]");
    let random = document.get("random").unwrap();
    assert_ne!(random.item(0), random.item(1));
    assert_ne!(random.item(0), document.get("other"));
    assert_eq!(play(pool.turn("one"), turn).document, outcome.document, "chance comes from the seed");
}
