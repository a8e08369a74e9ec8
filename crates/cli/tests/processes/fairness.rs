//! Many writers of one session on PostgreSQL: they wait for each other, and nobody waits for them.

use super::retention::metric;
use crate::support::postgres::{Database, OpenTransaction};
use crate::support::tree::chat;
use crate::support::{Client, Place, Server};
use serde_json::json;

/// More than there are connections.
const WRITERS: usize = 40;
const SETTINGS: [&str; 1] = ["postgres_connections=4"];

#[test]
fn writers_of_a_blocked_session_leave_connections_to_others() {
    let database = Database::fresh();
    let url = database.url.clone();
    let server = Server::start_with(Place::on(database), &SETTINGS);
    let client = server.client("one");
    client.make("s");
    client.make("other");
    let held = OpenTransaction::with(&url, "SELECT 1 FROM session WHERE id = 's' FOR UPDATE");
    std::thread::scope(|scope| {
        let write = |number: usize| {
            let client = &client;
            // By the session's id and by one of its floors.
            let host = if number.is_multiple_of(2) { chat("s") } else { json!({"scope": "floor", "scope_id": "s.f"}) };
            scope.spawn(move || client.set(host, &format!("k{number}"), 1).status)
        };
        let writers: Vec<_> = (0..WRITERS).map(write).collect();
        client.case("all of them are on their way");
        client.until("/metrics", |answer| metric(&answer.text, "tavernkeep_http_in_flight") > WRITERS as f64).is(200);
        client.case("another session is read and written while they wait");
        for turn in 0..10 {
            client.set(chat("other"), "k", turn).is_one_of(&[200, 201]);
            client.get("/variables?scope=chat&scope_id=other").is(200);
            client.get("/sessions/s").is(200);
        }
        assert!(!writers.iter().any(std::thread::ScopedJoinHandle::is_finished), "the session is still blocked");
        drop(held);
        for writer in writers {
            assert_eq!(writer.join().expect("no writer fails"), 201);
        }
    });
    client.case("each of them has written");
    assert_eq!(count(&client, "s"), WRITERS);
}

fn count(client: &Client, session: &str) -> usize {
    let floor = client.get(&format!("/variables?scope=floor&scope_id={session}.f&limit=100"));
    let chat = client.get(&format!("/variables?scope=chat&scope_id={session}&limit=100"));
    [floor, chat].iter().map(|answer| answer.is(200).column("key").len()).sum()
}
