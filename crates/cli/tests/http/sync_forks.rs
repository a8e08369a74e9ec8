//! Sync beside forks: of a fork, and of what others are forked from.

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
        client.case("what lies before the fork is not the fork's to change");
        alt(json!([main[0], said("assistant", &["other"], 0), mine])).refused(409, "sync_conflict");
        alt(json!([main[0]])).refused(409, "sync_conflict");
        client.case("where the source grows, the fork is as it was");
        let mut grown = main.clone();
        grown.insert(1, said("user", &["Wait."], 0));
        client.sync(json!(grown)).is(200).has("/created", 1).has("/processed/processed", 0);
        client.get("/sessions/s/state?branch_id=alt").is(200).has("/state/n", 102).has("/fresh", true);
        client.case("where the source loses the floor, the fork stands on what is left and says so");
        grown.remove(2);
        client.sync(json!(grown)).is(200).has("/deleted", 1);
        client.get("/sessions/s/state?branch_id=alt").is(200).has("/state/n", 102).has("/fresh", false);
        let synced = alt(json!([main[0], grown[1], mine]));
        synced.is(200).has("/unchanged", 3).has("/processed/processed", 1);
        client.get("/sessions/s/state?branch_id=alt").is(200).has("/state/n", 101).has("/fresh", true);
        client.case("and does not see what comes to the source behind it");
        grown.insert(2, said("assistant", &[&add(7)], 0));
        client.sync(json!(grown)).is(200).has("/created", 1);
        grown.insert(0, said("assistant", &[&add(1000)], 0));
        client.sync(json!(grown)).is(200).has("/created", 1);
        client.get("/sessions/s/state").is(200).has("/state/n", 1010).has("/fresh", true);
        let stands = client.get("/sessions/s/state?branch_id=alt");
        stands.is(200).has("/state/n", 101).has("/fresh", false);
        client.post("/sessions/s/process", json!({"branch_id": "alt"})).is(200);
        client.get("/sessions/s/state?branch_id=alt").is(200).has("/state/n", 1101).has("/fresh", true);
        client.case("nor what takes its place when all that it stands on is gone");
        let rest = grown.split_off(3);
        client.sync(json!(rest)).is(200).has("/deleted", 3);
        client.sync(json!([vec![said("assistant", &[&add(7)], 0)], rest].concat())).is(200).has("/created", 1);
        client.post("/sessions/s/process", json!({"branch_id": "alt"})).is(200);
        client.get("/sessions/s/state?branch_id=alt").is(200).has("/state/n", 100).has("/fresh", true);
    });
}

#[test]
fn floors_of_forks_stay_behind_the_place_where_they_turn_off() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let texts: Vec<String> = (0..3).map(|number| format!("{number} {}", add(1))).collect();
        let mut main: Vec<Value> = texts.iter().map(|text| said("assistant", &[text], 0)).collect();
        let made = client.sync(json!(main));
        let floor = made.is(200).data()["floors"][2]["floor_id"].as_str().expect("a floor").to_owned();
        client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": "b"})).is(201);
        let turn = |branch: &str, number: i64, floor_no: Option<i64>| {
            let mut body = json!({"role": "assistant", "content": add(number), "branch_id": branch});
            if let Some(floor_no) = floor_no {
                body["floor_no"] = json!(floor_no);
            }
            client.post("/sessions/s/turns", body)
        };
        let numbers = |branch: &str| {
            client.get(&format!("/floors?session_id=s&branch_id={branch}&sort_order=asc")).is(200).column("floor_no")
        };
        turn("b", 10, None).is(201).has("/floor_no", 3);
        let second = text(turn("b", 20, None).is(201), "floor_id");
        turn("b", 30, Some(9)).is(201);
        client.post(&format!("/floors/{second}/branch"), json!({"branch_id": "c"})).is(201);
        turn("c", 100, None).is(201).has("/floor_no", 5);
        client.case("a fork that knows the number alone of what it stands on");
        let third = text(turn("b", 40, Some(5)).is(201), "floor_id");
        client.post(&format!("/floors/{third}/branch"), json!({"branch_id": "d"})).is(201);
        turn("d", 1_000, None).is(201).has("/floor_no", 6);
        client.delete(&format!("/floors/{third}")).is(200);
        client.post("/sessions/s/process", json!({"branch_id": "b"})).is(200);
        client.post("/sessions/s/process", json!({"branch_id": "d"})).is(200);
        client.case("messages in front of the source: forks and their forks are lifted as far as they must");
        let mut listening = client.listen("?session_id=s&branch_id=c", None);
        (0..4).for_each(|_| main.insert(0, said("user", &["Before."], 0)));
        client.sync(json!(main)).is(200).has("/created", 4).has("/processed/processed", 0);
        assert_eq!(numbers("main"), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(numbers("b"), [7, 8, 9]);
        assert_eq!((numbers("c"), numbers("d")), (vec![json!(9)], vec![json!(9)]));
        let told = listening.next().expect("the stream goes on");
        assert_eq!((told.name.as_str(), &told.data["floor_no"]), ("floor.updated", &json!(9)), "{}", told.data);
        for (branch, sum) in [("b", 63), ("c", 133), ("d", 1_033)] {
            let state = client.get(&format!("/sessions/s/state?branch_id={branch}"));
            state.is(200).has("/state/n", sum).has("/fresh", true);
        }
        client.case("their floors are found by their numbers, and the next one comes behind them");
        let history = client.get("/sessions/s/history?branch_id=b&path=n&from_floor=6");
        assert_eq!(history.is(200).data()["points"].as_array().map(Vec::len), Some(4));
        let processed = client.post("/sessions/s/process", json!({"branch_id": "b", "from_floor": 6, "mode": "all"}));
        processed.is(200).has("/unchanged", 4);
        turn("b", 1, Some(6)).refused(409, "position_taken");
        turn("b", 1, None).is(201).has("/floor_no", 10);
        turn("d", 1, None).is(201).has("/floor_no", 10);
    });
}

#[test]
fn a_message_that_is_moved_leaves_its_forks_where_they_were() {
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
        client.post("/sessions/s/process", json!({"branch_id": "alt"})).is(200).has("/processed", 1);
        client.get("/sessions/s/state?branch_id=alt").is(200).has("/state/n", 50_001).has("/fresh", true);
    });
}
