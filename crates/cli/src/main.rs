//! The `tavernkeep` program. Only this crate prints: data on stdout, messages on stderr.

mod account;
mod apply;
mod args;
mod changes;
mod check;
mod config;
mod export;
mod functions;
mod import;
mod library;
mod logging;
mod output;
mod paint;
mod prompt;
mod serve;
mod source;
mod story;
mod tavern_folder;
mod tools;

/// Requests make many small objects that live for a moment, and SQLite does too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use args::{Arguments, Command};
use clap::{CommandFactory as _, Parser as _};
use config::Config;
use output::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A process that was started to run scripts does nothing else.
    #[cfg(feature = "script")]
    tavernkeep_script::worker_main();
    let arguments = Arguments::parse();
    match run(arguments) {
        Ok(code) => code,
        Err(failure) => {
            output::complain(&failure);
            ExitCode::from(failure.code)
        }
    }
}

fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    match &arguments.command {
        Command::Completions { shell } => {
            let mut out = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "tavernkeep", &mut out);
            output::print_bytes(&out)?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Openapi => {
            output::print_bytes(tavernkeep_server::readable(&tavernkeep_server::openapi()).as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Apply(arguments) => return apply::run(arguments),
        _ => {}
    }
    let config = Config::load(&arguments.common, &std::env::vars().collect())?;
    if let Command::Config { json } = arguments.command {
        config.print(json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let log = logging::start(&config)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::defect)?;
    runtime.block_on(async {
        survive_file_limits()?;
        match arguments.command {
            Command::Serve(order) => serve::run(&config, &order, &log).await,
            Command::Account(order) => account::run(&config, order).await,
            Command::Backup { output } => check::backup(&config, &output).await,
            Command::Functions(command) => functions::run(&config, command).await,
            Command::Story(command) => story::run(&config, command).await,
            Command::Import(arguments) => import::run(&config, arguments).await,
            Command::Export(command) => export::run(&config, command).await,
            Command::Tools(order) => tools::list(&config, order).await,
            Command::Call(order) => tools::call(&config, order).await,
            Command::Check { file, json } => check::run(&config, file.as_deref(), json).await,
            Command::Stamp { file } => check::stamp(&config, file.as_deref()),
            // Answered above, before the configuration was read.
            Command::Completions { .. } | Command::Openapi | Command::Apply(_) | Command::Config { .. } => {
                Ok(ExitCode::SUCCESS)
            }
        }
    })
}

/// A file that may not grow further (`RLIMIT_FSIZE`) makes a write fail, and does not end the process: a signal that is caught does
/// nothing else. Programs that this one starts have their own say again.
fn survive_file_limits() -> Result<(), Failure> {
    const SIGXFSZ: i32 = 25;
    // It stays caught when this is dropped.
    drop(tokio::signal::unix::signal(tokio::signal::unix::SignalKind::from_raw(SIGXFSZ))?);
    Ok(())
}
