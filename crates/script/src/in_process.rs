//! Scripts in the process that asks for them, for programs that trust their scripts.

use crate::limits::{IDLE_MACHINES_MAX, Limits};
use crate::pool::Unavailable;
use crate::turn::{Runner, ScriptTurn};
use crate::vm::Machine;
use std::sync::{Mutex, PoisonError};

/// Runs scripts without worker processes.
///
/// The sandbox is the same, and so are its memory limit and its fresh start with every turn. But nothing here can be killed:
///
/// - The machine stops a script only where it looks whether it should. Some calls never look: searching a long text,
///   reversing a huge list, printing a huge integer, some regular expressions. Such a script blocks the calling thread for
///   seconds or for ever.
/// - A fault of the machine that a script finds is a fault of your process, with everything that your process may do.
/// - Scripts run with the priority and the time zone of your process.
///
/// Use it for scripts that you wrote, for tests, and where processes cannot be started. Everybody else's scripts belong into
/// a [`crate::Pool`].
#[derive(Default)]
pub struct InProcess {
    limits: Limits,
    idle: Mutex<Vec<Machine>>,
}

impl InProcess {
    /// Runs scripts within these limits.
    pub fn new(limits: Limits) -> InProcess {
        InProcess { limits, idle: Mutex::default() }
    }

    /// What runs the scripts of one turn.
    pub fn turn(&self) -> ScriptTurn<'_> {
        ScriptTurn::new(Runner::InProcess { machines: self, turn: None }, self.limits)
    }

    pub(crate) fn take(&self) -> Result<Machine, Unavailable> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| Machine::new(self.limits).map_err(Unavailable::NotStarted), Ok)
    }

    pub(crate) fn give_back(&self, machine: Machine) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_MACHINES_MAX {
            idle.push(machine);
        }
    }
}
