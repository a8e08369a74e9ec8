//! Turns: a whole reply in one call; and processing what is there already.

use crate::apply;
use crate::auth::Who;
use crate::body::{JsonBody, OptionalJsonBody};
use crate::convert;
use crate::error::ApiError;
use crate::fields::Fields;
use crate::once::Writer;
use crate::path::PathId;
use crate::reply::{self, Answer};
use axum::http::StatusCode;
use tavernkeep_api::Data;
use tavernkeep_api::job::Job;
use tavernkeep_api::list::IdPath;
use tavernkeep_api::story as api;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::{BRANCH_BYTES_MAX, LABEL_BYTES_MAX, POSITION_MAX, REPLY_BYTES_MAX};
use tavernkeep_runtime::order::NewTurn;
use tavernkeep_runtime::{Handled, Mode, ProcessOrder, TakenTurn};

/// Take a turn
///
/// Makes a committed floor with a page, or another swipe of a floor; applies the commands in the text to the state of the
/// page before; and stores everything together. What lies before is processed first if it has to be. A bad reply is no
/// error: what is wrong with it is in the answer.
#[utoipa::path(post, path = "/sessions/{id}/turns", tag = "story", operation_id = "create_turn", params(IdPath),
    request_body = api::NewTurn,
    responses(
        (status = 201, description = "The turn.", body = Data<api::Turn>),
        (status = 200, description = "The turn, which was stored before under this `page_id`.", body = Data<api::Turn>)))]
pub async fn create(Writer(runtime): Writer, who: Who, PathId(id): PathId, JsonBody(body): JsonBody) -> Answer {
    let (new, include_state) = read_new(id, &body)?;
    let taken = runtime.take_turn(who.account(), new).await?;
    let status = if taken.created { StatusCode::CREATED } else { StatusCode::OK };
    reply::data(status, turn(taken, include_state)?)
}

/// Process a branch
///
/// Applies the texts again where the state does not fit them any more: after edits, deletions and moves, or for a chat
/// that was imported. What takes long goes on as a job, which can be looked at and cancelled.
#[utoipa::path(post, path = "/sessions/{id}/process", tag = "story", operation_id = "process_session", params(IdPath),
    request_body = Option<api::ProcessRequest>,
    responses(
        (status = 200, description = "What came of it.", body = Data<api::ProcessReport>),
        (status = 202, description = "It takes longer than a second; this job goes on with it.", body = Data<Job>)))]
pub async fn process(
    Writer(runtime): Writer,
    who: Who,
    PathId(id): PathId,
    OptionalJsonBody(body): OptionalJsonBody,
) -> Answer {
    let order = read_order(&body)?;
    let dry_run = order.dry_run;
    match runtime.process_or_job(who.account(), &id, order).await? {
        Handled::Done(report) => reply::ok(convert::process_report(report, dry_run)),
        Handled::ByJob(job) => reply::data(StatusCode::ACCEPTED, convert::job(job)),
    }
}

fn read_new(session: Id, body: &JsonText) -> Result<(NewTurn, bool), ApiError> {
    let mut fields = Fields::body(body)?;
    fields.need("role");
    fields.need("content");
    let role = fields.text("role", 1, LABEL_BYTES_MAX);
    let content = fields.text("content", 0, REPLY_BYTES_MAX);
    let name = fields.label("name").flatten();
    let branch = fields.text("branch_id", 1, BRANCH_BYTES_MAX).map(Into::into);
    let floor_no = fields.integer("floor_no", 0, POSITION_MAX);
    let swipe_of = fields.id("swipe_of");
    let page = fields.id("page_id");
    let expected_parent = fields.nullable_id("expected_parent");
    let include_state = fields.boolean("include_state").unwrap_or(false);
    let (Some(role), Some(content)) = (role, content) else { return Err(fields.refuse()) };
    fields.finish()?;
    let (role, content) = (role.into(), content.into());
    Ok((NewTurn { session, branch, floor_no, swipe_of, page, role, name, content, expected_parent }, include_state))
}

fn read_order(body: &JsonText) -> Result<ProcessOrder, ApiError> {
    let mut fields = Fields::body(body)?;
    let order = ProcessOrder {
        branch: fields.text("branch_id", 1, BRANCH_BYTES_MAX).map(Into::into),
        from_floor: fields.integer("from_floor", 0, POSITION_MAX),
        mode: fields.choice("mode", Mode::WORDS).unwrap_or(Mode::Stale),
        dry_run: fields.boolean("dry_run").unwrap_or(false),
        overwrite_edited: fields.boolean("overwrite_edited").unwrap_or(false),
    };
    if order.mode == Mode::Latest && order.from_floor.is_some() {
        let message = "must NOT be there together with mode latest, which is about the last page alone".to_owned();
        fields.problems.add(fields.path("from_floor"), "not", message);
    }
    fields.finish().map(|()| order)
}

fn turn(taken: TakenTurn, include_state: bool) -> Result<api::Turn, ApiError> {
    let state = include_state.then(|| apply::json(taken.document.to_json())).transpose()?;
    let (change, (commands, problems)) = match taken.report {
        Some(report) => (apply::change(&report.change)?, apply::commands(report.results, report.problems)?),
        None => Default::default(),
    };
    Ok(api::Turn {
        floor_id: taken.floor.to_string(),
        floor_no: taken.floor_no,
        page_id: taken.page.to_string(),
        page_version: taken.page_version,
        snapshot_id: taken.snapshot.map(|snapshot| snapshot.to_string()),
        change,
        commands,
        problems,
        state,
    })
}
