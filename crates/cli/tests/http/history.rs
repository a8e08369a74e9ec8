//! History: what floors changed, values over a chat, who set a value, taking back, comparing.

use crate::support::{Answer, Client, both, encode};
use serde_json::{Value, json};

fn begin(client: &Client, session: &str, template: Value) {
    client.post("/sessions", json!({"id": session, "template": template})).is(201);
}

/// Takes a turn under a name of its own: the page is called so.
#[track_caller]
fn say(client: &Client, session: &str, page: &str, content: &str) -> Value {
    let body = json!({"role": "assistant", "content": content, "page_id": page});
    client.post(&format!("/sessions/{session}/turns"), body).is(201).data()
}

fn text(answer: &Answer, name: &str) -> String {
    named(&answer.data(), name)
}

fn named(data: &Value, name: &str) -> String {
    data[name].as_str().unwrap_or_default().to_owned()
}

#[track_caller]
fn blame(client: &Client, page: &str, path: &str) -> Answer {
    let answer = client.get(&format!("/pages/{page}/blame?path={}", encode(path)));
    answer.is(200);
    answer
}

/// The points of a history as numbers of floors and values.
#[track_caller]
fn points(answer: &Answer) -> Vec<(i64, Value)> {
    let data = answer.is(200).data();
    let points = data["points"].as_array().expect("points");
    points.iter().map(|point| (point["floor_no"].as_i64().expect("a floor"), point["value"].clone())).collect()
}

#[test]
fn a_value_over_a_chat() {
    both(|client| {
        begin(client, "s", json!({"雪": {"好感": 40}}));
        let path = encode("雪.好感");
        client.case("a story that has not begun");
        let none = client.get(&format!("/sessions/s/history?path={path}"));
        none.is(200).has("/before", 40).has("/points", json!([])).has("/next_after", Value::Null);
        for number in 0..6 {
            let content = if number % 2 == 0 { "@.ADD(\"雪.好感\", 1);" } else { "Nothing." };
            say(client, "s", &format!("p{number}"), content);
        }
        client.case("one point for each floor at which it changed");
        let all = client.get(&format!("/sessions/s/history?path={path}"));
        assert_eq!(points(&all), [(0, json!(41)), (2, json!(42)), (4, json!(43))]);
        all.has("/points/1/page_id", "p2").has("/points/1/fresh", true).has("/before", 40).has("/path", "雪.好感");
        client.case("the same as a JSON Pointer; what never was; the whole");
        let pointer = client.get(&format!("/sessions/s/history?path={}", encode("/雪/好感")));
        assert_eq!(points(&pointer), points(&all));
        client.get("/sessions/s/history?path=nowhere").is(200).has("/points", json!([])).has("/before", Value::Null);
        assert_eq!(points(&client.get("/sessions/s/history?path=")).len(), 3);
        client.case("windows");
        let window = client.get(&format!("/sessions/s/history?path={path}&from_floor=1&to_floor=3"));
        assert_eq!(points(&window), [(2, json!(42))]);
        window.has("/before", 41);
        let first = client.get(&format!("/sessions/s/history?path={path}&limit=2"));
        assert_eq!(points(&first), [(0, json!(41)), (2, json!(42))]);
        let after = text(&first, "next_after");
        let rest = client.get(&format!("/sessions/s/history?path={path}&limit=2&after={after}"));
        assert_eq!(points(&rest), [(4, json!(43))]);
        rest.has("/next_after", Value::Null).has("/before", 42);
        client.case("through a fork, without what the other branch said later");
        let floor = text(&client.get("/pages/p2"), "floor_id");
        client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": "what if"})).is(201);
        let body = json!({"role": "assistant", "content": "@.SET(\"雪.好感\", 0);", "branch_id": "what if"});
        client.post("/sessions/s/turns", body).is(201);
        let fork = client.get(&format!("/sessions/s/history?path={path}&branch_id=what%20if"));
        assert_eq!(points(&fork), [(0, json!(41)), (2, json!(42)), (3, json!(0))]);
        client.get(&format!("/sessions/s/history?path={path}&branch_id=what%20if&after={after}")).is(200);
        client.case("a value that goes, and a state by hand");
        say(client, "s", "p6", "@.UNSET(\"雪.好感\");");
        let snapshot = text(&client.get("/pages/p5/state"), "snapshot_id");
        client.put(&format!("/snapshots/{snapshot}"), json!({"state": {"雪": {"好感": 99}}, "process": false})).is(200);
        let stale = client.get(&format!("/sessions/s/history?path={path}&from_floor=4"));
        let end = [(4, json!(43)), (5, json!(99)), (6, Value::Null)];
        assert_eq!(points(&stale), end);
        stale.has("/points/1/edited", true).has("/points/1/fresh", true).has("/points/2/fresh", false);
    });
}

#[test]
fn what_history_refuses() {
    both(|client| {
        begin(client, "s", json!({}));
        let turn = say(client, "s", "p", "@.SET(\"a\", 1);");
        let long = |bytes: usize| "a".repeat(bytes);
        client.get("/sessions/s/history").invalid("required property 'path'");
        client.get("/sessions/s/history?path=/a~2").invalid_at("/path");
        client.get(&format!("/sessions/s/history?path={}", long(4096))).is(200);
        client.get(&format!("/sessions/s/history?path={}", long(4097))).invalid_at("/path");
        client.get("/sessions/s/history?path=a&limit=1000").is(200);
        client.get("/sessions/s/history?path=a&limit=1001").invalid_at("/limit");
        client.get("/sessions/s/history?path=a&limit=0").invalid_at("/limit");
        client.get("/sessions/s/history?path=a&from_floor=-1").invalid_at("/from_floor");
        client.get("/sessions/s/history?path=a&branch_id=nowhere").refused(404, "branch_not_found");
        client.get("/sessions/s/history?path=a&after=nowhere").refused(404, "floor_not_found");
        client.get("/sessions/nowhere/history?path=a").refused(404, "session_not_found");
        client.get("/sessions/s/log?limit=101").invalid_at("/limit");
        client.get("/pages/p/blame").invalid("required property 'path'");
        client.get(&format!("/pages/p/blame?path={}", long(4097))).invalid_at("/path");
        client.get("/pages/nowhere/blame?path=a").refused(404, "page_not_found");
        client.post("/pages/nowhere/undo", json!({})).refused(404, "page_not_found");
        client.post("/pages/p/undo", json!({"path": 5})).invalid_at("/path");
        client.post("/pages/p/undo", json!({"path": "/~"})).invalid_at("/path");
        client.get("/compare?from=page:p").invalid("required property 'to'");
        client.get("/compare?from=page:p&to=p").invalid_at("/to");
        client.get("/compare?from=page:p&to=branch:s").invalid_at("/to");
        client.get("/compare?from=page:p&to=page:nowhere").refused(404, "page_not_found");
        client.get("/compare?from=page:p&to=branch:s/nowhere").refused(404, "branch_not_found");
        client.get("/compare?from=page:p&to=floor:nowhere").refused(404, "floor_not_found");
        client.get("/compare?from=page:p&to=snapshot:nowhere").refused(404, "snapshot_not_found");
        client.get("/compare?from=page:p&to=session:nowhere").refused(404, "session_not_found");
        let floor = named(&turn, "floor_id");
        client.get(&format!("/floors/{floor}/change?include_commands=yes")).invalid_at("/include_commands");
        client.case("a floor of another branch is not on the way");
        client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": "b"})).is(201);
        let other = json!({"role": "assistant", "content": "x", "branch_id": "b"});
        let other = text(&client.post("/sessions/s/turns", other), "floor_id");
        client.get(&format!("/sessions/s/history?path=a&after={other}")).refused(404, "floor_not_found");
        client.get(&format!("/sessions/s/log?after={other}&branch_id=b")).is(200).has("/floors", json!([]));
    });
}

#[test]
fn who_set_a_value() {
    both(|client| {
        begin(client, "s", json!({"gold": 5, "bag": ["rope"], "old": {"name": "Yuki"}}));
        say(client, "s", "p0", "Here. _.set('gold', 5, 7);//a coin for you\n@.APPEND(\"bag\", \"torch\");");
        client.post("/sessions/s/turns", json!({"role": "user", "content": "Thanks.", "page_id": "u"})).is(201);
        say(client, "s", "p2", "@.SET(\"mood\", \"glad\"); @.REMOVE(\"bag\", 0);");
        client.case("a command, with its words and its place");
        let gold = blame(client, "p2", "gold");
        gold.has("/source", "command").has("/value", 7).has("/page_id", "p0").has("/floor_no", 0).has("/fresh", true);
        gold.has("/command/dialect", "mvu").has("/command/name", "set").has("/command/reason", "a coin for you");
        gold.has("/command_text", "_.set('gold', 5, 7);");
        gold.has("/operation", json!({"op": "replace", "path": "/gold", "value": 7, "old": 5}));
        client.case("an item is followed to where it stood");
        blame(client, "p2", "bag[0]").has("/value", "torch").has("/page_id", "p0").has("/command/name", "APPEND");
        blame(client, "p2", "bag").has("/page_id", "p2").has("/command/name", "REMOVE");
        client.case("a page without a state of its own is asked about the one before it");
        blame(client, "u", "/gold").has("/page_id", "p0").has("/value", 7);
        client.case("the template, and what never was");
        blame(client, "p2", "old.name").has("/source", "template").has("/value", "Yuki").has("/at", Value::Null);
        for never in ["nothing", "old.nothing", "bag[7]"] {
            blame(client, "u", never).has("/source", "nobody").has("/value", Value::Null).has("/at", Value::Null);
        }
        client.case("what was taken away");
        say(client, "s", "p3", "@.UNSET(\"old\");");
        let gone = blame(client, "p3", "old.name");
        gone.has("/value", Value::Null).has("/source", "command").has("/command/name", "UNSET").has("/page_id", "p3");
        client.case("a hand");
        let snapshot = text(&client.get("/pages/p2/state"), "snapshot_id");
        let state = json!({"gold": 7, "bag": ["torch"], "old": {"name": "Yuki"}, "mood": "angry"});
        client.put(&format!("/snapshots/{snapshot}"), json!({"state": state, "process": true})).is(200);
        let mood = blame(client, "p3", "mood");
        mood.has("/source", "edit").has("/page_id", "p2").has("/command", Value::Null).has("/value", "angry");
        client.case("and its time is the same in the history");
        let history = client.get("/sessions/s/history?path=mood");
        history.is(200).has("/points/0/edited", true).has("/points/0/at", mood.data()["at"].clone());
        client.get(&format!("/snapshots/{snapshot}")).is(200).has("/updated_at", mood.data()["at"].clone());
        blame(client, "p3", "gold").has("/page_id", "p0").has("/source", "command");
        client.case("a text that is another one now");
        client.patch("/pages/p0", json!({"content": "@.SET(\"gold\", 100);"})).is(200);
        let unknown = blame(client, "p3", "gold");
        unknown.has("/source", "turn").has("/text_changed", true).has("/page_id", "p0").has("/fresh", false);
        client.post("/sessions/s/process", json!({})).is(200);
        blame(client, "p0", "gold").has("/source", "command").has("/command_text", "@.SET(\"gold\", 100);");
        client.case("a page that is gone");
        let floor = text(&client.get("/pages/p0"), "floor_id");
        client.delete(&format!("/floors/{floor}")).is(200);
        let orphan = blame(client, "p2", "gold");
        orphan.has("/page_id", Value::Null).has("/floor_no", Value::Null).has("/source", "turn");
    });
}

#[test]
fn a_fork_names_pages_of_its_own_line() {
    both(|client| {
        begin(client, "s", json!({"gold": 5}));
        let first = named(&say(client, "s", "p0", "@.SET(\"gold\", 7);"), "floor_id");
        let fork_floor = named(&say(client, "s", "p1", "@.SET(\"mood\", \"glad\");"), "floor_id");
        client.post(&format!("/floors/{fork_floor}/branch"), json!({"branch_id": "b"})).is(201);
        let body = json!({"role": "assistant", "content": "Hm.", "page_id": "q", "branch_id": "b"});
        client.post("/sessions/s/turns", body).is(201);
        blame(client, "q", "gold").has("/page_id", "p0").has("/command/name", "SET");
        client.case("the source changes the text: the fork has a copy of the page");
        client.patch("/pages/p0", json!({"content": "@.SET(\"gold\", 100);"})).is(200);
        client.post("/sessions/s/process", json!({})).is(200);
        let copy = client.get("/sessions/s/floors/0?branch_id=b").is(200).data();
        let (floor, page) = (named(&copy, "floor_id"), named(&copy, "page_id"));
        let says_the_copy = |client: &Client| {
            let gold = blame(client, "q", "gold");
            gold.has("/page_id", page.as_str()).has("/floor_id", floor.as_str()).has("/value", 7).has("/fresh", true);
            gold.has("/source", "command").has("/command_text", "@.SET(\"gold\", 7);");
        };
        says_the_copy(client);
        blame(client, "p1", "gold").has("/page_id", "p0").has("/command_text", "@.SET(\"gold\", 100);");
        client.case("the source deletes the page");
        client.delete(&format!("/floors/{first}?permanent=true")).is(200);
        says_the_copy(client);
        client.case("both are gone");
        client.delete(&format!("/floors/{floor}")).is(200);
        blame(client, "q", "gold").has("/page_id", Value::Null).has("/source", "turn");
    });
}

#[test]
fn a_write_that_was_due_is_a_turns_own() {
    both(|client| {
        begin(client, "s", json!({"n": 0}));
        say(client, "s", "p0", "@.TIMED_SET(\"n\", 5, \"the bell\", false, 1);");
        say(client, "s", "p1", "Ding.");
        say(client, "s", "p2", "Dong.");
        let rung = blame(client, "p2", "n");
        rung.has("/value", 5)
            .has("/source", "command")
            .has("/command/name", "TIMED_SET")
            .has("/command_text", Value::Null);
    });
}

#[test]
fn what_a_floor_changed() {
    both(|client| {
        begin(client, "s", json!({"n": 0}));
        let turn = say(client, "s", "p0", "@.ADD(\"n\", 1); @.FLY(1);");
        let floor = named(&turn, "floor_id");
        client.case("with its commands, as the turn answered them");
        let change = client.get(&format!("/floors/{floor}/change?include_commands=true"));
        change.is(200).has("/change", turn["change"].clone()).has("/commands", turn["commands"].clone());
        change.has("/problems", turn["problems"].clone());
        client.get(&format!("/floors/{floor}/change")).is(200).has("/commands", Value::Null);
        client.case("by hand: everything since the page before, and the commands of the text");
        let snapshot = named(&turn, "snapshot_id");
        client.put(&format!("/snapshots/{snapshot}"), json!({"state": {"n": 5}})).is(200);
        client.put(&format!("/snapshots/{snapshot}"), json!({"state": {"n": 6}})).is(200);
        let edited = client.get(&format!("/floors/{floor}/change?include_commands=true"));
        edited.is(200).has("/edited", true).has("/commands", turn["commands"].clone());
        edited.has("/change", json!([{"op": "replace", "path": "/n", "value": 6}]));
        client.case("a text that is another one");
        let next = say(client, "s", "p1", "@.ADD(\"n\", 1);");
        client.patch("/pages/p1", json!({"content": "@.ADD(\"n\", 2);"})).is(200);
        let floor = named(&next, "floor_id");
        let stale = client.get(&format!("/floors/{floor}/change?include_commands=true"));
        stale.is(200).has("/fresh", false).has("/commands", Value::Null);
        stale.has("/change", json!([{"op": "replace", "path": "/n", "value": 7}]));
    });
}

#[test]
fn a_log_has_every_floor() {
    both(|client| {
        begin(client, "s", json!({"hp": 10}));
        let user = json!({"role": "user", "name": "Anna", "content": "\n  I hit it.  \nHard."});
        client.post("/sessions/s/turns", user).is(201);
        say(client, "s", "p1", "@.SUB(\"hp\", 2);");
        client.make_floor("s", "draft", json!({}));
        let log = client.get("/sessions/s/log");
        log.is(200).has("/floors/0/role", "user").has("/floors/0/name", "Anna").has("/floors/0/text", "I hit it.");
        log.has("/floors/0/snapshot_id", Value::Null).has("/floors/0/change", json!([]));
        log.has("/floors/1/change", json!([{"op": "replace", "path": "/hp", "value": 8, "old": 10}]));
        log.has("/floors/1/page_id", "p1").has("/floors/1/fresh", true).has("/floors/2/state", "draft");
        log.has("/floors/2/page_id", Value::Null).has("/next_after", Value::Null);
        client.case("floor by floor");
        let first = client.get("/sessions/s/log?limit=1");
        let after = text(&first, "next_after");
        first.has("/floors/0/floor_no", 0).has("/floors/1", Value::Null);
        let second = client.get(&format!("/sessions/s/log?limit=1&after={after}"));
        second.is(200).has("/floors/0/floor_no", 1);
        let after = text(&second, "next_after");
        let third = client.get(&format!("/sessions/s/log?limit=1&after={after}"));
        third.is(200).has("/floors/0/floor_id", "draft").has("/next_after", Value::Null);
        client.get("/sessions/s/log?from_floor=1&to_floor=1").is(200).has("/floors/0/floor_no", 1);
        client.case("stale from an edit on");
        client.patch("/pages/p1", json!({"content": "@.SUB(\"hp\", 3);"})).is(200);
        client.get("/sessions/s/log").is(200).has("/floors/0/fresh", true).has("/floors/1/fresh", false);
    });
}

#[test]
fn a_change_is_taken_back() {
    both(|client| {
        begin(client, "s", json!({"gold": 5}));
        say(client, "s", "p0", "@.ADD(\"gold\", 1);");
        let turn = say(client, "s", "p1", "@.ADD(\"gold\", 10); @.SET(\"mood\", \"glad\");");
        say(client, "s", "p2", "@.ADD(\"gold\", 100);");
        client.case("one value");
        let undone = client.post("/pages/p1/undo", json!({"path": "mood"}));
        undone.is(200).has("/state", json!({"gold": 16})).has("/edited", true).has("/fresh", true);
        undone.has("/id", turn["snapshot_id"].clone());
        client.get("/pages/p2/state").is(200).has("/state", json!({"gold": 116})).has("/fresh", true);
        client.case("everything, without a body");
        let undone = client.ask("POST", "/pages/p1/undo").send();
        undone.is(200).has("/state", json!({"gold": 6})).has("/edited", true);
        client.get("/pages/p2/state").is(200).has("/state", json!({"gold": 106})).has("/fresh", true);
        blame(client, "p2", "gold").has("/page_id", "p2");
        blame(client, "p1", "gold").has("/source", "edit").has("/page_id", "p1");
        let taken_back_at = blame(client, "p1", "gold").data()["at"].clone();
        client.case("the first page goes back to the template");
        let undone = client.post("/pages/p0/undo", json!({}));
        undone.is(200).has("/state", json!({"gold": 5}));
        client.case("an edit by hand further on is applied again, and the answer says so");
        undone.has("/processed/processed", 2).has("/processed/kept_edited", 1).has("/job_id", Value::Null);
        client.get("/pages/p1/state").is(200).has("/state", json!({"gold": 6})).has("/edited", true);
        client.case("and was made when it was made, wherever it stands now");
        blame(client, "p1", "gold").has("/source", "edit").has("/at", taken_back_at.clone());
        let shown = client.get("/sessions/s/history?path=gold&from_floor=1&to_floor=1");
        shown.is(200).has("/points/0/edited", true).has("/points/0/at", taken_back_at);
        client.case("recomputing undoes the undo");
        client.post("/sessions/s/process", json!({"mode": "all", "overwrite_edited": true})).is(200);
        client
            .get("/pages/p2/state")
            .is(200)
            .has("/state", json!({"gold": 116, "mood": "glad"}))
            .has("/edited", Value::Null);
        client.case("what lies before is processed first");
        client.patch("/pages/p0", json!({"content": "@.ADD(\"gold\", 2);"})).is(200);
        client.post("/pages/p2/undo", json!({})).is(200).has("/state", json!({"gold": 17, "mood": "glad"}));
        client.case("what has no state of its own");
        let user = client.post("/sessions/s/turns", json!({"role": "user", "content": "Hm."}));
        client.post(&format!("/pages/{}/undo", text(&user, "page_id")), json!({})).refused(409, "invalid_state");
        client.case("what held the value is gone");
        say(client, "s", "p4", "@.SET(\"bag\", {\"rope\": 1});");
        say(client, "s", "p5", "@.UNSET(\"bag\");");
        client.post("/pages/p5/undo", json!({"path": "bag.rope"})).refused(409, "invalid_state");
        client.post("/pages/p5/undo", json!({"path": "bag"})).is(200).has("/state/bag", json!({"rope": 1}));
        client.case("an item is the one that stands there now");
        client.post("/sessions", json!({"id": "l", "template": {"bag": ["rope", "lamp"]}})).is(201);
        say(client, "l", "l0", "@.REMOVE(\"bag\", 0); @.APPEND(\"bag\", \"torch\");");
        client.get("/pages/l0/state").is(200).has("/state/bag", json!(["lamp", "torch"]));
        client.post("/pages/l0/undo", json!({"path": "bag[0]"})).refused(409, "invalid_state");
        client.post("/pages/l0/undo", json!({"path": "bag[1]"})).refused(409, "invalid_state");
        client.get("/pages/l0/state").is(200).has("/state/bag", json!(["lamp", "torch"])).has("/edited", Value::Null);
        client.post("/pages/l0/undo", json!({"path": "bag"})).is(200).has("/state/bag", json!(["rope", "lamp"]));
        say(client, "l", "l1", "@.APPEND(\"bag\", \"torch\"); @.APPEND(\"bag\", \"map\");");
        let undone = client.post("/pages/l1/undo", json!({"path": "bag[2]"}));
        undone.is(200).has("/state/bag", json!(["rope", "lamp", "map"]));
        client.post("/pages/l1/undo", json!({"path": "bag[0]"})).refused(409, "invalid_state");
        client.case("sent twice under one key it is taken back once");
        let send = || client.ask("POST", "/pages/p4/undo").header("idempotency-key", "k").json(json!({})).send();
        let first = send();
        first.is(200).has("/state/bag", Value::Null);
        let again = send();
        assert_eq!(again.is(200).data(), first.data());
        assert_eq!(again.etag(), first.etag());
    });
}

#[test]
fn states_are_compared() {
    both(|client| {
        begin(client, "s", json!({"a": 1, "b": {"x": 1, "y": 2}, "list": [1, 2]}));
        let one = say(client, "s", "p0", "@.SET(\"b.x\", 5);");
        let floor = named(&one, "floor_id");
        let swipe = json!({"role": "assistant", "content": "@.SET(\"b\", {\"y\": 2, \"x\": 1}); @.UNSET(\"a\"); @.APPEND(\"list\", 3);", "swipe_of": floor, "page_id": "q0"});
        client.post("/sessions/s/turns", swipe).is(201);
        client.case("two swipes; where keys stand does not count");
        let swipes = client.get("/compare?from=page:p0&to=page:q0");
        swipes.is(200).has("/from/page_id", "p0").has("/to/page_id", "q0").has("/from/fresh", true);
        let change = json!([
            {"op": "remove", "path": "/a", "old": 1},
            {"op": "replace", "path": "/b/x", "value": 1, "old": 5},
            {"op": "add", "path": "/list/2", "value": 3},
        ]);
        swipes.has("/change", change);
        client.case("a place and itself by other names");
        let snapshot = text(&client.get("/pages/q0/state"), "snapshot_id");
        for other in
            [format!("floor:{floor}"), format!("snapshot:{snapshot}"), "session:s".into(), "branch:s/main".into()]
        {
            let same = client.get(&format!("/compare?from=page:q0&to={other}"));
            same.is(200).has("/change", json!([])).has("/to/page_id", "q0");
        }
        client.case("branches");
        client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": "und/oder"})).is(201);
        let body = json!({"role": "assistant", "content": "@.SET(\"b.x\", 9);", "branch_id": "und/oder"});
        client.post("/sessions/s/turns", body).is(201);
        let branches = client.get("/compare?from=session:s&to=branch:s/und%2Foder");
        branches.is(200).has("/change", json!([{"op": "replace", "path": "/b/x", "value": 9, "old": 1}]));
        client.case("a state that is not fresh says so, and one whose page is gone says nothing");
        client.patch("/pages/q0", json!({"content": "changed"})).is(200);
        client.get("/compare?from=page:p0&to=page:q0").is(200).has("/to/stale_reason", "text_changed");
        client.delete("/pages/q0").is(200);
        let orphan = client.get(&format!("/compare?from=page:p0&to=snapshot:{snapshot}"));
        orphan.is(200).has("/to/fresh", Value::Null).has("/to/page_id", Value::Null).has("/to/snapshot_id", snapshot);
        client.case("before a story begins there is its template");
        begin(client, "t", json!({"a": 1}));
        client.get("/compare?from=session:t&to=page:p0").is(200).has("/from/snapshot_id", Value::Null);
    });
}
