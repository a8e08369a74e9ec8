//! `Idempotency-Key`: a repeated write is performed once and gets the stored response.
//!
//! The gate reads the body of such a request, since the body is part of what must be the same. Requests without
//! the header are left alone.

use crate::app::App;
use crate::error::{ApiError, refusal};
use crate::http::auth::Authenticated;
use crate::http::headers::{IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED};
use crate::input::body;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use std::sync::Arc;
use tavernkeep_engine::limits::IDEMPOTENCY_KEY_CHARS_MAX;
use tavernkeep_runtime::{IdempotentRequest, Runtime};

/// The runtime of a write route, with the request's idempotency key if there is one, and the caller.
pub(crate) struct Writer(pub Runtime, pub Authenticated);

impl FromRequestParts<App> for Writer {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let runtime = match parts.extensions.get::<Arc<IdempotentRequest>>() {
            Some(request) => app.runtime.with_idempotency(Arc::clone(request)),
            None => app.runtime.clone(),
        };
        Ok(Writer(runtime, Authenticated::from_request_parts(parts, app).await?))
    }
}

/// Whether a request has an idempotency key.
pub(crate) fn has_key(headers: &HeaderMap) -> bool {
    headers.contains_key(IDEMPOTENCY_KEY)
}

/// Reads the whole request and fingerprints it.
pub(crate) async fn prepare(app: &App, request: Request) -> Result<(Request, Arc<IdempotentRequest>), ApiError> {
    let key = key(request.headers())?;
    let base = app.settings.base();
    let (mut parts, bytes) = body::buffered(request, &base).await?;
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    let credential = app.auth.secret(&parts.headers).flatten();
    let request =
        IdempotentRequest::new(&key, &[parts.method.as_str().as_bytes(), target.as_bytes(), &bytes], credential);
    let request = Arc::new(request);
    parts.extensions.insert(Arc::clone(&request));
    Ok((Request::from_parts(parts, Body::from(bytes)), request))
}

/// Marks a stored response, and stores a refusal.
pub(crate) async fn complete(
    app: &App,
    caller: Option<&Authenticated>,
    request: &IdempotentRequest,
    mut response: Response,
) -> Response {
    if request.replayed() {
        response.headers_mut().insert(IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
    }
    let (true, true, Some(caller)) = (request.refused(), response.status().is_client_error(), caller) else {
        return response;
    };
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let response = refusal::stored(parts.status.as_u16(), &String::from_utf8_lossy(&bytes));
    // A refusal had no effect, so without a stored one the request can be refused again.
    if let Err(error) = app.runtime.keep_refusal(caller.account(), request, response).await {
        tracing::warn!(%error, "cannot store a refusal under its idempotency key");
    }
    Response::from_parts(parts, Body::from(bytes))
}

fn key(headers: &HeaderMap) -> Result<String, ApiError> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let text = match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().unwrap_or_default(),
        _ => "",
    };
    let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    if visible && (1..=IDEMPOTENCY_KEY_CHARS_MAX).contains(&text.len()) {
        return Ok(text.to_owned());
    }
    let message = format!("must be given once, as 1 to {IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters");
    Err(ApiError::invalid(IDEMPOTENCY_KEY.as_str(), "pattern", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_short_and_visible() {
        let read = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(IDEMPOTENCY_KEY, HeaderValue::from_bytes(value.as_bytes()).unwrap());
            }
            key(&headers).ok()
        };
        let longest = "k".repeat(IDEMPOTENCY_KEY_CHARS_MAX);
        assert_eq!(read(&["a-1_~!"]).as_deref(), Some("a-1_~!"));
        assert_eq!(read(&[&longest]), Some(longest.clone()));
        for bad in [&["a b"][..], &[""], &["é"], &["a", "b"], &[&format!("{longest}k")]] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
    }
}
