//! Floors and their states.

use super::prelude::*;
use super::sessions::{gone, ids};
use tavernkeep_api::floor as api;
use tavernkeep_api::list::OnBranch;
use tavernkeep_api::trash::Permanent;
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::BRANCH_BYTES_MAX;
use tavernkeep_runtime::order::{FloorPatch, FloorQuery, FloorStep, NewFloor};
use tavernkeep_runtime::{ForkPoint, Refusal, now_ms};

const STATES: [&str; 4] = ["draft", "generating", "committed", "failed"];

/// Create a floor
///
/// A new `branch_id` registers the branch.
#[utoipa::path(post, path = "/floors", tag = "floors", operation_id = "create_floor", request_body = api::NewFloor,
    responses((status = 201, description = "The new floor.", body = Data<api::Floor>)))]
pub async fn create(Writer(runtime, caller): Writer, Body(body): Body<api::NewFloor>) -> ApiResult {
    let new = new_floor(body)?;
    let floor = runtime.create_floor(caller.account(), new).await?;
    reply::created(convert::written_floor(floor)?)
}

/// List the floors of a session
///
/// They are sorted by branch, then position.
#[utoipa::path(get, path = "/floors", tag = "floors", operation_id = "list_floors",
    params(api::FloorFilter, api::FloorOrder, WindowParams),
    responses((status = 200, description = "The list.", body = List<api::Floor>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, mut query: Query) -> ApiResult {
    let session = query.need_id("session_id");
    let branch = query.text("branch_id", 1, BRANCH_BYTES_MAX);
    let state = query.choice("state", &STATES);
    query.word("sort_by", &["floor_no"]);
    let window = query.window(true);
    let Some(session) = session else { return Err(query.problems.refuse()) };
    query.finish()?;
    let listed = app.runtime.floors(caller.account(), FloorQuery { session, branch, state, window }).await?;
    let now = now_ms();
    reply::list(listed, &window, "floor_no", |floor| convert::floor(floor, now))
}

/// Read a floor
#[utoipa::path(get, path = "/floors/{id}", tag = "floors", operation_id = "get_floor", params(IdPath),
    responses((status = 200, description = "The floor.", body = Data<api::Floor>)))]
pub async fn get(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    let floor = app.runtime.floor(caller.account(), &id).await?;
    reply::ok(convert::floor(floor, now_ms())?)
}

/// Change a floor
///
/// The state cannot be changed here; use `generate`, `commit` and `fail`.
#[utoipa::path(patch, path = "/floors/{id}", tag = "floors", operation_id = "update_floor",
    params(IdPath, OnBranch),
    request_body = api::FloorPatch,
    responses((status = 200, description = "The floor after the change.", body = Data<api::Floor>)))]
pub async fn update(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    query: Query,
    JsonBody(body): JsonBody,
) -> ApiResult {
    let branch = on_branch(query)?;
    let patch = floor_patch(&body)?;
    let id = runtime.floor_on(caller.account(), &id, branch.as_deref()).await?;
    let floor = runtime.update_floor(caller.account(), &id, patch).await?;
    let stale = runtime.stale_behind(caller.account(), &floor.id).await;
    reply::ok(api::Floor { stale: stale.map(convert::stale), ..convert::written_floor(floor)? })
}

/// The branch on which a floor or page is meant that several branches share.
pub(super) fn on_branch(mut query: Query) -> Result<Option<String>, ApiError> {
    let branch = query.text("branch_id", 1, BRANCH_BYTES_MAX);
    query.finish()?;
    Ok(branch)
}

/// Delete a floor
///
/// Its pages and their variables go with it; branch and chat variables stay.
#[utoipa::path(delete, path = "/floors/{id}", tag = "floors", operation_id = "delete_floor",
    params(IdPath, OnBranch, Permanent),
    responses((status = 200, description = "It was deleted.", body = Data<Deleted>)))]
pub async fn delete(Writer(runtime, caller): Writer, PathId(id): PathId, mut query: Query) -> ApiResult {
    let permanent = query.boolean("permanent").unwrap_or(false);
    let id = runtime.floor_on(caller.account(), &id, on_branch(query)?.as_deref()).await?;
    let removed = runtime.remove_floors(caller.account(), vec![id.clone()], permanent).await?;
    gone(&removed.found, || Refusal::FloorNotFound(id.clone()))?;
    let (id, line) = (removed.ids.first().unwrap_or(&id), removed.lines.first().and_then(Option::as_ref));
    reply::deleted_with(id, removed.trash.as_ref(), runtime.stale_floors(caller.account(), line).await)
}

/// Delete many floors
///
/// One that does not exist gets `"deleted": false`.
#[utoipa::path(post, path = "/floors/batch/delete", tag = "floors", operation_id = "delete_floors",
    params(Permanent), request_body = DeleteIds,
    responses((status = 200, description = "What was deleted.", body = Data<DeletedMany>)))]
pub async fn delete_many(Writer(runtime, caller): Writer, mut query: Query, Body(body): Body<DeleteIds>) -> ApiResult {
    let permanent = query.boolean("permanent").unwrap_or(false);
    query.finish()?;
    let ids = ids(&body)?;
    let removed = runtime.remove_floors(caller.account(), ids.clone(), permanent).await?;
    reply::deleted_many(&ids, &removed, runtime.stale_on(caller.account(), &removed.lines).await)
}

/// Fork a branch
///
/// The floor must be committed. The new branch is a copy of the line up to it: what happens on one never changes the other.
#[utoipa::path(post, path = "/floors/{id}/branch", tag = "floors", operation_id = "fork_branch", params(IdPath),
    request_body = Option<api::Fork>,
    responses((status = 201, description = "The new branch.", body = Data<api::Forked>)))]
pub async fn fork(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    OptionalBody(body): OptionalBody<api::Fork>,
) -> ApiResult {
    let page = shape::parsed_if(body.page_id)?;
    let branch = runtime.fork_from(caller.account(), ForkPoint::Floor(id, page), body.branch_id).await?;
    let stale = runtime.stale_on_fork(caller.account(), &branch).await;
    reply::created(convert::forked(branch, stale))
}

/// Start generating
///
/// The floor becomes `generating` until it is committed or failed, or its lease ends.
#[utoipa::path(post, path = "/floors/{id}/generate", tag = "floors", operation_id = "generate_floor",
    params(IdPath, OnBranch),
    request_body = Option<api::Generate>,
    responses((status = 200, description = "The floor after the change.", body = Data<api::Floor>)))]
pub async fn generate(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    query: Query,
    OptionalBody(body): OptionalBody<api::Generate>,
) -> ApiResult {
    let id = runtime.floor_on(caller.account(), &id, on_branch(query)?.as_deref()).await?;
    let api::Generate { lease_ms, renew } = body;
    let floor = runtime.move_floor(caller.account(), &id, FloorStep::Generate { lease_ms, renew }).await?;
    reply::ok(convert::written_floor(floor)?)
}

/// Commit a floor
///
/// What comes after it is processed, for a second at most and then as a job.
#[utoipa::path(post, path = "/floors/{id}/commit", tag = "floors", operation_id = "commit_floor",
    params(IdPath, OnBranch),
    request_body = Option<api::Commit>,
    responses((status = 200, description = "The floor after the change.", body = Data<api::Floor>)))]
pub async fn commit(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    query: Query,
    OptionalBody(body): OptionalBody<api::Commit>,
) -> ApiResult {
    let (branch, mut page) = (on_branch(query)?, shape::parsed_if(body.page_id)?);
    let id = runtime.floor_on(caller.account(), &id, branch.as_deref()).await?;
    if let Some(shared) = &page {
        page = Some(runtime.page_on(caller.account(), shared, branch.as_deref()).await?);
    }
    let floor = runtime.move_floor(caller.account(), &id, FloorStep::Commit { page }).await?;
    let stale = runtime.stale_behind(caller.account(), &floor.id).await;
    reply::ok(api::Floor { stale: stale.map(convert::stale), ..convert::written_floor(floor)? })
}

/// Fail a floor
#[utoipa::path(post, path = "/floors/{id}/fail", tag = "floors", operation_id = "fail_floor",
    params(IdPath, OnBranch),
    request_body = Option<api::Nothing>,
    responses((status = 200, description = "The floor after the change.", body = Data<api::Floor>)))]
pub async fn fail(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    query: Query,
    OptionalBody(api::Nothing {}): OptionalBody<api::Nothing>,
) -> ApiResult {
    let id = runtime.floor_on(caller.account(), &id, on_branch(query)?.as_deref()).await?;
    let floor = runtime.move_floor(caller.account(), &id, FloorStep::Fail).await?;
    reply::ok(convert::written_floor(floor)?)
}

fn new_floor(new: api::NewFloor) -> Result<NewFloor, ApiError> {
    Ok(NewFloor {
        id: shape::parsed_if(new.id)?,
        session: shape::parsed(new.session_id)?,
        branch: new.branch_id,
        floor_no: new.floor_no,
        parent: shape::parsed_if(new.parent_floor_id)?,
        state: new.state.map_or(Ok(FloorState::Draft), shape::word)?,
        lease_ms: new.lease_ms,
        metadata: shape::object_text(new.metadata),
    })
}

fn floor_patch(body: &JsonText) -> Result<FloorPatch, ApiError> {
    if body.view().get("state").is_some() {
        let message = "state cannot be patched; use POST /floors/{id}/generate, commit or fail";
        return Err(ApiError::new(ErrorCode::FloorPatchRestrictedField, message).at("state"));
    }
    let api::FloorPatch { floor_no, metadata } = shape::read(body)?;
    Ok(FloorPatch { floor_no, metadata: metadata.map(shape::object_text) })
}
