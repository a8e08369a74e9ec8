//! A server that ends, well or badly, and comes back.

use crate::support::{Answer, Backend, Client, Place, Server, chat, write};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn what_was_acknowledged_survives_a_crash() {
    let mut server = Server::start(Place::sqlite());
    let client = server.client("owner");
    client.make_session("s");
    let ended = AtomicBool::new(false);
    let acknowledged = std::thread::scope(|scope| {
        let writers = [0, 1, 2, 3].map(|writer| {
            let (client, ended) = (&client, &ended);
            scope.spawn(move || write_until(client, writer, ended))
        });
        client.until("/variables?limit=1", |answer| answer.body["meta"]["total"].as_i64() >= Some(200)).is(200);
        assert!(!server.kill().success());
        ended.store(true, Ordering::Release);
        writers.map(|writer| writer.join().expect("a writer ends"))
    });

    let server = Server::start_on(Arc::clone(&server.place));
    let client = client.through(&server);
    for (writer, count) in acknowledged.into_iter().enumerate() {
        let list = client.get(&format!("/variables?prefix=k{writer}.&limit=1&sort_by=key&sort_order=desc"));
        let kept = usize::try_from(list.is(200).body["meta"]["total"].as_i64().expect("a total")).expect("a count");
        // The last write may have been kept without having been acknowledged.
        list.must((count..=count + 1).contains(&kept), &format!("{count} writes, or one more"));
        for number in (0..count).step_by(37) {
            assert_eq!(client.count(&format!("k{writer}.{number:05}")), 1);
        }
    }
    client.set(chat("s"), "after", 1).is(201);
}

/// Puts one variable after the other and returns how many were acknowledged before the server was gone.
fn write_until(client: &Client, writer: usize, ended: &AtomicBool) -> usize {
    tavernkeep_runtime::https::use_ring();
    let http = reqwest::blocking::Client::builder().no_proxy().build().expect("a client");
    let mut count = 0;
    while !ended.load(Ordering::Acquire) {
        let body = write(chat("s"), &format!("k{writer}.{count:05}"), "v".repeat(100)).to_string();
        let request = http.put(format!("{}/variables", client.base())).bearer_auth(client.key());
        // An answer that breaks off with the server acknowledges nothing.
        match request.header("content-type", "application/json").body(body).send() {
            Ok(response) => assert_eq!(response.status(), 201),
            Err(_) => break,
        }
        count += 1;
    }
    count
}

#[test]
fn a_server_that_is_asked_to_end_ends_well_and_comes_back() {
    for backend in Backend::BOTH {
        let mut server = Server::start(backend.place());
        let client = server.client("owner");
        client.case(&format!("{backend:?}"));
        client.make("s");
        client.set(chat("s"), "k", json!({"deep": [1, 2, 3]})).is(201);
        let before = client.get("/variables/resolve?session_id=s&page_id=s.p&include_layers=true").is(200).text.clone();
        let status = server.terminate();
        assert!(status.success(), "{backend:?}: {status}\n{}", server.log().tail());

        let again = Server::start_on(Arc::clone(&server.place));
        let client = client.through(&again);
        assert_eq!(client.get("/variables/resolve?session_id=s&page_id=s.p&include_layers=true").is(200).text, before);
        client.get("/pages/s.p").is(200);
    }
}

/// 2,000 requests would take a minute, so the rows of edits are multiplied while no server runs.
#[test]
fn undo_works_at_the_limit_of_edits_up_to_a_limit_of_its_own() {
    let more = |count: i64| {
        format!(
            "WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < {count})
             INSERT INTO page_edit (account_id, session_row, page_row, number, id, kind, created_at, taken_back_at, reason, ops)
             SELECT e.account_id, e.session_row, e.page_row, l.last + n, e.id || '-' || (l.last + n), e.kind, e.created_at,
                e.taken_back_at, e.reason, e.ops
             FROM page_edit e CROSS JOIN more CROSS JOIN (SELECT MAX(number) AS last FROM page_edit) l WHERE e.number = 1"
        )
    };
    for backend in Backend::BOTH {
        let mut server = Server::start(backend.place());
        let client = server.client("owner");
        client.case(&format!("{backend:?}"));
        client.post("/sessions", json!({"id": "s", "template": {}})).is(201);
        let content = "@.SET(\"a\", 1); @.SET(\"b\", 1); @.SET(\"c\", 1);";
        let turn = json!({"role": "assistant", "content": content, "page_id": "p"});
        client.post("/sessions/s/turns", turn).is(201);
        let edit = |client: &Client| client.patch("/pages/p/state", json!({"patch": {"x": 1}}));
        let undo = |client: &Client, path: &str| client.post("/pages/p/undo", json!({"path": path}));
        let refused = |answer: &Answer, max: i64| {
            let refused = answer.refused(429, "quota_exceeded");
            refused.says(&format!("{max} edits of one page")).says("DELETE /pages/{id}/edits/{edit_id}");
        };
        edit(&client).is(200);
        server.terminate();
        server.place.execute_stopped(&more(998));

        let mut server = Server::start_on(Arc::clone(&server.place));
        let client = client.through(&server);
        client.case(&format!("{backend:?}, below the limit, at it and over it"));
        client.patch("/pages/p/state", json!({"patch": {"y": 1}})).is(200);
        refused(&client.patch("/pages/p/state", json!({"patch": {"z": 1}})), 1000);
        undo(&client, "a").is(200).has("/state", json!({"b": 1, "c": 1, "x": 1, "y": 1}));
        refused(&client.patch("/pages/p/state", json!({"patch": {"z": 1}})), 1000);
        server.terminate();
        server.place.execute_stopped(&more(998));

        let server = Server::start_on(Arc::clone(&server.place));
        let client = client.through(&server);
        client.case(&format!("{backend:?}, at the limit of undo and over it"));
        undo(&client, "b").is(200).has("/state", json!({"c": 1, "x": 1, "y": 1}));
        refused(&undo(&client, "c"), 2000);
        client.case(&format!("{backend:?}, room again"));
        client.post("/pages/p/redo", json!({})).is(200).has("/state", json!({"b": 1, "c": 1, "x": 1, "y": 1}));
        undo(&client, "c").is(200).has("/state", json!({"b": 1, "x": 1, "y": 1}));
        client.post("/sessions/s/process", json!({"overwrite_edited": true})).is(200);
        client.get("/pages/p/state").is(200).has("/state", json!({"a": 1, "b": 1, "c": 1}));
        client.patch("/pages/p/state", json!({"patch": {"z": 1}})).is(200);
    }
}
