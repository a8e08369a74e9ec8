//! Global snapshots: states that belong to no page.

use super::floors::on_branch;
use super::prelude::*;
use super::sessions::permanent;
use crate::routes::states;
use axum::http::StatusCode;
use axum::http::header::ETAG;
use std::collections::HashSet;
use tavernkeep_api::list::OnBranch;
use tavernkeep_api::trash::Permanent;
use tavernkeep_api::{global_snapshot as api, story};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::limits::SNAPSHOT_TAG_BYTES_MAX;
use tavernkeep_runtime::apply::json;
use tavernkeep_runtime::{GlobalSnapshot, GlobalSnapshotOrder, GlobalSnapshotPatch, SnapshotSource};

/// List global snapshots
///
/// Without their documents.
#[utoipa::path(get, path = "/global-snapshots", tag = "story", operation_id = "list_global_snapshots",
    params(WindowParams, api::GlobalSnapshotListParams, api::GlobalSnapshotOrder),
    responses((status = 200, description = "The list.", body = List<api::GlobalSnapshot>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, mut query: Query) -> ApiResult {
    let tag = query.text("tag", 1, SNAPSHOT_TAG_BYTES_MAX);
    let (column, window) = query.list(&["updated_at"], false)?;
    let listed = app.runtime.global_snapshots(caller.account(), tag, window).await?;
    reply::list(listed, &window, column, |snapshot| Ok(convert::global_snapshot(snapshot, None)))
}

/// Make a global snapshot
///
/// From a document, or from the state that a page or a snapshot has now.
#[utoipa::path(post, path = "/global-snapshots", tag = "story", operation_id = "create_global_snapshot",
    request_body = api::NewGlobalSnapshot,
    responses((status = 201, description = "The global snapshot, without its document.",
        body = Data<api::GlobalSnapshot>, headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn create(Writer(runtime, caller): Writer, Body(body): Body<api::NewGlobalSnapshot>) -> ApiResult {
    let made = runtime.create_global_snapshot(caller.account(), new_snapshot(body)?).await?;
    answer(StatusCode::CREATED, made, None)
}

/// Read a global snapshot
#[utoipa::path(get, path = "/global-snapshots/{id}", tag = "story", operation_id = "get_global_snapshot", params(IdPath),
    responses((status = 200, description = "The global snapshot with its document.", body = Data<api::GlobalSnapshot>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn get(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    let (snapshot, document) = app.runtime.global_snapshot(caller.account(), &id).await?;
    answer(StatusCode::OK, snapshot, Some(&document))
}

/// Change a global snapshot
#[utoipa::path(patch, path = "/global-snapshots/{id}", tag = "story", operation_id = "update_global_snapshot",
    params(IdPath, ("If-Match" = Option<String>, Header, description = "The `ETag` that it must still have.")),
    request_body = api::GlobalSnapshotPatch,
    responses((status = 200, description = "The global snapshot after the change, without its document.",
        body = Data<api::GlobalSnapshot>, headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn update(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    WriteCondition(condition): WriteCondition,
    Body(body): Body<api::GlobalSnapshotPatch>,
) -> ApiResult {
    let patch = GlobalSnapshotPatch {
        name: body.name,
        description: body.description,
        tags: body.tags.map(distinct),
        body: body.body.map(|body| (&document(&body)).into()),
    };
    let snapshot = runtime.update_global_snapshot(caller.account(), &id, patch, condition).await?;
    answer(StatusCode::OK, snapshot, None)
}

/// Delete a global snapshot
///
/// It goes to the trash, and its id is free.
#[utoipa::path(delete, path = "/global-snapshots/{id}", tag = "story", operation_id = "delete_global_snapshot",
    params(IdPath, Permanent, ("If-Match" = Option<String>, Header, description = "The `ETag` that it must still have.")),
    responses((status = 200, description = "It was deleted.", body = Data<Deleted>)))]
pub async fn delete(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    WriteCondition(condition): WriteCondition,
    query: Query,
) -> ApiResult {
    let trash = runtime.remove_global_snapshot(caller.account(), &id, condition, permanent(query)?).await?;
    reply::deleted_with(&id, trash.as_ref(), None)
}

/// Give a page the state of a global snapshot
///
/// Recorded as an edit by hand of the page's snapshot, which keeps its id; what follows on the branch is processed at once. A
/// page that was never processed is processed before.
#[utoipa::path(post, path = "/global-snapshots/{id}/apply", tag = "story", operation_id = "apply_global_snapshot",
    params(IdPath, OnBranch), request_body = api::ApplyGlobalSnapshot,
    responses((status = 200, description = "The page's snapshot after the change.", body = Data<story::Snapshot>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn apply(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    query: Query,
    Body(body): Body<api::ApplyGlobalSnapshot>,
) -> ApiResult {
    let page = shape::parsed(body.page_id)?;
    let page = runtime.page_on(caller.account(), &page, on_branch(query)?.as_deref()).await?;
    let edited = runtime.apply_global_snapshot(caller.account(), &id, &page).await?;
    states::edited(&runtime, caller.account(), edited).await
}

fn new_snapshot(new: api::NewGlobalSnapshot) -> Result<GlobalSnapshotOrder, ApiError> {
    let source = match (new.page_id, new.snapshot_id, new.body) {
        (Some(page), None, None) => SnapshotSource::Page(shape::parsed(page)?),
        (None, Some(snapshot), None) => SnapshotSource::Snapshot(shape::parsed(snapshot)?),
        (None, None, Some(body)) => SnapshotSource::Document(document(&body)),
        _ => {
            let message = "must have exactly one of the properties 'body', 'page_id' and 'snapshot_id'";
            return Err(ApiError::invalid("", "oneOf", message));
        }
    };
    let (id, tags) = (shape::parsed_if(new.id)?, distinct(new.tags));
    Ok(GlobalSnapshotOrder { id, name: new.name, description: new.description, tags, source })
}

fn document(body: &Json) -> Value {
    Value::from(&shape::value_text(body))
}

/// Each tag once, in the order they were given.
fn distinct(tags: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    tags.into_iter().filter(|tag| seen.insert(tag.clone())).collect()
}

fn answer(status: StatusCode, snapshot: GlobalSnapshot, document: Option<&Value>) -> ApiResult {
    let tag = etag(snapshot.revision);
    let body = document.map(|document| json(document.to_json())).transpose()?;
    let mut response = reply::data(status, convert::global_snapshot(snapshot, body))?;
    response.headers_mut().insert(ETAG, tag);
    Ok(response)
}
