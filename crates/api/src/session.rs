//! Sessions and their branches.

use crate::apply::ProfileChoice;
use crate::json::present;
use crate::json::{Json, JsonObject};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// One conversation.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Session {
    /// Its id.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", example = "sess_001")]
    pub id: String,
    /// Its name.
    #[schema(required = true, example = "A quiet evening")]
    pub title: Option<String>,
    /// Free data of the client.
    #[schema(required = true, value_type = JsonObject)]
    pub metadata: Option<JsonObject>,
    /// The name of the chat in a front end; unique in the account.
    #[schema(example = "Yuki - 2024-10-20")]
    pub chat_file: String,
    /// How commands in its texts are read and applied, as it was given; null for the profile `default`.
    #[schema(required = true, value_type = Option<ProfileChoice>)]
    pub profile: Option<Json>,
    /// Its character; null if it has none, or if the character was deleted.
    #[schema(required = true)]
    pub character_id: Option<String>,
    /// The name of the story's state among its variables.
    #[schema(example = "vs_stat_data")]
    pub state_variable: String,
    /// How many floors its branch `main` has; only in the list of sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 128)]
    pub floor_count: Option<i64>,
    /// When it was created.
    #[schema(example = 1_735_689_600_000_i64)]
    pub created_at: i64,
    /// When it, its branches, floors or pages last changed. Variables do not count.
    #[schema(example = 1_735_689_600_000_i64)]
    pub updated_at: i64,
}

/// A session to create. All fields are optional.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({"title": "A quiet evening", "metadata": {"character": "Yuki"}}))]
pub struct NewSession {
    /// Your own id; default a new UUID.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub id: Option<String>,
    /// Its name; at most 1024 bytes.
    #[schema(max_length = 1024)]
    pub title: Option<String>,
    /// Free data of the client.
    #[schema(value_type = JsonObject, required = false)]
    pub metadata: Option<JsonObject>,
    /// The name of the chat in a front end, the session's id when it is left out; at most 1024 bytes.
    #[schema(min_length = 1, max_length = 1024, nullable = false)]
    pub chat_file: Option<String>,
    /// Its character, whose profile and template are used where the session has none of its own.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub character_id: Option<String>,
    /// The texts that the story can begin with, the character's when they are left out. They become floor 0 with a swipe
    /// each, the first one active and all of them processed.
    #[schema(max_items = 100, nullable = false)]
    pub greetings: Option<Vec<String>>,
    /// How commands in its texts are read and applied; null or left out for the character's profile, or `default`.
    #[schema(value_type = Option<ProfileChoice>, required = false)]
    pub profile: Option<Json>,
    /// The state that the story starts from, an object; the character's when it is left out, or empty.
    #[schema(value_type = JsonObject, required = false)]
    pub template: Option<JsonObject>,
    /// The name of the story's state among its variables; null or left out for `vs_stat_data`.
    #[schema(min_length = 1, max_length = 512)]
    pub state_variable: Option<String>,
}

/// Changes to a session. An absent field stays as it is, `null` clears it.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({"title": "A loud evening"}))]
pub struct SessionPatch {
    /// A new title; at most 1024 bytes.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 1024)]
    pub title: Option<Option<String>>,
    /// New metadata, replacing the old as a whole.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = JsonObject, required = false)]
    pub metadata: Option<Option<JsonObject>>,
    /// Another name of the chat; at most 1024 bytes.
    #[schema(min_length = 1, max_length = 1024, nullable = false)]
    pub chat_file: Option<String>,
    /// Another character, or none.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub character_id: Option<Option<String>>,
    /// Another profile; null for the character's. States that were computed with the old one are outdated until they are processed with `all`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<ProfileChoice>, required = false)]
    pub profile: Option<Option<Json>>,
    /// Another template, an object; null for the character's. States that come from the old one are outdated.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = JsonObject, required = false)]
    pub template: Option<Option<JsonObject>>,
    /// Another name of the story's state among its variables.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 512)]
    pub state_variable: Option<Option<String>>,
}

/// The template of a session.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SessionTemplate {
    /// The session.
    pub session_id: String,
    /// The state that its story starts from; null for an empty one.
    #[schema(required = true, value_type = JsonObject)]
    pub template: Option<JsonObject>,
    /// Whether it is the session's own; otherwise it is its character's, if it has one.
    pub own: bool,
}

/// Which sessions are listed, and in which order.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SessionListParams {
    /// Only the session whose chat has this name.
    #[param(min_length = 1, max_length = 1024, example = "Yuki - 2024-10-20")]
    pub chat_file: Option<String>,
}

crate::list::list_order!(SessionOrder, SessionSort, "sessions", "updated_at" "desc",
    /// In the order of creation.
    CreatedAt,
    /// By the last change.
    UpdatedAt
);

/// One line through a conversation.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Branch {
    /// Its id within the session: free text.
    #[schema(example = "alt-1")]
    pub branch_id: String,
    /// The session.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", example = "sess_001")]
    pub session_id: String,
    /// The floor it was forked from, if it still exists.
    #[schema(required = true)]
    pub source_floor_id: Option<String>,
    /// The position of that floor.
    #[schema(required = true)]
    pub source_floor_no: Option<i64>,
    /// The branch that this floor stands on, if it still exists.
    #[schema(required = true)]
    pub source_branch_id: Option<String>,
    /// How many floors it has behind its fork point; all of them where it has none.
    #[schema(minimum = 0)]
    pub floor_count: i64,
    /// When it was registered.
    pub created_at: i64,
}

crate::list::list_order!(BranchOrder, BranchSort, "branches", "created_at" "asc",
    /// In the order of creation.
    CreatedAt
);

/// The session of a branch.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BranchSession {
    /// The session that the branch belongs to.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub session_id: String,
}

/// The response to the deletion of a branch.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DeletedBranch {
    /// The branch.
    pub branch_id: String,
    /// Its session.
    pub session_id: String,
    /// How many floors went with it.
    #[schema(minimum = 0)]
    pub deleted_floor_count: i64,
}
