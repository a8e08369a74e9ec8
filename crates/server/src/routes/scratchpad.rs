//! The scratchpad of a session.

use super::prelude::*;
use crate::input::path::PathName;
use crate::output::tools::variable;
use tavernkeep_api::tool as api;
use tavernkeep_runtime::record::Listed;
use tavernkeep_runtime::tools::{Filter, VarType, VariablePatch};

/// List the variables of the scratchpad
///
/// The last visited first, without their values. Listing is no visit.
#[utoipa::path(get, path = "/sessions/{id}/scratchpad", tag = "tools", operation_id = "list_scratchpad",
    params(IdPath, api::ScratchFilter, WindowParams, api::ScratchOrder),
    responses((status = 200, description = "The list.", body = List<api::ScratchVariable>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, PathId(id): PathId, mut query: Query) -> ApiResult {
    let filter = Filter {
        kind: query.choice::<Kind>("type", VarType::WORDS).map(|Kind(kind)| kind),
        tag: query.text("tag", 0, 256).filter(|tag| !tag.is_empty()),
        search: query.text("search", 0, 512).filter(|search| !search.is_empty()),
    };
    let (column, window) = query.list(&["last_visited_at"], false)?;
    let mut variables = app.runtime.scratchpad(caller.account(), &id, filter).await?;
    if window.ascending {
        variables.reverse();
    }
    let total = i64::try_from(variables.len()).unwrap_or(i64::MAX);
    let skip = usize::try_from(window.offset).unwrap_or(usize::MAX);
    let take = usize::try_from(window.limit).unwrap_or(usize::MAX).saturating_add(1);
    let rows = variables.into_iter().skip(skip).take(take).collect();
    let listed = Listed::cut(rows, window, window.total.then_some(total));
    reply::list(listed, &window, column, |found| variable(found, None))
}

struct Kind(VarType);

impl std::str::FromStr for Kind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        text.parse().map(Kind)
    }
}

/// Read a variable of the scratchpad
///
/// A look from outside: it counts as no visit.
#[utoipa::path(get, path = "/sessions/{id}/scratchpad/{name}", tag = "tools", operation_id = "get_scratchpad_variable",
    params(api::NamePath), responses((status = 200, description = "The variable.", body = Data<api::ScratchVariable>)))]
pub async fn get(State(app): State<App>, caller: Authenticated, PathName(id, name): PathName) -> ApiResult {
    let (found, value) = app.runtime.scratch_variable(caller.account(), &id, &name).await?;
    reply::ok(variable(found, Some(value))?)
}

/// Write a variable of the scratchpad
///
/// A new one is `USER_ADD`; what is left out of one that exists stays. Rules are refused.
#[utoipa::path(put, path = "/sessions/{id}/scratchpad/{name}", tag = "tools", operation_id = "put_scratchpad_variable",
    params(api::NamePath), request_body = api::ScratchWrite,
    responses(
        (status = 200, description = "The variable.", body = Data<api::ScratchVariable>),
        (status = 201, description = "The variable, which is new.", body = Data<api::ScratchVariable>)))]
pub async fn put(
    Writer(runtime, caller): Writer,
    PathName(id, name): PathName,
    Body(body): Body<api::ScratchWrite>,
) -> ApiResult {
    let value = body
        .value
        .map(|value| serde_json::from_str::<String>(value.text()).unwrap_or_else(|_| value.text().to_owned()));
    let patch = VariablePatch { value, desc: body.desc, tags: body.tags, keep: body.keep, ..VariablePatch::default() };
    patch.check(&name).map_err(|error| ApiError::invalid("/name", "custom", error.to_string()))?;
    let is_new = runtime.put_scratch_variable(caller.account(), &id, &name, patch).await?;
    let (found, value) = runtime.scratch_variable(caller.account(), &id, &name).await?;
    let shown = variable(found, Some(value))?;
    if is_new { reply::created(shown) } else { reply::ok(shown) }
}

/// Remove a variable of the scratchpad
#[utoipa::path(delete, path = "/sessions/{id}/scratchpad/{name}", tag = "tools",
    operation_id = "delete_scratchpad_variable", params(api::NamePath),
    responses((status = 200, description = "It is gone.", body = Data<api::RemovedVariable>)))]
pub async fn delete(Writer(runtime, caller): Writer, PathName(id, name): PathName) -> ApiResult {
    runtime.delete_scratch_variable(caller.account(), &id, &name).await?;
    reply::ok(api::RemovedVariable { name, deleted: true })
}

/// Put a page's text on the scratchpad
///
/// As `MessageCache`, under the name `Message_{page_id}`. References inside it are never expanded.
#[utoipa::path(post, path = "/sessions/{id}/scratchpad/messages", tag = "tools", operation_id = "cache_message",
    params(IdPath), request_body = api::NewMessageCache,
    responses((status = 201, description = "The variable.", body = Data<api::ScratchVariable>)))]
pub async fn message(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    Body(body): Body<api::NewMessageCache>,
) -> ApiResult {
    let name = runtime.cache_message(caller.account(), &id, &shape::parsed(body.page_id)?).await?;
    let (found, _) = runtime.scratch_variable(caller.account(), &id, &name).await?;
    reply::created(variable(found, None)?)
}
