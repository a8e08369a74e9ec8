//! Staged writes and promotions of a page, and the history of a variable.

use crate::json::Json;
use crate::json::present;
use crate::variable::Scope;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a staged write wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StagedOp {
    /// Give the key a value.
    Set,
    /// Take the key away.
    Delete,
}

/// How far a staged write goes once its page is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// It stays on the page.
    PageOnly,
    /// To the floor.
    PromoteToFloorOnAccept,
    /// To the floor and on to the branch.
    PromoteToBranchOnAccept,
    /// To the floor and on to the chat.
    PromoteToChatOnAccept,
}

/// What happens where the target has the key already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConflictPolicy {
    /// The new value wins.
    Replace,
    /// The existing value stays.
    IfAbsent,
}

/// Who proposes a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// Not specified.
    Unknown,
    /// A macro in a prompt.
    Macro,
    /// A tool call.
    Tool,
    /// An agent.
    Agent,
    /// The memory rules.
    MemoryRuntime,
}

/// A write to stage on a page.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"key": "mood", "op": "set", "value": "steady", "reason": "she calmed down"}))]
pub struct NewStagedWrite {
    /// The key; at most 512 bytes.
    #[schema(min_length = 1, max_length = 512)]
    pub key: String,
    /// What to do.
    pub op: StagedOp,
    /// The value; needed for `set`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Json, required = false)]
    pub value: Option<Json>,
    /// How far it goes; default `promote_to_floor_on_accept`.
    #[schema(value_type = Intent, required = false)]
    pub intent: Option<Intent>,
    /// What happens where the target has the key; default `replace`.
    #[schema(value_type = ConflictPolicy, required = false)]
    pub conflict_policy: Option<ConflictPolicy>,
    /// Who proposes it; default `unknown`.
    #[schema(value_type = SourceKind, required = false)]
    pub source_kind: Option<SourceKind>,
    /// Why; at most 1024 bytes.
    #[schema(max_length = 1024)]
    pub reason: Option<String>,
    /// Where it comes from.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Json, required = false)]
    pub source: Option<Json>,
    /// Evidence for it.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Json, required = false)]
    pub evidence: Option<Json>,
}

/// A proposal for a page's variable, and its outcome.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct StagedWrite {
    /// Public id.
    pub id: String,
    /// The key.
    #[schema(min_length = 1, max_length = 512)]
    pub key: String,
    /// `set` or `delete`.
    pub op: String,
    /// The value; `null` for a deletion.
    pub value: Json,
    /// How far it goes.
    pub intent: String,
    /// What happens where the target has the key.
    pub conflict_policy: String,
    /// Who proposed it.
    pub source_kind: String,
    /// Why.
    pub reason: Option<String>,
    /// Where it came from.
    pub source: Json,
    /// Evidence for it.
    pub evidence: Json,
    /// `staged`, `accepted_page_only`, `promoted`, `rejected` or `discarded`.
    pub status: String,
    /// The class of the decision; `null` while there is none.
    pub decision_code: Option<String>,
    /// Why it was not promoted further.
    pub decision_reason: Option<String>,
    /// When it was staged.
    pub created_at: i64,
    /// When it was decided.
    pub resolved_at: Option<i64>,
}

/// One hop of a value from a page to its floor, or on to branch or chat.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Promotion {
    /// Public id.
    pub id: String,
    /// The staged write that asked for it; `null` for a value that was put on the page.
    pub staged_write_id: Option<String>,
    /// The key.
    #[schema(min_length = 1, max_length = 512)]
    pub key: String,
    /// The scope the value was on.
    pub from_scope: Scope,
    /// The host the value was on.
    pub from_scope_id: String,
    /// The scope it went to.
    pub to_scope: Scope,
    /// The host it went to.
    pub to_scope_id: String,
    /// What happened where the target had the key.
    pub conflict_policy: String,
    /// The variable it was.
    pub source_variable_id: Option<String>,
    /// The variable it became.
    pub target_variable_id: Option<String>,
    /// The value; `null` for the promotion of a deletion.
    pub value: Json,
    /// When.
    pub created_at: i64,
}

/// The staged writes of a page.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct StagedWrites {
    /// The page.
    pub page_id: String,
    /// Its floor.
    pub floor_id: String,
    /// Its session.
    pub session_id: String,
    /// Its branch.
    pub branch_id: String,
    /// In the order they came.
    pub items: Vec<StagedWrite>,
}

/// The promotions of a page.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Promotions {
    /// The page.
    pub page_id: String,
    /// Its floor.
    pub floor_id: String,
    /// Its session.
    pub session_id: String,
    /// Its branch.
    pub branch_id: String,
    /// In the order they happened.
    pub items: Vec<Promotion>,
}

/// One write of a variable.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HistoryEntry {
    /// The variable's id then; one that was deleted and made again has another.
    pub variable_id: String,
    /// `set` or `delete`.
    pub op: String,
    /// The value; `null` for a deletion.
    pub value: Json,
    /// How it came: `put`, `increment`, `patch`, `staged`, `promoted`, `restored`, `withdrawn` or `inherited`.
    pub source: String,
    /// The page that promoted it, if it still exists.
    pub page_id: Option<String>,
    /// When.
    pub created_at: i64,
}
