//! A database that is removed or replaced under a running server, a file that may not grow, and texts that leave the log.

use crate::http::{Answer, Reply, Request, Wire};
use crate::support::place::said;
use crate::support::{Place, Server};
use serde_json::json;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// How often the log is looked at until it is empty.
const LOOKS_MAX: usize = 1_200;

fn put(wire: &Wire, key: &str) -> Answer {
    ask(wire, &Request::put("/variables", json!({"scope": "global", "scope_id": "global", "key": key, "value": 1})))
}

fn ask(wire: &Wire, request: &Request) -> Answer {
    match wire.send(request) {
        Reply::Answered(answer) => answer,
        Reply::Broken(why) => panic!("{why}"),
    }
}

#[test]
fn nothing_is_acknowledged_into_a_database_that_is_gone() {
    let place = Arc::new(Place::sqlite());
    let server = Server::start_on(Arc::clone(&place));
    let wire = Wire::to(&server.base);
    assert!(put(&wire, "before").is_success());
    let (data, away) = (place.data(), place.file("away"));
    std::fs::rename(&data, &away).expect("it can be moved");
    for _ in 0..3 {
        let answer = put(&wire, "lost");
        assert_eq!(answer.status, 503, "{answer:?}");
        assert!(answer.text.contains("removed or replaced"), "{answer:?}");
    }
    let health = ask(&wire, &Request::get("/health"));
    assert_eq!(health.status, 503, "{health:?}");
    assert!(health.text.contains("removed or replaced"), "{health:?}");
    // Another file under the same name is no better.
    std::fs::create_dir(&data).expect("a folder");
    std::fs::copy(away.join("tavernkeep.db"), data.join("tavernkeep.db")).expect("a copy");
    assert_eq!(put(&wire, "lost").status, 503);
    std::fs::remove_dir_all(&data).expect("it can be removed");
    std::fs::rename(&away, &data).expect("it can be put back");
    assert!(put(&wire, "after").is_success());
    assert!(ask(&wire, &Request::get("/health")).is_success());
    assert!(!ask(&wire, &Request::get("/variables?scope=global&scope_id=g")).text.contains("\"lost\""));
}

/// A backup that is copied over the file while it is served: nothing is acknowledged or written into it, and it goes on with the
/// original once that is back. Another program that visits the database is no such change.
#[test]
fn a_backup_over_the_served_file_takes_no_writes() {
    let place = Arc::new(Place::sqlite());
    let mut server = Server::start_on(Arc::clone(&place));
    assert!(put(&Wire::to(&server.base), "old").is_success());
    let backup = place.file("backup.db");
    place.run(&["backup", "--output", backup.to_str().expect("a name")]);
    for number in 0..200 {
        assert!(put(&Wire::to(&server.base), &format!("acknowledged{number}")).is_success());
    }
    // With a log that holds all of it, and with one that is empty.
    for round in 0..2 {
        let wire = Wire::to(&server.base);
        let whole = std::fs::read(place.sqlite_file()).expect("the database is a file");
        let file = place.sqlite_file();
        std::fs::write(&file, std::fs::read(&backup).expect("the backup")).expect("it can be overwritten");
        for _ in 0..3 {
            let answer = put(&wire, "lost");
            assert_eq!(answer.status, 503, "{round}: {answer:?}");
            assert!(answer.text.contains("another program"), "{round}: {answer:?}");
        }
        assert_eq!(ask(&wire, &Request::get("/health")).status, 503, "{round}");
        assert_eq!(ask(&wire, &Request::get("/sessions")).status, 503, "{round}");
        std::fs::write(&file, &whole).expect("it can be put back");
        assert!(put(&wire, &format!("after{round}")).is_success());
        place.create_account(&format!("visitor{round}"));
        let listed = ask(&wire, &Request::get("/variables?scope=global&scope_id=global&limit=1")).text;
        assert!(listed.contains(&format!("\"total\":{}", 202 + round)), "{round}: {listed}");
        assert!(server.terminate().success());
        place.run(&["check"]);
        server = Server::start_on(Arc::clone(&place));
    }
    // An older copy of the file itself, as long as it is and with the same first page.
    let wire = Wire::to(&server.base);
    let put_again = |value: usize| {
        let body = json!({"scope": "global", "scope_id": "g", "key": "old", "value": value});
        wire.must(&Request::put("/variables", body));
    };
    let emptied = || {
        let log = place.data().join("tavernkeep.db-wal");
        for _ in 0..LOOKS_MAX {
            if std::fs::metadata(&log).expect("the log").len() == 0 {
                return std::fs::read(place.sqlite_file()).expect("the file");
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("the log is not emptied");
    };
    put_again(1);
    let older = emptied();
    put_again(2);
    let newer = emptied();
    assert_ne!(older, newer);
    std::fs::write(place.sqlite_file(), &older).expect("it can be overwritten");
    assert_eq!(put(&wire, "lost").status, 503);
    std::fs::write(place.sqlite_file(), &newer).expect("it can be put back");
    assert!(put(&wire, "after the older copy").is_success());
    // A server that ends while the backup is there leaves it as it is.
    let copied = std::fs::read(&backup).expect("the backup");
    std::fs::write(place.sqlite_file(), &copied).expect("it can be overwritten");
    assert_eq!(put(&Wire::to(&server.base), "lost").status, 503);
    assert!(server.terminate().success());
    assert_eq!(std::fs::read(place.sqlite_file()).expect("the file"), copied);
}

/// Whether a process has a lock on a file.
fn is_locked(path: &Path) -> bool {
    let inode = std::fs::metadata(path).expect("the file").ino();
    let locks = std::fs::read_to_string("/proc/locks").expect("the system lists locks");
    locks.lines().any(|lock| lock.contains(&format!(":{inode} ")))
}

/// A program that opens the file, reads and closes it finds that a server has it open, and leaves the log alone.
#[test]
fn a_program_that_reads_the_file_leaves_the_log_alone() {
    let place = Arc::new(Place::sqlite());
    let mut server = Server::start_on(Arc::clone(&place));
    for round in 0..3 {
        let wire = Wire::to(&server.base);
        assert!(put(&wire, &format!("before{round}")).is_success());
        assert!(is_locked(&place.sqlite_file()), "{round}: nobody else finds that a server has it open");
        let other = place.sqlite_connection();
        let count =
            other.query_row("SELECT COUNT(*) FROM variable", [], |row| row.get::<_, i64>(0)).expect("it is read");
        assert_eq!(count, 2 * round + 1);
        drop(other);
        assert!(place.data().join("tavernkeep.db-wal").exists());
        assert!(put(&wire, &format!("after{round}")).is_success());
        assert!(ask(&wire, &Request::get("/health")).is_success());
        // With a database that was made now, and with one that was there.
        if round == 1 {
            assert!(server.terminate().success());
            server = Server::start_on(Arc::clone(&place));
        }
    }
    assert!(server.terminate().success());
    place.run(&["check"]);
}

#[test]
fn removing_the_lock_file_lets_no_second_server_in() {
    let place = Arc::new(Place::sqlite());
    let server = Server::start_on(Arc::clone(&place));
    assert!(put(&Wire::to(&server.base), "a").is_success());
    std::fs::remove_file(place.data().join("tavernkeep.lock")).expect("the lock file is there");
    let second = place.output(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(second.status.code(), Some(1), "{}", said(&second));
    assert!(said(&second).contains("is served by"), "{}", said(&second));
}

/// A limit on the size of files makes writes fail, and the program lives on.
#[test]
fn a_file_that_may_not_grow_is_no_end() {
    let place = Arc::new(Place::sqlite());
    let server = Server::start_on(Arc::clone(&place));
    let wire = Wire::to(&server.base);
    assert!(put(&wire, "before").is_success());
    let pid = server.process().to_string();
    let limited = Command::new("prlimit").args(["--pid", &pid, "--fsize=65536:unlimited"]).status();
    if !limited.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: prlimit cannot limit a process here, so a file that may not grow is not tried");
        return;
    }
    let text = "x".repeat(100);
    let large: String = (0..4000).map(|number| format!("{number}{text}")).collect();
    let body = json!({"scope": "global", "scope_id": "global", "key": "large", "value": large});
    let refused = (0..20).map(|number| {
        let mut body = body.clone();
        body["key"] = json!(format!("large{number}"));
        ask(&wire, &Request::put("/variables", body))
    });
    assert!(refused.filter(|answer| !answer.is_success()).count() > 0, "some write met the limit");
    assert!(ask(&wire, &Request::get("/health")).is_success());
    let unlimited = Command::new("prlimit").args(["--pid", &pid, "--fsize=unlimited:unlimited"]).status();
    assert!(unlimited.expect("prlimit is there").success());
    assert!(put(&wire, "after").is_success());
}

#[test]
fn an_exported_file_is_its_owners() {
    let place = Place::sqlite();
    place.create_account("owner");
    let output = place.file("export.jsonl");
    place.run(&["account", "export", "owner", "--output", output.to_str().expect("a name")]);
    let mode = std::fs::metadata(&output).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
