//! Reads JSON that a client wrote: the bodies of requests and the lines of `apply`.

mod fields;
mod problems;

pub use fields::Fields;
pub use problems::Problems;

use std::borrow::Cow;
use std::fmt;
use tavernkeep_api::error::ErrorContent;
use tavernkeep_api::{Detail, ErrorCode, Json};
use tavernkeep_engine::json::JsonError;

/// Why a request is refused.
#[derive(Debug, Clone)]
pub struct RequestError {
    /// For programs.
    pub code: ErrorCode,
    /// For people: what is wrong and what to do.
    pub message: Cow<'static, str>,
    /// The places in the request that are wrong.
    pub details: Vec<Detail>,
    /// The cause of a defect: it is logged and never sent to the client.
    pub cause: Option<String>,
}

impl RequestError {
    /// An error with a message of its own.
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        RequestError { code, message: message.into(), details: Vec::new(), cause: None }
    }

    /// A request that does not have the documented shape.
    pub fn validation(details: Vec<Detail>) -> Self {
        RequestError { details, ..RequestError::new(ErrorCode::ValidationError, "Request validation failed") }
    }

    /// A request in which one place is wrong.
    pub fn invalid(path: impl Into<String>, code: &str, message: impl Into<String>) -> Self {
        RequestError::validation(vec![Detail { path: path.into(), message: message.into(), code: code.into() }])
    }

    /// A defect of the server. The client gets the request id, the log gets the cause.
    pub fn internal(cause: impl fmt::Display) -> Self {
        let message = "internal server error; look for the request id in the server log";
        RequestError { cause: Some(cause.to_string()), ..RequestError::new(ErrorCode::InternalError, message) }
    }

    /// The error for callers without HTTP, without its cause. Whatever a client sent, little of it comes back.
    pub fn into_content(mut self) -> ErrorContent {
        self.details.truncate(DETAILS_MAX);
        for detail in &mut self.details {
            bound(&mut detail.path);
            bound(&mut detail.message);
        }
        let details = (!self.details.is_empty()).then(|| serde_json::to_string(&self.details).ok()).flatten();
        let mut message = self.message.into_owned();
        bound(&mut message);
        ErrorContent {
            code: self.code.code().to_owned(),
            message,
            details: details.and_then(|details| Json::from_text(details).ok()),
        }
    }
}

impl From<JsonError> for RequestError {
    fn from(error: JsonError) -> Self {
        RequestError::new(ErrorCode::MalformedJson, format!("the body is not JSON that can be kept: {error}"))
    }
}

/// Bytes of a message or a place in an error. The longest that we write ourselves are half as long.
const ERROR_TEXT_BYTES_MAX: usize = 2048;
/// Places in one error. A client that mends these finds the others next time.
const DETAILS_MAX: usize = 200;

/// Cuts what a client made too long, in the middle: messages end with what to do.
fn bound(text: &mut String) {
    if text.len() > ERROR_TEXT_BYTES_MAX {
        let start = text.floor_char_boundary(ERROR_TEXT_BYTES_MAX / 2);
        let end = text.ceil_char_boundary(text.len() - ERROR_TEXT_BYTES_MAX / 2);
        text.replace_range(start..end, "…");
    }
}

/// The beginning of a client's text, for a message.
pub fn excerpt(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(128) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_repeats_little_of_what_was_sent() {
        let key = "雪".repeat(200_000);
        let detail =
            |path: &str| Detail { path: path.into(), message: format!("'{key}' is wrong"), code: "custom".into() };
        let details = std::iter::repeat_n(detail(&key), 1000).collect();
        let error =
            RequestError { details, ..RequestError::new(ErrorCode::ValidationError, format!("'{key}' is not one")) };
        let content = error.into_content();
        assert!(content.message.len() < 2100 && content.message.ends_with("' is not one"), "{}", content.message.len());
        let details = serde_json::to_string(&content.details).unwrap();
        assert!(details.len() < DETAILS_MAX * 4500, "{}", details.len());
    }
}
