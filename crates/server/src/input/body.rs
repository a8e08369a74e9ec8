//! Reads request bodies: bounded, JSON only, parsed once.

use crate::error::ApiError;
use crate::input::shape;
use axum::body::{Body as Stream, HttpBody as _};
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, EXPECT};
use axum::http::request::Parts;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::Frame;
use serde::de::DeserializeOwned;
use std::fmt;
use std::time::Duration;
use tavernkeep_api::ErrorCode;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::{
    BODY_BYTES_MAX, BODY_ENVELOPE_DEPTH, IMPORT_BODY_BYTES_MAX, JSON_DEPTH_MAX, NO_BODY_BYTES_MAX,
    SIGN_IN_BODY_BYTES_MAX, VARIABLES_BODY_BYTES_MAX,
};
use tavernkeep_runtime::input::Fields;
use utoipa::ToSchema;

/// How much of a body that is too large is read and discarded, so that a client that is still sending gets the response
/// instead of a broken connection.
const DRAIN_BYTES_MAX: usize = 64 * 1024 * 1024;
const DRAIN_TIME_MAX: Duration = Duration::from_secs(10);

/// The bytes of a body.
#[derive(Debug)]
pub(crate) struct RawBody(pub Bytes);

/// A JSON body that must be there.
#[derive(Debug)]
pub(crate) struct JsonBody(pub JsonText);

/// A JSON body of a documented type.
#[derive(Debug)]
pub(crate) struct Body<T>(pub T);

/// A JSON body of a documented type that may be missing or null; then it is an empty object.
#[derive(Debug)]
pub(crate) struct OptionalBody<T>(pub T);

impl<S: Sync> FromRequest<S> for RawBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        read(request).await.map(RawBody)
    }
}

impl<S: Sync> FromRequest<S> for JsonBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let bytes = read(request).await?;
        parse(&bytes).map(JsonBody)
    }
}

impl<S: Sync, T: ToSchema + DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let bytes = read(request).await?;
        shape::read(&parse(&bytes)?).map(Body)
    }
}

impl<S: Sync, T: ToSchema + DeserializeOwned> FromRequest<S> for OptionalBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let bytes = read(request).await?;
        let body = parse(if bytes.is_empty() { b"{}" } else { &bytes })?;
        let body = if body.as_str() == "null" { parse(b"{}")? } else { body };
        shape::read(&body).map(OptionalBody)
    }
}

fn parse(bytes: &[u8]) -> Result<JsonText, ApiError> {
    Ok(JsonText::parse_with_depth(bytes, JSON_DEPTH_MAX + BODY_ENVELOPE_DEPTH)?)
}

/// The largest body a path accepts.
fn limit_of(path: &str) -> usize {
    // Staged writes become variables. Anybody may try to sign in.
    match path.split('/').next_back() {
        _ if path.split('/').any(|part| part == "variables") => VARIABLES_BODY_BYTES_MAX,
        Some("sign-in") => SIGN_IN_BODY_BYTES_MAX,
        Some("import") if !path.ends_with("/functions/import") => IMPORT_BODY_BYTES_MAX,
        _ => BODY_BYTES_MAX,
    }
}

/// The bytes of a body of any type.
pub(crate) async fn read_any(request: Request) -> Result<Bytes, ApiError> {
    let limit = limit_of(request.uri().path());
    let (parts, body) = request.into_parts();
    collect(&parts.headers, body, limit).await
}

async fn read(request: Request) -> Result<Bytes, ApiError> {
    let limit = limit_of(request.uri().path());
    let (parts, body) = request.into_parts();
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    check_type(&parts.headers)?;
    collect(&parts.headers, body, limit).await
}

/// The head and the body of a request, before it is routed: its path begins with `base`.
pub(crate) async fn buffered(request: Request, base: &str) -> Result<(Parts, Bytes), ApiError> {
    let path = request.uri().path();
    let limit = limit_of(path.strip_prefix(base).unwrap_or(path));
    let (parts, body) = request.into_parts();
    let bytes = if body.is_end_stream() { Bytes::new() } else { collect(&parts.headers, body, limit).await? };
    Ok((parts, bytes))
}

/// Refuses fields in the body of a request whose route reads none.
pub(crate) async fn without_body(request: Request) -> Result<Request, ApiError> {
    if request.body().is_end_stream() {
        return Ok(request);
    }
    let (parts, body) = request.into_parts();
    let bytes = collect(&parts.headers, body, NO_BODY_BYTES_MAX).await?;
    if !bytes.is_empty() {
        let body = parse(&bytes)?;
        if body.as_str() != "null" {
            Fields::body(&body)?.finish()?;
        }
    }
    Ok(Request::from_parts(parts, Stream::from(bytes)))
}

/// The error of a body for whose next bytes there is no room. What comes behind it is not counted, and is to be dropped.
#[derive(Debug)]
pub(crate) struct NoRoom;

impl fmt::Display for NoRoom {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("too many bytes are held for others")
    }
}

impl std::error::Error for NoRoom {}

/// Why a body is not read to its end.
enum Stopped {
    TooLarge,
    NoRoom,
    Broken,
}

async fn collect(headers: &HeaderMap, mut body: Stream, limit: usize) -> Result<Bytes, ApiError> {
    let stopped = match announced(headers).is_some_and(|length| length > limit) {
        true => Stopped::TooLarge,
        false => match gather(&mut body, limit).await {
            Ok(bytes) => return Ok(bytes),
            Err(stopped) => stopped,
        },
    };
    // A client that waits for `100 Continue` has sent nothing yet; reading would invite it to. One that is still sending
    // would see a broken connection.
    if !matches!(stopped, Stopped::Broken) && !headers.contains_key(EXPECT) {
        drain(body).await;
    }
    Err(match stopped {
        Stopped::TooLarge => too_large(limit),
        Stopped::NoRoom => {
            ApiError::new(ErrorCode::Overloaded, format!("{NoRoom}; nothing was changed, try again in a second"))
        }
        Stopped::Broken => ApiError::new(ErrorCode::MalformedJson, "the connection ended before the body was complete"),
    })
}

async fn gather(body: &mut Stream, limit: usize) -> Result<Bytes, Stopped> {
    let Some(first) = next(body).await? else { return Ok(Bytes::new()) };
    if body.is_end_stream() && first.len() <= limit {
        return Ok(first);
    }
    let mut whole = BytesMut::from(first);
    while whole.len() <= limit {
        match next(body).await? {
            Some(data) => whole.extend_from_slice(&data),
            None => return Ok(whole.freeze()),
        }
    }
    Err(Stopped::TooLarge)
}

async fn next(body: &mut Stream) -> Result<Option<Bytes>, Stopped> {
    while let Some(frame) = body.frame().await {
        match frame.map(Frame::into_data) {
            Ok(Ok(data)) => return Ok(Some(data)),
            // Trailers.
            Ok(Err(_)) => {}
            Err(error) => {
                return Err(if error.into_inner().is::<NoRoom>() { Stopped::NoRoom } else { Stopped::Broken });
            }
        }
    }
    Ok(None)
}

/// Reads the rest of a body and keeps nothing of it.
async fn drain(mut body: Stream) {
    let mut bytes = 0;
    let all = async {
        while bytes < DRAIN_BYTES_MAX {
            match next(&mut body).await {
                Ok(Some(data)) => bytes += data.len(),
                Err(Stopped::NoRoom) => {}
                Ok(None) | Err(_) => break,
            }
        }
    };
    // Whether the client was done or not, the response is the same.
    let _ = tokio::time::timeout(DRAIN_TIME_MAX, all).await;
}

fn too_large(limit: usize) -> ApiError {
    ApiError::new(
        ErrorCode::PayloadTooLarge,
        format!("the body is larger than {limit} bytes, the most this route accepts; send less at a time"),
    )
}

/// How long a body says that it is.
fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// A body without a type is taken for JSON, since it must be JSON anyway.
fn check_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(value) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    if value.to_str().is_ok_and(is_json) {
        return Ok(());
    }
    Err(ApiError::new(ErrorCode::UnsupportedMediaType, "the body must be JSON; send Content-Type: application/json"))
}

fn is_json(value: &str) -> bool {
    let essence = value.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
        || essence.get(..12).is_some_and(|kind| kind.eq_ignore_ascii_case("application/"))
            && essence.len() > 17
            && essence.get(essence.len() - 5..).is_some_and(|suffix| suffix.eq_ignore_ascii_case("+json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_several_names() {
        for yes in ["application/json", "Application/JSON; charset=utf-8", "application/merge-patch+json"] {
            assert!(is_json(yes), "{yes}");
        }
        for no in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application/+json", ""] {
            assert!(!is_json(no), "{no}");
        }
    }

    #[test]
    fn variables_have_the_smaller_limit() {
        assert_eq!(limit_of("/variables"), VARIABLES_BODY_BYTES_MAX);
        assert_eq!(limit_of("/variables/batch"), VARIABLES_BODY_BYTES_MAX);
        assert_eq!(limit_of("/variablesque"), BODY_BYTES_MAX);
        assert_eq!(limit_of("/pages"), BODY_BYTES_MAX);
        assert_eq!(limit_of("/import"), IMPORT_BODY_BYTES_MAX);
        assert_eq!(limit_of("/functions/import"), BODY_BYTES_MAX);
        assert_eq!(limit_of("/pages/variables-of-mine"), BODY_BYTES_MAX);
        assert_eq!(limit_of("/pages/p/variables/staged"), VARIABLES_BODY_BYTES_MAX);
    }

    #[tokio::test]
    async fn a_body_is_read_up_to_the_limit_and_not_beyond() {
        let request = |length: usize| Request::put("/variables").body(Stream::from(vec![b' '; length])).unwrap();
        assert_eq!(read(request(VARIABLES_BODY_BYTES_MAX)).await.unwrap().len(), VARIABLES_BODY_BYTES_MAX);
        let error = read(request(VARIABLES_BODY_BYTES_MAX + 1)).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::PayloadTooLarge);
        let chunks = (0..9).map(|_| Ok::<_, std::io::Error>(Bytes::from(vec![b' '; 128 * 1024])));
        let stream = Stream::from_stream(futures_util::stream::iter(chunks));
        let error = read(Request::put("/variables").body(stream).unwrap()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::PayloadTooLarge);
    }
}
