//! What is done in parts: a request ends what it began, and upkeep what nobody works at any more.

use super::retention::{metric, purged};
use crate::support::{Backend, Client, Server};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Upkeep looks once, at the start.
const ONCE: &[&str] = &["purge_interval_ms=86400000"];

/// A chat of so many messages.
fn chat(floors: usize) -> Vec<Value> {
    let said =
        |number: usize| json!({"role": "user", "active": 0, "swipes": [{"content": format!("message {number}")}]});
    (0..floors).map(said).collect()
}

fn sync(client: &Client, session: &str, floors: usize) {
    client.post(&format!("/sessions/{session}/sync"), json!({"floors": chat(floors)})).is(200);
}

/// Nothing of a request that has ended is hidden or unfinished.
#[track_caller]
fn nothing_is_left(server: &Server) {
    assert_eq!(server.place.number("SELECT COUNT(*) FROM trash WHERE deleted_at <= 0"), 0, "items");
    assert_eq!(server.place.number("SELECT COUNT(*) FROM branch WHERE LENGTH(id) > 256"), 0, "hidden branches");
}

/// No large change was made in one transaction, for which others would have waited.
#[track_caller]
fn is_prepared(client: &Client) {
    let metrics = client.get("/metrics");
    assert_eq!(metric(&metrics.is(200).text, "tavernkeep_large_changes_unprepared_total"), 0.0);
}

#[test]
fn a_deletion_ends_itself_and_upkeep_the_others() {
    for backend in Backend::BOTH {
        let mut server = Server::start_on_with(Arc::new(backend.place()), ONCE);
        let mut client = server.client("owner");
        client.make_session("s");
        sync(&client, "s", 3);
        let first = client.get("/floors?session_id=s").is(200).column("id")[0].as_str().expect("an id").to_owned();
        for branch in ["k", "l"] {
            client.post(&format!("/floors/{first}/branch"), json!({"branch_id": branch})).is(201);
        }
        let delete = |client: &Client, branch: &str| {
            client.delete(&format!("/branches/{branch}?session_id=s")).is(200).header("trash-id")
        };
        let of_k = delete(&client, "k");
        client.until("/metrics", |answer| metric(&answer.text, "tavernkeep_last_purge_time_seconds") > 0.0).is(200);
        // As another process leaves it that ends before the deletion does.
        server.place.execute(&format!("UPDATE trash SET deleted_at = -2 WHERE id = '{of_k}'"));
        let of_l = delete(&client, "l");
        client.get(&format!("/trash/{of_l}")).is(200);
        client.get(&format!("/trash/{of_k}")).refused(404, "trash_not_found");
        assert!(server.terminate().success());
        server = Server::start_on_with(Arc::clone(&server.place), &["purge_interval_ms=20"]);
        client = client.through(&server);
        purged(&client);
        client.get(&format!("/trash/{of_k}")).is(200);
    }
}

#[test]
fn a_large_sync_that_comes_too_late_leaves_nothing() {
    for backend in Backend::BOTH {
        let mut server = Server::start_on_with(Arc::new(backend.place()), ONCE);
        let client = server.client("owner");
        for session in ["s", "t", "u"] {
            client.make_session(session);
            let is_done = AtomicBool::new(false);
            std::thread::scope(|scope| {
                // Whatever changes the session while a large sync is prepared makes that worthless.
                scope.spawn(|| {
                    let mut number = 0;
                    while !is_done.load(Ordering::Relaxed) {
                        client.set(crate::support::chat(session), "k", number).is_one_of(&[200, 201]);
                        number += 1;
                    }
                });
                sync(&client, session, 1_000);
                is_done.store(true, Ordering::Relaxed);
            });
            client.get(&format!("/floors?session_id={session}&limit=1")).is(200).has_meta("total", 1_000);
        }
        is_prepared(&client);
        assert!(server.terminate().success());
        nothing_is_left(&server);
    }
}

#[test]
fn a_large_restore_leaves_nothing_whether_or_not_it_comes_too_late() {
    for backend in Backend::BOTH {
        let mut server = Server::start_on_with(Arc::new(backend.place()), ONCE);
        let client = server.client("owner");
        for (session, is_disturbed) in [("s", false), ("t", true)] {
            client.make_session(session);
            sync(&client, session, 1_000);
            let body = json!({"floors": chat(1), "max_deleted": 999});
            let trash = client.post(&format!("/sessions/{session}/sync"), body).is(200).header("trash-id");
            let is_done = AtomicBool::new(!is_disturbed);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let mut number = 0;
                    while !is_done.load(Ordering::Relaxed) {
                        client.set(crate::support::chat(session), "k", number).is_one_of(&[200, 201]);
                        number += 1;
                    }
                });
                let restored = client.post(&format!("/trash/{trash}/restore"), json!({}));
                is_done.store(true, Ordering::Relaxed);
                restored.is(200).has("/floor_count", 999).has("/new_branch", false);
            });
            client.get(&format!("/floors?session_id={session}&limit=1")).is(200).has_meta("total", 1_000);
            client.get(&format!("/trash/{trash}")).refused(404, "trash_not_found");
        }
        is_prepared(&client);
        assert!(server.terminate().success());
        nothing_is_left(&server);
        assert_eq!(server.place.number("SELECT COUNT(*) FROM trash_row"), 0, "kept rows");
        server.place.run(&["check"]);
    }
}

#[test]
fn what_a_process_prepared_ends_with_it() {
    let mut server = Server::start_on_with(Arc::new(Backend::Sqlite.place()), ONCE);
    let mut client = server.client("owner");
    client.make_session("s");
    sync(&client, "s", 3);
    assert!(server.terminate().success());
    // A hidden branch with two floors, as a kill in the middle of a sync leaves it.
    let draft = "0199f000-0000-7000-8000-000000000001";
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time").as_millis();
    server.place.execute_stopped(&format!(
        "INSERT INTO branch (account_id, session_row, branch_row, id, created_at, variables)
            SELECT account_id, session_row, 900, CAST('{draft:.<257}' AS BLOB), 1, 0 FROM session;
         UPDATE floor SET branch_row = 900 WHERE floor_no > 0;
         INSERT INTO trash (account_id, session_row, id, deleted_at, kind, floors, pages, variables)
            SELECT account_id, session_row, '{draft}', -{now} + 1, 3, 0, 0, 0 FROM session;"
    ));
    server = Server::start_on_with(Arc::clone(&server.place), &["purge_interval_ms=20"]);
    client = client.through(&server);
    purged(&client);
    client.get("/floors?session_id=s").is(200).has_meta("total", 1);
    assert!(server.terminate().success());
    nothing_is_left(&server);
    server.place.run(&["check"]);
}

#[test]
fn what_an_older_program_put_into_the_trash_is_read_in_the_same_order() {
    for backend in Backend::BOTH {
        let server = Server::start_on_with(Arc::new(backend.place()), ONCE);
        let client = server.client("owner");
        client.make_session("s");
        let swipes = |number: usize| json!([{"content": format!("{number} a")}, {"content": format!("{number} b")}]);
        let floor = |number: usize| json!({"role": "user", "active": number % 2, "swipes": swipes(number)});
        let floors: Vec<Value> = (0..300).map(floor).collect();
        client.post("/sessions/s/sync", json!({"floors": floors})).is(200);
        let body = json!({"floors": &floors[..1], "max_deleted": 300});
        let trash = client.post("/sessions/s/sync", body).is(200).header("trash-id");
        let read = || {
            let offsets = [0, 90, 590];
            offsets.map(|offset| client.get(&format!("/trash/{trash}?limit=20&offset={offset}")).is(200).data())
        };
        let in_order = read();
        let texts = |at: usize| in_order[at].pointer("/pages").and_then(Value::as_array).expect("pages").clone();
        assert_eq!(texts(0)[3]["content"], "2 b");
        assert_eq!(texts(2).last().expect("the last page")["content"], "299 b");
        server.place.execute("UPDATE trash_row SET floor_no = NULL, version = NULL");
        assert_eq!(read(), in_order);
        server.place.execute("UPDATE trash_row SET host_row = NULL");
        assert_eq!(read(), in_order);
    }
}
