//! What was deleted and can be restored.

use super::prelude::*;
use crate::input::path::PathIds;
use crate::output::trash::{document, shown, whole};
use tavernkeep_api::list::WindowParams;
use tavernkeep_api::trash as api;
use tavernkeep_engine::limits::{LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, POSITION_MAX};
use tavernkeep_runtime::{Renamed, RestoredBranch, StaleFloors, Under};

/// List the trash
///
/// What requests deleted, the newest first: one item for each request and session, or for each session, character or global snapshot.
/// It is purged after `trash_max_age`. The list of a session has what was deleted from it, and the session itself if it was.
#[utoipa::path(get, path = "/trash", tag = "trash", operation_id = "list_trash", params(api::TrashFilter, WindowParams),
    responses((status = 200, description = "The list.", body = List<api::TrashItem>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, mut query: Query) -> ApiResult {
    let session = query.id("session_id");
    let (column, window) = query.list(&["deleted_at"], false)?;
    let listed = app.runtime.trash(caller.account(), session, window).await?;
    reply::list(listed, &window, column, |item| Ok(shown(&item)))
}

/// Read an item of the trash
///
/// With some of its pages and their texts, in the order of their floors, or with the character or the global snapshot that it is.
/// `next_offset` says where to go on.
#[utoipa::path(get, path = "/trash/{id}", tag = "trash", operation_id = "get_trash", params(IdPath, api::TrashWindow),
    responses((status = 200, description = "The item.", body = Data<api::TrashItem>)))]
pub async fn get(State(app): State<App>, caller: Authenticated, PathId(id): PathId, mut query: Query) -> ApiResult {
    let limit = query.integer("limit", 1, LIST_LIMIT_MAX).unwrap_or(LIST_LIMIT_DEFAULT);
    let offset = query.integer("offset", 0, POSITION_MAX).unwrap_or(0);
    query.finish()?;
    let (item, content) = app.runtime.trash_item(caller.account(), &id, limit, offset).await?;
    reply::ok(whole(&item, content)?)
}

/// Read a state in the trash
///
/// The state behind a `snapshot_id` of the item's pages.
#[utoipa::path(get, path = "/trash/{id}/snapshots/{snapshot_id}", tag = "trash", operation_id = "get_trash_state",
    params(api::TrashSnapshotPath),
    responses((status = 200, description = "The state.", body = Data<api::TrashState>)))]
pub async fn state(State(app): State<App>, caller: Authenticated, PathIds([id, snapshot]): PathIds<2>) -> ApiResult {
    let state = app.runtime.trash_state(caller.account(), &id, &snapshot).await?;
    reply::ok(api::TrashState { snapshot_id: snapshot.to_string(), state: document(&state)? })
}

/// Restore an item of the trash
///
/// Each part of it goes back to where it was, with its variables. If that place is gone or taken, it becomes a branch from the nearest
/// floor before that was on its line. A text that a sync replaced comes back as another swipe beside the new one, and is chosen if it
/// was. States whose pages have others by now stay in the trash; if all of them do, nothing is restored (`409 nothing_to_restore`). Dropped
/// states come back on the forks that had them, and not on those that were made since. A session, character or global snapshot comes back under its id, or under another one if the body names it; an id or
/// `chat_file` that something else has by now is refused.
#[utoipa::path(post, path = "/trash/{id}/restore", tag = "trash", operation_id = "restore_trash", params(IdPath),
    request_body = Option<api::RestoreTrash>,
    responses((status = 200, description = "Where it is now.", body = Data<api::Restored>)))]
pub async fn restore(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    OptionalBody(body): OptionalBody<api::RestoreTrash>,
) -> ApiResult {
    let under = Under { id: shape::parsed_if(body.id)?, chat_file: body.chat_file };
    let restored = runtime.restore(caller.account(), &id, under).await?;
    let stale = runtime.stale_on_restored(caller.account(), &restored).await;
    let text = |id: Id| id.to_string();
    reply::ok(api::Restored {
        id: restored.subject.map(text),
        session_id: restored.session.map(text),
        branch_id: restored.branch,
        new_branch: restored.is_new_branch,
        branches: restored.branches.into_iter().zip(stale).map(branch).collect(),
        renamed: restored.renamed.iter().map(renamed).collect(),
        renamed_count: restored.renamed_count,
        floor_count: restored.floors,
        page_count: restored.pages,
    })
}

/// Purge an item of the trash
#[utoipa::path(delete, path = "/trash/{id}", tag = "trash", operation_id = "purge_trash", params(IdPath),
    responses((status = 200, description = "It is gone for good.", body = Data<Deleted>)))]
pub async fn delete(Writer(runtime, caller): Writer, PathId(id): PathId) -> ApiResult {
    runtime.purge_trash(caller.account(), &id).await?;
    reply::deleted(&id)
}

fn branch((branch, stale): (RestoredBranch, Option<StaleFloors>)) -> api::RestoredBranch {
    api::RestoredBranch { branch_id: branch.id, new_branch: branch.is_new, stale: stale.map(convert::stale) }
}

fn renamed(renamed: &Renamed) -> api::Renamed {
    let kind = if renamed.is_page { "page" } else { "floor" };
    api::Renamed { kind: kind.to_owned(), old_id: renamed.was.to_string(), id: renamed.id.to_string() }
}
