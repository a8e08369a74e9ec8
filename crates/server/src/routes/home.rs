//! The page at `/`: what this server is and where to go, in English and Chinese. It has no script. Browsers are sent on to the
//! console where there is one.

use crate::app::App;
use crate::document::console;
use crate::error::ApiError;
use crate::http::headers::CSP_PAGE;
use crate::output::reply::ApiResult;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;

const PAGE: &str = include_str!("home.html");
const STYLE: &str = include_str!("home.css");

/// A page for people
///
/// A browser is sent on to the console, if the server was built with it.
#[utoipa::path(get, path = "/", tag = "service", operation_id = "get_home",
    responses((status = 200, description = "The page.", body = String,
        content_type = "text/html"),
        (status = 307, description = "The console is at `/console/`.",
            headers(("Location" = String, description = "Where the console is.")))))]
pub async fn home(State(app): State<App>, headers: HeaderMap) -> ApiResult {
    if let Some(redirect) = console::redirect(&app, &headers)? {
        return Ok(redirect);
    }
    let page = PAGE
        .replace("{{version}}", env!("CARGO_PKG_VERSION"))
        .replace("{{database}}", app.runtime.backend())
        .replace("{{address}}", &app.settings.listen.to_string())
        .replace("{{base}}", &attribute(&app.settings.base()));
    html(page, "text/html; charset=utf-8")
}

/// The style sheet.
pub(crate) async fn style() -> ApiResult {
    html(STYLE.to_owned(), "text/css; charset=utf-8")
}

fn html(text: String, kind: &'static str) -> Result<Response, ApiError> {
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, CSP_PAGE);
    Ok(response)
}

/// Text that is safe inside an attribute and between tags.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
