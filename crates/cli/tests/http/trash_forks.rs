//! A fork in the trash is a copy as any other fork is: what happens on the line it came from does not change it. And it is in the trash
//! and nowhere else, also when it gets rows of its own there.

use super::sync::add;
use crate::support::{Answer, Client, both, branch, floor, page};
use serde_json::{Value, json};

fn fork(client: &Client, floor: &str, name: &str) {
    client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": name})).is(201);
}

#[track_caller]
fn deleted(client: &Client, name: &str) -> String {
    client.delete(&format!("/branches/{name}?session_id=s")).is(200).header("trash-id")
}

#[track_caller]
fn restored(client: &Client, trash: &str) -> Answer {
    let restored = client.post(&format!("/trash/{trash}/restore"), json!({}));
    restored.is(200);
    restored
}

/// A committed floor with a page and a variable on each.
fn saying(client: &Client, id: &str, number: i64) {
    client.make_floor("s", id, json!({}));
    client.make_page(id, &format!("{id}.p"), json!({"content": add(number)}));
    client.set(floor(id), "on floor", number).is(201);
    client.set(page(&format!("{id}.p")), "on page", number).is(201);
    client.post(&format!("/floors/{id}/generate"), json!({})).is(200);
    client.post(&format!("/floors/{id}/commit"), json!({})).is(200);
}

/// All that lists of a session say.
fn lists(client: &Client) -> [Vec<Value>; 4] {
    let ids = |path: &str, column: &str| client.get(path).is(200).column(column);
    [
        ids("/floors?session_id=s&limit=100", "id"),
        ids("/variables?scope=floor&limit=100", "scope_id"),
        ids("/variables?scope=page&limit=100", "scope_id"),
        ids("/sessions/s/branches", "branch_id"),
    ]
}

#[test]
fn what_it_gets_goes_to_its_item() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        for (id, number) in [("a", 1), ("b", 10), ("c", 100)] {
            saying(client, id, number);
        }
        client.post("/sessions/s/process", json!({})).is(200);
        fork(client, "c", "k");
        let used = || client.get("/account").is(200).data()["quotas"]["variables"]["used"].clone();
        let (before, variables) = (lists(client), used());
        let trash = deleted(client, "k");
        let item = || client.get(&format!("/trash/{trash}"));
        item().is(200).has("/kind", "branch").has("/floor_count", 0);
        client.case("its source changes: no list shows more, and the copies are in the item");
        client.patch("/pages/b.p", json!({"content": add(20)})).is(200);
        client.post("/sessions/s/process", json!({})).is(200);
        let mut shown = lists(client);
        assert_eq!(shown[..3], before[..3]);
        assert_eq!(std::mem::take(&mut shown[3]), ["main"]);
        let states = client.get("/sessions/s/snapshots?limit=100").is(200).column("branch_id");
        assert!(states.iter().all(|branch| branch == "main" || branch.is_null()), "{states:?}");
        let kept = item();
        kept.is(200).has("/floor_count", 2).has("/page_count", 2);
        kept.has("/pages/0/content", add(10)).has("/pages/0/floor_no", 1).has("/pages/1/content", add(100));
        let snapshot = kept.data()["pages"][1]["snapshot_id"].as_str().expect("a state").to_owned();
        client.get(&format!("/trash/{trash}/snapshots/{snapshot}")).is(200).has("/state/n", 111);
        assert_eq!(
            used().as_i64(),
            variables.as_i64().map(|used| used + 6),
            "what is in the trash counts for the quota"
        );
        client.case("a cleanup of what is left over leaves what is in the trash");
        let cleaned = client.post("/snapshots/cleanup", json!({"active_chat_files": ["s"], "orphans": true}));
        cleaned.is(200).has("/deleted", 0);
        client.case("it comes back whole, with the states that it had");
        restored(client, &trash).has("/branch_id", "k").has("/new_branch", false);
        let state = client.get("/sessions/s/state?branch_id=k");
        state.is(200).has("/fresh", true).has("/state/n", 111).has("/snapshot_id", snapshot.as_str());
        client.get("/sessions/s/state").is(200).has("/fresh", true).has("/state/n", 121);
        let seen = client.resolve("session_id=s&branch_id=k&lineage=true");
        assert!(seen.iter().any(|(key, value, ..)| key == "on floor" && *value == 100), "{seen:?}");
        client.get("/variables?scope=page&limit=100").is(200).has_meta("total", 5);
        client.get("/account").is(200).has("/quotas/variables/used", variables.as_i64().map(|used| used + 6));
        client.case("purged, its states are left over, and a cleanup takes them");
        let trash = deleted(client, "k");
        client.delete(&format!("/trash/{trash}")).is(200);
        client.get("/account").is(200).has("/quotas/variables/used", variables);
        let cleaned = client.post("/snapshots/cleanup", json!({"active_chat_files": ["s"], "orphans": true}));
        cleaned.is(200).has("/deleted", 2).has("/deleted_orphans", 2);
        client.get("/sessions/s/state").is(200).has("/fresh", true).has("/state/n", 121);
    });
}

#[test]
fn it_keeps_the_variables_that_it_inherits() {
    both(|client| {
        client.make_session("s");
        saying(client, "a", 1);
        fork(client, "a", "first");
        client.set(branch("s", "first"), "both", "of first").is(201);
        client.set(branch("s", "first"), "inherited", "of first").is(201);
        client.make_floor("s", "f", json!({"branch_id": "first"}));
        client.make_page("f", "f.p", json!({"content": "text"}));
        client.post("/floors/f/generate", json!({})).is(200);
        client.post("/floors/f/commit", json!({})).is(200);
        fork(client, "f", "second");
        client.set(branch("s", "second"), "both", "of second").is(201);
        let seen = || {
            let mut seen = client.resolve("session_id=s&branch_id=second");
            seen.retain(|(_, _, scope)| scope == "branch");
            seen
        };
        let before = seen();
        assert_eq!(before.len(), 2, "{before:?}");
        for is_changed in [false, true] {
            client.case(&format!("what it shares is changed: {is_changed}"));
            let trash = deleted(client, "second");
            if is_changed {
                client.patch("/pages/a.p", json!({"content": "another"})).is(200);
            }
            let first = deleted(client, "first");
            client.get("/variables?scope=branch").is(200).has_meta("total", 0);
            let mut listening = client.listen("?session_id=s", None);
            restored(client, &trash).has("/branch_id", "second");
            assert_eq!(listening.names(1), ["branch.created"]);
            assert_eq!(seen(), before);
            restored(client, &first).has("/branch_id", "first");
            client.get("/variables?scope=branch").is(200).has_meta("total", 4);
            assert_eq!(seen(), before);
        }
    });
}

#[test]
fn a_stale_fork_stays_so_and_what_is_restored_or_forked_from_a_page_is_processed() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let turn = |page: &str, number: i64| {
            let turn = json!({"role": "assistant", "page_id": page, "content": add(number)});
            let answer = client.post("/sessions/s/turns", turn);
            answer.is(201).data()["floor_id"].as_str().expect("an id").to_owned()
        };
        turn("a", 1);
        let last = turn("b", 10);
        client.patch("/pages/a", json!({"content": add(2)})).is(200);
        let shows = |branch: &str, n: i64, fresh: bool| {
            let state = client.get(&format!("/sessions/s/state?branch_id={branch}"));
            state.is(200).has("/state/n", n).has("/fresh", fresh);
        };
        client.case("a fork of a floor has the states of its line, stale ones included");
        fork(client, &last, "plain");
        shows("plain", 11, false);
        client.case("a fork from a page is processed, its line is not");
        client.post("/pages/b/branch", json!({"branch_id": "chosen"})).is(201);
        shows("chosen", 12, true);
        shows("plain", 11, false);
        shows("main", 11, false);
        client.case("a branch that is restored is processed");
        let trash = deleted(client, "plain");
        drop(restored(client, &trash));
        shows("plain", 12, true);
        shows("main", 11, false);
        client.case("and so is the line of a floor that is restored");
        let trash = client.delete(&format!("/floors/{last}")).is(200).header("trash-id");
        shows("main", 1, false);
        drop(restored(client, &trash));
        shows("main", 12, true);
        client.state("b").has("/state/n", 12).has("/fresh", true);
    });
}
