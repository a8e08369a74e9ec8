//! Background work: the server runs jobs and purges expired rows.

use crate::app::App;
use std::time::Duration;
use tavernkeep_runtime::{JobLane, Runtime, RuntimeResult, freeing};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, interval_at};

/// No server runs as long.
const NEVER: Duration = Duration::from_secs(86_400 * 365 * 20);

/// Runs jobs as they are created, and periodically resumes abandoned jobs and purges expired rows.
pub(crate) async fn run(app: App) {
    let runtime = &app.runtime;
    if let Err(error) = runtime.resume_jobs().await {
        tracing::warn!(%error, "cannot resume the jobs of the previous process yet");
    }
    // The tasks run side by side: processing a story may take long, and the purge must not wait for it.
    tokio::join!(run_lane(&app, JobLane::Deletions), run_lane(&app, JobLane::Processing), purge(&app));
}

async fn run_lane(app: &App, lane: JobLane) {
    let mut looks = every(app.settings.upkeep_interval);
    loop {
        tokio::select! {
            _ = looks.tick() => {}
            () = app.runtime.job_made(lane) => {}
        }
        match lane {
            JobLane::Deletions => freeing::scope(run_jobs(&app.runtime, lane)).await,
            JobLane::Processing => run_jobs(&app.runtime, lane).await,
        }
    }
}

async fn purge(app: &App) {
    let mut purges = every(app.settings.purge_interval);
    loop {
        purges.tick().await;
        if let Err(error) = freeing::scope(app.runtime.purge()).await {
            tracing::warn!(%error, "cannot purge expired rows; retrying");
        }
    }
}

/// Ticks at once and then periodically; never if the period is zero.
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
        Err(error) => tracing::warn!(%error, "a job failed; retrying"),
    }
}

async fn work(runtime: &Runtime, lane: JobLane) -> RuntimeResult<u64> {
    runtime.count_jobs().await?;
    let count = runtime.run_lane(lane).await?;
    if count > 0 {
        runtime.count_jobs().await?;
    }
    Ok(count)
}
