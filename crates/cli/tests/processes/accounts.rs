//! The life and end of accounts, across processes and restarts.

use crate::support::place::said;
use crate::support::{Backend, Client, Place, Server, chat, global};
use serde_json::json;
use std::sync::Arc;

const RESOLVE: &str = "/variables/resolve?session_id=s";

#[test]
fn an_account_made_again_has_nothing_of_the_old_one() {
    for backend in Backend::BOTH {
        let server = Server::start(backend.place());
        let first = server.client("tenant");
        first.case(&format!("{backend:?}"));
        first.make("s");
        first.set(chat("s"), "secret", "of the first").is(201);
        let tag = first.get(RESOLVE).is(200).etag();
        server.place.run(&["account", "delete", "tenant", "--yes"]);
        first.get("/account").refused(403, "auth_invalid_credentials");

        // The same names and the same number of writes: nothing of it may be taken for the old.
        let second = server.client("tenant");
        second.case(&format!("{backend:?}, made again"));
        second.make("s");
        second.set(chat("s"), "secret", "of the second").is(201);
        let answer = second.ask("GET", RESOLVE).header("if-none-match", &tag).send();
        answer.is(200).has("/resolved/0/value", "of the second");
    }
}

#[test]
fn the_default_account_is_emptied_and_goes_on() {
    for backend in Backend::BOTH {
        let server = Server::start_on(Arc::new(backend.place()));
        let anybody = Client::new(&server, "default-admin");
        anybody.case(&format!("{backend:?}"));
        anybody.make("s");
        anybody.set(global(), "k", 1).is(201);
        anybody.delete("/account?confirm=somebody-else").refused(409, "confirmation_mismatch");
        anybody.delete("/account?confirm=default-admin").is(200);
        anybody.get("/variables").is(200).has_meta("total", 0);
        anybody.get("/sessions").is(200).has_meta("total", 0);
        anybody.set(global(), "k", 2).is(201);
        anybody.make("s");
    }
}

#[test]
fn a_door_that_was_closed_stays_closed() {
    for backend in Backend::BOTH {
        let place = Arc::new(backend.place());
        let mut server = Server::start_on(Arc::clone(&place));
        let owner = server.client("owner");
        owner.case(&format!("{backend:?}"));
        owner.delete("/account?confirm=owner").is(200);
        server.terminate();
        // No key is left, but there was one.
        let again = Server::start_on(place);
        Client::new(&again, "default-admin").get("/account").refused(401, "auth_required");
    }
}

#[test]
fn an_export_is_of_an_account_that_exists() {
    for backend in Backend::BOTH {
        let server = Server::start(backend.place());
        let client = server.client("owner");
        client.make("s");
        client.set(chat("s"), "k", json!({"deep": [1, 2.5, "三"]})).is(201);
        let lines = server.place.run(&["account", "export", "owner"]);
        assert!(lines.contains(r#""value":{"deep":[1,2.5,"三"]}"#), "{lines}");
        assert_eq!(client.get("/account/export").is(200).text.trim(), lines.trim());
        let nobody = server.place.output(&["account", "export", "nobody"]);
        assert!(!nobody.status.success() && said(&nobody).contains("not found"), "{}", said(&nobody));
    }
}

#[test]
fn an_export_overwrites_no_file_and_says_which() {
    let server = Server::start(Place::sqlite());
    let file = server.place.file("account.jsonl");
    let name = file.to_str().expect("a plain path");
    let missing = server.place.output(&["account", "export", "nobody", "--output", name]);
    assert!(!missing.status.success() && !file.exists(), "what fails at once leaves no file: {}", said(&missing));
    server.place.run(&["account", "export", "default-admin", "--output", name]);
    let written = std::fs::read(&file).expect("it was written");
    let again = server.place.output(&["account", "export", "default-admin", "--output", name]);
    let all = said(&again);
    assert!(!again.status.success() && all.contains(name) && all.contains("name a file that does not"), "{all}");
    assert_eq!(std::fs::read(&file).expect("it is there"), written);
    let nowhere = server.place.file("nowhere/account.jsonl");
    let nowhere = nowhere.to_str().expect("a plain path");
    let output = server.place.output(&["account", "export", "default-admin", "--output", nowhere]);
    assert!(!output.status.success() && said(&output).contains(nowhere), "{}", said(&output));
}
