//! An export holds everything that somebody made.

use crate::support::{Client, both};
use serde_json::{Value, json};

/// The lines of an export, each with its kind.
fn lines(client: &Client) -> Vec<Value> {
    let export = client.ask("GET", "/account/export").unrecorded().send();
    export.is(200).text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What is of one kind, in its order.
fn of(lines: &[Value], kind: &str) -> Vec<Value> {
    lines.iter().filter(|line| line["kind"] == kind).map(|line| line["data"].clone()).collect()
}

#[test]
fn states_and_what_they_are_made_of_are_exported() {
    both(|client| {
        let profile = json!({"base": "default", "user_floors": true});
        client.post("/characters", json!({"id": "c", "name": "Yuki", "template": {"gold": 5}})).is(201);
        let session = json!({"id": "s", "character_id": "c", "template": {"gold": 7}, "profile": profile});
        client.post("/sessions", session).is(201);
        let say = |text: &str| {
            let turn = json!({"role": "assistant", "content": text});
            client.post("/sessions/s/turns", turn).is(201).data()
        };
        let first = say("@.ADD(\"gold\", 1);");
        let second = say("@.ADD(\"gold\", 10);");
        let path = format!("/snapshots/{}", first["snapshot_id"].as_str().unwrap());
        client.put(&path, json!({"state": {"gold": 100, "by": "hand"}})).is(200);
        let orphan = say("@.SET(\"gold\", 0);");
        client.delete(&format!("/floors/{}", orphan["floor_id"].as_str().unwrap())).is(200);

        let lines = lines(client);
        let edits = of(&lines, "page_edits");
        assert_eq!(edits.len(), 1, "{edits:?}");
        assert_eq!(edits[0]["page_id"], first["page_id"]);
        let patch = json!([{"op": "add", "path": "/gold", "value": 100, "old": 8}, {"op": "add", "path": "/by", "value": "hand"}]);
        assert_eq!((&edits[0]["edits"][0]["kind"], &edits[0]["edits"][0]["patch"]), (&json!("edit"), &patch));
        let trash = of(&lines, "trash");
        assert_eq!(trash.len(), 1, "{trash:?}");
        assert_eq!((&trash[0]["kind"], &trash[0]["session_id"]), (&json!("floors"), &json!("s")));
        assert_eq!(trash[0]["pages"][0]["content"], "@.SET(\"gold\", 0);");
        assert_eq!(trash[0]["pages"][0]["snapshot_id"], orphan["snapshot_id"]);
        let session = &of(&lines, "session")[0];
        assert_eq!(session["template"], json!({"gold": 7}));
        assert_eq!(session["profile"], profile);
        assert_eq!((&session["character_id"], &session["enabled"]), (&json!("c"), &json!(true)));
        assert_eq!(of(&lines, "character")[0]["template"], json!({"gold": 5}));
        let snapshots = of(&lines, "snapshot");
        let exported: Vec<_> =
            snapshots.iter().map(|it| [&it["id"], &it["page_id"], &it["state"], &it["edited"]]).collect();
        assert_eq!(
            exported,
            [
                [&first["snapshot_id"], &first["page_id"], &json!({"gold": 100, "by": "hand"}), &json!(true)],
                [&second["snapshot_id"], &second["page_id"], &json!({"gold": 110, "by": "hand"}), &json!(false)],
                [&orphan["snapshot_id"], &Value::Null, &json!({"gold": 0, "by": "hand"}), &json!(false)],
            ]
        );
        let recipes = of(&lines, "recipe");
        for snapshot in &snapshots {
            assert!(recipes.iter().any(|recipe| recipe["id"] == snapshot["recipe_id"]), "{snapshot}");
            assert!(snapshot["told_at"].is_i64() && snapshot["round"].is_i64(), "{snapshot}");
        }
        assert_eq!(recipes[0]["session_id"], "s");
        assert_eq!(recipes[0]["recipe"]["profile"]["user_floors"], true);
    });
}

#[test]
fn many_states_are_exported_in_their_order() {
    both(|client| {
        client.make_session("s");
        let floors: Vec<_> = (0..40)
            .map(|at| json!({"role": "assistant", "swipes": [{"content": format!("@.SET(\"n\", {at});")}]}))
            .collect();
        client.post("/sessions/s/sync", json!({"floors": floors})).is(200);
        client.make_session("t");
        client.post("/sessions/t/turns", json!({"role": "assistant", "content": "@.SET(\"n\", 40);"})).is(201);
        let states: Vec<_> = of(&lines(client), "snapshot").into_iter().map(|it| it["state"]["n"].clone()).collect();
        assert_eq!(states, (0..=40).map(Value::from).collect::<Vec<_>>());
    });
}

#[test]
fn what_a_deleted_character_said_stays_with_its_sessions() {
    both(|client| {
        let profile = json!({"base": "default", "user_floors": true});
        let character =
            json!({"id": "c", "name": "Yuki", "template": {"gold": 5}, "profile": profile, "enabled": false});
        client.post("/characters", character).is(201);
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        let session = |template: Value, profile: Value, enabled: bool| {
            let session = of(&lines(client), "session").remove(0);
            assert_eq!((&session["template"], &session["profile"]), (&template, &profile));
            assert_eq!(session["enabled"], enabled);
        };
        session(Value::Null, Value::Null, true);
        client.delete("/characters/c").is(200);
        assert!(of(&lines(client), "character").is_empty());
        session(json!({"gold": 5}), profile, false);
    });
}

#[test]
fn functions_are_exported() {
    both(|client| {
        let tick = json!({"name": "tick", "type": "passive", "timing": "after_active", "executor": "return snapshot;"});
        client.post("/functions", crate::support::tree::merge(tick.clone(), json!({"id": "mine"}))).is(201);
        client.patch("/functions/builtin:SET", json!({"enabled": false})).is(200);
        client.post("/characters", json!({"id": "c", "name": "Yuki", "functions": [tick]})).is(201);
        let local = "/functions/builtin:ADD?scope=character&character_id=c";
        client.patch(local, json!({"enabled": false})).is(200);
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        client.post("/sessions/s/turns", json!({"role": "assistant", "content": "hm"})).is(201);
        let all = lines(client);
        let functions = of(&all, "function");
        let shown: Vec<_> =
            functions.iter().map(|it| (it["id"].clone(), it["character_id"].clone(), it["enabled"].clone())).collect();
        let wanted =
            [("builtin:SET", Value::Null, false), ("mine", Value::Null, true), ("builtin:ADD", json!("c"), false)];
        assert_eq!(shown, wanted.map(|(id, character, enabled)| (json!(id), character, json!(enabled))));
        assert_eq!(of(&all, "character")[0]["functions"][0]["name"], "tick");
        let recipe = &of(&all, "recipe")[0]["recipe"];
        assert_eq!(recipe["global_functions"]["off"], json!(["SET"]));
        assert_eq!(recipe["local_functions"]["functions"][0]["executor"], "return snapshot;");
        client.case("what a deleted character said stays with its sessions");
        client.delete("/characters/c").is(200);
        let session = of(&lines(client), "session").remove(0);
        assert_eq!(session["functions"]["off"], json!(["ADD"]));
    });
}

#[test]
fn proposals_are_exported() {
    both(|client| {
        client.make_session("s");
        client.post("/floors", json!({"id": "f", "session_id": "s", "floor_no": 0})).is(201);
        client.post("/pages", json!({"id": "p", "floor_id": "f", "page_no": 0, "page_kind": "output"})).is(201);
        let write = json!({"key": "mood", "op": "set", "value": "calm", "reason": "tea"});
        client.post("/pages/p/variables/staged", write).is(201);
        let staged = of(&lines(client), "staged_writes");
        assert_eq!(staged.len(), 1);
        assert_eq!((&staged[0]["page_id"], &staged[0]["items"][0]["value"]), (&json!("p"), &json!("calm")));
    });
}
