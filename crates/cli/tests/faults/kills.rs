//! `kill -9` in the middle of a load on SQLite: nothing that was acknowledged is lost, nothing is half done, the next
//! start repairs nothing, and what was not answered can be sent again under its key and happens once.

use crate::campaign::Campaign;
use crate::client::Outcome;
use crate::crew::{CLIENTS, Crew, Progress, Unknown};
use crate::http::Wire;
use crate::support::place::said;
use crate::support::{Place, Server};
use std::sync::Arc;
use std::time::Duration;

#[test]
fn a_killed_server_keeps_what_it_acknowledged() {
    let campaign = Campaign::begin("kills");
    let mut random = campaign.random();
    let place = Arc::new(Place::sqlite());
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
