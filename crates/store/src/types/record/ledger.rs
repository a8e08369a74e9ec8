//! What became of variables and of proposals.

use super::Host;
use serde::{Deserialize, Serialize};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::staging::{ConflictPolicy, Decision, Intent, SourceKind, StagedOp, StagedStatus};

tavernkeep_engine::stored_enum! {
    /// How a variable came to be written.
    HistorySource {
        /// A client put the value there or deleted it.
        Put = "put",
        /// It was counted up.
        Increment = "increment",
        /// It was patched.
        Patch = "patch",
        /// A staged write of the page was accepted.
        Staged = "staged",
        /// A page promoted it.
        Promoted = "promoted",
        /// A swipe brought back what counted before.
        Restored = "restored",
        /// The branch it was inherited from is gone, so it stands here now.
        Inherited = "inherited",
        /// What a page had promoted was taken back, and nothing stood there before.
        Withdrawn = "withdrawn",
    }
}

/// One write of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The tick of the write, which was the variable's revision then.
    pub revision: i64,
    /// When.
    pub at: i64,
    /// The variable's id then; one that was deleted and made again has another.
    pub variable: Id,
    /// How.
    pub source: HistorySource,
    /// The page that it was promoted from, while that exists.
    pub page: Option<Id>,
    /// The new value; none for a deletion.
    pub value: Option<JsonText>,
}

/// A proposal for a page's variable, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagedWrite {
    /// Public id.
    pub id: Id,
    /// The key.
    pub key: Key,
    /// What it wants to do.
    pub op: StagedOp,
    /// The value to set.
    pub value: Option<JsonText>,
    /// How far it wants to go.
    pub intent: Intent,
    /// What happens where the target has the key.
    pub policy: ConflictPolicy,
    /// Who proposed it.
    pub source_kind: SourceKind,
    /// Why.
    pub reason: Option<String>,
    /// Where it came from; any JSON.
    pub source: Option<JsonText>,
    /// What speaks for it; any JSON.
    pub evidence: Option<JsonText>,
    /// Where it stands.
    pub status: StagedStatus,
    /// Why it ended as it did.
    pub decision: Option<Decision>,
    /// When it was staged.
    pub created_at: i64,
    /// When it was decided.
    pub resolved_at: Option<i64>,
}

/// One hop of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promotion {
    /// Public id.
    pub id: Id,
    /// The staged write that asked for it; none for a value that was put on the page.
    pub staged_write: Option<Id>,
    /// The key.
    pub key: Key,
    /// Where the value was.
    pub from: Host,
    /// Where it went.
    pub to: Host,
    /// What happened where the target had the key.
    pub policy: ConflictPolicy,
    /// The variable it was.
    pub source_variable: Option<Id>,
    /// The variable it became.
    pub target_variable: Option<Id>,
    /// The value; none for the promotion of a deletion.
    pub value: Option<JsonText>,
    /// When.
    pub created_at: i64,
}

/// What is written down about a page, with the names of where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger<T> {
    /// The page.
    pub page: Id,
    /// Its floor.
    pub floor: Id,
    /// Its session.
    pub session: Id,
    /// Its branch.
    pub branch: String,
    /// The entries.
    pub items: Vec<T>,
}

impl<T> Ledger<T> {
    /// The same page with other entries.
    pub(crate) fn with<U>(self, items: Vec<U>) -> Ledger<U> {
        Ledger { page: self.page, floor: self.floor, session: self.session, branch: self.branch, items }
    }
}
