//! The middleware that every request passes through: id, host and origin, key and role, the handler with its time limit and
//! its panics, headers, metrics and the log line.
//!
//! It is one function instead of a tower of layers: each layer would box a future per request, and the order of these
//! steps is worth reading in one place.

pub(crate) mod idempotency;

use crate::app::App;
use crate::document::registry::{self, RouteInfo};
use crate::error::{ApiError, Cause};
use crate::http::auth::Authenticated;
use crate::http::budget::Growing;
use crate::http::guard::Source;
use crate::http::headers;
use crate::http::observe::{RequestLabels, Route, method_label};
use crate::input::body;
use crate::input::query::Query;
use crate::settings::{RequestLine, RequestLog};
use axum::body::{Body, HttpBody as _};
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{ACCESS_CONTROL_REQUEST_METHOD, ALLOW, COOKIE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use prometheus_client::metrics::histogram::Histogram;
use std::collections::HashMap;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use tavernkeep_api::ErrorCode;
use tavernkeep_engine::role::Role;
use tavernkeep_runtime::{Runtime, WriteWatch, freeing, metering, own_connection};

/// The address of the other end of the connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub IpAddr);

/// Marks a connection beyond the number that may be open. It is there so that the server can be looked at when it is full.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reserved;

/// What such a connection may ask for.
const RESERVED_ROUTES: [&str; 2] = ["/health", "/metrics"];

/// What the gate knows about the routes behind it.
#[derive(Debug)]
pub(crate) struct Gate {
    app: App,
    routes: HashMap<String, Vec<Entry>>,
    unknown: Entry,
}

#[derive(Debug)]
struct Entry {
    method: Method,
    /// The role that the route needs; none if it is public.
    role: Option<Role>,
    route: Route,
    /// The parameters that the query string may have; none if further ones are ignored.
    query: Option<Vec<String>>,
    /// Whether a body with fields is refused, because the route reads none.
    bodiless: bool,
    /// Created by the first request, so that unused routes do not show up in the metrics.
    seconds: OnceLock<Histogram>,
}

impl Entry {
    /// Whether the route changes something.
    fn writes(&self) -> bool {
        registry::writes(&self.method, self.role)
    }
}

impl Gate {
    /// Prepares the table of routes, with the base path in front.
    pub(crate) fn new(app: App, routes: &[RouteInfo]) -> Self {
        let base = app.settings.base();
        let entry = |method: Method, role, path: String, query, bodiless| {
            let route = Route(path.into());
            Entry { method, role, route, query, bodiless, seconds: OnceLock::new() }
        };
        let mut table: HashMap<String, Vec<Entry>> = HashMap::new();
        for info in routes {
            let path = if info.path == "/" && !base.is_empty() { base.clone() } else { format!("{base}{}", info.path) };
            let query = (!info.is_open()).then(|| info.query.clone());
            let bodiless = !info.is_open() && !info.body;
            table.entry(path).or_default().push(entry(
                info.method.clone(),
                info.role,
                info.path.clone(),
                query,
                bodiless,
            ));
        }
        let unknown = entry(Method::from_bytes(b"OTHER").unwrap_or_default(), None, "none".into(), None, false);
        Gate { app, routes: table, unknown }
    }

    /// The route of a request that has been routed. `HEAD` is answered by `GET`.
    fn find(&self, request: &Request) -> &Entry {
        let Some(path) = request.extensions().get::<MatchedPath>() else { return &self.unknown };
        let wanted = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
        self.routes
            .get(path.as_str())
            .and_then(|entries| entries.iter().find(|entry| entry.method == wanted))
            .unwrap_or(&self.unknown)
    }
}

/// Handles one request.
pub(crate) async fn pass(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let app = &gate.app;
    let running = app.observe.enter();
    let id = app.observe.request_id(request.headers());
    let entry = gate.find(&request);
    let method = request.method().clone();
    let log = app.settings.request_log.as_ref();
    let logged = log.map(|log| (log, request.uri().clone(), client(app, &request)));

    let (source, response) = match app.guard.check(&request) {
        Err(error) => (Source::Here, error.into_response()),
        Ok(source) if is_preflight(&source, &request) => (source, headers::preflight()),
        Ok(source) => {
            let request = without_foreign_cookie(&source, request);
            let response = match crowded(entry, &request) {
                true => overloaded("as many connections are open as there may be"),
                false if method.is_safe() => read(app, entry, request, next).await,
                false => write(&gate, request, next, &id).await,
            };
            (source, response)
        }
    };

    let mut response = complete(response, &method, &id);
    let status = response.status().as_u16();
    headers::secure(response.headers_mut());
    headers::share(response.headers_mut(), &source);
    response.headers_mut().insert(headers::X_REQUEST_ID, id.clone());

    let elapsed = started.elapsed();
    let seconds = entry.seconds.get_or_init(|| app.observe.histogram(method_label(&entry.method), &entry.route));
    seconds.observe(elapsed.as_secs_f64());
    app.observe.count(&RequestLabels { method: method_label(&method), route: entry.route.clone(), status });
    if let Some((RequestLog(log), uri, client)) = logged {
        log(&RequestLine {
            request_id: id.to_str().unwrap_or_default(),
            method: method.as_str(),
            path: uri.path(),
            route: &entry.route.0,
            status,
            duration: elapsed,
            client,
        });
    }
    drop(running);
    response
}

/// Drops the cookie of a page of another origin. Browsers send it from other ports of the same host, whatever `SameSite`
/// says; such a page brings a key of its own.
fn without_foreign_cookie(source: &Source, mut request: Request) -> Request {
    if let Source::Allowed(_) = source {
        request.headers_mut().remove(COOKIE);
    }
    request
}

/// Finds out who asks and whether the address is one that the route knows.
async fn admit(app: &App, entry: &Entry, mut request: Request) -> Result<Request, ApiError> {
    if let Some(role) = entry.role {
        let caller = app.auth.admit(&app.runtime, request.headers(), role).await?;
        request.extensions_mut().insert(caller);
    }
    if let (Some(known), Some(query)) = (&entry.query, request.uri().query()) {
        let query = Query::parse(query)?.only(known)?;
        request.extensions_mut().insert(query);
    }
    Ok(request)
}

/// Counts the body of a request that was admitted as it arrives, and refuses fields where a route reads none.
async fn receive(app: &App, entry: &Entry, request: Request) -> Result<(Request, Growing), ApiError> {
    let (request, held) = app.budget.receive(request);
    let request = if entry.bodiless { body::without_body(request).await? } else { request };
    Ok((request, held))
}

/// Handles a request that changes nothing. What it reads counts until its response is made, which counts by itself; a response that
/// is made while it is sent keeps what it was counted by.
async fn metered(app: &App, mut request: Request, next: Next) -> Response {
    let held = app.budget.grow();
    request.extensions_mut().insert(held.clone());
    metering::scope(Arc::new(move |bytes| held.add(bytes)), next.run(request)).await
}

/// Whether a route is for looking at the server. It has connections, bytes and on PostgreSQL a connection of its own.
fn is_reserved(entry: &Entry) -> bool {
    RESERVED_ROUTES.contains(&&*entry.route.0)
}

/// Whether the request came on a connection that is kept free for looking at the server's health, and is for something else.
fn crowded(entry: &Entry, request: &Request) -> bool {
    request.extensions().get::<Reserved>().is_some() && !is_reserved(entry)
}

/// Answers a request that changes nothing.
async fn read(app: &App, entry: &Entry, request: Request, next: Next) -> Response {
    let work = async {
        let request = match admit(app, entry, request).await {
            Ok(request) => request,
            Err(error) => return error.into_response(),
        };
        match receive(app, entry, request).await {
            Ok((request, _held)) => metered(app, request, next).await,
            Err(error) => error.into_response(),
        }
    };
    let work = async { if is_reserved(entry) { own_connection::scope(work).await } else { work.await } };
    match tokio::time::timeout(app.settings.request_timeout, AssertUnwindSafe(work).catch_unwind()).await {
        Ok(result) => counted(app, entry, answer(result)).await,
        Err(_) => timed_out(app),
    }
}

/// Counts a response until it is sent. One that has no room is refused, unless what it is about has happened.
async fn counted(app: &App, entry: &Entry, response: Response) -> Response {
    let budget = if is_reserved(entry) { &app.reserve } else { &app.budget };
    let counted = budget.count(response, !entry.writes()).await;
    counted.unwrap_or_else(|| overloaded("the response has no room"))
}

/// Answers a request that writes. One that runs out of time before its first write begins is given up, and nothing of it
/// happens later; one whose write has begun is waited for a little longer, and then goes on in the background.
async fn write(gate: &Arc<Gate>, request: Request, next: Next, id: &HeaderValue) -> Response {
    let app = &gate.app;
    let entry = gate.find(&request);
    let method = request.method().clone();
    let end = tokio::time::Instant::now() + app.settings.request_timeout;
    let admitted = async {
        let request = admit(app, entry, request).await?;
        receive(app, entry, request).await
    };
    let (request, held) = match tokio::time::timeout_at(end, admitted).await {
        Ok(Ok(received)) => received,
        Ok(Err(error)) => return error.into_response(),
        Err(_) => return timed_out(app),
    };
    let caller = request.extensions().get::<Authenticated>().cloned();
    let writes = entry.writes();
    let idempotent = writes && idempotency::has_key(request.headers());
    let watch = Arc::new(WriteWatch::default());
    let handler = {
        let app = app.clone();
        async move {
            let _held = held;
            match idempotent {
                true => run_idempotent(&app, request, next).await,
                false if writes => next.run(request).await,
                false => metered(&app, request, next).await,
            }
        }
    };
    // A full disk has room left for what deletes.
    let deletes = method == Method::DELETE;
    let handler = async move { if deletes { freeing::scope(handler).await } else { handler.await } };
    // Boxed, since it may have to go on without this request.
    let mut work = Box::pin(Arc::clone(&watch).scope(AssertUnwindSafe(handler).catch_unwind()));
    if let Ok(result) = tokio::time::timeout_at(end, &mut work).await {
        return counted(app, entry, answer(result)).await;
    }
    if watch.cancel() {
        return timed_out(app);
    }
    if let Ok(result) = tokio::time::timeout(app.settings.write_wait, &mut work).await {
        return counted(app, entry, answer(result)).await;
    }
    let request_id = id.clone();
    let rest = async move { complete(answer(work.await), &method, &request_id) };
    let id = match tavernkeep_runtime::random_id() {
        Ok(id) => id,
        Err(error) => return ApiError::from(error).into_response(),
    };
    // Who signs in is nobody yet; what becomes of that is for the one who may do everything.
    let account = caller.as_ref().map_or_else(Runtime::default_account, |caller| caller.account().clone());
    app.pending.follow(&id, &account, entry.role.unwrap_or(Role::Admin), rest);
    ApiError::write_pending(id.as_str()).into_response()
}

type Panic = Box<dyn std::any::Any + Send>;

fn answer(result: Result<Response, Panic>) -> Response {
    result.unwrap_or_else(|panic| {
        let cause = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let cause = cause.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        ApiError::internal(format!("a handler panicked: {cause}")).into_response()
    })
}

fn timed_out(app: &App) -> Response {
    let seconds = app.settings.request_timeout.as_secs_f32();
    let message = format!("the request took longer than {seconds} s and was given up; nothing was changed");
    ApiError::new(ErrorCode::RequestTimeout, message).into_response()
}

fn overloaded(cause: &str) -> Response {
    ApiError::new(ErrorCode::Overloaded, format!("{cause}; nothing was changed, try again in a second")).into_response()
}

async fn run_idempotent(app: &App, request: Request, next: Next) -> Response {
    let caller = request.extensions().get::<Authenticated>().cloned();
    match idempotency::prepare(app, request).await {
        Ok((request, once)) => idempotency::complete(app, caller.as_ref(), &once, next.run(request).await).await,
        Err(error) => error.into_response(),
    }
}

/// Completes a response: the envelope of a 405, the request id in a 500, the log line of a cause.
fn complete(mut response: Response, method: &Method, id: &HeaderValue) -> Response {
    let status = response.status();
    if status == StatusCode::METHOD_NOT_ALLOWED && response.body().size_hint().exact() == Some(0) {
        if method == Method::OPTIONS {
            *response.status_mut() = StatusCode::NO_CONTENT;
            return response;
        }
        let error = ApiError::new(
            ErrorCode::MethodNotAllowed,
            "method not allowed on this route; the Allow header lists the allowed ones",
        );
        let allow = response.headers_mut().remove(ALLOW);
        response = error.into_response();
        response.headers_mut().extend(allow.map(|allow| (ALLOW, allow)));
        return response;
    }
    if let Some(Cause(cause)) = response.extensions_mut().remove::<Cause>() {
        let request_id = id.to_str().unwrap_or_default();
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            tracing::error!(request_id, cause, "internal error");
            *response.body_mut() = Body::from(internal_body(request_id));
        } else {
            tracing::warn!(request_id, cause, status = status.as_u16(), "request failed: the database cannot be used");
        }
    }
    response
}

fn internal_body(request_id: &str) -> String {
    let code = ErrorCode::InternalError.code();
    let message = "internal server error; look for the request id in the server log";
    let details = serde_json::json!({ "request_id": request_id });
    serde_json::json!({ "error": { "code": code, "message": message, "details": details } }).to_string()
}

fn is_preflight(source: &Source, request: &Request) -> bool {
    matches!(source, Source::Allowed(_))
        && request.method() == Method::OPTIONS
        && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The address of the client: the nearest one that is not a trusted proxy.
fn client(app: &App, request: &Request) -> Option<IpAddr> {
    let Peer(peer) = *request.extensions().get::<Peer>()?;
    let trusted = |address: IpAddr| app.settings.trusted_proxies.iter().any(|network| network.contains(address));
    Some(if trusted(peer) { forwarded(request.headers(), trusted).unwrap_or(peer) } else { peer })
}

fn forwarded(headers: &HeaderMap, trusted: impl Fn(IpAddr) -> bool) -> Option<IpAddr> {
    let lines: Vec<&str> = headers.get_all("x-forwarded-for").iter().filter_map(|line| line.to_str().ok()).collect();
    lines
        .iter()
        .rev()
        .flat_map(|line| line.rsplit(','))
        .map_while(|hop| hop.trim().parse().ok())
        .find(|hop| !trusted(*hop))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_is_the_nearest_address_that_is_no_proxy() {
        let headers: HeaderMap = [("x-forwarded-for", "1.1.1.1, 8.8.8.8"), ("x-forwarded-for", "10.0.0.2")]
            .into_iter()
            .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
            .collect();
        let trusted = |address: IpAddr| address.to_string().starts_with("10.");
        assert_eq!(forwarded(&headers, trusted), Some("8.8.8.8".parse().unwrap()));
    }

    #[test]
    fn an_internal_error_names_its_request_and_no_more() {
        let body = internal_body("r-1");
        assert!(body.ends_with(r#","details":{"request_id":"r-1"}}}"#), "{body}");
        serde_json::from_str::<tavernkeep_api::ErrorBody>(&body).unwrap();
    }
}
