//! What was deleted and can be restored.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// What one request deleted in one session.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TrashItem {
    /// Its id.
    pub id: String,
    /// The session.
    pub session_id: String,
    /// What was deleted: `pages`, `floors`, `branch`, or `sync` for what a sync removed.
    #[schema(pattern = "^(pages|floors|branch|sync)$")]
    pub kind: String,
    /// When.
    pub deleted_at: i64,
    /// How many floors.
    #[schema(minimum = 0)]
    pub floor_count: i64,
    /// How many pages.
    #[schema(minimum = 0)]
    pub page_count: i64,
    /// The pages with their texts; only when one item is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Vec<TrashPage>, required = false)]
    pub pages: Option<Vec<TrashPage>>,
}

/// A page in the trash.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TrashPage {
    /// The page.
    pub page_id: String,
    /// Its floor.
    #[schema(required = true)]
    pub floor_id: Option<String>,
    /// The floor's position.
    #[schema(required = true)]
    pub floor_no: Option<i64>,
    /// The swipe within its slot.
    pub version: i64,
    /// Whether it was the chosen swipe.
    pub is_active: bool,
    /// The role of the speaker.
    #[schema(required = true)]
    pub role: Option<String>,
    /// The speaker's name.
    #[schema(required = true)]
    pub name: Option<String>,
    /// The text.
    #[schema(required = true)]
    pub content: Option<String>,
    /// The snapshot of its state, which can be read with `GET /snapshots/{id}`.
    #[schema(required = true)]
    pub snapshot_id: Option<String>,
}

/// Which items.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TrashFilter {
    /// Of this session.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub session_id: Option<String>,
}

/// Whether something is deleted for good.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Permanent {
    /// Whether it does not go to the trash; default false.
    pub permanent: Option<bool>,
}

/// What was restored.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Restored {
    /// The session.
    pub session_id: String,
    /// The branch that it is on.
    pub branch_id: String,
    /// Whether that branch was made for it, because its place is gone or taken.
    pub new_branch: bool,
    /// How many floors.
    #[schema(minimum = 0)]
    pub floor_count: i64,
    /// How many pages.
    #[schema(minimum = 0)]
    pub page_count: i64,
}
