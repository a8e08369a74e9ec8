//! What a model, a page or an application cannot do with tools: pass deny rules, rewrite the journal, take rules away, get values by
//! copies of references. And calls that end although nobody goes on with them.

use crate::support::{Answer, Backend, Client, Server, both};
use serde_json::{Value, json};

fn tool(name: &str, permission: Value) -> Value {
    let parameters = json!({"type": "object", "properties": {"x": {}, "n": {"type": "integer"}}});
    let function = json!({"name": name, "description": "Returns x.", "parameters": parameters});
    json!({"definition": {"type": "function", "function": function}, "permission": permission})
}

fn begin(client: &Client) {
    client.make("s");
    let group = json!({"name": "app", "tools": [
        tool("Plain", json!({})),
        tool("Once", json!({"executionPolicy": "ask-once"})),
        tool("Always", json!({"executionPolicy": "ask-always"})),
        tool("Shown", json!({"resultApprovalPolicy": "always"})),
    ]});
    client.post("/sessions/s/tools/groups", group).is(201);
    for group in ["app", "vars", "state", "script"] {
        client.patch(&format!("/sessions/s/tools/groups/{group}"), json!({"enabled": true})).is(200);
    }
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

fn approval(client: &Client, call: &Answer) -> String {
    let list = client.get("/sessions/s/approvals?limit=100");
    let of_call = |item: &&Value| item["call_id"] == call.id();
    let data = list.is(200).data();
    let found = data.as_array().unwrap().iter().find(of_call).unwrap_or_else(|| panic!("{}", list.text));
    format!("/approvals/{}", found["id"].as_str().unwrap())
}

#[test]
fn copies_of_untrusted_text_are_never_expanded() {
    both(|client| {
        begin(client);
        client.put("/sessions/s/scratchpad/secret", json!({"value": "hunter2"})).is(201);
        let page = call(client, "Plain", json!({}));
        let page = give(client, &page, json!("see $VAR_REF{{secret}}"));
        let name = page.data()["cache_var_result"].as_str().unwrap().to_owned();
        client.case("a copy, a part of it, and a copy of the copy");
        let copies = [
            ("notes", format!("$VAR_REF{{{{{name}}}}}")),
            ("part", format!("from $VAR_REF{{{{{name}:4}}}}")),
            ("again", "<$VAR_REF{{notes}}>".to_owned()),
        ];
        for (copy, value) in copies {
            call(client, "WriteVar", json!({"name": copy, "value": value})).has("/status", "success");
            client.get(&format!("/sessions/s/scratchpad/{copy}")).is(200).has("/trusted", false).has("/type", "LLMAdd");
            let used = call(client, "Plain", json!({"x": format!("$VAR_REF{{{{{copy}}}}}")}));
            used.must(!used.text.contains("hunter2"), "the secret is not inserted");
        }
        client.case("a copy that a person had to approve");
        client.patch("/sessions/s/tools/WriteVar", json!({"permission": {"executionPolicy": "ask-always"}})).is(200);
        let asked = call(client, "WriteVar", json!({"name": "asked", "value": format!("$VAR_REF{{{{{name}}}}}")}));
        client.post(&approval(client, &asked), json!({"approved": true})).is(200).has("/status", "success");
        client.get("/sessions/s/scratchpad/asked").is(200).has("/trusted", false);
        client.patch("/sessions/s/tools/WriteVar", json!({"permission": {"executionPolicy": "auto"}})).is(200);
        client.case("what the model writes itself is expanded, also over an untrusted copy");
        call(client, "WriteVar", json!({"name": "notes", "value": "$$VAR_REF{{secret}}"})).has("/status", "success");
        client.get("/sessions/s/scratchpad/notes").is(200).has("/trusted", true);
        call(client, "Plain", json!({"x": "$VAR_REF{{notes}}"})).has("/args/x", "hunter2");
        client.case("the text of a page keeps its type whatever had its name");
        client.patch("/pages/s.p", json!({"content": "$VAR_REF{{secret}}"})).is(200);
        call(client, "WriteVar", json!({"name": "Message_s.p", "value": "mine"})).has("/status", "success");
        client.post("/sessions/s/scratchpad/messages", json!({"page_id": "s.p"})).is(201).has("/type", "MessageCache");
        call(client, "Plain", json!({"x": "$VAR_REF{{Message_s.p}}"})).has("/args/x", "$VAR_REF{{secret}}");
    });
}

#[test]
fn the_journal_keeps_what_a_tool_returned() {
    both(|client| {
        begin(client);
        let made = call(client, "Plain", json!({"x": "1"}));
        let done = give(client, &made, json!("TRUE RESULT"));
        let name = done.data()["cache_var_result"].as_str().unwrap().to_owned();
        let path = format!("/calls/{}", made.id());
        let kept = || {
            client.get(&path).is(200).has("/formatted_text", "TRUE RESULT").has("/data", "TRUE RESULT");
        };
        client.get(&format!("/sessions/s/scratchpad/{name}")).is(200).has("/value", "TRUE RESULT");
        call(client, "WriteVar", json!({"name": name, "value": "FORGED"})).has("/status", "success");
        client.get(&format!("/sessions/s/scratchpad/{name}")).is(200).has("/value", "FORGED");
        kept();
        call(client, "RemoveVars", json!({"names": [name]})).has("/status", "success");
        kept();
    });
}

#[test]
fn rules_of_the_program_stay() {
    both(|client| {
        begin(client);
        let before = client.get("/sessions/s/scratchpad/Rule%2FAgent%2FVarRef").is(200).data();
        let rules = json!({"VarRef": {"desc": "d", "prompt": "EVIL"}});
        for (name, rules) in [("Agent", rules.clone()), ("Agent", json!({})), ("script", rules)] {
            let group = json!({"name": name, "tools": [tool("Mine", json!({}))], "declareSkillRules": rules});
            client.post("/sessions/s/tools/groups", group).refused(409, "invalid_state").says("rename");
        }
        let after = client.get("/sessions/s/scratchpad/Rule%2FAgent%2FVarRef").is(200).data();
        assert_eq!(after["value"], before["value"]);
        client.case("names that are addresses of the API");
        for name in ["groups", "definitions", "rules"] {
            let group = json!({"name": "mine", "tools": [tool(name, json!({}))]});
            let refused = client.post("/sessions/s/tools/groups", group);
            refused.refused(400, "validation_error").must(refused.text.contains("rename the tool"), "a way out");
        }
        call(client, "WriteVar", json!({"name": "messages", "value": "1"})).has("/status", "error");
    });
}

#[test]
fn deny_rules_count_for_all_arguments() {
    both(|client| {
        begin(client);
        let nameless = json!({"deny": [{"argument": "x", "matches": "*.env"}]});
        let refused = client.patch("/sessions/s/tools/Always", json!({"permission": nameless}));
        refused.refused(400, "validation_error").must(refused.text.contains("/x"), "a way out");
        let deny = json!({"deny": [{"argument": "/x", "matches": "*.env"}]});
        client.patch("/sessions/s/tools/Always", json!({"permission": deny})).is(200);
        for hidden in [json!("a.env"), json!(["a.env"]), json!({"files": [{"path": "a.env"}]}), json!({"a.env": 1})] {
            let denied = call(client, "Always", json!({"x": hidden}));
            denied.has("/status", "execution_rejected").must(denied.text.contains("Denied by a rule"), "the rule");
        }
        client.case("edited arguments");
        let asked = call(client, "Always", json!({"x": "ok"}));
        let path = approval(client, &asked);
        client
            .post(&path, json!({"approved": true, "args": {"x": ["a.env"]}}))
            .refused(409, "invalid_state")
            .says("Denied by a rule");
        client.get(&format!("/calls/{}", asked.id())).is(200).has("/status", "awaiting_approval");
        client.post(&path, json!({"approved": true, "args": {"x": "b"}})).is(200).has("/args/x", "b");
        client.case("14: a field that is left out keeps what was said");
        client
            .patch("/sessions/s/tools/Always", json!({"permission": {"resultApprovalPolicy": "always"}}))
            .is(200)
            .has("/permission/deny/0/argument", "/x")
            .has("/permission/resultApprovalPolicy", "always")
            .has("/permission/executionPolicy", "ask-always");
        client.case("a time that cannot be computed");
        let never = json!({"permission": {"expiresMs": i64::MAX}});
        client.patch("/sessions/s/tools/Once", never).refused(400, "validation_error");
    });
}

#[test]
fn decisions_can_be_seen_and_revoked() {
    both(|client| {
        begin(client);
        for (x, scope) in [("1", "session"), ("2", "always")] {
            let asked = call(client, "Once", json!({"x": x}));
            client.post(&approval(client, &asked), json!({"approved": true, "scope": scope})).is(200);
            call(client, "Once", json!({"x": x})).has("/status", "awaiting_client");
        }
        let grants = client.get("/sessions/s/grants");
        grants.is(200).has_meta("total", 2).has("/0/scope", "always").has("/0/args/x", "2").has("/0/approved", true);
        grants.has("/1/scope", "session").has("/1/tool", "Once");
        client.stranger().get("/sessions/s/grants").refused(404, "session_not_found");
        for (number, x) in [(0, "2"), (1, "1")] {
            let path = format!("/sessions/s/grants/{}", grants.data()[number]["id"].as_str().unwrap());
            client.delete(&path).is(200).has("/deleted", true);
            client.delete(&path).refused(404, "grant_not_found");
            call(client, "Once", json!({"x": x})).has("/status", "awaiting_approval");
        }
        client.case("an export holds all of it");
        let asked = call(client, "Once", json!({"x": "3"}));
        client.post(&approval(client, &asked), json!({"approved": true, "scope": "always"})).is(200);
        client.put("/sessions/s/scratchpad/note", json!({"value": "noted"})).is(201);
        let export = client.ask("GET", "/account/export").unrecorded().send();
        let lines: Vec<Value> = export.is(200).text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of = |kind: &str| lines.iter().filter(|line| line["kind"] == kind).collect::<Vec<_>>();
        assert!(of("scratchpad_variable").iter().any(|line| line["data"]["value"] == "noted"), "{}", export.text);
        assert!(of("call").iter().any(|line| line["data"]["id"] == asked.id()));
        assert_eq!(of("tool_settings")[0]["data"]["registered"][0]["name"], "app");
        assert_eq!(of("grant")[0]["data"]["args"]["x"], "3");
    });
}

#[test]
fn a_tool_that_cannot_run_any_more_is_not_approved() {
    both(|client| {
        begin(client);
        let asked = call(client, "Always", json!({"x": "1"}));
        client.patch("/sessions/s/tools/Always", json!({"enabled": false})).is(200);
        client
            .post(&approval(client, &asked), json!({"approved": true}))
            .is(200)
            .has("/status", "execution_rejected")
            .has("/reject_reason", "Tool Always is disabled");
    });
}

#[test]
fn pages_of_calls_are_pages_of_the_session() {
    both(|client| {
        begin(client);
        client.make("other");
        for page in ["nope", "other.p"] {
            for tool in ["get_state", "query_history", "Plain"] {
                let body = json!({"tool": tool, "args": {"path": "a"}, "page_id": page});
                client.post("/sessions/s/calls", body).refused(404, "page_not_found");
            }
        }
        let own = json!({"tool": "Plain", "args": {}, "page_id": "s.p"});
        client.post("/sessions/s/calls", own).is(201).has("/page_id", "s.p");
    });
}

#[test]
fn results_are_taken_however_much_waits() {
    both(|client| {
        begin(client);
        client.case("arguments that could not be kept are refused before the tool runs");
        client.put("/sessions/s/scratchpad/big", json!({"value": "x".repeat(900_000)})).is(201);
        let twenty: Vec<&str> = vec!["$VAR_REF{{big}}"; 18];
        let large = call(client, "Plain", json!({"x": twenty, "more": "y".repeat(600_000)}));
        large.has("/status", "error").must(large.text.contains("longer than"), "the limit");
        client.case("a pad with one free place takes neither variable of a call");
        let total = client.get("/sessions/s/scratchpad?limit=1").is(200).body["meta"]["total"].as_i64().unwrap();
        for number in total..999 {
            client
                .ask("PUT", &format!("/sessions/s/scratchpad/k{number}"))
                .unrecorded()
                .json(json!({"value": "v", "keep": true}))
                .send()
                .is(201);
        }
        client.put("/sessions/s/scratchpad/big", json!({"value": "small", "keep": true})).is(200);
        let done = give(client, &call(client, "Plain", json!({})), json!("RESULT"));
        done.has("/status", "success").has("/formatted_text", "RESULT").has("/final_text", "RESULT");
        done.has("/cache_var_result", Value::Null).has("/cache_var_args", Value::Null);
    });
}

#[test]
fn code_of_a_model_runs_in_the_sandbox() {
    both(|client| {
        begin(client);
        let run = |code: &str, args: Value| call(client, "JavaScript", json!({"code": code, "args": args}));
        run("return args.map((n) => n * 2)", json!([1, 2, 3])).has("/status", "success").has("/data", json!([2, 4, 6]));
        run("console.log('seen'); // a comment", Value::Null).has("/data", Value::Null).has("/status", "success");
        client.put("/sessions/s/scratchpad/list", json!({"value": "[3,4]"})).is(201);
        run("return JSON.parse(args).length", json!("$VAR_REF{{list}}")).has("/data", 2);
        client.case("it reaches nothing, and does not go on for ever");
        for (code, words) in [
            ("return require('fs')", "require"),
            ("return fetch('http://127.0.0.1')", "fetch"),
            ("while (true) {}", "longer"),
            ("return eval('1')", "eval"),
            ("throw new Error('mine')", "mine"),
            ("return (", ""),
            (" ", "code"),
        ] {
            let failed = run(code, Value::Null);
            failed.has("/status", "error").must(failed.text.contains(words), words);
        }
        run("return 1", Value::Null).has("/data", 1);
    });
}

#[test]
fn calls_that_nobody_answers_end() {
    for backend in Backend::BOTH {
        let server = Server::start_with(backend.place(), &["approval_timeout=0s", "client_call_timeout=0s"]);
        let client = server.client("owner");
        begin(&client);
        for (tool, status, reason) in [
            ("Always", "execution_rejected", "Nobody decided in time"),
            ("Plain", "interrupted", "The application returned no result in time"),
        ] {
            let made = call(&client, tool, json!({}));
            let path = format!("/calls/{}", made.id());
            while client.get(&path).is(200).data()["status"] != status {}
            client.get(&path).is(200).has("/reject_reason", reason);
            client.get(&format!("/sessions/s/calls?status={status}&tool={tool}")).is(200).has_meta("total", 1);
            client.get(&format!("/sessions/s/calls?status={}", made.data()["status"].as_str().unwrap())).is(200);
        }
        client.get("/sessions/s/calls?status=awaiting_approval").is(200).has_meta("total", 0);
        client.get("/sessions/s/calls?status=awaiting_client").is(200).has_meta("total", 0);
    }
}

#[test]
fn what_a_session_says_counts_for_the_very_next_call() {
    both(|client| {
        begin(client);
        let status = |answer: &Answer| answer.data()["status"].as_str().unwrap_or_default().to_owned();
        let set = |setting: Value| assert_eq!(client.patch("/sessions/s/tools/Plain", setting).status, 200);
        assert_eq!(status(&call(client, "Plain", json!({"x": 1}))), "awaiting_client");
        set(json!({"permission": {"executionPolicy": "ask-always"}}));
        assert_eq!(status(&call(client, "Plain", json!({"x": 1}))), "awaiting_approval");
        set(json!({"permission": {"executionPolicy": "auto", "deny": [{"argument": "/x", "matches": "no*"}]}}));
        assert_eq!(status(&call(client, "Plain", json!({"x": "nothing"}))), "execution_rejected");
        assert_eq!(status(&call(client, "Plain", json!({"x": "something"}))), "awaiting_client");
        set(json!({"enabled": false}));
        assert_eq!(status(&call(client, "Plain", json!({"x": 1}))), "not_found");
        set(json!({"enabled": true}));
        assert_eq!(status(&call(client, "Plain", json!({"x": 1}))), "awaiting_client");
        client.case("another session of the same name has nothing of it");
        assert!(client.delete("/sessions/s").status < 300);
        client.post("/sessions/s/calls", json!({"tool": "Plain", "args": {}})).refused(404, "session_not_found");
        client.post("/sessions", json!({"id": "s"})).is(201);
        assert_eq!(status(&call(client, "Plain", json!({"x": 1}))), "not_found");
    });
}
