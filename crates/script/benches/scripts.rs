//! What functions cost: a turn with them and without, a worker that starts, many sessions at once, and how soon a script that
//! does not end is stopped. `cargo bench --bench scripts`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::function::{Function, FunctionKind};
use tavernkeep_engine::turn::{Outcome, Step, Turn};
use tavernkeep_script::{HAS_LODASH, Pool, PoolOptions, ScriptTurn, worker_main};

fn main() {
    worker_main();
    if !HAS_LODASH {
        println!("skipped: lodash is not part of this build; `make setup` installs it");
        return;
    }
    println!("| what | median | 99 of 100 | most |\n|---|---|---|---|");
    // `cargo bench --bench scripts -- warm` measures one part.
    let chosen: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let parts =
        [("cold", cold as fn()), ("warm", warm), ("many", many_at_once), ("stops", stops), ("bystander", bystander)];
    for (name, part) in parts {
        if chosen.is_empty() || chosen.iter().any(|chosen| chosen == name) {
            part();
        }
    }
}

fn cold() {
    let times = (0..30).map(|_| {
        let started = Instant::now();
        let pool = Pool::new(PoolOptions::default());
        play(pool.turn("a"), turn("{}", "", vec![passive("a", 0, "")]));
        started.elapsed()
    });
    row("a worker starts and answers; at most 50 ms", times.collect());
    // With what a turn of a story sends it.
    let scripted = turn(&state(), &reply(), functions());
    let times = (0..30).map(|_| {
        let pool = Pool::new(PoolOptions::default());
        timed(&pool, "a", &scripted)
    });
    row("the same, with 20 KB and 15 functions", times.collect());
    let pool = Pool::new(PoolOptions::default());
    play(pool.turn("a"), turn("{}", "", vec![passive("a", 0, "")]));
    println!("| processor time of a worker that starts: {} µs | | | |", cpu_us(&pool).1);
}

/// Five passive functions and ten calls of active ones.
fn functions() -> Vec<Function> {
    let mut functions: Vec<Function> = (0..5)
        .map(|number| {
            let executor = format!("_.update(snapshot, 'counters.c{number}', (n) => (n || 0) + 1);\nreturn snapshot;");
            passive(&format!("passive {number}"), number, &executor)
        })
        .collect();
    let pattern = r#"@\.GIVE\("([^"]+)",\s*(-?\d+)\);?"#;
    let kind = FunctionKind::Active { pattern: Some(pattern.into()) };
    let executor = "const [path, amount] = args;\n_.set(snapshot, path, _.get(snapshot, path, 0) + amount);";
    functions.push(Function {
        name: "GIVE".into(),
        kind,
        enabled: true,
        executor: executor.into(),
        ..Function::default()
    });
    functions
}

/// A state of about 20 KB, as role-play cards have them.
fn state() -> String {
    let people: Vec<String> = (0..80)
        .map(|number| {
            format!(
                r#""角色{number}":{{"名字":"人物{number}","等级":{number},"生命值":100,"金币":{},"状态":["健康","饱"],"位置":{{"区域":"城镇","x":{number},"y":2}},"备注":"一位住在城里的旅人,喜欢在酒馆里听故事。"}}"#,
                number * 7
            )
        })
        .collect();
    format!(r#"{{"counters":{{}},{}}}"#, people.join(","))
}

fn reply() -> String {
    let calls: Vec<String> = (0..10).map(|number| format!("@.GIVE(\"角色{number}.金币\", 5);")).collect();
    format!("{}\n{}", "她推开酒馆的门,风雪跟着涌了进来。".repeat(20), calls.join("\n"))
}

fn warm() {
    let pool = Pool::new(PoolOptions::default());
    let (state, reply) = (state(), reply());
    println!("| (the state has {} bytes) | | | |", state.len());
    // Without scripts the same commands are the engine's own.
    let native = reply.replace("GIVE", "ADD");
    let plain = turn(&state, &native, Vec::new());
    let scripted = turn(&state, &reply, functions());
    let checked = play(pool.turn("a"), scripted.clone());
    assert_eq!((checked.runs.len(), checked.problems.len(), checked.refused()), (15, 0, 0));
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..1000 {
        let started = Instant::now();
        play(pool.turn("a"), plain.clone());
        without.push(started.elapsed());
        let started = Instant::now();
        play(pool.turn("a"), scripted.clone());
        with.push(started.elapsed());
    }
    let more = median(&with).saturating_sub(median(&without));
    row("a turn without functions", without);
    row("the same with 5 passive functions and 10 calls", with);
    println!("| functions cost {:.2} ms more; at most 3 ms | | | |", more.as_secs_f64() * 1000.0);
    let single = turn(&state, "", vec![passive("a", 0, "snapshot.counters.a = 1")]);
    row("a turn with one function", (0..1000).map(|_| timed(&pool, "a", &single)).collect());
    // Processor time does not depend on what else the machine does.
    for (what, turn) in [("without functions", &plain), ("with 5 and 10", &scripted), ("with one", &single)] {
        let before = cpu_us(&pool);
        (0..1000).for_each(|_| drop(play(pool.turn("a"), turn.clone())));
        let (here, worker) = (cpu_us(&pool).0 - before.0, cpu_us(&pool).1 - before.1);
        println!(
            "| processor time of a turn {what}: here {here} µs, in the worker {worker} µs | | | |",
            here = here / 1000,
            worker = worker / 1000
        );
    }
}

fn many_at_once() {
    let pool = Arc::new(Pool::new(PoolOptions::default()));
    let scripted = turn(&state(), &reply(), functions());
    let threads: Vec<_> = (0..64)
        .map(|session| {
            let (pool, scripted) = (Arc::clone(&pool), scripted.clone());
            std::thread::spawn(move || {
                let account = format!("account {}", session % 8);
                (0..30).map(|_| timed(&pool, &account, &scripted)).collect::<Vec<_>>()
            })
        })
        .collect();
    let times: Vec<Duration> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    row("64 sessions at once, a turn of each behind the other", times);
}

fn stops() {
    let pool = Pool::new(PoolOptions::default());
    for (name, executor) in [
        ("an endless loop is stopped", "for (;;);"),
        ("a native search is killed", "'a'.repeat(5e6).indexOf('a'.repeat(2e6) + 'b')"),
        ("a list that doubles fails", "let a = [1]; for (;;) a = a.concat(a)"),
    ] {
        let hostile = turn("{}", "", vec![passive("a", 0, executor)]);
        row(name, (0..10).map(|_| timed(&pool, "a", &hostile)).collect());
    }
}

/// A turn of one account, alone and while another account's functions do not end.
fn bystander() {
    let pool = Pool::new(PoolOptions::default());
    let scripted = turn(&state(), &reply(), functions());
    let turns = |pool: &Pool| (0..200).map(|_| timed(pool, "bystander", &scripted)).collect::<Vec<_>>();
    drop(turns(&pool));
    let alone = turns(&pool);
    let endless = turn("{}", "", (0..12).map(|number| passive("endless", number, "for (;;);")).collect());
    let ended = AtomicBool::new(false);
    let meanwhile = std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    timed(&pool, "hostile", &endless);
                }
            });
        }
        // The first hostile turn is under way, and others wait.
        while pool.turns_waiting() < 2 {
            std::thread::yield_now();
        }
        let meanwhile = turns(&pool);
        ended.store(true, Ordering::Relaxed);
        meanwhile
    });
    let ratio = median(&meanwhile).as_secs_f64() / median(&alone).as_secs_f64();
    row("a bystander's turn, alone", alone);
    row("a bystander's turn while hostile scripts run", meanwhile);
    println!("| the ratio is {ratio:.2}; at most 2 | | | |");
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    times[times.len() / 2]
}

/// Processor time of this process and of the idle worker, in microseconds.
fn cpu_us(pool: &Pool) -> (u64, u64) {
    let of = |process: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/schedstat")).unwrap_or_default();
        stat.split(' ').next().and_then(|time| time.parse::<u64>().ok()).unwrap_or(0) / 1000
    };
    // A worker that was just given back may still be making itself ready.
    std::thread::sleep(Duration::from_millis(20));
    (of("self"), pool.idle_workers().first().map_or(0, |worker| of(&worker.to_string())))
}

fn timed(pool: &Pool, account: &str, turn: &Turn) -> Duration {
    let turn = turn.clone();
    let started = Instant::now();
    play(pool.turn(account), turn);
    started.elapsed()
}

fn row(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)].as_secs_f64() * 1000.0;
    println!("| {what} | {:.2} ms | {:.2} ms | {:.2} ms |", at(50), at(99), at(100));
}

fn play(mut scripts: ScriptTurn<'_>, turn: Turn) -> Outcome {
    let mut step = turn.start();
    loop {
        step = match step {
            Step::Done(outcome) => return *outcome,
            Step::Waiting(call, waiting) => {
                let answer = scripts.answer(&call, &waiting).unwrap();
                waiting.resume(answer)
            }
        };
    }
}

fn passive(name: &str, order: i64, executor: &str) -> Function {
    let kind = FunctionKind::PassiveAfter;
    Function { name: name.into(), kind, order, enabled: true, executor: executor.into(), ..Function::default() }
}

fn turn(document: &str, reply: &str, functions: Vec<Function>) -> Turn {
    let document = Value::parse(document).unwrap();
    Turn { document, reply: reply.to_owned(), functions: functions.into(), ..Turn::default() }
}
