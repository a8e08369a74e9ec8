//! Replies tried out, and the profiles that they are read with.

use super::prelude::*;
use crate::input::body::RawBody;
use crate::output::reply::json;
use axum::http::StatusCode;
use std::sync::Arc;
use tavernkeep_api::apply as api;
use tavernkeep_runtime::apply::{answer, profiles as named_profiles};

/// Apply a reply
///
/// A dry run: finds the commands in the reply, applies them to the state and answers with the new state, the change and
/// what came of each command. Nothing is read or written. A bad reply is no error: the response lists its problems.
#[utoipa::path(post, path = "/apply", tag = "replies", operation_id = "apply_reply",
    request_body = api::ApplyRequest,
    responses((status = 200, description = "The result.", body = Data<api::Applied>)))]
pub async fn apply(State(app): State<App>, RawBody(body): RawBody) -> ApiResult {
    // A large reply takes a while to compute: as many at a time as there are cores, none on the threads that serve.
    let permit = Arc::clone(&app.computing).acquire_owned().await;
    let turns = app.runtime.turns();
    let answered = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        answer(&turns, &body)
    });
    let body = answered.await.map_err(ApiError::internal)??;
    Ok(json(StatusCode::OK, body))
}

/// List the named profiles
///
/// What each is for, which dialects it reads, which rule packs it uses, and all its fields. Wherever a profile is given it is one
/// of these names, or `{"base": name, …}` with the fields that differ.
#[utoipa::path(get, path = "/profiles", tag = "replies", operation_id = "list_profiles",
    responses((status = 200, description = "The profiles.", body = All<api::NamedProfile>)))]
pub async fn profiles(query: Query) -> ApiResult {
    query.finish()?;
    reply::ok(named_profiles()?)
}
