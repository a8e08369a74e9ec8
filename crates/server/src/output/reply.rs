//! Builds responses.

use crate::error::ApiError;
use crate::output::convert;
use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, ETAG};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use serde::Serialize;
use std::borrow::Cow;
use tavernkeep_api::envelope::{Deleted, DeletedMany, DeletedMeta, SortOrder};
use tavernkeep_api::{Data, List, ListMeta};
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::record::{Listed, Window};
use tavernkeep_runtime::{Removed, StaleFloors};

/// The result of a handler.
pub(crate) type ApiResult = Result<Response, ApiError>;

/// Marks a response whose body is part of the program: it takes no memory, however many clients are sent it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Embedded;

/// A file of the program. One that is made while it runs, as in debug builds, counts as others do.
pub(crate) fn embedded(data: Cow<'static, [u8]>) -> Response {
    match data {
        Cow::Borrowed(bytes) => with_embedded(Response::new(Body::from(Bytes::from_static(bytes)))),
        Cow::Owned(bytes) => Response::new(Body::from(bytes)),
    }
}

/// Says of a response that its body is in memory in any case.
pub(crate) fn with_embedded(mut response: Response) -> Response {
    response.extensions_mut().insert(Embedded);
    response
}

/// JSON that is serialised already.
pub(crate) fn json(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// JSON with an `ETag`.
pub(crate) fn tagged(status: StatusCode, body: impl Into<Body>, etag: HeaderValue) -> Response {
    let mut response = json(status, body);
    response.headers_mut().insert(ETAG, etag);
    response
}

/// `{"data": …}`.
pub(crate) fn data(status: StatusCode, data: impl Serialize) -> ApiResult {
    serialize(status, &Data { data })
}

/// `{"data": …}` with the `ETag` that a write may depend on.
pub(crate) fn conditional(status: StatusCode, thing: impl Serialize, etag: HeaderValue) -> ApiResult {
    let mut response = data(status, thing)?;
    response.headers_mut().insert(ETAG, etag);
    Ok(response)
}

/// `{"data": …}` with status 200.
pub(crate) fn ok(thing: impl Serialize) -> ApiResult {
    data(StatusCode::OK, thing)
}

/// `{"data": …}` with status 201.
pub(crate) fn created(thing: impl Serialize) -> ApiResult {
    data(StatusCode::CREATED, thing)
}

/// `{"data": […], "meta": {…}}`.
pub(crate) fn list<T, U: Serialize>(
    listed: Listed<T>,
    window: &Window,
    sort_by: &str,
    convert: impl FnMut(T) -> Result<U, ApiError>,
) -> ApiResult {
    let meta = ListMeta {
        total: listed.total,
        limit: window.limit,
        offset: window.offset,
        has_more: listed.has_more,
        sort_by: sort_by.to_owned(),
        sort_order: if window.ascending { SortOrder::Asc } else { SortOrder::Desc },
    };
    let data = listed.items.into_iter().map(convert).collect::<Result<Vec<_>, _>>()?;
    serialize(StatusCode::OK, &List { data, meta })
}

/// The response to a deletion.
pub(crate) fn deleted(id: &Id) -> ApiResult {
    deleted_with(id, None, None)
}

/// The same for what can be restored, and leaves floors stale.
pub(crate) fn deleted_with(id: &Id, trash: Option<&Id>, stale: Option<StaleFloors>) -> ApiResult {
    let stale = stale.map(convert::stale);
    Ok(restorable(ok(Deleted { id: id.to_string(), deleted: true, job_id: None, trash_id: None, stale })?, trash))
}

/// Says in a header what a deletion can be restored by.
pub(crate) fn restorable(response: Response, trash: Option<&Id>) -> Response {
    restorable_by(response, &trash.into_iter().collect::<Vec<_>>())
}

/// The same for several items, with commas between them.
pub(crate) fn restorable_by(mut response: Response, items: &[&Id]) -> Response {
    let value = items.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", ");
    if !value.is_empty()
        && let Ok(value) = HeaderValue::from_str(&value)
    {
        response.headers_mut().insert(TRASH_ID, value);
    }
    response
}

/// The item of the trash that holds what a request deleted.
const TRASH_ID: HeaderName = HeaderName::from_static("trash-id");

/// The response to a deletion of many.
pub(crate) fn deleted_many(ids: &[Id], removed: &Removed, stale: Vec<Option<StaleFloors>>) -> ApiResult {
    // The header names all items, each once.
    let mut items: Vec<&Id> = removed.trash.iter().collect();
    for item in removed.items.iter().flatten() {
        if !items.contains(&item) {
            items.push(item);
        }
    }
    let is_one = items.len() < 2;
    let mut results = Vec::with_capacity(ids.len());
    // A response that an older program stored does not know the lines.
    let stale = stale.into_iter().chain(std::iter::repeat_with(|| None));
    for (at, (id, stale)) in ids.iter().zip(stale).enumerate() {
        let deleted = removed.found.get(at).copied().unwrap_or_default();
        results.push(Deleted {
            id: id.to_string(),
            deleted,
            job_id: None,
            trash_id: removed.items.get(at).and_then(Option::as_ref).filter(|_| !is_one).map(ToString::to_string),
            stale: stale.filter(|_| deleted).map(convert::stale),
        });
    }
    Ok(restorable_by(deletions(results)?, &items))
}

/// The response to a deletion of many, some of them by jobs.
pub(crate) fn deletions(results: Vec<Deleted>) -> ApiResult {
    let meta = DeletedMeta { total: results.len(), deleted: results.iter().filter(|result| result.deleted).count() };
    ok(DeletedMany { results, meta })
}

/// A whole body.
pub(crate) fn serialize(status: StatusCode, body: &impl Serialize) -> ApiResult {
    let bytes = serde_json::to_vec(body).map_err(ApiError::internal)?;
    Ok(json(status, bytes))
}
