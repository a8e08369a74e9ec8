//! PostgreSQL restarted, and its backends killed, under the load of two servers: requests succeed or fail clearly, nothing
//! that was acknowledged is lost, and everything gets well by itself.

use crate::campaign::Campaign;
use crate::client::{Client, Outcome};
use crate::crew::{CLIENTS, Crew, End, Progress};
use crate::http::Wire;
use crate::nemesis::{Nemesis, Pair};
use crate::observe;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn two_servers_outlive_their_database() {
    let campaign = Campaign::begin("restarts of PostgreSQL");
    let mut random = campaign.random();
    let mut pair = Pair::start();
    let mut crew = Crew::new(CLIENTS, &mut random, &pair.wire(0));
    let wires: Vec<Wire> = (0..CLIENTS).map(|number| pair.wire(number)).collect();
    let (number, progress, end) = (AtomicUsize::new(0), Progress::default(), End::default());
    let (choices, retried) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut nemesis = Nemesis::default();
    crew.run(
        |client| {
            let wire = &wires[number.fetch_add(1, Ordering::Relaxed)];
            while !end.has_come() {
                match client.go(wire) {
                    Outcome::Acknowledged => progress.add(),
                    // The connection to the database may have been lost around the commit: looking helps, or trying again.
                    Outcome::Trouble(_) if choices.fetch_add(1, Ordering::Relaxed) % 4 == 0 => look(client, wire, &end),
                    Outcome::Trouble(_) => again(client, wire, &end, &retried),
                    Outcome::Broken => panic!("a server that runs answers"),
                }
            }
        },
        || {
            let _home = end.when_dropped();
            for _ in 0..campaign.faults {
                progress.wait_for(random.between(10, 60));
                nemesis.strike(&mut pair, &mut random);
            }
            progress.wait_for(100);
        },
    );
    for server in 0..2 {
        let everything = observe::everything(&pair.wire(server));
        crew.judge(&everything).unwrap_or_else(|error| panic!("{error}"));
    }
    pair.is_well();
    campaign.report(&format!(
        "{nemesis}, {} requests failed clearly, {} operations acknowledged, 0 lost, {} sent again and applied once",
        crew.failed(),
        crew.acknowledged(),
        retried.into_inner()
    ));
}

/// Sends the step again under its key until it is acknowledged. That it happened once is seen by whoever compares next.
fn again(client: &mut Client, wire: &Wire, end: &End, retried: &AtomicUsize) {
    while !end.has_come() {
        if client.retry_blindly(wire) {
            retried.fetch_add(1, Ordering::Relaxed);
            return look(client, wire, end);
        }
        std::thread::yield_now();
    }
}

/// Asks until somebody answers, and compares. At the end of the load everybody is compared anyway.
fn look(client: &mut Client, wire: &Wire, end: &End) {
    while !end.has_come() {
        if let Some(everything) = observe::try_everything(wire) {
            client.judge(&everything).unwrap_or_else(|error| panic!("{error}"));
            return;
        }
        std::thread::yield_now();
    }
}
