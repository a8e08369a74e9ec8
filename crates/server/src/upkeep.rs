//! What the server does by itself, in the background: it runs jobs and purges what is over.

use crate::app::App;
use std::time::Duration;
use tavernkeep_runtime::{JobLane, Runtime, StoreResult};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, interval_at};

/// No server runs as long.
const NEVER: Duration = Duration::from_secs(86_400 * 365 * 20);

/// Runs jobs as they are made, and now and then looks for those that others have left and for what is over.
pub(crate) async fn run(app: App) {
    let runtime = &app.runtime;
    if let Err(error) = runtime.resume_jobs().await {
        tracing::warn!(%error, "the jobs of the process before cannot be resumed yet");
    }
    // None of them waits for another: a story may be processed for long, and what is over must go meanwhile.
    tokio::join!(run_lane(&app, JobLane::Deletions), run_lane(&app, JobLane::Processing), purge(&app));
}

async fn run_lane(app: &App, lane: JobLane) {
    let mut looks = every(app.settings.upkeep_interval);
    loop {
        tokio::select! {
            _ = looks.tick() => {}
            () = app.runtime.job_made(lane) => {}
        }
        run_jobs(&app.runtime, lane).await;
    }
}

async fn purge(app: &App) {
    let mut purges = every(app.settings.purge_interval);
    loop {
        purges.tick().await;
        if let Err(error) = app.runtime.purge().await {
            tracing::warn!(%error, "what is over could not be purged; it is tried again");
        }
    }
}

/// Ticks now and then every so often; never if that is zero.
pub(crate) fn every(period: Duration) -> Interval {
    let mut ticks = match period.is_zero() {
        true => interval_at(Instant::now() + NEVER, NEVER),
        false => interval(period),
    };
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

async fn run_jobs(runtime: &Runtime, lane: JobLane) {
    match work(runtime, lane).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "jobs ended"),
        Err(error) => tracing::warn!(%error, "a job did not get on; it is tried again"),
    }
}

async fn work(runtime: &Runtime, lane: JobLane) -> StoreResult<u64> {
    runtime.count_jobs().await?;
    let count = runtime.run_lane(lane).await?;
    if count > 0 {
        runtime.count_jobs().await?;
    }
    Ok(count)
}
