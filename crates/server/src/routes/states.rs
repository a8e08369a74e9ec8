//! States and snapshots.

use super::prelude::*;
use crate::apply::json;
use crate::output::history::stale_reason;
use axum::http::header::ETAG;
use tavernkeep_api::story as api;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::limits::BRANCH_BYTES_MAX;
use tavernkeep_engine::mvu;
use tavernkeep_runtime::{Edited, Followed, Runtime, Snapshot};

/// Read the state at a page
///
/// A page that commands are read from has a state of its own; the others answer with the state before them.
#[utoipa::path(get, path = "/pages/{id}/state", tag = "story", operation_id = "get_page_state", params(IdPath),
    responses((status = 200, description = "The state.", body = Data<api::State>)))]
pub async fn of_page(State(app): State<App>, who: Who, PathId(id): PathId) -> Answer {
    let state = app.runtime.state_of_page(who.account(), &id).await?;
    reply::ok(shown(state)?)
}

/// Read the newest state of a branch
#[utoipa::path(get, path = "/sessions/{id}/state", tag = "story", operation_id = "get_session_state",
    params(IdPath, api::StateParams),
    responses((status = 200, description = "The state.", body = Data<api::State>)))]
pub async fn of_session(State(app): State<App>, who: Who, PathId(id): PathId, mut query: Query) -> Answer {
    let branch = query.text("branch_id", 1, BRANCH_BYTES_MAX);
    query.finish()?;
    let state = app.runtime.newest_state(who.account(), &id, branch.as_deref()).await?;
    reply::ok(shown(state)?)
}

/// Read a snapshot
///
/// Snapshots of deleted pages stay readable.
#[utoipa::path(get, path = "/snapshots/{id}", tag = "story", operation_id = "get_snapshot", params(IdPath),
    responses((status = 200, description = "The snapshot.", body = Data<api::Snapshot>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn get(State(app): State<App>, who: Who, PathId(id): PathId) -> Answer {
    snapshot(&app.runtime, who.account(), &id).await
}

/// Change a snapshot by hand
///
/// The snapshot keeps its id. What follows builds on the new state: it is processed at once, or is stale until somebody
/// does.
#[utoipa::path(put, path = "/snapshots/{id}", tag = "story", operation_id = "put_snapshot",
    params(IdPath, ("If-Match" = Option<String>, Header, description = "The `ETag` that the snapshot must still have.")),
    request_body = api::EditedSnapshot,
    responses((status = 200, description = "The snapshot as it is now.", body = Data<api::Snapshot>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn put(
    Writer(runtime): Writer,
    who: Who,
    PathId(id): PathId,
    When(condition): When,
    Body(body): Body<api::EditedSnapshot>,
) -> Answer {
    let state = Value::from(&shape::value_text(&body.state));
    let state = if body.strip_mvu { mvu::import(&state).state } else { state };
    if body.process {
        let edited = runtime.save_snapshot(who.account(), &id, state, condition).await?;
        return self::edited(&runtime, who.account(), edited).await;
    }
    runtime.edit_snapshot(who.account(), &id, state, condition).await?;
    snapshot(&runtime, who.account(), &id).await
}

async fn snapshot(runtime: &Runtime, account: &Id, id: &Id) -> Answer {
    let (snapshot, document, at) = runtime.snapshot(account, id).await?;
    shown_snapshot(snapshot, &document, at.map(|at| at.stale.is_none()), None)
}

/// A snapshot that was changed by hand, and what came of what follows.
pub(super) async fn edited(runtime: &Runtime, account: &Id, edited: Edited) -> Answer {
    let Edited { snapshot, document, fresh, followed } = edited;
    match document {
        // What is done is told, even if nothing can be read any more.
        Some(document) => shown_snapshot(snapshot, &document, fresh, followed),
        None => {
            let (snapshot, document, at) = runtime.snapshot(account, &snapshot.id).await?;
            shown_snapshot(snapshot, &document, at.map(|at| at.stale.is_none()), followed)
        }
    }
}

fn shown_snapshot(snapshot: Snapshot, document: &Value, fresh: Option<bool>, followed: Option<Followed>) -> Answer {
    let (processed, job) = followed.map(|followed| (followed.processed, followed.job)).unzip();
    let shown = api::Snapshot {
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
    };
    let mut response = reply::ok(shown)?;
    response.headers_mut().insert(ETAG, etag(snapshot.version_row));
    Ok(response)
}

pub(crate) fn shown(state: tavernkeep_runtime::State) -> Result<api::State, ApiError> {
    let tavernkeep_runtime::State { at, document } = state;
    let text = |id: Option<Id>| id.map(|id| id.to_string());
    Ok(api::State {
        snapshot_id: text(at.snapshot),
        page_id: text(at.page),
        floor_id: text(at.floor),
        state: json(document.to_json())?,
        fresh: at.stale.is_none(),
        stale_reason: at.stale.map(stale_reason),
        outdated: at.outdated,
        edited: at.edited,
        inherited: at.inherited,
    })
}
