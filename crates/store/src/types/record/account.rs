//! Accounts and their keys.

use serde::{Deserialize, Serialize};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::role::Role;

/// One tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Public id.
    pub id: Id,
    /// When it was created, in ms since 1970.
    pub created_at: i64,
    /// Set while the account may not be used.
    pub disabled_at: Option<i64>,
}

/// An API key, without its secret: that is stored only as a hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    /// Public id, with which the key is revoked.
    pub id: Id,
    /// The account it opens.
    pub account: Id,
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// When it was created.
    pub created_at: i64,
    /// From when on it opens nothing.
    pub expires_at: Option<i64>,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
}
