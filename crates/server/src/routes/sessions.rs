//! Sessions.

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
use tavernkeep_api::envelope::{DeleteIds, Deleted, DeletedMany};
use tavernkeep_api::list::{IdPath, WindowParams};
use tavernkeep_api::session as api;
use tavernkeep_api::{Data, List};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::{JsonKind, JsonText};
use tavernkeep_engine::limits::{BATCH_ITEMS_MAX, GREETINGS_MAX, LABEL_BYTES_MAX, REPLY_BYTES_MAX};
use tavernkeep_engine::profile::Profile;
use tavernkeep_runtime::order::{NewSession, SessionPatch, SessionQuery, SessionSort, StorySettings};
use tavernkeep_runtime::record::Deletion;
use tavernkeep_runtime::{Refusal, Runtime};

/// Create a session
///
/// Its branch `main` comes with it.
#[utoipa::path(post, path = "/sessions", tag = "sessions", operation_id = "create_session",
    request_body = api::NewSession,
    responses((status = 201, description = "The new session.", body = Data<api::Session>)))]
pub async fn create(Writer(runtime): Writer, who: Who, JsonBody(body): JsonBody) -> Answer {
    let new = read_new(&body)?;
    let session = runtime.create_session(who.account(), new).await?;
    reply::created(convert::session(session)?)
}

/// List sessions
#[utoipa::path(get, path = "/sessions", tag = "sessions", operation_id = "list_sessions",
    params(WindowParams, api::SessionListParams),
    responses((status = 200, description = "One part of the list.", body = List<api::Session>)))]
pub async fn list(State(app): State<App>, who: Who, mut query: Query) -> Answer {
    let sorts = ["updated_at", "created_at"];
    let chat_file = query.text("chat_file", 1, LABEL_BYTES_MAX);
    let sort = query.word("sort_by", &sorts);
    let window = query.window(false);
    query.finish()?;
    let by = if sort == 0 { SessionSort::UpdatedAt } else { SessionSort::CreatedAt };
    let listed = app.runtime.sessions(who.account(), SessionQuery { chat_file, sort: by, window }).await?;
    reply::list(listed, &window, sorts[sort], convert::session)
}

/// Read a session
#[utoipa::path(get, path = "/sessions/{id}", tag = "sessions", operation_id = "get_session", params(IdPath),
    responses((status = 200, description = "The session.", body = Data<api::Session>)))]
pub async fn get(State(app): State<App>, who: Who, PathId(id): PathId) -> Answer {
    let session = app.runtime.session(who.account(), &id).await?;
    reply::ok(convert::session(session)?)
}

/// Change a session
#[utoipa::path(patch, path = "/sessions/{id}", tag = "sessions", operation_id = "update_session", params(IdPath),
    request_body = api::SessionPatch,
    responses((status = 200, description = "The session as it is now.", body = Data<api::Session>)))]
pub async fn update(Writer(runtime): Writer, who: Who, PathId(id): PathId, JsonBody(body): JsonBody) -> Answer {
    let patch = read_patch(&body)?;
    let session = runtime.update_session(who.account(), &id, patch).await?;
    reply::ok(convert::session(session)?)
}

/// Read a session's template
///
/// The state that its story starts from: its own, or its character's.
#[utoipa::path(get, path = "/sessions/{id}/template", tag = "sessions", operation_id = "get_session_template",
    params(IdPath), responses((status = 200, description = "The template.", body = Data<api::SessionTemplate>)))]
pub async fn template(State(app): State<App>, who: Who, PathId(id): PathId) -> Answer {
    shown_template(&app.runtime, who.account(), &id).await
}

/// Replace a session's template
///
/// States that come from the old one are outdated, not stale.
#[utoipa::path(put, path = "/sessions/{id}/template", tag = "sessions", operation_id = "put_session_template",
    params(IdPath), request_body = api::NewSessionTemplate,
    responses((status = 200, description = "The template as it is now.", body = Data<api::SessionTemplate>)))]
pub async fn put_template(Writer(runtime): Writer, who: Who, PathId(id): PathId, JsonBody(body): JsonBody) -> Answer {
    let mut fields = Fields::body(&body)?;
    fields.need("template");
    let story = StorySettings { template: fields.object("template")?, ..StorySettings::default() };
    fields.finish()?;
    let patch = SessionPatch { story, ..SessionPatch::default() };
    runtime.update_session(who.account(), &id, patch).await?;
    shown_template(&runtime, who.account(), &id).await
}

async fn shown_template(runtime: &Runtime, account: &Id, id: &Id) -> Answer {
    let (template, own) = runtime.session_template(account, id).await?;
    reply::ok(api::SessionTemplate { session_id: id.to_string(), template: convert::object(template)?, own })
}

/// Delete a session
///
/// Its branches, floors, pages and their variables go with it. It is gone at once; what a long one consists of is taken
/// away by the job that `job_id` names.
#[utoipa::path(delete, path = "/sessions/{id}", tag = "sessions", operation_id = "delete_session", params(IdPath),
    responses((status = 200, description = "It is gone.", body = Data<Deleted>)))]
pub async fn delete(Writer(runtime): Writer, who: Who, PathId(id): PathId) -> Answer {
    let deleted = runtime.delete_sessions(who.account(), vec![id.clone()]).await?;
    gone(&deleted.iter().map(Deletion::was_there).collect::<Vec<_>>(), || Refusal::SessionNotFound(id.clone()))?;
    reply::ok(convert::deletion(&id, &deleted[0]))
}

/// Delete many sessions
///
/// One that does not exist is answered with `"deleted": false`.
#[utoipa::path(post, path = "/sessions/batch/delete", tag = "sessions", operation_id = "delete_sessions",
    request_body = DeleteIds,
    responses((status = 200, description = "What was deleted.", body = Data<DeletedMany>)))]
pub async fn delete_many(Writer(runtime): Writer, who: Who, JsonBody(body): JsonBody) -> Answer {
    let ids = read_ids(&body)?;
    let deleted = runtime.delete_sessions(who.account(), ids.clone()).await?;
    reply::deletions(ids.iter().zip(&deleted).map(|(id, deletion)| convert::deletion(id, deletion)).collect())
}

/// Refuses if the one thing that was to be deleted was not there.
pub(super) fn gone(deleted: &[bool], refusal: impl FnOnce() -> Refusal) -> Result<(), ApiError> {
    match deleted {
        [true] => Ok(()),
        _ => Err(tavernkeep_runtime::StoreError::from(refusal()).into()),
    }
}

/// Reads `{"ids": […]}`.
pub(super) fn read_ids(body: &JsonText) -> Result<Vec<Id>, ApiError> {
    let mut fields = Fields::body(body)?;
    fields.need("ids");
    let Some(ids) = fields.ids("ids", BATCH_ITEMS_MAX) else { return Err(fields.refuse()) };
    fields.finish().map(|()| ids)
}

fn read_new(body: &JsonText) -> Result<NewSession, ApiError> {
    let mut fields = Fields::body(body)?;
    let new = NewSession {
        id: fields.id("id"),
        title: fields.label("title").flatten(),
        metadata: fields.object("metadata")?.flatten(),
        story: read_story(&mut fields)?,
        greetings: read_greetings(&mut fields),
    };
    fields.finish().map(|()| new)
}

fn is_null(fields: &mut Fields<'_>, name: &'static str) -> bool {
    fields.get(name).is_some_and(|it| it.kind() == JsonKind::Null)
}

/// How commands are read and applied.
pub(super) fn read_profile(fields: &mut Fields<'_>) -> Result<Option<Option<JsonText>>, ApiError> {
    if is_null(fields, "profile") {
        return Ok(Some(None));
    }
    let profile = fields.optional_value("profile")?;
    if let Some(Err(error)) = profile.as_ref().map(|text| Profile::read(&Value::from(text))) {
        fields.problems.add("/profile".to_owned(), "custom", error.to_string());
    }
    Ok(profile.map(Some))
}

/// The texts that a story can begin with.
pub(super) fn read_greetings(fields: &mut Fields<'_>) -> Option<Vec<String>> {
    let elements = fields.array("greetings", 0, GREETINGS_MAX)?;
    let mut texts = Vec::with_capacity(elements.len());
    for (number, element) in elements.iter().enumerate() {
        let path = || format!("/greetings/{number}");
        match element.as_str() {
            None => fields.problems.kind(path(), "string"),
            Some(text) if fields.problems.length(path, &text, 0, REPLY_BYTES_MAX) => texts.push(text.into_owned()),
            Some(_) => {}
        }
    }
    (texts.len() == elements.len()).then_some(texts)
}

/// How a session's story is told.
fn read_story(fields: &mut Fields<'_>) -> Result<StorySettings, ApiError> {
    Ok(StorySettings {
        profile: read_profile(fields)?,
        template: fields.object("template")?,
        chat_file: fields.text("chat_file", 1, LABEL_BYTES_MAX).map(Into::into),
        state_key: match is_null(fields, "state_variable") {
            true => Some(None),
            false => fields.key("state_variable").map(Some),
        },
        character: match is_null(fields, "character_id") {
            true => Some(None),
            false => fields.id("character_id").map(Some),
        },
    })
}

fn read_patch(body: &JsonText) -> Result<SessionPatch, ApiError> {
    let mut fields = Fields::body(body)?;
    let patch = SessionPatch {
        title: fields.label("title"),
        metadata: fields.object("metadata")?,
        story: read_story(&mut fields)?,
    };
    fields.finish().map(|()| patch)
}
