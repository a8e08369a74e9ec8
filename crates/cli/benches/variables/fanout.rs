//! Events to many listeners: ours, beside a bare axum handler that broadcasts the same bytes to as many.

use crate::http::{Client, request, start};
use crate::measure::median;
use crate::process::Process;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::routing::{get, post};
use futures_util::stream;
use std::convert::Infallible;
use std::process::Command;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::sync::{broadcast, mpsc};

const LISTENERS: usize = 1_000;
const ROUNDS: usize = 5;
/// Writes of one round, and events of one write.
const LOADS: [(usize, usize); 2] = [(10, 100), (200, 1)];

pub fn run() {
    println!("| load | listeners | ours, events/s delivered | bare axum | ratio | ours, µs of CPU each | bare axum |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let folder = tempfile::tempdir().unwrap();
    let ours = Side::new(start(folder.path(), &[]), "/events");
    let mut command = Command::new(std::env::current_exe().unwrap());
    let bare = Side::new(Process::start(command.arg("--bare-events")), "/events");
    for (writes, events) in LOADS {
        let mut rounds = Vec::new();
        for round in 0..ROUNDS {
            let by_ours = ours.measure(writes, events, |write| {
                let last = write + 1 == writes;
                let items: Vec<String> = (0..events).map(|number| item(number, round, last)).collect();
                request("PUT", "/variables/batch", &format!("{{\"items\":[{}]}}", items.join(",")))
            });
            let by_bare = bare.measure(writes, events, |write| {
                let last = write + 1 == writes;
                let frames: String = (0..events).map(|number| frame(number, round, last)).collect();
                request("POST", "/publish", &frames)
            });
            rounds.push((by_ours, by_bare));
        }
        let of = |pick: fn(&(Figures, Figures)) -> f64| median(rounds.iter().map(pick));
        println!(
            "| {writes} writes of {events} | {LISTENERS} | {:.0} | {:.0} | {:.2} | {:.2} | {:.2} |",
            of(|round| round.0.rate),
            of(|round| round.1.rate),
            of(|round| round.0.rate / round.1.rate),
            of(|round| round.0.cpu_us),
            of(|round| round.1.cpu_us),
        );
    }
}

/// The last event of a round carries the mark that listeners wait for.
fn value(number: usize, round: usize, last: bool) -> String {
    let mark = if last && number == 0 { "END" } else { "---" };
    format!("\"{mark} round {round} {:>40}\"", number)
}

fn item(number: usize, round: usize, last: bool) -> String {
    let value = value(number, round, last);
    format!("{{\"scope\":\"global\",\"scope_id\":\"global\",\"key\":\"key-{number:03}\",\"value\":{value}}}")
}

/// As long as ours.
fn frame(number: usize, round: usize, last: bool) -> String {
    let value = value(number, round, last);
    format!(
        "id: 1700000000000000-{number}\nevent: variable.set\ndata: {{\"entry\":{{\"id\":\"01a1df39-9425-7ec4-a8eb-b3bf6f34b440\",\
         \"scope\":\"global\",\"scope_id\":\"global\",\"key\":\"key-{number:03}\",\"value\":{value},\
         \"updated_at\":1700000000000}},\"is_new\":false}}\n\n"
    )
}

struct Figures {
    rate: f64,
    cpu_us: f64,
}

/// A server and its listeners.
struct Side {
    // Goes first, and the listeners with it, so that none sees its server end.
    _tokio: Runtime,
    server: Process,
    done: std::cell::RefCell<mpsc::Receiver<()>>,
}

impl Side {
    fn new(server: Process, path: &str) -> Side {
        let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (sender, mut done) = mpsc::channel(LISTENERS);
        for _ in 0..LISTENERS {
            tokio.spawn(listen(server.address.clone(), path.to_owned(), sender.clone()));
        }
        // Each says first that it listens.
        (0..LISTENERS).for_each(|_| done.blocking_recv().unwrap());
        Side { _tokio: tokio, server, done: done.into() }
    }

    fn measure(&self, writes: usize, events: usize, write: impl Fn(usize) -> Vec<u8>) -> Figures {
        let mut client = Client::connect(&self.server.address);
        let (cpu, started) = (self.server.cpu_seconds(), Instant::now());
        (0..writes).for_each(|number| drop(client.send(&write(number))));
        let mut done = self.done.borrow_mut();
        (0..LISTENERS).for_each(|_| done.blocking_recv().unwrap());
        let delivered = (writes * events * LISTENERS) as f64;
        let rate = delivered / started.elapsed().as_secs_f64();
        // The clock of CPU time is coarse.
        std::thread::sleep(Duration::from_millis(20));
        Figures { rate, cpu_us: (self.server.cpu_seconds() - cpu) / delivered * 1e6 }
    }
}

/// Reads a stream for ever, and says when it begins and whenever a round's last event has come.
async fn listen(address: String, path: String, done: mpsc::Sender<()>) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&request("GET", &path, "")).await.unwrap();
    let mut buffer = vec![0; 64 * 1024];
    let mut kept = 0;
    loop {
        let read = stream.read(&mut buffer[kept..]).await.unwrap();
        assert!(read > 0, "the stream ended");
        let text = &buffer[..kept + read];
        let marks = [&b"event: ready"[..], b"\"END round"];
        let found =
            marks.iter().map(|mark| text.windows(mark.len()).filter(|part| part == mark).count()).sum::<usize>();
        for _ in 0..found {
            done.send(()).await.unwrap();
        }
        // A mark may be cut in two; what is kept is shorter than any mark.
        let tail = text.len().min(9);
        let start = text.len() - tail;
        buffer.copy_within(start..start + tail, 0);
        kept = tail;
    }
}

/// The other side: whatever is posted goes to everybody who listens.
pub fn serve_bare() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (sender, _) = broadcast::channel::<Bytes>(1_024);
        let listeners = sender.clone();
        let listen = move || {
            let receiver = listeners.subscribe();
            let first = Bytes::from_static(b"event: ready\ndata: {}\n\n");
            let rest = stream::unfold((Some(first), receiver), async |(first, mut receiver)| {
                let bytes = match first {
                    Some(first) => first,
                    None => receiver.recv().await.ok()?,
                };
                Some((Ok::<_, Infallible>(bytes), (None, receiver)))
            });
            async move { ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(rest)) }
        };
        let publish = move |body: Bytes| {
            let sent = sender.send(body).unwrap_or(0);
            async move { format!("{sent}") }
        };
        let router = Router::new().route("/events", get(listen)).route("/publish", post(publish));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        eprintln!("listening on http://{}", listener.local_addr().unwrap());
        axum::serve(listener, router).await.unwrap();
    });
}
