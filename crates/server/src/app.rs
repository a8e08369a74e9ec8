//! The state that all handlers share.

use crate::events::frames;
use crate::events::listeners::Listeners;
use crate::http::auth::Auth;
use crate::http::budget::Budget;
use crate::http::guard::Guard;
use crate::http::observe::Observe;
use crate::http::pending::PendingWrites;
use crate::output::cache::ResponseCache;
use crate::settings::Settings;
use bytes::Bytes;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use tavernkeep_runtime::events::Hub;
use tavernkeep_runtime::{Runtime, RuntimeResult};
use tokio::sync::Semaphore;

/// What responses about the server itself may hold. They are short: all metrics of all routes are less than a megabyte.
const RESERVE_BYTES: u64 = 16 * 1024 * 1024;

/// The state of a server; cloning it is cheap.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// The parts of an [`App`].
pub struct Parts {
    pub(crate) runtime: Runtime,
    pub(crate) settings: Settings,
    pub(crate) auth: Auth,
    pub(crate) guard: Guard,
    pub(crate) observe: Observe,
    pub(crate) cache: ResponseCache,
    /// Where listeners get their events from.
    pub(crate) hub: Hub,
    pub(crate) listeners: Arc<Listeners>,
    /// How many bytes of bodies and responses may be held.
    pub(crate) budget: Budget,
    /// What listeners that are behind may hold together: they take no room from requests.
    pub(crate) unheard: Budget,
    /// The same for responses to those who look at the server.
    pub(crate) reserve: Budget,
    /// Writes that outlived their requests.
    pub(crate) pending: PendingWrites,
    /// One permit per core, for requests that compute for long.
    pub(crate) computing: Arc<Semaphore>,
    /// The API document as text, written when the router is built.
    pub(crate) document: OnceLock<Bytes>,
}

impl App {
    /// Builds a server's state.
    pub async fn new(settings: Settings, runtime: Runtime) -> RuntimeResult<App> {
        let keys_exist = runtime.keys_exist().await?;
        let hub = runtime.hub(frames::event);
        let listeners = Arc::new(Listeners::new());
        let counted = Arc::clone(&listeners);
        let count_listeners = Box::new(move || counted.count());
        Ok(App(Arc::new(Parts {
            auth: Auth::new(&settings, keys_exist),
            guard: Guard::new(&settings),
            observe: Observe::new(runtime.clone(), hub.clone(), count_listeners),
            cache: ResponseCache::new(settings.resolve_cache_bytes),
            computing: Arc::new(Semaphore::new(cores())),
            budget: Budget::new(settings.bytes_in_flight_max),
            unheard: Budget::new(settings.bytes_in_flight_max / 4),
            reserve: Budget::new(RESERVE_BYTES),
            pending: PendingWrites::default(),
            document: OnceLock::new(),
            hub,
            listeners,
            runtime,
            settings,
        })))
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl fmt::Debug for App {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("App").field("settings", &self.settings).finish_non_exhaustive()
    }
}
