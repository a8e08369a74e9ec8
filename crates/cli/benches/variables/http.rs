//! The real program over real sockets, beside a bare handler that answers the same bytes.

use crate::data::{self, LAYERS, id};
use crate::measure::{Comparison, compare, head, median, rate, row};
use crate::process::Process;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::pin::Pin;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use tavernkeep_runtime::record::Host;
use tavernkeep_runtime::{Database, Options, Runtime};

/// The data and the server that upserts go to.
pub fn prepared() -> Data {
    Data::new(&[], |runtime| {
        Box::pin(async move {
            data::session(runtime, "writes").await;
            data::fill(runtime, &Host::Chat(id("writes")), KEYS).await;
        })
    })
}

/// Measures everything over HTTP; upserts go to `writes`.
pub fn run(writes: &Process) {
    head("bare axum");
    upserts(writes);
    for layer in LAYERS {
        let cached = Data::new(&[], move |runtime| Box::pin(data::layers(runtime, layer)));
        reads(&cached.server, RESOLVE, &format!("resolve of 5 × {layer} variables, unchanged since"));
        let uncached = cached.restart(&["--set", "resolve_cache_bytes=0"]);
        reads(&uncached.server, RESOLVE, &format!("resolve of 5 × {layer} variables, cache off"));
    }
    for count in [100, 100_000] {
        let listed = Data::new(&[], move |runtime| {
            Box::pin(async move {
                data::session(runtime, "s").await;
                data::fill(runtime, &Host::Chat(id("s")), count).await;
            })
        });
        reads(&listed.server, "/variables?scope=chat&scope_id=s", &format!("list of 50 out of {count} variables"));
        reads(&listed.server, "/variables", &format!("list of 50 of all of an account's {count}"));
    }
}

const RESOLVE: &str = "/variables/resolve?session_id=s&page_id=s-page";
const KEYS: usize = 1_000;

fn upserts(server: &Process) {
    let next = AtomicUsize::new(0);
    for clients in [1, 64] {
        let comparison = side_by_side(server, clients, &|| one(next.fetch_add(1, Ordering::Relaxed)));
        row("upsert of one variable", clients, &comparison);
    }
    for clients in [1, 64] {
        let comparison = side_by_side(server, clients, &|| hundred(next.fetch_add(1, Ordering::Relaxed)));
        row("upsert of a batch of 100", clients, &comparison);
    }
}

fn reads(server: &Process, path: &str, name: &str) {
    for clients in [1, 64] {
        row(name, clients, &side_by_side(server, clients, &|| request("GET", path, "")));
    }
}

/// A data folder and the server on it.
pub struct Data {
    pub server: Process,
    folder: tempfile::TempDir,
}

impl Data {
    fn new<F>(flags: &[&str], fill: F) -> Data
    where
        F: for<'a> FnOnce(&'a Runtime) -> Pin<Box<dyn Future<Output = ()> + 'a>>,
    {
        let folder = tempfile::tempdir().unwrap();
        let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        tokio.block_on(async {
            let runtime = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
            fill(&runtime).await;
            runtime.close().await;
        });
        Data { server: start(folder.path(), flags), folder }
    }

    fn restart(self, flags: &[&str]) -> Data {
        let Data { server, folder } = self;
        drop(server);
        Data { server: start(folder.path(), flags), folder }
    }
}

/// CPU for each durable upsert and for each batch: of the server, and of the two things that it is made of at least.
pub fn cost(server: &Process) {
    let before = writes_and_commits(server);
    let ours = request_cost(server, 16, one);
    let after = writes_and_commits(server);
    let per_commit = ((after.0 - before.0) / (after.1 - before.1)).round().max(1.0);
    let answer = Client::connect(&server.address).send(&request("PUT", "/variables", &upsert_body(0)));
    let axum = request_cost(&bare_axum(&answer).0, 16, one);
    let sqlite = crate::stored::bare_cost(per_commit as usize, 1);
    println!("| | ms of CPU for each |");
    println!("|---|---:|");
    println!("| the server, {per_commit:.0} writes a commit | {ours:.4} |");
    println!("| bare axum, the same request and answer | {axum:.4} |");
    println!("| bare SQLite, the same rows with {per_commit:.0} writes a commit | {sqlite:.4} |");
    let (batch, bare) = (request_cost(server, 1, hundred), crate::stored::bare_cost(1, 100));
    println!("| a batch of 100 variables, one client | {batch:.3} |");
    println!("| bare SQLite, the rows of that batch | {bare:.3} |");
}

fn one(number: usize) -> Vec<u8> {
    request("PUT", "/variables", &upsert_body(number % KEYS))
}

fn hundred(number: usize) -> Vec<u8> {
    let items: Vec<String> = (0..100).map(|item| upsert_body((number * 100 + item) % KEYS)).collect();
    request("PUT", "/variables/batch", &format!("{{\"items\":[{}]}}", items.join(",")))
}

/// What the system behind the seed spends on the same preview, as it was measured once.
const REFERENCE_PREVIEW_MS: f64 = 33.0;

/// The preview of a short text with six macros, of sessions with ten and with two thousand variables.
pub fn preview_cost() {
    println!("| | ms of CPU for each | times less than {REFERENCE_PREVIEW_MS} ms |");
    println!("|---|---:|---:|");
    for count in [10, 2_000] {
        let data = Data::new(&[], move |runtime| {
            Box::pin(async move {
                data::session(runtime, "s").await;
                data::fill(runtime, &Host::Chat(id("s")), count).await;
            })
        });
        let body = r#"{"text":"{{getvar::chat-00001.name}}|{{getglobalvar::账户.余额}}|{{.chat-00002.count}}|{{$账户.余额}} {{setvar::资产.金币::3}}{{getvar::资产}}"}"#;
        let cost = request_cost(&data.server, 16, |_| request("POST", "/sessions/s/prompt-runtime/preview", body));
        let times = REFERENCE_PREVIEW_MS / cost;
        println!("| preview of a text with six macros, {count} variables | {cost:.4} | {times:.0} |");
    }
}

fn request_cost(server: &Process, clients: usize, request: impl Fn(usize) -> Vec<u8> + Sync) -> f64 {
    let next = AtomicUsize::new(0);
    median((0..5).map(|_| {
        let (cpu, before) = (server.cpu_seconds(), next.load(Ordering::Relaxed));
        rate(clients, |_| {
            let mut client = Client::connect(&server.address);
            let (next, request) = (&next, &request);
            move || {
                client.send(&request(next.fetch_add(1, Ordering::Relaxed)));
            }
        });
        (server.cpu_seconds() - cpu) / (next.load(Ordering::Relaxed) - before) as f64 * 1_000.0
    }))
}

/// What the server's metrics say of its store.
fn writes_and_commits(server: &Process) -> (f64, f64) {
    let metrics = Client::connect(&server.address).send(&request("GET", "/metrics", ""));
    let metrics = String::from_utf8(metrics).unwrap();
    let value = |name: &str| {
        let line = metrics.lines().find(|line| line.starts_with(name)).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    (value("tavernkeep_store_writes_total"), value("tavernkeep_store_commits_total"))
}

/// A bare handler that answers these bytes; the file must live as long.
fn bare_axum(answer: &[u8]) -> (Process, tempfile::NamedTempFile) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), answer).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    (Process::start(command.arg("--bare-axum").arg(file.path())), file)
}

pub fn start(folder: &std::path::Path, flags: &[&str]) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tavernkeep"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(folder).args(flags);
    Process::start(&mut command)
}

fn upsert_body(number: usize) -> String {
    let value = data::value(number);
    format!("{{\"scope\":\"chat\",\"scope_id\":\"writes\",\"key\":\"chat-{number:05}\",\"value\":{value}}}")
}

pub fn request(method: &str, path: &str, body: &str) -> Vec<u8> {
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
    let (bare, _file) = bare_axum(&answer);
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
pub struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    pub fn connect(address: &str) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream, buffer: Vec::with_capacity(64 * 1024) }
    }

    /// Sends a request and reads its answer's body. Anything but success is a broken measurement.
    pub fn send(&mut self, request: &[u8]) -> Vec<u8> {
        self.stream.write_all(request).unwrap();
        self.buffer.clear();
        let mut chunk = [0; 64 * 1024];
        loop {
            let count = self.stream.read(&mut chunk).unwrap();
            assert!(count > 0, "the server hung up");
            self.buffer.extend_from_slice(&chunk[..count]);
            if let Some(body) = whole_body(&self.buffer) {
                return body;
            }
        }
    }
}

/// The body of an answer, once all of it is there: a short one says how long it is, a long one comes in chunks.
fn whole_body(answer: &[u8]) -> Option<Vec<u8>> {
    let end = find(answer, b"\r\n\r\n")?;
    let head = std::str::from_utf8(&answer[..end]).unwrap().to_ascii_lowercase();
    assert!(head.starts_with("http/1.1 20"), "{head}");
    let body = &answer[end + 4..];
    let Some(length) = head.lines().find_map(|line| line.strip_prefix("content-length: ")) else {
        assert!(head.contains("transfer-encoding: chunked"), "{head}");
        return body.ends_with(b"\r\n0\r\n\r\n").then(|| joined(body));
    };
    (body.len() >= length.parse().unwrap()).then(|| body.to_vec())
}

fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::with_capacity(chunks.len());
    loop {
        let end = find(chunks, b"\r\n").unwrap();
        let length = usize::from_str_radix(std::str::from_utf8(&chunks[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            return body;
        }
        body.extend_from_slice(&chunks[end + 2..end + 2 + length]);
        chunks = &chunks[end + 4 + length..];
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}
