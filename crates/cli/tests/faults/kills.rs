//! `kill -9` in the middle of a load, on SQLite and on PostgreSQL: nothing that was acknowledged is lost, nothing is half
//! done, the next start repairs nothing, and what was not answered can be sent again under its key and happens once.

use crate::campaign::Campaign;
use crate::client::Outcome;
use crate::crew::{CLIENTS, Crew, Progress, Unknown};
use crate::http::Wire;
use crate::support::place::said;
use crate::support::{Backend, Place, Server};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[test]
fn a_killed_server_keeps_what_it_acknowledged() {
    survives(&Campaign::begin("kills"), Backend::Sqlite);
}

#[test]
fn a_killed_server_keeps_what_it_acknowledged_on_postgres() {
    survives(&Campaign::begin("kills on PostgreSQL"), Backend::Postgres);
}

fn survives(campaign: &Campaign, backend: Backend) {
    let mut random = campaign.random();
    let place = Arc::new(backend.place());
    let mut server = Server::start_on(Arc::clone(&place));
    let mut crew = Crew::new(CLIENTS, &mut random, &Wire::to(&server.base));
    let mut unknown = Unknown::default();
    for kill in 1..=campaign.faults {
        let (answers, delay) = (random.between(10, 80), Duration::from_micros(random.below(30_000)));
        let progress = Progress::default();
        let base = server.base.clone();
        crew.run(
            |client| {
                let wire = Wire::to(&base);
                while let Outcome::Acknowledged = client.go(&wire) {
                    progress.add();
                }
            },
            || {
                progress.wait_for(answers);
                // So that it meets any moment of a commit, not only the one behind an answer.
                std::thread::sleep(delay);
                assert!(!server.kill().success());
            },
        );
        if backend == Backend::Postgres {
            wait_for_the_end_of_backends(&place);
        }
        let checked = place.output(&["check"]);
        assert!(checked.status.success(), "kill {kill}: {}", said(&checked));
        server = Server::start_on(Arc::clone(&place));
        unknown += crew.retry(&Wire::to(&server.base)).unwrap_or_else(|error| panic!("kill {kill}: {error}"));
    }
    campaign.report(&format!(
        "{} kills, {} operations acknowledged, 0 lost; in flight {} wholly there, {} not at all, {} begun and {} on the shared \
         counter; {} sent again, each applied once",
        campaign.faults,
        crew.acknowledged(),
        unknown.there,
        unknown.absent,
        unknown.begun,
        unknown.counted,
        unknown.count()
    ));
}

/// PostgreSQL goes on with what it was sent until it notices that the server is gone, and a commit may be among it. What is
/// compared must not change any more.
fn wait_for_the_end_of_backends(place: &Place) {
    let left = "SELECT COUNT(*) FROM pg_stat_activity
        WHERE datname = CURRENT_DATABASE() AND application_name = 'tavernkeep'";
    let deadline = Instant::now() + Duration::from_secs(120);
    while place.number(left) > 0 {
        assert!(Instant::now() < deadline, "PostgreSQL goes on with the work of a killed server");
        std::thread::yield_now();
    }
}
