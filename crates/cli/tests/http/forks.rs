//! A fork is a copy: whatever happens on one line, the others stay what they were.

use super::story::text;
use crate::support::{Client, both};
use serde_json::{Value, json};

/// Takes a turn on a branch; tells its floor and its page.
#[track_caller]
fn turn(client: &Client, branch: &str, content: &str) -> (String, String) {
    let body = json!({"role": "assistant", "content": content, "branch_id": branch});
    let turn = client.post("/sessions/s/turns", body);
    turn.is(201);
    (text(&turn, "floor_id"), text(&turn, "page_id"))
}

#[track_caller]
fn fork(client: &Client, floor: &str, name: &str) {
    client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": name})).is(201);
}

/// What a branch shows when it is processed.
#[track_caller]
fn processed_state(client: &Client, branch: &str) -> Value {
    client.post("/sessions/s/process", json!({"branch_id": branch})).is(200);
    let state = client.get(&format!("/sessions/s/state?branch_id={branch}"));
    state.is(200).has("/fresh", true).data()["state"]["n"].clone()
}

#[test]
fn the_forks_of_a_deleted_branch_keep_their_line() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        turn(client, "main", "@.ADD(\"n\", 1);");
        let (last, _) = turn(client, "main", "@.ADD(\"n\", 10);");
        fork(client, &last, "b");
        client.case("the floor that the branch was forked from moves, and the branch counts on from where it was made");
        client.patch(&format!("/floors/{last}"), json!({"floor_no": 5})).is(200);
        let (middle, _) = turn(client, "b", "Nothing happens.");
        client.get(&format!("/floors/{middle}")).is(200).has("/floor_no", 2);
        fork(client, &middle, "c");
        turn(client, "c", "@.ADD(\"n\", 100);");
        assert_eq!(processed_state(client, "c"), 111);
        client.case("without the branch its fork builds on the same");
        client.delete("/branches/b?session_id=s").is(200);
        assert_eq!(processed_state(client, "c"), 111);
        client.case("and still does when the source changes again");
        client.patch(&format!("/floors/{last}"), json!({"floor_no": 6})).is(200);
        assert_eq!(processed_state(client, "c"), 111);
    });
}

#[test]
fn a_floor_that_moves_stays_where_it_was_on_its_forks() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let (first, _) = turn(client, "main", "@.ADD(\"n\", 1);");
        let (middle, _) = turn(client, "main", "@.ADD(\"n\", 10);");
        let (last, _) = turn(client, "main", "@.ADD(\"n\", 20);");
        fork(client, &middle, "b");
        let (own, _) = turn(client, "b", "@.ADD(\"n\", 100);");
        assert_eq!(processed_state(client, "b"), 111);
        client.case("behind another floor");
        client.patch(&format!("/floors/{middle}"), json!({"floor_no": 7})).is(200);
        client.get("/sessions/s/state?branch_id=b").is(200).has("/fresh", true).has("/state/n", 111);
        assert_eq!((processed_state(client, "b"), processed_state(client, "main")), (json!(111), json!(31)));
        let parent = client.get(&format!("/floors/{own}")).is(200).data()["parent_floor_id"].clone();
        let copy = client.get(&format!("/floors/{}", parent.as_str().expect("a floor before it")));
        copy.is(200).has("/branch_id", "b").has("/floor_no", 1);
        let branches = client.get("/sessions/s/branches?sort_order=asc");
        branches.is(200).has("/1/source_floor_id", middle.as_str()).has("/1/source_floor_no", 1);
        client.case("to a number that is free");
        client.patch(&format!("/floors/{first}"), json!({"floor_no": 1})).is(200);
        assert_eq!(processed_state(client, "b"), 111);
        client.case("before another floor");
        fork(client, &last, "c");
        turn(client, "c", "@.ADD(\"n\", 1000);");
        assert_eq!(processed_state(client, "c"), 1021);
        client.patch(&format!("/floors/{last}"), json!({"floor_no": 0})).is(200);
        assert_eq!(processed_state(client, "c"), 1021);
        client.case("behind where the fork's own floors are");
        fork(client, &first, "d");
        turn(client, "d", "@.ADD(\"n\", 7);");
        assert_eq!(processed_state(client, "d"), 28);
        client.patch(&format!("/floors/{first}"), json!({"floor_no": 5})).is(200);
        assert_eq!((processed_state(client, "d"), processed_state(client, "main")), (json!(28), json!(31)));
    });
}

#[test]
fn numbers_of_floors_that_a_fork_shares_are_taken() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        turn(client, "main", "@.ADD(\"n\", 1);");
        let (second, _) = turn(client, "main", "@.ADD(\"n\", 10);");
        turn(client, "main", "@.ADD(\"n\", 20);");
        fork(client, &second, "b");
        let (own, page) = turn(client, "b", "@.ADD(\"n\", 100);");
        let at = |floor_no: i64| json!({"role": "assistant", "content": "@.ADD(\"n\", 5);", "branch_id": "b", "floor_no": floor_no});
        client.case("a turn, a floor and a move to one of them are refused, and say which one is free");
        for floor_no in [0, 1] {
            let refused = client.post("/sessions/s/turns", at(floor_no));
            refused.refused(409, "position_taken").says("is taken on this branch; the next free one is 3");
            let body = json!({"session_id": "s", "branch_id": "b", "floor_no": floor_no});
            client.post("/floors", body).refused(409, "position_taken");
            client.patch(&format!("/floors/{own}"), json!({"floor_no": floor_no})).refused(409, "position_taken");
        }
        let body = json!({"session_id": "s", "branch_id": "new", "parent_floor_id": second, "floor_no": 1});
        client.post("/floors", body).refused(409, "position_taken");
        client.get("/floors?session_id=s&branch_id=new").refused(404, "branch_not_found");
        client.case("a number that is taken says the same");
        client.patch(&format!("/floors/{own}"), json!({"floor_no": 2})).is(200);
        let refused = client.post("/sessions/s/turns", at(2));
        refused.refused(409, "position_taken").says("2 is taken on this branch; the next free one is 3");
        client.post("/sessions/s/turns", at(7)).is(201).has("/floor_no", 7);
        client.patch(&format!("/floors/{own}"), json!({"floor_no": 5})).is(200);
        client.post("/sessions/s/turns", at(2)).is(201).has("/floor_no", 2);
        assert_eq!(processed_state(client, "b"), 121);
        client.get(&format!("/pages/{page}/state")).is(200).has("/state/n", 116);
    });
}

#[test]
fn floors_that_are_deleted_stay_on_the_forks() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let (first, _) = turn(client, "main", "@.ADD(\"n\", 1);");
        let (last, _) = turn(client, "main", "@.ADD(\"n\", 10);");
        fork(client, &last, "b");
        let (middle, _) = turn(client, "b", "@.ADD(\"n\", 100);");
        fork(client, &middle, "c");
        turn(client, "c", "@.ADD(\"n\", 1000);");
        let stays = |branch: &str, n: i64| {
            let state = client.get(&format!("/sessions/s/state?branch_id={branch}"));
            state.is(200).has("/state/n", n).has("/fresh", true);
        };
        assert_eq!((processed_state(client, "b"), processed_state(client, "c")), (json!(111), json!(1111)));
        client.delete(&format!("/floors/{last}")).is(200);
        stays("b", 111);
        stays("c", 1111);
        client.case("another turn of the source gets the number, and is none of the fork's business");
        let (other, _) = turn(client, "main", "@.ADD(\"n\", 5);");
        client.get(&format!("/floors/{other}")).is(200).has("/floor_no", 1);
        stays("b", 111);
        stays("c", 1111);
        let branches = client.get("/sessions/s/branches?sort_order=asc");
        branches.is(200).has("/1/branch_id", "b").has("/1/source_floor_no", 1).has("/1/source_floor_id", Value::Null);
        client.case("the same where a branch in between is gone, and with every floor of the source");
        client.delete("/branches/b?session_id=s").is(200);
        for floor in [&other, &first] {
            client.delete(&format!("/floors/{floor}")).is(200);
        }
        assert_eq!(processed_state(client, "c"), 1111);
        turn(client, "main", "@.ADD(\"n\", 7);");
        stays("c", 1111);
    });
}

#[test]
fn a_fork_is_made_of_what_was_there_at_its_moment() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let (first, _) = turn(client, "main", "@.ADD(\"n\", 1);");
        let (last, _) = turn(client, "main", "@.ADD(\"n\", 10);");
        fork(client, &last, "b");
        client.patch(&format!("/floors/{last}"), json!({"floor_no": 9})).is(200);
        client.patch(&format!("/floors/{first}"), json!({"floor_no": 5})).is(200);
        turn(client, "b", "@.ADD(\"n\", 100);");
        client.delete(&format!("/floors/{last}")).is(200);
        assert_eq!(processed_state(client, "b"), 111);
        client.case("the source goes on from a lower number");
        client.patch(&format!("/floors/{first}"), json!({"floor_no": 2})).is(200);
        turn(client, "main", "@.ADD(\"n\", 10);");
        let state = client.get("/sessions/s/state?branch_id=b");
        state.is(200).has("/state/n", 111).has("/fresh", true);
    });
}

/// Makes a floor of the main branch that says something of a key.
#[track_caller]
fn saying(client: &Client, floor: &str, key: &str) {
    client.make_floor("s", floor, json!({}));
    client.set(crate::support::floor(floor), key, 1).is(201);
    client.post(&format!("/floors/{floor}/generate"), json!({})).is(200);
    client.post(&format!("/floors/{floor}/commit"), json!({})).is(200);
}

#[test]
fn a_fork_keeps_the_variables_of_floors_that_its_source_loses() {
    both(|client| {
        client.make_session("s");
        saying(client, "a", "x");
        saying(client, "b", "y");
        fork(client, "b", "fork");
        let seen = || -> Vec<String> {
            let seen = client.resolve("session_id=s&branch_id=fork&lineage=true");
            seen.into_iter().map(|(key, ..)| key).collect()
        };
        assert_eq!(seen(), ["x", "y"]);
        client.delete("/floors/b").is(200);
        assert_eq!(seen(), ["x", "y"]);
        saying(client, "c", "z");
        client.get("/floors/c").is(200).has("/floor_no", 1);
        assert_eq!(seen(), ["x", "y"]);
    });
}

#[test]
fn a_fork_sees_the_floors_that_were_before_it() {
    both(|client| {
        client.make_session("s");
        saying(client, "a", "x");
        saying(client, "b", "y");
        fork(client, "a", "fork");
        let seen = || client.resolve("session_id=s&branch_id=fork&lineage=true").len();
        assert_eq!(seen(), 1);
        client.patch("/floors/a", json!({"floor_no": 7})).is(200);
        assert_eq!(seen(), 1);
    });
}

#[test]
fn forks_of_forks_have_a_limit_with_a_clear_error() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let mut floor = turn(client, "main", "@.ADD(\"n\", 1);").0;
        for depth in 1..=256 {
            let name = format!("b{depth}");
            fork(client, &floor, &name);
            if depth == 1 || depth > 254 {
                floor = turn(client, &name, "@.ADD(\"n\", 1);").0;
            } else {
                client.make_floor("s", &name, json!({"branch_id": name, "state": "committed"}));
                floor = name;
            }
        }
        client.case("the deepest one sees everything");
        assert_eq!(processed_state(client, "b256"), 4);
        client.case("one more is refused, however it is made");
        client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": "over"})).refused(409, "fork_too_deep");
        let body = json!({"session_id": "s", "branch_id": "over", "parent_floor_id": floor});
        client.post("/floors", body).refused(409, "fork_too_deep");
        client.case("without one in between there is room");
        client.delete("/branches/b100?session_id=s").is(200);
        fork(client, &floor, "over");
        assert_eq!(processed_state(client, "over"), 4);
    });
}

#[test]
fn a_fork_starts_at_a_page() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        turn(client, "main", "@.ADD(\"n\", 1);");
        let (second, left) = turn(client, "main", "@.ADD(\"n\", 10);");
        let swipe = json!({"role": "assistant", "content": "@.ADD(\"n\", 20);", "swipe_of": second});
        let right = text(client.post("/sessions/s/turns", swipe).is(201), "page_id");
        turn(client, "main", "@.ADD(\"n\", 100);");
        let n = |branch: &str| {
            let state = client.get(&format!("/sessions/s/state?branch_id={branch}"));
            state.is(200).has("/fresh", true).data()["state"]["n"].clone()
        };
        client.case("the active one if none is named");
        fork(client, &second, "a");
        client.post(&format!("/pages/{right}/branch"), json!({"branch_id": "b"})).is(201).has("/source_floor_no", 1);
        assert_eq!((n("a"), n("b")), (json!(21), json!(21)));
        client.case("another one is chosen on the fork alone");
        let named = json!({"branch_id": "c", "page_id": left});
        client.post(&format!("/floors/{second}/branch"), named).is(201).has("/source_floor_id", second.as_str());
        client.post(&format!("/pages/{left}/branch"), json!({"branch_id": "d"})).is(201);
        assert_eq!((n("c"), n("d"), n("main")), (json!(11), json!(11), json!(121)));
        turn(client, "c", "@.ADD(\"n\", 1000);");
        assert_eq!((n("c"), n("main")), (json!(1011), json!(121)));
        client.get(&format!("/pages/{right}")).is(200).has("/is_active", true);
        client.case("a page whose state does not fit is processed");
        let first = json!({"role": "assistant", "content": "@.ADD(\"n\", 2);", "floor_no": 7});
        let (last, kept) = (text(client.post("/sessions/s/turns", first).is(201), "floor_id"), json!(123));
        assert_eq!(n("main"), kept);
        client.post("/pages", json!({"floor_id": last, "id": "late", "page_kind": "output", "content": "@.ADD(\"n\", 5);", "is_active": false})).is(201);
        client.post("/pages/late/branch", json!({"branch_id": "e"})).is(201);
        assert_eq!((n("e"), n("main")), (json!(126), kept));
        client.case("what cannot be forked");
        client.post("/pages/nobody/branch", json!({})).refused(404, "page_not_found");
        client.post(&format!("/floors/{second}/branch"), json!({"page_id": "late"})).refused(404, "page_not_found");
        client.post(&format!("/floors/{second}/branch"), json!({"page_id": "no id"})).invalid_at("/page_id");
        client.make_floor("s", "draft", json!({}));
        client.post("/pages", json!({"floor_id": "draft", "id": "open"})).is(201);
        client.post("/pages/open/branch", json!({})).refused(409, "invalid_state");
        client.post(&format!("/pages/{left}/branch"), json!({"branch_id": "c"})).refused(409, "branch_exists");
    });
}

/// A client of a fork knows what the fork shares by the ids of the source, also when the fork has got rows of its own since.
#[test]
fn ids_of_shared_floors_and_pages_are_known_on_the_fork() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        client.make_floor("s", "first", json!({}));
        client.set(json!({"scope": "floor", "scope_id": "first"}), "k", 7).is(201);
        let page =
            json!({"floor_id": "first", "id": "first-page", "page_kind": "output", "content": "@.ADD(\"n\", 1);"});
        client.post("/pages", page).is(201);
        client.post("/floors/first/generate", json!({})).is(200);
        client.post("/floors/first/commit", json!({})).is(200);
        let (first, first_page) = ("first", "first-page");
        let (last, last_page) = turn(client, "main", "@.ADD(\"n\", 10);");
        fork(client, &last, "b");
        client.case("variables are seen from the fork while it shares the floor");
        client.set(json!({"scope": "branch", "session_id": "s", "branch_id": "b"}), "own", 8).is(201);
        let seen = |place: &str| -> Vec<(String, Value)> {
            let seen = client.resolve(&format!("session_id=s&branch_id=b&{place}"));
            seen.into_iter().filter(|(key, ..)| key != "vs_stat_data").map(|(key, value, _)| (key, value)).collect()
        };
        let expected = [("k".to_owned(), json!(7)), ("own".to_owned(), json!(8))];
        assert_eq!(seen(&format!("page_id={first_page}")), expected);
        assert_eq!(seen(&format!("floor_id={first}&lineage=true")), expected);
        let elsewhere = "/variables/resolve?session_id=s&branch_id=b&floor_id=behind";
        client.make_floor("s", "behind", json!({}));
        client.get(elsewhere).refused(400, "invalid_variable_context");
        client.delete("/floors/behind?permanent=true").is(200);
        client.case("a turn that expects the shared page");
        let snapshot = text(client.get("/sessions/s/state?branch_id=main").is(200), "snapshot_id");
        client.patch(&format!("/pages/{first_page}"), json!({"content": "@.ADD(\"n\", 50);"})).is(200);
        client.post("/sessions/s/process", json!({"branch_id": "main"})).is(200);
        let next = |parent: &str, page: &str| {
            let body = json!({"role": "assistant", "content": "on", "branch_id": "b", "expected_parent": parent, "page_id": page});
            client.post("/sessions/s/turns", body)
        };
        next(first_page, "other").refused(409, "parent_moved");
        let made = text(next(&last_page, "by-page").is(201), "floor_id");
        client.delete(&format!("/floors/{made}?permanent=true")).is(200);
        next(&snapshot, "by-snapshot").is(201);
        client.case("a swipe of the shared floor is sent again");
        let swipe = json!({"role": "assistant", "content": "@.ADD(\"n\", 100);", "page_id": "again", "branch_id": "b", "swipe_of": last});
        let once = client.post("/sessions/s/turns", swipe.clone());
        let floor = text(once.is(201), "floor_id");
        client.post("/sessions/s/turns", swipe.clone()).is(200).has("/floor_id", floor.as_str());
        let mut another = swipe;
        another["swipe_of"] = json!(first);
        client.post("/sessions/s/turns", another).refused(409, "id_taken");
        let state = client.get("/sessions/s/state?branch_id=b");
        assert_eq!(state.is(200).data()["state"]["n"], json!(101));
    });
}

/// Two forks of one branch have copies of the same page, with texts that may differ: neither is known by the id of the other's.
#[test]
fn a_turn_does_not_expect_the_copy_of_another_fork() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let (floor, page) = turn(client, "main", "@.ADD(\"n\", 1);");
        for branch in ["b", "c"] {
            fork(client, &floor, branch);
        }
        client.patch(&format!("/pages/{page}"), json!({"content": "@.ADD(\"n\", 2);"})).is(200);
        let copy = |branch: &str| text(client.get(&format!("/sessions/s/state?branch_id={branch}")).is(200), "page_id");
        let (of_b, of_c) = (copy("b"), copy("c"));
        assert!(of_b != of_c && of_b != page, "{of_b}, {of_c}");
        client.patch(&format!("/pages/{of_b}"), json!({"content": "@.ADD(\"n\", 5);"})).is(200);
        let next = |branch: &str, parent: &str| {
            let body = json!({"role": "assistant", "content": "on", "branch_id": branch, "expected_parent": parent});
            client.post("/sessions/s/turns", body)
        };
        next("c", &of_b).refused(409, "parent_moved");
        next("c", &page).is(201);
        client.case("a fork of the fork knows it");
        fork(client, &text(client.get(&format!("/pages/{of_b}")).is(200), "floor_id"), "d");
        client.patch(&format!("/pages/{of_b}"), json!({"content": "@.ADD(\"n\", 6);"})).is(200);
        assert_ne!(copy("d"), of_b);
        next("d", &of_b).is(201);
    });
}

/// A line has two copies of one floor when one of them moved and the other one came back from the trash. A fork gets both.
#[test]
fn two_copies_of_one_floor_are_copied_to_a_fork() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let floor = "first";
        client.make_floor("s", floor, json!({}));
        client.set(json!({"scope": "floor", "scope_id": floor}), "seen", 7).is(201);
        let page = json!({"floor_id": floor, "page_kind": "output", "content": "@.ADD(\"n\", 1);"});
        client.post("/pages", page).is(201);
        client.post("/floors/first/generate", json!({})).is(200);
        client.post("/floors/first/commit", json!({})).is(200);
        fork(client, floor, "k");
        let moved = |number: i64| {
            let patched = client.patch(&format!("/floors/{floor}?branch_id=k"), json!({"floor_no": number}));
            text(patched.is(200), "id")
        };
        let copy = moved(13);
        fork(client, &copy, "k2");
        let trash = client.delete(&format!("/floors/{copy}?branch_id=k2")).is(200).header("trash-id");
        moved(6);
        client.delete("/branches/k2?session_id=s").is(200);
        let restored = client.post(&format!("/trash/{trash}/restore"), json!({}));
        let branch = restored.is(200).data()["branches"][0]["branch_id"].as_str().expect("a branch").to_owned();
        let line = |branch: &str| client.get(&format!("/sessions/s/transcript?branch_id={branch}"));
        let shown = |branch: &str, column: &str| line(branch).is(200).column(column);
        assert_eq!(shown(&branch, "floor_no"), [6, 13].map(Value::from));
        let floors: Vec<String> =
            shown(&branch, "floor_id").iter().map(|id| id.as_str().expect("an id").to_owned()).collect();
        fork(client, &floors[1], "k3");
        let (before, state) = (line("k3"), client.get("/sessions/s/state?branch_id=k3"));
        let page = client.get(&format!("/sessions/s/floors/6?branch_id={branch}"));
        let page = page.is(200).data()["page_id"].as_str().expect("a page").to_owned();
        client.patch(&format!("/pages/{page}?branch_id={branch}"), json!({"content": "@.ADD(\"n\", 100);"})).is(200);
        assert_eq!(shown("k3", "floor_no"), [6, 13].map(Value::from));
        let after = client.get("/sessions/s/state?branch_id=k3");
        assert_eq!(after.is(200).data()["state"], state.is(200).data()["state"], "{}", before.text);
        client.case("each is known on the fork by its own id");
        for (number, id) in [(6, &floors[0]), (13, &floors[1])] {
            let patched = client.patch(&format!("/floors/{id}?branch_id=k3"), json!({"floor_no": number + 1}));
            patched.is(200).has("/floor_no", number + 1);
        }
        assert_eq!(shown("k3", "floor_no"), [7, 14].map(Value::from));
        for id in shown("k3", "floor_id") {
            let id = id.as_str().expect("an id");
            client.get(&format!("/variables?scope=floor&scope_id={id}")).is(200).has_meta("total", 1);
        }
        assert_eq!(shown(&branch, "floor_no"), [6, 13].map(Value::from));
        client.case("the fork, in the trash and back");
        fork(client, &floors[1], "k4");
        let trash = client.delete("/branches/k4?session_id=s").is(200).header("trash-id");
        client.delete(&format!("/branches/{branch}?session_id=s")).is(200);
        client.post(&format!("/trash/{trash}/restore"), json!({})).is(200);
        assert_eq!(shown("k4", "floor_no"), [6, 13].map(Value::from));
    });
}

/// A state is edited on the line that a person looks at, by whichever id they know it.
#[test]
fn a_shared_state_is_edited_on_the_fork_alone() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let (floor, page) = turn(client, "main", "@.ADD(\"n\", 1);");
        let snapshot = text(client.get("/sessions/s/state").is(200), "snapshot_id");
        let n = |branch: &str| {
            let state = client.get(&format!("/sessions/s/state?branch_id={branch}"));
            state.is(200).has("/fresh", true).data()["state"]["n"].clone()
        };
        for branch in ["a", "b", "c"] {
            fork(client, &floor, branch);
        }
        let put = client.put(&format!("/snapshots/{snapshot}?branch_id=a"), json!({"state": {"n": 5}}));
        assert_ne!(text(put.is(200), "id"), snapshot);
        client.patch(&format!("/snapshots/{snapshot}?branch_id=b"), json!({"patch": {"n": 6}})).is(200);
        let made = client.post("/global-snapshots", json!({"id": "g", "name": "g", "body": {"n": 7}}));
        let id = text(made.is(201), "id");
        client.post(&format!("/global-snapshots/{id}/apply?branch_id=c"), json!({"page_id": page})).is(200);
        assert_eq!(["main", "a", "b", "c"].map(n), [1, 5, 6, 7].map(Value::from));
        client.case("its own line, and one that does not have it");
        client
            .put(&format!("/snapshots/{snapshot}?branch_id=main"), json!({"state": {"n": 2}}))
            .is(200)
            .has("/id", snapshot.as_str());
        assert_eq!(["main", "a", "b", "c"].map(n), [2, 5, 6, 7].map(Value::from));
        client
            .put(&format!("/snapshots/{snapshot}?branch_id=none"), json!({"state": {}}))
            .refused(404, "branch_not_found");
        let (_, later) = turn(client, "main", "@.ADD(\"n\", 1);");
        let later = text(client.get(&format!("/pages/{later}/state")).is(200), "snapshot_id");
        client.put(&format!("/snapshots/{later}?branch_id=a"), json!({"state": {}})).refused(404, "page_not_found");
        assert_eq!(["main", "a"].map(n), [3, 5].map(Value::from));
    });
}

/// What the source deletes is still there on the fork, by the ids that the fork's client knows.
#[test]
fn ids_of_what_the_source_deleted_are_known_on_the_fork() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let long_id = "a".repeat(120);
        let turns = [("short", 1), (long_id.as_str(), 10)].map(|(page, number)| {
            let body = json!({"role": "assistant", "content": format!("@.ADD(\"n\", {number});"), "page_id": page});
            text(client.post("/sessions/s/turns", body).is(201), "floor_id")
        });
        let (last, _) = turn(client, "main", "@.ADD(\"n\", 100);");
        fork(client, &last, "b");
        fork(client, &last, "c");
        let snapshot = text(&client.state("short"), "snapshot_id");
        for floor in &turns {
            client.delete(&format!("/floors/{floor}")).is(200);
        }
        client.case("a page with a short id, one with a long id, a floor");
        for (page, key) in [("short", "first"), (&long_id, "seen")] {
            client.patch(&format!("/pages/{page}/state?branch_id=b"), json!({"patch": {key: true}})).is(200);
        }
        let body = json!({"role": "assistant", "content": "@.ADD(\"n\", 2);", "branch_id": "b", "swipe_of": turns[0]});
        client.post("/sessions/s/turns", body).is(201).has("/floor_no", 0);
        assert_eq!(processed_state(client, "b"), 112);
        client.get("/sessions/s/state?branch_id=b").is(200).has("/state/seen", true);
        assert_eq!(processed_state(client, "c"), 111);
        client.case("the snapshot of a page that the source deleted");
        let path = format!("/snapshots/{snapshot}?branch_id=c");
        client.patch(&path, json!({"patch": {"by_snapshot": true}})).is(200);
        client.get("/sessions/s/state?branch_id=c").is(200).has("/state/by_snapshot", true);
        client.get("/sessions/s/state?branch_id=b").is(200).has("/state/by_snapshot", Value::Null);
        client.case("where there is no copy, it is gone");
        client.patch("/pages/short/state?branch_id=main", json!({"patch": {}})).refused(404, "page_not_found");
        client.delete(&format!("/floors/{}?branch_id=none", turns[0])).refused(404, "floor_not_found");
    });
}

/// A fork of a fork shares the copies of its source.
#[test]
fn ids_of_what_the_source_changed_are_known_on_a_fork_of_a_fork() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let (kept, kept_page) = turn(client, "main", "@.ADD(\"n\", 1);");
        let (gone, gone_page) = turn(client, "main", "@.ADD(\"n\", 10);");
        fork(client, &gone, "b");
        let (own, _) = turn(client, "b", "@.ADD(\"n\", 100);");
        fork(client, &own, "c");
        client.patch(&format!("/pages/{kept_page}"), json!({"content": "@.ADD(\"n\", 5);"})).is(200);
        client.delete(&format!("/floors/{gone}")).is(200);
        client.patch(&format!("/pages/{gone_page}/state?branch_id=c"), json!({"patch": {"gone": true}})).is(200);
        client.patch(&format!("/pages/{kept_page}/state?branch_id=c"), json!({"patch": {"kept": true}})).is(200);
        let swipe = json!({"role": "assistant", "content": "@.ADD(\"n\", 2);", "branch_id": "c", "swipe_of": kept});
        client.post("/sessions/s/turns", swipe).is(201);
        assert_eq!(["main", "b", "c"].map(|branch| processed_state(client, branch)), [5, 111, 112].map(Value::from));
        client.case("a turn that is sent again, with the id that the fork in between has");
        fork(client, &text(client.get("/sessions/s/floors/2?branch_id=c").is(200), "floor_id"), "d");
        let shared = text(client.get("/sessions/s/floors/1?branch_id=c").is(200), "floor_id");
        let swipe = json!({"role": "assistant", "content": "@.ADD(\"n\", 7);", "branch_id": "d", "swipe_of": shared, "page_id": "again"});
        let first = text(client.post("/sessions/s/turns", swipe.clone()).is(201), "floor_id");
        client.post("/sessions/s/turns", swipe).is(200).has("/floor_id", first.as_str());
        client.case("a deletion that is sent again");
        let delete =
            || client.ask("DELETE", &format!("/floors/{gone}?branch_id=c")).header("Idempotency-Key", "once").send();
        let first = delete();
        assert_eq!(delete().is(200).data(), first.is(200).data());
        client.get("/sessions/s/state?branch_id=c").is(200).has("/state/gone", true);
        client.get("/sessions/s/state?branch_id=b").is(200).has("/state/gone", Value::Null);
    });
}

/// Ids are the clients' to choose, also those that look like the ids of copies.
#[test]
fn an_id_that_is_gone_is_not_taken_for_a_similar_one() {
    both(|client| {
        for session in ["s", "t"] {
            client.post("/sessions", json!({"id": session})).is(201);
        }
        let written = |session: &str, page: &str| {
            let body = json!({"role": "assistant", "content": page, "page_id": page});
            text(client.post(&format!("/sessions/{session}/turns"), body).is(201), "floor_id")
        };
        for page in ["chat~~0", "chat~~1", "chat~", "chat"] {
            written("s", page);
        }
        for page in ["chat~~1", "chat"] {
            let path = format!("/pages/{page}?branch_id=main");
            client.delete(&path).is(200);
            client.delete(&path).refused(404, "page_not_found");
        }
        client.get("/pages/chat~~0").is(200);
        client.case("on a fork, each has a copy of its own");
        let last = written("s", "chat~~2");
        fork(client, &last, "f");
        written("s", "chat~~3");
        client.patch("/pages/chat~~0?branch_id=f", json!({"content": "other"})).is(200);
        client.delete("/pages/chat~~1?branch_id=f").refused(404, "page_not_found");
        client.delete("/pages/chat~~2?branch_id=f").is(200);
        client.get("/sessions/s/floors/0?branch_id=f").is(200).has("/content", "other");
        client.get("/pages/chat~~2").is(200);
        client.case("ids of copies are not for clients");
        let body = |page: &str| json!({"role": "assistant", "content": "x", "page_id": page});
        client.post("/sessions/s/turns", body("x~~1.0")).refused(400, "validation_error");
        client.post("/floors", json!({"session_id": "s", "id": "x~~1.0"})).refused(400, "validation_error");
        client.post("/sessions/s/turns", body("x~~1.")).is(201);
        client.case("a floor of another session is not touched");
        let floor = written("t", "elsewhere");
        client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": "b"})).is(201);
        let swipe = json!({"role": "assistant", "content": "x", "branch_id": "b", "swipe_of": floor});
        client.post("/sessions/s/turns", swipe).refused(404, "floor_not_found");
        client.get("/sessions/t/floors/0?branch_id=b").is(200).has("/floor_id", floor.as_str());
    });
}

/// A page that lost its id to another session while its own was in the trash, and a page that has the id now, have copies of their own.
#[test]
fn an_id_that_two_pages_had_makes_two_copies() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let written = |session: &str| {
            let body = json!({"role": "assistant", "content": "@.ADD(\"n\", 1);", "page_id": "chat"});
            text(client.post(&format!("/sessions/{session}/turns"), body).is(201), "floor_id")
        };
        written("s");
        let trash = client.delete("/sessions/s").is(200).header("trash-id");
        client.make_story("t", json!({"n": 0}));
        written("t");
        client.post(&format!("/trash/{trash}/restore"), json!({})).is(200);
        client.delete("/sessions/t").is(200);
        fork(client, &written("s"), "b");
        let first = text(client.get("/sessions/s/floors/0").is(200), "page_id");
        client.patch(&format!("/pages/{first}"), json!({"content": "@.ADD(\"n\", 5);"})).is(200);
        assert_eq!(["main", "b"].map(|branch| processed_state(client, branch)), [6, 2].map(Value::from));
    });
}

#[test]
fn a_swipe_below_a_fork_copies_no_text() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let reply = |number: usize| format!("{} @.ADD(\"n\", {number});", "A long reply. ".repeat(200));
        let floors: Vec<String> = (0..12).map(|number| text(&client.turn("s", &reply(number)), "floor_id")).collect();
        client.post(&format!("/floors/{}/branch", floors[11]), json!({"branch_id": "fork"})).is(201);
        let count = |what: &str| {
            let sql = format!("SELECT COALESCE({what}, 0) FROM body WHERE account_id = '{}'", client.account);
            client.place().number(&sql)
        };
        let bytes = "SUM(COALESCE(LENGTH(content), 0) + COALESCE(LENGTH(extra), 0))";
        let pages = || {
            let sql = format!("SELECT COUNT(*) FROM page WHERE account_id = '{}'", client.account);
            client.place().number(&sql)
        };
        let before = (count("COUNT(*)"), count(bytes), pages());
        let swipe = json!({"role": "assistant", "content": "@.SET(\"n\", 1000);", "swipe_of": floors[0]});
        client.post("/sessions/s/turns", swipe).is(201);
        let after = (count("COUNT(*)"), count(bytes), pages());
        assert_eq!(after.0, before.0 + 1, "the text of the swipe");
        assert!(after.1 < before.1 + 100, "{} bytes after {}", after.1, before.1);
        assert_eq!(after.2, before.2 + 12 + 1, "the fork has pages of its own, and there is the swipe");
        client.get("/sessions/s/state?branch_id=fork").is(200).has("/state/n", 66);
        client.get("/sessions/s/state").is(200).has("/state/n", 1066);
    });
}

/// What a person adds on a fork to a floor that the fork shares is on the fork alone, whichever ids they know.
#[test]
fn what_is_added_to_a_shared_floor_is_on_the_fork_alone() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let (first, _) = turn(client, "main", "@.ADD(\"n\", 1);");
        let (last, last_page) = turn(client, "main", "@.ADD(\"n\", 10);");
        for name in ["b", "c"] {
            fork(client, &last, name);
        }
        let states = || {
            ["main", "b", "c"].map(|branch| {
                let state = client.get(&format!("/sessions/s/state?branch_id={branch}"));
                (state.is(200).data()["state"]["n"].clone(), state.data()["fresh"].clone())
            })
        };
        let fresh = |numbers: [i64; 3]| assert_eq!(states(), numbers.map(|n| (json!(n), json!(true))));
        client.case("a swipe");
        let swipe = json!({"floor_id": first, "id": "swipe", "page_kind": "output", "content": "@.ADD(\"n\", 2);"});
        let made = client.post("/pages?branch_id=b", swipe);
        let own = text(made.is(201), "floor_id");
        assert_ne!(own, first);
        fresh([11, 12, 11]);
        client.case("what is staged on it, and its commit, by the floor's old id");
        let write = json!({"key": "gold", "op": "set", "value": 5, "intent": "promote_to_branch_on_accept"});
        client.post("/pages/swipe/variables/staged?branch_id=b", write.clone()).is(201);
        let commit = json!({"page_id": "swipe"});
        client.post(&format!("/floors/{first}/commit?branch_id=b"), commit).is(200).has("/id", own.as_str());
        let gold = |branch: &str| client.resolve(&format!("session_id=s&branch_id={branch}&keys=gold")).len();
        assert_eq!(["main", "b", "c"].map(gold), [0, 1, 0]);
        client.case("a page of the source is another one on the fork");
        let shared = json!({"floor_id": last, "id": "shared", "is_active": false, "page_kind": "output", "content": "@.ADD(\"n\", 20);"});
        client.post("/pages", shared).is(201);
        fork(client, &last, "d");
        client.post("/pages/shared/variables/staged?branch_id=d", write).is(201);
        client.post("/pages/shared/activate?branch_id=d", json!({})).is(200);
        let commit = json!({"page_id": "shared"});
        client.post(&format!("/floors/{last}/commit?branch_id=d"), commit).is(200);
        assert_eq!(["main", "b", "c", "d"].map(gold), [0, 1, 0, 1]);
        fresh([11, 12, 11]);
        client.case("a committed floor is neither generated nor failed");
        for step in ["generate", "fail"] {
            client.post(&format!("/floors/{last}/{step}?branch_id=c"), json!({})).refused(409, "invalid_state");
            client.post(&format!("/floors/{last}/{step}?branch_id=none"), json!({})).refused(404, "branch_not_found");
        }
        client.case("a state is dropped on the fork");
        let snapshot = text(&client.state(&last_page), "snapshot_id");
        fork(client, &last, "e");
        let path = format!("/snapshots/{snapshot}?branch_id=e");
        let delete = || client.ask("DELETE", &path).header("Idempotency-Key", "once").send();
        let gone = delete();
        gone.is(200).has("/stale", json!({"floors": 1, "first_floor_no": 1}));
        assert_ne!(text(&gone, "id"), snapshot);
        assert_eq!(delete().is(200).data(), gone.data());
        client.get("/sessions/s/state?branch_id=e").is(200).has("/fresh", false);
        fresh([11, 12, 11]);
        client.case("and comes back there");
        client.post(&format!("/trash/{}/restore", gone.header("trash-id")), json!({})).is(200).has("/branch_id", "e");
        client.get("/sessions/s/state?branch_id=e").is(200).has("/fresh", true);
        client.delete(&format!("/snapshots/{snapshot}?branch_id=none")).refused(404, "branch_not_found");
    });
}
