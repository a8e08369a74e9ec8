//! No read and no repeated write computes a turn: the server counts every one, and what it stored is what it answers.

use super::tenancy::{Ids, requests, routes};
use crate::support::{Answer, Backend, Client, Server, both};
use serde_json::{Value, json};
use std::sync::Arc;

/// How many turns the server has computed since it was started.
#[track_caller]
fn computed(client: &Client) -> u64 {
    let metrics = client.ask("GET", "/metrics").unrecorded().send();
    let line = metrics.is(200).text.lines().find_map(|line| line.strip_prefix("tavernkeep_turns_computed_total "));
    line.expect("the metric").parse().expect("a number")
}

/// Turns whose commands are applied, repaired and refused, in every dialect, with problems.
fn turns() -> Vec<Value> {
    let texts = [
        "She smiles. @.ADD(\"gold\", 2);//a good talk\n@.SET(\"小雪.心情\", \"好奇\"); @.FLY(1); @.ADD(\"小雪\", 1);",
        "_.set('gold', 3, 10);//stale\n_.insert('bag', {\"name\": \"rope\"});//new\n_.add('小雪.好感', '2')",
        "<JSONPatch>[{\"op\": \"replace\", \"path\": \"/gold\", \"value\": 500}, {\"op\": \"remove\", \"path\": \"/nothing\"}, \
         {\"op\": \"add\", \"path\": \"/bag/-\", \"value\": {\"name\": \"torch\"}},]</JSONPatch>",
        "@.SET(\"note\", 'unfinished",
        "Nothing happens.",
    ];
    let turn = |(number, text): (usize, &&str)| {
        json!({"role": "assistant", "name": "Yuki", "content": text, "page_id": format!("p{number}"),
            "include_state": true})
    };
    texts.iter().enumerate().map(turn).collect()
}

fn send(client: &Client, body: &Value, key: Option<&str>) -> Answer {
    let ask = client.ask("POST", "/sessions/s/turns").json(body.clone()).unrecorded();
    match key {
        Some(key) => ask.header("idempotency-key", key).send(),
        None => ask.send(),
    }
}

/// The same turn under an idempotency key, without an id of its own.
fn keyed(turn: &Value) -> Value {
    let mut body = turn.clone();
    body.as_object_mut().expect("an object").remove("page_id");
    body
}

/// Sends every turn again and hears the same.
fn repeat(client: &Client, by_page: &[Answer], by_key: &[Answer]) {
    for (number, (turn, (paged, under_key))) in turns().iter().zip(by_page.iter().zip(by_key)).enumerate() {
        let again = send(client, turn, None);
        assert_eq!(again.is(200).data(), paged.data(), "turn {number} by its page");
        let again = send(client, &keyed(turn), Some(&format!("k{number}")));
        assert_eq!(again.is(201).text, under_key.text, "turn {number} by its key");
        let floor = paged.data()["floor_id"].as_str().expect("a floor").to_owned();
        let change = client.ask("GET", &format!("/floors/{floor}/change?include_commands=true")).unrecorded().send();
        for part in ["change", "commands", "problems"] {
            assert_eq!(change.is(200).data()[part], paged.data()[part], "{part} of turn {number}");
        }
    }
}

/// Every `GET` of the document, and processing where nothing is stale.
fn read_everything(client: &Client, ids: &Ids, more: &[String]) {
    let mut read = 0;
    for route in routes(client).iter().filter(|route| route.method == "GET") {
        for (query, _) in requests(route, ids) {
            let path = format!("{}{query}", ids.fill(&route.path));
            // A stream has no end; that it begins is enough.
            let answer = client.ask("GET", &path).unrecorded().send();
            answer.must(answer.status < 500, "an answer");
            read += 1;
        }
    }
    assert!(read >= 40, "only {read} requests");
    for path in more {
        client.ask("GET", path).unrecorded().send().is(200);
    }
    let process = json!({"mode": "stale"});
    client.ask("POST", "/sessions/s/process").json(process).unrecorded().send().is(200).has("/processed", 0);
}

#[test]
fn no_read_and_no_repeated_write_computes_a_turn() {
    for backend in Backend::BOTH {
        let mut server = Server::start(backend.place());
        let mut client = server.client("reader");
        client.case(&format!("{backend:?}"));
        let ids = Ids::furnish(&client);
        let profile = json!({"base": "default", "schema": {"properties": {"gold": {"maximum": 100, "clamp": true}}}});
        let template = json!({"gold": 5, "bag": [], "小雪": {"好感": 40, "心情": "平静"}});
        client.post("/sessions", json!({"id": "s", "template": template, "profile": profile})).is(201);

        let before = computed(&client);
        let taken = |number: usize, turn: &Value| {
            let by_key = send(&client, &keyed(turn), Some(&format!("k{number}")));
            by_key.is(201);
            let by_page = send(&client, turn, None);
            by_page.is(201);
            (by_page, by_key)
        };
        let (by_page, by_key): (Vec<Answer>, Vec<Answer>) =
            turns().iter().enumerate().map(|(number, turn)| taken(number, turn)).unzip();
        let after = computed(&client);
        assert_eq!(after - before, 10, "each turn is computed once");
        let statuses: Vec<Value> = by_page
            .iter()
            .flat_map(|turn| turn.data()["commands"].as_array().expect("commands").clone())
            .map(|command| command["status"].clone())
            .collect();
        for status in ["applied", "repaired", "refused"] {
            assert!(statuses.contains(&json!(status)), "a command that is {status}: {statuses:?}");
        }
        assert!(by_page.iter().any(|turn| turn.data()["problems"] != json!([])), "a problem");

        let text = |turn: &Answer, name: &str| turn.data()[name].as_str().expect("an id").to_owned();
        let (first, last) = (&by_page[0], &by_page[4]);
        let mut more = vec![
            "/sessions/s/state".to_owned(),
            "/sessions/s/history?path=gold".to_owned(),
            "/sessions/s/log".to_owned(),
            "/sessions/s/snapshots".to_owned(),
            "/variables/resolve?session_id=s&include_layers=true".to_owned(),
            "/account/export".to_owned(),
            format!("/compare?from=page:{}&to=session:s", text(first, "page_id")),
            format!("/snapshots/{}/diff?to={}", text(first, "snapshot_id"), text(last, "snapshot_id")),
        ];
        for turn in &by_page {
            let (page, floor, snapshot) = (text(turn, "page_id"), text(turn, "floor_id"), text(turn, "snapshot_id"));
            more.extend([
                format!("/pages/{page}"),
                format!("/pages/{page}/state"),
                format!("/pages/{page}/blame?path=gold"),
                format!("/floors/{floor}/change"),
                format!("/floors/{floor}/change?include_commands=true"),
                format!("/snapshots/{snapshot}"),
            ]);
        }
        read_everything(&client, &ids, &more);
        repeat(&client, &by_page, &by_key);
        assert_eq!(computed(&client), after, "{backend:?}: nothing was computed again");

        // With nothing in memory.
        assert!(server.terminate().success());
        server = Server::start_on(Arc::clone(&server.place));
        client = client.through(&server);
        let before = computed(&client);
        repeat(&client, &by_page, &by_key);
        read_everything(&client, &ids, &more);
        assert_eq!(computed(&client), before, "{backend:?}: nothing was computed after a restart");

        // The counter counts: a new turn, and everything again.
        send(&client, &json!({"role": "assistant", "content": "@.ADD(\"gold\", 1);"}), None).is(201);
        assert_eq!(computed(&client), before + 1);
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200).has("/unchanged", 11);
        assert_eq!(computed(&client), before + 12);
        client.case("a reply and functions that are tried out are turns, a pattern that is checked is none");
        client.post("/apply", json!({"state": {}, "reply": "@.SET(\"a\", 1);"})).is(200);
        let pattern = json!({"name": "p", "type": "active", "pattern": "(a+)", "executor": ""});
        client.post("/functions", pattern.clone()).is(201);
        let trial = json!({"functions": [pattern], "text": "aa", "state": {}});
        client.ask("POST", "/functions/test").json(trial).unrecorded().send().is(200);
        assert_eq!(computed(&client), before + 14);
    }
}

const REPLY: &str = "@.ADD(\"gold\", 1);";

/// A story whose first text can be changed, which makes every state behind it stale.
struct Story<'a> {
    client: &'a Client,
    edited: std::cell::Cell<usize>,
}

impl Story<'_> {
    /// Sends a write under a key, makes everything behind the first floor stale, and sends it again.
    fn is_repeated_without_turns(&self, method: &str, path: &str, body: Value, key: &str) {
        let client = self.client;
        let send = || client.ask(method, path).json(body.clone()).header("idempotency-key", key).unrecorded().send();
        let first = send();
        first.must(first.status < 300, "done");
        self.edited.set(self.edited.get() + 1);
        let text = format!("@.SET(\"gold\", {});", self.edited.get());
        client.patch("/pages/p0", json!({"content": text})).is(200);
        let before = computed(client);
        let again = send();
        // Whether states are fresh is said as it is now.
        let stored = |answer: &Answer| {
            let mut data = answer.data();
            let leave_out = |object: &mut Value| {
                object.as_object_mut().expect("an object").retain(|name, _| name != "stale" && name != "fresh");
            };
            leave_out(&mut data);
            data["branches"].as_array_mut().into_iter().flatten().for_each(leave_out);
            data
        };
        again.must(stored(&again) == stored(&first), &first.text);
        again.must(again.headers.contains_key("idempotency-replayed"), "a stored response");
        assert_eq!(computed(client), before, "{method} {path} computed turns when it was sent again");
        // There was something to compute, and it is done by who asks for it.
        client.post("/sessions/s/process", json!({})).is(200);
        assert!(computed(client) > before, "{method} {path}: nothing was stale");
    }
}

#[test]
fn what_is_stale_by_now_is_not_processed_by_a_repeated_write() {
    both(|client| {
        let story = Story { client, edited: std::cell::Cell::new(0) };
        client.post("/sessions", json!({"id": "s", "template": {"gold": 0}})).is(201);
        let mut floors = Vec::new();
        for number in 0..4 {
            let turn = json!({"role": "assistant", "content": REPLY, "page_id": format!("p{number}")});
            let turn = client.post("/sessions/s/turns", turn);
            floors.push(turn.is(201).data()["floor_id"].as_str().expect("a floor").to_owned());
        }
        let swipe = json!({"role": "assistant", "content": REPLY, "swipe_of": floors[1], "page_id": "swipe"});
        story.is_repeated_without_turns("POST", "/sessions/s/turns", swipe, "swipe");
        let written =
            json!({"floor_id": floors[1], "page_no": 0, "page_kind": "output", "content": "…", "is_active": true});
        story.is_repeated_without_turns("POST", "/pages", written, "page");
        story.is_repeated_without_turns("POST", "/pages/p1/activate", json!({}), "activate");
        story.is_repeated_without_turns("POST", "/pages/swipe/branch", json!({"branch_id": "b"}), "fork");
        let patch = json!([{"op": "replace", "path": "/gold", "value": 9}]);
        story.is_repeated_without_turns("PATCH", "/pages/p2/state", json!({"patch": patch}), "edit");
        story.is_repeated_without_turns("POST", "/pages/p2/undo", json!({}), "undo");
        story.is_repeated_without_turns("POST", "/pages/p2/redo", json!({}), "redo");
        client.post("/global-snapshots", json!({"id": "g", "name": "g", "body": {"gold": 3}})).is(201);
        let onto = json!({"page_id": "p2"});
        story.is_repeated_without_turns("POST", "/global-snapshots/g/apply", onto, "apply");

        client.make_floor("s", "draft", json!({}));
        client.make_page("draft", "drafted", json!({"content": REPLY}));
        client.post("/floors/draft/generate", json!({})).is(200);
        story.is_repeated_without_turns("POST", "/floors/draft/commit", json!({"page_id": "drafted"}), "commit");
        let item = client.delete(&format!("/floors/{}", floors[2])).is(200).header("trash-id");
        story.is_repeated_without_turns("POST", &format!("/trash/{item}/restore"), json!({}), "restore");
    });
}
