//! Quotas: at the limit, over it, and room again.

use crate::support::{Client, both, chat, global, page, write};
use serde_json::{Value, json};

fn limit(client: &Client, words: &[&str]) {
    client.place().run(&[&["account", "quota", &client.account], words].concat());
}

#[track_caller]
fn used(client: &Client, what: &str, used: i64, max: i64) {
    let account = client.get("/account");
    account.is(200).has(&format!("/quotas/{what}/used"), used).has(&format!("/quotas/{what}/max"), max);
}

#[test]
fn sessions_have_a_limit() {
    both(|client| {
        client.case("at the limit");
        limit(client, &["--sessions", "2"]);
        client.make_session("a");
        client.make_session("b");
        used(client, "sessions", 2, 2);
        client.case("over it");
        let refused = client.post("/sessions", json!({"id": "c"}));
        refused
            .refused(429, "quota_exceeded")
            .saying("there are 2 sessions already, which is the most that is allowed");
        client.get("/sessions").is(200).has_meta("total", 2);
        client.case("what is in the trash counts, and can come back");
        let trash = client.delete("/sessions/a").is(200).header("trash-id");
        used(client, "sessions", 2, 2);
        let refused = client.post("/sessions", json!({"id": "c"}));
        refused.refused(429, "quota_exceeded").says("1 of them in the trash").says("DELETE /trash/{id}");
        client.post(&format!("/trash/{trash}/restore"), json!({})).is(200);
        used(client, "sessions", 2, 2);
        client.case("room again");
        let trash = client.delete("/sessions/a").is(200).header("trash-id");
        client.delete(&format!("/trash/{trash}")).is(200);
        client.make_session("c");
        client.post("/sessions/batch/delete?permanent=true", json!({"ids": ["b", "c", "nobody"]})).is(200);
        used(client, "sessions", 0, 2);
        client.case("a lower limit takes nothing away");
        client.make_session("d");
        client.make_session("e");
        limit(client, &["--sessions", "1"]);
        used(client, "sessions", 2, 1);
        client.post("/sessions", json!({"id": "f"})).refused(429, "quota_exceeded");
        client.patch("/sessions/d", json!({"title": "y"})).is(200);
        client.case("the server's setting");
        limit(client, &["--sessions", "default"]);
        used(client, "sessions", 2, 100_000);
        client.make_session("f");
    });
}

#[test]
fn variables_have_a_limit() {
    both(|client| {
        client.make("s");
        limit(client, &["--variables", "3"]);
        client.case("at the limit, whatever the scope");
        client.set(global(), "a", 1).is(201);
        client.set(chat("s"), "a", 1).is(201);
        client.set(page("s.p"), "a", 1).is(201);
        used(client, "variables", 3, 3);
        client.case("over it");
        let refused = client.set(chat("s"), "b", 1);
        refused
            .refused(429, "quota_exceeded")
            .saying("there are 3 variables already, which is the most that is allowed");
        client.post("/variables/increment", json!({"scope": "global", "scope_id": "g", "key": "n"})).is(429);
        client.case("what is there can be changed");
        client.set(chat("s"), "a", 2).is(200);
        client.post("/variables/increment", json!({"scope": "global", "scope_id": "g", "key": "a"})).is(200);
        client.case("a batch that would cross it writes nothing");
        let ids = client.get("/variables?scope=global").column("id");
        client.delete(&format!("/variables/{}", ids[0].as_str().unwrap_or_default())).is(200);
        let items = |keys: &[&str]| -> Value {
            json!({"items": keys.iter().map(|key| write(chat("s"), key, 9)).collect::<Vec<_>>()})
        };
        client.put("/variables/batch", items(&["a", "b", "c"])).refused(429, "quota_exceeded");
        assert_eq!(client.get("/variables?scope=chat").column("value"), [json!(2)]);
        client.put("/variables/batch", items(&["a", "b"])).is(200);
        used(client, "variables", 3, 3);
        client.case("deleting a host makes room");
        client.delete("/sessions/s?permanent=true").is(200);
        used(client, "variables", 0, 3);
        client.set(global(), "a", 1).is(201);
    });
}

#[test]
fn a_commit_that_would_cross_the_limit_changes_nothing() {
    both(|client| {
        client.make_session("s");
        client.make_floor("s", "f", json!({}));
        client.make_page("f", "p", json!({}));
        for key in ["a", "b"] {
            client.post("/pages/p/variables/staged", json!({"key": key, "op": "set", "value": 1})).is(201);
        }
        client.post("/floors/f/generate", json!({})).is(200);
        limit(client, &["--variables", "3"]);
        client.case("two on the page and two on the floor are four");
        client.post("/floors/f/commit", json!({})).refused(429, "quota_exceeded");
        client.get("/floors/f").is(200).has("/state", "generating");
        used(client, "variables", 0, 3);
        limit(client, &["--variables", "4"]);
        client.post("/floors/f/commit", json!({})).is(200);
        used(client, "variables", 4, 4);
    });
}

#[test]
fn keys_have_a_limit() {
    both(|client| {
        client.case("the story's own key is the first");
        limit(client, &["--keys", "2"]);
        let made = client.post("/keys", json!({"name": "phone", "role": "read"}));
        let id = made.is(201).id();
        client.post("/keys", json!({"name": "more", "role": "read"})).refused(429, "quota_exceeded");
        client.case("a revoked key does not count");
        client.delete(&format!("/keys/{id}")).is(200);
        client.post("/keys", json!({"name": "more", "role": "read"})).is(201);
        used(client, "keys", 2, 2);
    });
}
