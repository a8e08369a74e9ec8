//! What happened.

use super::Host;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::key::Key;

tavernkeep_engine::stored_enum! {
    /// What an event emits.
    EventKind {
        /// A variable is new.
        VariableCreated = "variable.set",
        /// A variable has another value.
        VariableUpdated = "variable.set",
        /// A variable is gone.
        VariableDeleted = "variable.deleted",
        /// A page's value went on to a floor, a branch or the chat.
        VariablePromoted = "variable.promoted",
        /// A session is new.
        SessionCreated = "session.created",
        /// A session's title or metadata changed.
        SessionUpdated = "session.updated",
        /// A session is gone, with everything in it.
        SessionDeleted = "session.deleted",
        /// A branch is new.
        BranchCreated = "branch.created",
        /// A branch is gone, with its floors.
        BranchDeleted = "branch.deleted",
        /// A floor is new.
        FloorCreated = "floor.created",
        /// A floor's position or metadata changed.
        FloorUpdated = "floor.updated",
        /// A model starts to write.
        FloorGenerating = "floor.generating",
        /// A floor became part of the story.
        FloorCommitted = "floor.committed",
        /// A floor was given up.
        FloorFailed = "floor.failed",
        /// A floor is gone, with its pages.
        FloorDeleted = "floor.deleted",
        /// A page is new.
        PageCreated = "page.created",
        /// A page's text or its labels changed.
        PageUpdated = "page.updated",
        /// Another swipe was chosen.
        PageActivated = "page.activated",
        /// A page is gone.
        PageDeleted = "page.deleted",
        /// A write was staged on a page.
        WriteStaged = "variable.staged",
        /// A job got on, or ended.
        JobChanged = "job.changed",
        /// A page has another state: its text was applied.
        StateComputed = "state.computed",
        /// A page has another state: it was edited by hand.
        StateEdited = "state.edited",
        /// A snapshot is gone; its page, if there is one, is unprocessed.
        StateDropped = "state.dropped",
        /// A global snapshot is new.
        GlobalSnapshotCreated = "global_snapshot.created",
        /// A global snapshot has another name, description, tag or body.
        GlobalSnapshotUpdated = "global_snapshot.updated",
        /// A global snapshot is gone.
        GlobalSnapshotDeleted = "global_snapshot.deleted",
        /// A character is new.
        CharacterCreated = "character.created",
        /// A character changed.
        CharacterUpdated = "character.updated",
        /// A character is gone.
        CharacterDeleted = "character.deleted",
    }
}

/// Whose events are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Everything in the account.
    Account,
    /// Everything in a session.
    Session {
        /// The session.
        session_row: i64,
    },
    /// What happens on one branch.
    Branch {
        /// The session.
        session_row: i64,
        /// The branch.
        branch_row: i64,
    },
}

/// Where an event stands: no two are the same, and later ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventPosition {
    /// The write: a counter on SQLite, the transaction's number on PostgreSQL.
    pub position: i64,
    /// The event within its write, or within the writes that share its position.
    pub ordinal: i64,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Where it stands in the order of all events of its account.
    pub place: EventPosition,
    /// When.
    pub at: i64,
    /// What.
    pub kind: EventKind,
    /// In which session; none for the account's own.
    pub session: Option<Id>,
    /// On which branch.
    pub branch: Option<String>,
    /// The session's row; 0 for the account's own, and for the end of a session.
    pub session_row: i64,
    /// The branch's row.
    pub branch_row: Option<i64>,
    /// What it happened to: the id of a variable, session, floor, page or job.
    pub subject: Id,
    /// The host of a variable.
    pub host: Option<Host>,
    /// The key of a variable.
    pub key: Option<Key>,
    /// The value that a variable got; none if it was deleted, or if the host is gone meanwhile.
    pub value: Option<JsonText>,
    /// Further detail; a JSON object.
    pub detail: Option<JsonText>,
}
