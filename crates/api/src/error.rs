//! The shape of every error response.

use crate::code::ErrorCode;
use crate::json::Json;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Every response that is not a success.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"error": {"code": "variable_host_not_found", "message": "Session 'nosess' not found"}}))]
pub struct ErrorBody {
    /// What went wrong.
    pub error: ErrorContent,
}

/// What went wrong.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ErrorContent {
    /// For programs; keeps its spelling.
    #[schema(value_type = ErrorCode)]
    pub code: String,
    /// For people: what was wrong and what to do.
    pub message: String,
    /// Where exactly: a list of [`Detail`] for `validation_error`, an object with `request_id` for `internal_error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ErrorDetails>, nullable = false)]
    pub details: Option<Json>,
}

/// What `details` may hold.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum ErrorDetails {
    /// The places in the request that are wrong.
    Places(Vec<Detail>),
    /// A defect of the server.
    Internal(InternalDetails),
}

/// Details of a defect of the server.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct InternalDetails {
    /// The request's id in the server's log.
    pub request_id: String,
}

/// One place in a request that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"path": "/key", "message": "must NOT have fewer than 1 characters", "code": "minLength"}))]
pub struct Detail {
    /// Where: a JSON pointer such as `/items/0/key` for the shape, a dotted path such as `items.1` for fields that contradict
    /// each other. Empty for the body or query as a whole.
    pub path: String,
    /// What it must be.
    pub message: String,
    /// The JSON Schema keyword that fails, or `custom`.
    pub code: String,
}
