//! What the handlers of most routes use.

pub(super) use crate::app::App;
pub(super) use crate::error::ApiError;
pub(super) use crate::gate::idempotency::Writer;
pub(super) use crate::http::auth::Authenticated;
pub(super) use crate::http::condition::{WriteCondition, etag};
pub(super) use crate::input::body::{Body, JsonBody, OptionalBody};
pub(super) use crate::input::path::PathId;
pub(super) use crate::input::query::Query;
pub(super) use crate::input::shape;
pub(super) use crate::output::reply::ApiResult;
pub(super) use crate::output::{convert, reply};
pub(super) use axum::extract::State;
pub(super) use tavernkeep_api::envelope::{All, DeleteIds, Deleted, DeletedMany};
pub(super) use tavernkeep_api::list::{IdPath, WindowParams};
pub(super) use tavernkeep_api::{Data, ErrorCode, Json, List};
pub(super) use tavernkeep_engine::id::Id;
