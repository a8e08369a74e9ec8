//! One session does the largest things that are allowed; the others are answered meanwhile, and the chat is never half there.
//!
//! The small version checks what is answered. `make test-faults` does it at the documented limits and prints how long the others
//! waited.

mod chats;
mod promoted;
mod requests;
mod swipes;

use crate::campaign::Campaign;
use crate::crew::End;
use crate::http::{Reply, Request, Wire};
use crate::support::{Backend, Server};
use chats::{CHANGES, Chat};
use requests::{FIXTURES, Stage};
use serde_json::json;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// More than is done in one transaction.
const FLOORS_SMOKE: usize = 600;

/// How long a read is made again and again, so that others make enough requests meanwhile.
const READS_FOR: Duration = Duration::from_secs(2);

/// How often each of the others asks.
const INTERVAL: Duration = Duration::from_millis(20);

/// How long each request of the others took.
#[derive(Default)]
struct Waited {
    writes: Vec<Duration>,
    reads: Vec<Duration>,
}

#[test]
fn others_are_answered_while_a_long_chat_changes() {
    let campaign = Campaign::begin("bystanders");
    for backend in Backend::BOTH {
        let server = Server::start_on(Arc::new(backend.place()));
        let wire = Wire::to(&server.base);
        wire.must(&Request::post("/sessions", json!({"id": "bystander"})));
        for change in CHANGES {
            let floors = if campaign.is_smoke() { FLOORS_SMOKE } else { change.floors_max };
            let chat = Chat::make(&wire, change, floors);
            let (waited, took) = beside(&server.base, || chat.change(&wire));
            chat.is_changed(&wire);
            campaign.report(&format!("{backend:?}, {} ({floors} floors, {took:.2?}): {waited}", change.name));
        }
    }
}

#[test]
fn others_are_answered_beside_every_large_request() {
    let campaign = Campaign::begin("bystanders of requests");
    // What takes longer than a second is a job, as it is for everybody.
    let settings = ["process_time_ms=1000", "request_timeout_ms=120000"];
    let only = std::env::var("TAVERNKEEP_TEST_FIXTURE").ok();
    for backend in Backend::BOTH {
        let server = Server::start_on_with(Arc::new(backend.place()), &settings);
        let wire = Wire::to(&server.base);
        wire.must(&Request::post("/sessions", json!({"id": "bystander"})));
        let fixtures = FIXTURES.iter().filter(|fixture| only.as_ref().is_none_or(|only| fixture.name.contains(only)));
        for (number, fixture) in fixtures.enumerate() {
            let size = if campaign.is_smoke() { fixture.size_smoke } else { fixture.size_max };
            let stage = Stage { wire: &wire, session: format!("fixture-{number}"), size };
            fixture.make(&stage);
            for large in fixture.requests {
                let request = large.on(&stage);
                let mut times = 0;
                let (waited, took) = beside(&server.base, || {
                    let began = Instant::now();
                    // A read is made until there is something to count.
                    while times == 0 || !campaign.is_smoke() && request.method == "GET" && began.elapsed() < READS_FOR {
                        stage.done(&request);
                        times += 1;
                    }
                });
                let (fixture, took) = (fixture.name, took / times);
                campaign.report(&format!("{backend:?}, {fixture} ({size}): {} ({took:.2?}): {waited}", large.name));
            }
        }
    }
}

/// Does something while another session is written and read, and while the chat is looked at.
fn beside(base: &str, work: impl FnOnce() + Send) -> (Waited, Duration) {
    let (end, answered) = (End::default(), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let asking = |request: fn(usize) -> Request| {
            let (end, answered, wire) = (&end, &answered, Wire::to(base));
            scope.spawn(move || {
                let (mut times, mut due) = (Vec::new(), Instant::now());
                // At least one is answered, however short the work is.
                while !end.has_come() || times.is_empty() {
                    std::thread::sleep(due.saturating_duration_since(Instant::now()));
                    wire.must(&request(times.len()));
                    // From when it was due: who asks at a steady rate waits as often as others hold it up.
                    times.push(due.elapsed());
                    answered.fetch_add(1, Ordering::Relaxed);
                    due += INTERVAL;
                }
                times
            })
        };
        let write = |number: usize| {
            let value =
                json!({"scope": "chat", "scope_id": "bystander", "key": format!("k{}", number % 50), "value": number});
            Request::put("/variables", value)
        };
        let writes = asking(write);
        let reads = asking(|_| Request::get("/variables?scope=chat&scope_id=bystander&limit=20"));
        let home = end.when_dropped();
        let began = Instant::now();
        work();
        let took = began.elapsed();
        drop(home);
        let waited = Waited {
            writes: writes.join().expect("every write is answered"),
            reads: reads.join().expect("every read is answered"),
        };
        (waited, took)
    })
}

impl fmt::Display for Waited {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "others' {}, {}", percentiles("writes", &self.writes), percentiles("reads", &self.reads))
    }
}

fn percentiles(what: &str, times: &[Duration]) -> String {
    let mut times = times.to_vec();
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    format!("{what} p50 {:.1?} p99 {:.1?} max {:.1?} of {}", at(50), at(99), at(100), times.len())
}

#[test]
fn a_chat_is_never_seen_half_changed() {
    for backend in Backend::BOTH {
        let server = Server::start_on(Arc::new(backend.place()));
        let wire = Wire::to(&server.base);
        for change in CHANGES.iter().filter(|change| change.sync.is_some()) {
            let chat = Chat::make(&wire, change, FLOORS_SMOKE);
            let end = End::default();
            std::thread::scope(|scope| {
                let (end, chat, watcher) = (&end, &chat, Wire::to(&server.base));
                let watching = scope.spawn(move || {
                    let mut looks = 0;
                    while !end.has_come() || looks == 0 {
                        chat.is_whole(&watcher);
                        looks += 1;
                    }
                });
                let home = end.when_dropped();
                chat.change(&wire);
                drop(home);
                watching.join().expect("the chat is whole whenever it is looked at");
            });
            chat.is_changed(&wire);
        }
    }
}

#[test]
fn a_kill_leaves_the_old_chat_or_the_new_one() {
    let campaign = Campaign::begin("bystanders killed");
    let mut random = campaign.random();
    for backend in Backend::BOTH {
        let place = Arc::new(backend.place());
        let mut server = Server::start_on(Arc::clone(&place));
        let (mut old, mut new) = (0, 0);
        for round in 0..campaign.faults {
            let change = &CHANGES[usize::try_from(round).unwrap_or(0) % CHANGES.len()];
            let chat = Chat::make(&Wire::to(&server.base), change, FLOORS_SMOKE);
            let delay = Duration::from_millis(random.below(600));
            let base = server.base.clone();
            std::thread::scope(|scope| {
                let asked = scope.spawn(|| Wire::to(&base).send(&chat.request()));
                std::thread::sleep(delay);
                server.kill();
                let reply = asked.join().expect("the client lives");
                server = Server::start_on(Arc::clone(&place));
                let wire = Wire::to(&server.base);
                let is_new = chat.is_whole(&wire);
                if let Reply::Answered(answer) = &reply {
                    assert!(!answer.is_success() || is_new, "{}: it was acknowledged and is gone", change.name);
                }
                if is_new {
                    new += 1;
                } else {
                    old += 1;
                }
                // Whatever was begun does not stand in the way of the same once more.
                if !is_new {
                    chat.change(&wire);
                }
                chat.is_changed(&wire);
            });
        }
        drop(server);
        place.run(&["check"]);
        campaign.report(&format!(
            "{backend:?}: {} kills left the old chat {old} times and the new one {new} times",
            campaign.faults
        ));
    }
}
