//! The account: who is asking, everything it holds, and its end.

use crate::app::App;
use crate::auth::Who;
use crate::convert;
use crate::error::ApiError;
use crate::query::Query;
use crate::reply::{self, Answer};
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use std::io;
use tavernkeep_api::account as api;
use tavernkeep_api::envelope::Deleted;
use tavernkeep_api::{Data, ErrorCode};
use tavernkeep_runtime::StoreError;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;

/// Who am I
#[utoipa::path(get, path = "/account", tag = "account", operation_id = "get_account",
    responses((status = 200, description = "The account and what the request may do.", body = Data<api::Account>)))]
pub async fn get(who: Who) -> Answer {
    reply::ok(convert::account(&who.0))
}

/// Export the account
///
/// Everything it holds, one JSON object per line.
#[utoipa::path(get, path = "/account/export", tag = "account", operation_id = "export_account",
    responses((status = 200, description = "One JSON object per line.", body = String,
        content_type = "application/x-ndjson")))]
pub async fn export(State(app): State<App>, who: Who) -> Answer {
    let mut export = Export::start(app, who);
    // The first line decides between an error answer and a stream that can only break off.
    let first = export.next().await?;
    let lines = stream::unfold((first, export), |(line, mut export)| async {
        let line = line?;
        let (item, next) = match export.next().await {
            Ok(next) => (Ok(line), next),
            Err(error) => (Err(io::Error::other(error.to_string())), None),
        };
        Some((item, (next, export)))
    });
    let mut response = Response::new(Body::from_stream(lines));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"tavernkeep-export.ndjson\""));
    Ok(response)
}

/// Delete the account
///
/// Everything in it goes with it, its keys too. `confirm` must be the account's id.
#[utoipa::path(delete, path = "/account", tag = "account", operation_id = "delete_account", params(api::Confirmation),
    responses((status = 200, description = "It is gone.", body = Data<Deleted>)))]
pub async fn delete(State(app): State<App>, who: Who, mut query: Query) -> Answer {
    let confirm = query.need("confirm");
    query.finish()?;
    if confirm.as_deref() != Some(who.account().as_str()) {
        return Err(ApiError::new(
            ErrorCode::ConfirmationMismatch,
            "confirm is not the id of this account; GET /account shows it",
        ));
    }
    app.runtime.delete_account(who.account()).await?;
    reply::deleted(who.account())
}

/// An export that runs beside the answer and ends with it.
struct Export {
    lines: UnboundedReceiver<String>,
    /// What writes the lines; none once its end was seen.
    task: Option<JoinHandle<Result<(), StoreError>>>,
}

impl Export {
    fn start(app: App, who: Who) -> Self {
        let (sender, lines) = unbounded_channel();
        let task = tokio::spawn(async move {
            // A receiver that is gone means that the client is; the task is about to be aborted then.
            let sink = move |line: String| drop(sender.send(line));
            app.runtime.export_account(who.account(), sink).await
        });
        Export { lines, task: Some(task) }
    }

    /// The next line, or none at the end.
    async fn next(&mut self) -> Result<Option<Bytes>, StoreError> {
        if let Some(mut line) = self.lines.recv().await {
            if !line.ends_with('\n') {
                line.push('\n');
            }
            return Ok(Some(line.into()));
        }
        match self.task.take() {
            Some(task) => match task.await {
                Ok(result) => result.map(|()| None),
                Err(error) => Err(StoreError::Internal(format!("the export stopped: {error}"))),
            },
            None => Ok(None),
        }
    }
}

impl Drop for Export {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}
