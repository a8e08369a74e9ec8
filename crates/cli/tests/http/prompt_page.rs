//! Prompts for a page: they show what the page builds on, in variables and in the state alike.

use super::prompt::preview;
use super::prompt_writes::{begin, render};
use crate::support::{Client, both, branch};
use serde_json::json;

#[track_caller]
fn shows(client: &Client, page: Option<&str>, text: &str) {
    let asked = json!({"text": "{{getvar::n}} {{vs_get::hp}}", "page_id": page});
    let asked = if page.is_some() { asked } else { json!({"text": asked["text"]}) };
    preview(client, asked).is(200).has("/text", text);
}

#[test]
fn a_page_that_was_committed_is_shown_what_it_was_built_on() {
    both(|client| {
        client.post("/sessions", json!({"id": "s", "template": {"hp": 10}})).is(201);
        client.set(branch("s", "main"), "n", 5).is(201);
        begin(client, "f", "p");
        render(client, "p", "{{incvar::n}}").is(200).has("/text", "6");
        shows(client, Some("p"), "5 10");
        client.patch("/pages/p", json!({"content": "@.ADD(\"hp\", 1);"})).is(200);
        client.post("/floors/f/commit", json!({})).is(200);
        client.case("after the commit: before the page with it, behind it without");
        shows(client, Some("p"), "5 10");
        shows(client, None, "6 11");
        client.case("another swipe");
        client.make_page("f", "q", json!({"version": 1, "is_active": true}));
        shows(client, Some("q"), "5 10");
        render(client, "q", "{{addvar::n::10}}").is(200);
        client.patch("/pages/q", json!({"content": "@.ADD(\"hp\", 5);"})).is(200);
        client.post("/floors/f/commit", json!({"page_id": "q"})).is(200);
        shows(client, None, "15 15");
        for page in ["p", "q"] {
            shows(client, Some(page), "5 10");
        }
        client.case("the next floor builds on the swipe that was chosen");
        client.make_floor("s", "g", json!({}));
        client.make_page("g", "r", json!({}));
        shows(client, Some("r"), "15 15");
        preview(client, json!({"text": "a", "page_id": "r"})).has("/state/page_id", "q");
        preview(client, json!({"text": "a", "page_id": "q"})).has("/state/page_id", json!(null));
    });
}

#[test]
fn a_swipe_on_a_fork_starts_from_what_the_fork_inherits() {
    both(|client| {
        client.make_session("s");
        client.set(branch("s", "main"), "n", 5).is(201);
        begin(client, "f", "p");
        client.post("/floors/f/commit", json!({})).is(200);
        client.post("/floors/f/branch", json!({"branch_id": "fork"})).is(201);
        client.make_floor("s", "g", json!({"branch_id": "fork"}));
        client.make_page("g", "q", json!({}));
        client.post("/floors/g/generate", json!({})).is(200);
        render(client, "q", "{{incvar::n}}").is(200).has("/text", "6");
        client.post("/floors/g/commit", json!({})).is(200);
        preview(client, json!({"text": "{{.n}}", "page_id": "q"})).is(200).has("/text", "5");
        client.make_page("g", "r", json!({"version": 1, "is_active": true}));
        render(client, "r", "{{incvar::n}}").is(200).has("/text", "6");
        client.post("/floors/g/commit", json!({"page_id": "r"})).is(200);
        preview(client, json!({"text": "{{.n}}", "branch_id": "fork"})).is(200).has("/text", "6");
    });
}
