//! `Idempotency-Key`: a write that is sent again is answered again and happens once. The routes come from
//! `/openapi.json`, so a new one is tested by itself.

use super::tenancy::{Ids, QUESTIONS, Route, inventory, requests, routes};
use crate::support::{Answer, Backend, Client, Server, both, chat, global, write};
use serde_json::{Value, json};
use std::sync::{Arc, Barrier};

/// Sends a request under an idempotency key.
fn under(client: &Client, key: &str, method: &str, path: &str, body: Option<&Value>) -> Answer {
    let ask = client.ask(method, path).header("idempotency-key", key).unrecorded();
    match body {
        Some(body) => ask.json(body.clone()).send(),
        None => ask.send(),
    }
}

#[track_caller]
fn same(first: &Answer, again: &Answer) {
    again.must(first.status == again.status && first.text == again.text, &format!("{} {}", first.status, first.text));
    again.must(first.headers.get("etag") == again.headers.get("etag"), "the same ETag");
    again.must(!first.headers.contains_key("idempotency-replayed"), "the first one is not a repetition");
    again.must(again.headers.get("idempotency-replayed").is_some_and(|it| it == "true"), "idempotency-replayed: true");
}

/// Whether a route changes something, and leaves somebody who could ask again.
fn repeatable(route: &Route) -> bool {
    let changes = route.method != "GET" && !QUESTIONS.contains(&route.path.as_str());
    // Whoever deletes their account has no key left; an open server's account is another story.
    changes && route.path != "/account"
}

#[test]
fn every_write_happens_once_under_its_key() {
    both(|client| {
        for (number, route) in routes(client).iter().filter(|route| repeatable(route)).enumerate() {
            let name = format!("{} {}", route.method, route.path);
            client.case(&name);
            let owner = client.newcomer(&format!("once-{number}"));
            let ids = match route.path.starts_with("/jobs") {
                true => Ids::furnish_with_job(&owner),
                false => Ids::furnish(&owner),
            };
            let (query, body) = requests(route, &ids).remove(0);
            let path = format!("{}{query}", ids.fill(&route.path));
            let send = |body: Option<&Value>| under(&owner, "k-1", &route.method, &path, body);
            let first = send(body.as_ref());
            let after = everything(&owner, &ids);
            same(&first, &send(body.as_ref()));
            assert_eq!(everything(&owner, &ids), after, "{name} happened twice");
            // The same in other letters is another request, whatever a route makes of a body that it does not want.
            let other = body.map_or_else(|| "{}".to_owned(), |body| format!(" {body}"));
            let ask = owner.ask(&route.method, &path).header("idempotency-key", "k-1").unrecorded();
            ask.text("application/json", other).send().refused(422, "idempotency_key_reused");
            assert_eq!(everything(&owner, &ids), after, "{name} happened although its key was used");
        }
    });
}

/// What an account has, its keys too, and what is gone as gone.
fn everything(client: &Client, ids: &Ids) -> Vec<String> {
    let session = client.ask("GET", &ids.fill("/sessions/{id}")).unrecorded().send();
    let floor = client.ask("GET", &ids.fill("/floors/{id}")).unrecorded().send();
    let page = client.ask("GET", &ids.fill("/pages/{id}")).unrecorded().send();
    let state = client.ask("GET", &ids.fill("/sessions/{id}/state")).unrecorded().send();
    let snapshot = client.ask("GET", &ids.fill("/snapshots/{id}")).unrecorded().send();
    let keys = client.ask("GET", "/keys").unrecorded().send();
    let whole = [&session, &floor, &page, &snapshot].iter().all(|answer| answer.status == 200);
    let mut all = vec![session.text, floor.text, page.text, state.text, snapshot.text, keys.text];
    if whole {
        all.extend(inventory(client, ids));
    }
    all
}

#[test]
fn every_write_documents_the_header() {
    both(|client| {
        let document = client.get("/openapi.json");
        for route in routes(client) {
            let operation = &document.body["paths"][&route.path][route.method.to_lowercase()];
            let named = operation["parameters"].as_array().into_iter().flatten().any(|parameter| {
                let shared = parameter["$ref"].as_str().map(|at| at.trim_start_matches('#'));
                let parameter = shared.map_or(Some(parameter), |at| document.body.pointer(at)).expect("it is there");
                parameter["name"] == "Idempotency-Key" && parameter["in"] == "header"
            });
            let writes = route.method != "GET" && !QUESTIONS.contains(&route.path.as_str());
            assert_eq!(named, writes, "{} {}", route.method, route.path);
        }
    });
}

#[test]
fn a_key_is_visible_ascii() {
    both(|client| {
        client.case("keys that are none");
        let body = write(global(), "k", 1);
        for bad in ["", "a b", "é", &"k".repeat(256)] {
            let ask = client.ask("PUT", "/variables").header("idempotency-key", bad);
            ask.json(body.clone()).send().invalid_at("idempotency-key");
        }
        let twice = client.ask("PUT", "/variables").header("idempotency-key", "a").header("idempotency-key", "b");
        twice.json(body.clone()).send().invalid_at("idempotency-key");
        assert_eq!(client.count("k"), 0);
        under(client, &"k".repeat(255), "PUT", "/variables", Some(&body)).is(201);
        client.case("reads have no use for one");
        client.ask("GET", "/variables").header("idempotency-key", "a b").send().is(200);
    });
}

#[test]
fn refusals_are_repeated_and_mistakes_are_not() {
    both(|client| {
        client.case("a refusal stands, whatever happened since");
        let body = write(chat("s"), "k", 1);
        let refused = under(client, "one", "PUT", "/variables", Some(&body));
        refused.refused(404, "variable_host_not_found");
        client.make_session("s");
        same(&refused, &under(client, "one", "PUT", "/variables", Some(&body)));
        assert_eq!(client.count("k"), 0);
        under(client, "two", "PUT", "/variables", Some(&body)).is(201);

        client.case("a request that was not understood leaves its key free");
        let nameless = write(chat("s"), "", 1);
        under(client, "three", "PUT", "/variables", Some(&nameless)).invalid_at("/key");
        under(client, "three", "PUT", "/variables", Some(&write(chat("s"), "n", 1))).is(201);

        client.case("path and query are part of the request");
        under(client, "four", "DELETE", "/variables?scope=chat&scope_id=s&key=k", None).is(200);
        let other = under(client, "four", "DELETE", "/variables?scope=chat&scope_id=s&key=n", None);
        other.refused(422, "idempotency_key_reused");
        assert_eq!(client.count("n"), 1);

        client.case("accounts have keys of their own");
        let stranger = client.stranger();
        under(&stranger, "two", "PUT", "/variables", Some(&write(global(), "mine", 1))).is(201);
    });
}

#[test]
fn a_secret_is_repeated_for_its_request_and_for_no_other() {
    both(|client| {
        client.case("a key that was made once");
        let body = json!({"name": "phone", "role": "admin"});
        let made = under(client, "k", "POST", "/keys", Some(&body));
        same(&made, &under(client, "k", "POST", "/keys", Some(&body)));
        let phone = client.with_key(made.is(201).data()["secret"].as_str().expect("a secret"));
        phone.get("/account").is(200);
        under(&phone, "k", "POST", "/keys", Some(&body)).refused(422, "idempotency_key_reused");
        assert_eq!(client.get("/keys").column("name").iter().filter(|name| *name == "phone").count(), 1);
    });
}

#[test]
fn an_account_without_keys_is_emptied_once() {
    for backend in Backend::BOTH {
        let server = Server::start_on(Arc::new(backend.place()));
        let anybody = Client::new(&server, "default-admin");
        anybody.case(&format!("{backend:?}"));
        anybody.make("s");
        let path = "/account?confirm=default-admin";
        let first = under(&anybody, "k", "DELETE", path, None);
        first.is(200);
        anybody.make("t");
        same(&first, &under(&anybody, "k", "DELETE", path, None));
        anybody.get("/sessions").is(200).has_meta("total", 1);
    }
}

#[test]
fn a_turn_is_taken_once_whatever_happened_since() {
    both(|client| {
        client.post("/sessions", json!({"id": "s", "template": {"gold": 5}})).is(201);
        let turn = json!({"role": "assistant", "content": "@.ADD(\"gold\", 1);", "include_state": true});
        let send = |key: &str| under(client, key, "POST", "/sessions/s/turns", Some(&turn));
        client.case("the first of the story, and another one");
        let (first, second) = (send("k-1"), send("k-2"));
        first.is(201).has("/state/gold", 6);
        second.is(201).has("/state/gold", 7);
        client.case("the template, the profile and a state are other ones now");
        client.patch("/sessions/s", json!({"template": {"gold": 70}, "profile": {"dialects": ["mvu"]}})).is(200);
        let snapshot = format!("/snapshots/{}", second.data()["snapshot_id"].as_str().expect("a snapshot"));
        let put = |key: &str| under(client, key, "PUT", &snapshot, Some(&json!({"state": {"gold": 0}})));
        let edited = put("k-3");
        edited.is(200).has("/edited", true);
        same(&first, &send("k-1"));
        same(&second, &send("k-2"));
        same(&edited, &put("k-3"));
        client.get("/floors?session_id=s").is(200).has_meta("total", 2);
        client.get("/sessions/s/state").is(200).has("/state/gold", 0);
        client.case("processing gives the last state another name once");
        let latest = json!({"mode": "latest", "overwrite_edited": true});
        let process = || under(client, "k-4", "POST", "/sessions/s/process", Some(&latest));
        let name = || client.ask("GET", "/sessions/s/state").unrecorded().send().data()["snapshot_id"].clone();
        let (processed, renamed) = (process(), name());
        processed.is(200).has("/processed", 1);
        same(&processed, &process());
        assert_eq!(name(), renamed);
        client.case("with its session the turn is gone");
        client.delete("/sessions/s").is(200);
        send("k-1").refused(404, "session_not_found");
    });
}

#[test]
fn a_crowd_with_one_key_has_one_effect() {
    let postgres = Server::start(Backend::Postgres.place());
    let beside = Server::start_on(Arc::new(postgres.place.beside()));
    let sqlite = Server::start(Backend::Sqlite.place());
    for (one, other) in [(&sqlite, &sqlite), (&postgres, &beside)] {
        let client = one.client("crowd");
        client.make_session("s");
        let body = json!({"scope": "chat", "scope_id": "s", "key": "n"});
        for round in 0..20 {
            let start = Barrier::new(8);
            let answers: Vec<Answer> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..8)
                    .map(|index| {
                        let client = if index % 2 == 0 { client.clone() } else { client.through(other) };
                        let (start, body) = (&start, &body);
                        scope.spawn(move || {
                            start.wait();
                            under(&client, &format!("r-{round}"), "POST", "/variables/increment", Some(body))
                        })
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().expect("no thread fails")).collect()
            });
            answers.iter().for_each(|answer| {
                answer.is_one_of(&[200, 201]).has("/value", round + 1);
            });
            let firsts = answers.iter().filter(|answer| !answer.headers.contains_key("idempotency-replayed")).count();
            assert_eq!(firsts, 1, "one of them was first");
        }
    }
}
