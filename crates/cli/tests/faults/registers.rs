//! Clients that read, write, count and swap a few variables together, and write down what they asked and heard.

use crate::http::{Answer, Reply, Request, Wire};
use crate::linear::{Action, Operation, check};
use crate::random::Random;
use crate::support::tree::{chat, merge};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

const SESSION: &str = "registers";
/// Few, so that clients meet.
pub const REGISTERS: usize = 4;
/// Increments between two writes at most: every value is written once, so a value tells which write it is of.
const STEP: i64 = 1_000_000;

/// The variables, and the clock of their histories.
pub struct Registers {
    ids: Vec<String>,
    clock: AtomicU64,
}

/// One client and what it has seen.
pub struct Player {
    random: Random,
    next: i64,
    /// By register: the value and entity tag it saw last.
    known: HashMap<usize, (i64, String)>,
    /// By register: what it did.
    history: Vec<(usize, Operation)>,
    tags: Vec<(usize, String, i64)>,
}

/// How a move ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    Answered,
    Trouble,
    Broken,
}

impl Registers {
    /// Makes the variables, each holding its number.
    pub fn make(wire: &Wire) -> Registers {
        wire.must(&Request::post("/sessions", json!({"id": SESSION})));
        let make = |index: usize| {
            let body = merge(target(index), json!({"value": index}));
            wire.must(&Request::put("/variables", body)).body()["data"]["id"].as_str().expect("an id").to_owned()
        };
        Registers { ids: (0..REGISTERS).map(make).collect(), clock: AtomicU64::new(0) }
    }

    fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    /// Looks for an order in each register's history; the number of operations, and of those that were not answered.
    pub fn judge(&self, players: &[Player]) -> Result<(usize, usize), String> {
        let (mut all, mut open) = (0, 0);
        for register in 0..REGISTERS {
            let of = |player: &Player| player.history.clone().into_iter().filter(move |(index, _)| *index == register);
            let history: Vec<Operation> = players.iter().flat_map(of).map(|(_, operation)| operation).collect();
            check(Some(i64::try_from(register).expect("small")), &history)
                .map_err(|error| format!("register {register}: {error}"))?;
            all += history.len();
            open += history.iter().filter(|operation| !operation.answered).count();
        }
        let mut values = HashMap::new();
        for (register, tag, value) in players.iter().flat_map(|player| &player.tags) {
            let known = *values.entry((register, tag)).or_insert(*value);
            if known != *value {
                return Err(format!("register {register}: the tag {tag} stood for {known} and for {value}"));
            }
        }
        Ok((all, open))
    }
}

impl Player {
    pub fn new(number: usize, random: Random) -> Player {
        let first = i64::try_from(number + 1).expect("small") * STEP * STEP;
        Player { random, next: first, known: HashMap::new(), history: Vec::new(), tags: Vec::new() }
    }

    /// Does one thing with one variable.
    pub fn go(&mut self, registers: &Registers, wire: &Wire) -> Moved {
        let register = self.random.index(REGISTERS);
        self.next += STEP;
        let new = self.next;
        let known = self.known.get(&register).cloned();
        let write = || Request::put("/variables", merge(target(register), json!({"value": new})));
        let (request, action) = match (self.random.below(10), known) {
            (0..3, _) => (Request::get(format!("/variables/{}", registers.ids[register])), Action::Read(None)),
            (3, _) => (Request::get(format!("/variables/resolve?session_id={SESSION}")), Action::Read(None)),
            (4..7, Some((expected, tag))) => {
                (write().header("if-match", tag), Action::Swap { expected, new, done: true })
            }
            (7, _) => (write(), Action::Write(new)),
            _ => (Request::post("/variables/increment", target(register)), Action::Add { by: 1, sum: 0 }),
        };
        let began = registers.tick();
        let reply = outcome(wire, wire.send(&request));
        let ended = registers.tick();
        let (heard, moved) = match reply {
            // It is no part of the history. If it happened all the same, no order explains the others.
            Reply::Answered(answer) if answer.never_happened() => return Moved::Trouble,
            Reply::Answered(answer) if answer.is_trouble() => (None, Moved::Trouble),
            Reply::Answered(answer) => (Some(self.hear(register, action, &request, &answer)), Moved::Answered),
            Reply::Broken(_) => (None, Moved::Broken),
        };
        // A read that was not answered says nothing.
        if heard.is_some() || !matches!(action, Action::Read(_)) {
            let operation = Operation { began, ended, action: heard.unwrap_or(action), answered: heard.is_some() };
            self.history.push((register, operation));
        }
        moved
    }

    /// The action with what was answered.
    fn hear(&mut self, register: usize, action: Action, request: &Request, answer: &Answer) -> Action {
        let body = answer.body();
        let wrong = || -> ! { panic!("{request:?}\n  answered {answer:?}") };
        let refused = answer.status == 412 && matches!(action, Action::Swap { .. });
        if refused {
            self.known.remove(&register);
        } else if !answer.is_success() {
            wrong();
        }
        let rows = body["data"]["resolved"].as_array();
        let value = match rows {
            Some(rows) => rows.iter().find(|row| row["key"] == key(register)).map(|row| &row["value"]),
            None => Some(&body["data"]["value"]),
        };
        let value = value.and_then(Value::as_i64);
        if let (Some(value), Some(tag), None) = (value, &answer.etag, rows) {
            self.known.insert(register, (value, tag.clone()));
            self.tags.push((register, tag.clone(), value));
        }
        match action {
            Action::Read(_) => Action::Read(value),
            Action::Write(_) => action,
            Action::Swap { expected, new, .. } => Action::Swap { expected, new, done: !refused },
            Action::Add { by, .. } => Action::Add { by, sum: value.unwrap_or_else(|| wrong()) },
        }
    }
}

/// The reply, or what became of a write that went on without its request.
fn outcome(wire: &Wire, reply: Reply) -> Reply {
    let pending = match &reply {
        Reply::Answered(answer) => answer.pending_write(),
        Reply::Broken(_) => None,
    };
    let Some(id) = pending else { return reply };
    loop {
        let asked = match wire.send(&Request::get(format!("/writes/{id}"))) {
            Reply::Answered(answer) if answer.is_success() => answer.body()["data"].clone(),
            // It ran out of time itself.
            Reply::Answered(answer) if answer.never_happened() => continue,
            other => return other,
        };
        if asked["state"] == "done" {
            let status = asked["response_status"].as_u64().and_then(|status| status.try_into().ok());
            let status = status.expect("what is done has a status");
            return Reply::Answered(Answer {
                status,
                etag: None,
                replayed: false,
                text: asked["response"].to_string(),
            });
        }
        std::thread::yield_now();
    }
}

fn key(register: usize) -> String {
    format!("r{register}")
}

fn target(register: usize) -> Value {
    merge(chat(SESSION), json!({"key": key(register)}))
}
