//! A line read by numbers: one floor, a state, a window of floors with texts, swipes and changes.

use super::story::text;
use crate::support::{Client, both};
use serde_json::{Value, json};

const HUGE: &str = "99999999999999999999";

/// Three floors on `main`, floor 1 with two swipes; `alt` is forked behind floor 1 and has a floor of its own.
fn make_story(client: &Client) {
    client.make_story("s", json!({"n": 0}));
    let user = json!({"role": "user", "name": "Anna", "content": "Hello.", "page_id": "p0"});
    client.post("/sessions/s/turns", user).is(201);
    let first = client.post("/sessions/s/turns", turn("p1", "@.ADD(\"n\", 1);"));
    first.is(201);
    let swipe = json!({"role": "assistant", "name": "Yuki", "content": "@.ADD(\"n\", 2); @.SUB(\"m\", 1);",
        "page_id": "p1b", "swipe_of": text(&first, "floor_id")});
    client.post("/sessions/s/turns", swipe).is(201);
    client.post("/sessions/s/turns", turn("p2", "@.ADD(\"n\", 10);")).is(201);
    client.post(&format!("/floors/{}/branch", text(&first, "floor_id")), json!({"branch_id": "alt"})).is(201);
    let mut own = turn("q2", "@.ADD(\"n\", 100);");
    own["branch_id"] = "alt".into();
    client.post("/sessions/s/turns", own).is(201);
}

fn turn(page: &str, content: &str) -> Value {
    json!({"role": "assistant", "content": content, "page_id": page})
}

#[test]
fn a_floor_is_found_by_its_number() {
    both(|client| {
        make_story(client);
        let floor = client.get("/sessions/s/floors/0");
        floor.is(200).has("/floor_no", 0).has("/page_id", "p0").has("/role", "user").has("/name", "Anna");
        floor.has("/content", "Hello.").has("/snapshot_id", Value::Null).has("/swipe", 1).has("/swipe_count", 1);
        floor.has("/fresh", true).has("/shared", Value::Null).has("/swipes", Value::Null).has("/change", Value::Null);
        let shared = client.get("/sessions/s/floors/1?branch_id=alt&changes=true&swipes=true");
        shared.is(200).has("/page_id", "p1b").has("/shared", true).has("/swipe", 2).has("/swipe_count", 2);
        shared.has("/change/0/op", "replace").has("/change/0/path", "/n").has("/change/0/value", 2);
        shared.has("/swipes/0/page_id", "p1").has("/swipes/0/content", "@.ADD(\"n\", 1);");
        shared.has("/swipes/1/is_active", true).has("/swipes/1/snapshot_id", text(&shared, "snapshot_id"));
        let main = client.get("/sessions/s/floors/1");
        assert_eq!(text(&main, "floor_id"), text(&shared, "floor_id"));
        client.get("/sessions/s/floors/2?branch_id=alt").is(200).has("/page_id", "q2").has("/shared", Value::Null);
        client.get("/sessions/s/floors/2").is(200).has("/page_id", "p2");
        client.case("a floor without pages");
        client.make_floor("s", "draft", json!({"floor_no": 7}));
        let draft = client.get("/sessions/s/floors/7?swipes=true&changes=true");
        draft.is(200).has("/state", "draft").has("/page_id", Value::Null).has("/swipe", Value::Null);
        draft.has("/swipe_count", 0).has("/swipes", json!([])).has("/change", json!([])).has("/content", Value::Null);
        client.case("what is not there");
        client.get("/sessions/s/floors/7?branch_id=alt").refused(404, "floor_not_found");
        client.get("/sessions/s/floors/3").refused(404, "floor_not_found");
        client.get("/sessions/s/floors/1000000000").refused(404, "floor_not_found");
        client.get("/sessions/s/floors/0?branch_id=none").refused(404, "branch_not_found");
        client.get("/sessions/none/floors/0").refused(404, "session_not_found");
        for number in ["-1", "1000000001", HUGE, "one", "1.5", "%20"] {
            client.get(&format!("/sessions/s/floors/{number}")).refused(400, "validation_error");
        }
        client.get("/sessions/s/floors/1?swipes=2").refused(400, "validation_error");
    });
}

#[test]
fn a_state_is_found_by_the_number_of_its_floor() {
    both(|client| {
        make_story(client);
        let at = |query: &str| client.get(&format!("/sessions/s/state?{query}"));
        at("floor_no=1").is(200).has("/state/n", 2).has("/page_id", "p1b").has("/fresh", true);
        at("floor_no=2").is(200).has("/state/n", 12).has("/page_id", "p2");
        at("floor_no=1&branch_id=alt").is(200).has("/state/n", 2).has("/page_id", "p1b");
        at("floor_no=2&branch_id=alt").is(200).has("/state/n", 102).has("/page_id", "q2");
        at("branch_id=alt").is(200).has("/state/n", 102);
        client.case("a floor without commands shows the state before it");
        at("floor_no=0").is(200).has("/state/n", 0).has("/inherited", true).has("/snapshot_id", Value::Null);
        client.case("a person's message has its own ids and no snapshot, whatever it shows");
        client.patch("/pages/p2/state", json!({"patch": {"n": 13}})).is(200);
        let said = json!({"role": "user", "content": "hello", "page_id": "said"});
        let floor = text(client.post("/sessions/s/turns", said).is(201), "floor_id");
        for path in ["/sessions/s/state?floor_no=3", "/pages/said/state"] {
            let state = client.get(path);
            state.is(200).has("/state/n", 13).has("/inherited", true).has("/edited", Value::Null);
            state.has("/page_id", "said").has("/floor_id", floor.as_str()).has("/snapshot_id", Value::Null);
        }
        at("").is(200).has("/page_id", "p2").has("/edited", true);
        client.delete(&format!("/floors/{floor}")).is(200);
        client.case("what is not there");
        at("floor_no=3").refused(404, "floor_not_found");
        at("floor_no=3&branch_id=none").refused(404, "branch_not_found");
        for number in ["-1", "1000000001", HUGE, "one", ""] {
            at(&format!("floor_no={number}")).refused(400, "validation_error");
        }
    });
}

#[test]
fn a_page_that_was_never_processed_has_no_snapshot_of_another() {
    both(|client| {
        make_story(client);
        client.case("a page that is written into the chat and not processed");
        client.unprocessed("s", "late", "output", "@.ADD(\"n\", 1000);");
        for path in ["/pages/late.p/state", "/sessions/s/state", "/sessions/s/state?floor_no=3"] {
            let state = client.get(path);
            state.is(200).has("/page_id", "late.p").has("/floor_id", "late").has("/snapshot_id", Value::Null);
            state.has("/state/n", 12).has("/fresh", false).has("/stale_reason", "unprocessed").has("/inherited", true);
        }
        let compared = client.get("/compare?from=page:p2&to=page:late.p");
        compared.is(200).has("/to/page_id", "late.p").has("/to/snapshot_id", Value::Null).has("/change", json!([]));
        client.get("/sessions/s/floors/3").is(200).has("/snapshot_id", Value::Null).has("/fresh", false);
        client.case("it is found among variables as before");
        client.get("/variables/resolve?session_id=s&page_id=late.p").is(200);
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 1);
        let state = client.get("/pages/late.p/state");
        state.is(200).has("/page_id", "late.p").has("/state/n", 1012).has("/inherited", Value::Null);
        assert!(state.data()["snapshot_id"].is_string());
    });
}

#[test]
fn a_transcript_is_read_a_window_at_a_time() {
    both(|client| {
        make_story(client);
        let all = client.get("/sessions/s/transcript");
        assert_eq!(all.is(200).column("page_id"), ["p0", "p1b", "p2"]);
        assert_eq!(all.column("content"), ["Hello.", "@.ADD(\"n\", 2); @.SUB(\"m\", 1);", "@.ADD(\"n\", 10);"]);
        let end = json!({"from": 0, "limit": 50, "has_more": false, "next_from": null});
        assert_eq!(all.body["meta"], end);
        client.case("the fork, floor by floor");
        let (mut from, mut pages) = (json!(0), Vec::new());
        while let Some(number) = from.as_i64() {
            let window = client.get(&format!("/sessions/s/transcript?branch_id=alt&limit=1&from={number}"));
            pages.extend(window.is(200).column("page_id"));
            from = window.body["meta"]["next_from"].clone();
        }
        assert_eq!(pages, ["p0", "p1b", "q2"]);
        let two = client.get("/sessions/s/transcript?from=1&limit=1");
        assert_eq!(two.is(200).body["meta"], json!({"from": 1, "limit": 1, "has_more": true, "next_from": 2}));
        client.case("the last floors, shared ones included");
        let last = client.get("/sessions/s/transcript?branch_id=alt&last=2");
        assert_eq!(last.is(200).column("page_id"), ["p1b", "q2"]);
        assert_eq!(last.body["meta"]["from"], 1);
        assert_eq!(client.get("/sessions/s/transcript?last=1000000000").is(200).column("floor_no"), [0, 1, 2]);
        assert_eq!(client.get("/sessions/s/transcript?last=2&from=2").is(200).column("floor_no"), [2]);
        let log = client.get("/sessions/s/log?last=2&to_floor=1").is(200).data();
        assert_eq!((&log["floors"][0]["floor_no"], &log["floors"][1]["floor_no"]), (&json!(0), &json!(1)));
        client.get("/sessions/s/log?last=0").refused(400, "validation_error");
        client.case("without texts");
        let bare = client.get("/sessions/s/transcript?content=false&swipes=true");
        assert!(!bare.is(200).text.contains("content"));
        assert_eq!(bare.column("swipe_count"), [1, 2, 1]);
        client.case("what became stale, and what was edited");
        client.patch("/pages/p1b", json!({"content": "@.ADD(\"n\", 3);"})).is(200);
        let stale = client.get("/sessions/s/transcript?changes=true");
        assert_eq!(stale.is(200).column("fresh"), [true, false, false]);
        assert_eq!(client.get("/sessions/s/transcript?branch_id=alt").is(200).column("fresh"), [true, true, true]);
        client.post("/sessions/s/process", json!({})).is(200);
        client.patch("/sessions/s", json!({"profile": "strict"})).is(200);
        let outdated = client.get("/sessions/s/transcript");
        assert_eq!(outdated.is(200).column("outdated"), [Value::Null, true.into(), true.into()]);
        client.case("no such window");
        assert_eq!(client.get("/sessions/s/transcript?from=1000000000").is(200).column("page_id"), [Value::Null; 0]);
        for query in [
            "limit=0",
            "limit=101",
            "limit=-1",
            "from=-1",
            "from=1000000001",
            "swipes=1",
            "changes=",
            "more=1",
            "last=0",
            "last=-1",
        ] {
            client.get(&format!("/sessions/s/transcript?{query}")).refused(400, "validation_error");
        }
        client.get(&format!("/sessions/s/transcript?from={HUGE}")).refused(400, "validation_error");
        client.get("/sessions/s/transcript?branch_id=none").refused(404, "branch_not_found");
        client.get("/sessions/none/transcript").refused(404, "session_not_found");
    });
}

#[test]
fn long_texts_come_in_smaller_windows() {
    both(|client| {
        client.make_story("s", json!({}));
        let long = "長".repeat(700_000);
        for number in 0..4 {
            let body = json!({"role": "assistant", "content": format!("{number}{long}")});
            client.ask("POST", "/sessions/s/turns").json(body).unrecorded().send().is(201);
        }
        let window = |query: &str| client.ask("GET", &format!("/sessions/s/transcript?{query}")).unrecorded().send();
        let first = window("");
        assert_eq!(first.is(200).column("floor_no"), [0, 1]);
        assert_eq!(first.body["meta"]["next_from"], 2);
        assert_eq!(window("swipes=true").is(200).column("floor_no"), [0, 1]);
        let rest = window("from=3&swipes=true");
        assert_eq!(rest.is(200).body["meta"]["has_more"], false);
        assert_eq!(rest.body["data"][0]["swipes"][0]["content"], format!("3{long}"));
        assert_eq!(window("content=false").is(200).column("floor_no"), [0, 1, 2, 3]);
    });
}

#[test]
fn a_log_says_which_swipe_it_shows_and_what_was_refused() {
    both(|client| {
        make_story(client);
        client.patch("/sessions/s", json!({"profile": "strict"})).is(200);
        client.post("/sessions/s/turns", turn("p3", "@.SET(\"unknown.key\", 1); @.ADD(\"n\", 1);")).is(201);
        let log = client.get("/sessions/s/log").is(200).data();
        let floors = log["floors"].as_array().expect("floors");
        assert_eq!((&floors[1]["swipe"], &floors[1]["swipe_count"]), (&json!(2), &json!(2)));
        assert_eq!(floors[3]["refused"][0]["name"], "SET");
        assert!(floors[3]["refused"][0]["code"].is_string() && floors[3]["refused"][1].is_null());
        assert!(floors[2].get("refused").is_none());
    });
}
