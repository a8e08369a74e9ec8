//! `Idempotency-Key`: a write that is sent again is answered again and happens once.
//!
//! The gate reads the body of such a request, since the body is part of what must be the same. Requests without the
//! header pass by.

use crate::app::App;
use crate::error::ApiError;
use crate::http::auth::{self, Who};
use crate::http::headers::{IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED};
use crate::input::body;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use std::sync::Arc;
use tavernkeep_engine::limits::IDEMPOTENCY_KEY_CHARS_MAX;
use tavernkeep_runtime::{Once, Runtime};

/// The system as a write route uses it: under the request's idempotency key, if there is one.
pub(crate) struct Writer(pub Runtime);

impl FromRequestParts<App> for Writer {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        Ok(Writer(match parts.extensions.get::<Arc<Once>>() {
            Some(once) => app.runtime.once(Arc::clone(once)),
            None => app.runtime.clone(),
        }))
    }
}

/// Whether a request asks to happen once.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    headers.contains_key(IDEMPOTENCY_KEY)
}

/// Reads the request whole and notes what tells it from others.
pub(crate) async fn prepare(app: &App, request: Request) -> Result<(Request, Arc<Once>), ApiError> {
    let key = key(request.headers())?;
    let base = app.settings.base();
    let (mut parts, bytes) = body::buffered(request, &base).await?;
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    let credential = auth::secret(&parts.headers).flatten();
    let once = Once::new(&key, &[parts.method.as_str().as_bytes(), target.as_bytes(), &bytes], credential);
    let once = Arc::new(once);
    parts.extensions.insert(Arc::clone(&once));
    Ok((Request::from_parts(parts, Body::from(bytes)), once))
}

/// Marks an answer that was given before, and keeps a refusal for the next time.
pub(crate) async fn complete(app: &App, who: Option<&Who>, once: &Once, mut response: Response) -> Response {
    if once.repeated() {
        response.headers_mut().insert(IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
    }
    let (true, true, Some(who)) = (once.refused(), response.status().is_client_error(), who) else { return response };
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let response = crate::output::refusal::stored(parts.status.as_u16(), &String::from_utf8_lossy(&bytes));
    // A refusal had no effect, so whoever repeats the request may as well be refused anew.
    if let Err(error) = app.runtime.keep_refusal(who.account(), once, response).await {
        tracing::warn!(%error, "a refusal could not be kept");
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
