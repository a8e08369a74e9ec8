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
pub mod apply;
mod blame;
mod branch_ends;
mod browsers;
mod characters;
mod code_checks;
mod compare;
mod conversation;
mod demo;
mod documents;
mod drafts;
mod edits;
mod error;
pub mod events;
mod export;
mod functions;
mod garbage;
mod global_snapshots;
mod health;
mod history;
pub mod https;
mod idempotency;
mod ids;
pub mod input;
mod jobs;
mod lru;
mod memory;
mod model;
mod process;
mod process_jobs;
mod profiles;
mod prompts;
mod reindex;
mod rules;
#[cfg(feature = "script")]
pub mod scripts;
mod sillytavern;
mod snapshots;
mod stale;
mod store;
mod story;
mod sync;
pub mod tools;
mod trash;
mod trial;
pub mod turn;
mod undo;
mod upkeep;
mod variables;

pub use accounts::Caller;
pub use blame::{Blame, BlameEntry, BlameSource};
pub use compare::{Comparison, InvalidStateAddress, StateAddress};
pub use edits::{Edited, Edits, ListedEdits, NewEdit};
pub use error::{PAGE_EDITS, Refusal, RuntimeError, RuntimeResult};
pub use export::Export;
pub use functions::{FunctionOrder, ImportedFunction};
pub use global_snapshots::{GlobalSnapshotOrder, SnapshotSource};
pub use health::{backup, check_file, check_pages, stamp_pages};
pub use history::{Details, History, Point, TranscriptFloor};
pub use idempotency::IdempotentRequest;
pub use ids::random_id;
pub use lru::BytesLru;
pub use memory::{ArchiveEntry, ArchiveQuery, ArchiveReader, ShownState, SummaryOrder};
pub use model::Model;
pub use process::{
    ComparedStates, FloorDifference, Followed, Mode, ProcessOrder, ProcessReport, Processed, StoredStates,
};
pub use process_jobs::{Handled, processed_by};
pub use prompts::{KitOrder, KitView, PlaceOfPrompt, PromptKit, PromptOrder, PromptQuery, RenderedPrompt};
pub use sillytavern::{
    CardCounts, CardFormat, ChatCounts, ExportedFile, FileKind, IfExists, ImportOrder, ImportOutcome, ImportReport,
    character_id,
};
pub use snapshots::{CHAT_FILES_LISTED_MAX, CleanedChats, Cleanup, CleanupReport};
pub use stale::{LineName, StaleFloors};
pub use story::{FloorChange, State, TakenTurn, TurnReport};
pub use sync::{MappedFloor, SyncReport};
pub use tavernkeep_store::conversation::branches::ForkPoint;
pub use tavernkeep_store::conversation::cards::StoredCard;
pub use tavernkeep_store::conversation::sync::{Expected, SyncOrder, Synced, SyncedFloor, Text};
pub use tavernkeep_store::conversation::tags;
pub use tavernkeep_store::db::freeing;
pub use tavernkeep_store::db::hash::text_hash;
pub use tavernkeep_store::db::metering;
pub use tavernkeep_store::db::own_connection;
pub use tavernkeep_store::db::watch::WriteWatch;
pub use tavernkeep_store::story::edits::{Edit, EditKind};
pub use tavernkeep_store::story::inventory::{SnapshotEntry, SnapshotPlace, SnapshotQuery, SnapshotSort};
pub use tavernkeep_store::story::origins::Origin;
pub use tavernkeep_store::story::snapshots::Snapshot;
pub use tavernkeep_store::story::states::StateAt;
pub use tavernkeep_store::story::walk::{FloorRange, Line, LineState, RefusedCommand, Swipe};
pub use tavernkeep_store::tree::MAIN_BRANCH;
pub use tavernkeep_store::tree::quota::{QuotaPatch, Quotas, Share, Usage};
pub use tavernkeep_store::types::order;
pub use tavernkeep_store::types::record::{self, JobLane};
pub use tavernkeep_store::upkeep::check::{Finding, Report};
pub use tavernkeep_store::upkeep::export::{Damaged, Item, KeptSession, KeptSnapshot};
pub use tavernkeep_store::upkeep::retention::Retention;
pub use tavernkeep_store::variables::global_snapshots::WholeSnapshot;
pub use tavernkeep_store::variables::global_snapshots::{GlobalSnapshot, GlobalSnapshotPatch};
pub use tavernkeep_store::variables::state_key::STATE_KEY;
pub use tavernkeep_store::{Access, Counters as StoreCounters, Database, FILE_NAME, SCHEMA_VERSION};
pub use trash::{
    KeptPage, Removed, RemovedSnapshot, Renamed, Restored, RestoredBranch, TrashContent, TrashItem, TrashKind, Under,
};
pub use trial::{Trial, TrialOrder, TriedCall, try_functions};
pub use upkeep::UpkeepCounters;

use ids::{IdSeed, new_id, new_ids, new_snapshot_id, random_bytes};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use store::Store;
use tavernkeep_engine::id::Id;
use tavernkeep_store::DEFAULT_ACCOUNT;
use tavernkeep_store::conversation::sessions::FloorCounts;

/// How a runtime is opened.
#[derive(Clone)]
pub struct Options {
    /// Where the data lives.
    pub database: Database,
    /// Whether no other process may serve from the same data folder meanwhile.
    pub access: Access,
    /// Connections to PostgreSQL at most.
    pub postgres_connections: usize,
    /// The default quotas of an account.
    pub quotas: Quotas,
    /// How long things are kept.
    pub retention: Retention,
    /// How long a request may process before a job goes on with it; zero: there is a job at once.
    pub process_time: Duration,
    /// What runs the scripts of turns.
    pub scripts: Arc<dyn turn::Scripts>,
    /// The model that writes summaries; none: people and programs do.
    pub model: Option<Model>,
    /// The groups of tools that sessions can enable.
    pub tools: tools::Registry,
    /// How calls of tools are run.
    pub tool_options: tools::ToolOptions,
}

impl Options {
    /// Opens a database for serving, with the usual settings.
    pub fn new(database: Database) -> Options {
        Options {
            database,
            access: Access::Own,
            postgres_connections: 16,
            quotas: Quotas::default(),
            retention: Retention::default(),
            process_time: Duration::from_secs(1),
            scripts: Arc::new(turn::NoScripts),
            model: None,
            tools: tools::Registry::default(),
            tool_options: tools::ToolOptions::default(),
        }
    }
}

/// The running system. Cheap to clone.
#[derive(Clone)]
pub struct Runtime {
    store: Arc<Store>,
    /// Set for one request with an idempotency key.
    idempotency: Option<Arc<IdempotentRequest>>,
    quotas: Quotas,
    /// Wakes the job runners when a job was made.
    wakes: Arc<jobs::Wakes>,
    retention: Retention,
    process_time: Duration,
    upkeep: Arc<upkeep::Upkeep>,
    drafts: Arc<drafts::Drafts>,
    /// Documents of versions, which never change.
    documents: Arc<documents::Documents>,
    branch_ends: Arc<branch_ends::BranchEnds>,
    floor_counts: Arc<FloorCounts>,
    turns: Arc<turn::Turns>,
    model: Option<Arc<Model>>,
    tools: tools::Tools,
}

impl Runtime {
    /// Whether there is a database, which opening would make otherwise.
    pub async fn is_there(database: &Database) -> RuntimeResult<bool> {
        Ok(tavernkeep_store::Store::exists(database).await?)
    }

    /// Opens the database and brings its schema up to date.
    pub async fn open(options: Options) -> RuntimeResult<Runtime> {
        let store = Store::open(&options.database, options.access, options.postgres_connections).await?;
        let is_alone = options.access == Access::Own && matches!(options.database, Database::Sqlite(_));
        let runtime = Runtime {
            store: Arc::new(store),
            idempotency: None,
            quotas: options.quotas,
            wakes: Arc::default(),
            retention: options.retention,
            process_time: options.process_time,
            upkeep: Arc::new(upkeep::Upkeep::new()),
            drafts: Arc::default(),
            documents: Arc::default(),
            branch_ends: Arc::default(),
            floor_counts: Arc::default(),
            turns: Arc::new(turn::Turns::new(options.scripts)),
            model: options.model.map(Arc::new),
            tools: tools::Tools::new(options.tools, options.tool_options)?,
        };
        if is_alone {
            // Only processes of this machine run calls here: what was running ended with its process, if that is gone.
            runtime.settle_calls(true).await?;
        }
        Ok(runtime)
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
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
