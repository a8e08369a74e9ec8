//! Branches of a session.

use super::prelude::*;
use crate::input::path::PathText;
use tavernkeep_api::list::BranchPath;
use tavernkeep_api::session as api;

/// List the branches of a session
#[utoipa::path(get, path = "/sessions/{id}/branches", tag = "branches", operation_id = "list_branches",
    params(IdPath, WindowParams, api::BranchOrder),
    responses((status = 200, description = "One part of the list.", body = List<api::Branch>)))]
pub async fn list(State(app): State<App>, who: Who, PathId(id): PathId, mut query: Query) -> Answer {
    query.word("sort_by", &["created_at"]);
    let window = query.window(true);
    query.finish()?;
    let listed = app.runtime.branches(who.account(), &id, window).await?;
    reply::list(listed, &window, "created_at", |branch| Ok(convert::branch(branch)))
}

/// Delete a branch
///
/// Its floors, pages and all their variables go with it. Branches that were forked from it stay, with the variables that they
/// inherited; its messages are gone for them too, and their states are stale. `main` is protected.
#[utoipa::path(delete, path = "/branches/{branch_id}", tag = "branches", operation_id = "delete_branch",
    params(BranchPath, api::BranchSession),
    responses((status = 200, description = "It is gone.", body = Data<api::DeletedBranch>)))]
pub async fn delete(Writer(runtime): Writer, who: Who, PathText(branch): PathText, mut query: Query) -> Answer {
    let Some(session) = query.need_id("session_id") else { return Err(query.problems.refuse()) };
    query.finish()?;
    let deleted_floor_count = runtime.delete_branch(who.account(), &session, &branch).await?;
    reply::ok(api::DeletedBranch { branch_id: branch, session_id: session.to_string(), deleted_floor_count })
}
