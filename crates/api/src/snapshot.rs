//! Snapshots: the list of a session, what is between two of them, and cleaning up.

use crate::apply::ChangeOperation;
use crate::envelope::StaleFloors;
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::{IntoParams, ToSchema};

/// One snapshot of a session, without its document.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SnapshotEntry {
    /// Its id, a UUID.
    pub id: String,
    /// The page; null if it was deleted, and then the fields of its position are null too.
    #[schema(required = true)]
    pub page_id: Option<String>,
    /// The page's slot on its floor.
    #[schema(required = true, minimum = 0, maximum = 1_000_000_000)]
    pub page_no: Option<i64>,
    /// The swipe within the slot.
    #[schema(required = true, minimum = 0, maximum = 1_000_000_000)]
    pub page_version: Option<i64>,
    /// Whether that swipe is the chosen one.
    #[schema(required = true)]
    pub is_active: Option<bool>,
    /// Who speaks on the page: `user`, `assistant` or another role.
    #[schema(required = true)]
    pub role: Option<String>,
    /// The floor.
    #[schema(required = true)]
    pub floor_id: Option<String>,
    /// Its position.
    #[schema(required = true, minimum = 0, maximum = 1_000_000_000)]
    pub floor_no: Option<i64>,
    /// The branch.
    #[schema(required = true)]
    pub branch_id: Option<String>,
    /// Whether it was edited by hand.
    pub edited: bool,
    /// When it was created.
    pub created_at: i64,
    /// When its state last changed.
    pub updated_at: i64,
}

/// Which snapshots of a session, and in which order.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SnapshotListParams {
    /// Only those whose page stands on this branch.
    #[param(min_length = 1, max_length = 256)]
    pub branch_id: Option<String>,
}

crate::list::list_order!(SnapshotOrder, SnapshotSort, "snapshots", "created_at" "desc",
    /// By creation.
    CreatedAt,
    /// Where their pages stand; those without a page come before the first floor.
    FloorNo
);

/// With what a snapshot is compared.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DiffParams {
    /// The other snapshot.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$", min_length = 1, max_length = 128)]
    pub to: String,
}

/// What leads from one snapshot to another.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SnapshotDiff {
    /// The snapshot to begin with.
    pub from: String,
    /// The one it leads to.
    pub to: String,
    /// The way, as JSON Patch (RFC 6902).
    pub change: Vec<ChangeOperation>,
}

/// The chat whose snapshots are dropped.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"chat_file": "Yuki - 2025-10-20"}))]
pub struct ChatOfSnapshots {
    /// The `chat_file` of a session; `chatFile` means the same. One of them must be there.
    #[schema(min_length = 1, max_length = 1024, nullable = false)]
    pub chat_file: Option<String>,
    /// Another spelling of `chat_file`.
    #[serde(rename = "chatFile")]
    #[schema(min_length = 1, max_length = 1024, nullable = false)]
    pub chat_file_too: Option<String>,
    /// The `next_after` of the previous response.
    #[serde(default)]
    #[schema(minimum = 0, default = 0)]
    pub after: i64,
    /// Only report what would happen; change nothing.
    #[serde(default)]
    #[schema(default = false)]
    pub dry_run: bool,
}

/// The chats that exist: the snapshots of all others are dropped.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"active_chat_files": ["Yuki - 2025-10-20"], "dry_run": true}))]
pub struct CleanupRequest {
    /// The `chat_file` of every chat that exists.
    #[schema(schema_with = chat_files)]
    pub active_chat_files: Option<Vec<String>>,
    /// Another spelling of `active_chat_files`.
    #[serde(rename = "activeChatFiles")]
    #[schema(schema_with = chat_files)]
    pub active_chat_files_too: Option<Vec<String>>,
    /// Whether an empty list is meant: no chat exists, so every snapshot is dropped.
    #[serde(default)]
    #[schema(default = false)]
    pub confirm_all: bool,
    /// Whether snapshots of pages that are gone for good are dropped in the chats that exist, too. Those in the trash stay.
    #[serde(default)]
    #[schema(default = false)]
    pub orphans: bool,
    /// The `next_after` of the previous response.
    #[serde(default)]
    #[schema(minimum = 0, default = 0)]
    pub after: i64,
    /// Only report what would happen; change nothing.
    #[serde(default)]
    #[schema(default = false)]
    pub dry_run: bool,
}

fn chat_files() -> Schema {
    let name = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(1024));
    let description = "The `chat_file` of every chat. One of `active_chat_files` and `activeChatFiles` is required.";
    Schema::Array(ArrayBuilder::new().items(name).max_items(Some(100_000)).description(Some(description)).build())
}

/// The result of a cleanup.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CleanupReport {
    /// Snapshots that were dropped, or would be. The pages that had them are unprocessed.
    #[schema(minimum = 0)]
    pub deleted: i64,
    /// How many of these have edits by hand.
    #[schema(minimum = 0)]
    pub deleted_edited: i64,
    /// Of these the ones whose page was deleted before: processing does not bring them back.
    #[schema(minimum = 0)]
    pub deleted_orphans: i64,
    /// Chats with snapshots that were looked at.
    #[schema(minimum = 0)]
    pub scanned_chat_files: usize,
    /// Chats that lost snapshots.
    #[schema(minimum = 0)]
    pub deleted_chat_files: usize,
    /// The names of the first thousand of them.
    #[schema(max_items = 1_000)]
    pub chat_files: Vec<String>,
    /// The items of the trash that these chats' snapshots can be restored by, in the same order.
    #[schema(max_items = 1_000)]
    pub trash_ids: Vec<String>,
    /// Whether there is more to do than fits into a second: send the request again, with `next_after` as `after`. The figures are
    /// those of this answer alone. Under an `Idempotency-Key` only an answer with nothing left is kept.
    pub more: bool,
    /// Where to go on; null when all is done.
    #[schema(required = true, minimum = 0)]
    pub next_after: Option<i64>,
    /// Whether nothing was dropped.
    pub dry_run: bool,
    /// What is stale on the branch `main` of the chat, if one chat was named: the others are stale likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub stale: Option<StaleFloors>,
}
