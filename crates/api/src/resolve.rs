//! Resolving: what is visible from one place of a conversation.

use crate::json::Json;
use crate::variable::{Scope, ScopeRef, Variable};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The place to resolve at.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ResolveParams {
    /// The session.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub session_id: String,
    /// A branch; must agree with floor and page.
    #[param(min_length = 1)]
    pub branch_id: Option<String>,
    /// A floor; brings its branch along.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub floor_id: Option<String>,
    /// A page; brings its floor and branch along.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub page_id: Option<String>,
    /// Whether to add the raw rows of each layer.
    #[param(default = false)]
    pub include_layers: Option<bool>,
    /// Whether a floor also sees the nearest values of the floors before it.
    #[param(default = false)]
    pub lineage: Option<bool>,
}

/// What is visible from one place.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Resolved {
    /// The place.
    pub context: ResolveContext,
    /// The winner of each key, sorted by key.
    pub resolved: Vec<ResolvedVariable>,
    /// The raw rows of each known layer; only with `include_layers=true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Layers, required = false)]
    pub layers: Option<Layers>,
}

/// The place of the parameters. Unknown parts are absent.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ResolveContext {
    /// The account.
    #[schema(example = "default-admin")]
    pub account_id: String,
    /// The session.
    pub session_id: String,
    /// The branch, given or derived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub branch_id: Option<String>,
    /// The floor, given or derived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub floor_id: Option<String>,
    /// The page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub page_id: Option<String>,
    /// Always `global`.
    #[schema(example = "global")]
    pub global_scope_id: String,
}

/// The winner of one key.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ResolvedVariable {
    /// The key.
    #[schema(min_length = 1, max_length = 512)]
    pub key: String,
    /// The value that wins.
    pub value: Json,
    /// The scope it comes from.
    pub source_scope: Scope,
    /// The host it comes from.
    pub source_scope_id: String,
    /// The branch it comes from; only when the scope is `branch`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ScopeRef, required = false)]
    pub source_scope_ref: Option<ScopeRef>,
    /// The floor at whose commit the branch inherited it, if it still exists; only for what a branch inherits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub inherited_from_floor_id: Option<String>,
    /// Set for the story's state, which is computed and cannot be written.
    #[serde(default, skip_serializing_if = "crate::story::is_false")]
    #[schema(default = false)]
    pub computed: bool,
    /// Whether the story's state is up to date with the texts; only on computed values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub fresh: Option<bool>,
    /// When it was last written.
    pub updated_at: i64,
}

/// The raw rows of each known layer.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct Layers {
    /// The account's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Layer, required = false)]
    pub global: Option<Layer>,
    /// The session's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Layer, required = false)]
    pub chat: Option<Layer>,
    /// The branch's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Layer, required = false)]
    pub branch: Option<Layer>,
    /// The floor's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Layer, required = false)]
    pub floor: Option<Layer>,
    /// The page's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Layer, required = false)]
    pub page: Option<Layer>,
}

/// The raw rows of one layer.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Layer {
    /// The kind of host.
    pub scope: Scope,
    /// The host.
    pub scope_id: String,
    /// The branch; only on the branch layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ScopeRef, required = false)]
    pub scope_ref: Option<ScopeRef>,
    /// Its variables, sorted by key.
    pub items: Vec<Variable>,
}
