//! Decisions that come twice, too late or too many, and what the event stream says about them.

use crate::support::{Answer, Backend, Client, Server, both};
use serde_json::{Value, json};

/// How many calls of a session may wait for a person.
const PENDING_MAX: usize = 1_000;

fn tool(name: &str, permission: Value) -> Value {
    json!({"definition": {"name": name, "description": "Returns x."}, "permission": permission})
}

fn begin(client: &Client) {
    client.make("s");
    let group = json!({"name": "app", "tools": [
        tool("Once", json!({"executionPolicy": "ask-once"})),
        tool("Always", json!({"executionPolicy": "ask-always"})),
        tool("Shown", json!({"resultApprovalPolicy": "always"})),
    ]});
    client.post("/sessions/s/tools/groups", group).is(201);
    client.patch("/sessions/s/tools/groups/app", json!({"enabled": true})).is(200);
}

fn call(client: &Client, tool: &str, args: Value) -> Answer {
    let answer = client.post("/sessions/s/calls", json!({"tool": tool, "args": args}));
    answer.is(201);
    answer
}

/// Makes a call that a person has to approve; returns it and the path of its approval.
fn asked(client: &Client, tool: &str, args: Value) -> (Answer, String) {
    let made = call(client, tool, args);
    let path = approval_of(client, &made);
    (made, path)
}

fn approval_of(client: &Client, call: &Answer) -> String {
    let list = client.get("/sessions/s/approvals");
    let data = list.is(200).data();
    let found = data.as_array().expect("a list").iter().find(|item| item["call_id"] == call.id());
    format!("/approvals/{}", found.unwrap_or_else(|| panic!("{}", list.text))["id"].as_str().expect("an id"))
}

#[test]
fn what_is_pending_is_listed_over_all_sessions() {
    both(|client| {
        begin(client);
        client.make("t");
        client
            .post(
                "/sessions/t/tools/groups",
                json!({"name": "app", "tools": [tool("Ask", json!({"executionPolicy": "ask-always"}))]}),
            )
            .is(201);
        client.patch("/sessions/t/tools/groups/app", json!({"enabled": true})).is(200);
        client.get("/approvals").is(200).has_meta("total", 0);
        let (first, path) = asked(client, "Once", json!({"x": "1"}));
        let second = client.post("/sessions/t/calls", json!({"tool": "Ask", "args": {}}));
        let list = client.get("/approvals?total=true");
        list.is(200).has_meta("total", 2);
        list.has("/0/session_id", "s")
            .has("/0/call_id", first.id())
            .has("/1/session_id", "t")
            .has("/1/call_id", second.id());
        client.get("/approvals?limit=1&offset=1").is(200).has("/0/session_id", "t");
        client.case("what is decided, and what is in a deleted session, is not pending");
        client.post(&path, json!({"approved": false})).is(200);
        client.get("/approvals").is(200).has_meta("total", 1).has("/0/session_id", "t");
        client.delete("/sessions/t").is(200);
        client.get("/approvals").is(200).has_meta("total", 0);
    });
}

#[test]
fn a_decision_that_is_sent_again_is_answered_with_what_it_did() {
    both(|client| {
        begin(client);
        client.case("approved twice: the call is answered as it is now");
        let (made, path) = asked(client, "Once", json!({"x": "1"}));
        for _ in 0..2 {
            client
                .post(&path, json!({"approved": true}))
                .is(200)
                .has("/id", made.id())
                .has("/status", "awaiting_client");
        }
        client.post(&format!("/calls/{}/result", made.id()), json!({"status": "success", "data": "one"})).is(200);
        let again = client.post(&path, json!({"approved": true, "scope": "session"}));
        again.is(200).has("/status", "success").has("/formatted_text", "one");
        client.case("the opposite, another scope, other arguments: another decision");
        for other in [
            json!({"approved": false}),
            json!({"approved": true, "scope": "always"}),
            json!({"approved": true, "args": {"x": "2"}}),
        ] {
            let refused = client.post(&path, other);
            refused.refused(409, "approval_settled").says("was approved before").says(&made.id());
        }
        client.get("/sessions/s/grants").is(200).has_meta("total", 1).has("/0/scope", "session");
        client.case("rejected twice, whatever the reason says the second time");
        let (made, path) = asked(client, "Always", json!({"x": "1"}));
        for reason in ["first", "second"] {
            client
                .post(&path, json!({"approved": false, "reason": reason}))
                .is(200)
                .has("/status", "execution_rejected")
                .has("/reject_reason", "first");
        }
        client.post(&path, json!({"approved": true})).refused(409, "approval_settled").says("was rejected before");
        client.get(&format!("/calls/{}", made.id())).is(200).has("/status", "execution_rejected");
        client.case("edited arguments are a part of the decision");
        let (_, path) = asked(client, "Always", json!({"x": "rm"}));
        for _ in 0..2 {
            client.post(&path, json!({"approved": true, "args": {"x": "ls"}})).is(200).has("/args/x", "ls");
        }
        client.post(&path, json!({"approved": true})).refused(409, "approval_settled");
        client.case("a result");
        let made = call(client, "Shown", json!({}));
        client.post(&format!("/calls/{}/result", made.id()), json!({"status": "success", "data": "two"})).is(200);
        let path = approval_of(client, &made);
        for _ in 0..2 {
            client.post(&path, json!({"approved": true})).is(200).has("/formatted_text", "two");
        }
        client.post(&path, json!({"approved": false})).refused(409, "approval_settled");
        client.case("a tool that could not run any more");
        let (_, path) = asked(client, "Always", json!({"x": "3"}));
        client.patch("/sessions/s/tools/Always", json!({"enabled": false})).is(200);
        for _ in 0..2 {
            client
                .post(&path, json!({"approved": true}))
                .is(200)
                .has("/status", "execution_rejected")
                .has("/reject_reason", "Tool Always is disabled");
        }
        client.case("of another account, and of a session that is gone, there is nothing");
        client.stranger().post(&path, json!({"approved": true})).refused(404, "approval_not_found");
        client.delete("/sessions/s").is(200);
        client.post(&path, json!({"approved": true})).refused(404, "approval_not_found");
    });
}

#[test]
fn a_decision_about_a_cancelled_call_says_so() {
    both(|client| {
        begin(client);
        let (made, path) = asked(client, "Always", json!({"x": "1"}));
        client.post(&format!("/calls/{}/cancel", made.id()), json!({})).is(200).has("/status", "cancelled");
        for approved in [true, false] {
            let late = client.post(&path, json!({"approved": approved}));
            late.refused(409, "approval_settled").says("was cancelled").says(&made.id());
        }
        client.get(&format!("/calls/{}", made.id())).is(200).has("/status", "cancelled");
    });
}

#[test]
fn an_approval_that_times_out_is_announced_and_cannot_be_decided() {
    for backend in Backend::BOTH {
        let settings = ["approval_timeout=0s", "purge_interval_ms=20"];
        let server = Server::start_with(backend.place(), &settings);
        let client = server.client("owner");
        begin(&client);
        let mut listening = client.listen("?session_id=s", None);
        let made = call(&client, "Always", json!({}));
        let before = listening.until(|event| event.name == "approval.requested");
        assert!(before.iter().all(|event| event.name != "approval.decided"), "{before:?}");
        let heard = loop {
            let event = listening.next().expect("the stream goes on");
            if event.name == "approval.decided" {
                break event.data;
            }
        };
        assert_eq!(heard["outcome"], "timed_out", "{heard}");
        assert_eq!((&heard["approved"], &heard["kind"]), (&json!(false), &json!("execution")), "{heard}");
        let path = format!("/approvals/{}", heard["id"].as_str().expect("an id"));
        for approved in [true, false] {
            let late = client.post(&path, json!({"approved": approved}));
            late.refused(409, "approval_settled").says("timed out").says(&made.id());
        }
        let ended = client.get(&format!("/calls/{}", made.id()));
        ended.is(200).has("/status", "execution_rejected").has("/reject_reason", "Nobody decided in time");
    }
}

#[test]
fn a_session_has_a_thousand_pending_approvals_and_no_more() {
    both(|client| {
        begin(client);
        let ask = |number: usize| {
            let body = json!({"tool": "Always", "args": {"x": number}});
            client.ask("POST", "/sessions/s/calls").unrecorded().json(body).send()
        };
        for number in 0..PENDING_MAX {
            ask(number).is(201).has("/status", "awaiting_approval");
        }
        client.get("/sessions/s/approvals?limit=1").is(200).has_meta("total", PENDING_MAX);
        client.case("one over the limit is refused, and leaves no call");
        let refused = client.post("/sessions/s/calls", json!({"tool": "Always", "args": {"x": "over"}}));
        refused.refused(429, "quota_exceeded").says("pending approvals").says("1000");
        client.get("/sessions/s/calls?limit=1").is(200).has_meta("total", PENDING_MAX);
        client.case("other tools still run, and show their results to a person");
        let made = call(client, "Shown", json!({}));
        let given = client.post(&format!("/calls/{}/result", made.id()), json!({"status": "success", "data": "r"}));
        given.is(200).has("/status", "awaiting_approval");
        client.case("a decision makes room for one");
        let first = client.get("/sessions/s/approvals?limit=1").is(200).data()[0]["id"].clone();
        let path = format!("/approvals/{}", first.as_str().expect("an id"));
        client.post(&path, json!({"approved": false})).is(200).has("/status", "execution_rejected");
        client.post("/sessions/s/calls", json!({"tool": "Always", "args": {"x": "now"}})).is(201);
        client
            .post("/sessions/s/calls", json!({"tool": "Always", "args": {"x": "over"}}))
            .refused(429, "quota_exceeded");
    });
}
