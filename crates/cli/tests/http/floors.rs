//! Floors: their places on a branch and their life.

use crate::support::{both, branch, floor};
use serde_json::{Value, json};

#[test]
fn floors_stand_one_behind_the_other() {
    both(|client| {
        client.make_session("s");
        client.case("the next position");
        let first = client.post("/floors", json!({"session_id": "s", "id": "a"}));
        first.is(201).has("/floor_no", 0).has("/branch_id", "main").has("/session_id", "s").has("/state", "draft");
        first.has("/parent_floor_id", Value::Null);
        client
            .post("/floors", json!({"session_id": "s", "id": "b"}))
            .is(201)
            .has("/floor_no", 1)
            .has("/parent_floor_id", "a");
        let far = client.post("/floors", json!({"session_id": "s", "id": "c", "floor_no": 10, "metadata": {"x": 1}}));
        far.is(201).has("/floor_no", 10).has("/parent_floor_id", "b").has("/metadata", json!({"x": 1}));
        client.post("/floors", json!({"session_id": "s", "id": "d"})).is(201).has("/floor_no", 11);
        client.get("/floors/c").is(200).has("", far.data());

        client.case("what is taken");
        client.post("/floors", json!({"session_id": "s", "floor_no": 10})).refused(409, "position_taken");
        client.post("/floors", json!({"session_id": "s", "id": "a"})).refused(409, "id_taken");
        client.post("/floors", json!({"session_id": "s", "floor_no": 10, "branch_id": "alt"})).is(201);
        client.get("/floors?session_id=s&branch_id=main").is(200).has_meta("total", 4);

        client.case("what makes no sense");
        client.post("/floors", json!({"session_id": "x"})).refused(404, "session_not_found");
        client.post("/floors", json!({})).refused(400, "validation_error");
        client.post("/floors", json!({"session_id": "s", "floor_no": -1})).invalid_at("/floor_no");
        client.post("/floors", json!({"session_id": "s", "floor_no": 1.5})).invalid_at("/floor_no");
        client.post("/floors", json!({"session_id": "s", "state": "done"})).invalid_at("/state");
        client.post("/floors", json!({"session_id": "s", "metadata": "text"})).invalid_at("/metadata");
        client.post("/floors", json!({"session_id": "s", "branch_id": ""})).invalid_at("/branch_id");
        client.get("/floors/x").refused(404, "floor_not_found").saying("Floor 'x' not found");
    });
}

#[test]
fn a_new_branch_hangs_on_its_fork_point() {
    both(|client| {
        client.make_session("s");
        client.make_floor("s", "a", json!({"state": "committed"}));
        client.make_floor("s", "b", json!({"state": "committed"}));
        client.case("the first floor behind a fork");
        client.post("/floors/a/branch", json!({"branch_id": "alt"})).is(201);
        let behind = client.post("/floors", json!({"session_id": "s", "branch_id": "alt"}));
        behind.is(201).has("/parent_floor_id", "a").has("/floor_no", 1);
        client.case("a floor that opens a branch");
        let opening = client.post("/floors", json!({"session_id": "s", "branch_id": "new", "parent_floor_id": "b"}));
        opening.is(201).has("/parent_floor_id", "b").has("/branch_id", "new");
        client.set(branch("s", "new"), "k", 1).is(201);
        client.case("a fork point that is not there");
        let astray = client.post("/floors", json!({"session_id": "s", "branch_id": "lost", "parent_floor_id": "x"}));
        astray.refused(404, "floor_not_found");
        client.set(branch("s", "lost"), "k", 1).refused(404, "variable_host_not_found");
        client.case("a branch that is there has its own floor before a new one");
        let named = |parent: &str| json!({"session_id": "s", "branch_id": "alt", "parent_floor_id": parent});
        client.post("/floors", named("b")).refused(404, "floor_not_found").says("leave parent_floor_id out");
        client.post("/floors", named("a")).refused(404, "floor_not_found");
        let next = client.post("/floors", named(&behind.id()));
        next.is(201).has("/floor_no", 2).has("/parent_floor_id", behind.id());
        client.delete(&format!("/floors/{}", next.id())).is(200);
        client.case("a source that goes away leaves its branches");
        client.delete("/floors/a").is(200);
        client.set(branch("s", "alt"), "k", 1).is(201);
        let copy = client.get(&format!("/floors/{}", behind.id())).is(200).data()["parent_floor_id"].clone();
        let copy = client.get(&format!("/floors/{}", copy.as_str().expect("its own copy of the floor before it")));
        copy.is(200).has("/branch_id", "alt").has("/floor_no", 0);
    });
}

#[test]
fn floors_are_listed_by_place_and_state() {
    both(|client| {
        client.make_session("s");
        client.make_session("t");
        for (id, more) in [
            ("b", json!({"floor_no": 1, "state": "committed"})),
            ("a", json!({"floor_no": 0, "state": "committed"})),
            ("c", json!({"floor_no": 2})),
            ("alt", json!({"branch_id": "alt", "state": "failed"})),
        ] {
            client.make_floor("s", id, more);
        }
        client.make_floor("t", "other", json!({}));
        client.case("filters of floors");
        let ids = |query: &str| {
            let rows = client.get(&format!("/floors?{query}"));
            let ids: Vec<String> =
                rows.is(200).column("id").iter().filter_map(Value::as_str).map(str::to_owned).collect();
            rows.has_meta("has_more", false).has_meta("total", ids.len());
            ids
        };
        assert_eq!(ids("session_id=s&branch_id=main&sort_order=asc"), ["a", "b", "c"]);
        assert_eq!(ids("session_id=s&branch_id=main&sort_order=desc"), ["c", "b", "a"]);
        assert_eq!(ids("session_id=s&branch_id=main&state=committed&sort_order=asc"), ["a", "b"]);
        assert_eq!(ids("session_id=s&state=failed"), ["alt"]);
        assert_eq!(ids("session_id=s").len(), 4);
        let window = client.get("/floors?session_id=s&branch_id=main&sort_order=asc&limit=1&offset=1");
        assert_eq!(window.is(200).has_meta("has_more", true).has_meta("total", 3).column("id"), [json!("b")]);
        client.get("/floors?session_id=s&state=done").refused(400, "validation_error");
        client.get("/floors?session_id=x").refused(404, "session_not_found");
        client.get("/floors?session_id=s&branch_id=x").refused(404, "branch_not_found");
    });
}

#[test]
fn a_floor_is_moved_and_annotated() {
    both(|client| {
        client.make_session("s");
        client.make_floor("s", "a", json!({}));
        client.make_floor("s", "b", json!({"metadata": {"x": 1}}));
        client.case("PATCH");
        client.patch("/floors/b", json!({"floor_no": 5})).is(200).has("/floor_no", 5).has("/metadata", json!({"x": 1}));
        let taken = client.patch("/floors/b", json!({"floor_no": 0}));
        taken.refused(409, "position_taken").says("0 is taken on this branch; the next free one is 6");
        client.patch("/floors/b", json!({"metadata": null})).is(200).has("/metadata", Value::Null).has("/floor_no", 5);
        client.patch("/floors/b", json!({"floor_no": "5"})).invalid_at("/floor_no");
        client.patch("/floors/x", json!({"floor_no": 1})).refused(404, "floor_not_found");
        client.get("/floors/b").is(200).has("/floor_no", 5).has("/state", "draft");
    });
}

#[test]
fn a_floor_lives_from_draft_to_committed_or_failed() {
    both(|client| {
        client.make_session("s");
        let step = |id: &str, step: &str| client.post(&format!("/floors/{id}/{step}"), json!({}));
        client.case("every step from every state");
        for (state, allowed) in [
            ("draft", &[("generate", "generating"), ("fail", "failed")][..]),
            ("generating", &[("commit", "committed"), ("fail", "failed")]),
            ("committed", &[]),
            ("failed", &[]),
        ] {
            for verb in ["generate", "commit", "fail"] {
                let id = format!("{state}-{verb}");
                client.make_floor("s", &id, json!({"state": state}));
                client.make_page(&id, &format!("{id}.p"), json!({}));
                let answer = step(&id, verb);
                if let Some((_, reached)) = allowed.iter().find(|(name, _)| *name == verb) {
                    answer.is(200).has("/id", id.as_str()).has("/state", *reached);
                    client.get(&format!("/floors/{id}")).is(200).has("/state", *reached);
                } else {
                    answer.refused(409, "invalid_state");
                    client.get(&format!("/floors/{id}")).is(200).has("/state", state);
                }
            }
        }
        for verb in ["generate", "commit", "fail"] {
            step("x", verb).refused(404, "floor_not_found");
        }
        client.case("a page that is not there cannot be accepted");
        client.make_floor("s", "open", json!({"state": "generating"}));
        client.post("/floors/open/commit", json!({"page_id": "x"})).refused(404, "page_not_found");
        client.case("nor one of another floor, wherever that is");
        client.make("t");
        let refused = client.post("/floors/open/commit", json!({"page_id": "draft-fail.p"}));
        refused.refused(404, "page_not_found").says("belongs to floor 'draft-fail'");
        let refused = client.post("/floors/open/commit", json!({"page_id": "t.p"}));
        refused.refused(404, "page_not_found").says("belongs to floor 't.f'");
        client.get("/floors/open").is(200).has("/state", "generating");
    });
}

#[test]
fn locks_follow_the_life_of_a_floor() {
    both(|client| {
        client.make("s");
        client.case("draft, generating, failed");
        client.set(floor("s.f"), "k", 1).is(201);
        client.post("/floors/s.f/generate", json!({})).is(200);
        client.set(floor("s.f"), "k", 2).refused(409, "variable_target_locked");
        client.post("/floors/s.f/fail", json!({})).is(200);
        client.set(floor("s.f"), "k", 3).is(200);
    });
}

#[test]
fn a_lease_that_ends_fails_the_floor() {
    both(|client| {
        client.make_session("s");
        client.case("a floor whose client died");
        client.make_floor("s", "f", json!({"state": "generating", "lease_ms": 1}));
        client.until("/floors/f", |answer| answer.data()["state"] == "failed").has("/state", "failed");
        assert_eq!(client.get("/floors?session_id=s&state=failed").is(200).column("id"), [json!("f")]);
        assert_eq!(client.get("/floors?session_id=s&state=generating").is(200).column("id"), [Value::Null; 0]);
        client.post("/floors/f/commit", json!({})).refused(409, "invalid_state");
        client.set(floor("f"), "k", 1).is(201);

        client.case("a lease given by generate");
        client.make_floor("s", "g", json!({}));
        client.post("/floors/g/generate", json!({"lease_ms": 1})).is(200);
        client.until("/floors/g", |answer| answer.data()["state"] == "failed").has("/state", "failed");

        client.case("a lease is renewed only when asked");
        client.make_floor("s", "h", json!({}));
        client.post("/floors/h/generate", json!({"lease_ms": 3_600_000})).is(200);
        client.post("/floors/h/generate", json!({"lease_ms": 3_600_000})).refused(409, "invalid_state");
        client
            .post("/floors/h/generate", json!({"lease_ms": 3_600_000, "renew": true}))
            .is(200)
            .has("/state", "generating");
        client.post("/floors/h/generate", json!({"lease_ms": 1, "renew": true})).is(200);
        client.until("/floors/h", |answer| answer.data()["state"] == "failed").has("/state", "failed");
        client.post("/floors/h/generate", json!({"renew": true})).refused(409, "invalid_state");

        client.case("leases that make no sense");
        client.make_floor("s", "i", json!({}));
        for lease_ms in [json!(0), json!(-1), json!(24 * 60 * 60 * 1000 + 1), json!("long")] {
            client.post("/floors/i/generate", json!({"lease_ms": lease_ms})).invalid_at("/lease_ms");
        }
        client.get("/floors/i").is(200).has("/state", "draft");
    });
}
