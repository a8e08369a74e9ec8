//! Prompts: 64 KB with 1,000 macros over 2,000 variables and a 20 KB state; and views of that state.

use super::{fastest, micros};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::prompt::{Context, Mode, Variables, render};
use tavernkeep_engine::scope::Scope;

const ROUNDS: usize = 200;
const VARIABLES: usize = 2_000;
const MACROS: usize = 1_000;
const PROMPT_BYTES: usize = 64 * 1024;
const STATE_BYTES: usize = 20 * 1024;

pub(super) fn measure() {
    let state = state();
    let profile = profile();
    let rows = rows();
    let text = prompt();
    println!(
        "\n{:58} {:>10}   ({} bytes of prompt, {MACROS} macros, {VARIABLES} variables, {} bytes of state)",
        "prompts",
        "µs",
        text.len(),
        state.to_json().len()
    );
    let whole = || {
        let variables = Variables::new(rows.iter().cloned()).with_state("vs_stat_data", Some(state.clone()));
        let context = Context { mode: Mode::Render, seed: 7, ..Context::new(&variables, &profile) };
        render(&[text.as_str()], &context)
    };
    let rendered = whole();
    assert!(rendered.warnings.is_empty(), "{:?}", rendered.warnings.first());
    println!("{:58} {:>10.0}", "render, with the variables read from their texts", micros(fastest(ROUNDS, whole)));
    let variables = Variables::new(rows.iter().cloned()).with_state("vs_stat_data", Some(state.clone()));
    let context = Context { mode: Mode::Render, seed: 7, ..Context::new(&variables, &profile) };
    let again = || render(&[text.as_str()], &context);
    println!("{:58} {:>10.0}", "render again", micros(fastest(ROUNDS, again)));
    let copied = || text.clone();
    println!("{:58} {:>10.0}", "the same bytes copied", micros(fastest(ROUNDS, copied)));
    let twice = text.repeat(2);
    println!("{:58} {:>10.0}", "twice the prompt", micros(fastest(ROUNDS, || render(&[twice.as_str()], &context))));
    let earlier = earlier(&state);
    for view in &profile.views {
        let since = view.changed_since.map(|_| &earlier);
        let shown = view.render(&state, since, true);
        let time = micros(fastest(ROUNDS, || view.render(&state, since, true)));
        let name = format!("view {}, {} characters", view.name, shown.text.chars().count());
        println!("{name:58} {time:>10.0}");
    }
}

fn profile() -> Profile {
    let views = r#"{"views": {"json": {"format": "json"}, "yaml": {}, "compact": {"format": "compact"},
        "paths": {"paths": ["角色1", "角色2.背包"]}, "budget": {"budget": 4000, "priority": {"角色3": 5, "角色4.背包": -1}},
        "changed": {"changed_since": 0}}}"#;
    let views = Value::parse(views).expect("JSON");
    Profile::read(&views).expect("a profile")
}

fn state() -> Value {
    let mut members = Vec::new();
    let mut number = 0;
    let mut bytes = 0;
    while bytes < STATE_BYTES {
        let text = format!(
            r#"{{"名": "络络{number}", "好感": {number}, "心情": [40, "平静到高兴"], "背包": ["剑", "盾", {{"名": "药水", "数": 3}}],
                "位置": {{"城": "长安", "坊": "平康", "_id": {number}}}, "$meta": {{"required": true}}}}"#
        );
        let value = Value::parse(&text).expect("JSON");
        bytes += value.to_json().len();
        members.push((format!("角色{number}"), value));
        number += 1;
    }
    members.into_iter().collect()
}

/// The state before a few of its values changed.
fn earlier(state: &Value) -> Value {
    let members = state.as_object().expect("an object").iter();
    let changed = |(number, (key, value)): (usize, (&std::sync::Arc<str>, &Value))| {
        let value = if number % 10 == 0 { Value::empty_object() } else { value.clone() };
        (std::sync::Arc::clone(key), value)
    };
    members.enumerate().map(changed).collect()
}

fn rows() -> Vec<(Scope, Key, JsonText)> {
    let scopes = [Scope::Global, Scope::Chat, Scope::Branch, Scope::Floor, Scope::Page];
    let row = |number: usize| {
        let key = format!("key{number:04}").parse().expect("a key");
        let value = match number % 3 {
            0 => format!("{number}"),
            1 => format!("\"value {number}\""),
            _ => format!("{{\"金币\":{number},\"背包\":[\"剑\",\"盾\"]}}"),
        };
        (scopes[number % 5], key, JsonText::parse(value.as_bytes()).expect("JSON"))
    };
    (0..VARIABLES).map(row).collect()
}

/// Reads, writes, conditions and paths among ordinary text.
fn prompt() -> String {
    let mut text = String::new();
    for number in 0..MACROS / 5 {
        let key = number * 7 % VARIABLES;
        text.push_str(&format!("{{{{getvar::key{key:04}}}}} {{{{key{:04}}}}} ", (key + 1) % VARIABLES));
        text.push_str(&format!("{{{{vs_get::角色{}.好感}}}} ", number % 20));
        match number % 10 {
            0 => text.push_str(&format!("{{{{setvar::turn{number}::{{{{.turn0}}}}}}}}")),
            _ => text.push_str(&format!(
                "{{{{if {{{{vs_get::角色3.好感}}}} >= {}}}}}高{{{{else}}}}低{{{{/if}}}}",
                number % 5
            )),
        }
        let filler = PROMPT_BYTES / (MACROS / 5) - 120;
        text.push_str(&"The rain falls on the tavern. ".repeat(filler / 30 + 1));
        text.push('\n');
    }
    text
}
