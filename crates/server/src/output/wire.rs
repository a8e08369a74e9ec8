//! Types of the API for callers without HTTP, such as the command line.

use super::{convert, history};
use crate::error::ApiError;
use tavernkeep_api::error::ErrorContent;
use tavernkeep_api::history::{Comparison, Log};
use tavernkeep_api::session::{Branch, Session};
use tavernkeep_api::story::{ProcessReport, State};
use tavernkeep_runtime as runtime;

/// A session.
pub fn session(session: runtime::record::Session) -> Result<Session, ErrorContent> {
    convert::session(session).map_err(ApiError::into_content)
}

/// A branch.
pub fn branch(branch: runtime::record::Branch) -> Branch {
    convert::branch(branch)
}

/// A part of a log, and whether others follow.
pub fn log(lines: Vec<runtime::Line>, has_more: bool) -> Result<Log, ErrorContent> {
    history::log(lines, has_more).map_err(ApiError::into_content)
}

/// A state.
pub fn state(state: runtime::State) -> Result<State, ErrorContent> {
    convert::state(state).map_err(ApiError::into_content)
}

/// How two states differ.
pub fn comparison(comparison: &runtime::Comparison) -> Result<Comparison, ErrorContent> {
    history::comparison(comparison).map_err(ApiError::into_content)
}

/// A report of processing.
pub fn report(report: runtime::ProcessReport, dry_run: bool) -> ProcessReport {
    convert::process_report(report, dry_run)
}
