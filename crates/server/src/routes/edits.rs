//! Edits by hand: patches of a state, the list of a page's edits, and taking one of them back.

use super::floors::on_branch;
use super::prelude::*;
use super::states;
use crate::input::path::PathIds;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use tavernkeep_api::edit as api;
use tavernkeep_api::list::OnBranch;
use tavernkeep_api::story::Snapshot;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::json_patch::{Malformed, Patch};
use tavernkeep_engine::path::InvalidPath;
use tavernkeep_runtime::record::{Condition, Listed};
use tavernkeep_runtime::{Edited, Edits, ListedEdits, NewEdit, Runtime};

/// Change parts of a snapshot by hand
///
/// By JSON Patch or merge patch. The snapshot keeps its id. The patch is kept beside the text of its page and applied again
/// whenever the state of the page is computed.
#[utoipa::path(patch, path = "/snapshots/{id}", tag = "story", operation_id = "patch_snapshot",
    params(IdPath, OnBranch, ("If-Match" = Option<String>, Header, description = "The `ETag` that the snapshot must still have.")),
    request_body(content((api::StateEdit = "application/json"), (api::StatePatch = "application/json-patch+json"),
        (api::StatePatch = "application/merge-patch+json"))),
    responses((status = 200, description = "The snapshot after the change.", body = Data<Snapshot>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn patch_snapshot(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    WriteCondition(condition): WriteCondition,
    query: Query,
    StateEdit { edit, process }: StateEdit,
) -> ApiResult {
    let id = runtime.snapshot_on(caller.account(), &id, on_branch(query)?.as_deref()).await?;
    let edited = runtime.edit_snapshot(caller.account(), &id, edit, condition).await?;
    respond(&runtime, caller.account(), edited, process).await
}

/// Change parts of a page's state by hand
///
/// The same by the page: its state is processed first if it has none.
#[utoipa::path(patch, path = "/pages/{id}/state", tag = "story", operation_id = "patch_page_state",
    params(IdPath, OnBranch, ("If-Match" = Option<String>, Header,
        description = "The `ETag` that the page's snapshot must still have.")),
    request_body(content((api::StateEdit = "application/json"), (api::StatePatch = "application/json-patch+json"),
        (api::StatePatch = "application/merge-patch+json"))),
    responses((status = 200, description = "The page's snapshot after the change.", body = Data<Snapshot>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn patch_state(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    WriteCondition(condition): WriteCondition,
    query: Query,
    StateEdit { edit, process }: StateEdit,
) -> ApiResult {
    let branch = on_branch(query)?;
    let id = runtime.page_on(caller.account(), &id, branch.as_deref()).await?;
    let edited = runtime.edit_page(caller.account(), &id, edit, condition).await?;
    respond(&runtime, caller.account(), edited, process).await
}

/// List the edits of a page
///
/// In the order in which they are applied after the commands of its text, those that were taken back included. Edits rest while the
/// page has no state of its own, because no commands are read from it.
#[utoipa::path(get, path = "/pages/{id}/edits", tag = "story", operation_id = "list_page_edits",
    params(IdPath, WindowParams, api::EditOrder),
    responses((status = 200, description = "The list.", body = List<api::Edit>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, PathId(id): PathId, mut query: Query) -> ApiResult {
    let sort_by = ["number"][query.word("sort_by", &["number"])];
    let window = query.window(true);
    query.finish()?;
    let ListedEdits { mut edits, rest } = app.runtime.edits(caller.account(), &id).await?;
    if !window.ascending {
        edits.reverse();
    }
    let (offset, limit) = (size(window.offset), size(window.limit));
    let total = window.total.then(|| i64::try_from(edits.len()).unwrap_or(i64::MAX));
    let has_more = edits.len() > offset.saturating_add(limit);
    let items = edits.into_iter().skip(offset).take(limit).collect();
    reply::list(Listed { items, total, has_more }, &window, sort_by, |edit| convert::listed_edit(&edit, rest))
}

/// Take an edit of a page back
///
/// The page gets the state that its text and its other edits lead to, and what follows is processed. An edit that was taken back
/// before stays so. An edit that rests is taken back, too: then the answer has the state that is kept for when the page is the
/// model's again.
#[utoipa::path(delete, path = "/pages/{id}/edits/{edit_id}", tag = "story", operation_id = "delete_page_edit",
    params(api::EditPath, OnBranch),
    responses((status = 200, description = "The page's snapshot after that.", body = Data<Snapshot>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn take_back(Writer(runtime, caller): Writer, PathIds([page, edit]): PathIds<2>, query: Query) -> ApiResult {
    let page = runtime.page_on(caller.account(), &page, on_branch(query)?.as_deref()).await?;
    let edited = runtime.edit_page(caller.account(), &page, Edits::TakeBack(edit).into(), Condition::None).await?;
    respond(&runtime, caller.account(), edited, true).await
}

/// Take the last undo of a page back
///
/// What follows is processed.
#[utoipa::path(post, path = "/pages/{id}/redo", tag = "story", operation_id = "redo_page",
    params(IdPath, OnBranch),
    responses((status = 200, description = "The snapshot after the change.", body = Data<Snapshot>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn redo(Writer(runtime, caller): Writer, PathId(id): PathId, query: Query) -> ApiResult {
    let id = runtime.page_on(caller.account(), &id, on_branch(query)?.as_deref()).await?;
    let edited = runtime.redo(caller.account(), &id).await?;
    states::edited(&runtime, caller.account(), edited).await
}

async fn respond(runtime: &Runtime, account: &Id, edited: Edited, process: bool) -> ApiResult {
    let edited = if process { runtime.follow(account, edited).await } else { edited };
    states::edited(runtime, account, edited).await
}

/// What a body asks for: a documented object, or the bare patch of RFC 6902 or RFC 7396.
#[derive(Debug)]
pub struct StateEdit {
    edit: NewEdit,
    process: bool,
}

impl<S: Sync> FromRequest<S> for StateEdit {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let is_patch = kind.contains("json-patch+json") || kind.contains("merge-patch+json");
        let JsonBody(body) = JsonBody::from_request(request, state).await?;
        if is_patch || body.view().as_array().is_some() {
            return Ok(StateEdit { edit: patch(&body, "")?.into(), process: true });
        }
        let body: api::StateEdit = shape::read(&body)?;
        let what = match (&body.patch, body.path, &body.value) {
            (Some(given), None, None) => patch(&shape::value_text(given), "/patch")?,
            (None, Some(path), Some(value)) => {
                let invalid = |error: InvalidPath| ApiError::invalid("/path", "format", error.to_string());
                Edits::Set(path.parse().map_err(invalid)?, Value::from(&shape::value_text(value)))
            }
            _ => return Err(ApiError::invalid("", "required", "must have either patch, or path and value")),
        };
        Ok(StateEdit { edit: NewEdit { what, reason: body.reason }, process: body.process })
    }
}

/// Reads a patch that stands at `place` of the body.
fn patch(patch: &JsonText, place: &str) -> Result<Edits, ApiError> {
    let malformed = |error: Malformed| ApiError::invalid(format!("{place}{}", error.place), "custom", error.message);
    Ok(match patch.view().as_object() {
        Some(_) => Edits::Merge(Value::from(patch)),
        None => Edits::Patch(Patch::read(patch.view()).map_err(malformed)?),
    })
}

fn size(number: i64) -> usize {
    usize::try_from(number).unwrap_or_default()
}
