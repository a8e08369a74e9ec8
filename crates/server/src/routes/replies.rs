//! Replies tried out.

use super::prelude::*;
use crate::input::body::RawBody;
use crate::output::reply::json;
use axum::http::StatusCode;
use std::sync::Arc;
use tavernkeep_api::apply as api;
use tavernkeep_runtime::apply::answer;

/// Apply a reply
///
/// A dry run: finds the commands in the reply, applies them to the state and answers with the new state, the change and
/// what came of each command. Nothing is read or written. A bad reply is no error: the response lists its problems.
#[utoipa::path(post, path = "/apply", tag = "replies", operation_id = "apply_reply",
    request_body = api::ApplyRequest,
    responses((status = 200, description = "The result.", body = Data<api::Applied>)))]
pub async fn apply(State(app): State<App>, RawBody(body): RawBody) -> ApiResult {
    // A large reply takes a while to compute: as many at a time as there are cores, none on the threads that serve.
    let turn = Arc::clone(&app.computing).acquire_owned().await;
    let answered = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        answer(&body)
    });
    let body = answered.await.map_err(ApiError::internal)??;
    Ok(json(StatusCode::OK, body))
}
