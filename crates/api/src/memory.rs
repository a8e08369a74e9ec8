//! The rule pack `memory`: the view of a state, the archive, and summaries that are written outside of a reply.

use crate::json::Json;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which branch.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MemoryParams {
    /// The branch; default `main`.
    #[param(min_length = 1, max_length = 256)]
    pub branch_id: Option<String>,
}

/// The newest state of a branch as a model is shown it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct MemoryView {
    /// The page whose state it is; null before the story begins.
    #[schema(required = true)]
    pub page_id: Option<String>,
    /// Its snapshot.
    #[schema(required = true)]
    pub snapshot_id: Option<String>,
    /// Whether the state is up to date with the texts.
    pub fresh: bool,
    /// The state without what is hidden.
    pub view: Json,
    /// What the model is asked to do now.
    pub due: Vec<Due>,
    /// All of it as text for a prompt: what is due, then a line for each value, with its description behind it.
    pub text: String,
}

/// Something that a model is asked to do.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Due {
    /// For programs; keeps its spelling.
    #[schema(example = "summary_due")]
    pub code: String,
    /// What to do, for the model.
    pub text: String,
}

/// Which entries of the archive.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ArchiveParams {
    /// The branch; default `main`.
    #[param(min_length = 1, max_length = 256)]
    pub branch_id: Option<String>,
    /// Only entries with this text in their key, name or value, in any case.
    #[param(min_length = 1, max_length = 1024)]
    pub q: Option<String>,
    /// Only entries that stood here, such as `summary.small`.
    #[param(min_length = 1, max_length = 1024)]
    pub source: Option<String>,
    /// Only entries under this name, such as that of a world.
    #[param(max_length = 1024)]
    pub name: Option<String>,
}

/// How the archive is sorted.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ArchiveOrder {
    /// By what to sort.
    #[param(inline, default = "floor_no")]
    pub sort_by: Option<ArchiveSort>,
    /// In which direction.
    #[param(inline, default = "asc")]
    pub sort_order: Option<crate::SortOrder>,
}

/// By what the archive is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArchiveSort {
    /// The position in the story.
    FloorNo,
}

/// A value that left a state.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"floor_id": "f7", "floor_no": 7, "page_id": "p7", "at": 1_700_000_000_000_i64,
    "source": "summary.small", "name": "", "key": "day 1", "value": "They met."}))]
pub struct ArchiveEntry {
    /// The floor whose turn took it out.
    pub floor_id: String,
    /// Its position.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub floor_no: i64,
    /// The page.
    pub page_id: String,
    /// The time of the turn, in milliseconds since 1970.
    pub at: i64,
    /// Where the value stood.
    pub source: String,
    /// Under which name it is kept, such as that of a world; empty where there is none.
    pub name: String,
    /// Its key.
    pub key: String,
    /// The value.
    pub value: Json,
}

/// A summary to add.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"text": "They met in the forest and agreed to travel north.", "key": "黑森林 03月05日"}))]
pub struct NewSummary {
    /// The branch; default `main`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 256)]
    pub branch_id: Option<String>,
    /// The summary. Left out, the configured model writes one, if one is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 65536)]
    pub text: Option<String>,
    /// Its key in `summary.big`; default: place, date and time of the state. A key that is taken gets a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 512)]
    pub key: Option<String>,
    /// The reason, shown with the edits of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 4096)]
    pub reason: Option<String>,
    /// Whether the model writes one that is not due yet.
    #[serde(default, skip_serializing_if = "crate::story::is_false")]
    #[schema(default = false)]
    pub force: bool,
}
