//! B.4: variables are listed, read and deleted.

use crate::support::{Client, both, branch, chat, encode, floor, global, page, write};
use serde_json::{Value, json};

fn names(values: &[&str]) -> Vec<Value> {
    values.iter().map(|&value| json!(value)).collect()
}

#[test]
fn a_list_says_how_it_was_made() {
    both(|client| {
        client.case("B36");
        let empty = client.get("/variables");
        empty.is(200).has("", json!([]));
        let meta = json!({"total": 0, "limit": 50, "offset": 0, "has_more": false, "sort_by": "updated_at", "sort_order": "desc"});
        empty.must(empty.body["meta"] == meta, "exactly the six members of meta");
        for key in ["a", "b", "c"] {
            client.set(global(), key, key).is(201);
        }
        let all = client.get("/variables");
        all.is(200).has_meta("total", 3).has_meta("has_more", false);
        let times: Vec<i64> = all.column("updated_at").iter().filter_map(Value::as_i64).collect();
        all.must(times.len() == 3 && times.is_sorted_by(|left, right| left >= right), "the newest first");
    });
}

#[test]
fn a_list_is_read_in_windows() {
    both(|client| {
        client.case("B37");
        let keys = ["b", "a", "d", "c", "e"];
        let batch: Vec<_> = keys.iter().map(|key| write(global(), key, 1)).collect();
        client.put("/variables/batch", json!({"items": batch})).is(200);
        let window = |query: &str| client.get(&format!("/variables?sort_by=key&{query}"));
        let first = window("limit=2&sort_order=asc");
        first
            .is(200)
            .has_meta("has_more", true)
            .has_meta("total", 5)
            .has_meta("sort_by", "key")
            .has_meta("sort_order", "asc");
        assert_eq!(first.column("key"), names(&["a", "b"]));
        assert_eq!(window("limit=2&offset=2&sort_order=asc").column("key"), names(&["c", "d"]));
        let last = window("limit=2&offset=4&sort_order=asc");
        assert_eq!(last.has_meta("has_more", false).column("key"), names(&["e"]));
        assert_eq!(window("limit=3&sort_order=desc").column("key"), names(&["e", "d", "c"]));
        let past = window("offset=5");
        past.is(200).has("", json!([])).has_meta("total", 5).has_meta("has_more", false).has_meta("offset", 5);
        window("limit=100").is(200).has_meta("limit", 100);

        client.case("B38");
        for bad in [
            "limit=0",
            "limit=101",
            "limit=abc",
            "limit=",
            "offset=-1",
            "offset=1.5",
            "sort_by=foo",
            "sort_order=up",
            "scope=nope",
        ] {
            client.get(&format!("/variables?{bad}")).refused(400, "validation_error");
        }
    });
}

/// Two sessions with two branches each; on every branch `k`, on the sessions and the account `mood`.
fn furnish(client: &Client) {
    for session in ["s", "t"] {
        client.make(session);
        client.make_floor(session, &format!("{session}.alt"), json!({"branch_id": "alt"}));
        client.set(branch(session, "main"), "k", format!("{session} main")).is(201);
        client.set(branch(session, "alt"), "k", format!("{session} alt")).is(201);
        client.set(chat(session), "mood", session).is(201);
    }
    client.set(global(), "mood", "account").is(201);
    client.set(floor("s.f"), "mood", "floor").is(201);
    client.set(page("s.p"), "mood", "page").is(201);
}

fn values(client: &Client, query: &str) -> Vec<String> {
    let rows = client.get(&format!("/variables?{query}"));
    let mut found: Vec<String> =
        rows.is(200).column("value").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    rows.has_meta("total", found.len());
    found.sort();
    found
}

#[test]
fn branches_are_listed_by_what_is_known_of_them() {
    both(|client| {
        furnish(client);
        client.case("B39");
        assert_eq!(values(client, "scope=branch"), ["s alt", "s main", "t alt", "t main"]);
        let rows = client.get("/variables?scope=branch").is(200).column("scope_ref");
        assert!(rows.iter().all(|row| row["session_id"].is_string() && row["branch_id"].is_string()), "{rows:?}");
        assert_eq!(values(client, "scope=branch&session_id=s&branch_id=alt"), ["s alt"]);
        assert_eq!(values(client, "scope=branch&scope_id=branch:s:alt"), ["s alt"]);
        assert_eq!(values(client, "scope=branch&session_id=s&branch_id=nowhere"), [""; 0]);
        client.get("/variables?scope=branch&branch_id=alt").invalid_at("session_id");
        client.get("/variables?scope=chat&session_id=s").invalid_at("scope");
        client.get("/variables?session_id=s&branch_id=main").invalid_at("scope");
        client.get("/variables?scope=branch&scope_id=garbage").refused(400, "invalid_variable_context");

        client.case("B40, B.11 k");
        assert_eq!(values(client, "scope=branch&session_id=s"), ["s alt", "s main"]);
    });
}

#[test]
fn filters_narrow_a_list() {
    both(|client| {
        furnish(client);
        client.case("B41");
        assert_eq!(values(client, "scope=global&scope_id=whatever"), ["account"]);
        assert_eq!(values(client, "key=mood"), ["account", "floor", "page", "s", "t"]);
        assert_eq!(values(client, "scope_id=s"), ["s"]);
        assert_eq!(values(client, "scope_id=s.f"), ["floor"]);
        assert_eq!(values(client, "scope=chat&scope_id=t"), ["t"]);
        assert_eq!(values(client, "scope=chat&scope_id=nowhere"), [""; 0]);
        assert_eq!(values(client, "scope=page&key=mood"), ["page"]);
    });
}

#[test]
fn keys_can_be_listed_by_name_and_by_beginning() {
    both(|client| {
        client.case("decision 10");
        let keys = ["a", "a.b", "a.c", "a_", "a%", "ab", "A", "资产.金币", "资产.银币", "z"];
        let batch: Vec<_> = keys.iter().map(|key| write(global(), key, *key)).collect();
        client.put("/variables/batch", json!({"items": batch})).is(200);
        assert_eq!(values(client, "keys=a&keys=z&keys=nothing"), ["a", "z"]);
        assert_eq!(values(client, "prefix=a."), ["a.b", "a.c"]);
        assert_eq!(values(client, &format!("prefix={}", encode("资产."))), ["资产.金币", "资产.银币"]);
        // What is special in SQL is not special here.
        assert_eq!(values(client, &format!("prefix={}", encode("a%"))), ["a%"]);
        assert_eq!(values(client, &format!("prefix={}", encode("a_"))), ["a_"]);
        assert_eq!(values(client, "prefix=zz"), [""; 0]);
        let too_many: Vec<String> = (0..101).map(|index| format!("keys=k{index}")).collect();
        client.get(&format!("/variables?{}", too_many.join("&"))).refused(400, "validation_error");
    });
}

#[test]
fn a_count_can_be_left_out() {
    both(|client| {
        client.case("decision 11");
        client.put("/variables/batch", json!({"items": [write(global(), "a", 1), write(global(), "b", 1)]})).is(200);
        let uncounted = client.get("/variables?total=false&limit=1");
        uncounted.is(200).has_meta("total", Value::Null).has_meta("has_more", true);
        client.get("/variables?total=false&limit=2").is(200).has_meta("has_more", false);
    });
}

#[test]
fn keys_are_sorted_by_bytes_everywhere() {
    both(|client| {
        client.case("B.11 j");
        client.make_session("s");
        let batch: Vec<_> =
            ["é", "z", "Z", "_z", "b", "B", "a", "A", "9", "10"].iter().map(|key| write(chat("s"), key, 1)).collect();
        client.put("/variables/batch", json!({"items": batch})).is(200);
        let wanted = ["10", "9", "A", "B", "Z", "_z", "a", "b", "z", "é"];
        assert_eq!(client.get("/variables?sort_by=key&sort_order=asc").column("key"), names(&wanted));
        let resolved: Vec<String> = client.resolve("session_id=s").into_iter().map(|(key, ..)| key).collect();
        assert_eq!(resolved, wanted);
    });
}

#[test]
fn a_variable_is_read_and_deleted_by_its_id() {
    both(|client| {
        client.case("B42");
        let put = client.set(global(), "k", json!({"deep": [1]}));
        let path = format!("/variables/{}", put.is(201).id());
        client.get(&path).is(200).has("", put.data());
        client.get("/variables/x").refused(404, "variable_not_found").saying("Variable 'x' not found");

        client.case("B43");
        client.delete(&path).is(200).has("", json!({"id": put.id(), "deleted": true}));
        client.delete(&path).refused(404, "variable_not_found");
        client.get(&path).refused(404, "variable_not_found");
        assert_eq!(client.count("k"), 0);
        let again = client.set(global(), "k", 1);
        again.is(201);
        again.must(again.id() != put.id(), "another variable");
    });
}

#[test]
fn what_is_new_can_be_listed() {
    both(|client| {
        furnish(client);
        client.case("updated_since");
        let newest = client.get("/variables?limit=1").is(200).column("updated_at")[0].as_i64().expect("a time");
        assert_eq!(values(client, "updated_since=0").len(), 9);
        assert_eq!(values(client, "updated_since=0&prefix=mo").len(), 5);
        let later = client.ask("GET", &format!("/variables?updated_since={}", newest + 1)).unrecorded().send();
        later.is(200).has_meta("total", 0);
        client.get("/variables?updated_since=-1").refused(400, "validation_error");
        client.get("/variables?updated_since=yesterday").refused(400, "validation_error");
    });
}
