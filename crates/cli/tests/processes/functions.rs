//! `functions`: the library from a terminal, at the database and through a server.

use super::terminal::{each, fails, fails_remotely, remote, run, run_both, run_remote};
use serde_json::{Value, json};

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_library_is_listed_switched_imported_and_exported() {
    each(|client| {
        client.post("/characters", json!({"id": "c", "name": "c"})).is(201);
        let file = client.place().file("library.json");
        let path = file.to_str().expect("a path");
        let heal = json!({"name": "HEAL", "type": "active", "enabled": true, "order": 1, "description": "heals",
            "executor": "snapshot.hp += args[0];\nconsole.log('healed');\nreturn snapshot;"});
        std::fs::write(&file, json!({"version": "1.0", "functions": [heal]}).to_string()).expect("a file");

        client.case("imported here and there");
        let here = run(client, &["functions", "import", path]);
        let there = run_remote(client, &["functions", "import", path, "--character", "c"]);
        let id = |line: &str| line.split("  ").next().unwrap_or_default().to_owned();
        assert!(here.ends_with("  HEAL\n") && there.ends_with("  HEAL\n"), "{here}{there}");
        client.get(&format!("/functions/{}", id(&there))).is(200).has("/character_id", "c").has("/enabled", false);

        client.case("listed");
        let listed = run_both(client, &["functions", "list"]);
        assert!(listed.starts_with("ID "), "{listed}");
        assert!(listed.lines().any(|line| line.starts_with("builtin:SET") && line.contains(" on ")), "{listed}");
        assert!(listed.lines().any(|line| line.starts_with("starter:roll") && line.contains(" off ")), "{listed}");
        let json: Vec<Value> = run_both(client, &["functions", "list", "--json"]).lines().map(read).collect();
        assert_eq!(Value::from(json), client.get("/functions?limit=100").is(200).data());

        client.case("switched");
        let (here, there) = (id(&here), id(&there));
        assert_eq!(
            run(client, &["functions", "enable", &here, "starter:clamp"]),
            format!("{here} on\nstarter:clamp on\n")
        );
        assert_eq!(
            run_remote(client, &["functions", "disable", "builtin:SET", "--character", "c"]),
            "builtin:SET off\n"
        );
        client.get("/functions/builtin:SET?scope=character&character_id=c").is(200).has("/enabled", false);
        let prompt = run_both(client, &["functions", "prompt", "--character", "c"]);
        assert!(prompt.starts_with("<variable_system_functions>\n") && !prompt.contains("@.SET("), "{prompt}");

        client.case("exported");
        let exported = run_both(client, &["functions", "export", &here]);
        assert_eq!(read(&exported)["functions"][0]["executor"], heal["executor"]);
        let out = client.place().file("out.json");
        run(client, &["functions", "export", "--character", "c", "--output", out.to_str().expect("a path")]);
        let written = read(&std::fs::read_to_string(&out).expect("a file"));
        assert_eq!((&written["version"], &written["functions"][0]["id"]), (&json!("1.0"), &json!(there)));

        client.case("refused");
        fails(client, &["functions", "enable", "nobody"], 1, "Function 'nobody' not found");
        fails(client, &["functions", "list", "--character", "nobody"], 1, "Character 'nobody' not found");
        std::fs::write(
            &file,
            json!({"version": "1.0", "functions": [{"name": "a b", "type": "active", "executor": ""}]}).to_string(),
        )
        .expect("a file");
        fails(client, &["functions", "import", path], 2, "/functions/0/name");
        fails_remotely(&mut remote(client, &["functions", "import", path]), 2, "/functions/0/name");
        fails(client, &["functions", "import", "/nowhere.json"], 2, "/nowhere.json");
    });
}

#[test]
fn functions_are_tried_out_without_a_database() {
    each(|client| {
        let place = client.place();
        let write = |name: &str, text: String| {
            let path = place.file(name);
            std::fs::write(&path, text).expect("a file");
            path.to_str().expect("a path").to_owned()
        };
        let heal = json!([{"name": "HEAL", "type": "active",
            "executor": "console.log('healed', args[0]);\nsnapshot.hp += args[0];"}]);
        let functions = write("heal.json", heal.to_string());
        let text = write("reply.txt", "She drinks. @.HEAL(5);".to_owned());
        let state = write("state.json", json!({"hp": 1}).to_string());
        let words = ["functions", "test", &functions, "--text", &text, "--state", &state];
        let shown = run_both(client, &words);
        assert!(shown.contains("hp: 6") || shown.contains("\"hp\": 6"), "{shown}");
        assert!(shown.contains("applied  HEAL(5)") && shown.contains("healed 5"), "{shown}");
        let tested = read(&run(client, &[&words[..], &["--json", "--context", "{\"seed\": 7}"]].concat()));
        assert_eq!((&tested["state"], &tested["calls"][0]["log"]), (&json!({"hp": 6}), &json!(["healed 5"])));
        fails(client, &[&words[..], &["--context", "{"]].concat(), 2, "--context");
        fails(client, &[&words[..], &["--context", "{\"sead\": 1}"]].concat(), 2, "unknown field `sead`");
    });
}

#[test]
fn a_function_is_made_shown_changed_copied_moved_and_deleted() {
    each(|client| {
        client.post("/characters", json!({"id": "c", "name": "c"})).is(201);
        let (code, fields) = (client.place().file("code.js"), client.place().file("fields.json"));
        let (code, fields) = (code.to_str().expect("a path"), fields.to_str().expect("a path"));
        std::fs::write(code, "snapshot.hp += args[0];\n").expect("a file");
        std::fs::write(fields, json!({"name": "HEAL", "type": "active", "description": "heals"}).to_string())
            .expect("a file");
        for (number, on) in [run, run_remote].into_iter().enumerate() {
            client.case(&format!("made, from a file and from options, {number}"));
            let made = read(&on(client, &["functions", "create", "--file", fields, "--executor", code, "--json"]));
            assert_eq!((&made["name"], &made["executor"]), (&json!("HEAL"), &json!("snapshot.hp += args[0];\n")));
            let id = made["id"].as_str().unwrap_or_default();
            let options = ["--name", "tick", "--type", "passive", "--timing", "after_active", "--executor", code];
            let second =
                [&["functions", "create"][..], &options, &["--order", "-2", "--enabled", "false", "--json"]].concat();
            let second = read(&on(client, &second));
            assert_eq!((&second["order"], &second["enabled"]), (&json!(-2), &json!(false)));
            let second = second["id"].as_str().unwrap_or_default();

            client.case(&format!("shown, {number}"));
            let shown = on(client, &["functions", "show", id]);
            assert!(
                shown.starts_with(&format!("{id}  HEAL\n")) && shown.contains("snapshot.hp += args[0];"),
                "{shown}"
            );
            let json = read(&on(client, &["functions", "show", id, "--json"]));
            assert_eq!(json, client.get(&format!("/functions/{id}")).is(200).data());

            client.case(&format!("changed, {number}"));
            let changed = read(&on(client, &["functions", "update", id, "--description", "cures", "--json"]));
            assert_eq!((&changed["description"], &changed["name"]), (&json!("cures"), &json!("HEAL")));

            client.case(&format!("ordered, {number}"));
            let ordered: Vec<Value> =
                on(client, &["functions", "reorder", second, id, "--json"]).lines().map(read).collect();
            assert_eq!((&ordered[0]["id"], &ordered[1]["order"]), (&json!(second), &json!(2)));

            client.case(&format!("copied and moved, {number}"));
            let copy = ["functions", "copy", id, "--to-character", "c", "--name", "CURE", "--json"];
            let copy = read(&on(client, &copy));
            assert_eq!((&copy["character_id"], &copy["name"]), (&json!("c"), &json!("CURE")));
            let copy = copy["id"].as_str().unwrap_or_default();
            let moved = read(&on(client, &["functions", "move", copy, "--json"]));
            assert_eq!((&moved["scope"], &moved["id"]), (&json!("global"), &json!(copy)));

            client.case(&format!("deleted, {number}"));
            let deleted = on(client, &["functions", "delete", id, second, copy]);
            assert_eq!(deleted, format!("{id} deleted\n{second} deleted\n{copy} deleted\n"));
            client.get(&format!("/functions/{id}")).is(404);
        }
        client.case("refused");
        fails(client, &["functions", "create", "--name", "x y", "--type", "active"], 2, "executor");
        fails(client, &["functions", "create", "--file", fields, "--executor", code, "--name", "x y"], 2, "/name");
        fails(client, &["functions", "show", "nobody"], 1, "Function 'nobody' not found");
        fails_remotely(&mut remote(client, &["functions", "delete", "nobody"]), 1, "nobody");
    });
}
