//! Workers and servers that are killed while turns run functions: a turn is there whole or not at all, a function did all of its work
//! or none, and what a turn says of its functions is what its state shows.

use crate::campaign::Campaign;
use crate::http::{Request, Wire};
use crate::random::Random;
use crate::support::place::said;
use crate::support::{Backend, Server};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Functions that run by themselves in every turn.
const FUNCTIONS: usize = 4;
/// The text of every turn: a command of the engine's own counts them.
const CONTENT: &str = "@.ADD(\"turns\", 1);";

#[test]
fn a_turn_with_functions_is_whole_or_absent() {
    let campaign = Campaign::begin("workers");
    let mut random = campaign.random();
    let (mut kills, mut finished, mut failed) = (0, 0, 0);
    for backend in Backend::BOTH {
        let place = Arc::new(backend.place());
        let mut server = Server::start_on(Arc::clone(&place));
        prepare(&Wire::to(&server.base));
        let mut turns = 0;
        for _ in 0..campaign.faults.div_ceil(4).max(2) {
            let base = server.base.clone();
            let wire = Wire::to(&base);
            for number in turns..turns + 5 {
                // One worker of each turn, at any moment of it; more would keep any from starting.
                let (server, seed) = (server.process(), random.fork());
                let killer = std::thread::spawn(move || kill_worker(server, seed));
                let body = json!({"role": "assistant", "content": CONTENT, "page_id": format!("p{number}")});
                let answer = wire.must(&Request::post("/sessions/s/turns", body)).body();
                failed += judge_turn(&answer["data"]);
                finished += 1;
                kills += usize::from(killer.join().expect("the killer ends"));
            }
            turns += 5;
            // Now the server itself, at any moment of a turn.
            let delay = Duration::from_micros(random.below(20_000));
            std::thread::scope(|scope| {
                let base = &base;
                scope.spawn(move || {
                    let body = json!({"role": "assistant", "content": CONTENT, "page_id": format!("p{turns}")});
                    drop(Wire::to(base).send(&Request::post("/sessions/s/turns", body)));
                });
                std::thread::sleep(delay);
                assert!(!server.kill().success());
            });
            let checked = place.output(&["check"]);
            assert!(checked.status.success(), "{}", said(&checked));
            server = Server::start_on(Arc::clone(&place));
            let wire = Wire::to(&server.base);
            // Sent again under its id, it is there once.
            let body = json!({"role": "assistant", "content": CONTENT, "page_id": format!("p{turns}")});
            let answer = wire.must(&Request::post("/sessions/s/turns", body)).body();
            judge_turn(&answer["data"]);
            turns += 1;
            let state = wire.must(&Request::get("/sessions/s/state")).body()["data"]["state"].clone();
            assert_eq!(state["first"], state["second"], "no function did half of its work");
            assert_eq!(state["turns"], json!(turns), "each turn is there once");
        }
    }
    campaign.report(&format!("{kills} workers killed in {finished} turns, {failed} functions failed, 0 turns torn"));
}

/// A session whose functions each write twice.
fn prepare(wire: &Wire) {
    let template = json!({"first": [], "second": [], "turns": 0});
    let functions: Vec<Value> = (0..FUNCTIONS).map(passive).collect();
    wire.must(&Request::post(
        "/characters",
        json!({"id": "c", "name": "c", "template": template, "functions": functions}),
    ));
    wire.must(&Request::post("/sessions", json!({"id": "s", "character_id": "c"})));
}

fn passive(number: usize) -> Value {
    let code =
        format!("snapshot.first.push({number});\nfor (let i = 0; i < 3000; i++);\nsnapshot.second.push({number});");
    json!({"name": format!("f{number}"), "type": "passive", "timing": "after_active", "executor": code})
}

/// Compares what a turn says of its functions with its change. Returns how many failed.
fn judge_turn(turn: &Value) -> usize {
    let functions = turn["functions"].as_array().expect("functions ran");
    assert_eq!(functions.len(), FUNCTIONS, "{turn}");
    let failed = functions.iter().filter(|function| function["status"] == "refused").count();
    for function in functions {
        let wanted = if function["status"] == "applied" { 2 } else { 0 };
        assert_eq!(function["operations"], json!(wanted), "{turn}");
    }
    assert_eq!(turn["problems"].as_array().map_or(0, Vec::len), failed, "{turn}");
    failed
}

/// Kills a worker of a server after a while. Returns whether there was one.
fn kill_worker(server: u32, mut random: Random) -> bool {
    std::thread::park_timeout(Duration::from_micros(random.below(20_000)));
    let workers = workers_of(server);
    let worker = random.pick(&workers).and_then(|worker| Pid::from_raw(worker.cast_signed()));
    worker.is_some_and(|worker| kill_process(worker, Signal::KILL).is_ok())
}

/// The numbers of the worker processes of a server.
fn workers_of(server: u32) -> Vec<u32> {
    let parent = |process: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
    };
    let processes = std::fs::read_dir("/proc").expect("processes are listed").flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|process| parent(*process) == Some(server)).collect()
}
