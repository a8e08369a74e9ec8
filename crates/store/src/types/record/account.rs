//! Accounts and their keys.

use serde::{Deserialize, Serialize};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::role::Role;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
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
    pub account: Id,
    pub name: String,
    pub role: Role,
    pub created_at: i64,
    /// From when on it opens nothing.
    pub expires_at: Option<i64>,
    pub revoked_at: Option<i64>,
    /// Of a browser that is signed in: the key it was signed in with.
    pub signed_in_with: Option<Id>,
}
