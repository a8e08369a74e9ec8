//! Schemas and switched-off functions in the profiles of characters and sessions: whatever computes a state keeps them.

use super::story::text;
use crate::support::{Answer, Client, both};
use serde_json::{Value, json};

/// What the states of these stories may hold.
fn profile() -> Value {
    json!({"base": "default", "schema": {"properties": {
        "hp": {"type": "integer", "minimum": 0, "maximum": 100, "clamp": true},
        "id": {"readOnly": true},
        "name": {"type": "string", "maxLength": 5},
        "bag": {"type": "object", "additionalProperties": {"properties": {"count": {"type": "integer", "default": 1}}}},
    }}})
}

fn template() -> Value {
    json!({"hp": 80, "id": "x1", "name": "Yuki", "bag": {}})
}

/// A clamp, a read-only value, a value that is too long, a default, and a command that nothing forbids.
const REPLY: &str = "@.ADD(\"hp\", 50); @.SET(\"id\", \"y\"); @.SET(\"name\", \"Yukihime\"); @.SET(\"bag.rope\", {}); \
    @.SET(\"free\", [1]);";

fn after() -> Value {
    json!({"hp": 100, "id": "x1", "name": "Yuki", "bag": {"rope": {"count": 1}}, "free": [1]})
}

/// Status and code of every command.
fn outcomes(answer: &Answer) -> Value {
    let commands = answer.data()["commands"].as_array().expect("commands").clone();
    commands.iter().map(|command| json!([command["status"], command["code"]])).collect()
}

#[track_caller]
fn is_enforced(answer: &Answer) {
    let wanted = json!([
        ["repaired", null],
        ["refused", "read_only"],
        ["refused", "out_of_range"],
        ["repaired", null],
        ["applied", null]
    ]);
    assert_eq!(outcomes(answer), wanted, "{}", answer.text);
}

impl Client {
    /// Two sessions with the schema: one has it from its character, the other has its own.
    #[track_caller]
    fn make_guarded(&self, greetings: &[&str]) -> [&'static str; 2] {
        let character = json!({"id": "c", "name": "Yuki", "template": template(), "profile": profile(),
            "greetings": greetings});
        self.post("/characters", character).is(201).has("/profile", profile());
        self.post("/sessions", json!({"id": "theirs", "character_id": "c"})).is(201).has("/profile", Value::Null);
        let own = json!({"id": "own", "template": template(), "profile": profile(), "greetings": greetings});
        self.post("/sessions", own).is(201).has("/profile", profile());
        ["theirs", "own"]
    }
}

#[test]
fn turns_and_swipes_keep_the_schema() {
    both(|client| {
        for session in client.make_guarded(&[]) {
            client.case(session);
            let turn = client.turn(session, REPLY);
            is_enforced(turn.is(201));
            client.get(&format!("/sessions/{session}/state")).is(200).has("/state", after());
            let floor = text(&turn, "floor_id");
            let change = client.get(&format!("/floors/{floor}/change?include_commands=true"));
            is_enforced(change.is(200));
            assert_eq!(change.data()["problems"], turn.data()["problems"]);
            client.case("a swipe starts from the state before, under the same rules");
            let body = json!({"role": "assistant", "content": "@.SUB(\"hp\", 500);", "swipe_of": floor,
                "include_state": true});
            let swipe = client.post(&format!("/sessions/{session}/turns"), body);
            swipe.is(201).has("/state/hp", 0).has("/commands/0/status", "repaired");
            client.case("the next turn builds on what the schema made of it");
            client.turn(session, "@.ADD(\"hp\", 7);").is(201).has("/change/0/value", 7);
        }
    });
}

#[test]
fn greetings_keep_the_schema() {
    both(|client| {
        for session in client.make_guarded(&[REPLY, "@.SUB(\"hp\", 500); @.UNSET(\"id\");"]) {
            client.case(session);
            let state = client.get(&format!("/sessions/{session}/state"));
            state.is(200).has("/state", after()).has("/fresh", true);
            let floor = text(&state, "floor_id");
            let pages = client.get(&format!("/pages?floor_id={floor}")).is(200).column("id");
            let other = pages[1].as_str().expect("a second greeting");
            client.post(&format!("/pages/{other}/activate"), json!({})).is(200);
            let state = client.get(&format!("/sessions/{session}/state"));
            state.is(200).has("/state/hp", 0).has("/state/id", "x1");
        }
    });
}

#[test]
fn synced_and_processed_texts_keep_the_schema() {
    both(|client| {
        for session in client.make_guarded(&[]) {
            client.case(session);
            let reply = |content: &str| json!({"role": "assistant", "swipes": [{"content": content}]});
            let floors = json!({"floors": [reply(REPLY), reply("@.ADD(\"hp\", 1); @.SET(\"id\", 1);")]});
            client.post(&format!("/sessions/{session}/sync"), floors).is(200).has("/applied", true);
            client.get(&format!("/sessions/{session}/state")).is(200).has("/state", after()).has("/fresh", true);
            client.case("pages that nobody processed yet");
            client.unprocessed(session, &format!("{session}.late"), "output", "@.SUB(\"hp\", 30); @.UNSET(\"id\");");
            let report = client.post(&format!("/sessions/{session}/process"), json!({}));
            report.is(200).has("/processed", 1).has("/refused", 1);
            client.state(&format!("{session}.late.p")).has("/state/hp", 70).has("/state/id", "x1");
            client.case("everything again");
            let path = format!("/sessions/{session}/process");
            client.post(&path, json!({"mode": "all"})).is(200).has("/unchanged", 3).has("/processed", 0);
            client.state(&format!("{session}.late.p")).has("/state/hp", 70);
            client.case("an edited text");
            client.patch(&format!("/pages/{session}.late.p"), json!({"content": "@.SUB(\"hp\", 1000);"})).is(200);
            client.post(&path, json!({})).is(200).has("/processed", 1);
            client.state(&format!("{session}.late.p")).has("/state/hp", 0);
        }
    });
}

#[test]
fn mvus_schema_locks_what_the_template_does_not_open() {
    both(|client| {
        let template = json!({"bag": {"$meta": {"extensible": true}, "rope": 1}, "body": {"hp": 5}});
        let body = json!({"id": "marks", "template": template, "profile": "mvu"});
        client.post("/sessions", body).is(201);
        client.case("the state starts without the marks");
        client.get("/sessions/marks/state").is(200).has("/state", json!({"bag": {"rope": 1}, "body": {"hp": 5}}));
        client.get("/sessions/marks/template").is(200).has("/template", template.clone());
        client.case("what is open can be extended, what is not is locked, from turn to turn");
        for round in 0..3 {
            let turn = client.turn(
                "marks",
                &format!("_.insert('bag', 'torch{round}', {{\"n\": 1}});//a\n_.insert('body', 'mp', 1);//b"),
            );
            assert_eq!(outcomes(turn.is(201)), json!([["applied", null], ["refused", "protected"]]), "{}", turn.text);
        }
        client.case("what a turn brought is part of the schema, and locked as such");
        let turn = client.turn("marks", "_.insert('bag.torch0', 'oil', 1);//c");
        turn.is(201).has("/commands/0/code", "protected");
        client.case("a schema that is given takes the place of what the marks say, and the marks leave the state");
        let locked = json!({"type": "object", "extensible": false, "properties": {}});
        let locked = json!({"type": "object", "properties": {"bag": locked}});
        let profile = json!({"base": "mvu", "mvu_schema": locked});
        client.post("/sessions", json!({"id": "both", "template": template, "profile": profile})).is(201);
        client.get("/sessions/both/state").is(200).has("/state", json!({"bag": {"rope": 1}, "body": {"hp": 5}}));
        client.turn("both", "_.insert('bag', 'torch', 1);//e").is(201).has("/commands/0/code", "protected");
        client.case("without marks only who asks for it has a schema");
        let open = |properties: Value| json!({"type": "object", "extensible": true, "properties": properties});
        let given = open(json!({"body": open(json!({"bag": open(json!({}))}))}));
        for (id, profile, status) in [
            ("open", json!("mvu"), "applied"),
            ("made", json!({"base": "mvu", "mvu_schema": true}), "refused"),
            ("given", json!({"base": "mvu", "mvu_schema": given}), "applied"),
        ] {
            let body = json!({"id": id, "template": {"body": {"bag": {}}}, "profile": profile});
            client.post("/sessions", body).is(201).has("/profile", profile.clone());
            client.turn(id, "_.insert('body.bag', 'rope', 1);//d").is(201).has("/commands/0/status", status);
        }
    });
}

#[test]
fn functions_that_a_profile_switches_off_do_nothing() {
    both(|client| {
        let body = json!({"id": "s", "template": {"n": 1}, "profile": {"disabled": ["ADD", "set", "replace"]}});
        client.post("/sessions", body).is(201);
        let reply = "@.ADD(\"n\", 1); _.set('n', 1, 5);//x\n@.SET(\"n\", 7); \
            <JSONPatch>[{\"op\": \"replace\", \"path\": \"/n\", \"value\": 9}]</JSONPatch>";
        let turn = client.turn("s", reply);
        let code = "unknown_function";
        let wanted = json!([["refused", code], ["refused", code], ["applied", null], ["refused", code]]);
        assert_eq!(outcomes(turn.is(201)), wanted, "{}", turn.text);
        client.get("/sessions/s/state").is(200).has("/state", json!({"n": 7}));
        client.case("switched on again, the same text does more");
        client.patch("/sessions/s", json!({"profile": {"disabled": "ADD"}})).is(200);
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200).has("/refused", 1);
        client.get("/sessions/s/state").is(200).has("/state", json!({"n": 9}));
    });
}

#[test]
fn a_profile_that_cannot_be_read_is_refused_with_its_place() {
    both(|client| {
        client.make_story("s", json!({}));
        client.post("/characters", json!({"id": "c", "name": "c"})).is(201);
        let misspelt = json!({"schema": {"properties": {"hp": {"maximun": 100}}}});
        let bodies = [
            (misspelt, "/profile/schema/properties/hp", "`maximun` is not supported"),
            (json!({"schema": {"items": {"type": "text"}}}), "/profile/schema/items", "`type` cannot be"),
            (json!({"schema": 5}), "/profile/schema", "a schema is an object"),
            (json!({"mvu_schema": {"type": "object"}}), "/profile", "needs the base `mvu`"),
            (json!({"base": "mvu", "mvu_schema": 5}), "/profile", "\"mvu_schema\" cannot have this value"),
            (
                json!({"base": "mvu", "mvu_schema": {"type": "thing"}}),
                "/profile",
                "\"mvu_schema\" cannot have this value",
            ),
            (json!({"disabled": [1]}), "/profile", "\"disabled\" cannot have this value"),
            (json!({"recent_texts": 21}), "/profile", "\"recent_texts\" cannot have this value"),
            (json!({"recent_texts": -1}), "/profile", "\"recent_texts\" cannot have this value"),
            (json!({"recent_texts": 1.5}), "/profile", "\"recent_texts\" cannot have this value"),
            (json!({"recent_texts": "3"}), "/profile", "\"recent_texts\" cannot have this value"),
            (json!({"shcema": {}}), "/profile", "no field \"shcema\""),
        ];
        for (profile, place, words) in bodies {
            for (method, path, body) in [
                ("POST", "/sessions", json!({"profile": profile})),
                ("PATCH", "/sessions/s", json!({"profile": profile})),
                ("POST", "/characters", json!({"name": "n", "profile": profile})),
                ("PATCH", "/characters/c", json!({"profile": profile})),
                ("POST", "/apply", json!({"state": {}, "reply": "", "profile": profile})),
            ] {
                client.ask(method, path).json(body).send().invalid_at(place).invalid(words);
            }
        }
        client.get("/sessions/s").is(200).has("/profile", Value::Null);
        client.get("/characters/c").is(200).has("/profile", Value::Null);
        client.case("at the limit");
        for count in [0, 1, 20] {
            let profile = json!({"recent_texts": count});
            client.patch("/sessions/s", json!({"profile": profile})).is(200).has("/profile", profile.clone());
            client.turn("s", "@.ADD(\"n\", 1);").is(201).has("/commands/0/status", "applied");
        }
    });
}

#[test]
fn a_profile_is_given_back_as_written_and_another_one_makes_states_outdated() {
    both(|client| {
        // Members in an order of their own, and a null.
        let written =
            r#"{"schema":{"properties":{"b":{"maximum":100},"a":{"minimum":0.5}}},"base":"strict","disabled":null}"#;
        let body = format!(r#"{{"id":"s","template":{{"a":1,"b":2}},"profile":{written}}}"#);
        client.ask("POST", "/sessions").text("application/json", body).send().is(201);
        let body = format!(r#"{{"id":"c","name":"c","profile":{written}}}"#);
        client.ask("POST", "/characters").text("application/json", body).send().is(201);
        for path in ["/sessions/s", "/characters/c"] {
            let answer = client.get(path);
            let spelled: Value = serde_json::from_str(written).unwrap();
            answer.is(200).has("/profile", spelled);
            let order = ["\"schema\"", "\"base\"", "\"disabled\""].map(|name| answer.text.find(name));
            answer.must(order.is_sorted() && order[0].is_some(), "the order of its members");
        }
        client.turn("s", "@.ADD(\"a\", 1);").is(201);
        let outdated = |wanted: Value| {
            client.get("/sessions/s/state").is(200).has("/fresh", true).has("/outdated", wanted);
        };
        let schema = json!({"properties": {"b": {"maximum": 100}, "a": {"minimum": 0.5}}});
        for (case, profile, wanted) in [
            ("the same in other words", json!({"base": "strict", "schema": schema}), Value::Null),
            (
                "what it says anyway",
                json!({"schema": schema, "base": "strict", "merge": "deep", "recent_texts": 0}),
                Value::Null,
            ),
            ("without the schema", json!("strict"), json!(true)),
            ("with another schema", json!({"base": "strict", "schema": {"properties": {}}}), json!(true)),
            ("with a function less", json!({"base": "strict", "schema": schema, "disabled": "SET"}), json!(true)),
            ("with more texts", json!({"base": "strict", "schema": schema, "recent_texts": 3}), json!(true)),
            ("with the first one again", json!({"base": "strict", "schema": schema}), Value::Null),
        ] {
            client.case(case);
            client.patch("/sessions/s", json!({"profile": profile})).is(200).has("/profile", profile.clone());
            outdated(wanted);
        }
        client.case("processing with another one");
        client.patch("/sessions/s", json!({"profile": "strict"})).is(200);
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200).has("/processed", 1);
        outdated(Value::Null);
        client.case("the character's, once the session has none of its own");
        client.patch("/sessions/s", json!({"profile": null, "character_id": "c"})).is(200);
        outdated(json!(true));
        client.patch("/characters/c", json!({"profile": "strict"})).is(200);
        outdated(Value::Null);
    });
}
