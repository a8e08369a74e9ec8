//! Processing as a job: on servers where every request to process becomes one.

use super::story::text;
use crate::support::{Answer, Backend, Client, Server};
use serde_json::{Value, json};

/// Tells the story on a server of each kind where a request processes nothing itself.
fn by_job(story: impl Fn(&Client)) {
    with_time("process_time_ms=0", story);
}

/// Tells the story on a server of each kind where a request has all the time that it needs.
fn at_once(story: impl Fn(&Client)) {
    with_time("process_time_ms=600000", story);
}

fn with_time(setting: &str, story: impl Fn(&Client)) {
    for backend in Backend::BOTH {
        let server = Server::start_with(backend.place(), &[setting]);
        let client = server.client("patient");
        client.case(&format!("{backend:?}"));
        story(&client);
    }
}

impl Client {
    /// Asks to process, which a job does, and waits for its end.
    #[track_caller]
    fn process_by_job(&self, body: Value) -> Answer {
        let asked = self.post("/sessions/s/process", body);
        asked.is(202).has("/kind", "process_session").has("/state", "waiting").has("/subject_id", "s");
        self.job_ended(&asked.id())
    }

    #[track_caller]
    fn job_ended(&self, job: &str) -> Answer {
        let answer = self.until(&format!("/jobs/{job}"), |answer| answer.body["data"]["state"] == "done");
        answer.is(200);
        answer
    }
}

#[test]
fn a_long_chat_is_processed_by_a_job() {
    by_job(|client| {
        client.make_story("s", json!({"n": 0}));
        for number in 0..70 {
            client.unprocessed("s", &format!("f{number}"), "output", "@.ADD(\"n\", 1);");
        }
        client.case("a dry run stores nothing");
        let dry = client.process_by_job(json!({"dry_run": true}));
        dry.has("/done", 70).has("/total", 70).has("/report/processed", 70).has("/report/dry_run", true);
        client.state("f69.p").has("/stale_reason", "unprocessed");
        client.case("all of it");
        let done = client.process_by_job(json!({}));
        done.has("/done", 70).has("/total", 70).has("/report/processed", 70).has("/report/floors/0/floor_id", "f0");
        client.state("f69.p").has("/fresh", true).has("/state/n", 70);
        client.process_by_job(json!({})).has("/report/processed", 0).has("/total", 0);
        client.process_by_job(json!({"mode": "all"})).has("/report/unchanged", 70).has("/done", 70);
        client.case("the latest gets another name, once");
        let before = text(&client.state("f69.p"), "snapshot_id");
        client.process_by_job(json!({"mode": "latest"})).has("/report/processed", 1);
        assert_ne!(text(&client.state("f69.p"), "snapshot_id"), before);
        client.case("what follows an edit");
        let first = text(&client.state("f0.p"), "snapshot_id");
        client.put(&format!("/snapshots/{first}"), json!({"state": {"n": 1000}})).is(200).has("/edited", true);
        let last = client.until("/pages/f69.p/state", |answer| answer.body["data"]["fresh"] == true);
        last.is(200).has("/state/n", 1069);
        client
            .get("/jobs?limit=1")
            .is(200)
            .has("/0/kind", "process_session")
            .has("/0/report", Value::Null)
            .has_meta("total", 6);
    });
}

#[test]
fn what_is_done_in_time_is_answered_at_once_and_the_same_by_a_job() {
    let ask = |client: &Client, body: Value| -> (u16, Value) {
        let answer = client.post("/sessions/s/process", body);
        match answer.status {
            202 => (202, client.job_ended(&answer.id()).data()["report"].clone()),
            _ => (answer.status, answer.is(200).data()),
        }
    };
    let tell = |client: &Client, status: u16| {
        client.make_story("s", json!({"n": 0}));
        for number in 0..3 {
            client.unprocessed("s", &format!("f{number}"), "output", "@.ADD(\"n\", 1);");
        }
        for (body, processed) in [(json!({"dry_run": true}), 3), (json!({}), 3), (json!({"mode": "latest"}), 1)] {
            let (answered, report) = ask(client, body.clone());
            assert_eq!((answered, &report["processed"]), (status, &json!(processed)), "{body}");
        }
        client.get("/sessions/s/state").is(200).has("/fresh", true).has("/state/n", 3);
        client.get("/jobs").is(200).has_meta("total", if status == 202 { 3 } else { 0 });
    };
    by_job(|client| tell(client, 202));
    at_once(|client| tell(client, 200));
}

#[test]
fn a_chat_of_a_thousand_unbound_replies_is_opened() {
    const REPLIES: usize = 1_000;
    let text = |at: usize| format!("Reply {at}. @.ADD(\"n\", 1); @.SET(\"last\", {at});");
    let open = |client: &Client| {
        client.make_story("s", json!({"n": 0}));
        let reply = |at: usize| json!({"role": "assistant", "swipes": [{"content": text(at)}]});
        let floors: Vec<Value> = (0..REPLIES).map(reply).collect();
        let synced = client.ask("POST", "/sessions/s/sync").unrecorded().json(json!({"floors": floors})).send();
        synced.is(200).has("/applied", true);
        if let Some(job) = synced.data()["job_id"].as_str() {
            client.job_ended(job).has("/report/processed", REPLIES);
        }
        client.get("/sessions/s/state").is(200).has("/fresh", true).has("/state", json!({"n": REPLIES, "last": 999}));
        // Every floor has its own state, and each is what its text comes to on the one before.
        let (mut after, mut seen) = (String::new(), 0);
        loop {
            let log = client.ask("GET", &format!("/sessions/s/log?limit=100{after}")).unrecorded().send();
            for floor in log.is(200).data()["floors"].as_array().expect("floors") {
                assert_eq!((&floor["fresh"], &floor["floor_no"]), (&json!(true), &json!(seen)), "{floor}");
                assert!(floor["snapshot_id"].is_string(), "{floor}");
                let change: Vec<_> = floor["change"].as_array().expect("a change").iter().collect();
                let value = |path: &str| change.iter().find(|op| op["path"] == path).map(|op| &op["value"]);
                let expected = (Some(&json!(seen + 1)), Some(&json!(seen)));
                assert_eq!((value("/n"), value("/last")), expected, "{floor}");
                seen += 1;
            }
            match log.data()["next_after"].as_str() {
                Some(next) => after = format!("&after={next}"),
                None => break,
            }
        }
        assert_eq!(seen, REPLIES);
        for at in [0, 500, 999] {
            let pages = client.get(&format!("/sessions/s/log?from_floor={at}&to_floor={at}"));
            let page = text_of(&pages.is(200).data()["floors"][0]["page_id"]);
            client.state(&page).has("/fresh", true).has("/state", json!({"n": at + 1, "last": at}));
        }
    };
    at_once(open);
    by_job(open);
}

fn text_of(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[test]
fn a_job_that_processes_is_refused_repeated_and_cancelled_like_others() {
    by_job(|client| {
        client.post("/sessions/nobody/process", json!({})).refused(404, "session_not_found");
        client.make_story("s", json!({}));
        client.post("/sessions/s/process", json!({"branch_id": "nowhere"})).refused(404, "branch_not_found");
        client.get("/jobs").is(200).has_meta("total", 0);
        client.case("sent again it is the same job");
        let ask = || {
            let ask = client.ask("POST", "/sessions/s/process").header("idempotency-key", "k");
            ask.json(json!({})).send()
        };
        let first = ask();
        client.job_ended(&first.is(202).id()).has("/done", 0);
        let again = ask();
        assert_eq!((again.is(202).data(), again.headers.contains_key("idempotency-replayed")), (first.data(), true));
        client.get("/jobs").is(200).has_meta("total", 1);
        client.case("what has ended cannot be cancelled");
        client.post(&format!("/jobs/{}/cancel", first.id()), json!({})).refused(409, "invalid_state");
    });
}

#[test]
fn no_request_waits_for_a_long_story() {
    by_job(|client| {
        client.make_story("s", json!({"n": 0}));
        client.unprocessed("s", "f0", "output", "@.ADD(\"n\", 1);");
        client.case("a turn has the right state or is refused, and nothing of it is stored");
        let body = json!({"role": "assistant", "content": "@.ADD(\"n\", 10);", "page_id": "p"});
        let turn = || client.ask("POST", "/sessions/s/turns").header("idempotency-key", "k").json(body.clone()).send();
        turn().refused(409, "branch_busy").says("GET /jobs/");
        client.until("/sessions/s/state", |answer| answer.body["data"]["fresh"] == true).is(200).has("/state/n", 1);
        client.get("/floors?session_id=s").is(200).has_meta("total", 1);
        client.case("sent again under the same key it is taken");
        turn().is(201);
        client.get("/sessions/s/state").is(200).has("/fresh", true).has("/state/n", 11);
        client.case("a sync is done, and a job goes on with the states");
        let swipes = json!([{"content": "@.ADD(\"n\", 5);"}]);
        let synced = client.post("/sessions/s/sync", json!({"floors": [{"role": "assistant", "swipes": swipes}]}));
        synced.is(200).has("/applied", true).has("/processed/processed", 0);
        client.job_ended(&text(&synced, "job_id")).has("/kind", "process_session");
        client.get("/sessions/s/state").is(200).has("/fresh", true).has("/state/n", 5);
        client.case("where nothing is to be processed there is no job");
        let again = client.post("/sessions/s/sync", json!({"floors": [{"role": "assistant", "swipes": swipes}]}));
        again.is(200).has("/job_id", Value::Null);
    });
}

#[test]
fn a_cleanup_of_many_chats_goes_on_where_it_ended() {
    by_job(|client| {
        for session in ["a", "b", "c"] {
            client.make_story(session, json!({}));
            client.turn(session, "@.SET(\"n\", 1);").is(201);
        }
        let clean = |after: &Value, dry_run: bool| {
            let body = json!({"active_chat_files": ["b"], "after": after, "dry_run": dry_run});
            let report = client.post("/snapshots/cleanup", body);
            report.is(200);
            report
        };
        for dry_run in [true, false] {
            let (mut after, mut deleted) = (json!(0), Vec::new());
            loop {
                let report = clean(&after, dry_run);
                report.has("/more", report.data()["next_after"] != Value::Null);
                deleted.push(report.data()["deleted"].clone());
                after = report.data()["next_after"].clone();
                if after.is_null() {
                    break;
                }
            }
            assert_eq!(deleted, [1, 0, 1], "dry run: {dry_run}");
        }
        let done = clean(&json!(0), false);
        done.has("/deleted", 0).has("/scanned_chat_files", 1).has("/more", false);
        let one = client.ask("DELETE", "/snapshots/by-chat").json(json!({"chat_file": "b", "after": 0})).send();
        one.is(200).has("/deleted", 1).has("/more", false);
        client.case("under a key an answer with something left is not the last word");
        for session in ["d", "e"] {
            client.make_story(session, json!({}));
            client.turn(session, "@.SET(\"n\", 1);").is(201);
        }
        let keyed = || {
            let body = json!({"active_chat_files": ["another"]});
            client.ask("POST", "/snapshots/cleanup").header("Idempotency-Key", "clean").json(body).send()
        };
        keyed().is(200).has("/deleted", 1).has("/more", true);
        keyed().is(200).has("/deleted", 1).has("/more", false);
        keyed().is(200).has("/deleted", 1).has("/more", false);
    });
}

#[test]
fn later_floors_follow_a_swipe_by_a_job() {
    by_job(|client| {
        client.make_story("s", json!({"n": 0}));
        let [first, ..] = [1, 10, 100].map(|number| client.turn("s", &format!("@.ADD(\"n\", {number});")));
        let shows = |n: i64| {
            let is_there =
                |answer: &Answer| answer.body["data"]["fresh"] == true && answer.body["data"]["state"]["n"] == n;
            client.until("/sessions/s/state", is_there).is(200);
        };
        let swipe = json!({"role": "assistant", "content": "@.ADD(\"n\", 2);", "swipe_of": text(&first, "floor_id")});
        // What the job has to do is said at once.
        let left = |answer: &Answer| {
            answer.has("/stale/floors", 2).has("/stale/first_floor_no", 1);
        };
        left(client.post("/sessions/s/turns", swipe).is(201));
        shows(112);
        left(client.post(&format!("/pages/{}/activate", text(&first, "page_id")), json!({})).is(200));
        shows(111);
    });
}

/// However many branches there are, one job processes all of them, and its end is the end of everything.
#[test]
fn one_job_processes_more_branches_than_there_may_be_jobs() {
    const FORKS: usize = 105;
    by_job(|client| {
        client.make_story("s", json!({"n": 0}));
        let [_, last] = [1, 10].map(|number| client.turn("s", &format!("@.ADD(\"n\", {number});")));
        for number in 0..FORKS {
            let path = format!("/floors/{}/branch", text(&last, "floor_id"));
            client.post(&path, json!({"branch_id": format!("b{number}")})).is(201);
        }
        let done = client.process_by_job(json!({"mode": "all"}));
        let pages = 2 * (FORKS + 1);
        done.has("/done", pages).has("/total", pages).has("/report/unchanged", pages).has("/report/processed", 0);
        client.get("/jobs?limit=1").is(200).has_meta("total", 1);
        client.case("a dry run counts all branches, too");
        let tried = client.process_by_job(json!({"mode": "all", "dry_run": true}));
        tried.has("/done", pages).has("/total", pages).has("/report/unchanged", pages);
        client.get("/jobs?limit=1").is(200).has_meta("total", 2);
        client.case("a job that is asked for again");
        let asked = client.post("/sessions/s/process", json!({"mode": "all"}));
        let again = client.post("/sessions/s/process", json!({"mode": "all"}));
        for job in [asked, again] {
            client.job_ended(&job.is(202).id()).has("/report/processed", 0);
        }
    });
}

/// What is not processed yet when a request is answered is in the answer, with the job that goes on.
#[test]
fn restores_and_forks_say_what_is_stale() {
    by_job(|client| {
        client.make_story("s", json!({"n": 0}));
        let [first, second, third] = [1, 10, 100].map(|number| client.turn("s", &format!("@.ADD(\"n\", {number});")));
        let trash = client.delete(&format!("/floors/{}", text(&third, "floor_id"))).is(200).header("trash-id");
        client.case("a fork of a floor has the states of its line");
        let edited = json!({"content": "@.ADD(\"n\", 2);"});
        client.patch(&format!("/pages/{}", text(&first, "page_id")), edited).is(200);
        let forked = client.post(&format!("/floors/{}/branch", text(&second, "floor_id")), json!({"branch_id": "b"}));
        forked.is(201).has("/stale", json!({"floors": 2, "first_floor_no": 0}));
        client.case("a job processes a fork from a page, and what was restored");
        // It may have ended before the answer is put together.
        let by_job = |answer: &Answer, stale: Value| {
            answer.must(stale.is_null() || stale["job_id"].is_string(), "the job that goes on");
        };
        let forked = client.post(&format!("/pages/{}/branch", text(&second, "page_id")), json!({"branch_id": "c"}));
        by_job(&forked, forked.is(201).data()["stale"].clone());
        let restored = client.post(&format!("/trash/{trash}/restore"), json!({}));
        by_job(&restored, restored.is(200).has("/branches/0/branch_id", "main").data()["branches"][0]["stale"].clone());
        let shown = |branch: &str, n: i64| {
            let is_there =
                |answer: &Answer| answer.body["data"]["fresh"] == true && answer.body["data"]["state"]["n"] == n;
            client.until(&format!("/sessions/s/state?branch_id={branch}"), is_there).is(200);
        };
        shown("c", 12);
        shown("main", 112);
        client.get("/sessions/s/state?branch_id=b").is(200).has("/fresh", false);
    });
}
