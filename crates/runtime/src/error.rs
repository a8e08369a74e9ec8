//! What stops an operation of the runtime. Each variant is something else that a caller can do about it.

use std::fmt;
use tavernkeep_engine::id::Id;
pub use tavernkeep_store::Refusal;
use tavernkeep_store::StoreError;
pub use tavernkeep_store::error::PAGE_EDITS;
use tokio::task::JoinError;

/// The result of an operation of the runtime.
pub type RuntimeResult<T> = Result<T, RuntimeError>;

/// Why an operation was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuntimeError {
    /// The request does not fit what is stored. Nothing was written.
    Refused(Refusal),
    /// An undo would change nothing.
    NothingToUndo,
    /// The page has no undo that could be taken back.
    NothingToRedo,
    /// A state would be no object.
    NotAnObject,
    /// The place of the value that an undo would restore is not there any more.
    NotRestorable,
    /// Something outside cannot be used or is too busy; the same request may succeed later.
    Unavailable(String),
    /// The database went away while a write was being committed: it may be stored or not.
    Unconfirmed(String),
    /// Two writers got into each other's way too often; the same request may succeed at once.
    Contended(String),
    /// What was asked for is larger than there is room for in memory right now; the same request may succeed later.
    NoRoom,
    /// There is no room to write.
    Full(String),
    /// The database was removed or replaced while it was open, or another program wrote to it, so nothing can be stored.
    Gone(String),
    /// Stored data cannot be read.
    Damaged(String),
    /// The database, folder or file that was named cannot be used by this program.
    Unusable(String),
    /// The workers that run scripts could not be asked.
    ScriptsUnavailable(String),
    /// The session's profile uses no rule pack.
    NoPack,
    /// A file cannot be read as what it should be: why, and what to do. Nothing was written.
    ImportUnreadable(String),
    /// A file is larger than one may be: what of it. Nothing was written.
    ImportTooLarge(String),
    /// What a file would become is there already. Nothing was written.
    ImportExists {
        /// A chat or a character.
        what: &'static str,
        /// Its name.
        name: String,
        /// The session or the character that has it.
        id: Id,
    },
    /// No summary is due.
    NoSummaryDue,
    /// There is no state that could take a summary, or nothing to sum up.
    NothingToSummarize,
    /// No model is configured.
    NoModel,
    /// The model could not be asked, or gave no answer.
    ModelUnavailable(String),
    /// The program ends, and the work was dropped.
    ShuttingDown,
    /// A defect of this program.
    Bug(String),
}

impl RuntimeError {
    /// Whether the request was understood and refused, and will be refused again.
    pub(crate) fn is_final_refusal(&self) -> bool {
        match self {
            RuntimeError::Refused(refusal) => !refusal.passes(),
            RuntimeError::NothingToUndo
            | RuntimeError::NothingToRedo
            | RuntimeError::NoPack
            | RuntimeError::NoSummaryDue
            | RuntimeError::NothingToSummarize
            | RuntimeError::NoModel
            | RuntimeError::NotAnObject
            | RuntimeError::NotRestorable
            | RuntimeError::ImportUnreadable(_)
            | RuntimeError::ImportTooLarge(_)
            | RuntimeError::ImportExists { .. } => true,
            _ => false,
        }
    }
}

impl From<StoreError> for RuntimeError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Refused(refusal) => RuntimeError::Refused(refusal),
            StoreError::Internal(cause) => RuntimeError::Bug(cause),
            StoreError::Unavailable(_) | StoreError::Cancelled => RuntimeError::Unavailable(error.to_string()),
            StoreError::Unconfirmed(_) => RuntimeError::Unconfirmed(error.to_string()),
            StoreError::Contended(_) | StoreError::ClockBusy(_) | StoreError::Reserved(_) | StoreError::InParts => {
                RuntimeError::Contended(error.to_string())
            }
            StoreError::NoRoom | StoreError::NotSmall => RuntimeError::NoRoom,
            StoreError::Gone(_) => RuntimeError::Gone(error.to_string()),
            StoreError::Full(_) => RuntimeError::Full(error.to_string()),
            StoreError::Corrupt(_) => RuntimeError::Damaged(error.to_string()),
            StoreError::NewerSchema { .. } | StoreError::Unusable(_) => RuntimeError::Unusable(error.to_string()),
        }
    }
}

impl From<Refusal> for RuntimeError {
    fn from(refusal: Refusal) -> Self {
        RuntimeError::Refused(refusal)
    }
}

/// Work on a thread of its own that did not come to its end.
impl From<JoinError> for RuntimeError {
    fn from(error: JoinError) -> Self {
        if error.is_cancelled() { RuntimeError::ShuttingDown } else { RuntimeError::Bug(error.to_string()) }
    }
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuntimeError::Refused(refusal) => refusal.fmt(formatter),
            RuntimeError::NothingToUndo => {
                formatter.write_str("the page changed nothing there, so nothing can be taken back")
            }
            RuntimeError::NothingToRedo => formatter.write_str("the page has no undo that could be taken back"),
            RuntimeError::NotAnObject => formatter.write_str("a state is an object; the patch would make something else of it"),
            RuntimeError::NotRestorable => formatter.write_str(
                "what held this value is not there any more, or its list has other items now, so it is not known which one \
                 it was; take back what holds it, or everything",
            ),
            RuntimeError::Unavailable(cause)
            | RuntimeError::Unconfirmed(cause)
            | RuntimeError::Contended(cause)
            | RuntimeError::Full(cause)
            | RuntimeError::Gone(cause)
            | RuntimeError::Damaged(cause)
            | RuntimeError::ImportUnreadable(cause)
            | RuntimeError::ImportTooLarge(cause)
            | RuntimeError::Unusable(cause) => formatter.write_str(cause),
            RuntimeError::ImportExists { what, name, id } => write!(formatter, "the {what} {name:?} is there already ({id})"),
            RuntimeError::NoRoom => {
                formatter.write_str("the response has no room; nothing was changed, ask for less at a time or try again in a second")
            }
            RuntimeError::NoPack => formatter
                .write_str("the profile of the session uses no rule pack; give it the profile `memory`, or one with `packs`"),
            RuntimeError::NoSummaryDue => {
                formatter.write_str("no summary is due; send `text` to add one anyway, or `force` to have one written")
            }
            RuntimeError::NothingToSummarize => formatter
                .write_str("there is nothing to sum up: the branch has no processed page, or its state no summaries"),
            RuntimeError::NoModel => formatter.write_str(
                "no model is configured (`model_url`); send the summary as `text`, or let the next reply write it",
            ),
            RuntimeError::ModelUnavailable(cause) => write!(formatter, "the model gave no summary: {cause}"),
            RuntimeError::ScriptsUnavailable(cause) => write!(formatter, "scripts cannot be run: {cause}"),
            RuntimeError::ShuttingDown => formatter.write_str("the program is shutting down; try again"),
            RuntimeError::Bug(cause) => write!(formatter, "internal error: {cause}"),
        }
    }
}

impl std::error::Error for RuntimeError {}
