//! Characters: what they are, how their sessions use them, and what becomes of sessions when they change or go.

use super::story::text;
use crate::support::{Client, both};
use serde_json::{Value, json};

impl Client {
    #[track_caller]
    pub(super) fn make_character(&self, id: &str, more: Value) {
        let body = crate::support::tree::merge(json!({"id": id, "name": id}), more);
        self.post("/characters", body).is(201).has("/id", id);
    }
}

#[test]
fn a_character_is_made_read_changed_and_deleted() {
    both(|client| {
        client.case("with everything");
        let body = json!({
            "id": "yuki",
            "name": "雪",
            "template": {"b": 1, "a": {"金币": 5}},
            "profile": "default",
            "greetings": ["Hello.", ""],
        });
        let made = client.post("/characters", body);
        made.is(201).has("/name", "雪").has("/enabled", true).has("/greetings", json!(["Hello.", ""]));
        made.has("/profile", "default").has("/template", json!({"b": 1, "a": {"金币": 5}}));
        assert!(made.text.contains(r#"{"b":1,"a""#), "keys keep their order");
        assert_eq!(client.get("/characters/yuki").is(200).data(), made.data());
        client.case("with a name alone");
        let plain = client.post("/characters", json!({"name": "Ann", "enabled": false}));
        plain.is(201).has("/enabled", false).has("/template", Value::Null).has("/profile", Value::Null);
        plain.has("/greetings", json!([]));
        client.case("an id is there once");
        client.post("/characters", json!({"id": "yuki", "name": "x"})).refused(409, "id_taken");
        client.case("a patch changes what it names");
        let patched = client.patch("/characters/yuki", json!({"name": "Yuki", "greetings": []}));
        patched.is(200).has("/name", "Yuki").has("/greetings", json!([])).has("/template/b", 1);
        client.patch("/characters/yuki", json!({"profile": null})).is(200).has("/profile", Value::Null);
        client.patch("/characters/yuki", json!({})).is(200).has("/name", "Yuki").has("/enabled", true);
        client.case("the template has a place of its own");
        client.get("/characters/yuki/template").is(200).has("/character_id", "yuki").has("/template/b", 1);
        client
            .put("/characters/yuki/template", json!({"template": {"n": 1}}))
            .is(200)
            .has("/template", json!({"n": 1}));
        client.get("/characters/yuki").is(200).has("/template", json!({"n": 1}));
        client.put("/characters/yuki/template", json!({"template": null})).is(200).has("/template", Value::Null);
        client.case("deleted it is gone, and its id is free");
        client.delete("/characters/yuki").is(200).has("/deleted", true);
        client.get("/characters/yuki").refused(404, "character_not_found");
        client.get("/characters/yuki/template").refused(404, "character_not_found");
        client.delete("/characters/yuki").refused(404, "character_not_found");
        client.patch("/characters/yuki", json!({})).refused(404, "character_not_found");
        client.put("/characters/yuki/template", json!({"template": {}})).refused(404, "character_not_found");
        client.post("/sessions", json!({"character_id": "yuki"})).refused(404, "character_not_found");
        client.make_character("yuki", json!({}));
        client.get("/characters").is(200).has_meta("total", 2);
    });
}

#[test]
fn characters_are_listed_in_windows() {
    both(|client| {
        for (id, name) in [("c1", "Mara"), ("c2", "Ann"), ("c3", "雪")] {
            client.make_character(id, json!({"name": name, "greetings": ["a", "b"], "template": {"x": 1}}));
        }
        let ids = |query: &str| client.get(&format!("/characters{query}")).is(200).column("id");
        assert_eq!(ids(""), ["c2", "c1", "c3"], "by name, by its bytes");
        assert_eq!(ids("?sort_order=desc"), ["c3", "c1", "c2"]);
        assert_eq!(ids("?sort_by=created_at"), ["c1", "c2", "c3"]);
        assert_eq!(ids("?limit=1&offset=1"), ["c1"]);
        client
            .until("/characters/c1", |answer| {
                // Times have milliseconds, so the change is repeated until it shows.
                client.ask("PATCH", "/characters/c1").json(json!({"enabled": false})).unrecorded().send().is(200);
                let newest = client.ask("GET", "/characters/c3").unrecorded().send();
                answer.data()["updated_at"].as_i64() > newest.data()["updated_at"].as_i64()
            })
            .is(200);
        assert_eq!(ids("?sort_by=updated_at&sort_order=desc")[0], "c1");
        let listed = client.get("/characters?limit=2");
        listed.is(200).has_meta("total", 3).has("/0/greeting_count", 2).has("/0/template", Value::Null);
        client.get("/characters?sort_by=age").invalid_at("/sort_by");
    });
}

#[test]
fn what_characters_refuse() {
    both(|client| {
        client.case("names");
        client.post("/characters", json!({})).invalid("required property 'name'");
        client.post("/characters", json!({"name": ""})).invalid_by("/name", "minLength");
        client.post("/characters", json!({"name": "n".repeat(1025)})).invalid_by("/name", "maxLength");
        client.post("/characters", json!({"name": "n".repeat(1024)})).is(201);
        client.post("/characters", json!({"name": "n", "id": "a b"})).invalid_at("/id");
        client.post("/characters", json!({"name": "n", "enabled": 1})).invalid_at("/enabled");
        client.case("templates and profiles");
        client.post("/characters", json!({"name": "n", "template": [1]})).invalid_at("/template");
        client.post("/characters", json!({"name": "n", "profile": "nobody"})).invalid_at("/profile");
        client.make_character("c", json!({}));
        client.put("/characters/c/template", json!({})).invalid("required property 'template'");
        client.put("/characters/c/template", json!({"template": 5})).invalid_at("/template");
        let deep = |depth: usize| {
            format!(r#"{{"template":{}"{}"{}}}"#, r#"{"a":"#.repeat(depth), "x".repeat(300), "}".repeat(depth))
        };
        let put = |text: String| client.ask("PUT", "/characters/c/template").text("application/json", text).send();
        put(deep(128)).is(200);
        put(deep(129)).refused(400, "malformed_json");
        client.case("greetings, at the limit and over it");
        client.patch("/characters/c", json!({"greetings": vec!["hi"; 100]})).is(200);
        client.patch("/characters/c", json!({"greetings": vec!["hi"; 101]})).invalid_by("/greetings", "maxItems");
        client.patch("/characters/c", json!({"greetings": ["hi", 5]})).invalid_by("/greetings/1", "type");
        client.patch("/characters/c", json!({"greetings": null})).invalid_at("/greetings");
        client.get("/characters").is(200).has_meta("total", 2);
    });
}

#[test]
fn a_session_takes_what_it_does_not_have_from_its_character() {
    both(|client| {
        client.make_character("c", json!({"template": {"gold": 5}}));
        client.case("the character's template");
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201).has("/character_id", "c");
        client.get("/sessions/s").is(200).has("/character_id", "c").has("/profile", Value::Null);
        client.get("/sessions/s/state").is(200).has("/state/gold", 5);
        client.case("its own goes first");
        client.post("/sessions", json!({"id": "own", "character_id": "c", "template": {}})).is(201);
        client.get("/sessions/own/state").is(200).has("/state", json!({}));
        client.case("which one counts can be read, and changed");
        let read = |session: &str| client.get(&format!("/sessions/{session}/template"));
        read("s").is(200).has("/session_id", "s").has("/template", json!({"gold": 5})).has("/own", false);
        read("own").is(200).has("/template", json!({})).has("/own", true);
        client.make_session("plain");
        read("plain").is(200).has("/template", Value::Null).has("/own", false);
        let put = |template: Value| client.put("/sessions/own/template", json!({"template": template}));
        put(json!({"gold": 9})).is(200).has("/template", json!({"gold": 9})).has("/own", true);
        client.get("/sessions/own/state").is(200).has("/state/gold", 9);
        put(Value::Null).is(200).has("/template", json!({"gold": 5})).has("/own", false);
        put(json!([])).invalid_at("/template");
        client.put("/sessions/own/template", json!({})).invalid("required property 'template'");
        put(json!({})).is(200).has("/template", json!({})).has("/own", true);
        read("nowhere").refused(404, "session_not_found");
        client.put("/sessions/nowhere/template", json!({"template": {}})).refused(404, "session_not_found");
        client.case("another template makes states outdated, not stale");
        let turn = client.turn("s", "@.ADD(\"gold\", 1);");
        let page = text(&turn, "page_id");
        client.state(&page).has("/state/gold", 6).has("/outdated", Value::Null);
        let own = text(&client.turn("own", "@.SET(\"x\", 1);"), "page_id");
        client.put("/sessions/own/template", json!({"template": {"y": 1}})).is(200);
        client.state(&own).has("/outdated", true).has("/fresh", true);
        client.put("/sessions/own/template", json!({"template": {}})).is(200);
        client.put("/characters/c/template", json!({"template": {"gold": 50}})).is(200);
        client.state(&page).has("/state/gold", 6).has("/outdated", true).has("/fresh", true);
        client.state(&own).has("/outdated", Value::Null).has("/fresh", true);
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 0);
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200).has("/processed", 1);
        client.state(&page).has("/state/gold", 51).has("/outdated", Value::Null);
        client.case("so does another profile");
        client.patch("/characters/c", json!({"profile": "mvu"})).is(200);
        client.state(&page).has("/outdated", true).has("/fresh", true);
        client.patch("/sessions/s", json!({"profile": "default"})).is(200);
        client.state(&page).has("/outdated", Value::Null);
        client.case("a session can have another character, or none");
        client.make_character("d", json!({"template": {"gold": 7}}));
        client.patch("/sessions/s", json!({"character_id": "d"})).is(200).has("/character_id", "d");
        client.state(&page).has("/outdated", true);
        client.patch("/sessions/s", json!({"character_id": null})).is(200).has("/character_id", Value::Null);
        client.patch("/sessions/s", json!({"character_id": "nobody"})).refused(404, "character_not_found");
        client.post("/sessions", json!({"character_id": 5})).invalid_at("/character_id");
    });
}

#[test]
fn sessions_outlive_their_character() {
    both(|client| {
        client.make_character("c", json!({"template": {"gold": 5}}));
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        let page = text(&client.turn("s", "@.ADD(\"gold\", 1);"), "page_id");
        client.case("they keep its template and go on");
        client.delete("/characters/c").is(200);
        client.get("/sessions/s").is(200).has("/character_id", Value::Null);
        client.state(&page).has("/state/gold", 6).has("/outdated", Value::Null).has("/fresh", true);
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200).has("/unchanged", 1);
        client.case("another with the same id is another");
        client.make_character("c", json!({"template": {"gold": 500}}));
        client.get("/sessions/s").is(200).has("/character_id", Value::Null);
        client.state(&page).has("/outdated", Value::Null);
        client.case("and leave nothing behind when they go");
        client.delete("/sessions/s").is(200);
        client.get("/characters").is(200).has_meta("total", 1);
    });
}

#[test]
fn nothing_is_processed_for_a_disabled_character() {
    both(|client| {
        client.make_character("c", json!({"template": {"n": 0}}));
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        let first = text(&client.turn("s", "@.ADD(\"n\", 1);"), "page_id");
        client.patch("/characters/c", json!({"enabled": false})).is(200);
        client.case("a turn is stored without a state");
        let body = json!({"role": "assistant", "content": "@.ADD(\"n\", 10);", "include_state": true});
        let turn = client.post("/sessions/s/turns", body);
        turn.is(201).has("/snapshot_id", Value::Null).has("/change", json!([])).has("/state/n", 1);
        let second = text(&turn, "page_id");
        client.get(&format!("/pages/{second}")).is(200).has("/content", "@.ADD(\"n\", 10);");
        client.state(&second).has("/inherited", true).has("/state/n", 1).has("/page_id", second.as_str());
        client.state(&first).has("/inherited", Value::Null).has("/fresh", true);
        client.get("/sessions/s/state").is(200).has("/state/n", 1).has("/inherited", true);
        client.case("and so is the next one");
        let third = client.turn("s", "@.ADD(\"n\", 100);");
        third.is(201).has("/snapshot_id", Value::Null).has("/floor_no", 2);
        client.case("a swipe that is chosen is not processed either");
        let swipe = json!({"role": "assistant", "content": "@.ADD(\"n\", 7);", "swipe_of": text(&third, "floor_id")});
        let swipe = client.post("/sessions/s/turns", swipe);
        swipe.is(201).has("/snapshot_id", Value::Null);
        let third = text(&third, "page_id");
        client.post(&format!("/pages/{third}/activate"), json!({})).is(200);
        client.state(&third).has("/inherited", true).has("/state/n", 1);
        client.case("processing says that it does nothing");
        let report = client.post("/sessions/s/process", json!({"mode": "all"}));
        report.is(200).has("/disabled", true).has("/processed", 0);
        client.case("what is taken back meanwhile is not called fresh where it is not");
        client.make_character("d", json!({"template": {"n": 0}}));
        client.post("/sessions", json!({"id": "t", "character_id": "d"})).is(201);
        let pages = [0, 1, 2].map(|n| text(&client.turn("t", &format!("@.ADD(\"n\", {n});")), "page_id"));
        client.patch("/characters/d", json!({"enabled": false})).is(200);
        client.patch(&format!("/pages/{}", pages[0]), json!({"content": "@.ADD(\"n\", 5);"})).is(200);
        let undone = client.post(&format!("/pages/{}/undo", pages[2]), json!({}));
        undone.is(200).has("/state/n", 1).has("/fresh", false);
        client.case("enabled again, the next processing catches up");
        client.patch("/characters/c", json!({"enabled": true})).is(200);
        client.state(&third).has("/inherited", true).has("/stale_reason", "unprocessed");
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 2).has("/disabled", Value::Null);
        client.state(&third).has("/state/n", 111).has("/fresh", true);
    });
}

#[test]
fn a_character_that_reads_what_people_write_is_followed_when_the_story_goes_on() {
    both(|client| {
        client.make_character("c", json!({"template": {"n": 0}}));
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        let said = |content: &str| client.post("/sessions/s/turns", json!({"role": "user", "content": content}));
        let user = text(said("@.ADD(\"n\", 1);").is(201).has("/snapshot_id", Value::Null), "page_id");
        client.state(&user).has("/inherited", true).has("/state/n", 0);
        let profile = json!({"base": "default", "user_floors": true});
        client.patch("/characters/c", json!({"profile": profile})).is(200);
        client.case("earlier turns are as they were");
        client.state(&user).has("/inherited", true).has("/state/n", 0).has("/fresh", true);
        client.case("the next turn reads all of it");
        client.turn("s", "@.ADD(\"n\", 10);").is(201);
        client.state(&user).has("/state/n", 1).has("/fresh", true).has("/inherited", Value::Null);
        client.get("/sessions/s/state").is(200).has("/state/n", 11);
        client.case("a session that is made now does so from the beginning");
        client.post("/sessions", json!({"id": "t", "character_id": "c"})).is(201);
        let turn = client.post("/sessions/t/turns", json!({"role": "user", "content": "@.ADD(\"n\", 1);"}));
        turn.is(201).has("/change/0/value", 1);
        client.case("and processing follows too");
        client.patch("/characters/c", json!({"profile": null})).is(200);
        client.post("/sessions/t/process", json!({})).is(200);
        client.state(&text(&turn, "page_id")).has("/inherited", true).has("/state/n", 0);
        client.case("which page is the latest is asked after that");
        client.turn("t", "@.ADD(\"n\", 2);").is(201);
        let last = client.post("/sessions/t/turns", json!({"role": "user", "content": "@.ADD(\"n\", 3);"}));
        client.patch("/characters/c", json!({"profile": {"base": "default", "user_floors": true}})).is(200);
        let latest = client.post("/sessions/t/process", json!({"mode": "latest"}));
        latest.is(200).has("/processed", 2).has("/floors/1/page_id", text(&last, "page_id").as_str());
        client.get("/sessions/t/state").is(200).has("/state/n", 6).has("/fresh", true);
    });
}

#[test]
fn an_export_has_characters() {
    both(|client| {
        client.make_character("c", json!({"template": {"gold": 5}, "greetings": ["Hello."]}));
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        let export = client.ask("GET", "/account/export").unrecorded().send();
        let lines: Vec<Value> = export.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of = |kind: &str| lines.iter().find(|line| line["kind"] == kind).expect("a line").clone();
        assert_eq!(of("character")["data"]["greetings"], json!(["Hello."]));
        assert_eq!(of("character")["data"]["template"], json!({"gold": 5}));
        assert_eq!(of("session")["data"]["character_id"], "c");
    });
}
