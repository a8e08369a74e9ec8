//! A server on PostgreSQL all of whose connections are taken can still be looked at.

use crate::support::postgres::{self, Database, OpenTransaction};
use crate::support::{Place, Server};
use std::time::{Duration, Instant};

const READERS: usize = 6;
const SETTINGS: [&str; 1] = ["postgres_connections=2"];

/// Connections of the server that wait for a lock.
const WAITING: &str = "SELECT COUNT(*) FROM pg_stat_activity
    WHERE datname = CURRENT_DATABASE() AND application_name = 'tavernkeep' AND wait_event_type = 'Lock'";

/// It waits until they have ended.
const END_ALL: &str = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
    WHERE datname = CURRENT_DATABASE() AND application_name = 'tavernkeep'";

#[test]
fn health_and_metrics_have_a_connection_of_their_own() {
    let database = Database::fresh();
    let url = database.url.clone();
    let server = Server::start_with(Place::on(database), &SETTINGS);
    let client = server.client("one");
    client.make("s");
    let held = OpenTransaction::with(&url, "LOCK TABLE variable IN ACCESS EXCLUSIVE MODE");
    std::thread::scope(|scope| {
        let read = |_| scope.spawn(|| client.get("/variables?scope=chat&scope_id=s").status);
        let readers: Vec<_> = (0..READERS).map(read).collect();
        let deadline = Instant::now() + Duration::from_secs(60);
        while postgres::number(&url, WAITING).expect("it can be read") < 2 {
            assert!(Instant::now() < deadline, "the readers do not wait for the table");
            std::thread::yield_now();
        }
        client.case("both connections are taken");
        for _ in 0..3 {
            client.without_key().get("/health").is(200);
            client.get("/metrics").is(200);
        }
        assert!(!readers.iter().any(std::thread::ScopedJoinHandle::is_finished), "the table is still locked");
        drop(held);
        for reader in readers {
            assert_eq!(reader.join().expect("no reader fails"), 200);
        }
    });
    client.case("a connection that broke is replaced");
    postgres::execute(&url, END_ALL).expect("PostgreSQL runs");
    client.without_key().get("/health").is(200);
    client.get("/metrics").is(200);
}
