//! B68: every change is sent as it happens, in order, none skipped and none twice.

use crate::support::postgres::OpenTransaction;
use crate::support::{Client, ReceivedEvent, both, branch, chat, encode, floor, global, page};
use serde_json::{Value, json};

/// The beginning of everything that is kept.
const OLDEST: &str = "0-0";

fn names(events: &[ReceivedEvent]) -> Vec<&str> {
    events.iter().map(|event| event.name.as_str()).collect()
}

fn commit(client: &Client, floor: &str) {
    client.post(&format!("/floors/{floor}/generate"), json!({})).is(200);
    client.post(&format!("/floors/{floor}/commit"), json!({})).is(200);
}

/// A small life of a session, in which everything but its end happens.
fn live(client: &Client) {
    client.make("s");
    client.patch("/sessions/s", json!({"title": "y"})).is(200);
    client.make_page("s.f", "s.q", json!({"version": 1}));
    client.post("/pages/s.p/activate", json!({})).is(200);
    client.patch("/pages/s.q", json!({"content": "text"})).is(200);
    client.set(global(), "g", 1).is(201);
    client.set(chat("s"), "c", json!({"a": [1, null]})).is(201);
    client.set(chat("s"), "c", "new").is(200);
    client.set(branch("s", "main"), "b", Value::Null).is(201);
    client.set(floor("s.f"), "f", 2).is(201);
    // On a page that stays: values go with their hosts.
    client.set(page("s.p"), "p", 3).is(201);
    client.delete("/variables?scope=chat&scope_id=s&key=c").is(200);
    commit(client, "s.f");
    client.post("/floors/s.f/branch", json!({"branch_id": "alt/1"})).is(201);
    client.make_floor("s", "x", json!({"branch_id": "alt/1"}));
    client.patch("/floors/x", json!({"metadata": {}})).is(200);
    client.post("/floors/x/generate", json!({})).is(200);
    client.post("/floors/x/fail", json!({})).is(200);
    client.delete("/floors/x").is(200);
    client.delete(&format!("/branches/{}?session_id=s", encode("alt/1"))).is(200);
    client.delete("/pages/s.q").is(200);
}

#[test]
fn every_operation_emits_its_event_in_order() {
    both(|client| {
        client.case("B68");
        let mut listening = client.listen("", Some(OLDEST)).recorded();
        assert_eq!(listening.headers["content-type"], "text/event-stream");
        assert_eq!(listening.headers["cache-control"], "no-store");
        assert_eq!(listening.headers["x-accel-buffering"], "no");
        live(client);
        let mut events = listening.until(|event| event.name == "page.deleted");
        // The events of a session are deleted with it, so they are read first.
        client.delete("/sessions/s").is(200);
        assert_eq!(listening.names(1), ["session.deleted"]);
        assert!(events.is_sorted_by(|left, right| left.place() < right.place()));
        let wanted = [
            "session.created",
            "floor.created",
            "page.created",
            "session.updated",
            "page.created",
            "page.activated",
            "page.updated",
            "variable.set",
            "variable.set",
            "variable.set",
            "variable.set",
            "variable.set",
            "variable.set",
            "variable.deleted",
            "floor.generating",
        ];
        assert_eq!(names(&events)[..wanted.len()], wanted);
        let rest = events.split_off(wanted.len());
        let mut rest = names(&rest);
        rest.retain(|name| *name != "variable.promoted");
        let wanted = [
            "floor.committed",
            "branch.created",
            "floor.created",
            "floor.updated",
            "floor.generating",
            "floor.failed",
            "floor.deleted",
            "branch.deleted",
        ];
        assert_eq!(rest, wanted);
    });
}

#[test]
fn events_of_variables_say_what_was_written() {
    both(|client| {
        let mut listening = client.listen("", Some(OLDEST)).recorded();
        client.make("s");
        client.make_page("s.f", "s.o", json!({"page_no": 1}));
        listening.take(4);
        client.case("set");
        let id = client.set(branch("s", "main"), "route\n", json!({"to": ["camp", null]})).is(201).id();
        let event = listening.next().unwrap();
        assert_eq!(event.name, "variable.set");
        let entry = client.get(&format!("/variables/{id}")).is(200).data();
        assert_eq!(event.data, json!({"session_id": "s", "branch_id": "main", "entry": entry, "is_new": true}));
        client.set(branch("s", "main"), "route\n", Value::Null).is(200);
        let event = listening.next().unwrap();
        let entry = client.get(&format!("/variables/{id}")).is(200).data();
        assert_eq!(event.data, json!({"session_id": "s", "branch_id": "main", "entry": entry, "is_new": false}));
        client.case("deleted");
        client.delete(&format!("/variables/{id}")).is(200);
        let event = listening.next().unwrap();
        assert_eq!(event.name, "variable.deleted");
        let wanted = json!({"session_id": "s", "branch_id": "main", "id": id, "scope": "branch",
            "scope_id": "branch:s:main", "scope_ref": {"session_id": "s", "branch_id": "main"}, "key": "route\n"});
        assert_eq!(event.data, wanted);
        client.case("global");
        client.set(global(), "g", 7).is(201);
        let event = listening.next().unwrap();
        assert_eq!((&event.data["entry"]["value"], event.data.get("session_id")), (&json!(7), None));
        client.case("promoted");
        let staged = json!({"key": "mood", "op": "set", "value": "calm", "intent": "promote_to_chat_on_accept"});
        let staged = client.post("/pages/s.o/variables/staged", staged);
        let id = staged.is(201).id();
        let event = listening.next().unwrap();
        assert_eq!(event.name, "variable.staged");
        assert_eq!(event.data, json!({"session_id": "s", "branch_id": "main", "id": id, "page_id": "s.o"}));
        commit(client, "s.f");
        let events = listening.until(|event| event.name == "floor.committed");
        let hops: Vec<_> = events.iter().filter(|event| event.name == "variable.promoted").collect();
        for hop in &hops {
            assert_eq!((&hop.data["key"], &hop.data["value"]), (&json!("mood"), &json!("calm")));
        }
        let scopes = |hop: &&ReceivedEvent| [hop.data["from_scope"].clone(), hop.data["to_scope"].clone()];
        assert_eq!(scopes(&hops[0]), ["page", "floor"]);
    });
}

#[test]
fn who_listens_to_a_session_or_a_branch_hears_nothing_else() {
    both(|client| {
        let mut everything = client.listen("", Some(OLDEST));
        client.make("s");
        client.make("t");
        client.make_floor("s", "x", json!({"branch_id": "side"}));
        let mut session = client.listen("?session_id=s", Some(OLDEST)).recorded();
        let mut side = client.listen("?session_id=s&branch_id=side", Some(OLDEST)).recorded();
        let mut live_side = client.listen("?session_id=s&branch_id=side", None);
        for (host, key) in [
            (global(), "g"),
            (chat("t"), "c"),
            (branch("t", "main"), "b"),
            (chat("s"), "c"),
            (branch("s", "main"), "b"),
            (branch("s", "side"), "d"),
            (floor("t.f"), "f"),
            (floor("x"), "f"),
        ] {
            client.set(host, key, 1).is(201);
        }
        // Read before anything is deleted: values go with their hosts.
        client.patch("/sessions/s", json!({"title": "last"})).is(200);
        let all = everything.until(|event| event.name == "session.updated");
        let of = |name: &str, wanted: &str| -> Vec<ReceivedEvent> {
            all.iter().filter(|event| event.data[name] == wanted).cloned().collect()
        };
        assert_eq!(session.until(|event| event.name == "session.updated"), of("session_id", "s"));
        let of_branch = of("branch_id", "side");
        assert_eq!(side.take(of_branch.len()), of_branch);
        assert_eq!(live_side.take(2), of_branch[of_branch.len() - 2..]);
        client.case("a branch that is deleted");
        client.delete("/branches/side?session_id=s").is(200);
        for mut listening in [side, live_side] {
            assert_eq!(listening.names(1), ["branch.deleted"]);
            listening.ends("deleted");
        }
        client.case("a session that is deleted");
        assert_eq!(session.names(1), ["branch.deleted"]);
        client.delete("/sessions/s").is(200);
        assert_eq!(session.names(1), ["session.deleted"]);
        session.ends("deleted");
        client.case("what is not there");
        client.get("/events?session_id=s").refused(404, "session_not_found");
        client.get("/events?session_id=t&branch_id=side").refused(404, "branch_not_found");
    });
}

#[test]
fn a_session_made_again_under_the_same_id_has_listeners_of_its_own() {
    both(|client| {
        client.make_session("s");
        let mut old = client.listen("?session_id=s", None);
        client.delete("/sessions/s").is(200);
        client.make_session("s");
        // Begins before the first session's end, and hears only the second's life.
        let mut new = client.listen("?session_id=s", Some(OLDEST));
        client.set(chat("s"), "k", 1).is(201);
        assert_eq!(new.names(2), ["session.created", "variable.set"]);
        assert_eq!(old.until(|event| event.name == "session.deleted").len(), 0);
        old.ends("deleted");
    });
}

#[test]
fn who_comes_back_hears_exactly_the_rest() {
    both(|client| {
        live(client);
        client.make("t");
        client.delete("/sessions/t").is(200);
        client.set(chat("s"), "k", 1).is(201);
        // A turn is kept as one, and sent as four.
        client.post("/sessions/s/turns", json!({"role": "assistant", "content": "@.SET(\"a\", 1);"})).is(201);
        client.set(chat("s"), "k", 2).is(200);
        let all: Vec<ReceivedEvent> = client
            .events_so_far("", OLDEST)
            .into_iter()
            .filter(|event| !event.data.to_string().contains("mark-"))
            .collect();
        for (index, before) in all.iter().enumerate() {
            let rest: Vec<ReceivedEvent> = client
                .events_so_far("", &before.id)
                .into_iter()
                .filter(|event| !event.data.to_string().contains("mark-"))
                .collect();
            assert_eq!(rest, all[index + 1..], "behind {}", before.id);
        }
        client.case("the parameter does what the header does, and the header wins");
        let last = &all[all.len() - 2];
        let mut listening = client.listen(&format!("?last_event_id={}", last.id), None);
        assert_eq!(listening.next().as_ref(), all.last());
        let mut listening = client.listen(&format!("?last_event_id={OLDEST}"), Some(&last.id));
        assert_eq!(listening.next().as_ref(), all.last());
    });
}

#[test]
fn the_first_frame_is_where_to_come_back_to() {
    both(|client| {
        client.set(global(), "before", 1).is(201);
        let listening = client.listen("", None);
        let begun = listening.last_id.clone();
        drop(listening);
        client.set(global(), "after", 1).is(201);
        let events = client.events_so_far("", &begun);
        let keys: Vec<_> = events.iter().map(|event| event.data["entry"]["key"].as_str().unwrap()).collect();
        assert_eq!(keys, ["after"]);
    });
}

#[test]
fn a_stream_begins_behind_everything_that_was_there() {
    both(|client| {
        client.case("also if an event that stands before it could still appear");
        let transaction = OpenTransaction::begin();
        client.set(global(), "before", 1).is(201);
        let listening = client.connect("", None);
        client.set(global(), "after", 1).is(201);
        drop(transaction);
        let mut listening = listening.ready();
        let begun = listening.last_id.clone();
        let event = listening.next().expect("an event");
        assert_eq!(event.data["entry"]["key"], "after");
        client.case("who comes back to the beginning receives the same");
        assert_eq!(client.listen("", Some(&begun)).next(), Some(event));
    });
}

#[test]
fn only_the_wanted_names_are_sent() {
    both(|client| {
        let mut listening = client.listen("?types=variable.set,session.updated", Some(OLDEST));
        client.make("s");
        client.set(chat("s"), "k", 1).is(201);
        client.set(chat("s"), "k", 2).is(200);
        client.patch("/sessions/s", json!({"title": "y"})).is(200);
        assert_eq!(listening.names(3), ["variable.set", "variable.set", "session.updated"]);
        for bad in ["types=", "types=nonsense", "types=variable.set,", "types=variable.set&types=floor.created"] {
            client.get(&format!("/events?{bad}")).invalid_at("/types");
        }
    });
}

#[test]
fn a_bad_place_is_refused_before_the_stream_begins() {
    both(|client| {
        client.make_session("s");
        let bad = ["", "1", "-1", "1-", "a-b", "1-1-1", "+1-1", "01-1", "9223372036854775808-0", "null", "1-1 x"];
        for id in bad {
            let query = format!("/events?last_event_id={}", encode(id));
            client.get(&query).invalid_by("/last_event_id", "pattern");
            client.ask("GET", "/events").header("last-event-id", id).send().invalid_by("/Last-Event-ID", "pattern");
        }
        client.get(&format!("/events?last_event_id={OLDEST}&last_event_id={OLDEST}")).invalid_at("/last_event_id");
        client.get("/events?branch_id=main").invalid_by("", "required");
        client.get("/events?session_id=a%20b").invalid_at("/session_id");
        client.case("a place that this database never gave out");
        client.get("/events?last_event_id=9223372036854775807-0").refused(410, "events_purged");
    });
}

#[test]
fn a_key_that_is_taken_back_ends_its_streams() {
    both(|client| {
        let key = client.create_key("read", &[]);
        let other = client.create_key("read", &[]);
        let listening = client.with_key(&key.secret).listen("", None);
        let mut staying = client.with_key(&other.secret).listen("", Some(OLDEST));
        client.delete(&format!("/keys/{}", key.id)).is(200);
        listening.ends("key");
        client.make_session("s");
        assert_eq!(staying.names(1), ["session.created"]);
        client.case("an expired key");
        let expiring = client.create_key("read", &["--expires-in-ms", "3000"]);
        client.with_key(&expiring.secret).listen("", None).ends("key");
        client.case("an account that is deleted");
        client.delete(&format!("/account?confirm={}", client.account)).is(200);
        while staying.next().is_some() {}
    });
}

#[test]
fn a_story_emits_events_of_its_turns_and_states() {
    both(|client| {
        client.post("/sessions", json!({"id": "s", "template": {"gold": 5}})).is(201);
        let mut listening = client.listen("?session_id=s", None);
        let turn = |body: Value| client.post("/sessions/s/turns", body).is(201).data();
        let whole = ["floor.created", "page.created", "floor.committed", "state.computed"];
        client.case("a turn");
        let taken = turn(json!({"role": "assistant", "content": "@.ADD(\"gold\", 1);", "page_id": "p"}));
        let heard: Vec<ReceivedEvent> = (0..whole.len()).map(|_| listening.next().expect("an event")).collect();
        assert_eq!(names(&heard), whole);
        assert_eq!(heard[3].data["page_id"], "p");
        assert_eq!(heard[3].data["id"], taken["snapshot_id"]);
        assert_eq!(heard[3].data["branch_id"], "main");
        client.case("what a person says has no state");
        turn(json!({"role": "user", "content": "Well?"}));
        assert_eq!(listening.names(3), whole[..3]);
        client.case("another swipe, and back");
        turn(json!({"role": "assistant", "content": "No.", "swipe_of": taken["floor_id"]}));
        assert_eq!(listening.names(3), whole[1..]);
        client.post("/pages/p/activate", json!({})).is(200);
        assert_eq!(listening.names(1), ["page.activated"]);
        client.case("an edit by hand, and another text that is processed");
        let snapshot = taken["snapshot_id"].as_str().expect("a snapshot");
        client.put(&format!("/snapshots/{snapshot}"), json!({"state": {"gold": 0}})).is(200);
        client.patch("/pages/p", json!({"content": "@.ADD(\"gold\", 2);"})).is(200);
        client.post("/sessions/s/process", json!({"overwrite_edited": true})).is(200).has("/processed", 1);
        assert_eq!(listening.names(3), ["state.edited", "page.updated", "state.computed"]);
    });
}

#[test]
fn swipes_deleted_together_emit_events_in_order_with_those_activated_instead() {
    both(|client| {
        client.make("s");
        client.make("t");
        client.make_page("s.f", "b", json!({}));
        client.make_page("s.f", "c", json!({}));
        client.make_page("t.f", "d", json!({}));
        client.case("one that took over goes as well, and a page of another session in between");
        let gone = client.post("/pages/batch/delete", json!({"ids": ["c", "d", "x", "b", "c"]}));
        gone.is(200).has("/meta/deleted", 3);
        client.get("/pages/s.p").is(200).has("/is_active", true);
        client.get("/pages/t.p").is(200).has("/is_active", true);
        let events = client.events_so_far("", OLDEST);
        let events: Vec<_> = events
            .iter()
            .filter(|event| ["page.deleted", "page.activated"].contains(&event.name.as_str()))
            .map(|event| json!([event.name, event.data["id"], event.data["version"], event.data["is_active"]]))
            .collect();
        assert_eq!(
            events,
            [
                json!(["page.deleted", "c", 2, true]),
                json!(["page.activated", "b", 1, true]),
                json!(["page.deleted", "d", 1, true]),
                json!(["page.activated", "t.p", 0, true]),
                json!(["page.deleted", "b", 1, true]),
                json!(["page.activated", "s.p", 0, true]),
            ]
        );
    });
}

#[test]
fn a_long_sync_sends_an_event_for_each_floor_and_goes_on_anywhere_between_them() {
    both(|client| {
        client.post("/sessions", json!({"id": "s"})).is(201);
        let begin = client.listen("?session_id=s", None).last_id.clone();
        let floors: Vec<Value> =
            (0..300).map(|number| super::sync::said("user", &[&format!("m{number}")], 0)).collect();
        let floors = json!({"floors": floors, "max_deleted": 10});
        client.post("/sessions/s/sync", floors).is(200).has("/created", 300);
        let events = client.listen("?session_id=s", Some(&begin)).take(600);
        let created = |name: &str| events.iter().filter(|event| event.name == name).count();
        assert_eq!((created("floor.created"), created("page.created")), (300, 300));
        assert!(events.is_sorted_by(|left, right| left.place() < right.place()));
        client.case("each names its floor, in order");
        let listed = client.get("/floors?session_id=s&sort_order=asc&limit=100&offset=200").is(200).column("id");
        let named = events.iter().filter(|event| event.name == "floor.created").skip(200);
        assert_eq!(named.map(|event| event.data["id"].clone()).collect::<Vec<_>>(), listed);
        assert_eq!(events.iter().find(|event| event.name == "page.created").expect("a page").data["page_no"], 0);
        client.case("a listener that stopped between two of them gets the rest");
        for stopped in [0, 6, 254, 255, 256, 299, 300, 598] {
            let rest = client.listen("?session_id=s", Some(&events[stopped].id)).take(599 - stopped);
            assert_eq!(rest, events[stopped + 1..], "behind event {stopped}");
        }
    });
}
