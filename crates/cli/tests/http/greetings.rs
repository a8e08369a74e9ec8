//! Sessions that begin with greetings: floor 0, one swipe each, each with a state of its own.

use crate::support::{Client, both};
use serde_json::{Value, json};

/// The pages of a session's first floor, in the order of their swipes.
#[track_caller]
fn swipes(client: &Client, session: &str) -> Vec<Value> {
    let floors = client.get(&format!("/floors?session_id={session}"));
    floors.is(200).has_meta("total", 1).has("/0/floor_no", 0).has("/0/state", "committed");
    let floor = floors.column("id")[0].as_str().expect("a floor").to_owned();
    let pages = client.get(&format!("/pages?floor_id={floor}&content=true"));
    pages.is(200).data().as_array().expect("a list").clone()
}

#[track_caller]
fn page(pages: &[Value], number: usize) -> String {
    pages[number]["id"].as_str().expect("an id").to_owned()
}

#[test]
fn each_greeting_is_a_swipe_with_a_state_of_its_own() {
    both(|client| {
        let body = json!({
            "id": "c",
            "name": "Yuki",
            "template": {"gold": 5},
            "greetings": ["Hello. @.ADD(\"gold\", 1);", "Hi. @.SET(\"gold\", 100);", "Oh."],
        });
        client.post("/characters", body).is(201);
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        let pages = swipes(client, "s");
        assert_eq!(pages.len(), 3);
        client.case("the first one is active");
        let active: Vec<_> = pages.iter().map(|page| page["is_active"].clone()).collect();
        assert_eq!(active, [true, false, false]);
        assert_eq!(pages[1]["version"], 1);
        assert_eq!((&pages[0]["name"], &pages[0]["role"]), (&json!("Yuki"), &json!("assistant")));
        client.case("all of them are computed from the template");
        for (number, gold) in [(0, 6), (1, 100), (2, 5)] {
            let state = client.state(&page(&pages, number));
            state
                .has("/state/gold", gold)
                .has("/fresh", true)
                .has("/inherited", Value::Null)
                .has("/outdated", Value::Null);
        }
        client.get("/sessions/s/state").is(200).has("/state/gold", 6).has("/page_id", page(&pages, 0));
        client.case("choosing another needs no processing, and the story builds on it");
        client.post(&format!("/pages/{}/activate", page(&pages, 1)), json!({})).is(200);
        client.get("/sessions/s/state").is(200).has("/state/gold", 100);
        client.turn("s", "@.ADD(\"gold\", 1);").is(201).has("/floor_no", 1).has("/change/0/value", 101);
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 0);
        client.case("what the character says later changes nothing here");
        client.patch("/characters/c", json!({"greetings": ["Bye."]})).is(200);
        client.get("/sessions/s/state").is(200).has("/state/gold", 101).has("/outdated", Value::Null);
    });
}

#[test]
fn a_session_can_greet_by_itself() {
    both(|client| {
        client.case("without a character");
        let body = json!({"id": "s", "template": {"n": 1}, "greetings": ["@.ADD(\"n\", 1);"]});
        client.post("/sessions", body).is(201).has("/character_id", Value::Null);
        let pages = swipes(client, "s");
        assert_eq!(pages[0]["name"], Value::Null);
        client.state(&page(&pages, 0)).has("/state/n", 2).has("/fresh", true);
        client.case("with other words than its character, or none");
        client.post("/characters", json!({"id": "c", "name": "c", "greetings": ["Hello."]})).is(201);
        client.post("/sessions", json!({"id": "own", "character_id": "c", "greetings": ["Mine."]})).is(201);
        assert_eq!(swipes(client, "own").len(), 1);
        assert_eq!(swipes(client, "own")[0]["content"], "Mine.");
        client.post("/sessions", json!({"id": "silent", "character_id": "c", "greetings": []})).is(201);
        client.get("/floors?session_id=silent").is(200).has_meta("total", 0);
        client.case("at the limit and over it");
        client.post("/sessions", json!({"id": "many", "greetings": vec!["hi"; 100]})).is(201);
        client.get("/floors?session_id=many").is(200).has_meta("total", 1);
        client.post("/sessions", json!({"greetings": vec!["hi"; 101]})).invalid_by("/greetings", "maxItems");
        client.post("/sessions", json!({"greetings": "hi"})).invalid_at("/greetings");
        client.case("a greeting may say nothing");
        client.post("/sessions", json!({"id": "quiet", "template": {"n": 1}, "greetings": [""]})).is(201);
        client
            .get("/sessions/quiet/state")
            .is(200)
            .has("/state/n", 1)
            .has("/fresh", true)
            .has("/inherited", Value::Null);
    });
}

#[test]
fn a_disabled_character_greets_without_a_state() {
    both(|client| {
        let body = json!({"id": "c", "name": "c", "enabled": false, "greetings": ["@.SET(\"n\", 1);"]});
        client.post("/characters", body).is(201);
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        let pages = swipes(client, "s");
        client
            .state(&page(&pages, 0))
            .has("/inherited", true)
            .has("/state", json!({}))
            .has("/snapshot_id", Value::Null);
        client.patch("/characters/c", json!({"enabled": true})).is(200);
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 1);
        client.state(&page(&pages, 0)).has("/state/n", 1).has("/fresh", true);
    });
}

#[test]
fn a_session_that_is_refused_leaves_nothing() {
    both(|client| {
        client.post("/sessions", json!({"id": "s"})).is(201);
        client.post("/sessions", json!({"id": "s", "greetings": ["Hello."]})).refused(409, "id_taken");
        client.get("/floors?session_id=s").is(200).has_meta("total", 0);
        let body = json!({"id": "t", "chat_file": "s", "greetings": ["Hello."]});
        client.post("/sessions", body).refused(409, "id_taken");
        client.get("/sessions/t").refused(404, "session_not_found");
    });
}
