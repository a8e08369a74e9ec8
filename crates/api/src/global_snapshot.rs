//! Global snapshots: states that belong to no page.

use crate::json::Json;
use crate::json::present;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A global snapshot.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct GlobalSnapshot {
    /// Its id.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is for.
    #[schema(required = true)]
    pub description: Option<String>,
    /// Its tags, in their order.
    pub tags: Vec<String>,
    /// The document; only where one is read by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub body: Option<Json>,
    /// When it was made.
    pub created_at: i64,
    /// When it last changed.
    pub updated_at: i64,
}

/// A global snapshot to create. Its document is given as `body`, or taken from a page or a snapshot: exactly one of the three.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"name": "before the ball", "tags": ["act 2"], "body": {"yuki": {"affinity": 40}}}))]
pub struct NewGlobalSnapshot {
    /// Your own id; default a new UUID.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub id: Option<String>,
    /// Its name; at most 1024 bytes.
    #[schema(min_length = 1, max_length = 1024)]
    pub name: String,
    /// What it is for; at most 16384 bytes.
    #[schema(max_length = 16_384)]
    pub description: Option<String>,
    /// Tags, each of at most 256 bytes. Duplicates count once.
    #[serde(default)]
    #[schema(max_items = 32, schema_with = tags)]
    pub tags: Vec<String>,
    /// The document: an object.
    #[schema(value_type = Object, required = false)]
    pub body: Option<Json>,
    /// The page whose state is copied.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub page_id: Option<String>,
    /// The snapshot whose state is copied.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub snapshot_id: Option<String>,
}

/// Changes to a global snapshot. An absent field stays as it is.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({"tags": ["act 2", "ball"]}))]
pub struct GlobalSnapshotPatch {
    /// A new name.
    #[schema(min_length = 1, max_length = 1024, nullable = false)]
    pub name: Option<String>,
    /// A new description, or null for none.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 16_384)]
    pub description: Option<Option<String>>,
    /// New tags; replace all old ones.
    #[schema(schema_with = tags)]
    pub tags: Option<Vec<String>>,
    /// A new document: an object.
    #[schema(value_type = Object, required = false)]
    pub body: Option<Json>,
}

/// The schema of up to 32 tags.
fn tags() -> utoipa::openapi::schema::Schema {
    use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
    let tag = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(256));
    Schema::Array(ArrayBuilder::new().items(tag).max_items(Some(32)).build())
}

/// Which global snapshots.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GlobalSnapshotListParams {
    /// Only those with exactly this tag.
    #[param(min_length = 1, max_length = 256)]
    pub tag: Option<String>,
}

crate::list::list_order!(GlobalSnapshotOrder, GlobalSnapshotSort, "global snapshots", "updated_at" "desc",
    /// By the last change.
    UpdatedAt
);

/// The page that gets the state of a global snapshot.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct ApplyGlobalSnapshot {
    /// The page. It must be one that commands are read from.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub page_id: String,
}
