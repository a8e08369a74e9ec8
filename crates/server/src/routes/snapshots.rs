//! Snapshots: the list of a session, what is between two of them, dropping them, and cleaning up.

use super::floors::on_branch;
use super::prelude::*;
use super::sessions::permanent;
use tavernkeep_api::list::OnBranch;
use tavernkeep_api::snapshot as api;
use tavernkeep_api::trash::Permanent;
use tavernkeep_engine::limits::BRANCH_BYTES_MAX;
use tavernkeep_runtime::apply;
use tavernkeep_runtime::{CleanedChats, Cleanup, CleanupReport, SnapshotEntry, SnapshotQuery, SnapshotSort};

/// List the snapshots of a session
///
/// With the page that each belongs to and where that stands. Snapshots of deleted pages are there too, until a cleanup.
#[utoipa::path(get, path = "/sessions/{id}/snapshots", tag = "story", operation_id = "list_snapshots",
    params(IdPath, WindowParams, api::SnapshotListParams, api::SnapshotOrder),
    responses((status = 200, description = "The list.", body = List<api::SnapshotEntry>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, PathId(id): PathId, mut query: Query) -> ApiResult {
    let branch = query.text("branch_id", 1, BRANCH_BYTES_MAX);
    let sort = query.choice("sort_by", SnapshotSort::WORDS).unwrap_or(SnapshotSort::CreatedAt);
    let window = query.window(false);
    query.finish()?;
    let listed = app.runtime.snapshots(caller.account(), SnapshotQuery { session: id, branch, sort, window }).await?;
    reply::list(listed, &window, sort.as_str(), |entry| Ok(entry_body(entry)))
}

/// Compare two snapshots
///
/// Whatever sessions of the account they belong to. Reading it computes no turn.
#[utoipa::path(get, path = "/snapshots/{id}/diff", tag = "story", operation_id = "diff_snapshots",
    params(IdPath, api::DiffParams),
    responses((status = 200, description = "What leads from this snapshot to the other.",
        body = Data<api::SnapshotDiff>)))]
pub async fn diff(State(app): State<App>, caller: Authenticated, PathId(id): PathId, mut query: Query) -> ApiResult {
    let to = query.need_id("to");
    let Some(to) = to else { return Err(query.problems.refuse()) };
    query.finish()?;
    let change = app.runtime.compare_snapshots(caller.account(), &id, &to).await?;
    reply::ok(api::SnapshotDiff { from: id.to_string(), to: to.to_string(), change: apply::change(&change)? })
}

/// Drop a snapshot
///
/// Its page is unprocessed then, and so nothing is processed at once: the next processing gives it another snapshot under another
/// id. It goes to the trash.
#[utoipa::path(delete, path = "/snapshots/{id}", tag = "story", operation_id = "delete_snapshot",
    params(IdPath, OnBranch, Permanent,
        ("If-Match" = Option<String>, Header, description = "The `ETag` that the snapshot must still have.")),
    responses((status = 200, description = "It was deleted.", body = Data<Deleted>)))]
pub async fn delete(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    WriteCondition(condition): WriteCondition,
    mut query: Query,
) -> ApiResult {
    let permanent = query.boolean("permanent").unwrap_or(false);
    let id = runtime.snapshot_on(caller.account(), &id, on_branch(query)?.as_deref()).await?;
    let removed = runtime.remove_snapshot(caller.account(), &id, condition, permanent).await?;
    let stale = runtime.stale_floors(caller.account(), removed.line.as_ref()).await;
    reply::deleted_with(removed.id.as_ref().unwrap_or(&id), removed.trash.as_ref(), stale)
}

/// Drop the snapshots of a chat
///
/// The pages of the chat, where its session still exists, are unprocessed then. A name that no chat has drops nothing. The
/// snapshots go to the trash.
#[utoipa::path(delete, path = "/snapshots/by-chat", tag = "story", operation_id = "delete_snapshots_by_chat",
    params(Permanent), request_body = api::ChatOfSnapshots,
    responses((status = 200, description = "What was dropped.", body = Data<api::CleanupReport>)))]
pub async fn delete_by_chat(
    Writer(runtime, caller): Writer,
    query: Query,
    Body(body): Body<api::ChatOfSnapshots>,
) -> ApiResult {
    let order = Cleanup { permanent: permanent(query)?, ..chat_cleanup(body)? };
    let dry_run = order.dry_run;
    let cleaned = runtime.clean_up(caller.account(), order).await?;
    let stale = match (cleaned.chat_files.first(), dry_run) {
        (Some(chat), false) => runtime.stale_in_chat(caller.account(), chat).await,
        _ => None,
    };
    reply::ok(api::CleanupReport { stale: stale.map(convert::stale), ..report(cleaned, dry_run) })
}

/// Drop the snapshots of chats that no longer exist
///
/// Takes the names of all chats that exist and drops the snapshots of every other one. Pages that are still there are
/// unprocessed then, and processing recomputes their states; what it cannot restore is counted in the response. An empty
/// list needs `confirm_all`. The snapshots go to the trash, an item for each chat.
#[utoipa::path(post, path = "/snapshots/cleanup", tag = "story", operation_id = "clean_up_snapshots",
    params(Permanent), request_body = api::CleanupRequest,
    responses((status = 200, description = "What was dropped.", body = Data<api::CleanupReport>)))]
pub async fn clean_up(
    Writer(runtime, caller): Writer,
    query: Query,
    Body(body): Body<api::CleanupRequest>,
) -> ApiResult {
    let order = Cleanup { permanent: permanent(query)?, ..cleanup(body)? };
    let dry_run = order.dry_run;
    reply::ok(report(runtime.clean_up(caller.account(), order).await?, dry_run))
}

/// A field under the name that we give it or the one that the first clients send; never both.
fn either<T>(ours: (&str, Option<T>), theirs: (&str, Option<T>)) -> Result<T, ApiError> {
    match (ours.1, theirs.1) {
        (Some(_), Some(_)) => {
            let message = format!("must NOT be there together with {}: they mean the same", ours.0);
            Err(ApiError::invalid(format!("/{}", theirs.0), "not", message))
        }
        (value, other) => value
            .or(other)
            .ok_or_else(|| ApiError::invalid("", "required", format!("must have required property '{}'", ours.0))),
    }
}

fn chat_cleanup(request: api::ChatOfSnapshots) -> Result<Cleanup, ApiError> {
    let name = either(("chat_file", request.chat_file), ("chatFile", request.chat_file_too))?;
    let api::ChatOfSnapshots { after, dry_run, .. } = request;
    Ok(Cleanup { chats: CleanedChats::One(name), orphans: false, after, dry_run, permanent: false })
}

fn cleanup(request: api::CleanupRequest) -> Result<Cleanup, ApiError> {
    let ours = if request.active_chat_files.is_some() { "active_chat_files" } else { "activeChatFiles" };
    let names =
        either(("active_chat_files", request.active_chat_files), ("activeChatFiles", request.active_chat_files_too))?;
    if names.is_empty() && !request.confirm_all {
        let message = "must NOT be empty unless `confirm_all` is true: every snapshot of the account would be dropped";
        return Err(ApiError::invalid(format!("/{ours}"), "minItems", message));
    }
    let api::CleanupRequest { orphans, after, dry_run, .. } = request;
    Ok(Cleanup { chats: CleanedChats::AllBut(names.into_iter().collect()), orphans, after, dry_run, permanent: false })
}

fn report(report: CleanupReport, dry_run: bool) -> api::CleanupReport {
    api::CleanupReport {
        deleted: report.dropped.snapshots,
        deleted_edited: report.dropped.edited,
        deleted_orphans: report.dropped.orphans,
        scanned_chat_files: report.scanned,
        deleted_chat_files: report.chats,
        chat_files: report.chat_files,
        trash_ids: report.trash.iter().map(ToString::to_string).collect(),
        more: report.next_after.is_some(),
        next_after: report.next_after,
        dry_run,
        stale: None,
    }
}

fn entry_body(entry: SnapshotEntry) -> api::SnapshotEntry {
    let place = entry.place;
    api::SnapshotEntry {
        id: entry.id.to_string(),
        page_id: place.as_ref().map(|place| place.page.to_string()),
        page_no: place.as_ref().map(|place| place.page_no),
        page_version: place.as_ref().map(|place| place.page_version),
        is_active: place.as_ref().map(|place| place.is_active),
        floor_id: place.as_ref().map(|place| place.floor.to_string()),
        floor_no: place.as_ref().map(|place| place.floor_no),
        role: place.as_ref().and_then(|place| place.role.clone()),
        branch_id: place.map(|place| place.branch),
        edited: entry.edited,
        created_at: entry.created_at,
        updated_at: entry.updated_at,
    }
}
