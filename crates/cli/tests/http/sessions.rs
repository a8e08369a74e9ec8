//! Sessions and their branches.

use crate::support::{both, branch, chat, encode};
use serde_json::{Value, json};

#[test]
fn a_session_is_made_with_its_own_id_or_a_fresh_one() {
    both(|client| {
        client.case("an id of its own");
        let made = client.post("/sessions", json!({"id": "sess_001", "title": "Inn", "metadata": {"mood": ["calm"]}}));
        made.is(201).has("/id", "sess_001").has("/title", "Inn").has("/metadata", json!({"mood": ["calm"]}));
        made.must(made.data()["created_at"].is_i64() && made.data()["updated_at"].is_i64(), "its times");
        client.get("/sessions/sess_001").is(200).has("", made.data());

        client.case("an id that is taken");
        client.post("/sessions", json!({"id": "sess_001"})).refused(409, "id_taken");
        client.get("/sessions/sess_001").is(200).has("/title", "Inn");

        client.case("a fresh id");
        let one = client.post("/sessions", json!({})).is(201).has("/title", Value::Null).id();
        let other = client.post("/sessions", json!({"title": null})).is(201).id();
        assert_ne!(one, other);
        client.get(&format!("/sessions/{one}")).is(200);

        client.case("ids in every allowed character, up to 128 of them");
        for id in ["A-z.0_9~:", &"i".repeat(128)] {
            client.post("/sessions", json!({"id": id})).is(201);
            client.get(&format!("/sessions/{id}")).is(200).has("/id", id);
            client.set(branch(id, "main"), "k", 1).is(201);
        }
        client.get("/sessions/x").refused(404, "session_not_found").saying("Session 'x' not found");
    });
}

#[test]
fn a_session_is_found_by_its_chat() {
    both(|client| {
        client.post("/sessions", json!({"id": "a", "chat_file": "Yuki 对话"})).is(201);
        client.make_session("b");
        client.case("the one with the name");
        let list = |name: &str, more: &str| client.get(&format!("/sessions?chat_file={}{more}", encode(name)));
        let found = list("Yuki 对话", "");
        found
            .is(200)
            .has_meta("total", 1)
            .has_meta("has_more", false)
            .has("/0/id", "a")
            .has("/0/chat_file", "Yuki 对话");
        list("b", "").is(200).has("/0/id", "b");
        list("b", "&offset=1").is(200).has("", json!([])).has_meta("total", 1);
        list("b", "&total=false").is(200).has("/0/id", "b");
        for nobody in ["a", "yuki 对话", "c"] {
            list(nobody, "").is(200).has("", json!([])).has_meta("total", 0);
        }
        client.case("a name has a length");
        list(&"c".repeat(1024), "").is(200);
        for bad in ["", &"c".repeat(1025)] {
            list(bad, "").invalid_at("/chat_file");
        }
        client.case("a name that is taken");
        let message =
            "the chat_file 'Yuki 对话' is that of session 'a'; use that session, or give this one another chat_file";
        for taken in [
            client.post("/sessions", json!({"chat_file": "Yuki 对话"})),
            client.patch("/sessions/b", json!({"chat_file": "Yuki 对话"})),
            client.post("/sessions", json!({"id": "Yuki", "chat_file": "Yuki 对话"})),
        ] {
            taken.refused(409, "id_taken").saying(message);
            assert_eq!(taken.body["error"]["details"][0]["path"], "/chat_file");
        }
        client.case("its own name is no other's, and a deleted one is free");
        client.patch("/sessions/a", json!({"chat_file": "Yuki 对话"})).is(200);
        client.delete("/sessions/a").is(200);
        list("Yuki 对话", "").is(200).has("", json!([]));
        client.patch("/sessions/b", json!({"chat_file": "Yuki 对话"})).is(200);
    });
}

#[test]
fn sessions_are_listed_in_windows() {
    both(|client| {
        for id in ["a", "b", "c"] {
            client.make_session(id);
        }
        client.case("windows over sessions");
        let list = |query: &str| client.get(&format!("/sessions?{query}"));
        let all = list("sort_by=created_at&sort_order=asc");
        all.is(200).has_meta("total", 3).has_meta("limit", 50).has_meta("offset", 0).has_meta("has_more", false);
        assert_eq!(all.column("id"), [json!("a"), json!("b"), json!("c")]);
        assert_eq!(
            list("sort_by=created_at&sort_order=desc&limit=1").has_meta("has_more", true).column("id"),
            [json!("c")]
        );
        assert_eq!(list("sort_by=created_at&sort_order=asc&limit=2&offset=2").column("id"), [json!("c")]);
        list("offset=3").is(200).has("", json!([])).has_meta("total", 3);

        client.case("the last change comes first");
        client
            .until("/sessions/a", |answer| {
                // Times have milliseconds, so the change is repeated until it shows.
                client.ask("PATCH", "/sessions/a").json(json!({"title": "new"})).unrecorded().send().is(200);
                let newest = client.ask("GET", "/sessions/c").unrecorded().send();
                answer.data()["updated_at"].as_i64() > newest.data()["updated_at"].as_i64()
            })
            .is(200);
        assert_eq!(list("sort_by=updated_at&sort_order=desc&limit=1").column("id"), [json!("a")]);

        client.case("windows that make no sense");
        for bad in ["limit=0", "limit=101", "offset=-1", "sort_by=title", "sort_order=up"] {
            list(bad).refused(400, "validation_error");
        }
    });
}

#[test]
fn a_session_is_changed_in_parts() {
    both(|client| {
        client.case("PATCH");
        client.post("/sessions", json!({"id": "s", "title": "old", "metadata": {"a": 1}})).is(201);
        client
            .patch("/sessions/s", json!({"title": "new"}))
            .is(200)
            .has("/title", "new")
            .has("/metadata", json!({"a": 1}));
        client.patch("/sessions/s", json!({"metadata": {"b": 2}})).is(200).has("/metadata", json!({"b": 2}));
        client
            .patch("/sessions/s", json!({"title": null}))
            .is(200)
            .has("/title", Value::Null)
            .has("/metadata", json!({"b": 2}));
        client.patch("/sessions/s", json!({"metadata": null})).is(200).has("/metadata", Value::Null);
        client.patch("/sessions/s", json!({})).is(200);
        client.patch("/sessions/s", json!({"title": 7})).invalid_at("/title");
        client.patch("/sessions/s", json!({"metadata": [1]})).invalid_at("/metadata");
        client.patch("/sessions/x", json!({"title": "new"})).refused(404, "session_not_found");
        client.get("/sessions/s").is(200).has("/title", Value::Null).has("/metadata", Value::Null);
    });
}

#[test]
fn what_hangs_on_a_session_changes_it() {
    both(|client| {
        client.make("s");
        client.make_floor("s", "committed", json!({"state": "committed"}));
        for (what, path, body) in [
            ("a new floor", "/floors", json!({"session_id": "s"})),
            ("a new page", "/pages", json!({"floor_id": "s.f"})),
            ("a new branch", "/floors/committed/branch", json!({})),
            ("an activation", "/pages/s.p/activate", json!({})),
        ] {
            client.case(what);
            let before = client.get("/sessions/s").is(200).data()["updated_at"].as_i64();
            // Times have milliseconds, so the change is repeated until it shows.
            let changed = client.until("/sessions/s", |answer| {
                client.ask("POST", path).json(body.clone()).unrecorded().send().is_one_of(&[200, 201]);
                answer.data()["updated_at"].as_i64() > before
            });
            changed.is(200);
        }
        client.case("a variable does not count");
        let before = client.get("/sessions/s").is(200).data();
        client.set(chat("s"), "k", 1).is(201);
        client.get("/sessions/s").is(200).has("", before);
    });
}

#[test]
fn a_session_starts_with_its_main_branch() {
    both(|client| {
        client.case("decision 1");
        client.make_session("s");
        let branches = || client.get("/sessions/s/branches").is(200).column("branch_id");
        assert_eq!(branches(), [json!("main")]);
        client.make_floor("s", "f", json!({"state": "committed"}));
        client.make_floor("s", "g", json!({"branch_id": "by floor", "parent_floor_id": "f"}));
        client.post("/floors/f/branch", json!({"branch_id": "by fork"})).is(201);
        let mut names: Vec<Value> = branches();
        names.sort_by_key(Value::to_string);
        assert_eq!(names, [json!("by floor"), json!("by fork"), json!("main")]);

        client.case("branches say where they come from");
        let rows = client.get("/sessions/s/branches").is(200).data();
        let find =
            |name: &str| rows.as_array().into_iter().flatten().find(|row| row["branch_id"] == name).cloned().unwrap();
        assert_eq!(find("main")["source_floor_id"], Value::Null);
        for name in ["by floor", "by fork"] {
            assert_eq!((&find(name)["source_floor_id"], &find(name)["session_id"]), (&json!("f"), &json!("s")));
        }
        client.get("/sessions/s/branches?limit=1").is(200).has_meta("total", 3).has_meta("has_more", true);
        client.get("/sessions/x/branches").refused(404, "session_not_found");
    });
}

#[test]
fn branches_have_free_names() {
    both(|client| {
        client.make_session("s");
        client.make_floor("s", "f", json!({"state": "committed"}));
        for name in ["支线 1", "a/b", "%2F", "'; DROP TABLE branch; --", "..", "\"quoted\"", "\u{1F525}", " "] {
            client.case(&format!("a branch called {name:?}"));
            client.post("/floors/f/branch", json!({"branch_id": name})).is(201).has("/branch_id", name);
            client.set(branch("s", name), "k", name).is(201).has("/scope_ref/branch_id", name);
            let query = format!("session_id=s&branch_id={}", encode(name));
            assert_eq!(client.resolve(&query), [("k".to_owned(), json!(name), "branch".to_owned())]);
            // Clients resolve dots in a path before they send it, escaped or not.
            if name != ".." {
                let path = format!("/branches/{}?session_id=s", encode(name));
                client.delete(&path).is(200).has("/branch_id", name).has("/deleted_floor_count", 0);
            }
        }
        client.case("a name must be one");
        client.post("/floors/f/branch", json!({"branch_id": ""})).invalid_at("/branch_id");
        client.post("/floors/f/branch", json!({"branch_id": "b".repeat(257)})).invalid_at("/branch_id");
        client.post("/floors/f/branch", json!({"branch_id": "b".repeat(256)})).is(201);
        client.set(chat("s"), "k", 1).is(201);
    });
}
