//! `tavernkeep backup` while the server writes, and `tavernkeep check`.

use crate::support::place::said;
use crate::support::{Place, Server, chat, write};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tavernkeep_engine::limits::JSON_DEPTH_MAX;

/// A batch that puts one number on ten keys.
fn batch(number: u32) -> Value {
    json!({"items": (0..10).map(|key| write(chat("s"), &format!("k{key}"), number)).collect::<Vec<_>>()})
}

#[test]
fn a_backup_taken_while_serving_is_whole() {
    let server = Server::start(Place::sqlite());
    let client = server.client("owner");
    client.make("s");
    client.put("/variables/batch", batch(0)).is(200);
    client.set(chat("s"), "before", "kept").is(201);
    let file = server.place.file("backup.sqlite");
    let name = file.to_str().expect("a plain path");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut number = 0;
            while !done.load(Ordering::Acquire) {
                number += 1;
                client.ask("PUT", "/variables/batch").json(batch(number)).unrecorded().send().is(200);
            }
            number
        });
        // The writer must be at work before the copy begins.
        client.until("/variables?key=k0", |answer| answer.column("value") != [json!(0)]).is(200);
        let output = server.place.output(&["backup", "--output", name]);
        done.store(true, Ordering::Release);
        assert!(output.status.success(), "{}", said(&output));
        assert!(writer.join().expect("the writer ends") > 0);
    });
    sound(&server.place, Path::new(name));

    // The copy serves as well as the original.
    let copy = Place::sqlite();
    std::fs::create_dir_all(copy.data()).expect("a folder");
    let original = server.place.sqlite_file();
    std::fs::copy(&file, copy.data().join(original.file_name().expect("a name"))).expect("a copy");
    let restored = Server::start_on(Arc::new(copy));
    let reader = client.through(&restored);
    assert_eq!(reader.get("/variables?key=before").column("value"), [json!("kept")]);
    let mut values: HashMap<String, u32> = HashMap::new();
    for value in reader.get("/variables?prefix=k").is(200).column("value") {
        *values.entry(value.to_string()).or_default() += 1;
    }
    assert_eq!(values.into_values().collect::<Vec<_>>(), [10], "a batch was cut in two");
    reader.get("/pages/s.p").is(200);
}

#[test]
fn a_backup_does_not_overwrite() {
    let server = Server::start(Place::sqlite());
    server.client("owner").make("s");
    let file = server.place.file("backup.sqlite");
    let backup = || server.place.output(&["backup", "--output", file.to_str().expect("a plain path")]);
    let first = backup();
    assert!(first.status.success(), "{}", said(&first));
    std::fs::write(&file, "precious").expect("a file");
    let second = backup();
    assert!(!second.status.success(), "{}", said(&second));
    assert_eq!(std::fs::read(&file).expect("it is still there"), b"precious");
}

/// `tavernkeep check` finds nothing wrong with a file.
#[track_caller]
fn sound(place: &Place, file: &Path) {
    let output = place.bare_command(&["check"]).arg(file).output().expect("the program can be started");
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn check_names_the_session_that_is_damaged() {
    let mut server = Server::start(Place::sqlite());
    let client = server.client("owner");
    for session in ["sound-one", "hurt-one"] {
        client.make(session);
        client.set(chat(session), session, json!({"text": "something worth keeping"})).is(201);
    }
    // A change wraps the values that it sets, so it is deeper than a document can be.
    client.post("/sessions", json!({"id": "deep", "template": {}})).is(201);
    let deep = format!("@.SET(\"d\", {}1{});", "[".repeat(JSON_DEPTH_MAX - 1), "]".repeat(JSON_DEPTH_MAX - 1));
    client.post("/sessions/deep/turns", json!({"role": "assistant", "content": deep})).is(201);
    let place = Arc::clone(&server.place);
    place.run(&["check"]);
    server.terminate();
    place.run(&["check"]);
    damage(&place.sqlite_file(), "hurt-one");
    // The program that changed it knows nothing of checksums.
    let unstamped = place.output(&["check"]);
    assert!(said(&unstamped).contains("it belongs to the table variable"), "{}", said(&unstamped));
    place.run(&["stamp"]);
    let output = place.output(&["check"]);
    let all = said(&output);
    assert!(!output.status.success(), "{all}");
    assert!(all.contains("hurt-one") && !all.contains("sound-one"), "{all}");
    assert!(!all.contains("panicked"), "{all}");
}

/// A page that is read while a checkpoint writes it would be accepted as it was read.
#[test]
fn a_database_that_is_served_cannot_be_stamped() {
    let mut server = Server::start(Place::sqlite());
    let place = Arc::clone(&server.place);
    let file = place.sqlite_file();
    let file = file.to_str().expect("a name in UTF-8");
    for asked in [&["stamp"][..], &["stamp", file]] {
        let output = place.output(asked);
        assert!(!output.status.success() && said(&output).contains("is served by process"), "{}", said(&output));
    }
    server.terminate();
    place.run(&["stamp", file]);
}

#[test]
fn a_file_that_is_no_database_is_not_stamped() {
    let place = Place::sqlite();
    for (name, content) in
        [("notes.txt", "Rain. ".repeat(1000)), ("short.txt", "Rain.".into()), ("empty", String::new())]
    {
        let file = place.file(name);
        std::fs::write(&file, &content).expect("it can be written");
        let output = place.output(&["stamp", file.to_str().expect("a plain path")]);
        let all = said(&output);
        assert!(!output.status.success() && all.contains(name) && all.contains("is no SQLite database"), "{all}");
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), content);
    }
}

#[test]
fn check_compares_edits_with_their_fingerprints() {
    let mut server = Server::start(Place::sqlite());
    let client = server.client("owner");
    client.post("/sessions", json!({"id": "edited", "template": {"n": 0}})).is(201);
    let turn = json!({"role": "assistant", "content": "@.ADD(\"n\", 1);", "page_id": "p"});
    client.post("/sessions/edited/turns", turn).is(201);
    client.patch("/pages/p/state", json!({"patch": {"n": 5}})).is(200);
    let place = Arc::clone(&server.place);
    server.terminate();
    place.run(&["check"]);
    let database = rusqlite::Connection::open(place.sqlite_file()).expect("the file opens");
    database.execute("UPDATE page_edit SET taken_back_at = 1", []).expect("it can be changed");
    drop(database);
    place.run(&["stamp"]);
    let output = place.output(&["check"]);
    let all = said(&output);
    assert!(!output.status.success() && all.contains("edited") && all.contains("fingerprint of edits"), "{all}");
}

/// Turns the last byte of the value with this key into one that no text ends with.
fn damage(file: &Path, key: &str) {
    let database = rusqlite::Connection::open(file).expect("the file opens");
    let sql = "SELECT CAST(value AS BLOB), typeof(value) FROM variable WHERE CAST(key AS BLOB) = ?1";
    let (mut value, kind): (Vec<u8>, String) = database
        .query_row(sql, [key.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("the variable is stored");
    *value.last_mut().expect("a value has bytes") = 0xFF;
    let sql = format!("UPDATE variable SET value = CAST(?2 AS {kind}) WHERE CAST(key AS BLOB) = ?1");
    assert_eq!(database.execute(&sql, rusqlite::params![key.as_bytes(), value]).expect("it can be changed"), 1);
}

#[test]
fn a_backup_of_postgres_is_a_file_that_can_be_checked_and_served() {
    let server = Server::start(Place::postgres());
    let client = server.client("owner");
    client.make("s");
    client.put("/variables/batch", batch(7)).is(200);
    let file = server.place.file("backup.sqlite");
    let output = server.place.output(&["backup", "--output", file.to_str().expect("a plain path")]);
    assert!(output.status.success(), "{}", said(&output));
    sound(&server.place, &file);
    let checked = server.place.output(&["check"]);
    assert!(checked.status.success(), "{}", said(&checked));

    let copy = Place::sqlite();
    std::fs::create_dir_all(copy.data()).expect("a folder");
    std::fs::copy(&file, copy.data().join("tavernkeep.db")).expect("a copy");
    let restored = Server::start_on(Arc::new(copy));
    let reader = client.through(&restored);
    let here = client.get("/variables?sort_by=key&sort_order=asc").is(200).text.clone();
    assert_eq!(reader.get("/variables?sort_by=key&sort_order=asc").is(200).text, here);
    reader.set(chat("s"), "after", 1).is(201);
}

/// A name that is mistyped is no database that is well, and gets no tables.
#[test]
fn a_command_that_reads_makes_no_tables() {
    let place = Place::postgres();
    for command in [&["check"][..], &["sessions"], &["check"]] {
        let output = place.output(command);
        assert!(!output.status.success() && said(&output).contains("no tables"), "{}", said(&output));
    }
}

#[test]
fn what_is_no_database_of_ours_is_not_judged() {
    let place = Place::sqlite();
    let file = place.file("empty.db");
    std::fs::write(&file, "").expect("a file");
    let output = place.bare_command(&["check"]).arg(&file).output().expect("the program can be started");
    assert!(!output.status.success() && said(&output).contains("no database"), "{}", said(&output));
}
