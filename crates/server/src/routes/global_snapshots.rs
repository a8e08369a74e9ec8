//! Global snapshots: states that belong to no page.

use crate::app::App;
use crate::apply::json;
use crate::auth::Who;
use crate::body::JsonBody;
use crate::condition::{When, etag};
use crate::error::ApiError;
use crate::fields::Fields;
use crate::once::Writer;
use crate::path::PathId;
use crate::query::Query;
use crate::reply::{self, Answer};
use crate::routes::states;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::ETAG;
use tavernkeep_api::envelope::Deleted;
use tavernkeep_api::list::{IdPath, WindowParams};
use tavernkeep_api::{Data, List, global_snapshot as api, story};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::{DESCRIPTION_BYTES_MAX, LABEL_BYTES_MAX, SNAPSHOT_TAG_BYTES_MAX, SNAPSHOT_TAGS_MAX};
use tavernkeep_runtime::{GlobalSnapshot, GlobalSnapshotOrder, GlobalSnapshotPatch, SnapshotSource};

/// List global snapshots
///
/// Without their documents.
#[utoipa::path(get, path = "/global-snapshots", tag = "story", operation_id = "list_global_snapshots",
    params(WindowParams, api::GlobalSnapshotListParams),
    responses((status = 200, description = "One part of the list.", body = List<api::GlobalSnapshot>)))]
pub async fn list(State(app): State<App>, who: Who, mut query: Query) -> Answer {
    let tag = query.text("tag", 1, SNAPSHOT_TAG_BYTES_MAX);
    query.word("sort_by", &["updated_at"]);
    let window = query.window(false);
    query.finish()?;
    let listed = app.runtime.global_snapshots(who.account(), tag, window).await?;
    reply::list(listed, &window, "updated_at", |snapshot| Ok(shown(snapshot, None)))
}

/// Make a global snapshot
///
/// From a document, or from the state that a page or a snapshot has now.
#[utoipa::path(post, path = "/global-snapshots", tag = "story", operation_id = "create_global_snapshot",
    request_body = api::NewGlobalSnapshot,
    responses((status = 201, description = "The global snapshot, without its document.",
        body = Data<api::GlobalSnapshot>, headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn create(Writer(runtime): Writer, who: Who, JsonBody(body): JsonBody) -> Answer {
    let made = runtime.create_global_snapshot(who.account(), read_new(&body)?).await?;
    answer(StatusCode::CREATED, made, None)
}

/// Read a global snapshot
#[utoipa::path(get, path = "/global-snapshots/{id}", tag = "story", operation_id = "get_global_snapshot", params(IdPath),
    responses((status = 200, description = "The global snapshot with its document.", body = Data<api::GlobalSnapshot>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn get(State(app): State<App>, who: Who, PathId(id): PathId) -> Answer {
    let (snapshot, document) = app.runtime.global_snapshot(who.account(), &id).await?;
    answer(StatusCode::OK, snapshot, Some(&document))
}

/// Change a global snapshot
#[utoipa::path(patch, path = "/global-snapshots/{id}", tag = "story", operation_id = "update_global_snapshot",
    params(IdPath, ("If-Match" = Option<String>, Header, description = "The `ETag` that it must still have.")),
    request_body = api::GlobalSnapshotPatch,
    responses((status = 200, description = "The global snapshot as it is now, without its document.",
        body = Data<api::GlobalSnapshot>, headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn update(
    Writer(runtime): Writer,
    who: Who,
    PathId(id): PathId,
    When(condition): When,
    JsonBody(body): JsonBody,
) -> Answer {
    let patch = read_patch(&body)?;
    let snapshot = runtime.update_global_snapshot(who.account(), &id, patch, condition).await?;
    answer(StatusCode::OK, snapshot, None)
}

/// Delete a global snapshot
#[utoipa::path(delete, path = "/global-snapshots/{id}", tag = "story", operation_id = "delete_global_snapshot",
    params(IdPath, ("If-Match" = Option<String>, Header, description = "The `ETag` that it must still have.")),
    responses((status = 200, description = "It is gone.", body = Data<Deleted>)))]
pub async fn delete(Writer(runtime): Writer, who: Who, PathId(id): PathId, When(condition): When) -> Answer {
    runtime.delete_global_snapshot(who.account(), &id, condition).await?;
    reply::deleted(&id)
}

/// Give a page the state of a global snapshot
///
/// Recorded as an edit by hand of the page's snapshot, which keeps its id; what follows on the branch is processed at once. A
/// page that was never processed is processed before.
#[utoipa::path(post, path = "/global-snapshots/{id}/apply", tag = "story", operation_id = "apply_global_snapshot",
    params(IdPath), request_body = api::ApplyGlobalSnapshot,
    responses((status = 200, description = "The page's snapshot as it is now.", body = Data<story::Snapshot>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn apply(Writer(runtime): Writer, who: Who, PathId(id): PathId, JsonBody(body): JsonBody) -> Answer {
    let mut fields = Fields::body(&body)?;
    fields.need("page_id");
    let Some(page) = fields.id("page_id") else { return Err(fields.refuse()) };
    fields.finish()?;
    let edited = runtime.apply_global_snapshot(who.account(), &id, &page).await?;
    states::edited(&runtime, who.account(), edited).await
}

fn read_new(body: &JsonText) -> Result<GlobalSnapshotOrder, ApiError> {
    let mut fields = Fields::body(body)?;
    fields.need("name");
    let id = fields.id("id");
    let name = fields.text("name", 1, LABEL_BYTES_MAX).map(Into::into);
    let description = fields.nullable_text("description", DESCRIPTION_BYTES_MAX).flatten();
    let tags = tags(&mut fields).unwrap_or_default();
    let given = ["body", "page_id", "snapshot_id"].into_iter().filter(|name| fields.get(name).is_some()).count();
    if given != 1 {
        let message = "must have exactly one of the properties 'body', 'page_id' and 'snapshot_id'";
        fields.problems.add(String::new(), "oneOf", message.into());
    }
    let page = fields.id("page_id").map(SnapshotSource::Page);
    let snapshot = fields.id("snapshot_id").map(SnapshotSource::Snapshot);
    let document = fields.state("body")?.map(SnapshotSource::Document);
    let source = page.or(snapshot).or(document);
    let (Some(name), Some(source)) = (name, source) else { return Err(fields.refuse()) };
    fields.finish()?;
    Ok(GlobalSnapshotOrder { id, name, description, tags, source })
}

fn read_patch(body: &JsonText) -> Result<GlobalSnapshotPatch, ApiError> {
    let mut fields = Fields::body(body)?;
    let patch = GlobalSnapshotPatch {
        name: fields.text("name", 1, LABEL_BYTES_MAX).map(Into::into),
        description: fields.nullable_text("description", DESCRIPTION_BYTES_MAX),
        tags: tags(&mut fields),
        body: fields.state("body")?.map(|document| (&document).into()),
    };
    fields.finish().map(|()| patch)
}

/// Each tag once, in the order they were given.
fn tags(fields: &mut Fields<'_>) -> Option<Vec<String>> {
    let elements = fields.array("tags", 0, SNAPSHOT_TAGS_MAX)?;
    let mut tags: Vec<String> = Vec::with_capacity(elements.len());
    for (index, element) in elements.iter().enumerate() {
        let place = format!("/tags/{index}");
        let Some(tag) = element.as_str() else {
            fields.problems.kind(place, "string");
            continue;
        };
        if fields.problems.length(|| place, &tag, 1, SNAPSHOT_TAG_BYTES_MAX) && !tags.contains(&tag.to_string()) {
            tags.push(tag.into_owned());
        }
    }
    Some(tags)
}

fn answer(status: StatusCode, snapshot: GlobalSnapshot, document: Option<&Value>) -> Answer {
    let tag = etag(snapshot.revision);
    let body = document.map(|document| json(document.to_json())).transpose()?;
    let mut response = reply::data(status, shown(snapshot, body))?;
    response.headers_mut().insert(ETAG, tag);
    Ok(response)
}

pub(crate) fn shown(snapshot: GlobalSnapshot, body: Option<tavernkeep_api::Json>) -> api::GlobalSnapshot {
    api::GlobalSnapshot {
        updated_at: snapshot.updated_at(),
        id: snapshot.id.to_string(),
        name: snapshot.name,
        description: snapshot.description,
        tags: snapshot.tags,
        body,
        created_at: snapshot.created_at,
    }
}
