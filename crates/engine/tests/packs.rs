//! The seam of rule packs: a second, tiny pack works like the first, and packs keep to the limits of a turn.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::sync::Arc;
use tavernkeep_engine::document::{Number, Value};
use tavernkeep_engine::effect::Effect;
use tavernkeep_engine::limits::COMMANDS_MAX;
use tavernkeep_engine::op::Op;
use tavernkeep_engine::packs::{
    self, Archived, CommandTurn, Due, EndOfTurn, Guide, InvalidSettings, Pack, Rules, View,
};
use tavernkeep_engine::path::Path;
use tavernkeep_engine::problem::{Code, Refusal};
use tavernkeep_engine::profile::{InvalidProfile, Profile};
use tavernkeep_engine::turn::{Outcome, Turn, apply_reply};

/// A pack that counts: `tick('name')` adds one, and at the end of a turn a count that is full leaves for the archive.
static COUNTER: Pack = Pack {
    name: "counter",
    template: |_| Value::parse(r#"{"counts": {}, "turns": 0}"#).unwrap(),
    commands: &["tick"],
    settings: || Value::parse(r#"{"full": 3, "frozen": {}}"#).unwrap(),
    read: |settings| match settings.get("full").and_then(Value::as_number).and_then(Number::as_i64) {
        Some(full) => Ok(Arc::new(Counter { full })),
        None => Err(InvalidSettings { at: "/full".into(), message: "must be an integer".into() }),
    },
};

#[derive(Debug)]
struct Counter {
    full: i64,
}

fn count(value: Option<&Value>) -> i64 {
    value.and_then(Value::as_number).and_then(Number::as_i64).unwrap_or(0)
}

impl Rules for Counter {
    fn perform(&self, turn: &mut CommandTurn<'_>, _: &str, args: &[&str]) -> Result<Option<String>, Refusal> {
        let [name] = args else { return Err(Refusal::new(Code::BadArguments, "tick needs a name")) };
        let counts = Path::root().key("counts");
        let name = name.trim_matches('\'');
        let next = count(counts.find(turn.draft.document()).and_then(|counts| counts.get(name))) + 1;
        turn.draft.set_key(&counts, name, Value::from(next))?;
        Ok(None)
    }

    fn check(&self, _: &Value, op: &Op) -> Result<(), Refusal> {
        match *op.path() == Path::root().key("turns") {
            true => Err(Refusal::new(Code::ReadOnly, "turns are counted")),
            false => Ok(()),
        }
    }

    fn end_of_turn(&self) -> &[&'static str] {
        &["count", "fail", "empty"]
    }

    fn run(&self, rule: &str, turn: &mut EndOfTurn<'_>) -> Result<(), Refusal> {
        let turns = count(turn.before.get("turns")) + 1;
        turn.draft.set_key(&Path::root(), "turns", Value::from(turns))?;
        match rule {
            "fail" => {
                turn.draft.set_key(&Path::root(), "half", Value::from(1))?;
                Err(Refusal::new(Code::Limit, "no more"))
            }
            "empty" => {
                let counts = Path::root().key("counts");
                let full = |(_, value): &(&Arc<str>, &Value)| count(Some(value)) >= self.full;
                let found = counts.find(turn.draft.document()).and_then(Value::as_object).unwrap();
                let full: Vec<_> = found.iter().filter(full).map(|(key, value)| (key.clone(), value.clone())).collect();
                for (key, _) in &full {
                    turn.draft.remove(&counts.key(key.clone()))?;
                }
                if !full.is_empty() {
                    let entries = full.into_iter().collect();
                    turn.archived.push(Archived { source: "counts".into(), name: String::new(), entries });
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn view(&self, document: &Value) -> View {
        View { document: document.clone(), due: vec![Due { code: "rest", text: "rest now".into() }] }
    }

    fn guide(&self) -> Guide {
        Guide { text: "tick('name') counts.".into(), examples: Vec::new() }
    }

    fn recent_texts(&self, _: &Value, _: &str) -> usize {
        0
    }
}

fn profile(text: &str) -> Result<Profile, InvalidProfile> {
    let table: Vec<&'static Pack> = packs::TABLE.iter().copied().chain([&COUNTER]).collect();
    Profile::read_with(&Value::parse(text).unwrap(), &table)
}

fn turn(profile: &Profile, document: &Value, reply: &str) -> Outcome {
    let profile = Arc::new(profile.clone());
    apply_reply(Turn { document: document.clone(), reply: reply.to_owned(), profile, ..Turn::default() })
}

#[test]
fn a_second_pack_brings_its_template_commands_rules_view_and_settings() {
    let profile =
        profile(r#"{"base": "default", "dialects": ["counter", "at"], "packs": {"counter": {"full": 2}}}"#).unwrap();
    let first = profile.first_document().unwrap();
    let outcome =
        turn(&profile, &first, "tick('a') and tick('b'); tick('a'); @.SET(\"turns\", 9); tick(); tick ('c', 'd');");
    assert_eq!(outcome.document.to_json(), r#"{"counts":{"b":1},"turns":1}"#);
    let statuses: Vec<&str> = outcome.results.iter().map(|result| result.status.as_str()).collect();
    assert_eq!(statuses, ["applied", "applied", "applied", "refused", "refused", "refused"]);
    let entries = Value::parse(r#"{"a": 2}"#).unwrap();
    let archived = Archived { source: "counts".into(), name: String::new(), entries };
    assert_eq!(outcome.effects, [Effect::Archive(archived)]);
    let dialects: Vec<&str> = outcome.results.iter().map(|result| result.command.dialect.as_str()).collect();
    assert_eq!(dialects, ["counter", "counter", "counter", "at", "counter", "counter"]);
    // A rule that fails leaves no trace but its problem.
    assert_eq!(outcome.problems.iter().filter(|problem| problem.message.contains("`fail`")).count(), 1);
    assert_eq!(profile.packs[0].rules().view(&first).to_text(), "! rest now\ncounts: {}\nturns: 0\n");
}

#[test]
fn a_pack_is_read_in_its_own_dialect_only() {
    let first = profile(r#"{"packs": "counter"}"#).unwrap();
    let document = first.first_document().unwrap();
    for (dialects, found) in
        [(r#"["at"]"#, 0), (r#"["memory"]"#, 0), (r#"["counter"]"#, 1), (r#"["memory", "counter"]"#, 1)]
    {
        let profile = profile(&format!(r#"{{"dialects": {dialects}, "packs": "counter"}}"#)).unwrap();
        let outcome = turn(&profile, &document, "tick('a'); set_status('天气', '雨');");
        assert_eq!(outcome.results.len(), found, "{dialects}");
        let rules = tavernkeep_engine::prompt::kit::rules(&profile, &[], &document, None);
        assert_eq!(rules.contains("tick('name') counts."), found == 1, "{rules}");
        assert!(!rules.contains("set_status"), "{rules}");
    }
    // A dialect of a pack that nobody knows is a mistake.
    assert!(Profile::read(&Value::parse(r#"{"dialects": ["counter"]}"#).unwrap()).is_err());
}

#[test]
fn two_packs_can_be_used_at_once() {
    let profile =
        profile(r#"{"base": "memory", "dialects": ["memory", "counter"], "packs": {"memory": {}, "counter": {}}}"#)
            .unwrap();
    let mut document = profile.first_document().unwrap();
    assert_eq!(document.as_object().unwrap().len(), 5, "both templates are there");
    for reply in ["set_status('天气', '雨'); tick('a');", "tick('a'); memory('summary.small', '一', '甲');"] {
        let outcome = turn(&profile, &document, reply);
        assert_eq!(outcome.refused(), 0);
        document = outcome.document;
    }
    assert_eq!(document.get("counts").unwrap().to_json(), r#"{"a":2}"#);
    assert_eq!(document.get("turns"), Some(&Value::from(2)));
    // Both views count: what one hides stays hidden, and what both ask for is asked for.
    let reply = "memory('world_set.npc', '线人', {_filter: true}); memory('config.small_to_big_count', 1);";
    document = turn(&profile, &document, reply).document;
    document = turn(&profile, &document, "继续。").document;
    let shown = profile.shown_by_packs(&document).unwrap();
    let due: Vec<&str> = shown.due.iter().map(|due| due.code).collect();
    assert_eq!(due, ["summary_due", "rest"]);
    let npc = shown.document.get("assa_data").unwrap().get("world_set").unwrap().get("npc").unwrap();
    assert!(npc.get("线人").unwrap().as_str().unwrap().starts_with("[已隐藏]"));
    assert_eq!(shown.document.get("counts").unwrap().to_json(), r#"{"a":2}"#);
    assert!(Profile::default().shown_by_packs(&document).is_none());
}

#[test]
fn profiles_with_packs_are_read_and_written_back() {
    let named = Profile::named("memory").unwrap();
    assert_eq!(named.packs.len(), 1);
    assert_eq!(Profile::read(&named.to_value()).unwrap(), named);
    let without = Profile::read(&Value::parse(r#"{"base": "memory", "packs": []}"#).unwrap()).unwrap();
    assert!(without.packs.is_empty());
    assert_eq!(Profile::read(&without.to_value()).unwrap(), without);
    let changed =
        r#"{"base": "memory", "packs": {"memory": {"levels": {"低": null, "深渊": 20}, "small_to_big_count": 30}}}"#;
    let changed = Profile::read(&Value::parse(changed).unwrap()).unwrap();
    assert_ne!(changed, named);
    assert_eq!(Profile::read(&changed.to_value()).unwrap(), changed);
    assert_eq!(profile(r#"{"packs": "memory"}"#).unwrap().packs, named.packs);
}

#[test]
fn bad_settings_say_where_they_are_wrong() {
    for (packs, at) in [
        (r#""nobody""#, "/packs"),
        (r#"{"memory": {"no_such": 1}}"#, "/packs/memory/no_such"),
        (r#"{"memory": 5}"#, "/packs/memory"),
        (r#"{"memory": {"derived": {"衍生属性段.先攻": "1 +"}}}"#, "/packs/memory/derived/衍生属性段.先攻"),
        (r#"{"memory": {"derived": {"a..b": "1"}}}"#, "/packs/memory/derived/a..b"),
        (r#"{"memory": {"legend": 5}}"#, "/packs/memory/legend"),
        (r#"{"memory": {"rules": ["no_such"]}}"#, "/packs/memory/rules"),
        (r#"{"memory": {"small_to_big_count": -1}}"#, "/packs/memory/small_to_big_count"),
        (r#"{"memory": {"hide_latest_count": 21}}"#, "/packs/memory/hide_latest_count"),
        (r#"{"memory": {"examples": [[]]}}"#, "/packs/memory/examples"),
        (r#"{"memory": {"levels": {"低": "x"}}}"#, "/packs/memory/levels/低"),
        (r#"{"memory": {"names": 1}}"#, "/packs/memory/names"),
        (r#"{"memory": {"hidden_text": null}}"#, "/packs/memory/hidden_text"),
        ("5", ""),
    ] {
        let error = profile(&format!(r#"{{"base": "memory", "packs": {packs}}}"#)).unwrap_err();
        assert_eq!(error.at(), at, "{error}");
    }
}

#[test]
fn ten_thousand_commands_are_applied_and_one_more_is_a_problem() {
    let profile = Profile::named("memory").unwrap();
    let first = profile.first_document().unwrap();
    for (count, problems) in [(COMMANDS_MAX, 0), (COMMANDS_MAX + 1, 1)] {
        let reply = "memory('summary.small', 'k', 'v');\n".repeat(count);
        let outcome = turn(&profile, &first, &reply);
        assert_eq!(outcome.results.len(), COMMANDS_MAX);
        assert_eq!(outcome.refused(), 0);
        assert_eq!(outcome.problems.len(), problems);
        let small = packs::memory::small_entries(&outcome.document).unwrap();
        assert_eq!(small.len(), COMMANDS_MAX);
        assert!(packs::memory::is_summary_due(&outcome.document));
    }
    let cleared = "memory('world_set.npc', 'a', 1); delete('world_set.npc', 'all');".repeat(2_000);
    let outcome = turn(&profile, &first, &cleared);
    assert_eq!(outcome.effects.len(), tavernkeep_engine::limits::EFFECTS_MAX);
    assert_eq!(outcome.results.iter().filter(|result| result.status.as_str() == "refused").count(), 1_000);
}
