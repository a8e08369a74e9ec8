//! What every request passes through: host and origin, key and role, headers, metrics, idempotency.

pub(crate) mod auth;
pub(crate) mod condition;
pub(crate) mod gate;
pub(crate) mod guard;
pub(crate) mod headers;
pub(crate) mod idempotency;
pub(crate) mod observe;
