//! What happened.

use super::Host;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::key::Key;

tavernkeep_engine::stored_enum! {
    EventKind {
        VariableCreated = "variable.set",
        VariableUpdated = "variable.set",
        VariableDeleted = "variable.deleted",
        /// A page's value went on to a floor, a branch or the chat.
        VariablePromoted = "variable.promoted",
        SessionCreated = "session.created",
        SessionUpdated = "session.updated",
        SessionDeleted = "session.deleted",
        BranchCreated = "branch.created",
        BranchDeleted = "branch.deleted",
        FloorCreated = "floor.created",
        FloorUpdated = "floor.updated",
        FloorGenerating = "floor.generating",
        FloorCommitted = "floor.committed",
        FloorFailed = "floor.failed",
        FloorDeleted = "floor.deleted",
        PageCreated = "page.created",
        PageUpdated = "page.updated",
        PageActivated = "page.activated",
        PageDeleted = "page.deleted",
        WriteStaged = "variable.staged",
        /// A job got on, or ended.
        JobChanged = "job.changed",
        /// A page has another state: its text was applied.
        StateComputed = "state.computed",
        /// A page has another state: it was edited by hand.
        StateEdited = "state.edited",
        /// A snapshot is gone; its page, if there is one, is unprocessed.
        StateDropped = "state.dropped",
        GlobalSnapshotCreated = "global_snapshot.created",
        GlobalSnapshotUpdated = "global_snapshot.updated",
        GlobalSnapshotDeleted = "global_snapshot.deleted",
        CharacterCreated = "character.created",
        CharacterUpdated = "character.updated",
        CharacterDeleted = "character.deleted",
        FunctionCreated = "function.created",
        /// A function was changed, moved, ordered or switched.
        FunctionUpdated = "function.updated",
        FunctionDeleted = "function.deleted",
        /// A call of a tool was made, got on or ended.
        CallChanged = "call.changed",
        /// A person has to decide about a call.
        ApprovalRequested = "approval.requested",
        /// A person has decided, or nobody did in time.
        ApprovalDecided = "approval.decided",
        /// A variable of the scratchpad was written or removed by hand or by a model.
        ScratchpadChanged = "scratchpad.changed",
        /// Groups of tools were registered, enabled or disabled.
        ToolsChanged = "tools.changed",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    Account,
    Session { session_row: i64 },
    Branch { session_row: i64, branch_row: i64 },
}

/// Where an event stands: no two are the same, and later ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventPosition {
    /// The write: a counter on SQLite, the transaction's number on PostgreSQL.
    pub position: i64,
    /// The event within its write, or within the writes that share its position.
    pub ordinal: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Where it stands in the order of all events of its account.
    pub place: EventPosition,
    pub at: i64,
    pub kind: EventKind,
    /// In which session; none for the account's own.
    pub session: Option<Id>,
    pub branch: Option<String>,
    /// The session's row; 0 for the account's own, and for the end of a session.
    pub session_row: i64,
    pub branch_row: Option<i64>,
    /// What it happened to: the id of a variable, session, floor, page or job.
    pub subject: Id,
    pub host: Option<Host>,
    pub key: Option<Key>,
    /// The value that a variable got; none if it was deleted, or if the host is gone meanwhile.
    pub value: Option<JsonText>,
    /// Further detail; a JSON object.
    pub detail: Option<JsonText>,
}
