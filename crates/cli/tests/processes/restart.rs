//! A server that ends, well or badly, and comes back.

use crate::support::{Backend, Client, Place, Server, chat, write};
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
