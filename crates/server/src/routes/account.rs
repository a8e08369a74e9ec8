//! The account: usage, export, deletion.

use super::prelude::*;
use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::Response;
use tavernkeep_api::account as api;
use tavernkeep_runtime::{WriteWatch, freeing};

/// Read the account
#[utoipa::path(get, path = "/account", tag = "account", operation_id = "get_account",
    responses((status = 200, description = "The account and what the request may do.", body = Data<api::Account>)))]
pub async fn get(State(app): State<App>, caller: Authenticated) -> ApiResult {
    let usage = app.runtime.usage(caller.account()).await?;
    reply::ok(convert::account(&caller.0, &usage))
}

/// Export the account
///
/// Everything it holds, one JSON object per line: `{"kind": "variable" | "character" | "character_card" | "global_snapshot" | "session" |
/// "branch" | "floor" | "page" | "staged_writes" | "recipe" | "snapshot", "data": …}`. A session comes with its template, and
/// a snapshot with its state, whether it was edited by hand, and the recipe it was computed with. Each session is as it was at
/// one moment; its snapshots follow, some at a time.
#[utoipa::path(get, path = "/account/export", tag = "account", operation_id = "export_account",
    responses((status = 200, description = "One JSON object per line.", body = String,
        content_type = "application/x-ndjson")))]
pub async fn export(State(app): State<App>, caller: Authenticated) -> ApiResult {
    let lines = crate::output::export::start(app.runtime.clone(), caller.account().clone()).await?;
    let mut response = Response::new(Body::from_stream(app.budget.stream(lines, app.settings.request_timeout)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"tavernkeep-export.ndjson\""));
    Ok(response)
}

/// Delete the account
///
/// Everything in it goes with it, its keys too. `confirm` must be the account's id.
#[utoipa::path(delete, path = "/account", tag = "account", operation_id = "delete_account", params(api::Confirmation),
    responses((status = 200, description = "It was deleted.", body = Data<Deleted>)))]
pub async fn delete(Writer(runtime, caller): Writer, mut query: Query) -> ApiResult {
    let confirm = query.need("confirm");
    query.finish()?;
    if confirm.as_deref() != Some(caller.account().as_str()) {
        return Err(ApiError::new(
            ErrorCode::ConfirmationMismatch,
            "confirm is not the id of this account; GET /account shows it",
        ));
    }
    // A client that goes away must not leave the account half deleted.
    let account = caller.account().clone();
    let deletion = freeing::scope(async move { runtime.delete_account(&account).await });
    let watch = WriteWatch::current();
    let deletion = tokio::spawn(async move {
        match watch {
            Some(watch) => watch.scope(deletion).await,
            None => deletion.await,
        }
    });
    deletion.await.map_err(|error| ApiError::internal(format!("the deletion stopped: {error}")))??;
    reply::deleted(caller.account())
}
