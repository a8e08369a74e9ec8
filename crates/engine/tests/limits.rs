//! Hostile replies and arguments: the limits hold, each is named, and the rest is applied.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::limits::{
    CALL_BYTES_MAX, COMMANDS_MAX, DOCUMENT_BYTES_MAX, JSON_DEPTH_MAX, PATH_BYTES_MAX, PROBLEMS_MAX, REASON_BYTES_MAX,
    REFERENCE_BYTES_MAX, REFERENCE_LOOKUPS_MAX, REFERENCES_MAX, REPLY_BYTES_MAX, SCRATCH_NAME_BYTES_MAX, SIGNS_MAX,
    TAGS_MAX, TURN_WORK_MAX, VIEW_BYTES_MAX, VIEW_GONE_SEGMENTS_MAX,
};
use tavernkeep_engine::problem::Code;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::tools::definition::GroupDeclaration;
use tavernkeep_engine::tools::reference::{FoundValue, Lookup, ReferenceError, ReferenceOptions, Resolved, resolve};
use tavernkeep_engine::turn::{Outcome, Status, Turn, apply_reply};
use tavernkeep_engine::view::View;

fn apply(document: &str, reply: impl Into<String>) -> Outcome {
    apply_reply(Turn { document: Value::parse(document).unwrap(), reply: reply.into(), ..Turn::default() })
}

fn codes(outcome: &Outcome) -> Vec<Option<Code>> {
    let code = |status: &Status| match status {
        Status::Refused(refusal) => Some(refusal.code),
        _ => None,
    };
    outcome.results.iter().map(|result| code(&result.status)).collect()
}

#[test]
fn of_a_hundred_thousand_commands_the_first_ones_run() {
    let outcome = apply("{\"n\":0}", "@.ADD(\"n\", 1);\n".repeat(100_000));
    assert_eq!(outcome.document.to_json(), format!("{{\"n\":{COMMANDS_MAX}}}"));
    assert_eq!(outcome.problems.iter().map(|problem| problem.code).collect::<Vec<_>>(), [Code::Limit]);
}

#[test]
fn copies_cannot_double_forever() {
    let copies: Vec<String> = (0..60).map(|n| format!(r#"{{"op":"copy","from":"/a","path":"/a/c{n}"}}"#)).collect();
    let outcome = apply(r#"{"a":{"x":1}}"#, format!("<JSONPatch>[{}]</JSONPatch>", copies.join(",")));
    assert!(outcome.document.weight() <= DOCUMENT_BYTES_MAX);
    let codes = codes(&outcome);
    assert!(codes.iter().filter(|code| **code == Some(Code::Limit)).count() > 30, "{codes:?}");
    assert_eq!(codes[0], None);
}

#[test]
fn documents_cannot_nest_forever() {
    let deep = format!("@.SET(\"a\", {}1{});", "[".repeat(JSON_DEPTH_MAX + 1), "]".repeat(JSON_DEPTH_MAX + 1));
    let path = format!("@.SET(\"{}\", 1);", vec!["k"; JSON_DEPTH_MAX + 1].join("."));
    let nested = "<JSONPatch>[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/b\"}]</JSONPatch>".repeat(3);
    let outcome = apply(r#"{"a":{}}"#, format!("{deep}\n{path}\n{nested}@.SET(\"z\", 1);"));
    assert!(outcome.document.depth() <= JSON_DEPTH_MAX);
    assert_eq!(outcome.document.get("z"), Some(&Value::from(1)));
    assert_eq!(codes(&outcome)[1], Some(Code::Limit));
}

#[test]
fn what_is_too_deep_is_refused_and_not_taken_for_text() {
    let deep = format!("{}1{}", "[".repeat(JSON_DEPTH_MAX + 70), "]".repeat(JSON_DEPTH_MAX + 70));
    let operation = |path: &str, value: &str| format!(r#"{{"op":"replace","path":"/{path}","value":{value}}}"#);
    let patch = |open: &str| format!("<JSONPatch>[{},{}{open}</JSONPatch>", operation("a", &deep), operation("b", "2"));
    for (profile, reply) in [
        ("default", format!("@.SET(\"a\", {deep}); @.SET(\"b\", 2);")),
        ("default", format!("_.set('a', {deep}); _.set('b', 2);")),
        ("default", patch("]")),
        ("default", patch("")),
        ("mvu", format!("_.set('a', {deep}); _.set('b', 2);")),
        ("mvu", patch("]")),
    ] {
        let document = Value::parse(r#"{"a":1,"b":1}"#).unwrap();
        let profile = Profile::named(profile).unwrap();
        let outcome = apply_reply(Turn { document, reply: reply.clone(), profile: profile.into(), ..Turn::default() });
        assert_eq!(outcome.document.to_json(), r#"{"a":1,"b":2}"#, "{reply}");
        assert_eq!(codes(&outcome), [Some(Code::Limit), None], "{reply}");
    }
}

#[test]
fn paths_indices_and_replies_have_ends() {
    let long = format!("@.SET(\"{}\", 1);", "k".repeat(PATH_BYTES_MAX + 1));
    let outcome = apply(r#"{"l":[]}"#, format!("{long}@.SET(\"l[1000000000]\", 1);@.APPEND(\"l\", 1);"));
    assert_eq!(codes(&outcome), [Some(Code::Limit), Some(Code::OutOfRange), None]);
    assert_eq!(outcome.document.to_json(), r#"{"l":[1]}"#);
    let outcome = apply("{}", format!("@.SET(\"a\", 1);{}@.SET(\"b\", 1);", " ".repeat(REPLY_BYTES_MAX)));
    assert_eq!(outcome.document.to_json(), r#"{"a":1}"#);
    assert_eq!(outcome.problems[0].code, Code::Limit);
}

#[test]
fn hostile_keys_are_keys() {
    let keys = ["constructor", "prototype", "toString", "", " ", "\u{0}", "\u{202e}"];
    for key in keys {
        let pointer = format!("/o/{key}");
        let operation = [("op", Value::from("add")), ("path", Value::from(pointer)), ("value", Value::from(1))];
        let reply = format!("<JSONPatch>[{}]</JSONPatch>", operation.into_iter().collect::<Value>());
        let outcome = apply(r#"{"o":{}}"#, reply);
        assert_eq!(outcome.document.get("o").unwrap().get(key), Some(&Value::from(1)), "{key:?}");
    }
}

#[test]
fn a_key_of_javascript_is_read_only_like_any_other_with_an_underscore() {
    let reply = r#"<JSONPatch>[{"op":"add","path":"/o/__proto__","value":1}]</JSONPatch>"#;
    assert_eq!(codes(&apply(r#"{"o":{}}"#, reply)), [Some(Code::ReadOnly)]);
    let profile = Profile { underscore_read_only: false, ..Profile::default() };
    let document = Value::parse(r#"{"o":{}}"#).unwrap();
    let outcome = apply_reply(Turn { document, reply: reply.to_owned(), profile: profile.into(), ..Turn::default() });
    assert_eq!(outcome.document.to_json(), r#"{"o":{"__proto__":1}}"#);
}

#[test]
fn what_the_system_keeps_is_looked_through_within_bounds_too() {
    let many = |item: &str| format!("{}{item}", format!("{item},").repeat(100_000));
    let event = format!(r#"{{"status":0,"members":[{}]}}"#, many("0"));
    let large = format!("[{}]", many("0"));
    let states = [
        (format!(r#"{{"_timed":[{}]}}"#, many(r#"{"reason":"a","round":9}"#)), "@.CANCEL_SET(\"x\");"),
        (format!(r#"{{"_summary":[{}]}}"#, many("\"a\"")), "@.RESPONSE_SUMMARY(\"a\");"),
        (format!(r#"{{"_events":[{}]}}"#, many(r#"{"status":1}"#)), "@.EVENT_SUMMARY(\"x\");"),
        (format!(r#"{{"_events":[{event}]}}"#), "@.EVENT_ADD_MEMBER(\"x\");"),
        (format!(r#"{{"a":{large},"b":{large}}}"#), "@.SWAP(\"a\", \"b\");"),
    ];
    for (state, command) in states {
        let often = TURN_WORK_MAX / 100_000 + 2;
        let outcome = apply(&state, format!("{}@.SET(\"z\", 1);", command.repeat(often)));
        let codes = codes(&outcome);
        assert!(codes[..often].contains(&Some(Code::Limit)), "{command}");
        assert_ne!(codes[0], Some(Code::Limit), "{command}");
        assert_eq!(outcome.document.get("z"), Some(&Value::from(1)), "{command}");
    }
}

#[test]
fn commands_cannot_all_look_through_everything() {
    let state = format!(r#"{{"l":[{}0],"m":{{}}}}"#, "0,".repeat(100_000));
    let searches = [
        "@.REMOVE(\"l\", \"x\");",
        "@.REMOVE(\"l\", 0);",
        "@.SELECT_SET(\"l\", \"id\", 1, \"hp\", 2);",
        "_.delete('l', 'x');",
        "<JSONPatch>[{\"op\":\"pull\",\"path\":\"/l\",\"value\":1}]</JSONPatch>",
        "<JSONPatch>[{\"op\":\"addToSet\",\"path\":\"/l\",\"value\":0}]</JSONPatch>",
        "<JSONPatch>[{\"op\":\"insert\",\"path\":\"/l/0\",\"value\":0}]</JSONPatch>",
    ];
    for search in searches {
        let often = TURN_WORK_MAX / 100_000 + 2;
        let outcome = apply(&state, format!("{}@.SET(\"m.z\", 1);", search.repeat(often)));
        let codes = codes(&outcome);
        assert_eq!(codes[often - 1], Some(Code::Limit), "{search}");
        assert!(!codes[..often / 2].contains(&Some(Code::Limit)), "{search}");
        assert_eq!(outcome.document.get("m").unwrap().to_json(), r#"{"z":1}"#, "{search}");
    }
}

#[test]
fn messages_stay_short_however_long_the_state_is() {
    let long = "长".repeat(40_000);
    let state = format!(r#"{{"t":"{long}","o":{{"{long}":[{}0]}},"n":1}}"#, "0,".repeat(100_000));
    let operation =
        |path: &str| format!(r#"<JSONPatch>[{{"op":"test","path":"/{path}","value":"{long}x"}}]</JSONPatch>"#);
    let reply = format!(
        "{}{}_.set('t', 'x', 'y');_.set('o', 'x', {{}});@.ADD(\"n\", '{long}');@.REMOVE(\"n\", '{long}');",
        operation("t"),
        operation("o")
    );
    let outcome = apply(&state, reply);
    assert_eq!((outcome.results.len(), outcome.problems.len()), (6, 2));
    let refusals = outcome.results.iter().filter_map(|result| match &result.status {
        Status::Refused(refusal) => Some(&refusal.message),
        _ => None,
    });
    for message in refusals.chain(outcome.problems.iter().map(|problem| &problem.message)) {
        assert!(message.len() < 600, "{} bytes: {:.200}", message.len(), message);
    }
}

#[test]
fn what_only_looks_like_commands_is_given_up_and_named() {
    for sign in ["@.", "_.", "h>", "think ", "<think></think>", "<JSONPatch>"] {
        let outcome = apply("{}", format!("@.SET(\"a\", 1);{}", sign.repeat(SIGNS_MAX + 1)));
        assert_eq!(outcome.document.to_json(), r#"{"a":1}"#, "{sign}");
        let limits: Vec<_> = outcome.problems.iter().filter(|problem| problem.code == Code::Limit).collect();
        assert_eq!(limits.len(), 1, "{sign}");
        assert!(limits[0].message.starts_with("only the first "), "{sign}: {}", limits[0].message);
    }
}

#[test]
fn the_first_commands_are_the_first_of_all_dialects() {
    let reply = format!("{}{}", "_.add('m', 1);\n".repeat(COMMANDS_MAX), "@.ADD(\"n\", 1);\n".repeat(COMMANDS_MAX));
    let outcome = apply(r#"{"m":0,"n":0}"#, reply);
    assert_eq!(outcome.document.to_json(), format!(r#"{{"m":{COMMANDS_MAX},"n":0}}"#));
    assert_eq!(outcome.problems.iter().map(|problem| problem.code).collect::<Vec<_>>(), [Code::Limit]);
}

#[test]
fn behind_the_last_tag_that_is_read_nothing_is_speech() {
    for thought in ["<think></think>", "<thinking>a</thinking>"] {
        let reply = format!("@.SET(\"a\", 1);{}<think>@.SET(\"b\", 1);</think>", thought.repeat(TAGS_MAX + 1));
        let outcome = apply("{}", reply);
        assert_eq!(outcome.document.to_json(), r#"{"a":1}"#);
        assert_eq!(outcome.problems.iter().map(|problem| problem.code).collect::<Vec<_>>(), [Code::Limit]);
    }
}

#[test]
fn a_call_that_is_too_long_is_refused_as_a_whole() {
    let items = "1,".repeat(CALL_BYTES_MAX / 2);
    let lines = "1,\n".repeat(CALL_BYTES_MAX / 3);
    for (profile, value) in [
        ("default", format!("[{items}1]")),
        ("default", format!("[\n{lines}1]")),
        ("default", format!("'{}'", "x".repeat(CALL_BYTES_MAX))),
        ("mvu", format!("[{items}1]")),
    ] {
        let document = Value::parse(r#"{"a":0,"b":0}"#).unwrap();
        let reply = format!("_.set('a', {value});\n_.set('b', 1);");
        let profile = Profile::named(profile).unwrap();
        let outcome = apply_reply(Turn { document, reply, profile: profile.into(), ..Turn::default() });
        assert_eq!(outcome.document.to_json(), r#"{"a":0,"b":1}"#);
        let problems: Vec<_> = outcome.problems.iter().map(|problem| problem.code).collect();
        assert_eq!(problems, [Code::Limit], "{:?}", outcome.problems);
    }
}

#[test]
fn every_limit_is_named_and_so_is_the_one_on_problems() {
    let broken = "<JSONPatch>[{\"op\":1}]</JSONPatch>\n".repeat(PROBLEMS_MAX + 1);
    let reply = format!("{broken}{}{}", "@.ADD(\"n\", 1);\n".repeat(COMMANDS_MAX + 1), "@.".repeat(SIGNS_MAX));
    let outcome = apply(r#"{"n":0}"#, reply);
    let limits: Vec<_> = outcome.problems.iter().filter(|problem| problem.code == Code::Limit).collect();
    assert_eq!(limits.len(), 3, "{limits:?}");
    assert_eq!(outcome.problems.len(), PROBLEMS_MAX + 3);
}

#[test]
fn a_reason_ends_somewhere() {
    let outcome = apply("{}", format!("@.SET(\"a\", 1);//{}", "因为".repeat(REASON_BYTES_MAX)));
    let reason = outcome.results[0].command.reason.as_deref().unwrap();
    assert!(reason.len() <= REASON_BYTES_MAX, "{}", reason.len());
}

/// Variables in memory; counts the names that were asked for.
struct Variables {
    values: BTreeMap<&'static str, FoundValue>,
    asked: usize,
}

impl Variables {
    fn of(values: &[(&'static str, String)]) -> Variables {
        let found = |value: &String| FoundValue { value: value.as_str().into(), trusted: true };
        Variables { values: values.iter().map(|(name, value)| (*name, found(value))).collect(), asked: 0 }
    }

    fn resolve(&mut self, args: &serde_json::Value) -> Result<Resolved, ReferenceError<()>> {
        resolve(args, None, &ReferenceOptions::default(), self)
    }
}

impl Lookup for Variables {
    type Error = ();

    fn lookup(&mut self, name: &str) -> Result<Option<FoundValue>, ()> {
        self.asked += 1;
        Ok(self.values.get(name).cloned())
    }

    fn names(&mut self) -> Result<Vec<String>, ()> {
        Ok(Vec::new())
    }
}

#[test]
fn a_long_reference_is_not_looked_up_at_each_of_its_signs() {
    let mut variables = Variables::of(&[]);
    let body = "a#/".repeat(30_000);
    let resolved = variables.resolve(&serde_json::json!(format!("$VAR_REF{{{{{body}}}}}")));
    assert!(matches!(resolved, Err(ReferenceError::NotFound(..))), "{resolved:?}");
    assert!(variables.asked <= SCRATCH_NAME_BYTES_MAX, "{}", variables.asked);
    // What is no reference is looked up too, and counts.
    let literals: String = (0..2 * REFERENCE_LOOKUPS_MAX).map(|number| format!("$VAR_REF{{{{{number}:x}}}}")).collect();
    let resolved = variables.resolve(&serde_json::json!(literals));
    assert_eq!(resolved, Err(ReferenceError::TooMany(REFERENCES_MAX)));
}

#[test]
fn selections_of_json_count_as_what_they_bring() {
    let big = format!("[{}1]", "1,".repeat(500_000));
    let small = r##"{"a":[1,2]}"##.to_owned();
    let mut variables = Variables::of(&[("big", big), ("small", small)]);
    let all = |count: usize| serde_json::json!(vec!["$VAR_REF{{big#}}"; count]);
    assert_eq!(variables.resolve(&all(100)), Err(ReferenceError::TooLarge(REFERENCE_BYTES_MAX)));
    assert!(variables.resolve(&all(4)).is_ok());
    let args = serde_json::json!(["$VAR_REF{{small#/a}}", "is $VAR_REF{{small#/a/1}}", "$VAR_REF{{big#/7}}"]);
    assert_eq!(variables.resolve(&args).unwrap().args, serde_json::json!([[1, 2], "is 2", 1]));
}

#[test]
fn rules_of_a_group_have_limits() {
    use tavernkeep_engine::limits::TOOL_RULE_BYTES_MAX;
    use tavernkeep_engine::limits::{SCRATCH_DESC_BYTES_MAX, TOOL_GROUP_RULES_BYTES_MAX, TOOL_GROUP_RULES_MAX};
    let group = |prompt: usize, rules: usize, rule: serde_json::Value| {
        let named = |number: usize| (format!("rule {number}"), rule.clone());
        GroupDeclaration::read(&serde_json::json!({
            "name": "group", "tools": [{ "definition": { "name": "tool" } }], "rulePrompt": "x".repeat(prompt),
            "declareSkillRules": (0..rules).map(named).collect::<serde_json::Map<_, _>>(),
        }))
    };
    let rule =
        |desc: usize, prompt: usize| serde_json::json!({ "desc": "d".repeat(desc), "prompt": "p".repeat(prompt) });
    assert!(group(TOOL_RULE_BYTES_MAX, TOOL_GROUP_RULES_MAX, rule(1, 1)).is_ok());
    assert!(group(0, 1, rule(SCRATCH_DESC_BYTES_MAX, TOOL_RULE_BYTES_MAX)).is_ok());
    let together = TOOL_GROUP_RULES_BYTES_MAX / TOOL_RULE_BYTES_MAX + 1;
    for (group, wanted) in [
        (group(TOOL_RULE_BYTES_MAX + 1, 0, rule(1, 1)), "`rulePrompt` is longer"),
        (group(0, TOOL_GROUP_RULES_MAX + 1, rule(1, 1)), "at most 256 rules"),
        (group(0, 1, rule(SCRATCH_DESC_BYTES_MAX + 1, 1)), "`desc` of the rule `rule 0`"),
        (group(0, 1, rule(1, TOOL_RULE_BYTES_MAX + 1)), "`prompt` of the rule `rule 0`"),
        (group(0, together, rule(1, TOOL_RULE_BYTES_MAX)), "bytes together"),
    ] {
        let error = group.unwrap_err();
        assert!(error.contains(wanted), "{error}");
    }
}

/// A value inside of so many lists or objects.
fn inside(mut value: Value, levels: usize, wrap: impl Fn(Value) -> Value) -> Value {
    for _ in 0..levels {
        value = wrap(value);
    }
    value
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    members.into_iter().collect()
}

fn list(value: Value) -> Value {
    [value].into_iter().collect()
}

#[test]
fn blanks_do_not_multiply_a_view() {
    let empty: Value = (0..100_000).map(|_| Value::from("")).collect();
    let lines = Value::from("a\n".repeat(100_000));
    for format in ["yaml", "compact"] {
        for deep in [inside(empty.clone(), 120, list), inside(lines.clone(), 120, list)] {
            if format == "compact" && deep.weight() < 300_000 {
                continue;
            }
            let state = object([("before", Value::from(1)), ("deep", deep), ("after", Value::from(2))]);
            let view = Value::parse(&format!(r#"{{"format":"{format}","priority":{{"after":5}}}}"#)).unwrap();
            let view = View::read("all", &view).unwrap();
            let rendered = view.render(&state, None, false);
            assert_eq!(rendered.dropped, ["deep"], "{format}");
            assert!(rendered.text.contains("before") && rendered.text.contains("after"), "{}", rendered.text);
            let whole = view.render(&object([("a", empty.clone())]), None, false);
            assert!(whole.dropped.is_empty() && whole.text.len() > 200_000, "what is long and not deep is shown");
            let outermost = view.render(&inside(empty.clone(), 120, list), None, false);
            assert_eq!(
                (outermost.text.as_str(), outermost.dropped.as_slice()),
                ("{}", ["state".to_owned()].as_slice())
            );
        }
    }
}

#[test]
fn blanks_do_not_multiply_the_text_of_a_rule_pack() {
    let many: Value = (0..60_000).map(|number| (format!("k{number}"), Value::from(1))).collect();
    let document = inside(many, 120, |value| object([("a", value)]));
    let text = tavernkeep_engine::packs::View { document, due: Vec::new() }.to_text();
    assert!(text.len() < VIEW_BYTES_MAX + 1_000 && text.ends_with("…\n"), "{}", text.len());
}

#[test]
fn paths_that_are_gone_are_listed_within_bounds() {
    let keys = |count: usize| (0..count).map(|n| (format!("k{n}"), Value::from(1))).collect::<Value>();
    let view = Value::parse(r#"{"changed_since":0,"paths":["a","a.k1"]}"#).unwrap();
    let view = View::read("changes", &view).unwrap();
    let (before, after) = (object([("a", keys(30_000))]), object([("a", object([]))]));
    let rendered = view.render(&after, Some(&before), false);
    assert_eq!(rendered.text.matches("a.k").count(), 30_000, "each once");
    assert!(rendered.dropped.is_empty());
    // Each of these paths has a hundred segments.
    let deep = |count: usize| object([("a", inside(keys(count), 100, |value| object([("a", value)])))]);
    let rendered = view.render(&deep(0), Some(&deep(30_000)), false);
    assert_eq!(rendered.dropped, ["$removed"]);
    assert!(rendered.text.matches(".k").count() < VIEW_GONE_SEGMENTS_MAX / 100, "{}", rendered.text.len());
}

#[test]
fn parts_of_a_large_member_are_dropped_until_that_costs_too_much() {
    let parts = |bytes: usize| (0..200).map(|n| (format!("k{n}"), Value::from("x".repeat(bytes)))).collect::<Value>();
    let priority: Vec<String> = (0..200).map(|number| format!("\"a.k{number}\":{}", number - 300)).collect();
    let view = |budget: usize| {
        let text = format!(r#"{{"budget":{budget},"priority":{{{}}}}}"#, priority.join(","));
        View::read("fitted", &Value::parse(&text).unwrap()).unwrap()
    };
    let small = view(5_000).render(&object([("a", parts(100))]), None, false);
    assert!(small.dropped.len() > 100 && !small.text.is_empty(), "{:?}", small.dropped.len());
    let large = view(5_000).render(&object([("a", parts(20_000)), ("b", Value::from(1))]), None, false);
    assert!(large.dropped.len() < 20 && large.dropped.contains(&"a".to_owned()), "{:?}", large.dropped);
    assert_eq!(large.text, "b: 1");
}

fn memory_turn(world: &Value, reply: &str, recent_texts: Vec<String>) -> Outcome {
    let profile = Profile::named("memory").unwrap();
    let mut document = profile.first_document().unwrap();
    let assets = document.get("assa_data").unwrap().clone();
    let assets: Value = assets
        .as_object()
        .unwrap()
        .iter()
        .map(|(key, value)| (key.to_string(), if &**key == "world_set" { world.clone() } else { value.clone() }))
        .collect();
    let members = document.as_object().unwrap().iter();
    document = members
        .map(|(key, value)| (key.to_string(), if &**key == "assa_data" { assets.clone() } else { value.clone() }))
        .collect();
    apply_reply(Turn { document, reply: reply.to_owned(), profile: profile.into(), recent_texts, ..Turn::default() })
}

#[test]
fn deleting_what_is_protected_counts_each_time() {
    let node = object([("_is_protected", Value::from(true))]);
    let many: Value = (0..30_000).map(|number| (format!("n{number}"), node.clone())).collect();
    let world = object([("npc", many), ("settings", object([]))]);
    let outcome = memory_turn(&world, &"delete('world_set.npc', 'all');\n".repeat(1_000), Vec::new());
    let codes = codes(&outcome);
    let limited = codes.iter().filter(|code| **code == Some(Code::Limit)).count();
    assert!(codes.len() == 1_000 && codes[0].is_none() && limited > 100, "{limited} of {}", codes.len());
    let stayed = outcome.problems.iter().find(|problem| problem.code == Code::Protected).unwrap();
    assert!(stayed.message.starts_with("30000 protected and stayed") && stayed.message.len() < 1_000, "{stayed:?}");
}

#[test]
fn keywords_are_looked_for_within_bounds() {
    let node = object([("_filter", Value::from(true))]);
    let many = |count: usize| {
        let nodes: Value = (0..count).map(|number| (format!("线人{number}"), node.clone())).collect();
        object([("npc", nodes), ("settings", object([]))])
    };
    let limited = |outcome: &Outcome| outcome.problems.iter().any(|problem| problem.code == Code::Limit);
    let long = vec!["x".repeat(1_000_000); 4];
    assert!(!limited(&memory_turn(&many(50), "线人1", long.clone())));
    let outcome = memory_turn(&many(5_000), "线人1", long);
    assert!(limited(&outcome), "{:?}", outcome.problems);
    assert!(!limited(&memory_turn(&many(5_000), "线人1", vec!["short".to_owned(); 4])));
}
