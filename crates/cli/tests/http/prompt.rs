//! B.10 and B.11: macros in prompts, previewed. Part of seed 002, to the letter.

use crate::support::tree::merge;
use crate::support::{Answer, Client, both, branch, chat, floor, global, page};
use serde_json::{Value, json};

pub fn preview(client: &Client, body: Value) -> Answer {
    client.post("/sessions/s/prompt-runtime/preview", fixed(body))
}

/// The same with a time and a seed, so that the answer is always the same.
pub fn fixed(body: Value) -> Value {
    merge(json!({"now": 1_729_972_800_000_i64, "seed": 1}), body)
}

/// The text of a preview on `main`.
#[track_caller]
fn text(client: &Client, text: &str) -> String {
    let answer = preview(client, json!({"text": text}));
    answer.is(200).data()["text"].as_str().expect("a text").to_owned()
}

/// The codes of warnings, without the one that a preview writes nothing.
pub fn codes(answer: &Answer) -> Vec<String> {
    let warnings = answer.data()["runtime_trace"]["macro"]["warnings"].clone();
    let codes = warnings.as_array().expect("a list").iter().map(|warning| warning["code"].as_str().unwrap().to_owned());
    codes.filter(|code| code != "macro_preview_side_effect_suppressed").collect()
}

/// A text that stays as it is written, for one reason.
#[track_caller]
fn stays(client: &Client, text: &str, code: &str) {
    let answer = preview(client, json!({"text": text}));
    answer.is(200).has("/text", text).has("/runtime_trace/macro/mutation_preview", json!([]));
    assert_eq!(codes(&answer), [code], "{text}");
}

#[test]
fn macros_read_and_write_as_the_seed_says() {
    both(|client| {
        client.make_session("s");
        client.set(branch("s", "main"), "mood", "tense").is(201);
        client.set(global(), "账户", json!({"余额": 8})).is(201);

        client.case("B72");
        assert_eq!(
            text(client, "{{getvar::mood}}|{{getglobalvar::账户.余额}}|{{.mood}}|{{$账户.余额}}"),
            "tense|8|tense|8"
        );

        client.case("B73");
        let answer = preview(client, json!({"text": "{{setvar::资产.金币::3}}{{getvar::资产}}"}));
        answer.is(200).has("/text", "{\"金币\":\"3\"}");
        let set = json!([{"kind": "set", "scope": "branch", "key": "资产", "value": "{\"金币\":\"3\"}"}]);
        answer.has("/runtime_trace/macro/mutation_preview", set);
        answer.has("/runtime_trace/macro/staged_mutations", json!([]));
        answer.has("/runtime_trace/macro/warnings/0/code", "macro_preview_side_effect_suppressed");
        answer.has("/runtime_trace/macro/warnings/0/macro_name", "setvar");
        assert_eq!(client.count("资产"), 0);

        client.case("B74");
        assert_eq!(text(client, "{{setvar::x::1}}{{getvar::x}}{{getglobalvar::x}}"), "1");
        assert_eq!(text(client, "{{setglobalvar::x::1}}{{getvar::x}}|{{getglobalvar::x}}"), "|1");

        client.case("B75");
        client.set(branch("s", "main"), "资产", json!({"金币": 3, "银币": 5})).is(201);
        let deleted = "{{deletevar::资产.银币}}{{hasvar::资产.银币}}/{{getvar::资产.银币}}/{{getvar::资产.金币}}";
        let answer = preview(client, json!({"text": deleted}));
        answer.is(200).has("/text", "false//3");
        let set = json!([{"kind": "set", "scope": "branch", "key": "资产", "value": "{\"金币\":3}"}]);
        answer.has("/runtime_trace/macro/mutation_preview", set);

        client.case("B76");
        client.set(branch("s", "main"), "资产.金币", "flat").is(201);
        client.set(branch("s", "main"), "装备", json!({"剑.名": "霜刃"})).is(201);
        assert_eq!(text(client, "{{getvar::资产.金币}}/{{getvar::装备[\"剑.名\"]}}"), "flat/霜刃");

        client.case("B77, with the index of decision 8");
        client.set(branch("s", "main"), "arr", json!(["a"])).is(201);
        stays(client, "{{getvar::资产..金币}}", "macro_parse_failed");
        stays(client, "{{getvar::mood.x}}", "macro_arg_type_invalid");
        assert_eq!(text(client, "{{getvar::arr[0]}}"), "a");

        client.case("B78");
        let answer = preview(
            client,
            json!({"text": "[{{getvar::zz}}{{.zz}}{{$zz}}]{{hasvar::zz}} {{varexists::mood}} {{globalvarexists::账户}}"}),
        );
        answer.is(200).has("/text", "[]false true true");
        answer.has("/runtime_trace/macro/used_names", json!(["getvar", "hasvar", "hasglobalvar"]));

        client.case("B79");
        client.set(branch("s", "main"), "n", 5).is(201);
        assert_eq!(text(client, "{{addvar::n::3}}{{getvar::n}}"), "8");
        assert_eq!(text(client, "{{addvar::mood::!}}{{getvar::mood}}"), "tense!");
        assert_eq!(text(client, "{{addvar::v::3}}{{getvar::v}} {{addvar::w::abc}}{{getvar::w}}"), "3 0abc");
        let answer = preview(client, json!({"text": "{{addvar::n::3}}"}));
        answer.has("/runtime_trace/macro/mutation_preview/0/value", 8);

        client.case("B80");
        assert_eq!(text(client, "{{incvar::m}}|{{getvar::m}} {{decvar::o}} {{incvar::mood}}"), "1|1 -1 1");
        assert_eq!(text(client, "{{.q++}} {{.r--}} {{.n=7}}{{.n}} {{$g=9}}{{$g}}"), "1 -1 7 9");

        client.case("B81, with the operators of decision 8");
        assert_eq!(
            text(client, "{{$g++}} {{.n ||= 2}} {{.n == 5}} {{.z ??= 3}} {{.n += 2}}{{.n}} {{.n -= 9}}{{.n}}"),
            "1 5 true 3 7 -2"
        );
        stays(client, "{{unknown}}", "macro_unknown");
        stays(client, "{{setvar::a}}", "macro_arg_arity_invalid");
        stays(client, "{{setvar::a::b::c}}", "macro_arg_arity_invalid");
        assert_eq!(text(client, "{{random::a::a}}"), "a");
    });
}

#[test]
fn blocks_limits_and_names_as_the_seed_says() {
    both(|client| {
        client.make_session("s");
        client.set(branch("s", "main"), "n", 5).is(201);
        client.set(branch("s", "main"), "mood", "tense").is(201);

        client.case("B82");
        assert_eq!(text(client, "{{if {{getvar::n}} >= 3}}RICH{{else}}POOR{{/if}}"), "RICH");
        assert_eq!(text(client, "{{if {{.mood}} contains ens and not ({{.n}} == 6 or {{.zz}})}}yes{{/if}}"), "yes");
        let answer = preview(
            client,
            json!({"text": "{{if {{.n}} > 9}}{{setvar::a::1}}{{/if}}{{if 1 or {{incvar::n}}}}{{/if}}"}),
        );
        answer.is(200).has("/text", "").has("/runtime_trace/macro/mutation_preview", json!([]));
        client.set(branch("s", "main"), "f", "1").is(201);
        stays(client, "{{if {{f}} + 1}}{{setvar::a::1}}{{/if}}", "macro_condition_unsupported");
        stays(client, "{{if {{.n}} >= happy}}{{setvar::a::1}}{{/if}}", "macro_arg_type_invalid");
        stays(client, "{{if {{.n}}}}{{setvar::a::1}}", "macro_scoped_block_unclosed");
        stays(client, "{{/if}}", "macro_unmatched_closing_block");
        stays(client, "{{getvar::n", "macro_parse_failed");

        client.case("B83");
        let answer = preview(client, json!({"text": "{{incvar::n}}".repeat(130)}));
        let writes = answer.is(200).data()["runtime_trace"]["macro"]["mutation_preview"].clone();
        assert_eq!(writes.as_array().map(Vec::len), Some(128));
        assert_eq!(codes(&answer), ["macro_mutation_limit_exceeded"; 2]);
        client.set(branch("s", "main"), "loop", "{{loop}}").is(201);
        let answer = preview(client, json!({"text": "{{loop}}"}));
        answer.is(200).has("/text", "{{loop}}");
        assert_eq!(codes(&answer), ["macro_cycle_detected"]);
        let deep = format!("{}n{}", "{{getvar::".repeat(17), "}}".repeat(17));
        stays(client, &deep, "macro_depth_limit_exceeded");

        client.case("B84");
        client.make_floor("s", "f", json!({}));
        client.make_page("f", "p", json!({}));
        client.set(floor("f"), "mood", "floor").is(201);
        client.set(page("p"), "mood", "page").is(201);
        client.set(chat("s"), "user", "nobody").is(201);
        let names = json!({"user": "阿明", "char": "络络"});
        let asked = |more: Value| {
            merge(merge(json!({"text": "<USER> <BOT> {{user}} {{mood}} {{getvar::mood}}"}), names.clone()), more)
        };
        preview(client, asked(json!({}))).is(200).has("/text", "阿明 络络 阿明 tense tense");
        let answer = preview(client, asked(json!({"page_id": "p"})));
        answer.is(200).has("/text", "阿明 络络 阿明 page tense").has("/scope/floor_id", "f").has("/scope/page_id", "p");
        stays(client, "{{user}}", "macro_value_missing");

        client.case("B86");
        preview(client, json!({"text": ""})).invalid_at("/text");
        preview(client, json!({})).refused(400, "validation_error");
        preview(client, json!({"text": "a", "messages": [{"role": "user", "content": "b"}]})).invalid_at("/messages");
        preview(client, json!({"messages": []})).invalid_at("/messages");
        client.post("/sessions/nobody/prompt-runtime/preview", json!({"text": "a"})).refused(404, "session_not_found");
        preview(client, json!({"text": "a", "branch_id": "nowhere"})).refused(404, "branch_not_found");
        preview(client, json!({"text": "a", "page_id": "nowhere"})).refused(404, "page_not_found");
        preview(client, json!({"text": "a", "page_id": "p", "branch_id": "other"}))
            .refused(400, "invalid_variable_context");
    });
}

#[test]
fn the_deviations_of_b11_hold() {
    both(|client| {
        client.make_session("s");
        client.case("a: malformed JSON is a bad request");
        client.ask("POST", "/sessions/s/prompt-runtime/preview").text("application/json", "{\"text\": ").send().is(400);
        client.case("e: chat values are seen");
        client.set(chat("s"), "c", 1).is(201);
        assert_eq!(text(client, "{{getvar::c}}{{.c}}"), "11");
        client.case("f: macros in arguments");
        client.set(branch("s", "main"), "k", "c").is(201);
        assert_eq!(
            text(client, "{{getvar::{{getvar::k}}}} {{setvar::{{.k}}2::v}}{{.c2}} {{setvar::j::{\"a\":1}}}{{.j}}"),
            "1 v {\"a\":1}"
        );
        client.case("h: integers beyond 2^53");
        client.ask("PUT", "/variables").text("application/json", "{\"scope\":\"branch\",\"session_id\":\"s\",\"branch_id\":\"main\",\"key\":\"big\",\"value\":9007199254740993}").send().is(201);
        assert_eq!(text(client, "{{getvar::big}} {{incvar::big}}"), "9007199254740993 9007199254740994");
        client.case("i: __proto__");
        assert_eq!(text(client, "{{setvar::x.__proto__.p::1}}{{getvar::x}}"), "{\"__proto__\":{\"p\":\"1\"}}");
        client.case("l: unknown routes have the same envelope");
        client.post("/sessions/s/prompt-runtime/nothing", json!({})).refused(404, "route_not_found");
        client.case("m: a preview writes nothing");
        let before = client.get("/variables").is(200).text.clone();
        text(client, "{{setvar::a::1}}{{setglobalvar::b::1}}{{deletevar::c}}");
        assert_eq!(client.get("/variables").is(200).text, before);
        client.case("a value is data");
        client.set(branch("s", "main"), "evil", "{{setvar::owned::1}}{{getvar::c}}").is(201);
        let answer = preview(client, json!({"text": "{{getvar::evil}}{{evil}}{{setvar::copy::{{.evil}}}}{{.copy}}"}));
        answer.is(200).has("/text", "{{setvar::owned::1}}{{getvar::c}}".repeat(3));
        answer.has("/runtime_trace/macro/mutation_preview/0/key", "copy");
    });
}

#[test]
fn a_branch_that_does_not_exist_yet_is_previewed() {
    both(|client| {
        client.make_session("s");
        client.case("B69");
        client.set(chat("s"), "c", 1).is(201);
        client.set(branch("s", "main"), "b", 1).is(201);
        client.make_floor("s", "f1", json!({}));
        client.post("/floors/f1/generate", json!({})).is(200);
        client.post("/floors/f1/commit", json!({})).is(200);
        client.set(branch("s", "main"), "b", 2).is(200);
        let asked = json!({"text": "{{getvar::b}}|{{getvar::c}}", "branch_id": "new", "source_floor_id": "f1"});
        let answer = preview(client, asked.clone());
        answer.is(200).has("/text", "1|1").has("/scope/branch_exists", false).has("/scope/source_floor_id", "f1");
        answer.has("/scope/target_branch_id", "new").has("/scope/history_source_branch_id", "main");
        preview(client, json!({"text": "{{getvar::b}}"})).is(200).has("/text", "2").has("/scope/branch_exists", true);
        assert_eq!(client.get("/sessions/s/branches").is(200).data().as_array().map(Vec::len), Some(1));

        client.case("the same once it exists, and a fork of the fork");
        client.post("/floors/f1/branch", json!({"branch_id": "new"})).is(201);
        preview(client, asked).is(200).has("/text", "1|1").has("/scope/branch_exists", true);
        client.set(branch("s", "new"), "d", 4).is(201);
        client.make_floor("s", "f2", json!({"branch_id": "new"}));
        client.post("/floors/f2/generate", json!({})).is(200);
        client.post("/floors/f2/commit", json!({})).is(200);
        client.set(branch("s", "new"), "d", 5).is(200);
        let deeper = json!({"text": "{{.b}}{{.d}}{{.c}}", "branch_id": "deeper", "source_floor_id": "f2"});
        preview(client, deeper).is(200).has("/text", "141");

        client.case("B71: no position, no values");
        client.make_floor("s", "f3", json!({"state": "committed"}));
        let missing = json!({"text": "a", "branch_id": "other", "source_floor_id": "f3"});
        let answer = preview(client, missing);
        answer.refused(409, "branch_local_snapshot_missing");
        answer.saying("Source floor 'f3' in branch 'main' does not have a branch local snapshot");
        client.post("/floors/f3/branch", json!({"branch_id": "bare"})).is(201);
        preview(client, json!({"text": "a", "branch_id": "bare"})).refused(409, "branch_local_snapshot_missing");
        let unknown = json!({"text": "a", "branch_id": "other", "source_floor_id": "nowhere"});
        preview(client, unknown).refused(404, "source_floor_not_found");
    });
}

#[test]
fn messages_are_rendered_in_order() {
    both(|client| {
        client.make_session("s");
        let messages = json!([
            {"role": "system", "content": "{{setvar::n::1}}你好"},
            {"role": "user", "content": "{{.n}}{{incvar::n}} {{unknown}}"},
            {"role": "assistant", "content": ""}]);
        let answer = preview(client, json!({"messages": messages}));
        answer.is(200).has("/text", "你好\n12 {{unknown}}\n");
        answer.has(
            "/messages/1",
            json!({"role": "user", "content": "12 {{unknown}}", "size": {"characters": 14, "tokens_estimated": 4}}),
        );
        answer.has("/messages/0/size", json!({"characters": 2, "tokens_estimated": 2}));
        let warning = answer.data()["runtime_trace"]["macro"]["warnings"][2].clone();
        assert_eq!((&warning["code"], &warning["message_index"]), (&json!("macro_unknown"), &json!(1)));
        assert_eq!((&warning["start"], &warning["end"]), (&json!(20), &json!(31)));
        client.case("time and chance are values");
        let asked = json!({"text": "{{date}} {{time}} {{weekday}} {{roll::1d100}} {{random::a::b::c::d}}", "now": 1_729_972_800_000_i64,
            "utc_offset_minutes": 480, "seed": 7});
        let first = preview(client, asked.clone()).is(200).data();
        assert!(first["text"].as_str().unwrap().starts_with("2024-10-27 04:00 Sunday "), "{first}");
        assert_eq!(preview(client, asked).is(200).data()["text"], first["text"]);
        assert_eq!(first["seed"], 7);
    });
}

#[test]
fn the_last_message_with_a_table_is_read() {
    both(|client| {
        client.make_session("s");
        let ask = |more: Value| {
            let asked = merge(json!({"text": "{{get_message_variable::x}} {{format_message_variable::y}}"}), more);
            preview(client, asked).is(200).data()["text"].clone()
        };
        assert_eq!(ask(json!({})), "null null");
        for (name, number) in [("f1", 0), ("f2", 1)] {
            client.make_floor("s", name, json!({"floor_no": number}));
            client.make_page(name, &format!("p{name}"), json!({}));
        }
        client.set(floor("f1"), "x", "first").is(201);
        client.set(page("pf1"), "y", 1).is(201);
        client.post("/floors/f1/generate", json!({})).is(200);
        client.post("/floors/f1/commit", json!({})).is(200);
        client.case("without a page, and for the next page, which has no variables yet");
        assert_eq!(ask(json!({})), "first 1");
        assert_eq!(ask(json!({"page_id": "pf2"})), "first 1");
        client.case("tables are not mixed: the last one counts alone");
        client.set(page("pf2"), "x", "second").is(201);
        assert_eq!(ask(json!({})), "second null");
        assert_eq!(ask(json!({"page_id": "pf2"})), "second null");
        assert_eq!(ask(json!({"page_id": "pf1"})), "first 1");
        client.case("a branch that does not exist yet");
        assert_eq!(ask(json!({"branch_id": "new", "source_floor_id": "f1"})), "first 1");
        client.case("writes of the same text are seen");
        let text = "{{setvar::cv2::1}}{{get_chat_variable::cv2}}";
        preview(client, json!({"text": text})).is(200).has("/text", "1");
    });
}

#[test]
fn a_source_floor_is_for_a_new_branch() {
    both(|client| {
        client.make_session("s");
        client.make_floor("s", "f", json!({}));
        client.make_page("f", "p", json!({}));
        client.post("/floors/f/generate", json!({})).is(200);
        client.post("/floors/f/commit", json!({})).is(200);
        for more in [json!({}), json!({"branch_id": "main"}), json!({"page_id": "p"})] {
            let asked = merge(json!({"text": "a", "source_floor_id": "f"}), more);
            let answer = preview(client, asked);
            answer.refused(400, "invalid_variable_context");
            let message = answer.body["error"]["message"].as_str().unwrap_or_default();
            assert!(message.contains("does not exist yet"), "{message}");
        }
    });
}

/// What macros do with large values costs a bounded amount of work, whatever the prompt repeats.
#[test]
fn large_values_cost_a_bounded_amount() {
    both(|client| {
        client.make_session("s");
        let big: serde_json::Map<String, Value> =
            (0..20_000).map(|number| (format!("k{number}"), json!(number))).collect();
        client.set(branch("s", "main"), "big", Value::Object(big.clone())).is(201);
        client.set(branch("s", "main"), "txt", Value::Object(big).to_string()).is(201);
        assert_eq!(text(client, &"{{getvarkey::txt::k1}}".repeat(2_000)), "1".repeat(2_000));
        let answer = preview(client, json!({"text": "{{.big == 1}}".repeat(5_000)}));
        let answer = answer.is(200).data();
        assert_eq!(answer["runtime_trace"]["macro"]["warnings"][0]["code"], "macro_step_limit_exceeded");
        let answer = preview(client, json!({"text": "{{setvar::big.k1::2}}".repeat(1_500)})).is(200).data();
        let writes = answer["runtime_trace"]["macro"]["mutation_preview"].as_array().unwrap().len();
        assert!((1..=128).contains(&writes), "{writes}");
    });
}
