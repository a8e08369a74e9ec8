//! The stream of events.

use super::prelude::*;
use crate::events::id::{InvalidEventId, parse_event_id};
use crate::events::listeners::{Connection, Registration};
use crate::events::stream;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use tavernkeep_api::event as api;
use tavernkeep_engine::limits::BRANCH_BYTES_MAX;
use tavernkeep_runtime::events::{Kinds, Subscription};
use tavernkeep_runtime::record::{EventKind, EventPosition};

const LAST_EVENT_ID: &str = "last-event-id";
/// Asks proxies not to buffer the response.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Listen to events
///
/// A stream of Server-Sent Events: what happens in the account, in a session or on a branch, in order, none skipped and
/// none twice. Each has an `id` (opaque), an `event` (its name) and `data` (one line of JSON). The first is `ready`: its
/// `id` is the position where the stream begins, and only events after that position follow. A client that sends the `id`
/// of the last event it has seen, in the header `Last-Event-ID` or as `last_event_id`, continues after that event; `0-0`
/// begins with the oldest event that is kept. Without an id the stream begins with the next event: nothing that was
/// stored before the request is sent, and everything that is stored after the headers of the response arrive is. Comments
/// are heartbeats and the reason why a stream ends.
///
/// The stream of a session ends behind `session.deleted`, that of a branch also behind `branch.deleted`. The events of a
/// session are deleted with it: a client that has not read them by then gets `session.deleted` only.
#[utoipa::path(get, path = "/events", tag = "events", operation_id = "listen", params(api::EventFilter,
        ("Last-Event-ID" = Option<String>, Header, description = "The `id` of the last event that was seen.",
            pattern = "^(0|[1-9][0-9]{0,18})-(0|[1-9][0-9]{0,18})$")),
    responses((status = 200, description = "Events, until one side ends it.", body = api::EventData,
        content_type = "text/event-stream")))]
pub async fn listen(
    State(app): State<App>,
    caller: Authenticated,
    headers: HeaderMap,
    extensions: Extensions,
    query: Query,
) -> ApiResult {
    let subscription = read_subscription(&caller, &headers, query)?;
    let registration = Registration::take(
        &app.listeners,
        app.settings.listeners_max,
        &caller,
        extensions.get::<Connection>().cloned(),
    )?;
    let listener = app.hub.listen(subscription).await?;
    let mut response = Response::new(stream::body(listener, registration, app.unheard.clone(), app.settings.heartbeat));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    Ok(response)
}

fn read_subscription(caller: &Authenticated, headers: &HeaderMap, mut query: Query) -> Result<Subscription, ApiError> {
    let session = query.id("session_id");
    let branch = query.text("branch_id", 1, BRANCH_BYTES_MAX);
    if branch.is_some() && session.is_none() {
        query.problems.required("", "session_id");
    }
    let kinds = read_kinds(&mut query);
    let after = read_place(headers, &mut query);
    query.finish()?;
    Ok(Subscription { account: caller.account().clone(), session, branch, kinds, after })
}

fn read_kinds(query: &mut Query) -> Kinds {
    let Some(types) = query.get("types") else { return Kinds::ALL };
    let mut kinds = Kinds::NONE;
    for word in types.split(',') {
        if !EventKind::WORDS.contains(&word) {
            let mut words = EventKind::WORDS.to_vec();
            words.dedup();
            query.problems.choice("/types".into(), &words);
            break;
        }
        // Two kinds may have one name.
        let named = EventKind::ALL.iter().filter(|kind| kind.as_str() == word);
        kinds = named.fold(kinds, |kinds, kind| kinds.with(*kind));
    }
    kinds
}

/// The header wins: a browser that reconnects keeps the address it began with.
fn read_place(headers: &HeaderMap, query: &mut Query) -> Option<EventPosition> {
    let in_query = query.get("last_event_id");
    let mut read = |path: &str, text: Option<&str>| match text.map(parse_event_id) {
        Some(Ok(place)) => Some(place),
        _ => {
            query.problems.add(path.into(), "pattern", InvalidEventId.to_string());
            None
        }
    };
    let in_query = in_query.and_then(|text| read("/last_event_id", Some(&text)));
    let in_header = headers.get(LAST_EVENT_ID).and_then(|value| read("/Last-Event-ID", value.to_str().ok()));
    in_header.or(in_query)
}
