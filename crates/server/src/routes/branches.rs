//! Branches of a session.

use super::prelude::*;
use crate::input::path::PathText;
use tavernkeep_api::list::BranchPath;
use tavernkeep_api::session as api;
use tavernkeep_api::trash::Permanent;

/// List the branches of a session
#[utoipa::path(get, path = "/sessions/{id}/branches", tag = "branches", operation_id = "list_branches",
    params(IdPath, WindowParams, api::BranchOrder),
    responses((status = 200, description = "The list.", body = List<api::Branch>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, PathId(id): PathId, query: Query) -> ApiResult {
    let (column, window) = query.list(&["created_at"], true)?;
    let listed = app.runtime.branches(caller.account(), &id, window).await?;
    reply::list(listed, &window, column, |branch| Ok(convert::branch(branch)))
}

/// Delete a branch
///
/// Its floors, pages and all their variables go with it, to the trash. Branches that were forked from it stay as they are. `main`
/// is protected.
#[utoipa::path(delete, path = "/branches/{branch_id}", tag = "branches", operation_id = "delete_branch",
    params(BranchPath, api::BranchSession, Permanent),
    responses((status = 200, description = "It was deleted.", body = Data<api::DeletedBranch>)))]
pub async fn delete(Writer(runtime, caller): Writer, PathText(branch): PathText, mut query: Query) -> ApiResult {
    let Some(session) = query.need_id("session_id") else { return Err(query.problems.refuse()) };
    let permanent = query.boolean("permanent").unwrap_or(false);
    query.finish()?;
    let (deleted_floor_count, trash) = runtime.remove_branch(caller.account(), &session, &branch, permanent).await?;
    let deleted = api::DeletedBranch { branch_id: branch, session_id: session.to_string(), deleted_floor_count };
    Ok(reply::restorable(reply::ok(deleted)?, trash.as_ref()))
}
