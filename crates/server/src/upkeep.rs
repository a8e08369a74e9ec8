//! What the server does by itself, in the background: it runs jobs and purges what is over.

use crate::app::App;
use tavernkeep_runtime::{Runtime, StoreResult};
use tokio::time::{MissedTickBehavior, interval};

/// Runs jobs as they are made, and now and then looks for those that others have left and for what is over.
pub(crate) async fn run(app: App) {
    let runtime = &app.runtime;
    if let Err(error) = runtime.resume_jobs().await {
        tracing::warn!(%error, "the jobs of the process before cannot be resumed yet");
    }
    let mut looks = interval(app.settings.upkeep_interval);
    let mut purges = interval(app.settings.purge_interval);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    purges.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = looks.tick() => run_jobs(runtime).await,
            () = runtime.job_made() => run_jobs(runtime).await,
            _ = purges.tick() => {
                if let Err(error) = runtime.purge().await {
                    tracing::warn!(%error, "what is over could not be purged; it is tried again");
                }
            }
        }
    }
}

async fn run_jobs(runtime: &Runtime) {
    match work(runtime).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "jobs ended"),
        Err(error) => tracing::warn!(%error, "a job did not get on; it is tried again"),
    }
}

async fn work(runtime: &Runtime) -> StoreResult<u64> {
    runtime.count_jobs().await?;
    let count = runtime.run_jobs().await?;
    if count > 0 {
        runtime.count_jobs().await?;
    }
    Ok(count)
}
