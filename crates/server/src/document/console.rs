//! The console: the files that `make web` built, from inside the program. A debug build reads them from `web/dist` each time.
//!
//! Its addresses are `/console/` with the state of the page behind `#`, so that every other path belongs to the API.

use crate::app::App;
use crate::error::ApiError;
use crate::http::headers::csp_console;
use crate::input::path::PathText;
use crate::output::reply::{self, ApiResult};
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use rust_embed::{EmbeddedFile, RustEmbed};
use tavernkeep_api::ErrorCode;

#[derive(RustEmbed)]
#[folder = "$TAVERNKEEP_CONSOLE"]
struct Files;

const INDEX: &str = "index.html";
/// Files under this folder have a hash of their content in their names.
const HASHED: &str = "assets/";

/// Sends a browser to the console, if this build has one.
pub(crate) fn redirect(app: &App, headers: &HeaderMap) -> Result<Option<Response>, ApiError> {
    let wants_page = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).is_some_and(|accept| {
        accept.split(',').any(|kind| kind.split(';').next().is_some_and(|kind| kind.trim() == "text/html"))
    });
    if !wants_page || Files::get(INDEX).is_none() {
        return Ok(None);
    }
    to_console(app, StatusCode::TEMPORARY_REDIRECT).map(Some)
}

/// `/console` without the slash.
pub(crate) async fn slash(State(app): State<App>) -> ApiResult {
    to_console(&app, StatusCode::PERMANENT_REDIRECT)
}

fn to_console(app: &App, status: StatusCode) -> ApiResult {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    let location = HeaderValue::try_from(format!("{}/console/", app.settings.base())).map_err(ApiError::internal)?;
    response.headers_mut().insert(LOCATION, location);
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept"));
    Ok(response)
}

/// The page.
pub(crate) async fn page(State(app): State<App>, headers: HeaderMap) -> ApiResult {
    file(&app, INDEX, &headers)
}

/// What the page loads.
pub(crate) async fn asset(State(app): State<App>, headers: HeaderMap, PathText(name): PathText) -> ApiResult {
    file(&app, &name, &headers)
}

fn file(app: &App, name: &str, headers: &HeaderMap) -> ApiResult {
    let packed = accepts_gzip(headers).then(|| Files::get(&format!("{name}.gz"))).flatten();
    let is_packed = packed.is_some();
    let Some(file) = packed.or_else(|| Files::get(name)) else {
        let message = match Files::get(INDEX) {
            Some(_) => "the console has no such file",
            None => "this server was built without the console; `make web`, then build it again",
        };
        return Err(ApiError::new(ErrorCode::RouteNotFound, message));
    };
    let EmbeddedFile { data, .. } = file;
    let mut response = reply::embedded(data);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type(name)));
    headers.insert(CONTENT_SECURITY_POLICY, csp_console(&app.settings.allowed_origins));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if is_packed {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    let kept = if name.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(kept));
    Ok(response)
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        parts.next() == Some("gzip") && !parts.any(|weight| matches!(weight, "q=0" | "q=0.0"))
    })
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_those_that_accept_it() {
        let accepts = |value: &'static str| {
            accepts_gzip(&[(ACCEPT_ENCODING, HeaderValue::from_static(value))].into_iter().collect())
        };
        assert!(accepts("gzip, deflate, br") && accepts("br;q=1.0, gzip;q=0.8"));
        assert!(!accepts("br") && !accepts("gzip;q=0") && !accepts("x-gzip2"));
    }
}
