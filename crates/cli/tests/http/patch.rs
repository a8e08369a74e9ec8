//! JSON Patch on a variable.

use crate::support::{Answer, Client, both, chat, floor};
use serde_json::{Value, json};

fn patch(client: &Client, id: &str, operations: Value) -> Answer {
    client.patch(&format!("/variables/{id}"), json!({"patch": operations}))
}

#[test]
fn parts_of_a_value_change() {
    both(|client| {
        client.make_session("s");
        let made = client.set(chat("s"), "bag", json!({"items": ["torch"], "gold": 5}));
        let id = made.is(201).id();
        client.case("several operations are one write");
        let patched = patch(
            client,
            &id,
            json!([
                {"op": "test", "path": "/gold", "value": 5},
                {"op": "add", "path": "/items/-", "value": "rope"},
                {"op": "copy", "from": "/items/0", "path": "/first"},
                {"op": "move", "from": "/gold", "path": "/silver"},
                {"op": "replace", "path": "/silver", "value": 50},
            ]),
        );
        let wanted = json!({"items": ["torch", "rope"], "first": "torch", "silver": 50});
        patched.is(200).has("/value", wanted.clone()).has("/id", id.as_str()).has("/key", "bag");
        assert_ne!(patched.etag(), made.etag());
        client.get(&format!("/variables/{id}")).is(200).has("/value", wanted);
        let history = client.get(&format!("/variables/{id}/history"));
        assert_eq!(history.is(200).column("source"), [json!("patch"), json!("put")]);

        client.case("a patch that does not fit changes nothing");
        let refused =
            patch(client, &id, json!([{"op": "remove", "path": "/first"}, {"op": "remove", "path": "/nothing"}]));
        refused.refused(422, "patch_failed");
        assert_eq!(refused.details()[0]["path"], "/patch/1");
        patch(client, &id, json!([{"op": "test", "path": "/silver", "value": 51}])).refused(422, "patch_failed");
        client.get(&format!("/variables/{id}")).is(200).has("/value/first", "torch");
        client.case("an empty one fits always");
        patch(client, &id, json!([])).is(200).has("/value/first", "torch");
    });
}

#[test]
fn conditions_and_locks_are_honoured() {
    both(|client| {
        client.make("s");
        let made = client.set(floor("s.f"), "k", 1);
        let (id, old) = (made.is(201).id(), made.etag());
        let path = format!("/variables/{id}");
        let body = json!({"patch": [{"op": "replace", "path": "", "value": 2}]});
        let with = |tag: &str| client.ask("PATCH", &path).header("if-match", tag).json(body.clone()).send();
        let new = with(&old).is(200).etag();
        with(&old).refused(412, "precondition_failed");
        with(&new).is(200);
        client
            .ask("PATCH", &path)
            .header("if-none-match", "*")
            .json(body.clone())
            .send()
            .refused(412, "precondition_failed");
        client.post("/floors/s.f/generate", json!({})).is(200);
        client.patch(&path, body.clone()).refused(409, "variable_target_locked");
        client.patch("/variables/nothing", body).refused(404, "variable_not_found");
    });
}

#[test]
fn a_patch_has_its_shape() {
    both(|client| {
        client.make_session("s");
        let id = client.set(chat("s"), "k", json!([1])).is(201).id();
        let path = format!("/variables/{id}");
        client.patch(&path, json!({})).invalid_by("", "required");
        client.patch(&path, json!({"patch": {}})).invalid_at("/patch");
        patch(client, &id, json!([5])).invalid_at("/patch/0");
        patch(client, &id, json!([{"op": "test", "path": "", "value": [1]}, {"op": "grow", "path": ""}]))
            .invalid_at("/patch/1/op");
        patch(client, &id, json!([{"op": "add", "path": "x", "value": 1}])).invalid_at("/patch/0/path");
        patch(client, &id, json!([{"op": "add", "path": "/0"}])).invalid_at("/patch/0");
        let many = vec![json!({"op": "test", "path": "/0", "value": 1}); 1_001];
        patch(client, &id, json!(many)).invalid_at("/patch");
        patch(client, &id, json!(many[1..])).is(200).has("/value", json!([1]));
    });
}
