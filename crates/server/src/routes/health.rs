//! Health, metrics and the API document.

use super::prelude::*;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use tavernkeep_api::service::Health;

/// Check the health of the server
///
/// Includes the database.
#[utoipa::path(get, path = "/health", tag = "service", operation_id = "get_health",
    responses((status = 200, description = "Everything works.", body = Data<Health>)))]
pub async fn health(State(app): State<App>) -> ApiResult {
    app.runtime.ping().await?;
    reply::ok(Health {
        status: "ok".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        database: app.runtime.backend().into(),
    })
}

/// Metrics for Prometheus
#[utoipa::path(get, path = "/metrics", tag = "service", operation_id = "get_metrics",
    responses((status = 200, description = "The metrics.", body = String, content_type = "application/openmetrics-text")))]
pub async fn metrics(State(app): State<App>) -> ApiResult {
    let text = app.observe.text().map_err(ApiError::internal)?;
    let mut response = Response::new(Body::from(text));
    let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(response)
}

/// This document
#[utoipa::path(get, path = "/openapi.json", tag = "service", operation_id = "get_openapi",
    responses((status = 200, description = "The API document.", body = Object, content_type = "application/json")))]
pub async fn openapi(State(app): State<App>) -> ApiResult {
    let document = app.document.get().cloned().unwrap_or_default();
    let mut response = reply::with_embedded(reply::json(StatusCode::OK, document));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(response)
}
