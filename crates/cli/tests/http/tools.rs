//! Tools over HTTP: groups of applications, calls, approvals, the scratchpad. Numbers are those of `cases/tools`.

use crate::support::{Answer, Client, both};
use serde_json::{Value, json};

fn tool(name: &str, permission: Value) -> Value {
    let parameters = json!({"type": "object", "properties": {"x": {"type": "string"}}});
    let function = json!({"name": name, "description": "Returns x.", "parameters": parameters});
    json!({"definition": {"type": "function", "function": function}, "permission": permission})
}

/// A session with a group of the application's own tools.
fn begin(client: &Client) {
    client.make("s");
    let group = json!({"name": "app", "rulePrompt": "Use app.", "tools": [
        tool("Plain", json!({})),
        tool("Once", json!({"executionPolicy": "ask-once"})),
        tool("Always", json!({"executionPolicy": "ask-always"})),
        tool("Shown", json!({"resultApprovalPolicy": "always"})),
    ], "declareSkillRules": {"How": {"desc": "how", "prompt": "like this"}}});
    let answer = client.post("/sessions/s/tools/groups", group);
    answer.is(201).has("/name", "app").has("/enabled", false).has("/runs_on", "client").has("/rules/0", "Rule/app/How");
    client.patch("/sessions/s/tools/groups/app", json!({"enabled": true})).is(200).has("/enabled", true);
}

fn call(client: &Client, tool: &str, args: Value) -> Answer {
    let answer = client.post("/sessions/s/calls", json!({"tool": tool, "args": args}));
    answer.is(201);
    answer
}

fn give(client: &Client, call: &Answer, data: Value) -> Answer {
    let answer = client.post(&format!("/calls/{}/result", call.id()), json!({"status": "success", "data": data}));
    answer.is(200);
    answer
}

/// The one approval that is pending.
fn pending(client: &Client) -> Answer {
    let list = client.get("/sessions/s/approvals");
    list.is(200).has_meta("total", 1);
    list
}

fn decide(client: &Client, verdict: Value) -> Answer {
    let id = pending(client).data()[0]["id"].as_str().expect("an id").to_owned();
    let answer = client.post(&format!("/approvals/{id}"), verdict);
    answer.is(200);
    client.get("/sessions/s/approvals").is(200).has_meta("total", 0);
    answer
}

#[test]
fn an_application_runs_its_own_tools() {
    both(|client| {
        begin(client);
        client.case("61, 62, 75: what the application returns takes the way of every result");
        let asked = call(client, "Plain", json!({"x": "hello"}));
        asked.has("/status", "awaiting_client").has("/args/x", "hello").has("/final_text", Value::Null);
        let done = give(client, &asked, json!("hello"));
        done.has("/status", "success")
            .has("/formatted_text", "hello")
            .has("/is_truncated", false)
            .has("/data", "hello");
        let name = done.data()["cache_var_result"].as_str().expect("a variable").to_owned();
        let number = name.strip_prefix("Plain_").and_then(|name| name.strip_suffix("_result")).expect("its own name");
        assert_eq!(number.len(), 22, "{number}");
        assert!(
            done.data()["final_text"].as_str().is_some_and(|text| text.contains(&format!("$VAR_REF{{{{{name}}}}}")))
        );
        client.case("46, 76: the next call gets it by reference");
        let next = call(client, "Plain", json!({"x": format!("<$VAR_REF{{{{{name}}}}}>")}));
        next.has("/args/x", "<hello>").has("/status", "awaiting_client");
        client.case("a result comes once");
        give(client, &next, json!({"n": 1})).has("/formatted_text", "{\n  \"n\": 1\n}").has("/data/n", 1);
        let again = client.post(&format!("/calls/{}/result", next.id()), json!({"status": "success"}));
        again.refused(409, "invalid_state").says("waits for no result");
        client.case("77: a failure says why");
        let failing = call(client, "Plain", json!({}));
        let failed =
            client.post(&format!("/calls/{}/result", failing.id()), json!({"status": "error", "error": "bad"}));
        failed.is(200).has("/status", "error").has("/final_text", "bad").has("/cache_var_result", Value::Null);
        client.case("60, 111: unknown and disabled tools do not run");
        call(client, "Nope", json!({})).has("/status", "not_found").has("/error", "Tool Nope not found");
        client.patch("/sessions/s/tools/Plain", json!({"enabled": false})).is(200).has("/enabled", false);
        call(client, "Plain", json!({})).has("/status", "not_found").has("/error", "Tool Plain is disabled");
        client.case("the journal has all of it");
        let calls = client.get("/sessions/s/calls?tool=Plain&limit=2");
        calls.is(200).has_meta("total", 4).has("/0/status", "not_found").has("/1/status", "error");
        client.get("/sessions/s/calls?status=success").is(200).has_meta("total", 2).has("/0/args", Value::Null);
        client.get(&format!("/calls/{}", next.id())).is(200).has("/args/x", "<hello>");
    });
}

#[test]
fn a_person_decides_whether_a_call_runs() {
    both(|client| {
        begin(client);
        client.case("94: what is pending can be read, and a decision empties the list");
        let asked = call(client, "Once", json!({"x": "1"}));
        asked.has("/status", "awaiting_approval");
        let list = pending(client);
        list.has("/0/type", "execution").has("/0/tool", "Once").has("/0/args/x", "1").has("/0/call_id", asked.id());
        list.must(list.data()[0]["created_at"] == asked.data()["created_at"], "when it was asked");
        decide(client, json!({"approved": true})).has("/id", asked.id()).has("/status", "awaiting_client");
        client.post("/approvals/nobody", json!({"approved": true})).refused(404, "approval_not_found");
        client.case("81, 83: the same is not asked again");
        call(client, "Once", json!({"x": "1"})).has("/status", "awaiting_client");
        client.case("82, 86: a rejection is remembered with its reason");
        call(client, "Once", json!({"x": "2"})).has("/status", "awaiting_approval");
        let no = decide(client, json!({"approved": false, "reason": "not this"}));
        no.has("/status", "execution_rejected")
            .has("/reject_reason", "not this")
            .has("/error", "Execution not approved");
        call(client, "Once", json!({"x": "2"})).has("/status", "execution_rejected").has("/reject_reason", "not this");
        client.case("85, 96: given once, it is used once");
        call(client, "Always", json!({"x": "1"})).has("/status", "awaiting_approval");
        let once = decide(client, json!({"approved": true}));
        once.has("/status", "awaiting_client");
        let again = call(client, "Always", json!({"x": "1"}));
        again.has("/status", "awaiting_approval");
        let id = pending(client).data()[0]["id"].as_str().expect("an id").to_owned();
        client.post(&format!("/approvals/{id}"), json!({"approved": false})).is(200);
        client.post(&format!("/approvals/{id}"), json!({"approved": true})).refused(409, "approval_settled");
        client.get(&format!("/calls/{}", again.id())).is(200).has("/status", "execution_rejected");
        client.case("96: arguments can be edited before they are approved");
        call(client, "Always", json!({"x": "rm -rf"})).has("/status", "awaiting_approval");
        let edited = decide(client, json!({"approved": true, "args": {"x": "ls"}}));
        edited.has("/args/x", "ls").has("/asked_args/x", "rm -rf").has("/status", "awaiting_client");
        client.case("93: the host can skip the question");
        let skipped = json!({"tool": "Always", "args": {}, "skip_execution_approval": true});
        client.post("/sessions/s/calls", skipped).is(201).has("/status", "awaiting_client");
        client.case("95: a call that is cancelled rejects what is pending");
        let given_up = call(client, "Always", json!({"x": "3"}));
        client.post(&format!("/calls/{}/cancel", given_up.id()), json!({})).is(200).has("/status", "cancelled");
        client.get("/sessions/s/approvals").is(200).has_meta("total", 0);
        client.post(&format!("/calls/{}/cancel", given_up.id()), json!({})).refused(409, "invalid_state");
    });
}

#[test]
fn an_approval_is_bound_to_the_definition() {
    both(|client| {
        begin(client);
        call(client, "Once", json!({"x": "1"})).has("/status", "awaiting_approval");
        decide(client, json!({"approved": true, "scope": "always"})).has("/status", "awaiting_client");
        call(client, "Once", json!({"x": "1"})).has("/status", "awaiting_client");
        let waiting = call(client, "Once", json!({"x": "2"}));
        let changed = json!({"name": "app", "tools": [{"definition": {"name": "Once", "description": "Deletes x."},
            "permission": {"executionPolicy": "ask-once"}}]});
        client.post("/sessions/s/tools/groups", changed).is(201).has("/enabled", false);
        client.patch("/sessions/s/tools/groups/app", json!({"enabled": true})).is(200);
        client.case("what was asked for the old definition cannot be approved");
        let verdict = decide(client, json!({"approved": true}));
        verdict.has("/status", "execution_rejected").has("/id", waiting.id());
        client.case("and what was approved for it does not count");
        call(client, "Once", json!({"x": "1"})).has("/status", "awaiting_approval");
        client.case("112: tools that are gone cannot be called");
        call(client, "Plain", json!({})).has("/status", "not_found").has("/error", "Tool Plain not found");
        client.get("/sessions/s/scratchpad/Rule%2Fapp%2FHow").refused(404, "scratchpad_variable_not_found");
    });
}

#[test]
fn a_rejected_result_cannot_be_read_in_any_way() {
    both(|client| {
        begin(client);
        let secret = "the-secret-of-this-story";
        let asked = call(client, "Shown", json!({"x": "1"}));
        let waiting = give(client, &asked, json!({"inside": secret}));
        waiting.has("/status", "awaiting_approval").has("/data", Value::Null).has("/final_text", Value::Null);
        client.case("91: until it is approved only the person who decides sees it");
        let hidden = |client: &Client| {
            for path in [
                format!("/calls/{}", asked.id()),
                "/sessions/s/calls".into(),
                "/sessions/s/scratchpad".into(),
                "/sessions/s/scratchpad?search=Shown".into(),
            ] {
                let answer = client.get(&path);
                answer.is(200).must(!answer.text.contains(secret), "nothing of the result");
                answer.must(!answer.text.contains("_result\""), "no variable of it");
            }
            let listed = call(client, "ListVars", json!({}));
            listed.has("/status", "success").must(!listed.text.contains("Shown_"), "no variable of it");
        };
        hidden(client);
        let shown = pending(client);
        shown.has("/0/type", "result").has("/0/result/data/inside", secret);
        let text = shown.data()[0]["result"]["final_text"].as_str().expect("the text").to_owned();
        let name = text.split("$VAR_REF{{").nth(1).and_then(|rest| rest.split("}}").next()).expect("a name").to_owned();
        let refer = |client: &Client| {
            call(client, "Plain", json!({"x": format!("$VAR_REF{{{{{name}}}}}")})).has("/status", "error");
            call(client, "ReadVar", json!({"name": name})).has("/status", "error");
            client.get(&format!("/sessions/s/scratchpad/{name}")).refused(404, "scratchpad_variable_not_found");
        };
        refer(client);
        client.case("90: rejected, it is gone");
        let no = decide(client, json!({"approved": false, "reason": "private"}));
        no.has("/status", "result_rejected")
            .has("/error", "Result not approved for LLM")
            .has("/reject_reason", "private");
        no.must(!no.text.contains(secret), "nothing of the result");
        hidden(client);
        refer(client);
        client.case("an approved one is there");
        let asked = call(client, "Shown", json!({"x": "2"}));
        give(client, &asked, json!("fine")).has("/status", "awaiting_approval");
        let yes = decide(client, json!({"approved": true}));
        yes.has("/status", "success").has("/formatted_text", "fine");
        let name = yes.data()["cache_var_result"].as_str().expect("a name").to_owned();
        client.get(&format!("/sessions/s/scratchpad/{name}")).is(200).has("/value", "fine");
    });
}

#[test]
fn groups_rules_and_defaults() {
    both(|client| {
        client.make_session("s");
        client.case("101, 105: a session begins with nothing enabled");
        let groups = client.get("/sessions/s/tools/groups");
        groups.is(200).has("/0/name", "vars").has("/0/enabled", false);
        client.get("/sessions/s/tools/definitions").is(200).has("", json!([]));
        client.get("/sessions/s/tools/rules").is(200).has("", "");
        client.case("110: what is not there cannot be enabled");
        client.patch("/sessions/s/tools/groups/nope", json!({"enabled": true})).refused(404, "tool_group_not_found");
        client.patch("/sessions/s/tools/nope", json!({"enabled": true})).refused(404, "tool_not_found");
        client.case("109: the group of the scratchpad");
        client.patch("/sessions/s/tools/groups/vars", json!({"enabled": true})).is(200);
        let names: Vec<Value> = client
            .get("/sessions/s/tools/definitions")
            .is(200)
            .data()
            .as_array()
            .unwrap()
            .iter()
            .map(|definition| definition["function"]["name"].clone())
            .collect();
        assert_eq!(names, ["ListVars", "ReadVar", "WriteVar", "RemoveVars"]);
        let rules = client.get("/sessions/s/tools/rules");
        rules.is(200).must(rules.data().as_str().is_some_and(|text| text.contains("`Rule/Agent/TODO`")), "the base");
        client.case("the defaults of an account count for sessions that have not used their tools");
        client.make_session("unused");
        client.get("/tools/defaults").is(200).has("/groups", json!({}));
        let defaults = json!({"groups": {"vars": true}, "tools": {"RemoveVars": false},
            "permissions": {"WriteVar": {"executionPolicy": "ask-always"}}});
        client.put("/tools/defaults", defaults.clone()).is(200).has("/tools/RemoveVars", false);
        client.get("/tools/defaults").is(200).has("", defaults);
        client.make_session("later");
        let groups = client.get("/sessions/unused/tools/groups");
        groups.is(200).has("/0/enabled", true).has("/0/tools/3/enabled", false);
        client.get("/sessions/s/tools/groups").is(200).has("/0/tools/3/enabled", true);
        let groups = client.get("/sessions/later/tools/groups");
        groups.is(200).has("/0/enabled", true).has("/0/tools/3/enabled", false);
        groups.has("/0/tools/2/permission/executionPolicy", "ask-always");
        client
            .post("/sessions/later/calls", json!({"tool": "WriteVar", "args": {"name": "a", "value": "1"}}))
            .is(201)
            .has("/status", "awaiting_approval");
        client.put("/tools/defaults", json!({})).is(200).has("/groups", json!({}));
        client.get("/sessions/later/tools/groups").is(200).has("/0/enabled", true);
        client.get("/sessions/unused/tools/groups").is(200).has("/0/enabled", false);
        client.get("/sessions/s/tools/groups").is(200).has("/0/tools/3/enabled", true);
        client.case("a tool of the program that had to be approved runs once");
        let list = client.get("/sessions/later/approvals");
        let id = list.is(200).data()[0]["id"].as_str().unwrap().to_owned();
        let done = client.post(&format!("/approvals/{id}"), json!({"approved": true}));
        done.is(200).has("/status", "success").has("/final_text", "Variable 'a' created successfully.");
        client.get("/sessions/later/scratchpad/a").is(200).has("/value", "1").has("/type", "LLMAdd");
    });
}

#[test]
fn the_scratchpad_is_read_and_written_by_a_person() {
    both(|client| {
        client.make("s");
        client.case("97: rules are there before anything was done");
        let list = client.get("/sessions/s/scratchpad");
        list.is(200).has_meta("total", 3).has("/0/type", "RULE").has("/0/keep", true).has("/0/value", Value::Null);
        client.case("a person's variable");
        let made =
            client.put("/sessions/s/scratchpad/note%201", json!({"value": "中文😀", "desc": "d", "tags": ["t"]}));
        made.is(201).has("/type", "USER_ADD").has("/length", 3).has("/name", "note 1").has("/reference_count", 0);
        client
            .put("/sessions/s/scratchpad/note%201", json!({"keep": true}))
            .is(200)
            .has("/keep", true)
            .has("/value", "中文😀");
        client.put("/sessions/s/scratchpad/object", json!({"value": {"a": 1}})).is(201).has("/value", "{\"a\":1}");
        client.get("/sessions/s/scratchpad?tag=t").is(200).has_meta("total", 1).has("/0/name", "note 1");
        client.get("/sessions/s/scratchpad?type=USER_ADD&search=OBJ").is(200).has_meta("total", 1);
        client.get("/sessions/s/scratchpad?type=nope").invalid_at("/type");
        client.case("13: rules are refused");
        client.put("/sessions/s/scratchpad/Rule%2FAgent%2FTODO", json!({"value": "x"})).refused(409, "rule_protected");
        client.delete("/sessions/s/scratchpad/Rule%2FAgent%2FTODO").refused(409, "rule_protected");
        client.case("bad input");
        client
            .put("/sessions/s/scratchpad/new", json!({"desc": "no value"}))
            .refused(404, "scratchpad_variable_not_found");
        client.put("/sessions/s/scratchpad/a%7D%7Db", json!({"value": "x"})).invalid_at("/name");
        client.put("/sessions/s/scratchpad/x", json!({"value": "x", "type": "RULE"})).refused(400, "validation_error");
        client.get("/sessions/s/scratchpad/nope").refused(404, "scratchpad_variable_not_found");
        client.get("/sessions/nope/scratchpad").refused(404, "session_not_found");
        client.case("the text of a page");
        client.patch("/pages/s.p", json!({"content": "hello $VAR_REF{{object}}"})).is(200);
        client
            .post("/sessions/s/scratchpad/messages", json!({"page_id": "s.p"}))
            .is(201)
            .has("/type", "MessageCache")
            .has("/name", "Message_s.p");
        client.post("/sessions/s/scratchpad/messages", json!({"page_id": "nope"})).refused(404, "page_not_found");
        client.patch("/sessions/s/tools/groups/vars", json!({"enabled": true})).is(200);
        client.case("42: what it refers to is not expanded");
        let write = json!({"tool": "WriteVar", "args": {"name": "w", "value": "$VAR_REF{{Message_s.p}}"}});
        client.post("/sessions/s/calls", write).is(201).has("/status", "success");
        client.get("/sessions/s/scratchpad/w").is(200).has("/value", "hello $VAR_REF{{object}}");
        client.delete("/sessions/s/scratchpad/w").is(200).has("/deleted", true);
        client.delete("/sessions/s/scratchpad/w").refused(404, "scratchpad_variable_not_found");
        client.case("113: another session sees nothing of it");
        client.make_session("other");
        client.get("/sessions/other/scratchpad").is(200).has_meta("total", 3);
    });
}

#[test]
fn a_repeated_call_happens_once() {
    both(|client| {
        client.make_session("s");
        client.patch("/sessions/s/tools/groups/vars", json!({"enabled": true})).is(200);
        let body = json!({"tool": "WriteVar", "args": {"name": "n", "value": "1"}});
        let send = |key: &str| {
            client.ask("POST", "/sessions/s/calls").header("idempotency-key", key).json(body.clone()).send()
        };
        let first = send("k1");
        first.is(201).has("/final_text", "Variable 'n' created successfully.");
        let again = send("k1");
        again.is(201).has("/id", first.id()).has("/final_text", "Variable 'n' created successfully.");
        assert_eq!(again.header("idempotency-replayed"), "true");
        send("k2").is(201).has("/final_text", "Variable 'n' updated successfully.");
        client.get("/sessions/s/calls").is(200).has_meta("total", 2);
        client.case("so does a decision");
        begin_asking(client);
        call(client, "WriteVar", json!({"name": "m", "value": "1"})).has("/status", "awaiting_approval");
        let id = pending(client).data()[0]["id"].as_str().expect("an id").to_owned();
        let decide = || {
            let ask = client.ask("POST", &format!("/approvals/{id}")).header("idempotency-key", "k3");
            ask.json(json!({"approved": true})).send()
        };
        decide().is(200).has("/final_text", "Variable 'm' created successfully.");
        decide().is(200).has("/final_text", "Variable 'm' created successfully.");
        client.get("/sessions/s/calls").is(200).has_meta("total", 3);
    });
}

fn begin_asking(client: &Client) {
    let patch = json!({"permission": {"executionPolicy": "ask-always"}});
    client.patch("/sessions/s/tools/WriteVar", patch).is(200).has("/permission/executionPolicy", "ask-always");
}

#[test]
fn calls_change_nothing_that_the_session_shows() {
    both(|client| {
        client.make("s");
        client.set(crate::support::chat("s"), "k", 1).is(201);
        let before = client.get("/sessions/s").is(200).data();
        let stamp = client.get("/variables/resolve?session_id=s").is(200).headers.get("etag").cloned();
        client.patch("/sessions/s/tools/groups/vars", json!({"enabled": true})).is(200);
        call(client, "WriteVar", json!({"name": "a", "value": "1"})).has("/status", "success");
        assert_eq!(client.get("/sessions/s").is(200).data(), before);
        assert_eq!(client.get("/variables/resolve?session_id=s").is(200).headers.get("etag").cloned(), stamp);
        client.case("and go with their session");
        client.delete("/sessions/s").is(200);
        client.get("/sessions/s/calls").refused(404, "session_not_found");
        client.make_session("s");
        client.get("/sessions/s/calls").is(200).has_meta("total", 0);
        client.get("/sessions/s/scratchpad").is(200).has_meta("total", 3);
    });
}

#[test]
fn bad_groups_and_calls_are_refused() {
    both(|client| {
        begin(client);
        let groups = "/sessions/s/tools/groups";
        client.post(groups, json!({"name": "x", "tools": []})).invalid_at("/tools");
        client.post(groups, json!({"name": "x"})).invalid_at("");
        client.post(groups, json!({"name": "a/b", "tools": [tool("T", json!({}))]})).refused(400, "validation_error");
        client
            .post(groups, json!({"name": "x", "tools": [tool("T", json!({})), tool("T", json!({}))]}))
            .refused(400, "validation_error");
        client
            .post(groups, json!({"name": "x", "tools": [{"definition": {"function": {}}}]}))
            .refused(400, "validation_error");
        client
            .post(groups, json!({"name": "x", "tools": [tool("T", json!({"executionPolicy": "maybe"}))]}))
            .refused(400, "validation_error");
        client
            .post(groups, json!({"name": "x", "tools": [tool("T", json!({}))], "prompt": "?"}))
            .refused(400, "validation_error");
        client.post(groups, json!({"name": "vars", "tools": [tool("T", json!({}))]})).refused(409, "invalid_state");
        client.post(groups, json!({"name": "x", "tools": [tool("ReadVar", json!({}))]})).refused(409, "invalid_state");
        client.post("/sessions/s/calls", json!({"args": {}})).refused(400, "validation_error");
        client.post("/sessions/s/calls", json!({"tool": "Plain", "args": []})).refused(400, "validation_error");
        client
            .post("/sessions/s/calls", json!({"tool": "Plain", "allow_disabled": true}))
            .refused(400, "validation_error");
        client.post("/sessions/nope/calls", json!({"tool": "Plain"})).refused(404, "session_not_found");
        client.get("/calls/nope").refused(404, "call_not_found");
        client.post("/calls/nope/cancel", json!({})).refused(404, "call_not_found");
        client.post("/calls/nope/result", json!({"status": "success"})).refused(404, "call_not_found");
        client.get("/sessions/s/calls?status=done").invalid_at("/status");
        client.put("/tools/defaults", json!({"groups": {"vars": "yes"}})).refused(400, "validation_error");
        client.put("/tools/defaults", json!({"other": 1})).refused(400, "validation_error");
        client.case("another account sees nothing");
        let waiting = call(client, "Once", json!({"x": "1"}));
        let id = pending(client).data()[0]["id"].as_str().unwrap().to_owned();
        let stranger = client.stranger();
        stranger.get("/sessions/s/approvals").refused(404, "session_not_found");
        stranger.post(&format!("/approvals/{id}"), json!({"approved": true})).refused(404, "approval_not_found");
        stranger.get(&format!("/calls/{}", waiting.id())).refused(404, "call_not_found");
    });
}
