//! Views in prompts, and prompt kits.

use super::prompt::{codes, fixed, preview};
use crate::support::tree::merge;
use crate::support::{Client, both, branch};
use serde_json::{Value, json};

fn turn(client: &Client, page: &str, content: &str) -> Value {
    let turn = json!({"role": "assistant", "content": content, "page_id": page});
    client.post("/sessions/s/turns", turn).is(201).data()
}

/// A session with views, and a template.
fn furnish(client: &Client) {
    let ranges =
        json!([{"below": 20, "text": "络络很冷淡。"}, {"below": 60, "text": "络络是朋友。"}, {"text": "络络是恋人。"}]);
    let views = json!({
        "status": {"paths": ["络络"], "texts": [{"path": "络络.亲密度", "ranges": ranges},
            {"when": "世界.天气 == \"雨\" and 世界.天 >= 3", "text": "今天下雨。"}]},
        "news": {"changed_since": -1, "format": "json"},
        "small": {"budget": 16, "format": "compact", "priority": {"世界": 5}}});
    let template = json!({"络络": {"亲密度": 10, "_id": 7}, "世界": {"天": 3, "天气": "雨"}});
    client
        .post("/sessions", json!({"id": "s", "profile": {"base": "default", "views": views}, "template": template}))
        .is(201);
}

#[test]
fn views_show_the_state_in_a_prompt() {
    both(|client| {
        furnish(client);
        client.case("before the first turn the template is shown");
        let asked = json!({"text": "<state>\n{{view::status}}\n</state>"});
        let answer = preview(client, asked.clone());
        answer.is(200).has("/text", "<state>\n络络:\n  亲密度: 10\n络络很冷淡。\n今天下雨。\n</state>");
        answer.has("/state", json!({"snapshot_id": null, "page_id": null, "floor_id": null, "fresh": true}));
        answer.has(
            "/views",
            json!([{"name": "status", "changed_since": null, "dropped": [],
            "size": {"characters": 26, "tokens_estimated": 19}}]),
        );
        let turn = turn(client, "p1", "@.SET(\"络络.亲密度\", 40); @.SET(\"世界.天气\", \"晴\");");
        let answer = preview(client, asked);
        answer.is(200).has("/text", "<state>\n络络:\n  亲密度: 40\n络络是朋友。\n</state>");
        answer.has("/state/page_id", "p1").has("/state/snapshot_id", turn["snapshot_id"].clone());
        client.case("what changed");
        let news = json!({"text": "{{view::news}} {{view::news::0}} {{view::news::9}}"});
        let answer = preview(client, news.clone());
        answer.is(200);
        assert_eq!(
            answer.data()["text"],
            "{\"络络\":{\"亲密度\":40},\"世界\":{\"天\":3,\"天气\":\"晴\"}} {} {{view::news::9}}"
        );
        assert_eq!(codes(&answer), ["macro_value_missing"]);
        turn_two(client);
        preview(client, json!({"text": "{{view::news}}"})).is(200).has("/text", "{\"世界\":{\"天\":4}}");
        client.case("a budget, and what it drops");
        let answer = preview(client, json!({"text": "{{view::small}}"}));
        answer.is(200).has("/text", "世界:\n 天:4\n 天气:晴").has("/views/0/dropped", json!(["络络"]));
        client.case("the state as a variable");
        let text = "{{vs_stat_data.世界.天}} {{getvar::vs_stat_data.世界.天}} {{vs_get::世界.天}} {{get_message_variable::stat_data.世界.天}}";
        preview(client, json!({"text": text})).is(200).has("/text", "4 4 4 4");
        client.case("a page that is generated builds on the page before it");
        client.make_floor("s", "f", json!({}));
        client.make_page("f", "p", json!({}));
        client.post("/floors/f/generate", json!({})).is(200);
        let answer = preview(client, json!({"text": "{{vs_get::世界.天}}", "page_id": "p"}));
        answer
            .is(200)
            .has("/text", "4")
            .has("/state/page_id", "p2")
            .has("/state/fresh", true)
            .has("/scope/page_id", "p");
        client.post("/floors/f/fail", json!({})).is(200);
        client.case("an unknown view stays");
        let answer = preview(client, json!({"text": "{{view::zz}}"}));
        answer.is(200).has("/text", "{{view::zz}}");
        assert_eq!(codes(&answer), ["macro_unknown"]);
        client.case("a branch that does not exist yet sees the state of its source floor");
        let floor = turn["floor_id"].clone();
        let asked = json!({"text": "{{vs_get::世界.天}}", "branch_id": "new", "source_floor_id": floor});
        client.post("/sessions/s/prompt-runtime/preview", fixed(asked)).is(200).has("/text", "3");
    });
}

#[test]
fn views_that_can_show_nothing_are_refused() {
    both(|client| {
        let create =
            |view: Value| client.post("/sessions", json!({"profile": {"base": "default", "views": {"v": view}}}));
        for path in ["a..b", "", ".a", "a."] {
            create(json!({"paths": ["ok", path]})).invalid_at("/profile/views/v/paths/1");
        }
        create(json!({"priority": {"a..b": 1}})).invalid_at("/profile/views/v/priority");
        let stages = json!({"texts": [{"path": "a..b", "ranges": [{"text": "x"}]}]});
        create(stages).invalid_at("/profile/views/v/texts/0/path");
        create(json!({"paths": ["a.b[0][\"c.d\"]", "/a//b"]})).is(201);
        client.case("a condition that is too long says so");
        let long = vec!["a"; 200].join(" and ");
        let answer = create(json!({"when": long}));
        answer.invalid_at("/profile/views/v/when");
        assert!(answer.body.to_string().contains("at most 4096 bytes, 256 words"), "{}", answer.body);
        let longest = vec!["a"; 5000].join(" and ");
        let answer = create(json!({"when": longest}));
        assert!(answer.body.to_string().contains("is too long"), "{}", answer.body);
        create(json!({"when": "a +"})).invalid_at("/profile/views/v/when");
    });
}

fn turn_two(client: &Client) {
    turn(client, "p2", "@.ADD(\"世界.天\", 1);");
}

#[test]
fn a_kit_has_what_a_model_is_sent() {
    both(|client| {
        furnish(client);
        turn(client, "p1", "@.ADD(\"络络.亲密度\", 1); @.FLY(1); @.SET(\"络络._id\", 8);");
        let answer = client.get("/sessions/s/prompt-kit");
        answer.is(200).has("/session_id", "s").has("/branch_id", "main").has("/profile", "default");
        answer.has("/view/name", "status").has("/view/text", "络络:\n  亲密度: 11\n络络很冷淡。\n今天下雨。");
        answer.has("/note", Value::Null).has("/state/page_id", "p1");
        let rules = answer.data()["rules"]["text"].as_str().unwrap().to_owned();
        assert!(
            rules.contains("@.SET(\"络络.亲密度\", 12);") && rules.contains("_.set('络络.亲密度', 11, 12);//"),
            "{rules}"
        );
        assert!(rules.contains("{\"op\":\"replace\",\"path\":\"/络络/亲密度\",\"value\":12}"), "{rules}");
        let sizes = ["/view/size/characters", "/functions/size/characters", "/rules/size/characters"];
        let sum: u64 = sizes.iter().filter_map(|at| answer.body["data"].pointer(at)?.as_u64()).sum();
        answer.has("/size/characters", sum);
        client.case("the functions of the library");
        let function = json!({"name": "SPARKLE", "type": "active", "signature": "@.SPARKLE(n);", "description": "makes light",
            "executor": "return variables;"});
        client.post("/functions", function).is(201);
        let functions = client.get("/sessions/s/prompt-kit").is(200).data()["functions"]["text"].clone();
        assert!(functions.as_str().is_some_and(|text| text.contains("@.SPARKLE(n);")), "{functions}");
        client.case("other views, and what changed since a floor");
        client.get("/sessions/s/prompt-kit?view=small").is(200).has("/view/dropped", json!(["络络"]));
        client.get("/sessions/s/prompt-kit?view=news&changed_since=0").is(200).has("/view/text", "{}");
        client.get("/sessions/s/prompt-kit?view=zz").refused(404, "view_not_found");
        client.get("/sessions/s/prompt-kit?changed_since=9").refused(404, "floor_not_found");
        client.get("/sessions/s/prompt-kit?branch_id=zz").refused(404, "branch_not_found");
        client.get("/sessions/zz/prompt-kit").refused(404, "session_not_found");
        client.case("another swipe of a floor: the state before it");
        turn_two(client);
        let before = |floor: i64| client.get(&format!("/sessions/s/prompt-kit?view=news&before_floor={floor}"));
        before(0).is(200).has("/state/page_id", Value::Null);
        before(1)
            .is(200)
            .has("/state/page_id", "p1")
            .has("/view/text", "{\"络络\":{\"亲密度\":11},\"世界\":{\"天\":3,\"天气\":\"雨\"}}");
        before(2).is(200).has("/state/page_id", "p2").has("/view/text", "{\"世界\":{\"天\":4}}");
        client.case("there is no floor between the last one and that number");
        before(9).refused(404, "floor_not_found");
        before(3).refused(404, "floor_not_found");
        before(-1).invalid_at("/before_floor");
        client.delete("/pages/p2").is(200);
        client.case("the note is off by default, and comes from the stored outcome");
        let before = client.get("/sessions/s/state").is(200).data();
        client.patch("/sessions/s", json!({"profile": {"base": "default", "note": true}})).is(200);
        let note = client.get("/sessions/s/prompt-kit").is(200).data()["note"]["text"].as_str().unwrap().to_owned();
        assert!(note.starts_with("- `FLY` was refused (unknown_function)") && note.lines().count() == 2, "{note}");
        client.case("how a state is shown makes no page outdated");
        assert_eq!(client.get("/sessions/s/state").is(200).data(), before);
        client.case("a profile without views shows everything");
        let answer = client.get("/sessions/s/prompt-kit");
        answer
            .is(200)
            .has("/view/name", Value::Null)
            .has("/view/text", "络络:\n  亲密度: 11\n世界:\n  天: 3\n  天气: 雨");
    });
}

#[test]
fn views_are_checked_when_they_are_written() {
    both(|client| {
        let refused = |view: Value, at: &str, words: &str| {
            let profile = json!({"base": "default", "views": {"v": view}});
            let answer = client.post("/sessions", json!({"profile": profile}));
            answer.invalid_at(&format!("/profile/views/v{at}")).invalid(words);
        };
        refused(json!([]), "", "a view is an object");
        refused(json!({"format": "xml"}), "/format", "must be one of json, yaml, compact");
        refused(json!({"colour": 1}), "/colour", "a view has no field");
        refused(json!({"when": "a +"}), "/when", "is no condition");
        refused(json!({"budget": 0}), "/budget", "above 0");
        refused(json!({"texts": [{"text": "a", "path": "b"}]}), "/texts/0", "either");
        refused(
            json!({"texts": [{"path": "b", "ranges": [{"from": "x", "text": ""}]}]}),
            "/texts/0/ranges/0/from",
            "must be a number",
        );
        let many: Value =
            (0..33).map(|number| (format!("v{number}"), json!({}))).collect::<serde_json::Map<_, _>>().into();
        client.post("/sessions", json!({"profile": {"views": many}})).invalid("cannot have this value");
        client.post("/sessions", json!({"profile": {"note": "yes"}})).refused(400, "validation_error");
    });
}

/// The loop of the documentation: a user writes, the kit is read, the model is asked, its reply is a turn.
#[test]
fn a_kit_speaks_of_the_last_reply_whoever_wrote_last() {
    both(|client| {
        let classic = "_.set('络络.好感', 1, 2);//nice\n_.add('络络', 1);//wrong";
        let rows = [
            ("default", "@.SET(\"络络.好感\", 2); @.FLY(1);", json!({"络络": {"好感": 1}}), "{\"络络\":{\"好感\":2}}"),
            ("mvu", classic, json!({"络络": {"好感": 1}}), "{\"络络\":{\"好感\":2}}"),
            ("mvu_zod", classic, json!({"络络": {"好感": 1}}), "{\"络络\":{\"好感\":2}}"),
            ("memory", "set_status('时间', '20:00');\nset_status('没有.这个', '1');", Value::Null, "20:00"),
        ];
        for (profile, reply, template, changed) in rows {
            client.case(profile);
            let views = json!({"news": {"changed_since": -1, "format": "json"}});
            let mut session = json!({"id": profile, "profile": {"base": profile, "note": true, "views": views}});
            if !template.is_null() {
                session["template"] = template;
            }
            client.post("/sessions", session).is(201);
            let turn = |role: &str, content: &str| {
                let turn = json!({"role": role, "content": content});
                client.post(&format!("/sessions/{profile}/turns"), turn).is(201);
            };
            let kit = || client.get(&format!("/sessions/{profile}/prompt-kit")).is(200).data();
            turn("user", "Hello.");
            assert_eq!(kit()["note"]["text"], "", "nobody has replied yet");
            turn("assistant", reply);
            let before = kit();
            turn("user", "And then?");
            let after = kit();
            let note = after["note"]["text"].as_str().unwrap();
            assert!(note.lines().count() == 1 && note.contains("was refused"), "{note}");
            let view = after["view"]["text"].as_str().unwrap();
            assert!(view.contains(changed), "{view}");
            assert_eq!((&after["note"], &after["view"]), (&before["note"], &before["view"]));
            let text = json!({"text": "{{view::news}}"});
            let shown = client.post(&format!("/sessions/{profile}/prompt-runtime/preview"), fixed(text)).is(200).data();
            if profile != "memory" {
                assert_eq!(shown["text"], view, "the same in a prompt");
            }
        }
    });
}

#[test]
fn a_kit_teaches_what_its_profile_reads() {
    both(|client| {
        client.post("/sessions", json!({"id": "s", "profile": "mvu", "template": {"金币": [5, "手里的钱"]}})).is(201);
        let kit = client.get("/sessions/s/prompt-kit").is(200).data();
        assert_eq!(kit["functions"], Value::Null, "no built-in function can be called there");
        let rules = kit["rules"]["text"].as_str().unwrap();
        assert!(!rules.contains("@.") && rules.contains("_.set('金币', 5, 6);//"), "{rules}");
        client.case("what an author calls by a pattern of their own is read in any profile");
        let function = |name: &str, more: Value| {
            let function = json!({"name": name, "type": "active", "description": "d", "executor": "return variables;"});
            client.post("/functions", merge(function, more)).is(201);
        };
        function("GLOW", json!({"pattern": "<glow (\\d+)>", "example": "<glow 3>"}));
        function("SPARKLE", json!({"signature": "@.SPARKLE(n);"}));
        let functions = client.get("/sessions/s/prompt-kit").is(200).data()["functions"]["text"].clone();
        let functions = functions.as_str().unwrap();
        assert!(functions.contains("<glow 3>") && !functions.contains("@."), "{functions}");
    });
}

/// Lines of a kit that are commands and stand for nothing else.
fn examples(rules: &str) -> Vec<String> {
    let (starts, stands_for) = (["@.", "_.", "<JSONPatch>[{"], ["\"path\",", "\"path\")", "'path'"]);
    let lines = rules.lines().filter(|line| starts.iter().any(|start| line.starts_with(start)));
    lines.filter(|line| !stands_for.iter().any(|word| line.contains(word))).map(str::to_owned).collect()
}

#[test]
fn what_a_kit_teaches_its_session_accepts() {
    both(|client| {
        let schema = json!({"additionalProperties": false, "properties": {
            "锁": {"type": "integer", "readOnly": true}, "满": {"type": "integer", "maximum": 5},
            "名": {"const": "络络"}, "列": {"type": "array", "items": {"type": "integer"}}}});
        let template = json!({"锁": 1, "满": 5, "名": "络络", "列": [7]});
        let profiles = [
            ("default", json!({"schema": schema})),
            ("strict", json!({"base": "strict", "schema": schema})),
            ("zod", json!({"base": "mvu_zod", "schema": schema})),
            ("off", json!({"schema": schema, "disabled": ["SET", "add"]})),
        ];
        for (name, profile) in profiles {
            client.case(name);
            let session = |id: &str| {
                client.post("/sessions", json!({"id": id, "profile": profile, "template": template})).is(201);
            };
            session(name);
            let kit = client.get(&format!("/sessions/{name}/prompt-kit")).is(200).data();
            let rules = kit["rules"]["text"].as_str().unwrap();
            let taught = examples(rules);
            assert!(taught.len() >= 3 && !rules.contains("\"锁\"") && !rules.contains("锁'"), "{rules}");
            for (number, example) in taught.iter().enumerate() {
                let id = format!("{name}{number}");
                session(&id);
                let turn = json!({"role": "assistant", "content": example});
                let turn = client.post(&format!("/sessions/{id}/turns"), turn).is(201).data();
                let commands = turn["commands"].as_array().expect("a list");
                let applied = commands.iter().all(|command| command["status"] == "applied");
                assert!(!commands.is_empty() && applied && turn["problems"] == json!([]), "{example}: {turn}");
            }
            let functions = kit["functions"]["text"].as_str().unwrap_or_default();
            let is_off = name == "off";
            assert_eq!(functions.contains("@.SET("), name != "zod" && !is_off, "{functions}");
            assert!(!is_off || !(rules.contains("@.SET(") || rules.contains("_.add(")), "{rules}");
        }
        client.case("what MVU's schema of the template locks is no example, and what it leaves open is one");
        let locked = json!({"base": "mvu", "mvu_schema": true});
        let templates = [
            ("locked", json!({"o": {"n": 3, "bag": [1, 2, 3]}}), locked, false),
            ("open", json!({"n": 3, "bag": ["x", "y", "z", "$__META_EXTENSIBLE__$"]}), json!("mvu"), true),
        ];
        for (id, template, profile, is_open) in templates {
            client.post("/sessions", json!({"id": id, "profile": profile, "template": template})).is(201);
            let kit = client.get(&format!("/sessions/{id}/prompt-kit")).is(200).data();
            let rules = kit["rules"]["text"].as_str().unwrap();
            assert_eq!(rules.contains("bag/-"), is_open, "{rules}");
            for example in examples(rules) {
                let turn = json!({"role": "assistant", "content": example});
                let turn = client.post(&format!("/sessions/{id}/turns"), turn).is(201).data();
                let commands = turn["commands"].as_array().expect("a list");
                assert!(commands.iter().all(|command| command["status"] != "refused"), "{example}: {turn}");
            }
        }
        client.case("what the library switches off is not taught either");
        client.patch("/functions/builtin:ADD", json!({"enabled": false})).is(200);
        let kit = client.get("/sessions/default/prompt-kit").is(200).data();
        let (rules, functions) = (kit["rules"]["text"].as_str().unwrap(), kit["functions"]["text"].as_str().unwrap());
        assert!(!rules.contains("@.ADD(") && rules.contains("@.SET(") && rules.contains("_.add("), "{rules}");
        assert!(!functions.contains("@.ADD("), "{functions}");
        client.case("a function of the author's own has its own description");
        let function = json!({"name": "SET", "type": "active", "signature": "@.SET(mine);", "description": "d",
            "executor": "return variables;"});
        client.post("/functions", function).is(201);
        let kit = client.get("/sessions/default/prompt-kit").is(200).data();
        let (rules, functions) = (kit["rules"]["text"].as_str().unwrap(), kit["functions"]["text"].as_str().unwrap());
        assert!(!rules.contains("@.SET(") && functions.contains("@.SET(mine);"), "{rules}\n{functions}");
    });
}

#[test]
fn views_are_found_in_any_spelling() {
    both(|client| {
        furnish(client);
        turn(client, "p1", "@.SET(\"络络.亲密度\", 40);");
        turn_two(client);
        client.set(branch("s", "main"), "f", 0).is(201);
        let changed = "{\"世界\":{\"天\":4}}";
        for text in [
            "{{view::news::0}}",
            "{{ view :: news :: 0 }}",
            "{{view news 0}}",
            "{{view::news::{{getvar::f}}}}",
            "{{setvar::x::{{view::news::0}}}}{{.x}}",
        ] {
            let answer = preview(client, json!({"text": text}));
            answer.is(200).has("/text", changed);
        }
        client.case("before the floor is there, kit and prompt show everything");
        let views = json!({"v": {"changed_since": 0, "format": "json"}});
        let profile = json!({"base": "default", "views": views});
        client.post("/sessions", json!({"id": "new", "profile": profile, "template": {"a": 1}})).is(201);
        client.get("/sessions/new/prompt-kit").is(200).has("/view/text", "{\"a\":1}");
        let asked = fixed(json!({"text": "{{view::v}}"}));
        client.post("/sessions/new/prompt-runtime/preview", asked).is(200).has("/text", "{\"a\":1}");
    });
}
