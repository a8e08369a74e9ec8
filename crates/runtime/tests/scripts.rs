//! Scripts of a program that uses the library: in workers of its own binary, and in its own process. The program is its own
//! worker, so this test has a `main` of its own, which begins as such a program begins.
#![allow(clippy::print_stdout, clippy::unwrap_used)] // A test fails by panicking.

use std::sync::Arc;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::library::{FunctionType, LibraryFunction, Timing};
use tavernkeep_runtime::scripts::{InProcess, Pool, PoolOptions, worker_main};
use tavernkeep_runtime::turn::Scripts;
use tavernkeep_runtime::{Runtime, TrialOrder, try_functions};

fn main() {
    worker_main();
    let pool = Arc::new(Pool::new(PoolOptions::default()));
    functions_run_with(Arc::clone(&pool) as Arc<dyn Scripts>);
    assert!(!pool.workers().is_empty() && pool.workers_lost() == 0, "they ran in a worker");
    assert_eq!(pool.counters().workers_lost, 0);
    functions_run_with(Arc::new(InProcess::default()));
    println!("scripts run in workers of this program, and in it");
}

fn functions_run_with(scripts: Arc<dyn Scripts>) {
    let active = LibraryFunction::of_code(None, "snapshot.hp += args[0]; console.log('healed');".to_owned());
    let active = LibraryFunction { name: "HEAL".to_owned(), ..active };
    let passive = LibraryFunction::of_code(None, "snapshot.turns = (snapshot.turns ?? 0) + 1;".to_owned());
    let passive = LibraryFunction {
        name: "tick".to_owned(),
        kind: FunctionType::Passive,
        timing: Some(Timing::AfterActive),
        ..passive
    };
    let order = TrialOrder {
        functions: vec![active, passive],
        text: "@.HEAL(5);".to_owned(),
        state: [("hp", Value::from(1))].into_iter().collect(),
        ..TrialOrder::default()
    };
    let tried = try_functions(scripts, &Runtime::default_account(), order);
    let tried = tried.unwrap();
    assert_eq!(tried.state.to_json(), r#"{"hp":6,"turns":1}"#);
    assert_eq!(tried.calls[0].log, ["healed"]);
    assert!(tried.problems.is_empty(), "{:?}", tried.problems);
}
