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

    /// The error for callers without HTTP, without its cause.
    pub fn into_content(self) -> ErrorContent {
        let details = (!self.details.is_empty()).then(|| serde_json::to_string(&self.details).ok()).flatten();
        ErrorContent {
            code: self.code.code().to_owned(),
            message: self.message.into_owned(),
            details: details.and_then(|details| Json::from_text(details).ok()),
        }
    }
}

impl From<JsonError> for RequestError {
    fn from(error: JsonError) -> Self {
        RequestError::new(ErrorCode::MalformedJson, format!("the body is not JSON that can be kept: {error}"))
    }
}

/// The beginning of a client's text, for a message.
pub fn excerpt(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(128) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
