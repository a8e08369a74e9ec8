//! The orders that go into the store: what to create, change, move or look for.
//!
//! In a patch the outer `None` leaves a field as it is and the inner `None` clears it.

use crate::types::record::{Condition, Target, Window};
use tavernkeep_engine::floor::{FloorState, PageKind};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::role::Role;
use tavernkeep_engine::staging::{ConflictPolicy, Intent, SourceKind, StagedOp};

/// A key to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// From when on it opens nothing.
    pub expires_at: Option<i64>,
}

/// A session to make.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewSession {
    /// The client's own id, or none for a fresh one.
    pub id: Option<Id>,
    /// What people call it.
    pub title: Option<String>,
    /// A JSON object.
    pub metadata: Option<JsonText>,
    /// The settings of its story.
    pub story: StorySettings,
    /// What it can begin with; none for what its character says.
    pub greetings: Option<Vec<String>>,
}

/// The settings of a session's story. What is left out stays, or is as usual.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StorySettings {
    /// How commands are read and applied; a profile as JSON.
    pub profile: Option<Option<JsonText>>,
    /// The document that the story starts from.
    pub template: Option<Option<JsonText>>,
    /// The name of the chat in a front end, the session's id if none; unique in the account.
    pub chat_file: Option<String>,
    /// The name of the state among variables.
    pub state_key: Option<Option<Key>>,
    /// The character whose profile and template count where the session has none of its own.
    pub character: Option<Option<Id>>,
}

/// A character to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCharacter {
    /// The client's own id, or none for a fresh one.
    pub id: Option<Id>,
    /// What people call it.
    pub name: String,
    /// Whether texts of its sessions are processed.
    pub enabled: bool,
    /// The settings of its stories.
    pub story: CharacterStory,
}

/// Settings of a character's stories. What is left out stays, or has its default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CharacterStory {
    /// How commands are read and applied; a profile as JSON.
    pub profile: Option<Option<JsonText>>,
    /// The document that its stories start from.
    pub template: Option<Option<JsonText>>,
    /// The texts that a session can begin with.
    pub greetings: Option<Vec<String>>,
}

/// What changes on a character.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CharacterPatch {
    /// Another name.
    pub name: Option<String>,
    /// Whether texts of its sessions are processed.
    pub enabled: Option<bool>,
    /// The new settings of its stories.
    pub story: CharacterStory,
}

/// By what a list of characters is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharacterSort {
    /// By name.
    Name,
    /// In the order of creation.
    CreatedAt,
    /// By the last change.
    UpdatedAt,
}

/// A question for a list of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CharacterQuery {
    /// In which order.
    pub sort: CharacterSort,
    /// Which part.
    pub window: Window,
}

/// A turn to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTurn {
    /// In which session.
    pub session: Id,
    /// On which branch, `main` if none.
    pub branch: Option<String>,
    /// At which position, the next one if none.
    pub floor_no: Option<i64>,
    /// The floor that it is another swipe of.
    pub swipe_of: Option<Id>,
    /// The client's own id for the page: sent again, the turn is taken once.
    pub page: Option<Id>,
    /// Who speaks.
    pub role: String,
    /// The speaker's name.
    pub name: Option<String>,
    /// The text.
    pub content: String,
    /// The page or snapshot that the turn must build on; `Some(None)`: nothing may be there.
    pub expected_parent: Option<Option<Id>>,
}

impl NewTurn {
    /// The usual turn of a speaker: the next floor of `main`.
    pub fn of(session: Id, role: impl Into<String>, content: impl Into<String>) -> NewTurn {
        NewTurn {
            session,
            branch: None,
            floor_no: None,
            swipe_of: None,
            page: None,
            role: role.into(),
            name: None,
            content: content.into(),
            expected_parent: None,
        }
    }
}

/// What changes on a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionPatch {
    /// A new title.
    pub title: Option<Option<String>>,
    /// New metadata.
    pub metadata: Option<Option<JsonText>>,
    /// The new settings of its story.
    pub story: StorySettings,
}

/// By what a list of sessions is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionSort {
    /// In the order of creation.
    CreatedAt,
    /// By the last change.
    UpdatedAt,
}

/// A question for a list of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionQuery {
    /// Only the one whose chat has this name.
    pub chat_file: Option<String>,
    /// In which order.
    pub sort: SessionSort,
    /// Which part.
    pub window: Window,
}

/// A floor to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFloor {
    /// The client's own id, or none for a fresh one.
    pub id: Option<Id>,
    /// Where it belongs.
    pub session: Id,
    /// On which branch, `main` if none; a new name registers the branch.
    pub branch: Option<String>,
    /// At which position, the next one if none.
    pub floor_no: Option<i64>,
    /// The floor that a new branch forks from.
    pub parent: Option<Id>,
    /// Where it starts in its life.
    pub state: FloorState,
    /// How long it may stay `generating`.
    pub lease_ms: Option<i64>,
    /// A JSON object.
    pub metadata: Option<JsonText>,
}

impl NewFloor {
    /// A draft at the end of a session's `main` branch.
    pub fn of(session: Id) -> NewFloor {
        NewFloor {
            id: None,
            session,
            branch: None,
            floor_no: None,
            parent: None,
            state: FloorState::Draft,
            lease_ms: None,
            metadata: None,
        }
    }
}

/// What changes on a floor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FloorPatch {
    /// A new position on its branch.
    pub floor_no: Option<i64>,
    /// New metadata.
    pub metadata: Option<Option<JsonText>>,
}

/// A question for a list of floors, which comes sorted by branch and position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FloorQuery {
    /// Of which session.
    pub session: Id,
    /// On which branch.
    pub branch: Option<String>,
    /// In which state.
    pub state: Option<FloorState>,
    /// Which part.
    pub window: Window,
}

/// A step in a floor's life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FloorStep {
    /// A model starts to write.
    Generate {
        /// How long it may take.
        lease_ms: Option<i64>,
        /// Whether a floor that is generating already gets a longer lease instead of a refusal.
        renew: bool,
    },
    /// The floor becomes part of the story.
    Commit {
        /// The page that was accepted, the active output page if none.
        page: Option<Id>,
    },
    /// The floor is given up.
    Fail,
}

/// A page to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPage {
    /// The client's own id, or none for a fresh one.
    pub id: Option<Id>,
    /// Where it belongs.
    pub floor: Id,
    /// The slot.
    pub page_no: i64,
    /// The swipe within the slot, the next one if none.
    pub version: Option<i64>,
    /// What it holds.
    pub kind: PageKind,
    /// Whether it becomes the chosen swipe; the first one of a slot always does.
    pub is_active: bool,
    /// Who speaks.
    pub role: Option<String>,
    /// The speaker's name.
    pub name: Option<String>,
    /// The text.
    pub content: Option<String>,
    /// A JSON object.
    pub extra: Option<JsonText>,
}

impl NewPage {
    /// An empty reply in the first slot of a floor, chosen at once.
    pub fn of(floor: Id) -> NewPage {
        NewPage {
            id: None,
            floor,
            page_no: 0,
            version: None,
            kind: PageKind::Output,
            is_active: true,
            role: None,
            name: None,
            content: None,
            extra: None,
        }
    }
}

/// What changes on a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PagePatch {
    /// What it holds.
    pub kind: Option<PageKind>,
    /// Who speaks.
    pub role: Option<Option<String>>,
    /// The speaker's name.
    pub name: Option<Option<String>>,
    /// The text.
    pub content: Option<Option<String>>,
    /// A JSON object.
    pub extra: Option<Option<JsonText>>,
}

/// A question for a list of pages, which comes sorted by slot and swipe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageQuery {
    /// Of which floor.
    pub floor: Id,
    /// In which slot.
    pub page_no: Option<i64>,
    /// Only the chosen ones, or only the others.
    pub is_active: Option<bool>,
    /// Whether texts are read too.
    pub content: bool,
    /// Which part.
    pub window: Window,
}

/// A value to put on a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// Where.
    pub target: Target,
    /// What.
    pub value: JsonText,
    /// Under which condition.
    pub condition: Condition,
}

/// A number to add to a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Increment {
    /// Where.
    pub target: Target,
    /// How much; a JSON number.
    pub by: JsonText,
    /// What an absent variable counts as; a JSON number.
    pub initial: JsonText,
    /// Under which condition.
    pub condition: Condition,
}

/// A write to stage on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewStagedWrite {
    /// The key.
    pub key: Key,
    /// What to do.
    pub op: StagedOp,
    /// The value to set; none for a deletion.
    pub value: Option<JsonText>,
    /// How far it goes once its page is accepted.
    pub intent: Intent,
    /// What happens where the target has the key.
    pub policy: ConflictPolicy,
    /// Who proposes it.
    pub source_kind: SourceKind,
    /// Why.
    pub reason: Option<String>,
    /// Where it comes from; any JSON.
    pub source: Option<JsonText>,
    /// What speaks for it; any JSON.
    pub evidence: Option<JsonText>,
}

/// A variable to delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeleteTarget {
    /// By its id.
    Id(Id),
    /// By its address.
    Target(Target),
}
