//! Fields and parameters that nobody knows: refused with a way out, except where the contract of the variables says otherwise.
//! The routes come from `/openapi.json`, so a new one is tested by itself.

use super::tenancy::{Route, routes};
use crate::support::{Answer, both};
use serde_json::{Value, json};

/// Whether a route ignores what it does not know.
fn is_open(route: &Route) -> bool {
    (route.role.is_none() && route.method == "GET") || route.path.split('/').nth(1) == Some("variables")
}

/// Whether the answer refuses the field or the parameter `what_ever`.
fn refuses(answer: &Answer) -> bool {
    answer.status == 400
        && answer.body["error"]["details"].as_array().is_some_and(|details| {
            details.iter().any(|it| it["path"] == "/what_ever" && it["code"] == "additionalProperties")
        })
}

fn path(route: &Route) -> String {
    route.path.replace("{id}", "x")
}

#[test]
fn every_route_knows_its_parameters() {
    both(|client| {
        // Pages have no envelope.
        for route in routes(client).iter().filter(|route| route.role.is_some()) {
            let asked = format!("{}?what_ever=1", path(route));
            let answer = client.ask(&route.method, &asked).unrecorded().send();
            answer.must(refuses(&answer) != is_open(route), "unknown parameters are refused, or ignored");
        }
    });
}

#[test]
fn every_body_knows_its_fields_and_the_document_says_so() {
    both(|client| {
        let document = client.get("/openapi.json").body;
        let mut bodies = 0;
        for route in routes(client) {
            let operation = &document["paths"][&route.path][route.method.to_lowercase()];
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let Some(name) = name_of(schema) else { continue };
            bodies += 1;
            let answer = client.ask(&route.method, &path(&route)).unrecorded().json(json!({"what_ever": 1})).send();
            answer.must(refuses(&answer) != is_open(&route), "unknown fields are refused, or ignored");
            let closed = document["components"]["schemas"][name]["additionalProperties"] == json!(false);
            assert_eq!(closed, !is_open(&route), "{name}");
        }
        assert!(bodies > 20, "only {bodies} bodies");
    });
}

#[test]
fn a_body_that_nobody_reads_says_nothing() {
    both(|client| {
        let document = client.get("/openapi.json").body;
        let mut routes_met = 0;
        let wanted = |route: &Route| route.role.is_some() && route.method != "GET";
        for route in routes(client).into_iter().filter(wanted) {
            let operation = &document["paths"][&route.path][route.method.to_lowercase()];
            if !operation["requestBody"].is_null() {
                continue;
            }
            routes_met += 1;
            let send = |body: &str| {
                client.ask(&route.method, &path(&route)).unrecorded().text("application/json", body).send()
            };
            let answer = send("{\"what_ever\": 1}");
            answer.must(refuses(&answer) != is_open(&route), "fields are refused, or ignored");
            for nothing in ["{}", "null", ""] {
                let answer = send(nothing);
                let codes = (&answer.body["error"]["code"], &answer.body["error"]["details"][0]["code"]);
                answer.must(codes.0 != "malformed_json" && codes.1 != "additionalProperties", "nothing is said");
            }
        }
        assert!(routes_met > 5, "only {routes_met} routes");
    });
}

/// The component that a schema names, perhaps beside null.
fn name_of(schema: &Value) -> Option<&str> {
    let beside_null = || schema["oneOf"].as_array()?.iter().find_map(|part| part["$ref"].as_str());
    schema["$ref"].as_str().or_else(beside_null)?.rsplit('/').next()
}

#[test]
fn a_misspelt_name_gets_a_suggestion() {
    both(|client| {
        client.make_session("s");
        let turn = json!({"role": "assistant", "content": "Hi."});
        let floor = client.post("/sessions/s/turns", turn).is(201).data()["floor_id"].clone();
        client.case("a field that would have made a floor more");
        let turn = json!({"role": "assistant", "content": "Ho.", "swipe_off": floor});
        let refused = client.post("/sessions/s/turns", turn);
        refused.invalid_by("/swipe_off", "additionalProperties");
        refused.invalid("unknown field `swipe_off`; did you mean `swipe_of`?");
        client.get("/floors?session_id=s").is(200).has_meta("total", 1);
        client.case("a parameter that would have shown another branch");
        let refused = client.get("/sessions/s/state?brnch_id=other");
        refused.invalid_at("/brnch_id").invalid("unknown parameter `brnch_id`; did you mean `branch_id`?");
        client.case("nothing near");
        client.get("/sessions/s?x=1").invalid("unknown parameter `x`; this request has no parameters");
        client.post("/floors/x/fail", json!({"x": 1})).invalid("unknown field `x`; this request has no fields");
        client.get("/keys?colour=1").invalid("this request knows `limit`");
        client.case("with everything else that is wrong");
        let refused = client.post("/sessions/s/turns", json!({"role": "user", "contnt": "Hi.", "floor_no": -1}));
        refused.invalid_at("/contnt").invalid_at("/floor_no").invalid("required property 'content'");
        client.case("inside a list");
        let floors = json!([{"role": "user", "swipes": [{"content": "Hi.", "txt": 1}], "actve": 0}]);
        let refused = client.post("/sessions/s/sync", json!({"floors": floors}));
        refused.invalid_at("/floors/0/swipes/0/txt").invalid_at("/floors/0/actve");
        client.case("values are free");
        client.patch("/sessions/s", json!({"metadata": {"what_ever": 1}, "template": {"what_ever": 2}})).is(200);
        client.case("what a message repeats is bounded");
        let many: serde_json::Map<String, Value> = (0..1000).map(|at| (format!("x{at}"), json!(0))).collect();
        let refused = client.post("/sessions", Value::Object(many));
        assert_eq!(refused.invalid_at("/x0").body["error"]["details"].as_array().map(Vec::len), Some(8));
        client.case("who loads a page may add what he likes");
        client.ask("GET", "/health?x=1").unrecorded().send().is(200);
    });
}
