//! Chats of SillyTavern: imported with the states that MVU stored, and reconciled when nothing has changed. Over HTTP, with the server in
//! a process of its own.

use crate::process::Process;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Instant;

/// Messages of the chat that is imported, and of the one that is reconciled.
const IMPORTED: usize = 1_000;
const RECONCILED: usize = 2_000;
/// How often the latter happens.
const ROUNDS: usize = 50;

pub fn measure() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tavernkeep"));
    let server = Process::start(command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(folder.path()));
    println!("\n## Chats of SillyTavern, over HTTP\n\n| figure | | bound |\n|---|---:|---:|");
    for values in [20, 200] {
        let chat = chat(IMPORTED, Some(values));
        let (started, cpu) = (Instant::now(), server.cpu_seconds());
        let answer = send(&server, "/import", &body(&format!("Hana/{values}.jsonl"), &chat));
        let seconds = started.elapsed().as_secs_f64();
        assert!(answer.contains("\"outcome\":\"created\""), "{answer}");
        let is_whole = answer.contains(&format!("\"compared\":{IMPORTED}"));
        let rest = if is_whole { "" } else { "; the rest by a job" };
        let size = format!("{:.1} MB", chat.len() as f64 / 1e6);
        let name = format!("import a chat of {IMPORTED} messages with a state of {values} values on each, {size}");
        println!("| {name}{rest} | {seconds:.3} s | 1 s |");
        println!("| the same, CPU of the server | {:.3} s | |", server.cpu_seconds() - cpu);
    }
    let chat = chat(RECONCILED, None);
    let answer = send(
        &server,
        "/import",
        &format!("{}, \"session_id\": \"s\"}}", body("Hana/s.jsonl", &chat).trim_end_matches('}')),
    );
    assert!(answer.contains("\"outcome\":\"created\""), "{answer}");
    let texts: Vec<(bool, String)> = (0..RECONCILED).map(|at| (at % 2 == 1, text(at, None))).collect();
    let floors: Vec<String> = texts
        .iter()
        .map(|(is_user, text)| {
            let role = if *is_user { "user" } else { "assistant" };
            format!("{{\"role\":\"{role}\",\"swipes\":[{{\"hash\":\"{}\"}}]}}", hex(text))
        })
        .collect();
    let whole = format!("{{\"floors\":[{}]}}", floors.join(","));
    let answer = send(&server, "/sessions/s/sync", &whole);
    let version = answer.split("\"version\":\"").nth(1).unwrap()[..32].to_owned();
    let known = format!("{{\"floors\":[],\"expected_version\":\"{version}\",\"kept\":{RECONCILED}}}");
    for (name, body, bound) in
        [("what both know is not sent", &known, "20 ms, 100 KB"), ("all hashes are sent", &whole, "20 ms")]
    {
        let (mut bytes, cpu) = (0, server.cpu_seconds());
        for _ in 0..ROUNDS {
            let answer = send(&server, "/sessions/s/sync", body);
            assert!(answer.contains(&format!("\"unchanged\":{RECONCILED}")), "{answer}");
            bytes += body.len() + answer.len();
        }
        let cpu = (server.cpu_seconds() - cpu) * 1e3 / ROUNDS as f64;
        let kilobytes = bytes as f64 / ROUNDS as f64 / 1e3;
        println!(
            "| reconcile {RECONCILED} unchanged messages, {name}: CPU; bytes | {cpu:.1} ms; {kilobytes:.1} KB | {bound} |"
        );
    }
}

fn hex(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// A message: prose, and with states a command of MVU.
fn text(at: usize, values: Option<usize>) -> String {
    let prose =
        format!("Message {at}. {}", "She puts the lamp on the table and counts what is left of the coins. ".repeat(8));
    match (at % 2, values) {
        (1, _) => format!("And then, {at}?"),
        (_, Some(values)) => {
            let value = at / 2 % values;
            format!("{prose}<UpdateVariable>_.set('value_{value}', {});//x</UpdateVariable>", at + 1_000)
        }
        (_, None) => prose,
    }
}

fn chat(messages: usize, values: Option<usize>) -> String {
    let mut state: Vec<usize> = (0..values.unwrap_or(0)).collect();
    let mut file = String::from("{\"chat_metadata\":{},\"user_name\":\"unused\",\"character_name\":\"unused\"}");
    for at in 0..messages {
        let text = serde_json::to_string(&text(at, values)).unwrap();
        if let Some(values) = values.filter(|_| at % 2 == 0) {
            state[at / 2 % values] = at + 1_000;
        }
        let variables = values.map(|_| {
            let members: Vec<String> =
                state.iter().enumerate().map(|(at, value)| format!("\"value_{at}\":{value}")).collect();
            format!(",\"variables\":[{{\"stat_data\":{{{}}}}}]", members.join(","))
        });
        let variables = variables.unwrap_or_default();
        let _ = write!(
            file,
            "\n{{\"name\":\"N\",\"is_user\":{},\"mes\":{text},\"extra\":{{\"at\":{at}}}{variables}}}",
            at % 2 == 1
        );
    }
    file
}

fn body(name: &str, chat: &str) -> String {
    format!("{{\"file_name\":\"{name}\",\"content\":{}}}", serde_json::to_string(chat).unwrap())
}

/// Sends a request on a connection of its own and reads the whole answer.
fn send(server: &Process, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        server.address,
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 20"), "{}", &answer[..answer.len().min(2_000)]);
    answer
}
