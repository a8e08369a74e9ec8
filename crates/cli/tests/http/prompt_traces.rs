//! What a preview says about the macros: what they looked at, and what is worth a look.

use super::prompt::{codes, fixed, preview};
use crate::support::{both, branch};
use serde_json::json;

#[test]
fn a_trace_says_whether_there_was_a_value() {
    both(|client| {
        client.make_session("s");
        client.set(branch("s", "main"), "old", 1).is(201);
        client.set(branch("s", "main"), "o", json!({"a": 1})).is(201);
        let text = "{{setvar::brandnew::1}}{{deletevar::nothing}}{{incvar::newc}}{{deletevar::o.b}}{{setvar::o.c::1}}\
            {{setvar::brandnew::2}}{{setvar::old::2}}{{incvar::old}}{{setvar::o.a::2}}{{deletevar::o.a}}{{deletevar::old}}";
        let answer = preview(client, json!({"text": text}));
        let traces = answer.is(200).data()["runtime_trace"]["macro"]["traces"].clone();
        let traces = traces.as_array().expect("a list").iter();
        let found: Vec<_> = traces.map(|trace| (trace["path"].clone(), trace["found"].clone())).collect();
        let expected = [
            ("brandnew", false),
            ("nothing", false),
            ("newc", false),
            ("o.b", false),
            ("o.c", false),
            ("brandnew", true),
            ("old", true),
            ("old", true),
            ("o.a", true),
            ("o.a", true),
            ("old", true),
        ];
        assert_eq!(found, expected.map(|(path, found)| (json!(path), json!(found))));
    });
}

#[test]
fn warnings_say_what_is_missing() {
    both(|client| {
        client.make_session("s");
        for (text, code) in [
            ("{{vs_stat_data}}", "macro_value_missing"),
            ("{{vs_stat_data.a}}", "macro_value_missing"),
            ("{{vs_get::a}}", "macro_value_missing"),
            ("{{if}}a{{/if}}", "macro_condition_unsupported"),
            ("{{if 1}}a{{else}}b{{else}}c{{/if}}", "macro_unmatched_closing_block"),
            ("{{if 0}}a{{else}}b{{else}}c{{/if}}", "macro_unmatched_closing_block"),
        ] {
            let answer = preview(client, json!({"text": text}));
            answer.is(200).has("/text", text);
            assert_eq!(codes(&answer), [code], "{text}");
        }
        client.case("with a story they have values");
        client.post("/sessions", json!({"id": "t", "template": {"a": 1}})).is(201);
        let asked = json!({"text": "{{vs_stat_data}} {{vs_get::a}}{{vs_get::b}}"});
        let answer = client.post("/sessions/t/prompt-runtime/preview", fixed(asked));
        answer.is(200).has("/text", "{\"a\":1} 1");
        assert_eq!(codes(&answer), Vec::<String>::new());
    });
}
