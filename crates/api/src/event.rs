//! Events: what a listener of `/events` reads in the `data` lines.

use crate::json::{Json, present};
use crate::variable::{Scope, ScopeRef};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};

/// The data of an event. The `event` line says which shape it has: `variable.set`, `variable.deleted`,
/// `variable.promoted`, `ready`, or any other.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(untagged)]
pub enum EventData {
    /// `variable.set`
    VariableSet(VariableSet),
    /// `variable.deleted`
    VariableDeleted(VariableDeleted),
    /// `variable.promoted`
    VariablePromoted(VariablePromoted),
    /// `ready`
    Ready(Ready),
    /// Any other: `session.created`, `floor.committed`, `page.activated`, `variable.staged`, …
    Happened(Happened),
}

/// A variable was written: `variable.set`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct VariableSet {
    /// The session; not on global variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub session_id: Option<String>,
    /// The branch; not on variables of the account and the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub branch_id: Option<String>,
    /// The variable.
    pub entry: VariableEntry,
    /// Whether it is new.
    pub is_new: bool,
}

/// A variable as it was written.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct VariableEntry {
    /// Its id.
    pub id: String,
    /// The kind of host.
    pub scope: Scope,
    /// The host.
    pub scope_id: String,
    /// The branch; only on branch variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ScopeRef, required = false)]
    pub scope_ref: Option<ScopeRef>,
    /// Its key.
    pub key: String,
    /// The value that was written; absent if it is no longer stored: its host was deleted or its history was purged.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub value: Option<Json>,
    /// When it was written.
    pub updated_at: i64,
}

/// A variable was deleted: `variable.deleted`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct VariableDeleted {
    /// The session; not on global variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub session_id: Option<String>,
    /// The branch; not on variables of the account and the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub branch_id: Option<String>,
    /// Its id.
    pub id: String,
    /// The kind of host.
    pub scope: Scope,
    /// The host.
    pub scope_id: String,
    /// The branch; only on branch variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ScopeRef, required = false)]
    pub scope_ref: Option<ScopeRef>,
    /// Its key.
    pub key: String,
}

/// A value was promoted from a page to its floor, or from there to the branch or the session: `variable.promoted`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct VariablePromoted {
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub session_id: Option<String>,
    /// The branch; not when the value went to the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub branch_id: Option<String>,
    /// The key.
    pub key: String,
    /// Where the value was.
    pub from_scope: Scope,
    /// Where it is now.
    pub to_scope: Scope,
    /// The host that has it now.
    pub to_scope_id: String,
    /// That host, if it is a branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ScopeRef, required = false)]
    pub to_scope_ref: Option<ScopeRef>,
    /// The value; absent if a deletion was promoted, or if the host was deleted.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub value: Option<Json>,
}

/// An event of a session, branch, floor, page, state or job.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Happened {
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub session_id: Option<String>,
    /// The branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub branch_id: Option<String>,
    /// What it happened to; of a branch, its session; of a state, its snapshot.
    pub id: String,
    /// More fields: `floor_no` and `state` of a floor, `floor_id`, `page_no` and `version` of a page,
    /// `page_id` of a state.
    #[serde(flatten)]
    pub more: BTreeMap<String, serde_json::Value>,
}

/// The stream has begun: `ready`, the first event of every stream.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Ready {
    /// The position where the stream begins: only events after it follow. It can be sent as `Last-Event-ID`.
    pub id: String,
}

/// Which events are wanted.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventFilter {
    /// Only what happens in this session. Global variables do not belong to any.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub session_id: Option<String>,
    /// With `session_id`: only what happens on this branch.
    #[param(min_length = 1, max_length = 256)]
    pub branch_id: Option<String>,
    /// Only events with these names, separated by commas: `variable.set,floor.committed`.
    #[param(example = "variable.set,floor.committed")]
    pub types: Option<String>,
    /// The same as the header `Last-Event-ID`, for clients that cannot send one. The header wins.
    #[param(pattern = "^(0|[1-9][0-9]{0,18})-(0|[1-9][0-9]{0,18})$")]
    pub last_event_id: Option<String>,
}
