//! Syncs that choose, add and delete a swipe of each floor of a chat that is longer than one transaction changes, and the trash that they
//! leave: what is seen is what a short chat shows.

use super::sync::{add, said};
use crate::support::{Answer, Client, both};
use serde_json::{Value, json};

/// More than a sync changes at once.
const FLOORS: usize = 300;

/// A swipe of each floor: its word, and what it adds to the state.
type Swipes<'a> = &'a [(&'a str, i64)];

fn floors(swipes: Swipes<'_>, active: usize) -> Vec<Value> {
    let floor = |number: usize| {
        let texts: Vec<String> = swipes.iter().map(|(word, n)| format!("{word} {number} {}", add(*n))).collect();
        said("assistant", &texts.iter().map(String::as_str).collect::<Vec<_>>(), active)
    };
    (0..FLOORS).map(floor).collect()
}

#[track_caller]
fn sync(client: &Client, swipes: Swipes<'_>, active: usize) -> Answer {
    let body = json!({"floors": floors(swipes, active), "max_deleted": 1000});
    let synced = client.ask("POST", "/sessions/s/sync").json(body.clone()).unrecorded().send();
    synced.is(200);
    let again = client.ask("POST", "/sessions/s/sync").json(body).unrecorded().send();
    again.is(200).has("/unchanged", FLOORS).has("/changed", 0).has("/trash_id", Value::Null);
    synced
}

/// All floors of a branch with their swipes.
#[track_caller]
fn shown(client: &Client, branch: &str) -> Vec<Value> {
    let parts = (0..FLOORS).step_by(100).map(|from| {
        let path = format!("/sessions/s/transcript?branch_id={branch}&from={from}&limit=100&swipes=true");
        client.ask("GET", &path).unrecorded().send().is(200).data().as_array().expect("a list").clone()
    });
    parts.flatten().collect()
}

/// The ids of the swipes of each floor.
fn pages(shown: &[Value]) -> Vec<Vec<String>> {
    let ids = |floor: &Value| {
        let swipes = floor["swipes"].as_array().expect("swipes").iter();
        swipes.map(|swipe| swipe["page_id"].as_str().expect("an id").to_owned()).collect()
    };
    shown.iter().map(ids).collect()
}

/// The branch has these swipes, and its state is the sum of those that are chosen. Returns the ids of its pages.
#[track_caller]
fn is_shown(client: &Client, branch: &str, swipes: Swipes<'_>, active: usize) -> Vec<Vec<String>> {
    let shown = shown(client, branch);
    assert_eq!(shown.len(), FLOORS);
    for (number, (floor, wanted)) in shown.iter().zip(floors(swipes, active)).enumerate() {
        let texts = |swipes: &Value| -> Vec<Value> {
            swipes.as_array().expect("swipes").iter().map(|swipe| swipe["content"].clone()).collect()
        };
        assert_eq!(texts(&floor["swipes"]), texts(&wanted["swipes"]), "floor {number}");
        let chosen: Vec<bool> =
            floor["swipes"].as_array().expect("swipes").iter().map(|swipe| swipe["is_active"] == true).collect();
        assert_eq!(chosen, (0..swipes.len()).map(|at| at == active).collect::<Vec<_>>(), "floor {number}");
    }
    let state = client.until(&format!("/sessions/s/state?branch_id={branch}"), |state| state.data()["fresh"] == true);
    state.is(200).has("/state/n", swipes[active].1 * FLOORS as i64);
    pages(&shown)
}

#[test]
fn swipes_of_a_long_chat_are_chosen_added_deleted_and_restored() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        sync(client, &[("a", 1), ("b", 10)], 0).is(200);
        let made = is_shown(client, "main", &[("a", 1), ("b", 10)], 0);
        client.case("the other swipe of each floor is chosen");
        let mut listening = client.listen("?session_id=s&types=page.activated,page.deleted,page.created", None);
        sync(client, &[("a", 1), ("b", 10)], 1).has("/changed", FLOORS).has("/trash_id", Value::Null).is(200);
        assert_eq!(is_shown(client, "main", &[("a", 1), ("b", 10)], 1), made);
        assert_eq!(listening.names(FLOORS), vec!["page.activated"; FLOORS]);

        client.case("a swipe of each floor goes, and is in the trash at once");
        let synced = sync(client, &[("b", 10)], 0);
        synced.has("/swipes_deleted", FLOORS).has("/deleted", 0);
        let first_item = synced.header("trash-id");
        is_shown(client, "main", &[("b", 10)], 0);
        assert_eq!(listening.names(FLOORS), vec!["page.deleted"; FLOORS]);
        client.get(&format!("/pages/{}", made[7][0])).refused(404, "page_not_found");
        let item = client.get(&format!("/trash/{first_item}?offset=7&limit=1"));
        item.is(200).has("/kind", "sync").has("/page_count", FLOORS).has("/floor_count", 0);
        item.has("/pages/0/page_id", made[7][0].as_str()).has("/pages/0/content", format!("a 7 {}", add(1)));

        client.case("each floor gets another swipe, and chooses it");
        sync(client, &[("b", 10), ("c", 100)], 1).is(200);
        let with_c = is_shown(client, "main", &[("b", 10), ("c", 100)], 1);
        let names = listening.names(2 * FLOORS);
        assert_eq!(names.iter().filter(|name| **name == "page.created").count(), FLOORS);
        assert_eq!(names[FLOORS..], vec!["page.activated"; FLOORS]);

        client.case("the chosen swipes go");
        let second_item = sync(client, &[("b", 10)], 0).header("trash-id");
        is_shown(client, "main", &[("b", 10)], 0);
        assert_eq!(listening.names(2 * FLOORS).iter().filter(|name| **name == "page.deleted").count(), FLOORS);

        client.case("they come back as the chosen ones, under the ids that they had");
        client.post(&format!("/trash/{second_item}/restore"), json!({})).is(200).has("/renamed_count", 0);
        assert_eq!(is_shown(client, "main", &[("b", 10), ("c", 100)], 1), with_c);
        client.case("the others come back beside them");
        client.post(&format!("/trash/{first_item}/restore"), json!({})).is(200).has("/renamed_count", 0);
        let all = shown(client, "main");
        assert!(
            all.iter().all(|floor| floor["swipe_count"] == 3 && floor["content"].as_str().unwrap().starts_with('c'))
        );
        let mut ids: Vec<Vec<String>> = pages(&all);
        ids.iter_mut().for_each(|ids| ids.sort());
        let mut wanted: Vec<Vec<String>> =
            made.iter().zip(&with_c).map(|(a, c)| vec![a[0].clone(), c[0].clone(), c[1].clone()]).collect();
        wanted.iter_mut().for_each(|ids| ids.sort());
        assert_eq!(ids, wanted);
        client.get(&format!("/trash/{first_item}")).refused(404, "trash_not_found");
        let state = client.until("/sessions/s/state", |state| state.data()["fresh"] == true);
        state.is(200).has("/state/n", 100 * FLOORS as i64);
    });
}

#[test]
fn a_fork_of_a_long_chat_keeps_the_swipes_that_its_source_loses() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        sync(client, &[("a", 1), ("b", 10)], 0).is(200);
        let last = client.get(&format!("/sessions/s/floors/{}", FLOORS - 1));
        let floor = last.is(200).data()["floor_id"].as_str().expect("an id").to_owned();
        client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": "fork"})).is(201);
        let item = sync(client, &[("b", 10), ("c", 100)], 1).header("trash-id");
        is_shown(client, "main", &[("b", 10), ("c", 100)], 1);
        is_shown(client, "fork", &[("a", 1), ("b", 10)], 0);
        client.post(&format!("/trash/{item}/restore"), json!({})).is(200);
        assert!(shown(client, "main").iter().all(|floor| floor["swipe_count"] == 3));
        is_shown(client, "fork", &[("a", 1), ("b", 10)], 0);
    });
}

#[test]
fn several_swipes_of_each_floor_go_and_come_back_with_the_chosen_one() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let all = [("a", 1), ("b", 10), ("c", 100), ("d", 1000)];
        for active in [3, 1] {
            sync(client, &all, active).is(200);
            let made = is_shown(client, "main", &all, active);
            let synced = sync(client, &all[..1], 0);
            let item = synced.has("/swipes_deleted", 3 * FLOORS).header("trash-id");
            is_shown(client, "main", &all[..1], 0);
            client.post(&format!("/trash/{item}/restore"), json!({})).is(200).has("/renamed_count", 0);
            assert_eq!(is_shown(client, "main", &all, active), made);
        }
    });
}
