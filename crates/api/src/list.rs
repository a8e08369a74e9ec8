//! The parameters that all lists share, and the schema of a list of ids.

use serde::Deserialize;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::{IntoParams, ToSchema};

/// The pattern of every id.
pub const ID_PATTERN: &str = "^[A-Za-z0-9._~:-]{1,128}$";

/// Which part of a list is wanted.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WindowParams {
    /// Maximum number of rows.
    #[param(minimum = 1, maximum = 100, default = 50)]
    pub limit: Option<i64>,
    /// Rows to skip.
    #[param(minimum = 0, maximum = 1_000_000_000, default = 0)]
    pub offset: Option<i64>,
    /// `false` leaves `meta.total` out and saves the counting.
    #[param(default = true)]
    pub total: Option<bool>,
}

/// A direction, as a parameter.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Smallest first.
    Asc,
    /// Largest first.
    Desc,
}

/// The schema of an id.
pub fn id() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(ID_PATTERN))
}

/// The schema of 1 to 100 ids.
pub fn id_list() -> Schema {
    Schema::Array(ArrayBuilder::new().items(id()).min_items(Some(1)).max_items(Some(100)).build())
}

/// The id in a path.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct IdPath {
    /// The id.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$", min_length = 1, max_length = 128)]
    pub id: String,
}

/// The branch in a path.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct BranchPath {
    /// The branch's id: free text, percent-encoded.
    #[param(min_length = 1)]
    pub branch_id: String,
}
