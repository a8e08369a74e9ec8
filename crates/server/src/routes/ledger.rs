//! Staged writes and promotions of a page, and the history of a variable.

use crate::app::App;
use crate::auth::Who;
use crate::body::JsonBody;
use crate::convert;
use crate::error::ApiError;
use crate::fields::Fields;
use crate::once::Writer;
use crate::path::PathId;
use crate::query::Query;
use crate::reply::{self, Answer};
use axum::extract::State;
use tavernkeep_api::ledger as api;
use tavernkeep_api::list::{IdPath, WindowParams};
use tavernkeep_api::{Data, List};
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::staging::{ConflictPolicy, Intent, SourceKind, StagedOp};
use tavernkeep_runtime::order::NewStagedWrite;

/// Stage a write on a page
///
/// A proposal that waits for the floor's commit: accepted, it becomes a value of the page and goes on to the floor. A
/// second one for the same key replaces the first. The floor must be a draft or generating; on a committed floor only a
/// page that came later can have proposals, until it is committed itself.
#[utoipa::path(post, path = "/pages/{id}/variables/staged", tag = "variables", operation_id = "stage_variable_write",
    params(IdPath), request_body = api::NewStagedWrite,
    responses((status = 201, description = "The proposal.", body = Data<api::StagedWrite>)))]
pub async fn stage(Writer(runtime): Writer, who: Who, PathId(id): PathId, JsonBody(body): JsonBody) -> Answer {
    let new = read_new(&body)?;
    let staged = runtime.stage_write(who.account(), &id, new).await?;
    reply::created(convert::staged_write(staged)?)
}

/// List the staged writes of a page
#[utoipa::path(get, path = "/pages/{id}/variables/staged", tag = "variables", operation_id = "list_staged_writes",
    params(IdPath), responses((status = 200, description = "The proposals.", body = Data<api::StagedWrites>)))]
pub async fn staged(State(app): State<App>, who: Who, PathId(id): PathId) -> Answer {
    let ledger = app.runtime.staged_writes(who.account(), &id).await?;
    reply::ok(convert::staged_writes(ledger)?)
}

/// List what a page has promoted
#[utoipa::path(get, path = "/pages/{id}/variables/promotions", tag = "variables", operation_id = "list_promotions",
    params(IdPath), responses((status = 200, description = "The promotions.", body = Data<api::Promotions>)))]
pub async fn promotions(State(app): State<App>, who: Who, PathId(id): PathId) -> Answer {
    let ledger = app.runtime.promotions(who.account(), &id).await?;
    reply::ok(convert::promotions(ledger)?)
}

/// Read the history of a variable
///
/// Every write of it, and of those that stood at its place before it, the newest first.
#[utoipa::path(get, path = "/variables/{id}/history", tag = "variables", operation_id = "variable_history",
    params(IdPath, WindowParams),
    responses((status = 200, description = "One part of the list.", body = List<api::HistoryEntry>)))]
pub async fn history(State(app): State<App>, who: Who, PathId(id): PathId, mut query: Query) -> Answer {
    query.word("sort_by", &["created_at"]);
    let window = query.window(false);
    query.finish()?;
    let listed = app.runtime.variable_history(who.account(), &id, window).await?;
    reply::list(listed, &window, "created_at", convert::history_entry)
}

fn read_new(body: &JsonText) -> Result<NewStagedWrite, ApiError> {
    let mut fields = Fields::body(body)?;
    fields.need("key");
    fields.need("op");
    let key = fields.key("key");
    let op = fields.choice("op", StagedOp::WORDS);
    let intent = fields.choice("intent", Intent::WORDS);
    let policy = fields.choice("conflict_policy", ConflictPolicy::WORDS);
    let source_kind = fields.choice("source_kind", SourceKind::WORDS);
    let reason = fields.label("reason").flatten();
    let source = fields.optional_value("source")?;
    let evidence = fields.optional_value("evidence")?;
    let value = match op {
        Some(StagedOp::Set) => fields.value("value")?,
        _ => None,
    };
    let (Some(key), Some(op)) = (key, op) else { return Err(fields.refuse()) };
    fields.finish()?;
    Ok(NewStagedWrite {
        key,
        op,
        value,
        intent: intent.unwrap_or(Intent::PromoteToFloor),
        policy: policy.unwrap_or(ConflictPolicy::Replace),
        source_kind: source_kind.unwrap_or(SourceKind::Unknown),
        reason,
        source,
        evidence,
    })
}
