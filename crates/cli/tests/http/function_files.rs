//! Files of functions, and accounts that are exported: what goes out comes back in.

use super::functions::{active, own_names, passive};
use crate::support::{Answer, both};
use serde_json::{Value, json};

/// The file of seed 003 §4.4, as it stands.
pub(super) const SEED_FILE: &str = r#"{
  "version": "1.0",
  "functions": [
    {
      "id": "uuid-xxx",
      "name": "时间推进",
      "type": "passive",
      "enabled": true,
      "order": 1,
      "timing": "after_active",
      "description": "每回合时间自动推进1小时",
      "executor": "const currentTime = _.get(snapshot, '世界.时间');\n// ..."
    },
    {
      "id": "uuid-yyy",
      "name": "SET",
      "type": "active",
      "enabled": true,
      "order": 1,
      "pattern": "@\\.SET\\(\"([^\"]+)\",\\s*(.+?)\\);?",
      "description": "设置指定路径的变量值",
      "executor": "const [path, value] = args;\n_.set(snapshot, path, value);\nreturn snapshot;"
    }
  ]
}"#;

fn file(answer: &Answer) -> Value {
    answer.is(200);
    answer.data()
}

#[test]
fn the_file_of_the_seed_is_imported_and_exported() {
    both(|client| {
        client.make_character("c", json!({}));
        client.case("imported as it stands: new ids, the chosen scope, disabled");
        let scope = "?scope=character&character_id=c";
        let import =
            || client.ask("POST", &format!("/functions/import{scope}")).text("application/json", SEED_FILE).send();
        let made = import();
        made.is(201).has("/0/name", "时间推进").has("/0/enabled", false).has("/0/timing", "after_active");
        made.has("/1/name", "SET").has("/1/enabled", false).has("/1/character_id", "c").has("/1/order", 1);
        let ids = made.column("id");
        assert!(!ids.contains(&json!("uuid-xxx")) && !ids.contains(&json!("uuid-yyy")));
        client.case("again: another copy");
        assert_ne!(import().column("id"), ids);
        assert_eq!(own_names(&client.get(&format!("/functions{scope}&limit=100"))).len(), 4);
        client.case("exported in the same format");
        let exported = client.post(&format!("/functions/export{scope}"), json!({"ids": ids}));
        let mut wanted: Value = serde_json::from_str(SEED_FILE).expect("JSON");
        for (function, id) in wanted["functions"].as_array_mut().into_iter().flatten().zip(&ids) {
            function["id"] = id.clone();
            function["enabled"] = json!(false);
        }
        assert_eq!(file(&exported), wanted);
        assert!(exported.text.starts_with(r#"{"data":{"version":"1.0","functions":[{"id":""#), "{}", exported.text);
        client.case("what was exported is imported elsewhere");
        client.post("/functions/import", exported.data()).is(201);
        assert_eq!(own_names(&client.get("/functions?limit=100")), ["SET", "时间推进"]);
    });
}

#[test]
fn a_file_holds_a_selection() {
    both(|client| {
        let a = client.make_function("", passive("a", 2));
        let b = client.make_function("", crate::support::tree::merge(active("B"), json!({"signature": "@.B();"})));
        let names = |body: Value| {
            let file = file(&client.post("/functions/export", body));
            assert_eq!(file["version"], "1.0");
            let names = file["functions"].as_array().into_iter().flatten().map(|it| it["name"].clone());
            names.collect::<Vec<Value>>()
        };
        assert_eq!(names(json!({})), ["B", "a"]);
        assert_eq!(names(json!({"ids": [a, b]})), ["a", "B"]);
        assert_eq!(names(json!({"ids": ["builtin:SET"]})), ["SET"]);
        client.post("/functions/export", json!({"ids": [a, "nobody"]})).refused(404, "function_not_found");
        client.post("/functions/export", json!({"ids": []})).invalid_at("/ids");
        client.post("/functions/export", json!({"ids": ["a b"]})).invalid_at("/ids/0");
        client.make_character("c", json!({}));
        let scope = "?scope=character&character_id=c";
        client.post(&format!("/functions/export{scope}"), json!({"ids": [a]})).refused(404, "function_not_found");
        assert_eq!(file(&client.post(&format!("/functions/export{scope}"), json!({})))["functions"], json!([]));
    });
}

#[test]
fn a_file_that_is_wrong_is_not_imported_at_all() {
    both(|client| {
        let import =
            |functions: Value| client.post("/functions/import", json!({"version": "1.0", "functions": functions}));
        client.case("every place is named");
        let wrong = import(json!([active("GOOD"), {"name": "a b", "type": "active", "executor": ""}, passive("p", 1),
            {"name": "q", "type": "passive", "executor": ""}]));
        wrong.invalid_at("/functions/1/name").invalid_at("/functions/3/timing");
        import(json!([{"type": "active", "executor": ""}])).invalid("required property 'name'");
        import(json!([{"name": "A", "type": "other", "executor": ""}])).invalid_at("/functions/0/type");
        import(json!([{"name": "A", "type": "active", "executor": 5}])).invalid_at("/functions/0/executor");
        import(json!([crate::support::tree::merge(active("A"), json!({"color": "red"}))]))
            .invalid("unknown field `color`");
        import(json!([5])).invalid_at("/functions/0");
        assert_eq!(import(json!([])).is(201).data(), json!([]), "an export of an empty scope can be imported");
        import(json!(vec![active("A"); 201])).invalid_at("/functions");
        client.post("/functions/import", json!({"functions": [active("A")]})).invalid("required property 'version'");
        let newer = json!({"version": "2.0", "functions": [active("A")]});
        client.post("/functions/import", newer).invalid_at("/version");
        assert_eq!(own_names(&client.get("/functions?limit=100")), [""; 0]);
        client.case("files of other programs have fields that say nothing here");
        let foreign = json!([{"id": 1, "name": "A", "type": "active", "executor": ""}]);
        import(foreign).invalid_at("/functions/0/id");
        let foreign = json!([{"id": "1/2", "name": "A", "type": "active", "timing": "after_active", "pattern": "",
            "signature": null, "builtin": true, "executor": ""}]);
        import(foreign).is(201).has("/0/timing", Value::Null).has("/0/pattern", Value::Null).has("/0/builtin", false);
    });
}

#[test]
fn the_answer_of_an_export_is_a_file_too() {
    both(|client| {
        client.make_function("", active("HEAL"));
        let answer = client.post("/functions/export", json!({}));
        let whole = json!({ "data": answer.is(200).data() });
        client.post("/functions/import", whole).is(201).has("/0/name", "HEAL").has("/0/enabled", false);
        let wrong =
            json!({"data": {"version": "1.0", "functions": [{"name": "a b", "type": "active", "executor": ""}]}});
        client.post("/functions/import", wrong).invalid_at("/functions/0/name");
        client.post("/functions/import", json!({"data": 5})).is(400);
        client.post("/functions/import", json!([active("A")])).invalid("object");
        client.post("/functions/import", json!([{"version": "1.0", "functions": [active("A")]}])).invalid("object");
        client.post("/functions/import", json!({"data": {"version": "1.0", "functions": []}, "more": 1})).is(400);
    });
}
