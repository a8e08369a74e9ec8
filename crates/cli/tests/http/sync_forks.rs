//! Sync beside forks: of a fork, and of what others are forked from. None changes the other.

use super::story::text;
use super::sync::{add, said};
use crate::support::both;
use serde_json::{Value, json};

#[test]
fn forks_keep_what_they_stand_on() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let texts: Vec<String> = (0..4).map(|number| format!("{number} {}", add(1))).collect();
        let main: Vec<Value> = texts.iter().map(|text| said("assistant", &[text], 0)).collect();
        let made = client.sync(json!(main));
        let floor = made.is(200).data()["floors"][1]["floor_id"].as_str().expect("a floor").to_owned();
        client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": "alt"})).is(201);
        let alt = |chat: Value| client.post("/sessions/s/sync", json!({"branch_id": "alt", "floors": chat}));
        client.case("the chat of a fork begins at the beginning; only its own part is made");
        let mine = said("assistant", &[&add(100)], 0);
        let synced = alt(json!([main[0], main[1], mine]));
        synced.is(200).has("/unchanged", 2).has("/created", 1).has("/floors/0/index", 2).has("/floors/0/floor_no", 2);
        client.get("/sessions/s/state?branch_id=alt").is(200).has("/state/n", 102).has("/fresh", true);
        alt(json!([main[0], main[1], mine])).is(200).has("/unchanged", 3);
        client.case("what lies before the fork may change on the fork, and the source stays as it is");
        let other = said("assistant", &["other"], 0);
        alt(json!([main[0], other, mine])).is(200).has("/changed", 1).has("/unchanged", 2);
        client.get("/sessions/s/state?branch_id=alt").is(200).has("/state/n", 101).has("/fresh", true);
        client.get("/sessions/s/state").is(200).has("/state/n", 4).has("/fresh", true);
        let again = alt(json!([main[0], main[1], mine]));
        again.is(200).has("/changed", 1);
        let is_fork = || {
            client.get("/sessions/s/state?branch_id=alt").is(200).has("/state/n", 102).has("/fresh", true);
            let same = alt(json!([main[0], main[1], mine]));
            same.is(200).has("/unchanged", 3).has("/version", again.data()["version"].clone());
        };
        client.case("whatever the source becomes, the fork is as it was");
        let mut grown = main.clone();
        grown.insert(1, said("user", &["Wait."], 0));
        client.sync(json!(grown)).is(200).has("/created", 1).has("/processed/processed", 0);
        is_fork();
        grown.remove(2);
        client.sync(json!(grown)).is(200).has("/deleted", 1);
        is_fork();
        grown.insert(0, said("assistant", &[&add(1000)], 0));
        client.sync(json!(grown)).is(200).has("/created", 1);
        client.get("/sessions/s/state").is(200).has("/state/n", 1003).has("/fresh", true);
        is_fork();
        client.sync(json!([said("assistant", &[&add(7)], 0)])).is(200);
        client.get("/sessions/s/state").is(200).has("/state/n", 7).has("/fresh", true);
        is_fork();
    });
}

#[test]
fn a_sync_that_renumbers_leaves_the_numbers_of_forks() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let texts: Vec<String> = (0..3).map(|number| format!("{number} {}", add(1))).collect();
        let mut main: Vec<Value> = texts.iter().map(|text| said("assistant", &[text], 0)).collect();
        let made = client.sync(json!(main));
        let floor = made.is(200).data()["floors"][2]["floor_id"].as_str().expect("a floor").to_owned();
        client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": "b"})).is(201);
        let turn = |branch: &str, number: i64| {
            client.post("/sessions/s/turns", json!({"role": "assistant", "content": add(number), "branch_id": branch}))
        };
        let first = text(turn("b", 10).is(201).has("/floor_no", 3), "floor_id");
        turn("b", 20).is(201).has("/floor_no", 4);
        client.post(&format!("/floors/{first}/branch"), json!({"branch_id": "c"})).is(201);
        turn("c", 100).is(201).has("/floor_no", 4);
        (0..4).for_each(|_| main.insert(0, said("user", &["Before."], 0)));
        client.sync(json!(main)).is(200).has("/created", 4).has("/processed/processed", 0);
        let numbers = |branch: &str| {
            client.get(&format!("/floors?session_id=s&branch_id={branch}&sort_order=asc")).is(200).column("floor_no")
        };
        assert_eq!(numbers("main"), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(numbers("b"), [0, 1, 2, 3, 4]);
        assert_eq!(numbers("c"), [4]);
        for (branch, sum) in [("b", 33), ("c", 113)] {
            let state = client.get(&format!("/sessions/s/state?branch_id={branch}"));
            state.is(200).has("/state/n", sum).has("/fresh", true);
        }
        turn("b", 1).is(201).has("/floor_no", 5);
        turn("c", 1).is(201).has("/floor_no", 5);
    });
}

#[test]
fn a_message_that_is_moved_stays_where_it_was_on_forks() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let texts: Vec<String> = (0..4).map(|number| format!("{number} {}", add(10_i64.pow(number)))).collect();
        let main: Vec<Value> = texts.iter().map(|text| said("assistant", &[text], 0)).collect();
        let made = client.sync(json!(main));
        let floor = made.is(200).data()["floors"][1]["floor_id"].as_str().expect("a floor").to_owned();
        client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": "alt"})).is(201);
        let body = json!({"role": "assistant", "content": add(50_000), "branch_id": "alt"});
        client.post("/sessions/s/turns", body).is(201).has("/change/0/value", 50_011);
        let moved = client.sync(json!([main[0], main[2], main[3], main[1]]));
        moved.is(200).has("/moved", 1).has("/unchanged", 3);
        client.get("/sessions/s/state").is(200).has("/state/n", 1_111).has("/fresh", true);
        client.get("/sessions/s/state?branch_id=alt").is(200).has("/state/n", 50_011).has("/fresh", true);
    });
}
