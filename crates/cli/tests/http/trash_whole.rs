//! Sessions, characters, global snapshots and dropped states go to the trash too, and come back as they were.

use super::story::text;
use super::sync::add;
use crate::support::{Answer, Client, both, branch, chat, page as page_host};
use serde_json::{Value, json};

fn three_turns(client: &Client, session: &str) -> [Answer; 3] {
    client.make_story(session, json!({"n": 0}));
    [1, 10, 100].map(|number| client.turn(session, &add(number)))
}

#[track_caller]
fn shows(client: &Client, session: &str, n: i64) {
    client.get(&format!("/sessions/{session}/state")).is(200).has("/fresh", true).has("/state/n", n);
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

#[track_caller]
fn total(client: &Client, wanted: i64) {
    client.get("/trash").is(200).has_meta("total", wanted);
}

#[test]
fn a_session_comes_back_whole() {
    both(|client| {
        let [_, second, third] = three_turns(client, "s");
        client.patch("/sessions/s", json!({"title": "A walk", "metadata": {"k": 1}})).is(200);
        client.set(chat("s"), "on chat", 1).is(201);
        client.set(branch("s", "main"), "on branch", 2).is(201);
        client.post(&format!("/floors/{}/branch", text(&second, "floor_id")), json!({"branch_id": "alt"})).is(201);
        let before = client.get("/sessions/s");
        let floor = deleted(client, &format!("/floors/{}", text(&third, "floor_id")));
        client.post("/sessions/s/process", json!({})).is(200);
        let used = client.get("/account").is(200).data()["quotas"].clone();
        let trash = deleted(client, "/sessions/s");
        client.case("it is gone for everybody");
        client.get("/sessions/s").refused(404, "session_not_found");
        client.get("/sessions").is(200).has_meta("total", 0);
        client.get(&format!("/floors/{}", text(&second, "floor_id"))).refused(404, "floor_not_found");
        client.get(&format!("/snapshots/{}", text(&second, "snapshot_id"))).refused(404, "snapshot_not_found");
        client.get("/variables?scope=chat").is(200).has_meta("total", 0);
        client.get("/variables").is(200).has_meta("total", 0);
        client.case("its own trash is hidden with it");
        client.get(&format!("/trash/{floor}")).refused(404, "trash_not_found");
        let list = client.get("/trash");
        list.is(200).has_meta("total", 1).has("/0/kind", "session").has("/0/subject_id", "s").has("/0/name", "A walk");
        list.has("/0/chat_file", "s").has("/0/session_id", "s").has("/0/floor_count", 2).has("/0/page_count", 2);
        client.get("/trash?session_id=s").is(200).has_meta("total", 1).has("/0/id", trash.as_str());
        client.case("it can be read");
        let item = client.get(&format!("/trash/{trash}?limit=1"));
        item.is(200).has("/pages/0/content", add(1)).has("/pages/0/branch_id", "main").has("/next_offset", 1);
        let item = client.get(&format!("/trash/{trash}?limit=1&offset=1"));
        item.is(200).has("/pages/0/content", add(10)).has("/next_offset", Value::Null);
        let snapshot = text(&second, "snapshot_id");
        item.has("/pages/0/snapshot_id", snapshot.as_str());
        client.get(&format!("/trash/{trash}/snapshots/{snapshot}")).is(200).has("/state/n", 11);
        client.get(&format!("/trash/{trash}/snapshots/nobody")).refused(404, "snapshot_not_found");
        client.get(&format!("/trash/{trash}?limit=0")).invalid_at("/limit");
        client.get(&format!("/trash/{trash}?limit=101")).invalid_at("/limit");
        client.get(&format!("/trash/{trash}?offset=-1")).invalid_at("/offset");
        client.case("it counts for the quotas");
        let quotas = client.get("/account").is(200).data()["quotas"].clone();
        assert_eq!(quotas["sessions"]["used"], used["sessions"]["used"]);
        assert_eq!(quotas["sessions"]["trashed"], json!(1));
        assert_eq!(quotas["variables"]["used"], used["variables"]["used"]);
        client.case("and comes back with everything");
        restored(client, &trash).has("/session_id", "s").has("/id", "s").has("/branch_id", Value::Null);
        let after = client.get("/sessions/s");
        for field in ["title", "metadata", "chat_file", "created_at"] {
            assert_eq!(after.data()[field], before.data()[field], "{field}");
        }
        shows(client, "s", 11);
        client.get("/sessions/s/state?branch_id=alt").is(200).has("/state/n", 11).has("/fresh", true);
        client.get("/variables").is(200).has_meta("total", 2);
        assert_eq!(client.get("/account").is(200).data()["quotas"], used);
        client.turn("s", &add(1_000)).is(201);
        shows(client, "s", 1_011);
        client.get(&format!("/trash/{floor}")).is(200);
        client.post(&format!("/trash/{floor}/restore"), json!({})).is(200).has("/new_branch", true);
    });
}

#[test]
fn names_of_a_session_in_the_trash_are_free() {
    both(|client| {
        client.make("s");
        let trash = deleted(client, "/sessions/s");
        client.case("another session may have all its ids");
        client.make("s");
        client.get("/floors/s.f").is(200);
        client.post(&format!("/trash/{trash}/restore"), json!({})).refused(409, "id_taken").says("under another id");
        client.case("and the first one comes back under others");
        let restored = client.post(&format!("/trash/{trash}/restore"), json!({"id": "old"}));
        restored.is(200).has("/id", "old").has("/session_id", "old");
        client.get("/sessions/old").is(200).has("/chat_file", "old");
        client.get("/floors/s.f").is(200).has("/session_id", "s");
        let floors = client.get("/floors?session_id=old").is(200).column("id");
        assert!(floors.len() == 1 && floors[0] != "s.f", "{floors:?}");
        let path = format!("/floors/{}", floors[0].as_str().expect("an id"));
        client.get(&path).is(200).has("/session_id", "old");
        client.case("a chat's name that another session has");
        client.patch("/sessions/old", json!({"chat_file": "a chat"})).is(200);
        let trash = deleted(client, "/sessions/old");
        client.patch("/sessions/s", json!({"chat_file": "a chat"})).is(200);
        let refused = client.post(&format!("/trash/{trash}/restore"), json!({}));
        refused.refused(409, "id_taken").says("chat_file");
        let restored = client.post(&format!("/trash/{trash}/restore"), json!({"chat_file": "another"}));
        restored.is(200).has("/id", "old");
        client.get("/sessions/old").is(200).has("/chat_file", "another");
        client.case("bad names");
        let trash = deleted(client, "/sessions/old");
        client.post(&format!("/trash/{trash}/restore"), json!({"id": "no id"})).invalid_at("/id");
        client.post(&format!("/trash/{trash}/restore"), json!({"chat_file": ""})).invalid_at("/chat_file");
        client.post(&format!("/trash/{trash}/restore"), json!({"name": "x"})).is(400);
        client.delete("/floors/s.f").is(200);
        let floors = client.get("/trash?session_id=s").is(200).column("id")[0].as_str().expect("an id").to_owned();
        client.post(&format!("/trash/{floors}/restore"), json!({"id": "x"})).refused(409, "invalid_state");
    });
}

#[test]
fn sessions_are_purged() {
    both(|client| {
        client.make("s");
        client.set(chat("s"), "k", 1).is(201);
        deleted(client, "/floors/s.f");
        client.case("at once");
        client.delete("/sessions/s?permanent=true").is(200);
        total(client, 0);
        client.get("/account").is(200).has("/quotas/variables/used", 0).has("/quotas/sessions/used", 0);
        client.case("later");
        client.make("s");
        client.set(chat("s"), "k", 1).is(201);
        client.set(page_host("s.p"), "k", 1).is(201);
        deleted(client, "/floors/s.f");
        let trash = deleted(client, "/sessions/s");
        client.get("/account").is(200).has("/quotas/variables/used", 2).has("/quotas/variables/trashed", 2);
        client.delete(&format!("/trash/{trash}")).is(200);
        client.delete(&format!("/trash/{trash}")).refused(404, "trash_not_found");
        client.post(&format!("/trash/{trash}/restore"), json!({})).refused(404, "trash_not_found");
        client.get("/trash?session_id=s").refused(404, "session_not_found");
        client.get("/account").is(200).has("/quotas/variables/used", 0).has("/quotas/sessions/used", 0);
        client.case("many at once are an item each");
        client.make("s");
        client.make("t");
        let gone = client.post("/sessions/batch/delete", json!({"ids": ["s", "t", "nobody"]}));
        gone.is(200).has("/meta/deleted", 2);
        total(client, 2);
        let item = gone.data()["results"][1]["trash_id"].as_str().expect("an item").to_owned();
        restored(client, &item).has("/id", "t");
        client.post("/sessions/batch/delete?permanent=true", json!({"ids": ["t"]})).is(200);
        total(client, 1);
    });
}

#[test]
fn a_character_comes_back_to_its_sessions() {
    both(|client| {
        let tick = json!({"name": "tick", "type": "passive", "timing": "after_active", "executor": "return snapshot;"});
        let character = json!({"id": "c", "name": "Yuki", "template": {"n": 7}, "greetings": [add(1), "Hello."],
            "functions": [tick]});
        client.post("/characters", character).is(201);
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        let before = client.get("/characters/c").is(200).data();
        let trash = deleted(client, "/characters/c");
        client.get("/characters/c").refused(404, "character_not_found");
        client.get("/sessions/s").is(200).has("/character_id", Value::Null);
        shows(client, "s", 8);
        client.turn("s", &add(10)).is(201);
        client
            .get("/trash")
            .is(200)
            .has("/0/kind", "character")
            .has("/0/name", "Yuki")
            .has("/0/session_id", Value::Null);
        let item = client.get(&format!("/trash/{trash}"));
        item.is(200).has("/character/greetings/1", "Hello.").has("/character/id", "c").has("/pages", Value::Null);
        client.get(&format!("/trash/{trash}/snapshots/x")).refused(404, "snapshot_not_found");
        restored(client, &trash).has("/id", "c").has("/session_id", Value::Null);
        assert_eq!(client.get("/characters/c").is(200).data(), before);
        client.get("/sessions/s").is(200).has("/character_id", "c");
        shows(client, "s", 18);
        client.case("under another id, since its own is taken");
        let trash = deleted(client, "/characters/c");
        client.post("/characters", json!({"id": "c", "name": "Other"})).is(201);
        client.post(&format!("/trash/{trash}/restore"), json!({})).refused(409, "id_taken");
        client.post(&format!("/trash/{trash}/restore"), json!({"chat_file": "x"})).refused(409, "invalid_state");
        client.post(&format!("/trash/{trash}/restore"), json!({"id": "yuki"})).is(200).has("/id", "yuki");
        client.get("/sessions/s").is(200).has("/character_id", "yuki");
        client.case("purged, it stays as what its session was made of");
        let trash = deleted(client, "/characters/yuki");
        client.delete(&format!("/trash/{trash}")).is(200);
        shows(client, "s", 18);
        client.get("/sessions/s/template").is(200).has("/template/n", 7);
        client.delete("/characters/c?permanent=true").is(200);
        total(client, 0);
    });
}

#[test]
fn a_global_snapshot_comes_back() {
    both(|client| {
        let new = json!({"id": "g", "name": "Start", "description": "d", "tags": ["b", "a"], "body": {"n": [1, 2]}});
        client.post("/global-snapshots", new).is(201);
        let before = client.get("/global-snapshots/g").is(200).data();
        let trash = deleted(client, "/global-snapshots/g");
        client.get("/global-snapshots/g").refused(404, "global_snapshot_not_found");
        client
            .get("/trash")
            .is(200)
            .has("/0/kind", "global_snapshot")
            .has("/0/subject_id", "g")
            .has("/0/name", "Start");
        client
            .get(&format!("/trash/{trash}"))
            .is(200)
            .has("/global_snapshot/body/n/1", 2)
            .has("/global_snapshot/tags/0", "b");
        restored(client, &trash).has("/id", "g");
        let after = client.get("/global-snapshots/g").is(200).data();
        for field in ["id", "name", "description", "tags", "body", "created_at"] {
            assert_eq!(after[field], before[field], "{field}");
        }
        client.get("/global-snapshots?tag=a").is(200).has_meta("total", 1);
        client.case("beside one that has its id by now");
        let trash = deleted(client, "/global-snapshots/g");
        client.post("/global-snapshots", json!({"id": "g", "name": "Other", "body": {}})).is(201);
        client.post(&format!("/trash/{trash}/restore"), json!({})).refused(409, "id_taken");
        client.post(&format!("/trash/{trash}/restore"), json!({"id": "h"})).is(200);
        client.get("/global-snapshots/h").is(200).has("/body/n/0", 1);
        client.case("purged");
        let trash = deleted(client, "/global-snapshots/h");
        client.delete(&format!("/trash/{trash}")).is(200);
        client.delete("/global-snapshots/g?permanent=true").is(200);
        total(client, 0);
    });
}

#[test]
fn dropped_states_come_back() {
    both(|client| {
        let [_, second, third] = three_turns(client, "s");
        let (page, snapshot) = (text(&second, "page_id"), text(&second, "snapshot_id"));
        client.case("one");
        let trash = deleted(client, &format!("/snapshots/{snapshot}"));
        client.get(&format!("/snapshots/{snapshot}")).refused(404, "snapshot_not_found");
        let item = client.get(&format!("/trash/{trash}"));
        item.is(200).has("/kind", "snapshots").has("/pages/0/page_id", page.as_str());
        client.get(&format!("/trash/{trash}/snapshots/{snapshot}")).is(200).has("/state/n", 11);
        restored(client, &trash).has("/page_count", 1);
        client.get(&format!("/snapshots/{snapshot}")).is(200).has("/state/n", 11);
        shows(client, "s", 111);
        client.case("those of a chat");
        let gone = client.ask("DELETE", "/snapshots/by-chat").json(json!({"chat_file": "s"})).send();
        let trash = gone.is(200).has("/deleted", 3).data()["trash_ids"][0].as_str().expect("an item").to_owned();
        gone.has("/stale", json!({"floors": 3, "first_floor_no": 0}));
        client.state(&page).has("/fresh", false);
        restored(client, &trash).has("/page_count", 3).has("/branches/0/stale", Value::Null);
        client.state(&page).has("/fresh", true).has("/snapshot_id", snapshot.as_str());
        shows(client, "s", 111);
        client.case("those of chats that are no more, and one page was processed since");
        let _ = three_turns(client, "t");
        let gone = client.post("/snapshots/cleanup", json!({"active_chat_files": ["x"]}));
        gone.is(200).has("/deleted", 6).has("/deleted_chat_files", 2);
        let trash = gone.data()["trash_ids"][0].as_str().expect("an item").to_owned();
        client.patch(&format!("/pages/{page}/state"), json!({"patch": {"n": 11}, "process": false})).is(200);
        client.post(&format!("/trash/{trash}/restore"), json!({})).is(200).has("/page_count", 1);
        client.get(&format!("/snapshots/{}", text(&third, "snapshot_id"))).is(200).has("/state/n", 111);
        client.get(&format!("/snapshots/{snapshot}")).refused(404, "snapshot_not_found");
        client.get(&format!("/trash/{trash}")).is(200).has("/page_count", 2);
        client.delete(&format!("/trash/{trash}")).is(200);
        client.post("/sessions/s/process", json!({})).is(200);
        shows(client, "s", 111);
        client.case("for good");
        let gone = client.ask("DELETE", "/snapshots/by-chat?permanent=true").json(json!({"chat_file": "s"})).send();
        gone.is(200).has("/deleted", 3).has("/trash_ids", json!([]));
        client.post("/sessions/s/process", json!({})).is(200);
        shows(client, "s", 111);
        client.get("/trash?session_id=s").is(200).has_meta("total", 0);
    });
}

#[test]
fn states_that_come_back_leave_forks_alone() {
    both(|client| {
        let [_, second, third] = three_turns(client, "s");
        let trash = deleted(client, &format!("/snapshots/{}", text(&second, "snapshot_id")));
        let fork = json!({"branch_id": "meanwhile"});
        client.post(&format!("/floors/{}/branch", text(&third, "floor_id")), fork).is(201);
        restored(client, &trash).has("/page_count", 1);
        shows(client, "s", 111);
        client.get("/sessions/s/state?branch_id=meanwhile&floor_no=1").is(200).has("/fresh", false);
    });
}

/// A fork that was there when the states of its chat were dropped lost its own with them.
#[test]
fn states_of_a_chat_come_back_on_the_forks_that_had_them() {
    both(|client| {
        let [first, second, third] = three_turns(client, "s");
        let fork = |floor: &str, name: &str| {
            client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": name})).is(201);
        };
        let (first, floor) = (text(&first, "floor_id"), text(&second, "floor_id"));
        for name in ["old", "changed", "bin"] {
            fork(&floor, name);
        }
        let own = json!({"role": "assistant", "content": add(1000), "branch_id": "old"});
        fork(&text(client.post("/sessions/s/turns", own).is(201), "floor_id"), "of-old");
        let bin = deleted(client, "/branches/bin?session_id=s");
        let drop_all = |count: i64| {
            let gone = client.ask("DELETE", "/snapshots/by-chat").json(json!({"chat_file": "s"})).send();
            gone.is(200).has("/deleted", count).data()["trash_ids"][0].as_str().expect("an item").to_owned()
        };
        let shown = |branch: &str, n: i64, fresh: bool| {
            let state = client.get(&format!("/sessions/s/state?branch_id={branch}"));
            state.is(200).has("/fresh", fresh).has("/state/n", n);
        };
        let trash = drop_all(4);
        client.case("a fork that is made since has none to get back");
        fork(&floor, "new");
        fork(&text(client.get("/sessions/s/floors/2?branch_id=old").is(200), "floor_id"), "new-of-old");
        client.case("a fork that gets rows of its own meanwhile");
        client.patch(&format!("/floors/{first}?branch_id=changed"), json!({"metadata": {"a": 1}})).is(200);
        for name in ["main", "old", "of-old", "new", "new-of-old", "changed"] {
            shown(name, 0, false);
        }
        let answer = restored(client, &trash);
        answer.has("/page_count", 6).has("/branch_id", "main").has("/branches/1/branch_id", "old");
        for (name, n) in [("main", 111), ("old", 1011), ("of-old", 1011), ("changed", 11)] {
            shown(name, n, true);
        }
        for name in ["new", "new-of-old"] {
            shown(name, 0, false);
        }
        restored(client, &bin).has("/branch_id", "bin");
        shown("bin", 11, true);
        client.state(&text(&third, "page_id")).has("/snapshot_id", text(&third, "snapshot_id"));
        client.case("a fork in the trash gets rows of its own, and states that do not fit any more are processed");
        let bin = deleted(client, "/branches/bin?session_id=s");
        let trash = drop_all(6);
        client.patch(&format!("/floors/{first}"), json!({"metadata": {"a": 1}})).is(200);
        client.patch(&format!("/pages/{}", text(&third, "page_id")), json!({"content": add(2)})).is(200);
        restored(client, &trash).has("/page_count", 10);
        for (name, n) in [("main", 13), ("old", 1011), ("of-old", 1011), ("changed", 11)] {
            shown(name, n, true);
        }
        restored(client, &bin).has("/branch_id", "bin");
        shown("bin", 11, true);
    });
}
