//! Jobs go on after a crash, in the same place or in another process.

use crate::support::{Backend, Client, Server};
use serde_json::Value;
use std::sync::Arc;

fn state(client: &Client, job: &str) -> Value {
    client.until(&format!("/jobs/{job}"), |answer| answer.body["data"]["state"] == "done").data()
}

#[test]
fn a_job_goes_on_after_a_crash() {
    let mut server = Server::start(Backend::Sqlite.place());
    let client = server.client("owner");
    client.make_session("s");
    client.fill("s", 50);
    let job = client.delete("/sessions/s?permanent=true").is(200).data()["job_id"].as_str().expect("a job").to_owned();
    server.kill();
    let again = Server::start_on(Arc::clone(&server.place));
    let client = client.through(&again);
    client.get("/sessions/s").refused(404, "session_not_found");
    state(&client, &job);
    drop(again);
    server.place.run(&["check"]);
}

#[test]
fn another_process_takes_a_job_over() {
    let mut one = Server::start(Backend::Postgres.place());
    let other = Server::start_on(Arc::new(one.place.beside()));
    let client = one.client("owner");
    client.make_session("s");
    client.fill("s", 50);
    let job = client.delete("/sessions/s?permanent=true").is(200).data()["job_id"].as_str().expect("a job").to_owned();
    one.kill();
    let client = client.through(&other);
    client.get("/sessions/s").refused(404, "session_not_found");
    state(&client, &job);
    other.place.run(&["check"]);
}

#[test]
fn an_account_goes_with_its_long_sessions() {
    for backend in Backend::BOTH {
        let server = Server::start(backend.place());
        let client = server.client("owner");
        client.make_session("s");
        client.fill("s", 20);
        client.delete("/account?confirm=owner").is(200);
        client.get("/account").refused(403, "auth_invalid_credentials");
        server.place.run(&["check"]);
    }
}
