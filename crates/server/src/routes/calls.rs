//! Calls of tools, and the journal that they are.

use super::prelude::*;
use crate::output::tools::{call, call_record};
use serde_json::Value;
use tavernkeep_api::tool as api;
use tavernkeep_runtime::tools::{CallFilter, CallRequest, CallStatus, ClientResult};

/// Call a tool
///
/// References in the arguments are resolved, a person is asked where the tool's permission says so, the tool runs, and its result is
/// formatted, cut, kept on the scratchpad and perhaps shown to a person first. The response comes when the call has ended, when
/// it waits for a person or an application, or after some seconds with the status `running`.
#[utoipa::path(post, path = "/sessions/{id}/calls", tag = "tools", operation_id = "create_call", params(IdPath),
    request_body = api::NewCall,
    responses((status = 201, description = "The call.", body = Data<api::Call>)))]
pub async fn create(Writer(runtime, caller): Writer, PathId(id): PathId, Body(body): Body<api::NewCall>) -> ApiResult {
    let request = CallRequest {
        tool: body.tool,
        args: arguments(body.args)?.unwrap_or_else(|| Value::Object(serde_json::Map::new())),
        page: shape::parsed_if(body.page_id)?,
        branch: body.branch_id,
        skip_execution_approval: body.skip_execution_approval.unwrap_or(false),
        skip_result_approval: body.skip_result_approval.unwrap_or(false),
        allow_disabled: false,
    };
    let details = runtime.call_tool(caller.account(), &id, request).await?;
    reply::created(call(&details)?)
}

/// List the calls of a session
///
/// The newest first, without arguments and results.
#[utoipa::path(get, path = "/sessions/{id}/calls", tag = "tools", operation_id = "list_calls",
    params(IdPath, api::CallFilter, WindowParams, api::CallOrder),
    responses((status = 200, description = "The list.", body = List<api::Call>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, PathId(id): PathId, mut query: Query) -> ApiResult {
    let filter = CallFilter {
        status: query.choice::<Status>("status", CallStatus::WORDS).map(|Status(status)| status),
        tool: query.text("tool", 1, 128),
        page: query.id("page_id"),
    };
    let (column, window) = query.list(&["created_at"], false)?;
    let listed = app.runtime.calls(caller.account(), &id, filter, window).await?;
    reply::list(listed, &window, column, |record| call_record(&record))
}

struct Status(CallStatus);

impl std::str::FromStr for Status {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        text.parse().map(Status)
    }
}

/// Read a call
#[utoipa::path(get, path = "/calls/{id}", tag = "tools", operation_id = "get_call", params(IdPath),
    responses((status = 200, description = "The call.", body = Data<api::Call>)))]
pub async fn get(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    let details = app.runtime.call(caller.account(), &id).await?;
    reply::ok(call(&details)?)
}

/// Return the result of a client's call
///
/// For a call that is `awaiting_client`. The result takes the same way as that of any tool.
#[utoipa::path(post, path = "/calls/{id}/result", tag = "tools", operation_id = "return_call", params(IdPath),
    request_body = api::CallResult,
    responses((status = 200, description = "The call.", body = Data<api::Call>)))]
pub async fn result(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    Body(body): Body<api::CallResult>,
) -> ApiResult {
    let data = body.data.map(|data| tree(data.text(), "the result is")).transpose()?;
    let returned = match body.status {
        api::ResultStatus::Success => Ok(data),
        api::ResultStatus::Error => Err(body.error),
    };
    let details = runtime.client_result(caller.account(), &id, ClientResult { returned }).await?;
    reply::ok(call(&details)?)
}

/// Cancel a call
///
/// A pending approval is rejected; a tool that runs is stopped as far as it can be.
#[utoipa::path(post, path = "/calls/{id}/cancel", tag = "tools", operation_id = "cancel_call", params(IdPath),
    responses((status = 200, description = "The call.", body = Data<api::Call>)))]
pub async fn cancel(Writer(runtime, caller): Writer, PathId(id): PathId) -> ApiResult {
    let details = runtime.cancel_call(caller.account(), &id).await?;
    reply::ok(call(&details)?)
}

/// JSON of a body as a tree. Bodies may nest one level deeper than a tree can.
pub(super) fn tree(text: &str, what: &str) -> Result<Value, ApiError> {
    serde_json::from_str(text).map_err(|_| too_deep(what))
}

/// The error about JSON that nests deeper than a tree can.
pub(super) fn too_deep(what: &str) -> ApiError {
    ApiError::new(ErrorCode::MalformedJson, format!("{what} nested too deep; flatten what is sent"))
}

/// Arguments of a body as a tree.
pub(super) fn arguments(args: Option<tavernkeep_api::JsonObject>) -> Result<Option<Value>, ApiError> {
    let args = args.map(|args| tree(args.text(), "the arguments are")).transpose()?;
    Ok(args.filter(|args| !args.is_null()))
}
