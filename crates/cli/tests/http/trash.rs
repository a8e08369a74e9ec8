//! Nothing is deleted by accident: what a request deletes can be read and restored for a while, and a sync that would delete much
//! has to say that it means it.

use super::story::text;
use super::sync::{add, said};
use crate::support::{Answer, Client, both, floor as floor_host, page as page_host};
use serde_json::{Value, json};

fn three_turns(client: &Client) -> [Answer; 3] {
    client.make_story("s", json!({"n": 0}));
    [1, 10, 100].map(|number| client.turn("s", &add(number)))
}

#[track_caller]
fn shows(client: &Client, branch: &str, n: i64) {
    let state = client.get(&format!("/sessions/s/state?branch_id={branch}"));
    state.is(200).has("/fresh", true).has("/state/n", n);
}

/// Deletes something; returns what it can be restored by.
#[track_caller]
fn deleted(client: &Client, path: &str) -> String {
    client.delete(path).is(200).header("trash-id")
}

#[track_caller]
fn restored(client: &Client, trash: &str) -> Answer {
    let restored = client.post(&format!("/trash/{trash}/restore"), json!({}));
    restored.is(200);
    client.get(&format!("/trash/{trash}")).refused(404, "trash_not_found");
    restored
}

#[test]
fn floors_come_back_where_they_were() {
    both(|client| {
        let [first, second, third] = three_turns(client);
        let (floor, page) = (text(&second, "floor_id"), text(&second, "page_id"));
        let trash = deleted(client, &format!("/floors/{floor}"));
        client.post("/sessions/s/process", json!({})).is(200);
        shows(client, "main", 101);
        client.get(&format!("/floors/{floor}")).refused(404, "floor_not_found");
        client.case("what is in the trash can be read");
        let list = client.get("/trash?session_id=s");
        list.is(200).has_meta("total", 1).has("/0/id", trash.as_str()).has("/0/kind", "floors");
        list.has("/0/floor_count", 1).has("/0/page_count", 1).has("/0/pages", Value::Null);
        let item = client.get(&format!("/trash/{trash}"));
        item.is(200)
            .has("/pages/0/content", add(10))
            .has("/pages/0/floor_no", 1)
            .has("/pages/0/page_id", page.as_str());
        let snapshot = text(&second, "snapshot_id");
        item.has("/pages/0/snapshot_id", snapshot.as_str());
        client.get(&format!("/snapshots/{snapshot}")).is(200).has("/state/n", 11);
        client.case("and goes back with its name, text and state");
        restored(client, &trash).has("/branch_id", "main").has("/new_branch", false).has("/floor_count", 1);
        shows(client, "main", 111);
        client.get(&format!("/floors/{floor}")).is(200).has("/floor_no", 1);
        client.get(&format!("/pages/{page}")).is(200).has("/content", add(10)).has("/is_active", true);
        client.state(&page).has("/snapshot_id", snapshot.as_str()).has("/fresh", true);
        client.get("/trash").is(200).has_meta("total", 0);
        client.case("several at once are one item");
        let ids = json!([text(&first, "floor_id"), text(&third, "floor_id"), "nobody"]);
        let gone = client.post("/floors/batch/delete", json!({"ids": ids}));
        let trash = gone.is(200).has("/meta/deleted", 2).header("trash-id");
        restored(client, &trash).has("/floor_count", 2);
        shows(client, "main", 111);
    });
}

#[test]
fn floors_whose_place_is_taken_come_back_as_a_branch() {
    both(|client| {
        let [_, _, third] = three_turns(client);
        let trash = deleted(client, &format!("/floors/{}", text(&third, "floor_id")));
        client.turn("s", &add(1_000)).is(201);
        restored(client, &trash).has("/branch_id", "restored").has("/new_branch", true);
        shows(client, "main", 1_011);
        shows(client, "restored", 111);
        client.get(&format!("/floors/{}", text(&third, "floor_id"))).is(200).has("/branch_id", "restored");
        client.case("a floor of a branch that is gone");
        let fork = json!({"branch_id": "alt"});
        client.post(&format!("/floors/{}/branch", text(&third, "floor_id")), fork).is(201);
        let body = json!({"role": "assistant", "content": add(5), "branch_id": "alt"});
        let other = client.post("/sessions/s/turns", body);
        let trash = deleted(client, &format!("/floors/{}", text(other.is(201), "floor_id")));
        client.delete("/branches/alt?session_id=s&permanent=true").is(200);
        restored(client, &trash).has("/branch_id", "restored-2").has("/new_branch", true);
        shows(client, "restored-2", 116);
    });
}

#[test]
fn swipes_come_back() {
    both(|client| {
        let [_, second, _] = three_turns(client);
        let floor = text(&second, "floor_id");
        let swipe = json!({"role": "assistant", "content": add(20), "swipe_of": floor});
        let swipe = text(client.post("/sessions/s/turns", swipe).is(201), "page_id");
        shows(client, "main", 121);
        let trash = deleted(client, &format!("/pages/{swipe}"));
        client.post("/sessions/s/process", json!({})).is(200);
        shows(client, "main", 111);
        client.case("the chosen one is chosen again");
        restored(client, &trash).has("/page_count", 1).has("/branch_id", "main");
        shows(client, "main", 121);
        client.get(&format!("/pages/{swipe}")).is(200).has("/is_active", true).has("/version", 1);
        client.case("beside one that has its number by now");
        let trash = deleted(client, &format!("/pages/{swipe}"));
        let other = json!({"floor_id": floor, "role": "assistant", "content": add(30), "is_active": false});
        client.post("/pages", other).is(201).has("/version", 1);
        restored(client, &trash).has("/new_branch", false);
        client.get(&format!("/pages/{swipe}")).is(200).has("/version", 2);
        client.case("without its floor it gets one");
        let trash = deleted(client, &format!("/pages/{swipe}"));
        client.delete(&format!("/floors/{floor}?permanent=true")).is(200);
        restored(client, &trash).has("/new_branch", true).has("/branch_id", "restored");
        shows(client, "restored", 21);
    });
}

#[test]
fn branches_come_back() {
    both(|client| {
        let [_, second, _] = three_turns(client);
        client.post(&format!("/floors/{}/branch", text(&second, "floor_id")), json!({"branch_id": "alt"})).is(201);
        let body = json!({"role": "assistant", "content": add(5), "branch_id": "alt"});
        client.post("/sessions/s/turns", body).is(201);
        client.set(crate::support::branch("s", "alt"), "k", 7).is(201);
        let trash = deleted(client, "/branches/alt?session_id=s");
        client.case("whatever happens to its source meanwhile");
        client.delete(&format!("/floors/{}", text(&second, "floor_id"))).is(200);
        restored(client, &trash).has("/branch_id", "alt");
        shows(client, "alt", 16);
        assert_eq!(client.resolve("session_id=s&branch_id=alt").iter().filter(|(key, ..)| key == "k").count(), 1);
        client.case("under another name if that is taken");
        let trash = deleted(client, "/branches/alt?session_id=s");
        let first = client.get("/floors?session_id=s&sort_order=asc").is(200).column("id")[0].clone();
        let path = format!("/floors/{}/branch", first.as_str().expect("a floor"));
        client.post(&path, json!({"branch_id": "alt"})).is(201);
        restored(client, &trash).has("/branch_id", "alt-2");
        shows(client, "alt-2", 16);
        client.case("also if there is no room for more in the name");
        let long = "酒".repeat(85) + "x";
        let (encoded, fork) = (crate::support::encode(&long), json!({"branch_id": long}));
        client.post(&path, fork.clone()).is(201);
        let trash = deleted(client, &format!("/branches/{encoded}?session_id=s"));
        client.post(&path, fork).is(201);
        let other = "酒".repeat(84) + "-2";
        restored(client, &trash).has("/branch_id", other.as_str());
        shows(client, &crate::support::encode(&other), 1);
    });
}

#[test]
fn edits_come_back() {
    both(|client| {
        let [_, second, _] = three_turns(client);
        let patch = json!({"patch": [{"op": "replace", "path": "/n", "value": 50}]});
        client.patch(&format!("/pages/{}/state", text(&second, "page_id")), patch).is(200);
        shows(client, "main", 150);
        let trash = deleted(client, &format!("/floors/{}", text(&second, "floor_id")));
        client.post("/sessions/s/process", json!({})).is(200);
        shows(client, "main", 101);
        restored(client, &trash).has("/new_branch", false);
        shows(client, "main", 150);
        let edits = client.get(&format!("/pages/{}/edits", text(&second, "page_id")));
        assert_eq!(edits.is(200).data().as_array().map(Vec::len), Some(1), "{}", edits.text);
    });
}

#[test]
fn variables_come_back_with_what_they_are_on() {
    both(|client| {
        client.make("s");
        client.set(floor_host("s.f"), "on floor", 1).is(201);
        client.set(page_host("s.p"), "on page", 2).is(201);
        let used = client.get("/account").is(200).data()["quotas"]["variables"]["used"].clone();
        let trash = deleted(client, "/floors/s.f");
        client.set(floor_host("s.f"), "k", 1).refused(404, "variable_host_not_found");
        client.get("/variables?scope=floor").is(200).has_meta("total", 0);
        restored(client, &trash).has("/new_branch", false);
        client.get("/account").is(200).has("/quotas/variables/used", used);
        let resolved = client.resolve("session_id=s&floor_id=s.f&page_id=s.p");
        let keys: Vec<&str> = resolved.iter().map(|(key, ..)| key.as_str()).collect();
        assert!(keys.contains(&"on floor") && keys.contains(&"on page"), "{keys:?}");
    });
}

#[test]
fn the_trash_can_be_emptied() {
    both(|client| {
        let [first, second, third] = three_turns(client);
        client.case("at once");
        client.delete(&format!("/floors/{}?permanent=true", text(&third, "floor_id"))).is(200);
        client.get("/trash").is(200).has_meta("total", 0);
        client.case("later");
        let trash = deleted(client, &format!("/floors/{}", text(&second, "floor_id")));
        client.delete(&format!("/trash/{trash}")).is(200);
        client.post(&format!("/trash/{trash}/restore"), json!({})).refused(404, "trash_not_found");
        client.delete(&format!("/trash/{trash}")).refused(404, "trash_not_found");
        client.case("with its session");
        deleted(client, &format!("/floors/{}", text(&first, "floor_id")));
        client.delete("/sessions/s?permanent=true").is(200);
        client.get("/trash").is(200).has_meta("total", 0);
        client.get("/trash?session_id=s").refused(404, "session_not_found");
        client.get("/trash?limit=0").invalid_at("/limit");
    });
}

#[test]
fn a_sync_that_deletes_much_says_so() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let chat: Vec<Value> = (0..20).map(|n| said("assistant", &[&format!("{n} {}", add(1))], 0)).collect();
        let made = client.sync(json!(chat));
        let version = text(made.is(200), "version");
        client.case("five floors, or a fifth of the branch, go without a word");
        client.sync(json!(chat[..15])).is(200).has("/deleted", 5);
        client.sync(json!(chat)).is(200).has("/created", 5);
        client.case("more do not");
        let short = json!(chat[..3]);
        let ask = |extra: Value| {
            let mut body = json!({"floors": short});
            body.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
            client.post("/sessions/s/sync", body)
        };
        let refused = ask(json!({}));
        refused.refused(409, "sync_deletes").says("would delete 17 of 20 floors; send \"max_deleted\": 17");
        shows(client, "main", 20);
        ask(json!({"max_deleted": 16})).refused(409, "sync_deletes");
        ask(json!({"expected_version": version})).refused(409, "chat_moved");
        ask(json!({"dry_run": true})).is(200).has("/deleted", 17);
        ask(json!({"max_deleted": 17})).is(200).has("/deleted", 17);
        shows(client, "main", 3);
        client.case("and comes back");
        let trash = client.get("/trash?session_id=s&limit=1");
        trash.is(200).has("/0/kind", "sync").has("/0/floor_count", 17);
        let trash = trash.column("id")[0].as_str().expect("an item").to_owned();
        restored(client, &trash).has("/new_branch", false);
        shows(client, "main", 20);
        client.case("a client that knows the branch may do what it wants");
        let version = text(client.sync(json!(chat)).is(200), "version");
        ask(json!({"expected_version": version})).is(200).has("/deleted", 17);
    });
}

#[test]
fn the_state_of_a_deleted_page_is_read_and_not_edited() {
    both(|client| {
        let [_, second, _] = three_turns(client);
        let (page, snapshot) = (text(&second, "page_id"), text(&second, "snapshot_id"));
        let trash = deleted(client, &format!("/floors/{}", text(&second, "floor_id")));
        let path = format!("/snapshots/{snapshot}");
        client.get(&path).is(200).has("/state/n", 11).has("/page_id", Value::Null);
        client.put(&path, json!({"state": {"n": 50}})).refused(409, "invalid_state").says("restore the page first");
        client.patch(&path, json!({"patch": {"n": 50}})).refused(409, "invalid_state");
        restored(client, &trash).has("/new_branch", false);
        client.patch(&path, json!({"patch": {"n": 50}})).is(200).has("/page_id", page.as_str());
        client.post("/sessions/s/process", json!({})).is(200);
        shows(client, "main", 150);
    });
}

#[test]
fn deleting_many_says_what_becomes_stale() {
    both(|client| {
        let [first, second, third] = three_turns(client);
        let floor = text(&second, "floor_id");
        let ids = json!([floor, "nobody"]);
        let gone = client.post("/floors/batch/delete", json!({"ids": ids}));
        gone.is(200).has("/results/0/stale", json!({"floors": 1, "first_floor_no": 2}));
        gone.has("/results/1/stale", Value::Null);
        client.post("/sessions/s/process", json!({})).is(200);
        client.case("swipes of a floor before");
        let swipe = json!({"role": "assistant", "content": add(2), "swipe_of": text(&first, "floor_id")});
        let swipe = text(client.post("/sessions/s/turns", swipe).is(201), "page_id");
        client.post("/sessions/s/process", json!({})).is(200);
        let ids = json!([swipe, text(&third, "page_id")]);
        let gone = client.post("/pages/batch/delete?permanent=true", json!({"ids": [ids[0]]}));
        gone.is(200).has("/results/0/stale/first_floor_no", 2);
        client.post("/sessions/s/process", json!({})).is(200);
        client.case("nothing is behind the last one");
        let gone = client.post("/pages/batch/delete", json!({"ids": [ids[1]]}));
        gone.is(200).has("/results/0/deleted", true).has("/results/0/stale", Value::Null);
        client.post("/pages/batch/delete?permanent=maybe", json!({"ids": ["x"]})).invalid_at("/permanent");
    });
}

#[test]
fn a_large_item_is_read_in_parts() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let chat: Vec<Value> = (0..120).map(|n| said("assistant", &[&format!("{n} {}", add(1))], 0)).collect();
        client.sync(json!(chat)).is(200);
        let trash = {
            let body = json!({"floors": chat[..1], "max_deleted": 119});
            client.post("/sessions/s/sync", body).is(200).has("/deleted", 119);
            client.get("/trash?session_id=s").is(200).column("id")[0].as_str().expect("an item").to_owned()
        };
        let first = client.get(&format!("/trash/{trash}"));
        first.is(200).has("/page_count", 119).has("/next_offset", 50).has("/pages/0/floor_no", 1);
        let last = client.get(&format!("/trash/{trash}?limit=100&offset=100"));
        last.is(200).has("/pages/18/content", format!("119 {}", add(1))).has("/next_offset", Value::Null);
        last.has("/pages/19", Value::Null);
        client.get(&format!("/trash/{trash}?offset=119")).is(200).has("/pages", json!([]));
        client.case("long texts make the part shorter");
        let text = "x".repeat(1_500_000);
        let long: Vec<Value> = (0..4).map(|n| said("assistant", &[&format!("{n}{text}")], 0)).collect();
        client.post("/sessions", json!({"id": "t"})).is(201);
        for count in 1..=4 {
            client.post("/sessions/t/sync", json!({"floors": long[..count]})).is(200);
        }
        let trash = deleted(client, "/sessions/t");
        client.get(&format!("/trash/{trash}")).is(200).has("/next_offset", 2).has("/pages/2", Value::Null);
        client.get(&format!("/trash/{trash}?offset=2")).is(200).has("/next_offset", Value::Null);
    });
}
