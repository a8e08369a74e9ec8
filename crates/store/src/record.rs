//! The shapes that come out of the store and the orders that go in. They are plain data: no SQL, no wire format.

pub use crate::tx::EventPlace;
use serde::{Deserialize, Serialize};
use tavernkeep_engine::floor::{FloorState, PageKind};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::kept_as_text;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::resolve::Scoped;
use tavernkeep_engine::role::Role;
use tavernkeep_engine::scope::Scope;
use tavernkeep_engine::staging::{ConflictPolicy, Decision, Intent, SourceKind, StagedOp, StagedStatus};

/// One tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Public id.
    pub id: Id,
    /// When it was created, in ms since 1970.
    pub created_at: i64,
    /// Set while the account may not be used.
    pub disabled_at: Option<i64>,
}

/// An API key, without its secret: that is stored only as a hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    /// Public id, with which the key is revoked.
    pub id: Id,
    /// The account it opens.
    pub account: Id,
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// When it was created.
    pub created_at: i64,
    /// From when on it opens nothing.
    pub expires_at: Option<i64>,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
}

/// One conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Public id.
    pub id: Id,
    /// What people call it.
    pub title: Option<String>,
    /// Anything a client wants to keep with it; a JSON object.
    pub metadata: Option<JsonText>,
    /// The name of the chat in a front end; unique in the account.
    pub chat_file: String,
    /// How commands are read and applied; none for the usual profile.
    pub profile: Option<JsonText>,
    /// The name of the story's state among variables, if it has another than the usual one.
    pub state_key: Option<String>,
    /// The character it is told with, while that exists.
    pub character: Option<Id>,
    /// When it was created.
    pub created_at: i64,
    /// When it, its branches, floors or pages last changed. Variables do not count.
    pub updated_at: i64,
}

/// Whom stories are told with, as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CharacterSummary {
    /// Public id.
    pub id: Id,
    /// What people call it.
    pub name: String,
    /// Whether texts of its sessions are processed.
    pub enabled: bool,
    /// How many greetings it has.
    pub greeting_count: i64,
    /// When it was created.
    pub created_at: i64,
    /// When it last changed.
    pub updated_at: i64,
}

/// Whom stories are told with, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Character {
    /// What lists show.
    pub summary: CharacterSummary,
    /// How commands are read and applied; none for the usual profile.
    pub profile: Option<JsonText>,
    /// The document that its stories start from; a JSON object.
    pub template: Option<JsonText>,
    /// The texts that a session can begin with.
    pub greetings: Vec<String>,
}

/// One line through a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch {
    /// The session's public id.
    pub session: Id,
    /// Its name within the session; free text.
    pub id: String,
    /// The floor it was forked from, while that exists.
    pub source_floor: Option<Id>,
    /// The position of that floor.
    pub source_floor_no: Option<i64>,
    /// How many floors stand on the branch itself.
    pub floor_count: i64,
    /// When it was registered.
    pub created_at: i64,
}

/// One position on a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floor {
    /// Public id.
    pub id: Id,
    /// The session's public id.
    pub session: Id,
    /// The branch's name.
    pub branch: String,
    /// The position.
    pub floor_no: i64,
    /// The floor before it, on its branch or before the fork.
    pub parent: Option<Id>,
    /// Where it stands in its life, as stored; see [`FloorState::at`].
    pub state: FloorState,
    /// Until when it may stay `generating`.
    pub lease_until: Option<i64>,
    /// Anything a client wants to keep with it; a JSON object.
    pub metadata: Option<JsonText>,
    /// When it was created.
    pub created_at: i64,
    /// When it last changed.
    pub updated_at: i64,
}

/// One candidate text at a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Public id.
    pub id: Id,
    /// The floor's public id.
    pub floor: Id,
    /// The slot on the floor.
    pub page_no: i64,
    /// The swipe within the slot, from 0.
    pub version: i64,
    /// What it holds.
    pub kind: PageKind,
    /// Whether it is the chosen swipe of its slot.
    pub is_active: bool,
    /// Who speaks: `user`, `assistant`, `system` or anything else.
    pub role: Option<String>,
    /// The speaker's name.
    pub name: Option<String>,
    /// The text; absent when the list was asked not to read it.
    pub content: Option<String>,
    /// Anything a client wants to keep with it; a JSON object.
    pub extra: Option<JsonText>,
    /// When it was created.
    pub created_at: i64,
    /// When it last changed.
    pub updated_at: i64,
}

/// What a variable hangs on, by public ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Host {
    /// The account.
    Global,
    /// A session.
    Chat(Id),
    /// A branch of a session: session and the branch's name.
    Branch(Id, String),
    /// A floor.
    Floor(Id),
    /// A page.
    Page(Id),
}

impl Host {
    /// The scope of variables on this host.
    pub fn scope(&self) -> Scope {
        match self {
            Host::Global => Scope::Global,
            Host::Chat(_) => Scope::Chat,
            Host::Branch(..) => Scope::Branch,
            Host::Floor(_) => Scope::Floor,
            Host::Page(_) => Scope::Page,
        }
    }
}

/// A key and a value on a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Public id.
    pub id: Id,
    /// What it hangs on.
    pub host: Host,
    /// Its key.
    pub key: Key,
    /// Its value.
    pub value: JsonText,
    /// When it was last written.
    pub updated_at: i64,
    /// The tick of its session's clock (the account's for global ones) at the last write: what `ETag` shows.
    pub revision: i64,
}

impl Scoped for Variable {
    fn key(&self) -> &str {
        self.key.as_str()
    }

    fn scope(&self) -> Scope {
        self.host.scope()
    }
}

tavernkeep_engine::words! {
    /// How a variable came to be written.
    HistorySource {
        /// Somebody put the value there or took it away.
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

tavernkeep_engine::words! {
    /// What an event tells.
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
        /// A page has another state: somebody changed it by hand.
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

/// What became of something that was to be deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Deletion {
    /// It was not there.
    Absent,
    /// It is gone.
    Done,
    /// It is gone for everybody, and this job takes away what it consists of.
    ByJob(Id),
}

impl Deletion {
    /// Whether it was there.
    pub fn was_there(&self) -> bool {
        *self != Deletion::Absent
    }
}

tavernkeep_engine::words! {
    /// What a job does.
    JobKind {
        /// Takes away what a deleted session consists of.
        DeleteSession = "delete_session",
        /// Takes away what a closed account consists of, and the account.
        DeleteAccount = "delete_account",
        /// Processes a branch of a session.
        ProcessSession = "process_session",
    }
}

tavernkeep_engine::words! {
    /// Where a job stands.
    JobState {
        /// Nobody has begun.
        Waiting = "waiting",
        /// Somebody works on it.
        Running = "running",
        /// It is done.
        Done = "done",
        /// It was stopped.
        Cancelled = "cancelled",
        /// It cannot be done.
        Failed = "failed",
    }
}

kept_as_text!(JobKind, JobState);

/// Work that is too long for one transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Public id.
    pub id: Id,
    /// What it does.
    pub kind: JobKind,
    /// Where it stands.
    pub state: JobState,
    /// What it works on, by the id it had.
    pub subject: Id,
    /// Rows or pages that are done.
    pub done: i64,
    /// Rows or pages in all, as far as is known.
    pub total: i64,
    /// What it is to do and how far it got, where that is not all.
    pub work: Option<JsonText>,
    /// Why it does not get on.
    pub problem: Option<String>,
    /// When it was made.
    pub created_at: i64,
    /// When it last got on.
    pub updated_at: i64,
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

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Where it stands in the order of all events of its account.
    pub place: EventPlace,
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
    /// Whatever else there is to tell; a JSON object.
    pub detail: Option<JsonText>,
}

/// The address of one variable.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// What it hangs on.
    pub host: Host,
    /// Its key.
    pub key: Key,
}

/// Under which condition a write may happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Condition {
    /// Always.
    #[default]
    None,
    /// Only if the variable exists: `If-Match: *`.
    Exists,
    /// Only if it does not: `If-None-Match: *`.
    Absent,
    /// Only if its revision is still this one: `If-Match: "…"`.
    Revision(i64),
}

/// Whether a write made the row or changed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// The row is new.
    Created,
    /// The row was there.
    Updated,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<T> {
    /// The rows asked for.
    pub items: Vec<T>,
    /// How many there are in all, unless the caller did not want to know.
    pub total: Option<i64>,
    /// Whether there are more behind them.
    pub has_more: bool,
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Rows at most, 1 to 100.
    pub limit: i64,
    /// Rows to skip.
    pub offset: i64,
    /// Smallest first.
    pub ascending: bool,
    /// Whether to count all.
    pub total: bool,
}

/// By what a list of variables is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableSort {
    /// By the time of the last write.
    UpdatedAt,
    /// By the bytes of the key.
    Key,
}

/// Which hosts a list of variables covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Region {
    /// The whole account.
    Account,
    /// One scope of the account.
    Scope(Scope),
    /// Exactly these hosts; those that do not exist contribute nothing.
    Hosts(Vec<Host>),
    /// All branches of one session.
    BranchesOf(Id),
}

/// Which keys a read of variables covers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum KeyFilter {
    /// All keys.
    #[default]
    Any,
    /// Exactly these, at most [`FILTER_KEYS_MAX`](tavernkeep_engine::limits::FILTER_KEYS_MAX).
    Keys(Vec<Key>),
    /// All that start with this text.
    Prefix(String),
}

impl KeyFilter {
    /// Whether it lets a key through.
    pub fn covers(&self, key: &Key) -> bool {
        match self {
            KeyFilter::Any => true,
            KeyFilter::Keys(keys) => keys.contains(key),
            KeyFilter::Prefix(prefix) => key.as_str().starts_with(prefix.as_str()),
        }
    }
}

/// A question for a list of variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableQuery {
    /// On which hosts.
    pub region: Region,
    /// With which keys.
    pub keys: KeyFilter,
    /// Written at this time or later.
    pub updated_since: Option<i64>,
    /// In which order.
    pub sort: VariableSort,
    /// Which part.
    pub window: Window,
}

/// Where in the conversation variables are resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolveQuery {
    /// The session.
    pub session: Id,
    /// A branch; must agree with floor and page.
    pub branch: Option<String>,
    /// A floor; must agree with page.
    pub floor: Option<Id>,
    /// A page.
    pub page: Option<Id>,
    /// With which keys.
    pub keys: KeyFilter,
    /// Whether a floor sees what the floors before it say.
    pub lineage: bool,
}

/// The place that a [`ResolveQuery`] turned out to mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// The session.
    pub session: Id,
    /// The branch, given or derived.
    pub branch: Option<String>,
    /// The floor, given or derived.
    pub floor: Option<Id>,
    /// The page.
    pub page: Option<Id>,
}

/// Everything that can be seen from one place: the raw rows of each known layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The place.
    pub context: Context,
    /// All rows of the known layers, each layer's sorted by key, the weakest layer first.
    pub rows: Vec<Variable>,
    /// What is seen of the branches and floors before, where the layers' own rows do not say otherwise.
    pub before: Vec<Before>,
    /// The story's state at the place, under its name among variables; it hides whatever else has that name.
    pub computed: Option<Variable>,
}

/// A value that is seen from further on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Before {
    /// The value. What a branch inherits carries that branch as its host; what a floor sees carries the floor that has it.
    pub variable: Variable,
    /// The floor at whose commit a branch inherited it, while that exists.
    pub floor: Option<Id>,
}

/// Two clocks that together change whenever anything visible from a session changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionStamp {
    /// The session's row: a session that was deleted and made again has another.
    pub session_row: i64,
    /// The session's clock.
    pub session_seq: i64,
    /// The account's clock.
    pub account_seq: i64,
}
