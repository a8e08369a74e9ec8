//! Many clients at once: nothing is lost, nothing is half done.

use crate::support::tree::merge;
use crate::support::{Backend, Client, Server, chat, floor, write};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::{Arc, Barrier};

/// Tells a story on each database, each time on a server of its own.
pub(super) fn each(story: impl Fn(&Client)) {
    for backend in Backend::BOTH {
        let server = Server::start(backend.place());
        let client = server.client("crowd");
        client.case(&format!("{backend:?}"));
        story(&client);
    }
}

/// Runs the same work in many threads that start together and collects what they return.
pub(super) fn crowd<T: Send>(clients: &[Client], work: impl Fn(usize, &Client) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(clients.len());
    std::thread::scope(|scope| {
        let threads: Vec<_> = clients
            .iter()
            .enumerate()
            .map(|(index, client)| {
                let (start, work) = (&start, &work);
                scope.spawn(move || {
                    start.wait();
                    work(index, client)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread fails")).collect()
    })
}

fn increment(client: &Client) {
    let body = merge(chat("s"), json!({"key": "n"}));
    client.ask("POST", "/variables/increment").json(body).unrecorded().send().is_one_of(&[200, 201]);
}

#[track_caller]
fn counted(client: &Client, wanted: i64) {
    assert_eq!(client.get("/variables?key=n").is(200).column("value"), [json!(wanted)]);
}

#[test]
fn eight_clients_count_to_eight_hundred() {
    each(|client| {
        client.make_session("s");
        crowd(&vec![client.clone(); 8], |_, client| (0..100).for_each(|_| increment(client)));
        counted(client, 800);
    });
}

#[test]
fn two_processes_on_one_database_count_together() {
    let one = Server::start(Backend::Postgres.place());
    let other = Server::start_on(Arc::new(one.place.beside()));
    let client = one.client("crowd");
    client.make_session("s");
    let clients: Vec<Client> =
        (0..8).map(|index| if index % 2 == 0 { client.clone() } else { client.through(&other) }).collect();
    crowd(&clients, |_, client| (0..100).for_each(|_| increment(client)));
    counted(&client, 800);
    counted(&client.through(&other), 800);
}

#[test]
fn a_key_works_and_stops_working_in_every_process() {
    let one = Server::start(Backend::Postgres.place());
    let other = Server::start_on(Arc::new(one.place.beside()));
    let client = one.client("crowd");
    let made = client.post("/keys", json!({"name": "phone", "role": "write"}));
    let phone = client.with_key(made.is(201).data()["secret"].as_str().expect("a secret")).through(&other);
    phone.get("/account").is(200);
    client.delete(&format!("/keys/{}", made.id())).is(200);
    // A process may remember a key for a moment, not for long.
    phone.until("/account", |answer| answer.status == 403).refused(403, "auth_invalid_credentials");
}

#[test]
fn one_of_two_conditional_writers_is_refused() {
    each(|client| {
        client.make_session("s");
        for round in 0..20 {
            let tag = client.set(chat("s"), "k", round).is_one_of(&[200, 201]).etag();
            let statuses = crowd(&vec![client.clone(); 2], |index, client| {
                let body = write(chat("s"), "k", format!("{round} by {index}"));
                client.ask("PUT", "/variables").header("if-match", &tag).json(body).unrecorded().send().status
            });
            let mut sorted = statuses.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [200, 412]);
            let winner = statuses.iter().position(|status| *status == 200).unwrap();
            assert_eq!(client.get("/variables?key=k").column("value"), [json!(format!("{round} by {winner}"))]);
        }
    });
}

#[test]
fn one_of_many_creators_creates() {
    each(|client| {
        client.make_session("s");
        let created = crowd(&vec![client.clone(); 8], |index, client| {
            let body = write(chat("s"), "first", index);
            let variable = client.ask("PUT", "/variables").header("if-none-match", "*").json(body).unrecorded().send();
            let session = client.ask("POST", "/sessions").json(json!({"id": "same"})).unrecorded().send();
            variable.is_one_of(&[201, 412]);
            session.is_one_of(&[201, 409]);
            (u32::from(variable.status == 201), u32::from(session.status == 201))
        });
        let sum = created.into_iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        assert_eq!(sum, (1, 1));
    });
}

/// The items of one batch: the same value on ten keys of two sessions, in an order of its own.
fn batch(writer: usize, round: usize) -> Value {
    let mut items: Vec<Value> =
        (0..10).map(|key| write(chat(["s", "t"][key % 2]), &format!("k{key}"), format!("{writer}.{round}"))).collect();
    items.rotate_left(writer);
    if writer % 2 == 1 {
        items.reverse();
    }
    json!({"items": items})
}

#[test]
fn a_batch_is_seen_whole_or_not_at_all() {
    each(|client| {
        client.make_session("s");
        client.make_session("t");
        client.put("/variables/batch", batch(0, 0)).is(200);
        crowd(&vec![client.clone(); 6], |index, client| {
            for round in 0..25 {
                if index < 4 {
                    let answer = client.ask("PUT", "/variables/batch").json(batch(index, round)).unrecorded().send();
                    answer.is(200).has("/meta/total", 10);
                } else {
                    whole(client);
                }
            }
        });
        whole(client);
    });
}

/// All ten keys have one value.
#[track_caller]
fn whole(client: &Client) {
    let list = client.ask("GET", "/variables?prefix=k").unrecorded().send();
    let values: HashSet<String> = list.is(200).column("value").iter().map(Value::to_string).collect();
    list.must(values.len() == 1 && list.column("value").len() == 10, "one value on ten keys");
}

#[test]
fn positions_and_choices_stay_unique() {
    each(|client| {
        client.make("s");
        crowd(&vec![client.clone(); 6], |_, client| {
            for _ in 0..10 {
                let send = |path: &str, body: Value| client.ask("POST", path).json(body).unrecorded().send();
                send("/floors", json!({"session_id": "s"})).is(201);
                let page = send("/pages", json!({"floor_id": "s.f", "page_kind": "output"})).is(201).id();
                send(&format!("/pages/{page}/activate"), json!({})).is(200);
            }
        });
        let floors =
            client.get("/floors?session_id=s&branch_id=main&sort_order=asc&limit=100").is(200).column("floor_no");
        assert_eq!(floors, (0..61).map(|number| json!(number)).collect::<Vec<_>>());
        let pages = client.get("/pages?floor_id=s.f&sort_order=asc&limit=100");
        assert_eq!(pages.is(200).column("version"), (0..61).map(|number| json!(number)).collect::<Vec<_>>());
        assert_eq!(pages.column("is_active").iter().filter(|active| **active == json!(true)).count(), 1);
    });
}

#[test]
fn no_write_slips_past_a_lock() {
    each(|client| {
        client.make("s");
        let answers = crowd(&vec![client.clone(); 4], |index, client| {
            if index == 0 {
                client.post("/floors/s.f/generate", json!({})).is(200);
            }
            let put = |number: i32| {
                let body = write(floor("s.f"), &format!("k{index}"), number);
                client.ask("PUT", "/variables").json(body).unrecorded().send().status
            };
            (0..30).map(put).collect::<Vec<_>>()
        });
        for (index, statuses) in answers.iter().enumerate() {
            let written = statuses.iter().take_while(|status| **status != 409).count();
            assert!(statuses[written..].iter().all(|status| *status == 409), "a lock holds: {statuses:?}");
            assert!(index != 0 || written == 0, "whoever locked it sees the lock: {statuses:?}");
            let last = client.get(&format!("/variables?key=k{index}")).column("value");
            assert_eq!(last.first(), written.checked_sub(1).map(|number| json!(number)).as_ref());
        }
    });
}

#[test]
fn what_is_deleted_while_it_is_written_is_gone() {
    each(|client| {
        for round in 0..10 {
            let session = format!("s{round}");
            client.make_session(&session);
            crowd(&vec![client.clone(); 4], |index, client| {
                if index == 0 {
                    client.ask("DELETE", &format!("/sessions/{session}")).unrecorded().send().is(200);
                } else {
                    let body = write(chat(&session), "k", index);
                    client.ask("PUT", "/variables").json(body).unrecorded().send().is_one_of(&[200, 201, 404]);
                }
            });
            assert_eq!(client.count("k"), 0);
        }
    });
}
