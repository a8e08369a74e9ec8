//! Single variables are linearizable, whatever is killed, stopped or restarted meanwhile.

use crate::campaign::Campaign;
use crate::crew::{CLIENTS, End, Progress};
use crate::http::{Reply, Request, Wire};
use crate::nemesis::{Nemesis, Pair};
use crate::random::Random;
use crate::registers::{Moved, Player, REGISTERS, Registers};
use crate::support::{Backend, Place, Server};
use rusqlite::config::DbConfig;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

#[test]
fn one_order_explains_all_answers_around_kills() {
    let campaign = Campaign::begin("linearity on SQLite");
    let mut random = campaign.random();
    let place = Arc::new(Place::sqlite());
    let mut server = Server::start_on(Arc::clone(&place));
    let registers = Registers::make(&Wire::to(&server.base));
    let mut players: Vec<Player> = (0..CLIENTS).map(|number| Player::new(number, random.fork())).collect();
    for _ in 0..campaign.faults {
        let (answers, delay) = (random.between(50, 300), Duration::from_micros(random.below(5_000)));
        let (progress, base) = (Progress::default(), server.base.clone());
        std::thread::scope(|scope| {
            for player in &mut players {
                let (progress, registers, wire) = (&progress, &registers, Wire::to(&base));
                scope.spawn(move || {
                    while player.go(registers, &wire) == Moved::Answered {
                        progress.add();
                    }
                });
            }
            progress.wait_for(answers);
            std::thread::sleep(delay);
            server.kill();
        });
        server = Server::start_on(Arc::clone(&place));
    }
    let (all, open) = registers.judge(&players).unwrap_or_else(|error| panic!("{error}"));
    campaign.report(&format!(
        "{} kills, {REGISTERS} histories with {all} operations, {open} of them without an answer, 0 anomalies",
        campaign.faults
    ));
}

/// Nothing takes as long as it may, so requests run out of time while they wait and while they write.
const IMPATIENT: [&str; 2] = ["request_timeout_ms=50", "write_wait_ms=20"];

#[test]
fn one_order_explains_all_answers_around_timeouts_and_kills() {
    for backend in Backend::BOTH {
        let campaign = Campaign::begin("linearity with timeouts");
        let mut random = campaign.random();
        let place = Arc::new(backend.place());
        let mut server = Server::start_on(Arc::clone(&place));
        let registers = Registers::make(&Wire::to(&server.base));
        let mut players: Vec<Player> = (0..CLIENTS).map(|number| Player::new(number, random.fork())).collect();
        let mut timeouts = 0;
        for _ in 0..campaign.faults {
            server.kill();
            server = Server::start_on_with(Arc::clone(&place), &IMPATIENT);
            let (progress, late, end) = (Progress::default(), Progress::default(), End::default());
            let base = server.base.clone();
            std::thread::scope(|scope| {
                for player in &mut players {
                    let (progress, late, registers, wire) = (&progress, &late, &registers, Wire::to(&base));
                    scope.spawn(move || {
                        loop {
                            match player.go(registers, &wire) {
                                Moved::Answered => progress.add(),
                                Moved::Trouble => late.add(),
                                Moved::Broken => break,
                            }
                        }
                    });
                }
                // Everybody waits for long writes of another session.
                let (end, wire) = (&end, Wire::to(&base));
                scope.spawn(move || {
                    for number in 0.. {
                        if end.has_come() || matches!(wire.send(&long_write(number)), Reply::Broken(_)) {
                            break;
                        }
                    }
                });
                if backend == Backend::Sqlite {
                    let (place, mut random) = (&place, random.fork());
                    scope.spawn(move || hold_lock(place, end, &mut random));
                }
                let _home = end.when_dropped();
                progress.wait_for(random.between(50, 200));
                server.kill();
            });
            timeouts += late.count();
            server = Server::start_on(Arc::clone(&place));
        }
        let (all, open) = registers.judge(&players).unwrap_or_else(|error| panic!("{error}"));
        campaign.report(&format!(
            "{backend:?}: {} kills and {timeouts} timeouts, {REGISTERS} histories with {all} operations, {open} of them \
             without an answer, 0 anomalies",
            campaign.faults
        ));
    }
}

/// Takes the lock of the writer again and again and holds it for longer than requests wait: no write of a small database takes as long.
fn hold_lock(place: &Place, end: &End, random: &mut Random) {
    let connection = place.sqlite_connection();
    // The file has checksums that this connection does not know.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).expect("the log is left alone");
    while !end.has_come() {
        if connection.execute_batch("BEGIN IMMEDIATE").is_ok() {
            std::thread::sleep(Duration::from_millis(random.between(40, 160)));
            connection.execute_batch("ROLLBACK").expect("nothing was written");
        }
        std::thread::sleep(Duration::from_millis(random.between(40, 160)));
    }
}

/// A sync that gives every floor another text.
fn long_write(number: usize) -> Request {
    let said =
        |floor: usize| json!({"role": "user", "active": 0, "swipes": [{"content": format!("{number} {floor}")}]});
    let floors: Vec<Value> = (0..2_000).map(said).collect();
    let body = json!({"floors": floors, "max_deleted": 1_000_000});
    match number {
        0 => Request::post("/sessions", json!({"id": "long"})),
        _ => Request::post("/sessions/long/sync", body),
    }
}

#[test]
fn one_order_explains_all_answers_of_two_servers() {
    let campaign = Campaign::begin("linearity on PostgreSQL");
    let mut random = campaign.random();
    let mut pair = Pair::start();
    let registers = Registers::make(&pair.wire(0));
    let mut players: Vec<Player> = (0..CLIENTS).map(|number| Player::new(number, random.fork())).collect();
    let (progress, end) = (Progress::default(), End::default());
    let mut nemesis = Nemesis::default();
    std::thread::scope(|scope| {
        for (number, player) in players.iter_mut().enumerate() {
            let (progress, registers, end, wire) = (&progress, &registers, &end, pair.wire(number));
            scope.spawn(move || {
                while !end.has_come() {
                    match player.go(registers, &wire) {
                        Moved::Answered => progress.add(),
                        Moved::Trouble => std::thread::yield_now(),
                        Moved::Broken => panic!("a server that runs answers"),
                    }
                }
            });
        }
        let _home = end.when_dropped();
        for _ in 0..campaign.faults {
            progress.wait_for(random.between(20, 200));
            nemesis.strike(&mut pair, &mut random);
        }
        progress.wait_for(100);
    });
    pair.is_well();
    let (all, open) = registers.judge(&players).unwrap_or_else(|error| panic!("{error}"));
    campaign.report(&format!(
        "{nemesis}, {REGISTERS} histories with {all} operations, {open} of them without an answer, 0 anomalies"
    ));
}
