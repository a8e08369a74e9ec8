//! What was deleted and can be restored.

use crate::Json;
use crate::envelope::StaleFloors;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// What one request deleted in one session, or a session, character or global snapshot that it deleted.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TrashItem {
    /// Its id.
    pub id: String,
    /// What was deleted: `pages`, `floors`, `branch`, `sync` for what a sync removed, `session`, `character`, `global_snapshot`, or
    /// `snapshots` for states that were dropped.
    #[schema(pattern = "^(pages|floors|branch|sync|session|character|global_snapshot|snapshots)$")]
    pub kind: String,
    /// The session that it was deleted from, or that was deleted; null for a character or a global snapshot.
    #[schema(required = true)]
    pub session_id: Option<String>,
    /// The id that a session, character or global snapshot had.
    #[schema(required = true)]
    pub subject_id: Option<String>,
    /// Its title or name.
    #[schema(required = true)]
    pub name: Option<String>,
    /// The `chat_file` of a session.
    #[schema(required = true)]
    pub chat_file: Option<String>,
    /// When.
    pub deleted_at: i64,
    /// How many floors.
    #[schema(minimum = 0)]
    pub floor_count: i64,
    /// How many pages.
    #[schema(minimum = 0)]
    pub page_count: i64,
    /// Some of the pages with their texts; only when one item is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Vec<TrashPage>, required = false)]
    pub pages: Option<Vec<TrashPage>>,
    /// The `offset` of the pages after these; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0)]
    pub next_offset: Option<i64>,
    /// The character; only when one item is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = crate::character::Character, required = false)]
    pub character: Option<crate::character::Character>,
    /// The global snapshot with its state; only when one item is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = crate::global_snapshot::GlobalSnapshot, required = false)]
    pub global_snapshot: Option<crate::global_snapshot::GlobalSnapshot>,
}

/// Which pages of an item.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TrashWindow {
    /// Maximum number of pages. There are fewer if their texts are long.
    #[param(minimum = 1, maximum = 100, default = 50)]
    pub limit: Option<i64>,
    /// Pages to skip.
    #[param(minimum = 0, maximum = 1_000_000_000, default = 0)]
    pub offset: Option<i64>,
}

/// A snapshot of an item.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct TrashSnapshotPath {
    /// The item.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub id: String,
    /// The snapshot.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub snapshot_id: String,
}

/// A state in the trash.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TrashState {
    /// The snapshot.
    pub snapshot_id: String,
    /// The state.
    pub state: Json,
}

/// The names that a session, character or global snapshot comes back under, if not its own.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct RestoreTrash {
    /// Another id. A `chat_file` that was the session's id becomes the same.
    #[schema(nullable = false, pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub id: Option<String>,
    /// Another `chat_file`, for a session.
    #[schema(min_length = 1, max_length = 1024, nullable = false)]
    pub chat_file: Option<String>,
}

/// A page in the trash.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TrashPage {
    /// The page; null if only its state was left.
    #[schema(required = true)]
    pub page_id: Option<String>,
    /// Its branch; only of a session.
    #[schema(required = true)]
    pub branch_id: Option<String>,
    /// Its floor.
    #[schema(required = true)]
    pub floor_id: Option<String>,
    /// The floor's position.
    #[schema(required = true)]
    pub floor_no: Option<i64>,
    /// The swipe within its slot.
    #[schema(required = true)]
    pub version: Option<i64>,
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
    /// Whether this is the text that the page had before a sync gave it another one; it is restored as another swipe.
    pub replaced: bool,
    /// The snapshot of its state, which can be read with `GET /trash/{id}/snapshots/{snapshot_id}`.
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
    /// The session, character or global snapshot that it is.
    #[schema(required = true)]
    pub id: Option<String>,
    /// The session that it is in, or that it is.
    #[schema(required = true)]
    pub session_id: Option<String>,
    /// The branch that it is on; of several one that was made for it, if there is one.
    #[schema(required = true)]
    pub branch_id: Option<String>,
    /// Whether that branch was made for it, because its place is gone or taken.
    pub new_branch: bool,
    /// All branches that it is on.
    pub branches: Vec<RestoredBranch>,
    /// Floors and pages that came back under other ids, because others have theirs by now; the first hundred.
    pub renamed: Vec<Renamed>,
    /// How many of them there are.
    #[schema(minimum = 0)]
    pub renamed_count: usize,
    /// How many floors.
    #[schema(minimum = 0)]
    pub floor_count: i64,
    /// How many pages.
    #[schema(minimum = 0)]
    pub page_count: i64,
}

/// A branch that something was restored to.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RestoredBranch {
    /// The branch.
    pub branch_id: String,
    /// Whether it was made for what has lost its place.
    pub new_branch: bool,
    /// What is stale on it, with the job that goes on processing it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub stale: Option<StaleFloors>,
}

/// A floor or page that came back under another id.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Renamed {
    /// `floor` or `page`.
    #[schema(pattern = "^(floor|page)$")]
    pub kind: String,
    /// The id that it had.
    pub old_id: String,
    /// The id that it has now.
    pub id: String,
}
