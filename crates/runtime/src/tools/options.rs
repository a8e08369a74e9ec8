//! How calls are run: what the operator or the host of a runtime says.

use std::sync::Arc;
use std::time::Duration;
use tavernkeep_engine::limits::{APPROVAL_MS_DEFAULT, CLIENT_CALL_MS_MAX};
use tavernkeep_engine::tools::reference::ReferenceOptions;

/// Gives the parts of variables' names that are a call's own.
pub type NodeIds = Arc<dyn Fn() -> String + Send + Sync>;
/// Gives the time in ms since 1970.
pub type ClockMs = Arc<dyn Fn() -> i64 + Send + Sync>;

/// How calls are run.
#[derive(Clone)]
pub struct ToolOptions {
    /// How references are read.
    pub references: ReferenceOptions,
    /// How long a person has to decide, in ms.
    pub approval_ms: i64,
    /// How long an application has to return a result, in ms.
    pub client_ms: i64,
    /// Whether the errors of failed calls go to the scratchpad too.
    pub cache_failures: bool,
    /// How long a request waits for a call before it is answered with `running`.
    pub wait: Duration,
    /// Another clock than the system's.
    pub clock: Option<ClockMs>,
    /// Other names than those made of time and chance.
    pub node_ids: Option<NodeIds>,
}

impl Default for ToolOptions {
    fn default() -> Self {
        ToolOptions {
            references: ReferenceOptions::default(),
            approval_ms: APPROVAL_MS_DEFAULT,
            client_ms: CLIENT_CALL_MS_MAX,
            cache_failures: false,
            wait: Duration::from_secs(20),
            clock: None,
            node_ids: None,
        }
    }
}
