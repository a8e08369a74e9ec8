//! How requests about variables are read: targets, batches, filters. On a real store and without a socket.
#![allow(clippy::unwrap_used, clippy::panic)] // The helpers of a test fail by panicking, as the tests do.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tavernkeep_runtime::{Database, Options, Runtime};
use tavernkeep_server::{App, Settings, router};
use tower::ServiceExt as _;

struct Server {
    router: Router,
    _folder: tempfile::TempDir,
}

impl Server {
    async fn start() -> Server {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
        let app = App::new(Settings::default(), runtime).await.unwrap();
        Server { router: router(&app), _folder: folder }
    }

    async fn ask(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let request = Request::builder().method(method).uri(path).header("host", "localhost:7117");
        let request = request.body(Body::from(body.to_owned())).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&body).unwrap())
    }

    /// The code of a refusal and its first problem: place, keyword and message.
    async fn refused(&self, method: &str, path: &str, body: &str) -> (String, String, String, String) {
        let (status, answer) = self.ask(method, path, body).await;
        assert!(status >= 400, "{method} {path} {body}: {answer}");
        let error = &answer["error"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let detail = &error["details"][0];
        (text(&error["code"]), text(&detail["path"]), text(&detail["code"]), text(&detail["message"]))
    }

    /// The place and the keyword of a body that has not the documented shape.
    async fn invalid(&self, method: &str, path: &str, body: &str) -> (String, String) {
        let (code, place, keyword, _) = self.refused(method, path, body).await;
        assert_eq!(code, "validation_error", "{method} {path} {body}");
        (place, keyword)
    }

    /// Puts a variable on this target, and answers the status and the message of a refusal.
    async fn put(&self, mut target: Value) -> (u16, String) {
        target["key"] = "k".into();
        target["value"] = 1.into();
        let (status, answer) = self.ask("PUT", "/variables", &target.to_string()).await;
        let error = &answer["error"];
        let message = error["details"][0]["message"].as_str().or(error["message"].as_str());
        (status, message.unwrap_or_default().to_owned())
    }

    /// The keys that a list has, sorted.
    async fn keys(&self, query: &str) -> Vec<String> {
        let (status, answer) = self.ask("GET", &format!("/variables?sort_by=key&sort_order=asc&{query}"), "").await;
        assert_eq!(status, 200, "{query}: {answer}");
        answer["data"].as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap().to_owned()).collect()
    }
}

fn is(path: &str, code: &str) -> (String, String) {
    (path.to_owned(), code.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_has_two_spellings_that_must_agree() {
    let server = Server::start().await;
    let branch = (404, "Branch 'a b' not found in session 'S'".to_owned());
    let on = |scope_id: Option<&str>, session_id: Option<&str>, branch_id: Option<&str>| {
        let mut target = json!({"scope": "branch"});
        for (name, value) in [("scope_id", scope_id), ("session_id", session_id), ("branch_id", branch_id)] {
            if let Some(value) = value {
                target[name] = value.into();
            }
        }
        target
    };
    assert_eq!(server.put(on(Some("branch:S:a%20b"), None, None)).await, branch);
    assert_eq!(server.put(on(None, Some("S"), Some("a b"))).await, branch);
    assert_eq!(server.put(on(Some("branch:S:a%20b"), Some("S"), Some("a b"))).await, branch);
    assert_eq!(
        server.put(on(Some("branch:S:x"), Some("S"), Some("a b"))).await.1,
        "scope_id does not match the provided session_id + branch_id"
    );
    assert_eq!(server.put(on(Some("garbage"), None, None)).await.1, "Invalid branch scope_id 'garbage'");
    for (target, place) in [
        (on(None, None, Some("b")), "session_id"),
        (on(None, Some("S"), None), "branch_id"),
        (on(None, None, None), "scope_id"),
    ] {
        let mut body = target;
        (body["key"], body["value"]) = ("k".into(), 1.into());
        assert_eq!(server.invalid("PUT", "/variables", &body.to_string()).await, is(place, "custom"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_scopes_need_a_scope_id_and_nothing_else() {
    let server = Server::start().await;
    assert_eq!(server.put(json!({"scope": "global", "scope_id": "whatever"})).await.0, 201);
    for id in ["S", "a b"] {
        let missing = (404, format!("Session '{id}' not found"));
        assert_eq!(server.put(json!({"scope": "chat", "scope_id": id})).await, missing);
    }
    for scope in ["global", "chat", "floor", "page"] {
        let message = format!("scope_id is required when scope is '{scope}'");
        assert_eq!(server.put(json!({"scope": scope})).await.1, message);
        assert_eq!(
            server.put(json!({"scope": scope, "scope_id": "S", "session_id": "S"})).await.1,
            "session_id and branch_id are only supported when scope is 'branch'"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_is_read_with_its_problems() {
    let server = Server::start().await;
    let good = r#"{"scope":"global","scope_id":"x","key":"k","value":null,"extra":1}"#;
    let (status, answer) = server.ask("PUT", "/variables", good).await;
    assert_eq!((status, &answer["data"]["scope"], &answer["data"]["value"]), (201, &json!("global"), &Value::Null));
    for (body, problem) in [
        (r#"{"scope":"global","scope_id":"x","key":"k"}"#, is("", "required")),
        (r#"{"scope":"nope","scope_id":"x","key":"k","value":1}"#, is("/scope", "enum")),
        (r#"{"scope":"global","scope_id":"x","key":"","value":1}"#, is("/key", "minLength")),
        ("[]", is("", "type")),
        (r#"{"scope":"chat","key":"k","value":1}"#, is("scope_id", "custom")),
    ] {
        assert_eq!(server.invalid("PUT", "/variables", body).await, problem, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_item_of_a_batch_is_judged_by_its_place() {
    let server = Server::start().await;
    let good = r#"{"scope":"global","scope_id":"g","key":"a","value":1}"#;
    let nameless = r#"{"scope":"global","scope_id":"g","key":"","value":1}"#;
    let homeless = r#"{"scope":"chat","key":"a","value":1}"#;
    let many = vec![good; 101].join(",");
    for (items, problem) in [
        (String::new(), is("/items", "minItems")),
        ("1".into(), is("/items/0", "type")),
        (format!("{good},{nameless}"), is("/items/1/key", "minLength")),
        (format!("{good},{homeless}"), is("items.1", "custom")),
        (many, is("/items", "maxItems")),
    ] {
        let body = format!(r#"{{"items":[{items}]}}"#);
        assert_eq!(server.invalid("PUT", "/variables/batch", &body).await, problem);
    }
    assert_eq!(server.invalid("PUT", "/variables/batch", "{}").await, is("", "required"));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_target_in_two_spellings_is_a_duplicate() {
    let server = Server::start().await;
    let text = r#"{"items":[
        {"scope":"branch","scope_id":"branch:S:b","key":"k","value":1},
        {"scope":"branch","session_id":"S","branch_id":"b","key":"k","value":2}]}"#;
    let (code, path, ..) = server.refused("PUT", "/variables/batch", text).await;
    assert_eq!((code.as_str(), path.as_str()), ("duplicate_variable_target", "items.1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_is_by_ids_or_by_items() {
    let server = Server::start().await;
    let delete = async |body: &str| server.ask("POST", "/variables/batch/delete", body).await;
    let (status, answer) = delete(r#"{"ids":["a"]}"#).await;
    assert_eq!((status, &answer["data"]["results"][0]["id"]), (200, &json!("a")));
    let (status, answer) = delete(r#"{"items":[{"scope":"global","scope_id":"g","key":"k"}]}"#).await;
    assert_eq!((status, &answer["data"]["meta"]["total"]), (200, &json!(1)));
    assert_eq!(delete("{}").await.0, 400);
    assert_eq!(delete(r#"{"ids":["a"],"items":[]}"#).await.0, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_that_do_not_fit_together_are_refused() {
    let server = Server::start().await;
    let refused = async |query: &str| {
        let (code, path, ..) = server.refused("GET", &format!("/variables?{query}"), "").await;
        (code, path)
    };
    let invalid = |path: &str| is("validation_error", path);
    assert_eq!(refused("scope=branch&branch_id=b").await, invalid("session_id"));
    assert_eq!(refused("session_id=S").await, invalid("scope"));
    assert_eq!(refused("scope=chat&session_id=S").await, invalid("scope"));
    assert_eq!(refused("scope=branch&scope_id=garbage").await.0, "invalid_variable_context");
    assert_eq!(refused("scope=branch&scope_id=branch:S:b&session_id=T").await, invalid("scope_id"));
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_are_decoded_and_bounded() {
    let server = Server::start().await;
    let item = |key: &str| json!({"scope": "global", "scope_id": "g", "key": key, "value": 1});
    let items: Vec<Value> = ["a+b c资", "1=2"].map(item).into();
    assert_eq!(server.ask("PUT", "/variables/batch", &json!({"items": items}).to_string()).await.0, 200);
    assert_eq!(server.keys("key=a%2Bb+c%E8%B5%84").await, ["a+b c资"]);
    assert_eq!(server.keys("key=1=2&&x").await, ["1=2"]);
    assert_eq!(server.keys("prefix").await.len(), 2, "a name alone has an empty value");
    assert_eq!(server.keys("what=ever&what=else&limit=100").await.len(), 2);
    for bad in ["key=%ff", "key=%zz", "key=%4", "%ff=1"] {
        assert_eq!(server.ask("GET", &format!("/variables?{bad}"), "").await.0, 400, "{bad}");
    }
    for bad in ["limit=0", "limit=101", "limit=99999999999999999999", "limit=abc", "limit=", "limit=%2B5"] {
        assert_eq!(server.invalid("GET", &format!("/variables?{bad}"), "").await.0, "/limit", "{bad}");
    }
    for (path, problem) in [
        ("/variables?offset=-1", is("/offset", "minimum")),
        ("/variables?sort_order=up", is("/sort_order", "enum")),
        ("/variables?limit=1&limit=2", is("/limit", "maxItems")),
        ("/variables?total=1", is("/total", "type")),
        ("/floors", is("", "required")),
        ("/floors?session_id=a%20b", is("/session_id", "pattern")),
    ] {
        assert_eq!(server.invalid("GET", path, "").await, problem, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_parameters_are_refused_where_a_route_says_so() {
    let server = Server::start().await;
    let message = async |path: &str| server.refused("GET", path, "").await.3;
    assert_eq!(
        message("/floors?session_id=s&brnch_id=a").await,
        "unknown parameter `brnch_id`; did you mean `branch_id`?"
    );
    assert_eq!(message("/account?x=1").await, "unknown parameter `x`; this request has no parameters");
    // Known ones may be wrong, and that is said by their reader.
    let twice = server.refused("GET", "/floors?session_id=s&branch_id=a&branch_id=b", "").await;
    assert_eq!((twice.1.as_str(), twice.2.as_str()), ("/branch_id", "maxItems"));
}

#[tokio::test(flavor = "multi_thread")]
async fn key_filters_narrow_each_other_down() {
    let server = Server::start().await;
    let item = |key: &str| json!({"scope": "global", "scope_id": "g", "key": key, "value": 1});
    let all = ["a", "a,c", "b", "gold", "mood"];
    let items: Vec<Value> = all.map(item).into();
    assert_eq!(server.ask("PUT", "/variables/batch", &json!({"items": items}).to_string()).await.0, 200);
    assert_eq!(server.keys("").await, all);
    assert_eq!(server.keys("prefix=").await, all);
    assert_eq!(server.keys("prefix=go").await, ["gold"]);
    assert_eq!(server.keys("keys=b&keys=a%2Cc&keys=b").await, ["a,c", "b"]);
    assert_eq!(server.keys("key=a&keys=a&keys=b").await, ["a"]);
    assert_eq!(server.keys("keys=gold&keys=mood&prefix=go").await, ["gold"]);
    assert_eq!(server.keys("key=x&prefix=go").await, [""; 0]);
    assert_eq!(server.keys("keys=&keys=a").await, ["a"]);
}
