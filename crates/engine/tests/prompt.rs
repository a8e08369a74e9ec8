//! Runs every Markdown file below `cases/prompt`, replays TavernHelper's macros, and tests what holds for every prompt.
//!
//! ````text
//! # title
//! ```yaml variables   {branch: {…}, chat: {…}, global: {…}, floor: {…}, page: {…}}
//! ```yaml state       the story's state
//! ```yaml profile     a name or {base: …}
//! ```yaml earlier     {number of a floor: its state}
//! ```yaml messages    a list of texts, or:
//! ```text prompt      the text, without its last line break
//! ```text text        the text then; messages are separated by `---`
//! ```text writes      one line each: scope, key, value as JSON or `deleted`
//! ```text warnings    one line each: code, message and place
//! ````
//!
//! Blocks that are absent are not checked, but for writes and warnings: those must be empty then, except for the warning that a
//! preview writes nothing. `UPDATE_CASES=1` rewrites the last three.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use proptest::prelude::*;
use std::path::{Path, PathBuf};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::limits::{
    MACRO_BYTES_MAX, MACRO_DEPTH_MAX, MACRO_STEPS_MAX, MACRO_USES_MAX, MACRO_WARNINGS_MAX, MACRO_WORK_BYTES_MAX,
    MACRO_WRITES_MAX, VARIABLE_BYTES_MAX,
};
use tavernkeep_engine::literal::read_yaml;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::prompt::{Context, Prompt, Rendered, Variables, WarningCode, render};
use tavernkeep_engine::scope::Scope;

#[test]
fn every_case_holds() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases/prompt");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let failures: Vec<String> = files.iter().filter_map(|file| check(file)).collect();
    println!("{} cases", files.len());
    assert!(files.len() > 10 && failures.is_empty(), "{}", failures.join("\n\n"));
}

fn check(file: &Path) -> Option<String> {
    let source = std::fs::read_to_string(file).unwrap();
    let rendered = run(&source);
    let mut updated = source.clone();
    let mut wrong = Vec::new();
    for (label, found) in [
        ("text text", format!("{}\n", rendered.texts.join("\n---\n"))),
        ("text writes", writes(&rendered)),
        ("text warnings", warnings(&rendered)),
    ] {
        let expected = match find(&source, label) {
            Some(expected) => expected,
            None if label == "text text" => continue,
            None => String::new(),
        };
        if expected != found {
            wrong.push(format!("expected {label}:\n{expected}found:\n{found}"));
            let fence = format!("````{label}\n");
            match updated.contains(&fence) {
                true => {
                    updated = updated.replacen(&format!("{fence}{expected}````"), &format!("{fence}{found}````"), 1);
                }
                false if updated.contains(&format!("```{label}\n")) => {
                    updated =
                        updated.replacen(&format!("```{label}\n{expected}```"), &format!("```{label}\n{found}```"), 1);
                }
                false => updated.push_str(&format!("\n```{label}\n{found}```\n")),
            }
        }
    }
    if wrong.is_empty() {
        return None;
    }
    if std::env::var_os("UPDATE_CASES").is_some_and(|wanted| wanted == "1") {
        std::fs::write(file, updated).unwrap();
        return None;
    }
    Some(format!("{}\n{}\n{}", file.display(), source.lines().next().unwrap_or_default(), wrong.join("\n")))
}

fn run(source: &str) -> Rendered {
    let yaml_block = |label: &str| find(source, label).map(|text| yaml(&text));
    let mut variables = variables(&yaml_block("yaml variables").unwrap_or_default());
    if let Some(state) = yaml_block("yaml state") {
        variables = variables.with_state("vs_stat_data", Some(state));
    }
    let profile = yaml_block("yaml profile").map_or_else(Profile::default, |value| Profile::read(&value).unwrap());
    let mut context = Context::new(&variables, &profile);
    (context.user, context.character) = (Some("阿明"), Some("络络"));
    context.now_ms = 1_729_972_800_000;
    let names = yaml_block("yaml names");
    if names.is_some() {
        (context.user, context.character) = (None, None);
    }
    if let Some(Value::Object(earlier)) = yaml_block("yaml earlier") {
        context.earlier = earlier.iter().map(|(floor, state)| (floor.parse().unwrap(), state.clone())).collect();
    }
    let messages: Vec<String> = match yaml_block("yaml messages") {
        Some(messages) => messages.items().iter().map(|text| text.as_str().unwrap().to_owned()).collect(),
        None => {
            let text = find(source, "text prompt").expect("a case has a prompt");
            vec![text.strip_suffix('\n').unwrap_or(&text).to_owned()]
        }
    };
    render(&messages.iter().map(String::as_str).collect::<Vec<_>>(), &context)
}

fn variables(scopes: &Value) -> Variables {
    let mut rows = Vec::new();
    for (scope, members) in scopes.as_object().into_iter().flat_map(|scopes| scopes.iter()) {
        let scope: Scope = scope.parse().unwrap();
        for (key, value) in members.as_object().unwrap() {
            rows.push((scope, key.parse().unwrap(), value.to_text()));
        }
    }
    Variables::new(rows)
}

fn writes(rendered: &Rendered) -> String {
    let line = |write: &tavernkeep_engine::prompt::Write| {
        let value = write.value.as_ref().map_or_else(|| "deleted".to_owned(), Value::to_json);
        format!("{} {} {value}\n", write.scope.as_str(), write.key)
    };
    rendered.writes.iter().map(line).collect()
}

fn warnings(rendered: &Rendered) -> String {
    let shown = rendered.warnings.iter().filter(|warning| warning.code != WarningCode::Suppressed);
    shown
        .map(|warning| {
            let place = match rendered.texts.len() {
                1 => String::new(),
                _ => format!("{}:", warning.message_index),
            };
            let (start, end) = (warning.span.start, warning.span.end);
            format!("{} at {place}{start}..{end}: {}\n", warning.code.as_str(), warning.message)
        })
        .collect()
}

/// The content of the fenced block with this label.
fn find(source: &str, label: &str) -> Option<String> {
    let start = source.find(&format!("```{label}\n"))? + label.len() + 4;
    let fence = source[..start - label.len() - 1].rsplit('\n').next().unwrap_or("```");
    let end = match source[start..].starts_with(fence) {
        true => 0,
        false => source[start..].find(&format!("\n{fence}"))? + 1,
    };
    Some(source[start..start + end].to_owned())
}

fn yaml(text: &str) -> Value {
    read_yaml(text).unwrap_or_else(|_| panic!("no YAML: {text}"))
}

#[test]
fn tavern_helpers_macros_are_matched() {
    let shared = std::env::var_os("TAVERNKEEP_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let path = shared.join("vectors/tavernhelper_macros.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        assert!(std::env::var_os("CI").is_none(), "{} must be there in CI", path.display());
        println!("SKIPPED: {} is not there; set TAVERNKEEP_SHARED to replay it", path.display());
        return;
    };
    let file = Value::parse(&text).unwrap();
    let given = file.get("variables").unwrap();
    let chat = given.get("chat").unwrap().items();
    let mut count = 0;
    for vector in file.get("vectors").unwrap().items() {
        let id = vector.get("id").unwrap().as_str().unwrap();
        let context = vector.get("context").unwrap();
        // Without a message the last one counts whose chosen swipe has a table.
        let message = context.get("message_id").and_then(|id| usize::try_from(id.as_number()?.as_u64()?).ok());
        let table_of = |at: usize| {
            let swipe = chat[at].get("swipe_id")?.as_number()?.as_u64()?;
            chat[at].get("variables")?.item(usize::try_from(swipe).unwrap()).cloned()
        };
        let at = message.unwrap_or_else(|| (0..chat.len()).rev().find(|&at| table_of(at).is_some()).unwrap());
        let rows = |scope: Scope, table: &Value| -> Vec<_> {
            let members = table.as_object().unwrap().iter();
            members.map(|(key, value)| (scope, key.parse().unwrap(), value.to_text())).collect()
        };
        let mut all = rows(Scope::Page, &table_of(at).unwrap());
        all.extend(rows(Scope::Global, given.get("global").unwrap()));
        let mut variables = Variables::new(all);
        variables.character = given.get("character").unwrap().clone();
        variables.preset = given.get("preset").unwrap().clone();
        let profile = Profile::default();
        let rendered = render(&[vector.get("text").unwrap().as_str().unwrap()], &Context::new(&variables, &profile));
        assert_eq!(rendered.texts[0], vector.get("expected").unwrap().as_str().unwrap(), "{id}");
        count += 1;
    }
    println!("{count} vectors of TavernHelper");
    assert!(count >= 30);
}

fn rendered(branch: &str, text: &str) -> Rendered {
    let variables = variables(&yaml(&format!("branch: {branch}")));
    let profile = Profile::default();
    render(&[text], &Context::new(&variables, &profile))
}

fn codes(rendered: &Rendered) -> Vec<WarningCode> {
    let codes = rendered.warnings.iter().map(|warning| warning.code);
    codes.filter(|code| *code != WarningCode::Suppressed).collect()
}

#[test]
fn writes_stop_at_their_limit() {
    let text = |count: usize| "{{incvar::n}}".repeat(count);
    let all = rendered("{n: 0}", &text(MACRO_WRITES_MAX));
    assert_eq!((all.writes.len(), codes(&all)), (MACRO_WRITES_MAX, vec![]));
    let more = rendered("{n: 0}", &text(MACRO_WRITES_MAX + 2));
    assert_eq!((more.writes.len(), codes(&more)), (MACRO_WRITES_MAX, vec![WarningCode::Writes; 2]));
    assert!(more.texts[0].ends_with("128{{incvar::n}}{{incvar::n}}"));
}

#[test]
fn steps_stop_at_their_limit() {
    let all = rendered("{n: 0}", &"{{n}}".repeat(MACRO_STEPS_MAX));
    assert_eq!((all.texts[0].len(), codes(&all)), (MACRO_STEPS_MAX, vec![]));
    assert_eq!(all.uses.len(), MACRO_USES_MAX);
    let more = rendered("{n: 0}", &"{{n}}".repeat(MACRO_STEPS_MAX + MACRO_WARNINGS_MAX + 1));
    assert_eq!(more.warnings.len(), MACRO_WARNINGS_MAX);
    assert!(more.texts[0].ends_with("0{{n}}") || more.texts[0].ends_with("{{n}}{{n}}"));
}

#[test]
fn depth_stops_at_its_limit() {
    let text = |depth: usize| format!("{}n{}", "{{getvar::".repeat(depth), "}}".repeat(depth));
    assert_eq!(codes(&rendered("{n: n}", &text(MACRO_DEPTH_MAX))), []);
    let deeper = rendered("{n: n}", &text(MACRO_DEPTH_MAX + 1));
    assert_eq!((&deeper.texts[0], codes(&deeper)), (&text(MACRO_DEPTH_MAX + 1), vec![WarningCode::Depth]));
    let blocks = |depth: usize| format!("{}x{}", "{{if 1}}".repeat(depth), "{{/if}}".repeat(depth));
    assert_eq!(rendered("{}", &blocks(MACRO_DEPTH_MAX)).texts[0], "x");
    let deeper = rendered("{}", &blocks(MACRO_DEPTH_MAX + 1));
    assert_eq!((deeper.texts[0].as_str(), codes(&deeper)), ("{{if 1}}x{{/if}}", vec![WarningCode::Depth]));
}

/// Each line is ten of the line before: ten lines would be ten billion letters.
#[test]
fn values_that_grow_tenfold_stop_at_the_length_limit() {
    let mut text = "{{setvar::l0::lol}}".to_owned();
    for line in 1..12 {
        text.push_str(&format!("{{{{setvar::l{line}::{}}}}}", format!("{{{{getvar::l{}}}}}", line - 1).repeat(10)));
    }
    text.push_str("{{getvar::l11}}");
    let laughs = rendered("{}", &text);
    assert!(codes(&laughs).contains(&WarningCode::Length));
    assert!(laughs.texts[0].len() <= MACRO_BYTES_MAX + text.len());
    let doubled = rendered("{a: xxxxxxxx}", &"{{.a += {{.a}}}}".repeat(MACRO_WRITES_MAX));
    assert!(codes(&doubled).contains(&WarningCode::Length));
}

/// Hostile texts whose cost would grow faster than their length if anything were read twice.
#[test]
fn hostile_texts_are_read_in_one_pass() {
    let many = 100_000;
    for text in [
        "{{".repeat(many),
        "}}".repeat(many),
        "{{{".repeat(many),
        "{{if ".repeat(many),
        "{{if 1}}".repeat(many),
        format!("{}{}", "{{if 1}}".repeat(many), "{{/setvar}}".repeat(many)),
        "{{/if}}".repeat(many),
        "{{else}}".repeat(many),
        format!("{}{}", "{{setvar::a}}".repeat(many), "{{/setvar}}".repeat(many)),
        format!("{}{}", "{{setvar::a}}".repeat(many), "{{/addvar}}".repeat(many)),
        format!("{{{{getvar::{}}}}}", "a.".repeat(many)),
        format!("{{{{if {}1}}}}x{{{{/if}}}}", "(".repeat(many)),
        format!("{{{{if {}1}}}}x{{{{/if}}}}", "not ".repeat(many)),
        format!("{{{{setvar::a::{}}}}}", "{".repeat(many)),
        "<USER>".repeat(many),
        "{{random::a::b}}".repeat(many),
        "{{format_message_variable::x}}".repeat(many),
    ] {
        let rendered = rendered("{}", &text);
        assert!(rendered.texts[0].len() <= text.len() + MACRO_BYTES_MAX);
        assert!(rendered.warnings.len() <= MACRO_WARNINGS_MAX);
    }
}

/// Pieces of prompts, with every kind of macro and a lot of what is wrong.
fn piece() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "{{getvar::a}}",
        "{{getglobalvar::a}}",
        "{{a}}",
        "{{.a}}",
        "{{$a}}",
        "{{.a || {{.b}}}}",
        "{{setvar::b::{{getvar::a}}}}",
        "{{setvar::{{getvar::a}}::x}}",
        "{{addvar::b::{{.a}}}}",
        "{{incvar::n}}",
        "{{deletevar::b}}",
        "{{hasvar::b}}",
        "{{if {{.a}}}}yes{{else}}no{{/if}}",
        "{{if {{.a}} contains x}}",
        "{{/if}}",
        "{{else}}",
        "{{setvar::b}}",
        "{{/setvar}}",
        "{{get_chat_variable::a}}",
        "{{format_chat_variable::a}}",
        "{{random::{{.a}}::{{.b}}}}",
        "{{",
        "}}",
        "{",
        "}",
        "::",
        "<USER>",
        "{{trim}}",
        "\n",
        "{{vs_get::a}}",
        "{{setvarkey::o::{{.a}}::1}}",
        "{{getvar::o}}",
        "{{unknown::{{.a}}}}",
        "{{.b={{.a}}}}",
    ]);
    prop_oneof![4 => fixed.prop_map(str::to_owned), 1 => "[a-z 世\\n:.]{0,6}"]
}

/// Values that look like macros.
fn value() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "{{getvar::b}}",
        "{{setvar::evil::1}}",
        "{{",
        "}}",
        "{",
        "}",
        "::",
        "{{/if}}",
        "{{else}}",
        "<USER>",
        "{{a}}",
        "x",
        " ",
        "\n",
        "{{if 1}}",
        "{{trim}}",
        "世界",
        "\"",
        "\\",
    ]);
    prop::collection::vec(part, 1..6).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    /// Rendering with a value equals rendering with an opaque token and putting the value in its place: a value is never read
    /// as a macro. The token has as many blanks at its ends and is as true as the value.
    #[test]
    fn a_value_is_data(pieces in prop::collection::vec(piece(), 0..12), value in value()) {
        let text = pieces.concat();
        let token = "\u{e000}token\u{e001}";
        // A condition, a key or a path may tell values apart; a token that is in them is not comparable.
        let depends = text.contains("contains") || text.contains("setvar::{{") || text.contains("setvarkey");
        prop_assume!(!depends && !value.trim().is_empty());
        let with = |value: &str| {
            let json = Value::from(value).to_text();
            let rows = [(Scope::Branch, "a".parse().unwrap(), json)];
            let variables = Variables::new(rows);
            let profile = Profile::default();
            let rendered = render(&[&text], &Context::new(&variables, &profile));
            let writes: Vec<String> = rendered.writes.iter().map(|write| format!("{write:?}")).collect();
            (rendered.texts.concat(), writes.len(), codes(&rendered))
        };
        let (found, writes, warned) = with(&value);
        let (opaque, same_writes, same_warned) = with(token);
        let multi_line = text.contains("format_chat_variable") && value.contains('\n');
        if !multi_line {
            // `{{random::a,b}}` with one argument splits at commas; the values have none.
            prop_assert_eq!(found, opaque.replace(token, &value));
        }
        prop_assert_eq!(writes, same_writes);
        let cycles = |codes: Vec<WarningCode>| codes.into_iter().filter(|code| *code != WarningCode::Cycle).collect::<Vec<_>>();
        prop_assert_eq!(cycles(warned), cycles(same_warned));
    }

    /// Nothing panics, the limits hold, and every place lies in the text at the borders of characters.
    #[test]
    fn anything_can_be_rendered(pieces in prop::collection::vec(piece(), 0..30)) {
        let text = pieces.concat();
        let rendered = rendered("{a: 'x', n: 5, o: {k: 1}}", &text);
        prop_assert!(rendered.writes.len() <= MACRO_WRITES_MAX);
        for span in rendered.warnings.iter().map(|warning| &warning.span).chain(rendered.uses.iter().map(|one| &one.span)) {
            prop_assert!(text.get(span.clone()).is_some());
        }
    }

    /// A text without braces and tags stays as it is.
    #[test]
    fn plain_text_stays(text in "[^{}<]{0,60}") {
        prop_assert_eq!(&rendered("{}", &text).texts[0], &text);
    }
}

/// The commands of a kit, whatever their dialect: what stands for something is replaced by that.
fn commands_taught(rules: &str) -> String {
    let filled = [
        ("\"path\", value", "\"角色.金币\", 5"),
        ("\"path\", number", "\"角色.金币\", 5"),
        ("\"path\")", "\"角色.多余\")"),
        ("'path', old, new", "'角色.金币', 90, 91"),
        ("'path', number", "'角色.金币', 5"),
        ("<JSONPatch>[…]</JSONPatch> holds", "it holds"),
        ("…", "x"),
    ];
    filled.iter().fold(rules.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Everything that a kit teaches is done by a turn, in every profile, and leaves pairs pairs.
#[test]
fn every_command_that_a_kit_teaches_is_applied() {
    use tavernkeep_engine::prompt::kit::rules;
    use tavernkeep_engine::turn::{Status, Turn, apply_reply};
    let plain = yaml("角色: {名: 络络, 金币: 90, 背包: [剑], 多余: 1}\n世界: {天: 3, _锁: 1}");
    let pairs = yaml("角色: {名: [络络, 她的名字], 金币: [90, 手里的钱], 多余: [1, 没用]}");
    for name in Profile::NAMES {
        let profile = Profile::named(name).unwrap();
        let mut states = vec![(plain.clone(), 5)];
        if profile.pairs {
            states.push((pairs.clone(), 5));
        }
        if let Some(pack) = profile.packs.first() {
            let template = pack.template().as_object().unwrap().iter().chain(plain.as_object().unwrap().iter());
            let state: Value = template.map(|(key, value)| (key.to_string(), value.clone())).collect();
            states = vec![(state, 5)];
        }
        for (state, least) in states {
            let taught = rules(&profile, &[], &state, None);
            let mut count = 0;
            // The examples of a pack are a story: each goes on from the one before it.
            let (of_pack, others) = match profile.packs.is_empty() {
                true => ("", taught.as_str()),
                false => taught.split_once("\nor\n").unwrap(),
            };
            let story = of_pack.split_once("Examples:\n").map_or("", |(_, examples)| examples);
            let others = commands_taught(others);
            for line in [story].into_iter().chain(others.lines()) {
                let reply = line.to_owned();
                let (document, profile) = (state.clone(), profile.clone().into());
                let outcome = apply_reply(Turn { document, reply, profile, ..Turn::default() });
                let refused = outcome.results.iter().any(|result| matches!(result.status, Status::Refused(_)));
                let problems: Vec<_> = outcome.problems.iter().map(|problem| &problem.message).collect();
                assert!(
                    !refused && problems.is_empty(),
                    "{name}: {line}\n{problems:?} {:?}\n{taught}",
                    outcome.results
                );
                count += outcome.results.len();
                let gold = |state: &Value| state.get("角色").unwrap().get("金币").unwrap().as_pair().is_some();
                assert_eq!(gold(&outcome.document), gold(&state), "{name}: {line}: {}", outcome.document.to_json());
            }
            assert!(count >= least, "{name}: {taught}");
        }
    }
}

/// The lines of a kit that are commands and stand for nothing else.
fn examples_taught(rules: &str) -> Vec<&str> {
    let starts = ["@.", "_.", "<JSONPatch>[{", "set_", "memory(", "delete("];
    let is_example = |line: &&str| starts.iter().any(|start| line.starts_with(start));
    let stands_for = ["path", "value", "'key'", "number)"];
    rules
        .lines()
        .filter(is_example)
        .filter(|line| !stands_for.iter().any(|word| line.contains(word)) || line.contains("\"op\""))
        .collect()
}

/// What the schema of a profile refuses is no example, and what is switched off is not taught.
#[test]
fn kits_teach_what_their_profile_accepts() {
    use tavernkeep_engine::prompt::kit::rules;
    use tavernkeep_engine::turn::{Status, Turn, apply_reply};
    let number = |more: &str| format!("{{\"type\": \"integer\"{more}}}");
    let properties =
        |inner: &str| format!("{{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {{{inner}}}}}");
    let schema = properties(&format!(
        "\"锁\": {}, \"满\": {}, \"名\": {{\"const\": \"络络\"}}, \"心\": {{\"enum\": [\"静\", \"怒\"]}}, \"列\": {{\"type\": \"array\", \"items\": {}}}",
        number(", \"readOnly\": true"),
        number(", \"maximum\": 5"),
        number("")
    ));
    let state = yaml("锁: 1\n满: 5\n名: 络络\n心: 静\n列: [7]");
    let fixed = properties("\"锁\": {\"type\": \"integer\", \"readOnly\": true}");
    let tags = "\"only_in_tags\": [\"update\"]";
    let profiles = [
        (format!("{{\"schema\": {schema}}}"), state.clone(), 8),
        (format!("{{\"base\": \"strict\", \"schema\": {schema}}}"), state.clone(), 8),
        (format!("{{\"base\": \"mvu_zod\", \"schema\": {schema}}}"), state.clone(), 4),
        (format!("{{\"schema\": {schema}, \"disabled\": [\"SET\", \"add\"], {tags}}}"), state.clone(), 5),
        (format!("{{\"schema\": {schema}, \"disabled\": [\"ADD\", \"UNSET\", \"set\", \"replace\"]}}"), state, 4),
        (format!("{{\"schema\": {fixed}}}"), yaml("锁: 1"), 0),
        ("{\"base\": \"memory\", \"disabled\": [\"delete\", \"set_status\"]}".to_owned(), Value::Null, 9),
        ("{\"base\": \"memory\", \"dialects\": [\"memory\"]}".to_owned(), Value::Null, 12),
        ("{\"base\": \"memory\", \"dialects\": [\"memory\"]}".to_owned(), yaml("assa_data: {world_set: {npc: {}}}"), 3),
    ];
    for (written, state, least) in profiles {
        let profile = Profile::read(&Value::parse(&written).unwrap()).unwrap();
        let state = if state == Value::Null { profile.first_document().unwrap() } else { state };
        let taught = rules(&profile, &[], &state, None);
        let examples = examples_taught(&taught);
        assert!(examples.len() >= least && (least > 0 || examples.is_empty()), "{written}\n{taught}");
        let mut document = state.clone();
        for example in examples {
            let is_story = !profile.packs.is_empty() && !example.starts_with(['@', '<']);
            let reply = match profile.only_in_tags.first() {
                Some(tag) => format!("<{tag}>{example}</{tag}>"),
                None => example.to_owned(),
            };
            let before = if is_story { document.clone() } else { state.clone() };
            let outcome =
                apply_reply(Turn { document: before, reply, profile: profile.clone().into(), ..Turn::default() });
            let done = outcome.results.iter().all(|result| result.status == Status::Applied);
            let problems: Vec<_> = outcome.problems.iter().map(|problem| &problem.message).collect();
            assert!(
                !outcome.results.is_empty() && done && problems.is_empty(),
                "{written}: {example} {:?} {problems:?}\n{taught}",
                outcome.results
            );
            let names: Vec<&str> = outcome.results.iter().map(|result| result.command.name.as_str()).collect();
            assert!(!names.iter().any(|name| profile.disabled.iter().any(|off| off == name)), "{example}");
            if is_story {
                document = outcome.document;
            }
        }
        for off in &profile.disabled {
            let calls = [format!("@.{off}("), format!("_.{off}("), format!("\n{off}("), format!(" {off}(")];
            let op = format!("\"op\":\"{off}\"");
            assert!(!calls.iter().chain([&op]).any(|call| taught.contains(call.as_str())), "{off}: {taught}");
        }
    }
    // A dialect of which nothing is left is not mentioned, and neither is a pack.
    let none =
        |profile: &str| rules(&Profile::read(&Value::parse(profile).unwrap()).unwrap(), &[], &yaml("a: 1"), None);
    let off = none("{\"dialects\": [\"at\", \"mvu\"], \"disabled\": [\"SET\", \"ADD\", \"UNSET\"]}");
    assert!(!off.contains("@.") && off.contains("_.set('a', 1, 2);//"), "{off}");
    assert_eq!(none("{\"dialects\": [\"at\"], \"disabled\": [\"SET\", \"ADD\", \"UNSET\"]}"), "");
}

fn is_over(rendered: &Rendered, code: WarningCode) -> bool {
    codes(rendered).contains(&code)
}

/// An object of so many members, as YAML and JSON.
fn object(members: usize) -> String {
    let members: Vec<String> = (0..members).map(|number| format!("\"k{number}\":{number}")).collect();
    format!("{{{}}}", members.join(","))
}

/// A variable as JSON on the branch, and a macro many times.
fn repeated(value: &Value, text: &str, times: usize) -> Rendered {
    let variables = Variables::new([(Scope::Branch, "v".parse().unwrap(), value.to_text())]);
    let profile = Profile::default();
    render(&[&text.repeat(times)], &Context::new(&variables, &profile))
}

/// What macros do with large values is counted: rendering is linear in the prompt and what the limits allow.
#[test]
fn work_on_large_values_is_bounded() {
    let json = object(30_000);
    let as_text = repeated(&Value::from(json.as_str()), "{{getvarkey::v::k1}}", 400);
    assert_eq!((as_text.texts[0].as_str(), as_text.work), ("1".repeat(400).as_str(), json.len()), "read once");
    let large = Value::parse(&object(60_000)).unwrap();
    let weight = large.weight();
    let compared = repeated(&large, "{{.v == 1}}", 1_500);
    assert!(is_over(&compared, WarningCode::Steps) && compared.work <= MACRO_WORK_BYTES_MAX);
    assert!(compared.texts[0].starts_with("falsefalse") && compared.texts[0].ends_with("{{.v == 1}}"));
    let written = repeated(&large, "{{setvar::v.k1::2}}", 1_500);
    assert!(is_over(&written, WarningCode::Length), "written values are counted too");
    assert!(written.work <= (written.writes.len() + 1) * weight, "nothing is copied for a write that is refused");
    let list: Value = (0..100_000).map(|number| Value::from(i64::from(number))).collect();
    let added = repeated(&list, "{{addvar::v::x}}", 400);
    assert!(added.work <= (added.writes.len() + 1) * (list.weight() + 1_000));
    let small = repeated(&Value::parse(&object(2_000)).unwrap(), "{{setvar::v.k1::2}}", 1_500);
    assert_eq!(small.writes.len(), MACRO_WRITES_MAX.min(small.writes.len()));
    assert!(small.work <= MACRO_WRITES_MAX * object(2_000).len() * 2, "the limit of writes comes before the work");
    let hidden = Value::parse(&object(60_000).replace("\"k", "\"$k")).unwrap();
    let helper = repeated(&hidden, "{{get_chat_variable::v}}", 1_500);
    assert!(is_over(&helper, WarningCode::Steps) && helper.work <= MACRO_WORK_BYTES_MAX);
}

/// A text of control characters is six times as long as JSON, so only writing it shows that there is no room for it.
#[test]
fn what_is_written_in_vain_is_work_too() {
    let value: Value = [("a", Value::from("\0".repeat(1_000_000)))].into_iter().collect();
    let shown = repeated(&value, "{{.v}}", 1_000);
    assert!(is_over(&shown, WarningCode::Length) && is_over(&shown, WarningCode::Steps));
    let refused = |code: WarningCode| shown.warnings.iter().filter(|warning| warning.code == code).count();
    assert!(refused(WarningCode::Length) <= 6, "{} were written", refused(WarningCode::Length));
}

/// Twice the prompt is at most twice the work.
#[test]
fn rendering_is_linear() {
    let value = Value::parse(&object(500)).unwrap();
    let text = Value::from(value.to_json());
    for (value, macro_text) in [
        (&text, "{{getvarkey::v::k1}}"),
        (&value, "{{.v == 1}}"),
        (&value, "{{getvarkey::v::k1}}"),
        (&value, "{{.v || x}}"),
        (&value, "{{setvar::v.k1::2}}"),
        (&text, "{{setvarkey::v::k1::2}}"),
        (&value, "{{get_chat_variable::v.k1}}"),
        (&value, "{{if .v == 1}}a{{/if}}"),
    ] {
        let work = |times: usize| repeated(value, macro_text, times).work;
        let (once, fifty, hundred) = (work(1), work(50), work(100));
        assert!(hundred <= 2 * fifty && fifty <= 50 * once.max(1), "{macro_text}: {once} {fifty} {hundred}");
    }
}

/// A macro stores no value that a request could not.
#[test]
fn a_written_value_is_as_large_as_a_request_can_write() {
    let set = |bytes: usize| rendered("{}", &format!("{{{{setvar::a::{}}}}}", "x".repeat(bytes)));
    assert_eq!(set(VARIABLE_BYTES_MAX - 2).writes.len(), 1);
    let larger = set(VARIABLE_BYTES_MAX - 1);
    assert_eq!((larger.writes.len(), codes(&larger)), (0, vec![WarningCode::Length]));
}

/// What is taken back has not happened: no name, no use, no warning of a write that a preview holds back.
#[test]
fn what_is_taken_back_leaves_no_trace() {
    let taken_back = rendered("{}", "{{getvar::{{setvar::a::1}}x..y}}");
    assert_eq!(taken_back.texts[0], "{{getvar::{{setvar::a::1}}x..y}}");
    assert_eq!((taken_back.names.len(), taken_back.uses.len(), taken_back.writes.len()), (0, 0, 0));
    let warned: Vec<_> = taken_back.warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(warned, [WarningCode::Unreadable]);
}

/// Which floors a prompt needs does not depend on how its macros are written.
#[test]
fn needed_floors_are_found_in_any_spelling() {
    let variables = variables(&yaml("branch: {f: 3, name: j}")).with_state("vs_stat_data", Some(yaml("a: 1")));
    let profile = Profile::read(&yaml("{base: default, views: {j: {}, news: {changed_since: -1}}}")).unwrap();
    let needs = |text: &str| {
        let needs = Prompt::parse(vec![text.to_owned()]).needs(&variables, &profile);
        (needs.floors.into_iter().collect::<Vec<_>>(), needs.message)
    };
    for text in ["{{view::j::0}}", "{{ view :: j :: 0 }}", "{{view j 0}}", "{{if {{view::j::0}}}}x{{/if}}"] {
        assert_eq!(needs(text), (vec![0], false), "{text}");
    }
    assert_eq!(needs("{{setvar::a::{{view::news}}}}"), (vec![-1], false));
    assert_eq!(needs("{{setvar::a}}{{view::news}}{{/setvar}}{{view::j}}"), (vec![-1], false));
    assert_eq!(needs("{{view::{{getvar::name}}::{{getvar::f}}}}"), (vec![3], false));
    assert_eq!(needs("{{view::zz}}{{view::j::x}}"), (vec![], false));
    assert_eq!(needs("{{get_message_variable::a}}"), (vec![], true));
}
