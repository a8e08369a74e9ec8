//! Global snapshots: saved from a page or written by hand, found by tags, given to pages.

use super::story::text;
use crate::support::{Answer, Backend, Client, Server, both};
use serde_json::{Value, json};

impl Client {
    fn keep_state(&self, body: Value) -> Answer {
        self.post("/global-snapshots", body)
    }
}

#[test]
fn a_global_snapshot_has_a_name_tags_and_a_body() {
    both(|client| {
        client.case("made");
        let body =
            json!({"name": "Anfang 开始", "description": "the first", "tags": ["b", "a", "b"], "body": {"n": [1, {}]}});
        let made = client.keep_state(body);
        made.is(201).has("/name", "Anfang 开始").has("/tags", json!(["b", "a"])).has("/body", Value::Null);
        let path = format!("/global-snapshots/{}", made.id());
        client.get(&path).is(200).has("/body", json!({"n": [1, {}]})).has("/description", "the first");
        client.case("a value that looks like a reference is itself");
        let marker = json!({"__vmRef": 1, "list": [{"__vmRef": 1}, {"$ref": 1}]});
        client.keep_state(json!({"id": "mine", "name": "x", "body": marker})).is(201).has("/description", Value::Null);
        client.get("/global-snapshots/mine").is(200).has("/body", marker);
        client.keep_state(json!({"id": "mine", "name": "y", "body": {}})).refused(409, "id_taken");
        client.case("changed in parts");
        let tag = client.get(&path).etag();
        let changed = client.patch(&path, json!({"tags": ["c"], "description": null}));
        changed.is(200).has("/tags", json!(["c"])).has("/description", Value::Null).has("/name", "Anfang 开始");
        client.get(&path).is(200).has("/body", json!({"n": [1, {}]}));
        client.patch(&path, json!({"name": "new", "body": {"m": 2}})).is(200).has("/name", "new");
        client.get(&path).is(200).has("/body", json!({"m": 2})).has("/tags", json!(["c"]));
        client.patch(&path, json!({})).is(200);
        client.case("two writers meet in a conflict");
        let stale = client.ask("PATCH", &path).header("if-match", &tag).json(json!({"name": "lost"})).send();
        stale.refused(412, "precondition_failed");
        client.ask("DELETE", &path).header("if-match", &tag).send().refused(412, "precondition_failed");
        let fresh = client.get(&path).etag();
        client.ask("PATCH", &path).header("if-match", &fresh).json(json!({"name": "kept"})).send().is(200);
        client.case("gone");
        client.delete(&path).is(200).has("/deleted", true);
        client.get(&path).refused(404, "global_snapshot_not_found");
        client.delete(&path).refused(404, "global_snapshot_not_found");
        client.patch(&path, json!({"name": "x"})).refused(404, "global_snapshot_not_found");
        client.get("/global-snapshots?tag=c").is(200).has_meta("total", 0);
    });
}

#[test]
fn tags_are_matched_exactly() {
    both(|client| {
        for (id, tags) in
            [("1", json!(["a_b", "50%"])), ("2", json!(["axb", "501"])), ("3", json!(["a_b"])), ("4", json!([]))]
        {
            client.keep_state(json!({"id": id, "name": id, "tags": tags, "body": {}})).is(201);
        }
        let found = |query: &str| client.get(&format!("/global-snapshots{query}")).column("id");
        client.case("newest first, in windows");
        assert_eq!(found(""), ["4", "3", "2", "1"]);
        assert_eq!(found("?limit=2&offset=1"), ["3", "2"]);
        assert_eq!(found("?sort_order=asc&limit=1"), ["1"]);
        client.get("/global-snapshots?limit=2").is(200).has_meta("total", 4).has_meta("has_more", true);
        client.case("no wildcards");
        assert_eq!(found("?tag=a_b"), ["3", "1"]);
        assert_eq!(found("?tag=50%25"), ["1"]);
        assert_eq!(found("?tag=%25"), [""; 0]);
        assert_eq!(found("?tag=A_B"), [""; 0]);
        client.get("/global-snapshots?tag=a_b&limit=1").is(200).has_meta("total", 2).has_meta("has_more", true);
        client.case("what changed last is first");
        client.patch("/global-snapshots/1", json!({"name": "again"})).is(200);
        assert_eq!(found("?tag=a_b"), ["1", "3"]);
        client.get("/global-snapshots?tag=").invalid_at("/tag");
        client.get("/global-snapshots?sort_by=name").invalid_at("/sort_by");
    });
}

#[test]
fn a_state_is_saved_from_a_page_and_given_to_another() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let turns = [1, 10, 100].map(|number| client.turn("s", &format!("@.ADD(\"n\", {number});")));
        let [first, second, third] = turns.each_ref().map(|turn| text(turn, "page_id"));
        client.case("saved from a page, from a snapshot, and from a page that shows the state before it");
        client.keep_state(json!({"id": "page", "name": "p", "page_id": second})).is(201);
        client.get("/global-snapshots/page").is(200).has("/body", json!({"n": 11}));
        let snapshot = text(&turns[2], "snapshot_id");
        client.keep_state(json!({"id": "snapshot", "name": "s", "snapshot_id": snapshot})).is(201);
        client.get("/global-snapshots/snapshot").is(200).has("/body", json!({"n": 111}));
        let user = client.post("/sessions/s/turns", json!({"role": "user", "content": "hm"}));
        let user = text(&user, "page_id");
        client.keep_state(json!({"id": "user", "name": "u", "page_id": user})).is(201);
        client.get("/global-snapshots/user").is(200).has("/body", json!({"n": 111}));
        client.case("it stays what it is when the page goes on");
        client.put(&format!("/snapshots/{}", text(&turns[1], "snapshot_id")), json!({"state": {"n": 0}})).is(200);
        client.get("/global-snapshots/page").is(200).has("/body", json!({"n": 11}));
        client.case("given to a page, as an edit, and what follows is processed");
        let applied = client.post("/global-snapshots/page/apply", json!({"page_id": first}));
        applied.is(200).has("/state", json!({"n": 11})).has("/edited", true).has("/id", text(&turns[0], "snapshot_id"));
        applied.has("/processed/kept_edited", 1).has("/processed/processed", 2);
        client.state(&first).has("/state/n", 11).has("/edited", true).has("/fresh", true);
        client.state(&second).has("/state/n", 0).has("/fresh", true);
        client.state(&third).has("/state/n", 100).has("/fresh", true);
        client.case("given to a page that was never processed");
        client.unprocessed("s", "late", "output", "@.ADD(\"n\", 1000);");
        client.post("/global-snapshots/page/apply", json!({"page_id": "late.p"})).is(200).has("/edited", true);
        client.get("/sessions/s/state").is(200).has("/state/n", 11).has("/fresh", true).has("/edited", true);
        client.case("of another session");
        client.make_story("t", json!({}));
        let other = text(&client.turn("t", "no"), "page_id");
        client.post("/global-snapshots/snapshot/apply", json!({"page_id": other})).is(200).has("/state/n", 111);
        client.case("refused");
        client.post("/global-snapshots/page/apply", json!({"page_id": user})).refused(409, "invalid_state");
        client.make_page("late", "late.q", json!({"content": "x", "is_active": false}));
        client.post("/global-snapshots/page/apply", json!({"page_id": "late.q"})).refused(409, "invalid_state");
        client.post("/global-snapshots/page/apply", json!({"page_id": "nowhere"})).refused(404, "page_not_found");
        client.post("/global-snapshots/page/apply", json!({})).invalid("required property 'page_id'");
        client
            .post("/global-snapshots/none/apply", json!({"page_id": first}))
            .refused(404, "global_snapshot_not_found");
        client.keep_state(json!({"name": "x", "page_id": "nowhere"})).refused(404, "page_not_found");
        client.keep_state(json!({"name": "x", "snapshot_id": "nothing"})).refused(404, "snapshot_not_found");
    });
}

#[test]
fn everything_of_a_global_snapshot_has_a_limit() {
    both(|client| {
        let with = |more: Value| client.keep_state(crate::support::tree::merge(json!({"name": "n", "body": {}}), more));
        client.case("at the limit");
        let tags: Vec<String> = (0..32).map(|number| format!("{number:0>256}")).collect();
        with(json!({"name": "n".repeat(1024), "description": "d".repeat(16 * 1024), "tags": tags})).is(201);
        client.case("over it");
        with(json!({"name": "n".repeat(1025)})).invalid_at("/name");
        with(json!({"name": ""})).invalid_at("/name");
        with(json!({"description": "d".repeat(16 * 1024 + 1)})).invalid_at("/description");
        with(json!({"tags": vec!["t"; 33]})).invalid_at("/tags");
        with(json!({"tags": ["t", "t".repeat(257)]})).invalid_at("/tags/1");
        with(json!({"tags": [""]})).invalid_at("/tags/0");
        with(json!({"tags": [1]})).invalid_at("/tags/0");
        for bad in [json!(1), json!(null), json!([]), json!([{"n": 1}])] {
            with(json!({"body": bad})).invalid_at("/body");
        }
        with(json!({"id": "a b"})).invalid_at("/id");
        client.keep_state(json!({"name": "n"})).invalid("exactly one of the properties");
        with(json!({"page_id": "p"})).invalid("exactly one of the properties");
        client.keep_state(json!({"body": {}})).invalid("required property 'name'");
    });
}

#[test]
fn there_are_as_many_as_the_operator_allows() {
    for backend in Backend::BOTH {
        let server = Server::start_with(backend.place(), &["global_snapshots_max=2"]);
        let client = server.client("few");
        for id in ["a", "b"] {
            client.keep_state(json!({"id": id, "name": "n", "body": {}})).is(201);
        }
        let over = client.keep_state(json!({"name": "n", "body": {}}));
        over.refused(429, "quota_exceeded")
            .saying("there are 2 global snapshots already, which is the most that is allowed");
        client.delete("/global-snapshots/a?permanent=true").is(200);
        client.keep_state(json!({"name": "n", "body": {}})).is(201);
    }
}

#[test]
fn they_are_exported_and_go_with_the_account() {
    both(|client| {
        client.keep_state(json!({"id": "g", "name": "n", "tags": ["t"], "body": {"gold": 7}})).is(201);
        let lines = client.ask("GET", "/account/export").unrecorded().send().text;
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let found = lines.iter().find(|line| line["kind"] == "global_snapshot").expect("a global snapshot");
        assert_eq!((&found["data"]["body"], &found["data"]["tags"]), (&json!({"gold": 7}), &json!(["t"])));
        client.ask("DELETE", &format!("/account?confirm={}", client.account)).unrecorded().send().is(200);
        client.place().create_account(&client.account);
        let again = client.with_key(&client.create_key("admin", &[]).secret);
        again.get("/global-snapshots").is(200).has_meta("total", 0);
    });
}
