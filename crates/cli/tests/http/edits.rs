//! Edits by hand: patches beside the text of a page, applied after its commands.

use super::story::text;
use crate::support::{Answer, Client, both};
use serde_json::{Value, json};

/// A story with a page for each text: `p0`, `p1` and so on.
#[track_caller]
fn story(client: &Client, template: Value, texts: &[&str]) {
    client.make_story("s", template);
    for (number, content) in texts.iter().enumerate() {
        let turn = json!({"role": "assistant", "content": content, "page_id": format!("p{number}")});
        client.post("/sessions/s/turns", turn).is(201);
    }
}

fn edit(client: &Client, page: &str, patch: Value) -> Answer {
    client.patch(&format!("/pages/{page}/state"), json!({"patch": patch}))
}

#[track_caller]
fn rewrite(client: &Client, page: &str, content: &str) {
    client.patch(&format!("/pages/{page}"), json!({"content": content})).is(200);
    client.post("/sessions/s/process", json!({})).is(200);
}

#[track_caller]
fn edits(client: &Client, page: &str) -> Vec<Value> {
    let answer = client.get(&format!("/pages/{page}/edits"));
    answer.is(200);
    answer.data().as_array().expect("a list").clone()
}

#[test]
fn an_edit_is_applied_again_on_another_base() {
    both(|client| {
        story(
            client,
            json!({"gold": 5}),
            &["@.ADD(\"gold\", 1);", "@.ADD(\"gold\", 10); @.SET(\"mood\", \"glad\");", "@.ADD(\"gold\", 100);"],
        );
        client.case("one value is changed, and the others go on with their texts");
        let edited = edit(client, "p1", json!([{"op": "replace", "path": "/mood", "value": "calm"}]));
        edited.is(200).has("/state", json!({"gold": 16, "mood": "calm"})).has("/edited", true).has("/fresh", true);
        edited.has("/processed/processed", 1);
        rewrite(client, "p0", "@.ADD(\"gold\", 2);");
        client.state("p1").has("/state", json!({"gold": 17, "mood": "calm"})).has("/edited", true).has("/fresh", true);
        client.state("p2").has("/state", json!({"gold": 117, "mood": "calm"})).has("/fresh", true);
        client.case("the text of the page itself changes");
        rewrite(client, "p1", "@.ADD(\"gold\", 20); @.SET(\"mood\", \"sad\");");
        client.state("p1").has("/state", json!({"gold": 27, "mood": "calm"})).has("/edited", true).has("/fresh", true);
        client.case("a member that the text does not write any more is set all the same");
        rewrite(client, "p1", "Nothing.");
        client.state("p1").has("/state", json!({"gold": 7, "mood": "calm"})).has("/fresh", true);
        client.case("another swipe has no edits, and the first one has them still");
        let floor = text(&client.get("/pages/p1"), "floor_id");
        let swipe =
            json!({"role": "assistant", "content": "@.ADD(\"gold\", 30);", "page_id": "other", "swipe_of": floor});
        client.post("/sessions/s/turns", swipe).is(201);
        client.state("other").has("/state", json!({"gold": 37})).has("/edited", Value::Null);
        client.post("/pages/p1/activate", json!({})).is(200);
        client.state("p1").has("/state", json!({"gold": 7, "mood": "calm"})).has("/edited", true).has("/fresh", true);
        client.case("a whole state is what differs from the present one");
        let path = format!("/snapshots/{}", text(&client.state("p1"), "snapshot_id"));
        let put = json!({"state": {"gold": 7, "mood": "calm", "day": 2}, "reason": "the calendar"});
        client.put(&path, put.clone()).is(200).has("/state/day", 2);
        client.put(&path, put).is(200).has("/edited", true);
        let listed = edits(client, "p1");
        assert_eq!(listed.len(), 2, "what changes nothing is no edit");
        assert_eq!(listed[1]["patch"], json!([{"op": "add", "path": "/day", "value": 2}]));
        assert_eq!(listed[1]["reason"], "the calendar");
        assert_eq!(listed[0]["patch"], json!([{"op": "add", "path": "/mood", "value": "calm", "old": "glad"}]));
        assert_eq!((&listed[0]["reason"], &listed[0]["taken_back_at"]), (&Value::Null, &Value::Null));
        rewrite(client, "p0", "@.ADD(\"gold\", 3);");
        client.state("p1").has("/state", json!({"gold": 8, "mood": "calm", "day": 2})).has("/fresh", true);
        client.case("a chat that is recomputed keeps them, also under new names");
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200).has("/kept_edited", 1);
        client.delete(&path).is(200);
        client.state("p1").has("/stale_reason", "unprocessed");
        client.post("/sessions/s/process", json!({})).is(200).has("/kept_edited", 1);
        client.state("p1").has("/state", json!({"gold": 8, "mood": "calm", "day": 2})).has("/edited", true);
    });
}

#[test]
fn an_op_that_finds_no_place_is_a_problem() {
    both(|client| {
        story(client, json!({}), &["@.SET(\"bag\", {\"rope\": 1}); @.SET(\"gold\", 1);", "@.SET(\"n\", 1);"]);
        edit(
            client,
            "p0",
            json!([
                {"op": "replace", "path": "/bag/rope", "value": 5},
                {"op": "remove", "path": "/gold"},
                {"op": "add", "path": "/note", "value": "kept"},
            ]),
        )
        .is(200);
        client.state("p1").has("/state", json!({"bag": {"rope": 5}, "note": "kept", "n": 1}));
        client.patch("/pages/p0", json!({"content": "@.SET(\"bag\", 3);"})).is(200);
        let report = client.post("/sessions/s/process", json!({}));
        report.is(200).has("/problems", 2).has("/floors/0/problems", 2).has("/kept_edited", 1);
        client.state("p1").has("/state", json!({"bag": 3, "note": "kept", "n": 1})).has("/fresh", true);
        let floor = text(&client.get("/pages/p0"), "floor_id");
        let change = client.get(&format!("/floors/{floor}/change?include_commands=true"));
        change.is(200).has("/edited", true).has("/commands/0/name", "SET").has("/problems/0/code", "edit_not_applied");
        change.has("/problems/1/code", "edit_not_applied").has("/problems/2", Value::Null);
        client.case("and none when the place is there again");
        client.patch("/pages/p0", json!({"content": "@.SET(\"bag\", {}); @.SET(\"gold\", 9);"})).is(200);
        client.post("/sessions/s/process", json!({})).is(200).has("/problems", 0);
        client.state("p1").has("/state", json!({"bag": {"rope": 5}, "note": "kept", "n": 1}));
    });
}

#[test]
fn items_of_lists_are_found_by_what_they_were() {
    both(|client| {
        story(
            client,
            json!({"bag": ["rope"], "npcs": [{"name": "Yuki", "hp": 5}]}),
            &["@.APPEND(\"bag\", \"torch\");", "Hm."],
        );
        edit(
            client,
            "p1",
            json!([
                {"op": "remove", "path": "/bag/1"},
                {"op": "add", "path": "/bag/-", "value": "map"},
                {"op": "replace", "path": "/npcs/0/hp", "value": 9},
            ]),
        )
        .is(200);
        client.state("p1").has("/state/bag", json!(["rope", "map"])).has("/state/npcs/0/hp", 9);
        client.case("the list is longer, and the item stands elsewhere");
        rewrite(client, "p0", "@.SET(\"bag\", [\"lamp\", \"torch\", \"rope\"]);");
        client.state("p1").has("/state/bag", json!(["lamp", "rope", "map"])).has("/state/npcs/0/hp", 9);
        client.case("the item is not there, and no other one goes in its place");
        rewrite(client, "p0", "@.SET(\"bag\", [\"lamp\", \"rope\"]);");
        client.state("p1").has("/state/bag", json!(["lamp", "rope", "map"])).has("/fresh", true);
    });
}

#[test]
fn edits_are_listed_and_taken_back_one_by_one() {
    both(|client| {
        story(client, json!({"gold": 5}), &["@.ADD(\"gold\", 1);", "@.ADD(\"gold\", 10);"]);
        let patch = |body: Value| client.patch("/pages/p0/state", body);
        patch(json!({"patch": {"mood": "glad", "bag": {"rope": 1, "none": null}}, "reason": "a gift"})).is(200);
        patch(json!({"patch": [{"op": "replace", "path": "/gold", "value": 50}], "process": false})).is(200);
        client.state("p1").has("/fresh", false).has("/stale_reason", "parent_changed").has("/state/gold", 16);
        patch(json!({"patch": {"bag": {"rope": 2}, "mood": null}}))
            .is(200)
            .has("/state", json!({"gold": 50, "bag": {"rope": 2}}));
        client.state("p1").has("/state", json!({"gold": 60, "bag": {"rope": 2}})).has("/fresh", true);
        let listed = edits(client, "p0");
        let page = client.get("/pages/p0/edits?limit=1&offset=1");
        page.is(200).has("/0/id", listed[1]["id"].clone()).has_meta("total", 3).has_meta("has_more", true);
        client.get("/pages/p0/edits?sort_order=desc").is(200).has("/0/id", listed[2]["id"].clone());
        assert_eq!(
            listed[0]["patch"],
            json!([
                {"op": "add", "path": "/mood", "value": "glad"},
                {"op": "add", "path": "/bag", "value": {"rope": 1}},
            ])
        );
        assert_eq!(
            (&listed[0]["reason"], &listed[0]["kind"], &listed[0]["number"]),
            (&json!("a gift"), &json!("edit"), &json!(1))
        );
        client.case("the one in the middle");
        let take_back =
            |number: usize| client.delete(&format!("/pages/p0/edits/{}", listed[number]["id"].as_str().unwrap()));
        let taken = take_back(1);
        taken.is(200).has("/state", json!({"gold": 6, "bag": {"rope": 2}})).has("/edited", true).has("/fresh", true);
        taken.has("/processed/processed", 1);
        client.state("p1").has("/state/gold", 16).has("/fresh", true);
        assert!(edits(client, "p0")[1]["taken_back_at"].is_i64());
        take_back(1).is(200).has("/state/gold", 6);
        client.case("one that another one needs: that finds no place then");
        take_back(0).is(200).has("/state", json!({"gold": 6})).has("/edited", true);
        client.case("the last one");
        take_back(2).is(200).has("/state", json!({"gold": 6})).has("/edited", false).has("/fresh", true);
        client.state("p0").has("/edited", Value::Null).has("/fresh", true);
        client.case("what is not there");
        client.delete("/pages/p0/edits/nothing").refused(404, "edit_not_found");
        client.delete("/pages/nowhere/edits/nothing").refused(404, "page_not_found");
        client.get("/pages/nowhere/edits").refused(404, "page_not_found");
        assert_eq!(edits(client, "p1"), [] as [Value; 0]);
    });
}

#[test]
fn a_patch_has_several_forms() {
    both(|client| {
        client.post("/sessions", json!({"id": "s", "template": {"gold": 5, "yuki": {"mood": "calm"}}})).is(201);
        client.post("/sessions/s/turns", json!({"role": "assistant", "content": "hi", "page_id": "p"})).is(201);
        let snapshot = client.get("/pages/p/state").is(200).data()["snapshot_id"].as_str().expect("an id").to_owned();
        for path in ["/pages/p/state".to_owned(), format!("/snapshots/{snapshot}")] {
            let send = |kind: &str, body: Value| client.ask("PATCH", &path).text(kind, body.to_string()).send();
            client.case("the bare patch");
            let bare = json!([{"op": "replace", "path": "/gold", "value": 6}]);
            send("application/json-patch+json", bare.clone()).is(200).has("/state/gold", 6);
            send("application/json", bare).is(200).has("/state/gold", 6);
            send("application/merge-patch+json", json!({"gold": 7, "path": "north"}))
                .is(200)
                .has("/state/path", "north");
            send("application/merge-patch+json", json!({"path": null})).is(200).has("/state/gold", 7);
            send("application/json-patch+json", json!([{"op": "add"}])).invalid_at("/0");
            client.case("one value");
            let one = |path: &str, value: Value| send("application/json", json!({"path": path, "value": value}));
            one("yuki.mood", json!("glad")).is(200).has("/state/yuki/mood", "glad");
            one("/yuki/mood", json!(null)).is(200).has("/state/yuki/mood", Value::Null);
            one("yuki.new", json!([1])).is(200).has("/state/yuki/new", json!([1]));
            one("nobody.mood", json!(1)).refused(422, "patch_failed").says("nobody");
            client.case("neither or both");
            for body in [
                json!({}),
                json!({"path": "gold"}),
                json!({"value": 1}),
                json!({"patch": {}, "path": "gold", "value": 1}),
            ] {
                send("application/json", body).invalid_at("");
            }
        }
    });
}

#[test]
fn a_patch_is_applied_whole_or_not_at_all() {
    both(|client| {
        story(client, json!({"gold": 5}), &["Hm."]);
        let path = format!("/snapshots/{}", text(&client.state("p0"), "snapshot_id"));
        let tag = client.get(&path).etag();
        let patched = client.patch(
            &path,
            json!({"patch": [{"op": "test", "path": "/gold", "value": 5}, {"op": "add", "path": "/n", "value": 1}]}),
        );
        patched.is(200).has("/state", json!({"gold": 5, "n": 1})).has("/edited", true);
        client.case("a condition");
        let send = |tag: &str, path: &str| {
            client.ask("PATCH", path).header("if-match", tag).json(json!({"patch": {"n": 2}})).send()
        };
        send(&tag, &path).refused(412, "precondition_failed");
        send(&tag, "/pages/p0/state").refused(412, "precondition_failed");
        send(&patched.etag(), "/pages/p0/state").is(200).has("/state/n", 2);
        client.case("what does not fit");
        let bad = client.patch(
            &path,
            json!({"patch": [{"op": "add", "path": "/x", "value": 1}, {"op": "remove", "path": "/nothing"}]}),
        );
        bad.refused(422, "patch_failed");
        client
            .patch(&path, json!({"patch": [{"op": "test", "path": "/gold", "value": 6}]}))
            .refused(422, "patch_failed");
        client
            .patch(&path, json!({"patch": [{"op": "replace", "path": "", "value": []}]}))
            .refused(422, "patch_failed");
        client.case("what is no patch");
        client.patch(&path, json!({"patch": 5})).invalid_at("/patch");
        client.patch(&path, json!({})).invalid_at("");
        client.patch(&path, json!({"patch": [{"op": "fly", "path": "/x"}]})).invalid_at("/patch/0/op");
        client.patch(&path, json!({"patch": [{"op": "add", "path": "/x"}]})).invalid_at("/patch/0");
        client.patch(&path, json!({"patch": {}, "reason": 5})).invalid_at("/reason");
        client.patch("/snapshots/nowhere", json!({"patch": {}})).refused(404, "snapshot_not_found");
        client.patch("/pages/nowhere/state", json!({"patch": {}})).refused(404, "page_not_found");
        client.get(&path).is(200).has("/state", json!({"gold": 5, "n": 2}));
        client.case("sent again under its key it happens once");
        let again = || {
            client
                .ask("PATCH", &path)
                .header("idempotency-key", "k")
                .json(json!({"patch": [{"op": "add", "path": "/list", "value": []}]}))
                .send()
        };
        assert_eq!(again().is(200).data(), again().is(200).data());
        assert_eq!(edits(client, "p0").len(), 3);
        client.case("a page that was never processed");
        client.unprocessed("s", "late", "output", "@.ADD(\"gold\", 1000);");
        edit(client, "late.p", json!({"n": null})).has("/state/gold", 1005).has("/state/n", Value::Null);
        client.case("a page without a state of its own");
        let user = client.post("/sessions/s/turns", json!({"role": "user", "content": "Hm."}));
        let user = format!("/pages/{}/state", text(&user, "page_id"));
        client.patch(&user, json!({"patch": {}})).refused(409, "invalid_state");
    });
}

/// The answer to an edit is the state as it is when the answer is given, and its tag counts for the next one.
#[test]
fn an_edit_of_a_stale_page_answers_with_what_it_became() {
    both(|client| {
        story(client, json!({"n": 0}), &["@.ADD(\"n\", 1);", "@.ADD(\"n\", 10);"]);
        client.patch("/pages/p0", json!({"content": "@.ADD(\"n\", 2);"})).is(200);
        let send = || {
            let body = json!({"patch": {"seen": true}});
            client.ask("PATCH", "/pages/p1/state").header("idempotency-key", "k").json(body).send()
        };
        let edited = send();
        edited.is(200).has("/state", json!({"n": 12, "seen": true})).has("/fresh", true);
        let tag = edited.header("etag");
        assert_eq!(client.state("p1").header("etag"), tag);
        assert_eq!(send().is(200).data(), edited.data());
        let next = client.ask("PATCH", "/pages/p1/state").header("if-match", &tag).json(json!({"patch": {"more": 1}}));
        next.send().is(200).has("/state", json!({"n": 12, "seen": true, "more": 1}));
    });
}

/// What puts the values that are there is no edit, in whatever form it comes.
#[test]
fn an_edit_that_changes_nothing_is_none() {
    both(|client| {
        story(client, json!({"n": 0, "list": [1]}), &["@.ADD(\"n\", 1);"]);
        for patch in [json!([{"op": "replace", "path": "/n", "value": 1}]), json!({"n": 1}), json!({"list": [1]})] {
            edit(client, "p0", patch).is(200).has("/edited", false);
        }
        client.patch("/pages/p0/state", json!({"path": "n", "value": 1})).is(200).has("/edited", false);
        assert_eq!(edits(client, "p0"), [] as [Value; 0]);
        client.case("on a stale page the value counts, since it will be another");
        let next = client.turn("s", "@.ADD(\"n\", 10);");
        let page = text(&next, "page_id");
        client.patch("/pages/p0", json!({"content": "@.ADD(\"n\", 2);"})).is(200);
        edit(client, &page, json!({"n": 11})).is(200).has("/edited", true).has("/state/n", 11);
        client.case("a page that became a person's shows no state of its own, so none is edited");
        edit(client, "p0", json!({"n": 5})).is(200);
        let snapshot = text(&client.state("p0"), "snapshot_id");
        client.patch("/pages/p0", json!({"role": "user"})).is(200);
        client.put(&format!("/snapshots/{snapshot}"), json!({"state": {"n": 99}})).refused(409, "invalid_state");
        client.patch(&format!("/snapshots/{snapshot}"), json!({"patch": {"n": 99}})).refused(409, "invalid_state");
    });
}

#[test]
fn undo_is_an_edit_of_one_value_and_redo_takes_it_back() {
    both(|client| {
        story(client, json!({"gold": 5}), &["@.ADD(\"gold\", 1);", "@.ADD(\"gold\", 10); @.SET(\"mood\", \"glad\");"]);
        client.post("/pages/p1/redo", json!({})).refused(409, "invalid_state");
        client.post("/pages/p1/undo", json!({"path": "mood"})).is(200).has("/state", json!({"gold": 16}));
        client.case("the other value goes on with the texts");
        rewrite(client, "p0", "@.ADD(\"gold\", 2);");
        client.state("p1").has("/state", json!({"gold": 17})).has("/edited", true).has("/fresh", true);
        client.post("/pages/p1/undo", json!({"path": "gold"})).is(200).has("/state", json!({"gold": 7}));
        let listed = edits(client, "p1");
        assert_eq!(
            (&listed[0]["kind"], &listed[0]["patch"]),
            (&json!("undo"), &json!([{"op": "remove", "path": "/mood", "old": "glad"}]))
        );
        assert_eq!(listed[1]["patch"], json!([{"op": "add", "path": "/gold", "value": 7, "old": 17}]));
        client.case("redo takes the last undo back, and then the one before it");
        let redo = || client.ask("POST", "/pages/p1/redo").send();
        redo().is(200).has("/state", json!({"gold": 17})).has("/edited", true).has("/fresh", true);
        redo().is(200).has("/state", json!({"gold": 17, "mood": "glad"})).has("/edited", false);
        redo().refused(409, "invalid_state");
        client.case("an edit by hand is no undo");
        edit(client, "p1", json!({"mood": "calm"})).is(200);
        redo().refused(409, "invalid_state");
        client.post("/pages/p1/undo", json!({})).is(200).has("/state", json!({"gold": 7}));
        redo().is(200).has("/state", json!({"gold": 17, "mood": "calm"}));
    });
}

#[test]
fn the_text_alone_counts_if_it_is_wanted() {
    both(|client| {
        story(client, json!({"gold": 5}), &["@.ADD(\"gold\", 1);", "@.ADD(\"gold\", 10);", "@.ADD(\"gold\", 100);"]);
        edit(client, "p0", json!({"gold": 0})).is(200);
        edit(client, "p1", json!({"mood": "calm"})).is(200);
        let dry = client.post("/sessions/s/process", json!({"overwrite_edited": true, "dry_run": true}));
        dry.is(200).has("/processed", 3).has("/kept_edited", 0);
        client.state("p2").has("/state", json!({"gold": 110, "mood": "calm"}));
        client.case("of the newest pages, none of which is edited");
        client.post("/sessions/s/process", json!({"overwrite_edited": true, "from_floor": 2})).is(200);
        client.state("p2").has("/state", json!({"gold": 110, "mood": "calm"}));
        client.case("of all pages, without a mode");
        let report = client.post("/sessions/s/process", json!({"overwrite_edited": true}));
        report.is(200).has("/processed", 3).has("/kept_edited", 0).has("/unchanged", 0);
        client.state("p2").has("/state", json!({"gold": 116})).has("/fresh", true);
        client.state("p0").has("/edited", Value::Null);
        assert!(edits(client, "p0")[0]["taken_back_at"].is_i64(), "it was taken back and can be read");
        client
            .post("/sessions/s/process", json!({"overwrite_edited": true}))
            .is(200)
            .has("/processed", 0)
            .has("/unchanged", 3);
    });
}

#[test]
fn a_fork_has_the_edits_of_its_pages() {
    both(|client| {
        story(client, json!({"gold": 5}), &["@.ADD(\"gold\", 1);", "@.ADD(\"gold\", 10);"]);
        edit(client, "p0", json!({"mood": "calm"})).is(200);
        let floor = text(&client.get("/pages/p1"), "floor_id");
        client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": "alt"})).is(201);
        let read = |branch: &str| client.get(&format!("/sessions/s/state?branch_id={branch}"));
        client.case("an edit on one line is none on the other");
        edit(client, "p0", json!({"gold": 50})).is(200);
        read("main").is(200).has("/state", json!({"gold": 60, "mood": "calm"})).has("/fresh", true);
        read("alt").is(200).has("/state", json!({"gold": 16, "mood": "calm"})).has("/fresh", true);
        client.case("the copy has the edits from before, and its own life");
        let copies = client.get("/floors?session_id=s&branch_id=alt");
        let copy = copies.data()[0]["id"].as_str().expect("a floor").to_owned();
        let copy = client.get(&format!("/pages?floor_id={copy}")).data()[0]["id"].as_str().expect("a page").to_owned();
        let listed = edits(client, &copy);
        assert_eq!(listed.len(), 1);
        let id = listed[0]["id"].as_str().expect("an id");
        client.delete(&format!("/pages/{copy}/edits/{id}")).is(200).has("/state", json!({"gold": 6}));
        read("alt").is(200).has("/state", json!({"gold": 16})).has("/fresh", true);
        read("main").is(200).has("/state", json!({"gold": 60, "mood": "calm"})).has("/fresh", true);
        assert_eq!(edits(client, "p0").len(), 2);
    });
}

#[test]
fn a_swipe_of_the_model_keeps_its_state_beside_a_users() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let turn = |body: Value| text(&client.post("/sessions/s/turns", body), "floor_id");
        let floor = turn(json!({"role": "user", "content": "hello", "page_id": "u"}));
        turn(json!({"role": "assistant", "content": "@.ADD(\"n\", 8);", "page_id": "a", "swipe_of": floor}));
        edit(client, "a", json!({"hand": 1})).is(200).has("/state", json!({"n": 8, "hand": 1}));
        let snapshot = text(&client.state("a"), "snapshot_id");
        client.post("/pages/u/activate", json!({})).is(200);
        turn(json!({"role": "assistant", "content": "@.ADD(\"n\", 100);", "page_id": "later"}));
        client.case("the model's swipe has its own state, a user's shows the one before it");
        let shown = client.state("a");
        shown.has("/state", json!({"n": 8, "hand": 1})).has("/snapshot_id", snapshot.clone()).has("/page_id", "a");
        shown.has("/edited", true).has("/fresh", true).has("/inherited", Value::Null);
        client.state("u").has("/state", json!({"n": 0})).has("/inherited", true).has("/snapshot_id", Value::Null);
        client.state("later").has("/state", json!({"n": 100})).has("/fresh", true);
        client.get("/sessions/s/state?floor_no=0").is(200).has("/state", json!({"n": 0}));
        client.get("/compare?from=page:u&to=page:a").is(200).has(
            "/change",
            json!([{"op": "replace", "path": "/n", "value": 8, "old": 0}, {"op": "add", "path": "/hand", "value": 1}]),
        );
        client.get(&format!("/snapshots/{snapshot}")).is(200).has("/fresh", true).has("/edited", true);
        client.case("it can be edited, which changes no other page");
        edit(client, "a", json!({"hand": 2})).is(200).has("/state/hand", 2).has("/fresh", true);
        let path = format!("/snapshots/{snapshot}");
        client.patch(&path, json!({"patch": {"foot": 1}})).is(200).has("/state", json!({"n": 8, "hand": 2, "foot": 1}));
        let listed = edits(client, "a");
        let id = listed[1]["id"].as_str().expect("an id");
        client.delete(&format!("/pages/a/edits/{id}")).is(200).has("/state", json!({"n": 8, "hand": 1, "foot": 1}));
        client.post("/pages/a/undo", json!({"path": "n"})).is(200).has("/state/n", 0);
        client.post("/pages/a/redo", json!({})).is(200).has("/state/n", 8);
        client.get("/pages/a/blame?path=n").is(200).has("/source", "command");
        client.state("later").has("/state", json!({"n": 100})).has("/fresh", true);
        client.case("a stale one says so, and is computed once it is chosen");
        client.patch("/pages/a", json!({"content": "@.ADD(\"n\", 9);"})).is(200);
        client.state("a").has("/fresh", false).has("/stale_reason", "text_changed").has("/state/n", 8);
        client.post("/pages/a/activate", json!({})).is(200);
        client.state("a").has("/state", json!({"n": 9, "hand": 1, "foot": 1})).has("/fresh", true);
        client.state("later").has("/state", json!({"n": 109, "hand": 1, "foot": 1})).has("/fresh", true);
        client.case("one that was never processed");
        client.post("/pages/u/activate", json!({})).is(200);
        let page = json!({"id": "b", "floor_id": floor, "page_kind": "output", "content": "x", "is_active": false});
        client.post("/pages", page).is(201);
        client.state("b").has("/inherited", true).has("/stale_reason", "unprocessed").has("/state", json!({"n": 0}));
        edit(client, "b", json!({"hand": 1})).refused(409, "invalid_state");
    });
}

#[test]
fn only_the_last_slot_that_the_model_speaks_in_is_the_story() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let turn = |body: Value| text(&client.post("/sessions/s/turns", body), "floor_id");
        let floor = turn(json!({"role": "assistant", "content": "@.ADD(\"n\", 1);", "page_id": "first"}));
        let page = |id: &str, role: &str, content: &str| {
            let kind = if role == "user" { "input" } else { "output" };
            let page =
                json!({"id": id, "floor_id": floor, "page_no": 1, "page_kind": kind, "role": role, "content": content});
            client.post("/pages", page).is(201);
        };
        page("second", "assistant", "@.ADD(\"n\", 20);");
        client.post("/sessions/s/process", json!({})).is(200);
        client.state("second").has("/state", json!({"n": 20})).has("/fresh", true);
        client.state("first").has("/inherited", true).has("/state", json!({"n": 0}));
        client.case("a user's page is chosen behind the model's first one");
        page("aside", "user", "Hm.");
        client.post("/sessions/s/process", json!({})).is(200);
        client.state("aside").has("/inherited", true).has("/state", json!({"n": 0}));
        client.state("first").has("/inherited", Value::Null).has("/state", json!({"n": 1})).has("/fresh", true);
        client.state("second").has("/inherited", Value::Null).has("/state", json!({"n": 20})).has("/fresh", true);
    });
}

#[test]
fn edits_rest_while_no_commands_are_read_from_their_page() {
    both(|client| {
        story(client, json!({"gold": 5}), &["@.ADD(\"gold\", 1);", "@.ADD(\"gold\", 10);", "@.ADD(\"gold\", 100);"]);
        edit(client, "p1", json!({"mood": "glad"})).is(200);
        edit(client, "p1", json!({"gold": 50})).is(200);
        client.post("/pages/p1/undo", json!({"path": "mood"})).is(200);
        client.state("p2").has("/state", json!({"gold": 150}));
        let resting = || edits(client, "p1").iter().map(|edit| edit["resting"].clone()).collect::<Vec<_>>();
        assert_eq!(resting(), [Value::Null, Value::Null, Value::Null]);
        client.case("the change of the role says how many edits rest");
        client.patch("/pages/p1", json!({"role": "assistant"})).is(200).has("/resting_edits", Value::Null);
        client.patch("/pages/p1", json!({"role": "user"})).is(200).has("/resting_edits", 3);
        client.patch("/pages/p0", json!({"role": "user"})).is(200).has("/resting_edits", Value::Null);
        client.patch("/pages/p0", json!({"role": "assistant"})).is(200).has("/resting_edits", Value::Null);
        client.post("/sessions/s/process", json!({})).is(200).has("/kept_edited", 0);
        client.state("p2").has("/state", json!({"gold": 106})).has("/fresh", true);
        assert_eq!(resting(), [json!(true), json!(true), json!(true)]);
        client.patch("/pages/p1", json!({"name": "Ann"})).is(200).has("/resting_edits", Value::Null);
        let swipe = client.get("/sessions/s/floors/1?swipes=true");
        swipe.is(200).has("/snapshot_id", Value::Null).has("/swipes/0/snapshot_id", Value::Null);
        client.case("no edit is added");
        edit(client, "p1", json!({"mood": "sad"})).refused(409, "invalid_state");
        client.post("/pages/p1/undo", json!({})).refused(409, "invalid_state");
        client.case("one is taken back");
        let id = edits(client, "p1")[1]["id"].as_str().expect("an id").to_owned();
        client.delete("/pages/p1/edits/nothing").refused(404, "edit_not_found");
        let taken = client.delete(&format!("/pages/p1/edits/{id}"));
        taken.is(200).has("/page_id", "p1").has("/state", json!({"gold": 16})).has("/fresh", Value::Null);
        client.delete(&format!("/pages/p1/edits/{id}")).is(200);
        client.post("/pages/p1/redo", json!({})).is(200).has("/state", json!({"gold": 16, "mood": "glad"}));
        client.post("/pages/p1/redo", json!({})).refused(409, "invalid_state");
        assert_eq!(resting(), [json!(true), Value::Null, Value::Null], "what was taken back does not rest");
        client.state("p1").has("/inherited", true).has("/state", json!({"gold": 6}));
        client.state("p2").has("/state", json!({"gold": 106})).has("/fresh", true);
        client.case("the others count again with the page");
        client.patch("/pages/p1", json!({"role": "assistant"})).is(200).has("/resting_edits", Value::Null);
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 1);
        client.state("p1").has("/state", json!({"gold": 16, "mood": "glad"})).has("/fresh", true).has("/edited", true);
        client.state("p2").has("/state", json!({"gold": 116, "mood": "glad"})).has("/fresh", true);
        assert_eq!(resting(), [Value::Null, Value::Null, Value::Null]);
        client.case("the last one that rests, without a snapshot");
        client.patch("/pages/p1", json!({"role": "user"})).is(200).has("/resting_edits", 1);
        let snapshots = client.get("/sessions/s/snapshots?sort_by=floor_no&sort_order=asc");
        let snapshot = snapshots.is(200).data()[1]["id"].as_str().expect("an id").to_owned();
        client.delete(&format!("/snapshots/{snapshot}")).is(200);
        let id = edits(client, "p1")[0]["id"].as_str().expect("an id").to_owned();
        client.delete(&format!("/pages/p1/edits/{id}")).refused(409, "invalid_state").says("assistant");
        client.patch("/pages/p1", json!({"role": "assistant"})).is(200);
        client.post("/sessions/s/process", json!({})).is(200).has("/kept_edited", 1);
        client.delete(&format!("/pages/p1/edits/{id}")).is(200).has("/state", json!({"gold": 16}));
    });
}

/// An edit is a patch beside the text: what the text led to comes from an older recipe all the same.
#[test]
fn an_edited_page_is_outdated_wherever_it_is_shown() {
    both(|client| {
        story(client, json!({"gold": 5}), &["@.ADD(\"gold\", 1);", "@.ADD(\"gold\", 10);"]);
        edit(client, "p0", json!({"mood": "calm"})).is(200);
        let shown = |wanted: [Value; 2]| {
            assert_eq!(["p0", "p1"].map(|page| client.state(page).data()["outdated"].clone()), wanted);
            let transcript = client.get("/sessions/s/transcript");
            assert_eq!(transcript.is(200).column("outdated"), wanted);
            for (number, wanted) in wanted.iter().enumerate() {
                let floor = client.get(&format!("/sessions/s/floors/{number}"));
                floor.is(200).has("/outdated", wanted.clone());
                let state = client.get(&format!("/sessions/s/state?floor_no={number}"));
                state.is(200).has("/outdated", wanted.clone()).has("/fresh", true);
            }
        };
        shown([Value::Null, Value::Null]);
        client.patch("/sessions/s", json!({"template": {"gold": 6}})).is(200);
        shown([json!(true), json!(true)]);
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200);
        shown([Value::Null, Value::Null]);
        client.state("p1").has("/state", json!({"gold": 17, "mood": "calm"}));
    });
}

#[test]
fn the_undo_of_an_object_leaves_what_its_page_never_touched() {
    both(|client| {
        story(client, json!({"npc": {}, "list": [1]}), &["x", "@.SET(\"npc.yuki\", 1); @.APPEND(\"list\", 2);"]);
        let undone = client.post("/pages/p1/undo", json!({"path": "npc"}));
        undone.is(200).has("/state/npc", json!({}));
        client.post("/pages/p1/undo", json!({"path": "list"})).is(200).has("/state/list", json!([1]));
        rewrite(client, "p0", "@.SET(\"npc.hana\", 7);");
        client.get("/pages/p1/state").is(200).has("/fresh", true).has("/state/npc", json!({"hana": 7}));
        client.post("/pages/p1/redo", json!({})).is(200);
        client.post("/pages/p1/redo", json!({})).is(200).has("/state/npc", json!({"hana": 7, "yuki": 1}));
        client.case("undo of everything is what the page changed, and no copy of the document");
        client.post("/pages/p1/undo", json!({"path": ""})).is(200);
        rewrite(client, "p0", "@.SET(\"npc.mio\", 8);");
        client.get("/pages/p1/state").is(200).has("/state", json!({"npc": {"mio": 8}, "list": [1]}));
    });
}
