//! The parameters that all lists share, and the schema of a list of ids.

use serde::Deserialize;
use utoipa::IntoParams;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};

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

/// The parameters that sort a list: `sort_by`, a column, and `sort_order`. Their defaults stand in front of the columns.
macro_rules! list_order {
    ($order:ident, $sort:ident, $what:literal, $by:tt $direction:tt, $($(#[$doc:meta])* $column:ident),+) => {
        #[doc = concat!("How a list of ", $what, " is sorted.")]
        #[derive(Debug, Clone, serde::Deserialize, utoipa::IntoParams)]
        #[into_params(parameter_in = Query)]
        pub struct $order {
            /// The column to sort by.
            #[param(inline, default = $by)]
            pub sort_by: Option<$sort>,
            /// In which direction.
            #[param(inline, default = $direction)]
            pub sort_order: Option<$crate::SortOrder>,
        }

        #[doc = concat!("By what a list of ", $what, " is sorted.")]
        #[derive(Debug, Clone, serde::Deserialize, utoipa::ToSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $sort {
            $($(#[$doc])* $column),+
        }
    };
}
pub(crate) use list_order;

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

/// A branch on which a floor or page is meant that it shares with another one.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OnBranch {
    /// A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on.
    #[param(min_length = 1, max_length = 256)]
    pub branch_id: Option<String>,
}
