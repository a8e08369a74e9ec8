//! What was deleted and can be restored.

use super::prelude::*;
use tavernkeep_api::list::WindowParams;
use tavernkeep_api::trash as api;
use tavernkeep_runtime::{KeptPage, TrashItem};

/// List the trash
///
/// What requests deleted, the newest first: one item for each request and session. It is purged after `trash_max_age`.
#[utoipa::path(get, path = "/trash", tag = "trash", operation_id = "list_trash", params(api::TrashFilter, WindowParams),
    responses((status = 200, description = "The list.", body = List<api::TrashItem>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, mut query: Query) -> ApiResult {
    let session = query.id("session_id");
    let (column, window) = query.list(&["deleted_at"], false)?;
    let listed = app.runtime.trash(caller.account(), session, window).await?;
    reply::list(listed, &window, column, |item| Ok(shown(&item, None)))
}

/// Read an item of the trash
///
/// With the texts of its pages. Their states can be read by their snapshots.
#[utoipa::path(get, path = "/trash/{id}", tag = "trash", operation_id = "get_trash", params(IdPath),
    responses((status = 200, description = "The item.", body = Data<api::TrashItem>)))]
pub async fn get(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    let (item, pages) = app.runtime.trash_item(caller.account(), &id).await?;
    reply::ok(shown(&item, Some(pages)))
}

/// Restore an item of the trash
///
/// It goes back to where it was, with its variables. If that place is gone or taken, it becomes a branch from the nearest floor
/// before.
#[utoipa::path(post, path = "/trash/{id}/restore", tag = "trash", operation_id = "restore_trash", params(IdPath),
    responses((status = 200, description = "Where it is now.", body = Data<api::Restored>)))]
pub async fn restore(Writer(runtime, caller): Writer, PathId(id): PathId) -> ApiResult {
    let restored = runtime.restore(caller.account(), &id).await?;
    reply::ok(api::Restored {
        session_id: restored.session.to_string(),
        branch_id: restored.branch,
        new_branch: restored.is_new_branch,
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

fn shown(item: &TrashItem, pages: Option<Vec<KeptPage>>) -> api::TrashItem {
    api::TrashItem {
        id: item.id.to_string(),
        session_id: item.session.to_string(),
        kind: item.kind.as_str().to_owned(),
        deleted_at: item.deleted_at,
        floor_count: item.floors,
        page_count: item.pages,
        pages: pages.map(|pages| pages.into_iter().map(page).collect()),
    }
}

fn page(page: KeptPage) -> api::TrashPage {
    api::TrashPage {
        page_id: page.id.to_string(),
        floor_id: page.floor.map(|floor| floor.to_string()),
        floor_no: page.floor_no,
        version: page.version,
        is_active: page.is_active,
        role: page.role,
        name: page.name,
        content: page.content,
        snapshot_id: page.snapshot.map(|snapshot| snapshot.to_string()),
    }
}
