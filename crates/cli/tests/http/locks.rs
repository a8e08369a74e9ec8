//! B.2: the hosts of variables and when they are locked.

use crate::support::{Client, both, branch, chat, floor, global, page};
use serde_json::json;

#[test]
fn a_host_must_exist() {
    both(|client| {
        client.make_session("s");
        let missing = |host, message: &str| {
            client.set(host, "k", 1).refused(404, "variable_host_not_found").saying(message);
        };
        client.case("B18");
        missing(chat("x"), "Session 'x' not found");
        missing(floor("x"), "Floor 'x' not found");
        missing(page("x"), "Page 'x' not found");
        client.case("B19");
        missing(branch("s", "alt"), "Branch 'alt' not found in session 's'");
        missing(branch("x", "main"), "Branch 'main' not found in session 'x'");
        assert_eq!(client.count("k"), 0);
    });
}

#[test]
fn a_fork_registers_a_branch_that_can_be_written_at_once() {
    both(|client| {
        client.make_session("s");
        client.make_floor("s", "f", json!({"floor_no": 3, "state": "committed"}));

        client.case("B20");
        let forked = client.post("/floors/f/branch", json!({"branch_id": "alt-1"}));
        forked
            .is(201)
            .has("/branch_id", "alt-1")
            .has("/source_floor_id", "f")
            .has("/source_floor_no", 3)
            .has("/session_id", "s");
        client.set(branch("s", "alt-1"), "k", 1).is(201).has("/scope_id", "branch:s:alt-1");

        client.case("B21");
        client.post("/floors/f/branch", json!({"branch_id": "alt-1"})).refused(409, "branch_exists");
        client.post("/floors/f/branch", json!({"branch_id": "main"})).refused(409, "branch_exists");
        let unnamed = client.post("/floors/f/branch", json!({}));
        let name = unnamed.is(201).data()["branch_id"].as_str().unwrap_or_default().to_owned();
        unnamed
            .must(name.starts_with("branch-") && name.len() == "branch-".len() + 8, "a name such as branch-XXXXXXXX");
        client.set(branch("s", &name), "k", 1).is(201);
        for state in ["draft", "generating", "failed"] {
            client.make_floor("s", state, json!({"state": state}));
            let refused = client.post(&format!("/floors/{state}/branch"), json!({"branch_id": "never"}));
            refused.refused(409, "invalid_state");
        }
        client.post("/floors/x/branch", json!({})).refused(404, "floor_not_found");
        client.set(branch("s", "never"), "k", 1).refused(404, "variable_host_not_found");
    });
}

/// A floor in this state with one page, and a variable on each of them if they could be put before.
fn floor_in(client: &Client, state: &str) {
    client.make_floor("s", state, json!({"state": state}));
    client.make_page(state, &format!("{state}.p"), json!({}));
}

#[test]
fn variables_are_locked_while_a_floor_is_generating_or_committed() {
    both(|client| {
        client.make_session("s");
        for (case, state) in [("B22", "generating"), ("B23", "committed")] {
            client.case(case);
            floor_in(client, state);
            let on_floor = client.set(floor(state), "k", 1);
            on_floor.refused(409, "variable_target_locked").saying("Variables on locked floor targets are read-only");
            let on_page = client.set(page(&format!("{state}.p")), "k", 1);
            on_page.refused(409, "variable_target_locked").saying("Variables on locked page targets are read-only");
        }
        assert_eq!(client.count("k"), 0);

        client.case("B24");
        floor_in(client, "failed");
        client.set(floor("failed"), "k", 1).is(201);
        client.set(page("failed.p"), "k", 1).is(201);

        client.case("B26");
        client.set(chat("s"), "k", 1).is(201);
        client.set(branch("s", "main"), "k", 1).is(201);
        client.set(global(), "k", 1).is(201);
    });
}

#[test]
fn a_locked_variable_cannot_be_deleted_either() {
    both(|client| {
        client.case("B25");
        client.make("s");
        let on_floor = client.set(floor("s.f"), "k", 1).is(201).id();
        let on_page = client.set(page("s.p"), "k", 1).is(201).id();
        let locked = || {
            for id in [&on_floor, &on_page] {
                client.delete(&format!("/variables/{id}")).refused(409, "variable_target_locked");
                client.get(&format!("/variables/{id}")).is(200).has("/value", 1);
            }
            let target = "scope=floor&scope_id=s.f&key=k";
            client.delete(&format!("/variables?{target}")).refused(409, "variable_target_locked");
            let batch = json!({"ids": [on_page]});
            client.post("/variables/batch/delete", batch).refused(409, "variable_target_locked");
            let more = json!({"scope": "page", "scope_id": "s.p", "key": "k"});
            client.post("/variables/increment", more).refused(409, "variable_target_locked");
        };
        client.post("/floors/s.f/generate", json!({})).is(200).has("/state", "generating");
        locked();
        client.post("/floors/s.f/commit", json!({})).is(200).has("/state", "committed");
        locked();
    });
}

// B27 is void: there is no regenerate.

#[test]
fn the_state_of_a_floor_is_not_a_field_to_patch() {
    both(|client| {
        client.case("B28");
        client.make("s");
        client.patch("/floors/s.f", json!({"state": "committed"})).refused(400, "floor_patch_restricted_field");
        client.get("/floors/s.f").is(200).has("/state", "draft");
    });
}
