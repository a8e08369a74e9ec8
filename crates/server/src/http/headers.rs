//! The headers of every response.

use crate::http::guard::Source;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY,
    VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};

/// Which pages may load a response as a part of themselves.
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The id of a request, in both directions.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The key under which a client repeats a write.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Marks a stored response.
pub(crate) const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// What JSON may do in a browser: nothing.
const CSP_DATA: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
/// What our own small page may do: show its own style.
pub(crate) const CSP_PAGE: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'",
);
/// What the documentation may do: run its own script and ask this server. Its script writes styles into the page.
pub(crate) const CSP_DOCS: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// What the console may do: run its own scripts and ask this server. Its editor writes styles into the page.
const CSP_CONSOLE: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
     font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors";

/// The policy of the console. The pages that the operator names as allowed origins may show it in a frame; browsers that read this
/// directive ignore `X-Frame-Options`. `*` names no known page, so it allows no frames.
pub(crate) fn csp_console(allowed_origins: &[String]) -> HeaderValue {
    let named = allowed_origins.iter().map(|origin| origin.trim().trim_end_matches('/'));
    let named: Vec<&str> = named.filter(|origin| is_origin(origin)).collect();
    let frames = if named.is_empty() { "'none'".to_owned() } else { named.join(" ") };
    // Origins are checked above, so the text is visible ASCII.
    HeaderValue::try_from(format!("{CSP_CONSOLE} {frames}")).unwrap_or(CSP_DATA)
}

/// Whether a setting is one origin: anything else could add directives to the policy.
fn is_origin(text: &str) -> bool {
    let authority = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    authority.is_some_and(|authority| {
        !authority.is_empty()
            && authority
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':' | b'[' | b']'))
    })
}

/// Adds the security headers. A handler may have set stricter ones.
pub(crate) fn secure(headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(CSP_DATA);
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// Lets the page of an allowed origin read the response.
pub(crate) fn share(headers: &mut HeaderMap, source: &Source) {
    if let Source::Allowed(origin) = source {
        headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        let exposed = HeaderValue::from_static("etag, x-request-id, allow, retry-after, idempotency-replayed");
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        headers.append(VARY, HeaderValue::from_static("origin"));
    }
}

/// The response to a CORS preflight request.
pub(crate) fn preflight() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers
        .insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"));
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(
            "authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, x-api-key, x-request-id",
        ),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_console_is_framed_by_named_origins_alone() {
        let frames = |origins: &[&str]| {
            let origins: Vec<String> = origins.iter().map(|origin| (*origin).to_owned()).collect();
            let policy = csp_console(&origins);
            policy.to_str().unwrap_or_default().split("frame-ancestors ").last().unwrap_or_default().to_owned()
        };
        assert_eq!(frames(&[]), "'none'");
        assert_eq!(frames(&["*"]), "'none'");
        assert_eq!(frames(&["http://a; script-src *"]), "'none'");
        assert_eq!(
            frames(&["http://127.0.0.1:8000/", "https://tavern.example.org"]),
            "http://127.0.0.1:8000 https://tavern.example.org"
        );
    }
}
