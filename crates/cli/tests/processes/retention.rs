//! Expired rows are purged, and what a client could still read stays.

use crate::support::{Backend, Client, Server, branch, chat};
use serde_json::{Value, json};
use std::sync::Arc;

/// Tells a story on each database, with settings that purge much and often.
fn each(settings: &[&str], story: impl Fn(&Client)) {
    for backend in Backend::BOTH {
        let settings = [settings, &["purge_interval_ms=20"]].concat();
        let server = Server::start_on_with(Arc::new(backend.place()), &settings);
        let client = server.client("owner");
        client.case(&format!("{backend:?}"));
        story(&client);
        drop(server);
        client.place().run(&["check"]);
    }
}

/// A number among the metrics.
pub(super) fn metric(text: &str, name: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no {name} in {text}"))
}

/// Waits for a purge that began after now: the second one to end.
pub(super) fn purged(client: &Client) -> String {
    let time = |text: &str| metric(text, "tavernkeep_last_purge_time_seconds");
    let mut text = client.get("/metrics").text;
    for _ in 0..2 {
        let last = time(&text);
        text = client.until("/metrics", |answer| time(&answer.text) > last).text;
    }
    text
}

fn history(client: &Client, id: &str) -> Vec<Value> {
    client.get(&format!("/variables/{id}/history")).is(200).column("value")
}

fn put(client: &Client, host: &Value, key: &str, values: impl IntoIterator<Item = i64>) -> String {
    values.into_iter().map(|value| client.set(host.clone(), key, value).id()).last().expect("a value")
}

#[test]
fn a_history_is_as_long_as_it_may_be() {
    each(&["history_max_count=3"], |client| {
        client.make_session("s");
        let short = put(client, &chat("s"), "short", 1..=3);
        let long = put(client, &chat("s"), "long", 1..=8);
        let text = purged(client);
        assert_eq!(history(client, &short), [3, 2, 1].map(Value::from), "at the limit");
        assert_eq!(history(client, &long), [8, 7, 6].map(Value::from), "over it");
        assert_eq!(metric(&text, "tavernkeep_purged_history_total"), 5.0);
        client.get(&format!("/variables/{long}")).is(200).has("/value", 8);
    });
}

#[test]
fn age_takes_everything_but_the_value() {
    each(&["history_max_age=1ms", "history_max_count=keep"], |client| {
        client.make_session("s");
        let id = put(client, &chat("s"), "k", 1..=5);
        purged(client);
        assert_eq!(history(client, &id), [json!(5)]);
        client.delete(&format!("/variables/{id}")).is(200);
        client.set(chat("s"), "k", 6).is(201);
    });
}

#[test]
fn forks_see_what_they_saw() {
    each(&["history_max_count=1"], |client| {
        client.make_session("s");
        let main = branch("s", "main");
        let commit = |floor: &str| {
            client.make_floor("s", floor, json!({"state": "generating"}));
            client.post(&format!("/floors/{floor}/commit"), json!({})).is(200);
        };
        put(client, &main, "gold", 1..=3);
        commit("f0");
        put(client, &main, "gold", 4..=9);
        commit("f1");
        let gone = put(client, &main, "gone", [1]);
        client.delete(&format!("/variables/{gone}")).is(200);
        client.delete("/variables?scope=branch&session_id=s&branch_id=main&key=gold").is(200);
        commit("f2");
        let gold = put(client, &main, "gold", 10..=15);
        client.post("/floors/f0/branch", json!({"branch_id": "early"})).is(201);
        purged(client);
        // The newest, the deletion that f2 saw, and what f1 and f0 saw.
        assert_eq!(history(client, &gold), [json!(15), Value::Null, json!(9), json!(3)]);
        let seen = |branch: &str| -> Vec<Value> {
            let rows = client.resolve(&format!("session_id=s&branch_id={branch}"));
            rows.into_iter().map(|(key, value, _)| json!([key, value])).collect()
        };
        assert_eq!(seen("early"), [json!(["gold", 3])]);
        for (floor, wanted) in [("f0", vec![json!(["gold", 3])]), ("f1", vec![json!(["gold", 9])]), ("f2", vec![])] {
            client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": format!("of-{floor}")})).is(201);
            assert_eq!(seen(&format!("of-{floor}")), wanted, "{floor}");
        }
        assert_eq!(seen("main"), [json!(["gold", 15])]);
        // A floor that is deleted leaves its tick with its forks.
        client.delete("/floors/f1").is(200);
        put(client, &main, "gold", 16..=20);
        purged(client);
        assert_eq!(seen("of-f1"), [json!(["gold", 9])]);
        assert_eq!(seen("early"), [json!(["gold", 3])]);
    });
}

#[test]
fn swipes_find_what_they_promoted() {
    each(&["history_max_count=1"], |client| {
        client.make_session("s");
        client.make_floor("s", "f", json!({}));
        client.make_page("f", "one", json!({}));
        let id = put(client, &chat("s"), "k", 1..=5);
        let stage = |page: &str| {
            let body = json!({"key": "k", "op": "set", "value": page, "intent": "promote_to_chat_on_accept"});
            client.post(&format!("/pages/{page}/variables/staged"), body).is(201);
        };
        stage("one");
        client.post("/floors/f/generate", json!({})).is(200);
        client.post("/floors/f/commit", json!({"page_id": "one"})).is(200);
        client.make_page("f", "two", json!({"page_no": 0}));
        stage("two");
        client.post("/floors/f/commit", json!({"page_id": "two"})).is(200);
        let holds = |wanted: Value| {
            purged(client);
            client.get(&format!("/variables/{id}")).is(200).has("/value", wanted);
        };
        holds(json!("two"));
        client.post("/pages/one/activate", json!({})).is(200);
        holds(json!("one"));
        client.post("/pages/two/activate", json!({})).is(200);
        holds(json!("two"));
        client.delete("/pages/two").is(200);
        holds(json!("one"));
        client.delete("/pages/one").is(200);
        holds(json!(5));
        // The newest row, which only tells of the swipe, and the one that counts.
        assert_eq!(client.get(&format!("/variables/{id}/history")).column("source"), ["restored", "put"]);
        assert_eq!(history(client, &id), [json!(5), json!(5)], "nothing else can count any more");
    });
}

#[test]
fn events_are_as_many_as_they_may_be() {
    each(&["events_max_count=10"], |client| {
        client.make_session("s");
        put(client, &chat("s"), "k", 1..=30);
        // One tells of the session. PostgreSQL holds the newest back while somebody else writes, in another database even.
        let gone = |text: &str| metric(text, "tavernkeep_purged_events_total");
        client.until("/metrics", |answer| gone(&answer.text) >= 21.0).is(200);
        let text = purged(client);
        assert_eq!(gone(&text), 21.0, "at the limit");
        assert_eq!(metric(&text, "tavernkeep_jobs_open"), 0.0);
    });
}

#[test]
fn nothing_is_left_of_what_was_deleted() {
    const CANARY: &str = "canary-9f3e";
    let place = Arc::new(Backend::Sqlite.place());
    let mut server = Server::start_on_with(Arc::clone(&place), &["purge_interval_ms=20"]);
    let client = server.client("owner");
    let text = |bytes: usize| CANARY.repeat(bytes / CANARY.len());
    client.post("/sessions", json!({"id": "s", "title": CANARY, "metadata": {"text": CANARY}})).is(201);
    client.fill("s", 7);
    for number in 0..40 {
        let (floor, page) = (format!("f{number}"), format!("p{number}"));
        client.make_floor("s", &floor, json!({"metadata": {"text": CANARY}}));
        // Some stand in their row, some on pages of their own; neither is compressed away.
        let noise: String = (0..2_000).map(|at| format!("{:x}", (at * 7919 + number * 104_729) % 65_521)).collect();
        client.make_page(&floor, &page, json!({"content": text(500), "name": CANARY, "extra": {CANARY: noise}}));
        let staged = json!({"key": CANARY, "op": "set", "value": CANARY});
        client.post(&format!("/pages/{page}/variables/staged"), staged).is(201);
        client.set(chat("s"), CANARY, text(900)).is_one_of(&[200, 201]);
    }
    let found = || {
        let files = std::fs::read_dir(place.data()).expect("a folder");
        let holds = |bytes: Vec<u8>| bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
        files
            .filter(|file| holds(std::fs::read(file.as_ref().expect("a file").path()).expect("it can be read")))
            .count()
    };
    assert!(found() > 0, "the canary sings");
    let size = || std::fs::metadata(place.sqlite_file()).expect("a file").len();
    let job = client.delete("/sessions/s?permanent=true").is(200).data()["job_id"].as_str().expect("a job").to_owned();
    client.until(&format!("/jobs/{job}"), |answer| answer.body["data"]["state"] == "done").is(200);
    purged(&client);
    server.terminate();
    assert_eq!(found(), 0, "the canary sings in a file of {} bytes", size());
    place.run(&["check"]);
}

#[test]
fn the_trash_is_emptied() {
    each(&["trash_max_age=1s"], |client| {
        client.make("short");
        client.make("long");
        client.fill("long", 7);
        client.make("kept");
        client.set(chat("kept"), "k", 1).is(201);
        client.post("/characters", json!({"id": "c", "name": "Yuki", "template": {"n": 1}})).is(201);
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        client.post("/global-snapshots", json!({"id": "g", "name": "n", "body": {}})).is(201);
        let turn = json!({"role": "assistant", "content": "@.ADD(\"n\", 1);"});
        let snapshot = client.post("/sessions/s/turns", turn).is(201).data()["snapshot_id"].clone();
        for path in ["/sessions/short", "/sessions/long", "/floors/kept.f", "/characters/c", "/global-snapshots/g"] {
            client.delete(path).is(200);
        }
        client.delete(&format!("/snapshots/{}", snapshot.as_str().expect("an id"))).is(200);
        client.until("/trash", |answer| answer.body["meta"]["total"] == 0).is(200);
        client.until("/jobs", |answer| answer.body["data"][0]["state"] == "done").is(200);
        assert_eq!(metric(&purged(client), "tavernkeep_trash_items"), 0.0);
        let quotas = client.get("/account").is(200).data()["quotas"].clone();
        assert_eq!((&quotas["sessions"]["used"], &quotas["sessions"]["trashed"]), (&json!(2), &json!(0)));
        assert_eq!((&quotas["variables"]["used"], &quotas["variables"]["trashed"]), (&json!(1), &json!(0)));
        client.get("/sessions/s/template").is(200).has("/template/n", 1);
    });
}

#[test]
fn the_trash_can_be_limited_in_days() {
    for backend in Backend::BOTH {
        let place = backend.place();
        let shown = place.run(&["config", "--set", "trash_days=7"]);
        assert!(shown.contains("trash_max_age = \"7d\"  # flag"), "{shown}");
        let refused = crate::support::place::said(&place.output(&["config", "--set", "trash_days=soon"]));
        assert!(refused.contains("trash_days = \"soon\" (flag) is not a number of days"), "{refused}");
    }
    each(&["trash_days=0"], |client| {
        client.make("s");
        let gone = client.delete("/floors/s.f");
        assert!(!gone.is(200).headers.contains_key("trash-id"), "{}", gone.text);
        client.get("/trash").is(200).has_meta("total", 0);
    });
}

/// Makes everything that is stored 400 days older, which is what a clock that jumps ahead makes of it.
fn make_older(place: &crate::support::Place) {
    let jump = 400 * 86_400_000_i64;
    let columns =
        [("session", "updated_at"), ("account", "created_at"), ("account", "purged_at"), ("trash", "deleted_at")];
    let statements =
        columns.map(|(table, column)| format!("UPDATE {table} SET {column} = {column} - {jump} WHERE {column} > 0;"));
    place.execute_stopped(&statements.concat());
}

#[test]
fn a_clock_that_jumps_ahead_purges_nothing_after_a_restart_either() {
    for backend in Backend::BOTH {
        let settings = ["purge_interval_ms=20"];
        let mut server = Server::start_on_with(Arc::new(backend.place()), &settings);
        let mut client = server.client("owner");
        client.case(&format!("{backend:?}"));
        client.make("s");
        client.delete("/floors/s.f").is(200);
        let trash = client.get("/trash").is(200).has_meta("total", 1).body["data"][0]["id"].clone();
        purged(&client);
        assert!(server.terminate().success());
        make_older(&server.place);
        for session in ["t", "u"] {
            server = Server::start_on_with(Arc::clone(&server.place), &settings);
            client = client.through(&server);
            purged(&client);
            client.get("/trash").is(200).has_meta("total", 1);
            // From now on the newest row is as old as the clock says.
            client.make(session);
            assert!(server.terminate().success());
        }
        server = Server::start_on_with(Arc::clone(&server.place), &settings);
        client = client.through(&server);
        purged(&client);
        client.post(&format!("/trash/{}/restore", trash.as_str().expect("an id")), json!({})).is(200);
        client.get("/floors/s.f").is(200);
    }
}
