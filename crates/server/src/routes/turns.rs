//! Turns: a whole reply in one call; and processing what is there already.

use super::prelude::*;
use axum::http::StatusCode;
use tavernkeep_api::job::Job;
use tavernkeep_api::story as api;
use tavernkeep_runtime::apply;
use tavernkeep_runtime::order::NewTurn;
use tavernkeep_runtime::{Handled, Mode, ProcessOrder, TakenTurn};

/// Take a turn
///
/// Makes a committed floor with a page, or another swipe of a floor; applies the commands in the text to the state of the
/// page before; and stores everything together. What lies before is processed first if it has to be. A bad reply is no
/// error: the response lists its problems.
#[utoipa::path(post, path = "/sessions/{id}/turns", tag = "story", operation_id = "create_turn", params(IdPath),
    request_body = api::NewTurn,
    responses(
        (status = 201, description = "The turn.", body = Data<api::Turn>),
        (status = 200, description = "The turn, which was stored before under this `page_id`.", body = Data<api::Turn>)))]
pub async fn create(Writer(runtime, caller): Writer, PathId(id): PathId, Body(body): Body<api::NewTurn>) -> ApiResult {
    let include_state = body.include_state;
    let new = new_turn(id, body)?;
    let may_be_earlier = new.swipe_of.is_some() || new.floor_no.is_some();
    let taken = runtime.take_turn(caller.account(), new).await?;
    let status = if taken.created { StatusCode::CREATED } else { StatusCode::OK };
    let stale = if may_be_earlier { runtime.stale_behind(caller.account(), &taken.floor).await } else { None };
    reply::data(status, api::Turn { stale: stale.map(convert::stale), ..turn(taken, include_state)? })
}

/// Process a branch
///
/// Applies the texts again where the state does not fit them any more: after edits, deletions and moves, or for a chat
/// that was imported. Long processing continues as a job, which can be read and cancelled.
#[utoipa::path(post, path = "/sessions/{id}/process", tag = "story", operation_id = "process_session", params(IdPath),
    request_body = Option<api::ProcessRequest>,
    responses(
        (status = 200, description = "The result.", body = Data<api::ProcessReport>),
        (status = 202, description = "It takes longer than a second; this job continues it.", body = Data<Job>)))]
pub async fn process(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    OptionalBody(body): OptionalBody<api::ProcessRequest>,
) -> ApiResult {
    let order = process_order(body)?;
    let dry_run = order.dry_run;
    match runtime.process_or_job(caller.account(), &id, order).await? {
        Handled::Done(report) => reply::ok(convert::process_report(report, dry_run)),
        Handled::ByJob(job) => reply::data(StatusCode::ACCEPTED, convert::job(job)),
    }
}

fn new_turn(session: Id, new: api::NewTurn) -> Result<NewTurn, ApiError> {
    Ok(NewTurn {
        session,
        branch: new.branch_id,
        floor_no: new.floor_no,
        swipe_of: shape::parsed_if(new.swipe_of)?,
        page: shape::parsed_if(new.page_id)?,
        role: new.role,
        name: new.name,
        content: new.content,
        expected_parent: shape::parsed_or_null(new.expected_parent)?,
    })
}

fn process_order(request: api::ProcessRequest) -> Result<ProcessOrder, ApiError> {
    let mode = request.mode.map_or(Ok(Mode::Stale), shape::word)?;
    if mode == Mode::Latest && request.from_floor.is_some() {
        let message = "must NOT be there together with mode latest, which is about the last page alone";
        return Err(ApiError::invalid("/from_floor", "not", message));
    }
    Ok(ProcessOrder {
        branch: request.branch_id,
        from_floor: request.from_floor,
        dry_run: request.dry_run,
        overwrite_edited: request.overwrite_edited,
        ..ProcessOrder::of(mode)
    })
}

fn turn(taken: TakenTurn, include_state: bool) -> Result<api::Turn, ApiError> {
    let state = include_state.then(|| apply::json(taken.document.to_json())).transpose()?;
    let (change, (commands, problems), functions, log) = match taken.report {
        Some(report) => (
            apply::change(&report.change)?,
            apply::commands(report.results, report.problems)?,
            apply::ran(report.ran),
            apply::log(report.log),
        ),
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
        functions,
        log,
        state,
        stale: None,
    })
}
