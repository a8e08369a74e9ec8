//! Sessions, characters, branches, floors and pages.

use serde::{Deserialize, Serialize};
use tavernkeep_engine::floor::{FloorState, PageKind};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::story::Hash;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub id: Id,
    pub title: Option<String>,
    /// Anything a client wants to keep with it; a JSON object.
    pub metadata: Option<JsonText>,
    /// The name of the chat in a front end; unique in the account.
    pub chat_file: String,
    /// How commands are read and applied; none for the usual profile.
    pub profile: Option<JsonText>,
    /// The name of the story's state among variables, if it has another than the usual one.
    pub state_key: Option<String>,
    pub character: Option<Id>,
    /// The fingerprint of its own template.
    #[serde(default)]
    pub template_hash: Option<Hash>,
    /// How many floors its branch `main` has; only where sessions are listed.
    #[serde(default)]
    pub floors: Option<i64>,
    pub created_at: i64,
    /// When it, its branches, floors or pages last changed. Variables do not count.
    pub updated_at: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CharacterSummary {
    pub id: Id,
    pub name: String,
    pub enabled: bool,
    pub greeting_count: i64,
    pub created_at: i64,
    pub updated_at: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Character {
    pub summary: CharacterSummary,
    /// How commands are read and applied; none for the usual profile.
    pub profile: Option<JsonText>,
    /// The document that its stories start from; a JSON object.
    pub template: Option<JsonText>,
    pub greetings: Vec<String>,
    /// Its own functions, in the order in which they run.
    #[serde(default)]
    pub functions: Vec<super::Function>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch {
    pub session: Id,
    /// Its name within the session; free text.
    pub id: String,
    /// The floor it was forked from, while that exists.
    pub source_floor: Option<Id>,
    pub source_floor_no: Option<i64>,
    /// The branch that this floor stands on, while it exists.
    #[serde(default)]
    pub source_branch: Option<String>,
    /// How many floors stand on the branch itself.
    pub floor_count: i64,
    pub created_at: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floor {
    pub id: Id,
    pub session: Id,
    pub branch: String,
    pub floor_no: i64,
    /// The floor before it, on its branch or before the fork.
    pub parent: Option<Id>,
    /// Where it stands in its life, as stored; see [`FloorState::at`].
    pub state: FloorState,
    /// Until when it may stay `generating`.
    pub lease_until: Option<i64>,
    /// Anything a client wants to keep with it; a JSON object.
    pub metadata: Option<JsonText>,
    pub created_at: i64,
    pub updated_at: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    pub id: Id,
    pub floor: Id,
    pub page_no: i64,
    /// The swipe within the slot, from 0.
    pub version: i64,
    pub kind: PageKind,
    pub is_active: bool,
    /// Who speaks: `user`, `assistant`, `system` or anything else.
    pub role: Option<String>,
    pub name: Option<String>,
    /// The text; absent when the list was asked not to read it.
    pub content: Option<String>,
    /// Anything a client wants to keep with it; a JSON object.
    pub extra: Option<JsonText>,
    pub created_at: i64,
    pub updated_at: i64,
}
