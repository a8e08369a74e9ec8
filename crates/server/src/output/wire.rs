//! Types of the API for callers without HTTP, such as the command line.

use super::{convert, functions, history, prompt};
use crate::error::ApiError;
use crate::input::shape;
use tavernkeep_api::error::ErrorContent;
use tavernkeep_api::function::{FileVersion, Function, FunctionFile, TestedFunctions};
use tavernkeep_api::history::{Comparison, Log};
use tavernkeep_api::import::ImportReport;
use tavernkeep_api::prompt::{PromptKit, RenderedPrompt};
use tavernkeep_api::session::{Branch, Session};
use tavernkeep_api::story::{ProcessReport, State};
use tavernkeep_api::tool::{Call, ToolGroup};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::library::LibraryFunction;
use tavernkeep_engine::limits::{BODY_ENVELOPE_DEPTH, JSON_DEPTH_MAX};
use tavernkeep_runtime as runtime;
use utoipa::ToSchema;

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

/// A prompt; `roles` are those of its messages.
pub fn prompt(rendered: runtime::RenderedPrompt, roles: Option<Vec<String>>) -> Result<RenderedPrompt, ErrorContent> {
    prompt::rendered(rendered, roles).map_err(ApiError::into_content)
}

/// A prompt kit.
pub fn prompt_kit(session: &Id, kit: runtime::PromptKit) -> PromptKit {
    prompt::kit(session, kit)
}

/// A report of processing.
pub fn report(report: runtime::ProcessReport, dry_run: bool) -> ProcessReport {
    convert::process_report(report, dry_run)
}

/// What came of an import.
pub fn import_report(report: runtime::ImportReport, dry_run: bool) -> ImportReport {
    super::imports::report(report, dry_run)
}

/// A function of a file that was imported.
pub fn imported_function(imported: runtime::ImportedFunction) -> Function {
    functions::imported(imported)
}

/// Reads a function to create as `POST /functions` does.
pub fn new_function(bytes: &[u8]) -> Result<runtime::FunctionOrder, ErrorContent> {
    body(bytes).and_then(functions::new_function).map_err(ApiError::into_content)
}

/// Reads a change of a function as `PATCH /functions/{id}` does.
pub fn function_patch(bytes: &[u8]) -> Result<runtime::order::FunctionPatch, ErrorContent> {
    body(bytes).map(functions::patch).map_err(ApiError::into_content)
}

/// A function of the library.
pub fn function(entry: runtime::record::LibraryEntry) -> Function {
    functions::function(entry)
}

/// Functions as a file.
pub fn written_functions(entries: Vec<runtime::record::LibraryEntry>) -> FunctionFile {
    FunctionFile { version: FileVersion::One, functions: entries.into_iter().map(functions::entry).collect() }
}

/// Reads a file of functions as `POST /functions/import` does.
pub fn function_file(bytes: &[u8]) -> Result<Vec<LibraryFunction>, ErrorContent> {
    let json = JsonText::parse_with_depth(bytes, JSON_DEPTH_MAX + BODY_ENVELOPE_DEPTH).map_err(ApiError::from);
    let file = json.and_then(|json| functions::read_file(&json));
    Ok(file.map_err(ApiError::into_content)?.into_iter().map(|read| read.function).collect())
}

/// Reads functions to try out as `POST /functions/test` does.
pub fn trial(bytes: &[u8]) -> Result<runtime::TrialOrder, ErrorContent> {
    body(bytes).and_then(functions::trial).map_err(ApiError::into_content)
}

/// What came of functions that were tried out.
pub fn tried(trial: runtime::Trial) -> Result<TestedFunctions, ErrorContent> {
    functions::tried(trial).map_err(ApiError::into_content)
}

fn body<T: ToSchema + serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    shape::read(&JsonText::parse_with_depth(bytes, JSON_DEPTH_MAX + BODY_ENVELOPE_DEPTH)?)
}

/// A call of a tool.
pub fn call(details: &runtime::tools::CallDetails) -> Result<Call, ErrorContent> {
    super::tools::call(details).map_err(ApiError::into_content)
}

/// A group of tools.
pub fn tool_group(state: &runtime::tools::GroupState) -> Result<ToolGroup, ErrorContent> {
    super::tools::group(state).map_err(ApiError::into_content)
}
