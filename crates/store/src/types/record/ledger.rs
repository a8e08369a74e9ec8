//! What became of variables and of proposals.

use super::Host;
use crate::types::order::NewStagedWrite;
use serde::{Deserialize, Serialize};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::staging::{ConflictPolicy, Decision, StagedStatus};

tavernkeep_engine::stored_enum! {
    HistorySource {
        /// A client put the value there or deleted it.
        Put = "put",
        Increment = "increment",
        Patch = "patch",
        Staged = "staged",
        Promoted = "promoted",
        /// A swipe brought back what counted before.
        Restored = "restored",
        /// The branch it was inherited from is gone, so it stands here now.
        Inherited = "inherited",
        /// What a page had promoted was taken back, and nothing stood there before.
        Withdrawn = "withdrawn",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The tick of the write, which was the variable's revision then.
    pub revision: i64,
    pub at: i64,
    /// The variable's id then; one that was deleted and made again has another.
    pub variable: Id,
    pub source: HistorySource,
    /// The page that it was promoted from, while that exists.
    pub page: Option<Id>,
    /// The new value; none for a deletion.
    pub value: Option<JsonText>,
}

/// A proposal for a page's variable, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagedWrite {
    pub id: Id,
    #[serde(flatten)]
    pub asked: NewStagedWrite,
    pub status: StagedStatus,
    pub decision: Option<Decision>,
    pub created_at: i64,
    pub resolved_at: Option<i64>,
}

/// One hop of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promotion {
    pub id: Id,
    /// The staged write that asked for it; none for a value that was put on the page.
    pub staged_write: Option<Id>,
    pub key: Key,
    pub from: Host,
    pub to: Host,
    /// What happened where the target had the key.
    pub policy: ConflictPolicy,
    pub source_variable: Option<Id>,
    pub target_variable: Option<Id>,
    /// The value; none for the promotion of a deletion.
    pub value: Option<JsonText>,
    pub created_at: i64,
}

/// What is written down about a page, with the names of where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger<T> {
    pub page: Id,
    pub floor: Id,
    pub session: Id,
    pub branch: String,
    pub items: Vec<T>,
}

impl<T> Ledger<T> {
    /// The same page with other entries.
    pub fn with<U>(self, items: Vec<U>) -> Ledger<U> {
        Ledger { page: self.page, floor: self.floor, session: self.session, branch: self.branch, items }
    }
}
