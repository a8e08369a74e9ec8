//! What a page promoted to its branch, seen from forks: there it counts while that page, or the fork's copy of it, is the active one on
//! the fork's line. A fork is a copy made at its moment, so nothing that happens on another line changes it.

use crate::support::{Client, both, branch};
use serde_json::{Value, json};

/// A committed floor whose last page promoted a value to its branch. The pages before it promoted nothing.
fn promoting(client: &Client, on: &str, floor: &str, pages: &[&str], gold: i64) {
    client.make_floor("s", floor, json!({"branch_id": on}));
    for page in pages {
        client.make_page(floor, page, json!({"page_no": 0, "page_kind": "output", "content": page}));
    }
    client.post(&format!("/floors/{floor}/generate"), json!({})).is(200);
    commit(client, floor, pages.last().expect("a page"), gold);
}

fn commit(client: &Client, floor: &str, page: &str, gold: i64) {
    let write = json!({"key": "gold", "op": "set", "value": gold, "intent": "promote_to_branch_on_accept"});
    client.post(&format!("/pages/{page}/variables/staged"), write).is(201);
    client.post(&format!("/floors/{floor}/commit"), json!({"page_id": page})).is(200);
}

/// A turn that promotes nothing.
fn turn(client: &Client, on: &str, more: Value) -> String {
    let mut turn = json!({"role": "assistant", "content": "text", "branch_id": on});
    more.as_object().into_iter().flatten().for_each(|(name, value)| turn[name] = value.clone());
    client.post("/sessions/s/turns", turn).is(201).data()["floor_id"].as_str().expect("an id").to_owned()
}

fn fork(client: &Client, floor: &str, name: &str) {
    client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": name})).is(201);
}

fn activate(client: &Client, page: &str, on: &str) {
    client.post(&format!("/pages/{page}/activate?branch_id={on}"), json!({})).is(200);
}

/// What branches show under the key.
#[track_caller]
fn gold(client: &Client, wanted: &[(&str, Option<i64>)]) {
    for &(name, wanted) in wanted {
        let seen = client.resolve(&format!("session_id=s&branch_id={name}&keys=gold"));
        let wanted: Vec<_> =
            wanted.into_iter().map(|gold| ("gold".to_owned(), json!(gold), "branch".to_owned())).collect();
        assert_eq!(seen, wanted, "on {name}");
    }
}

#[test]
fn a_commit_on_one_line_changes_no_fork() {
    both(|client| {
        client.make_session("s");
        turn(client, "main", json!({}));
        promoting(client, "main", "f", &["first", "x"], 13);
        activate(client, "first", "main");
        gold(client, &[("main", None)]);
        let trash = client.delete("/floors/f").is(200).header("trash-id");
        turn(client, "main", json!({"floor_no": 1}));
        client.post(&format!("/trash/{trash}/restore"), json!({})).is(200).has("/branch_id", "restored");
        fork(client, "f", "k");
        gold(client, &[("main", None), ("restored", None), ("k", None)]);
        client.case("a value is promoted on the line that it was made from");
        promoting(client, "restored", "g", &["y"], 51);
        gold(client, &[("main", None), ("restored", Some(51)), ("k", None)]);
        client.case("and withdrawn");
        client.delete("/floors/g?branch_id=restored").is(200);
        gold(client, &[("main", None), ("restored", None), ("k", None)]);
        client.case("the page is chosen on one of the lines");
        activate(client, "x", "k");
        gold(client, &[("main", None), ("restored", None), ("k", Some(13))]);
        activate(client, "x", "restored");
        activate(client, "first", "k");
        gold(client, &[("main", None), ("restored", Some(13)), ("k", None)]);
    });
}

#[test]
fn a_fork_shows_what_its_chosen_pages_promoted() {
    both(|client| {
        client.make_session("s");
        promoting(client, "main", "f", &["first", "x"], 13);
        fork(client, "f", "with");
        activate(client, "first", "main");
        fork(client, "f", "without");
        gold(client, &[("main", None), ("with", Some(13)), ("without", None)]);
        client.case("a page that is named is the chosen one");
        client.post("/pages/x/branch", json!({"branch_id": "x"})).is(201);
        client.post("/pages/first/branch", json!({"branch_id": "first"})).is(201);
        gold(client, &[("main", None), ("x", Some(13)), ("first", None)]);
        client.case("each line chooses for itself");
        activate(client, "x", "without");
        activate(client, "first", "with");
        gold(client, &[("main", None), ("with", None), ("without", Some(13)), ("x", Some(13)), ("first", None)]);
        activate(client, "x", "main");
        activate(client, "first", "x");
        activate(client, "x", "first");
        gold(client, &[("main", Some(13)), ("with", None), ("without", Some(13)), ("x", None), ("first", Some(13))]);
        client.case("a page that was named while another one was chosen");
        client.post("/pages/first/branch", json!({"branch_id": "again"})).is(201);
        gold(client, &[("main", Some(13)), ("again", None)]);
        activate(client, "x", "again");
        gold(client, &[("again", Some(13))]);
        client.case("forks of forks");
        let on_with = turn(client, "with", json!({}));
        fork(client, &on_with, "of with");
        gold(client, &[("of with", None)]);
        activate(client, "x", "with");
        gold(client, &[("with", Some(13)), ("of with", None)]);
        activate(client, "x", "of with");
        activate(client, "first", "with");
        gold(client, &[("with", None), ("of with", Some(13)), ("main", Some(13))]);
    });
}

#[test]
fn what_happens_to_a_promoting_page_stays_on_its_line() {
    both(|client| {
        client.make_session("s");
        promoting(client, "main", "e", &["e1", "e2"], 5);
        promoting(client, "main", "f", &["f1", "f2"], 13);
        client.make_page("f", "f3", json!({"page_no": 0, "page_kind": "output"}));
        commit(client, "f", "f3", 20);
        let last = turn(client, "main", json!({}));
        fork(client, &last, "k");
        fork(client, &last, "deep");
        let more = turn(client, "deep", json!({}));
        fork(client, &more, "deeper");
        let show = |wanted: Option<i64>| gold(client, &["k", "deep", "deeper"].map(|name| (name, wanted)));
        show(Some(20));
        type Step<'a> = (&'a str, &'a dyn Fn() -> Option<i64>);
        let trash = std::cell::RefCell::new(String::new());
        let post = |path: &str, body: Value| {
            client.post(path, body).is(200);
        };
        let delete = |path: &str| *trash.borrow_mut() = client.delete(path).is(200).header("trash-id");
        let restore = || post(&format!("/trash/{}/restore", trash.borrow()), json!({}));
        let steps: [Step<'_>; 10] = [
            ("another swipe", &|| (post("/pages/f2/activate", json!({})), Some(13)).1),
            ("none that promoted", &|| (post("/pages/f1/activate", json!({})), Some(5)).1),
            ("an earlier floor's", &|| (post("/pages/e1/activate", json!({})), None).1),
            ("a new swipe that promotes", &|| {
                client.make_page("e", "e3", json!({"page_no": 0, "page_kind": "output"}));
                commit(client, "e", "e3", 70);
                Some(70)
            }),
            ("a text", &|| {
                client.patch("/pages/e3", json!({"content": "other"})).is(200);
                Some(70)
            }),
            ("a page goes", &|| (delete("/pages/e3"), None).1),
            ("and comes back", &|| (restore(), None).1),
            ("a floor goes", &|| (delete("/floors/e"), None).1),
            ("and comes back", &|| (restore(), None).1),
            ("a page goes for good", &|| {
                client.delete("/pages/f3?permanent=true").is(200);
                None
            }),
        ];
        for (what, step) in steps {
            client.case(what);
            // Which page follows a deleted one is not what is promised here.
            let wanted = step();
            if let Some(wanted) = wanted {
                gold(client, &[("main", Some(wanted))]);
            }
            show(Some(20));
        }
        client.case("the fork chooses");
        activate(client, "f2", "k");
        gold(client, &[("k", Some(13)), ("deep", Some(20)), ("deeper", Some(20))]);
        activate(client, "f1", "deep");
        gold(client, &[("k", Some(13)), ("deep", Some(5)), ("deeper", Some(20))]);
        activate(client, "e1", "deep");
        gold(client, &[("k", Some(13)), ("deep", None), ("deeper", Some(20))]);
        client.case("a value that is put on the fork stays on top");
        client.set(branch("s", "k"), "gold", 99).is_one_of(&[200, 201]);
        activate(client, "f1", "k");
        gold(client, &[("k", Some(99))]);
        client.case("a branch between goes");
        client.delete("/branches/deep?session_id=s").is(200);
        gold(client, &[("deeper", Some(20))]);
        activate(client, "f2", "deeper");
        gold(client, &[("deeper", Some(13))]);
        activate(client, "f1", "deeper");
        gold(client, &[("deeper", Some(5))]);
        activate(client, "e1", "deeper");
        gold(client, &[("deeper", None)]);
    });
}

#[test]
fn values_that_were_put_count_as_of_the_fork() {
    both(|client| {
        client.make_session("s");
        client.set(branch("s", "main"), "gold", 1).is(201);
        promoting(client, "main", "f", &["first", "x"], 13);
        client.case("an earlier swipe is committed after the last floor");
        let last = turn(client, "main", json!({}));
        client.set(branch("s", "main"), "gold", 2).is(200);
        client.make_page("f", "late", json!({"page_no": 0, "page_kind": "output"}));
        commit(client, "f", "late", 30);
        fork(client, &last, "late");
        activate(client, "x", "main");
        fork(client, &last, "x");
        activate(client, "first", "main");
        fork(client, &last, "first");
        client.set(branch("s", "main"), "gold", 3).is(200);
        gold(client, &[("main", Some(3)), ("late", Some(30)), ("x", Some(13)), ("first", Some(1))]);
        client.case("and when the floors are their own");
        client.patch("/pages/first", json!({"content": "other"})).is(200);
        gold(client, &[("main", Some(3)), ("late", Some(30)), ("x", Some(13)), ("first", Some(1))]);
        activate(client, "x", "late");
        activate(client, "first", "x");
        activate(client, "late", "first");
        gold(client, &[("main", Some(3)), ("late", Some(13)), ("x", Some(1)), ("first", Some(30))]);
        client.case("an increment goes on from what is seen, and a deletion hides it");
        let count = json!({"scope": "branch", "session_id": "s", "branch_id": "x", "key": "gold", "by": 1});
        client.post("/variables/increment", count).is_one_of(&[200, 201]);
        gold(client, &[("x", Some(2))]);
        client.delete("/variables?scope=branch&session_id=s&branch_id=late&key=gold").is(200);
        gold(client, &[("late", None), ("x", Some(2)), ("first", Some(30)), ("main", Some(3))]);
    });
}

#[test]
fn a_page_of_a_later_floor_does_not_reach_a_fork() {
    both(|client| {
        client.make_session("s");
        client.make_floor("s", "e", json!({}));
        client.make_page("e", "e1", json!({"page_no": 0, "page_kind": "output"}));
        client.post("/floors/e/generate", json!({})).is(200);
        client.post("/floors/e/commit", json!({})).is(200);
        promoting(client, "main", "f", &["x"], 13);
        client.case("a swipe of the earlier floor is committed after the later floor");
        client.make_page("e", "e2", json!({"page_no": 0, "page_kind": "output"}));
        client.post("/floors/e/commit", json!({"page_id": "e2"})).is(200);
        fork(client, "e", "k");
        gold(client, &[("main", Some(13)), ("k", None)]);
        client.delete("/floors/f").is(200);
        gold(client, &[("main", None), ("k", None)]);
    });
}

#[test]
fn forks_in_the_trash_keep_what_their_pages_promoted() {
    both(|client| {
        client.make_session("s");
        promoting(client, "main", "e", &["e1", "e2"], 5);
        promoting(client, "main", "f", &["f1", "f2"], 13);
        let last = turn(client, "main", json!({}));
        fork(client, &last, "k");
        gold(client, &[("k", Some(13))]);
        let trash = client.delete("/branches/k?session_id=s").is(200).header("trash-id");
        client.case("the source changes while the fork is in the trash");
        activate(client, "f1", "main");
        gold(client, &[("main", Some(5))]);
        activate(client, "e1", "main");
        gold(client, &[("main", None)]);
        client.post(&format!("/trash/{trash}/restore"), json!({})).is(200).has("/branch_id", "k");
        gold(client, &[("k", Some(13)), ("main", None)]);
        activate(client, "f1", "k");
        gold(client, &[("k", Some(5)), ("main", None)]);
        activate(client, "e1", "k");
        gold(client, &[("k", None), ("main", None)]);
        activate(client, "f2", "main");
        gold(client, &[("k", None), ("main", Some(13))]);
    });
}

#[test]
fn a_fork_whose_source_is_deleted_keeps_what_its_pages_promoted() {
    both(|client| {
        client.make_session("s");
        promoting(client, "root", "e", &["e1", "e2"], 5);
        promoting(client, "root", "f", &["f1", "f2"], 13);
        fork(client, "f", "k");
        fork(client, "f", "trashed");
        let of_k = turn(client, "k", json!({}));
        fork(client, &of_k, "of k");
        gold(client, &[("root", Some(13)), ("k", Some(13)), ("of k", Some(13))]);
        let trash = client.delete("/branches/trashed?session_id=s").is(200).header("trash-id");
        client.delete("/branches/root?session_id=s").is(200);
        client.post(&format!("/trash/{trash}/restore"), json!({})).is(200).has("/branch_id", "trashed");
        gold(client, &[("k", Some(13)), ("of k", Some(13)), ("trashed", Some(13))]);
        activate(client, "f1", "k");
        activate(client, "e1", "of k");
        gold(client, &[("k", Some(5)), ("of k", Some(13)), ("trashed", Some(13))]);
        activate(client, "f1", "trashed");
        activate(client, "e1", "k");
        activate(client, "f1", "of k");
        gold(client, &[("k", None), ("of k", None), ("trashed", Some(5))]);
    });
}

#[test]
fn a_change_of_the_source_makes_nothing_the_forks_own() {
    both(|client| {
        client.make_session("s");
        promoting(client, "main", "f", &["first", "x"], 13);
        fork(client, "f", "k");
        activate(client, "first", "main");
        gold(client, &[("main", None), ("k", Some(13))]);
        client.get("/variables?scope=branch&session_id=s&branch_id=k").is(200).has_meta("total", 0);
        let seen = client.get("/variables/resolve?session_id=s&branch_id=k&keys=gold").is(200).data();
        assert!(seen["resolved"][0]["inherited_from_floor_id"].is_string(), "{seen}");
        client.case("a page says on the fork what it promoted");
        let page = client.get("/sessions/s/transcript?branch_id=k").is(200).data()[0]["page_id"].clone();
        let page = page.as_str().expect("an id");
        let promotions = client.get(&format!("/pages/{page}/variables/promotions"));
        promotions.is(200).has("/items/1/to_scope", "branch").has("/items/1/value", 13);
        let by = json!({"scope": "branch", "session_id": "s", "branch_id": "k", "key": "gold", "by": 2});
        client.post("/variables/increment", by).is(201).has("/value", 15);
        client.case("a deletion in a reply is taken back as a value is");
        client.set(branch("s", "main"), "gold", 1).is(201);
        client.make_floor("s", "g", json!({}));
        client.make_page("g", "keeps", json!({"page_no": 0, "page_kind": "output"}));
        client.make_page("g", "deletes", json!({"page_no": 0, "page_kind": "output"}));
        let write = json!({"key": "gold", "op": "delete", "intent": "promote_to_branch_on_accept"});
        client.post("/pages/deletes/variables/staged", write).is(201);
        client.post("/floors/g/generate", json!({})).is(200);
        client.post("/floors/g/commit", json!({"page_id": "deletes"})).is(200);
        fork(client, "g", "gone");
        client.post("/pages/keeps/branch", json!({"branch_id": "kept"})).is(201);
        gold(client, &[("main", None), ("gone", None), ("kept", Some(1))]);
        activate(client, "keeps", "main");
        gold(client, &[("main", Some(1)), ("gone", None), ("kept", Some(1))]);
        activate(client, "keeps", "gone");
        activate(client, "deletes", "kept");
        gold(client, &[("main", Some(1)), ("gone", Some(1)), ("kept", None)]);
    });
}

/// A swipe that was never committed keeps what is staged on it, and a fork has a copy of both.
#[test]
fn what_waits_on_a_swipe_waits_on_its_copies() {
    both(|client| {
        client.make_session("s");
        client.make_floor("s", "a", json!({}));
        client.make_page("a", "p1", json!({"page_no": 0, "page_kind": "output", "content": "one"}));
        client.post("/floors/a/generate", json!({})).is(200);
        commit(client, "a", "p1", 1);
        client.make_page("a", "p2", json!({"page_no": 0, "page_kind": "output", "content": "two", "is_active": false}));
        let write =
            json!({"key": "gold", "op": "set", "value": 5, "intent": "promote_to_branch_on_accept", "reason": "r"});
        let staged = client.post("/pages/p2/variables/staged", write).is(201).data();
        for name in ["b", "c", "bin"] {
            fork(client, "a", name);
        }
        let trash = client.delete("/branches/bin?session_id=s").is(200).header("trash-id");
        let copy = |on: &str| {
            let floor = client.get(&format!("/sessions/s/floors/0?branch_id={on}")).is(200).data()["floor_id"].clone();
            let floor = floor.as_str().expect("an id").to_owned();
            let pages = client.get(&format!("/pages?floor_id={floor}")).is(200).column("id");
            (floor, pages.iter().map(|id| id.as_str().expect("an id").to_owned()).collect::<Vec<_>>())
        };
        let accept = |on: &str| {
            activate(client, "p2", on);
            let (floor, pages) = copy(on);
            let ledger = client.get(&format!("/pages/{}/variables/staged", pages[1]));
            ledger.is(200).has("/items/0/key", "gold").has("/items/0/status", "staged").has("/items/0/reason", "r");
            client.post(&format!("/floors/{floor}/commit"), json!({"page_id": pages[1]})).is(200);
            let id =
                client.get(&format!("/pages/{}/variables/staged", pages[1])).is(200).data()["items"][0]["id"].clone();
            let traced = client.get(&format!("/pages/{}/variables/promotions", pages[1]));
            traced.is(200).has("/items/0/staged_write_id", id.clone());
            id
        };
        assert_ne!(accept("b"), staged["id"], "each has an id of its own");
        gold(client, &[("main", Some(1)), ("b", Some(5)), ("c", Some(1))]);
        client.case("on the source");
        assert_eq!(accept("main"), staged["id"]);
        gold(client, &[("main", Some(5)), ("b", Some(5)), ("c", Some(1))]);
        client.case("a fork that was in the trash when its source changed");
        client.post(&format!("/trash/{trash}/restore"), json!({})).is(200);
        gold(client, &[("bin", Some(1))]);
        accept("bin");
        gold(client, &[("main", Some(5)), ("bin", Some(5)), ("c", Some(1))]);
        client.case("a fork of what was committed names what was staged there");
        fork(client, "a", "d");
        activate(client, "p1", "d");
        let (_, pages) = copy("d");
        let ledger = client.get(&format!("/pages/{}/variables/staged", pages[1])).is(200).data();
        assert_ne!(ledger["items"][0]["id"], staged["id"]);
        let traced = client.get(&format!("/pages/{}/variables/promotions", pages[1]));
        traced.is(200).has("/items/0/staged_write_id", ledger["items"][0]["id"].clone());
    });
}
