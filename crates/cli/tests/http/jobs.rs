//! Jobs: a long session is gone at once and taken away by and by.

use crate::support::{Client, both, chat, floor, global, page};
use serde_json::json;

fn ended(client: &Client, job: &str) {
    client.until(&format!("/jobs/{job}"), |answer| answer.body["data"]["state"] == "done").is(200);
}

#[test]
fn a_long_session_is_gone_at_once() {
    both(|client| {
        client.case("before");
        client.make("s");
        client.fill("s", 7);
        client.set(global(), "k", 1).is(201);
        let variable = client.set(page("s.p"), "k", 1).is(201).id();
        client.case("deleted");
        let job =
            client.delete("/sessions/s?permanent=true").is(200).data()["job_id"].as_str().expect("a job").to_owned();
        client.get("/sessions").is(200).has_meta("total", 0);
        client.get("/sessions/s").refused(404, "session_not_found");
        client.get("/sessions/s/branches").refused(404, "session_not_found");
        client.get("/floors?session_id=s").refused(404, "session_not_found");
        client.get("/floors/s.f").refused(404, "floor_not_found");
        client.get("/pages/s.p").refused(404, "page_not_found");
        client.get("/pages?floor_id=s.f").refused(404, "floor_not_found");
        client.get("/pages/s.p/variables/staged").refused(404, "not_found");
        client.get(&format!("/variables/{variable}")).refused(404, "variable_not_found");
        client.get(&format!("/variables/{variable}/history")).refused(404, "variable_not_found");
        client.get("/variables/resolve?session_id=s").refused(404, "variable_host_not_found");
        client.get("/variables").is(200).has_meta("total", 1);
        assert_eq!(client.get("/variables?limit=100").column("key"), [json!("k")]);
        client.get("/variables?scope=chat").is(200).has_meta("total", 0);
        for host in [chat("s"), floor("s.f"), page("s.p")] {
            client.set(host, "k", 1).refused(404, "variable_host_not_found");
        }
        client.delete("/sessions/s").refused(404, "session_not_found");
        client.delete("/floors/s.f").refused(404, "floor_not_found");
        client.post("/floors/s.f/generate", json!({})).refused(404, "floor_not_found");
        client.post("/pages/s.p/activate", json!({})).refused(404, "page_not_found");
        client.get("/account").is(200).has("/quotas/sessions/used", 0).has("/quotas/variables/used", 1);
        client.case("its names are free");
        client.make("s");
        client.set(page("s.p"), "k", 2).is(201);
        client.case("taken away");
        ended(client, &job);
        client.get("/pages/s.p").is(200);
        client.get("/variables").is(200).has_meta("total", 2);
        client.get("/jobs").is(200).has("/0/kind", "delete_session").has("/0/subject_id", "s").has_meta("total", 1);
        let done = client.ask("GET", &format!("/jobs/{job}")).unrecorded().send().data();
        assert!(done["total"].as_i64() > Some(2_000) && done["done"] == done["total"], "{done}");
    });
}

#[test]
fn a_long_story_is_gone_at_once() {
    both(|client| {
        client.case("before");
        client.post("/sessions", json!({"id": "s", "template": {"gold": 5}, "chat_file": "tale"})).is(201);
        let turn = |page: &str| json!({"role": "assistant", "content": "@.ADD(\"gold\", 1);", "page_id": page});
        let taken = client.post("/sessions/s/turns", turn("p")).is(201).data();
        let path = |name: &str, rest: &str| format!("{}{rest}", taken[name].as_str().expect("an id"));
        let snapshot = format!("/snapshots/{}", path("snapshot_id", ""));
        client.fill("s", 7);
        let job =
            client.delete("/sessions/s?permanent=true").is(200).data()["job_id"].as_str().expect("a job").to_owned();
        client.case("deleted");
        client.get("/sessions/s/state").refused(404, "session_not_found");
        client.get("/pages/p/state").refused(404, "page_not_found");
        client.get(&format!("/floors/{}", path("floor_id", "/change"))).refused(404, "floor_not_found");
        client.get(&snapshot).refused(404, "snapshot_not_found");
        client.put(&snapshot, json!({"state": {}})).refused(404, "snapshot_not_found");
        client.post("/sessions/s/turns", turn("p")).refused(404, "session_not_found");
        client.post("/sessions/s/process", json!({})).refused(404, "session_not_found");
        client.case("its names are free");
        client.post("/sessions", json!({"id": "s", "chat_file": "tale"})).is(201);
        client.post("/sessions/s/turns", turn("p")).is(201).has("/floor_no", 0);
        client.get("/pages/p/state").is(200).has("/state/gold", 1);
        client.case("taken away");
        ended(client, &job);
        client.get("/pages/p/state").is(200).has("/fresh", true);
        client.get(&snapshot).refused(404, "snapshot_not_found");
    });
}

#[test]
fn a_short_session_needs_no_job() {
    both(|client| {
        client.make("s");
        let answer = client.delete("/sessions/s?permanent=true");
        answer.is(200);
        answer.must(answer.data().get("job_id").is_none(), "no job");
        client.get("/jobs").is(200).has_meta("total", 0);
    });
}

#[test]
fn a_batch_names_those_that_a_job_deletes() {
    both(|client| {
        client.make_session("short");
        client.make_session("long");
        client.fill("long", 7);
        let answer =
            client.post("/sessions/batch/delete?permanent=true", json!({"ids": ["short", "long", "nobody", "long"]}));
        answer.is(200).has("/meta", json!({"total": 4, "deleted": 2}));
        let job = answer.data()["results"][1]["job_id"].as_str().expect("a job").to_owned();
        answer.has("/results/0", json!({"id": "short", "deleted": true}));
        answer.has("/results/3", json!({"id": "long", "deleted": false}));
        ended(client, &job);
    });
}

#[test]
fn a_deletion_cannot_be_cancelled() {
    both(|client| {
        let job = client.delete_long("s");
        let path = format!("/jobs/{job}/cancel");
        let refused = client.ask("POST", &path).unrecorded().send();
        refused.refused(409, "invalid_state");
        ended(client, &job);
        client.ask("POST", &path).send().refused(409, "invalid_state").saying("the job has ended already");
        client.get("/jobs/nothing").refused(404, "job_not_found");
        client.ask("POST", "/jobs/nothing/cancel").send().refused(404, "job_not_found");
    });
}
