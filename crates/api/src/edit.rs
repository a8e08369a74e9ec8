//! Edits by hand: patches that are kept beside the text of a page.

use crate::history::Difference;
use crate::json::{Json, present};
use crate::story::{is_false, yes};
use crate::variable::PatchOperation;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, Ref, Schema, SchemaType, Type};
use utoipa::{IntoParams, PartialSchema, ToSchema};

/// What to change in a state by hand: a `patch`, or a `path` and its new `value`.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"patch": [{"op": "replace", "path": "/yuki/affinity", "value": 50}], "reason": "a slip"}))]
pub struct StateEdit {
    /// A JSON Patch (RFC 6902), all operations or none; or an object as merge patch (RFC 7396), whose nulls remove members.
    #[schema(value_type = Option<StatePatch>, nullable = false)]
    pub patch: Option<Json>,
    /// The one value to set, as `yuki.affinity` or as JSON Pointer.
    #[schema(max_length = 4096, nullable = false)]
    pub path: Option<String>,
    /// Its new value.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Json>)]
    pub value: Option<Json>,
    /// Why; kept with the edit. At most 4096 bytes.
    #[schema(max_length = 4096, nullable = false)]
    pub reason: Option<String>,
    /// Whether what follows on the page's branch is processed at once. Otherwise it stays stale until it is processed.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub process: bool,
}

/// A JSON Patch or a merge patch.
#[derive(Debug, Clone)]
pub struct StatePatch;

impl PartialSchema for StatePatch {
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new()
            .schema_type(SchemaType::from_iter([Type::Array, Type::Object]))
            .items(Ref::from_schema_name("PatchOperation"))
            .max_items(Some(1000))
            .description(Some("The operations of RFC 6902 in their order, or the object of a merge patch (RFC 7396)."))
            .into()
    }
}

impl ToSchema for StatePatch {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("StatePatch")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((PatchOperation::name().into_owned(), PatchOperation::schema()));
        PatchOperation::schemas(schemas);
    }
}

/// An edit of a page's state by hand.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Edit {
    /// Its id, for `DELETE /pages/{id}/edits/{edit_id}`.
    pub id: String,
    /// Its place in the order in which they are applied.
    #[schema(minimum = 1)]
    pub number: i64,
    /// What it was made for.
    pub kind: EditKind,
    /// What it does, as JSON Patch. `add` sets a member of an object, whether it is there or not; the item of a list is found by
    /// what it was, not by its index alone. `old` is what was there when the edit was made, unless it was long.
    pub patch: Vec<Difference>,
    /// Why it was made.
    #[schema(required = true)]
    pub reason: Option<String>,
    /// When it was made.
    pub created_at: i64,
    /// When it was taken back; null while it counts.
    #[schema(required = true)]
    pub taken_back_at: Option<i64>,
    /// Set while it rests: no commands are read from the page, so it has no state that the edit could count for. It counts again
    /// when the page is the model's again.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(default = false)]
    pub resting: bool,
}

/// What an edit was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditKind {
    /// To change the state.
    Edit,
    /// To undo what the page did.
    Undo,
}

/// An edit of a page.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct EditPath {
    /// The page.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub id: String,
    /// The edit.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub edit_id: String,
}

crate::list::list_order!(EditOrder, EditSort, "edits", "number" "asc",
    /// In the order in which they are applied.
    Number);
