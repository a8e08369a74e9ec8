//! Error responses: the one envelope `{"error": {"code", "message", "details"?}}`.

pub(crate) mod refusal;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use std::borrow::Cow;
use std::fmt;
use tavernkeep_api::error::{ErrorBody, ErrorContent};
use tavernkeep_api::{Detail, ErrorCode};
use tavernkeep_engine::json::JsonError;
use tavernkeep_runtime::input::RequestError;
use tavernkeep_runtime::{Refusal, RuntimeError};

/// A response that is not a success.
#[derive(Debug, Clone)]
pub struct ApiError {
    error: RequestError,
    /// A response that was stored under an idempotency key: its status and body.
    stored_response: Option<(u16, String)>,
}

/// The cause of an error: it is logged and never sent to the client.
#[derive(Debug, Clone)]
pub(crate) struct Cause(pub String);

impl ApiError {
    /// An error with a message of its own.
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        RequestError::new(code, message).into()
    }

    /// A request in which one place is wrong.
    pub fn invalid(path: impl Into<String>, code: &str, message: impl Into<String>) -> Self {
        RequestError::invalid(path, code, message).into()
    }

    /// A defect of the server. The client gets the request id, the log gets the cause.
    pub fn internal(cause: impl fmt::Display) -> Self {
        RequestError::internal(cause).into()
    }

    /// A write that goes on without its request, which can be asked for under `id`.
    pub(crate) fn write_pending(id: &str) -> Self {
        let message = format!(
            "the request took too long, and its write may still happen; ask GET /writes/{id} what became of it"
        );
        ApiError::new(ErrorCode::WritePending, message).at(format!("/writes/{id}"))
    }

    /// Adds a place to an error that has another code than `validation_error`.
    pub fn at(mut self, path: impl Into<String>) -> Self {
        let message = self.error.message.to_string();
        self.error.details.push(Detail { path: path.into(), message, code: "custom".into() });
        self
    }

    /// The error for callers without HTTP, without its cause.
    pub(crate) fn into_content(self) -> ErrorContent {
        self.error.into_content()
    }

    #[cfg(test)]
    pub(crate) fn code(&self) -> ErrorCode {
        self.error.code
    }

    #[cfg(test)]
    pub(crate) fn details(&self) -> &[Detail] {
        &self.error.details
    }
}

/// Which code a refusal has. This is the only place that knows.
pub(crate) fn refusal_code(refusal: &Refusal) -> ErrorCode {
    match refusal {
        Refusal::HostNotFound(_) => ErrorCode::VariableHostNotFound,
        Refusal::VariableNotFound(_) => ErrorCode::VariableNotFound,
        Refusal::VariableLocked(_) => ErrorCode::VariableTargetLocked,
        Refusal::ConditionFailed(_) => ErrorCode::PreconditionFailed,
        Refusal::NotCountable(_) => ErrorCode::VariableNotANumber,
        Refusal::ContextMismatch(_) => ErrorCode::InvalidVariableContext,
        Refusal::SessionNotFound(_) => ErrorCode::SessionNotFound,
        Refusal::BranchNotFound(..) => ErrorCode::BranchNotFound,
        Refusal::FloorNotFound(_)
        | Refusal::FloorNumberNotFound { .. }
        | Refusal::FloorElsewhere(..)
        | Refusal::ParentElsewhere(_) => ErrorCode::FloorNotFound,
        Refusal::SourceFloorNotFound(_) => ErrorCode::SourceFloorNotFound,
        Refusal::LocalSnapshotMissing { .. } => ErrorCode::BranchLocalSnapshotMissing,
        Refusal::ViewNotFound { .. } => ErrorCode::ViewNotFound,
        Refusal::PageNotFound(_) | Refusal::PageElsewhere { .. } => ErrorCode::PageNotFound,
        Refusal::ApiKeyNotFound(_) => ErrorCode::KeyNotFound,
        Refusal::BrowserNotFound(_) => ErrorCode::BrowserNotFound,
        Refusal::AccountNotFound(_) => ErrorCode::AccountNotFound,
        Refusal::IdTaken(..)
        | Refusal::ChatFileTaken(..)
        | Refusal::RestoreTaken(..)
        | Refusal::RestoreChatTaken(..)
        | Refusal::TurnDiffers { .. } => ErrorCode::IdTaken,
        Refusal::PositionTaken(..) | Refusal::FloorNumberTaken { .. } | Refusal::FloorNumbersEnd => {
            ErrorCode::PositionTaken
        }
        Refusal::BranchExists(_) => ErrorCode::BranchExists,
        Refusal::BranchProtected => ErrorCode::ProtectedBranch,
        Refusal::InvalidState { .. } => ErrorCode::InvalidState,
        Refusal::PageWithoutState(_)
        | Refusal::RestoreUnnamed(_)
        | Refusal::RestoreWithoutChatFile(_)
        | Refusal::SnapshotOfDeletedPage(_) => ErrorCode::InvalidState,
        Refusal::NothingToRestore => ErrorCode::NothingToRestore,
        Refusal::LedgerPageNotFound => ErrorCode::NotFound,
        Refusal::TooMany(..) | Refusal::TooManyWithTrash { .. } => ErrorCode::QuotaExceeded,
        Refusal::PatchMisfit(_) => ErrorCode::PatchFailed,
        Refusal::JobNotFound(_) => ErrorCode::JobNotFound,
        Refusal::JobNotCancellable(_) => ErrorCode::InvalidState,
        Refusal::KeyReused => ErrorCode::IdempotencyKeyReused,
        // Answered with the stored response; the code is in there.
        Refusal::StoredResponse(_) => ErrorCode::InvalidState,
        Refusal::SnapshotNotFound(_) => ErrorCode::SnapshotNotFound,
        Refusal::EditNotFound(_) => ErrorCode::EditNotFound,
        Refusal::GlobalSnapshotNotFound(_) => ErrorCode::GlobalSnapshotNotFound,
        Refusal::FunctionNotFound(_) => ErrorCode::FunctionNotFound,
        Refusal::FunctionBuiltIn(_) => ErrorCode::FunctionBuiltIn,
        Refusal::FunctionInvalid(..)
        | Refusal::FunctionOrder { .. }
        | Refusal::IdReserved(_)
        | Refusal::KeptTooMany(_) => ErrorCode::ValidationError,
        Refusal::FunctionsTooLong => ErrorCode::QuotaExceeded,
        Refusal::SnapshotMoved | Refusal::FunctionMoved | Refusal::ContentMoved(_) => ErrorCode::PreconditionFailed,
        Refusal::ParentMoved => ErrorCode::ParentMoved,
        Refusal::SyncConflict(_) => ErrorCode::SyncConflict,
        Refusal::SyncTooLarge => ErrorCode::SyncTooLarge,
        Refusal::ChatMoved => ErrorCode::ChatMoved,
        Refusal::SyncDeletes { .. } => ErrorCode::SyncDeletes,
        Refusal::TrashNotFound(_) => ErrorCode::TrashNotFound,
        Refusal::BranchBusy(_) => ErrorCode::BranchBusy,
        Refusal::ForkTooDeep => ErrorCode::ForkTooDeep,
        Refusal::CharacterNotFound(_) => ErrorCode::CharacterNotFound,
        Refusal::VariableReserved(_) => ErrorCode::VariableReserved,
        Refusal::EventsPurged { .. } => ErrorCode::EventsPurged,
        Refusal::CallNotFound(_) => ErrorCode::CallNotFound,
        Refusal::ApprovalNotFound(_) => ErrorCode::ApprovalNotFound,
        Refusal::ApprovalSettled { .. } => ErrorCode::ApprovalSettled,
        Refusal::GrantNotFound(_) => ErrorCode::GrantNotFound,
        Refusal::ScratchVariableNotFound(_) => ErrorCode::ScratchpadVariableNotFound,
        Refusal::ToolGroupNotFound(_) => ErrorCode::ToolGroupNotFound,
        Refusal::ToolNotFound(_) => ErrorCode::ToolNotFound,
        Refusal::RuleProtected(_) => ErrorCode::RuleProtected,
        Refusal::ToolState(_) | Refusal::ToolsChanged => ErrorCode::InvalidState,
    }
}

impl From<RuntimeError> for ApiError {
    fn from(error: RuntimeError) -> Self {
        let code = match &error {
            RuntimeError::Refused(Refusal::StoredResponse(response)) => {
                let stored_response = refusal::read_stored(response);
                return ApiError { stored_response, ..ApiError::new(ErrorCode::InvalidState, "refused before") };
            }
            RuntimeError::Refused(Refusal::PatchMisfit(error)) => {
                return ApiError::new(ErrorCode::PatchFailed, error.to_string()).at(format!("/patch/{}", error.index));
            }
            RuntimeError::Refused(refusal @ (Refusal::ChatFileTaken(..) | Refusal::RestoreChatTaken(..))) => {
                return ApiError::new(refusal_code(refusal), refusal::message(refusal)).at("/chat_file");
            }
            RuntimeError::Refused(Refusal::FunctionInvalid(place, error)) => {
                let place = place.map(|place| format!("/functions/{place}")).unwrap_or_default();
                return ApiError::invalid(format!("{place}/{}", error.field), "custom", error.message.clone());
            }
            RuntimeError::Refused(refusal @ Refusal::FunctionOrder { place, .. }) => {
                let path = place.map_or_else(|| "/ids".to_owned(), |place| format!("/ids/{place}"));
                return ApiError::invalid(path, "custom", refusal.to_string());
            }
            RuntimeError::Refused(Refusal::KeptTooMany(messages)) => {
                return ApiError::invalid("/kept", "maximum", format!("must be <= {messages}"));
            }
            RuntimeError::Refused(refusal) => return ApiError::new(refusal_code(refusal), refusal::message(refusal)),
            RuntimeError::NothingToUndo
            | RuntimeError::NothingToRedo
            | RuntimeError::NotRestorable
            | RuntimeError::NoPack
            | RuntimeError::NoSummaryDue
            | RuntimeError::NothingToSummarize
            | RuntimeError::NoModel => {
                return ApiError::new(ErrorCode::InvalidState, error.to_string());
            }
            RuntimeError::ModelUnavailable(_) => {
                return ApiError::new(ErrorCode::ModelUnavailable, error.to_string());
            }
            RuntimeError::ImportUnreadable(cause) => {
                return ApiError::new(ErrorCode::ImportUnreadable, cause.clone());
            }
            RuntimeError::ImportTooLarge(cause) => return ApiError::new(ErrorCode::ImportTooLarge, cause.clone()),
            RuntimeError::ImportExists { .. } => {
                let message = format!("{error}; send \"if_exists\": \"update\" or \"copy\"");
                return ApiError::new(ErrorCode::ImportExists, message);
            }
            RuntimeError::NoRoom => return ApiError::new(ErrorCode::Overloaded, error.to_string()),
            RuntimeError::NotAnObject => return ApiError::new(ErrorCode::PatchFailed, error.to_string()).at("/patch"),
            RuntimeError::Unavailable(_) | RuntimeError::Contended(_) | RuntimeError::ShuttingDown => {
                ErrorCode::StoreUnavailable
            }
            RuntimeError::Unconfirmed(cause) => {
                let message = "the database went away while the write was being committed, so it may be stored or not; read before \
                               you send it again, or repeat it under its Idempotency-Key";
                let error = RequestError::new(ErrorCode::StoreUnavailable, message);
                return RequestError { cause: Some(cause.clone()), ..error }.into();
            }
            RuntimeError::Gone(cause) => {
                let message = "the database was removed or replaced while it was being served, or another program wrote to it, so \
                               nothing can be stored; the server's log says which file, and what to do";
                let error = RequestError::new(ErrorCode::StoreUnavailable, message);
                return RequestError { cause: Some(cause.clone()), ..error }.into();
            }
            RuntimeError::Full(_) => ErrorCode::StoreFull,
            RuntimeError::Damaged(_) => ErrorCode::StoreDamaged,
            RuntimeError::ScriptsUnavailable(_) => ErrorCode::ScriptsUnavailable,
            RuntimeError::Unusable(_) | RuntimeError::Bug(_) => {
                return ApiError::internal(error.to_string());
            }
        };
        let message = match code {
            ErrorCode::StoreFull => "there is no room to write; free some and try again",
            ErrorCode::StoreDamaged => "what is stored cannot be read; run `tavernkeep check` to find what is corrupt",
            ErrorCode::ScriptsUnavailable => "functions cannot be run right now, and nothing was stored; try again",
            _ => "the database cannot be used right now; try again",
        };
        RequestError { cause: Some(error.to_string()), ..RequestError::new(code, message) }.into()
    }
}

/// For the log: the code, the message and the cause.
impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RequestError { code, message, cause, .. } = &self.error;
        write!(formatter, "{}: {message}", code.code())?;
        cause.as_ref().map_or(Ok(()), |cause| write!(formatter, " ({cause})"))
    }
}

impl From<RequestError> for ApiError {
    fn from(error: RequestError) -> Self {
        ApiError { error, stored_response: None }
    }
}

impl From<JsonError> for ApiError {
    fn from(error: JsonError) -> Self {
        RequestError::from(error).into()
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (code, cause) = (self.error.code, self.error.cause.clone());
        let (status, body) = self.stored_response.unwrap_or_else(|| {
            let body = ErrorBody { error: self.error.into_content() };
            (code.status(), serde_json::to_string(&body).unwrap_or_default())
        });
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        match code {
            ErrorCode::AuthRequired => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"tavernkeep\""));
            }
            ErrorCode::StoreUnavailable
            | ErrorCode::ScriptsUnavailable
            | ErrorCode::RequestTimeout
            | ErrorCode::WritePending
            | ErrorCode::Overloaded => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        if let Some(cause) = cause {
            response.extensions_mut().insert(Cause(cause));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tavernkeep_engine::scope::Scope;

    #[test]
    fn a_refusal_keeps_its_words_and_gets_its_code() {
        let error = ApiError::from(RuntimeError::from(Refusal::VariableLocked(Scope::Floor)));
        assert_eq!(error.code(), ErrorCode::VariableTargetLocked);
        assert_eq!(error.error.message, "Variables on locked floor targets are read-only");
    }

    #[test]
    fn an_error_of_the_database_does_not_leak_its_cause() {
        for (error, code) in [
            (RuntimeError::Unavailable("host=10.0.0.1".into()), ErrorCode::StoreUnavailable),
            (RuntimeError::Unconfirmed("host=10.0.0.1".into()), ErrorCode::StoreUnavailable),
            (RuntimeError::Full("/srv".into()), ErrorCode::StoreFull),
            (RuntimeError::Damaged("row 7".into()), ErrorCode::StoreDamaged),
            (RuntimeError::ScriptsUnavailable("host=10.0.0.1".into()), ErrorCode::ScriptsUnavailable),
            (RuntimeError::Bug("oops".into()), ErrorCode::InternalError),
        ] {
            let error = ApiError::from(error);
            assert_eq!(error.code(), code);
            let cause = error.error.cause.clone().unwrap();
            assert!(!error.error.message.contains("10.0.0.1") && !error.error.message.contains("row 7"));
            assert_eq!(error.into_response().extensions().get::<Cause>().unwrap().0, cause);
        }
    }

    #[tokio::test]
    async fn an_error_is_one_envelope() {
        let response = ApiError::invalid("/key", "type", "must be string").into_response();
        let body = axum::body::to_bytes(response.into_body(), 1024).await.unwrap();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["error"]["code"], "validation_error");
        let detail = serde_json::json!({"path": "/key", "message": "must be string", "code": "type"});
        assert_eq!(body["error"]["details"], serde_json::json!([detail]));
    }
}
