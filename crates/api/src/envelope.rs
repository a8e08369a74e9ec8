//! The envelopes of success: `{"data": …}`, for lists with `"meta"`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One thing.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Data<T> {
    /// The thing itself.
    pub data: T,
}

/// All things of a kind: a short list that is answered whole.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct All<T> {
    /// The things.
    pub data: Vec<T>,
}

/// A text.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Text {
    /// The text itself.
    pub data: String,
}

/// One part of a list.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct List<T> {
    /// The rows.
    pub data: Vec<T>,
    /// Which part of the list they are.
    pub meta: ListMeta,
}

/// Which part of a list was returned.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"total": 12, "limit": 2, "offset": 0, "has_more": true, "sort_by": "key", "sort_order": "asc"}))]
pub struct ListMeta {
    /// How many rows there are in all; absent with `total=false`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, nullable = false)]
    pub total: Option<i64>,
    /// The requested limit.
    #[schema(minimum = 1, maximum = 100)]
    pub limit: i64,
    /// How many rows were skipped.
    #[schema(minimum = 0)]
    pub offset: i64,
    /// Whether more rows follow.
    pub has_more: bool,
    /// What the rows are sorted by.
    pub sort_by: String,
    /// In which direction.
    pub sort_order: SortOrder,
}

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SortOrder {
    /// Smallest first.
    Asc,
    /// Largest first.
    Desc,
}

/// The response to a deletion.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"id": "var_001", "deleted": true}))]
pub struct Deleted {
    /// What was deleted.
    pub id: String,
    /// Whether it existed.
    pub deleted: bool,
    /// The job that deletes the rows of a long session; absent if nothing is left to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub job_id: Option<String>,
    /// The item of the trash that it can be restored by; only in responses to the deletion of many that made several items, and of
    /// sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub trash_id: Option<String>,
    /// What the change leaves stale on the branch; only in responses to changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = StaleFloors, required = false)]
    pub stale: Option<StaleFloors>,
}

/// The floors of a branch whose states are not up to date with the texts.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct StaleFloors {
    /// How many there are.
    #[schema(minimum = 1)]
    pub floors: i64,
    /// The position of the first one; `POST /sessions/{id}/process` mends them.
    #[schema(minimum = 0)]
    pub first_floor_no: i64,
    /// The job that is processing them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub job_id: Option<String>,
}

/// The response to a deletion of many.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DeletedMany {
    /// One row per id, in the order of the request.
    pub results: Vec<Deleted>,
    /// Totals.
    pub meta: DeletedMeta,
}

/// Totals of a deletion of many.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
pub struct DeletedMeta {
    /// Number of requested ids.
    #[schema(minimum = 0)]
    pub total: usize,
    /// How many existed.
    #[schema(minimum = 0)]
    pub deleted: usize,
}

/// Which ones to delete.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct DeleteIds {
    /// Their ids. An id that does not exist gets `"deleted": false`.
    #[schema(min_items = 1, max_items = 100, schema_with = crate::list::id_list)]
    pub ids: Vec<String>,
}
