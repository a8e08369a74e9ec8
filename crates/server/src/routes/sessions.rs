//! Sessions.

use super::prelude::*;
use axum::http::StatusCode;
use tavernkeep_api::character::NewTemplate;
use tavernkeep_api::session as api;
use tavernkeep_api::trash::Permanent;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::LABEL_BYTES_MAX;
use tavernkeep_engine::profile::{InvalidProfile, Profile};
use tavernkeep_runtime::order::{NewSession, SessionPatch, SessionQuery, SessionSort, StorySettings};
use tavernkeep_runtime::record::{Condition, Deletion, Session};
use tavernkeep_runtime::{Refusal, Runtime, tags};

/// Create a session
///
/// Its branch `main` comes with it.
#[utoipa::path(post, path = "/sessions", tag = "sessions", operation_id = "create_session",
    request_body = api::NewSession,
    responses((status = 201, description = "The new session.", body = Data<api::Session>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn create(Writer(runtime, caller): Writer, Body(body): Body<api::NewSession>) -> ApiResult {
    let new = new_session(body)?;
    let session = runtime.create_session(caller.account(), new).await?;
    answer(StatusCode::CREATED, session)
}

/// List sessions
#[utoipa::path(get, path = "/sessions", tag = "sessions", operation_id = "list_sessions",
    params(WindowParams, api::SessionListParams, api::SessionOrder),
    responses((status = 200, description = "The list.", body = List<api::Session>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, mut query: Query) -> ApiResult {
    let chat_file = query.text("chat_file", 1, LABEL_BYTES_MAX);
    let (column, window) = query.list(&["updated_at", "created_at"], false)?;
    let sort = if column == "updated_at" { SessionSort::UpdatedAt } else { SessionSort::CreatedAt };
    let listed = app.runtime.sessions(caller.account(), SessionQuery { chat_file, sort, window }).await?;
    reply::list(listed, &window, column, convert::session)
}

/// Read a session
#[utoipa::path(get, path = "/sessions/{id}", tag = "sessions", operation_id = "get_session", params(IdPath),
    responses((status = 200, description = "The session.", body = Data<api::Session>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn get(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    let session = app.runtime.session(caller.account(), &id).await?;
    answer(StatusCode::OK, session)
}

/// Change a session
#[utoipa::path(patch, path = "/sessions/{id}", tag = "sessions", operation_id = "update_session",
    params(IdPath, ("If-Match" = Option<String>, Header, description = "The `ETag` that it must still have.")),
    request_body = api::SessionPatch,
    responses((status = 200, description = "The session after the change.", body = Data<api::Session>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn update(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    WriteCondition(condition): WriteCondition,
    Body(body): Body<api::SessionPatch>,
) -> ApiResult {
    let patch = SessionPatch { condition, ..session_patch(body)? };
    let session = runtime.update_session(caller.account(), &id, patch).await?;
    answer(StatusCode::OK, session)
}

/// Read a session's template
///
/// The state that its story starts from: its own, or its character's.
#[utoipa::path(get, path = "/sessions/{id}/template", tag = "sessions", operation_id = "get_session_template",
    params(IdPath), responses((status = 200, description = "The template.", body = Data<api::SessionTemplate>)))]
pub async fn template(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    template_response(&app.runtime, caller.account(), &id).await
}

/// Replace a session's template
///
/// States that come from the old one are outdated, not stale.
#[utoipa::path(put, path = "/sessions/{id}/template", tag = "sessions", operation_id = "put_session_template",
    params(IdPath), request_body = NewTemplate,
    responses((status = 200, description = "The template after the change.", body = Data<api::SessionTemplate>)))]
pub async fn put_template(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    Body(body): Body<NewTemplate>,
) -> ApiResult {
    let story = StorySettings { template: Some(shape::object_text(body.template)), ..StorySettings::default() };
    let patch = SessionPatch { story, ..SessionPatch::default() };
    runtime.update_session(caller.account(), &id, patch).await?;
    template_response(&runtime, caller.account(), &id).await
}

async fn template_response(runtime: &Runtime, account: &Id, id: &Id) -> ApiResult {
    let (template, own) = runtime.session_template(account, id).await?;
    reply::ok(api::SessionTemplate { session_id: id.to_string(), template: convert::object(template)?, own })
}

/// Delete a session
///
/// Its branches, floors, pages and their variables are deleted with it. It goes to the trash, and its id and `chat_file` are free.
/// With `permanent` it is hidden at once, and the job `job_id` deletes the rows of a long one.
#[utoipa::path(delete, path = "/sessions/{id}", tag = "sessions", operation_id = "delete_session",
    params(IdPath, Permanent, ("If-Match" = Option<String>, Header, description = "The `ETag` that it must still have.")),
    responses((status = 200, description = "It was deleted.", body = Data<Deleted>)))]
pub async fn delete(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    query: Query,
    WriteCondition(condition): WriteCondition,
) -> ApiResult {
    let permanent = permanent(query)?;
    let deleted = runtime.remove_sessions_if(caller.account(), vec![id.clone()], condition, permanent).await?;
    gone(&deleted.iter().map(Deletion::was_there).collect::<Vec<_>>(), || Refusal::SessionNotFound(id.clone()))?;
    let trash = match &deleted[0] {
        Deletion::Trashed(item) => Some(item),
        _ => None,
    };
    // As everywhere, the response to one deletion names the item in a header.
    let body = Deleted { trash_id: None, ..convert::deletion(&id, &deleted[0]) };
    Ok(reply::restorable(reply::ok(body)?, trash))
}

/// Whether something is deleted for good.
pub(super) fn permanent(mut query: Query) -> Result<bool, ApiError> {
    let permanent = query.boolean("permanent").unwrap_or(false);
    query.finish()?;
    Ok(permanent)
}

/// Delete many sessions
///
/// One that does not exist gets `"deleted": false`. Each goes to the trash as an item of its own.
#[utoipa::path(post, path = "/sessions/batch/delete", tag = "sessions", operation_id = "delete_sessions",
    params(Permanent), request_body = DeleteIds,
    responses((status = 200, description = "What was deleted.", body = Data<DeletedMany>)))]
pub async fn delete_many(Writer(runtime, caller): Writer, query: Query, Body(body): Body<DeleteIds>) -> ApiResult {
    let (ids, permanent) = (ids(&body)?, permanent(query)?);
    let deleted = runtime.remove_sessions(caller.account(), ids.clone(), permanent).await?;
    let results = ids.iter().zip(&deleted).map(|(id, deletion)| convert::deletion(id, deletion)).collect();
    let items = deleted.iter().filter_map(|deletion| match deletion {
        Deletion::Trashed(item) => Some(item),
        Deletion::Absent | Deletion::Done | Deletion::ByJob(_) => None,
    });
    Ok(reply::restorable_by(reply::deletions(results)?, &items.collect::<Vec<_>>()))
}

/// Refuses if the one thing that was to be deleted was not there.
pub(super) fn gone(deleted: &[bool], refusal: impl FnOnce() -> Refusal) -> Result<(), ApiError> {
    match deleted {
        [true] => Ok(()),
        _ => Err(tavernkeep_runtime::RuntimeError::from(refusal()).into()),
    }
}

pub(super) fn ids(body: &DeleteIds) -> Result<Vec<Id>, ApiError> {
    body.ids.iter().map(shape::parsed).collect()
}

fn new_session(new: api::NewSession) -> Result<NewSession, ApiError> {
    let null_counts_not = |text: Option<String>| text.map(Some);
    Ok(NewSession {
        id: shape::parsed_if(new.id)?,
        title: new.title,
        metadata: shape::object_text(new.metadata),
        story: StorySettings {
            profile: profile(new.profile.map(Some))?,
            template: new.template.map(|template| shape::object_text(Some(template))),
            chat_file: new.chat_file,
            state_key: shape::parsed_or_null(null_counts_not(new.state_variable))?,
            character: shape::parsed_or_null(null_counts_not(new.character_id))?,
        },
        greetings: new.greetings,
    })
}

fn session_patch(patch: api::SessionPatch) -> Result<SessionPatch, ApiError> {
    Ok(SessionPatch {
        title: patch.title,
        metadata: patch.metadata.map(shape::object_text),
        story: StorySettings {
            profile: profile(patch.profile)?,
            template: patch.template.map(shape::object_text),
            chat_file: patch.chat_file,
            state_key: shape::parsed_or_null(patch.state_variable)?,
            character: shape::parsed_or_null(patch.character_id)?,
        },
        condition: Condition::None,
    })
}

fn answer(status: StatusCode, session: Session) -> ApiResult {
    let tag = tags::of_session(&session);
    reply::conditional(status, convert::session(session)?, etag(tag))
}

/// How commands are read and applied.
pub(super) fn profile(profile: Option<Option<Json>>) -> Result<Option<Option<JsonText>>, ApiError> {
    let profile = profile.map(|profile| profile.as_ref().map(shape::value_text));
    if let Some(Some(text)) = &profile {
        let invalid =
            |error: InvalidProfile| ApiError::invalid(format!("/profile{}", error.at()), "custom", error.to_string());
        Profile::read_new(&Value::from(text)).map_err(invalid)?;
    }
    Ok(profile)
}
