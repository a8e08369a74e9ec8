//! Jobs: work that goes on after its request was answered.

use super::prelude::*;
use tavernkeep_api::job as api;

/// List jobs
///
/// Those that have ended too, for a week.
#[utoipa::path(get, path = "/jobs", tag = "jobs", operation_id = "list_jobs", params(WindowParams, api::JobOrder),
    responses((status = 200, description = "One part of the list.", body = List<api::Job>)))]
pub async fn list(State(app): State<App>, who: Who, mut query: Query) -> Answer {
    query.word("sort_by", &["created_at"]);
    let window = query.window(false);
    query.finish()?;
    let listed = app.runtime.jobs(who.account(), window).await?;
    reply::list(listed, &window, "created_at", |job| Ok(convert::job(job)))
}

/// Read a job
#[utoipa::path(get, path = "/jobs/{id}", tag = "jobs", operation_id = "get_job", params(IdPath),
    responses((status = 200, description = "The job.", body = Data<api::Job>)))]
pub async fn get(State(app): State<App>, who: Who, PathId(id): PathId) -> Answer {
    let job = app.runtime.job(who.account(), &id).await?;
    reply::ok(convert::job(job))
}

/// Cancel a job
///
/// A deletion cannot be cancelled: what it deletes is gone for everybody already.
#[utoipa::path(post, path = "/jobs/{id}/cancel", tag = "jobs", operation_id = "cancel_job", params(IdPath),
    responses((status = 200, description = "The job as it is now.", body = Data<api::Job>)))]
pub async fn cancel(Writer(runtime): Writer, who: Who, PathId(id): PathId) -> Answer {
    let job = runtime.cancel_job(who.account(), &id).await?;
    reply::ok(convert::job(job))
}
