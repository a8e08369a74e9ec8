//! Floors: the positions on a branch.

use crate::envelope::StaleFloors;
use crate::json::JsonObject;
use crate::json::present;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The state of a floor: `draft → generating → committed | failed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FloorState {
    /// Being prepared.
    Draft,
    /// A model is writing; variables are locked until the lease ends.
    Generating,
    /// Part of the story; variables are locked.
    Committed,
    /// Failed; variables may be corrected.
    Failed,
}

/// One position on a branch.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Floor {
    /// Its id.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", example = "floor-a")]
    pub id: String,
    /// The session.
    pub session_id: String,
    /// The branch it stands on.
    #[schema(example = "main")]
    pub branch_id: String,
    /// The position.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub floor_no: i64,
    /// The floor before it, on its branch or before the fork.
    #[schema(required = true)]
    pub parent_floor_id: Option<String>,
    /// Its state.
    pub state: FloorState,
    /// Until when it may stay `generating`.
    #[schema(required = true)]
    pub lease_expires_at: Option<i64>,
    /// Free data of the client.
    #[schema(required = true, value_type = JsonObject)]
    pub metadata: Option<JsonObject>,
    /// When it was created.
    pub created_at: i64,
    /// When it last changed.
    pub updated_at: i64,
    /// What the change leaves stale on the branch; only in responses to changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = StaleFloors, required = false)]
    pub stale: Option<StaleFloors>,
}

/// A floor to create.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"session_id": "sess_001", "branch_id": "main", "floor_no": 0}))]
pub struct NewFloor {
    /// Your own id; default a new UUID.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub id: Option<String>,
    /// The session.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub session_id: String,
    /// The branch; default `main`; a new name registers the branch. Free text of at most 256 bytes.
    #[schema(min_length = 1, max_length = 256, nullable = false)]
    pub branch_id: Option<String>,
    /// The position; default the next free one.
    #[schema(minimum = 0, maximum = 1_000_000_000, nullable = false)]
    pub floor_no: Option<i64>,
    /// The floor that a new branch forks from. On an existing branch it must be the one before the new floor.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub parent_floor_id: Option<String>,
    /// Its initial state; default `draft`.
    #[schema(nullable = false, value_type = FloorState, required = false)]
    pub state: Option<FloorState>,
    /// How long a floor that starts as `generating` may stay so.
    #[schema(minimum = 1, maximum = 86_400_000, nullable = false)]
    pub lease_ms: Option<i64>,
    /// Free data of the client.
    #[schema(value_type = JsonObject, required = false)]
    pub metadata: Option<JsonObject>,
}

/// Changes to a floor. An absent field stays as it is. `state` cannot be patched: `400 floor_patch_restricted_field`.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({"metadata": {"mood": "tense"}}))]
pub struct FloorPatch {
    /// A new position on its branch.
    #[schema(minimum = 0, maximum = 1_000_000_000, nullable = false)]
    pub floor_no: Option<i64>,
    /// New metadata, replacing the old as a whole; `null` clears it.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = JsonObject, required = false)]
    pub metadata: Option<Option<JsonObject>>,
}

/// Which floors a list covers.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FloorFilter {
    /// The session.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub session_id: String,
    /// Only this branch.
    #[param(min_length = 1, max_length = 256)]
    pub branch_id: Option<String>,
    /// Only floors in this state.
    #[param(inline)]
    pub state: Option<FloorState>,
}

crate::list::list_order!(FloorOrder, FloorSort, "floors", "floor_no" "asc",
    /// By position.
    FloorNo
);

/// A branch to fork from a committed floor.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({"branch_id": "alt-1"}))]
pub struct Fork {
    /// The new branch's id: free text of at most 256 bytes; default a new one.
    #[schema(min_length = 1, max_length = 256, nullable = false)]
    pub branch_id: Option<String>,
    /// The page of the floor that the branch has; default the active one.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub page_id: Option<String>,
}

/// A branch to fork from a page.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({"branch_id": "alt-1"}))]
pub struct PageFork {
    /// As for a floor.
    #[schema(min_length = 1, max_length = 256, nullable = false)]
    pub branch_id: Option<String>,
}

/// The branch that was forked.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Forked {
    /// The new branch.
    pub branch_id: String,
    /// The floor it was forked from.
    #[schema(required = true)]
    pub source_floor_id: Option<String>,
    /// The position of that floor.
    #[schema(required = true)]
    pub source_floor_no: Option<i64>,
    /// Its session.
    pub session_id: String,
    /// What is stale on it, with the job that goes on processing it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub stale: Option<StaleFloors>,
}

/// How a model starts to write.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({"lease_ms": 120_000}))]
pub struct Generate {
    /// How long it may take before the floor counts as failed; default ten minutes.
    #[schema(minimum = 1, maximum = 86_400_000, nullable = false)]
    pub lease_ms: Option<i64>,
    /// Whether a floor that is generating already gets a longer lease instead of a refusal.
    #[serde(default)]
    #[schema(default = false)]
    pub renew: bool,
}

/// Which page was accepted.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({}))]
pub struct Commit {
    /// The page; default the active output page.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub page_id: Option<String>,
}

/// A body without fields.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({}))]
pub struct Nothing {}
