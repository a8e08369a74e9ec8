//! Later floors follow what changes before them, and answers say what became stale; and states say what they are.

use super::story::text;
use super::sync::add;
use crate::support::{Answer, Client, both};
use serde_json::{Value, json};

fn taken(client: &Client) -> [Answer; 3] {
    client.make_story("s", json!({"n": 0}));
    [1, 10, 100].map(|number| client.turn("s", &add(number)))
}

#[track_caller]
fn state(client: &Client, n: i64) {
    client.get("/sessions/s/state").is(200).has("/fresh", true).has("/state/n", n);
}

#[test]
fn later_floors_follow_a_page_on_an_earlier_floor() {
    both(|client| {
        let [first, ..] = taken(client);
        let body = json!({"floor_id": text(&first, "floor_id"), "role": "assistant", "content": add(5)});
        client.post("/pages", body).is(201).has("/is_active", true).has("/stale", Value::Null);
        state(client, 115);
    });
}

#[test]
fn later_floors_follow_a_turn_in_the_middle() {
    both(|client| {
        let [_, second, _] = taken(client);
        client.delete(&format!("/floors/{}", text(&second, "floor_id"))).is(200);
        client.post("/sessions/s/process", json!({})).is(200);
        let body = json!({"role": "assistant", "content": add(3), "floor_no": 1});
        let turn = client.post("/sessions/s/turns", body);
        turn.is(201).has("/stale", Value::Null);
        state(client, 104);
        client.case("and a draft that is committed there");
        client.delete(&format!("/floors/{}", text(&turn, "floor_id"))).is(200);
        client.post("/sessions/s/process", json!({})).is(200);
        let floor = client.post("/floors", json!({"session_id": "s", "floor_no": 1}));
        let floor = text(floor.is(201), "id");
        client.post("/pages", json!({"floor_id": floor, "role": "assistant", "content": add(9)})).is(201);
        state(client, 101);
        client.post(&format!("/floors/{floor}/generate"), json!({})).is(200);
        client.post(&format!("/floors/{floor}/commit"), json!({})).is(200).has("/stale", Value::Null);
        state(client, 110);
    });
}

#[test]
fn an_edit_without_processing_says_what_it_leaves_stale() {
    both(|client| {
        let [first, ..] = taken(client);
        let path = format!("/pages/{}/state", text(&first, "page_id"));
        let etag = client.get(&path).is(200).etag();
        let edited = client.patch(&path, json!({"patch": {"n": 7}, "process": false}));
        edited.is(200).has("/stale", json!({"floors": 2, "first_floor_no": 1}));
        client.case("the tag of the state is what PATCH compares");
        let patch =
            |tag: &str| client.ask("PATCH", &path).header("if-match", tag).json(json!({"patch": {"n": 8}})).send();
        patch(&etag).refused(412, "precondition_failed");
        let etag = client.get(&path).is(200).etag();
        patch(&etag).is(200).has("/stale", Value::Null);
        state(client, 118);
    });
}

#[test]
fn a_message_without_commands_shows_the_state_before_it_as_its_own() {
    both(|client| {
        let [_, _, third] = taken(client);
        let said = client.post("/sessions/s/turns", json!({"role": "user", "content": "I bow."}));
        let (page, floor) = (text(said.is(201), "page_id"), text(&said, "floor_id"));
        let state = client.get(&format!("/pages/{page}/state"));
        state.is(200).has("/state/n", 111).has("/inherited", true).has("/fresh", true);
        state.has("/page_id", page.as_str()).has("/floor_id", floor.as_str()).has("/snapshot_id", Value::Null);
        client.state(&text(&third, "page_id")).has("/snapshot_id", text(&third, "snapshot_id"));
    });
}

#[test]
fn refusals_name_the_way_out() {
    both(|client| {
        let [first, second, _] = taken(client);
        client.case("a fork with a page of another floor");
        let path = format!("/floors/{}/branch", text(&second, "floor_id"));
        let refused = client.post(&path, json!({"branch_id": "k", "page_id": text(&first, "page_id")}));
        refused.refused(404, "page_not_found").says("name a page of this floor, or leave page_id out");
        client.case("a branch that does not exist");
        let page = text(&first, "page_id");
        let refused = client.patch(&format!("/pages/{page}/state?branch_id=nope"), json!({"patch": {"n": 1}}));
        refused.refused(404, "branch_not_found").says("Branch 'nope' not found in session 's'");
        client.delete(&format!("/floors/{}?branch_id=nope", text(&first, "floor_id"))).refused(404, "branch_not_found");
        client.case("a global snapshot has no chat_file");
        client.post("/global-snapshots", json!({"id": "g", "name": "n", "body": {}})).is(201);
        let trash = client.delete("/global-snapshots/g").is(200).header("trash-id");
        let path = format!("/trash/{trash}/restore");
        let refused = client.post(&path, json!({"id": "g2", "chat_file": "z"}));
        refused.refused(409, "invalid_state").says("has no chat_file; leave chat_file out; another id is allowed");
        client.post(&path, json!({"id": "g2"})).is(200).has("/id", "g2");
    });
}
