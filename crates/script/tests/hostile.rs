//! The scripts and patterns of `cases/script`: each is stopped in time, costs at most one problem and leaves the state as it
//! was, and the function behind it runs as if nothing had been.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod support;

use std::fmt::Write as _;
use std::path::PathBuf;
use support::{active, passive, play, pool, turn};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::turn::Outcome;
use tavernkeep_script::{HAS_LODASH, Limits, Pool};

/// Some parts are large enough to be built only when a script looks at them.
const STATE: &str = r#"{"hp":1,"_secret":7,"id":9007199254740993,"list":[1,2,3],"npc":{"name":"雪","notes":["她住在山下的小屋里。","她喜欢在酒馆里听旅人讲故事。","她害怕打雷。","她的剑叫做霜。"]},"locked":{"_key":1,"note":"这把锁是祖母留下来的,没有人知道钥匙在哪里,也没有人知道里面是什么,只有风从缝隙里吹过的声音。"}}"#;
const ADDED: &str = r#","ok":1}"#;

/// Shorter and smaller than in life, so that hundreds of cases take seconds.
const LIMITS: Limits = Limits { function_us: 50_000, turn_us: 1_000_000, memory_bytes: 32 << 20, stack_bytes: 1 << 20 };

/// Megabytes that a worker may have beside the memory of its scripts.
const BESIDE_MB: u64 = 16;

struct Case {
    title: String,
    fails: bool,
    code: String,
    /// What the reply is made of, for a pattern.
    reply: Option<String>,
}

fn cases(file: &str) -> Vec<Case> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases/script").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut cases = Vec::new();
    for part in text.split("\n## ").skip(1) {
        let (title, rest) = part.split_once("\n\n```").unwrap_or_else(|| panic!("{file}: no code in {part:?}"));
        let (info, rest) = rest.split_once('\n').unwrap();
        let (code, _) = rest.rsplit_once("\n```").unwrap_or_else(|| panic!("{file}: {title} has no end"));
        let reply = info.split_once("reply=").map(|(_, reply)| reply.to_owned());
        let mut words = info.split(' ');
        let kind = words.next().unwrap();
        assert_eq!(kind, if reply.is_some() { "pattern" } else { "js" }, "{file}: {title}");
        let fails = match words.next() {
            Some("fails") => true,
            Some("contained") => false,
            other => panic!("{file}: {title}: {other:?}"),
        };
        cases.push(Case { title: title.to_owned(), fails, code: code.to_owned(), reply });
    }
    cases
}

/// `a*40+b` is forty times `a`, then `b`.
fn text(recipe: &str) -> String {
    let part = |part: &str| match part.rsplit_once('*') {
        Some((text, count)) => text.repeat(count.parse().unwrap()),
        None => part.to_owned(),
    };
    recipe.split('+').map(part).collect()
}

fn run(pool: &Pool, case: &Case) -> Outcome {
    let good = "snapshot.ok = 1";
    match &case.reply {
        None => {
            let functions = vec![passive("hostile", &case.code), passive("ok", good)];
            play(pool.turn("hostile"), turn(STATE, "", functions))
        }
        Some(recipe) => {
            let hostile = active("hostile", &case.code, "snapshot.escaped = 1");
            let reply = format!("{} @go", text(recipe));
            play(pool.turn("hostile"), turn(STATE, &reply, vec![hostile, active("ok", "@go", good)]))
        }
    }
}

/// The most memory that a process had, in megabytes.
fn peak_mb(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}

/// The most memory that this process had, or any of its children that has ended, in megabytes.
#[allow(unsafe_code)]
fn peak_of(who: libc::c_int) -> u64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: writes to our own variable, of which zeroes are a value too.
    let usage = unsafe {
        libc::getrusage(who, usage.as_mut_ptr());
        usage.assume_init()
    };
    usage.ru_maxrss.unsigned_abs() / 1024
}

fn check(file: &str) {
    if !HAS_LODASH {
        eprintln!("skipped: lodash is not part of this build; `make setup` installs it");
        return;
    }
    let pool = pool(1, LIMITS);
    play(pool.turn("first"), turn("{}", "", vec![passive("first", "snapshot.a = 1")]));
    let base_mb = pool.idle_workers().first().and_then(|process| peak_mb(*process)).unwrap_or(0);
    let mut wrong = String::new();
    for case in &cases(file) {
        let outcome = run(&pool, case);
        let document = outcome.document.to_json();
        let expected = Value::parse(&format!("{}{ADDED}", STATE.trim_end_matches('}').to_owned() + "}")).unwrap();
        let problems: Vec<String> = outcome.problems.iter().map(ToString::to_string).collect();
        let mut expect = |holds: bool, what: &str| {
            if !holds {
                let _ = writeln!(wrong, "- {}: {what}\n  {document}\n  {problems:?}", case.title);
            }
        };
        expect(outcome.document.same_in_order(&expected), "the state is not as before it");
        expect(problems.len() == usize::from(case.fails), "not as many problems as expected");
        expect(problems.iter().all(|problem| problem.len() < 1000), "the message is long");
        // Time of the processor, so it does not matter what else the machine does.
        let longest_us = outcome.runs.iter().map(|run| run.duration_us).max().unwrap_or(0);
        expect(longest_us <= 2 * LIMITS.function_us, &format!("it ran for {longest_us} µs"));
        let most_mb = base_mb + (LIMITS.memory_bytes as u64 >> 20) + BESIDE_MB;
        // Of workers that were killed the kernel knows it. It counts what this process had when it started them, too.
        let (own_mb, killed_mb) = (peak_of(libc::RUSAGE_SELF), peak_of(libc::RUSAGE_CHILDREN));
        expect(killed_mb <= most_mb.max(own_mb), &format!("a killed worker had {killed_mb} MB"));
        for process in pool.idle_workers() {
            let peak_mb = peak_mb(process).unwrap_or(0);
            expect(peak_mb <= most_mb, &format!("the worker has {peak_mb} MB"));
        }
    }
    assert!(wrong.is_empty(), "{file}:\n{wrong}");
}

#[test]
fn loops() {
    check("loops.md");
}

#[test]
fn native() {
    check("native.md");
}

#[test]
fn memory() {
    check("memory.md");
}

#[test]
fn values() {
    check("values.md");
}

#[test]
fn reach() {
    check("reach.md");
}

#[test]
fn rules() {
    check("rules.md");
}

#[test]
fn patterns() {
    check("patterns.md");
}

#[test]
fn there_are_enough_of_them() {
    let files = ["loops.md", "native.md", "memory.md", "values.md", "reach.md", "rules.md", "patterns.md"];
    assert!(files.iter().map(|file| cases(file).len()).sum::<usize>() >= 150);
}
