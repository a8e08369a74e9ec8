//! What the server says about itself.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// That the server works.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// Always `ok`; otherwise the answer is an error.
    #[schema(example = "ok")]
    pub status: String,
    /// The server's version.
    #[schema(example = "0.1.0")]
    pub version: String,
    /// The database behind it.
    #[schema(example = "sqlite")]
    pub database: String,
}
