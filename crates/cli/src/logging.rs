//! The log: structured lines on stderr.

use crate::config::Config;
use crate::output::Failure;
use std::io::IsTerminal as _;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::fmt;

/// Starts the log. Whatever was logged before is lost, so this comes first.
pub fn start(config: &Config) -> Result<(), Failure> {
    let level = config.get("log_level");
    let filter = EnvFilter::try_new(level)
        .map_err(|error| Failure::usage(format!("log_level = {level:?} is not a filter: {error}")))?;
    let terminal = std::io::stderr().is_terminal();
    let builder = fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    match config.get("log_format") {
        "json" => builder.json().flatten_event(true).init(),
        "auto" if !terminal => builder.json().flatten_event(true).init(),
        "auto" | "text" => builder.with_ansi(terminal && std::env::var_os("NO_COLOR").is_none()).init(),
        other => return Err(Failure::usage(format!("log_format = {other:?} is not one of auto, text, json"))),
    }
    Ok(())
}
