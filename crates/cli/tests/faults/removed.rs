//! A database that is removed or replaced under a running server, a file that may not grow, and texts that leave the log.

use crate::http::{Answer, Reply, Request, Wire};
use crate::support::place::said;
use crate::support::{Place, Server};
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::Arc;

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
