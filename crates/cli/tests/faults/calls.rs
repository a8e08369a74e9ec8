//! Servers that are killed while tools run: a call that was acknowledged is in the journal with its result, and none ever runs twice,
//! however often it is sent. The tool is a script that notes each of its runs in a file, which no transaction takes back.

use crate::campaign::Campaign;
use crate::http::{Reply, Request, Wire};
use crate::support::{Place, Server};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const CLIENTS: u64 = 4;
const SESSION: &str = "s";

#[test]
fn a_call_runs_once_and_stays_in_the_journal() {
    let campaign = Campaign::begin("calls");
    let mut random = campaign.random();
    let place = Arc::new(Place::sqlite());
    let (folder, runs) = (place.file("scripts"), place.file("runs"));
    note_script(&folder, &runs);
    let setting = format!("tools_scripts={}", folder.display());
    let mut server = Server::start_on_with(Arc::clone(&place), &[&setting]);
    let wire = Wire::to(&server.base);
    wire.must(&Request::post("/sessions", json!({"id": SESSION})));
    wire.must(&Request::patch(format!("/sessions/{SESSION}/tools/groups/scripts"), json!({"enabled": true})));
    let (mut done, mut sent_again, mut interrupted) = (0, 0, 0);
    let next = AtomicU64::new(0);
    for _ in 0..campaign.faults {
        let (acknowledged, delay) = (AtomicU64::new(0), Duration::from_micros(random.below(30_000)));
        let base = server.base.clone();
        let (next, wanted) = (&next, random.between(1, 8));
        let answers = std::thread::scope(|scope| {
            let acknowledged = &acknowledged;
            let clients: Vec<_> =
                (0..CLIENTS).map(|_| scope.spawn(|| call_until_killed(&base, next, acknowledged))).collect();
            while acknowledged.load(Ordering::SeqCst) < wanted {
                std::thread::yield_now();
            }
            // So that it meets any moment of a call, not only the one behind an answer.
            std::thread::sleep(delay);
            assert!(!server.kill().success());
            clients.into_iter().flat_map(|client| client.join().expect("a client ends")).collect::<Vec<_>>()
        });
        server = Server::start_on_with(Arc::clone(&place), &[&setting]);
        let wire = Wire::to(&server.base);
        let journal = journal(&wire);
        for (number, answer) in answers {
            let Some(answer) = answer else {
                // Sent again under its key, it is the same call if there is one, and runs only if there was none.
                let again = wire.must(&request(number));
                assert_eq!(again.replayed, journal.contains_key(&number), "call {number}");
                let status = again.body()["data"]["status"].as_str().expect("a status").to_owned();
                assert!(matches!(status.as_str(), "success" | "interrupted"), "call {number} is {status}");
                sent_again += 1;
                interrupted += u64::from(status == "interrupted");
                continue;
            };
            assert_eq!(answer["status"], "success", "{answer}");
            assert_eq!(journal.get(&number).map(String::as_str), Some("success"), "call {number} was acknowledged");
            done += 1;
        }
    }
    let (journal, runs) = (journal(&Wire::to(&server.base)), count_runs(&runs));
    for (number, status) in &journal {
        let times = runs.get(number).copied().unwrap_or_default();
        match status.as_str() {
            "success" => assert_eq!(times, 1, "call {number}"),
            // It ended before or behind the note; nobody knows.
            "interrupted" => assert!(times <= 1, "call {number} ran {times} times"),
            other => panic!("call {number} is {other}"),
        }
    }
    assert!(runs.keys().all(|number| journal.contains_key(number)), "a call ran that is not in the journal");
    campaign.report(&format!(
        "{} kills, {done} calls acknowledged, 0 lost; {sent_again} sent again, {interrupted} of them interrupted; 0 of {} ran twice",
        campaign.faults,
        journal.len()
    ));
}

/// Calls one behind the other until there is no answer. The number of each, and its answer if there was one.
fn call_until_killed(base: &str, next: &AtomicU64, acknowledged: &AtomicU64) -> Vec<(u64, Option<Value>)> {
    let wire = Wire::to(base);
    let mut answers = Vec::new();
    loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        match wire.send(&request(number)) {
            Reply::Answered(answer) => {
                assert_eq!(answer.status, 201, "{answer:?}");
                answers.push((number, Some(answer.body()["data"].clone())));
                acknowledged.fetch_add(1, Ordering::SeqCst);
            }
            Reply::Broken(_) => {
                answers.push((number, None));
                return answers;
            }
        }
    }
}

fn request(number: u64) -> Request {
    let body = json!({"tool": "note", "args": {"n": number}, "skip_execution_approval": true});
    Request::post(format!("/sessions/{SESSION}/calls"), body).header("idempotency-key", format!("call-{number}"))
}

fn note_script(folder: &Path, runs: &Path) {
    std::fs::create_dir_all(folder).expect("a folder");
    let source = format!("line=$(cat)\necho \"$line\" >> '{}'\necho '\"done\"'\n", runs.display());
    std::fs::write(folder.join("note.sh"), source).expect("a script");
    let declared = json!({"description": "Notes its run.", "timeout_ms": 60_000});
    std::fs::write(folder.join("note.tool.json"), declared.to_string()).expect("a declaration");
}

/// The status of every call by its number. A number that two calls have is a call that was made twice.
fn journal(wire: &Wire) -> BTreeMap<u64, String> {
    let export = wire.must(&Request::get("/account/export")).text;
    let mut calls = BTreeMap::new();
    for line in export.lines() {
        let line: Value = serde_json::from_str(line).expect("a line of an export is JSON");
        if line["kind"] == "call" {
            let number = line["data"]["args"]["n"].as_u64().expect("a number");
            let status = line["data"]["status"].as_str().expect("a status").to_owned();
            assert!(calls.insert(number, status).is_none(), "call {number} is in the journal twice");
        }
    }
    calls
}

fn count_runs(runs: &Path) -> BTreeMap<u64, usize> {
    let mut counts = BTreeMap::new();
    for line in std::fs::read_to_string(runs).unwrap_or_default().lines() {
        let args: Value = serde_json::from_str(line).expect("the arguments of a run");
        *counts.entry(args["n"].as_u64().expect("a number")).or_default() += 1;
    }
    counts
}
