//! What the server does by itself, in the background: it runs jobs.

use crate::app::App;
use tokio::time::{MissedTickBehavior, interval};

/// Runs jobs as they are made, and now and then looks for those that others have left.
pub(crate) async fn run(app: App) {
    let runtime = &app.runtime;
    if let Err(error) = runtime.resume_jobs().await {
        tracing::warn!(%error, "the jobs of the process before cannot be resumed yet");
    }
    let mut ticks = interval(app.settings.upkeep_interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = runtime.job_made() => {}
        }
        match runtime.run_jobs().await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "jobs ended"),
            Err(error) => tracing::warn!(%error, "a job did not get on; it is tried again"),
        }
    }
}
