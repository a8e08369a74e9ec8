//! What can stop an operation: a refusal that the caller can act on, or trouble with the database.

use crate::types::record::{Condition, Host};
use std::fmt;
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::json_patch::Misfit;
use tavernkeep_engine::library::InvalidFunction;
use tavernkeep_engine::limits::{FORK_DEPTH_MAX, FUNCTIONS_BYTES_MAX, POSITION_MAX, SYNC_WRITTEN_BYTES_MAX};
use tavernkeep_engine::scope::Scope;
use tavernkeep_engine::tools::call::ApprovalOutcome;
use tavernkeep_engine::tools::variable::Unwritable;

pub type StoreResult<T> = Result<T, StoreError>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// The request does not fit the state of things. Nothing was written.
    Refused(Refusal),
    /// The database cannot be reached or is too busy; the same request may succeed later.
    Unavailable(String),
    /// The connection broke while the write was being committed: it may be stored or not.
    Unconfirmed(String),
    /// Two writers got into each other's way too often; the same request may succeed at once.
    Contended(String),
    /// Another write of this process holds a clock that this one needs: the number of its queue. The store waits and runs the write
    /// again, so no caller sees this.
    ClockBusy(u64),
    /// Work of this process has reserved the session for itself: the number of its queue. The store waits and runs the write again, so no
    /// caller sees this.
    Reserved(u64),
    /// The write needs something that is too long for one transaction. The store does it in parts and runs the write again, so no caller
    /// sees this.
    InParts,
    /// The request ran out of time before its first write began. Nothing was written.
    Cancelled,
    /// What was asked for is larger than there is room for in memory right now.
    NoRoom,
    /// A read that was to be small decodes more than a little. Its caller reads again where that may take its time.
    NotSmall,
    Full(String),
    /// The file of the database was removed or replaced while it was open, or another program wrote to it. Nothing can be stored.
    Gone(String),
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
    /// The floor that a branch would be forked from.
    SourceFloorNotFound(Id),
    /// The profile has no such view.
    ViewNotFound {
        name: String,
        known: Vec<String>,
    },
    /// The floor has no position in the history of variables that a fork could read them as of.
    LocalSnapshotMissing {
        floor: Option<Id>,
        branch: String,
    },
    FloorNumberNotFound {
        branch: String,
        floor_no: i64,
    },
    PageNotFound(Id),
    ApiKeyNotFound(Id),
    /// No such browser is signed in.
    BrowserNotFound(Id),
    AccountNotFound(Id),
    /// Something with this id exists already: what and which.
    IdTaken(&'static str, String),
    /// An id that only copies of floors and pages have.
    IdReserved(String),
    ChatFileTaken(String, Id),
    /// What is in the trash cannot come back under its id, since something else has it: what and which.
    RestoreTaken(&'static str, String),
    /// A session in the trash cannot come back with its chat_file, since another session has it.
    RestoreChatTaken(String, Id),
    /// The item of the trash has no names of its own that it could be restored under; its kind.
    RestoreUnnamed(&'static str),
    /// A character or global snapshot has no `chat_file` that it could be restored under: the kind of the item.
    RestoreWithoutChatFile(&'static str),
    /// The page of the snapshot is deleted, so its state cannot be edited.
    SnapshotOfDeletedPage(Id),
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
    /// An item of dropped states whose pages all have others.
    NothingToRestore,
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
    /// The same, and so many of them are in the trash.
    TooManyWithTrash {
        what: &'static str,
        max: i64,
        trashed: i64,
    },
    PatchMisfit(Misfit),
    JobNotFound(Id),
    /// The job cannot be cancelled: why.
    JobNotCancellable(&'static str),
    KeyReused,
    /// The same request was refused before. This is what the caller stored as its response then, as JSON.
    StoredResponse(JsonText),
    SnapshotNotFound(Id),
    EditNotFound(Id),
    GlobalSnapshotNotFound(Id),
    FunctionNotFound(Id),
    /// The function comes with the program: it can be switched and copied, and nothing else.
    FunctionBuiltIn(Id),
    /// A function cannot be kept: which one of a list, and why.
    FunctionInvalid(Option<usize>, InvalidFunction),
    FunctionMoved,
    /// An order of functions is not one of all functions of a scope: one that is too much, by its place, or one that is missing.
    FunctionOrder {
        place: Option<usize>,
        id: Id,
    },
    FunctionsTooLong,
    PageWithoutState(Id),
    SnapshotMoved,
    /// A session, a character or a page is not what the write expects.
    ContentMoved(&'static str),
    ParentMoved,
    CharacterNotFound(Id),
    /// The branch cannot be made equal to a chat: why, and what to do.
    SyncConflict(String),
    SyncTooLarge,
    ForkTooDeep,
    BranchBusy(Id),
    ChatMoved,
    /// More messages are to be kept than the branch has: so many.
    KeptTooMany(usize),
    /// A sync would delete so many of so many floors, replace texts of so many others, and delete so many swipes of others.
    SyncDeletes {
        deleted: usize,
        replaced: usize,
        swipes: usize,
        floors: usize,
        version: String,
    },
    VariableReserved(String),
    CallNotFound(Id),
    ApprovalNotFound(Id),
    /// The approval was decided otherwise before, or ended without a decision.
    ApprovalSettled {
        approval: Id,
        call: Id,
        outcome: ApprovalOutcome,
    },
    ScratchVariableNotFound(String),
    ToolGroupNotFound(String),
    ToolNotFound(String),
    /// A skill rule cannot be written or removed.
    RuleProtected(String),
    /// A call, an approval or a variable of the scratchpad does not allow this now: why.
    ToolState(String),
    GrantNotFound(Id),
    /// The tools of the session were changed while a call or a decision was being made with the old ones.
    ToolsChanged,
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
            StoreError::Unconfirmed(cause) => write!(formatter, "the write may have been stored or not: {cause}"),
            StoreError::Contended(cause) => write!(formatter, "two writers got into each other's way: {cause}"),
            StoreError::ClockBusy(_) | StoreError::Reserved(_) => {
                formatter.write_str("two writers got into each other's way: one waits for a clock")
            }
            StoreError::InParts => formatter.write_str("a write waits for work that is done in parts"),
            StoreError::Cancelled => formatter.write_str("the request ran out of time before it began to write"),
            StoreError::NotSmall => formatter.write_str("a read on a thread that serves others is too large"),
            StoreError::NoRoom => formatter.write_str("the response has no room"),
            StoreError::Gone(cause) => formatter.write_str(cause),
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
            Refusal::ParentMoved | Refusal::BranchBusy(_) | Refusal::ToolsChanged => true,
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
                | Refusal::FunctionNotFound(_)
        )
    }
}

/// What there are too many of on a page that was edited by hand very often.
pub const PAGE_EDITS: &str = "edits of one page";

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
            Refusal::SourceFloorNotFound(id) => format!("Source floor '{id}' not found"),
            Refusal::ViewNotFound { name, known } if known.is_empty() => {
                format!("View '{name}' not found: the profile has no views")
            }
            Refusal::ViewNotFound { name, known } => {
                format!("View '{name}' not found; the profile has {}", known.join(", "))
            }
            Refusal::LocalSnapshotMissing { floor, branch } => {
                let floor = floor.as_ref().map_or_else(|| "(deleted)".to_owned(), ToString::to_string);
                format!("Source floor '{floor}' in branch '{branch}' does not have a branch local snapshot")
            }
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
            Refusal::BrowserNotFound(id) => format!("Browser '{id}' is not signed in"),
            Refusal::AccountNotFound(id) => format!("Account '{id}' not found"),
            Refusal::ChatFileTaken(chat_file, session) => {
                format!(
                    "the chat_file '{chat_file}' is that of session '{session}'; use that session, or give this one \
                     another chat_file"
                )
            }
            Refusal::RestoreTaken(what, id) => format!("the id '{id}' is taken by another {what}"),
            Refusal::RestoreChatTaken(chat_file, session) => {
                format!("the chat_file '{chat_file}' is that of session '{session}'")
            }
            Refusal::RestoreUnnamed(kind) => {
                format!("an item of kind '{kind}' goes back to where it was and takes no other name")
            }
            Refusal::RestoreWithoutChatFile(kind) => format!("an item of kind '{kind}' has no chat_file"),
            Refusal::SnapshotOfDeletedPage(id) => {
                format!("the page of the snapshot '{id}' is deleted, so its state can be read and not edited")
            }
            Refusal::IdReserved(id) => {
                format!("the id '{id}' has the form of a copy's, '~~' and two numbers at its end; choose another id")
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
            Refusal::TrashNotFound(id) => format!(
                "nothing in the trash has the id '{id}'; what was deleted from a session that is in the trash itself is there again \
                 once the session is restored"
            ),
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
            Refusal::TooMany(what, most) => {
                format!("there are {most} {what} already, which is the most that is allowed")
            }
            Refusal::TooManyWithTrash { what, max, trashed } => {
                format!(
                    "there are {max} {what} already, {trashed} of them in the trash, which is the most that is allowed"
                )
            }
            Refusal::PatchMisfit(misfit) => misfit.to_string(),
            Refusal::JobNotFound(id) => format!("Job '{id}' not found"),
            Refusal::JobNotCancellable(why) => (*why).into(),
            Refusal::KeyReused => "the idempotency key was used for another request".into(),
            Refusal::StoredResponse(_) => "the same request was refused before".into(),
            Refusal::SnapshotNotFound(id) => format!("Snapshot '{id}' not found"),
            Refusal::EditNotFound(id) => format!("the page has no edit '{id}'"),
            Refusal::GlobalSnapshotNotFound(id) => format!("Global snapshot '{id}' not found"),
            Refusal::FunctionNotFound(id) => format!("Function '{id}' not found"),
            Refusal::FunctionBuiltIn(id) => format!(
                "the function '{id}' comes with the program: it can be switched on and off and copied; change a copy"
            ),
            Refusal::FunctionInvalid(_, error) => format!("{}: {}", error.field, error.message),
            Refusal::FunctionMoved => "the function is not at the expected version".into(),
            Refusal::FunctionOrder { place: Some(_), id } => {
                format!("'{id}' is no function of this scope, or stands twice in the list")
            }
            Refusal::FunctionOrder { place: None, id } => {
                format!("the function '{id}' is missing; the list must have all functions of the scope")
            }
            Refusal::FunctionsTooLong => {
                format!("the functions of one scope may have at most {FUNCTIONS_BYTES_MAX} bytes of text together")
            }
            Refusal::PageWithoutState(id) => format!(
                "the page '{id}' has no state of its own: no commands are read from it, as from pages of a user, or it was never \
                 chosen; choose another page, activate it, or make it the model's (role assistant)"
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
            Refusal::SyncDeletes { deleted, replaced, swipes, floors, .. } => {
                sync_losses((*deleted, *replaced, *swipes), *floors)
            }
            Refusal::NothingToRestore => {
                "every page of this item has another state by now, so nothing would be restored".into()
            }
            Refusal::ChatMoved => "the branch is not at the expected version of the chat".into(),
            Refusal::KeptTooMany(messages) => {
                format!("more messages are to be kept than the branch has at the expected version, which is {messages}")
            }
            Refusal::CharacterNotFound(id) => format!("Character '{id}' not found"),
            Refusal::ContentMoved(what) => format!("the {what} is not what it was when it was read"),
            Refusal::SnapshotMoved => "the snapshot is not at the expected version".into(),
            Refusal::ParentMoved => {
                "the state that this builds on is another one now; read the branch's state and try again".into()
            }
            Refusal::VariableReserved(key) => format!(
                "'{key}' is the story's state and cannot be written as a variable; take a turn or edit its snapshot"
            ),
            Refusal::CallNotFound(id) => format!("Call '{id}' not found"),
            Refusal::ApprovalNotFound(id) => format!("Approval '{id}' not found"),
            Refusal::ApprovalSettled { approval, call, outcome } => match outcome {
                ApprovalOutcome::Approved | ApprovalOutcome::Rejected => format!(
                    "approval '{approval}' was {} before, and a decision cannot be changed; read call '{call}'",
                    outcome.as_str()
                ),
                ApprovalOutcome::TimedOut => {
                    format!("approval '{approval}' timed out: nobody decided in time; make the call '{call}' again")
                }
                ApprovalOutcome::Cancelled => format!("approval '{approval}' ended: call '{call}' was cancelled"),
            },
            Refusal::ScratchVariableNotFound(name) => format!("Variable '{name}' not found."),
            Refusal::ToolGroupNotFound(name) => format!("Tool group '{name}' not found"),
            Refusal::ToolNotFound(name) => format!("Tool {name} not found"),
            Refusal::RuleProtected(name) => Unwritable::Rule(name.clone()).to_string(),
            Refusal::ToolState(why) => why.clone(),
            Refusal::GrantNotFound(id) => format!("Grant '{id}' not found"),
            Refusal::ToolsChanged => "the tools of the session were changed at the same moment; try again".to_owned(),
            Refusal::EventsPurged { .. } => "the events behind this position have been purged".into(),
        }
    }
}

/// What a sync would lose: so many deleted floors, floors whose texts are replaced, and deleted swipes.
fn sync_losses((deleted, replaced, swipes): (usize, usize, usize), floors: usize) -> String {
    let others = if deleted > 0 { "others".to_owned() } else { format!("of {floors} floors") };
    let losses = [
        (deleted, format!("delete {deleted} of {floors} floors")),
        (replaced, format!("replace the texts of {replaced} {others}")),
        (swipes, format!("delete {swipes} {} of floors that stay", if swipes == 1 { "swipe" } else { "swipes" })),
    ];
    let losses: Vec<String> = losses.into_iter().filter(|(count, _)| *count > 0).map(|(_, loss)| loss).collect();
    format!("the sync would {}", losses.join(" and "))
}
