//! What every request passes through: host and origin, key and role, conditions, headers, metrics.

pub(crate) mod auth;
pub(crate) mod budget;
pub(crate) mod condition;
pub(crate) mod cookie;
pub(crate) mod guard;
pub(crate) mod headers;
pub(crate) mod observe;
pub(crate) mod pending;
