//! A line as a person works on it: what is shared is changed on one line alone, later floors follow, and what became stale is
//! said.

use super::story::text;
use crate::support::{Answer, Client, both, branch};
use serde_json::{Value, json};

/// A story of three floors, and a fork of all of them.
fn forked(client: &Client) -> [Answer; 3] {
    client.make_story("s", json!({"n": 0}));
    let turns = [1, 10, 100].map(|number| client.turn("s", &format!("@.ADD(\"n\", {number});")));
    client.post(&format!("/floors/{}/branch", text(&turns[2], "floor_id")), json!({"branch_id": "alt"})).is(201);
    turns
}

#[track_caller]
fn shows(client: &Client, branch: &str, n: i64) {
    let state = client.get(&format!("/sessions/s/state?branch_id={branch}"));
    state.is(200).has("/fresh", true).has("/state/n", n);
}

#[test]
fn what_a_fork_shares_is_changed_on_the_fork_alone() {
    both(|client| {
        let [first, second, third] = forked(client);
        client.case("a swipe");
        let swipe = json!({"role": "assistant", "content": "@.ADD(\"n\", 2);", "branch_id": "alt",
            "swipe_of": text(&first, "floor_id")});
        let swiped = client.post("/sessions/s/turns", swipe);
        swiped.is(201).has("/floor_no", 0).has("/page_version", 1).has("/stale", Value::Null);
        shows(client, "alt", 112);
        shows(client, "main", 111);
        client.get(&format!("/floors/{}", text(&swiped, "floor_id"))).is(200).has("/branch_id", "alt");
        client.case("the other swipe of the copy");
        let pages = client.get(&format!("/pages?floor_id={}", text(&swiped, "floor_id")));
        let old = pages.is(200).column("id")[0].as_str().expect("a page").to_owned();
        client.post(&format!("/pages/{old}/activate"), json!({})).is(200).has("/stale", Value::Null);
        shows(client, "alt", 111);
        client.case("a text, by the id it has on the other line");
        let page = text(&second, "page_id");
        let changed = client.patch(&format!("/pages/{page}?branch_id=alt"), json!({"content": "@.ADD(\"n\", 20);"}));
        changed.is(200).has("/stale/floors", 2).has("/stale/first_floor_no", 1);
        client.post("/sessions/s/process", json!({"branch_id": "alt"})).is(200).has("/processed", 2);
        shows(client, "alt", 121);
        shows(client, "main", 111);
        client.case("again, now that it has a copy");
        client.patch(&format!("/pages/{page}?branch_id=alt"), json!({"content": "@.ADD(\"n\", 30);"})).is(200);
        client.post("/sessions/s/process", json!({"branch_id": "alt"})).is(200);
        shows(client, "alt", 131);
        client.case("a floor that goes");
        let gone = client.delete(&format!("/floors/{}?branch_id=alt", text(&third, "floor_id")));
        gone.is(200).has("/deleted", true).has("/stale", Value::Null);
        shows(client, "alt", 31);
        shows(client, "main", 111);
        client.case("sent again under its key, it is answered the same");
        let path = format!("/pages/{page}?branch_id=alt");
        let twice = || client.ask("DELETE", &path).header("Idempotency-Key", "once").send();
        let gone = text(twice().is(200), "id");
        assert_eq!(text(twice().is(200), "id"), gone);
        client.get(&format!("/pages/{page}")).is(200);
        client.case("how many floors it has behind its fork point does not change by copies");
        let branches = client.get("/sessions/s/branches?sort_order=asc").is(200).body["data"].clone();
        assert_eq!([0, 1].map(|at| branches[at]["floor_count"].clone()), [3, 0].map(Value::from), "{branches}");
        client.case("a floor that the branch does not have");
        let behind = client.turn("s", "@.ADD(\"n\", 1000);");
        let path = format!("/floors/{}?branch_id=alt", text(&behind, "floor_id"));
        client.patch(&path, json!({"floor_no": 9})).refused(404, "floor_not_found");
        client
            .delete(&format!("/pages/{}?branch_id=nowhere", text(&behind, "page_id")))
            .refused(404, "branch_not_found");
        shows(client, "main", 1111);
    });
}

#[test]
fn a_deletion_that_is_sent_again_says_what_it_left_stale() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let turns: Vec<Answer> =
            (0..5).map(|number| client.turn("s", &format!("@.ADD(\"n\", {});", 10_i64.pow(number)))).collect();
        let floor = |number: usize| text(&turns[number], "floor_id");
        let twice = |method: &str, path: &str, body: Option<Value>| {
            let send = || {
                let ask = client.ask(method, path).header("Idempotency-Key", path);
                match body.clone() {
                    Some(body) => ask.json(body).send(),
                    None => ask.send(),
                }
            };
            let first = send();
            first.is(200);
            assert_eq!(send().is(200).data(), first.data());
            first
        };
        twice("DELETE", &format!("/floors/{}", floor(0)), None).has("/stale/floors", 4).has("/stale/first_floor_no", 1);
        twice("DELETE", &format!("/pages/{}", text(&turns[1], "page_id")), None).has("/stale/first_floor_no", 2);
        let many = twice("POST", "/floors/batch/delete", Some(json!({"ids": [floor(2), "nowhere"]})));
        many.has("/results/0/stale/first_floor_no", 3).has("/results/1/deleted", false);
    });
}

#[test]
fn later_floors_follow_a_swipe() {
    both(|client| {
        let [first, ..] = forked(client);
        let swipe = client.post(
            "/sessions/s/turns",
            json!({"role": "assistant", "content": "@.ADD(\"n\", 5);", "swipe_of": text(&first, "floor_id")}),
        );
        swipe.is(201).has("/stale", Value::Null);
        shows(client, "main", 115);
        client.post(&format!("/pages/{}/activate", text(&first, "page_id")), json!({})).is(200);
        shows(client, "main", 111);
        shows(client, "alt", 111);
    });
}

#[test]
fn changes_say_what_they_leave_stale() {
    both(|client| {
        let [first, second, third] = forked(client);
        let page = |turn: &Answer| format!("/pages/{}", text(turn, "page_id"));
        let floor = |turn: &Answer| format!("/floors/{}", text(turn, "floor_id"));
        client.case("a text");
        let changed = client.patch(&page(&first), json!({"content": "@.ADD(\"n\", 2);"}));
        changed.is(200).has("/stale", json!({"floors": 3, "first_floor_no": 0}));
        client.case("a move");
        let moved = client.patch(&floor(&third), json!({"floor_no": 7}));
        moved.is(200).has("/stale", json!({"floors": 3, "first_floor_no": 0}));
        client.case("whatever is stale in the session is mended without naming a branch");
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 3);
        shows(client, "main", 112);
        client.case("a deletion");
        client.delete(&floor(&second)).is(200).has("/stale", json!({"floors": 1, "first_floor_no": 7}));
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 1);
        client.case("on all branches");
        let [_, shared, _] = [first, second, third];
        let copy = client.get("/floors?session_id=s&branch_id=alt&sort_order=asc");
        let copy = copy.is(200).column("id")[1].as_str().expect("a floor").to_owned();
        assert_ne!(copy, text(&shared, "floor_id"));
        client.delete(&format!("/floors/{copy}")).is(200).has("/stale/floors", 1);
        client.post("/sessions/s/process", json!({})).is(200).has("/processed", 1);
        shows(client, "main", 102);
        shows(client, "alt", 101);
    });
}

/// What a person sees of a line: texts, swipes and freshness by number; the state; variables of the last floor and of the branch.
fn seen(client: &Client, branch: &str) -> [Value; 3] {
    let transcript = client.get(&format!("/sessions/s/transcript?branch_id={branch}&swipes=true&limit=100"));
    let mut floors = transcript.is(200).data();
    // Ids may become those of copies.
    let names = ["floor_id", "page_id", "snapshot_id", "id", "swipes", "shared"];
    for floor in floors.as_array_mut().expect("a list") {
        let swipes = floor["swipes"].as_array().expect("swipes").iter();
        let swipes: Vec<Value> = swipes.map(|swipe| json!([swipe["content"], swipe["is_active"]])).collect();
        let floor = floor.as_object_mut().expect("a floor");
        floor.retain(|name, _| !names.contains(&name.as_str()));
        floor.insert("texts".into(), swipes.into());
    }
    let state = client.get(&format!("/sessions/s/state?branch_id={branch}")).is(200).data();
    let variables = client.resolve(&format!("session_id=s&branch_id={branch}&lineage=true"));
    let variables: Vec<Value> = variables.into_iter().map(|(key, value, scope)| json!([key, value, scope])).collect();
    [floors, json!([state["state"], state["fresh"], state["edited"], state["outdated"]]), variables.into()]
}

#[test]
fn what_happens_on_a_line_never_changes_another() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        client.set(branch("s", "main"), "of branch", 1).is(201);
        for (floor, number) in [("a", 1), ("b", 10), ("c", 100)] {
            client.make_floor("s", floor, json!({}));
            let page =
                json!({"id": format!("{floor}.p"), "floor_id": floor, "content": format!("@.ADD(\"n\", {number});")});
            client.post("/pages", page).is(201);
            client.set(crate::support::floor(floor), floor, number).is(201);
            client.post(&format!("/floors/{floor}/generate"), json!({})).is(200);
            client.post(&format!("/floors/{floor}/commit"), json!({})).is(200);
        }
        client.patch("/pages/c.p/state", json!({"patch": {"by": "hand"}})).is(200);
        let fork = |name: &str| client.post("/floors/c/branch", json!({"branch_id": name})).is(201).data();
        fork("fork");
        let before = seen(client, "fork");
        assert!(
            before[2].as_array().is_some_and(|seen| seen.contains(&json!(["of branch", 1, "branch"]))),
            "{before:?}"
        );
        assert_eq!(before[1], json!([{"n": 111, "by": "hand"}, true, true, null]));
        let turn = |body: Value| client.post("/sessions/s/turns", body).is(201).data();
        let swipe = turn(json!({"role": "assistant", "content": "@.ADD(\"n\", 2);", "swipe_of": "a"}));
        let changes: [(&str, &dyn Fn() -> Answer); 9] = [
            ("another swipe is chosen", &|| client.post("/pages/a.p/activate", json!({}))),
            ("a text is changed", &|| client.patch("/pages/b.p", json!({"content": "@.ADD(\"n\", 20);"}))),
            ("a state is edited", &|| client.patch("/pages/b.p/state", json!({"patch": {"x": 1}}))),
            ("a floor moves", &|| client.patch("/floors/c", json!({"floor_no": 9}))),
            ("a variable changes", &|| client.set(branch("s", "main"), "of branch", 2)),
            ("a page goes", &|| client.delete(&format!("/pages/{}", swipe["page_id"].as_str().expect("an id")))),
            ("a floor goes", &|| client.delete("/floors/b")),
            ("it is recomputed", &|| client.post("/sessions/s/process", json!({"mode": "all"}))),
            ("it is synced", &|| {
                let said = json!({"role": "assistant", "swipes": [{"content": "@.ADD(\"n\", 7);"}], "active": 0});
                client.post("/sessions/s/sync", json!({"floors": [said], "max_deleted": 9}))
            }),
        ];
        client.case("a swipe is added, then each other change");
        assert_eq!(seen(client, "fork"), before);
        for (what, change) in changes {
            client.case(what);
            let main = seen(client, "main");
            change().is(200);
            assert_ne!(seen(client, "main"), main, "the line itself");
            assert_eq!(seen(client, "fork"), before);
        }
        client.case("its next turn reads what it was forked from");
        let next = turn(json!({"role": "assistant", "content": "@.ADD(\"n\", 1000);", "branch_id": "fork"}));
        assert_eq!(next["floor_no"], 3);
        client.get("/sessions/s/state?branch_id=fork").is(200).has("/state/n", 1111).has("/state/by", "hand");
        client.case("and what happens on the fork changes nothing on its source");
        let main = seen(client, "main");
        client.delete("/branches/fork?session_id=s").is(200);
        assert_eq!(seen(client, "main"), main);
    });
}

#[test]
fn a_long_stretch_that_forks_share_is_changed_on_one_line_alone() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let floors: Vec<Value> = (0..520).map(|_| super::sync::said("assistant", &["@.ADD(\"n\", 1);"], 0)).collect();
        client.sync(json!(floors)).is(200).has("/created", 520);
        client.post("/sessions/s/process", json!({})).is(200);
        let floor = |number: usize| text(client.get(&format!("/sessions/s/floors/{number}")).is(200), "floor_id");
        client.post(&format!("/floors/{}/branch", floor(519)), json!({"branch_id": "alt"})).is(201);
        client.post(&format!("/floors/{}/branch", floor(300)), json!({"branch_id": "early"})).is(201);
        client.case("a swipe of the first floor");
        let swipe = json!({"role": "assistant", "content": "@.ADD(\"n\", 1000);", "swipe_of": floor(0)});
        client.post("/sessions/s/turns", swipe).is(201);
        client.post("/sessions/s/process", json!({})).is(200);
        shows(client, "main", 1519);
        shows(client, "alt", 520);
        shows(client, "early", 301);
        client.case("a text in the middle, on the fork");
        let page = client.get(&format!("/pages?floor_id={}", floor(7))).is(200).column("id")[0].clone();
        let path = format!("/pages/{}?branch_id=early", page.as_str().expect("an id"));
        client.patch(&path, json!({"content": "@.ADD(\"n\", 100);"})).is(200);
        client.post("/sessions/s/process", json!({"branch_id": "early"})).is(200);
        shows(client, "main", 1519);
        shows(client, "alt", 520);
        shows(client, "early", 400);
        client.case("a floor that goes");
        client.delete(&format!("/floors/{}", floor(1))).is(200);
        client.post("/sessions/s/process", json!({})).is(200);
        shows(client, "main", 1518);
        shows(client, "alt", 520);
        shows(client, "early", 400);
    });
}

#[test]
fn what_is_read_on_a_fork_by_old_ids_is_its_copy() {
    both(|client| {
        let [first, second, third] = forked(client);
        let [floor, page] = ["floor_id", "page_id"].map(|field| text(&second, field));
        client.set(branch("s", "alt"), "here", 1).is(201);
        let preview = |page: &str| {
            let body = json!({"branch_id": "alt", "page_id": page, "seed": 1, "text": "{{vs_get::n}}{{getvar::here}}"});
            client.post("/sessions/s/prompt-runtime/preview", body)
        };
        let read = |when: &str| {
            client.case(when);
            for place in
                [format!("page_id={page}"), format!("floor_id={floor}"), format!("floor_id={floor}&page_id={page}")]
            {
                let seen = client.get(&format!("/variables/resolve?session_id=s&branch_id=alt&{place}"));
                seen.is(200).has("/context/branch_id", "alt");
            }
            preview(&page).is(200).has("/text", "11");
        };
        read("while the fork shares them");
        client.patch(&format!("/pages/{}", text(&first, "page_id")), json!({"content": "@.ADD(\"n\", 5);"})).is(200);
        read("after the other line has changed");
        client.delete(&format!("/floors/{floor}")).is(200);
        read("after the other line has deleted its own");
        client.case("what is not on the fork is refused as before");
        let elsewhere = client.turn("s", "x");
        let path = format!("/variables/resolve?session_id=s&branch_id=alt&page_id={}", text(&elsewhere, "page_id"));
        client.get(&path).refused(400, "invalid_variable_context");
        assert_eq!(client.get(&format!("/pages/{}", text(&third, "page_id"))).status, 200);
    });
}
