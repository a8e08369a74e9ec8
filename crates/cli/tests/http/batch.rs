//! B.3: many variables are put at once, all or none.

use crate::support::{both, branch, chat, floor, global, write};
use serde_json::{Value, json};

fn items(count: usize) -> Value {
    json!({"items": (0..count).map(|index| write(global(), &format!("k{index:03}"), index)).collect::<Vec<_>>()})
}

#[test]
fn a_batch_says_what_became_of_each_item() {
    both(|client| {
        client.case("B29");
        client.make_session("s");
        let old = client.set(chat("s"), "mood", "calm").is(201).id();
        let batch =
            json!({"items": [write(branch("s", "main"), "route", "campfire"), write(chat("s"), "mood", "tense")]});
        let answer = client.put("/variables/batch", batch);
        answer.is(200).has("/meta", json!({"total": 2, "created": 1, "updated": 1}));
        answer.has("/results/0/index", 0).has("/results/0/action", "created");
        answer.has("/results/0/data/scope_id", "branch:s:main").has("/results/0/data/value", "campfire");
        answer.has("/results/0/data/scope_ref", json!({"session_id": "s", "branch_id": "main"}));
        answer.has("/results/1/index", 1).has("/results/1/action", "updated");
        answer.has("/results/1/data/id", old).has("/results/1/data/value", "tense");
        let data = answer.data();
        answer.must(
            data["results"][0]["data"]["updated_at"] == data["results"][1]["data"]["updated_at"],
            "one time for all",
        );
    });
}

#[test]
fn one_target_may_appear_once() {
    both(|client| {
        client.case("B30");
        client.make_session("s");
        let by_scope_id = json!({"scope": "branch", "scope_id": "branch:s:main"});
        let batch = json!({"items": [write(by_scope_id, "k", 1), write(branch("s", "main"), "k", 2)]});
        let twice = |batch: Value| {
            let answer = client.put("/variables/batch", batch);
            answer
                .refused(400, "duplicate_variable_target")
                .saying("Duplicate variable target also appears at items.0");
        };
        twice(batch);
        let global = |scope_id: &str| json!({"scope": "global", "scope_id": scope_id});
        twice(json!({"items": [write(global("a"), "k", 1), write(global("b"), "k", 2)]}));
        assert_eq!(client.count("k"), 0);
        let other_keys = json!({"items": [write(global("a"), "k", 1), write(global("a"), "K", 2)]});
        client.put("/variables/batch", other_keys).is(200).has("/meta/created", 2);
    });
}

#[test]
fn a_batch_has_one_to_a_hundred_items() {
    both(|client| {
        client.case("B31");
        client.put("/variables/batch", json!({"items": []})).invalid_by("/items", "minItems");
        client.put("/variables/batch", items(101)).invalid_by("/items", "maxItems");
        client.put("/variables/batch", json!({})).refused(400, "validation_error");
        client.put("/variables/batch", json!({"items": {}})).invalid_at("/items");
        assert_eq!(client.get("/variables").is(200).column("id").len(), 0);
        client
            .put("/variables/batch", items(100))
            .is(200)
            .has("/meta", json!({"total": 100, "created": 100, "updated": 0}));
        client
            .put("/variables/batch", items(100))
            .is(200)
            .has("/meta", json!({"total": 100, "created": 0, "updated": 100}));
    });
}

#[test]
fn one_refused_item_refuses_all() {
    both(|client| {
        client.make_session("s");
        client.make_floor("s", "f", json!({"state": "committed"}));
        let with = |bad: Value| json!({"items": [write(global(), "good", 1), bad]});

        client.case("B32");
        client.put("/variables/batch", with(write(floor("f"), "bad", 1))).refused(409, "variable_target_locked");
        assert_eq!(client.count("good"), 0);

        client.case("B33");
        client.put("/variables/batch", with(write(chat("x"), "bad", 1))).refused(404, "variable_host_not_found");
        client.put("/variables/batch", with(write(branch("s", "x"), "bad", 1))).refused(404, "variable_host_not_found");
        assert_eq!(client.count("good"), 0);

        client.case("B34");
        client
            .put("/variables/batch", with(json!({"scope": "branch", "key": "bad", "value": 1})))
            .invalid_at("items.1");
        assert_eq!(client.count("good"), 0);
    });
}

// B35 is void: there are no project members.
