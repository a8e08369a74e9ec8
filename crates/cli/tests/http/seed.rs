//! The examples of the document that asked for the story state, and what its first implementation got wrong.

use crate::support::{Answer, Client, both};
use serde_json::{Value, json};

/// Makes a committed floor whose slot has these swipes, the last of them chosen; nobody processes it. Pages are `0-1`.
#[track_caller]
fn floor(client: &Client, number: usize, kind: &str, texts: &[&str]) {
    client.make_floor("s", &number.to_string(), json!({"state": "committed"}));
    for (swipe, text) in texts.iter().enumerate() {
        let page = json!({"page_kind": kind, "content": text, "is_active": swipe + 1 == texts.len()});
        client.make_page(&number.to_string(), &format!("{number}-{swipe}"), page);
    }
}

fn begin(client: &Client, template: Value) {
    client.post("/sessions", json!({"id": "s", "template": template})).is(201);
}

#[track_caller]
fn say(client: &Client, content: &str, more: Value) -> Value {
    let body = crate::support::tree::merge(json!({"role": "assistant", "content": content}), more);
    client.post("/sessions/s/turns", body).is(201).data()
}

#[track_caller]
fn state(client: &Client, page: &str) -> Answer {
    let answer = client.get(&format!("/pages/{page}/state"));
    answer.is(200);
    answer
}

fn process(client: &Client) -> Answer {
    client.post("/sessions/s/process", json!({}))
}

/// The chat of both examples: 0-2, 1-0, 2-1, 3-0, 4-1 are chosen.
fn chat(client: &Client, floors: std::ops::Range<usize>) {
    for number in floors {
        match number {
            0 => floor(client, 0, "output", &["@.SET(\"地点\", \"家\");", "Hm.", "@.SET(\"地点\", \"魔都\");"]),
            2 => floor(client, 2, "output", &["@.ADD(\"金币\", 1);", "@.ADD(\"金币\", 10);"]),
            4 => floor(client, 4, "output", &["@.ADD(\"金币\", 2);", "@.ADD(\"金币\", 100);"]),
            _ => floor(client, number, "input", &["And then?"]),
        }
    }
}

#[test]
fn example_one_some_messages_have_a_snapshot() {
    both(|client| {
        begin(client, json!({"金币": 500}));
        chat(client, 0..3);
        process(client).is(200).has("/processed", 2);
        let bound = state(client, "2-1").data();
        assert_eq!(bound["state"], json!({"金币": 510, "地点": "魔都"}));
        chat(client, 3..5);
        client.case("only 4-1 is a turn, on the snapshot of 2-1");
        let unbound = state(client, "4-1");
        unbound.has("/page_id", "4-1").has("/snapshot_id", Value::Null).has("/stale_reason", "unprocessed");
        assert_eq!(unbound.data()["state"], bound["state"]);
        process(client).is(200).has("/processed", 1).has("/floors/0/page_id", "4-1").has("/unchanged", 0);
        assert_eq!(state(client, "2-1").data(), bound);
        client.case("and its state is the variable");
        let resolved = client.resolve("session_id=s");
        let wanted = ("vs_stat_data".to_owned(), json!({"金币": 610, "地点": "魔都"}), "chat".to_owned());
        assert!(resolved.iter().any(|row| (&row.0, &row.1) == (&wanted.0, &wanted.1)), "{resolved:?}");
    });
}

#[test]
fn example_two_no_message_has_a_snapshot() {
    both(|client| {
        begin(client, json!({"金币": 500}));
        chat(client, 0..5);
        process(client).is(200).has("/processed", 3).has("/floors/0/page_id", "0-2").has("/floors/2/page_id", "4-1");
        let states = ["0-2", "2-1", "4-1"].map(|page| state(client, page).data());
        let gold: Vec<&Value> = states.iter().map(|state| &state["state"]["金币"]).collect();
        assert_eq!(gold, [500, 510, 610]);
        assert!(states.iter().all(|state| state["state"]["地点"] == "魔都" && state["fresh"] == true));
        let ids: std::collections::BTreeSet<String> = states.iter().map(|it| it["snapshot_id"].to_string()).collect();
        assert_eq!(ids.len(), 3, "a name for each");
        client.case("only the chosen swipes count");
        client.post("/pages/0-0/activate", json!({})).is(200);
        process(client).is(200).has("/processed", 0);
        state(client, "4-1").has("/fresh", true).has("/state/地点", "家").has("/state/金币", 610);
    });
}

#[test]
fn a_swipe_keeps_the_name_of_its_own_state() {
    both(|client| {
        begin(client, json!({"n": 0}));
        let first = say(client, "@.ADD(\"n\", 1);", json!({"page_id": "a"}));
        let floor = first["floor_id"].clone();
        client.case("a new swipe with calls in it");
        let second = say(client, "@.ADD(\"n\", 2);", json!({"page_id": "b", "swipe_of": floor, "include_state": true}));
        assert_eq!(second["state"], json!({"n": 2}));
        client.case("a text that goes on");
        client.patch("/pages/b", json!({"content": "@.ADD(\"n\", 2); @.ADD(\"n\", 40);"})).is(200);
        state(client, "b").has("/fresh", false);
        process(client).is(200).has("/processed", 1);
        state(client, "b").has("/fresh", true).has("/state/n", 42).has("/snapshot_id", second["snapshot_id"].clone());
        client.case("a swipe that is deleted");
        client.delete("/pages/b").is(200);
        state(client, "a").has("/snapshot_id", first["snapshot_id"].clone()).has("/state/n", 1);
    });
}

#[test]
fn values_are_what_they_are() {
    both(|client| {
        begin(client, json!({"ref": {"__vmRef": 1}}));
        client.case("what looks like a reference of somebody's storage is itself");
        let long = "x".repeat(100);
        let content = format!("@.SET(\"b\", {{\"$ref\": 2}}); @.SET(\"long\", \"{long}\");");
        let snapshot = say(client, &content, json!({"page_id": "p"}))["snapshot_id"].clone();
        state(client, "p").has("/state", json!({"ref": {"__vmRef": 1}, "b": {"$ref": 2}, "long": long}));
        let mine = json!({"a": {"__vmRef": 1}, "b": [{"$ref": 1}], "long": long});
        client.put(&format!("/snapshots/{}", snapshot.as_str().expect("a snapshot")), json!({"state": mine})).is(200);
        state(client, "p").has("/state", mine);
        client.case("text in quotes stays text");
        say(client, "@.SET(\"c\", \"100\"); @.SET(\"d\", \"true\"); @.SET(\"e\", 100);", json!({"page_id": "q"}));
        state(client, "q").has("/state/c", "100").has("/state/d", "true").has("/state/e", 100);
        client.case("what a model writes is never run");
        let code = "@.SET(\"f\", {x: alert(1)}); @.SET(\"g\", [process.pid]); #set(\"h\", (() => 7)());";
        say(client, code, json!({"page_id": "r"}));
        let found = state(client, "r").data()["state"].clone();
        let unread = |name: &str, source: &str| found[name].is_null() || found[name].to_string().contains(source);
        assert!(unread("f", "alert(1)") && unread("g", "process.pid") && found["h"].is_null(), "{found}");
        client.case("plain JSON by hand is shown as it is");
        let snapshot = state(client, "r").data()["snapshot_id"].as_str().expect("a snapshot").to_owned();
        let plain =
            json!({"世界": {"时间": "2024年10月26日 20:00"}, "json": {}, "text": "x", "list": [1, {"a": null}]});
        let put = client.put(&format!("/snapshots/{snapshot}"), json!({"state": plain.clone()}));
        put.is(200).has("/state", plain.clone());
        client.get(&format!("/snapshots/{snapshot}")).is(200).has("/state", plain.clone());
        state(client, "r").has("/state", plain).has("/edited", true);
    });
}

#[test]
fn an_earlier_floor_that_goes_makes_the_later_ones_stale() {
    both(|client| {
        begin(client, json!({"n": 0}));
        let first = say(client, "@.ADD(\"n\", 1);", json!({"page_id": "a"}));
        say(client, "@.ADD(\"n\", 2);", json!({"page_id": "b"}));
        say(client, "Nothing.", json!({"page_id": "c"}));
        client.delete(&format!("/floors/{}", first["floor_id"].as_str().expect("a floor"))).is(200);
        state(client, "b").has("/fresh", false).has("/stale_reason", "parent_changed");
        state(client, "c").has("/fresh", false).has("/stale_reason", "earlier_stale");
        process(client).is(200).has("/processed", 2);
        state(client, "c").has("/fresh", true).has("/state/n", 2);
    });
}

#[test]
fn what_runs_by_itself_runs_on_floors_without_calls() {
    both(|client| {
        begin(client, json!({"天气": "晴"}));
        say(client, "@.TIMED_SET(\"天气\", \"雨\", \"雨季\", false, 2);", json!({"page_id": "a"}));
        say(client, "Nothing.", json!({"page_id": "b"}));
        state(client, "b").has("/state/天气", "晴");
        say(client, "Nothing.", json!({"page_id": "c"}));
        state(client, "c").has("/state/天气", "雨");
    });
}
