//! What functions mean for stories: the next turn has them, states computed without them are outdated and never stale.

use super::functions::{active, passive};
use super::story::text;
use crate::support::{Answer, both};
use serde_json::{Value, json};

/// What came of the first command of a turn: its code, or its status.
fn first_code(turn: &Answer) -> String {
    turn.is(201);
    let data = turn.data();
    let command = &data["commands"][0];
    command["code"].as_str().or(command["status"].as_str()).unwrap_or_default().to_owned()
}

#[test]
fn the_next_turn_has_a_new_function_and_earlier_states_are_outdated() {
    both(|client| {
        client.make_story("s", json!({"hp": 1}));
        let page = text(&client.turn("s", "@.ADD(\"hp\", 1);"), "page_id");
        assert_eq!(first_code(&client.turn("s", "@.HEAL(1);")), "unknown_function");
        client.case("a function for the account");
        let id = client.make_function("", active("HEAL"));
        assert_ne!(first_code(&client.turn("s", "@.HEAL(1);")), "unknown_function");
        client.case("earlier states are outdated, which is not stale");
        client.state(&page).has("/outdated", true).has("/fresh", true).has("/state/hp", 2);
        client.case("what says nothing to turns makes nothing outdated");
        let page = text(&client.turn("s", "hm"), "page_id");
        let path = format!("/functions/{id}");
        client.patch(&path, json!({"description": "heals", "example": "@.HEAL(5);"})).is(200);
        client.post("/functions/import", json!({"version": "1.0", "functions": [active("OTHER")]})).is(201);
        client.state(&page).has("/outdated", Value::Null);
        client.case("code does, and back again it does not");
        let code = client.get(&path).data()["executor"].clone();
        client.patch(&path, json!({"executor": "return snapshot;"})).is(200);
        client.state(&page).has("/outdated", true).has("/fresh", true);
        client.patch(&path, json!({"executor": code})).is(200);
        client.state(&page).has("/outdated", Value::Null);
        client.case("disabled it is gone for the next turn");
        client.patch(&path, json!({"enabled": false})).is(200);
        assert_eq!(first_code(&client.turn("s", "@.HEAL(1);")), "unknown_function");
        client.state(&page).has("/outdated", true);
    });
}

#[test]
fn a_built_in_function_that_is_off_does_nothing() {
    both(|client| {
        client.make_character("c", json!({"template": {"gold": 1}}));
        client.post("/sessions", json!({"id": "theirs", "character_id": "c"})).is(201);
        client.make_story("own", json!({"gold": 1}));
        let tries = |wanted: [&str; 2]| {
            let codes = ["theirs", "own"].map(|session| first_code(&client.turn(session, "@.SET(\"gold\", 2);")));
            assert_eq!(codes, wanted);
        };
        tries(["applied", "applied"]);
        client.case("off for the account");
        client.patch("/functions/builtin:SET", json!({"enabled": false})).is(200);
        tries(["unknown_function", "unknown_function"]);
        client.patch("/functions/builtin:SET", json!({"enabled": true})).is(200);
        tries(["applied", "applied"]);
        client.case("off for a character");
        let local = "/functions/builtin:SET?scope=character&character_id=c";
        client.patch(local, json!({"enabled": false})).is(200);
        tries(["unknown_function", "applied"]);
        client.case("a deleted character stays as it was for its sessions");
        client.delete("/characters/c").is(200);
        tries(["unknown_function", "applied"]);
    });
}

#[test]
fn functions_of_a_character_count_for_its_sessions() {
    both(|client| {
        client.case("a card brings its functions along");
        let card = json!({"template": {"hp": 1}, "functions": [
            {"id": "uuid-yyy", "name": "HEAL", "type": "active", "enabled": true, "order": 2, "executor": "return snapshot;",
                "pattern": "", "builtin": false},
            {"name": "tick", "type": "passive", "timing": "after_active", "enabled": false, "order": 1, "pattern": "x",
                "executor": "return snapshot;"},
        ]});
        client.make_character("c", card);
        let character = client.get("/characters/c");
        character.is(200).has("/functions/0/name", "tick").has("/functions/0/enabled", false);
        character.has("/functions/1/name", "HEAL").has("/functions/1/pattern", Value::Null);
        let heal = character.data()["functions"][1]["id"].as_str().unwrap_or_default().to_owned();
        assert_ne!(heal, "uuid-yyy", "an id of another program has no meaning here");
        client.get(&format!("/functions/{heal}")).is(200).has("/scope", "character").has("/character_id", "c");
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        client.make_story("other", json!({}));
        let page = client.turn("s", "@.HEAL(1);");
        assert_ne!(first_code(&page), "unknown_function");
        assert_eq!(first_code(&client.turn("other", "@.HEAL(1);")), "unknown_function");
        let page = text(&page, "page_id");
        client.state(&page).has("/outdated", Value::Null);
        client.case("what is shown can be sent back and changes nothing");
        let functions = character.data()["functions"].clone();
        let same = client.patch("/characters/c", json!({ "functions": functions }));
        same.is(200).has("/functions", functions.clone());
        client.state(&page).has("/outdated", Value::Null);
        client.case("the list is the whole list");
        let mut changed = functions[1].clone();
        changed["name"] = json!("CURE");
        let patched = client.patch("/characters/c", json!({"functions": [changed, active("NEW")]}));
        patched.is(200).has("/functions/1/name", "CURE").has("/functions/1/id", &*heal);
        patched.has("/functions/0/name", "NEW").has("/functions/2", Value::Null);
        client.state(&page).has("/outdated", true).has("/fresh", true);
        assert_eq!(first_code(&client.turn("s", "@.HEAL(1);")), "unknown_function");
        client.case("a patch without functions leaves them");
        client.patch("/characters/c", json!({"name": "x"})).is(200).has("/functions/1/name", "CURE");
        client.case("what is wrong has its place");
        let wrong =
            json!({"functions": [active("A"), {"name": "x y", "type": "active", "executor": ""}, passive("", 0)]});
        client
            .post("/characters", crate::support::tree::merge(json!({"name": "n"}), wrong))
            .invalid_at("/functions/2/name");
        let wrong = json!({"name": "n", "functions": [active("A"), {"name": "x y", "type": "active", "executor": ""}]});
        client.post("/characters", wrong).invalid_at("/functions/1/name");
        client.patch("/characters/c", json!({"functions": null})).invalid_at("/functions");
        client
            .patch("/characters/c", json!({"functions": vec![active("A"); 201]}))
            .invalid_by("/functions", "maxItems");
        client.patch("/characters/c", json!({"functions": []})).is(200).has("/functions", json!([]));
        client.get(&format!("/functions/{heal}")).refused(404, "function_not_found");
    });
}

#[test]
fn greetings_are_processed_with_functions() {
    both(|client| {
        client.patch("/functions/builtin:ADD", json!({"enabled": false})).is(200);
        let card =
            json!({"template": {"n": 1}, "greetings": ["@.SET(\"n\", 5); @.ADD(\"n\", 1);"], "profile": "strict"});
        client.make_character("c", card);
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        client.get("/sessions/s/state").is(200).has("/state/n", 5).has("/outdated", Value::Null).has("/fresh", true);
        client.case("recomputed with what counts now");
        client.patch("/functions/builtin:ADD", json!({"enabled": true})).is(200);
        client.get("/sessions/s/state").is(200).has("/state/n", 5).has("/outdated", true);
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200);
        client.get("/sessions/s/state").is(200).has("/state/n", 6).has("/outdated", Value::Null);
    });
}

#[test]
fn a_character_is_not_offered_what_its_profile_does_not_read() {
    both(|client| {
        client.make_character("c", json!({"profile": "mvu", "template": {"hp": 1}}));
        client.make_character("d", json!({}));
        let by_name = client.make_function("?scope=character&character_id=c", active("HEAL"));
        let pattern =
            crate::support::tree::merge(active("GLOW"), json!({"pattern": "<glow:(\\d+)>", "signature": "<glow:n>"}));
        let by_pattern = client.make_function("?scope=character&character_id=c", pattern);
        let prompt = |character: &str| {
            text(&client.get(&format!("/functions/prompt?scope=character&character_id={character}")), "prompt")
        };
        assert!(!prompt("c").contains("@.") && prompt("c").contains("<glow:n>"), "{}", prompt("c"));
        assert!(prompt("d").contains("@.SET("), "{}", prompt("d"));
        client.case("which the list of functions says, too");
        let conflicts = |id: &str| client.get(&format!("/functions/{id}")).is(200).data()["conflicts"].clone();
        let found = conflicts(&by_name);
        assert_eq!((&found[0]["kind"], &found[0]["with"]), (&json!("not_read"), &json!("at")));
        assert_eq!(conflicts(&by_pattern), json!([]));
        client.patch("/characters/c", json!({"profile": "default"})).is(200);
        assert_eq!(conflicts(&by_name), json!([]));
        assert!(prompt("c").contains("@.HEAL"), "{}", prompt("c"));
    });
}

#[test]
fn the_prompt_says_what_a_model_may_call() {
    both(|client| {
        client.make_character("c", json!({}));
        for name in ["SUB", "REMOVE", "ASSIGN", "UNSET", "TIME"] {
            client.patch(&format!("/functions/builtin:{name}"), json!({"enabled": false})).is(200);
        }
        let prompt = |query: &str| text(&client.get(&format!("/functions/prompt{query}")), "prompt");
        let seed = "<variable_system_functions>\n你可以使用以下函数来更新游戏状态：\n\n\
            @.SET(\"path.to.var\", value); // 设置变量\n示例：@.SET(\"角色.名字\", \"张三\");\n\n\
            @.ADD(\"path.to.number\", 5); // 数值加法\n示例：@.ADD(\"角色.金币\", 100);\n\n\
            @.APPEND(\"path.to.array\", item); // 数组追加\n示例：@.APPEND(\"背包\", \"治疗药水\");\n\
            </variable_system_functions>";
        assert_eq!(prompt(""), seed);
        client.case("enabled active functions alone");
        let heal = json!({"description": "治疗", "signature": "@.HEAL(amount);", "example": "@.HEAL(5);"});
        let heal = client.make_function("", crate::support::tree::merge(active("HEAL"), heal));
        client.make_function("", passive("tick", 1));
        client.make_function("", crate::support::tree::merge(active("OFF"), json!({"enabled": false})));
        let line = "\n\n@.HEAL(amount); // 治疗\n示例：@.HEAL(5);\n</variable_system_functions>";
        assert!(prompt("").ends_with(line), "{}", prompt(""));
        assert!(!prompt("").contains("OFF") && !prompt("").contains("tick"));
        client.case("for a character with those of the account, its own first");
        let scope = "?scope=character&character_id=c";
        assert_eq!(prompt(scope), prompt(""));
        let own = json!({"description": "own", "signature": "@.HEAL();"});
        client.make_function(scope, crate::support::tree::merge(active("heal"), own));
        assert!(prompt(scope).contains("@.HEAL(); // own\n") && !prompt(scope).contains("治疗\n"));
        client.patch(&format!("/functions/builtin:SET{scope}"), json!({"enabled": false})).is(200);
        assert!(!prompt(scope).contains("@.SET") && prompt("").contains("@.SET"));
        client.patch(&format!("/functions/{heal}"), json!({"enabled": false})).is(200);
        assert!(!prompt("").contains("HEAL"));
    });
}

#[test]
fn functions_keep_within_the_schema_of_mvu() {
    both(|client| {
        let template = json!({
            "$meta": {"extensible": false}, "hp": 50, "obj": {"$meta": {"required": ["a"]}, "a": 1},
            "bag": {"$meta": {"extensible": true}, "rope": 1},
        });
        client.make_character("c", json!({"profile": "mvu", "template": template}));
        let passive = |name: &str, executor: &str| {
            let function = json!({"name": name, "type": "passive", "timing": "after_active", "executor": executor});
            client.post("/functions?scope=character&character_id=c", function).is(201);
        };
        passive("1 new at the top", "snapshot.fresh = 1;");
        passive("2 new in a locked object", "snapshot.obj.b = 1;");
        passive("3 required", "delete snapshot.obj.a;");
        passive("4 another object", "snapshot.obj = { a: 2, b: 2 };");
        passive(
            "5 allowed",
            "snapshot.bag.lamp = 1; delete snapshot.bag.rope; snapshot.obj = { a: 7 }; snapshot.hp = 'fine';",
        );
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        let turn = client.turn("s", "hm");
        let codes = |turn: &Answer| -> Vec<String> {
            let problems = turn.data()["problems"].as_array().cloned().unwrap_or_default();
            problems.iter().map(|problem| problem["code"].as_str().unwrap_or_default().to_owned()).collect()
        };
        if cfg!(feature = "script") {
            assert_eq!(codes(&turn), ["protected"; 4]);
            let state = json!({"hp": "fine", "obj": {"a": 7}, "bag": {"lamp": 1}});
            client.get("/sessions/s/state").is(200).has("/state", state);
        } else {
            assert_eq!(codes(&turn), ["script_failed"; 5]);
        }
    });
}
