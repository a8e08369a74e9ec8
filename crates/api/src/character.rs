//! Characters of stories.

use crate::apply::ProfileChoice;
use crate::function::FunctionEntry;
use crate::json::present;
use crate::json::{Json, JsonObject};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A character in a list.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CharacterSummary {
    /// Its id.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", example = "yuki")]
    pub id: String,
    /// Its name.
    #[schema(example = "Yuki")]
    pub name: String,
    /// Whether texts of its sessions are processed.
    pub enabled: bool,
    /// How many greetings it has.
    #[schema(minimum = 0, maximum = 100)]
    pub greeting_count: i64,
    /// When it was created.
    #[schema(example = 1_735_689_600_000_i64)]
    pub created_at: i64,
    /// When it last changed.
    #[schema(example = 1_735_689_600_000_i64)]
    pub updated_at: i64,
}

/// A character.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Character {
    /// Its id.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", example = "yuki")]
    pub id: String,
    /// Its name.
    #[schema(example = "Yuki")]
    pub name: String,
    /// Whether texts of its sessions are processed.
    pub enabled: bool,
    /// How commands in its sessions' texts are read and applied, as it was given; null for the profile `default`.
    #[schema(required = true, value_type = Option<ProfileChoice>)]
    pub profile: Option<Json>,
    /// The state that its stories start from; null for an empty one.
    #[schema(required = true, value_type = JsonObject)]
    pub template: Option<JsonObject>,
    /// The texts that a session can begin with.
    pub greetings: Vec<String>,
    /// Its own functions, in the order in which they run; `/functions?scope=character` shows more of them.
    pub functions: Vec<FunctionEntry>,
    /// When it was created.
    #[schema(example = 1_735_689_600_000_i64)]
    pub created_at: i64,
    /// When it last changed.
    #[schema(example = 1_735_689_600_000_i64)]
    pub updated_at: i64,
}

/// A character to create.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"name": "Yuki", "template": {"yuki": {"affinity": 0}}, "greetings": ["Good evening."]}))]
pub struct NewCharacter {
    /// Your own id; default a new UUID.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub id: Option<String>,
    /// Its name; at most 1024 bytes.
    #[schema(min_length = 1, max_length = 1024)]
    pub name: String,
    /// Whether texts of its sessions are processed; default `true`.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub enabled: bool,
    /// How commands in its sessions' texts are read and applied; null or left out for the profile `default`.
    #[schema(value_type = Option<ProfileChoice>, required = false)]
    pub profile: Option<Json>,
    /// The state that its stories start from, an object; default empty.
    #[schema(value_type = JsonObject, required = false)]
    pub template: Option<JsonObject>,
    /// The texts that a session can begin with.
    #[schema(max_items = 100, nullable = false)]
    pub greetings: Option<Vec<String>>,
    /// Its own functions, as cards have them. They get new ids.
    #[schema(max_items = 200, nullable = false)]
    pub functions: Option<Vec<FunctionEntry>>,
}

fn yes() -> bool {
    true
}

/// Changes to a character. An absent field stays as it is, `null` clears it.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({"enabled": false}))]
pub struct CharacterPatch {
    /// Another name; at most 1024 bytes.
    #[schema(min_length = 1, max_length = 1024, nullable = false)]
    pub name: Option<String>,
    /// Whether texts of its sessions are processed. Turns of a disabled character are stored without a state.
    #[schema(nullable = false)]
    pub enabled: Option<bool>,
    /// Another profile. States that were computed with the old one are outdated, not stale; which pages commands are read
    /// from changes when a session's story goes on.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<ProfileChoice>, required = false)]
    pub profile: Option<Option<Json>>,
    /// Another template, an object. States that come from the old one are outdated, not stale.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = JsonObject, required = false)]
    pub template: Option<Option<JsonObject>>,
    /// Other greetings, for new sessions.
    #[schema(max_items = 100, nullable = false)]
    pub greetings: Option<Vec<String>>,
    /// All functions that it is to have. One with the id of a function that it has replaces that one; others are new and get
    /// new ids; those that are left out are deleted.
    #[schema(max_items = 200, nullable = false)]
    pub functions: Option<Vec<FunctionEntry>>,
}

/// A character's template.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Template {
    /// The character.
    pub character_id: String,
    /// The state that its stories start from; null for an empty one.
    #[schema(required = true, value_type = JsonObject)]
    pub template: Option<JsonObject>,
    /// When the character last changed.
    pub updated_at: i64,
}

/// Another template, of a character or a session.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"template": {"yuki": {"affinity": 0}}}))]
pub struct NewTemplate {
    /// The state that stories start from, an object; null for an empty one, on a session for its character's.
    #[schema(value_type = JsonObject, required = true)]
    pub template: Option<JsonObject>,
}

crate::list::list_order!(CharacterOrder, CharacterSort, "characters", "name" "asc",
    /// The name, by its bytes.
    Name,
    /// The time of creation.
    CreatedAt,
    /// The time of the last change.
    UpdatedAt
);
