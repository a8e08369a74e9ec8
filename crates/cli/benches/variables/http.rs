//! The real program over real sockets, beside a bare handler that answers the same bytes.

use crate::data::{self, LAYERS, id};
use crate::measure::{Comparison, compare, head, median, rate, row};
use crate::process::Process;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use tavernkeep_runtime::record::Host;
use tavernkeep_runtime::{Database, Options, Runtime};

/// What else the account holds in the second measurement of the same list.
const CROWD: usize = 100_000;

pub fn run() -> Process {
    let folder = tempfile::tempdir().unwrap().keep();
    prepare(&folder, 0);
    let server = start(&folder);
    head("bare axum");
    let next = AtomicUsize::new(0);
    for clients in [1, 64] {
        let body = |number: usize| upsert_body(number % 1_000);
        let comparison = side_by_side(&server, clients, &|| {
            request("PUT", "/variables", &body(next.fetch_add(1, Ordering::Relaxed)))
        });
        row("upsert of one variable", clients, &comparison);
    }
    for clients in [1, 64] {
        let comparison = side_by_side(&server, clients, &|| {
            let first = next.fetch_add(100, Ordering::Relaxed);
            let items: Vec<String> = (first..first + 100).map(|number| upsert_body(number % 1_000)).collect();
            request("PUT", "/variables/batch", &format!("{{\"items\":[{}]}}", items.join(",")))
        });
        row("upsert of a batch of 100", clients, &comparison);
    }
    for layer in LAYERS {
        for clients in [1, 64] {
            let path = format!("/variables/resolve?session_id=s{layer}&page_id=s{layer}-page");
            let comparison = side_by_side(&server, clients, &|| request("GET", &path, ""));
            row(&format!("resolve of 4 × {layer} variables"), clients, &comparison);
        }
    }
    let list = |server: &Process, name: &str| {
        for clients in [1, 64] {
            let path = "/variables?scope=chat&scope_id=writes";
            let comparison = side_by_side(server, clients, &|| request("GET", path, ""));
            row(name, clients, &comparison);
        }
    };
    list(&server, "list of 50, the account holds about 10,000");
    drop(server);
    prepare(&folder, CROWD);
    let server = start(&folder);
    list(&server, "list of 50, the account holds 100,000 more");
    let path = "/variables/resolve?session_id=s20&page_id=s20-page&include_layers=true";
    for clients in [1, 64] {
        let comparison = side_by_side(&server, clients, &|| request("GET", path, ""));
        row("resolve of 4 × 20 with layers, 100,000 more", clients, &comparison);
    }
    server
}

/// CPU of the server for each durable upsert.
pub fn cost(server: &Process) {
    let next = AtomicUsize::new(0);
    let rounds = (0..5).map(|_| {
        let (cpu, before) = (server.cpu_seconds(), next.load(Ordering::Relaxed));
        rate(16, |_| {
            let mut client = Client::connect(&server.address);
            let next = &next;
            move || {
                client.send(&request("PUT", "/variables", &upsert_body(next.fetch_add(1, Ordering::Relaxed) % 1_000)));
            }
        });
        (server.cpu_seconds() - cpu) / (next.load(Ordering::Relaxed) - before) as f64 * 1_000.0
    });
    println!("{:.4} ms of CPU for each", median(rounds));
}

fn prepare(folder: &std::path::Path, crowd: usize) {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    tokio.block_on(async {
        let runtime = Runtime::open(Options::new(Database::Sqlite(folder.into()))).await.unwrap();
        if crowd > 0 {
            data::session(&runtime, "crowd").await;
            data::fill(&runtime, &Host::Chat(id("crowd")), crowd).await;
        } else {
            for layer in LAYERS {
                let name = format!("s{layer}");
                data::session(&runtime, &name).await;
                for host in data::hosts(&name) {
                    data::fill(&runtime, &host, layer).await;
                }
            }
            data::session(&runtime, "writes").await;
            data::fill(&runtime, &Host::Chat(id("writes")), 1_000).await;
        }
        runtime.close().await;
    });
}

fn start(folder: &std::path::Path) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tavernkeep"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(folder);
    Process::start(&mut command)
}

fn upsert_body(number: usize) -> String {
    let value = data::value(number);
    format!("{{\"scope\":\"chat\",\"scope_id\":\"writes\",\"key\":\"chat-{number:05}\",\"value\":{value}}}")
}

fn request(method: &str, path: &str, body: &str) -> Vec<u8> {
    let head = format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n");
    let body = match body {
        "" => "\r\n".to_owned(),
        body => format!("content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len()),
    };
    (head + &body).into_bytes()
}

/// The server, and a bare handler that answers what the server answered.
fn side_by_side(server: &Process, clients: usize, next: &(dyn Fn() -> Vec<u8> + Sync)) -> Comparison {
    let answer = Client::connect(&server.address).send(&next());
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), answer).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    let bare = Process::start(command.arg("--bare-axum").arg(file.path()));
    let side = |address: &str| {
        rate(clients, |_| {
            let mut client = Client::connect(address);
            move || {
                client.send(&next());
            }
        })
    };
    compare(|| side(&server.address), || side(&bare.address))
}

/// One connection that is kept open.
struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    fn connect(address: &str) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream, buffer: Vec::with_capacity(64 * 1024) }
    }

    /// Sends a request and reads its answer's body. Anything but success is a broken measurement.
    fn send(&mut self, request: &[u8]) -> Vec<u8> {
        self.stream.write_all(request).unwrap();
        self.buffer.clear();
        let mut chunk = [0; 64 * 1024];
        loop {
            let count = self.stream.read(&mut chunk).unwrap();
            assert!(count > 0, "the server hung up");
            self.buffer.extend_from_slice(&chunk[..count]);
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                let head = std::str::from_utf8(&self.buffer[..end]).unwrap();
                assert!(head.starts_with("HTTP/1.1 20"), "{head}");
                let length: usize = head
                    .lines()
                    .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned))
                    .expect("an answer of known length")
                    .parse()
                    .unwrap();
                if self.buffer.len() >= end + 4 + length {
                    return self.buffer[end + 4..].to_vec();
                }
            }
        }
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}
