//! States and snapshots.

use super::floors::on_branch;
use super::prelude::*;
use axum::http::header::ETAG;
use tavernkeep_api::list::OnBranch;
use tavernkeep_api::story as api;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::limits::{BRANCH_BYTES_MAX, POSITION_MAX};
use tavernkeep_engine::mvu;
use tavernkeep_runtime::apply::json;
use tavernkeep_runtime::{Edited, Edits, Followed, NewEdit, Runtime, Snapshot, StaleFloors};

/// Read the state at a page
///
/// A page that commands are read from has a state of its own; the others answer with the state before them.
#[utoipa::path(get, path = "/pages/{id}/state", tag = "story", operation_id = "get_page_state", params(IdPath),
    responses((status = 200, description = "The state.", body = Data<api::State>,
        headers(("ETag" = String, description = "For `If-Match`; only of a page with a state of its own.")))))]
pub async fn of_page(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    let state = app.runtime.state_of_page(caller.account(), &id).await?;
    let version = state.at.version_row.filter(|_| state.at.ids().0.is_some());
    let mut response = reply::ok(convert::state(state)?)?;
    // What `PATCH /pages/{id}/state` compares with; a page without a state of its own has nothing to compare.
    if let Some(version_row) = version {
        response.headers_mut().insert(ETAG, etag(version_row));
    }
    Ok(response)
}

/// Read the state of a branch
///
/// The newest one, or that at a position.
#[utoipa::path(get, path = "/sessions/{id}/state", tag = "story", operation_id = "get_session_state",
    params(IdPath, api::StateParams),
    responses((status = 200, description = "The state.", body = Data<api::State>)))]
pub async fn of_session(
    State(app): State<App>,
    caller: Authenticated,
    PathId(id): PathId,
    mut query: Query,
) -> ApiResult {
    let branch = query.text("branch_id", 1, BRANCH_BYTES_MAX);
    let floor_no = query.integer("floor_no", 0, POSITION_MAX);
    query.finish()?;
    let (account, branch) = (caller.account(), branch.as_deref());
    let state = match floor_no {
        Some(floor_no) => app.runtime.state_at_floor(account, &id, branch, floor_no).await?,
        None => app.runtime.newest_state(account, &id, branch).await?,
    };
    reply::ok(convert::state(state)?)
}

/// Read a snapshot
///
/// Snapshots of deleted pages stay readable.
#[utoipa::path(get, path = "/snapshots/{id}", tag = "story", operation_id = "get_snapshot", params(IdPath),
    responses((status = 200, description = "The snapshot.", body = Data<api::Snapshot>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn get(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    snapshot(&app.runtime, caller.account(), &id).await
}

/// Give a snapshot another state by hand
///
/// What differs from its present state is kept as an edit beside the text of its page, and applied again whenever the state of the
/// page is computed. The snapshot keeps its id. What follows builds on the new state: it is processed at once, or is stale
/// until it is processed.
#[utoipa::path(put, path = "/snapshots/{id}", tag = "story", operation_id = "put_snapshot",
    params(IdPath, OnBranch, ("If-Match" = Option<String>, Header, description = "The `ETag` that the snapshot must still have.")),
    request_body = api::EditedSnapshot,
    responses((status = 200, description = "The snapshot after the change.", body = Data<api::Snapshot>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn put(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    WriteCondition(condition): WriteCondition,
    query: Query,
    Body(body): Body<api::EditedSnapshot>,
) -> ApiResult {
    let id = runtime.snapshot_on(caller.account(), &id, on_branch(query)?.as_deref()).await?;
    let state = Value::from(&shape::value_text(&body.state));
    let state = if body.strip_mvu { mvu::import(&state).state } else { state };
    let state = NewEdit { what: Edits::State(state), reason: body.reason };
    let edited = match body.process {
        true => runtime.save_snapshot(caller.account(), &id, state, condition).await?,
        false => runtime.edit_snapshot(caller.account(), &id, state, condition).await?,
    };
    self::edited(&runtime, caller.account(), edited).await
}

async fn snapshot(runtime: &Runtime, account: &Id, id: &Id) -> ApiResult {
    let (snapshot, document, at) = runtime.snapshot(account, id).await?;
    snapshot_response(snapshot, &document, at.map(|at| at.stale.is_none()), None, None)
}

/// A snapshot that was changed by hand, and what came of what follows.
pub(super) async fn edited(runtime: &Runtime, account: &Id, edited: Edited) -> ApiResult {
    let Edited { snapshot, document, fresh, followed } = edited;
    let line = match &snapshot.page {
        Some(page) => runtime.line_of_page(account, page).await.ok(),
        None => None,
    };
    let stale = runtime.stale_floors(account, line.as_ref()).await;
    match document {
        // The edit is stored, so it is reported even if the snapshot cannot be read any more.
        Some(document) => snapshot_response(snapshot, &document, fresh, followed, stale),
        None => {
            let (snapshot, document, at) = runtime.snapshot(account, &snapshot.id).await?;
            snapshot_response(snapshot, &document, at.map(|at| at.stale.is_none()), followed, stale)
        }
    }
}

fn snapshot_response(
    snapshot: Snapshot,
    document: &Value,
    fresh: Option<bool>,
    followed: Option<Followed>,
    stale: Option<StaleFloors>,
) -> ApiResult {
    let (processed, job) = followed.map(|followed| (followed.processed, followed.job)).unzip();
    let body = api::Snapshot {
        id: snapshot.id.to_string(),
        session_id: snapshot.session.to_string(),
        page_id: snapshot.page.map(|page| page.to_string()),
        state: json(document.to_json())?,
        fresh,
        edited: snapshot.edited,
        created_at: snapshot.created_at,
        updated_at: snapshot.updated_at,
        processed: processed.map(|report| convert::process_report(report, false)),
        job_id: job.flatten().map(|job| job.to_string()),
        stale: stale.map(convert::stale),
    };
    let mut response = reply::ok(body)?;
    response.headers_mut().insert(ETAG, etag(snapshot.version_row));
    Ok(response)
}
