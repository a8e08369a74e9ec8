//! Scripts of turns in worker processes, or in this one.

use crate::turn::{ScriptCounters, Scripts, TurnScripts};
use crate::{RuntimeError, RuntimeResult};
use tavernkeep_engine::turn::{Answer, Call, Waiting};
use tavernkeep_script::ScriptTurn;
pub use tavernkeep_script::{HAS_LODASH, InProcess, Limits, Pool, PoolOptions, worker_main};

impl Scripts for Pool {
    fn turn<'a>(&'a self, account: &'a str) -> Box<dyn TurnScripts + 'a> {
        Box::new(Pool::turn(self, account))
    }

    fn warm_up(&self) {
        Pool::warm_up(self);
    }

    fn counters(&self) -> ScriptCounters {
        ScriptCounters {
            workers_lost: self.workers_lost(),
            workers: self.workers().len() as u64,
            turns_waiting: self.turns_waiting() as u64,
        }
    }
}

/// For scripts that are trusted: see what [`InProcess`] does not promise.
impl Scripts for InProcess {
    fn turn<'a>(&'a self, _: &'a str) -> Box<dyn TurnScripts + 'a> {
        Box::new(InProcess::turn(self))
    }
}

impl TurnScripts for ScriptTurn<'_> {
    fn answer(&mut self, call: &Call, waiting: &Waiting) -> RuntimeResult<Answer> {
        ScriptTurn::answer(self, call, waiting).map_err(|error| RuntimeError::ScriptsUnavailable(error.to_string()))
    }

    fn compile(&mut self, executors: &[String]) -> RuntimeResult<Vec<Option<String>>> {
        ScriptTurn::compile(self, executors).map_err(|error| RuntimeError::ScriptsUnavailable(error.to_string()))
    }
}
