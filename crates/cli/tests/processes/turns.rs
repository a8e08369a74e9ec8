//! Turns of many clients at once, sent again, and cut off: one turn is one change, whole or absent.

use super::concurrency::{crowd, each};
use crate::support::{Answer, Backend, Client, Server};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A turn that counts and leaves its own mark.
fn count(mark: &str) -> Value {
    let content = format!("@.ADD(\"n\", 1); @.APPEND(\"marks\", \"{mark}\");");
    json!({"role": "assistant", "content": content, "page_id": mark})
}

fn send(client: &Client, body: Value) -> Answer {
    client.ask("POST", "/sessions/s/turns").json(body).unrecorded().send()
}

fn begin(client: &Client) {
    client.post("/sessions", json!({"id": "s", "template": {"n": 0, "marks": []}})).is(201);
}

/// Everything that the branch tells: as many floors as turns, each mark once, every state one more than the one before.
#[track_caller]
fn expect_marks(client: &Client, marks: &BTreeSet<String>) {
    let state = client.ask("GET", "/sessions/s/state").unrecorded().send().is(200).data();
    assert_eq!(state["state"]["n"], json!(marks.len()), "nothing is lost and nothing is doubled");
    assert_eq!(state["fresh"], json!(true));
    let found = state["state"]["marks"].as_array().expect("marks");
    let found: BTreeSet<String> = found.iter().map(|mark| mark.as_str().unwrap_or_default().to_owned()).collect();
    assert_eq!(&found, marks);
    let path = "/sessions/s/history?path=n&limit=1000";
    let points = client.ask("GET", path).unrecorded().send().is(200).data()["points"].clone();
    let points = points.as_array().expect("points");
    let values: Vec<Value> = points.iter().map(|point| point["value"].clone()).collect();
    assert_eq!(values, (1..=marks.len()).map(Value::from).collect::<Vec<_>>());
    let floors: Vec<Value> = points.iter().map(|point| point["floor_no"].clone()).collect();
    assert_eq!(floors, (0..marks.len()).map(Value::from).collect::<Vec<_>>());
}

#[test]
fn racing_turns_are_taken_one_after_the_other() {
    each(|client| {
        begin(client);
        let taken = crowd(&vec![client.clone(); 4], |index, client| {
            let marks = (0..20).map(|round| format!("{index}.{round}"));
            let taken = marks.filter(|mark| {
                let answer = send(client, count(mark));
                answer.is_one_of(&[201, 409]);
                // Who is refused knows why and has left nothing.
                answer.must(answer.status == 201 || answer.code() == Some("parent_moved"), "a turn or a clear no");
                answer.status == 201
            });
            taken.collect::<Vec<_>>()
        });
        let marks: BTreeSet<String> = taken.into_iter().flatten().collect();
        assert!(marks.len() >= 20, "somebody always goes first");
        expect_marks(client, &marks);
    });
}

#[test]
fn one_of_two_who_build_on_the_same_page_is_refused() {
    each(|client| {
        begin(client);
        let mut parent = send(client, count("first")).is(201).data()["page_id"].clone();
        let mut marks = BTreeSet::from(["first".to_owned()]);
        for round in 0..10 {
            let answers = crowd(&vec![client.clone(); 2], |index, client| {
                let mut body = count(&format!("{round}.{index}"));
                body["expected_parent"] = parent.clone();
                send(client, body)
            });
            let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
            statuses.sort_unstable();
            assert_eq!(statuses, [201, 409]);
            for answer in &answers {
                match answer.status {
                    201 => parent = answer.data()["page_id"].clone(),
                    _ => drop(answer.refused(409, "parent_moved")),
                }
            }
            marks.insert(parent.as_str().expect("a page").to_owned());
        }
        expect_marks(client, &marks);
    });
}

#[test]
fn two_processes_tell_one_story() {
    let one = Server::start(Backend::Postgres.place());
    let other = Server::start_on(Arc::new(one.place.beside()));
    let client = one.client("crowd");
    begin(&client);
    let clients = [client.clone(), client.through(&other)];
    let taken = crowd(&clients, |index, client| {
        let marks = (0..20).map(|round| format!("{index}.{round}"));
        marks.filter(|mark| send(client, count(mark)).is_one_of(&[201, 409]).status == 201).collect::<Vec<_>>()
    });
    let marks = taken.into_iter().flatten().collect();
    expect_marks(&client, &marks);
    expect_marks(&client.through(&other), &marks);
}

#[test]
fn a_turn_that_is_sent_again_is_taken_once() {
    each(|client| {
        begin(client);
        let answers = crowd(&vec![client.clone(); 6], |index, client| match index % 2 {
            0 => send(client, count("by.page")),
            _ => {
                let mut body = count("by.key");
                body.as_object_mut().expect("an object").remove("page_id");
                client.ask("POST", "/sessions/s/turns").header("idempotency-key", "k").json(body).unrecorded().send()
            }
        });
        for group in 0..2 {
            let group: Vec<&Answer> = answers.iter().skip(group).step_by(2).collect();
            let heard = |answer: &&Answer| answer.is_one_of(&[200, 201]).data();
            assert!(group.iter().all(|answer| heard(answer) == heard(&group[0])), "everybody hears the same");
        }
        expect_marks(client, &["by.page".to_owned(), "by.key".to_owned()].into());
    });
}

#[test]
fn a_turn_is_taken_once_across_a_crash() {
    for backend in Backend::BOTH {
        let mut server = Server::start(backend.place());
        let mut client = server.client("crowd");
        client.case(&format!("{backend:?}"));
        begin(&client);
        let mut marks = BTreeSet::new();
        for round in 0..3 {
            let by_page = count(&format!("page.{round}"));
            let mut by_key = count(&format!("key.{round}"));
            by_key.as_object_mut().expect("an object").remove("page_id");
            let key = format!("k{round}");
            let twice = |client: &Client| {
                let keyed = client.ask("POST", "/sessions/s/turns").header("idempotency-key", &key);
                let keyed = keyed.json(by_key.clone()).unrecorded().send();
                let paged = send(client, by_page.clone());
                [keyed.is_one_of(&[200, 201]).data(), paged.is_one_of(&[200, 201]).data()]
            };
            let before = twice(&client);
            server.kill();
            server = Server::start_on(Arc::clone(&server.place));
            client = client.through(&server);
            assert_eq!(twice(&client), before, "the same is heard after a crash");
            marks.extend([format!("page.{round}"), format!("key.{round}")]);
            expect_marks(&client, &marks);
        }
    }
}
