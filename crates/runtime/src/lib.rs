//! Puts effects in order: gives time and ids to what happens, and asks the store for it.
//!
//! The runtime knows no HTTP and no terminal. The server and the command line are thin shells around it, and so can
//! another program be:
//!
//! ```
//! use tavernkeep_runtime::{Database, Options, Runtime, order::NewSession};
//! # let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
//! # runtime.block_on(async {
//! let folder = tempfile::tempdir().unwrap();
//! let keep = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
//! let account = Runtime::default_account();
//! let session = keep.create_session(&account, NewSession::default()).await.unwrap();
//! assert_eq!(keep.session(&account, &session.id).await.unwrap(), session);
//! keep.close().await;
//! # });
//! ```

mod accounts;
mod conversation;
mod demo;
mod documents;
mod health;
mod process;
mod story;
mod variables;

pub use accounts::{Caller, Export};
pub use health::{backup, check_file};
pub use process::{Mode, ProcessOrder, ProcessReport, Processed};
pub use story::{State, TakenTurn};
pub use tavernkeep_store::check::{Finding, Report};
pub use tavernkeep_store::export::Item;
pub use tavernkeep_store::story::{settings::STATE_KEY, snapshots::Snapshot, states::StateAt};
pub use tavernkeep_store::{
    Access, Counters as StoreCounters, Database, FILE_NAME, Refusal, SCHEMA_VERSION, StoreError, StoreResult, error,
    order, record,
};

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tavernkeep_engine::id::Id;
use tavernkeep_store::{DEFAULT_ACCOUNT, Store};

/// How a runtime is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the data lives.
    pub database: Database,
    /// Whether nobody else may serve from the same data folder meanwhile.
    pub access: Access,
    /// Connections to PostgreSQL at most.
    pub postgres_connections: usize,
}

impl Options {
    /// Opens a database for serving, with the usual settings.
    pub fn new(database: Database) -> Options {
        Options { database, access: Access::Own, postgres_connections: 16 }
    }
}

/// The running system. Cheap to clone.
#[derive(Clone)]
pub struct Runtime {
    store: Arc<Store>,
    documents: Arc<documents::Documents>,
}

impl Runtime {
    /// Opens the database and brings its schema up to date.
    pub async fn open(options: Options) -> StoreResult<Runtime> {
        let store = Store::open(&options.database, options.access, options.postgres_connections).await?;
        Ok(Runtime { store: Arc::new(store), documents: Arc::default() })
    }

    /// Lets the writes that are waiting finish, then lets go of the database, if this is its last user.
    pub async fn close(self) {
        if let Ok(store) = Arc::try_unwrap(self.store) {
            store.close().await;
        }
    }

    /// The account that everything belongs to while there are no keys.
    pub fn default_account() -> Id {
        // The name is a constant of ours and an id.
        DEFAULT_ACCOUNT.parse().unwrap_or_else(|_| unreachable!("a constant that is an id"))
    }

    /// The name of the database: `sqlite` or `postgres`.
    pub fn backend(&self) -> &'static str {
        self.store.backend()
    }

    /// What the store has done since it was opened.
    pub fn counters(&self) -> StoreCounters {
        self.store.counters()
    }
}

/// Milliseconds since 1970.
fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A fresh public id.
fn new_id() -> StoreResult<Id> {
    new_ids(1)?.pop().ok_or_else(|| StoreError::Internal("no id was made".into()))
}

/// Fresh public ids: UUID v7, so that ids made later sort later. The random parts come from the system in one call.
fn new_ids(count: usize) -> StoreResult<Vec<Id>> {
    const RANDOM: usize = 10;
    let millis = u64::try_from(now_ms()).unwrap_or(0);
    let mut random = vec![[0_u8; RANDOM]; count];
    random_for_ids(random.as_flattened_mut())?;
    let id = |random: &[u8; RANDOM]| {
        let uuid = uuid::Builder::from_unix_timestamp_millis(millis, random).into_uuid();
        let mut buffer = uuid::Uuid::encode_buffer();
        let text: &str = uuid.hyphenated().encode_lower(&mut buffer);
        text.parse().map_err(|error| StoreError::Internal(format!("{text}: {error}")))
    };
    random.iter().map(id).collect()
}

/// A fresh id for a snapshot: UUID v4, since it tells nothing of the time or place where it was made.
fn new_snapshot_id() -> StoreResult<Id> {
    let mut random = [0; 16];
    random_for_ids(&mut random)?;
    let text = uuid::Builder::from_random_bytes(random).into_uuid().to_string();
    text.parse().map_err(|error| StoreError::Internal(format!("{text}: {error}")))
}

/// Where a write that cannot say how many ids it needs gets them from: the same ones each time it is run.
struct IdSeed {
    millis: u64,
    random: [u8; 10],
}

impl IdSeed {
    fn new() -> StoreResult<IdSeed> {
        let mut random = [0; 10];
        random_for_ids(&mut random)?;
        Ok(IdSeed { millis: u64::try_from(now_ms()).unwrap_or(0), random })
    }

    /// Ids that sort in the order they are taken.
    fn ids(&self) -> impl Iterator<Item = Id> {
        (0..IDS_OF_A_SEED_MAX).filter_map(|number| {
            let [_, high, middle, low] = number.to_be_bytes();
            let mut random = self.random;
            // The bits that a UUID sorts by behind its time; the top of the third byte is the standard's own.
            random[0] = high;
            random[1] = middle;
            random[3] = low;
            let uuid = uuid::Builder::from_unix_timestamp_millis(self.millis, &random).into_uuid();
            uuid.to_string().parse().ok()
        })
    }
}

/// As many as the counting bits of an id can tell apart.
const IDS_OF_A_SEED_MAX: u32 = 1 << 20;

/// Random bytes of the system's, for secrets.
fn random_bytes(buffer: &mut [u8]) -> StoreResult<()> {
    getrandom::fill(buffer)
        .map_err(|error| StoreError::Unavailable(format!("the system gives no random bytes: {error}")))
}

/// The same for ids, from a pool of the thread's: a call to the system costs more than most of what needs an id.
fn random_for_ids(buffer: &mut [u8]) -> StoreResult<()> {
    RANDOM.with_borrow_mut(|pool| {
        if pool.len() < buffer.len() {
            let mut fresh = vec![0; RANDOM_AT_ONCE.max(buffer.len())];
            random_bytes(&mut fresh)?;
            *pool = fresh;
        }
        // What has been given out is not there any more.
        let rest = pool.len() - buffer.len();
        buffer.copy_from_slice(&pool[rest..]);
        pool.truncate(rest);
        Ok(())
    })
}

const RANDOM_AT_ONCE: usize = 2_048;

thread_local! {
    static RANDOM: std::cell::RefCell<Vec<u8>> = const { std::cell::RefCell::new(Vec::new()) };
}
