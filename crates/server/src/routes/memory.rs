//! The rule pack `memory`: the view, the archive, summaries.

use super::prelude::*;
use super::states;
use axum::body::Body as Bytes;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::Response;
use futures_util::stream;
use std::io;
use tavernkeep_api::memory as api;
use tavernkeep_api::story::Snapshot;
use tavernkeep_engine::limits::{BRANCH_BYTES_MAX, LABEL_BYTES_MAX};
use tavernkeep_runtime::apply::json;
use tavernkeep_runtime::{ArchiveEntry, ArchiveQuery, ArchiveReader, ShownState, SummaryOrder};

/// Read what a model is shown of a session's memory
///
/// The newest state of the branch without hidden nodes and keys that start with `_`, and what is due. Where the profile uses no
/// rule pack nothing is hidden.
#[utoipa::path(get, path = "/sessions/{id}/memory", tag = "memory", operation_id = "get_memory",
    params(IdPath, api::MemoryParams),
    responses((status = 200, description = "The view.", body = Data<api::MemoryView>)))]
pub async fn view(State(app): State<App>, caller: Authenticated, PathId(id): PathId, mut query: Query) -> ApiResult {
    let branch = query.text("branch_id", 1, BRANCH_BYTES_MAX);
    query.finish()?;
    let ShownState { state, view } = app.runtime.memory(caller.account(), &id, branch.as_deref()).await?;
    let (snapshot, page, _) = state.at.ids();
    reply::ok(api::MemoryView {
        page_id: page.map(ToString::to_string),
        snapshot_id: snapshot.map(ToString::to_string),
        fresh: state.at.stale.is_none(),
        text: view.to_text(),
        view: json(view.document.to_json())?,
        due: view.due.into_iter().map(|due| api::Due { code: due.code.to_owned(), text: due.text }).collect(),
    })
}

/// List the archive of a session
///
/// What left its states: small summaries that were summed up, the oldest big ones, the people and settings of worlds that were
/// cleared, used up items. An entry belongs to the version of the page whose turn took it out: a swipe away hides it.
#[utoipa::path(get, path = "/sessions/{id}/memory/archive", tag = "memory", operation_id = "list_memory_archive",
    params(IdPath, api::ArchiveParams, WindowParams, api::ArchiveOrder),
    responses((status = 200, description = "The entries.", body = List<api::ArchiveEntry>)))]
pub async fn archive(State(app): State<App>, caller: Authenticated, PathId(id): PathId, mut query: Query) -> ApiResult {
    let sort_by = ["floor_no"][query.word("sort_by", &["floor_no"])];
    let (wanted, window) = (archive_query(&mut query), query.window(true));
    query.finish()?;
    let listed = app.runtime.archive(caller.account(), &id, wanted, &window).await?;
    reply::list(listed, &window, sort_by, entry)
}

/// Export the archive of a session
///
/// One JSON object per line, in the order of the story.
#[utoipa::path(get, path = "/sessions/{id}/memory/archive/export", tag = "memory", operation_id = "export_memory_archive",
    params(IdPath, api::ArchiveParams),
    responses((status = 200, description = "One JSON object per line.", body = String,
        content_type = "application/x-ndjson")))]
pub async fn export(State(app): State<App>, caller: Authenticated, PathId(id): PathId, mut query: Query) -> ApiResult {
    let wanted = archive_query(&mut query);
    query.finish()?;
    let reader = app.runtime.read_archive(caller.account(), &id, wanted).await?;
    let mut response = Response::new(Bytes::from_stream(stream::try_unfold(reader, next_lines)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"memory-archive.ndjson\""));
    Ok(response)
}

async fn next_lines(mut reader: ArchiveReader) -> io::Result<Option<(bytes::Bytes, ArchiveReader)>> {
    let Some(entries) = reader.next().await.map_err(io::Error::other)? else { return Ok(None) };
    let mut out = Vec::new();
    for found in entries {
        let line = entry(found).map_err(|error| io::Error::other(error.to_string()))?;
        serde_json::to_writer(&mut out, &line)?;
        out.push(b'\n');
    }
    Ok(Some((out.into(), reader)))
}

/// Add a summary
///
/// To the newest state of the branch, as an edit by hand of its page, with a reason. The next turn settles it: small summaries
/// go to the archive and the flag goes down. Without `text` the configured model writes a summary that is due; without a model
/// the summary waits for a reply, a person or a program.
#[utoipa::path(post, path = "/sessions/{id}/memory/summarize", tag = "memory", operation_id = "summarize_memory",
    params(IdPath), request_body = api::NewSummary,
    responses((status = 200, description = "The page's snapshot after the change.", body = Data<Snapshot>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn summarize(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    Body(body): Body<api::NewSummary>,
) -> ApiResult {
    let api::NewSummary { branch_id: branch, text, key, reason, force } = body;
    for (place, text) in [("/text", &text), ("/key", &key)] {
        if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return Err(ApiError::invalid(place, "pattern", "must NOT be blank; leave it out or write something"));
        }
    }
    let order = SummaryOrder { branch, text, key, reason, force };
    let edited = runtime.summarize(caller.account(), &id, order).await?;
    states::edited(&runtime, caller.account(), edited).await
}

fn archive_query(query: &mut Query) -> ArchiveQuery {
    ArchiveQuery {
        branch: query.text("branch_id", 1, BRANCH_BYTES_MAX),
        text: query.text("q", 1, LABEL_BYTES_MAX),
        source: query.text("source", 1, LABEL_BYTES_MAX),
        name: query.text("name", 0, LABEL_BYTES_MAX),
    }
}

fn entry(entry: ArchiveEntry) -> Result<api::ArchiveEntry, ApiError> {
    Ok(api::ArchiveEntry {
        floor_id: entry.floor.to_string(),
        floor_no: entry.floor_no,
        page_id: entry.page.to_string(),
        at: entry.at,
        source: entry.source,
        name: entry.name,
        key: entry.key.to_string(),
        value: json(entry.value.to_json())?,
    })
}
