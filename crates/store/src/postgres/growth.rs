//! Looking at the tables again after they have grown, so that statements are planned by what is there. On a connection of
//! its own and never inside a write's transaction: nobody who holds a clock waits for it.

use super::connect;
use crate::error::StoreResult;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio_postgres::Config;

const ANALYZE: &str = "ANALYZE floor, page, body, snapshot, version, keyframe";
/// Between two looks.
const REST_MIN: Duration = Duration::from_secs(10);
/// How many times as long as a look took the rest after it is, where that is more.
const REST_TIMES: u32 = 20;

pub(super) struct Growth {
    shared: Arc<Shared>,
    runtime: Handle,
    /// The task of the last who grew.
    task: Mutex<Option<AbortHandle>>,
}

struct Shared {
    config: Config,
    due: Mutex<Due>,
}

/// Whether somebody has to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    /// Nothing has grown since.
    No,
    /// Somebody looks, or rests from it.
    AtIt,
    /// They have to look once more.
    Again,
}

impl Due {
    /// Something has grown. Tells whether nobody is at it yet.
    fn grew(&mut self) -> bool {
        let idle = *self == Due::No;
        *self = if idle { Due::AtIt } else { Due::Again };
        idle
    }

    /// A look and its rest are over. Tells whether another one is due.
    fn rested(&mut self) -> bool {
        let again = *self == Due::Again;
        *self = if again { Due::AtIt } else { Due::No };
        again
    }
}

impl Growth {
    pub(super) fn new(config: Config) -> Growth {
        let shared = Shared { config, due: Mutex::new(Due::No) };
        Growth { shared: Arc::new(shared), runtime: Handle::current(), task: Mutex::default() }
    }

    /// Says that a write that has added many rows is committed.
    pub(super) fn tell(&self) {
        if self.shared.due().grew() {
            let task = self.runtime.spawn(run(Arc::clone(&self.shared))).abort_handle();
            *self.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
        }
    }
}

impl Drop for Growth {
    fn drop(&mut self) {
        if let Some(task) = &*self.task.lock().unwrap_or_else(PoisonError::into_inner) {
            task.abort();
        }
    }
}

impl Shared {
    fn due(&self) -> MutexGuard<'_, Due> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn run(shared: Arc<Shared>) {
    loop {
        let started = Instant::now();
        if let Err(error) = look(&shared.config).await {
            // The database looks by itself, too, only later.
            tracing::debug!(%error, "the tables have grown and could not be looked at");
        }
        tokio::time::sleep(REST_MIN.max(started.elapsed() * REST_TIMES)).await;
        if !shared.due().rested() {
            return;
        }
    }
}

async fn look(config: &Config) -> StoreResult<()> {
    let connection = connect(config).await?;
    connection.client.batch_execute(ANALYZE).await.map_err(|error| super::trouble(&error))
}

#[cfg(test)]
mod tests {
    use super::Due;

    #[test]
    fn whatever_grows_meanwhile_is_one_more_look() {
        let mut due = Due::No;
        assert!(due.grew());
        assert!(!due.grew() && !due.grew());
        assert!(due.rested());
        assert!(!due.rested());
        assert!(due.grew());
    }
}
