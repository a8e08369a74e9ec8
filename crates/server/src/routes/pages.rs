//! Pages: the candidate texts of a floor.

use super::floors::on_branch;
use super::prelude::*;
use super::sessions::{gone, ids};
use axum::http::StatusCode;
use tavernkeep_api::floor::{Forked, PageFork};
use tavernkeep_api::list::OnBranch;
use tavernkeep_api::page as api;
use tavernkeep_api::trash::Permanent;
use tavernkeep_engine::floor::PageKind;
use tavernkeep_engine::limits::POSITION_MAX;
use tavernkeep_runtime::order::{NewPage, PagePatch, PageQuery};
use tavernkeep_runtime::record::{Condition, Page};
use tavernkeep_runtime::{ForkPoint, Refusal, Runtime, tags};

/// Create a page
///
/// In a slot that has pages already it is another swipe. If it is active and floors with states come after it, those are processed,
/// for a second at most and then as a job.
#[utoipa::path(post, path = "/pages", tag = "pages", operation_id = "create_page", params(OnBranch),
    request_body = api::NewPage,
    responses((status = 201, description = "The new page.", body = Data<api::Page>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn create(Writer(runtime, caller): Writer, query: Query, Body(body): Body<api::NewPage>) -> ApiResult {
    let (branch, new) = (on_branch(query)?, new_page(body)?);
    let floor = runtime.floor_on(caller.account(), &new.floor, branch.as_deref()).await?;
    let new = NewPage { floor, ..new };
    let page = runtime.create_page(caller.account(), new).await?;
    let tag = tags::of_page(&page);
    let stale = match page.is_active {
        true => runtime.stale_behind(caller.account(), &page.floor).await,
        false => None,
    };
    let page = api::Page { stale: stale.map(convert::stale), ..convert::page(page, true)? };
    reply::conditional(StatusCode::CREATED, page, etag(tag))
}

/// List the pages of a floor
///
/// They are sorted by slot, then version.
#[utoipa::path(get, path = "/pages", tag = "pages", operation_id = "list_pages",
    params(api::PageFilter, api::PageOrder, WindowParams),
    responses((status = 200, description = "The list.", body = List<api::Page>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, mut query: Query) -> ApiResult {
    let floor = query.need_id("floor_id");
    let page_no = query.integer("page_no", 0, POSITION_MAX);
    let is_active = query.boolean("is_active");
    let content = query.boolean("content").unwrap_or(true);
    query.word("sort_by", &["page_no"]);
    let window = query.window(true);
    let Some(floor) = floor else { return Err(query.problems.refuse()) };
    query.finish()?;
    let listed = app.runtime.pages(caller.account(), PageQuery { floor, page_no, is_active, content, window }).await?;
    reply::list(listed, &window, "page_no", |page| convert::page(page, content))
}

/// Read a page
#[utoipa::path(get, path = "/pages/{id}", tag = "pages", operation_id = "get_page", params(IdPath),
    responses((status = 200, description = "The page.", body = Data<api::Page>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn get(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    let page = app.runtime.page(caller.account(), &id).await?;
    let tag = tags::of_page(&page);
    reply::conditional(StatusCode::OK, convert::page(page, true)?, etag(tag))
}

/// Change a page
#[utoipa::path(patch, path = "/pages/{id}", tag = "pages", operation_id = "update_page",
    params(IdPath, OnBranch, ("If-Match" = Option<String>, Header, description = "The `ETag` that it must still have.")),
    request_body = api::PagePatch,
    responses((status = 200, description = "The page after the change.", body = Data<api::Page>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn update(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    query: Query,
    WriteCondition(condition): WriteCondition,
    Body(body): Body<api::PagePatch>,
) -> ApiResult {
    let branch = on_branch(query)?;
    let patch = PagePatch { condition, ..page_patch(body)? };
    let id = runtime.page_on(caller.account(), &id, branch.as_deref()).await?;
    let may_rest = patch.role.is_some() || patch.kind.is_some();
    let page = runtime.update_page(caller.account(), &id, patch).await?;
    let resting_edits = if may_rest { runtime.resting_edits(caller.account(), &page.id).await } else { None };
    changed(&runtime, &caller, page, resting_edits).await
}

/// A page that was changed, and what that leaves stale.
async fn changed(runtime: &Runtime, caller: &Authenticated, page: Page, resting_edits: Option<usize>) -> ApiResult {
    let stale = runtime.stale_behind(caller.account(), &page.floor).await;
    let tag = tags::of_page(&page);
    let page = api::Page { stale: stale.map(convert::stale), resting_edits, ..convert::page(page, true)? };
    reply::conditional(StatusCode::OK, page, etag(tag))
}

/// Delete a page
///
/// Its variables go with it.
#[utoipa::path(delete, path = "/pages/{id}", tag = "pages", operation_id = "delete_page",
    params(IdPath, OnBranch, Permanent, ("If-Match" = Option<String>, Header, description = "The `ETag` that it must still have.")),
    responses((status = 200, description = "It was deleted.", body = Data<Deleted>)))]
pub async fn delete(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    mut query: Query,
    WriteCondition(condition): WriteCondition,
) -> ApiResult {
    let permanent = query.boolean("permanent").unwrap_or(false);
    let id = runtime.page_on(caller.account(), &id, on_branch(query)?.as_deref()).await?;
    let removed = runtime.remove_pages_if(caller.account(), vec![id.clone()], condition, permanent).await?;
    gone(&removed.found, || Refusal::PageNotFound(id.clone()))?;
    let (id, line) = (removed.ids.first().unwrap_or(&id), removed.lines.first().and_then(Option::as_ref));
    reply::deleted_with(id, removed.trash.as_ref(), runtime.stale_floors(caller.account(), line).await)
}

/// Choose a swipe
///
/// The page becomes the active one of its slot. What comes after it is processed, for a second at most and then as a job.
#[utoipa::path(post, path = "/pages/{id}/activate", tag = "pages", operation_id = "activate_page",
    params(IdPath, OnBranch),
    responses((status = 200, description = "The page after the change.", body = Data<api::Page>)))]
pub async fn activate(Writer(runtime, caller): Writer, PathId(id): PathId, query: Query) -> ApiResult {
    let id = runtime.page_on(caller.account(), &id, on_branch(query)?.as_deref()).await?;
    let page = runtime.activate_page(caller.account(), &id).await?;
    changed(&runtime, &caller, page, None).await
}

/// Fork a branch from a page
///
/// As from its floor, with this page there.
#[utoipa::path(post, path = "/pages/{id}/branch", tag = "pages", operation_id = "fork_page", params(IdPath),
    request_body = Option<PageFork>,
    responses((status = 201, description = "The new branch.", body = Data<Forked>)))]
pub async fn fork(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    OptionalBody(body): OptionalBody<PageFork>,
) -> ApiResult {
    let branch = runtime.fork_from(caller.account(), ForkPoint::Page(id), body.branch_id).await?;
    let stale = runtime.stale_on_fork(caller.account(), &branch).await;
    reply::created(convert::forked(branch, stale))
}

/// Delete many pages
///
/// One that does not exist gets `"deleted": false`.
#[utoipa::path(post, path = "/pages/batch/delete", tag = "pages", operation_id = "delete_pages",
    params(Permanent), request_body = DeleteIds,
    responses((status = 200, description = "What was deleted.", body = Data<DeletedMany>)))]
pub async fn delete_many(Writer(runtime, caller): Writer, mut query: Query, Body(body): Body<DeleteIds>) -> ApiResult {
    let permanent = query.boolean("permanent").unwrap_or(false);
    query.finish()?;
    let ids = ids(&body)?;
    let removed = runtime.remove_pages(caller.account(), ids.clone(), permanent).await?;
    reply::deleted_many(&ids, &removed, runtime.stale_on(caller.account(), &removed.lines).await)
}

fn new_page(new: api::NewPage) -> Result<NewPage, ApiError> {
    Ok(NewPage {
        id: shape::parsed_if(new.id)?,
        floor: shape::parsed(new.floor_id)?,
        page_no: new.page_no,
        version: new.version,
        kind: new.page_kind.map_or(Ok(PageKind::Mixed), shape::word)?,
        is_active: new.is_active.unwrap_or(true),
        role: new.role,
        name: new.name,
        content: new.content,
        extra: shape::object_text(new.extra),
    })
}

fn page_patch(patch: api::PagePatch) -> Result<PagePatch, ApiError> {
    Ok(PagePatch {
        kind: patch.page_kind.map(shape::word).transpose()?,
        role: patch.role,
        name: patch.name,
        content: patch.content,
        extra: patch.extra.map(shape::object_text),
        condition: Condition::None,
    })
}
