//! Runs every Markdown file below `cases/engine`: its title is the sentence we promise.
//!
//! ````text
//! # title
//! ```yaml profile     a name or {base: …}; absent: default
//! ```yaml schema      our schema, or MVU's for the profile mvu
//! ```yaml before      the document
//! ```text reply       the reply, without its last line break
//! ```yaml after       the document then
//! ```text results     one line per command: name, status, code and message
//! ```text problems    one line per problem
//! ````
//!
//! `UPDATE_CASES=1` rewrites the last three where they are present; the difference is read like code.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::literal::read_yaml;
use tavernkeep_engine::mvu::MvuSchema;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::schema::Schema;
use tavernkeep_engine::turn::{Outcome, Status, Turn, apply_reply};

#[test]
fn every_case_holds() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases/engine");
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.sort();
    assert!(!files.is_empty(), "no cases below {}", folder.display());
    let failures: Vec<String> = files.iter().filter_map(|file| check(file)).collect();
    println!("{} cases", files.len());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
}

/// Runs one case; gives back what is wrong with it.
fn check(file: &Path) -> Option<String> {
    let source = std::fs::read_to_string(file).unwrap();
    let block = |label: &str| find(&source, label);
    let outcome = run(&source);
    let mut updated = source.clone();
    let mut wrong = Vec::new();
    for (label, found) in [
        ("yaml after", show(&outcome.document)),
        ("text results", results(&outcome)),
        ("text problems", outcome.problems.iter().map(|problem| format!("{problem}\n")).collect()),
    ] {
        let Some(expected) = block(label) else { continue };
        let equal = match label {
            "yaml after" => yaml(&expected).same_in_order(&outcome.document),
            _ => expected == found,
        };
        if !equal {
            wrong.push(format!("expected {label}:\n{expected}found:\n{found}"));
            updated = updated.replacen(&format!("```{label}\n{expected}```"), &format!("```{label}\n{found}```"), 1);
        }
    }
    let replayed = outcome.change.apply(&yaml(&block("yaml before").unwrap_or_default())).unwrap();
    assert!(replayed.same_in_order(&outcome.document), "{}: replay differs", file.display());
    if wrong.is_empty() {
        return None;
    }
    if std::env::var_os("UPDATE_CASES").is_some_and(|wanted| wanted == "1") {
        std::fs::write(file, updated).unwrap();
        return None;
    }
    let title = source.lines().next().unwrap_or_default();
    Some(format!("{}\n{title}\n{}", file.display(), wrong.join("\n")))
}

fn run(source: &str) -> Outcome {
    let block = |label: &str| find(source, label);
    let mut profile = block("yaml profile").map_or_else(Profile::default, |text| Profile::read(&yaml(&text)).unwrap());
    let schema = block("yaml schema").map(|text| yaml(&text));
    let mvu = profile.name.as_ref() == "mvu";
    let mvu_schema = schema.as_ref().filter(|_| mvu).and_then(MvuSchema::from_value);
    if let Some(schema) = schema.filter(|_| !mvu) {
        profile.schema = Some(Schema::read(&schema).unwrap().into());
    }
    let reply = block("text reply").expect("a case has a reply");
    let reply = reply.strip_suffix('\n').unwrap_or(&reply).to_owned();
    let document = yaml(&block("yaml before").expect("a case has a document before"));
    apply_reply(Turn { document, reply, profile: profile.into(), mvu_schema, ..Turn::default() })
}

/// The content of the fenced block with this label.
fn find(source: &str, label: &str) -> Option<String> {
    let start = source.find(&format!("```{label}\n"))? + label.len() + 4;
    let fence = source[..start - label.len() - 1].rsplit('\n').next().unwrap_or("```");
    let end = source[start..].find(&format!("{fence}\n")).or_else(|| source[start..].rfind(fence))?;
    Some(source[start..start + end].to_owned())
}

fn yaml(text: &str) -> Value {
    read_yaml(text).unwrap_or_else(|_| panic!("no YAML: {text}"))
}

fn results(outcome: &Outcome) -> String {
    let line = |status: &Status| match status {
        Status::Applied => "applied".to_owned(),
        Status::Repaired(how) => format!("repaired: {how}"),
        Status::Refused(refusal) => format!("refused {}: {}", refusal.code, refusal.message),
    };
    outcome.results.iter().map(|result| format!("{} {}\n", result.command.name, line(&result.status))).collect()
}

/// A document as a person would write it: one member a line, the rest in flow style.
fn show(value: &Value) -> String {
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().map(|(key, value)| format!("{}: {}\n", word(key), flow(value))).collect()
        }
        other => format!("{}\n", flow(other)),
    }
}

fn flow(value: &Value) -> String {
    match value {
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(key, value)| format!("{}: {}", word(key), flow(value))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::String(text) => word(text),
        other => other.to_json(),
    }
}

/// Text without quotes where it stays the same text.
fn word(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_alphanumeric() || "_-. ".contains(c)) && text.trim() == text;
    if plain && read_yaml(text) == Ok(Value::from(text)) { text.to_owned() } else { Value::from(text).to_json() }
}
