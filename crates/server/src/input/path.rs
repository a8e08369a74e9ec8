//! Reads the parameters of a path.

use crate::error::ApiError;
use axum::RequestPartsExt as _;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use tavernkeep_engine::id::{ID_PATTERN, Id};

/// The id in a path such as `/sessions/{id}`.
#[derive(Debug)]
pub(crate) struct PathId(pub Id);

/// Free text in a path, unescaped.
#[derive(Debug)]
pub(crate) struct PathText(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let (name, text) = first(parts).await?;
        text.parse().map(PathId).map_err(|_| {
            ApiError::invalid(format!("/{name}"), "pattern", format!("must match pattern \"{ID_PATTERN}\""))
        })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for PathText {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        first(parts).await.map(|(_, text)| PathText(text))
    }
}

async fn first(parts: &mut Parts) -> Result<(String, String), ApiError> {
    let bad = || ApiError::invalid("", "format", "the path must be UTF-8 with valid percent escapes");
    let params = parts.extract::<RawPathParams>().await.map_err(|_| bad())?;
    params.iter().next().map(|(name, text)| (name.to_owned(), text.to_owned())).ok_or_else(bad)
}
