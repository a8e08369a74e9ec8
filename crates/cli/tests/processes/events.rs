//! Listeners among many writers, across processes, restarts and slow lines: none skipped, none twice.

use crate::support::postgres::{Cluster, Database};
use crate::support::tree::merge;
use crate::support::{Backend, Client, Place, ReceivedEvent, Server, chat, global, write};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

const OLDEST: &str = "0-0";
const SESSIONS: usize = 4;
const WRITERS: usize = 8;
const ROUNDS: usize = 60;

/// Listens from the beginning until `count` events were heard, and hangs up after a few each time.
fn hear(client: &Client, query: &str, count: usize, mut seed: usize) -> Vec<ReceivedEvent> {
    let mut heard: Vec<ReceivedEvent> = Vec::new();
    while heard.len() < count {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let few = (1 + (seed >> 33) % 40).min(count - heard.len());
        let last = heard.last().map_or(OLDEST, |event| event.id.as_str()).to_owned();
        heard.extend(client.listen(query, Some(&last)).take(few));
    }
    heard
}

/// The counter of each session rises by one with each of its events: nothing is missing, twice or out of order.
#[track_caller]
fn counted(events: &[ReceivedEvent], each: usize) {
    let mut counters: HashMap<String, Vec<u64>> = HashMap::new();
    for event in events.iter().filter(|event| event.name == "variable.set") {
        let session = event.data["session_id"].as_str().expect("a session").to_owned();
        counters.entry(session).or_default().push(event.data["entry"]["value"].as_u64().expect("a number"));
    }
    for (session, values) in counters {
        assert!(values.iter().copied().eq(1..=each as u64), "{session}: {values:?}");
    }
    assert!(events.is_sorted_by(|left, right| left.place() < right.place()));
}

fn increment(client: &Client, session: usize) {
    let body = merge(chat(&format!("s{session}")), json!({"key": "n"}));
    client.ask("POST", "/variables/increment").json(body).unrecorded().send().is_one_of(&[200, 201]);
}

/// Writers count in all sessions while listeners come and go, through the given processes in turn.
fn crowd(clients: &[Client]) {
    let turn = |number: usize| &clients[number % clients.len()];
    (0..SESSIONS).for_each(|session| turn(0).make_session(&format!("s{session}")));
    let each = WRITERS / SESSIONS * ROUNDS;
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let client = turn(writer);
            scope.spawn(move || (0..ROUNDS).for_each(|_| increment(client, writer % SESSIONS)));
        }
        for listener in 0..3 {
            let client = turn(listener);
            scope.spawn(move || counted(&hear(client, "", SESSIONS * (each + 1), listener), each));
        }
        for session in 0..SESSIONS {
            let client = turn(session + 1);
            let query = format!("?session_id=s{session}");
            scope.spawn(move || counted(&hear(client, &query, each + 1, session), each));
        }
        let steady = turn(1);
        scope.spawn(move || counted(&steady.listen("", Some(OLDEST)).take(SESSIONS * (each + 1)), each));
    });
}

#[test]
fn listeners_that_come_and_go_hear_everything_once() {
    for backend in Backend::BOTH {
        let server = Server::start(backend.place());
        let client = server.client("crowd");
        client.case(&format!("{backend:?}"));
        crowd(&[client]);
    }
}

#[test]
fn listeners_of_one_process_get_what_another_writes() {
    let one = Server::start(Backend::Postgres.place());
    let other = Server::start_on(Arc::new(one.place.beside()));
    let client = one.client("crowd");
    crowd(&[client.clone(), client.through(&other)]);
}

/// Writes, however often PostgreSQL has to be asked.
fn insist(client: &Client, key: &str) {
    let ask = || client.ask("PUT", "/variables").json(write(global(), key, 1)).response().status().as_u16();
    while !matches!(ask(), 200 | 201) {
        std::thread::yield_now();
    }
}

#[test]
fn listeners_outlive_their_database() {
    let mut cluster = Cluster::start();
    let one = Server::start(Place::on(Database::fresh_on(&cluster.url())));
    let other = Server::start_on(Arc::new(one.place.beside()));
    let client = one.client("crowd");
    let mut listening = client.through(&other).listen("", Some(OLDEST));
    let mut heard = Vec::new();
    for round in 0..3 {
        insist(&client, &format!("before-{round}"));
        heard.extend(listening.take(1));
        cluster.restart(if round == 1 { Signal::QUIT } else { Signal::INT });
        let key = format!("after-{round}");
        insist(&client, &key);
        while heard.last().is_none_or(|event: &ReceivedEvent| event.data["entry"]["key"] != key.as_str()) {
            heard.extend(listening.take(1));
        }
    }
    assert_eq!(client.listen("", Some(OLDEST)).take(heard.len()), heard);
}

/// A client that says it listens and does not.
fn deaf(server: &Server, client: &Client) -> TcpStream {
    let address = server.base.strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let head = format!(
        "GET /events?last_event_id={OLDEST} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\r\n",
        client.key()
    );
    stream.write_all(head.as_bytes()).expect("a request");
    let mut first = [0; 12];
    stream.read_exact(&mut first).expect("an answer");
    assert_eq!(&first, b"HTTP/1.1 200");
    stream
}

/// Far more than sockets and memory hold for a listener.
fn flood(client: &Client, count: usize) {
    // Text that does not get shorter: each character of a pseudorandom number.
    let mut seed = 1_u64;
    let mut noise = || -> String {
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'a' + u8::try_from((seed >> 40) % 26).expect("a letter"))
        };
        (0..400_000).map(|_| next()).collect()
    };
    for number in 0..count {
        let body = write(global(), &format!("k{number}"), noise());
        client.ask("PUT", "/variables").json(body).unrecorded().send().is_one_of(&[200, 201]);
    }
}

#[test]
fn a_slow_listener_holds_nobody_up_and_misses_nothing() {
    for backend in Backend::BOTH {
        let server = Server::start(backend.place());
        let client = server.client("crowd");
        let mut slow = client.listen("", Some(OLDEST));
        let mut quick = client.listen("", Some(OLDEST));
        flood(&client, 40);
        let keys = |events: Vec<ReceivedEvent>| -> Vec<Value> {
            events.iter().map(|event| event.data["entry"]["key"].clone()).collect()
        };
        let wanted: Vec<Value> = (0..40).map(|number| json!(format!("k{number}"))).collect();
        assert_eq!(keys(quick.take(40)), wanted);
        assert_eq!(keys(slow.take(40)), wanted);
    }
}

#[test]
fn a_listener_that_takes_nothing_is_cut_off() {
    let server = Server::start_with(Place::sqlite(), &["heartbeat_ms=100", "listener_stall_ms=100"]);
    let client = server.client("crowd");
    // One that has nothing to take is not deaf.
    client.make_session("quiet");
    let mut quiet = client.listen("?session_id=quiet", None);
    let _stream = deaf(&server, &client);
    // How much the system takes for a client that does not, nobody knows.
    let mut rounds = 0;
    while server.log().line_with("disconnecting a listener").is_none() {
        rounds += 1;
        assert!(rounds < 100, "the listener stays");
        flood(&client, 10);
    }
    client.set(chat("quiet"), "k", 1).is(201);
    assert_eq!(quiet.names(1), ["variable.set"]);
}

#[test]
fn a_server_that_stops_says_so_and_does_not_wait() {
    for backend in Backend::BOTH {
        let mut server = Server::start(backend.place());
        let client = server.client("crowd");
        let listening = client.listen("", None);
        assert!(server.terminate().success());
        listening.ends("the server is stopping");
        assert_eq!(server.log().line_with("did not finish in time"), None);
    }
}

#[test]
fn an_account_has_so_many_listeners_and_no_more() {
    let server = Server::start_with(Place::sqlite(), &["listeners_max=2"]);
    let client = server.client("crowd");
    let other = server.client("others");
    let (first, _second) = (client.listen("", None), client.listen("", None));
    client.get("/events").refused(429, "quota_exceeded");
    drop(other.listen("", None));
    drop(first);
    // The server hears of the free place a moment later.
    drop(client.until("/events", |answer| answer.status == 200));
}

#[test]
fn signs_of_life_say_how_far_the_stream_is() {
    for backend in Backend::BOTH {
        let server = Server::start_with(backend.place(), &["heartbeat_ms=20"]);
        let client = server.client("crowd");
        client.make_session("s");
        let mut listening = client.listen("?session_id=s", Some(OLDEST));
        let mut everything = client.listen("", Some(OLDEST));
        assert_eq!(listening.names(1), ["session.created"]);
        client.set(global(), "elsewhere", 1).is(201);
        assert_eq!(everything.names(2), ["session.created", "variable.set"]);
        let place = everything.last_id.clone();
        listening.moves_to(crate::support::listening::place(&place));
        client.set(chat("s"), "k", 1).is(201);
        assert_eq!(client.listen("?session_id=s", Some(&listening.last_id)).names(1), ["variable.set"]);
    }
}

#[test]
fn a_place_that_was_purged_is_refused() {
    let server = Server::start(Place::sqlite());
    let client = server.client("crowd");
    for key in ["a", "b", "c"] {
        client.set(global(), key, 1).is(201);
    }
    let events = client.listen("", Some(OLDEST)).take(3);
    let (position, _) = events[1].place();
    let database = rusqlite::Connection::open(server.place.sqlite_file()).expect("the database");
    let purge = format!(
        "DELETE FROM event WHERE account_id = 'crowd' AND position <= {position};
         UPDATE account SET events_purged = {position} WHERE account_id = 'crowd';"
    );
    database.execute_batch(&purge).expect("a purge");
    client.ask("GET", "/events").header("last-event-id", &events[0].id).send().refused(410, "events_purged");
    for kept in [OLDEST, &events[1].id] {
        assert_eq!(client.listen("", Some(kept)).take(1), events[2..]);
    }
}
