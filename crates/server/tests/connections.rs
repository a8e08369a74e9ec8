//! Connections of clients that send too much, read nothing or never finish: the others are served all the same.
#![allow(clippy::unwrap_used)] // The helpers of a test fail by panicking, as the tests do.

use std::net::SocketAddr;
use std::time::Duration;
use tavernkeep_runtime::{Database, Options, Runtime};
use tavernkeep_server::{App, Settings, serve};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A server in a folder of its own.
struct Served {
    address: SocketAddr,
    folder: tempfile::TempDir,
}

impl Served {
    async fn start(settings: Settings) -> Served {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = App::new(settings, runtime).await.unwrap();
        tokio::spawn(serve(listener, app, std::future::pending()));
        Served { address, folder }
    }

    /// Sends the beginning of a request and leaves the connection open.
    async fn begin(&self, request: impl AsRef<[u8]>) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_ref()).await.unwrap();
        stream
    }

    /// Sends a request and reads what comes until the server closes the connection, or the response is there.
    async fn ask(&self, request: impl AsRef<[u8]>) -> String {
        answer(&mut self.begin(request).await).await
    }

    async fn get(&self, path: &str) -> String {
        self.ask(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")).await
    }
}

/// One response: its head, and as much of its body as the head announces.
async fn answer(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        let count = stream.read(&mut part).await.unwrap_or(0);
        bytes.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let length =
                head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            length.is_some_and(|length: usize| body.len() >= length)
        });
        if count == 0 || whole {
            return text;
        }
    }
}

#[track_caller]
fn is(answer: &str, status: u16, part: &str) {
    let right = answer.starts_with(&format!("HTTP/1.1 {status} ")) && answer.contains(part);
    assert!(right, "wanted {status} with {part:?}, got:\n{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_has_one_host_and_64_kib_at_most() {
    let served = Served::start(Settings::default()).await;
    is(&served.get("/health").await, 200, "");
    is(&served.ask("GET /health HTTP/1.1\r\n\r\n").await, 400, "malformed_request");
    is(
        &served.ask("GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n").await,
        400,
        "malformed_request",
    );
    is(&served.ask("GET /health HTTP/1.0\r\n\r\n").await.replace("HTTP/1.0", "HTTP/1.1"), 200, "");
    let with_header =
        |bytes: usize| format!("GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: {}\r\n\r\n", "x".repeat(bytes));
    is(&served.ask(with_header(60 * 1024)).await, 200, "");
    is(&served.ask(with_header(70 * 1024)).await, 431, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_site_cannot_load_answers_as_parts_of_itself() {
    let served = Served::start(Settings::default()).await;
    let from = |more: &str| format!("GET /sessions HTTP/1.1\r\nHost: localhost\r\n{more}\r\n");
    is(&served.ask(from("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n")).await, 403, "origin_not_allowed");
    is(&served.ask(from("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n")).await, 200, "");
    is(
        &served.ask(from("Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n")).await,
        200,
        "cross-origin-resource-policy: same-origin",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_response_to_a_body_that_was_not_read_says_that_the_connection_closes() {
    let served = Served::start(Settings::default()).await;
    let head =
        "PUT /variables HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n";
    is(&served.ask(head).await, 415, "connection: close");
    let read =
        "PUT /variables HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    let answered = served.ask(read).await;
    is(&answered, 400, "");
    assert!(!answered.contains("connection: close"), "{answered}");
}

/// The system resets a connection that is closed while its client still sends, and the client loses the response.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_sends_all_of_a_refused_body_reads_its_response() {
    let served = Served::start(Settings::default()).await;
    let length = 4 * 1024 * 1024;
    let head = format!(
        "PUT /variables HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n"
    );
    let request = [head.as_bytes(), &vec![b' '; length]].concat();
    for _ in 0..20 {
        is(&served.ask(&request).await, 415, "connection: close");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_never_comes_is_within_the_time_of_its_request() {
    let served = Served::start(Settings { request_timeout: Duration::from_millis(100), ..Settings::default() }).await;
    for head in ["GET /sessions", "DELETE /sessions/s", "PUT /variables"] {
        let request = format!("{head} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n{{");
        is(&served.ask(request).await, 503, "nothing was changed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_route_without_a_body_reads_no_more_than_an_empty_one() {
    let served = Served::start(Settings { bytes_in_flight_max: 64 * 1024, ..Settings::default() }).await;
    let with_body = |route: &str, length: usize| {
        format!("{route} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{}", " ".repeat(length))
    };
    for route in ["GET /sessions", "DELETE /sessions/none", "POST /sign-out"] {
        is(&served.ask(with_body(route, 5_000)).await, 413, "4096 bytes");
        let chunked = format!(
            "{route} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1388\r\n{}\r\n0\r\n\r\n",
            " ".repeat(5_000)
        );
        is(&served.ask(chunked).await, 413, "payload_too_large");
    }
    is(&served.ask("GET /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}").await, 200, "");
    // What is announced and never sent takes no room from others.
    let head = "GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16777216\r\n\r\n";
    let mut idle = Vec::new();
    for _ in 0..16 {
        idle.push(served.begin(head).await);
    }
    let value = "x".repeat(66_000);
    let body = format!(r#"{{"scope":"global","scope_id":"global","key":"k","value":"{value}"}}"#);
    let put = format!("PUT /variables HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    is(&served.ask(put).await, 201, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_server_shows_its_health_and_clients_that_read_nothing_are_cut() {
    let settings = Settings { connections_max: 1, write_timeout: Duration::from_millis(300), ..Settings::default() };
    let served = Served::start(settings).await;
    // More than the system keeps for a connection on both ends.
    let greedy = served.begin("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(400)).await;
    let mut cut = false;
    for _ in 0..50_000 {
        is(&served.get("/health").await, 200, "");
        let other = served.get("/sessions").await;
        cut = other.starts_with("HTTP/1.1 200 ");
        if cut {
            break;
        }
        is(&other, 503, "overloaded");
        assert!(other.contains("connection: close") && other.contains("retry-after: 1"), "{other}");
    }
    assert!(cut, "the connection that reads nothing is still open");
    drop(greedy);
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_say_nothing_do_not_hide_the_health_of_a_full_server() {
    let served = Served::start(Settings { connections_max: 1, ..Settings::default() }).await;
    let beginnings = [
        "",
        "GET /hea",
        "GET /health HTTP/1.1\r\nHost: localhost\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n{",
        "PUT /variables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500000\r\n\r\n{",
    ];
    let mut stuck = vec![served.begin("GET /sessions HTTP/1.1\r\n").await];
    for _ in 0..3 {
        for beginning in beginnings {
            for _ in 0..20 {
                stuck.push(served.begin(beginning).await);
            }
            let health = tokio::time::timeout(Duration::from_secs(20), served.get("/health")).await;
            is(&health.expect("a full server shows its health"), 200, "ok");
        }
    }
    is(&served.get("/sessions").await, 503, "overloaded");
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_are_held_for_clients_have_a_limit() {
    let served = Served::start(Settings { bytes_in_flight_max: 1024 * 1024, ..Settings::default() }).await;
    let head = "PUT /variables HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n";
    let value = "x".repeat(700_000);
    let body = format!(r#"{{"scope":"global","scope_id":"global","key":"k","value":"{value}"}}"#);
    let whole = format!("{}{body}", head.replace("900000", &body.len().to_string()));
    // What is announced and never sent takes no room.
    let idle = [served.begin(head).await, served.begin(head).await];
    let stored = served.ask(&whole).await;
    assert!(stored.starts_with("HTTP/1.1 20"), "{stored}");
    // What is sent is counted as it arrives. If the whole one was faster, the slow one was refused instead: once more.
    let most = format!("{head}{}", " ".repeat(899_999));
    let mut slow = served.begin(&most).await;
    let mut refused = served.ask(&whole).await;
    for _ in 0..1_000 {
        if refused.starts_with("HTTP/1.1 503 ") {
            break;
        }
        slow = served.begin(&most).await;
        refused = served.ask(&whole).await;
    }
    is(&refused, 503, "overloaded");
    // A document that is in memory anyway needs no room.
    is(&served.get("/openapi.json").await, 200, "");
    drop(idle);
    is(&served.get("/health").await, 200, "");
    drop(slow);
    let mut last = String::new();
    for _ in 0..50_000 {
        last = served.ask(&whole).await;
        if !last.starts_with("HTTP/1.1 503 ") {
            break;
        }
    }
    assert!(last.starts_with("HTTP/1.1 20"), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_do_not_wait_for_the_bytes_of_others() {
    let served = Served::start(Settings { bytes_in_flight_max: 1, ..Settings::default() }).await;
    // Each of these has metrics of its own, which make the response longer than one that is too short to count.
    let document = served.get("/openapi.json").await;
    let (_, document) = document.split_once("\r\n\r\n").unwrap();
    let document: serde_json::Value = serde_json::from_str(document).unwrap();
    for path in document["paths"].as_object().unwrap().keys().filter(|path| *path != "/events") {
        let path = path.replace(['{', '}'], "x");
        // Some of these are streams, whose end is the end of the connection.
        served.ask(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).await;
    }
    let head =
        "PUT /variables HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 70000\r\n\r\n";
    let most = format!("{head}{}", " ".repeat(69_999));
    let whole = format!("{most} ");
    let mut slow = served.begin(&most).await;
    let mut refused = served.ask(&whole).await;
    for _ in 0..1_000 {
        if refused.starts_with("HTTP/1.1 503 ") {
            break;
        }
        slow = served.begin(&most).await;
        refused = served.ask(&whole).await;
    }
    is(&refused, 503, "overloaded");
    let metrics = served.get("/metrics").await;
    is(&metrics, 200, "tavernkeep_http_in_flight");
    assert!(metrics.len() > 65 * 1024, "{} bytes", metrics.len());
    is(&served.ask(&whole).await, 503, "overloaded");
    drop(slow);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_reads_a_few_bytes_at_a_time_is_cut() {
    let settings = Settings { connections_max: 1, write_timeout: Duration::from_millis(300), ..Settings::default() };
    let served = Served::start(settings).await;
    let mut slow = served.begin("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(400)).await;
    let mut cut = false;
    for _ in 0..50_000 {
        assert!(slow.read(&mut [0]).await.unwrap_or(0) <= 1);
        let other = served.get("/sessions").await;
        cut = other.starts_with("HTTP/1.1 200 ");
        if cut {
            break;
        }
        is(&other, 503, "overloaded");
    }
    assert!(cut, "the connection that reads a byte at a time is still open");
}

/// What is not much too large is refused by our own code, which has read all of it. The HTTP library refuses the rest.
#[tokio::test(flavor = "multi_thread")]
async fn a_head_that_is_much_too_large_ends_its_connection_and_says_so() {
    let served = Served::start(Settings::default()).await;
    for bytes in [70 * 1024, 500 * 1024] {
        let long = "x".repeat(bytes);
        let header = format!("GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: {long}\r\n\r\n");
        let url = format!("GET /health?{long} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        for head in [header, url] {
            // The server may close the connection while we send.
            let mut stream = TcpStream::connect(served.address).await.unwrap();
            let sent = stream.write_all(head.as_bytes()).await;
            let answered = answer(&mut stream).await;
            let refused = ["HTTP/1.1 431 ", "HTTP/1.1 414 "].iter().any(|status| answered.starts_with(status));
            let is_reset = answered.is_empty() && (bytes > 100 * 1024 || sent.is_err());
            assert!(refused || is_reset, "{bytes}: {answered}");
            if answered.contains("head_too_large") {
                continue;
            }
            assert!(is_reset || answered.contains("connection: close"), "{bytes}: {answered}");
            let mut rest = Vec::new();
            assert_eq!(stream.read_to_end(&mut rest).await.unwrap_or(0), 0, "{bytes}: the connection has ended");
            is(&served.get("/health").await, 200, "");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_never_come_leave_room_for_others() {
    let settings = Settings {
        connections_max: 4,
        request_timeout: Duration::from_millis(300),
        write_wait: Duration::from_millis(300),
        ..Settings::default()
    };
    let served = Served::start(settings).await;
    let begun = |route: &'static str| {
        served.begin(format!("{route} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000\r\n\r\n{{"))
    };
    let routes = ["GET /sessions", "DELETE /sessions/s", "GET /pages/p"];
    let mut stuck = Vec::new();
    for route in routes {
        stuck.push(begun(route).await);
    }
    // One connection is left.
    is(&served.get("/health").await, 200, "");
    for stream in &mut stuck {
        let answered = answer(stream).await;
        is(&answered, 503, "request_timeout");
        assert!(answered.contains("connection: close"), "{answered}");
    }
    drop(stuck);
    let mut last = String::new();
    for _ in 0..50_000 {
        last = served.get("/sessions").await;
        if !last.starts_with("HTTP/1.1 503 ") {
            break;
        }
    }
    is(&last, 200, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_ran_out_of_time_before_it_began_never_happens() {
    let served = Served::start(Settings { request_timeout: Duration::from_millis(200), ..Settings::default() }).await;
    let put = |key: &str| {
        let body = format!(r#"{{"scope":"global","scope_id":"global","key":"{key}","value":1}}"#);
        format!(
            "PUT /variables HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    is(&served.ask(put("before")).await, 201, "");
    // Another process that writes: ours waits for it.
    let other = rusqlite::Connection::open(served.folder.path().join("tavernkeep.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    is(&served.ask(put("late")).await, 503, "request_timeout");
    other.execute_batch("COMMIT").unwrap();
    // Writes happen in the order in which they came, so the late one would have happened before this one.
    let mut after = String::new();
    for _ in 0..100 {
        after = served.ask(put("after")).await;
        if !after.starts_with("HTTP/1.1 503 ") {
            break;
        }
    }
    assert!(after.starts_with("HTTP/1.1 20"), "{after}");
    let listed = served.get("/variables?scope=global&scope_id=global").await;
    assert!(listed.contains("\"before\"") && listed.contains("\"after\"") && !listed.contains("\"late\""), "{listed}");
}
