//! Turns over HTTP: one client behind another turn, with the server in a process of its own.

use crate::chat;
use crate::process::Process;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Instant;

const TURNS: usize = 3_000;
const CHANGES: usize = 10;

/// Prints what a turn takes, and how much of it is processor time of the server.
pub fn measure() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tavernkeep"));
    let server = Process::start(command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(folder.path()));
    let mut client = Client::connect(&server.address);
    client.post("/sessions", &format!("{{\"id\":\"chat\",\"template\":{}}}", chat::template()));
    let bodies: Vec<String> = (0..TURNS)
        .map(|floor| {
            let reply = serde_json::to_string(&chat::reply(floor, CHANGES)).unwrap();
            format!("{{\"role\":\"assistant\",\"content\":{reply}}}")
        })
        .collect();
    let (started, cpu) = (Instant::now(), server.cpu_seconds());
    for body in &bodies {
        client.post("/sessions/chat/turns", body);
    }
    let each = |seconds: f64| seconds * 1e3 / TURNS as f64;
    let (seconds, cpu) = (started.elapsed().as_secs_f64(), server.cpu_seconds() - cpu);
    println!("\n## Turns over HTTP: {CHANGES} changes of a state of {} KB, one client, {TURNS} turns\n", kilobytes());
    println!("| a turn, ms | CPU of the server, ms |\n|---:|---:|\n| {:.3} | {:.3} |", each(seconds), each(cpu));
}

fn kilobytes() -> usize {
    chat::template().len() / 1_000
}

/// A connection that is kept open.
struct Client {
    stream: BufReader<TcpStream>,
    address: String,
}

impl Client {
    fn connect(address: &str) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream: BufReader::new(stream), address: address.to_owned() }
    }

    /// Sends a request, reads the whole answer and checks that it is a success.
    fn post(&mut self, path: &str, body: &str) {
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
        let (mut line, mut length) = (String::new(), 0);
        self.stream.read_line(&mut line).unwrap();
        assert!(line.starts_with("HTTP/1.1 20"), "{line}");
        while line != "\r\n" {
            line.clear();
            self.stream.read_line(&mut line).unwrap();
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap();
            }
        }
        self.stream.read_exact(&mut vec![0; length]).unwrap();
    }
}
