//! The cookie of a browser that is signed in.
//!
//! Scripts cannot read it (`HttpOnly`) and other sites cannot send it (`SameSite=Strict`). A page of another port on the
//! same host counts as the same site; the guard refuses its `Origin`, and the gate drops the cookie of origins that the
//! operator allows: they bring keys of their own.

use crate::error::ApiError;
use crate::settings::Settings;
use axum::http::header::{COOKIE, ORIGIN};
use axum::http::{HeaderMap, HeaderValue};

/// The name of the cookie. Browsers keep one set of cookies for all ports of a host, so the port is part of it.
pub(crate) fn name(settings: &Settings) -> String {
    format!("tavernkeep_{}", settings.listen.port())
}

/// The value of the cookie with this name.
pub(crate) fn find<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
}

/// Whether the page was loaded over TLS, which a proxy may have taken off.
pub(crate) fn over_tls(headers: &HeaderMap) -> bool {
    headers.get(ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https://"))
}

/// The header that sets the cookie.
pub(crate) fn set(settings: &Settings, token: &str, seconds: i64, tls: bool) -> Result<HeaderValue, ApiError> {
    let secure = if tls { "; Secure" } else { "" };
    let (name, base) = (name(settings), settings.base());
    let text = format!("{name}={token}; Path={base}/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::try_from(text).map_err(ApiError::internal)
}

/// The header that removes the cookie.
pub(crate) fn remove(settings: &Settings, tls: bool) -> Result<HeaderValue, ApiError> {
    set(settings, "", 0, tls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_static("a=1; tavernkeep_7117=tb_x"));
        headers.append(COOKIE, HeaderValue::from_static("tavernkeep_7118=tb_y;b"));
        assert_eq!(find(&headers, "tavernkeep_7117"), Some("tb_x"));
        assert_eq!(find(&headers, "tavernkeep_7118"), Some("tb_y"));
        assert_eq!(find(&headers, "tavernkeep"), None);
    }
}
