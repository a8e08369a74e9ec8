//! The health of the server.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The server works.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// Always `ok`; otherwise the response is an error.
    #[schema(example = "ok")]
    pub status: String,
    /// The server's version.
    #[schema(example = "0.1.0")]
    pub version: String,
    /// The database behind it.
    #[schema(example = "sqlite")]
    pub database: String,
}
