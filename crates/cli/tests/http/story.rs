//! The story state: turns, swipes, edits, deletions, processing, and what is known of every state.

use crate::support::{Answer, Client, both};
use serde_json::{Value, json};

impl Client {
    /// Makes a session whose story starts from a template.
    #[track_caller]
    pub(super) fn make_story(&self, id: &str, template: Value) {
        self.post("/sessions", json!({"id": id, "template": template})).is(201).has("/chat_file", id);
    }

    /// Takes a turn of a model's.
    pub(super) fn turn(&self, session: &str, content: &str) -> Answer {
        self.post(&format!("/sessions/{session}/turns"), json!({"role": "assistant", "content": content}))
    }

    /// Makes a committed floor with one page, which nobody processes.
    #[track_caller]
    pub(super) fn unprocessed(&self, session: &str, floor: &str, kind: &str, content: &str) {
        self.make_floor(session, floor, json!({"state": "committed"}));
        self.make_page(floor, &format!("{floor}.p"), json!({"page_kind": kind, "content": content}));
    }

    #[track_caller]
    pub(super) fn state(&self, page: &str) -> Answer {
        let answer = self.get(&format!("/pages/{page}/state"));
        answer.is(200);
        answer
    }
}

pub(super) fn text(answer: &Answer, name: &str) -> String {
    answer.data()[name].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_turn_is_a_floor_a_page_and_a_state() {
    both(|client| {
        client.make_story("s", json!({"gold": 5, "name": "100"}));
        client.case("before the story begins the state is the template");
        client.get("/sessions/s/state").is(200).has("/state/gold", 5).has("/fresh", true).has("/inherited", true);
        client.case("what a person says has no state of its own");
        let user = client.post("/sessions/s/turns", json!({"role": "user", "content": "@.SET(\"gold\", 1);"}));
        user.is(201).has("/floor_no", 0).has("/snapshot_id", Value::Null).has("/change", json!([]));
        client.state(&text(&user, "page_id")).has("/inherited", true).has("/state/gold", 5).has("/fresh", true);
        client.case("what a model says is applied");
        let body = json!({
            "role": "assistant",
            "content": "Here. @.ADD(\"gold\", 2); @.SET(\"note\", \"100\"); @.FLY(1);",
            "page_id": "p1",
            "include_state": true,
        });
        let turn = client.post("/sessions/s/turns", body.clone());
        turn.is(201).has("/floor_no", 1).has("/page_id", "p1").has("/page_version", 0);
        turn.has("/state", json!({"gold": 7, "name": "100", "note": "100"}));
        turn.has("/change/0", json!({"op": "replace", "path": "/gold", "value": 7}));
        turn.has("/commands/2/status", "refused").has("/commands/2/code", "unknown_function");
        let snapshot = text(&turn, "snapshot_id");
        assert_eq!(snapshot.as_bytes()[14], b'4', "a UUID v4");
        client.case("what a floor changed can be looked up");
        let change = client.get(&format!("/floors/{}/change", text(&turn, "floor_id")));
        change.is(200).has("/change", turn.data()["change"].clone()).has("/page_id", "p1").has("/edited", false);
        let nothing = client.get(&format!("/floors/{}/change", text(&user, "floor_id")));
        nothing.is(200).has("/change", json!([])).has("/page_id", Value::Null).has("/fresh", true);
        client.get("/floors/nowhere/change").refused(404, "floor_not_found");
        client.case("sent again it is taken once, and answers the same");
        let again = client.post("/sessions/s/turns", body.clone());
        assert_eq!(again.is(200).data(), turn.data());
        client.get("/floors?session_id=s").is(200).has_meta("total", 2);
        let mut other = body;
        other["content"] = json!("something else");
        client.post("/sessions/s/turns", other).refused(409, "id_taken");
        client.case("the state is found by page, by branch and by its own name");
        let state = client.state("p1");
        state.has("/snapshot_id", snapshot.as_str()).has("/fresh", true).has("/inherited", Value::Null);
        client.get("/sessions/s/state?branch_id=main").is(200).has("/snapshot_id", snapshot.as_str());
        let shown = client.get(&format!("/snapshots/{snapshot}"));
        shown.is(200).has("/state/gold", 7).has("/page_id", "p1").has("/fresh", true).has("/edited", false);
    });
}

#[test]
fn a_page_id_stands_for_one_turn() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        client.make_story("t", json!({"n": 0}));
        let first = text(&client.turn("s", "@.ADD(\"n\", 1);"), "floor_id");
        client.post(&format!("/floors/{first}/branch"), json!({"branch_id": "b"})).is(201);
        let body = json!({"role": "assistant", "name": "Yuki", "content": "@.ADD(\"n\", 10);", "page_id": "p"});
        let turn = client.post("/sessions/s/turns", body.clone());
        let floor = text(turn.is(201), "floor_id");
        let with = |more: Value| crate::support::tree::merge(body.clone(), more);
        let send = |more: Value| client.post("/sessions/s/turns", with(more));
        client.case("the same turn is answered again; what it must build on and what is shown are no part of it");
        for same in [json!({}), json!({"branch_id": "main"}), json!({"include_state": true})] {
            send(same).is(200).has("/floor_id", floor.as_str());
        }
        client.case("another one is refused, and what differs is named");
        for (what, other) in [
            ("role is", json!({"role": "narrator"})),
            ("name is", json!({"name": "Rin"})),
            ("content is", json!({"content": "no"})),
            ("branch_id is", json!({"branch_id": "b"})),
            ("swipe_of is", json!({"swipe_of": first})),
            ("role, content are", json!({"role": "user", "content": "no"})),
            ("swipe_of is", json!({"swipe_of": floor})),
            ("floor_no is", json!({"floor_no": 9})),
            ("floor_no is", json!({"floor_no": 1})),
            ("content, floor_no are", json!({"content": "no", "floor_no": 9})),
        ] {
            send(other).refused(409, "id_taken").says(what);
        }
        client.post("/sessions/t/turns", body.clone()).refused(409, "id_taken").says("session is");
        client.case("a text that was edited since leaves it the same turn");
        client.patch("/pages/p", json!({"content": "@.ADD(\"n\", 20);"})).is(200);
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 1);
        let again = send(json!({"include_state": true}));
        again.is(200).has("/floor_id", floor.as_str());
        // Not the old text on the new ground, which was never anybody's state.
        assert_eq!(again.data()["state"], client.get("/pages/p/state").is(200).data()["state"]);
        assert_eq!((&again.data()["change"], &again.data()["commands"]), (&json!([]), &json!([])));
        send(json!({"content": "@.ADD(\"n\", 20);"})).refused(409, "id_taken").says("another turn");
        client.get("/floors?session_id=s").is(200).has_meta("total", 2);
        client.case("a position that was named and is left out now");
        let placed = json!({"page_id": "placed", "floor_no": 1});
        client.post("/sessions/t/turns", with(placed.clone())).is(201).has("/floor_no", 1);
        client.post("/sessions/t/turns", with(placed)).is(200).has("/floor_no", 1);
        let refused = client.post("/sessions/t/turns", with(json!({"page_id": "placed"})));
        refused.refused(409, "id_taken").says("floor_no is");
        client.case("what no turn has made is no turn");
        client.make_page(&first, "q", json!({"content": "@.ADD(\"n\", 10);", "role": "assistant"}));
        send(json!({"page_id": "q"})).refused(409, "id_taken").says("'q'");
        client.case("a swipe stands on its floor's branch, at its floor's place");
        let swipe = |more: Value| with(crate::support::tree::merge(json!({"page_id": "r", "swipe_of": floor}), more));
        let say = |more: Value| client.post("/sessions/s/turns", swipe(more));
        say(json!({"branch_id": "nowhere"})).refused(404, "branch_not_found");
        say(json!({"branch_id": "b"})).refused(404, "floor_not_found").says("leave branch_id out");
        say(json!({"floor_no": 7})).refused(404, "floor_not_found").says("leave floor_no out");
        say(json!({"branch_id": "main", "floor_no": 1})).is(201).has("/page_version", 1);
        say(json!({})).is(200).has("/page_version", 1);
        client.post("/sessions/s/turns", with(json!({"page_id": "r"}))).refused(409, "id_taken").says("swipe_of");
    });
}

#[test]
fn what_a_turn_refuses() {
    both(|client| {
        client.make_story("s", json!({}));
        client.case("shapes");
        client.post("/sessions/s/turns", json!({"role": "assistant"})).invalid("required property 'content'");
        client.post("/sessions/s/turns", json!({"role": "", "content": ""})).invalid_at("/role");
        client.post("/sessions/s/turns", json!({"role": "a", "content": 5})).invalid_at("/content");
        client.post("/sessions", json!({"profile": "nobody"})).invalid_at("/profile");
        client.post("/sessions", json!({"template": [1]})).invalid_at("/template");
        client.post("/sessions/s/process", json!({"mode": "some"})).invalid_at("/mode");
        client.case("places");
        client.turn("nobody", "x").refused(404, "session_not_found");
        let turn = |more: Value| {
            let body = crate::support::tree::merge(json!({"role": "assistant", "content": "x"}), more);
            client.post("/sessions/s/turns", body)
        };
        turn(json!({"branch_id": "nowhere"})).refused(404, "branch_not_found");
        turn(json!({"swipe_of": "nowhere"})).refused(404, "floor_not_found");
        turn(json!({"floor_no": 3})).is(201).has("/floor_no", 3);
        turn(json!({"floor_no": 3})).refused(409, "position_taken");
        client.make_floor("s", "draft", json!({}));
        turn(json!({"swipe_of": "draft"})).refused(409, "invalid_state");
        client.get("/pages/nowhere/state").refused(404, "page_not_found");
        client.get("/sessions/s/state?branch_id=nowhere").refused(404, "branch_not_found");
        client.get("/snapshots/nowhere").refused(404, "snapshot_not_found");
        client.put("/snapshots/nowhere", json!({"state": {}})).refused(404, "snapshot_not_found");
        client.case("a chat's name is there once");
        client.post("/sessions", json!({"id": "t", "chat_file": "s"})).refused(409, "id_taken");
        client.post("/sessions", json!({"id": "t", "chat_file": "Yuki 对话.jsonl"})).is(201);
        client.patch("/sessions/t", json!({"chat_file": "s"})).refused(409, "id_taken");
        client.patch("/sessions/t", json!({"chat_file": "other"})).is(200).has("/chat_file", "other");
        client.case("a parent that is another one");
        let first = turn(json!({}));
        first.is(201);
        let (page, snapshot) = (text(&first, "page_id"), text(&first, "snapshot_id"));
        turn(json!({"expected_parent": page})).is(201);
        turn(json!({"expected_parent": snapshot})).refused(409, "parent_moved");
        turn(json!({"expected_parent": null})).refused(409, "parent_moved");
        turn(json!({"expected_parent": 5})).invalid_at("/expected_parent");
        client.case("no parent at all: whoever begins a story begins it alone");
        client.make_story("empty", json!({}));
        let begin = || {
            client.post("/sessions/empty/turns", json!({"role": "assistant", "content": "x", "expected_parent": null}))
        };
        begin().is(201);
        begin().refused(409, "parent_moved");
    });
}

#[test]
fn who_speaks_says_whether_commands_are_read() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let say = |role: &str, page: &str| {
            let body = json!({"role": role, "content": "@.ADD(\"n\", 1);", "page_id": page});
            client.post("/sessions/s/turns", body).is(201).data()["snapshot_id"].clone()
        };
        for (at, role) in ["user", "User", "human", "system", "developer", "TOOL"].into_iter().enumerate() {
            assert_eq!(say(role, &format!("p{at}")), Value::Null, "{role}");
        }
        assert_ne!(say("narrator", "spoken"), Value::Null);
        client.get("/sessions/s/state").is(200).has("/state/n", 1);
        client.case("somebody else speaks");
        client.patch("/pages/p0", json!({"role": "assistant"})).is(200).has("/page_kind", "output");
        client.get("/sessions/s/state").is(200).has("/fresh", false);
        client.patch("/pages/spoken", json!({"role": "user"})).is(200).has("/page_kind", "input");
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 1);
        client.get("/sessions/s/state").is(200).has("/fresh", true).has("/state/n", 1);
        client.case("a kind of its own stays");
        client.patch("/pages/p1", json!({"page_kind": "mixed"})).is(200);
        client.patch("/pages/p1", json!({"role": "human"})).is(200).has("/page_kind", "mixed");
    });
}

#[test]
fn a_swipe_starts_from_the_parent_and_swiping_back_is_free() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        client.turn("s", "@.ADD(\"n\", 1);").is(201);
        let second = client.turn("s", "@.ADD(\"n\", 10);");
        let (floor, page) = (text(&second, "floor_id"), text(&second, "page_id"));
        let third = client.turn("s", "@.ADD(\"n\", 100);");
        let last = text(&third, "page_id");
        client.state(&last).has("/state/n", 111).has("/fresh", true);
        client.case("a new swipe with calls in it is applied, to the parent and not to its sibling");
        let body =
            json!({"role": "assistant", "content": "@.ADD(\"n\", 20);", "swipe_of": floor, "include_state": true});
        let swipe = client.post("/sessions/s/turns", body);
        swipe.is(201).has("/state/n", 21).has("/page_version", 1).has("/floor_no", 1);
        client.state(&last).has("/fresh", true).has("/state/n", 121);
        client.state(&page).has("/state/n", 11).has("/fresh", true);
        client.case("swiping back brings back everything behind");
        client.post(&format!("/pages/{page}/activate"), json!({})).is(200);
        client.state(&last).has("/fresh", true).has("/state/n", 111);
        client.case("a deleted swipe takes its own state along, and no other");
        let gone = text(&swipe, "page_id");
        client.delete(&format!("/pages/{gone}")).is(200);
        client.state(&page).has("/snapshot_id", text(&second, "snapshot_id")).has("/state/n", 11);
        let orphan = client.get(&format!("/snapshots/{}", text(&swipe, "snapshot_id")));
        orphan.is(200).has("/state/n", 21).has("/page_id", Value::Null);
        client.case("the chosen swipe goes, and the one that takes over has its own state");
        let body = json!({"role": "assistant", "content": "@.ADD(\"n\", 30);", "swipe_of": floor});
        let chosen = text(&client.post("/sessions/s/turns", body), "page_id");
        client.state(&last).has("/fresh", true).has("/state/n", 131);
        client.delete(&format!("/pages/{chosen}")).is(200).has("/stale", json!({"floors": 1, "first_floor_no": 2}));
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 1);
        client.state(&last).has("/fresh", true).has("/state/n", 111);
    });
}

#[test]
fn edits_deletions_and_moves_make_stale_and_processing_mends() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let turns: Vec<Answer> =
            (0..4).map(|at| client.turn("s", &format!("@.ADD(\"n\", {});", 10_i64.pow(at)))).collect();
        let pages: Vec<String> = turns.iter().map(|turn| text(turn, "page_id")).collect();
        let floors: Vec<String> = turns.iter().map(|turn| text(turn, "floor_id")).collect();
        client.state(&pages[3]).has("/state/n", 1111).has("/fresh", true);
        client.case("a reply that goes on is another text");
        client
            .patch(&format!("/pages/{}", pages[1]), json!({"content": "@.ADD(\"n\", 10); @.ADD(\"n\", 10);"}))
            .is(200);
        client.state(&pages[0]).has("/fresh", true);
        client.state(&pages[1]).has("/fresh", false).has("/stale_reason", "text_changed");
        client.state(&pages[2]).has("/fresh", false).has("/stale_reason", "earlier_stale").has("/state/n", 111);
        client.case("a dry run tells and does nothing");
        let dry = client.post("/sessions/s/process", json!({"dry_run": true}));
        dry.is(200).has("/processed", 3).has("/dry_run", true).has("/floors/0/page_id", pages[1].as_str());
        client.state(&pages[1]).has("/fresh", false);
        client.case("processing mends it");
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 3).has("/unchanged", 0);
        client.state(&pages[3]).has("/fresh", true).has("/state/n", 1121);
        client.state(&pages[3]).has("/snapshot_id", text(&turns[3], "snapshot_id"));
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 0);
        client.case("the old text again is the old state's text, but the state is another");
        client.patch(&format!("/pages/{}", pages[1]), json!({"content": "@.ADD(\"n\", 10);"})).is(200);
        client.state(&pages[1]).has("/fresh", false);
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200).has("/processed", 3).has("/unchanged", 1);
        client.state(&pages[3]).has("/state/n", 1111).has("/fresh", true);
        client.case("an earlier floor is deleted");
        client.delete(&format!("/floors/{}", floors[1])).is(200);
        client.state(&pages[2]).has("/fresh", false).has("/stale_reason", "parent_changed");
        client.state(&pages[3]).has("/fresh", false).has("/stale_reason", "earlier_stale");
        client.turn("s", "@.ADD(\"n\", 5);").is(201);
        client.state(&pages[3]).has("/fresh", true).has("/state/n", 1101);
        client.get("/sessions/s/state").is(200).has("/state/n", 1106).has("/fresh", true);
        client.case("a floor moves behind another, and back");
        client.patch(&format!("/floors/{}", floors[0]), json!({"floor_no": 9})).is(200);
        client.state(&pages[2]).has("/fresh", false);
        client.state(&pages[0]).has("/fresh", false);
        client.patch(&format!("/floors/{}", floors[0]), json!({"floor_no": 0})).is(200);
        client.state(&pages[2]).has("/fresh", true);
        client.case("a page that becomes input is no part of the story");
        client.patch(&format!("/pages/{}", pages[2]), json!({"page_kind": "input"})).is(200);
        client.state(&pages[3]).has("/fresh", false).has("/stale_reason", "parent_changed");
        client.state(&pages[2]).has("/inherited", true).has("/state/n", 1);
    });
}

#[test]
fn a_chat_without_states_is_processed_from_the_nearest_one() {
    both(|client| {
        client.make_story("s", json!({"seen": []}));
        let say = |number: i64| format!("@.APPEND(\"seen\", {number});");
        client.case("the seed's second example: nothing has a state");
        client.unprocessed("s", "f0", "output", &say(0));
        client.unprocessed("s", "f1", "input", &say(1));
        client.unprocessed("s", "f2", "output", &say(2));
        client.unprocessed("s", "f3", "input", &say(3));
        client.unprocessed("s", "f4", "output", &say(4));
        client.state("f4.p").has("/fresh", false).has("/stale_reason", "unprocessed").has("/snapshot_id", Value::Null);
        client.state("f3.p").has("/inherited", true).has("/fresh", false);
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 3);
        client.state("f4.p").has("/state/seen", json!([0, 2, 4])).has("/fresh", true);
        client.state("f3.p").has("/state/seen", json!([0, 2])).has("/fresh", true).has("/inherited", true);
        client.case("the seed's first example: an earlier one has, and only the rest is processed");
        client.unprocessed("s", "f5", "input", &say(5));
        client.unprocessed("s", "f6", "output", &say(6));
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 1).has("/floors/0/floor_no", 6);
        client.get("/sessions/s/state").is(200).has("/state/seen", json!([0, 2, 4, 6]));
        client.case("a commit processes its page");
        client.make_floor("s", "f7", json!({}));
        client.post("/floors/f7/generate", json!({})).is(200);
        client.make_page("f7", "f7.p", json!({"content": say(7)}));
        client.state("f7.p").has("/inherited", true).has("/state/seen", json!([0, 2, 4, 6]));
        client.post("/floors/f7/commit", json!({})).is(200);
        client.state("f7.p").has("/state/seen", json!([0, 2, 4, 6, 7])).has("/fresh", true);
        client.case("a swipe that is chosen is processed");
        client.make_page("f7", "f7.q", json!({"content": say(77), "is_active": false}));
        client.state("f7.q").has("/fresh", false).has("/state/seen", json!([0, 2, 4, 6]));
        client.post("/pages/f7.q/activate", json!({})).is(200);
        client.state("f7.q").has("/state/seen", json!([0, 2, 4, 6, 77])).has("/fresh", true);
        client.case("the latest once more gets another name");
        let before = text(&client.state("f7.q"), "snapshot_id");
        client.post("/sessions/s/process", json!({"mode": "latest"})).is(200).has("/processed", 1);
        let both = json!({"mode": "latest", "from_floor": 0});
        client.post("/sessions/s/process", both).refused(400, "validation_error");
        assert_ne!(text(&client.state("f7.q"), "snapshot_id"), before);
        client.get(&format!("/snapshots/{before}")).refused(404, "snapshot_not_found");
    });
}

#[test]
fn a_state_changed_by_hand_is_kept_and_built_on() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let first = client.turn("s", "@.ADD(\"n\", 1);");
        let second = client.turn("s", "@.ADD(\"n\", 10);");
        let third = text(&client.turn("s", "@.ADD(\"n\", 100);"), "page_id");
        let path = format!("/snapshots/{}", text(&second, "snapshot_id"));
        client.case("an edit");
        let tag = client.get(&path).etag();
        client.put(&path, json!({"state": 5})).invalid_at("/state");
        let marker = json!({"n": 1000, "__vmRef": {"__vmRef": 1}, "$ref": "1"});
        let edited = client.put(&path, json!({"state": marker, "process": false}));
        edited.is(200).has("/edited", true).has("/state", marker.clone()).has("/fresh", true);
        client.state(&text(&second, "page_id")).has("/edited", true).has("/state", marker.clone());
        client.state(&third).has("/fresh", false).has("/stale_reason", "parent_changed");
        client.case("a condition");
        let stale = client.ask("PUT", &path).header("if-match", &tag).json(json!({"state": {}})).send();
        stale.refused(412, "precondition_failed");
        let fresh = edited.etag();
        let again = json!({"state": marker, "process": false});
        client.ask("PUT", &path).header("if-match", &fresh).json(again).send().is(200);
        client.case("what follows builds on it");
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 1);
        client.state(&third).has("/fresh", true).has("/state/n", 1100).has("/state/__vmRef", json!({"__vmRef": 1}));
        client.case("it is kept when something earlier changes");
        let page = text(&first, "page_id");
        client.patch(&format!("/pages/{page}"), json!({"content": "@.ADD(\"n\", 2);"})).is(200);
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 3).has("/kept_edited", 1);
        client.state(&third).has("/fresh", true).has("/state/n", 1100);
        client.state(&text(&second, "page_id")).has("/edited", true).has("/fresh", true);
        client.case("also when something earlier is changed by hand, and the answer says so");
        let earlier = format!("/snapshots/{}", text(&first, "snapshot_id"));
        let edit = || {
            let body = json!({"state": {"n": 20}});
            client.ask("PUT", &earlier).header("idempotency-key", "edit-1").json(body).send()
        };
        let edited = edit();
        edited.is(200).has("/processed/kept_edited", 1).has("/processed/processed", 2).has("/job_id", Value::Null);
        assert_eq!(edit().is(200).data(), edited.data());
        client.put(&earlier, json!({"state": {"n": 3}, "process": false})).is(200).has("/processed", Value::Null);
        client.delete(&earlier).is(200);
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 3).has("/kept_edited", 2);
        client.case("and counted when everything is recomputed");
        let all = client.post("/sessions/s/process", json!({"mode": "all"}));
        all.is(200).has("/kept_edited", 2).has("/unchanged", 3).has("/processed", 0);
        client.case("unless it is not wanted any more");
        let all = json!({"mode": "all", "overwrite_edited": true});
        client.post("/sessions/s/process", all).is(200).has("/kept_edited", 0);
        client.state(&third).has("/fresh", true).has("/state", json!({"n": 112}));
        client.case("what follows is processed at once");
        client.put(&path, json!({"state": {"n": 0}})).is(200);
        client.state(&third).has("/fresh", true).has("/state/n", 100);
    });
}

#[test]
fn what_changes_before_a_fork_changes_one_line() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let first = client.turn("s", "@.ADD(\"n\", 1);");
        let second = client.turn("s", "@.ADD(\"n\", 10);");
        client.post(&format!("/floors/{}/branch", text(&first, "floor_id")), json!({"branch_id": "alt"})).is(201);
        client.get("/sessions/s/state?branch_id=alt").is(200).has("/state/n", 1).has("/fresh", true);
        let body = json!({"role": "assistant", "content": "@.ADD(\"n\", 50);", "branch_id": "alt"});
        let alt = text(&client.post("/sessions/s/turns", body), "page_id");
        client.state(&alt).has("/state/n", 51).has("/fresh", true);
        client.case("the other line stays as it is, and fresh");
        let page = text(&first, "page_id");
        client.patch(&format!("/pages/{page}"), json!({"content": "@.ADD(\"n\", 2);"})).is(200);
        client.state(&alt).has("/fresh", true).has("/state/n", 51);
        client.state(&text(&second, "page_id")).has("/fresh", false);
        client.post("/sessions/s/process", json!({"branch_id": "alt"})).is(200).has("/processed", 0);
        client.state(&alt).has("/fresh", true).has("/state/n", 51);
        client.state(&text(&second, "page_id")).has("/fresh", false).has("/stale_reason", "earlier_stale");
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 2);
        client.case("the floor that it was forked from goes");
        client.delete(&format!("/floors/{}", text(&first, "floor_id"))).is(200);
        client.state(&alt).has("/fresh", true).has("/state/n", 51);
        client.case("a swipe of the first floor, and the next turn of the fork");
        let third = client.turn("s", "@.ADD(\"n\", 1000);");
        client.post(&format!("/floors/{}/branch", text(&third, "floor_id")), json!({"branch_id": "late"})).is(201);
        let swipe = json!({"role": "assistant", "content": "@.ADD(\"n\", 20);", "swipe_of": text(&second, "floor_id")});
        client.post("/sessions/s/turns", swipe).is(201);
        let body = json!({"role": "assistant", "content": "@.ADD(\"n\", 5);", "branch_id": "late"});
        let late = text(&client.post("/sessions/s/turns", body), "page_id");
        client.state(&late).has("/fresh", true).has("/state/n", 1015);
    });
}

#[test]
fn processing_what_is_stale_leaves_what_is_outdated() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let [first, second, third] =
            [1, 10, 100].map(|n| text(&client.turn("s", &format!("@.ADD(\"n\", {n});")), "page_id"));
        client.patch("/sessions/s", json!({"profile": {"base": "default", "disabled": ["ADD"]}})).is(200);
        client.patch(&format!("/pages/{second}"), json!({"content": "@.SET(\"n\", 50);"})).is(200);
        for body in [json!({}), json!({"mode": "stale"}), json!({"overwrite_edited": true})] {
            client.post("/sessions/s/process", body).is(200);
            client.state(&first).has("/state/n", 1).has("/fresh", true).has("/outdated", true);
        }
        client.case("what was stale is computed as the session is now");
        client.state(&second).has("/state/n", 50).has("/fresh", true).has("/outdated", Value::Null);
        client.state(&third).has("/state/n", 50).has("/fresh", true).has("/outdated", Value::Null);
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200);
        client.state(&first).has("/state/n", 0).has("/outdated", Value::Null);
    });
}

#[test]
fn another_profile_or_template_makes_outdated_and_not_stale() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let page = text(&client.turn("s", "@.ADD(\"n\", 1); @.SET(\"new\", 1);"), "page_id");
        client.state(&page).has("/outdated", Value::Null);
        client.patch("/sessions/s", json!({"profile": "strict"})).is(200).has("/profile", "strict");
        client.state(&page).has("/fresh", true).has("/outdated", true).has("/state", json!({"n": 1, "new": 1}));
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 0);
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200).has("/processed", 1).has("/problems", 0);
        client.state(&page).has("/fresh", true).has("/outdated", Value::Null).has("/state", json!({"n": 1}));
        client.patch("/sessions/s", json!({"template": {"n": 5}})).is(200);
        client.state(&page).has("/fresh", true).has("/outdated", true);
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200);
        client.state(&page).has("/state/n", 6);
        client.case("a profile that reads what people write");
        let user = client.post("/sessions/s/turns", json!({"role": "user", "content": "@.ADD(\"n\", 1);"}));
        user.is(201).has("/snapshot_id", Value::Null);
        client.patch("/sessions/s", json!({"profile": {"base": "default", "user_floors": true}})).is(200);
        client.state(&text(&user, "page_id")).has("/fresh", false).has("/stale_reason", "unprocessed");
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 1);
        client.state(&text(&user, "page_id")).has("/state/n", 7).has("/fresh", true).has("/inherited", Value::Null);
    });
}

#[test]
fn a_session_that_is_gone_takes_no_turn() {
    both(|client| {
        client.post("/sessions", json!({"id": "s", "template": {"n": 1}})).is(201);
        let turn = json!({"role": "user", "content": "Hello."});
        client.post("/sessions/s/turns", turn.clone()).is(201);
        client.delete("/sessions/s?permanent=true").is(200);
        for role in ["user", "assistant"] {
            let turn = json!({"role": role, "content": "@.ADD(\"n\", 1);", "include_state": true});
            client.post("/sessions/s/turns", turn).refused(404, "session_not_found");
        }
    });
}

#[test]
fn two_clients_on_one_branch_lose_nothing() {
    both(|client| {
        client.make_story("s", json!({"n": 0, "seen": []}));
        let answers: Vec<u16> = std::thread::scope(|scope| {
            let tell = |who: usize| {
                move || -> Vec<u16> {
                    let turn = |at: usize| {
                        let content = format!("@.ADD(\"n\", 1); @.APPEND(\"seen\", \"{who}.{at}\");");
                        let body = json!({"role": "assistant", "content": content, "page_id": format!("p{who}.{at}")});
                        // Sent twice, as a client does that lost the first answer.
                        let first = client.ask("POST", "/sessions/s/turns").unrecorded().json(body.clone()).send();
                        let again = client.ask("POST", "/sessions/s/turns").unrecorded().json(body).send();
                        again.is_one_of(&[200, 201, 409]);
                        first.status
                    };
                    (0..8).map(turn).collect()
                }
            };
            let threads: Vec<_> = (0..3).map(|who| scope.spawn(tell(who))).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("a client")).collect()
        });
        assert!(answers.iter().all(|status| [201, 409].contains(status)), "{answers:?}");
        let data = client.ask("GET", "/sessions/s/state").unrecorded().send().is(200).data();
        let mut seen: Vec<&str> =
            data["state"]["seen"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!((seen.len(), data["state"]["n"].as_u64()), (count, Some(count as u64)), "{data}");
        assert_eq!(data["fresh"], true);
        let floors = client.ask("GET", "/floors?session_id=s").unrecorded().send();
        floors.is(200).has_meta("total", count);
    });
}

#[test]
fn a_long_chat_is_read_at_any_place() {
    both(|client| {
        let bag: Vec<String> = (0..50).map(|number| format!("thing {number}")).collect();
        client.make_story("s", json!({"n": 0, "bag": bag}));
        let pages: Vec<String> = (0..80).map(|_| text(&client.turn("s", "@.ADD(\"n\", 1);"), "page_id")).collect();
        for (at, page) in pages.iter().enumerate() {
            client.state(page).has("/state/n", at + 1).has("/state/bag/49", "thing 49").has("/fresh", true);
        }
        client.patch(&format!("/pages/{}", pages[3]), json!({"content": "@.ADD(\"n\", 2);"})).is(200);
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 77);
        client.state(&pages[79]).has("/state/n", 81).has("/fresh", true);
    });
}

#[test]
fn processing_counts_refused_commands() {
    both(|client| {
        client.make_story("s", json!({"n": 0, "word": "x"}));
        client.turn("s", "@.ADD(\"n\", 1); @.ADD(\"word\", 1);").is(201).has("/commands/1/status", "refused");
        let report = client.post("/sessions/s/process", json!({"mode": "latest"}));
        report.is(200).has("/refused", 1).has("/floors/0/refused", 1).has("/floors/0/changes", 1);
    });
}

#[test]
fn nobody_stands_for_another() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let first = client.turn("s", "@.ADD(\"n\", 1);");
        let second = client.turn("s", "@.ADD(\"n\", 1);");
        client.unprocessed("s", "f", "output", "@.ADD(\"n\", 1);");
        client.case("a floor that was never processed changed nothing that is known");
        let change = client.get("/floors/f/change");
        change.is(200).has("/fresh", false).has("/change", json!([])).has("/snapshot_id", Value::Null);
        client.case("processing the last page gives no other page another name");
        client.patch(&format!("/pages/{}", text(&first, "page_id")), json!({"content": "@.ADD(\"n\", 5);"})).is(200);
        client.post("/sessions/s/process", json!({"mode": "latest"})).is(200).has("/processed", 3);
        let kept = client.state(&text(&second, "page_id"));
        kept.has("/snapshot_id", second.data()["snapshot_id"].clone()).has("/state/n", 6).has("/fresh", true);
        client.get("/sessions/s/state").is(200).has("/state/n", 7).has("/fresh", true);
        client.case("a snapshot is not as fresh as the page that took its place");
        let snapshot = text(&second, "snapshot_id");
        client.make_page(
            &text(&second, "floor_id"),
            "next",
            json!({"page_no": 1, "page_kind": "output", "content": "-"}),
        );
        client.post("/sessions/s/process", json!({})).is(200);
        client.get(&format!("/snapshots/{snapshot}")).is(200).has("/state/n", 6).has("/fresh", Value::Null);
    });
}
