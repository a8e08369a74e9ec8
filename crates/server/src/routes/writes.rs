//! Writes that took longer than their requests.

use super::prelude::*;
use crate::http::pending::Outcome;
use tavernkeep_api::write::{PendingWrite, WriteState};

/// Read what became of a write
///
/// For requests that were answered `503 write_pending`, under the id in that answer. The server that answered keeps the last 1,024
/// of them until it stops; one that it does not know has happened or not: read what it would have changed.
#[utoipa::path(get, path = "/writes/{id}", tag = "jobs", operation_id = "get_write", params(IdPath),
    responses((status = 200, description = "What is known of it.", body = Data<PendingWrite>)))]
pub async fn get(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    let Some(outcome) = app.pending.outcome(&caller.0, id.as_str()) else {
        let message =
            format!("this server knows no write '{id}' that outlived its request; read what it would have changed");
        return Err(ApiError::new(ErrorCode::WriteNotFound, message));
    };
    let id = id.to_string();
    reply::ok(match outcome {
        Outcome::Running => PendingWrite { id, state: WriteState::Running, response_status: None, response: None },
        Outcome::Done { status, body } => {
            let response = body.and_then(|body| Json::from_text(body).ok());
            PendingWrite { id, state: WriteState::Done, response_status: Some(status), response }
        }
    })
}
