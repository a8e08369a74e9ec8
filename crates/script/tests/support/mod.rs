//! Turns through a real pool of workers.

use std::path::PathBuf;
use std::sync::Arc;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::function::{Function, FunctionKind};
use tavernkeep_engine::turn::{Outcome, Step, Turn};
use tavernkeep_script::{Limits, Pool, PoolOptions, ScriptTurn};

/// A pool of so many workers.
pub fn pool(workers: usize, limits: Limits) -> Pool {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_tavernkeep-script-worker"));
    Pool::new(PoolOptions { binary, workers, limits, ..PoolOptions::default() })
}

/// Computes a turn.
pub fn play(mut scripts: ScriptTurn<'_>, turn: Turn) -> Outcome {
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

pub fn active(name: &str, pattern: &str, executor: &str) -> Function {
    let kind = FunctionKind::Active { pattern: Some(pattern.into()) };
    Function { name: name.into(), kind, enabled: true, executor: executor.into(), ..Function::default() }
}

pub fn passive(name: &str, executor: &str) -> Function {
    let kind = FunctionKind::PassiveAfter;
    Function { name: name.into(), kind, enabled: true, executor: executor.into(), ..Function::default() }
}

pub fn turn(document: &str, reply: &str, functions: Vec<Function>) -> Turn {
    let functions: Arc<[Function]> = functions.into();
    Turn { document: Value::parse(document).unwrap(), reply: reply.to_owned(), functions, ..Turn::default() }
}
