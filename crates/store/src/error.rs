//! What can stop an operation: a refusal that the caller can act on, or trouble with the database.

use crate::types::record::{Condition, Host};
use std::fmt;
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::json_patch::Misfit;
use tavernkeep_engine::limits::{FORK_DEPTH_MAX, POSITION_MAX, SYNC_WRITTEN_BYTES_MAX};
use tavernkeep_engine::scope::Scope;

pub type StoreResult<T> = Result<T, StoreError>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// The request does not fit the state of things. Nothing was written.
    Refused(Refusal),
    /// The database cannot be reached or is too busy; the same request may succeed later.
    Unavailable(String),
    /// Two writers got into each other's way too often; the same request may succeed at once.
    Contended(String),
    Full(String),
    Corrupt(String),
    NewerSchema {
        found: i64,
        known: i64,
    },
    /// What was named cannot be used: a folder that is taken, a file that exists, an address that cannot be read.
    Unusable(String),
    /// A defect of ours.
    Internal(String),
}

/// What a request does not fit. The message of each says what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    HostNotFound(Host),
    VariableNotFound(String),
    VariableLocked(Scope),
    ConditionFailed(Condition),
    NotCountable(&'static str),
    ContextMismatch(String),
    SessionNotFound(Id),
    BranchNotFound(Id, String),
    FloorNotFound(Id),
    FloorNumberNotFound {
        branch: String,
        floor_no: i64,
    },
    PageNotFound(Id),
    ApiKeyNotFound(Id),
    AccountNotFound(Id),
    /// Something with this id exists already: what and which.
    IdTaken(&'static str, String),
    ChatFileTaken(String, Id),
    /// The page was made by another turn, or by none; these parts are not the same.
    TurnDiffers {
        page: Id,
        /// What differs, as far as that is known.
        what: Vec<&'static str>,
    },
    /// The floor that a turn is another swipe of does not stand where the turn says: which field says otherwise.
    FloorElsewhere(Id, &'static str),
    ParentElsewhere(Id),
    PageElsewhere {
        page: Id,
        floor: Id,
    },
    TrashNotFound(Id),
    PositionTaken(&'static str, String),
    FloorNumberTaken {
        floor_no: i64,
        /// The next one that is free behind the last floor.
        next: Option<i64>,
    },
    FloorNumbersEnd,
    BranchExists(String),
    BranchProtected,
    InvalidState {
        found: FloorState,
        /// What was wanted, for the message.
        wanted: &'static str,
    },
    LedgerPageNotFound,
    /// There is as much of something as there may be: what, and how much that is.
    TooMany(&'static str, i64),
    PatchMisfit(Misfit),
    JobNotFound(Id),
    /// The job cannot be cancelled: why.
    JobNotCancellable(&'static str),
    KeyReused,
    /// The same request was refused before. This is what the caller stored as its response then, as JSON.
    StoredResponse(JsonText),
    SnapshotNotFound(Id),
    GlobalSnapshotNotFound(Id),
    PageWithoutState(Id),
    SnapshotMoved,
    ParentMoved,
    CharacterNotFound(Id),
    /// The branch cannot be made equal to a chat: why, and what to do.
    SyncConflict(String),
    SyncTooLarge,
    ForkTooDeep,
    BranchBusy(Id),
    ChatMoved,
    /// A sync would delete so many of so many floors.
    SyncDeletes {
        deleted: usize,
        floors: usize,
        version: String,
    },
    VariableReserved(String),
    EventsPurged {
        /// Everything up to this position is.
        purged: i64,
    },
}

/// The end of a transaction whose code went on as if a statement had not failed. PostgreSQL would answer such a commit
/// with success and keep nothing.
pub(crate) fn overlooked() -> StoreError {
    StoreError::Internal("an error in a transaction was overlooked; nothing of it was kept".into())
}

impl From<Refusal> for StoreError {
    fn from(refusal: Refusal) -> Self {
        StoreError::Refused(refusal)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Refused(refusal) => refusal.fmt(formatter),
            StoreError::Unavailable(cause) => write!(formatter, "the database cannot be used right now: {cause}"),
            StoreError::Contended(cause) => write!(formatter, "two writers got into each other's way: {cause}"),
            StoreError::Full(cause) => write!(formatter, "no room to write: {cause}"),
            StoreError::Corrupt(cause) => write!(formatter, "what is stored cannot be read: {cause}"),
            StoreError::NewerSchema { found, known } => write!(
                formatter,
                "the database has schema version {found} and this program knows only up to {known}; \
                 run a newer tavernkeep"
            ),
            StoreError::Unusable(cause) => formatter.write_str(cause),
            StoreError::Internal(cause) => write!(formatter, "internal error: {cause}"),
        }
    }
}

impl std::error::Error for StoreError {}

impl Refusal {
    /// Whether it passes by itself: another write was faster, or a job is running.
    pub fn passes(&self) -> bool {
        match self {
            Refusal::ParentMoved | Refusal::BranchBusy(_) => true,
            Refusal::TooMany(what, _) => *what == JOBS_OPEN,
            _ => false,
        }
    }

    /// Whether what an account consists of was named and is not there.
    pub fn is_gone(&self) -> bool {
        matches!(
            self,
            Refusal::SessionNotFound(_)
                | Refusal::BranchNotFound(..)
                | Refusal::FloorNotFound(_)
                | Refusal::PageNotFound(_)
                | Refusal::LedgerPageNotFound
                | Refusal::CharacterNotFound(_)
                | Refusal::GlobalSnapshotNotFound(_)
        )
    }
}

/// What there are too many of while jobs are at work.
pub(crate) const JOBS_OPEN: &str = "jobs that have not ended";

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message())
    }
}

impl Refusal {
    fn message(&self) -> String {
        match self {
            Refusal::HostNotFound(Host::Global) => "Account not found".into(),
            Refusal::HostNotFound(Host::Chat(id)) | Refusal::SessionNotFound(id) => format!("Session '{id}' not found"),
            Refusal::HostNotFound(Host::Branch(session, branch)) | Refusal::BranchNotFound(session, branch) => {
                format!("Branch '{branch}' not found in session '{session}'")
            }
            Refusal::HostNotFound(Host::Floor(id)) | Refusal::FloorNotFound(id) => format!("Floor '{id}' not found"),
            Refusal::FloorNumberNotFound { branch, floor_no } => format!("Branch '{branch}' has no floor {floor_no}"),
            Refusal::HostNotFound(Host::Page(id)) | Refusal::PageNotFound(id) => format!("Page '{id}' not found"),
            Refusal::VariableNotFound(what) => format!("Variable '{what}' not found"),
            Refusal::VariableLocked(scope) => format!("Variables on locked {} targets are read-only", scope.as_str()),
            Refusal::ConditionFailed(Condition::Absent) => "the variable exists already".into(),
            Refusal::ConditionFailed(Condition::Exists) => "the variable does not exist".into(),
            Refusal::ConditionFailed(_) => "the variable is not at the expected revision".into(),
            Refusal::NotCountable(why) => (*why).into(),
            Refusal::ContextMismatch(what) => what.clone(),
            Refusal::ApiKeyNotFound(id) => format!("Key '{id}' not found"),
            Refusal::AccountNotFound(id) => format!("Account '{id}' not found"),
            Refusal::ChatFileTaken(chat_file, session) => {
                format!(
                    "the chat_file '{chat_file}' is that of session '{session}'; use that session, or give this one \
                     another chat_file"
                )
            }
            Refusal::IdTaken(what, id) => format!("the id '{id}' is taken by another {what}; choose another id"),
            Refusal::TurnDiffers { page, what } if what.is_empty() => {
                format!("the page '{page}' was made by another turn")
            }
            Refusal::TurnDiffers { page, what } => format!(
                "the page '{page}' was made by another turn: {} not the same",
                match what.as_slice() {
                    [one] => format!("{one} is"),
                    more => format!("{} are", more.join(", ")),
                }
            ),
            Refusal::FloorElsewhere(floor, field) => format!("floor '{floor}' has another {field}"),
            Refusal::ParentElsewhere(parent) => {
                format!("floor '{parent}' is not the one before this position on the branch")
            }
            Refusal::PageElsewhere { page, floor } => format!("the page '{page}' belongs to floor '{floor}'"),
            Refusal::TrashNotFound(id) => format!("nothing in the trash has the id '{id}'"),
            Refusal::PositionTaken(what, place) => {
                format!("{what} {place} is taken; leave the number out to get the next free one")
            }
            Refusal::FloorNumberTaken { floor_no, next } => {
                let advice = match next {
                    Some(next) => format!("the next free one is {next}"),
                    None => "choose a free one below the last floor's".into(),
                };
                format!("floor number {floor_no} is taken on this branch; {advice}")
            }
            Refusal::FloorNumbersEnd => format!(
                "the branch's last floor has the highest number there is, {POSITION_MAX}; choose a floor_no that is free"
            ),
            Refusal::BranchExists(id) => format!("Branch '{id}' exists already; choose another name"),
            Refusal::BranchProtected => "the branch 'main' cannot be deleted; delete the session".into(),
            Refusal::InvalidState { found, wanted } => format!("a floor that is '{}' cannot {wanted}", found.as_str()),
            Refusal::LedgerPageNotFound => "Message page not found".into(),
            Refusal::TooMany(what, most) => format!("there are {most} {what} already, and no more may be"),
            Refusal::PatchMisfit(misfit) => misfit.to_string(),
            Refusal::JobNotFound(id) => format!("Job '{id}' not found"),
            Refusal::JobNotCancellable(why) => (*why).into(),
            Refusal::KeyReused => "the idempotency key was used for another request".into(),
            Refusal::StoredResponse(_) => "the same request was refused before".into(),
            Refusal::SnapshotNotFound(id) => format!("Snapshot '{id}' not found"),
            Refusal::GlobalSnapshotNotFound(id) => format!("Global snapshot '{id}' not found"),
            Refusal::PageWithoutState(id) => format!(
                "the page '{id}' has no state of its own: no commands are read from it, or it was never chosen; choose another \
                 page, or activate it"
            ),
            Refusal::SyncConflict(why) => why.clone(),
            Refusal::SyncTooLarge => format!(
                "the pages that are new or changed would get more than {SYNC_WRITTEN_BYTES_MAX} bytes of text; sync the first \
                 part of the chat, then a longer one, and so on"
            ),
            Refusal::ForkTooDeep => format!(
                "at most {FORK_DEPTH_MAX} branches can be forked one behind the other; fork a floor of an earlier branch"
            ),
            Refusal::BranchBusy(job) => format!("the branch is being processed by the job '{job}'"),
            Refusal::SyncDeletes { deleted, floors, .. } => {
                format!("the sync would delete {deleted} of {floors} floors")
            }
            Refusal::ChatMoved => "the branch is not at the expected version of the chat".into(),
            Refusal::CharacterNotFound(id) => format!("Character '{id}' not found"),
            Refusal::SnapshotMoved => "the snapshot is not at the expected version".into(),
            Refusal::ParentMoved => {
                "the state that this builds on is another one now; read the branch's state and try again".into()
            }
            Refusal::VariableReserved(key) => format!(
                "'{key}' is the story's state and cannot be written as a variable; take a turn or edit its snapshot"
            ),
            Refusal::EventsPurged { .. } => "the events behind this position have been purged".into(),
        }
    }
}
