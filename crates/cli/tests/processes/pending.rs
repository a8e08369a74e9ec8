//! Writes that take longer than their requests.

use crate::support::postgres::{Database, OpenTransaction};
use crate::support::tree::chat;
use crate::support::{Place, Server};
use serde_json::json;

#[test]
fn a_write_that_has_begun_goes_on_and_can_be_asked_for() {
    let database = Database::fresh();
    let url = database.url.clone();
    let settings = ["request_timeout_ms=300", "write_wait_ms=300"];
    let server = Server::start_with(Place::on(database), &settings);
    let client = server.client("one");
    client.post("/sessions", json!({"id": "s"})).is(201);
    client.case("another transaction holds the clock of the session");
    let held = OpenTransaction::with(&url, "SELECT 1 FROM session WHERE id = 's' FOR UPDATE");
    let answer = client.set(chat("s"), "k", 1);
    answer.refused(503, "write_pending");
    let path = answer.body["error"]["details"][0]["path"].as_str().expect("where it can be asked for").to_owned();
    client.get(&path).is(200).has("/state", "running");
    client.case("nobody else can see it");
    server.client("other").get(&path).refused(404, "write_not_found");
    client.case("it happens when the clock is free");
    drop(held);
    client.until(&path, |answer| answer.body["data"]["state"] == "done").is(200).has("/response_status", 201);
    assert_eq!(client.count("k"), 1);
}
