//! The documentation page: Swagger UI from inside the program, so that it needs no internet.

use crate::app::App;
use crate::error::ApiError;
use crate::http::headers::CSP_DOCS;
use crate::input::path::PathText;
use crate::output::reply::{self, ApiResult};
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use std::sync::Arc;
use tavernkeep_api::ErrorCode;
use utoipa_swagger_ui::Config;

/// The page that shows this document
///
/// Redirects to `/docs/`.
#[utoipa::path(get, path = "/docs", tag = "service", operation_id = "get_docs",
    responses((status = 308, description = "The page is at `/docs/`.",
        headers(("Location" = String, description = "Where the page is.")))))]
pub async fn index(State(app): State<App>) -> ApiResult {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    let location = HeaderValue::try_from(format!("{}/docs/", app.settings.base())).map_err(ApiError::internal)?;
    response.headers_mut().insert(LOCATION, location);
    Ok(response)
}

/// The page itself.
pub(crate) async fn page(State(app): State<App>) -> ApiResult {
    file(&app, "")
}

/// What the page loads.
pub(crate) async fn asset(State(app): State<App>, PathText(name): PathText) -> ApiResult {
    file(&app, &name)
}

fn file(app: &App, name: &str) -> ApiResult {
    // The validator is an external service; nothing is sent there.
    let config = Config::from(format!("{}/openapi.json", app.settings.base())).validator_url("none");
    let file = utoipa_swagger_ui::serve(name, Arc::new(config)).map_err(ApiError::internal)?;
    let Some(file) = file else {
        return Err(ApiError::new(ErrorCode::RouteNotFound, "the documentation has no such file"));
    };
    let mut response = reply::embedded(file.bytes);
    let kind =
        if file.content_type.starts_with("text/") { file.content_type + "; charset=utf-8" } else { file.content_type };
    let kind = HeaderValue::try_from(kind).map_err(ApiError::internal)?;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, kind);
    headers.insert(CONTENT_SECURITY_POLICY, CSP_DOCS);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(response)
}
