//! The function library: what authors write and what comes with the program, kept, changed, copied, moved and ordered.

use crate::support::{Answer, Client, both};
use serde_json::{Value, json};

/// A function that a model calls by its name.
pub(super) fn active(name: &str) -> Value {
    json!({"name": name, "type": "active", "executor": "snapshot.hp += args[0];\nreturn snapshot;"})
}

pub(super) fn passive(name: &str, order: i64) -> Value {
    json!({"name": name, "type": "passive", "timing": "after_active", "order": order,
        "executor": "snapshot.turns = (snapshot.turns ?? 0) + 1;"})
}

impl Client {
    #[track_caller]
    pub(super) fn make_function(&self, query: &str, body: Value) -> String {
        let made = self.post(&format!("/functions{query}"), body);
        made.is(201);
        made.id()
    }
}

/// The names of the functions that authors wrote.
pub(super) fn own_names(listed: &Answer) -> Vec<String> {
    listed.is(200);
    let data = listed.data();
    let own = data.as_array().into_iter().flatten().filter(|it| it["builtin"] == false && it["starter"] == false);
    own.map(|it| it["name"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_function_is_made_read_changed_and_deleted() {
    both(|client| {
        client.case("made");
        let body = json!({"id": "heal", "name": "治疗", "type": "active", "order": 3, "pattern": "/治疗\\((\\d+)\\)/gi",
            "description": "heals", "signature": "治疗(5)", "example": "治疗(9)", "executor": "return snapshot;"});
        let made = client.post("/functions", body);
        made.is(201).has("/id", "heal").has("/scope", "global").has("/character_id", Value::Null);
        made.has("/type", "active").has("/enabled", true).has("/order", 3).has("/timing", Value::Null);
        made.has("/pattern", "/治疗\\((\\d+)\\)/gi").has("/conflicts", json!([])).has("/builtin", false);
        made.has("/executor", "return snapshot;").has("/signature", "治疗(5)").has("/starter", false);
        assert_eq!(client.get("/functions/heal").is(200).data(), made.data());
        client.case("what is left out has its default");
        let plain = client.post("/functions", active("HEAL"));
        plain.is(201).has("/enabled", true).has("/order", 0).has("/pattern", Value::Null).has("/description", "");
        client.case("changed in parts");
        let tag = client.get("/functions/heal").etag();
        let changed = client.patch("/functions/heal", json!({"description": "", "signature": null, "order": -1}));
        changed.is(200).has("/description", "").has("/signature", Value::Null).has("/example", "治疗(9)");
        changed.has("/order", -1).has("/name", "治疗");
        client.case("another type loses what it has no use for");
        client.patch("/functions/heal", json!({"type": "passive"})).invalid_at("/timing");
        let passive = client.patch("/functions/heal", json!({"type": "passive", "timing": "before_active"}));
        passive.is(200).has("/type", "passive").has("/pattern", Value::Null).has("/timing", "before_active");
        client.patch("/functions/heal", json!({"pattern": "x"})).invalid_at("/pattern");
        client.patch("/functions/heal", json!({})).is(200);
        client.case("two writers meet in a conflict");
        let stale = client.ask("PATCH", "/functions/heal").header("if-match", &tag).json(json!({"order": 9})).send();
        stale.refused(412, "precondition_failed").says("the function is not at the expected version");
        client.ask("DELETE", "/functions/heal").header("if-match", &tag).send().refused(412, "precondition_failed");
        let fresh = client.get("/functions/heal").etag();
        client.ask("PATCH", "/functions/heal").header("if-match", &fresh).json(json!({"order": 9})).send().is(200);
        client.case("gone");
        client.delete("/functions/heal").is(200).has("/deleted", true);
        client.get("/functions/heal").refused(404, "function_not_found");
        client.patch("/functions/heal", json!({"order": 1})).refused(404, "function_not_found");
        client.delete("/functions/heal").refused(404, "function_not_found");
        client.post("/functions/heal/copy", json!({"scope": "global"})).refused(404, "function_not_found");
        client.post("/functions/heal/move", json!({"scope": "global"})).refused(404, "function_not_found");
    });
}

#[test]
fn a_library_lists_what_comes_with_the_program_and_what_authors_wrote() {
    both(|client| {
        client.make_character("c", json!({}));
        client.make_function("", passive("b", 2));
        client.make_function("", passive("a", 2));
        client.make_function("", passive("z", 1));
        client.make_function("?scope=character&character_id=c", passive("local", 1));
        client.case("the built-in functions first, then starters, then the others by order and name");
        let listed = client.get("/functions?limit=100");
        assert_eq!(own_names(&listed), ["z", "a", "b"]);
        let ids = listed.column("id");
        let builtins = ["SET", "ADD", "SUB", "APPEND", "REMOVE", "ASSIGN", "UNSET", "TIME"];
        assert_eq!(ids[..8], builtins.map(|name| json!(format!("builtin:{name}"))));
        assert!(ids[8].as_str().is_some_and(|id| id.starts_with("starter:")), "{ids:?}");
        listed.has("/0/builtin", true).has("/0/enabled", true).has("/0/created_at", Value::Null);
        listed.has("/8/starter", true).has("/8/enabled", false).has_meta("total", 17);
        client.case("in windows");
        let cut = client.get("/functions?limit=2&offset=7");
        cut.is(200).has_meta("has_more", true).has_meta("limit", 2);
        assert_eq!(cut.column("id")[0], "builtin:TIME");
        assert_eq!(own_names(&client.get("/functions?sort_order=desc&limit=3")), ["b", "a", "z"]);
        client.case("of a character");
        let local = client.get("/functions?scope=character&character_id=c&limit=100");
        assert_eq!(own_names(&local), ["local"]);
        local.has("/14/scope", "character").has("/14/character_id", "c").has("/0/character_id", "c");
        client.case("which scope is meant must be clear");
        client.get("/functions?scope=character").invalid_at("/character_id");
        client.get("/functions?character_id=c").invalid_at("/character_id");
        client.get("/functions?scope=account").invalid_at("/scope");
        client.get("/functions?sort_by=name").invalid_at("/sort_by");
        client.get("/functions?scope=character&character_id=nobody").refused(404, "character_not_found");
        client.post("/functions?scope=character&character_id=nobody", active("A")).refused(404, "character_not_found");
        client.post("/functions?scope=character", active("A")).invalid_at("/character_id");
        client.get("/functions/prompt?scope=character&character_id=nobody").refused(404, "character_not_found");
    });
}

#[test]
fn what_functions_refuse() {
    both(|client| {
        let with = |more: Value| crate::support::tree::merge(active("HEAL"), more);
        let refused = |more: Value, path: &str| {
            client.post("/functions", with(more)).invalid_at(path);
        };
        client.case("names");
        for name in ["", " HEAL", "HEAL ", "HE\nAL", "HE AL", "HE-AL", &"n".repeat(65), &"n".repeat(129)] {
            refused(json!({"name": name}), "/name");
        }
        client.post("/functions", with(json!({"name": "n".repeat(64)}))).is(201);
        client.post("/functions", with(json!({"name": "give item", "pattern": "give"}))).is(201);
        client.post("/functions", with(json!({"name": "n".repeat(128), "pattern": "give"}))).is(201);
        client.case("wrong types and words");
        refused(json!({"type": "activ"}), "/type");
        refused(json!({"type": 1}), "/type");
        refused(json!({"enabled": "yes"}), "/enabled");
        refused(json!({"order": 1.5}), "/order");
        refused(json!({"order": 1_000_000_001}), "/order");
        refused(json!({"executor": null}), "/executor");
        refused(json!({"executor": ["return"]}), "/executor");
        refused(json!({"pattern": 5}), "/pattern");
        refused(json!({"timing": "later"}), "/timing");
        refused(json!({"id": "a b"}), "/id");
        client.post("/functions", json!({"name": "A", "type": "active"})).invalid("required property 'executor'");
        client.post("/functions", json!([])).is(400);
        client.post("/functions", with(json!({"patern": "x"}))).invalid("unknown field `patern`");
        client.post("/functions", with(json!({"scope": "global"}))).invalid("unknown field `scope`");
        client.case("what does not belong together");
        refused(json!({"timing": "after_active"}), "/timing");
        refused(json!({"type": "passive"}), "/timing");
        refused(json!({"type": "passive", "timing": "after_active", "pattern": "x"}), "/pattern");
        refused(json!({"pattern": ""}), "/pattern");
        refused(json!({"signature": "a\nb"}), "/signature");
        client.case("too long, at the limit and over it");
        for (field, max) in [("executor", 65_536), ("pattern", 4096), ("description", 16_384), ("example", 1024)] {
            refused(json!({ field: "x".repeat(max + 1) }), &format!("/{field}"));
            client.post("/functions", with(json!({ field: "x".repeat(max) }))).is(201);
        }
        client.case("ids that are taken");
        client.post("/functions", with(json!({"id": "mine"}))).is(201);
        client.post("/functions", with(json!({"id": "mine"}))).refused(409, "id_taken");
        client.post("/functions", with(json!({"id": "builtin:SET"}))).refused(409, "id_taken");
        client.post("/functions", with(json!({"id": "starter:mine"}))).refused(409, "id_taken");
        client.case("unknown routes and ids");
        client.get("/functions/nobody").refused(404, "function_not_found");
        client.get("/functions/builtin:NONE").refused(404, "function_not_found");
        client.patch("/functions/builtin:NONE", json!({"enabled": true})).refused(404, "function_not_found");
    });
}

#[test]
fn what_comes_with_the_program_is_switched_and_copied_and_not_changed() {
    both(|client| {
        client.make_character("c", json!({}));
        client.case("switched off for the account, for a character, and back");
        let off = client.patch("/functions/builtin:SET", json!({"enabled": false}));
        off.is(200).has("/enabled", false).has("/builtin", true).has("/name", "SET").has("/scope", "global");
        client.get("/functions/builtin:SET").is(200).has("/enabled", false);
        let local = "/functions/builtin:SET?scope=character&character_id=c";
        client.get(local).is(200).has("/enabled", false).has("/character_id", "c");
        let listed = client.get("/functions?scope=character&character_id=c&limit=100").is(200).data();
        assert_eq!((&listed[0]["id"], &listed[0]["enabled"]), (&json!("builtin:SET"), &json!(false)));
        let tag = client.get(local).etag();
        client.patch("/functions/builtin:SET", json!({"enabled": true})).is(200).has("/enabled", true);
        client.get(local).is(200).has("/enabled", true);
        let stale = client.ask("PATCH", local).header("if-match", &tag);
        stale.json(json!({"enabled": false})).send().refused(412, "precondition_failed");
        client.patch(local, json!({"enabled": false})).is(200).has("/enabled", false).has("/scope", "character");
        client.get(local).is(200).has("/enabled", false);
        client.case("a starter is off until it is switched on");
        client.get("/functions/starter:clamp").is(200).has("/enabled", false).has("/starter", true);
        let tag = client.get("/functions/starter:clamp").etag();
        client.patch("/functions/starter:clamp", json!({"enabled": true})).is(200).has("/enabled", true);
        let stale = client.ask("PATCH", "/functions/starter:clamp").header("if-match", &tag);
        stale.json(json!({"enabled": false})).send().refused(412, "precondition_failed");
        client.case("nothing else can be changed");
        for id in ["builtin:SET", "starter:clamp"] {
            for patch in [json!({"name": "MINE"}), json!({"enabled": true, "order": 1}), json!({})] {
                client.patch(&format!("/functions/{id}"), patch).refused(409, "function_built_in");
            }
            client.delete(&format!("/functions/{id}")).refused(409, "function_built_in").says("change a copy");
            let global = json!({"scope": "global"});
            client.post(&format!("/functions/{id}/move"), global).refused(409, "function_built_in");
        }
        client.case("a copy is ordinary and disabled");
        let copy = client.post("/functions/builtin:SET/copy", json!({"scope": "global"}));
        copy.is(201).has("/name", "SET").has("/enabled", false).has("/builtin", false).has("/conflicts", json!([]));
        copy.has("/pattern", Value::Null);
        copy.has("/executor", "const [path, value] = args;\n_.set(snapshot, path, value);\nreturn snapshot;\n");
        let to = json!({"scope": "character", "character_id": "c", "name": "keep_in_range"});
        let copy = client.post("/functions/starter:clamp/copy", to);
        copy.is(201).has("/name", "keep_in_range").has("/character_id", "c").has("/starter", false);
        let path = format!("/functions/{}", copy.id());
        client.patch(&path, json!({"executor": "return snapshot;", "enabled": true})).is(200).has("/enabled", true);
    });
}

#[test]
fn functions_are_copied_and_moved_between_scopes() {
    both(|client| {
        client.make_character("c", json!({}));
        client.make_character("d", json!({}));
        let id = client.make_function("", passive("step", 7));
        let names = |query: &str| own_names(&client.get(&format!("/functions{query}limit=100")));
        let (of_c, of_d) = ("?scope=character&character_id=c&", "?scope=character&character_id=d&");
        client.case("moved it keeps its id and everything else");
        let moved = client.post(&format!("/functions/{id}/move"), json!({"scope": "character", "character_id": "c"}));
        moved.is(200).has("/id", &*id).has("/scope", "character").has("/character_id", "c").has("/enabled", true);
        assert_eq!((names("?"), names(of_c)), (vec![], vec!["step".to_owned()]));
        let to = |character: &str| json!({"scope": "character", "character_id": character});
        client.post(&format!("/functions/{id}/move"), to("d")).is(200).has("/character_id", "d").has("/order", 7);
        client.post(&format!("/functions/{id}/move"), to("d")).is(200);
        client.post(&format!("/functions/{id}/move"), to("nobody")).refused(404, "character_not_found");
        client.case("copied there are two");
        let copy = client.post(&format!("/functions/{id}/copy"), to("c"));
        copy.is(201).has("/character_id", "c").has("/enabled", false).has("/order", 7);
        client.post(&format!("/functions/{id}/copy"), json!({"scope": "global", "name": "a\nb"})).invalid_at("/name");
        client.post(&format!("/functions/{id}/copy"), to("nobody")).refused(404, "character_not_found");
        client.post(&format!("/functions/{id}/copy"), json!({"scope": "character"})).invalid_at("/character_id");
        let both = json!({"scope": "global", "character_id": "c"});
        client.post(&format!("/functions/{id}/copy"), both).invalid_at("/character_id");
        client.post(&format!("/functions/{id}/copy"), json!({})).invalid("required property 'scope'");
        assert_eq!((names("?"), names(of_c), names(of_d)), (vec![], vec!["step".into()], vec!["step".to_owned()]));
        client.case("a deleted character takes its functions along");
        client.delete("/characters/d").is(200);
        client.get(&format!("/functions/{id}")).refused(404, "function_not_found");
        client.make_character("d", json!({}));
        assert_eq!(names(of_d), [""; 0]);
    });
}

#[test]
fn functions_are_put_into_another_order() {
    both(|client| {
        let [a, b, c] = ["a", "b", "c"].map(|name| client.make_function("", passive(name, 5)));
        let order = |ids: Value| client.post("/functions/reorder", json!({ "ids": ids }));
        let done = order(json!([c, a, b]));
        done.is(200).has("/0/name", "c").has("/0/order", 1).has("/2/name", "b").has("/2/order", 3);
        assert_eq!(own_names(&client.get("/functions?limit=100")), ["c", "a", "b"]);
        client.case("all of them, each once, and nothing else");
        let short = order(json!([c, a]));
        short.invalid_at("/ids").must(short.text.contains(&b), "the function that is missing");
        order(json!([c, a, a])).invalid_at("/ids/2");
        order(json!([c, a, b, "nobody"])).invalid_at("/ids/3");
        order(json!([c, a, b, "builtin:SET"])).invalid_at("/ids/3");
        order(json!([c, a, b, "x y"])).invalid_at("/ids/3");
        order(json!([])).invalid_at("/ids");
        order(json!("abc")).invalid_at("/ids");
        client.post("/functions/reorder", json!({})).invalid("required property 'ids'");
        assert_eq!(own_names(&client.get("/functions?limit=100")), ["c", "a", "b"]);
        client.case("of a character, where there are none");
        client.make_character("k", json!({}));
        let query = "?scope=character&character_id=k";
        client.post(&format!("/functions/reorder{query}"), json!({"ids": []})).is(200);
        client.post(&format!("/functions/reorder{query}"), json!({"ids": [a]})).invalid_at("/ids/0");
    });
}

#[test]
fn conflicts_are_reported() {
    both(|client| {
        client.make_character("c", json!({}));
        client.case("two enabled functions of one name, in any case");
        let first = client.make_function("", active("HEAL"));
        let second = client.post("/functions", active("heal"));
        second.is(201).has("/conflicts/0/kind", "same_name").has("/conflicts/0/with", &*first);
        let second = second.id();
        client.get(&format!("/functions/{first}")).is(200).has("/conflicts/0/with", &*second);
        client.case("not while one of them is disabled");
        client.patch(&format!("/functions/{second}"), json!({"enabled": false})).is(200).has("/conflicts", json!([]));
        client.get(&format!("/functions/{first}")).is(200).has("/conflicts", json!([]));
        client.case("with a built-in function, which gives way");
        let set = client.post("/functions", active("set"));
        set.is(201).has("/conflicts/0/with", "builtin:SET").has("/conflicts/0/kind", "same_name");
        client.patch("/functions/builtin:SET", json!({"enabled": false})).is(200);
        client.get(&format!("/functions/{}", set.id())).is(200).has("/conflicts", json!([]));
        client.case("a pattern that finds commands of a dialect");
        let found = |pattern: &str| {
            let body = json!({"name": "p", "type": "active", "pattern": pattern, "executor": ""});
            let made = client.post("/functions", body);
            made.is(201);
            client.delete(&format!("/functions/{}", made.id())).is(200);
            let data = made.data();
            let conflicts = data["conflicts"].as_array().cloned().unwrap_or_default();
            conflicts.iter().map(|it| it["with"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(found(r"@\.(\w+)\((.*?)\)"), ["at"]);
        assert_eq!(found(r"/_\.add\('(.+?)', (\d+)\)/g"), ["mvu"]);
        assert_eq!(found(r"\[好感([+-]\d+)\]"), [""; 0]);
        client.case("between a character and its account");
        let local = client.post("/functions?scope=character&character_id=c", active("Heal"));
        local.is(201).has("/conflicts/0/with", &*first);
        local.must(local.text.contains("the character's function counts"), "a message that says who wins");
    });
}

#[test]
fn a_scope_has_a_limit() {
    both(|client| {
        client.case("of functions");
        let entry = |number: usize| json!({"name": format!("f{number}"), "type": "active", "executor": "return 1"});
        let file = |count: usize| json!({"version": "1.0", "functions": (0..count).map(entry).collect::<Vec<_>>()});
        client.post("/functions/import", file(199)).is(201);
        client.post("/functions/import", file(2)).refused(429, "quota_exceeded");
        client.post("/functions", active("LAST")).is(201);
        client.post("/functions", active("MORE")).refused(429, "quota_exceeded");
        client.post("/functions/builtin:SET/copy", json!({"scope": "global"})).refused(429, "quota_exceeded");
        client.get("/functions").is(200).has_meta("total", 214);
        client.case("of their texts together, in another scope");
        client.make_character("c", json!({}));
        let scope = "?scope=character&character_id=c";
        let long = |name: &str| json!({"name": name, "type": "active", "executor": "x".repeat(65_536 - 2)});
        for number in 10..26 {
            client.make_function(scope, long(&number.to_string()));
        }
        let over = client.post(&format!("/functions{scope}"), active("MORE"));
        over.refused(429, "quota_exceeded").says("at most 1048576 bytes");
        assert_eq!(own_names(&client.get(&format!("/functions{scope}&limit=100"))).len(), 16);
    });
}

#[test]
fn changes_are_events_and_happen_once() {
    both(|client| {
        let mut listening = client.listen("?types=function.created,function.updated,function.deleted", None);
        let post =
            |key: &str| client.ask("POST", "/functions").header("idempotency-key", key).json(active("ONCE")).send();
        let made = post("k1");
        made.is(201);
        let again = post("k1");
        assert_eq!((again.data(), again.header("idempotency-replayed")), (made.data(), "true".to_owned()));
        let id = made.id();
        client.patch(&format!("/functions/{id}"), json!({"enabled": false})).is(200);
        client.patch("/functions/builtin:ADD", json!({"enabled": false})).is(200);
        client.delete(&format!("/functions/{id}")).is(200);
        let events = listening.take(4);
        let events: Vec<(&str, &str)> =
            events.iter().map(|event| (event.name.as_str(), event.data["id"].as_str().unwrap_or_default())).collect();
        let (updated, id) = ("function.updated", id.as_str());
        let wanted = [("function.created", id), (updated, id), (updated, "builtin:ADD"), ("function.deleted", id)];
        assert_eq!(events, wanted);
    });
}

#[test]
fn other_accounts_have_their_own() {
    both(|client| {
        client.make_character("c", json!({}));
        let id = client.make_function("", active("MINE"));
        let other = client.stranger();
        other.get(&format!("/functions/{id}")).refused(404, "function_not_found");
        other.patch(&format!("/functions/{id}"), json!({"enabled": false})).refused(404, "function_not_found");
        other.delete(&format!("/functions/{id}")).refused(404, "function_not_found");
        other.post(&format!("/functions/{id}/copy"), json!({"scope": "global"})).refused(404, "function_not_found");
        other.post(&format!("/functions/{id}/move"), json!({"scope": "global"})).refused(404, "function_not_found");
        other.post("/functions/export", json!({"ids": [id]})).refused(404, "function_not_found");
        other.get("/functions?scope=character&character_id=c").refused(404, "character_not_found");
        assert_eq!(own_names(&other.get("/functions?limit=100")), [""; 0]);
        client.patch("/functions/builtin:SET", json!({"enabled": false})).is(200);
        other.get("/functions/builtin:SET").is(200).has("/enabled", true);
        client.get(&format!("/functions/{id}")).is(200).has("/enabled", true);
    });
}
