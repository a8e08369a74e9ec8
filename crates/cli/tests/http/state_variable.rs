//! The story state among variables: the computed variable of resolve.

use super::story::text;
use crate::support::both;
use serde_json::json;

#[test]
fn the_state_is_a_variable_that_nobody_can_write() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let found = |query: &str| {
            let data = client.get(&format!("/variables/resolve?session_id=s{query}")).is(200).data();
            let rows = data["resolved"].as_array().expect("a list").clone();
            rows.into_iter().find(|row| row["key"] == "vs_stat_data" || row["key"] == "hero")
        };
        client.case("before the story begins there is none");
        assert_eq!(found(""), None);
        let first = client.turn("s", "@.ADD(\"n\", 1);");
        let second = client.turn("s", "@.ADD(\"n\", 1);");
        client.case("at the end, and at every page and floor");
        let newest = found("").expect("a state");
        assert_eq!((&newest["value"]["n"], &newest["computed"]), (&json!(2), &json!(true)));
        assert_eq!(newest["source_scope"], "page");
        assert_eq!(newest["source_scope_id"], text(&second, "page_id"));
        let at = |query: String| found(&query).expect("a state")["value"]["n"].clone();
        assert_eq!(at(format!("&page_id={}", text(&first, "page_id"))), 1);
        assert_eq!(at(format!("&floor_id={}&include_layers=true", text(&first, "floor_id"))), 1);
        assert_eq!(at("&branch_id=main&keys=vs_stat_data".into()), 2);
        assert_eq!(found("&keys=other"), None);
        client.case("it says whether it is fresh");
        let is_fresh = || found("").expect("a state")["fresh"].clone();
        assert_eq!(is_fresh(), true);
        let page = text(&first, "page_id");
        client.patch(&format!("/pages/{page}"), json!({"content": "@.ADD(\"n\", 2);"})).is(200);
        assert_eq!(is_fresh(), false);
        client.post("/sessions/s/process", json!({})).is(200);
        assert_eq!((is_fresh(), at(String::new())), (json!(true), json!(3)));
        client.case("it cannot be written");
        for host in [crate::support::global(), crate::support::chat("s"), crate::support::branch("s", "main")] {
            client.set(host, "vs_stat_data", 1).refused(409, "variable_reserved");
        }
        let chat = crate::support::write(crate::support::chat("s"), "vs_stat_data", 1);
        client.put("/variables/batch", json!({"items": [chat]})).refused(409, "variable_reserved");
        let count = json!({"scope": "chat", "scope_id": "s", "key": "vs_stat_data"});
        client.post("/variables/increment", count).refused(409, "variable_reserved");
        client.make_floor("s", "draft", json!({}));
        client.make_page("draft", "page", json!({}));
        let staged = json!({"key": "vs_stat_data", "op": "set", "value": 1});
        client.post("/pages/page/variables/staged", staged).refused(409, "variable_reserved");
        client.case("a session may call it otherwise");
        client.patch("/sessions/s", json!({"state_variable": "hero"})).is(200).has("/state_variable", "hero");
        assert_eq!(found("").expect("a state")["key"], "hero");
        client.set(crate::support::chat("s"), "hero", 1).refused(409, "variable_reserved");
        client.set(crate::support::chat("s"), "vs_stat_data", 1).is(201);
        client.case("what was there before is hidden");
        client.patch("/sessions/s", json!({"state_variable": null})).is(200).has("/state_variable", "vs_stat_data");
        assert_eq!(found("").expect("a state")["computed"], true);
    });
}
