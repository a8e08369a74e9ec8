//! Snapshots: saved by hand, listed, compared, dropped, cleaned up.

use super::story::text;
use crate::support::{Answer, Client, both};
use serde_json::{Value, json};

impl Client {
    #[track_caller]
    fn clean_up(&self, body: Value) -> Answer {
        let answer = self.post("/snapshots/cleanup", body);
        answer.is(200);
        answer
    }

    #[track_caller]
    fn drop_chat(&self, body: Value) -> Answer {
        self.ask("DELETE", "/snapshots/by-chat").json(body).send()
    }

    fn swipe(&self, session: &str, floor: &str, content: &str) -> Answer {
        let body = json!({"role": "assistant", "content": content, "swipe_of": floor});
        self.post(&format!("/sessions/{session}/turns"), body)
    }
}

/// Three turns of one story.
fn three_turns(client: &Client, session: &str) -> [Answer; 3] {
    client.make_story(session, json!({"n": 0}));
    [1, 10, 100].map(|number| client.turn(session, &format!("@.ADD(\"n\", {number});")))
}

fn path(turn: &Answer) -> String {
    format!("/snapshots/{}", text(turn, "snapshot_id"))
}

#[test]
fn a_snapshot_that_is_saved_keeps_its_id_and_what_follows_is_processed() {
    both(|client| {
        let [first, second, third] = three_turns(client, "s");
        client.case("plain JSON comes back as it was sent, whatever it looks like");
        let state = json!({"n": 1000, "text": "100", "list": [1, [2]], "__vmRef": 1, "a": {"__vmRef": 1}, "$ref": {}});
        client.put(&path(&second), json!({"state": state})).is(200).has("/state", state.clone()).has("/edited", true);
        client.get(&path(&second)).is(200).has("/state", state.clone()).has("/fresh", true);
        client.state(&text(&second, "page_id")).has("/snapshot_id", text(&second, "snapshot_id")).has("/edited", true);
        client.case("what follows builds on it at once");
        let last = client.state(&text(&third, "page_id"));
        last.has("/fresh", true).has("/state/n", 1100).has("/snapshot_id", text(&third, "snapshot_id"));
        client.state(&text(&first, "page_id")).has("/state/n", 1).has("/edited", Value::Null);
        client.case("another account's marker is nobody's value");
        let shapes = json!({"list": [{"__vmRef": 1}, {"$ref": 2}]});
        client.put(&path(&third), json!({"state": shapes})).is(200).has("/state", shapes);
        client.case("metadata of MVU is left out on request");
        let record =
            json!({"stat_data": {"$meta": {"extensible": true}, "hp": 5, "bag": ["rope", "$__META_EXTENSIBLE__$"]}});
        let kept = client.put(&path(&third), json!({"state": record}));
        kept.is(200).has("/state", record.clone());
        let stripped = client.put(&path(&third), json!({"state": record, "strip_mvu": true}));
        stripped.is(200).has("/state", json!({"hp": 5, "bag": ["rope"]}));
        client.case("a state is an object, as a template is");
        for bad in [json!(null), json!(1), json!("{}"), json!([]), json!([{"n": 1}])] {
            client.put(&path(&third), json!({"state": bad})).invalid_at("/state");
        }
        client.put(&path(&third), json!({})).invalid("required property 'state'");
    });
}

#[test]
fn a_dropped_snapshot_is_treated_as_absent() {
    both(|client| {
        let [_, second, third] = three_turns(client, "s");
        let page = text(&second, "page_id");
        client.case("a condition");
        let tag = client.get(&path(&third)).etag();
        client.ask("DELETE", &path(&second)).header("if-match", &tag).send().refused(412, "precondition_failed");
        client.case("dropped");
        client.delete(&path(&second)).is(200).has("/deleted", true);
        client.get(&path(&second)).refused(404, "snapshot_not_found");
        client.put(&path(&second), json!({"state": {}})).refused(404, "snapshot_not_found");
        client.delete(&path(&second)).refused(404, "snapshot_not_found");
        client.case("its page is unprocessed and shows what lies before it");
        let before = client.state(&page);
        before.has("/fresh", false).has("/stale_reason", "unprocessed").has("/state/n", 1);
        before.has("/page_id", page.as_str()).has("/snapshot_id", Value::Null);
        client.state(&text(&third, "page_id")).has("/fresh", false).has("/state/n", 111);
        client.case("processing makes another one, and what follows keeps its id");
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 2);
        let again = client.state(&page);
        again.has("/fresh", true).has("/state/n", 11);
        assert_ne!(text(&again, "snapshot_id"), text(&second, "snapshot_id"));
        let last = client.state(&text(&third, "page_id"));
        last.has("/fresh", true).has("/state/n", 111).has("/snapshot_id", text(&third, "snapshot_id"));
        client.case("the last one, and a turn goes on as if it had never been");
        client.delete(&path(&third)).is(200);
        client.turn("s", "@.ADD(\"n\", 1000);").is(201);
        client.get("/sessions/s/state").is(200).has("/state/n", 1111).has("/fresh", true);
    });
}

#[test]
fn a_session_lists_its_snapshots() {
    both(|client| {
        let [first, second, third] = three_turns(client, "s");
        client.post("/sessions/s/turns", json!({"role": "user", "content": "no state"})).is(201);
        let swipe = client.swipe("s", &text(&second, "floor_id"), "@.ADD(\"n\", 20);");
        client.put(&path(&first), json!({"state": {"n": 5}, "process": false})).is(200);
        client.post(&format!("/floors/{}/branch", text(&first, "floor_id")), json!({"branch_id": "alt"})).is(201);
        let body = json!({"role": "assistant", "content": "@.ADD(\"n\", 7);", "branch_id": "alt"});
        let other = client.post("/sessions/s/turns", body);
        let ids = |answers: &[&Answer]| answers.iter().map(|it| json!(text(it, "snapshot_id"))).collect::<Vec<_>>();
        let list = "/sessions/s/snapshots";
        client.case("newest first");
        let all = client.get(list);
        all.is(200).has_meta("total", 5).has_meta("sort_by", "created_at");
        assert_eq!(all.column("id"), ids(&[&other, &swipe, &third, &second, &first]));
        all.has("/4/edited", true).has("/4/floor_no", 0).has("/3/edited", false).has("/3/is_active", false);
        all.has("/1/page_version", 1).has("/1/is_active", true).has("/1/page_id", text(&swipe, "page_id"));
        all.has("/0/branch_id", "alt").has("/0/floor_id", text(&other, "floor_id"));
        client.case("by floor, on one branch, in windows");
        let main = client.get(&format!("{list}?branch_id=main&sort_by=floor_no&sort_order=asc&limit=3"));
        main.is(200).has_meta("total", 4).has_meta("has_more", true);
        assert_eq!(main.column("floor_no"), [json!(0), json!(1), json!(1)]);
        let rest = client.get(&format!("{list}?branch_id=main&sort_by=floor_no&sort_order=asc&limit=3&offset=3"));
        assert_eq!(rest.is(200).column("id"), ids(&[&third]));
        client.case("of a deleted page it stays readable");
        client.delete(&format!("/pages/{}", text(&swipe, "page_id"))).is(200);
        client.get(&path(&swipe)).is(200).has("/page_id", Value::Null).has("/state/n", 21);
        let orphan = client.get(&format!("{list}?sort_by=floor_no&sort_order=asc&limit=1"));
        orphan.is(200).has("/0/id", text(&swipe, "snapshot_id")).has("/0/page_id", Value::Null);
        orphan.has("/0/floor_no", Value::Null).has_meta("total", 5);
        client.case("nowhere");
        client.get("/sessions/nobody/snapshots").refused(404, "session_not_found");
        client.get(&format!("{list}?branch_id=nowhere")).refused(404, "branch_not_found");
        client.get(&format!("{list}?limit=101")).invalid_at("/limit");
        client.get(&format!("{list}?sort_by=size")).invalid_at("/sort_by");
        client.case("with the session they are gone");
        client.delete("/sessions/s").is(200);
        client.get(&path(&swipe)).refused(404, "snapshot_not_found");
    });
}

#[test]
fn two_snapshots_are_compared() {
    both(|client| {
        let [first, second, _] = three_turns(client, "s");
        client.make_story("t", json!({"name": "Yuki", "n": 1}));
        let other = client.turn("t", "She smiles.");
        let diff =
            |from: &Answer, to: &Answer| client.get(&format!("{}/diff?to={}", path(from), text(to, "snapshot_id")));
        diff(&first, &second).is(200).has("/change", json!([{"op": "replace", "path": "/n", "value": 11}]));
        diff(&second, &first).is(200).has("/change", json!([{"op": "replace", "path": "/n", "value": 1}]));
        diff(&first, &first).is(200).has("/change", json!([])).has("/from", text(&first, "snapshot_id"));
        client.case("of another session too");
        diff(&first, &other).is(200).has("/change", json!([{"op": "add", "path": "/name", "value": "Yuki"}]));
        diff(&other, &first).is(200).has("/change", json!([{"op": "remove", "path": "/name"}]));
        client.case("refused");
        client.get(&format!("{}/diff", path(&first))).invalid("required property 'to'");
        client.get(&format!("{}/diff?to=nothing", path(&first))).refused(404, "snapshot_not_found");
        client
            .get(&format!("/snapshots/nothing/diff?to={}", text(&first, "snapshot_id")))
            .refused(404, "snapshot_not_found");
    });
}

#[test]
fn cleaning_up_drops_what_belongs_to_no_chat() {
    both(|client| {
        let [_, second, third] = three_turns(client, "kept");
        let [.., gone] = three_turns(client, "gone.jsonl");
        client.make_story("empty", json!({}));
        client.put(&path(&gone), json!({"state": {"by": "hand"}})).is(200);
        let swipe = client.swipe("gone.jsonl", &text(&gone, "floor_id"), "no");
        client.delete(&format!("/pages/{}", text(&swipe, "page_id"))).is(200);
        client.case("an empty list is refused");
        for empty in [json!({"activeChatFiles": []}), json!({"active_chat_files": [], "confirm_all": false})] {
            client.post("/snapshots/cleanup", empty).invalid("unless `confirm_all` is true");
        }
        client
            .post("/snapshots/cleanup", json!({"confirm_all": true}))
            .invalid("required property 'active_chat_files'");
        client.post("/snapshots/cleanup", json!({"activeChatFiles": ["a", 5]})).invalid_at("/activeChatFiles/1");
        client.post("/snapshots/cleanup", json!({"activeChatFiles": "kept"})).invalid_at("/activeChatFiles");
        let twice = json!({"activeChatFiles": ["kept"], "active_chat_files": ["kept"]});
        client.post("/snapshots/cleanup", twice).invalid_at("/activeChatFiles");
        client.get(&path(&gone)).is(200);
        client.case("a dry run tells and does nothing");
        let dry = client.clean_up(json!({"active_chat_files": ["kept"], "dry_run": true}));
        let counted = json!({
            "deleted": 4, "deleted_edited": 1, "deleted_orphans": 1, "scanned_chat_files": 2, "deleted_chat_files": 1,
            "chat_files": ["gone.jsonl"], "trash_ids": [], "more": false, "next_after": null, "dry_run": true,
        });
        assert_eq!(dry.data(), counted);
        client.get(&path(&gone)).is(200).has("/edited", true);
        client.case("the seed's spelling does it");
        let done = client.clean_up(json!({"activeChatFiles": ["kept", "never heard of"]}));
        let mut wanted = counted;
        wanted["dry_run"] = json!(false);
        wanted["trash_ids"] = done.data()["trash_ids"].clone();
        assert_eq!(wanted["trash_ids"].as_array().map(Vec::len), Some(1));
        assert_eq!(done.data(), wanted);
        client.get(&path(&gone)).refused(404, "snapshot_not_found");
        client.get(&path(&swipe)).refused(404, "snapshot_not_found");
        client.clean_up(json!({"activeChatFiles": ["kept"]})).has("/deleted", 0).has("/scanned_chat_files", 1);
        client.case("pages that are still there are unprocessed, and processing recomputes them");
        client.state(&text(&gone, "page_id")).has("/stale_reason", "unprocessed").has("/snapshot_id", Value::Null);
        client.post("/sessions/gone.jsonl/process", json!({})).is(200).has("/processed", 3);
        client
            .state(&text(&gone, "page_id"))
            .has("/fresh", true)
            .has("/state", json!({"by": "hand"}))
            .has("/edited", true);
        client.state(&text(&third, "page_id")).has("/snapshot_id", text(&third, "snapshot_id")).has("/fresh", true);
        client.case(
            "snapshots of deleted pages stay in a chat that exists, unless they are meant and in the trash no more",
        );
        let swipe = client.swipe("kept", &text(&second, "floor_id"), "no");
        let trash = client.delete(&format!("/pages/{}", text(&swipe, "page_id"))).is(200).header("trash-id");
        client.post("/sessions/kept/process", json!({})).is(200).has("/processed", 1);
        let all = ["kept", "gone.jsonl"];
        client.clean_up(json!({"activeChatFiles": all})).has("/deleted", 0);
        client.get(&path(&swipe)).is(200);
        client.clean_up(json!({"activeChatFiles": all, "orphans": true})).has("/deleted", 0);
        client.get(&format!("/trash/{trash}")).is(200).has("/pages/0/snapshot_id", text(&swipe, "snapshot_id"));
        client.delete(&format!("/trash/{trash}")).is(200);
        let orphans = client.clean_up(json!({"activeChatFiles": all, "orphans": true}));
        orphans.has("/deleted", 1).has("/deleted_orphans", 1).has("/chat_files", json!(["kept"]));
        client.get(&path(&swipe)).refused(404, "snapshot_not_found");
        client.state(&text(&third, "page_id")).has("/fresh", true);
        client.case("everything, if it is said twice");
        let every = client.clean_up(json!({"activeChatFiles": [], "confirm_all": true}));
        every.has("/deleted", 6).has("/deleted_chat_files", 2);
        client.get("/sessions/kept/snapshots").is(200).has_meta("total", 0);
    });
}

#[test]
fn the_snapshots_of_one_chat_are_dropped() {
    both(|client| {
        let [first, ..] = three_turns(client, "s");
        let [.., other] = three_turns(client, "t");
        client.patch("/sessions/s", json!({"chat_file": "Yuki 对话"})).is(200);
        client.case("the name counts, not the session's id");
        client.drop_chat(json!({"chat_file": "s"})).is(200).has("/deleted", 0).has("/scanned_chat_files", 0);
        client.drop_chat(json!({"chatFile": "Yuki 对话", "dry_run": true})).is(200).has("/deleted", 3);
        client.get(&path(&first)).is(200);
        client
            .drop_chat(json!({"chatFile": "Yuki 对话"}))
            .is(200)
            .has("/deleted", 3)
            .has("/chat_files", json!(["Yuki 对话"]));
        client.get(&path(&first)).refused(404, "snapshot_not_found");
        client.get(&path(&other)).is(200);
        client.drop_chat(json!({"chat_file": "t"})).is(200).has("/deleted", 3);
        client.case("refused");
        client.drop_chat(json!({})).invalid("required property 'chat_file'");
        client.drop_chat(json!({"chatFile": ""})).invalid_at("/chatFile");
        client.drop_chat(json!({"chatFile": "n".repeat(1024)})).is(200);
        client.drop_chat(json!({"chatFile": "n".repeat(1025)})).invalid_at("/chatFile");
        client.drop_chat(json!({"chatFile": "s", "chat_file": "s"})).invalid_at("/chatFile");
    });
}

#[test]
fn a_very_long_list_of_chats_is_no_trouble() {
    both(|client| {
        let [.., kept] = three_turns(client, "chat-7");
        let [.., gone] = three_turns(client, "elsewhere");
        let names = |count: usize| (0..count).map(|number| format!("chat-{number}")).collect::<Vec<_>>();
        client.clean_up(json!({"activeChatFiles": names(100_000)})).has("/deleted", 3).has("/scanned_chat_files", 2);
        client.get(&path(&gone)).refused(404, "snapshot_not_found");
        client.get(&path(&kept)).is(200);
        client.post("/snapshots/cleanup", json!({"activeChatFiles": names(100_001)})).invalid_at("/activeChatFiles");
        client
            .post("/snapshots/cleanup", json!({"activeChatFiles": ["n".repeat(1025)]}))
            .invalid_at("/activeChatFiles/0");
        client.case("a chat longer than one part");
        client.make_story("long", json!({}));
        for number in 0..101 {
            let floor = format!("f{number}");
            client.unprocessed("long", &floor, "output", "@.SET(\"n\", 1);");
        }
        client.post("/sessions/long/process", json!({})).is(200).has("/processed", 101);
        client.clean_up(json!({"activeChatFiles": ["chat-7"]})).has("/deleted", 101);
        client.get("/sessions/long/snapshots").is(200).has_meta("total", 0);
        client.post("/sessions/long/process", json!({})).is(200).has("/processed", 101);
    });
}
