//! Characters.

use super::prelude::*;
use super::sessions::permanent;
use super::sessions::profile;
use crate::output::functions::read_entries;
use axum::http::StatusCode;
use tavernkeep_api::character as api;
use tavernkeep_api::trash::Permanent;
use tavernkeep_runtime::order::{CharacterPatch, CharacterQuery, CharacterSort, CharacterStory, NewCharacter};
use tavernkeep_runtime::record::{Character, Condition};
use tavernkeep_runtime::tags;

/// Create a character
///
/// Its sessions take its template and its profile unless they have their own.
#[utoipa::path(post, path = "/characters", tag = "characters", operation_id = "create_character",
    request_body = api::NewCharacter,
    responses((status = 201, description = "The new character.", body = Data<api::Character>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn create(Writer(runtime, caller): Writer, Body(body): Body<api::NewCharacter>) -> ApiResult {
    let new = new_character(body)?;
    let character = runtime.create_character(caller.account(), new).await?;
    answer(StatusCode::CREATED, character)
}

/// List characters
///
/// Without their templates, profiles and greetings.
#[utoipa::path(get, path = "/characters", tag = "characters", operation_id = "list_characters",
    params(WindowParams, api::CharacterOrder),
    responses((status = 200, description = "The list.", body = List<api::CharacterSummary>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, query: Query) -> ApiResult {
    let (column, window) = query.list(&["name", "created_at", "updated_at"], true)?;
    let sort = match column {
        "name" => CharacterSort::Name,
        "created_at" => CharacterSort::CreatedAt,
        _ => CharacterSort::UpdatedAt,
    };
    let listed = app.runtime.characters(caller.account(), CharacterQuery { sort, window }).await?;
    reply::list(listed, &window, column, |character| Ok(convert::character_summary(character)))
}

/// Read a character
#[utoipa::path(get, path = "/characters/{id}", tag = "characters", operation_id = "get_character", params(IdPath),
    responses((status = 200, description = "The character.", body = Data<api::Character>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn get(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    let character = app.runtime.character(caller.account(), &id).await?;
    answer(StatusCode::OK, character)
}

/// Change a character
///
/// States that were computed with another profile or template are outdated, not stale.
#[utoipa::path(patch, path = "/characters/{id}", tag = "characters", operation_id = "update_character",
    params(IdPath, ("If-Match" = Option<String>, Header, description = "The `ETag` that it must still have.")),
    request_body = api::CharacterPatch,
    responses((status = 200, description = "The character after the change.", body = Data<api::Character>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn update(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    WriteCondition(condition): WriteCondition,
    Body(body): Body<api::CharacterPatch>,
) -> ApiResult {
    let patch = CharacterPatch { condition, ..character_patch(body)? };
    let character = runtime.update_character(caller.account(), &id, patch).await?;
    answer(StatusCode::OK, character)
}

/// Delete a character
///
/// Its sessions stay and go on with the template and the profile that it had. It goes to the trash, and its id is free.
#[utoipa::path(delete, path = "/characters/{id}", tag = "characters", operation_id = "delete_character",
    params(IdPath, Permanent, ("If-Match" = Option<String>, Header, description = "The `ETag` that it must still have.")),
    responses((status = 200, description = "It was deleted.", body = Data<Deleted>)))]
pub async fn delete(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    query: Query,
    WriteCondition(condition): WriteCondition,
) -> ApiResult {
    let trash = runtime.remove_character(caller.account(), &id, condition, permanent(query)?).await?;
    reply::deleted_with(&id, trash.as_ref(), None)
}

/// Read a character's template
#[utoipa::path(get, path = "/characters/{id}/template", tag = "characters", operation_id = "get_template",
    params(IdPath), responses((status = 200, description = "The template.", body = Data<api::Template>)))]
pub async fn template(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    let character = app.runtime.character(caller.account(), &id).await?;
    reply::ok(convert::template(character)?)
}

/// Replace a character's template
///
/// States that come from the old one are outdated, not stale.
#[utoipa::path(put, path = "/characters/{id}/template", tag = "characters", operation_id = "put_template",
    params(IdPath), request_body = api::NewTemplate,
    responses((status = 200, description = "The template after the change.", body = Data<api::Template>)))]
pub async fn put_template(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    Body(body): Body<api::NewTemplate>,
) -> ApiResult {
    let template = Some(shape::object_text(body.template));
    let story = CharacterStory { template, ..CharacterStory::default() };
    let patch = CharacterPatch { story, ..CharacterPatch::default() };
    let character = runtime.update_character(caller.account(), &id, patch).await?;
    reply::ok(convert::template(character)?)
}

fn new_character(new: api::NewCharacter) -> Result<NewCharacter, ApiError> {
    let story = CharacterStory {
        profile: profile(new.profile.map(Some))?,
        template: new.template.map(|template| shape::object_text(Some(template))),
        greetings: new.greetings,
        functions: new.functions.map(read_entries).transpose()?,
    };
    Ok(NewCharacter { id: shape::parsed_if(new.id)?, name: new.name, enabled: new.enabled, story })
}

fn character_patch(patch: api::CharacterPatch) -> Result<CharacterPatch, ApiError> {
    let story = CharacterStory {
        profile: profile(patch.profile)?,
        template: patch.template.map(shape::object_text),
        greetings: patch.greetings,
        functions: patch.functions.map(read_entries).transpose()?,
    };
    Ok(CharacterPatch { name: patch.name, enabled: patch.enabled, story, condition: Condition::None })
}

fn answer(status: StatusCode, character: Character) -> ApiResult {
    let tag = tags::of_character(&character);
    reply::conditional(status, convert::character(character)?, etag(tag))
}
