//! Replies tried out over HTTP. Nothing is stored, so both databases answer alike.

use crate::support::{Answer, both};
use serde_json::{Value, json};

#[test]
fn a_reply_is_applied_and_nothing_is_stored() {
    both(|client| {
        client.case("apply");
        let answer = client.post(
            "/apply",
            json!({
                "id": 7,
                "state": {"yuki": {"affinity": 40, "mood": "calm"}},
                "reply": "She smiles. _.set('yuki.affinity', 33, 42);//a good talk\n@.FLY(1); @.UNSET(\"yuki.mood\");",
            }),
        );
        answer.is(200).has("/id", 7).has("/state", json!({"yuki": {"affinity": 42}}));
        answer.has(
            "/change",
            json!([
                {"op": "replace", "path": "/yuki/affinity", "value": 42},
                {"op": "remove", "path": "/yuki/mood"},
            ]),
        );
        answer.has(
            "/commands/0",
            json!({
                "dialect": "mvu", "name": "set", "args": ["'yuki.affinity'", "33", "42"], "span": [12, 43],
                "status": "applied", "reason": "a good talk",
            }),
        );
        answer.has("/commands/1/status", "refused").has("/commands/1/code", "unknown_function");
        answer.has("/problems/0/code", "stale_old_value").has("/problems/0/span", json!([12, 43]));
        client.get("/sessions").is(200).has_meta("total", 0);
        client.get("/variables").is(200).has_meta("total", 0);
    });
}

#[test]
fn profiles_and_schemas_count() {
    both(|client| {
        let body = |more: Value| {
            let mut body = json!({"state": {"hp": 1}, "reply": "@.SET(\"hp\", 500); @.SET(\"mp\", 1);"});
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            client.post("/apply", body)
        };
        client.case("a profile by name");
        body(json!({"profile": "strict"})).is(200).has("/state", json!({"hp": 500}));
        client.case("a profile with changes");
        body(json!({"profile": {"base": "strict", "create_missing": true}})).is(200).has("/state/mp", 1);
        client.case("our schema");
        let schema = json!({"properties": {"hp": {"maximum": 100}}, "additionalProperties": false});
        let answer = body(json!({"schema": schema}));
        answer.is(200).has("/state", json!({"hp": 1})).has("/commands/0/status", "refused");
        client.case("MVU's schema");
        let locked =
            json!({"type": "object", "properties": {"bag": {"type": "object", "properties": {}, "extensible": false}}});
        let reply = "_.assign('bag', 'rope', 1);";
        let mvu = |schema: Value| {
            client.post("/apply", json!({"profile": "mvu", "state": {"bag": {}}, "reply": reply, "schema": schema}))
        };
        mvu(locked).is(200).has("/commands/0/status", "refused");
    });
}

#[test]
fn a_wrong_request_is_refused_and_a_wrong_reply_is_not() {
    both(|client| {
        client.case("shapes");
        client.post("/apply", json!({})).refused(400, "validation_error").invalid_by("", "required");
        client.post("/apply", json!([])).refused(400, "validation_error");
        client.post("/apply", json!({"state": 1, "reply": 5})).invalid_by("/reply", "type");
        client.post("/apply", json!({"state": 1, "reply": "", "profile": "nobody"})).invalid_at("/profile");
        client.post("/apply", json!({"state": 1, "reply": "", "profile": {"bse": "mvu"}})).invalid_at("/profile");
        client.post("/apply", json!({"state": 1, "reply": "", "profile": null})).invalid_at("/profile");
        client.post("/apply", json!({"state": 1, "reply": "", "schema": 5})).invalid_by("/schema", "type");
        let unknown = json!({"state": 1, "reply": "", "schema": {"properties": {"a": {"maximun": 1}}}});
        client.post("/apply", unknown).invalid_at("/schema/properties/a");
        client.ask("POST", "/apply").text("application/json", "{\"state\":").send().refused(400, "malformed_json");
        client.ask("POST", "/apply").text("text/plain", "{}").send().refused(415, "unsupported_media_type");

        client.case("hostile replies");
        for reply in ["@.SET(", "_.set('a", "<JSONPatch>[{]", "@.SET(\"a[999999999]\", 1);", "\u{0}\u{feff}"] {
            client.post("/apply", json!({"state": {"a": []}, "reply": reply})).is(200).has("/state", json!({"a": []}));
        }
        client.case("a scalar state");
        client.post("/apply", json!({"state": null, "reply": "nothing"})).is(200).has("/state", Value::Null);

        client.case("16 MiB and no more");
        let body = |length: usize| {
            let frame = r#"{"state":{},"reply":""}"#;
            format!(r#"{{"state":{{}},"reply":"{}"}}"#, "x".repeat(length - frame.len()))
        };
        let ask = |text: String| client.ask("POST", "/apply").unrecorded().text("application/json", text).send();
        ask(body(16 * 1024 * 1024)).is(200);
        ask(body(16 * 1024 * 1024 + 1)).refused(413, "payload_too_large");
    });
}

#[test]
fn a_state_is_locked_as_the_template_of_a_session_with_this_profile() {
    both(|client| {
        let reply = "_.insert('', 'z', 1); _.remove('hp'); _.set('hp', 90);";
        let tree = json!({"type": "object", "extensible": false, "properties": {
            "hp": {"type": "number", "required": true}, "o": {"type": "object", "extensible": false, "properties": {}}}});
        for mvu_schema in [json!(true), tree] {
            let profile = json!({"base": "mvu", "mvu_schema": mvu_schema});
            let state = json!({"hp": 80, "o": {}});
            let applied = client.post("/apply", json!({"profile": profile, "state": state, "reply": reply}));
            applied.is(200).has("/state", json!({"hp": 90, "o": {}}));
            client.post("/sessions", json!({"id": "s", "profile": profile, "template": state})).is(201);
            let turn = client.post("/sessions/s/turns", json!({"role": "assistant", "content": reply}));
            let statuses = |answer: &Answer| {
                let commands = answer.data()["commands"].as_array().expect("a list").clone();
                commands.iter().map(|command| command["status"].clone()).collect::<Vec<_>>()
            };
            assert_eq!(statuses(&applied), statuses(turn.is(201)));
            client.get("/sessions/s/state").is(200).has("/state", applied.data()["state"].clone());
            client.delete("/sessions/s?permanent=true").is(200);
        }
    });
}
