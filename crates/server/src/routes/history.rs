//! History: changes of floors, values over a chat, blame, undo, comparison.

use super::floors::on_branch;
use super::prelude::*;
use super::states;
use crate::output::history as body;
use tavernkeep_api::history as api;
use tavernkeep_api::list::OnBranch;
use tavernkeep_api::story::Snapshot;
use tavernkeep_engine::limits::{
    BRANCH_BYTES_MAX, HISTORY_POINTS_MAX, LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, POSITION_MAX,
};
use tavernkeep_engine::path::WrittenPath;
use tavernkeep_runtime::input::Problems;
use tavernkeep_runtime::{FloorRange, MAIN_BRANCH, StateAddress};

/// The default number of points of a history.
const POINTS_DEFAULT: i64 = 100;

/// Bytes of a place: a word, a session and a branch.
const PLACE_BYTES_MAX: usize = 512;

/// Read what a floor changed
///
/// The change of its story page, as it was recorded. With `include_commands` it has the commands of the text.
#[utoipa::path(get, path = "/floors/{id}/change", tag = "story", operation_id = "get_floor_change",
    params(IdPath, api::FloorChangeParams),
    responses((status = 200, description = "The change.", body = Data<api::FloorChange>)))]
pub async fn change(State(app): State<App>, caller: Authenticated, PathId(id): PathId, mut query: Query) -> ApiResult {
    let commands = query.boolean("include_commands").unwrap_or(false);
    query.finish()?;
    let change = app.runtime.change_of_floor(caller.account(), &id, commands).await?;
    reply::ok(body::floor_change(&id, change)?)
}

/// Read the floors of a branch with what each of them changed
///
/// From the beginning of the story on, through the place where the branch was forked.
#[utoipa::path(get, path = "/sessions/{id}/log", tag = "story", operation_id = "get_session_log",
    params(IdPath, api::PartParams, api::LogParams),
    responses((status = 200, description = "The floors.", body = Data<api::Log>)))]
pub async fn log(State(app): State<App>, caller: Authenticated, PathId(id): PathId, mut query: Query) -> ApiResult {
    let part = part(id, &mut query);
    let limit = query.integer("limit", 1, LIST_LIMIT_MAX).unwrap_or(LIST_LIMIT_DEFAULT);
    let last = query.integer("last", 1, POSITION_MAX);
    query.finish()?;
    let part = match last {
        Some(last) => app.runtime.last_floors(caller.account(), part, last).await?,
        None => part,
    };
    let (lines, has_more) = app.runtime.log(caller.account(), part, count(limit)).await?;
    reply::ok(body::log(lines, has_more)?)
}

/// Read the history of a value
///
/// One point for each floor that changed it, along the branch.
#[utoipa::path(get, path = "/sessions/{id}/history", tag = "story", operation_id = "get_session_history",
    params(IdPath, api::HistoryParams, api::PartParams),
    responses((status = 200, description = "The value over the chat.", body = Data<api::History>)))]
pub async fn of_session(
    State(app): State<App>,
    caller: Authenticated,
    PathId(id): PathId,
    mut query: Query,
) -> ApiResult {
    let part = part(id, &mut query);
    let limit = query.integer("limit", 1, HISTORY_POINTS_MAX).unwrap_or(POINTS_DEFAULT);
    let (text, path) = path(query)?;
    let history = app.runtime.history(caller.account(), part, path, count(limit)).await?;
    reply::ok(body::history(text, history)?)
}

/// Find what set a value
///
/// The last thing that changed the value at a path of a page's state, what holds it, or a part of it: a command of a text, an
/// edit by hand, something that a turn did by itself, or the template; `nobody` if there never was a value. Items of
/// lists are followed to where they stood.
#[utoipa::path(get, path = "/pages/{id}/blame", tag = "story", operation_id = "get_page_blame",
    params(IdPath, api::BlameParams),
    responses((status = 200, description = "What set it.", body = Data<api::Blame>)))]
pub async fn blame(State(app): State<App>, caller: Authenticated, PathId(id): PathId, query: Query) -> ApiResult {
    let (text, path) = path(query)?;
    let blame = app.runtime.blame(caller.account(), &id, path).await?;
    reply::ok(body::blame(text, blame)?)
}

/// Undo the changes of a page
///
/// The page gets the state before it, or one value of that, as an edit by hand: its snapshot keeps its id and is marked
/// `edited`. What follows is processed.
#[utoipa::path(post, path = "/pages/{id}/undo", tag = "story", operation_id = "undo_page",
    params(IdPath, OnBranch),
    request_body = Option<api::UndoRequest>,
    responses((status = 200, description = "The snapshot after the change.", body = Data<Snapshot>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn undo(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    query: Query,
    OptionalBody(body): OptionalBody<api::UndoRequest>,
) -> ApiResult {
    let branch = on_branch(query)?;
    let mut problems = Problems::default();
    let path = body.path.and_then(|text| written(&text, &mut problems));
    problems.finish()?;
    let id = runtime.page_on(caller.account(), &id, branch.as_deref()).await?;
    let edited = runtime.undo(caller.account(), &id, path).await?;
    states::edited(&runtime, caller.account(), edited).await
}

/// Compare two states
///
/// Of pages, which may be swipes of one floor, of floors, of branches, of snapshots.
#[utoipa::path(get, path = "/compare", tag = "story", operation_id = "compare_states", params(api::CompareParams),
    responses((status = 200, description = "How they differ.", body = Data<api::Comparison>)))]
pub async fn compare(State(app): State<App>, caller: Authenticated, mut query: Query) -> ApiResult {
    let (from, to) = (place(&mut query, "from"), place(&mut query, "to"));
    let (Some(from), Some(to)) = (from, to) else { return Err(query.problems.refuse()) };
    query.finish()?;
    let comparison = app.runtime.compare(caller.account(), from, to).await?;
    reply::ok(body::comparison(&comparison)?)
}

fn part(session: Id, query: &mut Query) -> FloorRange {
    FloorRange {
        session,
        branch: query.text("branch_id", 1, BRANCH_BYTES_MAX).unwrap_or_else(|| MAIN_BRANCH.to_owned()),
        from_floor: query.integer("from_floor", 0, POSITION_MAX),
        to_floor: query.integer("to_floor", 0, POSITION_MAX),
        after: query.id("after"),
    }
}

/// `path`, as it was written and as it is read; the last parameter of a query.
fn path(mut query: Query) -> Result<(String, WrittenPath), ApiError> {
    let text = query.need("path").unwrap_or_default();
    let path = written(&text, &mut query.problems);
    let Some(path) = path else { return Err(query.problems.refuse()) };
    query.finish().map(|()| (text, path))
}

fn written(text: &str, problems: &mut Problems) -> Option<WrittenPath> {
    match text.parse() {
        Ok(path) => Some(path),
        Err(error) => {
            problems.add("/path".to_owned(), "format", error.to_string());
            None
        }
    }
}

fn place(query: &mut Query, name: &str) -> Option<StateAddress> {
    let text = query.need(name)?;
    if !query.problems.length(|| format!("/{name}"), &text, 1, PLACE_BYTES_MAX) {
        return None;
    }
    match text.parse() {
        Ok(place) => Some(place),
        Err(error) => {
            query.problems.add(format!("/{name}"), "pattern", error.to_string());
            None
        }
    }
}

fn count(limit: i64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
