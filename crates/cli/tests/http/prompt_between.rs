//! Writes between a prompt and its commit: what the macros never named stays.

use super::prompt::{codes, preview};
use super::prompt_writes::{MAIN, begin, commit, own, render};
use crate::support::{Client, both, branch, chat, global};
use serde_json::{Value, json};

/// The decision about each staged write of a page, by key: none for those that were applied.
fn refused(client: &Client, page: &str) -> Vec<(String, String)> {
    let items = client.get(&format!("/pages/{page}/variables/staged")).is(200).data()["items"].clone();
    let items = items.as_array().expect("a list").iter().filter(|item| item["status"] == "rejected");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    items.map(|item| (text(&item["key"]), text(&item["decision_reason"]))).collect()
}

fn rows<const N: usize>(rows: [(&str, Value); N]) -> Vec<(String, Value)> {
    rows.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

#[test]
fn a_write_inside_a_value_leaves_the_other_members_alone() {
    both(|client| {
        client.make_session("s");
        let before = [
            ("资产", json!({"金币": 3, "银币": 5})),
            ("deleted", json!({"a": 1, "b": 1})),
            ("members", json!({"a": 1, "b": 1})),
            ("text", json!("{\"a\":1,\"b\":1}")),
            ("list", json!(["a", "b"])),
            ("two", json!({"a": 1, "b": 1, "c": 1})),
            ("deep", json!({"x": {"y": 1, "z": 1}})),
        ];
        for (key, value) in before {
            client.set(branch("s", "main"), key, value).is(201);
        }
        client.set(global(), "账户", json!({"余额": 8, "级": 1})).is(201);
        client.set(chat("s"), "of_chat", json!({"a": 1, "b": 1})).is(201);
        begin(client, "f", "p");
        let text = "{{setvar::资产.金币::30}}{{deletevar::deleted.a}}{{setvarkey::members::a::2}}{{setvarkey::text::a::2}}\
            {{.list[1] = z}}{{.two.a = 2}}{{setvar::two.b::2}}{{incvar::two.a}}{{setvarkey::deep.x::y::2}}\
            {{setglobalvar::账户.余额::9}}{{setvar::of_chat.a::2}}{{setvar::fresh.a::1}}{{.资产}}";
        render(client, "p", text).is(200).has("/text", "3{\"金币\":30,\"银币\":5}");
        client.case("other members are written before the commit");
        let between = [
            ("资产", json!({"金币": 3, "银币": 99})),
            ("deleted", json!({"a": 1, "b": 99})),
            ("members", json!({"a": 1, "b": 99, "new": 1})),
            ("text", json!("{\"a\":1,\"b\":99}")),
            ("list", json!(["new", "b"])),
            ("two", json!({"a": 1, "b": 1, "c": 99})),
            ("deep", json!({"x": {"y": 1, "z": 99}, "new": 1})),
            ("fresh", json!({"b": 99})),
        ];
        for (key, value) in between {
            client.set(branch("s", "main"), key, value).has("/key", key);
        }
        client.set(global(), "账户", json!({"余额": 8, "级": 99})).is(200);
        client.set(chat("s"), "of_chat", json!({"a": 1, "b": 99})).is(200);
        commit(client, "f");
        let now = [
            ("deep", json!({"x": {"y": 2, "z": 99}, "new": 1})),
            ("deleted", json!({"b": 99})),
            ("fresh", json!({"b": 99, "a": "1"})),
            ("list", json!(["new", "z"])),
            ("members", json!({"a": 2, "b": 99, "new": 1})),
            ("of_chat", json!({"a": 2, "b": 99})),
            ("text", json!("{\"a\":2,\"b\":99}")),
            ("two", json!({"a": 3, "b": 2, "c": 99})),
            ("资产", json!({"金币": 30, "银币": 99})),
        ];
        assert_eq!(own(client, MAIN), rows(now));
        assert_eq!(own(client, "scope=global"), rows([("账户", json!({"余额": 9, "级": 99}))]));
        assert_eq!(refused(client, "p"), []);
    });
}

#[test]
fn a_write_inside_a_value_is_refused_where_there_is_no_such_place_any_more() {
    both(|client| {
        client.make_session("s");
        for (key, value) in [
            ("set", json!({"a": 1})),
            ("gone", json!({"a": 1})),
            ("deleted", json!({"a": 1, "b": 1})),
            ("list", json!(["a", "b"])),
            ("shrunk", json!(["a", "b", "c"])),
            ("member", json!({"a": 1})),
        ] {
            client.set(branch("s", "main"), key, value).is(201);
        }
        begin(client, "f", "p");
        let text = "{{setvar::set.a::2}}{{setvar::gone.a::2}}{{deletevar::deleted.a}}{{deletevar::list[0]}}{{setvar::shrunk[2]::z}}\
            {{setvarkey::member::a::2}}";
        render(client, "p", text).is(200).has("/text", "");
        client.set(branch("s", "main"), "set", "a text").is(200);
        client.delete(&format!("/variables?{MAIN}&key=gone")).is(200);
        client.set(branch("s", "main"), "deleted", json!({"b": 99})).is(200);
        client.set(branch("s", "main"), "list", json!(["new", "a", "b"])).is(200);
        client.set(branch("s", "main"), "shrunk", json!(["a"])).is(200);
        client.set(branch("s", "main"), "member", 7).is(200);
        commit(client, "f");
        let now = [
            ("deleted", json!({"b": 99})),
            ("gone", json!({"a": "2"})),
            ("list", json!(["new", "a", "b"])),
            ("member", json!(7)),
            ("set", json!("a text")),
            ("shrunk", json!(["a"])),
        ];
        assert_eq!(own(client, MAIN), rows(now));
        client.case("what was not done says why; of a list another item than the prompt saw is not deleted");
        let not = |reason: &str| format!("macro_change_not_{reason}");
        let expected = [
            ("set", not("applicable")),
            ("deleted", not("needed")),
            ("list", not("applicable")),
            ("shrunk", not("applicable")),
            ("member", not("applicable")),
        ];
        assert_eq!(refused(client, "p"), expected.map(|(key, reason)| (key.to_owned(), reason)));
    });
}

#[test]
fn an_operator_that_writes_where_nothing_is_leaves_what_came_in_between() {
    both(|client| {
        client.make_session("s");
        client.set(branch("s", "main"), "untrue", 0).is(201);
        client.set(branch("s", "main"), "still_untrue", 0).is(201);
        client.set(branch("s", "main"), "null", Value::Null).is(201);
        client.set(branch("s", "main"), "o", json!({"b": 1})).is(201);
        begin(client, "f", "p");
        let text = "{{.zz ??= 5}}{{.still ??= 5}}{{.untrue ||= 5}}{{.still_untrue ||= 5}}{{.null ??= 5}}{{.o.a ??= 5}}{{.o.c ??= 5}}\
            {{$zz ??= 5}}{{deletevar::mine}}{{.mine ??= 5}}{{incvar::zz}}";
        render(client, "p", text).is(200).has("/text", "5555555556");
        client.set(branch("s", "main"), "zz", "mine").is(201);
        client.set(branch("s", "main"), "untrue", 7).is(200);
        client.set(branch("s", "main"), "still_untrue", false).is(200);
        client.set(branch("s", "main"), "o", json!({"a": "mine", "b": 99})).is(200);
        client.set(branch("s", "main"), "mine", "deleted by the prompt").is(201);
        client.set(global(), "zz", "mine").is(201);
        commit(client, "f");
        let now = [
            ("mine", json!("5")),
            ("null", json!("5")),
            ("o", json!({"a": "mine", "b": 99, "c": "5"})),
            ("still", json!("5")),
            ("still_untrue", json!("5")),
            ("untrue", json!(7)),
            ("zz", json!("mine")),
        ];
        assert_eq!(own(client, MAIN), rows(now));
        assert_eq!(own(client, "scope=global"), rows([("zz", json!("mine"))]));
        let (needed, applicable) = ("macro_change_not_needed", "macro_change_not_applicable");
        let expected = [("zz", needed), ("untrue", needed), ("o", needed), ("zz", needed), ("zz", applicable)];
        assert_eq!(refused(client, "p"), expected.map(|(key, reason)| (key.to_owned(), reason.to_owned())));
    });
}

#[test]
fn inside_a_macro_without_an_end_nothing_is_written() {
    both(|client| {
        client.make_session("s");
        client.set(branch("s", "main"), "n", 5).is(201);
        begin(client, "f", "p");
        for text in [
            "{{setvar::a::{{incvar::c}}",
            "{{getvar {{setvar::x::1}}",
            "{{ {{.x = 1}}{{$y++}}",
            "{{a {{setvar::x}}1{{/setvar}}",
        ] {
            let answer = render(client, "p", text);
            answer.is(200).has("/text", text).has("/runtime_trace/macro/staged_mutations", json!([]));
            assert!(codes(&answer).iter().all(|code| code == "macro_parse_failed"), "{text}");
            let answer = preview(client, json!({"text": text}));
            answer.is(200).has("/text", text).has("/runtime_trace/macro/mutation_preview", json!([]));
        }
        client.case(
            "what reads is shown, as SillyTavern does it; what stands before it and in other messages is written",
        );
        let messages = [
            json!({"role": "system", "content": "{{incvar::before}}{{oops {{.n}}{{incvar::n}}"}),
            json!({"role": "user", "content": "{{incvar::n}}"}),
        ];
        let answer = preview(client, json!({"messages": messages}));
        answer.is(200).has("/messages/0/content", "1{{oops 5{{incvar::n}}").has("/messages/1/content", "6");
        assert_eq!(codes(&answer), ["macro_parse_failed", "macro_parse_failed"]);
    });
}
