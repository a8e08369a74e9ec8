//! Jobs: background work.

use super::prelude::*;
use tavernkeep_api::job as api;

/// List jobs
///
/// Those that have ended too, for a week.
#[utoipa::path(get, path = "/jobs", tag = "jobs", operation_id = "list_jobs", params(WindowParams, api::JobOrder),
    responses((status = 200, description = "The list.", body = List<api::Job>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, query: Query) -> ApiResult {
    let (column, window) = query.list(&["created_at"], false)?;
    let listed = app.runtime.jobs(caller.account(), window).await?;
    reply::list(listed, &window, column, |job| Ok(convert::job(job)))
}

/// Read a job
#[utoipa::path(get, path = "/jobs/{id}", tag = "jobs", operation_id = "get_job", params(IdPath),
    responses((status = 200, description = "The job.", body = Data<api::Job>)))]
pub async fn get(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    let job = app.runtime.job(caller.account(), &id).await?;
    reply::ok(convert::job(job))
}

/// Cancel a job
///
/// A deletion cannot be cancelled: its rows are hidden already.
#[utoipa::path(post, path = "/jobs/{id}/cancel", tag = "jobs", operation_id = "cancel_job", params(IdPath),
    responses((status = 200, description = "The job after the change.", body = Data<api::Job>)))]
pub async fn cancel(Writer(runtime, caller): Writer, PathId(id): PathId) -> ApiResult {
    let job = runtime.cancel_job(caller.account(), &id).await?;
    reply::ok(convert::job(job))
}
