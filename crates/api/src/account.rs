//! Accounts and their keys.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// What the bearer of a key may do. Each role may do everything the ones before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads everything of its account.
    Read,
    /// Also writes.
    Write,
    /// Also manages keys, and exports or deletes the account.
    Admin,
}

/// The account of a request.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Account {
    /// The account.
    #[schema(example = "default-admin")]
    pub account_id: String,
    /// What the request may do.
    pub role: Role,
    /// The key of the request, or the key that the browser was signed in with; null if the server needs none.
    #[schema(required = true)]
    pub key_id: Option<String>,
    /// The browser, if the request comes from one that is signed in.
    #[schema(required = true)]
    pub browser_id: Option<String>,
    /// What the account has, and what it may have.
    pub quotas: Quotas,
}

/// What an account has, and what it may have.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
pub struct Quotas {
    /// Sessions.
    pub sessions: Quota,
    /// Variables on all scopes together.
    pub variables: Quota,
    /// Keys that are neither revoked nor expired.
    pub keys: Quota,
}

/// A limit and its use.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"used": 12, "trashed": 0, "max": 100_000}))]
pub struct Quota {
    /// Used.
    #[schema(minimum = 0)]
    pub used: i64,
    /// How much of that is in the trash; purging it makes room.
    #[schema(minimum = 0)]
    pub trashed: i64,
    /// Allowed.
    #[schema(minimum = 0)]
    pub max: i64,
}

/// A key, without its secret.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Key {
    /// Its id, with which it is revoked.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub id: String,
    /// Its name.
    #[schema(example = "console on the laptop")]
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// When it was created.
    pub created_at: i64,
    /// When it expires.
    #[schema(required = true)]
    pub expires_at: Option<i64>,
    /// When it was revoked.
    #[schema(required = true)]
    pub revoked_at: Option<i64>,
}

/// A new key with its secret. The secret is shown only here.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CreatedKey {
    /// The key.
    #[serde(flatten)]
    pub key: Key,
    /// The secret; it cannot be shown again.
    #[schema(example = "tk_…")]
    pub secret: String,
}

/// A key to create.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"name": "console on the laptop", "role": "admin"}))]
pub struct NewKey {
    /// Its name; at most 1024 bytes.
    #[schema(min_length = 1, max_length = 1024)]
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// When it expires; never if absent or null.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    pub expires_at: Option<i64>,
}

crate::list::list_order!(KeyOrder, KeySort, "keys", "created_at" "asc",
    /// In the order of creation.
    CreatedAt
);

/// The guard against deleting an account by mistake.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Confirmation {
    /// The id of the account that is to be deleted.
    #[param(min_length = 1)]
    pub confirm: String,
}

/// A browser to sign in.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"key": "tk_…", "days": 30}))]
pub struct SignIn {
    /// The secret of a key.
    #[schema(min_length = 1, max_length = 1024)]
    pub key: String,
    /// For how many days; 30 if absent. A key that expires earlier ends it earlier.
    #[schema(minimum = 1, maximum = 365)]
    pub days: Option<i64>,
}

/// A browser that is signed in.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Browser {
    /// Its id, with which it is signed out.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub id: String,
    /// What it calls itself: its `User-Agent`.
    pub name: String,
    /// The key it was signed in with.
    pub key_id: String,
    /// What it may do.
    pub role: Role,
    /// When it was signed in.
    pub created_at: i64,
    /// When it is signed out by itself.
    pub expires_at: i64,
    /// Whether the request comes from this browser.
    pub current: bool,
}

crate::list::list_order!(BrowserOrder, BrowserSort, "browsers", "created_at" "desc",
    /// In the order of signing in.
    CreatedAt
);
