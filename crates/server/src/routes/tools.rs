//! Groups of tools: which there are, which are enabled, and what they may do without asking.

use super::calls::{too_deep, tree};
use super::prelude::*;
use crate::input::path::PathName;
use crate::output::tools::{group, tool};
use tavernkeep_api::envelope::Text;
use tavernkeep_api::tool as api;
use tavernkeep_runtime::tools::{Defaults, GroupDeclaration, Permission};

/// List the tool groups of a session
#[utoipa::path(get, path = "/sessions/{id}/tools/groups", tag = "tools", operation_id = "list_tool_groups",
    params(IdPath), responses((status = 200, description = "The groups.", body = All<api::ToolGroup>)))]
pub async fn groups(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    let groups = app.runtime.tool_groups(caller.account(), &id).await?;
    reply::ok(groups.iter().map(group).collect::<Result<Vec<_>, _>>()?)
}

/// Register a tool group
///
/// The application runs its tools: a call of one becomes `awaiting_client` with resolved and approved arguments, and
/// `POST /calls/{id}/result` returns what came of it. A group that is registered again is replaced and disabled.
#[utoipa::path(post, path = "/sessions/{id}/tools/groups", tag = "tools", operation_id = "register_tool_group",
    params(IdPath), request_body = api::NewToolGroup,
    responses((status = 201, description = "The group.", body = Data<api::ToolGroup>)))]
pub async fn register(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    Body(body): Body<api::NewToolGroup>,
) -> ApiResult {
    let source = serde_json::to_value(&body).map_err(|_| too_deep("the group is"))?;
    let declared = GroupDeclaration::read(&source).map_err(|error| ApiError::invalid("/tools", "custom", error))?;
    let state = runtime.register_client_group(caller.account(), &id, declared, &source).await?;
    reply::created(group(&state)?)
}

/// Enable or disable a tool group
#[utoipa::path(patch, path = "/sessions/{id}/tools/groups/{name}", tag = "tools", operation_id = "update_tool_group",
    params(api::NamePath), request_body = api::ToolGroupPatch,
    responses((status = 200, description = "The group.", body = Data<api::ToolGroup>)))]
pub async fn set_group(
    Writer(runtime, caller): Writer,
    PathName(id, name): PathName,
    Body(body): Body<api::ToolGroupPatch>,
) -> ApiResult {
    let state = runtime.set_group_enabled(caller.account(), &id, &name, body.enabled).await?;
    reply::ok(group(&state)?)
}

/// Change a tool
///
/// Enables or disables it, or overrides what it says about asking. A field of the permission that is left out keeps what an earlier
/// request said; `deny` is replaced as a whole.
#[utoipa::path(patch, path = "/sessions/{id}/tools/{name}", tag = "tools", operation_id = "update_tool",
    params(api::NamePath), request_body = api::ToolPatch,
    responses((status = 200, description = "The tool.", body = Data<api::GroupTool>)))]
pub async fn set_tool(
    Writer(runtime, caller): Writer,
    PathName(id, name): PathName,
    Body(body): Body<api::ToolPatch>,
) -> ApiResult {
    let permission = body.permission.map(|permission| read_permission(&permission)).transpose()?;
    runtime.set_tool(caller.account(), &id, &name, body.enabled, permission).await?;
    let groups = runtime.tool_groups(caller.account(), &id).await?;
    let state = groups.iter().flat_map(|group| &group.tools).find(|tool| tool.declaration.name == name);
    reply::ok(tool(state.ok_or_else(|| ApiError::internal("a tool that was changed is not there"))?)?)
}

/// List the definitions of the enabled tools
///
/// For the `tools` field of a model API, in the order of registration. `ReadVar` and `ListVars` are among them as soon as any
/// tool is enabled.
#[utoipa::path(get, path = "/sessions/{id}/tools/definitions", tag = "tools", operation_id = "list_tool_definitions",
    params(IdPath), responses((status = 200, description = "The definitions.", body = All<api::ToolDefinition>)))]
pub async fn definitions(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    reply::ok(app.runtime.tool_definitions(caller.account(), &id).await?)
}

/// Read the rules about tools
///
/// Text for the system prompt: how calls, logs, variables and rules work, then each enabled group. Empty while no group is enabled.
#[utoipa::path(get, path = "/sessions/{id}/tools/rules", tag = "tools", operation_id = "get_tool_rules",
    params(IdPath), responses((status = 200, description = "The text.", body = Text)))]
pub async fn rules(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    reply::ok(app.runtime.tool_rules(caller.account(), &id).await?)
}

/// Read the defaults of tools
#[utoipa::path(get, path = "/tools/defaults", tag = "tools", operation_id = "get_tool_defaults",
    responses((status = 200, description = "The defaults.", body = Data<api::ToolDefaults>)))]
pub async fn defaults(State(app): State<App>, caller: Authenticated) -> ApiResult {
    let defaults = app.runtime.tool_defaults(caller.account()).await?;
    let shown: api::ToolDefaults = serde_json::from_value(defaults.to_json()).map_err(ApiError::internal)?;
    reply::ok(shown)
}

/// Replace the defaults of tools
///
/// A session takes them over when it first uses its tools.
#[utoipa::path(put, path = "/tools/defaults", tag = "tools", operation_id = "put_tool_defaults",
    request_body = api::ToolDefaults,
    responses((status = 200, description = "The defaults.", body = Data<api::ToolDefaults>)))]
pub async fn put_defaults(Writer(runtime, caller): Writer, JsonBody(body): JsonBody) -> ApiResult {
    // Read by hand: the members of its objects are names, which the schema does not know.
    let invalid = |error: serde_json::Error| ApiError::invalid("", "custom", error.to_string());
    let value = tree(body.as_str(), "the defaults are")?;
    if let Some(unknown) = value
        .as_object()
        .and_then(|object| object.keys().find(|key| !["groups", "tools", "permissions"].contains(&key.as_str())))
    {
        return Err(ApiError::invalid(format!("/{unknown}"), "additionalProperties", "must NOT have further fields"));
    }
    let body: api::ToolDefaults = serde_json::from_value(value).map_err(invalid)?;
    for permission in body.permissions.values() {
        read_permission(permission)?;
    }
    let permissions =
        body.permissions.iter().map(|(name, permission)| Ok((name.clone(), serde_json::to_value(permission)?)));
    let permissions = permissions.collect::<Result<_, serde_json::Error>>().map_err(ApiError::internal)?;
    let defaults = Defaults { groups: body.groups.clone(), tools: body.tools.clone(), permissions };
    runtime.put_tool_defaults(caller.account(), defaults).await?;
    reply::ok(body)
}

fn read_permission(permission: &api::ToolPermission) -> Result<Permission, ApiError> {
    let value = serde_json::to_value(permission).map_err(ApiError::internal)?;
    Permission::read(&value).map_err(|error| ApiError::invalid("/permission", "custom", error))
}
