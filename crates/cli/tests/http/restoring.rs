//! What comes back from the trash comes back to where it was: each part of an item by itself, on the line that it was on, and texts
//! that a sync replaced as swipes beside the new ones.

use super::story::text;
use super::sync::{add, said};
use crate::support::{Answer, Client, both};
use serde_json::{Value, json};

fn taken(client: &Client) -> [Answer; 3] {
    client.make_story("s", json!({"n": 0}));
    [1, 10, 100].map(|number| client.turn("s", &add(number)))
}

#[track_caller]
fn fork(client: &Client, turn: &Answer, branch: &str) {
    client.post(&format!("/floors/{}/branch", text(turn, "floor_id")), json!({"branch_id": branch})).is(201);
}

#[track_caller]
fn turn_on(client: &Client, branch: &str, number: i64) -> Answer {
    let body = json!({"role": "assistant", "content": add(number), "branch_id": branch});
    let turn = client.post("/sessions/s/turns", body);
    turn.is(201);
    turn
}

/// The texts of a branch, floor by floor.
#[track_caller]
fn texts(client: &Client, branch: &str) -> Vec<Value> {
    client.get(&format!("/sessions/s/transcript?branch_id={branch}&limit=100")).is(200).column("content")
}

fn added(numbers: &[i64]) -> Vec<Value> {
    numbers.iter().map(|&number| add(number).into()).collect()
}

#[track_caller]
fn restore(client: &Client, trash: &str) -> Answer {
    let restored = client.post(&format!("/trash/{trash}/restore"), json!({}));
    restored.is(200);
    restored
}

#[track_caller]
fn state(client: &Client, branch: &str, n: i64) {
    let state = client.get(&format!("/sessions/s/state?branch_id={branch}"));
    state.is(200).has("/fresh", true).has("/state/n", n);
}

/// A chat of so many messages, each with a text of its own.
fn chat(word: &str, count: usize) -> Vec<Value> {
    (0..count).map(|n| said("assistant", &[&format!("{word} {n} {}", add(1))], 0)).collect()
}

#[test]
fn a_sync_that_replaces_much_says_so_and_its_texts_come_back() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        client.sync(json!(chat("old", 20))).is(200).has("/trash_id", Value::Null);
        let before = texts(client, "main");
        let ask = |floors: &[Value], extra: Value| {
            let mut body = json!({"floors": floors});
            body.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
            client.post("/sessions/s/sync", body)
        };
        client.case("all texts are others");
        let other = chat("new", 20);
        let refused = ask(&other, json!({}));
        refused.refused(409, "sync_deletes").says("replace the texts of 20 of 20 floors; send \"max_deleted\": 20");
        ask(&other, json!({"max_deleted": 19})).refused(409, "sync_deletes");
        ask(&other, json!({"dry_run": true})).is(200).has("/replaced", 20).has("/trash_id", Value::Null);
        assert_eq!(texts(client, "main"), before);
        client.case("a few of them are an edit, and kept");
        let mut few = chat("old", 20);
        few[..3].clone_from_slice(&other[..3]);
        let synced = ask(&few, json!({}));
        let trash = synced.is(200).has("/replaced", 3).has("/deleted", 0).header("trash-id");
        synced.has("/trash_id", trash.as_str());
        let item = client.get(&format!("/trash/{trash}"));
        item.is(200).has("/kind", "sync").has("/page_count", 3).has("/floor_count", 0);
        item.has("/pages/1/content", before[1].clone()).has("/pages/1/replaced", true).has("/pages/1/floor_no", 1);
        restore(client, &trash).has("/new_branch", false).has("/renamed_count", 3).has("/renamed/0/kind", "page");
        assert_eq!(texts(client, "main"), before, "the old texts are chosen again");
        let floor = text(&client.get("/sessions/s/floors/1?swipes=true"), "floor_id");
        let pages = client.get(&format!("/pages?floor_id={floor}"));
        assert_eq!(pages.is(200).column("content"), [other[1]["swipes"][0]["content"].clone(), before[1].clone()]);
        state(client, "main", 20);
        client.case("what is meant is done, and comes back");
        let trash = ask(&other, json!({"max_deleted": 20})).is(200).header("trash-id");
        assert_ne!(texts(client, "main"), before);
        restore(client, &trash).has("/new_branch", false);
        assert_eq!(texts(client, "main"), before);
        state(client, "main", 20);
    });
}

#[test]
fn a_sync_that_deletes_many_swipes_says_so_and_they_come_back() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let floor = |n: usize, count: usize, active: usize| {
            let swipes: Vec<String> = (0..count).map(|swipe| format!("{n} {swipe} {}", add(1))).collect();
            said("assistant", &swipes.iter().map(String::as_str).collect::<Vec<_>>(), active)
        };
        let two: Vec<Value> = (0..12).map(|n| floor(n, 2, 0)).collect();
        let one: Vec<Value> = (0..12).map(|n| floor(n, 1, 0)).collect();
        let swipes = |count: usize| {
            let floors = client.get("/sessions/s/transcript?limit=100&swipes=true");
            assert_eq!(floors.is(200).column("swipe_count"), vec![json!(count); 12]);
        };
        let ask = |floors: &[Value], extra: Value| {
            let mut body = json!({"floors": floors});
            body.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
            client.post("/sessions/s/sync", body)
        };
        client.sync(json!(two)).is(200).has("/swipes_deleted", 0);
        client.case("each floor would lose a swipe");
        let says = "would delete 12 swipes of floors that stay; send \"max_deleted\": 12";
        ask(&one, json!({})).refused(409, "sync_deletes").says(says);
        ask(&one, json!({"max_deleted": 11})).refused(409, "sync_deletes");
        let dry = ask(&one, json!({"dry_run": true}));
        dry.is(200).has("/swipes_deleted", 12).has("/deleted", 0);
        swipes(2);
        client.case("together with floors");
        let says = "would delete 1 of 12 floors and delete 11 swipes of floors that stay; send \"max_deleted\": 12";
        ask(&one[..11], json!({})).refused(409, "sync_deletes").says(says);
        client.case("a few go without a word, and to the trash");
        let mut few = two.clone();
        few[..5].clone_from_slice(&one[..5]);
        let trash = ask(&few, json!({})).is(200).has("/swipes_deleted", 5).header("trash-id");
        restore(client, &trash).has("/new_branch", false);
        swipes(2);
        client.case("a swipe whose text is elsewhere in the chat is not lost");
        let mut elsewhere = one.clone();
        elsewhere[11] = {
            let kept = (0..12).map(|n| format!("{n} 1 {}", add(1))).collect::<Vec<_>>();
            let own = format!("11 0 {}", add(1));
            let texts: Vec<&str> = std::iter::once(own.as_str()).chain(kept.iter().map(String::as_str)).collect();
            said("assistant", &texts, 0)
        };
        ask(&elsewhere, json!({"dry_run": true})).is(200).has("/swipes_deleted", 0);
        client.case("what is meant is done, and comes back");
        let trash = ask(&one, json!({"max_deleted": 12})).is(200).has("/swipes_deleted", 12).header("trash-id");
        swipes(1);
        restore(client, &trash).has("/new_branch", false);
        swipes(2);
        let version = text(client.sync(json!(two)).is(200), "version");
        ask(&one, json!({"expected_version": version})).is(200).has("/swipes_deleted", 12);
        state(client, "main", 12);
    });
}

#[test]
fn a_short_chat_over_a_long_one_comes_back_whole() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        client.sync(json!(chat("old", 20))).is(200);
        let before = texts(client, "main");
        let body = json!({"floors": chat("new", 1), "max_deleted": 19});
        let synced = client.post("/sessions/s/sync", body);
        let trash = synced.is(200).has("/deleted", 19).has("/replaced", 1).header("trash-id");
        client.get(&format!("/trash/{trash}")).is(200).has("/floor_count", 19).has("/page_count", 20);
        restore(client, &trash).has("/new_branch", false);
        assert_eq!(texts(client, "main"), before);
        state(client, "main", 20);
        client.case("the new text stays as a swipe");
        let floor = client.get("/sessions/s/floors/0?swipes=true");
        floor.is(200).has("/swipe_count", 2);
        client.case("a chat that was mended by its client gets no second copy");
        let body = json!({"floors": chat("other", 20), "max_deleted": 21});
        let trash = client.post("/sessions/s/sync", body).is(200).header("trash-id");
        client.sync(json!(chat("old", 20))).is(200);
        restore(client, &trash).has("/new_branch", false);
        client.get("/sessions/s/floors/3?swipes=true").is(200).has("/swipe_count", 1);
        assert_eq!(texts(client, "main"), before);
        client.case("one message that grows is an edit");
        client.sync(json!(chat("old", 20))).is(200);
        let mut grown = chat("old", 20);
        grown[19] = said("assistant", &["old 19 and more"], 0);
        client
            .post("/sessions/s/sync", json!({"floors": grown}))
            .is(200)
            .has("/replaced", 1)
            .has("/trash_id", Value::Null);
    });
}

#[test]
fn a_replaced_text_without_its_floor_gets_one() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        client.sync(json!(chat("old", 4))).is(200);
        let before = texts(client, "main");
        let trash = client.sync(json!(chat("new", 4))).is(200).header("trash-id");
        let floor = text(&client.get("/sessions/s/floors/3"), "floor_id");
        client.delete(&format!("/floors/{floor}?permanent=true")).is(200);
        let restored = restore(client, &trash);
        restored.has("/new_branch", true).has("/branch_id", "restored");
        restored.has(
            "/branches",
            json!([
                {"branch_id": "main", "new_branch": false},
                {"branch_id": "restored", "new_branch": true}
            ]),
        );
        assert_eq!(texts(client, "main"), before[..3]);
        assert_eq!(texts(client, "restored"), before);
        state(client, "restored", 4);
    });
}

#[test]
fn floors_of_several_branches_go_back_to_each() {
    both(|client| {
        let [_, _, third] = taken(client);
        fork(client, &third, "k");
        let (on_fork, on_main) = (turn_on(client, "k", 5), turn_on(client, "main", 6));
        let ids = json!([text(&on_main, "floor_id"), text(&on_fork, "floor_id")]);
        let gone = client.post("/floors/batch/delete", json!({"ids": ids}));
        let trash = gone.is(200).header("trash-id");
        let restored = restore(client, &trash);
        restored.has("/new_branch", false).has("/branches/0/branch_id", "main").has("/branches/1/branch_id", "k");
        assert_eq!(texts(client, "main"), added(&[1, 10, 100, 6]));
        assert_eq!(texts(client, "k"), added(&[1, 10, 100, 5]));
        state(client, "main", 117);
        state(client, "k", 116);
        client.case("only the one whose place is taken gets a branch");
        let gone = client.post("/floors/batch/delete", json!({"ids": ids}));
        let trash = gone.is(200).header("trash-id");
        turn_on(client, "k", 7).is(201);
        restore(client, &trash).has("/new_branch", true).has("/branch_id", "restored");
        assert_eq!(texts(client, "main"), added(&[1, 10, 100, 6]));
        assert_eq!(texts(client, "k"), added(&[1, 10, 100, 7]));
        assert_eq!(texts(client, "restored"), added(&[1, 10, 100, 5]));
        state(client, "restored", 116);
    });
}

#[test]
fn pages_of_several_floors_go_back_to_each() {
    both(|client| {
        let turns = taken(client);
        let swipe = |turn: &Answer| {
            let body = json!({"role": "assistant", "content": add(7), "swipe_of": text(turn, "floor_id")});
            text(client.post("/sessions/s/turns", body).is(201), "page_id")
        };
        let swipes: Vec<String> = turns.iter().map(swipe).collect();
        let trash = client.post("/pages/batch/delete", json!({"ids": swipes})).is(200).header("trash-id");
        client.delete(&format!("/floors/{}", text(&turns[2], "floor_id"))).is(200);
        restore(client, &trash).has("/new_branch", true).has("/page_count", 3);
        assert_eq!(texts(client, "main"), added(&[7, 7]), "the swipes are on their floors and chosen");
        assert_eq!(texts(client, "restored"), added(&[7, 7, 7]));
        state(client, "main", 14);
        state(client, "restored", 21);
    });
}

#[test]
fn what_was_on_a_branch_that_is_gone_stands_on_what_that_stood_on() {
    both(|client| {
        let [_, second, _] = taken(client);
        for (branch, permanent) in [("k", ""), ("l", "&permanent=true")] {
            fork(client, &second, branch);
            let floors = [5, 6].map(|number| turn_on(client, branch, number));
            let trash = client.delete(&format!("/floors/{}", text(&floors[1], "floor_id"))).is(200).header("trash-id");
            client.delete(&format!("/branches/{branch}?session_id=s{permanent}")).is(200);
            let restored = restore(client, &trash);
            let restored = text(restored.has("/new_branch", true), "branch_id");
            assert_eq!(texts(client, &restored), added(&[1, 10, 6]), "floor 2 of main was never on the line");
            state(client, &restored, 17);
        }
        client.case("a fork with rows of its own");
        fork(client, &second, "m");
        let floors = [5, 6].map(|number| turn_on(client, "m", number));
        let page = text(&second, "page_id");
        client.patch(&format!("/pages/{page}?branch_id=m"), json!({"content": add(20)})).is(200);
        let trash = client.delete(&format!("/floors/{}", text(&floors[1], "floor_id"))).is(200).header("trash-id");
        client.delete("/branches/m?session_id=s&permanent=true").is(200);
        let restored = text(&restore(client, &trash), "branch_id");
        assert_eq!(texts(client, &restored), added(&[1, 6]), "what it shared is nearest");
    });
}

#[test]
fn a_restore_that_restores_nothing_is_refused() {
    both(|client| {
        let [_, second, third] = taken(client);
        let (page, snapshot) = (text(&second, "page_id"), text(&second, "snapshot_id"));
        let gone = client.delete(&format!("/snapshots/{snapshot}"));
        let trash = gone.is(200).has("/stale", json!({"floors": 2, "first_floor_no": 1})).header("trash-id");
        client.post("/sessions/s/process", json!({})).is(200);
        let path = format!("/trash/{trash}/restore");
        client.post(&path, json!({})).refused(409, "nothing_to_restore").says("drop the new ones first");
        client.get(&format!("/trash/{trash}")).is(200).has("/page_count", 1);
        client.get(&format!("/trash/{trash}/snapshots/{snapshot}")).is(200).has("/state/n", 11);
        client.case("the way out");
        let new = text(&client.state(&page), "snapshot_id");
        client.delete(&format!("/snapshots/{new}?permanent=true")).is(200);
        restore(client, &trash).has("/page_count", 1);
        client.state(&page).has("/snapshot_id", snapshot.as_str());
        client.post("/sessions/s/process", json!({})).is(200);
        client.case("what has another state stays in the trash");
        let body = json!({"chat_file": "s"});
        let dropped = client.ask("DELETE", "/snapshots/by-chat").json(body).send();
        let trash = dropped.is(200).data()["trash_ids"][0].as_str().expect("an item").to_owned();
        let first = json!({"role": "assistant", "content": add(2), "swipe_of": text(&third, "floor_id")});
        client.post("/sessions/s/turns", first).is(201);
        client.post(&format!("/trash/{trash}/restore"), json!({})).is(200).has("/page_count", 1);
        client.get(&format!("/trash/{trash}")).is(200).has("/page_count", 2);
    });
}

#[test]
fn every_item_and_every_new_id_is_named() {
    both(|client| {
        let [_, _, third] = taken(client);
        client.make_story("other", json!({"n": 0}));
        let other = client.turn("other", &add(1));
        let ids = json!([text(&third, "floor_id"), text(&other, "floor_id"), "missing"]);
        let gone = client.post("/floors/batch/delete", json!({"ids": ids}));
        let [first, second] =
            [0, 1].map(|at| gone.data()["results"][at]["trash_id"].as_str().expect("an item").to_owned());
        assert_ne!(first, second);
        assert_eq!(
            gone.is(200).has("/results/2/trash_id", Value::Null).header("trash-id"),
            format!("{first}, {second}")
        );
        restore(client, &first).has("/session_id", "s");
        restore(client, &second).has("/session_id", "other");
        client.case("a page whose id was used again");
        let (page, floor) = (text(&third, "page_id"), text(&third, "floor_id"));
        let trash = client.delete(&format!("/pages/{page}")).is(200).header("trash-id");
        let again = json!({"id": page, "floor_id": floor, "role": "assistant", "content": add(3)});
        client.post("/pages", again).is(201);
        let restored = restore(client, &trash);
        restored.has("/renamed_count", 1).has("/renamed/0/old_id", page.as_str()).has("/renamed/0/kind", "page");
        let renamed = restored.data()["renamed"][0]["id"].as_str().expect("an id").to_owned();
        client.get(&format!("/pages/{renamed}")).is(200).has("/content", add(100)).has("/is_active", true);
        client.case("a fork copies both");
        fork(client, &third, "k");
        client.patch(&format!("/pages/{page}"), json!({"content": add(4)})).is(200);
        client.get("/sessions/s/floors/2?branch_id=k&swipes=true").is(200).has("/swipe_count", 2);
    });
}

#[test]
fn a_slot_has_an_active_swipe_again() {
    both(|client| {
        let [_, second, _] = taken(client);
        let floor = text(&second, "floor_id");
        let other = json!({"floor_id": floor, "role": "assistant", "content": add(30), "is_active": false});
        let other = text(client.post("/pages", other).is(201), "id");
        let swipe = client.delete(&format!("/pages/{other}")).is(200).header("trash-id");
        client.delete(&format!("/pages/{}", text(&second, "page_id"))).is(200);
        restore(client, &swipe).has("/page_count", 1);
        client.get(&format!("/pages/{other}")).is(200).has("/is_active", true);
        state(client, "main", 131);
        client.case("also on a floor that is made for it");
        let swipe = client.delete(&format!("/pages/{other}")).is(200).header("trash-id");
        client.delete(&format!("/floors/{floor}?permanent=true")).is(200);
        let branch = text(&restore(client, &swipe), "branch_id");
        client.get(&format!("/pages/{other}")).is(200).has("/is_active", true);
        state(client, &branch, 31);
    });
}

#[test]
fn a_fork_in_the_trash_keeps_what_it_shares() {
    both(|client| {
        let [first, second, _] = taken(client);
        let names = || client.get("/sessions/s/branches?sort_order=asc").is(200).column("branch_id");
        fork(client, &second, "k");
        turn_on(client, "k", 5).is(201);
        let gone = client.delete("/branches/k?session_id=s");
        let trash = gone.is(200).has("/deleted_floor_count", 1).header("trash-id");
        client.case("only its own floor is in the trash, and nothing lists it");
        client.get(&format!("/trash/{trash}")).is(200).has("/floor_count", 1).has("/page_count", 1);
        assert_eq!(names(), ["main"]);
        client.case("what it shared changes, and its name is used again");
        let page = text(&first, "page_id");
        client.patch(&format!("/pages/{page}"), json!({"content": add(2)})).is(200);
        assert_eq!(names(), ["main"]);
        fork(client, &second, "k");
        let restored = text(&restore(client, &trash), "branch_id");
        assert_eq!(texts(client, &restored), added(&[1, 10, 5]));
        assert_eq!(texts(client, "main"), added(&[2, 10, 100]));
        state(client, &restored, 16);
        client.case("one that is purged leaves nothing behind");
        let trash = client.delete("/branches/k?session_id=s").is(200).header("trash-id");
        client.delete(&format!("/trash/{trash}")).is(200);
        client.patch(&format!("/pages/{page}"), json!({"content": add(3)})).is(200);
        assert_eq!(names(), vec![json!("main"), restored.into()]);
    });
}

/// Longer than what is changed in one transaction.
const LONG: usize = 300;

#[test]
fn a_long_chat_is_replaced_and_shortened_and_comes_back() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        client.sync(json!(chat("old", LONG))).is(200).has("/created", LONG);
        state(client, "main", 300);
        let old = texts(client, "main");
        let ids = client.get("/sessions/s/transcript?limit=100").is(200).column("floor_id");
        client.case("every text is another");
        let replaced = client.sync(json!(chat("new", LONG)));
        let texts_trash = replaced.is(200).has("/replaced", LONG).header("trash-id");
        state(client, "main", 300);
        assert_eq!(
            client.get("/sessions/s/transcript?limit=100").is(200).column("floor_id"),
            ids,
            "floors keep their ids"
        );
        client.get(&format!("/trash/{texts_trash}?limit=1")).is(200).has("/page_count", LONG).has("/floor_count", 0);
        client.case("most floors go");
        let shorter = client.sync(json!(chat("new", 10)));
        let trash = shorter.is(200).has("/deleted", LONG - 10).header("trash-id");
        state(client, "main", 10);
        client.get(&format!("/trash/{trash}?limit=1")).is(200).has("/floor_count", LONG - 10);
        client.case("and come back");
        restore(client, &trash).has("/branch_id", "main").has("/new_branch", false).has("/floor_count", LONG - 10);
        state(client, "main", 300);
        restore(client, &texts_trash).has("/branch_id", "main").has("/page_count", LONG);
        assert_eq!(texts(client, "main"), old);
        state(client, "main", 300);
    });
}

/// All that lists and lookups say of a branch: floors with their ids and numbers, and pages.
fn seen(client: &Client, branch: &str) -> Vec<Value> {
    let mut seen = Vec::new();
    for from in (0..LONG).step_by(100) {
        let part = client.get(&format!("/sessions/s/transcript?branch_id={branch}&limit=100&from={from}"));
        for name in ["floor_id", "floor_no", "page_id", "content"] {
            seen.extend(part.is(200).column(name));
        }
    }
    seen
}

/// A committed floor with a state, variables on the floor and its page, and a value that the page promotes to its branch.
fn last_floor(client: &Client) {
    client.make_floor("s", "last", json!({}));
    client.make_page("last", "last.p", json!({"content": add(1), "page_kind": "output", "role": "assistant"}));
    client.set(json!({"scope": "floor", "scope_id": "last"}), "on floor", 1).is(201);
    client.set(json!({"scope": "page", "scope_id": "last.p"}), "on page", 2).is(201);
    let gold = json!({"key": "gold", "op": "set", "value": 3, "intent": "promote_to_branch_on_accept"});
    client.post("/pages/last.p/variables/staged", gold).is(201);
    client.post("/floors/last/generate", json!({})).is(200);
    client.post("/floors/last/commit", json!({})).is(200);
    client.post("/sessions/s/process", json!({})).is(200);
}

#[test]
fn many_floors_come_back_with_what_hangs_on_them() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        client.sync(json!(chat("old", LONG))).is(200);
        last_floor(client);
        state(client, "main", 301);
        let whole = seen(client, "main");
        let used = || client.get("/account").is(200).data()["quotas"]["variables"]["used"].clone();
        let variables = || {
            let path = |scope: &str| format!("/variables?scope={scope}&limit=100");
            let listed = ["branch", "floor", "page"].map(|scope| client.get(&path(scope)).is(200).column("value"));
            (listed, used())
        };
        let before = variables();
        let remove = || client.post("/sessions/s/sync", json!({"floors": chat("old", 10), "max_deleted": LONG}));
        client.case("where they were");
        let trash = remove().is(200).header("trash-id");
        client.get("/floors/last").refused(404, "floor_not_found");
        assert!(variables().0.iter().all(Vec::is_empty), "{:?}", variables());
        restore(client, &trash).has("/new_branch", false).has("/renamed_count", 0);
        assert_eq!(seen(client, "main"), whole);
        assert_eq!(variables(), before);
        state(client, "main", 301);
        client.case("their places are taken");
        let trash = remove().is(200).header("trash-id");
        client.turn("s", &add(7)).is(201);
        let restored = restore(client, &trash);
        restored.has("/new_branch", true).has("/branch_id", "restored").has("/floor_count", LONG - 9);
        assert_eq!(seen(client, "restored"), whole);
        assert_eq!(variables(), before);
        let gold = |branch: &str| {
            let seen = client.resolve(&format!("session_id=s&branch_id={branch}"));
            seen.into_iter().find(|(key, ..)| key == "gold").map(|(_, value, scope)| (value, scope))
        };
        assert_eq!(gold("restored"), Some((json!(3), "branch".to_owned())));
        assert_eq!(gold("main"), None);
        state(client, "restored", 301);
        state(client, "main", 17);
        client.case("as a branch");
        let trash = client.delete("/branches/restored?session_id=s").is(200).header("trash-id");
        restore(client, &trash).has("/branch_id", "restored").has("/new_branch", false);
        assert_eq!(seen(client, "restored"), whole);
        assert_eq!(variables(), before);
        state(client, "restored", 301);
        client.case("one of their ids is another's");
        let trash = client.delete("/branches/restored?session_id=s").is(200).header("trash-id");
        client.make_session("other");
        client.make_floor("other", "last", json!({}));
        restore(client, &trash).has("/renamed_count", 1).has("/renamed/0/old_id", "last");
        state(client, "restored", 301);
        client.get("/floors/last").is(200).has("/session_id", "other");
        client.get("/trash?session_id=s").is(200).has_meta("total", 0);
    });
}

#[test]
fn a_long_chat_changes_beside_its_forks() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        client.sync(json!(chat("old", LONG))).is(200);
        let floor_of = |branch: &str, number: usize| {
            text(&client.get(&format!("/sessions/s/floors/{number}?branch_id={branch}")), "floor_id")
        };
        let fork = |floor: &str, branch: &str| {
            client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": branch})).is(201);
        };
        fork(&floor_of("main", LONG - 1), "end");
        fork(&floor_of("main", 20), "early");
        fork(&floor_of("end", LONG - 5), "of-end");
        let said = |branch: &str| {
            let part = |from: usize| {
                let path = format!("/sessions/s/transcript?branch_id={branch}&limit=100&from={from}");
                client.get(&path).is(200).column("content")
            };
            (0..LONG).step_by(100).flat_map(part).collect::<Vec<Value>>()
        };
        let sync = |branch: &str, floors: Vec<Value>| {
            let body = json!({"floors": floors, "branch_id": branch, "max_deleted": 2 * LONG});
            let synced = client.post("/sessions/s/sync", body);
            synced.is(200);
            synced
        };
        let forks = ["end", "early", "of-end"];
        let before = forks.map(said);
        client.case("every text of the source is another");
        sync("main", chat("new", LONG)).has("/replaced", LONG);
        assert_eq!(forks.map(said), before);
        assert_eq!(said("main").len(), LONG);
        state(client, "main", 300);
        state(client, "end", 300);
        state(client, "early", 21);
        client.case("a fork is cut, and its own fork stays");
        let main = said("main");
        let trash = sync("end", chat("old", 3)).header("trash-id");
        assert_eq!([said("early"), said("of-end"), said("main")], [before[1].clone(), before[2].clone(), main.clone()]);
        state(client, "end", 3);
        state(client, "of-end", 296);
        restore(client, &trash).has("/branch_id", "end").has("/new_branch", false);
        assert_eq!(forks.map(said), before);
        client.case("floors are added behind what is shared");
        sync("early", chat("old", 21).into_iter().chain(chat("more", LONG)).collect()).has("/created", LONG);
        assert_eq!(said("main"), main);
        state(client, "early", 321);
    });
}

/// A text that compresses to about the half of its bytes.
fn large_text(seed: u64) -> String {
    let mut number = seed;
    let mut text = format!("text {seed}: @.ADD(\"n\", 1); ");
    while text.len() < 700_000 {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text += &format!("{number:016x}");
    }
    text
}

/// A branch is deleted in parts of bounded bytes, so a floor with large swipes goes page by page.
#[test]
fn floors_with_large_swipes_are_deleted_and_come_back_whole() {
    both(|client| {
        let [first, ..] = taken(client);
        fork(client, &first, "b");
        let said = |content: &str, more: Value| {
            let mut turn = json!({"role": "assistant", "content": content, "branch_id": "b"});
            more.as_object().into_iter().flatten().for_each(|(name, value)| turn[name] = value.clone());
            client.post("/sessions/s/turns", turn)
        };
        said(&add(10), json!({})).is(201);
        let floor = text(said(&large_text(1), json!({})).is(201), "floor_id");
        for number in 2..5 {
            said(&large_text(number), json!({"swipe_of": floor})).is(201);
        }
        let pages = client.get(&format!("/pages?floor_id={floor}"));
        let pages = pages.is(200).column("id");
        client.post(&format!("/pages/{}/activate", pages[1].as_str().expect("an id")), json!({})).is(200);
        client.patch(&format!("/floors/{floor}"), json!({"metadata": {"kept": true}})).is(200);
        said(&add(100), json!({})).is(201);
        client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": "shares"})).is(201);
        let shown = |branch: &str, n: i64| {
            let state = client.get(&format!("/sessions/s/state?branch_id={branch}"));
            state.is(200).has("/fresh", true).has("/state/n", n);
        };
        shown("b", 112);
        client.case("to the trash");
        let trash = client.delete("/branches/b?session_id=s").is(200).header("trash-id");
        client.get(&format!("/trash/{trash}")).is(200).has("/floor_count", 3).has("/page_count", 6);
        client.get("/sessions/s/transcript?branch_id=b").refused(404, "branch_not_found");
        shown("shares", 12);
        client.case("and back");
        restore(client, &trash).has("/branch_id", "b").has("/floor_count", 3).has("/page_count", 6);
        shown("b", 112);
        client.get(&format!("/floors/{floor}")).is(200).has("/metadata/kept", true);
        let found = client.get(&format!("/pages?floor_id={floor}"));
        assert_eq!(found.is(200).column("id"), pages);
        assert_eq!(found.column("content"), (1..5).map(large_text).map(Value::from).collect::<Vec<_>>());
        assert_eq!(found.column("is_active"), [false, true, false, false].map(Value::from));
        client.case("for good");
        let trash = client.delete("/branches/b?session_id=s").is(200).header("trash-id");
        client.delete(&format!("/trash/{trash}")).is(200);
        client.delete("/branches/shares?session_id=s&permanent=true").is(200);
        let rows = format!("SELECT COUNT(*) FROM trash_row WHERE account_id = '{}'", client.account);
        assert_eq!(client.place().number(&rows), 0);
        shown("main", 111);
    });
}
