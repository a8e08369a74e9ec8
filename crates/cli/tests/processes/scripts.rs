//! The program is its own worker: what it gives up leaves it able to run scripts.
#![cfg(feature = "script")]

use std::path::PathBuf;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::function::{Function, FunctionKind};
use tavernkeep_engine::turn::{Step, Turn};
use tavernkeep_script::{Pool, PoolOptions};

#[test]
fn the_program_runs_scripts_in_processes_of_its_own() {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_tavernkeep"));
    let pool = Pool::new(PoolOptions { binary, ..PoolOptions::default() });
    // A large document, so that the worker asks the kernel for memory after it was confined.
    let items: Vec<String> = (0..100_000).map(|number| format!("\"item {number}\"")).collect();
    let document = format!(r#"{{"n":1,"items":[{}]}}"#, items.join(","));
    for executor in ["snapshot.n = snapshot.items.length", "for (;;);", "snapshot.n += 1"] {
        let function = Function {
            name: "tick".into(),
            kind: FunctionKind::PassiveAfter,
            enabled: true,
            executor: executor.into(),
            ..Function::default()
        };
        let mut scripts = pool.turn("one");
        let document = Value::parse(&document).unwrap();
        let turn = Turn { document, functions: vec![function].into(), ..Turn::default() };
        let mut step = turn.start();
        let outcome = loop {
            step = match step {
                Step::Done(outcome) => break outcome,
                Step::Waiting(call, waiting) => {
                    let answer = scripts.answer(&call, &waiting).unwrap();
                    waiting.resume(answer)
                }
            };
        };
        let n = outcome.document.get("n").unwrap().to_json();
        match executor {
            "for (;;);" => assert_eq!((n.as_str(), outcome.problems.len()), ("1", 1)),
            "snapshot.n += 1" => assert_eq!((n.as_str(), outcome.problems.len()), ("2", 0)),
            _ => assert_eq!((n.as_str(), outcome.problems.len()), ("100000", 0)),
        }
    }
    assert_eq!(pool.workers_lost(), 0);
    let workers = pool.idle_workers();
    assert!(!workers.is_empty());
    for worker in workers {
        let limits = std::fs::read_to_string(format!("/proc/{worker}/limits")).unwrap();
        let limit = |name: &str| {
            let line = limits.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(words[0], words[1], "{name}: it cannot be taken back");
            words[0].parse::<u64>().ok()
        };
        for name in ["Max core file size", "Max file size", "Max open files", "Max processes"] {
            assert_eq!(limit(name), Some(0), "{name}");
        }
        let memory = limit("Max address space").expect("memory is limited");
        let status = std::fs::read_to_string(format!("/proc/{worker}/status")).unwrap();
        let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap_or_default();
        let size_kb: u64 = size.split_whitespace().next().and_then(|size| size.parse().ok()).unwrap_or_default();
        assert!(memory < size_kb * 1024 + (512 << 20), "{memory} bytes, of which it has {size_kb} KB");
        assert_eq!(limit("Max cpu time"), Some(1_200));
        let status = std::fs::read_to_string(format!("/proc/{worker}/status")).unwrap();
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        assert_eq!((field("NoNewPrivs:"), field("Seccomp:")), (Some("1"), Some("2")));
    }
}
