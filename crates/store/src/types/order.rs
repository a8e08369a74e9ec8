//! The orders that go into the store: what to create, change, move or look for.
//!
//! In a patch the outer `None` leaves a field as it is and the inner `None` clears it.

mod function;

pub use function::{FunctionCopy, FunctionPatch, FunctionScope, LocalFunction, NewFunction};

use crate::types::record::{Condition, Target, Window};
use serde::{Deserialize, Serialize};
use tavernkeep_engine::floor::{FloorState, PageKind};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::role::Role;
use tavernkeep_engine::staging::{ConflictPolicy, Intent, SourceKind, StagedOp};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    pub name: String,
    pub role: Role,
    /// From when on it opens nothing.
    pub expires_at: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewSession {
    /// The client's own id, or none for a fresh one.
    pub id: Option<Id>,
    pub title: Option<String>,
    /// A JSON object.
    pub metadata: Option<JsonText>,
    pub story: StorySettings,
    /// What it can begin with; none for what its character says.
    pub greetings: Option<Vec<String>>,
}

/// The settings of a session's story. What is left out stays, or is as usual.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StorySettings {
    /// How commands are read and applied; a profile as JSON.
    pub profile: Option<Option<JsonText>>,
    pub template: Option<Option<JsonText>>,
    /// The name of the chat in a front end, the session's id if none; unique in the account.
    pub chat_file: Option<String>,
    pub state_key: Option<Option<Key>>,
    /// The character whose profile and template count where the session has none of its own.
    pub character: Option<Option<Id>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCharacter {
    /// The client's own id, or none for a fresh one.
    pub id: Option<Id>,
    pub name: String,
    pub enabled: bool,
    pub story: CharacterStory,
}

/// Settings of a character's stories. What is left out stays, or has its default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CharacterStory {
    /// How commands are read and applied; a profile as JSON.
    pub profile: Option<Option<JsonText>>,
    pub template: Option<Option<JsonText>>,
    pub greetings: Option<Vec<String>>,
    /// Its own functions, all of them.
    pub functions: Option<Vec<LocalFunction>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CharacterPatch {
    pub name: Option<String>,
    pub enabled: Option<bool>,
    pub story: CharacterStory,
    /// On the tag that it must still have.
    pub condition: Condition,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharacterSort {
    Name,
    CreatedAt,
    UpdatedAt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CharacterQuery {
    pub sort: CharacterSort,
    pub window: Window,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTurn {
    pub session: Id,
    /// On which branch, `main` if none.
    pub branch: Option<String>,
    /// At which position, the next one if none.
    pub floor_no: Option<i64>,
    pub swipe_of: Option<Id>,
    /// The client's own id for the page: sent again, the turn is taken once.
    pub page: Option<Id>,
    pub role: String,
    pub name: Option<String>,
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

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionPatch {
    pub title: Option<Option<String>>,
    pub metadata: Option<Option<JsonText>>,
    pub story: StorySettings,
    /// On the tag that it must still have.
    pub condition: Condition,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionSort {
    CreatedAt,
    UpdatedAt,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionQuery {
    /// Only the one whose chat has this name.
    pub chat_file: Option<String>,
    pub sort: SessionSort,
    pub window: Window,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFloor {
    /// The client's own id, or none for a fresh one.
    pub id: Option<Id>,
    pub session: Id,
    /// On which branch, `main` if none; a new name registers the branch.
    pub branch: Option<String>,
    /// At which position, the next one if none.
    pub floor_no: Option<i64>,
    /// The floor that a new branch forks from.
    pub parent: Option<Id>,
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

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FloorPatch {
    pub floor_no: Option<i64>,
    pub metadata: Option<Option<JsonText>>,
}

/// A question for a list of floors, which comes sorted by branch and position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FloorQuery {
    pub session: Id,
    pub branch: Option<String>,
    pub state: Option<FloorState>,
    pub window: Window,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FloorStep {
    Generate {
        lease_ms: Option<i64>,
        /// Whether a floor that is generating already gets a longer lease instead of a refusal.
        renew: bool,
    },
    Commit {
        /// The page that was accepted, the active output page if none.
        page: Option<Id>,
    },
    Fail,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPage {
    /// The client's own id, or none for a fresh one.
    pub id: Option<Id>,
    pub floor: Id,
    pub page_no: i64,
    /// The swipe within the slot, the next one if none.
    pub version: Option<i64>,
    pub kind: PageKind,
    /// Whether it becomes the chosen swipe; the first one of a slot always does.
    pub is_active: bool,
    pub role: Option<String>,
    pub name: Option<String>,
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

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PagePatch {
    pub kind: Option<PageKind>,
    pub role: Option<Option<String>>,
    pub name: Option<Option<String>>,
    pub content: Option<Option<String>>,
    /// A JSON object.
    pub extra: Option<Option<JsonText>>,
    /// On the tag that it must still have.
    pub condition: Condition,
}

/// A question for a list of pages, which comes sorted by slot and swipe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageQuery {
    pub floor: Id,
    pub page_no: Option<i64>,
    /// Only the chosen ones, or only the others.
    pub is_active: Option<bool>,
    pub content: bool,
    pub window: Window,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    pub target: Target,
    pub value: JsonText,
    pub condition: Condition,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Increment {
    pub target: Target,
    /// How much; a JSON number.
    pub by: JsonText,
    /// What an absent variable counts as; a JSON number.
    pub initial: JsonText,
    pub condition: Condition,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewStagedWrite {
    pub key: Key,
    pub op: StagedOp,
    /// The value to set; none for a deletion.
    pub value: Option<JsonText>,
    /// How far it goes once its page is accepted.
    pub intent: Intent,
    /// What happens where the target has the key.
    pub policy: ConflictPolicy,
    pub source_kind: SourceKind,
    pub reason: Option<String>,
    /// Where it comes from; any JSON.
    pub source: Option<JsonText>,
    /// What speaks for it; any JSON.
    pub evidence: Option<JsonText>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeleteTarget {
    Id(Id),
    Target(Target),
}
