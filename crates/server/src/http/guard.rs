//! Which `Host` and `Origin` a request may have.
//!
//! A web page can make a browser send requests here, under a name that points to this machine (DNS rebinding) or straight
//! to our address from another origin. Both are refused unless the operator allows them.

use crate::error::ApiError;
use crate::settings::Settings;
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, Request, Version};
use std::net::IpAddr;
use tavernkeep_api::ErrorCode;
use tavernkeep_engine::limits::HEAD_BYTES_MAX;
use tavernkeep_runtime::input::excerpt;

/// The rules of one server.
#[derive(Debug)]
pub(crate) struct Guard {
    listen: IpAddr,
    allowed_hosts: Vec<String>,
    allowed_origins: Vec<String>,
}

/// Where a request comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// No web page, or one of ours.
    Here,
    /// A web page of an origin that the operator allows: answers carry CORS headers.
    Allowed(HeaderValue),
}

impl Guard {
    pub(crate) fn new(settings: &Settings) -> Self {
        let lower = |list: &[String]| {
            list.iter().map(|entry| entry.trim().trim_end_matches('/').to_ascii_lowercase()).collect()
        };
        Guard {
            listen: settings.listen.ip().to_canonical(),
            allowed_hosts: lower(&settings.allowed_hosts),
            allowed_origins: lower(&settings.allowed_origins),
        }
    }

    /// Accepts a request or says why not.
    pub(crate) fn check<B>(&self, request: &Request<B>) -> Result<Source, ApiError> {
        let (uri, headers) = (request.uri(), request.headers());
        // HTTP itself ends much longer heads; it reads in parts, so its own limit is not exact.
        if head_bytes(request) > HEAD_BYTES_MAX {
            let message = format!("the address and the headers are longer than {HEAD_BYTES_MAX} bytes; send less");
            return Err(ApiError::new(ErrorCode::HeadTooLarge, message));
        }
        let hosts = headers.get_all(HOST).iter().count();
        // HTTP/1.0 has no Host.
        if hosts > 1 || (hosts == 0 && request.version() == Version::HTTP_11) {
            let message = format!("a request of HTTP/1.1 has one Host, and this one has {hosts}; send one");
            return Err(ApiError::new(ErrorCode::MalformedRequest, message));
        }
        let host = match headers.get(HOST) {
            Some(host) => Some(host.to_str().unwrap_or("?")),
            None => uri.authority().map(axum::http::uri::Authority::as_str),
        };
        if let Some(host) = host
            && !self.host_allowed(host)
        {
            return Err(ApiError::new(
                ErrorCode::HostNotAllowed,
                format!("the host '{}' is not served here; add it to allowed_hosts", excerpt(host)),
            ));
        }
        let Some(value) = headers.get(ORIGIN) else {
            return match is_embedded_elsewhere(headers) {
                true => Err(ApiError::new(
                    ErrorCode::OriginNotAllowed,
                    "a page of another site may not load this; open it in a window of its own",
                )),
                false => Ok(Source::Here),
            };
        };
        let origin = value.to_str().unwrap_or("?");
        if host.is_some_and(|host| same_origin(origin, host)) {
            return Ok(Source::Here);
        }
        if self.allowed_origins.iter().any(|allowed| allowed == "*" || allowed.eq_ignore_ascii_case(origin)) {
            return Ok(Source::Allowed(value.clone()));
        }
        Err(ApiError::new(
            ErrorCode::OriginNotAllowed,
            format!("web pages of '{}' may not use this server; add it to allowed_origins", excerpt(origin)),
        ))
    }

    fn host_allowed(&self, host: &str) -> bool {
        let name = without_port(host);
        if let Ok(address) = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            let address = address.to_canonical();
            if address.is_loopback() || address == self.listen || self.listen.is_unspecified() {
                return true;
            }
        } else if name.eq_ignore_ascii_case("localhost") {
            return true;
        }
        self.allowed_hosts
            .iter()
            .any(|allowed| allowed == "*" || allowed.eq_ignore_ascii_case(host) || allowed.eq_ignore_ascii_case(name))
    }
}

/// How long the head of a request is, as far as a client decides it.
fn head_bytes<B>(request: &Request<B>) -> usize {
    let address = request.uri().path_and_query().map_or(0, |address| address.as_str().len());
    request.headers().iter().fold(address, |bytes, (name, value)| bytes + name.as_str().len() + value.len() + 4)
}

/// Whether a page of another site loads this as a part of itself, such as an image or a script, for which browsers send no
/// `Origin`. Following a link is no such part.
fn is_embedded_elsewhere(headers: &HeaderMap) -> bool {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|found| found == value);
    is("sec-fetch-site", "cross-site") && !is("sec-fetch-mode", "navigate")
}

/// Whether a page of this origin was loaded from this host. The scheme does not count: a proxy may have taken TLS off.
fn same_origin(origin: &str, host: &str) -> bool {
    let (authority, port) = if let Some(authority) = origin.strip_prefix("http://") {
        (authority, ":80")
    } else if let Some(authority) = origin.strip_prefix("https://") {
        (authority, ":443")
    } else {
        return false;
    };
    let plain = |text: &str| text.strip_suffix(port).unwrap_or(text).to_ascii_lowercase();
    authority.eq_ignore_ascii_case(host) || plain(authority) == plain(host)
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        // An IPv6 address has colons of its own, in brackets.
        Some((name, port)) if !port.ends_with(']') && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}
