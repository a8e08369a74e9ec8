//! Sync: a whole chat as a client has it.

use crate::json::present;
use crate::story::ProcessReport;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The chat that the branch becomes. Send hashes only first; texts that the server lacks are returned as `missing`.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"floors": [
    {"role": "assistant", "name": "Yuki", "swipes": [{"content": "Good evening."}]},
    {"role": "user", "swipes": [{"hash": "185f8db32271fe25f561a6fc938b2e264306ec304eda518007d1764826381969"}]}
]}))]
pub struct SyncRequest {
    /// The branch; default `main`. It must exist; of a fork the chat begins at the very beginning.
    #[schema(min_length = 1, max_length = 256, nullable = false)]
    pub branch_id: Option<String>,
    /// All messages, in order; 50,000 swipes at most altogether.
    #[schema(max_items = 20_000)]
    pub floors: Vec<SyncFloor>,
    /// Texts that are named by their hashes in `floors`; 8 MiB at most together with those that stand there. What pages get
    /// may be 64 MiB, each text counted as often as it is used (`413 sync_too_large`).
    #[schema(max_items = 50_000, nullable = false)]
    pub texts: Option<Vec<String>>,
    /// The `version` of an earlier response: if the branch has changed since and the chat is another one, nothing is done
    /// (`409 chat_moved`). Send it with the `texts` that were missing, so that nothing is deleted that came meanwhile.
    #[schema(pattern = "^[0-9a-f]{32}$", nullable = false)]
    pub expected_version: Option<String>,
    /// The page that the branch must end with, null for none: the same for a client that has no `version` yet.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub expected_last: Option<Option<String>>,
    /// How many messages at the beginning of the chat are those of `expected_version`: `floors` has only what follows them. With
    /// `expected_version` alone, and refused (`409 chat_moved`) if the branch has changed since: then send the whole chat.
    #[schema(minimum = 0, maximum = 20_000, nullable = false)]
    pub kept: Option<u64>,
    /// How many floors may be deleted or lose texts that the chat replaces, and how many swipes of other floors may be deleted,
    /// together. More than five, and more than a fifth of the branch's floors, are lost only with this or with `expected_version`.
    #[schema(minimum = 0, nullable = false)]
    pub max_deleted: Option<u64>,
    /// Only report what would happen; change nothing.
    #[serde(default)]
    #[schema(default = false)]
    pub dry_run: bool,
    /// Confirms a chat without floors: all floors of the branch are deleted.
    #[serde(default)]
    #[schema(default = false)]
    pub confirm_all: bool,
}

/// One message of a chat.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct SyncFloor {
    /// The role of the speaker; at most 1024 bytes. What `user`, `system` and `tool` say becomes an `input` page, everything else an
    /// `output` page.
    #[schema(min_length = 1, max_length = 1024)]
    pub role: String,
    /// The speaker's name, at most 1024 bytes; left out or null it stays what it is.
    #[schema(max_length = 1024)]
    pub name: Option<String>,
    /// Which swipe counts, from 0.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 99, default = 0)]
    pub active: i64,
    /// All texts of the message.
    #[schema(min_items = 1, max_items = 100)]
    pub swipes: Vec<SyncSwipe>,
}

/// One text of a message: by its hash, or itself.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct SyncSwipe {
    /// The SHA-256 of the text in UTF-8, in hexadecimal. It may be left out where the text stands.
    #[schema(pattern = "^[0-9A-Fa-f]{64}$", nullable = false)]
    pub hash: Option<String>,
    /// The text.
    #[schema(nullable = false)]
    pub content: Option<String>,
}

/// The result of a sync.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SyncReport {
    /// Hashes of texts that the server lacks, as they were sent. While there are any, nothing is changed: send the same
    /// chat again with those `texts`.
    pub missing: Vec<String>,
    /// Whether the branch is the chat now.
    pub applied: bool,
    /// Unchanged floors.
    #[schema(minimum = 0)]
    pub unchanged: usize,
    /// Floors that are new, or would be.
    #[schema(minimum = 0)]
    pub created: usize,
    /// Floors whose texts, speakers or active swipe changed.
    #[schema(minimum = 0)]
    pub changed: usize,
    /// Floors at another position.
    #[schema(minimum = 0)]
    pub moved: usize,
    /// Deleted floors.
    #[schema(minimum = 0)]
    pub deleted: usize,
    /// Floors that lose a text because the chat has another one in its place. Where there are several such texts, or something is deleted,
    /// the old texts go to the trash.
    #[schema(minimum = 0)]
    pub replaced: usize,
    /// Swipes that are deleted on floors that stay, and whose texts are nowhere else in the chat. They go to the trash.
    #[schema(minimum = 0)]
    pub swipes_deleted: usize,
    /// The item of the trash with what was deleted or replaced, as in the header `Trash-Id`; null if nothing was.
    #[schema(required = true)]
    pub trash_id: Option<String>,
    /// The first hundred floors that are new, changed or moved.
    pub floors: Vec<SyncedFloor>,
    /// How many of them there are.
    #[schema(minimum = 0)]
    pub floors_count: usize,
    /// Whether there are more than are listed.
    pub floors_more: bool,
    /// Where the first hundred messages of the chat are, unchanged ones included; empty while the branch is another chat.
    pub map: Vec<MappedFloor>,
    /// Where the map goes on: the `from` of `GET /sessions/{id}/transcript?content=false`; null if it is whole.
    #[schema(required = true, minimum = 0, maximum = 1_000_000_000)]
    pub map_next_from: Option<i64>,
    /// The version of the branch; send it as `expected_version` with the next sync.
    #[schema(pattern = "^[0-9a-f]{32}$")]
    pub version: String,
    /// The page that the chat ends with now; null if it has none.
    #[schema(required = true)]
    pub last_page_id: Option<String>,
    /// The result of processing; null if nothing was processed.
    #[schema(required = true)]
    pub processed: Option<ProcessReport>,
    /// The job that continues processing, if that takes longer than a second.
    #[schema(required = true)]
    pub job_id: Option<String>,
    /// Whether this was a dry run.
    pub dry_run: bool,
}

/// A floor that is new or changed.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SyncedFloor {
    /// Which message of the chat it is, from 0.
    #[schema(minimum = 0)]
    pub index: usize,
    /// The floor.
    pub floor_id: String,
    /// Its position.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub floor_no: i64,
    /// Its pages in the order of the swipes.
    pub page_ids: Vec<String>,
}

/// Where a message of the chat is.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct MappedFloor {
    /// Which message of the chat it is, from 0.
    #[schema(minimum = 0)]
    pub index: usize,
    /// The floor.
    pub floor_id: String,
    /// Its position.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub floor_no: i64,
    /// Its active page.
    #[schema(required = true)]
    pub page_id: Option<String>,
    /// The page's snapshot; null where the page has no state of its own, or has none yet because a job is processing it.
    #[schema(required = true)]
    pub snapshot_id: Option<String>,
}
