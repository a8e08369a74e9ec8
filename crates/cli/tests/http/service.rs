//! What every route shares: envelopes, codes, headers, documents.

use crate::support::{Client, both, global};
use serde_json::{Value, json};

#[test]
fn unknown_routes_and_methods_answer_like_everything_else() {
    both(|client| {
        client.case("B.11 l");
        for (method, path) in
            [("GET", "/nonsense"), ("PATCH", "/nonsense/x"), ("GET", "/sessions/x/y/z"), ("GET", "/Variables")]
        {
            client.ask(method, path).send().refused(404, "route_not_found");
        }
        client.case("methods that a route does not have");
        for (method, path) in [
            ("PATCH", "/keys/x"),
            ("POST", "/variables"),
            ("PUT", "/sessions"),
            ("DELETE", "/floors"),
            ("GET", "/floors/x/commit"),
        ] {
            let answer = client.ask(method, path).json(json!({})).send();
            answer.refused(405, "method_not_allowed");
            answer.must(answer.headers.contains_key("allow"), "what is allowed");
        }
    });
}

#[test]
fn every_undocumented_method_is_refused() {
    both(|client| {
        client.case("405 from the document");
        let document = client.get("/openapi.json");
        for (path, operations) in document.is(200).body["paths"].as_object().expect("paths") {
            let concrete: String = path
                .split('/')
                .map(|part| if part.starts_with('{') { "x" } else { part })
                .collect::<Vec<_>>()
                .join("/");
            for method in ["get", "put", "post", "patch", "delete"] {
                if operations.get(method).is_none() {
                    let answer = client.ask(&method.to_uppercase(), &concrete).json(json!({})).send();
                    // The path may also be one that another route's parameter covers.
                    answer.must(answer.status == 405 || covered(&document.body, method, &concrete), "405");
                }
            }
        }
    });
}

/// Whether some documented route with this method matches the path.
fn covered(document: &Value, method: &str, path: &str) -> bool {
    let matches = |template: &str| {
        let (template, path): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
        template.len() == path.len()
            && template.iter().zip(&path).all(|(left, right)| left.starts_with('{') || left == right)
    };
    document["paths"]
        .as_object()
        .is_some_and(|paths| paths.iter().any(|(template, it)| it.get(method).is_some() && matches(template)))
}

#[test]
fn bodies_are_json() {
    both(|client| {
        client.case("content types");
        let text = r#"{"scope":"global","scope_id":"g","key":"k","value":1}"#;
        for wrong in ["text/plain", "application/x-www-form-urlencoded", "application/xml"] {
            client.ask("PUT", "/variables").text(wrong, text).send().refused(415, "unsupported_media_type");
        }
        assert_eq!(client.count("k"), 0);
        client.ask("PUT", "/variables").text("application/json; charset=utf-8", text).send().is(201);
        client.ask("PUT", "/variables").text("Application/JSON", text).send().is(200);
    });
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    both(|client| {
        let get = |name: &str, value: &str| client.ask("GET", "/account").header(name, value).send();
        client.case("a foreign host");
        get("host", "evil.example").refused(403, "host_not_allowed");
        get("host", "127.0.0.1.evil.example").refused(403, "host_not_allowed");
        get("host", "localhost").is(200);
        client.case("a foreign origin");
        get("origin", "http://evil.example").refused(403, "origin_not_allowed");
        get("origin", "null").refused(403, "origin_not_allowed");
        get("origin", client.base()).is(200);
        let put = client.ask("PUT", "/variables").header("origin", "http://evil.example");
        put.json(crate::support::write(global(), "k", 1)).send().refused(403, "origin_not_allowed");
        assert_eq!(client.count("k"), 0);
    });
}

#[test]
fn an_answer_can_be_found_in_the_log() {
    both(|client| {
        client.case("request ids");
        let one = client.get("/account");
        let other = client.get("/account");
        one.must(one.headers["x-request-id"] != other.headers["x-request-id"], "an id of its own");
    });
}

#[test]
fn documents_are_served_to_everybody() {
    both(|client| {
        let anybody = client.without_key();
        // What they say depends on the server, so it is not compared.
        let read = |path: &str| anybody.ask("GET", path).unrecorded().send();
        client.case("/health");
        read("/health").is(200);
        client.case("/metrics");
        let metrics = client.ask("GET", "/metrics").unrecorded().send();
        metrics.must(metrics.is(200).text.contains("# TYPE"), "metrics as Prometheus reads them");
        for name in ["script_workers_lost_total", "script_workers", "script_turns_waiting"] {
            let has =
                metrics.text.lines().any(|line| line.split(' ').next().is_some_and(|found| found.ends_with(name)));
            metrics.must(has, name);
        }
        client.case("/");
        let home = read("/");
        home.is(200);
        home.must(home.headers["content-type"].starts_with("text/html"), "a page");
        home.must(home.headers.contains_key("content-security-policy"), "a policy");
        home.must(!home.text.contains("https://") && !home.text.contains("src=\"http"), "nothing from elsewhere");
        home.must(home.text.contains("openapi.json") || home.text.contains("/docs"), "a link to the API document");
    });
}

#[test]
fn the_document_is_complete() {
    both(|client| {
        client.case("/openapi.json");
        let document = client.get("/openapi.json");
        document.is(200);
        document
            .must(document.body["openapi"].as_str().is_some_and(|version| version.starts_with("3.1")), "OpenAPI 3.1");
        for route in ROUTES {
            let (method, path) = route.split_once(' ').unwrap();
            document.must(has_route(&document.body, &method.to_lowercase(), path), route);
        }
        each_operation(&document.body, |name, operation| {
            let success = operation["responses"]
                .as_object()
                .is_some_and(|all| all.keys().any(|status| status.starts_with(['2', '3'])));
            document.must(success, &format!("{name} says what success looks like"));
            document.must(operation["operationId"].is_string(), &format!("{name} has a name"));
            let described = operation["summary"].is_string() || operation["description"].is_string();
            document.must(described, &format!("{name} says what it does"));
        });
    });
}

const ROUTES: [&str; 36] = [
    "PUT /variables",
    "GET /variables",
    "DELETE /variables",
    "PUT /variables/batch",
    "POST /variables/batch/delete",
    "POST /variables/increment",
    "GET /variables/resolve",
    "GET /variables/{}",
    "DELETE /variables/{}",
    "POST /sessions",
    "GET /sessions",
    "GET /sessions/{}",
    "PATCH /sessions/{}",
    "DELETE /sessions/{}",
    "POST /sessions/batch/delete",
    "GET /sessions/{}/branches",
    "DELETE /branches/{}",
    "POST /floors",
    "GET /floors",
    "GET /floors/{}",
    "PATCH /floors/{}",
    "DELETE /floors/{}",
    "POST /floors/batch/delete",
    "POST /floors/{}/branch",
    "POST /floors/{}/generate",
    "POST /floors/{}/commit",
    "POST /floors/{}/fail",
    "POST /pages",
    "GET /pages",
    "GET /pages/{}",
    "PATCH /pages/{}",
    "DELETE /pages/{}",
    "POST /pages/batch/delete",
    "POST /pages/{}/activate",
    "GET /keys",
    "GET /account",
];

fn has_route(document: &Value, method: &str, wanted: &str) -> bool {
    let mut found = false;
    each_operation(document, |name, _| {
        let parts = name.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
        found |= parts.collect::<Vec<_>>().join("/") == format!("{method} {wanted}");
    });
    found
}

/// Calls with `get /sessions/{id}` and the operation, for all of them.
pub fn each_operation(document: &Value, mut visit: impl FnMut(&str, &Value)) {
    for (path, operations) in document["paths"].as_object().expect("the document has paths") {
        for (method, operation) in operations.as_object().expect("a path has operations") {
            if ["get", "put", "post", "patch", "delete"].contains(&method.as_str()) {
                visit(&format!("{method} {path}"), operation);
            }
        }
    }
}

/// The document of the server that the client talks to.
pub fn document(client: &Client) -> Value {
    client.ask("GET", "/openapi.json").unrecorded().send().is(200).body.clone()
}
