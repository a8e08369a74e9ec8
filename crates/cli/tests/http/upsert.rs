//! B.1: one variable is put.

use crate::support::{Client, both, branch, chat, floor, global, page, write};
use serde_json::{Value, json};

#[test]
fn a_global_variable_belongs_to_the_account() {
    both(|client| {
        client.case("B1");
        let first =
            client.put("/variables", write(json!({"scope": "global", "scope_id": "anything"}), "theme", "night"));
        first.is(201).has("/scope", "global").has("/scope_id", "global").has("/key", "theme").has("/value", "night");
        first.must(first.data().get("scope_ref").is_none(), "no scope_ref");
        first.must(first.data()["updated_at"].is_i64(), "a time");

        client.case("B2");
        let second = client.set(global(), "theme", "day");
        second.is(200).has("/id", first.id()).has("/value", "day");
        second
            .must(second.data()["updated_at"].as_i64() >= first.data()["updated_at"].as_i64(), "time does not go back");
        client.get(&format!("/variables/{}", first.id())).is(200).has("/value", "day");
    });
}

#[test]
fn a_chat_variable_belongs_to_its_session() {
    both(|client| {
        client.case("B3");
        client.make_session("s");
        let first = client.set(chat("s"), "mood", "calm");
        first.is(201).has("/scope", "chat").has("/scope_id", "s");
        first.must(first.data().get("scope_ref").is_none(), "no scope_ref");
        client.set(chat("s"), "mood", "tense").is(200).has("/id", first.id()).has("/value", "tense");
    });
}

#[test]
fn a_branch_can_be_named_in_two_ways() {
    both(|client| {
        client.make_session("s");
        client.make_session("t");

        client.case("B4");
        let first = client.set(branch("s", "main"), "route", "campfire");
        first
            .is(201)
            .has("/scope_id", "branch:s:main")
            .has("/scope_ref", json!({"session_id": "s", "branch_id": "main"}));

        client.case("B5");
        client
            .set(json!({"scope": "branch", "scope_id": "branch:s:main"}), "route", "river")
            .is(200)
            .has("/id", first.id());

        client.case("B6");
        let twice = |session: &str| json!({"scope": "branch", "scope_id": "branch:s:main", "session_id": session, "branch_id": "main"});
        client.set(twice("s"), "route", "lake").is(200).has("/id", first.id());
        client.set(twice("t"), "route", "sea").invalid("scope_id does not match the provided session_id + branch_id");
        client.get(&format!("/variables/{}", first.id())).is(200).has("/value", "lake");
    });
}

#[test]
fn half_a_branch_is_no_branch() {
    both(|client| {
        client.case("B7");
        client.make_session("s");
        for half in [json!({"branch_id": "main"}), json!({"session_id": "s"}), json!({})] {
            let host = crate::support::tree::merge(json!({"scope": "branch"}), half);
            client.set(host, "k", 1).refused(400, "validation_error");
        }
        client
            .set(json!({"scope": "branch", "scope_id": "garbage"}), "k", 1)
            .invalid("Invalid branch scope_id 'garbage'");
        assert_eq!(client.count("k"), 0);
    });
}

#[test]
fn the_name_of_a_branch_is_escaped_in_its_scope_id() {
    both(|client| {
        client.case("B8");
        client.make_session("s");
        client.make_floor("s", "f", json!({"branch_id": "a:b/ c%"}));
        client
            .set(branch("s", "a:b/ c%"), "k", 1)
            .is(201)
            .has("/scope_id", "branch:s:a%3Ab%2F%20c%25")
            .has("/scope_ref/branch_id", "a:b/ c%");
        client.set(json!({"scope": "branch", "scope_id": "branch:s:a%3Ab%2F%20c%25"}), "k", 2).is(200);
        assert_eq!(client.resolve("session_id=s&branch_id=a%3Ab%2F%20c%25"), [("k".into(), json!(2), "branch".into())]);
    });
}

#[test]
fn floors_and_pages_carry_variables() {
    both(|client| {
        client.case("B9");
        client.make("s");
        client.set(floor("s.f"), "k", 1).is(201).has("/scope", "floor").has("/scope_id", "s.f");
        client.set(page("s.p"), "k", 2).is(201).has("/scope", "page").has("/scope_id", "s.p");
    });
}

#[test]
fn a_scope_takes_the_fields_that_belong_to_it() {
    both(|client| {
        client.make("s");
        let hosts = [("global", "global"), ("chat", "s"), ("floor", "s.f"), ("page", "s.p")];
        for (scope, scope_id) in hosts {
            client.case("B10");
            for stray in ["session_id", "branch_id"] {
                let host = json!({"scope": scope, "scope_id": scope_id, stray: "s"});
                client.set(host, "k", 1).invalid("session_id and branch_id are only supported when scope is 'branch'");
            }
            client.case("B11");
            client
                .set(json!({"scope": scope}), "k", 1)
                .invalid(&format!("scope_id is required when scope is '{scope}'"));
        }
        assert_eq!(client.count("k"), 0);
    });
}

#[test]
fn a_write_that_is_not_one_is_refused_with_the_place_of_the_fault() {
    both(|client| {
        client.case("B12");
        let missing = client.put("/variables", json!({"scope": "global", "scope_id": "g", "key": "k"}));
        missing.refused(400, "validation_error");
        let wanted = json!({"path": "", "message": "must have required property 'value'", "code": "required"});
        missing.must(missing.details().first() == Some(&wanted), "the missing value as first detail");
        let id = client.set(global(), "k", Value::Null).is(201).has("/value", Value::Null).id();
        let read = client.get(&format!("/variables/{id}"));
        read.is(200).has("/value", Value::Null);
        read.must(read.data().as_object().is_some_and(|data| data.contains_key("value")), "a null that is there");

        client.case("B13");
        client.set(global(), "", 1).invalid_at("/key");
        client.set(json!({"scope": "nope", "scope_id": "x"}), "k2", 1).invalid_by("/scope", "enum");
        client.put("/variables", json!([])).refused(400, "validation_error");
        client.put("/variables", json!("text")).refused(400, "validation_error");
        assert_eq!(client.count("k2"), 0);
    });
}

#[test]
fn any_json_value_comes_back_as_it_was() {
    both(|client| {
        client.case("B14");
        client.make_session("s");
        let values = [
            json!("text"),
            json!(""),
            json!(0),
            json!(-7),
            json!(1.5),
            json!(-2.5e-8),
            json!(true),
            json!(false),
            json!(null),
            json!([]),
            json!({}),
            json!([1, [2, [3]], {}]),
            json!({"a": [1, 2, null, true, 1.5, "x"]}),
            json!({"资产": {"金币": 3, "": "empty key"}}),
            json!({"z": 1, "a": 2, "10": 3, "9": 4}),
        ];
        for (index, value) in values.into_iter().enumerate() {
            let key = format!("资产.{index}");
            let put = client.set(chat("s"), &key, value.clone());
            put.is(201).has("/value", value.clone());
            let read = client.get(&format!("/variables/{}", put.id()));
            read.is(200).has("/key", key);
            // As text, since the order of keys is kept too.
            let wanted = value.to_string();
            read.must(read.raw_value() == wanted, &wanted);
        }
    });
}

#[test]
fn what_is_not_known_is_ignored() {
    both(|client| {
        client.case("B15");
        let body = json!({"scope": "global", "scope_id": "g", "key": "k", "value": 1, "colour": "red"});
        client.put("/variables", body).is(201);
    });
}

#[test]
fn a_body_may_have_one_mebibyte() {
    both(|client| {
        client.case("B16");
        let put = client.set(global(), "large", "x".repeat(1_000_000));
        put.is(201);
        let read = client.get(&format!("/variables/{}", put.id()));
        read.must(read.data()["value"].as_str().is_some_and(|value| value.len() == 1_000_000), "all of it");
        client.set(global(), "larger", "x".repeat(1024 * 1024 + 1)).refused(413, "payload_too_large");
        assert_eq!(client.count("larger"), 0);
    });
}

#[test]
fn malformed_json_is_the_callers_fault() {
    both(|client| {
        client.case("B17, B.11 a");
        malformed(client, "{\"scope\": \"global\",");
        malformed(client, "");
        malformed(client, "nonsense");
    });
}

fn malformed(client: &Client, body: &str) {
    client.ask("PUT", "/variables").text("application/json", body).send().refused(400, "malformed_json");
}
