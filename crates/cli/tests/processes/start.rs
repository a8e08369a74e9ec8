//! When the program refuses to start, and what it says then.

use crate::support::log::Log;
use crate::support::place::said;
use crate::support::postgres;
use crate::support::server::address_in;
use crate::support::{Backend, Client, Place, Server, global, undertaker};
use serde_json::Value;
use std::process::Stdio;
use std::sync::Arc;

/// The program ends with an error that has these words in it, and does not start to serve.
#[track_caller]
fn refuses(place: &Place, words: &[&str], reason: &str) {
    let (mut child, log) = place.spawn(words);
    let serves = log.wait_for(address_in);
    // It has ended by itself unless it serves.
    drop(child.kill());
    let status = child.wait().expect("the program can be waited for");
    undertaker::dead(&child);
    let all = log.tail();
    assert!(serves.is_none() && !status.success(), "it should not have worked: {all}");
    assert!(all.to_lowercase().contains(reason), "no word of {reason:?} in: {all}");
    assert!(!all.contains("panicked"), "{all}");
}

#[test]
fn a_data_folder_belongs_to_one_process() {
    let server = Server::start(Place::sqlite());
    refuses(&server.place, &["serve", "--listen", "127.0.0.1:0"], "served by");
}

#[test]
fn the_network_is_for_those_with_keys() {
    refuses(&Place::sqlite(), &["serve", "--listen", "0.0.0.0:0"], "key");
}

#[test]
fn without_keys_loopback_is_one_account() {
    let server = Server::start_on(Arc::new(Place::sqlite()));
    let anybody = Client::new(&server, "default-admin");
    anybody.get("/account").is(200).has("/account_id", "default-admin");
    anybody.set(global(), "k", 1).is(201);
    // From the first key on, keys count.
    server.place.create_account("somebody");
    server.place.create_key("somebody", "read", &[]);
    anybody.until("/account", |answer| answer.status == 401).refused(401, "auth_required");
}

#[test]
fn a_key_counts_from_the_moment_it_is_made() {
    for backend in Backend::BOTH {
        let server = Server::start_on(Arc::new(backend.place()));
        let anybody = Client::new(&server, "default-admin");
        anybody.case(&format!("{backend:?}"));
        anybody.set(global(), "k", "of nobody").is(201);
        // The command line makes the first key while the server believes that there is none.
        let somebody = server.client("somebody");
        somebody.case(&format!("{backend:?}"));
        somebody.get("/account").is(200).has("/account_id", "somebody");
        somebody.set(global(), "k", "of somebody").is(201);
        somebody.with_key("tk_wrong").get("/account").refused(403, "auth_invalid_credentials");
    }
}

#[test]
fn nonsense_is_explained() {
    let place = Place::sqlite();
    refuses(&place, &["serve", "--listen", "nonsense"], "listen");
    refuses(&place, &["account", "create", "no good"], "id");
    refuses(&place, &["account", "key", "create", "--account", "nobody", "--role", "read", "--name", "n"], "not found");
    refuses(
        &place,
        &["serve", "--listen", "127.0.0.1:0", "--database-url", "postgres://nobody@127.0.0.1:1/x"],
        "database",
    );
}

#[test]
fn the_document_needs_no_server() {
    let server = Server::start(Place::sqlite());
    let served = Client::new(&server, "default-admin").get("/openapi.json");
    let output = server.place.bare_command(&["openapi"]).output().expect("the program can be started");
    let printed: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)));
    assert_eq!(served.is(200).body, printed);
}

#[test]
fn an_empty_database_gets_a_small_conversation_once() {
    let place = Arc::new(Place::sqlite());
    for start in 0..2 {
        let (mut child, log) = place.spawn(&["serve", "--demo", "--listen", "127.0.0.1:0"]);
        let address = log.wait_for(address_in).unwrap_or_else(|| panic!("start {start}: {}", log.tail()));
        tavernkeep_runtime::https::use_ring();
        let get = |path: &str| reqwest::blocking::get(format!("{address}{path}")).unwrap().text().unwrap();
        let sessions: Value = serde_json::from_str(&get("/sessions")).unwrap();
        assert_eq!(sessions["meta"]["total"], 2, "start {start}: {sessions}");
        let counts: Vec<&Value> = sessions["data"].as_array().unwrap().iter().map(|one| &one["floor_count"]).collect();
        assert_eq!(counts, [5, 6], "start {start}");
        let resolved = get("/variables/resolve?session_id=demo&branch_id=main");
        assert!(resolved.contains(r#""key":"gold","value":500"#), "{resolved}");
        assert!(get("/").contains("/docs/"), "the page links to the API document");
        // What the console shows of each kind of thing.
        for (path, expected) in [
            ("/characters/yuki", "a light burns upstairs"),
            ("/functions?scope=character&character_id=yuki", "affinity in range"),
            ("/sessions/demo/state", r#""silver":26"#),
            ("/sessions/demo/transcript", r#""edited":true"#),
            ("/sessions/demo/approvals", r#""tool":"random""#),
            ("/variables?key=shelter", "the fireside"),
            ("/global-snapshots/demo-inn", "storm"),
            ("/sessions/demo-memory/memory", "老铁匠"),
        ] {
            let found = get(path);
            assert!(found.contains(expected), "{path}: {found}");
        }
        drop(child.kill());
        child.wait().expect("the program can be waited for");
        undertaker::dead(&child);
    }
}

#[test]
fn shells_are_helped_along() {
    for shell in ["bash", "zsh", "fish"] {
        let output =
            Place::sqlite().bare_command(&["completions", shell]).output().expect("the program can be started");
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(output.status.success() && text.contains("tavernkeep") && text.contains("backup"), "{shell}: {text}");
    }
}

/// Everybody on a machine can read what its programs were started with.
#[test]
fn a_database_url_in_a_file_is_not_in_the_list_of_processes() {
    let database = postgres::Database::fresh();
    let url = database.url.replace("postgres@", "postgres:a-secret-word@");
    assert!(url.contains("a-secret-word"), "{url}");
    let place = Place::sqlite();
    let file = place.file("database-url");
    std::fs::write(&file, url).expect("it can be written");
    let mut command = place.bare_command(&["serve", "--listen", "127.0.0.1:0", "--data"]);
    command.arg(place.data()).arg("--database-url-file").arg(&file);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the program can be started");
    undertaker::born(&child);
    let log = Log::of(child.stderr.take().expect("its error output is a pipe"));
    assert!(log.wait_for(address_in).is_some(), "it serves: {}", log.tail());
    let words = std::fs::read_to_string(format!("/proc/{}/cmdline", child.id())).expect("a process");
    let environment = std::fs::read_to_string(format!("/proc/{}/environ", child.id())).expect("a process");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    undertaker::dead(&child);
    assert!(words.contains("--database-url-file"), "{words}");
    for shown in [words, environment, log.tail()] {
        assert!(!shown.contains("a-secret-word"), "{shown}");
    }
}
