//! The floors of a line with what was said there.

use super::prelude::*;
use crate::input::path::PathNumber;
use crate::output::history::transcript_floor;
use axum::http::StatusCode;
use tavernkeep_api::history as api;
use tavernkeep_engine::limits::{BRANCH_BYTES_MAX, LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, POSITION_MAX};
use tavernkeep_runtime::{Details, FloorRange, MAIN_BRANCH};

/// Read the floors of a branch with their texts
///
/// By position, through the place where the branch was forked.
#[utoipa::path(get, path = "/sessions/{id}/transcript", tag = "story", operation_id = "get_transcript",
    params(IdPath, api::TranscriptWindow, api::TranscriptParams),
    responses((status = 200, description = "The floors.", body = api::Transcript)))]
pub async fn of_session(
    State(app): State<App>,
    caller: Authenticated,
    PathId(session): PathId,
    mut query: Query,
) -> ApiResult {
    let from = query.integer("from", 0, POSITION_MAX).unwrap_or(0);
    let limit = query.integer("limit", 1, LIST_LIMIT_MAX).unwrap_or(LIST_LIMIT_DEFAULT);
    let last = query.integer("last", 1, POSITION_MAX);
    let (branch, details) = details(query)?;
    let mut part = FloorRange { session, branch, from_floor: Some(from), to_floor: None, after: None };
    if let Some(last) = last {
        part = app.runtime.last_floors(caller.account(), part, last).await?;
    }
    let from = part.from_floor.unwrap_or(from);
    let floors_max = usize::try_from(limit).unwrap_or(usize::MAX);
    let (floors, next_from) = app.runtime.transcript(caller.account(), part, floors_max, details).await?;
    let data = floors.into_iter().map(|floor| transcript_floor(floor, details)).collect::<Result<_, _>>()?;
    let meta = api::TranscriptMeta { from, limit, has_more: next_from.is_some(), next_from };
    reply::serialize(StatusCode::OK, &api::Transcript { data, meta })
}

/// Read a floor by its position
///
/// The floor may stand on the branch or on one that it was forked from.
#[utoipa::path(get, path = "/sessions/{id}/floors/{floor_no}", tag = "story", operation_id = "get_floor_by_number",
    params(IdPath, api::FloorNoPath, api::TranscriptParams),
    responses((status = 200, description = "The floor.", body = Data<api::TranscriptFloor>)))]
pub async fn floor(
    State(app): State<App>,
    caller: Authenticated,
    PathId(session): PathId,
    PathNumber(floor_no): PathNumber,
    query: Query,
) -> ApiResult {
    let (branch, details) = details(query)?;
    let floor = app.runtime.floor_at(caller.account(), &session, &branch, floor_no, details).await?;
    reply::ok(transcript_floor(floor, details)?)
}

fn details(mut query: Query) -> Result<(String, Details), ApiError> {
    let branch = query.text("branch_id", 1, BRANCH_BYTES_MAX);
    let details = Details {
        content: query.boolean("content").unwrap_or(true),
        swipes: query.boolean("swipes").unwrap_or(false),
        changes: query.boolean("changes").unwrap_or(false),
    };
    query.finish()?;
    Ok((branch.unwrap_or_else(|| MAIN_BRANCH.to_owned()), details))
}
