//! Clients that ask for much and read nothing: what is held for them is bounded, and the others are answered.

use super::retention::metric;
use crate::support::{Backend, Client, Server, chat, page, write};
use serde_json::json;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// Values of the session, about 30 MB altogether.
const VALUES: usize = 300;
const VALUE_BYTES: usize = 100_000;
const CLIENTS: usize = 100;
/// What the server may hold for all of them.
const HELD_MAX: &str = "bytes_in_flight_max=67108864";
/// What its process may have in memory at any time: what it holds, as rows and as rendered pieces, and what it needs without them.
/// A hundred responses of 30 MB would be eight times as much.
const MEMORY_KB_MAX: u64 = 400_000;

fn fill(client: &Client) {
    client.make_session("s");
    let long = "x".repeat(VALUE_BYTES);
    for first in (0..VALUES).step_by(5) {
        let items: Vec<_> =
            (first..first + 5).map(|number| write(chat("s"), &format!("k{number}"), long.clone())).collect();
        client.ask("PUT", "/variables/batch").json(json!({ "items": items })).unrecorded().send().is(200);
    }
}

/// Asks on a connection of its own and reads nothing.
fn ask(client: &Client, times: usize) -> TcpStream {
    let address = client.base().strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(address).expect("a connection");
    let request = format!(
        "GET /variables/resolve?session_id=s HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\r\n",
        client.key()
    );
    stream.write_all(request.repeat(times).as_bytes()).expect("a request");
    stream
}

/// Responses that have begun.
fn begun(text: &str) -> u64 {
    let lines = text
        .lines()
        .filter(|line| line.starts_with("tavernkeep_http_requests_total{") && line.contains("/variables/resolve"));
    lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

/// The most memory that the process ever had.
fn memory_kb(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process())).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn a_hundred_large_responses_that_nobody_reads_are_not_all_held() {
    for backend in Backend::BOTH {
        let server = Server::start_with(backend.place(), &[HELD_MAX]);
        let client = server.client("one");
        client.case(&format!("{backend:?}"));
        fill(&client);
        let streams: Vec<TcpStream> = (0..CLIENTS).map(|_| ask(&client, 1)).collect();
        client.until("/metrics", |answer| begun(&answer.text) >= CLIENTS as u64).is(200);
        client.case("the others are answered");
        client.set(chat("s"), "k", 1).is(201);
        client.get("/variables?scope=chat&scope_id=s&key=k").is(200);
        assert!(memory_kb(&server) < MEMORY_KB_MAX, "{backend:?}: {} kB", memory_kb(&server));
        client.case("there is room again when they are gone");
        drop(streams);
        let answer = client.until("/variables/resolve?session_id=s", |answer| answer.status == 200);
        assert!(answer.text.len() > VALUES * VALUE_BYTES);
    }
}

#[test]
fn a_connection_has_one_large_response_at_a_time() {
    let server = Server::start(Backend::Sqlite.place());
    let client = server.client("one");
    fill(&client);
    let _stream = ask(&client, 40);
    client.until("/metrics", |answer| begun(&answer.text) > 0).is(200);
    for turn in 0..20 {
        client.set(chat("s"), "k", turn).is_one_of(&[200, 201]);
    }
    let metrics = client.get("/metrics");
    assert_eq!(begun(&metrics.text), 1, "the next one begins when the first is read");
    assert!(metric(&metrics.text, "tavernkeep_http_in_flight") < 4.0);
}

/// What a server may have in memory that holds 16 MiB for its clients.
const SMALL_MEMORY_KB_MAX: u64 = 250_000;
const UNFINISHED: usize = 40;
const BODY_BYTES: usize = 16 * 1024 * 1024;

#[test]
fn unfinished_bodies_are_not_all_held_and_end_with_their_requests() {
    let settings = ["bytes_in_flight_max=33554432", "request_timeout_ms=5000"];
    let server = Server::start_with(Backend::Sqlite.place(), &settings);
    let client = server.client("one");
    client.make_session("s");
    let attacker = client.create_key("admin", &[]);
    let begin = |number: usize| {
        let route = ["POST /pages", "PUT /snapshots/none"][number % 2];
        let address = client.base().strip_prefix("http://").expect("an address");
        let mut stream = TcpStream::connect(address).expect("a connection");
        let head = format!(
            "{route} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Length: {BODY_BYTES}\r\n\r\n",
            attacker.secret
        );
        // A server that has answered may close the connection.
        drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&vec![b' '; BODY_BYTES - 1])));
        stream
    };
    let streams: Vec<TcpStream> = (0..UNFINISHED).map(begin).collect();
    client.case("the others are answered");
    client.set(chat("s"), "k", 1).is(201);
    client.get("/variables?scope=chat&scope_id=s&key=k").is(200);
    client.get("/metrics").is(200);
    server.place.revoke_key("one", &attacker);
    client.case("all of them end, with their key gone or not");
    for mut stream in streams {
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 503 "), "{answer}");
    }
    client.without_key().with_key(&attacker.secret).get("/sessions").refused(403, "auth_invalid_credentials");
    client.set(chat("s"), "k", 2).is(200);
    let memory_kb = memory_kb(&server);
    assert!(memory_kb < SMALL_MEMORY_KB_MAX, "{memory_kb} kB");
}

/// As much as a route reads, but for a little.
const CHUNKED_BYTES: usize = 15 * 1024 * 1024;

#[test]
fn bodies_of_unknown_length_count_as_they_arrive() {
    let settings = ["bytes_in_flight_max=33554432", "request_timeout_ms=10000"];
    let server = Server::start_with(Backend::Sqlite.place(), &settings);
    let client = server.client("one");
    client.make_session("s");
    let address = client.base().strip_prefix("http://").expect("an address");
    let chunk = [format!("{CHUNKED_BYTES:x}\r\n").into_bytes(), vec![b' '; CHUNKED_BYTES], b"\r\n".to_vec()].concat();
    let begin = |end: &[u8]| {
        let mut stream = TcpStream::connect(address).expect("a connection");
        let head = format!(
            "POST /pages HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nTransfer-Encoding: chunked\r\n\r\n",
            client.key()
        );
        // A server that has answered may close the connection.
        let whole = [head.as_bytes(), &chunk, end].concat();
        drop(stream.write_all(&whole));
        stream
    };
    let read = |mut stream: TcpStream| {
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        String::from_utf8_lossy(&answer).into_owned()
    };
    let streams: Vec<TcpStream> = (0..UNFINISHED).map(|_| begin(b"")).collect();
    client.case("what has no room is refused when it has been sent");
    let refused = read(begin(b"0\r\n\r\n"));
    assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("overloaded"), "{refused}");
    client.case("the others are answered");
    client.set(chat("s"), "k", 1).is(201);
    client.get("/variables?scope=chat&scope_id=s&key=k").is(200);
    for stream in streams {
        let answer = read(stream);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 503 "), "{answer}");
    }
    let memory_kb = memory_kb(&server);
    assert!(memory_kb < SMALL_MEMORY_KB_MAX, "{memory_kb} kB");
}

#[test]
fn pipelined_documents_that_nobody_reads_are_not_all_held() {
    let server = Server::start_with(Backend::Sqlite.place(), &["bytes_in_flight_max=16777216"]);
    let client = server.client("one");
    client.make_session("s");
    let address = client.base().strip_prefix("http://").expect("an address");
    let begin = |_| {
        let mut stream = TcpStream::connect(address).expect("a connection");
        let request = format!("GET /openapi.json HTTP/1.1\r\nHost: {address}\r\n\r\n");
        stream.write_all(request.repeat(40).as_bytes()).expect("requests");
        stream
    };
    let streams: Vec<TcpStream> = (0..CLIENTS).map(begin).collect();
    let asked = |text: &str| -> u64 {
        let lines = text
            .lines()
            .filter(|line| line.starts_with("tavernkeep_http_requests_total{") && line.contains("/openapi.json"));
        lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
    };
    client.until("/metrics", |answer| asked(&answer.text) >= CLIENTS as u64).is(200);
    client.case("the others are answered");
    for turn in 0..20 {
        client.set(chat("s"), "k", turn).is_one_of(&[200, 201]);
        client.get("/sessions").is(200);
    }
    client.get("/health").is(200);
    let memory_kb = memory_kb(&server);
    assert!(memory_kb < SMALL_MEMORY_KB_MAX, "{memory_kb} kB");
    drop(streams);
}

const PAGES: usize = 30;
const CONTENT_BYTES: usize = 4 * 1024 * 1024;
const LONG_VALUES: usize = 40;
const LONG_VALUE_BYTES: usize = 1_000_000;

#[track_caller]
fn assert_overloaded(client: &Client, path: &str) {
    let response = client.ask("GET", path).unrecorded().response();
    let status = response.status().as_u16();
    let text = response.text().expect("a text");
    assert!(
        status == 503 && text.contains("overloaded"),
        "{path}: {status} {}",
        text.chars().take(500).collect::<String>()
    );
}

#[test]
fn lists_of_large_things_are_refused_before_all_of_them_are_read() {
    for backend in Backend::BOTH {
        let server = Server::start_with(backend.place(), &["bytes_in_flight_max=33554432"]);
        let client = server.client("one");
        client.case(&format!("{backend:?}"));
        client.make_session("s");
        client.make_floor("s", "f", json!({}));
        let send = |method: &str, path: &str, body| client.ask(method, path).json(body).unrecorded().send();
        for number in 0..PAGES {
            let content = number.to_string().repeat(CONTENT_BYTES / number.to_string().len());
            let new = json!({"floor_id": "f", "id": format!("p{number}"), "page_no": 0, "page_kind": "output", "content": content});
            send("POST", "/pages", new).is(201);
        }
        let long = "x".repeat(LONG_VALUE_BYTES);
        for number in 0..LONG_VALUES {
            let key = format!("k{number}");
            send("PUT", "/variables", write(chat("s"), &key, long.clone())).is(201);
            send("PUT", "/variables", write(page("p0"), &key, long.clone())).is(201);
            let staged = json!({"key": key, "op": "set", "value": long});
            send("POST", "/pages/p0/variables/staged", staged).is(201);
        }
        for path in [
            "/pages?floor_id=f",
            "/pages?floor_id=f&sort_order=desc&offset=10",
            "/variables",
            "/variables?scope=chat&scope_id=s",
            "/variables?scope=page&scope_id=p0&offset=1",
            "/pages/p0/variables/staged",
        ] {
            assert_overloaded(&client, path);
        }
        client.case("less of them is read at a time");
        let all = |path: &str, limit: usize, count: usize| {
            let rows = (0..count).step_by(limit).map(|offset| {
                let part = client.ask("GET", &format!("{path}&limit={limit}&offset={offset}")).unrecorded().send();
                part.is(200);
                part.data().as_array().map_or(0, Vec::len)
            });
            assert_eq!(rows.sum::<usize>(), count, "{path}");
        };
        all("/pages?floor_id=f", 3, PAGES);
        all("/variables?scope=chat&scope_id=s", 10, LONG_VALUES);
        client.get("/pages?floor_id=f&content=false").is(200);
        client.case("a file that does not fit is refused, too");
        client.post("/floors/f/generate", json!({})).is(200);
        client.post("/floors/f/commit", json!({})).is(200);
        assert_overloaded(&client, "/sessions/s/export");
        let memory_kb = memory_kb(&server);
        assert!(memory_kb < SMALL_MEMORY_KB_MAX, "{backend:?}: {memory_kb} kB");
    }
}

const LISTENERS: u32 = 300;

/// Listens from the oldest event on, on a connection of its own.
fn listen(client: &Client) -> TcpStream {
    let address = client.base().strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(address).expect("a connection");
    let request = format!(
        "GET /events?last_event_id=0-0 HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\r\n",
        client.key()
    );
    stream.write_all(request.as_bytes()).expect("a request");
    stream
}

#[test]
fn listeners_that_are_behind_and_read_nothing_are_held_for_as_far_as_there_is_room() {
    for backend in Backend::BOTH {
        let server = Server::start_with(backend.place(), &["bytes_in_flight_max=33554432", "heartbeat_ms=1000"]);
        let client = server.client("one");
        client.case(&format!("{backend:?}"));
        client.make_session("s");
        let long = "x".repeat(LONG_VALUE_BYTES);
        for number in 0..LONG_VALUES {
            let write = write(chat("s"), &format!("k{number}"), long.clone());
            client.ask("PUT", "/variables").json(write).unrecorded().send().is(201);
        }
        let streams: Vec<TcpStream> = (0..LISTENERS).map(|_| listen(&client)).collect();
        let pages = |text: &str| metric(text, "tavernkeep_event_pages_total");
        client.until("/metrics", |answer| metric(&answer.text, "tavernkeep_listeners") >= f64::from(LISTENERS)).is(200);
        client.until("/metrics", |answer| pages(&answer.text) > 0.0).is(200);
        client.case("one that waits for room gets heartbeats");
        let waiting = listen(&client);
        waiting.set_read_timeout(Some(Duration::from_secs(60))).expect("a time limit");
        let mut lines = BufReader::new(waiting).lines().map(|line| line.expect("a heartbeat"));
        assert!(lines.any(|line| line == ":"), "the stream ended");
        client.case("the others are answered");
        for turn in 0..20 {
            client.set(chat("s"), "k", turn).is_one_of(&[200, 201]);
            // An answer that is large enough to be counted.
            let large = client.ask("GET", "/variables?scope=chat&scope_id=s&key=k7").unrecorded().send();
            large.is(200);
        }
        client.case("one that reads goes on when they are gone");
        let reading = BufReader::new(listen(&client));
        drop(streams);
        let lines = reading.lines().map(|line| line.expect("the stream goes on"));
        assert_eq!(lines.filter(|line| line == "event: variable.set").take(LONG_VALUES + 1).count(), LONG_VALUES + 1);
        let memory_kb = memory_kb(&server);
        assert!(memory_kb < SMALL_MEMORY_KB_MAX, "{backend:?}: {memory_kb} kB");
    }
}
