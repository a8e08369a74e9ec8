//! Files of SillyTavern, in and out.

use super::prelude::*;
use super::sessions::profile;
use crate::input::import::ImportBody;
use crate::output::imports;
use axum::body::Body as Stream;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use std::fmt::Write as _;
use std::sync::Arc;
use tavernkeep_api::import as api;
use tavernkeep_runtime::{CardFormat, ExportedFile, FileKind, IfExists, ImportOrder, ImportOutcome, StoredStates};

/// Import a file
///
/// A chat file of SillyTavern (`.jsonl`) becomes a session, a character card (PNG or JSON) a character. The file is checked before
/// anything is written, and what it becomes is visible at once or not at all. What there is no field for is kept and comes back when
/// the chat or the card is exported. A chat is processed afterwards, as after a sync; states that MVU stored with it are
/// compared with ours and kept.
///
/// The same file again is refused (`409 import_exists`) unless `if_exists` says what to do.
#[utoipa::path(post, path = "/import", tag = "imports", operation_id = "import_file",
    request_body(content((api::ImportRequest = "application/json"), (api::ImportForm = "multipart/form-data"))),
    responses((status = 200, description = "What became of something that was there, or would come of it.",
            body = Data<api::ImportReport>),
        (status = 201, description = "What was created.", body = Data<api::ImportReport>)))]
pub async fn import(Writer(runtime, caller): Writer, body: ImportBody) -> ApiResult {
    let dry_run = body.request.dry_run;
    let order = order(body)?;
    let report = runtime.import(caller.account(), order).await?;
    let created = report.outcome == ImportOutcome::Created && !dry_run;
    let trash = report.synced.as_ref().and_then(|synced| synced.trash.clone());
    let mut response = reply::ok(imports::report(report, dry_run))?;
    if created {
        *response.status_mut() = StatusCode::CREATED;
    }
    Ok(reply::restorable(response, trash.as_ref()))
}

/// Export a session as a chat file
///
/// A file that SillyTavern opens: what came with the chat when it was imported, and what has become of it since.
#[utoipa::path(get, path = "/sessions/{id}/export", tag = "imports", operation_id = "export_session",
    params(IdPath, api::ChatExportParams),
    responses((status = 200, description = "One JSON object per line.", body = String,
        content_type = "application/x-ndjson")))]
pub async fn export_session(
    State(app): State<App>,
    caller: Authenticated,
    PathId(id): PathId,
    mut query: Query,
) -> ApiResult {
    query.word("format", &["sillytavern"]);
    let branch = query.text("branch_id", 1, tavernkeep_engine::limits::BRANCH_BYTES_MAX);
    query.finish()?;
    let file = app.runtime.export_chat(caller.account(), &id, branch.as_deref()).await?;
    Ok(file_response(file, "application/x-ndjson"))
}

/// Export a character as a card
///
/// The card that was imported with what has become of the character since; a new one for a character that was made here.
#[utoipa::path(get, path = "/characters/{id}/export", tag = "imports", operation_id = "export_character",
    params(IdPath, api::CardExportParams),
    responses((status = 200, description = "The card.", content(
        (String = "image/png"), (tavernkeep_api::JsonObject = "application/json")))))]
pub async fn export_character(
    State(app): State<App>,
    caller: Authenticated,
    PathId(id): PathId,
    mut query: Query,
) -> ApiResult {
    let format = [CardFormat::Png, CardFormat::Json][query.word("format", &["png", "json"])];
    query.finish()?;
    let file = app.runtime.export_card(caller.account(), &id, format).await?;
    let kind = if format == CardFormat::Png { "image/png" } else { "application/json" };
    Ok(file_response(file, kind))
}

fn order(body: ImportBody) -> Result<ImportOrder, ApiError> {
    let ImportBody { request, content, books } = body;
    Ok(ImportOrder {
        file_name: request.file_name,
        kind: request.kind.map(|kind| match kind {
            api::ImportKind::Chat => FileKind::Chat,
            api::ImportKind::Card => FileKind::Card,
        }),
        content: Arc::from(&content[..]),
        books,
        character: shape::parsed_if(request.character_id)?,
        session: shape::parsed_if(request.session_id)?,
        chat_file: request.chat_file,
        profile: profile(request.profile.map(Some))?.flatten(),
        if_exists: match request.if_exists {
            api::IfExists::Refuse => IfExists::Refuse,
            api::IfExists::Update => IfExists::Update,
            api::IfExists::Copy => IfExists::Copy,
        },
        states: match request.states {
            api::ImportedStates::Keep => StoredStates::Keep,
            api::ImportedStates::Recompute => StoredStates::Recompute,
        },
        max_deleted: request.max_deleted.map(|max| usize::try_from(max).unwrap_or(usize::MAX)),
        dry_run: request.dry_run,
    })
}

/// A file to be saved.
fn file_response(file: ExportedFile, kind: &'static str) -> Response {
    let mut response = Response::new(Stream::from(file.content));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    let name = file.name.bytes().fold(String::new(), |mut name, byte| {
        // Writing to a string cannot fail.
        let _ = match byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
            true => write!(name, "{}", char::from(byte)),
            false => write!(name, "%{byte:02X}"),
        };
        name
    });
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename*=UTF-8''{name}")) {
        headers.insert(CONTENT_DISPOSITION, value);
    }
    response
}
