//! Decision 10: conditional writes, deletion by target and in batches, counting.

use crate::support::tree::merge;
use crate::support::{Client, both, branch, chat, floor, global, write};
use serde_json::{Value, json};

fn put_if(client: &Client, condition: (&str, &str), value: i64) -> crate::support::Answer {
    let body = write(chat("s"), "k", value);
    client.ask("PUT", "/variables").header(condition.0, condition.1).json(body).send()
}

#[test]
fn a_write_can_depend_on_what_was_read() {
    both(|client| {
        client.make_session("s");
        client.case("If-Match before there is anything");
        put_if(client, ("if-match", "*"), 0).refused(412, "precondition_failed");
        assert_eq!(client.count("k"), 0);

        client.case("If-None-Match: * creates once");
        let made = put_if(client, ("if-none-match", "*"), 1);
        made.is(201);
        put_if(client, ("if-none-match", "*"), 2).refused(412, "precondition_failed");

        client.case("If-Match with the tag");
        let path = format!("/variables/{}", made.id());
        let read = client.get(&path);
        assert_eq!(read.is(200).has("/value", 1).etag(), made.etag());
        let changed = put_if(client, ("if-match", &made.etag()), 3);
        changed.is(200).has("/value", 3);
        changed.must(changed.etag() != made.etag(), "another tag");
        put_if(client, ("if-match", &made.etag()), 4).refused(412, "precondition_failed");
        put_if(client, ("if-match", "\"nonsense\""), 4).refused(412, "precondition_failed");
        put_if(client, ("if-match", "*"), 5).is(200);

        client.case("a write with the same value is a write");
        let again = client.set(chat("s"), "k", 5);
        again.is(200);
        again.must(again.etag() != changed.etag(), "another tag");

        client.case("a tag does not survive its variable");
        client.delete(&path).is(200);
        let reborn = client.set(chat("s"), "k", 5);
        put_if(client, ("if-match", &again.etag()), 6).refused(412, "precondition_failed");
        put_if(client, ("if-match", &reborn.etag()), 6).is(200);
    });
}

#[test]
fn a_deletion_can_depend_on_what_was_read() {
    both(|client| {
        client.make_session("s");
        let old = client.set(chat("s"), "k", 1);
        let new = client.set(chat("s"), "k", 2);
        for path in [format!("/variables/{}", old.id()), "/variables?scope=chat&scope_id=s&key=k".to_owned()] {
            client.case("a stale tag deletes nothing");
            client.ask("DELETE", &path).header("if-match", &old.etag()).send().refused(412, "precondition_failed");
        }
        client.case("the present tag deletes");
        let path = format!("/variables/{}", new.id());
        client.ask("DELETE", &path).header("if-match", &new.etag()).send().is(200);
        assert_eq!(client.count("k"), 0);
    });
}

#[test]
fn a_variable_can_be_deleted_by_its_address() {
    both(|client| {
        client.make("s");
        let address = |query: &str| client.delete(&format!("/variables?{query}"));
        for (host, query) in [
            (global(), "scope=global&scope_id=global&key=k"),
            (chat("s"), "scope=chat&scope_id=s&key=k"),
            (branch("s", "main"), "scope=branch&session_id=s&branch_id=main&key=k"),
            (branch("s", "main"), "scope=branch&scope_id=branch:s:main&key=k"),
            (floor("s.f"), "scope=floor&scope_id=s.f&key=k"),
        ] {
            client.case(&format!("DELETE /variables?{query}"));
            let id = client.set(host, "k", 1).is(201).id();
            address(query).is(200).has("", json!({"id": id, "deleted": true}));
            address(query).refused(404, "variable_not_found");
        }
        client.case("DELETE /variables needs an address");
        client.set(chat("s"), "k", 1).is(201);
        address("scope=chat&scope_id=s").refused(400, "validation_error");
        address("scope=chat&key=k").refused(400, "validation_error");
        address("key=k").refused(400, "validation_error");
        address("").refused(400, "validation_error");
        address("scope=chat&scope_id=x&key=k").is(404);
        assert_eq!(client.count("k"), 1);
    });
}

#[test]
fn many_variables_can_be_deleted_at_once() {
    both(|client| {
        client.make("s");
        let ids: Vec<String> = ["a", "b", "c"].iter().map(|key| client.set(chat("s"), key, 1).is(201).id()).collect();

        client.case("batch delete by id");
        let answer = client.post("/variables/batch/delete", json!({"ids": [ids[0], "x"]}));
        answer.is(200).has("/results/0", json!({"index": 0, "id": ids[0], "deleted": true}));
        answer
            .has("/results/1/index", 1)
            .has("/results/1/deleted", false)
            .has("/meta", json!({"total": 2, "deleted": 1}));

        client.case("batch delete by address");
        let items =
            json!({"items": [merge(chat("s"), json!({"key": "b"})), merge(chat("s"), json!({"key": "nothing"}))]});
        let answer = client.post("/variables/batch/delete", items);
        answer.is(200).has("/results/0", json!({"index": 0, "id": ids[1], "deleted": true}));
        answer.has("/results/1/index", 1).has("/results/1/deleted", false).has("/results/1/id", Value::Null);
        answer.has("/meta", json!({"total": 2, "deleted": 1}));
        assert_eq!(client.get("/variables").column("key"), [json!("c")]);

        client.case("a batch is deleted whole or not at all");
        client.make_floor("s", "g", json!({}));
        let locked = client.set(floor("g"), "locked", 1).is(201).id();
        client.post("/floors/g/generate", json!({})).is(200);
        client.post("/variables/batch/delete", json!({"ids": [ids[2], locked]})).refused(409, "variable_target_locked");
        assert_eq!(client.count("c"), 1);

        client.case("batch delete of nothing, of too much, of what is unclear");
        for bad in
            [json!({}), json!({"ids": []}), json!({"items": []}), json!({"ids": vec!["x"; 101]}), json!({"ids": [1]})]
        {
            client.post("/variables/batch/delete", bad).refused(400, "validation_error");
        }
        assert_eq!(client.count("c"), 1);
    });
}

fn count_up(client: &Client, key: &str, more: Value) -> crate::support::Answer {
    client.post("/variables/increment", merge(merge(chat("s"), json!({"key": key})), more))
}

#[test]
fn a_number_is_counted_up() {
    both(|client| {
        client.make_session("s");
        client.case("increment of what is absent");
        let made = count_up(client, "n", json!({}));
        made.is(201).has("/value", 1).has("/key", "n").has("/scope_id", "s");
        count_up(client, "from", json!({"initial": 10, "by": 5})).is(201).has("/value", 15);

        client.case("increment of an integer");
        count_up(client, "n", json!({})).is(200).has("/value", 2).has("/id", made.id());
        count_up(client, "n", json!({"by": 40, "initial": 1000})).is(200).has("/value", 42);
        count_up(client, "n", json!({"by": -50})).is(200).has("/value", -8);
        count_up(client, "n", json!({"by": 0})).is(200).has("/value", -8);
        client.get(&format!("/variables/{}", made.id())).is(200).has("/value", -8);

        client.case("increment of a double");
        client.set(chat("s"), "d", 1.5).is(201);
        count_up(client, "d", json!({"by": 0.25})).is(200).has("/value", 1.75);
        assert_eq!(count_up(client, "d", json!({"by": 0.25})).is(200).raw_value(), "2");
        assert_eq!(count_up(client, "d", json!({"by": 3})).is(200).raw_value(), "5");

        client.case("increment beyond what a double holds exactly");
        client.set(chat("s"), "large", 9_007_199_254_740_993_i64).is(201);
        assert_eq!(count_up(client, "large", json!({"by": 2})).is(200).raw_value(), "9007199254740995");
    });
}

#[test]
fn what_cannot_be_counted_is_left_alone() {
    both(|client| {
        client.make_session("s");
        client.case("increment of what is no number");
        for (index, value) in
            [json!("7"), json!(null), json!(true), json!([1]), json!({"n": 1})].into_iter().enumerate()
        {
            let key = format!("k{index}");
            let id = client.set(chat("s"), &key, value.clone()).is(201).id();
            count_up(client, &key, json!({})).refused(409, "variable_not_a_number");
            client.get(&format!("/variables/{id}")).is(200).has("/value", value);
        }
        client.case("a sum that leaves 64 bits or is not finite");
        for (key, value, by) in [
            ("most", json!(u64::MAX), json!(1)),
            ("least", json!(i64::MIN), json!(-1)),
            ("huge", json!(1.7e308), json!(1.7e308)),
        ] {
            let id = client.set(chat("s"), key, value.clone()).is(201).id();
            count_up(client, key, json!({"by": by})).is_one_of(&[409]);
            client.get(&format!("/variables/{id}")).is(200).has("/value", value);
        }
        client.case("increment by what is no number");
        for by in [json!("1"), json!([]), json!(true)] {
            count_up(client, "never", json!({"by": by})).refused(400, "validation_error");
        }
        count_up(client, "never", json!({"initial": "0"})).refused(400, "validation_error");
        assert_eq!(client.count("never"), 0);
        client
            .post("/variables/increment", merge(chat("x"), json!({"key": "k"})))
            .refused(404, "variable_host_not_found");
        client.post("/variables/increment", chat("s")).refused(400, "validation_error");
    });
}

#[test]
fn counting_can_depend_on_what_was_read() {
    both(|client| {
        client.case("If-Match on increment");
        client.make_session("s");
        let old = count_up(client, "n", json!({})).etag();
        let new = count_up(client, "n", json!({})).etag();
        let with = |tag: &str| {
            let body = merge(chat("s"), json!({"key": "n"}));
            client.ask("POST", "/variables/increment").header("if-match", tag).json(body).send()
        };
        with(&old).refused(412, "precondition_failed");
        with(&new).is(200).has("/value", 3);
    });
}

#[test]
fn a_condition_is_not_for_batches() {
    both(|client| {
        client.make("s");
        client.set(chat("s"), "k", 1).is(201);
        for (name, value) in [("if-match", "\"1\""), ("if-none-match", "*")] {
            let items = json!({"items": [write(chat("s"), "k", 2)]});
            client.ask("PUT", "/variables/batch").header(name, value).json(items.clone()).send().invalid_at(name);
            client.ask("POST", "/variables/batch/delete").header(name, value).json(items).send().invalid_at(name);
        }
        client.get("/variables?key=k").has_meta("total", 1);
    });
}

#[test]
fn a_change_of_a_session_a_character_or_a_page_can_depend_on_what_was_read() {
    both(|client| {
        client.post("/sessions", json!({"id": "s", "template": {"gold": 5}})).is(201);
        client.post("/characters", json!({"id": "c", "name": "Hana"})).is(201);
        let turn = client.post("/sessions/s/turns", json!({"role": "assistant", "content": "Hello.", "page_id": "p"}));
        turn.is(201);
        let change =
            |path: &str, tag: &str, body: Value| client.ask("PATCH", path).header("if-match", tag).json(body).send();
        for (path, first, second) in [
            ("/sessions/s", json!({"title": "one"}), json!({"title": "two"})),
            ("/sessions/s", json!({"template": {"gold": 6}}), json!({"template": {"gold": 7}})),
            ("/sessions/s", json!({"metadata": {"archived": true}}), json!({"metadata": null})),
            ("/characters/c", json!({"name": "one"}), json!({"greetings": ["Good evening."]})),
            ("/characters/c", json!({"enabled": false}), json!({"template": {"gold": 1}})),
            ("/pages/p", json!({"content": "one"}), json!({"content": "two"})),
            ("/pages/p", json!({"name": "Hana"}), json!({"role": "user"})),
        ] {
            client.case(&format!("{path} {first}"));
            let read = client.get(path).etag();
            let changed = change(path, &read, first);
            changed.is(200);
            changed.must(changed.etag() != read, "another tag");
            assert_eq!(client.get(path).etag(), changed.etag());
            let before = client.get(path).data();
            change(path, &read, second.clone()).refused(412, "precondition_failed");
            change(path, "\"nonsense\"", second.clone()).refused(412, "precondition_failed");
            assert_eq!(client.get(path).data(), before, "a refused change changes nothing");
            change(path, &changed.etag(), second).is(200);
            change(path, "*", json!({})).is(200);
        }
        client.case("a deletion, too");
        client.post("/sessions", json!({"id": "other"})).is(201);
        for (path, change_of_another) in [
            ("/pages/p", json!({"content": "three"})),
            ("/characters/c", json!({"name": "three"})),
            ("/sessions/other", json!({"title": "three"})),
        ] {
            let delete = |tag: &str| client.ask("DELETE", path).header("if-match", tag).send();
            let read = client.get(path).etag();
            change(path, &read, change_of_another).is(200);
            delete(&read).refused(412, "precondition_failed");
            client.get(path).is(200);
            let trash = delete(&client.get(path).etag()).is(200).header("trash-id");
            client.get(path).is(404);
            client.post(&format!("/trash/{trash}/restore"), json!({})).is(200);
            client.get(path).is(200);
        }
        client.case("what happens in a session does not change its tag");
        let tags = || ["/sessions/s", "/pages/p"].map(|path| client.get(path).etag());
        let before = tags();
        client.post("/sessions/s/turns", json!({"role": "assistant", "content": "More."})).is(201);
        client.set(chat("s"), "k", 1).is(201);
        assert_eq!(tags(), before);
    });
}

#[test]
fn a_list_of_sessions_counts_their_floors() {
    both(|client| {
        client.make_session("s");
        for text in ["one", "two", "three"] {
            client.post("/sessions/s/turns", json!({"role": "user", "content": text})).is(201);
        }
        let listed = client.get("/sessions");
        assert_eq!(listed.is(200).body["data"][0]["floor_count"], 3);
        assert_eq!(client.get("/sessions?chat_file=s").is(200).body["data"][0]["floor_count"], 3);
        client
            .get("/sessions/s")
            .is(200)
            .must(client.get("/sessions/s").data().get("floor_count").is_none(), "only in lists");
    });
}
