//! What every request meets before and behind its handler, on a real store and without a socket.
#![allow(clippy::unwrap_used)] // The helpers of a test fail by panicking, as the tests do.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode, Version};
use http_body_util::BodyExt as _;
use tavernkeep_engine::role::Role;
use tavernkeep_runtime::order::NewKey;
use tavernkeep_runtime::{Database, Options, Runtime};
use tavernkeep_server::{App, AuthMode, Settings, router, routes};
use tower::ServiceExt as _;

struct Server {
    router: Router,
    runtime: Runtime,
    _folder: tempfile::TempDir,
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    body: String,
}

impl Server {
    async fn start(settings: Settings) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
        let app = App::new(settings, runtime.clone()).await.unwrap();
        Server { router: router(&app), runtime, _folder: folder }
    }

    async fn ask(&self, method: &Method, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !headers.iter().any(|(name, _)| *name == "host") {
            request = request.header("host", "localhost:7117");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.router.clone().oneshot(request.body(Body::from(body.to_owned())).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        // A stream has no end to wait for.
        let endless = parts.headers.get("content-type").is_some_and(|kind| kind == "text/event-stream");
        let body = if endless { Default::default() } else { body.collect().await.unwrap().to_bytes() };
        let body = String::from_utf8(body.to_vec()).unwrap();
        Answer { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    async fn key(&self, role: Role) -> (String, String) {
        let new = NewKey { name: "test".into(), role, expires_at: None };
        let (key, secret) = self.runtime.create_key(&Runtime::default_account(), new).await.unwrap();
        (key.id.to_string(), format!("Bearer {secret}"))
    }
}

impl Answer {
    fn code(&self) -> String {
        let body: serde_json::Value = serde_json::from_str(&self.body).unwrap_or_default();
        body["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// A path that fits the template.
fn concrete(template: &str) -> String {
    template.replace("{id}", "nothing").replace("{branch_id}", "nothing")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_asks_for_its_key_and_its_role() {
    let server = Server::start(Settings { auth: AuthMode::Keys, ..Settings::default() }).await;
    let (_, read) = server.key(Role::Read).await;
    let (_, write) = server.key(Role::Write).await;
    let (revoked_id, revoked) = server.key(Role::Admin).await;
    server.runtime.revoke_key(&Runtime::default_account(), &revoked_id.parse().unwrap()).await.unwrap();

    for route in routes() {
        let path = concrete(&route.path);
        let with = |value: &str| vec![("authorization", value.to_owned())];
        for (headers, expected) in [
            (vec![], "auth_required"),
            (with("Bearer tk_wrong"), "auth_invalid_credentials"),
            (with("Basic dTpw"), "auth_invalid_credentials"),
            (with(&revoked), "auth_invalid_credentials"),
            (with(&read), if route.role > Some(Role::Read) { "auth_role_insufficient" } else { "" }),
            (with(&write), if route.role > Some(Role::Write) { "auth_role_insufficient" } else { "" }),
        ] {
            let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let answer = server.ask(&route.method, &path, &headers, "").await;
            let expected = if route.role.is_some() { expected } else { "" };
            if expected.is_empty() {
                assert!(!answer.code().starts_with("auth_"), "{route:?} {headers:?}: {}", answer.body);
            } else {
                assert_eq!(answer.code(), expected, "{route:?} {headers:?}");
                let status = if expected == "auth_required" { 401 } else { 403 };
                assert_eq!(answer.status, status);
                assert_eq!(answer.headers.contains_key("www-authenticate"), status == 401);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_server_closes_with_the_first_key() {
    let server = Server::start(Settings::default()).await;
    let json = [("content-type", "application/json")];
    assert_eq!(server.ask(&Method::GET, "/account", &[], "").await.status, 200);
    let weak = server.ask(&Method::POST, "/keys", &json, r#"{"name":"a","role":"read"}"#).await;
    assert_eq!(weak.code(), "invalid_state");
    let made = server.ask(&Method::POST, "/keys", &json, r#"{"name":"a","role":"admin"}"#).await;
    assert_eq!(made.status, 201);
    let secret: serde_json::Value = serde_json::from_str(&made.body).unwrap();
    assert_eq!(server.ask(&Method::GET, "/account", &[], "").await.code(), "auth_required");
    let key = secret["data"]["secret"].as_str().unwrap();
    assert_eq!(server.ask(&Method::GET, "/account", &[("x-api-key", key)], "").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_has_its_headers_and_every_error_its_envelope() {
    let server = Server::start(Settings::default()).await;
    for (method, path, status, code) in [
        (Method::GET, "/health", 200, ""),
        (Method::GET, "/", 200, ""),
        (Method::GET, "/docs/", 200, ""),
        (Method::GET, "/docs", 308, ""),
        (Method::GET, "/nothing/here", 404, "route_not_found"),
        (Method::GET, "/docs/nothing.js", 404, "route_not_found"),
        (Method::GET, "/docs/%ff", 400, "validation_error"),
        (Method::PATCH, "/variables", 405, "method_not_allowed"),
        (Method::TRACE, "/health", 405, "method_not_allowed"),
        (Method::OPTIONS, "/variables", 204, ""),
        (Method::HEAD, "/sessions", 200, ""),
        (Method::GET, "/sessions/a%20b", 400, "validation_error"),
        (Method::GET, "/sessions/%ff", 400, "validation_error"),
        (Method::GET, "/sessions?limit=%ff", 400, "validation_error"),
        (Method::PUT, "/variables", 400, "malformed_json"),
    ] {
        let answer = server.ask(&method, path, &[("x-request-id", "mine-1")], "").await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{method} {path}");
        assert_eq!(answer.header("x-request-id"), "mine-1");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("x-frame-options"), "DENY");
        assert!(answer.header("content-security-policy").starts_with("default-src 'none'"), "{path}");
        assert_eq!(answer.headers.contains_key("allow"), status == 405 || status == 204, "{method} {path}");
    }
    let answer = server.ask(&Method::GET, "/health", &[("x-request-id", "not an id")], "").await;
    assert!(!answer.header("x-request-id").is_empty() && !answer.header("x-request-id").contains(' '));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_allowed_pages_may_read_answers() {
    let origins = vec!["https://chat.example".to_owned()];
    let server = Server::start(Settings { allowed_origins: origins, ..Settings::default() }).await;
    let evil = server.ask(&Method::GET, "/health", &[("origin", "https://evil.example")], "").await;
    assert_eq!(evil.code(), "origin_not_allowed");
    assert_eq!(evil.header("access-control-allow-origin"), "");
    let good = server.ask(&Method::GET, "/health", &[("origin", "https://chat.example")], "").await;
    assert_eq!((good.status, good.header("access-control-allow-origin")), (200, "https://chat.example"));
    let preflight = [("origin", "https://chat.example"), ("access-control-request-method", "PUT")];
    let answer = server.ask(&Method::OPTIONS, "/variables", &preflight, "").await;
    assert_eq!(answer.status, 204);
    assert!(answer.header("access-control-allow-methods").contains("PUT"));
    assert!(answer.header("access-control-allow-headers").contains("if-match"));
}

/// A page on another port of the same host sends the cookie along, whatever `SameSite` says.
#[tokio::test(flavor = "multi_thread")]
async fn a_cookie_counts_only_for_pages_of_this_server() {
    let server = Server::start(Settings { allowed_origins: vec!["*".to_owned()], ..Settings::default() }).await;
    let (_, key) = server.key(Role::Admin).await;
    let (_, token) = server.runtime.sign_in(key.trim_start_matches("Bearer "), "test", 1).await.unwrap().unwrap();
    let cookie = format!("other=1; tavernkeep_7117={token}");
    let ask =
        async |origin: &str| server.ask(&Method::GET, "/account", &[("cookie", &cookie), ("origin", origin)], "").await;
    assert_eq!(ask("http://localhost:7117").await.status, 200);
    assert_eq!(ask("https://localhost:7117").await.status, 200);
    assert_eq!(ask("http://localhost:8000").await.code(), "auth_required");
    assert_eq!(ask("null").await.code(), "auth_required");
    assert_eq!(server.ask(&Method::GET, "/account", &[("cookie", &cookie)], "").await.status, 200);
    let headers = [("origin", "https://localhost:7117"), ("content-type", "application/json")];
    let body = format!(r#"{{"key":"{}"}}"#, key.trim_start_matches("Bearer "));
    let signed_in = server.ask(&Method::POST, "/sign-in", &headers, &body).await;
    assert!(signed_in.header("set-cookie").ends_with("; Secure"), "a page over TLS gets a cookie that stays there");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_path_stands_in_front_of_everything() {
    let server =
        Server::start(Settings { base_path: "/tavern/".into(), auth: AuthMode::Keys, ..Settings::default() }).await;
    assert_eq!(server.ask(&Method::GET, "/tavern/health", &[], "").await.status, 200);
    assert_eq!(server.ask(&Method::GET, "/tavern", &[], "").await.status, 200);
    assert_eq!(server.ask(&Method::GET, "/health", &[], "").await.code(), "route_not_found");
    assert_eq!(server.ask(&Method::GET, "/tavern/nothing", &[], "").await.code(), "route_not_found");
    assert_eq!(server.ask(&Method::GET, "/tavern/sessions", &[], "").await.code(), "auth_required");
    let large = " ".repeat(1024 * 1024 + 1);
    let (_, key) = server.key(Role::Admin).await;
    let answer = server.ask(&Method::PUT, "/tavern/variables", &[("authorization", key.as_str())], &large).await;
    assert_eq!((answer.status, answer.code().as_str()), (413, "payload_too_large"));
    let document = server.ask(&Method::GET, "/tavern/openapi.json", &[], "").await;
    assert!(document.body.contains(r#""servers":[{"url":"/tavern"}]"#));
    let moved = server.ask(&Method::GET, "/tavern/docs", &[], "").await;
    assert_eq!(
        (StatusCode::from_u16(moved.status).unwrap(), moved.header("location")),
        (StatusCode::PERMANENT_REDIRECT, "/tavern/docs/")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn resolve_is_answered_with_304_until_something_changes() {
    let server = Server::start(Settings::default()).await;
    let json = [("content-type", "application/json")];
    let put = |value: u32| format!(r#"{{"scope":"chat","scope_id":"S","key":"mood","value":{value}}}"#);
    assert_eq!(server.ask(&Method::POST, "/sessions", &json, r#"{"id":"S"}"#).await.status, 201);
    assert_eq!(server.ask(&Method::PUT, "/variables", &json, &put(1)).await.status, 201);
    let path = "/variables/resolve?session_id=S";
    let first = server.ask(&Method::GET, path, &[], "").await;
    let etag = first.header("etag").to_owned();
    let again = server.ask(&Method::GET, path, &[("if-none-match", etag.as_str())], "").await;
    assert_eq!((again.status, again.body.as_str(), again.header("etag")), (304, "", etag.as_str()));
    assert_eq!(server.ask(&Method::GET, path, &[], "").await.body, first.body);
    assert_eq!(server.ask(&Method::PUT, "/variables", &json, &put(2)).await.status, 200);
    let changed = server.ask(&Method::GET, path, &[("if-none-match", etag.as_str())], "").await;
    assert_eq!(changed.status, 200);
    assert!(changed.body.contains(r#""value":2"#), "{}", changed.body);
}

/// A server that listens at an address, with hosts and an origin that it allows.
async fn guarded(listen: &str) -> Server {
    Server::start(Settings {
        listen: listen.parse().unwrap(),
        allowed_hosts: vec!["Tavern.example".into(), "other.example:8080".into()],
        allowed_origins: vec!["https://chat.example/".into()],
        ..Settings::default()
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_are_ours_or_allowed() {
    let is_allowed = async |server: &Server, host: &str| {
        let code = server.ask(&Method::GET, "/health", &[("host", host)], "").await.code();
        assert!(code.is_empty() || code == "host_not_allowed", "{host}: {code}");
        code.is_empty()
    };
    let local = guarded("127.0.0.1:7117").await;
    for host in [
        "localhost",
        "LOCALHOST:7117",
        "127.0.0.1:7117",
        "127.8.8.8",
        "[::1]:7117",
        "tavern.example:99",
        "other.example:8080",
    ] {
        assert!(is_allowed(&local, host).await, "{host}");
    }
    for host in ["evil.example", "localhost.evil.example", "10.0.0.1", "other.example:1", "", "a b", "127.0.0.1.evil"] {
        assert!(!is_allowed(&local, host).await, "{host}");
    }
    for (version, status) in [(Version::HTTP_10, StatusCode::OK), (Version::HTTP_11, StatusCode::BAD_REQUEST)] {
        let without = Request::builder().uri("/health").version(version).body(Body::empty()).unwrap();
        assert_eq!(local.router.clone().oneshot(without).await.unwrap().status(), status, "{version:?}");
    }
    let wide = guarded("0.0.0.0:7117").await;
    assert!(is_allowed(&wide, "10.0.0.1:7117").await && !is_allowed(&wide, "evil.example").await);
    let one = guarded("10.0.0.1:7117").await;
    assert!(is_allowed(&one, "10.0.0.1:7117").await && !is_allowed(&one, "10.0.0.2:7117").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn origins_are_ours_or_allowed() {
    let server = guarded("127.0.0.1:7117").await;
    let ask = async |host: &str, origin: &str| {
        let answer = server.ask(&Method::GET, "/health", &[("host", host), ("origin", origin)], "").await;
        (answer.code(), answer.header("access-control-allow-origin").to_owned())
    };
    let (ours, refused) = ((String::new(), String::new()), ("origin_not_allowed".to_owned(), String::new()));
    assert_eq!(ask("localhost:7117", "http://localhost:7117").await, ours);
    assert_eq!(ask("tavern.example", "https://tavern.example").await, ours);
    assert_eq!(ask("tavern.example:443", "https://tavern.example").await, ours);
    let allowed = (String::new(), "https://chat.example".to_owned());
    assert_eq!(ask("localhost:7117", "https://chat.example").await, allowed);
    for origin in ["http://localhost:1", "https://evil.example", "null", "http://localhost:7117.evil.example", ""] {
        assert_eq!(ask("localhost:7117", origin).await, refused, "{origin}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_comes_in_two_headers_and_opens_no_disabled_account() {
    let server = Server::start(Settings { auth: AuthMode::Keys, ..Settings::default() }).await;
    let (_, bearer) = server.key(Role::Admin).await;
    let secret = bearer.strip_prefix("Bearer ").unwrap();
    let code = async |name: &str, value: &str| server.ask(&Method::GET, "/account", &[(name, value)], "").await.code();
    assert_eq!(code("authorization", &bearer).await, "");
    assert_eq!(code("authorization", &format!("bearer  {secret}")).await, "");
    assert_eq!(code("x-api-key", secret).await, "");
    assert_eq!(code("authorization", "Basic abc").await, "auth_invalid_credentials");
    server.runtime.set_account_disabled(&Runtime::default_account(), true).await.unwrap();
    assert_eq!(code("authorization", &bearer).await, "auth_account_disabled");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_loopback_server_can_be_open() {
    for (listen, auth, is_open) in [
        ("127.0.0.1:1", AuthMode::Auto, true),
        ("[::1]:1", AuthMode::Auto, true),
        ("0.0.0.0:1", AuthMode::Auto, false),
        ("10.0.0.1:1", AuthMode::Auto, false),
        ("127.0.0.1:1", AuthMode::Keys, false),
    ] {
        let server = Server::start(Settings { listen: listen.parse().unwrap(), auth, ..Settings::default() }).await;
        let host = [("host", listen)];
        let answer = server.ask(&Method::GET, "/account", &host, "").await;
        assert_eq!(answer.status, if is_open { 200 } else { 401 }, "{listen}: {}", answer.body);
    }
}
