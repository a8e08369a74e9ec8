//! Reads the parameters of a path.

use crate::error::ApiError;
use crate::input::query::Query;
use axum::RequestPartsExt as _;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use tavernkeep_engine::id::{ID_PATTERN, Id};
use tavernkeep_engine::limits::POSITION_MAX;

/// The id in a path such as `/sessions/{id}`.
#[derive(Debug)]
pub(crate) struct PathId(pub Id);

/// Free text in a path, unescaped.
#[derive(Debug)]
pub(crate) struct PathText(pub String);

/// The ids in a path such as `/pages/{id}/edits/{edit_id}`, in their order.
#[derive(Debug)]
pub(crate) struct PathIds<const COUNT: usize>(pub [Id; COUNT]);

/// An id and free text behind it, in a path such as `/sessions/{id}/scratchpad/{name}`.
#[derive(Debug)]
pub(crate) struct PathName(pub Id, pub String);

/// The position behind the id in a path such as `/sessions/{id}/floors/{floor_no}`.
#[derive(Debug)]
pub(crate) struct PathNumber(pub i64);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let (name, text) = first(parts).await?;
        id(&name, &text).map(PathId)
    }
}

impl<const COUNT: usize, S: Send + Sync> FromRequestParts<S> for PathIds<COUNT> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let params = params(parts).await?;
        let ids = params.iter().map(|(name, text)| id(name, text)).collect::<Result<Vec<Id>, ApiError>>()?;
        ids.try_into().map(PathIds).map_err(|_| ApiError::internal("a path has another number of ids"))
    }
}

fn id(name: &str, text: &str) -> Result<Id, ApiError> {
    text.parse()
        .map_err(|_| ApiError::invalid(format!("/{name}"), "pattern", format!("must match pattern \"{ID_PATTERN}\"")))
}

impl<S: Send + Sync> FromRequestParts<S> for PathText {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        first(parts).await.map(|(_, text)| PathText(text))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for PathNumber {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let (name, text) = nth(parts, 1).await?;
        let mut query = Query::of(name.clone(), text);
        let number = query.integer(&name, 0, POSITION_MAX);
        query.finish()?;
        number.map(PathNumber).ok_or_else(bad)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for PathName {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let ((name, text), (_, rest)) = (first(parts).await?, nth(parts, 1).await?);
        Ok(PathName(id(&name, &text)?, rest))
    }
}

async fn first(parts: &mut Parts) -> Result<(String, String), ApiError> {
    nth(parts, 0).await
}

async fn nth(parts: &mut Parts, at: usize) -> Result<(String, String), ApiError> {
    let params = params(parts).await?;
    params.iter().nth(at).map(|(name, text)| (name.to_owned(), text.to_owned())).ok_or_else(bad)
}

async fn params(parts: &mut Parts) -> Result<RawPathParams, ApiError> {
    parts.extract::<RawPathParams>().await.map_err(|_| bad())
}

fn bad() -> ApiError {
    ApiError::invalid("", "format", "the path must be UTF-8 with valid percent escapes")
}
