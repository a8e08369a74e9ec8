//! Staged writes and promotions of a page, and the history of a variable.

use super::floors::on_branch;
use super::prelude::*;
use tavernkeep_api::ledger as api;
use tavernkeep_api::list::OnBranch;
use tavernkeep_engine::staging::{ConflictPolicy, Intent, SourceKind, StagedOp};
use tavernkeep_runtime::order::NewStagedWrite;

/// Stage a write on a page
///
/// A proposal that waits for the floor's commit: accepted, it becomes a value of the page and goes on to the floor. A
/// second one for the same key replaces the first. The floor must be a draft or generating; on a committed floor only a
/// page that came later can have proposals, until it is committed itself.
#[utoipa::path(post, path = "/pages/{id}/variables/staged", tag = "variables", operation_id = "stage_variable_write",
    params(IdPath, OnBranch), request_body = api::NewStagedWrite,
    responses((status = 201, description = "The proposal.", body = Data<api::StagedWrite>)))]
pub async fn stage(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    query: Query,
    Body(body): Body<api::NewStagedWrite>,
) -> ApiResult {
    let (branch, new) = (on_branch(query)?, new_staged_write(body)?);
    let id = runtime.page_on(caller.account(), &id, branch.as_deref()).await?;
    let staged = runtime.stage_write(caller.account(), &id, new).await?;
    reply::created(convert::staged_write(staged)?)
}

/// List the staged writes of a page
#[utoipa::path(get, path = "/pages/{id}/variables/staged", tag = "variables", operation_id = "list_staged_writes",
    params(IdPath), responses((status = 200, description = "The proposals.", body = Data<api::StagedWrites>)))]
pub async fn staged(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    let ledger = app.runtime.staged_writes(caller.account(), &id).await?;
    reply::ok(convert::staged_writes(ledger)?)
}

/// List what a page has promoted
#[utoipa::path(get, path = "/pages/{id}/variables/promotions", tag = "variables", operation_id = "list_promotions",
    params(IdPath), responses((status = 200, description = "The promotions.", body = Data<api::Promotions>)))]
pub async fn promotions(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    let ledger = app.runtime.promotions(caller.account(), &id).await?;
    reply::ok(convert::promotions(ledger)?)
}

/// Read the history of a variable
///
/// Every write of it, and of those that stood at its place before it, the newest first.
#[utoipa::path(get, path = "/variables/{id}/history", tag = "variables", operation_id = "variable_history",
    params(IdPath, WindowParams),
    responses((status = 200, description = "The list.", body = List<api::HistoryEntry>)))]
pub async fn history(State(app): State<App>, caller: Authenticated, PathId(id): PathId, query: Query) -> ApiResult {
    let (column, window) = query.list(&["created_at"], false)?;
    let listed = app.runtime.variable_history(caller.account(), &id, window).await?;
    reply::list(listed, &window, column, convert::history_entry)
}

fn new_staged_write(new: api::NewStagedWrite) -> Result<NewStagedWrite, ApiError> {
    let op = shape::word(new.op)?;
    let value = new.value.as_ref().filter(|_| op == StagedOp::Set).map(shape::value_text);
    if op == StagedOp::Set && value.is_none() {
        return Err(ApiError::invalid("", "required", "must have required property 'value'"));
    }
    Ok(NewStagedWrite {
        key: shape::parsed(new.key)?,
        op,
        value,
        intent: new.intent.map_or(Ok(Intent::PromoteToFloor), shape::word)?,
        policy: new.conflict_policy.map_or(Ok(ConflictPolicy::Replace), shape::word)?,
        source_kind: new.source_kind.map_or(Ok(SourceKind::Unknown), shape::word)?,
        reason: new.reason,
        source: new.source.as_ref().map(shape::value_text),
        evidence: new.evidence.as_ref().map(shape::value_text),
    })
}
