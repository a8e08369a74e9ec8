//! The JavaScript sandbox: authors' functions and patterns, in processes that can be killed.
//!
//! A [`Pool`] keeps a few worker processes. Each holds one machine, which is put back to what it was before its first script
//! after every turn. A turn asks for scripts by calls of the engine, and [`ScriptTurn::answer`] answers them.
//!
//! A program that serves as its own worker calls [`worker_main`] first in `main`; any other names a worker's binary in
//! [`PoolOptions`], such as `tavernkeep-script-worker`, which is built with this crate. [`InProcess`] runs scripts without
//! workers and says what it does not promise.
//!
//! A program that keeps its stories with `tavernkeep-runtime` gets scripts like this; without it functions are refused:
//!
//! ```no_run
//! # mod tavernkeep_runtime { pub mod scripts { pub use tavernkeep_script::{Pool, PoolOptions, worker_main}; } }
//! use tavernkeep_runtime::scripts::{Pool, PoolOptions, worker_main};
//!
//! // First of all: the same program is started again as a worker, and then this does not return.
//! worker_main();
//! let pool = Pool::new(PoolOptions::default());
//! // `Options { scripts: Arc::new(pool), ..Options::new(database) }` opens a runtime whose turns run functions.
//! # drop(pool);
//! ```
//!
//! A [`Supervisor`] runs programs of the operator's within limits, and leaves none of their processes behind.
//!
//! Only this crate knows the virtual machine.
// The machine is a C library.
#![allow(unsafe_code)]

mod budget;
mod in_process;
mod limits;
mod pool;
mod process;
mod schedule;
mod supervisor;
mod turn;
mod vm;
mod work;
mod worker;

pub use in_process::InProcess;
pub use limits::Limits;
pub use pool::{Pool, PoolOptions, Unavailable};
pub use supervisor::{ProgramEnd, ProgramLimits, Supervisor, framed};
pub use turn::ScriptTurn;
pub use vm::HAS_LODASH;
pub use worker::worker_main;
