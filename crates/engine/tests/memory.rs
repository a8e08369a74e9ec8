//! Runs every Markdown file below `cases/memory`: a story of one or more turns with the rule pack `memory`.
//!
//! ````text
//! # title
//! ```yaml profile     absent: memory
//! ```yaml state       paths and their values, written into the pack's template before the first turn; null takes a path away
//! ```text reply       a model's text: a turn
//! ```text user        a person's text: a turn too
//! ```yaml after       paths and their values after the turn before; null where nothing is
//! ```text results     one line per command of that turn: name, status, code and message
//! ```text problems    one line per problem of that turn, without its place
//! ```text archived    one line per archive entry of that turn: source, name, entries
//! ```text view        lines that the view has, in this order; `!` in front of a line that it has not
//! ````
//!
//! Blocks count in the order in which they stand. `UPDATE_CASES=1` rewrites `results`, `problems` and `archived`.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

use std::path::{Path, PathBuf};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::draft::Draft;
use tavernkeep_engine::effect::Effect;
use tavernkeep_engine::literal::read_yaml;
use tavernkeep_engine::path::{WrittenPath, locate};
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::turn::{Outcome, Status, Turn, apply_reply};

#[test]
fn every_case_holds() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases/memory");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| !file.ends_with("README.md"));
    files.sort();
    assert!(!files.is_empty(), "no cases below {}", folder.display());
    let failures: Vec<String> = files.iter().filter_map(|file| check(file)).collect();
    println!("{} cases", files.len());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn the_list_names_every_case_and_no_other() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let list = std::fs::read_to_string(root.join("cases/memory/README.md")).unwrap();
    let mut named: Vec<&str> = list.split("](").skip(1).map(|rest| rest.split_once(')').unwrap().0).collect();
    named.sort_unstable();
    named.dedup();
    let entries = std::fs::read_dir(root.join("cases/memory")).unwrap();
    let mut files: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    files.sort_unstable();
    assert_eq!(named, files);
    // Tests that it names are tests.
    for (file, words) in [("crates/cli/tests/http/memory.rs", "http `"), ("crates/engine/tests/packs.rs", "packs `")] {
        let source = std::fs::read_to_string(root.join(file)).unwrap();
        for rest in list.split(words).skip(1) {
            let test = rest.split_once('`').unwrap().0;
            assert!(source.contains(&format!("fn {test}(")), "{file} has no test {test}");
        }
    }
}

/// The chat of `examples/memory`, turn by turn.
fn example(profile: &str) -> Vec<Outcome> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/memory");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let profile = std::sync::Arc::new(Profile::read(&Value::parse(profile).unwrap()).unwrap());
    let (mut document, mut replies) = (Value::parse(&read("template.json")).unwrap(), Vec::new());
    let turn = |line: &str| {
        let line = Value::parse(line).unwrap();
        let (reply, from_user) = (
            line.get("content").unwrap().as_str().unwrap().to_owned(),
            line.get("role").unwrap().as_str() == Some("user"),
        );
        let profile = std::sync::Arc::clone(&profile);
        let turn = Turn {
            document: document.clone(),
            reply: reply.clone(),
            profile,
            recent_texts: replies.clone(),
            from_user,
            ..Turn::default()
        };
        if !from_user {
            replies.push(reply);
        }
        let outcome = apply_reply(turn);
        document = outcome.document.clone();
        outcome
    };
    read("chat.jsonl").lines().map(turn).collect()
}

#[test]
fn the_example_has_thirty_turns_and_exercises_every_rule() {
    let whole = example(r#"{"base": "memory"}"#);
    assert_eq!(whole.len(), 30);
    let refused: Vec<usize> = (0..30).filter(|at| whole[*at].refused() > 0).collect();
    assert_eq!(refused, [20], "only one turn tries what is not allowed");
    let rules = ["legend", "derived", "time", "task", "resources", "inventory", "summaries", "filter", "difficulty"];
    for missing in rules {
        let others: Vec<String> =
            rules.iter().filter(|rule| **rule != missing).map(|rule| format!("{rule:?}")).collect();
        let profile = format!(r#"{{"base": "memory", "packs": {{"memory": {{"rules": [{}]}}}}}}"#, others.join(", "));
        assert!(example(&profile) != whole, "nothing in the example needs the rule `{missing}`");
    }
}

struct Story {
    profile: Profile,
    document: Value,
    recent_texts: Vec<String>,
    last: Option<Outcome>,
}

fn check(file: &Path) -> Option<String> {
    let source = std::fs::read_to_string(file).unwrap();
    let profile = Profile::named("memory").unwrap();
    let document = profile.first_document().unwrap();
    let mut story = Story { profile, document, recent_texts: Vec::new(), last: None };
    let (mut wrong, mut updated, mut rest) = (Vec::new(), String::new(), source.as_str());
    while let Some((before, label, content, behind)) = next_block(rest) {
        updated.push_str(before);
        let found = story.block(&label, content, &mut wrong);
        if let Some(found) = &found
            && found != content
        {
            wrong.push(format!("expected {label}:\n{content}found:\n{found}"));
        }
        updated.push_str(&format!("```{label}\n{}```", found.as_deref().unwrap_or(content)));
        rest = behind;
    }
    updated.push_str(rest);
    if wrong.is_empty() {
        return None;
    }
    if std::env::var_os("UPDATE_CASES").is_some_and(|wanted| wanted == "1") {
        std::fs::write(file, updated).unwrap();
        wrong.retain(|wrong| wrong.starts_with("after") || wrong.starts_with("view"));
    }
    (!wrong.is_empty()).then(|| format!("{}\n{}\n{}", file.display(), source.lines().next().unwrap(), wrong.join("\n")))
}

/// What stands before the next block, its label, its content, and what stands behind it.
fn next_block(text: &str) -> Option<(&str, String, &str, &str)> {
    let start = text.find("```")?;
    let line = text[start + 3..].find('\n')? + start + 3;
    let end = text[line + 1..].find("```")? + line + 1;
    Some((&text[..start], text[start + 3..line].to_owned(), &text[line + 1..end], &text[end + 3..]))
}

impl Story {
    /// Does what a block says; answers what it should hold where that can be rewritten.
    fn block(&mut self, label: &str, content: &str, wrong: &mut Vec<String>) -> Option<String> {
        let last = self.last.as_ref();
        match label {
            "yaml profile" => {
                self.profile = Profile::read(&yaml(content)).unwrap();
                self.document = self.profile.first_document().unwrap();
                // The data of a profile means the same profile.
                assert_eq!(Profile::read(&self.profile.to_value()).unwrap(), self.profile);
            }
            "yaml state" => {
                for (path, value) in yaml(content).as_object().unwrap() {
                    self.document = written(&self.document, path, value);
                }
            }
            "text reply" | "text user" => self.turn(content, label == "text user"),
            "yaml after" => {
                for (path, expected) in yaml(content).as_object().unwrap() {
                    let found = path.parse::<WrittenPath>().unwrap().find(&self.document).cloned().unwrap_or_default();
                    let is_pair = found.items().len() == 2
                        && found.items()[1].as_str().is_some()
                        && expected.as_array().is_none();
                    let found = if is_pair { found.items()[0].clone() } else { found };
                    if !found.same_in_order(expected) {
                        wrong.push(format!("after `{path}`: expected {expected}, found {found}"));
                    }
                }
            }
            "text results" => return Some(last.unwrap().results.iter().map(result).collect()),
            "text problems" => {
                let line =
                    |problem: &tavernkeep_engine::problem::Problem| format!("{}: {}\n", problem.code, problem.message);
                return Some(last.unwrap().problems.iter().map(line).collect());
            }
            "text archived" => return Some(last.unwrap().effects.iter().map(archived).collect()),
            "text view" => {
                let view = self.profile.packs[0].rules().view(&self.document).to_text();
                let mut rest = view.as_str();
                for line in content.lines() {
                    let (absent, line) = line.strip_prefix('!').map_or((false, line), |line| (true, line));
                    match (absent, rest.find(line)) {
                        (true, _) if view.contains(line) => wrong.push(format!("view has: {line}\n{view}")),
                        (true, _) => {}
                        (false, Some(at)) => rest = &rest[at + line.len()..],
                        (false, None) => wrong.push(format!("view lacks: {line}\n{view}")),
                    }
                }
            }
            _ => panic!("no such block: {label}"),
        }
        None
    }

    fn turn(&mut self, text: &str, from_user: bool) {
        let reply = text.strip_suffix('\n').unwrap_or(text).to_owned();
        let wanted = self.profile.recent_texts_for(&self.document, &reply);
        let recent_texts = self.recent_texts[self.recent_texts.len().saturating_sub(wanted)..].to_vec();
        let profile = std::sync::Arc::new(self.profile.clone());
        let turn = Turn {
            document: self.document.clone(),
            reply: reply.clone(),
            profile,
            recent_texts,
            from_user,
            ..Turn::default()
        };
        let outcome = apply_reply(turn.clone());
        assert_eq!(outcome, apply_reply(turn), "the same turn gives the same outcome");
        assert!(outcome.change.apply(&self.document).unwrap().same_in_order(&outcome.document), "replay differs");
        if !from_user {
            self.recent_texts.push(reply);
        }
        self.document = outcome.document.clone();
        self.last = Some(outcome);
    }
}

/// Writes a value at a path of a document, at item 0 of a pair; null takes it away.
fn written(document: &Value, path: &str, value: &Value) -> Value {
    let mut draft = Draft::new(document.clone());
    let segments = path.parse::<WrittenPath>().unwrap().on(document);
    let located = locate(document, &segments);
    if located.exists() {
        let is_pair = located.value.items().len() == 2 && located.value.items()[1].as_str().is_some();
        match value {
            Value::Null => draft.remove(&located.path).unwrap(),
            _ if is_pair && value.as_array().is_none() => draft.replace(&located.path.index(0), value.clone()).unwrap(),
            _ => draft.replace(&located.path, value.clone()).unwrap(),
        }
    } else {
        let (first, rest) = located.missing.split_first().unwrap();
        let value = rest.iter().rev().fold(value.clone(), |value, key| [(key.clone(), value)].into_iter().collect());
        draft.set_key(&located.path, first, value).unwrap();
    }
    draft.finish().0
}

fn result(result: &tavernkeep_engine::turn::CommandResult) -> String {
    let status = match &result.status {
        Status::Applied => "applied".to_owned(),
        Status::Repaired(how) => format!("repaired: {how}"),
        Status::Refused(refusal) => format!("refused {}: {}", refusal.code, refusal.message),
    };
    format!("{} {status}\n", result.command.name)
}

fn archived(effect: &Effect) -> String {
    match effect {
        Effect::Archive(archived) => format!("{} {:?} {}\n", archived.source, archived.name, archived.entries),
        Effect::SetVariable { .. } => "a variable\n".to_owned(),
    }
}

fn yaml(text: &str) -> Value {
    read_yaml(text).unwrap_or_else(|_| panic!("no YAML: {text}"))
}
