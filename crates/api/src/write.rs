//! Writes that took longer than their requests.

use crate::json::Json;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What became of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteState {
    /// It is still under way.
    Running,
    /// It is done; `response_status` says whether it happened.
    Done,
}

/// A write whose request was answered `write_pending`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PendingWrite {
    /// The id that the answer named.
    pub id: String,
    /// Whether it is done.
    pub state: WriteState,
    /// The status that the request would have been answered with: from 200 to 299 if it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub response_status: Option<u16>,
    /// The body of that answer, up to 64 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object, nullable = false)]
    pub response: Option<Json>,
}
