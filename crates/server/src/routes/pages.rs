//! Pages: the candidate texts of a floor.

use super::sessions::{gone, read_ids};
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
use tavernkeep_api::page as api;
use tavernkeep_api::{Data, List};
use tavernkeep_engine::floor::PageKind;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::POSITION_MAX;
use tavernkeep_runtime::Refusal;
use tavernkeep_runtime::order::{NewPage, PagePatch, PageQuery};

const KINDS: [&str; 3] = ["input", "output", "mixed"];

/// Create a page
///
/// In a slot that has pages already it is another swipe.
#[utoipa::path(post, path = "/pages", tag = "pages", operation_id = "create_page", request_body = api::NewPage,
    responses((status = 201, description = "The new page.", body = Data<api::Page>)))]
pub async fn create(Writer(runtime): Writer, who: Who, JsonBody(body): JsonBody) -> Answer {
    let new = read_new(&body)?;
    let page = runtime.create_page(who.account(), new).await?;
    reply::created(convert::page(page, true)?)
}

/// List the pages of a floor
#[utoipa::path(get, path = "/pages", tag = "pages", operation_id = "list_pages",
    params(api::PageFilter, WindowParams),
    responses((status = 200, description = "One part of the list.", body = List<api::Page>)))]
pub async fn list(State(app): State<App>, who: Who, mut query: Query) -> Answer {
    let floor = query.need_id("floor_id");
    let page_no = query.integer("page_no", 0, POSITION_MAX);
    let is_active = query.boolean("is_active");
    let content = query.boolean("content").unwrap_or(true);
    query.word("sort_by", &["page_no"]);
    let window = query.window(true);
    let Some(floor) = floor else { return Err(query.problems.refuse()) };
    query.finish()?;
    let listed = app.runtime.pages(who.account(), PageQuery { floor, page_no, is_active, content, window }).await?;
    reply::list(listed, &window, "page_no", |page| convert::page(page, content))
}

/// Read a page
#[utoipa::path(get, path = "/pages/{id}", tag = "pages", operation_id = "get_page", params(IdPath),
    responses((status = 200, description = "The page.", body = Data<api::Page>)))]
pub async fn get(State(app): State<App>, who: Who, PathId(id): PathId) -> Answer {
    let page = app.runtime.page(who.account(), &id).await?;
    reply::ok(convert::page(page, true)?)
}

/// Change a page
#[utoipa::path(patch, path = "/pages/{id}", tag = "pages", operation_id = "update_page", params(IdPath),
    request_body = api::PagePatch,
    responses((status = 200, description = "The page as it is now.", body = Data<api::Page>)))]
pub async fn update(Writer(runtime): Writer, who: Who, PathId(id): PathId, JsonBody(body): JsonBody) -> Answer {
    let patch = read_patch(&body)?;
    let page = runtime.update_page(who.account(), &id, patch).await?;
    reply::ok(convert::page(page, true)?)
}

/// Delete a page
///
/// Its variables go with it.
#[utoipa::path(delete, path = "/pages/{id}", tag = "pages", operation_id = "delete_page", params(IdPath),
    responses((status = 200, description = "It is gone.", body = Data<Deleted>)))]
pub async fn delete(Writer(runtime): Writer, who: Who, PathId(id): PathId) -> Answer {
    let deleted = runtime.delete_pages(who.account(), vec![id.clone()]).await?;
    gone(&deleted, || Refusal::PageNotFound(id.clone()))?;
    reply::deleted(&id)
}

/// Choose a swipe
///
/// The page becomes the active one of its slot.
#[utoipa::path(post, path = "/pages/{id}/activate", tag = "pages", operation_id = "activate_page", params(IdPath),
    responses((status = 200, description = "The page as it is now.", body = Data<api::Page>)))]
pub async fn activate(Writer(runtime): Writer, who: Who, PathId(id): PathId) -> Answer {
    let page = runtime.activate_page(who.account(), &id).await?;
    reply::ok(convert::page(page, true)?)
}

/// Delete many pages
///
/// One that does not exist is answered with `"deleted": false`.
#[utoipa::path(post, path = "/pages/batch/delete", tag = "pages", operation_id = "delete_pages",
    request_body = DeleteIds,
    responses((status = 200, description = "What was deleted.", body = Data<DeletedMany>)))]
pub async fn delete_many(Writer(runtime): Writer, who: Who, JsonBody(body): JsonBody) -> Answer {
    let ids = read_ids(&body)?;
    let deleted = runtime.delete_pages(who.account(), ids.clone()).await?;
    reply::deleted_many(&ids, &deleted)
}

fn read_new(body: &JsonText) -> Result<NewPage, ApiError> {
    let mut fields = Fields::body(body)?;
    fields.need("floor_id");
    let floor = fields.id("floor_id");
    let id = fields.id("id");
    let page_no = fields.integer("page_no", 0, POSITION_MAX).unwrap_or(0);
    let version = fields.integer("version", 0, POSITION_MAX);
    let kind = fields.choice("page_kind", &KINDS).unwrap_or(PageKind::Mixed);
    let is_active = fields.boolean("is_active").unwrap_or(true);
    let role = fields.label("role").flatten();
    let name = fields.label("name").flatten();
    let content = fields.nullable_text("content", usize::MAX).flatten();
    let extra = fields.object("extra")?.flatten();
    let Some(floor) = floor else { return Err(fields.refuse()) };
    fields.finish()?;
    Ok(NewPage { id, floor, page_no, version, kind, is_active, role, name, content, extra })
}

fn read_patch(body: &JsonText) -> Result<PagePatch, ApiError> {
    let mut fields = Fields::body(body)?;
    let patch = PagePatch {
        kind: fields.choice("page_kind", &KINDS),
        role: fields.label("role"),
        name: fields.label("name"),
        content: fields.nullable_text("content", usize::MAX),
        extra: fields.object("extra")?,
    };
    fields.finish().map(|()| patch)
}
